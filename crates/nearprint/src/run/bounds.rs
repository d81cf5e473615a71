//! Input files -> the number of documents that would go at several least similarities, with pairs
//! just above and just below each.
//!
//! It is a deduplication that writes nothing: the numbers are those of its summary, and the pairs
//! those of its reports. Cost: that run, and reading the files once more for the texts.

use std::collections::{BTreeMap, BTreeSet};

use nearprint_core::compare::Measure;
use nearprint_core::judge::Basis;
use nearprint_core::view::{View, first_differing};
use serde::Serialize;

use super::{Deduplicator, Documents, Run};
use crate::config::{Config, JustMissed, MaxDistance, RecallSample};
use crate::document::Id;
use crate::error::{Error, Rejections};
use crate::outcome::Bounds;
use crate::read::Source;
use crate::shares::serialize_rounded;
use crate::watch::Watch;

/// The difference between two least similarities.
const STEP: f64 = 0.05;

/// The numbers of steps below and above the least similarity of the settings.
const BELOW: i32 = 3;
const ABOVE: i32 = 4;

/// The number of pairs above each least similarity, and below it.
const EXAMPLES: usize = 3;

/// The most characters of a passage.
const CHARACTERS: usize = 40;

/// Several least similarities, with the documents that each would remove.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoundsTable {
    /// The least similarity of the settings.
    pub min_similarity: f64,
    /// The number of documents read.
    pub read: u64,
    /// The largest distance of candidates in this run, in bits.
    pub max_distance: u32,
    /// The distance up to which it found every pair, in bits.
    pub complete_distance: u32,
    /// True if the numbers at other least similarities are estimates.
    pub estimated: bool,
    /// The least similarities in order, at most eight.
    pub bounds: Vec<AtBound>,
    /// The files and rows that were left out.
    #[serde(skip)]
    pub rejections: Rejections,
}

/// The documents that a least similarity would remove.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AtBound {
    /// The least similarity of duplicates, 0 to 1.
    pub min_similarity: f64,
    /// The number of documents that would go.
    pub removed: u64,
    /// The 95 % interval of that number, if it comes from a sample.
    pub interval: Option<[u64; 2]>,
    /// Pairs just above it, duplicates, the least similar first; at most 3, and none beyond the
    /// next one of the table.
    pub above: Vec<Example>,
    /// Pairs just below it, no duplicates, the most similar first; at most 3, and none beyond the
    /// previous one of the table.
    pub below: Vec<Example>,
}

/// Two similar documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    /// The id of the removed document; below the bound, of the earlier one.
    pub left: Id,
    /// The id of its keeper; below the bound, of the later one.
    pub right: Id,
    /// Their similarity, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    pub similarity: f64,
    /// The first passage of each text in which the two differ, at most 40 characters; `None` if
    /// nothing that counts differs.
    pub differing: Option<[String; 2]>,
}

/// A pair of documents, their similarity, and the basis of their comparison.
type Compared = (f64, [u32; 2], Basis);

impl Deduplicator {
    /// Runs a deduplication that writes nothing, and returns the number of documents that several
    /// least similarities around that of the settings would remove. The distances of the search are
    /// those of the settings without a recall.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Silent, read::Source};
    /// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller";
    /// let texts = vec![text.to_string(), format!("{text} shaft, they say"), "Half price".to_string()];
    /// let deduplicator = Deduplicator::new(Config::default())?;
    /// let table = deduplicator.bounds(vec![Source::texts("texts", texts)], &Silent)?;
    /// let bounds: Vec<f64> = table.bounds.iter().map(|at| at.min_similarity).collect();
    /// assert_eq!(bounds, [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]);
    /// let removed: Vec<u64> = table.bounds.iter().map(|at| at.removed).collect();
    /// assert!(removed[0] == 1 && removed[7] == 0 && !table.estimated);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Usage`] also if only equal texts match.
    pub fn bounds(&self, sources: Vec<Source>, watch: &dyn Watch) -> Result<BoundsTable, Error> {
        if self.config.search.max_distance == MaxDistance::Off {
            let problem = "off matches equal texts only, so there is nothing to tune; set auto, or \
                another preset";
            return Err(Error::usage("max-distance", problem));
        }
        let config = self.config.clone().recall(None::<f64>).recall_sample(RecallSample::Off);
        // There are no reference documents, so the settings about them count as not given.
        let usual = Config::default();
        let config = config
            .just_missed(JustMissed::Auto)
            .against_text_fields(usual.read.against_text_fields)
            .against_id_field(usual.read.against_id_field)
            .leak_action(usual.keep.leak_action)
            .min_leak_length(usual.keep.min_leak_length);
        let run = Deduplicator::new(config)?.run(Documents::new(sources), watch)?;
        self.table(run)
    }

