//! A prepared document -> its record, by which the search finds it.

use super::short::Signature;
use crate::judge::{PreparedText, Rules};

/// The parts of a document by which it is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// The XXH3-128 hash of its normalized text.
    pub text_hash: u128,
    /// The ways in which it is searched.
    pub kind: Kind,
    /// The number of its characters that count, and their signature, if it is compared by
    /// characters.
    pub short: Option<(u32, Signature)>,
    /// The words of its fingerprint. A document that is not searched by its fingerprint has bits of
    /// the hash of its text, by which equal texts are found.
    pub words: [u64; 4],
}

impl Record {
    /// The record of a prepared text, by the rules of the search.
    pub fn new(text: &PreparedText, rules: &Rules) -> Record {
        let prepared = &text.prepared;
        let is_short = rules.is_short(prepared.features);
        let is_searched = !is_short && !prepared.is_empty;
        let short = prepared.short.get().filter(|short| !short.characters.is_empty());
        let short =
            short.map(|short| (short.characters.len() as u32, Signature::new(&short.characters)));
        let kind = Kind::new(is_searched, is_short, prepared.is_empty);
        Record::of(prepared.text_hash, kind, short, prepared.fingerprint, rules.bits)
    }

    /// The record of a document of this text and kind, with its fingerprint of `bits` bits.
    pub fn of(
        text_hash: u128,
        kind: Kind,
        short: Option<(u32, Signature)>,
        fingerprint: Option<[u64; 4]>,
        bits: u32,
    ) -> Record {
        let words = match fingerprint {
            Some(words) if kind.is_searched() => words,
            // It is found by equal texts alone.
            _ => words_of(text_hash, bits),
        };
        Record { text_hash, kind, short, words }
    }
}

/// The ways in which a document is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kind(u8);

impl Kind {
    const SEARCHED: u8 = 1;
    const SHORT: u8 = 2;
    const EMPTY: u8 = 4;

    /// The kind of a document that is searched by its fingerprint, is short, or is empty.
    pub fn new(is_searched: bool, is_short: bool, is_empty: bool) -> Kind {
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        Kind(
            bit(is_searched, Kind::SEARCHED)
                | bit(is_short, Kind::SHORT)
                | bit(is_empty, Kind::EMPTY),
        )
    }

    /// The kind of a byte in a file.
    pub fn of_byte(byte: u8) -> Kind {
        Kind(byte)
    }

    /// The byte in a file.
    pub fn byte(self) -> u8 {
        self.0
    }

    /// Returns true if the document is searched by its fingerprint.
    pub fn is_searched(self) -> bool {
        self.0 & Kind::SEARCHED != 0
    }

    /// Returns true if the document is short.
    pub fn is_short(self) -> bool {
        self.0 & Kind::SHORT != 0
    }

    /// Returns true if the document is empty.
    pub fn is_empty(self) -> bool {
        self.0 & Kind::EMPTY != 0
    }
}

/// Bits of the hash of a text, in place of a fingerprint of `bits` bits.
fn words_of(text_hash: u128, bits: u32) -> [u64; 4] {
    let [low, high] = [text_hash as u64, (text_hash >> 64) as u64];
    match bits {
        32 => [high & u64::MAX << 32, 0, 0, 0],
        64 => [high, 0, 0, 0],
        128 => [high, low, 0, 0],
        _ => [high, low, !high, !low],
    }
}
