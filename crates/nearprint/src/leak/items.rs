//! Documents of a test set -> items: their texts, their letters, and the shares that they require.

use std::ops::Range;

use nearprint_core::normalize::size;

use super::windows::WINDOW;
use crate::error::Error;
use crate::message;
use crate::message::Setting;

/// The part of the least similarity that must be reached in windows.
const IN_WINDOWS: f64 = 2.0 / 3.0;

/// The test items to find.
#[derive(Debug, Default)]
pub struct Items {
    pub(super) min_similarity: f64,
    min_length: u32,
    pub(super) list: Vec<Item>,
    /// The letters and digits of all items, each followed by [`END`].
    pub(super) letters: Vec<u8>,
    too_short: u64,
}

/// A byte that no text has, so that shared passages end at it.
pub(super) const END: u8 = 0xff;

/// A test item.
#[derive(Debug)]
pub(super) struct Item {
    /// The number of the document.
    pub document: u32,
    /// The normalized text.
    pub text: String,
    /// The place of its letters and digits among those of all items.
    pub range: Range<usize>,
    /// The bytes that the item and a run must share in windows.
    pub least: usize,
    /// The bytes in windows that suffice for the minimum similarity.
    pub enough: usize,
    /// A run that shares `least` bytes with the item shares at least this many in passages with
    /// seeds of the index. 0 until the index is made.
    pub needed: u32,
    /// The most bytes of windows around a seed that the item has more than once. 0 until the index
    /// is made.
    pub repeated: u32,
}

impl Items {
    /// No items yet. `min_similarity` is the least similarity of an item and a run, above 0 and at
    /// most 1. Items of fewer letters than `min_length`, or of fewer than 15 bytes, are too short
    /// and only counted.
    pub fn new(min_similarity: f64, min_length: u32) -> Items {
        Items { min_similarity, min_length, ..Items::default() }
    }

    /// Adds a document as an item: its normalized text, and its letters and digits.
    pub fn add(&mut self, document: u32, text: &str, letters: &[u8]) {
        if size(letters).letters < self.min_length || letters.len() < WINDOW {
            self.too_short += 1;
            return;
        }
        let bytes = |share: f64| ((letters.len() as f64 * share - 1e-6).ceil() as usize).max(1);
        let (least, enough) = (bytes(self.min_similarity * IN_WINDOWS), bytes(self.min_similarity));
        let (text, range) =
            (text.to_string(), self.letters.len()..self.letters.len() + letters.len());
        self.letters.extend_from_slice(letters);
        self.letters.push(END);
        self.list.push(Item { document, text, range, least, enough, needed: 0, repeated: 0 });
    }

    /// The number of items that are too short.
    pub fn too_short(&self) -> u64 {
        self.too_short
    }

    /// The bytes of the letters and digits of all items, and one for each item.
    /// [`index`](Self::index) takes at most [`u32::MAX`].
    pub fn bytes(&self) -> u64 {
        self.letters.len() as u64
    }

    /// Refuses more bytes than an index has room for.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.bytes() <= u64::from(u32::MAX) {
            return Ok(());
        }
        let problem = message![
            "the documents of ",
            Setting::named("against"),
            format!(
                " have {} bytes of letters and digits, and the maximum is {}; compare with them in \
                 several runs",
                self.bytes(),
                u32::MAX
            )
        ];
        Err(Error::usage("min-leak-length", problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_few_letters_are_counted_apart() {
        let mut items = Items::new(0.75, 20);
        let texts = [
            "seventeenletters1",
            "twentylettersareenough",
            "一二三四五六七八九",
            "一二三四五六七八九十",
        ];
        (0..).zip(texts).for_each(|(number, text)| items.add(number, text, text.as_bytes()));
        let index = items.index();
        assert_eq!((index.items().len(), index.too_short(), index.is_empty()), (2, 2, false));
    }
}
