//! Test items and a document -> where the items stand in the document, whole or with some words
//! edited.
//!
//! A document that holds a test item and much else is near to it in no fingerprint. So the windows
//! of the items go into an index, and each document is held against it, window by window:
//!
//! ```text
//! bytes in a row -> windows and seeds, a filter of them             windows.rs
//! items -> an index of a part of their seeds                        index.rs
//! seeds of items -> a table; many seeds are looked up at a time     table.rs
//! an item and a part of a document -> the runs that share enough    runs.rs
//! the letters beside a shared part -> how far the item reaches      ends.rs
//! a document and the index -> the items in it                       finder.rs
//! a place among the letters and digits -> characters as read        place.rs
//! ```
//!
//! All lengths here are bytes of the letters and digits of normalized texts. A *window* has 15 of
//! them: 15 letters, or 5 Chinese characters. A *seed* is a part of a window, of 12 bytes, that
//! finds it in the index. A *run* is a part of the document that is as long as the item, or the
//! whole document where that is shorter. What the two share is the part of the item that lies in
//! windows which the run has, too, or the part of the run that lies in windows of the item, if that
//! is less.
//!
//! An item stands in a document where some run
//!
//! 1. shares two thirds of the least similarity with it, by default half of the item. No
//!    fingerprint and no sample is involved: the index holds so many seeds of each item that a run
//!    without them cannot share as much. Of runs that overlap, the one that shares most goes on;
//! 2. has at least the least similarity to it, as two texts of their own: their
//!    [coverage](nearprint_core::compare::Coverage), which also counts passages that are shorter
//!    than a window. Figures that contradict each other make another item only where they are more
//!    than half of all.
//!
//! So **every** item is found of which a run shares as much as the least similarity in windows
//! alone, and most of those that were edited so much that they share less in windows. There are
//! four exceptions: other figures; a run that repeats a passage, which the coverage counts once;
//! texts in scripts of which a letter has more bytes in one part than in another, since windows
//! count bytes and the coverage letters; and items of which 16 like ones stand at the same place,
//! since a test set may have thousands of items that differ in a word.
//!
//! Cost: a hash and a look at a filter for every fourth byte of a document, and the comparison of
//! runs where items have some passages in common with it. Memory: up to 33 bytes for each byte of
//! the items beside their texts, 40 bytes for each item and thread, and some ten bytes for each
//! byte of a part of one document in which an item may stand.

mod ends;
mod finder;
mod index;
mod place;
mod runs;
mod table;
mod windows;

pub use finder::{Finder, Found};
pub use index::{Index, Items};
pub use place::Characters;

/// An item that stands in a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leak {
    /// The document.
    pub document: u32,
    /// The document that is the item.
    pub item: u32,
    /// The first character of it in the document's text as read, counted from 0.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// The coverage of the item and the run that is most like it, 0 to 1.
    pub similarity: f64,
}
