//! Corpus statistics saved, loaded and merged.
//!
//! A file is `nearprint statistics\n`, a version (32 bits, little-endian like every number here),
//! and one zstd stream with a checksum: the description of how features were made (text), the
//! number of documents, the features in the order of their hashes (hash, document frequency, text),
//! then [`SHARDS`] shards of neighbor pairs in order (left and right feature as their places in the
//! list, count). Counts rather than entropies are saved, so files can be added up; a merge holds
//! the vocabulary and one shard in memory.

use std::io::{self, Read, Write};

use super::{Entropies, HashIndex, Pair, SHARDS, Statistics, idf};
use crate::statistics::{FeatureStatistics, Known};

const MAGIC: &[u8] = b"nearprint statistics\n";
const VERSION: u32 = 1;

/// A feature as saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFeature {
    /// Its hash.
    pub hash: u64,
    /// Documents it is in.
    pub frequency: u64,
    /// Its text; the terms of an n-gram are joined by blanks.
    pub text: String,
}

/// The order in which features are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The mean of its neighbor entropies.
    Entropy,
    /// The documents that it is in.
    Frequency,
}

/// A feature of a file, with what is known of it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct TopFeature {
    /// Its text; the terms of an n-gram are joined by blanks.
    pub feature: String,
    /// Documents that it is in.
    pub document_frequency: u64,
    /// Entropy of its left neighbors, in bits.
    pub left_entropy: f64,
    /// Entropy of its right neighbors, in bits.
    pub right_entropy: f64,
    /// The mean of both.
    pub entropy: f64,
}

