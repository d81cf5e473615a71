//! A corpus -> a sample of it: the distances of its unrelated documents, and of texts and edited
//! copies of them -> the distances of a search.
//!
//! The sample consists of the documents with the smallest text hashes. It depends neither on the
//! order of the input nor on the number of threads. All its pairs are compared by fingerprint. The
//! nearest pairs and a part of the others are compared by the measure of the run, too, so that
//! duplicates do not count as chance. Cost: some seconds, whatever the size of the corpus.

use std::sync::atomic::{AtomicU64, Ordering};

use nearprint_core::random::mix;
use rayon::prelude::*;

use super::by_number::{CHEAP, with_as_many_pairs};
use super::copies::copies;
use super::fingerprints::fingerprints;
use super::{Input, searched};
use crate::config::{Config, MaxDistance};
use crate::corpus::{PairJudge, smallest};
use crate::error::Error;
use crate::estimate::{AtSimilarity, COPIES, Choice, Copied, MeasuredSample, RECALL, Row, choose};
use crate::watch::{Progress, Silent, Stage, Watch, stop_if_asked};

/// The number of nearest pairs of a sample that are all compared by their texts.
const COMPARED: u64 = 100_000;

/// The number of farther pairs at each distance, up to half the bits, that are compared and
/// represent the others. A large family of texts has more pairs than [`COMPARED`], which would
/// otherwise count as candidates by chance.
const COMPARED_EACH: u64 = 500;

/// The most documents in a sample: 5 billion pairs.
const LARGEST_SAMPLE: usize = 100_000;

/// The differences between the least similarity and the other similarities for which `tune` makes
/// copies.
const BESIDE: [f64; 3] = [-0.1, 0.05, 0.1];

/// The figures of a sample, and the distances that were chosen by them.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Tuning {
    /// The distances that were chosen.
    #[serde(flatten)]
    pub choice: Choice,
    /// The plan of a search with these distances.
    pub plan: String,
    /// The expectations for each distance from 0 to half the bits.
    pub distances: Vec<Row>,
    /// The share of pairs that each distance finds, for other similarities than the least one, in
    /// increasing order.
    pub other_similarities: Vec<AtSimilarity>,
    /// The settings of the run, with the chosen distances.
    #[serde(skip)]
    pub settings: Config,
}

impl Tuning {
    /// The settings as the TOML of a settings file.
    pub fn to_toml(&self) -> String {
        self.settings.to_short_toml(&["min-similarity", "max-distance", "complete-distance"])
    }
}

/// Chooses the distances that find a share of `recall` (without one: 95 %) of the pairs of the
/// least similarity, by a sample of this number of documents. The corpus was read to tune.
/// `representatives` are indexed by document.
///
/// # Errors
/// [`Error::Usage`] if the sample has no document or too many, or if only equal texts match;
/// [`Error::Io`] if the disk cannot be read; [`Error::Interrupted`].
pub fn tune(
    input: &Input<'_>,
    representatives: &[u32],
    sample: usize,
    watch: &dyn Watch,
) -> Result<Tuning, Error> {
    if !(1..=LARGEST_SAMPLE).contains(&sample) {
        return Err(Error::usage(
            "sample",
            format!("{sample} is not between 1 and {LARGEST_SAMPLE}"),
        ));
    }
    if input.config.search.max_distance == MaxDistance::Off {
        let problem = "off matches equal texts only, so there is nothing to tune; set auto, or \
            another preset";
        return Err(Error::usage("max-distance", problem));
    }
    if input.config.search.max_distance == MaxDistance::Any {
        let problem = "any finds all pairs without distances, so there is nothing to tune; set auto, \
            or another preset";
        return Err(Error::usage("max-distance", problem));
    }
    let documents = searched(input.config, input.corpus, representatives);
    let others = |more: &f64| ((input.config.decide.min_similarity + more) * 1e6).round() / 1e6;
    let others =
        BESIDE.iter().map(others).filter(|similarity| *similarity > 0.0 && *similarity <= 1.0);
    estimate(input, &documents, sample, &others.collect::<Vec<_>>(), watch)
}

