//! Documents too short for a fingerprint -> duplicate pairs, by comparing their characters.
//!
//! ```text
//! short documents -> their characters and figures                   mod.rs
//! a least similarity -> segments of which one is whole              segments.rs
//! the hash of every run of characters                                rolling.rs
//! texts by their segments -> those similar to a text                index.rs
//! the pool -> all duplicate pairs, and hubs                      search.rs
//! ```
//!
//! A set of a few features has no meaningful fingerprint: one changed word flips most bits. So
//! short documents are compared with each other, and with documents that are only somewhat longer,
//! by their characters ([`ShortText::similarity`]). The search is complete without comparing all
//! pairs. A document of which very many are duplicates is of the *hubs*; pairs of two hubs are not
//! listed, but resolve one document after the other.

mod index;
mod rolling;
mod search;
mod segments;

pub use index::Signature;

use crate::compare::ShortText;

/// Short documents, and those that can be compared with them.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Pool {
    /// The caller's number of each document.
    documents: Vec<u32>,
    /// Whether it is short itself, or only short enough to be compared with one that is.
    short: Vec<bool>,
    /// The characters of all, one document after the other.
    characters: String,
    ends: Vec<usize>,
    figures: Vec<u64>,
    figure_ends: Vec<u32>,
}

impl Pool {
    /// Puts in a document, after those of smaller numbers. One without characters is never similar
    /// to anything.
    pub fn add(&mut self, document: u32, short: bool, text: &ShortText) {
        self.documents.push(document);
        self.short.push(short);
        self.characters.extend(&text.characters);
        self.ends.push(self.characters.len());
        self.figures.extend_from_slice(&text.figures);
        self.figure_ends.push(self.figures.len() as u32);
    }

    /// Documents in the pool.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The place of the document with the caller's number, if it is here.
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

    fn characters_of(&self, place: u32) -> &str {
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.characters[start..self.ends[place]]
    }

    /// Whether the documents at two places may be a pair: at least one is short.
    pub fn may_pair(&self, one: u32, other: u32) -> bool {
        self.short[one as usize] || self.short[other as usize]
    }
}
