//! A sample of distinct texts: those with the smallest hashes (bottom-k) of a corpus, or of a
//! stream of texts. The texts of a stream are kept on disk.
//!
//! The sample depends on the texts alone, not on their order or on their numbers of occurrences.
//! Cost: of n texts about k (1 + ln(n / k)) enter a sample of k on the way.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Corpus, Storage};
use crate::error::Error;
use crate::estimate::COPIES;
use crate::spill::Spill;

/// The items with the smallest hashes so far.
#[derive(Debug, Serialize, Deserialize)]
struct Smallest<K: Ord, T> {
    most: usize,
    kept: BTreeMap<K, T>,
}

impl<K: Ord, T> Smallest<K, T> {
    fn new(most: usize) -> Smallest<K, T> {
        Smallest { most, kept: BTreeMap::new() }
    }

    /// Returns true if a hash is new, and one of the smallest so far.
    fn wants(&self, hash: &K) -> bool {
        let is_small = self.kept.len() < self.most
            || self.kept.last_key_value().is_some_and(|(last, _)| hash < last);
        is_small && !self.kept.contains_key(hash)
    }

    /// Adds an item that [`wants`](Self::wants) accepts.
    fn take(&mut self, hash: K, item: T) {
        self.kept.insert(hash, item);
        if self.kept.len() > self.most {
            self.kept.pop_last();
        }
    }
}

/// The `most` documents, among distinct ones, whose texts have the smallest hashes, by hash; of
/// equal texts the first ones.
pub fn smallest(corpus: &Corpus, documents: &[u32], most: usize) -> Vec<u32> {
    let mut smallest = Smallest::new(most);
    for document in documents {
        let hash = (corpus.text_hash(*document), *document);
        if smallest.wants(&hash) {
            smallest.take(hash, ());
        }
    }
    smallest.kept.into_keys().map(|(_, document)| document).collect()
}

/// The file of the sampled texts, if it has a name.
const FILE: &str = "sampled";

/// The largest number of bytes of a sampled text: a copy of a longer one would take longer than all
/// others together.
const MOST_BYTES: usize = 256 << 10;

/// The texts with the smallest hashes so far.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SampledTexts {
    /// The place in the spill of the text of each hash.
    places: Smallest<u128, usize>,
    written: usize,
    texts: Spill<u8>,
}

impl SampledTexts {
    /// Starts without texts.
    pub(super) fn new(storage: &Storage<'_>) -> Result<SampledTexts, Error> {
        storage.spill(FILE).map(SampledTexts::in_spill)
    }

    fn in_spill(texts: Spill<u8>) -> SampledTexts {
        SampledTexts { places: Smallest::new(COPIES), written: 0, texts }
    }

    /// Opens the file of texts that were loaded. Returns `false` if the file has changed.
    pub(super) fn reopen(&mut self, folder: &Path) -> Result<bool, Error> {
        self.texts.reopen(&folder.join(FILE))
    }

    /// Returns true if a text is not too long.
    pub(super) fn takes(text: &str) -> bool {
        text.len() <= MOST_BYTES
    }

    /// Adds a text, if its hash is one of the smallest so far.
    pub(super) fn offer(&mut self, hash: u128, text: &str) -> Result<(), Error> {
        if !self.places.wants(&hash) {
            return Ok(());
        }
        self.places.take(hash, self.written);
        self.written += 1;
        self.texts.append(text.as_bytes())?;
        self.texts.end();
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.texts.flush()
    }

    /// The texts by hash, with their hashes.
    pub(crate) fn read(&self) -> Result<Vec<(u128, String)>, Error> {
        let mut bytes = Vec::new();
        let mut read = |(hash, place): (&u128, &usize)| {
            self.texts.read(*place, &mut bytes)?;
            Ok((
                *hash,
                std::str::from_utf8(&bytes)
                    .expect("texts are UTF-8 when they are written")
                    .to_string(),
            ))
        };
        self.places.kept.iter().map(&mut read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_hashes_stay_in_any_order() {
        let hashes: Vec<u128> = (0..2000u128).map(|n| n * 7919 % 2003).collect();
        let read = |hashes: &mut dyn Iterator<Item = u128>| {
            let mut texts = SampledTexts::in_spill(Spill::new(&std::env::temp_dir()).unwrap());
            hashes.for_each(|hash| texts.offer(hash, &format!("text {hash}")).unwrap());
            texts.flush().unwrap();
            texts.read().unwrap()
        };
        let forward = read(&mut hashes.iter().copied());
        assert_eq!(forward, read(&mut hashes.iter().rev().copied().cycle().take(4000)));
        let mut smallest = hashes.clone();
        smallest.sort_unstable();
        assert_eq!(forward.iter().map(|(hash, _)| *hash).collect::<Vec<_>>(), smallest[..COPIES]);
        assert!(forward.iter().all(|(hash, text)| *text == format!("text {hash}")));
    }
}
