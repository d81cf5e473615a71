//! Normalized texts, one after the other -> those with the smallest hashes, on disk.
//!
//! Which texts these are depends on the texts alone, not on their order or on how often each occurs. Cost: of n texts some
//! k (1 + ln(n / k)) are written, k being those that stay.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Error;
use crate::estimate::COPIES;
use crate::spill::Spill;

/// Longer texts are never sampled: a copy of one would take longer than all others together.
const MOST_BYTES: usize = 256 << 10;

/// The texts with the smallest hashes so far.
#[derive(Debug)]
pub(super) struct SampledTexts {
    /// Where in the spill the text of each hash is.
    places: BTreeMap<u128, usize>,
    written: usize,
    texts: Spill<u8>,
}

impl SampledTexts {
    pub(super) fn new(folder: &Path) -> Result<SampledTexts, Error> {
        Ok(SampledTexts { places: BTreeMap::new(), written: 0, texts: Spill::new(folder)? })
    }

    /// Whether a text is not too long.
    pub(super) fn takes(text: &str) -> bool {
        text.len() <= MOST_BYTES
    }

    /// Takes a text in, if it is one of the smallest so far.
    pub(super) fn offer(&mut self, hash: u128, text: &str) -> Result<(), Error> {
        let full = self.places.len() == COPIES;
        let is_small = !full || self.places.last_key_value().is_some_and(|(largest, _)| hash < *largest);
        if !is_small || self.places.contains_key(&hash) {
            return Ok(());
        }
        if full {
            self.places.pop_last();
        }
        self.places.insert(hash, self.written);
        self.written += 1;
        self.texts.append(text.as_bytes())?;
        self.texts.end();
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.texts.flush()
    }

    /// The texts by hash, with their hashes.
    pub(super) fn read(&self) -> Result<Vec<(u128, String)>, Error> {
        let mut bytes = Vec::new();
        let mut read = |(hash, place): (&u128, &usize)| {
            self.texts.read(*place, &mut bytes)?;
            Ok((*hash, std::str::from_utf8(&bytes).expect("texts are UTF-8 when they are written").to_string()))
        };
        self.places.iter().map(&mut read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_hashes_stay_in_any_order() {
        let hashes: Vec<u128> = (0..2000u128).map(|n| n * 7919 % 2003).collect();
        let read = |hashes: &mut dyn Iterator<Item = u128>| {
            let mut texts = SampledTexts::new(&std::env::temp_dir()).unwrap();
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
