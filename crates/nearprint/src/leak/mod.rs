//! Test items and a document -> where the items stand in the document, whole or with some words
//! edited.
//!
//! A document that holds a test item and much else is near to it in no fingerprint. So the windows
//! of the items go into an index, and each document is compared with the index, window by window:
//!
//! ```text
//! letters and digits -> windows and seeds                              windows.rs
//! hashes -> a filter of them                                           filter.rs
//! documents of a test set -> items                                     items.rs
//! items -> the rare seeds of each                                      rare_seeds.rs
//! seeds of items -> a table; many seeds are looked up at a time        table.rs
//! items -> an index of their rare seeds                                index.rs
//! a document and the index -> parts in which items may stand           suspects.rs
//! an item -> a table of its windows                                    item_windows.rs
//! an item and a part -> the bytes that each run shares                 shares.rs
//! shares -> the runs to compare                                        choice.rs
//! an item and a part -> the runs that share enough                     runs.rs
//! the letters beside a shared part -> the end of the item there        ends.rs
//! a document and the index -> the items in it                          finder.rs
//! a place among the letters and digits -> characters as read           place.rs
//! ```
//!
//! All lengths here are bytes of the letters and digits of normalized texts. A *window* has 15
//! bytes: 15 letters, or 5 Chinese characters. A *seed* is a part of a window, of 12 bytes, by
//! which the index finds it. A *run* is a part of the document that is as long as the item, or the
//! whole document if that is shorter. The item and the run *share* the part of the item in windows
//! of the run, or the part of the run in windows of the item, whichever is less.
//!
//! An item stands in a document if some run
//!
//! 1. shares two thirds of the least similarity with it, by default half of the item. This step
//!    uses no fingerprint and no sample: the index has so many seeds of each item that a run
//!    without them cannot share as much. Of runs that overlap, the one that shares most goes on;
//! 2. has at least the least similarity to it, as two texts of their own: their
//!    [coverage](nearprint_core::compare::Coverage), which also counts passages that are shorter
//!    than a window. Figures that contradict each other make another item only if they are more
//!    than half of all in the passage.
//!
//! So the search finds **every** item of which a run shares as much as the least similarity in
//! windows alone, and most of the more heavily edited ones. There are four exceptions: other
//! figures; a run that repeats a passage, which the coverage counts once; texts in scripts whose
//! letters differ in their number of bytes, since windows count bytes and the coverage letters; and
//! an item at a place where 16 similar items stand, since a test set may have thousands of items
//! that differ in a word.
//!
//! Cost: a hash and a filter look-up for every fourth byte of a document, and the comparison of
//! runs where items share some passages with it. Memory: up to 33 bytes for each byte of the items
//! beside their texts, 40 bytes for each item and thread, and some ten bytes for each byte of a
//! part of one document in which an item may stand.

mod choice;
mod ends;
mod filter;
mod finder;
mod index;
mod item_windows;
mod items;
mod place;
mod rare_seeds;
mod runs;
mod shares;
mod suspects;
mod table;
mod windows;

pub use finder::{Finder, Found};
pub use index::Index;
pub use items::Items;
pub use place::Characters;

/// An item that stands in a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leak {
    /// The number of the document.
    pub document: u32,
    /// The number of the document that is the item.
    pub item: u32,
    /// The first character of the item in the document's text as read, counted from 0.
    pub first: u32,
    /// The last character of the item there.
    pub last: u32,
    /// The coverage of the item and the run that is most like it, 0 to 1.
    pub similarity: f64,
}
