//! Corpus -> duplicate pairs -> a decision for every document.

use hashbrown::HashTable;

use super::corpus::Corpus;
use super::evidence::Comparer;
use super::search::{Found, Search};
use super::{DuplicatePairs, Pipeline, summary};
use crate::cluster::{self, Clusters};
use crate::error::Error;
use crate::keep::{self, Policy};
use crate::spill::Sorter;
use crate::watch::{Evenly, Stage, Watch};

/// Two documents confirmed as duplicates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DuplicatePair {
    /// The earlier document.
    pub left: u32,
    /// The later document.
    pub right: u32,
    /// Hamming distance of the fingerprints in bits; `None` where one is too short to have a meaningful one.
    pub distance: Option<u32>,
    /// Similarity under the run's measure; for short documents their edit similarity.
    pub similarity: f64,
}

/// Why a document was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Its normalized text equals its keeper's.
    Exact,
    /// It was found by fingerprint and confirmed by the run's measure.
    Near,
    /// It, or its keeper, is too short for a fingerprint, and their characters are similar.
    Short,
}

/// A removed document with its evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removal {
    /// The document.
    pub document: u32,
    /// The document that stays in its place.
    pub keeper: u32,
    /// The number of their cluster, from 1.
    pub cluster: u32,
    /// Hamming distance to the keeper.
    pub distance: Option<u32>,
    /// Similarity to the keeper.
    pub similarity: f64,
    /// Why.
    pub reason: Reason,
}

/// What was decided about every document.
#[derive(Debug)]
pub struct Decisions {
    /// Removed documents in input order.
    pub removals: Vec<Removal>,
    /// Clusters of two or more, by number - 1: the keeper, then all members in input order.
    pub clusters: Vec<(u32, Vec<u32>)>,
    /// All duplicate pairs between documents of different texts.
    pub pairs: DuplicatePairs,
    /// How they were found.
    pub search: Search,
    /// For each document the first one of equal text by rank; itself for most.
    pub representatives: Vec<u32>,
    /// Numbers for the summary.
    pub counts: summary::Counts,
}

impl Decisions {
    /// Where a document was removed, why.
    pub fn removal(&self, document: u32) -> Option<&Removal> {
        let place = self.removals.binary_search_by_key(&document, |removal| removal.document);
        place.ok().map(|place| &self.removals[place])
    }
}

impl Pipeline {
    /// Finds the duplicates of a corpus and decides which documents stay.
    ///
    /// # Errors
    /// [`Error::Io`] where temporary files cannot be written or read, [`Error::Interrupted`].
    pub fn decide(&self, corpus: &Corpus, watch: &dyn Watch) -> Result<Decisions, Error> {
        let ranks = keep::ranks(&self.config.keep, &corpus.lengths, &corpus.fields);
        let representatives = fold_equal_texts(corpus, &ranks);
        let found = self.find_pairs(corpus, &representatives, watch)?;
        let stage = Evenly::begin(watch, Stage::Cluster, corpus.len(), corpus.text_bytes);
        let keepers = self.keepers(&ranks, &found.pairs, &stage)?;
        self.explain(corpus, representatives, &keepers, found, &stage)
    }

    /// The keeper of each document, by the duplicate pairs of different texts alone.
    fn keepers(&self, ranks: &[u32], pairs: &DuplicatePairs, stage: &Evenly<'_>) -> Result<Vec<u32>, Error> {
        let mut clusters = Clusters::new(self.config.cluster, ranks.len());
        let mut linked = 0u64;
        let mut link = |better, other| {
            clusters.link(better, other);
            linked += 1;
            if linked.is_multiple_of(1 << 16) && stage.stopped() { Err(Error::Interrupted) } else { Ok(()) }
        };
        if self.config.keep == Policy::First {
            // The earlier document has the better rank, and pairs come in their order.
            pairs.iter().try_for_each(|pair| pair.and_then(|pair| link(pair.left, pair.right)))?;
        } else {
            let mut by_rank = Sorter::new(&self.tmp_dir)?;
            for pair in pairs.iter() {
                let pair = pair?;
                let (better, other) = cluster::by_rank(ranks, pair.left, pair.right);
                by_rank.push([better, other])?;
            }
            by_rank.finish()?.iter().try_for_each(|pair| pair.and_then(|[better, other]| link(better, other)))?;
        }
        Ok(cluster::of_documents(ranks, &clusters.keepers()))
    }

