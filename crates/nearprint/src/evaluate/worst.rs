//! Pairs that only one of two answers has -> the worst of them, with distance, similarity, and the
//! place where the texts differ.
//!
//! Misses are ranked with the most similar first, false alarms with the least similar first. If the
//! documents can be read, the judge measures all pairs as in `dedup`. Else only the distances and
//! similarities in FOUND are known, and the similarities of pairs that a person marked.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use nearprint_core::judge::Basis;
use nearprint_core::recipe::Recipe;
use nearprint_core::view::{View, beginning, first_difference};
use rayon::prelude::*;

use super::Pair;
use super::answers::Evidence;
use super::names::Names;
use super::texts::Texts;
use crate::config::Config;
use crate::corpus::PairJudge;
use crate::document::Id;
use crate::error::Error;
use crate::memory::MemoryBound;
use crate::search::{Input, families};
use crate::shares::rounded_down;
use crate::watch::{Watch, stop_if_asked};

/// The number of characters that are shown of texts without a difference.
const BEGINNING: usize = 60;

/// The number of bytes of texts that are kept to find differences: of all texts together, and the
/// least of each.
const ROOM: usize = 256 << 20;
const LEAST_ROOM: usize = 4 << 10;

/// The number of pairs that are compared together.
const TOGETHER: usize = 512;

/// The worst misses or false alarms.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Worst {
    /// The number of all misses, or of all false alarms.
    pub of: u64,
    /// The number of pairs that were compared: all, or a random sample.
    pub compared: u64,
    /// The worst of the compared pairs, the worst first.
    pub pairs: Vec<Case>,
}

/// A miss or a false alarm.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Case {
    /// A document.
    pub left: Id,
    /// Another one.
    pub right: Id,
    /// The Hamming distance of their fingerprints; absent if one is short, or if it is unknown.
    pub distance: Option<u32>,
    /// The similarity, as `dedup` measures it; absent if it is unknown.
    pub similarity: Option<f64>,
    /// The first passage in which the first text differs from the second, in brackets, with some
    /// words around it. It is the beginning of the text if all letters and digits are equal, or if
    /// a long text has no difference near its beginning.
    pub left_text: Option<String>,
    /// The passage of the second text.
    pub right_text: Option<String>,
}

/// The order of pairs, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Misses: the most similar ones first.
    MostSimilarFirst,
    /// False alarms: the least similar ones first.
    LeastSimilarFirst,
}

/// The inputs for a comparison of pairs.
pub(super) struct Pairs<'a> {
    pub config: &'a Config,
    pub recipe: &'a Recipe,
    pub names: &'a Names,
    /// The documents, if they can be read.
    pub texts: Option<&'a Texts>,
    /// The known evidence of some pairs, sorted, if the documents cannot be read.
    pub known: &'a [(Pair, Evidence)],
    /// The similarities of marked pairs, for pairs without other evidence.
    pub marked: Option<&'a HashMap<Pair, f64>>,
    /// The number of pairs to show.
    pub shown: usize,
    pub watch: &'a dyn Watch,
}

