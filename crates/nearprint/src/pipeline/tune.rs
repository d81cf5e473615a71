//! A corpus -> distances between the unrelated documents of a sample of it, and from texts to edited copies of them -> the
//! distances to search with.
//!
//! The sample are the documents whose texts have the smallest hashes: chosen by what they say, and the same in any order of
//! the input and with any number of threads. All pairs of it are compared by fingerprint, and the nearest ones and a part of
//! the others by the run's measure too, so that duplicates do not count as chance. Cost: some seconds, whatever the size of the corpus.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::Pipeline;
use super::against::with_as_many_pairs;
use super::corpus::{Corpus, stop_if_asked};
use super::duplicates::fold_equal_texts;
use super::evidence::Comparer;
use super::sampled::smallest;
use super::search::CHEAP;
use super::weigher::Weigher;
use crate::config::{Config, MaxDistance};
use crate::error::Error;
use crate::estimate::{
    AtSimilarity, COPIES, Choice, Copied, Editor, MeasuredSample, RECALL, Row, Words, choose, replaced_words,
};
use crate::features;
use crate::fingerprint::Hasher;
use crate::normalize;
use crate::random::mix;
use crate::verify::{self, Coverage, Measure};
use crate::watch::{Evenly, Stage, Watch};

/// The most pairs of a sample that are all compared by their texts, the nearest first.
const COMPARED: u64 = 100_000;

/// Of farther pairs, up to half the bits, this many at each distance are compared, and stand for the others. One large
/// family of texts has more pairs than [`COMPARED`]; unrelated they would look like candidates that chance brings.
const COMPARED_EACH: u64 = 500;

/// The most documents in a sample: 5 billion pairs.
const LARGEST_SAMPLE: usize = 100_000;

/// The most copies of one text, where there are few.
const COPIES_OF_ONE: usize = 16;

/// Among so many texts the words for a copy are looked for. Where 4 of 5 texts are of one family, 97 % of their copies get
/// words of another text.
const DONORS: usize = 16;

/// A text that is this part of the asked-for similarity alike has words of its own to give.
const DISSIMILAR: f64 = 0.5;

/// How much more or less similar than asked for the other copies are that `tune` makes.
const BESIDE: [f64; 3] = [-0.1, 0.05, 0.1];

/// What a sample showed, and what it led to.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Tuning {
    /// The distances that were chosen.
    #[serde(flatten)]
    pub choice: Choice,
    /// How a search with them goes about it.
    pub plan: String,
    /// What is expected of each distance from 0 to half the bits.
    pub distances: Vec<Row>,
    /// What each distance finds of pairs that are somewhat more or less similar, the least similar first.
    pub other_similarities: Vec<AtSimilarity>,
    /// The settings of the run with the choice in them.
    #[serde(skip)]
    pub settings: Config,
}

impl Tuning {
    /// The settings as TOML, as a file of settings has them.
    pub fn to_toml(&self) -> String {
        self.settings.to_short_toml(&["min-similarity", "max-distance", "complete-distance"])
    }
}

