//! Two texts side by side: what the fingerprints say, what the texts say, and which features make the difference.

use super::Pipeline;
use super::reading::MOST_SHORT_BYTES;
use crate::features::letters::{FULL_WEIGHT, Letters, each_gram};
use crate::features::{self, Counter, Feature, Kind, each_feature};
use crate::fingerprint::{Fingerprints, Hasher, LetterVote, Vote, edit_distance, estimated_cosine, to_hex};
use crate::normalize;
use crate::short;
use crate::statistics::{Counts, Entropies, FeatureStatistics, HashIndex, Statistics, count_pairs};
use crate::verify::{self, Measure};
use crate::weights::UNIT;

/// How two texts compare under a pipeline's settings.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Comparison {
    /// The first text.
    pub left: Side,
    /// The second text.
    pub right: Side,
    /// Hamming distance of the fingerprints in bits.
    pub distance: u32,
    /// Edit distance of the fingerprints as bit strings.
    pub edit_distance: u32,
    /// Bits of a fingerprint.
    pub bits: u32,
    /// The cosine that the Hamming distance stands for.
    pub estimated_cosine: f64,
    /// Exact cosine of the weighted features.
    pub cosine: f64,
    /// Coverage: the share of each text that stands in the other, the smaller one.
    pub coverage: f64,
    /// Exact Jaccard similarity of the sets of shingles.
    pub jaccard: f64,
    /// Exact containment of the smaller set of shingles in the other.
    pub containment: f64,
    /// Edit similarity of the characters, which decides on short texts.
    pub edit_similarity: f64,
    /// What `dedup` would say of the two: `exact`, `near`, `short` (duplicates, and why), or `different`.
    pub verdict: &'static str,
    /// The features that differ most in weight, the most first.
    pub differing: Vec<Difference>,
}

/// One of two texts.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Side {
    /// Its fingerprint in hex.
    pub fingerprint: String,
    /// Its terms, counted with repetition.
    pub terms: u32,
    /// Its distinct features.
    pub features: u32,
    /// The features that weigh most, the heaviest first.
    pub heaviest: Vec<Weighed>,
}

/// A feature with its weight.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Weighed {
    /// Its text; the terms of an n-gram are joined by blanks.
    pub feature: String,
    /// How often it occurs.
    pub count: u32,
    /// What it weighs.
    pub weight: f64,
}

/// A feature that weighs differently in two texts.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Difference {
    /// Its text.
    pub feature: String,
    /// What it weighs in the first text; 0 where it is absent.
    pub left: f64,
    /// What it weighs in the second text; 0 where it is absent.
    pub right: f64,
}

/// A text taken apart.
struct Parts {
    text: String,
    content: String,
    terms: Vec<u64>,
    occurrences: Vec<u64>,
    features: Vec<Feature>,
}

impl Pipeline {
    /// Compares two texts. Without saved statistics the two texts are the corpus. Lists show `top` features each.
    ///
    /// ```
    /// use nearprint::{Config, Pipeline};
    /// let pipeline = Pipeline::new(Config::preset("simhash")?)?;
    /// let same = pipeline.compare("能力比学历重要性高", "学历比能力重要性高", 5);
    /// assert_eq!(same.distance, 0);
    /// let pipeline = Pipeline::new(Config::preset("paper")?)?;
    /// assert_ne!(pipeline.compare("能力比学历重要性高", "学历比能力重要性高", 5).distance, 0);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn compare(&self, left: &str, right: &str, top: usize) -> Comparison {
        let mut hasher = Hasher::new(self.config.words().feature_hash, self.config.bits);
        let mut names = HashIndex::default();
        let (left, right) =
            (self.take_apart(left, &mut hasher, &mut names), self.take_apart(right, &mut hasher, &mut names));
        let counted = match self.saved {
            Some(_) => Statistics::default(),
            None => count(&[&left.occurrences, &right.occurrences]),
        };
        let statistics = self.saved.as_ref().unwrap_or(&counted);

        let (left_weights, right_weights) = (self.weigh(&left, statistics), self.weigh(&right, statistics));
        let mut fingerprints = Fingerprints::new(self.config.bits);
        let sides = [(&left, &left_weights), (&right, &right_weights)].map(|(parts, weights)| {
            let words = self.vote(parts, weights, &hasher);
            fingerprints.push(&words[..fingerprints.words_each()]);
            Side {
                fingerprint: to_hex(&words[..fingerprints.words_each()], self.config.bits),
                terms: parts.terms.len() as u32,
                features: parts.features.len() as u32,
                heaviest: heaviest(parts, weights, &names, top),
            }
        });
        let [left_side, right_side] = sides;