/// Chooses the distances for the documents that are searched. The copies of other similarities are
/// for comparison only.
pub(super) fn estimate(
    input: &Input<'_>,
    documents: &[u32],
    sample: usize,
    others: &[f64],
    watch: &dyn Watch,
) -> Result<Tuning, Error> {
    let Input { config, corpus, .. } = *input;
    let similarity = config.decide.min_similarity;
    let sampled = smallest(corpus, documents, sample);
    let stage = Progress::begin(
        watch,
        Stage::Estimate,
        sampled.len() + COPIES * (1 + others.len()),
        corpus.text_bytes,
    );
    let (unrelated, related) = distances_in_sample(input, &sampled, &stage)?;
    stop_if_asked(watch)?;
    let texts = corpus.sampled_texts()?;
    let copies = |similarity: f64| {
        let copies = copies(input, &texts, similarity, &stage);
        stop_if_asked(watch).map(|()| copies)
    };
    let (others, copies) = (
        others
            .iter()
            .map(|other| Ok((*other, copies(*other)?)))
            .collect::<Result<Vec<_>, Error>>()?,
        copies(similarity)?,
    );
    stage.reach(1.0);
    let measured = MeasuredSample {
        bits: config.fingerprint.bits,
        documents: with_as_many_pairs(documents.len(), corpus.origins.first_side(documents)),
        sampled: sampled.len(),
        unrelated,
        related,
        copies,
    };
    let complete = measured.documents <= CHEAP;
    let mut choice =
        choose(&measured, similarity, config.search.recall.unwrap_or(RECALL), complete);
    choice.documents = documents.len();
    // Without documents there is no recommendation.
    let (max_distance, complete_distance) = match documents.is_empty() {
        true => (MaxDistance::Auto, None),
        false => (MaxDistance::Bits(choice.max_distance), Some(choice.complete_distance)),
    };
    let settings = config
        .clone()
        .recall(None)
        .max_distance(max_distance)
        .complete_distance(complete_distance)
        .threads(0)
        .tmp_dir(None);
    let plan = nearprint_core::near::plan(
        measured.documents,
        config.fingerprint.bits,
        choice.complete_distance,
    )
    .to_string();
    let at = |(similarity, copies): &(f64, Vec<Copied>)| measured.at(&choice, *similarity, copies);
    let other_similarities = others.iter().map(at).collect();
    Ok(Tuning { plan, distances: measured.rows(&choice), other_similarities, settings, choice })
}