impl Pipeline {
    /// Says which distances find a share of `recall` of the pairs of `min-similarity` (without it: nearly all) in a corpus that was read for [`Purpose::Tune`](super::Purpose::Tune), by a sample of so many
    /// documents.
    ///
    /// ```
    /// use nearprint::{Config, Pipeline, Purpose, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("poems.jsonl");
    /// let text = |n: u32| (0..60).map(|word| format!("word{} ", n * 31 + word * word % 97)).collect::<String>();
    /// let rows = (0..40).map(|n| format!("{{\"id\":{n},\"text\":\"{}\"}}\n", text(n)));
    /// std::fs::write(&input, rows.collect::<String>())?;
    ///
    /// let pipeline = Pipeline::new(Config { recall: Some(0.9), ..Config::default() })?;
    /// let sources = pipeline.find(&[input.display().to_string()], folder.path(), &Silent)?;
    /// let corpus = pipeline.read(sources, Purpose::Tune, &Silent)?;
    /// let tuning = pipeline.tune(&corpus, 2000, &Silent)?;
    /// assert_eq!((tuning.choice.documents, tuning.choice.sample, tuning.choice.similarity), (40, 40, 0.8));
    /// assert!(tuning.choice.expected_recall >= 0.9);
    /// assert!(tuning.choice.compared_fingerprints == 780.0 && tuning.other_similarities.len() == 3);
    /// assert!(tuning.to_toml().contains("max-distance = "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for a sample of no document or of too many, or where only equal texts are to match;
    /// [`Error::Io`] where what was spilled cannot be read; [`Error::Interrupted`].
    pub fn tune(&self, corpus: &Corpus, sample: usize, watch: &dyn Watch) -> Result<Tuning, Error> {
        if !(1..=LARGEST_SAMPLE).contains(&sample) {
            return Err(Error::usage("sample", format!("{sample} is not between 1 and {LARGEST_SAMPLE}")));
        }
        if self.config.max_distance == MaxDistance::Off {
            let problem = "off matches equal texts only, and there is nothing to tune; set auto, or another preset";
            return Err(Error::usage("max-distance", problem));
        }
        let documents = self.searched(corpus, &fold_equal_texts(corpus, &self.ranks(corpus)));
        let others = |more: &f64| ((self.config.min_similarity + more) * 1e6).round() / 1e6;
        let others = BESIDE.iter().map(others).filter(|similarity| *similarity > 0.0 && *similarity <= 1.0);
        self.tuned(corpus, &documents, sample, &others.collect::<Vec<_>>(), watch)
    }

    /// The same for the documents that are searched, with copies of other similarities for comparison.
    pub(super) fn tuned(
        &self,
        corpus: &Corpus,
        documents: &[u32],
        sample: usize,
        others: &[f64],
        watch: &dyn Watch,
    ) -> Result<Tuning, Error> {
        let config = &self.config;
        let similarity = config.min_similarity;
        let sampled = smallest(corpus, documents, sample);
        let stage =
            Evenly::begin(watch, Stage::Estimate, sampled.len() + COPIES * (1 + others.len()), corpus.text_bytes);
        let (unrelated, related) = self.threads.install(|| self.distances_in_sample(corpus, &sampled, &stage))?;
        stop_if_asked(watch)?;
        let texts = corpus.sampled.as_ref().map_or(Ok(Vec::new()), |sampled| sampled.read())?;
        let copies = |similarity: f64| {
            let copies = self.threads.install(|| self.copies(corpus, &texts, similarity, &stage));
            stop_if_asked(watch).map(|()| copies)
        };
        let (others, copies) = (
            others.iter().map(|other| Ok((*other, copies(*other)?))).collect::<Result<Vec<_>, Error>>()?,
            copies(similarity)?,
        );
        stage.reach(1.0);
        let measured = MeasuredSample {
            bits: config.bits,
            documents: with_as_many_pairs(documents.len(), corpus.first_side(documents)),
            sampled: sampled.len(),
            unrelated,
            related,
            copies,
        };
        let complete = measured.documents <= CHEAP;
        let mut choice = choose(&measured, similarity, config.recall.unwrap_or(RECALL), complete);
        choice.documents = documents.len();
        // Where nothing is searched, nothing is recommended.
        let (max_distance, complete_distance) = match documents.is_empty() {
            true => (MaxDistance::Auto, None),
            false => (MaxDistance::Bits(choice.max_distance), Some(choice.complete_distance)),
        };
        let settings =
            Config { recall: None, max_distance, complete_distance, threads: 0, tmp_dir: None, ..config.clone() };
        let plan = crate::join::plan(measured.documents, config.bits, choice.complete_distance).to_string();
        let at = |(similarity, copies): &(f64, Vec<Copied>)| measured.at(&choice, *similarity, copies);
        let other_similarities = others.iter().map(at).collect();
        Ok(Tuning { plan, distances: measured.rows(&choice), other_similarities, settings, choice })
    }

