//! The features of every document -> corpus statistics, or a file of them.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use nearprint_core::features::Feature;
use nearprint_core::fingerprint::Hasher;
use nearprint_core::recipe::Prepared;
use nearprint_core::statistics::{Entropies, FeatureCounts, SHARDS, Statistics, count_pairs};

use super::needs::Needs;
use super::shard::Shard;
use crate::error::Error;
use crate::memory::MemoryBound;
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The features of one document: the distinct ones, and for each occurrence the place of its
/// feature among them.
pub(super) type Counted = (Vec<Feature>, Vec<u32>);

/// Counts the features of a corpus.
pub(super) struct Counting {
    counts: FeatureCounts,
    /// Pairs of neighbors by shard; empty if no entropies are needed.
    neighbors: Vec<Shard>,
    /// The text of each feature by number; `None` unless statistics are saved.
    vocabulary: Option<Vec<String>>,
    ngram: u32,
    memory: MemoryBound,
}

impl Counting {
    /// Starts with empty counts. Pairs of neighbors go to `folder`.
    pub(super) fn new(
        needs: &Needs,
        ngram: u32,
        folder: &Path,
        memory: MemoryBound,
    ) -> Result<Counting, Error> {
        let shards = if needs.neighbors { SHARDS } else { 0 };
        Ok(Counting {
            counts: FeatureCounts::default(),
            neighbors: (0..shards).map(|_| Shard::new(folder)).collect::<Result<_, _>>()?,
            vocabulary: needs.vocabulary.then(Vec::new),
            ngram,
            memory,
        })
    }

    /// The counts so far.
    pub(super) fn counts(&self) -> &FeatureCounts {
        &self.counts
    }

    /// Adds a document. A hash that needs the text of features learns the new ones.
    pub(super) fn add(
        &mut self,
        (features, places): &Counted,
        document: &Prepared,
        hasher: &mut Hasher,
    ) -> Result<(), Error> {
        let Counting { counts, neighbors, vocabulary, ngram, memory } = self;
        // The table of a vocabulary grows by its whole size at once.
        if let more @ 1.. = counts.growth(features.len()) {
            memory.check_more(counts.documents() as usize + 1, more)?;
        }
        let mut written = Ok(());
        let pair = |shard: usize, pair| {
            if let (Some(shard), true) = (neighbors.get_mut(shard), written.is_ok()) {
                written = shard.append(pair);
            }
        };
        let new = |feature: &Feature| {
            let Some(words) = document.words_at(feature.first, *ngram) else { return };
            hasher.learn(feature.hash, &words);
            if let Some(vocabulary) = vocabulary {
                vocabulary.push(words);
            }
        };
        counts.add(features, places, pair, new);
        written
    }

    /// The statistics of all documents. Their number, and the bytes of their texts, are for the
    /// progress.
    pub(super) fn finish(
        mut self,
        (documents, bytes): (usize, u64),
        watch: &dyn Watch,
    ) -> Result<Arc<Statistics>, Error> {
        let stage = Progress::begin(watch, Stage::Statistics, documents, bytes);
        let memory = self.memory;
        let [finished, entropies] = self.counts.finishing();
        memory.check_more(documents, entropies)?;
        let mut entropies = Entropies::new(self.counts.hashes().len());
        for (number, shard) in self.neighbors.iter_mut().enumerate() {
            stage.reach(number as f64 / SHARDS as f64);
            memory.check_more(documents, shard.sorting())?;
            let mut shard = shard.take()?;
            count_pairs(&mut shard, |pair, count| entropies.add(pair, count));
            stop_if_asked(watch)?;
        }
        memory.check_more(documents, finished)?;
        let statistics = Arc::new(self.counts.finish(&entropies));
        stage.reach(1.0);
        Ok(statistics)
    }

    /// Writes the statistics of all documents to `out`, with the text of every feature; `path` is
    /// the file of `out`, for messages. Returns the number of documents.
    pub(super) fn save(
        mut self,
        features_identity: &str,
        out: impl Write,
        path: &Path,
        stage: &Progress<'_>,
    ) -> Result<u64, Error> {
        let mut failure = None;
        let mut shard = |shard: usize| {
            stage.reach(shard as f64 / SHARDS as f64);
            let go_on = if stage.stopped() { Err(Error::Interrupted) } else { Ok(()) };
            go_on.and_then(|()| self.neighbors[shard].take()).map_err(|error| {
                failure = Some(error);
                io::Error::other("there is no shard")
            })
        };
        let vocabulary = self.vocabulary.unwrap_or_default();
        let saved = self.counts.save(
            features_identity,
            |number| vocabulary[number as usize].clone(),
            out,
            &mut shard,
        );
        stage.reach(1.0);
        match (saved, failure) {
            (_, Some(error)) => Err(error),
            (Err(error), None) => Err(Error::io("write", path)(error)),
            (Ok(()), None) => Ok(self.counts.documents()),
        }
    }
}