impl Pairs<'_> {
    /// The worst of some sorted pairs, which are all pairs or a sample of `of`.
    pub(super) fn worst(&self, pairs: Vec<Pair>, of: u64, order: Order) -> Result<Worst, Error> {
        let Pairs { names, texts, known, marked, shown, .. } = *self;
        let evidence = match texts {
            Some(texts) => self.evidence(texts, &pairs)?,
            None => pairs.iter().map(|pair| known_of(known, *pair)).collect(),
        };
        let compared = pairs.len() as u64;
        let or_marked = |(pair, (distance, similarity)): (Pair, Evidence)| {
            (pair, (distance, similarity.or_else(|| marked?.get(&pair).copied())))
        };
        let mut cases: Vec<(Pair, Evidence)> =
            pairs.into_iter().zip(evidence).map(or_marked).collect();
        cases.sort_by(|(left_pair, left), (right_pair, right)| {
            let worse = |(distance, similarity): &Evidence| match order {
                Order::MostSimilarFirst => (
                    similarity.map_or(f64::INFINITY, |s| -s),
                    f64::from(distance.unwrap_or(u32::MAX)),
                ),
                Order::LeastSimilarFirst => {
                    (similarity.unwrap_or(f64::INFINITY), -distance.map_or(0.0, f64::from))
                }
            };
            let (left, right) = (worse(left), worse(right));
            left.0
                .total_cmp(&right.0)
                .then(left.1.total_cmp(&right.1))
                .then(left_pair.cmp(right_pair))
        });
        cases.truncate(shown);
        let kept = match texts {
            Some(texts) => {
                let ends = cases.iter().flat_map(|((left, right), _)| [*left, *right]);
                let documents: BTreeSet<u32> =
                    ends.filter_map(|end| texts.document_of[end as usize]).collect();
                let room = (ROOM / documents.len().max(1)).max(LEAST_ROOM);
                texts.corpus.texts_again(self.config, &documents, room)
            }
            None => BTreeMap::new(),
        };
        let mut judge = texts.map(|texts| self.judge(texts));
        let mut case = |((left, right), (distance, similarity)): (Pair, Evidence)| {
            let documents = [left, right]
                .map(|number| texts.and_then(|texts| texts.document_of[number as usize]));
            let basis = match (&mut judge, documents) {
                (Some(judge), [Some(left), Some(right)]) => judge.verdict(left, right)?.basis,
                _ => Basis::Nothing,
            };
            let [left_text, right_text] =
                self.shown(documents.map(|document| kept.get(&document?)), basis);
            Ok(Case {
                left: names.id(left),
                right: names.id(right),
                distance,
                similarity: similarity.map(rounded_down),
                left_text,
                right_text,
            })
        };
        Ok(Worst {
            of,
            compared,
            pairs: cases.into_iter().map(&mut case).collect::<Result<_, Error>>()?,
        })
    }

    /// Measures pairs, even those that no run would compare.
    fn judge<'t>(&'t self, texts: &'t Texts) -> PairJudge<'t> {
        PairJudge::new(&texts.corpus, self.recipe, self.config.rules(None))
    }

    /// The distance and the similarity of each pair, as `dedup` measures them.
    fn evidence(&self, texts: &Texts, pairs: &[Pair]) -> Result<Vec<Evidence>, Error> {
        let document = |number: u32| texts.document_of[number as usize];
        let pairs: Vec<Option<Pair>> =
            pairs.iter().map(|(left, right)| document(*left).zip(document(*right))).collect();
        let mut ends: Vec<u32> =
            pairs.iter().flatten().flat_map(|(left, right)| [*left, *right]).collect();
        ends.sort_unstable();
        ends.dedup();
        let input = Input {
            config: self.config,
            recipe: self.recipe,
            corpus: &texts.corpus,
            memory: MemoryBound::default(),
        };
        let families = families(&input, &ends, self.watch)?;
        let in_family =
            |document: &u32| ends.binary_search(document).is_ok_and(|place| families[place]);
        let measure = |judge: &mut PairJudge<'_>, pairs: &[Option<Pair>]| {
            stop_if_asked(self.watch)?;
            let of_pair = |pair: &Option<Pair>| -> Result<Evidence, Error> {
                let Some((left, right)) = pair else { return Ok((None, None)) };
                let verdict =
                    judge.verdict_among([*left, *right], in_family(left) || in_family(right))?;
                // Documents without comparable content have no similarity.
                Ok((
                    verdict.distance,
                    (verdict.basis != Basis::Nothing).then_some(verdict.similarity),
                ))
            };
            pairs.iter().map(of_pair).collect()
        };
        let parts: Vec<Vec<Evidence>> = pairs
            .par_chunks(TOGETHER)
            .map_init(|| self.judge(texts), measure)
            .collect::<Result<_, Error>>()?;
        Ok(parts.concat())
    }

    /// The shown passages of two texts: their first difference, or their beginnings if they do not
    /// differ.
    fn shown(&self, texts: [Option<&String>; 2], basis: Basis) -> [Option<String>; 2] {
        let both = match texts {
            [Some(left), Some(right)] => {
                let texts = [left.as_str(), right];
                first_difference(texts, &View::new(texts, self.recipe.normalizer(), basis))
            }
            _ => None,
        };
        match both {
            Some(both) => both.map(Some),
            None => texts.map(|text| text.map(|text| beginning(text, BEGINNING))),
        }
    }
}

fn known_of(known: &[(Pair, Evidence)], pair: Pair) -> Evidence {
    let place = known.binary_search_by_key(&pair, |(pair, _)| *pair);
    place.map_or((None, None), |place| known[place].1)
}