    /// How many pairs of the sample are at each distance: unrelated ones, and similar ones.
    fn distances_in_sample(
        &self,
        corpus: &Corpus,
        sample: &[u32],
        stage: &Evenly<'_>,
    ) -> Result<(Vec<u64>, Vec<u64>), Error> {
        let fingerprints = self.fingerprints(corpus, sample, &crate::watch::Silent)?;

        let count: Vec<AtomicU64> = (0..=self.config.bits).map(|_| AtomicU64::new(0)).collect();
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
        // The part of the pairs of each distance that is compared, of 2⁶⁴.
        let part = |(distance, pairs): (usize, &u64)| match distance {
            _ if distance < nearest || *pairs <= COMPARED_EACH => u64::MAX,
            _ => (u128::from(u64::MAX) * u128::from(COMPARED_EACH) / u128::from(*pairs)) as u64,
        };
        let parts: Vec<u64> = unrelated.iter().enumerate().take(self.config.bits as usize / 2 + 1).map(part).collect();
        let text = |place: usize| corpus.texts[sample[place] as usize] as u64;
        // By the texts alone, as the sample itself.
        let is_compared = |left: usize, right: usize, distance: u32| match parts.get(distance as usize) {
            None => false,
            Some(&u64::MAX) => true,
            Some(part) => mix(text(left) ^ mix(text(right))) < *part,
        };
        // What stands for the cosine under no confirmation at all is the distance, which cannot judge itself.
        let measure = match self.config.verify {
            Measure::None => Measure::Cosine,
            measure => measure,
        };
        let compared: Vec<Vec<(u32, bool)>> = (0..sample.len())
            .into_par_iter()
            .map_init(
                || Comparer::with(measure, self, corpus),
                |comparer, left| {
                    let mut compared = Vec::new();
                    if stage.stopped() {
                        return Ok(compared);
                    }
                    for right in left + 1..sample.len() {
                        let distance = fingerprints.distance(left, right);
                        if is_compared(left, right, distance) {
                            let least = self.config.min_similarity;
                            let similarity = comparer.at_least(sample[left], sample[right], distance, least)?;
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
            // Where all were looked at, exactly those that are similar.
            part => (u128::from(*pairs) * u128::from(*similar) / u128::from(part)) as u64,
        };
        let related: Vec<u64> = unrelated.iter().zip(&looked_at).zip(&similar).map(related).collect();
        unrelated.iter_mut().zip(&related).for_each(|(pairs, related)| *pairs -= related);
        Ok((unrelated, related))
    }

    /// The sampled texts and copies of them that were edited to about the similarity.
    fn copies(&self, corpus: &Corpus, texts: &[(u128, String)], similarity: f64, stage: &Evenly<'_>) -> Vec<Copied> {
        let count = texts.len();
        if count < 2 {
            return Vec::new();
        }
        let of_one = COPIES.div_ceil(count).min(COPIES_OF_ONE);
        let copies: Vec<Option<Copied>> = (0..(count * of_one).min(COPIES))
            .into_par_iter()
            .map_init(
                || Copier::new(self, corpus),
                |copier, number| {
                    if stage.stopped() {
                        return None;
                    }
                    let (text, turn) = (number % count, number / count);
                    // Never the text itself: the others in turn.
                    let other = |later: usize| &*texts[(text + 1 + (turn + later) % (count - 1)) % count].1;
                    let donors: Vec<&str> = (0..DONORS.min(count - 1)).map(other).collect();
                    let seed = (texts[text].0 as u64).wrapping_add(turn as u64);
                    let copy = copier.copy(&texts[text].1, &donors, seed, similarity);
                    stage.advance(1);
                    copy
                },
            )
            .collect();
        copies.into_iter().flatten().collect()
    }
}

/// Makes edited copies of texts, and compares them with the originals. One a thread.
struct Copier<'c> {
    pipeline: &'c Pipeline,
    weigher: Weigher<'c>,
    coverage: Coverage,
    original: Cut,
    donor: Cut,
    copy: Cut,
    text: String,
}

/// What is known of one text.
#[derive(Default)]
struct Cut {
    terms: Vec<u64>,
    /// Where each term begins in the text, and where it ends.
    starts: Vec<usize>,
    ends: Vec<usize>,
    content: String,
    shingles: Vec<u64>,
    weights: Vec<(u64, u64)>,
}

impl<'c> Copier<'c> {
    fn new(pipeline: &'c Pipeline, corpus: &'c Corpus) -> Copier<'c> {
        Copier {
            pipeline,
            weigher: Weigher::of_corpus(pipeline, corpus),
            coverage: Coverage::default(),
            original: Cut::default(),
            donor: Cut::default(),
            copy: Cut::default(),
            text: String::new(),
        }
    }

    /// A copy of a text with words of another one, edited to about the similarity; `None` where that cannot be done. The words
    /// are those of the first donor that has little in common with the text, or of the one that has the least: words of an
    /// edition of the same text would be no edit.
    fn copy(&mut self, text: &str, donors: &[&str], seed: u64, similarity: f64) -> Option<Copied> {
        let Copier { pipeline, weigher, coverage, original, donor, copy, text: edited } = self;
        original.cut(pipeline, text);
        original.prepare(pipeline, weigher, text);
        coverage.set_left(&original.content);
        let mut least: Option<(f64, &str)> = None;
        for text in donors {
            donor.cut(pipeline, text);
            if donor.terms.len() < 2 {
                continue;
            }
            donor.prepare(pipeline, weigher, text);
            let alike = original.similarity(donor, pipeline, coverage, similarity * DISSIMILAR);
            if least.is_none_or(|(least, _)| alike < least) {
                least = Some((alike, text));
            }
            if alike < similarity * DISSIMILAR {
                break;
            }
        }
        let (_, giver) = least?;
        donor.cut(pipeline, giver);
        let words = Words { text, starts: &original.starts };
        let editor = Editor::new(words, Words { text: giver, starts: &donor.starts }, seed)?;
        let (replaced, _) = replaced_words(editor.words(), similarity, |replaced| {
            editor.copy(replaced, edited);
            if pipeline.config.verify != Measure::Coverage {
                copy.cut(pipeline, edited);
            }
            copy.prepare(pipeline, weigher, edited);
            original.similarity(copy, pipeline, coverage, similarity)
        })?;
        editor.copy(replaced, edited);
        copy.cut(pipeline, edited);
        copy.prepare(pipeline, weigher, edited);
        let left = original.fingerprint(pipeline, weigher, text);
        let right = copy.fingerprint(pipeline, weigher, edited);
        weigher.weights_of(&original.terms, &original.content, &mut original.weights);
        weigher.weights_of(&copy.terms, &copy.content, &mut copy.weights);
        Some(Copied {
            difference: std::array::from_fn(|word| left[word] ^ right[word]),
            cosine: verify::cosine(&original.weights, &copy.weights),
        })
    }
}

impl Cut {
    /// Cuts a normalized text into terms.
    fn cut(&mut self, pipeline: &Pipeline, text: &str) {
        self.terms.clear();
        self.starts.clear();
        self.ends.clear();
        pipeline.segmenter.tokens(text, &mut |token| {
            if pipeline.features.keeps(token) {
                let start = token.as_ptr() as usize - text.as_ptr() as usize;
                self.terms.push(features::term(token));
                self.starts.push(start);
                self.ends.push(start + token.len());
            }
        });
    }

