//! Documents too short for a fingerprint -> duplicate pairs, by comparing their characters.
//!
//! ```text
//! short documents -> their characters and figures                    mod.rs
//! a length, a least similarity -> segments, one of them whole        segments.rs
//! a text -> the hash of every run of its characters                  rolling.rs
//! texts, a query -> the texts that are similar to it                 index.rs
//! the pool -> all duplicate pairs, and hubs                          search.rs
//! ```
//!
//! A set of a few features has no meaningful fingerprint, since one changed word flips most bits.
//! So short documents are compared by their characters ([`ShortText::similarity`]), with each other
//! and with somewhat longer documents. The search is complete without comparing all pairs. A
//! document with very many duplicates is a *hub*. Pairs of two hubs are not listed; the caller
//! resolves hubs one by one.

mod index;
mod rolling;
mod search;
mod segments;

pub use index::Signature;

use crate::compare::ShortText;

/// Short documents, and documents that can be compared with them.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Pool {
    /// The caller's number of each document.
    documents: Vec<u32>,
    /// True for each short document, false for a longer one that can be compared with short ones.
    short: Vec<bool>,
    /// The characters of all documents in order.
    characters: String,
    /// The end of the characters of each document, in bytes.
    ends: Vec<usize>,
    /// The hashes of the figures of all documents in order.
    figures: Vec<u64>,
    /// The end of the figures of each document.
    figure_ends: Vec<u32>,
}

impl Pool {
    /// Adds a document, after those with smaller numbers. A document without characters is similar
    /// to none.
    pub fn add(&mut self, document: u32, short: bool, text: &ShortText) {
        self.documents.push(document);
        self.short.push(short);
        self.characters.extend(&text.characters);
        self.ends.push(self.characters.len());
        self.figures.extend_from_slice(&text.figures);
        self.figure_ends.push(self.figures.len() as u32);
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns true if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The place of the document with a number of the caller, if it is here.
    pub fn place(&self, document: u32) -> Option<u32> {
        self.documents.binary_search(&document).ok().map(|place| place as u32)
    }

    /// Fills `out` with the document at a place.
    pub fn read(&self, place: u32, out: &mut ShortText) {
        out.characters.clear();
        out.characters.extend(self.characters_of(place).chars());
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.figure_ends[place - 1] as usize };
        out.figures.clear();
        out.figures.extend_from_slice(&self.figures[start..self.figure_ends[place] as usize]);
    }

    /// The characters of the document at a place.
    fn characters_of(&self, place: u32) -> &str {
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.characters[start..self.ends[place]]
    }

    /// Returns true if the documents at two places may be a pair: at least one is short.
    pub fn may_pair(&self, one: u32, other: u32) -> bool {
        self.short[one as usize] || self.short[other as usize]
    }
}
