//! A text -> its record, which is all that the search needs.

use nearprint_core::compare::{self, ShortText, Sketch};
use nearprint_core::judge::{PreparedText, Preparer};

use super::Worker;
use crate::corpus::LeakSearch;
use crate::leak::Leak;

/// The data of a text that the search needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The XXH3-128 hash of the normalized text. Records of equal hashes stand for each other.
    pub text_hash: u128,
    /// The number of characters of the text as read.
    pub characters: u32,
    /// The number of bytes of the letters and digits of the normalized text.
    pub letter_bytes: u32,
    /// True if the text is empty after normalization. An empty text has no duplicates.
    pub is_empty: bool,
    /// True if the text has too few features to be searched by its fingerprint.
    pub is_short: bool,
    /// The fingerprint, in the first bits of the words; `None` for a short text.
    pub fingerprint: Option<[u64; 4]>,
    /// The sketch, if the text has one and sketches rule out pairs.
    pub sketch: Option<Sketch>,
    /// The places of items in the text, by item and place. Their `document` is 0.
    pub leaks: Vec<Leak>,
    /// The characters and figures, if the text may be compared with a short one by them.
    pub short: Option<ShortText>,
}

impl Worker {
    /// The record of each text, in order. No items are looked for in reference documents
    /// (`against`).
    ///
    /// ```
    /// use nearprint::{Config, distributed::Worker};
    /// let worker = Worker::new(&Config::default())?;
    /// let records = worker.records(&["春眠不觉晓", " 春眠不覺曉", ""], false);
    /// assert!(records[0].text_hash == records[1].text_hash && records[0].is_short && records[2].is_empty);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn records(&self, texts: &[&str], against: bool) -> Vec<Record> {
        let looks = !against && self.items.get().is_some_and(|items| !items.is_empty());
        let mut preparer = Preparer::new(self.run.recipe(), self.rules);
        preparer.keep_letters();
        let mut search = LeakSearch::new(&self.items);
        let mut text = PreparedText::default();
        let record = |own: &&str| {
            preparer.prepare(own, &mut text);
            let PreparedText { prepared, characters } = &text;
            let is_short = self.rules.is_short(prepared.features);
            let fingerprint = prepared.fingerprint.filter(|_| !is_short && !prepared.is_empty);
            let letters = prepared.alphanumeric.get();
            let sketched = letters.filter(|_| fingerprint.is_some() && self.bound.is_some());
            Record {
                text_hash: prepared.text_hash,
                characters: *characters,
                letter_bytes: letters
                    .map_or(0, |bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX)),
                is_empty: prepared.is_empty,
                is_short,
                fingerprint,
                leaks: if looks {
                    search.leaks(own, prepared, self.run.recipe())
                } else {
                    Vec::new()
                },
                sketch: sketched.and_then(compare::sketch),
                short: prepared.short.get().filter(|short| !short.characters.is_empty()).cloned(),
            }
        };
        texts.iter().map(record).collect()
    }
}
