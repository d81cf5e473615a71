//! Two prepared documents -> the verdict on whether they are duplicates, with its evidence.
//!
//! The judge alone decides about a pair and gives the reason. The first rule that applies decides:
//!
//! | rule | reason | duplicates where |
//! | --- | --- | --- |
//! | a document is empty | (`short`) | never |
//! | their normalized texts are equal | `exact` | always |
//! | only equal texts are searched for | (as below) | never |
//! | a document is short: fewer than `min_features` features | `short` | both have fewer than `min_features` (2 - s) / s features, s being `min_similarity`, and at most 1,024 bytes of characters that count, and the similarity of their characters is at least `min_similarity` |
//! | all others | `near` | the Hamming distance of their fingerprints is at most `max_distance`, and the similarity under the run's measure at least `min_similarity` (except under the measure `none`) |
//! | as `near`, and under coverage one text has nearly all of the other one and more | `contained` | as above |
//!
//! Under coverage the difference of the two texts decides ([`Difference`]). The conditions are
//! stricter in a family: one of the texts has [`FAMILY`] neighbors or more.
//!
//! The judge knows no corpus and no file: a caller prepares the two documents. [`Judge::verdict`]
//! gives the exact similarity, for reports. [`Judge::duplicate`] stops as soon as the least
//! similarity cannot be reached, for searches over many pairs. A test checks that both decide
//! alike.

mod preparer;
mod rules;
mod verdict;

pub use preparer::{PreparedText, Preparer};
pub use rules::{Compared, Parts, Rules};
pub use verdict::{Basis, Reason, Verdict};

use crate::compare::{self, Coverage, Difference, Measure, ShortSimilarity, ShortText};
use crate::recipe::Prepared;

/// The fewest neighbors, other texts with near fingerprints, of a text in a family.
pub const FAMILY: u8 = 3;

/// Judges pairs of one left document and several right ones, in buffers of its own, one a thread.
///
/// ```
/// use nearprint_core::judge::{Judge, Reason, Rules};
/// use nearprint_core::recipe::{Options, Prepared, Recipe, Wanted};
/// let recipe = Recipe::new(Options::default())?;
/// let mut judge = Judge::new(Rules::default());
/// let [mut left, mut right] = [Prepared::default(), Prepared::default()];
/// recipe.prepare("葫芦娃，一根藤上七朵花", Wanted::default(), &mut left);
/// recipe.prepare("葫蘆娃,一根藤上七朵花", Wanted::default(), &mut right);
/// judge.set_left(&left);
/// let verdict = judge.verdict(&right, None);
/// assert!(verdict.duplicates && verdict.reason == Reason::Exact);
/// # Ok::<(), nearprint_core::recipe::Error>(())
/// ```
#[derive(Debug)]
pub struct Judge {
    rules: Rules,
    left: Left,
    coverage: Coverage,
    right_ngrams: Vec<u64>,
    /// The difference of the last comparison, if it was of coverage.
    difference: Option<Difference>,
    /// The share of the word n-grams of each text that the other one lacks, of the last comparison,
    /// if it was of word n-grams.
    lost_ngrams: Option<[f64; 2]>,
}

/// The left document, as far as comparisons need it.
#[derive(Debug, Default)]
struct Left {
    text_hash: u128,
    is_empty: bool,
    features: u32,
    fingerprint: Option<[u64; 4]>,
    short: Option<ShortText>,
    /// True if its text is in the coverage.
    covered: bool,
    /// The n-grams of its terms.
    ngrams: Option<Vec<u64>>,
    signature: Option<Box<[u64; compare::PERMUTATIONS]>>,
    weights: Option<Vec<(u64, u64)>>,
}