    /// Gives every removed document its evidence, and every cluster its number.
    fn explain(
        &self,
        corpus: &Corpus,
        representatives: Vec<u32>,
        keepers: &[u32],
        found: Found,
        stage: &Evenly<'_>,
    ) -> Result<Decisions, Error> {
        let keeper_of = |document: u32| keepers[representatives[document as usize] as usize];
        let mut members = vec![0u32; corpus.len()];
        (0..corpus.len() as u32).for_each(|document| members[keeper_of(document) as usize] += 1);
        let mut numbers = vec![0u32; corpus.len()];
        let mut clusters: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut removals = Vec::new();
        let short = |document| corpus.features(document) < self.config.min_features;
        for document in 0..corpus.len() as u32 {
            let keeper = keeper_of(document);
            if members[keeper as usize] < 2 {
                continue;
            }
            let number = &mut numbers[keeper as usize];
            if *number == 0 {
                clusters.push((keeper, Vec::with_capacity(members[keeper as usize] as usize)));
                *number = clusters.len() as u32;
            }
            clusters[*number as usize - 1].1.push(document);
            if document == keeper {
                continue;
            }
            let reason = match representatives[document as usize] {
                representative if representative == keeper => Reason::Exact,
                representative if short(representative) || short(keeper) => Reason::Short,
                _ => Reason::Near,
            };
            // The evidence of equal texts; that of the others comes next.
            removals.push(Removal { document, keeper, cluster: *number, distance: Some(0), similarity: 1.0, reason });
        }
        self.add_evidence(corpus, &representatives, &found.pairs, &mut removals, stage)?;
        let copies =
            (0..corpus.len()).filter(|document| representatives[*document] as usize != *document).count() as u64;
        let by = |reason| removals.iter().filter(|removal| removal.reason == reason).count() as u64;
        let counts = summary::Counts {
            read: corpus.len() as u64,
            empty: corpus.empty.iter().filter(|empty| **empty).count() as u64,
            short: (0..corpus.len())
                .filter(|d| !corpus.empty[*d] && corpus.features[*d] < self.config.min_features)
                .count() as u64,
            exact: by(Reason::Exact),
            near: by(Reason::Near),
            near_short: by(Reason::Short),
            kept: (corpus.len() - removals.len()) as u64,
            removed: removals.len() as u64,
            rejected: corpus.origins.rejections.len() as u64,
            candidate_pairs: found.search.candidates,
            confirmed_pairs: found.pairs.len() as u64 + copies,
            clusters: clusters.len() as u64,
            largest_cluster: clusters.iter().map(|(_, members)| members.len()).max().unwrap_or(0) as u64,
        };
        Ok(Decisions { removals, clusters, pairs: found.pairs, search: found.search, representatives, counts })
    }

    /// How removed documents compare with their keepers, where the texts differ: from their duplicate pair, or, in a
    /// component that is linked through others, by comparing them now.
    fn add_evidence(
        &self,
        corpus: &Corpus,
        representatives: &[u32],
        pairs: &DuplicatePairs,
        removals: &mut [Removal],
        stage: &Evenly<'_>,
    ) -> Result<(), Error> {
        let ends = |removal: &Removal| {
            let representative = representatives[removal.document as usize];
            (representative.min(removal.keeper), representative.max(removal.keeper))
        };
        let differ = |removal: &&Removal| removal.reason != Reason::Exact;
        let mut wanted: Vec<(u32, u32)> = removals.iter().filter(differ).map(ends).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut evidence = vec![None; wanted.len()];
        pairs.find(&wanted, |place, pair| evidence[place] = Some((pair.distance, pair.similarity)))?;
        let mut comparer = Comparer::new(self, corpus);
        let stage_step = removals.len().max(1);
        let mut advanced = 0;
        for (number, removal) in removals.iter_mut().enumerate() {
            let reached = corpus.len() * (number + 1) / stage_step;
            stage.advance(reached - advanced);
            advanced = reached;
            if number % 1024 == 0 && stage.stopped() {
                return Err(Error::Interrupted);
            }
            if removal.reason == Reason::Exact {
                continue;
            }
            let (one, other) = ends(removal);
            let place = wanted.binary_search(&(one, other)).expect("the evidence of all of these is wanted");
            let known = match (evidence[place], removal.reason) {
                (Some(known), _) => known,
                (None, Reason::Short) => (None, comparer.short_similarity(one, other)?),
                (None, _) => {
                    let distance = comparer.distance(one, other)?;
                    (Some(distance), comparer.similarity(one, other, distance)?)
                }
            };
            evidence[place] = Some(known);
            (removal.distance, removal.similarity) = known;
        }
        Ok(())
    }
}

/// For each document the best-ranked one of equal normalized text. Empty documents equal nothing.
pub(super) fn fold_equal_texts(corpus: &Corpus, ranks: &[u32]) -> Vec<u32> {
    let text = |document: u32| corpus.texts[document as usize];
    let mut best: HashTable<u32> = HashTable::new();
    let mut representatives: Vec<u32> = (0..corpus.len() as u32).collect();
    let mut by_rank = vec![0; ranks.len()];
    ranks.iter().zip(0..).for_each(|(rank, document)| by_rank[*rank as usize] = document);
    for document in by_rank {
        if corpus.empty[document as usize] {
            continue;
        }
        let hash = |document: u32| text(document) as u64;
        match best.find(hash(document), |other| text(*other) == text(document)) {
            Some(other) => representatives[document as usize] = *other,
            None => {
                best.insert_unique(hash(document), document, |other| hash(*other));
            }
        }
    }
    representatives
}
