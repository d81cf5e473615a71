//! Corpus statistics <-> a file.
//!
//! A file is `nearprint statistics\n`, a version (32 bits, little-endian like every number here),
//! and one zstd stream with a checksum: the description of the making of features (text), the
//! number of documents, the features in the order of their hashes (hash, document frequency, text),
//! then [`SHARDS`] shards of neighbor pairs in order (left and right feature as their places in the
//! list, count). Counts are saved rather than entropies, so that files can be added up. A merge
//! holds the vocabulary and one shard in memory.

use std::io::{self, Read, Write};

use super::{Entropies, FeatureStatistics, HashIndex, Known, Pair, SHARDS, Statistics, idf};

const MAGIC: &[u8] = b"nearprint statistics\n";
const VERSION: u32 = 1;

/// A feature as saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFeature {
    /// Its hash.
    pub hash: u64,
    /// The number of its documents.
    pub frequency: u64,
    /// Its text; the terms of an n-gram are joined by blanks.
    pub text: String,
}

/// A saved file opened for reading: the head is in memory, the shards are still to come.
pub struct Saved<R: Read> {
    /// The making of the features. Statistics fit only features that were made in this way.
    pub description: String,
    /// Documents of the corpus.
    pub documents: u64,
    /// All features, sorted by hash.
    pub features: Vec<SavedFeature>,
    rest: zstd::Decoder<'static, io::BufReader<R>>,
}

impl<R: Read> Saved<R> {
    /// Reads the head of a file.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] with the reason if it is no statistics file, of another
    /// version, or damaged.
    pub fn open(mut input: R) -> io::Result<Saved<R>> {
        let mut magic = [0; MAGIC.len()];
        if input.read_exact(&mut magic).is_err() || magic != MAGIC {
            return Err(invalid("not corpus statistics written by nearprint"));
        }
        let version = read_u32(&mut input)?;
        if version != VERSION {
            return Err(invalid(&format!(
                "corpus statistics of version {version}; this nearprint reads version {VERSION}"
            )));
        }
        let mut rest = zstd::Decoder::new(input)?;
        let description = read_text(&mut rest)?;
        let documents = read_u64(&mut rest)?;
        let count = read_u64(&mut rest)?;
        let mut features: Vec<SavedFeature> = Vec::new();
        for _ in 0..count {
            let feature = SavedFeature {
                hash: read_u64(&mut rest)?,
                frequency: read_u64(&mut rest)?,
                text: read_text(&mut rest)?,
            };
            if features.last().is_some_and(|last| last.hash >= feature.hash) {
                return Err(invalid("damaged corpus statistics (features out of order)"));
            }
            features.push(feature);
        }
        Ok(Saved { description, documents, features, rest })
    }

    /// Calls `each` with every pair of the next shard and its count, in order. After the last shard
    /// the end of the file and its checksum are verified.
    pub(super) fn shard(&mut self, last: bool, mut each: impl FnMut(Pair, u64)) -> io::Result<()> {
        for _ in 0..read_u64(&mut self.rest)? {
            let (left, right) = (read_u32(&mut self.rest)?, read_u32(&mut self.rest)?);
            if left as usize >= self.features.len() || right as usize >= self.features.len() {
                return Err(invalid("damaged corpus statistics (a pair of unknown features)"));
            }
            each(u64::from(left) << 32 | u64::from(right), read_u64(&mut self.rest)?);
        }
        if last && self.rest.read(&mut [0])? != 0 {
            return Err(invalid("damaged corpus statistics (data after the end)"));
        }
        Ok(())
    }

    /// Reads all pairs and computes the entropies of every feature, by its place in `features`.
    ///
    /// # Errors
    /// The errors of the reader, and [`io::ErrorKind::InvalidData`] if the file is damaged.
    pub fn entropies(&mut self) -> io::Result<Entropies> {
        let mut entropies = Entropies::new(self.features.len());
        for shard in 0..SHARDS {
            self.shard(shard + 1 == SHARDS, |pair, count| entropies.add(pair, count))?;
        }
        Ok(entropies)
    }

    /// Reads the rest and makes the statistics ready for weights.
    ///
    /// # Errors
    /// The errors of [`Saved::entropies`].
    pub fn into_statistics(mut self) -> io::Result<Statistics> {
        let entropies = self.entropies()?;
        let mut numbers = HashIndex::default();
        let mut features = Vec::with_capacity(self.features.len());
        for (number, feature) in self.features.iter().enumerate() {
            numbers.insert(feature.hash, number as u32);
            let statistics = FeatureStatistics {
                idf: idf(self.documents, feature.frequency),
                entropy: entropies.mean(number),
            };
            features.push(Known { hash: feature.hash, statistics });
        }
        Ok(Statistics { documents: self.documents, numbers, features })
    }
}

