//! Too many candidates by chance -> a smaller `max-distance auto`.
//!
//! Texts of few different n-grams or words, such as words made of two dozen syllables, have nearly
//! the same features, and unrelated documents have near fingerprints. The usual distance brings a
//! candidate or two for each document. Here it brings a share of all pairs, and a run takes days. A
//! sample, the documents of the smallest text hashes, gives the number of candidates to expect. All
//! documents of the sample are compared with each other, or across the two sides. If the number
//! exceeds the budget below, and few of the candidates are duplicates, the distance is lowered
//! until the budget holds. If hubs resolve without a list of their candidates ([`crate::decide`]),
//! up to [`RESOLVED`] documents have no budget, and for more of them it suffices that the
//! candidates are of one template.
//!
//! Cost: about a million comparisons of fingerprints, or twice the number of documents if that is
//! more (across two sides up to twice that), and a few hundred comparisons of texts if candidates
//! are too many.

use nearprint_core::compare::Measure;
use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::near::Plan;

use super::{Input, may_be_near, may_resolve};
use crate::corpus::{PairJudge, smallest};
use crate::error::Error;

/// The least number of documents in the sample. Large corpora have larger samples, since a sample
/// sees a smaller share of their pairs.
const SAMPLE: usize = 1_500;

/// The budget of candidates: in all, and for each document.
const ALWAYS: f64 = 2e6;
const EACH: f64 = 8.0;

/// The most documents that may all be candidates of each other, if hubs resolve without a list of
/// their candidates. Comparing each fingerprint with all others then takes seconds.
const RESOLVED: usize = 50_000;

/// The number of candidates whose texts are compared.
const COMPARED: u64 = 200;

/// The least share of candidates that are duplicates, or of one template, from which on the
/// candidates are not due to chance.
const USEFUL: f64 = 0.1;

/// The least share of letters that texts of one template have in common.
const OF_ONE_TEMPLATE: f64 = 0.6;

/// The number of documents, and the number of reference documents among them, if there are any.
/// Reference documents come first.
pub type Sides = (usize, Option<usize>);

fn pairs((count, first): Sides) -> f64 {
    match first {
        None => count as f64 * (count as f64 - 1.0) / 2.0,
        Some(first) => first as f64 * (count - first) as f64,
    }
}

/// The most documents of a side in the sample; `None` if so few documents cannot have too many
/// candidates. `resolve` is true if hubs resolve without a list of their candidates.
pub fn sampled(all: Sides, resolve: bool) -> Option<usize> {
    (pairs(all) > ALWAYS && !(resolve && all.0 <= RESOLVED)).then(|| SAMPLE.max(2 * all.0.isqrt()))
}

/// The budget of candidates for a sample.
pub fn most_candidates(sample: Sides, all: Sides) -> f64 {
    (ALWAYS + EACH * all.0 as f64) * (pairs(sample) / pairs(all))
}

/// Calls `found` with every pair that is compared, the smaller place first. With two sides it is
/// called with the pairs across.
pub fn each_pair((count, first): Sides, mut found: impl FnMut(usize, usize)) {
    for right in first.unwrap_or(0)..count {
        (0..first.unwrap_or(right)).for_each(|left| found(left, right));
    }
}

/// The distance up to which candidates by chance are few enough, between `lowest` and
/// `max_distance`. `plan` is the plan of the search. `all` counts the documents of the search;
/// `documents` are all of them, or a sample.
pub(super) fn lowered(
    input: &Input<'_>,
    documents: &[u32],
    fingerprints: &Fingerprints,
    (max_distance, plan): (u32, &Plan),
    lowest: u32,
    all: Sides,
) -> Result<u32, Error> {
    let corpus = input.corpus;
    let first = corpus.origins.first_side(documents);
    let resolve =
        may_resolve(input.config, corpus) && input.config.decide.verify == Measure::Coverage;
    let Some(most) = sampled(all, resolve) else { return Ok(max_distance) };
    let place = |document: &u32| {
        documents.binary_search(document).expect("the sample is of these documents")
    };
    let (one, other) = documents.split_at(first.unwrap_or(0));
    let [one, other] = [one, other].map(|side| smallest(corpus, side, most));
    let sampled_first = first.map(|_| one.len());
    // Reference documents come first.
    let mut sample: Vec<usize> = one.iter().chain(&other).map(place).collect();
    sample.sort_unstable();
    // Calls `found` with each pair of the sample that will be a candidate.
    let each_candidate = |found: &mut dyn FnMut(usize, usize, u32)| {
        each_pair((sample.len(), sampled_first), |left, right| {
            let [left, right] = [left, right].map(|place| sample[place]);
            let distance = fingerprints.distance(left, right);
            let is_candidate = distance <= max_distance
                && may_be_near(corpus, documents[left], documents[right])
                && plan.sees(fingerprints.get(left), fingerprints.get(right));
            if is_candidate {
                found(left, right, distance);
            }
        });
    };
    let mut at = vec![0u64; max_distance as usize + 1];
    each_candidate(&mut |_, _, distance| at[distance as usize] += 1);
    let candidates: u64 = at.iter().sum();
    let most_candidates = most_candidates((sample.len(), sampled_first), all);
    if candidates as f64 <= most_candidates {
        return Ok(max_distance);
    }
    let mut some = Vec::new();
    let mut number = 0;
    each_candidate(&mut |left, right, distance| {
        if number % candidates.div_ceil(COMPARED) == 0 {
            some.push((documents[left], documents[right], distance));
        }
        number += 1;
    });
    let rules = input.config.rules(Some(max_distance));
    let mut judge = PairJudge::new(corpus, input.recipe, rules);
    let mut similar = 0;
    for (left, right, distance) in &some {
        let is_similar = match resolve {
            true => judge.share(*left, *right)? >= OF_ONE_TEMPLATE,
            false => judge.at_least(*left, *right, *distance, rules.min_similarity)?.is_some(),
        };
        similar += usize::from(is_similar);
    }
    if similar as f64 >= USEFUL * some.len() as f64 {
        return Ok(max_distance);
    }
    let mut within = 0;
    let near_enough = at.iter().take_while(|count| {
        within += **count;
        within as f64 <= most_candidates
    });
    Ok((near_enough.count() as u32).saturating_sub(1).max(lowest).min(max_distance))
}