    /// Makes of a text that was cut what the run's measure compares.
    fn prepare(&mut self, pipeline: &Pipeline, weigher: &mut Weigher<'_>, text: &str) {
        self.content.clear();
        normalize::append_content(text, &mut self.content);
        match pipeline.config.verify {
            Measure::Coverage => {}
            Measure::Jaccard | Measure::Minhash | Measure::Containment => {
                verify::shingles(&self.terms, pipeline.config.shingle, &mut self.shingles);
            }
            Measure::Cosine | Measure::None => weigher.weights_of(&self.terms, &self.content, &mut self.weights),
        }
    }

    /// How similar another prepared text is to this one, whose content is the left one of `coverage`, by the run's measure;
    /// what is less similar than `least` may be said to be not similar at all.
    fn similarity(&self, other: &Cut, pipeline: &Pipeline, coverage: &mut Coverage, least: f64) -> f64 {
        match pipeline.config.verify {
            Measure::Coverage => coverage.at_least(&other.content, least).unwrap_or(0.0),
            Measure::Jaccard | Measure::Minhash => verify::jaccard(&self.shingles, &other.shingles),
            Measure::Containment => verify::containment(&self.shingles, &other.shingles),
            Measure::Cosine | Measure::None => verify::cosine(&self.weights, &other.weights),
        }
    }

