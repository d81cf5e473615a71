//! Corpus -> duplicate pairs -> a decision for every document.

use hashbrown::HashTable;
use rayon::prelude::*;

use super::checkpoint::Checkpoints;
use super::confirm::Confirmed;
use super::corpus::Corpus;
use super::evidence::Comparer;
use super::pairs::SortedCandidates;
use super::recall::Recall;
use super::search::{CHUNK, Search};
use super::summary::{Summary, Timed};
use super::{DuplicatePairs, Pipeline, Purpose, summary};
use crate::cluster;
use crate::error::Error;
use crate::read::Source;
use crate::watch::{Evenly, Stage, Watch};

/// The files of a run's pairs, where they have names.
const CANDIDATES: &str = "candidates";
const PAIRS: &str = "pairs";

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
    /// Clusters of two or more, by number - 1: the keeper, then all members in input order, the keeper among them. Of
    /// documents that the others are only compared with the keeper alone is a member.
    pub clusters: Vec<(u32, Vec<u32>)>,
    /// All duplicate pairs between documents of different texts; none unless they were asked for.
    pub pairs: DuplicatePairs,
    /// How they were found.
    pub search: Search,
    /// The share of the duplicate pairs that was found, measured on a sample; `None` where none is measured.
    pub recall: Option<Recall>,
    /// For each document the first one of equal text by rank; itself for most.
    pub representatives: Vec<u32>,
    /// Numbers for the summary.
    pub counts: summary::Counts,
}

impl Reason {
    /// The reason as one word.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Exact => "exact",
            Reason::Near => "near",
            Reason::Short => "short",
        }
    }
}

impl Decisions {
    /// Every duplicate pair with its reason, where all were asked for: first each copy of an equal text with the one that
    /// stands for all of them, then the pairs of those, each sorted.
    ///
    /// # Errors
    /// [`Error::Io`] where pairs on disk cannot be read.
    pub fn all_pairs<'d>(
        &'d self,
        corpus: &'d Corpus,
    ) -> impl Iterator<Item = Result<(DuplicatePair, Reason), Error>> + 'd {
        let copies = copies(corpus, &self.representatives).map(|(document, representative)| {
            let (left, right) = (document.min(representative), document.max(representative));
            Ok((DuplicatePair { left, right, distance: Some(0), similarity: 1.0 }, Reason::Exact))
        });
        let reason = |pair: &DuplicatePair| if pair.distance.is_some() { Reason::Near } else { Reason::Short };
        copies.chain(self.pairs.iter().map(move |pair| pair.map(|pair| (pair, reason(&pair)))))
    }

    /// Where a document was removed, why.
    pub fn removal(&self, document: u32) -> Option<&Removal> {
        let place = self.removals.binary_search_by_key(&document, |removal| removal.document);
        place.ok().map(|place| &self.removals[place])
    }
}

/// A finished run in memory.
#[derive(Debug)]
pub struct Run {
    /// Its documents, those that the others were only compared with first.
    pub corpus: Corpus,
    /// What was decided about them.
    pub decisions: Decisions,
    /// What is to be said about it.
    pub summary: Summary,
}

impl Pipeline {
    /// Deduplicates documents and writes nothing; where there is something in `against`, as [`Pipeline::read_against`] says.
    /// `pairs` says whether all duplicate pairs are wanted.
    ///
    /// ```
    /// use nearprint::{Config, Pipeline, Silent, read::Source};
    /// let texts = ["春眠不觉晓", "床前明月光", "春眠不覺曉"].map(String::from);
    /// let poems = Source::texts("poems", texts.into());
    /// let run = Pipeline::new(Config::default())?.run(vec![], vec![poems], false, &Silent)?;
    /// assert_eq!((run.decisions.removals[0].document, run.decisions.removals[0].keeper), (2, 0));
    /// assert_eq!((run.corpus.row(2), run.summary.counts.kept), (3, 2));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Pipeline::read`] and [`Pipeline::decide`].
    pub fn run(
        &self,
        against: Vec<Source>,
        sources: Vec<Source>,
        pairs: bool,
        watch: &dyn Watch,
    ) -> Result<Run, Error> {
        let watch = &Timed::new(watch);
        let corpus = self.read_into(None, against, sources, Purpose::Dedup, watch)?;
        let decisions = self.decide(&corpus, pairs, watch)?;
        let summary = self.summary(&corpus, &decisions, None, watch);
        Ok(Run { corpus, decisions, summary })
    }

    /// Finds the duplicates of a corpus and decides which documents stay. `pairs` says whether all duplicate pairs are wanted;
    /// without that only pairs are compared that may remove a document.
    ///
    /// # Errors
    /// [`Error::Io`] where temporary files cannot be written or read, [`Error::Interrupted`].
    pub fn decide(&self, corpus: &Corpus, pairs: bool, watch: &dyn Watch) -> Result<Decisions, Error> {
        self.decide_with(&mut Checkpoints::none(), corpus, pairs, watch)
    }