/// The number of pairs of the sample at each distance: of unrelated texts, and of similar texts.
fn distances_in_sample(
    input: &Input<'_>,
    sample: &[u32],
    stage: &Progress<'_>,
) -> Result<(Vec<u64>, Vec<u64>), Error> {
    let Input { config, corpus, recipe, .. } = *input;
    let fingerprints = fingerprints(corpus, recipe, sample, &Silent)?;

    let count: Vec<AtomicU64> = (0..=config.fingerprint.bits).map(|_| AtomicU64::new(0)).collect();
    (0..sample.len()).into_par_iter().for_each(|right| {
        if stage.stopped() {
            return;
        }
        let mut own = vec![0u64; count.len()];
        (0..right).for_each(|left| own[fingerprints.distance(left, right) as usize] += 1);
        own.iter().zip(&count).for_each(|(own, all)| {
            all.fetch_add(*own, Ordering::Relaxed);
        });
    });
    let mut unrelated: Vec<u64> = count.into_iter().map(AtomicU64::into_inner).collect();

    let mut within = 0;
    let nearest = unrelated.iter().take_while(|pairs| {
        within += **pairs;
        within <= COMPARED
    });
    let nearest = nearest.count();
    // The part of the pairs of each distance that is compared, in units of 2⁻⁶⁴.
    let part = |(distance, pairs): (usize, &u64)| match distance {
        _ if distance < nearest || *pairs <= COMPARED_EACH => u64::MAX,
        _ => (u128::from(u64::MAX) * u128::from(COMPARED_EACH) / u128::from(*pairs)) as u64,
    };
    let parts: Vec<u64> = unrelated
        .iter()
        .enumerate()
        .take(config.fingerprint.bits as usize / 2 + 1)
        .map(part)
        .collect();
    let text = |place: usize| corpus.text_hash(sample[place]) as u64;
    // Like the sample, the choice depends on the texts alone.
    let is_compared = |left: usize, right: usize, distance: u32| match parts.get(distance as usize)
    {
        None => false,
        Some(&u64::MAX) => true,
        Some(part) => mix(text(left) ^ mix(text(right))) < *part,
    };
    let rules = config.rules(None).with_a_comparison();
    let compared: Vec<Vec<(u32, bool)>> = (0..sample.len())
        .into_par_iter()
        .map_init(
            || PairJudge::new(corpus, recipe, rules),
            |judge: &mut PairJudge<'_>, left| {
                let mut compared = Vec::new();
                if stage.stopped() {
                    return Ok(compared);
                }
                for right in left + 1..sample.len() {
                    let distance = fingerprints.distance(left, right);
                    if is_compared(left, right, distance) {
                        let least = rules.min_similarity;
                        let similarity =
                            judge.at_least(sample[left], sample[right], distance, least)?;
                        compared.push((distance, similarity.is_some()));
                    }
                }
                stage.advance(1);
                Ok(compared)
            },
        )
        .collect::<Result<_, Error>>()?;
    let (mut looked_at, mut similar) = (vec![0; unrelated.len()], vec![0; unrelated.len()]);
    for (distance, is_similar) in compared.into_iter().flatten() {
        looked_at[distance as usize] += 1;
        similar[distance as usize] += u64::from(is_similar);
    }
    let related = |((pairs, looked_at), similar): ((&u64, &u64), &u64)| match *looked_at {
        0 => 0,
        // If all pairs were compared, this is the number of similar ones.
        part => (u128::from(*pairs) * u128::from(*similar) / u128::from(part)) as u64,
    };
    let related: Vec<u64> = unrelated.iter().zip(&looked_at).zip(&similar).map(related).collect();
    unrelated.iter_mut().zip(&related).for_each(|(pairs, related)| *pairs -= related);
    Ok((unrelated, related))
}

#[cfg(test)]
mod tests {
    use nearprint_core::random::Random;

    use super::*;
    use crate::corpus::Purpose;
    use crate::run::Deduplicator;

    #[test]
    fn a_large_family_is_not_taken_for_chance() {
        // The corpus has 600 editions of one text, with 4 to 12 changed words in 100 and about
        // 180,000 pairs, and 150 unrelated texts.
        let mut random = Random::new(16);
        // Words have letters only: another number would be another figure.
        let mut word = |most: u64| {
            let number = random.below(most);
            let letter = |power: u32| char::from(b'a' + (number / 26u64.pow(power) % 26) as u8);
            format!("w{}{}{} ", letter(0), letter(1), letter(2))
        };
        let common: Vec<String> = (0..100).map(|_| word(5000)).collect();
        let mut rows = String::new();
        for number in 0..750 {
            let mut text = common.clone();
            for place in 0..if number < 600 { 4 + number % 3 * 4 } else { 100 } {
                text[(place * 37 + number) % 100] = word(5000);
            }
            rows += &format!("{{\"id\":{number},\"text\":\"{}\"}}\n", text.concat());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("editions.jsonl");
        std::fs::write(&path, rows).unwrap();
        let deduplicator = Deduplicator::new(Config::default().min_similarity(0.6)).unwrap();
        let sources =
            deduplicator.find_files(&[path.display().to_string()], folder.path(), &Silent).unwrap();
        let corpus = deduplicator.read(sources, Purpose::Tune, &Silent).unwrap();
        let rows = deduplicator.tune(&corpus, 750, &Silent).unwrap().distances;
        let family: u64 = rows.iter().map(|row| row.related_pairs).sum();
        let near = |most: u32| {
            rows.iter()
                .filter(|row| row.distance <= most)
                .map(|row| row.unrelated_pairs)
                .sum::<u64>()
        };
        assert!(family > 170_000 && family <= 600 * 599 / 2, "{family} pairs of the family");
        assert!(
            near(70) < 1000,
            "{} unrelated pairs within 70 bits, {} within 90",
            near(70),
            near(90)
        );
    }
}
