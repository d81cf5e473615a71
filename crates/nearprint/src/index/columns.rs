//! Prints of documents -> columns of them, in memory or in a file, in which a question looks.

use nearprint_core::near::short::Signature;
use nearprint_core::near::{Asking, Neighbor, Tables};
use nearprint_core::near::{Kind, Record};

/// Columns in memory, by number.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// Words of a fingerprint.
    each: usize,
    pub numbers: Vec<u32>,
    pub words: Vec<u64>,
    pub hashes: Vec<[u64; 2]>,
    pub kinds: Vec<u8>,
    /// Places of the documents that are compared by their characters, their lengths and signatures.
    pub short_places: Vec<u32>,
    pub short_lengths: Vec<u32>,
    pub signatures: Vec<[u64; 2]>,
}

/// Columns that lie somewhere.
#[derive(Debug, Clone, Copy)]
pub struct ColumnsIn<'a> {
    each: usize,
    pub numbers: &'a [u32],
    pub words: &'a [u64],
    pub hashes: &'a [[u64; 2]],
    pub kinds: &'a [u8],
    pub short_places: &'a [u32],
    pub short_lengths: &'a [u32],
    pub signatures: &'a [[u64; 2]],
}

impl Columns {
    /// None yet; fingerprints of `each` words.
    pub fn new(each: usize) -> Columns {
        Columns { each, ..Columns::default() }
    }

    /// Takes in the document of a number that is larger than all before.
    pub fn push(&mut self, number: u32, record: &Record) {
        if let Some((length, signature)) = &record.short {
            self.short_places.push(self.numbers.len() as u32);
            self.short_lengths.push(*length);
            self.signatures.push(signature.words());
        }
        self.numbers.push(number);
        self.words.extend_from_slice(&record.words[..self.each]);
        self.hashes.push([record.text_hash as u64, (record.text_hash >> 64) as u64]);
        self.kinds.push(record.kind.byte());
    }

    /// Where they lie.
    pub fn view(&self) -> ColumnsIn<'_> {
        ColumnsIn {
            each: self.each,
            numbers: &self.numbers,
            words: &self.words,
            hashes: &self.hashes,
            kinds: &self.kinds,
            short_places: &self.short_places,
            short_lengths: &self.short_lengths,
            signatures: &self.signatures,
        }
    }
}

impl<'a> ColumnsIn<'a> {
    /// Columns of fingerprints of `each` words.
    #[expect(clippy::too_many_arguments)]
    pub fn new(
        each: usize,
        numbers: &'a [u32],
        words: &'a [u64],
        hashes: &'a [[u64; 2]],
        kinds: &'a [u8],
        short_places: &'a [u32],
        short_lengths: &'a [u32],
        signatures: &'a [[u64; 2]],
    ) -> ColumnsIn<'a> {
        ColumnsIn { each, numbers, words, hashes, kinds, short_places, short_lengths, signatures }
    }

    /// The place of the document of a number.
    pub fn place(&self, number: u32) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// The record of the document at a place.
    pub fn record(&self, place: usize) -> Record {
        let mut words = [0; 4];
        words[..self.each].copy_from_slice(&self.words[place * self.each..(place + 1) * self.each]);
        let short = self.short_places.binary_search(&(place as u32)).ok();
        let short = short
            .map(|short| (self.short_lengths[short], Signature::of_words(self.signatures[short])));
        Record { text_hash: self.text_hash(place), kind: self.kind(place), short, words }
    }

    /// The XXH3-128 of the normalized text of the document at a place.
    pub fn text_hash(&self, place: usize) -> u128 {
        let [low, high] = self.hashes[place];
        u128::from(high) << 64 | u128::from(low)
    }

    /// How the document at a place is looked for.
    pub fn kind(&self, place: usize) -> Kind {
        Kind::of_byte(self.kinds[place])
    }

    /// Adds the places of the fingerprints within `most` of this one: by the tables, or else of
    /// all.
    pub fn near(
        &self,
        tables: Option<&Tables<'_>>,
        words: &[u64; 4],
        most: u32,
        asking: &mut Asking,
        out: &mut Vec<Neighbor>,
    ) {
        match tables {
            Some(tables) => tables.near(words, most, asking, out),
            None => nearprint_core::near::scan_column(self.words, self.each, words, most, out),
        }
    }

    /// Adds the places of the documents whose characters may be as similar to these as `least`.
    pub fn short(&self, length: u32, signature: &Signature, least: f64, out: &mut Vec<u32>) {
        let others = self.short_places.iter().zip(self.short_lengths).zip(self.signatures);
        for ((place, other), words) in others {
            if Signature::may_be_similar(
                (length, signature),
                (*other, &Signature::of_words(*words)),
                least,
            ) {
                out.push(*place);
            }
        }
    }
}