/// A file being written: head first, then shard by shard.
pub struct Writer<W: Write> {
    out: zstd::Encoder<'static, W>,
}

impl<W: Write> Writer<W> {
    /// Writes the head. `features` are sorted by hash.
    pub fn new(
        mut out: W,
        description: &str,
        documents: u64,
        features: &[SavedFeature],
    ) -> io::Result<Writer<W>> {
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        let mut out = zstd::Encoder::new(out, 3)?;
        out.include_checksum(true)?;
        write_text(&mut out, description)?;
        out.write_all(&documents.to_le_bytes())?;
        out.write_all(&(features.len() as u64).to_le_bytes())?;
        for feature in features {
            out.write_all(&feature.hash.to_le_bytes())?;
            out.write_all(&feature.frequency.to_le_bytes())?;
            write_text(&mut out, &feature.text)?;
        }
        Ok(Writer { out })
    }

    /// Writes the next shard: distinct pairs, by the places of their features in the head, sorted.
    pub fn shard(&mut self, pairs: &[(Pair, u64)]) -> io::Result<()> {
        self.out.write_all(&(pairs.len() as u64).to_le_bytes())?;
        for (pair, count) in pairs {
            self.out.write_all(&((pair >> 32) as u32).to_le_bytes())?;
            self.out.write_all(&(*pair as u32).to_le_bytes())?;
            self.out.write_all(&count.to_le_bytes())?;
        }
        Ok(())
    }

    /// Ends the file and hands the writer back.
    pub fn finish(self) -> io::Result<W> {
        self.out.finish()
    }
}

pub(super) fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn read_u32(input: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn read_u64(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn read_text(input: &mut impl Read) -> io::Result<String> {
    let length = read_u32(input)?;
    let mut text = String::new();
    input.take(u64::from(length)).read_to_string(&mut text)?;
    if text.len() != length as usize { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(text) }
}

fn write_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(&(text.len() as u32).to_le_bytes())?;
    out.write_all(text.as_bytes())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{FeatureCounts, count_pairs};
    use super::*;
    use crate::features::Counter;

    /// A file of the statistics of `documents`.
    pub(in super::super) fn saved(documents: &[Vec<u64>]) -> Vec<u8> {
        let (mut counter, mut counts) = (Counter::default(), FeatureCounts::default());
        let mut shards = vec![Vec::new(); SHARDS];
        for document in documents {
            counter.count(document);
            counts.add(
                counter.last(),
                counter.places(),
                |shard, pair| shards[shard].push(pair),
                |_| {},
            );
        }
        let mut file = Vec::new();
        counts
            .save(
                "test",
                |number| format!("word {number}"),
                &mut file,
                |shard| Ok(std::mem::take(&mut shards[shard])),
            )
            .unwrap();
        file
    }

    #[test]
    fn loaded_statistics_equal_those_in_memory() {
        let documents = [vec![1, 2, 3, 1, 2], vec![2, 3], vec![]];
        let (mut counter, mut counts) = (Counter::default(), FeatureCounts::default());
        let mut pairs = Vec::new();
        for document in &documents {
            counter.count(document);
            counts.add(counter.last(), counter.places(), |_, pair| pairs.push(pair), |_| {});
        }
        let mut entropies = Entropies::new(3);
        count_pairs(&mut pairs, |pair, count| entropies.add(pair, count));
        let in_memory = counts.finish(&entropies);
        let file = saved(&documents);
        let loaded = Saved::open(&file[..]).unwrap().into_statistics().unwrap();
        assert_eq!(loaded.documents(), 3);
        for hash in 0..5 {
            assert_eq!(loaded.of(hash), in_memory.of(hash));
        }
    }

    #[test]
    fn what_is_no_statistics_file_is_refused() {
        let error = |bytes: &[u8]| match Saved::open(bytes).and_then(Saved::into_statistics) {
            Ok(_) => panic!("accepted"),
            Err(error) => error.to_string(),
        };
        let good = saved(&[vec![1, 2, 3]]);
        assert!(error(b"{\"id\": 1}").contains("not corpus statistics"));
        let mut newer = good.clone();
        newer[MAGIC.len()] = 9;
        assert!(error(&newer).contains("version 9"));
        for length in MAGIC.len() + 4..good.len() {
            error(&good[..length]);
        }
    }
}