        let shingles = |parts: &Parts| {
            let mut shingles = Vec::new();
            verify::shingles(&parts.terms, self.config.shingle, &mut shingles);
            shingles
        };
        let (left_shingles, right_shingles) = (shingles(&left), shingles(&right));
        let characters = |parts: &Parts| {
            let mut characters = Vec::new();
            short::characters(&parts.text, &mut characters);
            characters
        };
        let distance = fingerprints.distance(0, 1);
        let mut comparison = Comparison {
            left: left_side,
            right: right_side,
            distance,
            edit_distance: edit_distance(fingerprints.get(0), fingerprints.get(1), self.config.bits),
            bits: self.config.bits,
            estimated_cosine: estimated_cosine(distance, self.config.bits),
            cosine: verify::cosine(&by_feature(&left, &left_weights), &by_feature(&right, &right_weights)),
            coverage: verify::coverage(&left.content, &right.content),
            jaccard: verify::jaccard(&left_shingles, &right_shingles),
            containment: verify::containment(&left_shingles, &right_shingles),
            edit_similarity: verify::edit_similarity(&characters(&left), &characters(&right), 0.0).unwrap_or(0.0),
            verdict: "different",
            differing: differing((&left, &left_weights), (&right, &right_weights), &names, top),
        };
        let minhash =
            || verify::minhash_similarity(&verify::signature(&left_shingles), &verify::signature(&right_shingles));
        comparison.verdict = self.verdict(&comparison, &left, &right, minhash);
        comparison
    }

    fn verdict(&self, found: &Comparison, left: &Parts, right: &Parts, minhash: impl Fn() -> f64) -> &'static str {
        let config = &self.config;
        let is_short = |parts: &Parts| parts.features.len() < config.min_features as usize;
        let similar = |similarity: f64| similarity >= config.min_similarity;
        let in_pool = [left, right].iter().all(|parts| {
            (parts.features.len() as u32) < self.compared_when_short_below() && parts.text.len() <= MOST_SHORT_BYTES
        });
        match self.max_distance() {
            _ if left.text.trim().is_empty() || right.text.trim().is_empty() => "different",
            _ if left.text == right.text => "exact",
            None => "different",
            Some(_) if is_short(left) || is_short(right) => match in_pool && similar(found.edit_similarity) {
                true => "short",
                false => "different",
            },
            Some(max_distance) if found.distance > max_distance => "different",
            Some(_) => {
                let near = match config.verify {
                    Measure::Coverage => similar(found.coverage),
                    Measure::Jaccard => similar(found.jaccard),
                    Measure::Containment => similar(found.containment),
                    Measure::Cosine => similar(found.cosine),
                    Measure::Minhash => similar(minhash()),
                    Measure::None => true,
                };
                if near { "near" } else { "different" }
            }
        }
    }

    fn take_apart(&self, text: &str, hasher: &mut Hasher, names: &mut HashIndex<String>) -> Parts {
        let text = self.normalizer.normalize(text);
        let mut tokens = Vec::new();
        self.segmenter.tokens(&text, &mut |token| tokens.push(token));
        tokens.retain(|token| self.features.keeps(token));
        let terms: Vec<u64> = tokens.iter().map(|token| features::term(token)).collect();
        let mut content = String::new();
        normalize::append_content(&text, &mut content);
        let mut occurrences = Vec::new();
        match self.config.features.kind() {
            Kind::Letters => each_gram(&content, |gram, start, end| {
                occurrences.push(gram);
                names.entry(gram).or_insert_with(|| content[start..end].to_string());
            }),
            Kind::Words => {
                each_feature(&terms, self.features.ngram, |feature, range| {
                    let words = tokens[range].join(" ");
                    hasher.learn(feature, &words);
                    names.entry(feature).or_insert(words);
                    occurrences.push(feature);
                });
            }
        }
        let mut features = Counter::default().count(&occurrences).to_vec();
        if self.config.features.kind() == Kind::Letters {
            let voters: HashIndex<u32> = Letters::default().voters(&content).iter().collect();
            features.retain(|feature| voters.contains_key(&feature.hash));
        }
        Parts { terms, content, occurrences, features, text }
    }

    /// The weight of each distinct feature, in order.
    fn weigh(&self, parts: &Parts, statistics: &Statistics) -> Vec<u64> {
        if self.config.features.kind() == Kind::Letters {
            let mut letters = Letters::default();
            let voters: HashIndex<u32> = letters.voters(&parts.content).iter().collect();
            let weight = |feature: &Feature| u64::from(voters[&feature.hash]) * (UNIT / u64::from(FULL_WEIGHT));
            return parts.features.iter().map(weight).collect();
        }
        let total = parts.occurrences.len() as u32;
        let weights = self.weights.of_corpus(statistics.documents());
        let weight = |feature: &Feature| {
            let known = match self.weights.model.needs_statistics() {
                true => statistics.of(feature.hash),
                false => FeatureStatistics::UNSEEN,
            };
            weights.weight(feature.count, total, &known)
        };
        parts.features.iter().map(weight).collect()
    }

    fn vote(&self, parts: &Parts, weights: &[u64], hasher: &Hasher) -> [u64; 4] {
        if self.config.features.kind() == Kind::Letters {
            return LetterVote::new(self.config.bits).fingerprint(&Letters::default().voters(&parts.content));
        }
        let total = parts.occurrences.len() as u32;
        let mut vote = Vote::new(self.config.bits);
        for (rank, (feature, weight)) in parts.features.iter().zip(weights).enumerate() {
            vote.add(
                &hasher.hash(feature.hash, self.config.words().position.number(rank, feature.first, total)),
                *weight,
            );
        }
        vote.finish()
    }
}