impl Judge {
    /// A judge by these rules.
    pub fn new(rules: Rules) -> Judge {
        Judge {
            rules,
            left: Left::default(),
            coverage: Coverage::default(),
            right_ngrams: Vec::new(),
            difference: None,
            lost_ngrams: None,
        }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Sets the document with which the next ones are compared, with the parts that it has.
    pub fn set_left(&mut self, document: &Prepared) {
        let Left { ngrams, weights, .. } = &mut self.left;
        let (mut ngrams, mut weights) =
            (ngrams.take().unwrap_or_default(), weights.take().unwrap_or_default());
        if let (Some(text), Some(alphanumeric)) = (document.text.get(), document.alphanumeric.get())
        {
            self.coverage.set_left(text, alphanumeric);
        }
        let ngrams = document.terms.get().map(|terms| {
            compare::word_ngrams(terms, self.rules.shingle, &mut ngrams);
            ngrams
        });
        let estimates = self.rules.measure == Measure::Minhash;
        self.left = Left {
            text_hash: document.text_hash,
            is_empty: document.is_empty,
            features: document.features,
            fingerprint: document.fingerprint,
            short: document.short.get().cloned(),
            covered: document.text.get().is_some() && document.alphanumeric.get().is_some(),
            signature: ngrams
                .as_ref()
                .filter(|_| estimates)
                .map(|ngrams| Box::new(compare::signature(ngrams))),
            ngrams,
            weights: document.weights.get().map(|own| {
                weights.clone_from(own);
                weights
            }),
        };
    }

    /// The rule that applies to the left document and this one, if none of them is empty.
    fn reason(&self, right: &Prepared) -> Reason {
        let is_short = |features| self.rules.is_short(features);
        match () {
            () if self.left.text_hash == right.text_hash => Reason::Exact,
            () if is_short(self.left.features) || is_short(right.features) => Reason::Short,
            () => Reason::Near,
        }
    }

    /// The verdict on the left document and this one, with their exact similarity. `distance` is
    /// the Hamming distance of their fingerprints, if it is known already; else it is computed, if
    /// both fingerprints are there. Families are not considered: if one of the two has
    /// [`FAMILY`] neighbors or more, take [`Verdict::of_family`].
    pub fn verdict(&mut self, right: &Prepared, distance: Option<u32>) -> Verdict {
        let reason = self.reason(right);
        let is_empty = self.left.is_empty || right.is_empty;
        let searched = self.rules.max_distance.is_some();
        match reason {
            Reason::Exact if !is_empty => Verdict::of_equal_texts(),
            // An empty text has nothing in common with any text.
            Reason::Exact | Reason::Short if is_empty => Verdict::NOTHING_COMPARED,
            Reason::Exact | Reason::Short => {
                let (similarity, basis, lost) = self.short_similarity(right);
                let is_similar = self.short_at_least(right, self.rules.min_similarity).is_some();
                let duplicates = is_similar && searched;
                Verdict { duplicates, similarity, basis, lost, ..Verdict::NOTHING_COMPARED }
            }
            Reason::Near | Reason::Contained | Reason::Contains | Reason::Marked => {
                let distance = distance.or_else(|| self.distance(right));
                (self.difference, self.lost_ngrams) = (None, None);
                let (similarity, basis) = match self.at_least(right, distance, 0.0) {
                    Some(similarity) => (similarity, Basis::Measure(self.rules.measure)),
                    None => (0.0, Basis::Nothing),
                };
                let duplicates = self.is_near(distance)
                    && self.is_similar(similarity)
                    && basis != Basis::Nothing
                    && !is_empty;
                Verdict { duplicates, distance, similarity, basis, ..self.last_comparison() }
            }
        }
    }

    /// The verdict if the two are duplicates. `in_family` is true if one of them is in a family.
    /// The similarity of other documents is not measured.
    pub fn duplicate(
        &mut self,
        right: &Prepared,
        distance: Option<u32>,
        in_family: bool,
    ) -> Option<Verdict> {
        if self.left.is_empty || right.is_empty {
            return None;
        }
        match self.reason(right) {
            Reason::Near | Reason::Contained | Reason::Contains | Reason::Marked => {
                let distance = distance.or_else(|| self.distance(right));
                (self.difference, self.lost_ngrams) = (None, None);
                let similarity = self
                    .is_near(distance)
                    .then(|| self.reaches(right, distance, self.rules.min_similarity, in_family))
                    .flatten()?;
                Some(Verdict {
                    duplicates: true,
                    distance,
                    similarity,
                    basis: Basis::Measure(self.rules.measure),
                    in_family: in_family && self.difference.is_some(),
                    ..self.last_comparison()
                })
            }
            Reason::Exact => Some(Verdict::of_equal_texts()),
            Reason::Short => {
                self.rules.max_distance?;
                let ShortSimilarity { similarity, lost } =
                    self.short_at_least(right, self.rules.min_similarity)?;
                Some(Verdict {
                    duplicates: true,
                    similarity,
                    basis: Basis::Characters,
                    lost: Some(lost),
                    ..Verdict::NOTHING_COMPARED
                })
            }
        }
    }

    /// The largest `min_similarity` at which the left document and this one, which were just found
    /// to be duplicates, are duplicates. It is the similarity, but for rounding and the numbers of
    /// features of short documents.
    pub fn largest_bound(&self, right: &Prepared, verdict: &Verdict) -> f64 {
        match (verdict.reason, &self.left.short, right.short.get()) {
            (Reason::Exact, ..) => 1.0,
            (Reason::Short, Some(left), Some(right_text)) => {
                let similarity = verdict.similarity;
                let reaches = |least: f64| left.reaches(right_text, similarity, least);
                let bound = rules::largest(left.largest_least(right_text, similarity), reaches);
                let of_features = |features| self.rules.largest_when_short(features);
                bound.min(of_features(self.left.features)).min(of_features(right.features))
            }
            _ if self.rules.measure == Measure::None => 1.0,
            _ => verdict.similarity,
        }
    }

    /// The share of the left document and this one that stand in the other one; 0 if a text is
    /// absent.
    pub fn share(&mut self, right: &Prepared) -> f64 {
        match (right.text.get(), right.alphanumeric.get()) {
            (Some(text), Some(alphanumeric)) if self.left.covered => {
                self.coverage.difference(text, alphanumeric).similarity()
            }
            _ => 0.0,
        }
    }

    /// The similarity of the left document and this one under the measure, if it is `least` or
    /// more, without regard to their fingerprints and lengths. `distance` gives the similarity
    /// under the measure `none`. Returns `None` as well if a document lacks the part that the
    /// measure compares.
    pub fn at_least(&mut self, right: &Prepared, distance: Option<u32>, least: f64) -> Option<f64> {
        self.reaches(right, distance, least, false)
    }

    /// The similarity of [`at_least`](Self::at_least), where one of the two may be in a family.
    fn reaches(
        &mut self,
        right: &Prepared,
        distance: Option<u32>,
        least: f64,
        in_family: bool,
    ) -> Option<f64> {
        let similarity = match self.rules.measure {
            // Nothing is compared, so no pair is too dissimilar.
            Measure::None => return distance.map(|distance| self.rules.similarity_at(distance)),
            Measure::Coverage => {
                let text = right.text.get().filter(|_| self.left.covered)?;
                let alphanumeric = right.alphanumeric.get()?;
                let difference = self.coverage.at_least(text, alphanumeric, least, in_family)?;
                self.difference = Some(difference);
                difference.largest_bound(in_family)
            }
            Measure::Cosine => compare::cosine(self.left.weights.as_ref()?, right.weights.get()?),
            Measure::Jaccard | Measure::Containment | Measure::Minhash => {
                compare::word_ngrams(
                    right.terms.get()?,
                    self.rules.shingle,
                    &mut self.right_ngrams,
                );
                let left = self.left.ngrams.as_ref()?;
                let similarity = match (self.rules.measure, &self.left.signature) {
                    (Measure::Containment, _) => compare::containment(left, &self.right_ngrams),
                    (_, Some(signature)) => compare::minhash_similarity(
                        signature,
                        &compare::signature(&self.right_ngrams),
                    ),
                    (_, None) => compare::jaccard(left, &self.right_ngrams),
                };
                if similarity >= least {
                    let shared = compare::shared(left, &self.right_ngrams) as f64;
                    let lost = |own: &[u64]| 1.0 - shared / own.len().max(1) as f64;
                    self.lost_ngrams = Some([lost(left), lost(&self.right_ngrams)]);
                }
                similarity
            }
        };
        (similarity >= least).then_some(similarity)
    }

    /// The reason, the lost shares and the difference of two near documents, by the last comparison.
    fn last_comparison(&self) -> Verdict {
        let lost_text = self.difference.map(|difference| difference.lost());
        let is_contained = lost_text.is_some_and(compare::is_containment);
        Verdict {
            reason: if is_contained { Reason::Contained } else { Reason::Near },
            lost: lost_text.or(self.lost_ngrams),
            difference: self.difference,
            ..Verdict::NOTHING_COMPARED
        }
    }

    /// The distance of the fingerprints, if both are there.
    fn distance(&self, right: &Prepared) -> Option<u32> {
        Some(self.rules.distance.of(&self.left.fingerprint?, &right.fingerprint?, self.rules.bits))
    }

    fn is_near(&self, distance: Option<u32>) -> bool {
        self.rules.max_distance.zip(distance).is_some_and(|(most, distance)| distance <= most)
    }

    /// Returns true if a similarity under the measure is enough. Without a measure it always is.
    fn is_similar(&self, similarity: f64) -> bool {
        self.rules.measure == Measure::None || similarity >= self.rules.min_similarity
    }

    /// The similarity of their characters, if both have them and it is `least` or more. The bound
    /// allows for rounding, as the search for such pairs does.
    fn short_at_least(&self, right: &Prepared, least: f64) -> Option<ShortSimilarity> {
        self.left.short.as_ref()?.similarity(right.short.get()?, least)
    }

    /// The similarity of two documents of which at least one is short, its basis, and the lost
    /// shares. It is that of their characters. If one has too many of them, they are no duplicates,
    /// and another measure gives the similarity.
    fn short_similarity(&mut self, right: &Prepared) -> (f64, Basis, Option<[f64; 2]>) {
        let is_blank = |short: &ShortText| short.characters.is_empty();
        if self.left.short.as_ref().is_some_and(is_blank) || right.short.get().is_some_and(is_blank)
        {
            return (0.0, Basis::Nothing, None);
        }
        if let Some(ShortSimilarity { similarity, lost }) = self.short_at_least(right, 0.0) {
            return (similarity, Basis::Characters, Some(lost));
        }
        if let (Some(text), Some(alphanumeric), true) =
            (right.text.get(), right.alphanumeric.get(), self.left.covered)
        {
            let difference = self.coverage.difference(text, alphanumeric);
            return (
                difference.similarity(),
                Basis::Measure(Measure::Coverage),
                Some(difference.lost()),
            );
        }
        if let (Some(left), Some(right)) = (&self.left.ngrams, right.terms.get()) {
            compare::word_ngrams(right, self.rules.shingle, &mut self.right_ngrams);
            return (
                compare::jaccard(left, &self.right_ngrams),
                Basis::Measure(Measure::Jaccard),
                None,
            );
        }
        (0.0, Basis::Nothing, None)
    }
}

#[cfg(test)]
mod tests;