/// A saved file opened for reading: the head is in memory, the shards are still to come.
pub struct Saved<R: Read> {
    /// How the features were made; statistics fit only features made in the same way.
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
    /// [`io::ErrorKind::InvalidData`] with the reason where it is no statistics file, of another
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
    fn shard(&mut self, last: bool, mut each: impl FnMut(Pair, u64)) -> io::Result<()> {
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

    /// The first `count` features of an order, ties as in the file.
    ///
    /// # Errors
    /// As [`Saved::entropies`].
    pub fn top(&mut self, count: usize, order: Order) -> io::Result<Vec<TopFeature>> {
        let entropies = self.entropies()?;
        let mean = |place: usize| (entropies.left(place) + entropies.right(place)) / 2.0;
        let mut places: Vec<usize> = (0..self.features.len()).collect();
        match order {
            Order::Frequency => {
                places.sort_by_key(|place| std::cmp::Reverse(self.features[*place].frequency))
            }
            Order::Entropy => places.sort_by(|a, b| mean(*b).total_cmp(&mean(*a))),
        }
        places.truncate(count);
        let row = |place: usize| TopFeature {
            feature: self.features[place].text.clone(),
            document_frequency: self.features[place].frequency,
            left_entropy: entropies.left(place),
            right_entropy: entropies.right(place),
            entropy: mean(place),
        };
        Ok(places.into_iter().map(row).collect())
    }

    /// Reads all pairs and computes the entropies of every feature, by its place in `features`.
    ///
    /// # Errors
    /// Those of the reader, and [`io::ErrorKind::InvalidData`] where the file is damaged.
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
    /// As [`Saved::entropies`].
    pub fn into_statistics(mut self) -> io::Result<Statistics> {
        let entropies = self.entropies()?;
        let mut numbers = HashIndex::default();
        let mut features = Vec::with_capacity(self.features.len());
        for (number, feature) in self.features.iter().enumerate() {
            numbers.insert(feature.hash, number as u32);
            let statistics = FeatureStatistics {
                idf: idf(self.documents, feature.frequency),
                entropy: (entropies.left(number) + entropies.right(number)) / 2.0,
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

/// Adds two files up: the statistics of both corpora together, as if counted in one go.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] where the features of the two were made in different ways or a
/// file is damaged; those of the readers and of `out`.
pub fn merge(
    mut left: Saved<impl Read>,
    mut right: Saved<impl Read>,
    out: impl Write,
) -> io::Result<()> {
    if left.description != right.description {
        return Err(invalid(&format!(
            "the two files were made with different settings and cannot be merged: {} and {}",
            left.description, right.description
        )));
    }
    let (features, left_places, right_places) = merge_features(&left.features, &right.features);
    let mut writer =
        Writer::new(out, &left.description, left.documents + right.documents, &features)?;
    let mut pairs: Vec<(Pair, u64)> = Vec::new();
    for shard in 0..SHARDS {
        let last = shard + 1 == SHARDS;
        let moved = |places: &[u32], pair: Pair| {
            u64::from(places[(pair >> 32) as usize]) << 32 | u64::from(places[pair as u32 as usize])
        };
        pairs.clear();
        left.shard(last, |pair, count| pairs.push((moved(&left_places, pair), count)))?;
        right.shard(last, |pair, count| pairs.push((moved(&right_places, pair), count)))?;
        pairs.sort_unstable();
        pairs.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            earlier.1 += if same { later.1 } else { 0 };
            same
        });
        writer.shard(&pairs)?;
    }
    writer.finish()?.flush()
}

/// The union of two sorted lists, and where each one's features are in it.
fn merge_features(
    left: &[SavedFeature],
    right: &[SavedFeature],
) -> (Vec<SavedFeature>, Vec<u32>, Vec<u32>) {
    let mut features: Vec<SavedFeature> = Vec::with_capacity(left.len().max(right.len()));
    let (mut left_places, mut right_places) =
        (Vec::with_capacity(left.len()), Vec::with_capacity(right.len()));
    let (mut l, mut r) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let order = match (l.peek(), r.peek()) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => a.hash.cmp(&b.hash),
        };
        let place = features.len() as u32;
        let mut frequency = 0;
        let mut feature = None;
        if order.is_le() {
            left_places.push(place);
            feature = l.next();
            frequency += feature.map_or(0, |f| f.frequency);
        }
        if order.is_ge() {
            right_places.push(place);
            let from_right = r.next();
            frequency += from_right.map_or(0, |f| f.frequency);
            feature = feature.or(from_right);
        }
        features.extend(feature.map(|f| SavedFeature { frequency, ..f.clone() }));
    }
    (features, left_places, right_places)
}

fn invalid(reason: &str) -> io::Error {
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
mod tests {
    use proptest::prelude::*;

    use super::super::{Counts, count_pairs};
    use super::*;
    use crate::features::Counter;

    /// A file of the statistics of `documents`, and of nothing else.
    fn saved(documents: &[Vec<u64>]) -> Vec<u8> {
        let (mut counter, mut counts) = (Counter::default(), Counts::default());
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

    /// The same, with texts that do not depend on the order of documents.
    fn facts(file: &[u8]) -> (u64, Vec<(u64, u64, f64, f64)>) {
        let mut opened = Saved::open(file).unwrap();
        let entropies = opened.entropies().unwrap();
        let features = opened.features.iter().enumerate();
        (
            opened.documents,
            features
                .map(|(n, f)| (f.hash, f.frequency, entropies.left(n), entropies.right(n)))
                .collect(),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn merging_equals_counting_together(
            left in proptest::collection::vec(proptest::collection::vec(0u64..9, 0..30), 0..6),
            right in proptest::collection::vec(proptest::collection::vec(5u64..14, 0..30), 0..6),
        ) {
            let mut merged = Vec::new();
            let (a, b) = (saved(&left), saved(&right));
            merge(Saved::open(&a[..]).unwrap(), Saved::open(&b[..]).unwrap(), &mut merged).unwrap();
            prop_assert_eq!(facts(&merged), facts(&saved(&[left, right].concat())));
        }
    }

    #[test]
    fn loaded_statistics_equal_those_in_memory() {
        let documents = [vec![1, 2, 3, 1, 2], vec![2, 3], vec![]];
        let (mut counter, mut counts) = (Counter::default(), Counts::default());
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

    #[test]
    fn statistics_made_in_different_ways_do_not_add_up() {
        let good = saved(&[vec![1, 2, 3]]);
        let mut other = Saved::open(&good[..]).unwrap();
        other.description = "another".to_string();
        let error = merge(Saved::open(&good[..]).unwrap(), other, io::sink()).unwrap_err();
        assert!(error.to_string().contains("test against another"), "{error}");
    }
}