/// Corpus statistics of a few documents in memory.
fn count(documents: &[&Vec<u64>]) -> Statistics {
    let (mut counter, mut counts) = (Counter::default(), Counts::default());
    let mut pairs = Vec::new();
    for document in documents {
        counter.count(document);
        counts.add(counter.last(), counter.places(), |_, pair| pairs.push(pair), |_| {});
    }
    let mut entropies = Entropies::new(counts.hashes().len());
    count_pairs(&mut pairs, |pair, count| entropies.add(pair, count));
    counts.finish(&entropies)
}

fn by_feature(parts: &Parts, weights: &[u64]) -> Vec<(u64, u64)> {
    let mut list: Vec<(u64, u64)> = parts.features.iter().map(|f| f.hash).zip(weights.iter().copied()).collect();
    list.sort_unstable();
    list
}

fn real(weight: u64) -> f64 {
    weight as f64 / UNIT as f64
}

fn heaviest(parts: &Parts, weights: &[u64], names: &HashIndex<String>, top: usize) -> Vec<Weighed> {
    let mut list: Vec<(&Feature, u64)> = parts.features.iter().zip(weights.iter().copied()).collect();
    list.sort_by_key(|(feature, weight)| (std::cmp::Reverse(*weight), feature.first));
    list.truncate(top);
    let shown = |(feature, weight): (&Feature, u64)| Weighed {
        feature: names[&feature.hash].clone(),
        count: feature.count,
        weight: real(weight),
    };
    list.into_iter().map(shown).collect()
}

fn differing(
    left: (&Parts, &Vec<u64>),
    right: (&Parts, &Vec<u64>),
    names: &HashIndex<String>,
    top: usize,
) -> Vec<Difference> {
    let mut weights: std::collections::BTreeMap<u64, (u64, u64)> = Default::default();
    for (feature, weight) in by_feature(left.0, left.1) {
        weights.entry(feature).or_default().0 = weight;
    }
    for (feature, weight) in by_feature(right.0, right.1) {
        weights.entry(feature).or_default().1 = weight;
    }
    let mut list: Vec<(u64, (u64, u64))> = weights.into_iter().filter(|(_, (left, right))| left != right).collect();
    list.sort_by_key(|(feature, (left, right))| (std::cmp::Reverse(left.abs_diff(*right)), &names[feature]));
    list.truncate(top);
    let shown = |(feature, (left, right)): (u64, (u64, u64))| Difference {
        feature: names[&feature].clone(),
        left: real(left),
        right: real(right),
    };
    list.into_iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Features, MaxDistance, Position, Tf, Weights, Words};

    use super::*;

    #[test]
    fn exchanged_words_change_the_fingerprint_only_with_positions() {
        // Zhang Hang et al. 2020, figure 2.
        let (left, right) = ("能力比学历重要性高", "学历比能力重要性高");
        for bits in [32, 64, 128, 256] {
            for preset in ["paper", "simhash"] {
                let config = Config { bits, max_distance: MaxDistance::Bits(3), ..Config::preset(preset).unwrap() };
                let distance = |position| {
                    let words = Words { position, ..config.words().clone() };
                    let config = Config { features: Features::Words(words), ..config.clone() };
                    Pipeline::new(config).unwrap().compare(left, right, 0).distance
                };
                assert_eq!(distance(Position::Off), 0, "{bits} bits, {preset}");
                assert_ne!(distance(Position::Rank), 0, "{bits} bits, {preset}");
            }
        }
    }

    #[test]
    fn one_dominant_feature_makes_the_fingerprint_its_hash() {
        // Eq. 11-15, on a whole text: a word that outweighs all others together.
        let words = Words { weights: Weights::Tf, tf: Tf::Raw, ..Words::default() };
        let config = Config { features: Features::Words(words), ..Config::default() };
        let pipeline = Pipeline::new(config).unwrap();
        let dominant = "nearprint ".repeat(50);
        let comparison = pipeline.compare(&format!("{dominant} one two three"), &format!("{dominant} four five"), 1);
        assert_eq!((comparison.distance, comparison.left.heaviest[0].feature.as_str()), (0, "nearprint"));
    }
}
