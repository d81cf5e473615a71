//! The records of documents -> columns in memory or in a mapped file, which queries search.

use super::short::Signature;
use super::{Asking, Kind, Neighbor, Query, Record, Tables, scan_column};
use crate::fingerprint::edit_distance_within;

/// The records of documents in columns in memory, in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// The number of words of a fingerprint.
    each: usize,
    /// The number of each document, in order.
    pub numbers: Vec<u32>,
    /// The words of the fingerprint of each document.
    pub words: Vec<u64>,
    /// The hash of the text of each document, its low half first.
    pub hashes: Vec<[u64; 2]>,
    /// The [`Kind`] of each document, as a byte.
    pub kinds: Vec<u8>,
    /// The places of the documents that are compared by their characters.
    pub short_places: Vec<u32>,
    /// The length of each of them in characters.
    pub short_lengths: Vec<u32>,
    /// The words of the signature of each of them.
    pub signatures: Vec<[u64; 2]>,
}

/// The columns of [`Records`], borrowed from memory or from a mapped file.
#[derive(Debug, Clone, Copy)]
pub struct RecordsIn<'a> {
    /// The number of words of a fingerprint.
    each: usize,
    /// The number of each document, in order.
    pub numbers: &'a [u32],
    /// The words of the fingerprint of each document.
    pub words: &'a [u64],
    /// The hash of the text of each document, its low half first.
    pub hashes: &'a [[u64; 2]],
    /// The [`Kind`] of each document, as a byte.
    pub kinds: &'a [u8],
    /// The places of the documents that are compared by their characters.
    pub short_places: &'a [u32],
    /// The length of each of them in characters.
    pub short_lengths: &'a [u32],
    /// The words of the signature of each of them.
    pub signatures: &'a [[u64; 2]],
}

impl Records {
    /// Columns without records, of fingerprints of `each` words.
    pub fn new(each: usize) -> Records {
        Records { each, ..Records::default() }
    }

    /// Adds the record of a document, whose number is larger than all before.
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

    /// The columns, borrowed.
    pub fn view(&self) -> RecordsIn<'_> {
        RecordsIn {
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

impl<'a> RecordsIn<'a> {
    /// Columns that lie elsewhere, of fingerprints of `each` words.
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
    ) -> RecordsIn<'a> {
        RecordsIn { each, numbers, words, hashes, kinds, short_places, short_lengths, signatures }
    }

    /// The place of the document with a number.
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

    /// The XXH3-128 hash of the normalized text of the document at a place.
    pub fn text_hash(&self, place: usize) -> u128 {
        let [low, high] = self.hashes[place];
        u128::from(high) << 64 | u128::from(low)
    }

    /// The ways in which the document at a place is searched.
    pub fn kind(&self, place: usize) -> Kind {
        Kind::of_byte(self.kinds[place])
    }

    /// Replaces each list of `out` by the places of the fingerprints near the query of its number.
    /// With tables these are the ones that the tables see, without tables all.
    pub fn near(
        &self,
        tables: Option<&Tables<'_>>,
        queries: &[Query],
        asking: &mut Asking,
        out: &mut [Vec<Neighbor>],
    ) {
        match tables {
            Some(tables) => tables.near(queries, asking, out),
            None => {
                for (Query { words, most, limit }, out) in queries.iter().zip(out) {
                    out.clear();
                    scan_column(self.words, self.each, words, *most, out);
                    out.truncate(limit.saturating_add(1));
                }
            }
        }
    }

    /// Adds the places of the fingerprints of `bits` bits within `most` edits of this one.
    pub fn near_by_edits(&self, words: &[u64; 4], bits: u32, most: u32, out: &mut Vec<Neighbor>) {
        let own = &words[..self.each];
        for (slot, other) in (0..).zip(self.words.chunks_exact(self.each)) {
            let distance = edit_distance_within(own, other, bits, most);
            out.extend(distance.map(|distance| Neighbor { slot, distance }));
        }
    }

    /// Adds the places of the documents whose characters may have a similarity of `least` or more
    /// to a text of this length in characters and signature.
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
