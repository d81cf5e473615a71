//! Weighted features -> fingerprints: the votes of n-grams and of words, compared with the
//! definition bit by bit. Texts -> fingerprints, compared with those of prepared texts.

mod common;

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint_core::features::character_ngrams::{CharacterNgrams, Voters};
use nearprint_core::features::{self, Counter, Kind, term};
use nearprint_core::fingerprint::{FeatureHash, Hasher, NgramVote, Vote, bits_of_ngram};
use nearprint_core::judge::{PreparedText, Preparer, Rules};
use nearprint_core::recipe::{Fingerprinter, Options, Recipe, Words};
use nearprint_core::segment::{self, Segmenter};
use nearprint_core::weights::{self, Model, Tf};

/// The voters of a document, in memory of their own.
struct VotingNgrams {
    chosen: Vec<u64>,
    others: Vec<u64>,
    weight_of_others: u32,
}

impl VotingNgrams {
    fn of(voters: Voters<'_>) -> VotingNgrams {
        let Voters { chosen, others, weight_of_others } = voters;
        VotingNgrams { chosen: chosen.to_vec(), others: others.to_vec(), weight_of_others }
    }

    fn voters(&self) -> Voters<'_> {
        Voters {
            chosen: &self.chosen,
            others: &self.others,
            weight_of_others: self.weight_of_others,
        }
    }
}

fn letters(criterion: &mut Criterion) {
    let mut extractor = CharacterNgrams::default();
    for language in Language::BOTH {
        let documents: Vec<VotingNgrams> = language
            .alphanumeric_texts(1_000)
            .iter()
            .map(|alphanumeric| VotingNgrams::of(extractor.voters(alphanumeric)))
            .collect();
        let mut group =
            criterion.benchmark_group(format!("fingerprint/{}/letters", language.name()));
        group.throughput(Throughput::Elements(
            documents.iter().map(|ngrams| ngrams.voters().len() as u64).sum(),
        ));
        for bits in [64, 256] {
            let mut vote = NgramVote::new(bits);
            for ngrams in &documents {
                let voters = ngrams.voters();
                let features =
                    voters.iter().map(|(ngram, weight)| (bits_of_ngram(ngram), u64::from(weight)));
                assert_eq!(vote.fingerprint(&voters), plain(features, bits));
            }
            group.bench_function(format!("{bits} bits"), |bencher| {
                bencher.iter(|| {
                    documents
                        .iter()
                        .fold(0, |all, ngrams| all ^ vote.fingerprint(&ngrams.voters())[0])
                });
            });
        }
    }
}

fn words(criterion: &mut Criterion) {
    let segmenter = Segmenter::new(Default::default());
    let mut counter = Counter::default();
    for language in Language::BOTH {
        let mut counted = |text: &String| {
            let mut terms = Vec::new();
            segmenter.tokens(text, &mut |token| terms.push(term(token)));
            counter.count(&terms).to_vec()
        };
        let documents: Vec<_> = language.documents(1_000).iter().map(&mut counted).collect();
        let mut group = criterion.benchmark_group(format!("fingerprint/{}/words", language.name()));
        group.throughput(Throughput::Elements(
            documents.iter().map(|features| features.len() as u64).sum(),
        ));
        for bits in [64, 256] {
            let (hasher, mut vote) = (Hasher::new(FeatureHash::Xxh3, bits), Vote::new(bits));
            // Weights are integers in units of 2⁻¹⁶.
            let weighted = |document: usize| {
                documents[document]
                    .iter()
                    .map(|word| (hasher.hash(word.hash, 0), u64::from(word.count) << 16))
            };
            let mut fingerprint = |document: usize| {
                weighted(document).for_each(|(hash, weight)| vote.add(&hash, weight));
                vote.finish()
            };
            (0..documents.len()).for_each(|document| {
                assert_eq!(fingerprint(document), plain(weighted(document), bits))
            });
            group.bench_function(format!("{bits} bits"), |bencher| {
                bencher.iter(|| {
                    (0..documents.len()).fold(0, |all, document| all ^ fingerprint(document)[0])
                });
            });
        }
    }
}

/// The fingerprint by its definition: a bit is 1 if the features whose bit is 1 weigh more than the
/// others.
fn plain(features: impl Iterator<Item = ([u64; 4], u64)>, bits: u32) -> [u64; 4] {
    let mut sums = vec![0i64; bits as usize];
    for (hash, weight) in features {
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if hash[bit / 64] >> (63 - bit % 64) & 1 == 1 {
                weight as i64
            } else {
                -(weight as i64)
            };
        }
    }
    let mut words = [0; 4];
    sums.iter()
        .enumerate()
        .for_each(|(bit, sum)| words[bit / 64] |= u64::from(*sum > 0) << (63 - bit % 64));
    words
}

/// Texts -> fingerprints: normalized, cut into words or characters, hashed, counted and voted on.
fn texts(criterion: &mut Criterion) {
    let weights = weights::Options {
        model: Model::Tf,
        tf: Tf::Raw,
        cap: None,
        ..weights::Options::default()
    };
    let linear = Words { weights, ..Words::default() };
    let terms = |ngram| features::Options { ngram, ..features::Options::default() };
    let logarithm = weights::Options { tf: Tf::Log, ..weights };
    let characters =
        segment::Options { kind: segment::Kind::Characters, ..segment::Options::default() };
    let without_hmm = segment::Options { hmm: false, ..segment::Options::default() };
    let of_words =
        |words: Words| Options { features: Kind::Words, words, bits: 128, ..Options::default() };
    let options = [
        (Language::English, "default", Options::default()),
        (Language::English, "words", of_words(linear.clone())),
        (
            Language::English,
            "words, 3 in a row",
            of_words(Words { terms: terms(3), ..linear.clone() }),
        ),
        (
            Language::English,
            "words, by their logarithm",
            of_words(Words { weights: logarithm, ..linear.clone() }),
        ),
        (Language::Chinese, "default", Options::default()),
        (Language::Chinese, "words", of_words(linear.clone())),
        (
            Language::Chinese,
            "words, without hmm",
            of_words(Words { segment: without_hmm, ..linear.clone() }),
        ),
        (
            Language::Chinese,
            "characters, 2 in a row",
            of_words(Words { terms: terms(2), segment: characters, ..linear.clone() }),
        ),
    ];
    let documents = Language::BOTH.map(|language| language.documents(1_000));
    for (language, name, options) in options {
        let texts = &documents[language as usize];
        let recipe = Recipe::new(options).expect("options are good");
        let mut fingerprinter = Fingerprinter::new(&recipe).expect("no statistics are needed");
        let mut preparer =
            Preparer::new(&recipe, Rules { bits: recipe.bits(), ..Rules::default() });
        for text in &texts[..5] {
            let mut plain = PreparedText::default();
            preparer.prepare(text, &mut plain);
            assert_eq!(Some(fingerprinter.fingerprint(text)), plain.prepared.fingerprint);
        }
        let mut group = criterion.benchmark_group(format!("fingerprint/{}/texts", language.name()));
        group.throughput(Throughput::Bytes(common::bytes(texts)));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                texts.iter().fold(0, |all, text| all ^ fingerprinter.fingerprint(text)[0])
            });
        });
    }
}

criterion_group! { name = benches; config = common::criterion(); targets = letters, words, texts }
criterion_main!(benches);