    /// The table of a run.
    fn table(&self, run: Run) -> Result<BoundsTable, Error> {
        let Run { corpus, decisions, summary } = run;
        let own = self.config.decide.min_similarity;
        let known = decisions.bounds.as_ref();
        let chosen = known.map_or(Vec::new(), |bounds| chosen(bounds, own));
        let mut pairs: Vec<Compared> = Vec::new();
        // Documents of a component may be linked through others.
        for removal in decisions.removals.iter().filter(|removal| removal.similarity >= own) {
            if removal.reason.has_bound() {
                let ends = [removal.document, removal.keeper];
                pairs.push((removal.similarity, ends, basis(removal.distance)));
            }
        }
        for pair in decisions.just_missed.iter().flat_map(|missed| missed.iter()) {
            let pair = pair?;
            pairs.push((pair.similarity, [pair.left, pair.right], basis(pair.distance)));
        }
        pairs.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let shown: Vec<[Vec<Compared>; 2]> = (0..chosen.len())
            .map(|at| {
                let bound = |at: usize| chosen.get(at).map(|(bound, _)| *bound);
                let place = |bound: f64| pairs.partition_point(|pair| pair.0 < bound);
                let here = place(chosen[at].0);
                let next = bound(at + 1).map_or(pairs.len(), place);
                let before = at.checked_sub(1).and_then(bound).map_or(0, place);
                let above = pairs[here..next].iter().take(EXAMPLES).copied().collect();
                let below = pairs[before..here].iter().rev().take(EXAMPLES).copied().collect();
                [above, below]
            })
            .collect();
        let documents: BTreeSet<u32> =
            shown.iter().flatten().flatten().flat_map(|(_, ends, _)| *ends).collect();
        let texts = corpus.texts_again(&self.config, &documents, usize::MAX);
        let example = |(similarity, ends, basis): Compared| {
            let [left, right] = ends.map(|end| corpus.origins.id(end));
            let differing = self.differing(&texts, ends, basis);
            Example { left, right, similarity, differing }
        };
        let interval = |bound: f64| {
            let of = known?.intervals.iter().find(|(own, ..)| *own == bound)?;
            Some([of.1, of.2])
        };
        let at = |((bound, removed), [above, below]): ((f64, u64), [Vec<Compared>; 2])| AtBound {
            min_similarity: bound,
            removed,
            interval: interval(bound),
            above: above.into_iter().map(&example).collect(),
            below: below.into_iter().map(&example).collect(),
        };
        Ok(BoundsTable {
            min_similarity: own,
            read: summary.counts.read,
            max_distance: summary.max_distance.unwrap_or(0),
            complete_distance: summary.complete_distance.unwrap_or(0),
            estimated: known.is_some_and(|bounds| bounds.estimated),
            bounds: chosen.into_iter().zip(shown).map(at).collect(),
            rejections: corpus.origins.rejections.clone(),
        })
    }

    /// The first passages in which two documents differ, if their texts are still there.
    fn differing(
        &self,
        texts: &BTreeMap<u32, String>,
        ends: [u32; 2],
        basis: Basis,
    ) -> Option<[String; 2]> {
        let texts = [texts.get(&ends[0])?.as_str(), texts.get(&ends[1])?];
        first_differing(texts, &View::new(texts, self.recipe.normalizer(), basis), CHARACTERS)
    }
}

/// The basis of a comparison. One of characters has no distance of fingerprints.
fn basis(distance: Option<u32>) -> Basis {
    match distance {
        None => Basis::Characters,
        Some(_) => Basis::Measure(Measure::Coverage),
    }
}

/// The least similarities of the table, with the number of removed documents: those of the run that
/// are nearest to the steps around its own.
fn chosen(bounds: &Bounds, own: f64) -> Vec<(f64, u64)> {
    let mut chosen: Vec<(f64, u64)> = Vec::new();
    for step in -BELOW..=ABOVE {
        let wanted = own + f64::from(step) * STEP;
        let known = bounds.removed.iter().min_by(|one, other| {
            (one.0 - wanted)
                .abs()
                .total_cmp(&(other.0 - wanted).abs())
                .then(one.0.total_cmp(&other.0))
        });
        chosen.extend(known.filter(|(bound, _)| (bound - wanted).abs() < STEP / 2.0));
    }
    chosen.dedup_by(|one, other| one.0 == other.0);
    chosen
}