    /// The fingerprint of a text that was cut. A hash of letters learns those of this text.
    fn fingerprint(&self, pipeline: &Pipeline, weigher: &mut Weigher<'_>, text: &str) -> [u64; 4] {
        let mut hasher = Hasher::new(pipeline.config.words().feature_hash, pipeline.config.bits);
        if hasher.needs_text() {
            features::each_feature(&self.terms, pipeline.features.ngram, |feature, words| {
                let words: Vec<&str> = words.map(|word| &text[self.starts[word]..self.ends[word]]).collect();
                hasher.learn(feature, &words.join(" "));
            });
        }
        weigher.fingerprint_of(&self.terms, &self.content, &hasher)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Purpose;
    use crate::random::Random;
    use crate::watch::Silent;

    #[test]
    fn the_words_of_a_copy_are_those_of_a_dissimilar_text() {
        let words = |name: &str, changed: usize| -> String {
            (0..80).map(|n| format!("{}{n} ", if n % 10 < changed { "other" } else { name })).collect()
        };
        let (text, edition, farther, foreign) = (words("own", 0), words("own", 1), words("own", 2), words("their", 0));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, format!("{{\"id\":1,\"text\":\"{text}\"}}\n")).unwrap();
        for verify in [Measure::Coverage, Measure::Jaccard, Measure::Containment, Measure::Cosine] {
            let pipeline = Pipeline::new(Config { verify, ..Config::default() }).unwrap();
            let sources = pipeline.find(&[path.display().to_string()], folder.path(), &Silent).unwrap();
            let corpus = pipeline.read(sources, Purpose::Tune, &Silent).unwrap();
            let mut copier = Copier::new(&pipeline, &corpus);
            let mut made = 0;
            for seed in 0..10 {
                let copy = copier.copy(&text, &[&edition, &farther, "one", &foreign, &edition], seed, 0.8);
                made += usize::from(copy.is_some());
                assert_eq!(copier.donor.terms, terms_of(&pipeline, &foreign), "{verify:?}");
                assert!(copy.is_none() || copier.text.contains("their") && !copier.text.contains("other"));
                // Where there is none, the least similar one will do.
                copier.copy(&text, &[&edition, &farther, &edition], seed, 0.8);
                assert_eq!(copier.donor.terms, terms_of(&pipeline, &farther), "{verify:?}");
            }
            assert!(made >= 5, "{verify:?}: {made} of 10");
            assert!(copier.copy(&text, &["one"], 1, 0.8).is_none());
        }
    }

    fn terms_of(pipeline: &Pipeline, text: &str) -> Vec<u64> {
        let mut cut = Cut::default();
        cut.cut(pipeline, text);
        cut.terms
    }

    #[test]
    fn a_large_family_is_not_taken_for_chance() {
        // 600 editions of one text, some 180,000 pairs, of 4 to 12 changed words in 100; and 150 texts of their own.
        let mut random = Random::new(16);
        let mut word = |most: u64| format!("w{} ", random.below(most));
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
        let pipeline = Pipeline::new(Config { min_similarity: 0.6, ..Config::default() }).unwrap();
        let sources = pipeline.find(&[path.display().to_string()], folder.path(), &Silent).unwrap();
        let corpus = pipeline.read(sources, Purpose::Tune, &Silent).unwrap();
        let rows = pipeline.tune(&corpus, 750, &Silent).unwrap().distances;
        let family: u64 = rows.iter().map(|row| row.related_pairs).sum();
        let near =
            |most: u32| rows.iter().filter(|row| row.distance <= most).map(|row| row.unrelated_pairs).sum::<u64>();
        assert!(family > 170_000 && family <= 600 * 599 / 2, "{family} pairs of the family");
        assert!(near(70) < 1000, "{} unrelated pairs within 70 bits, {} within 90", near(70), near(90));
    }
}