    /// The same, with checkpoints.
    pub(super) fn decide_with(
        &self,
        checkpoints: &mut Checkpoints,
        corpus: &Corpus,
        pairs: bool,
        watch: &dyn Watch,
    ) -> Result<Decisions, Error> {
        let ranks = self.ranks(corpus);
        let representatives = fold_equal_texts(corpus, &ranks);
        let (candidates, search) = checkpoints.stage(
            Stage::Join,
            |(candidates, _): &mut (SortedCandidates, Search), folder| candidates.reopen(&folder.join(CANDIDATES)),
            |folder| {
                let (candidates, search) = self.search(corpus, &ranks, &representatives, watch)?;
                match folder {
                    Some(folder) => Ok((candidates.in_file(&folder.join(CANDIDATES))?, search)),
                    None => Ok((candidates, search)),
                }
            },
        )?;
        let (confirmed, recall) = checkpoints.stage(
            Stage::Verify,
            |(confirmed, _): &mut (Confirmed, Option<Recall>), folder| confirmed.pairs.reopen(&folder.join(PAIRS)),
            |folder| {
                let mut confirmed = self.confirm(corpus, &ranks, &candidates, pairs, watch)?;
                if let Some(folder) = folder {
                    confirmed.pairs = confirmed.pairs.in_file(&folder.join(PAIRS))?;
                }
                Ok((confirmed, self.recall(corpus, &ranks, &representatives, &candidates, watch)?))
            },
        )?;
        self.explain(corpus, representatives, confirmed, search, recall, watch)
    }

    /// Gives every removed document its evidence, and every cluster its number.
    fn explain(
        &self,
        corpus: &Corpus,
        representatives: Vec<u32>,
        confirmed: Confirmed,
        search: Search,
        recall: Option<Recall>,
        watch: &dyn Watch,
    ) -> Result<Decisions, Error> {
        let stage = Evenly::begin(watch, Stage::Cluster, corpus.len(), corpus.text_bytes);
        let keepers = &confirmed.keepers;
        // Where documents are compared across two sides, whoever has no keeper on the other one stays.
        let keeper_of = |document: u32| match keepers[representatives[document as usize] as usize] {
            keeper if corpus.may_pair(keeper, document) => keeper,
            _ => document,
        };
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
        self.add_evidence(corpus, &representatives, &confirmed.evidence, &mut removals, &stage)?;
        let copies = copies(corpus, &representatives).count() as u64;
        let by = |reason| removals.iter().filter(|removal| removal.reason == reason).count() as u64;
        let counts = summary::Counts {
            read: (corpus.len() - corpus.against()) as u64,
            against: corpus.has_sides().then_some(corpus.against() as u64),
            empty: corpus.empty[corpus.against()..].iter().filter(|empty| **empty).count() as u64,
            short: (corpus.against()..corpus.len())
                .filter(|d| !corpus.empty[*d] && corpus.features[*d] < self.config.min_features)
                .count() as u64,
            exact: by(Reason::Exact),
            near: by(Reason::Near),
            near_short: by(Reason::Short),
            kept: (corpus.len() - corpus.against() - removals.len()) as u64,
            removed: removals.len() as u64,
            rejected: corpus.origins.rejections.len() as u64,
            candidate_pairs: search.candidates,
            compared_pairs: confirmed.compared,
            confirmed_pairs: confirmed.confirmed + copies,
            clusters: clusters.len() as u64,
            largest_cluster: clusters.iter().map(|(_, members)| members.len()).max().unwrap_or(0) as u64,
        };
        Ok(Decisions { removals, clusters, pairs: confirmed.pairs, search, recall, representatives, counts })
    }

    /// How removed documents compare with their keepers, where the texts differ: what is known, or, in a component that is
    /// linked through others, by comparing them now.
    fn add_evidence(
        &self,
        corpus: &Corpus,
        representatives: &[u32],
        evidence: &[(u32, Option<u32>, f64)],
        removals: &mut [Removal],
        stage: &Evenly<'_>,
    ) -> Result<(), Error> {
        let part = |comparer: &mut Comparer<'_>, removals: &mut [Removal]| {
            for removal in removals.iter_mut().filter(|removal| removal.reason != Reason::Exact) {
                let (document, keeper) = (representatives[removal.document as usize], removal.keeper);
                let known = evidence.binary_search_by_key(&document, |evidence| evidence.0);
                (removal.distance, removal.similarity) = match (known, removal.reason) {
                    (Ok(place), _) => (evidence[place].1, evidence[place].2),
                    (Err(_), Reason::Short) => (None, comparer.short_similarity(document, keeper)?),
                    (Err(_), _) => {
                        let distance = comparer.distance(document, keeper)?;
                        (Some(distance), comparer.similarity(document, keeper, distance)?)
                    }
                };
            }
            if stage.stopped() { Err(Error::Interrupted) } else { Ok(()) }
        };
        self.threads.install(|| {
            let parts = removals.par_chunks_mut(CHUNK);
            parts.map_init(|| Comparer::new(self, corpus), part).collect::<Result<(), Error>>()
        })?;
        stage.reach(1.0);
        Ok(())
    }
}

/// Each document whose text another one stands for, with that one, if the two may be a pair.
fn copies(corpus: &Corpus, representatives: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let pairs = (0..).zip(representatives.iter().copied());
    pairs.filter(|(document, representative)| document != representative && corpus.may_pair(*document, *representative))
}

/// For each document the best-ranked one of equal normalized text. Empty documents equal nothing.
pub(super) fn fold_equal_texts(corpus: &Corpus, ranks: &[u32]) -> Vec<u32> {
    let text = |document: u32| corpus.texts[document as usize];
    let mut best: HashTable<u32> = HashTable::new();
    let mut representatives: Vec<u32> = (0..corpus.len() as u32).collect();
    for document in cluster::by_rank(ranks) {
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
