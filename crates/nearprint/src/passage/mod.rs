//! Documents -> the passages that many of them share, and the places where each stands.
//!
//! ```text
//! the passages to find, and what becomes of them                     options.rs
//! letters of a document -> its chosen windows                        windows.rs
//! letters and chosen windows of all documents, on disk               gathered.rs
//! the chosen windows of a shard -> the stretches that are shared     counts.rs
//! the stretches of a document -> how many documents share a letter   coverage.rs
//! a text -> its sentences, lines and paragraphs                      segments.rs
//! a text and its coverage -> the places of passages                  places.rs
//! passages and a text -> their copies with some letters edited        edited.rs
//! passages and the letters of all documents -> edited copies         search.rs
//! the sentences of all places -> passages, and which copies stay     copies.rs
//! a file of a person's verdicts -> passages approved and refused      verdicts.rs
//! places that go -> the characters that go                           closing.rs
//! approved passages and a text -> the text without them              ignored.rs
//! ```
//!
//! Two stretches are equal if their letters and digits are, once normalized: case, signs, white
//! space and Traditional Chinese do not count. A *passage* has a least length in letters, where a
//! wide character counts as two. A *window* is a run of the letters of a document that has this
//! length. It begins at any letter, so every shared passage holds windows that are shared.
//!
//! To count all windows would take many times the size of the texts. So each window chooses one of
//! the shorter runs in it, its *gram* of half the length, by the least hash. Neighboring windows
//! mostly choose the same one: about one gram for 25 letters is stored. Equal windows choose equal
//! grams, at equal places. So documents that share a window meet at its gram, and there their
//! windows are counted. Nothing is sampled: **every** window that stands in enough documents is
//! found. This is winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document
//! Fingerprinting", SIGMOD 2003) with a count of its own for every window.
//!
//! Windows are compared by hashes of 64 bits within the documents that share a gram, which is
//! another hash of 64 bits.

mod closing;
mod copies;
mod counts;
mod coverage;
mod edited;
mod gathered;
mod ignored;
mod options;
mod places;
mod search;
mod segments;
mod verdicts;
mod windows;

pub use closing::without;
pub use copies::{Copies, Found, Passage, PlaceRow, Stay, touching};
pub use coverage::{Part, coverage};
pub use edited::{Candidate, Copy, KnownPassages};
pub use gathered::{Gathered, Stretch, Stretches, reopen};
pub use ignored::IgnoredPassages;
pub use options::{KeepCopy, PassageAction, PassageOptions};
pub use places::{CopyPlaces, Gap, Letters, Place, places};
pub use search::{CandidateRow, Search};
pub use verdicts::{Verdicts, sentences};
pub use windows::{Chooser, Chosen};
