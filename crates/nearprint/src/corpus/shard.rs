//! The neighbor pairs of one shard of the corpus statistics, on disk during reading. A shard is a
//! part of the pairs, not of the input.
//!
//! A pair is two numbers of variable length (seven bits a byte, the lowest first, the last byte
//! below 128). Frequent features have small numbers, so a pair takes half of its bytes in memory.

use std::path::Path;

use nearprint_core::statistics::Pair;

use crate::error::Error;
use crate::spill::Spill;

/// A shard.
#[derive(Debug)]
pub(super) struct Shard {
    bytes: Spill<u8>,
    pairs: usize,
}

impl Shard {
    /// An empty shard in `folder`.
    pub(super) fn new(folder: &Path) -> Result<Shard, Error> {
        Ok(Shard { bytes: Spill::new(folder)?, pairs: 0 })
    }

    /// Appends a pair.
    #[inline]
    pub(super) fn append(&mut self, pair: Pair) -> Result<(), Error> {
        let (mut bytes, mut length) = ([0; 10], 0);
        for mut number in [(pair >> 32) as u32, pair as u32] {
            while number >= 128 {
                bytes[length] = number as u8 | 128;
                number >>= 7;
                length += 1;
            }
            bytes[length] = number as u8;
            length += 1;
        }
        self.pairs += 1;
        self.bytes.append(&bytes[..length])
    }

    /// The number of bytes that its pairs take in memory for sorting.
    pub(super) fn sorting(&self) -> u64 {
        2 * (self.pairs * size_of::<Pair>()) as u64
    }

    /// Takes all pairs and frees the disk.
    pub(super) fn take(&mut self) -> Result<Vec<Pair>, Error> {
        self.bytes.end();
        self.bytes.flush()?;
        let mut bytes = Vec::new();
        self.bytes.read(0, &mut bytes)?;
        self.bytes.clear()?;
        let mut bytes = bytes.into_iter();
        let mut number = || {
            let (mut number, mut shift) = (0, 0);
            loop {
                let byte = bytes.next()?;
                number |= u64::from(byte & 127) << shift;
                shift += 7;
                if byte < 128 {
                    return Some(number);
                }
            }
        };
        let mut pairs = Vec::with_capacity(self.pairs);
        pairs.extend(std::iter::from_fn(|| Some(number()? << 32 | number()?)));
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pairs_come_back_in_order(
            pairs in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..300, Just(u64::MAX), Just(128 << 32 | 127)], 0..200),
        ) {
            let mut shard = Shard::new(&std::env::temp_dir()).unwrap();
            for pair in &pairs {
                shard.append(*pair).unwrap();
            }
            prop_assert_eq!(shard.take().unwrap(), pairs);
        }
    }
}
