//! Weighted features -> fingerprints: the vote of n-grams, and that of words, held against the definition, bit by bit. And
//! texts -> fingerprints, held against those that a comparison shows.

mod common;

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint::features::character_ngrams::{CharacterNgrams, Voters};
use nearprint::features::{Counter, term};
use nearprint::fingerprint::{FeatureHash, Hasher, NgramVote, Vote, bits_of_ngram, to_hex};
use nearprint::segment::Segmenter;
use nearprint::{Config, Fingerprinter, compare};

/// The voters of a document, kept beyond it.
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
        Voters { chosen: &self.chosen, others: &self.others, weight_of_others: self.weight_of_others }
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
        let mut group = criterion.benchmark_group(format!("fingerprint/{}/letters", language.name()));
        group.throughput(Throughput::Elements(documents.iter().map(|ngrams| ngrams.voters().len() as u64).sum()));
        for bits in [64, 256] {
            let mut vote = NgramVote::new(bits);
            for ngrams in &documents {
                let voters = ngrams.voters();
                let features = voters.iter().map(|(ngram, weight)| (bits_of_ngram(ngram), u64::from(weight)));
                assert_eq!(vote.fingerprint(&voters), plain(features, bits));
            }
            group.bench_function(format!("{bits} bits"), |bencher| {
                bencher.iter(|| documents.iter().fold(0, |all, ngrams| all ^ vote.fingerprint(&ngrams.voters())[0]));
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
        group.throughput(Throughput::Elements(documents.iter().map(|features| features.len() as u64).sum()));
        for bits in [64, 256] {
            let (hasher, mut vote) = (Hasher::new(FeatureHash::Xxh3, bits), Vote::new(bits));
            // Weights are integers in units of 2⁻¹⁶.
            let weighted = |document: usize| {
                documents[document].iter().map(|word| (hasher.hash(word.hash, 0), u64::from(word.count) << 16))
            };
            let mut fingerprint = |document: usize| {
                weighted(document).for_each(|(hash, weight)| vote.add(&hash, weight));
                vote.finish()
            };
            (0..documents.len())
                .for_each(|document| assert_eq!(fingerprint(document), plain(weighted(document), bits)));
            group.bench_function(format!("{bits} bits"), |bencher| {
                bencher.iter(|| (0..documents.len()).fold(0, |all, document| all ^ fingerprint(document)[0]));
            });
        }
    }
}

/// A bit is 1 where the features whose bit is 1 weigh more than the others.
fn plain(features: impl Iterator<Item = ([u64; 4], u64)>, bits: u32) -> [u64; 4] {
    let mut sums = vec![0i64; bits as usize];
    for (hash, weight) in features {
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if hash[bit / 64] >> (63 - bit % 64) & 1 == 1 { weight as i64 } else { -(weight as i64) };
        }
    }
    let mut words = [0; 4];
    sums.iter().enumerate().for_each(|(bit, sum)| words[bit / 64] |= u64::from(*sum > 0) << (63 - bit % 64));
    words
}

/// From the text: normalized, cut into words or characters, hashed, counted and voted on.
fn texts(criterion: &mut Criterion) {
    let linear = "features = 'words'\nweights = 'tf'\ntf = 'raw'\nweight-cap = 'none'\nbits = 128";
    let settings = [
        (Language::English, "default", ""),
        (Language::English, "words", linear),
        (Language::English, "words, 3 in a row", &format!("{linear}\nngram = 3")),
        (Language::English, "words, by their logarithm", "features = 'words'\nweights = 'tf'\nbits = 128"),
        (Language::Chinese, "default", ""),
        (Language::Chinese, "words", linear),
        (Language::Chinese, "words, without hmm", &format!("{linear}\nhmm = false")),
        (Language::Chinese, "characters, 2 in a row", &format!("{linear}\nngram = 2\nsegmenter = 'characters'")),
    ];
    let documents = Language::BOTH.map(|language| language.documents(1_000));
    for (language, name, settings) in settings {
        let texts = &documents[language as usize];
        let config =
            Config::from_layers(&[settings.parse().expect("settings are TOML")]).expect("settings fit together");
        let bits = config.bits;
        let mut fingerprinter = Fingerprinter::new(&config).expect("settings are good, and no statistics are needed");
        for text in &texts[..5] {
            let plain = compare(&config, text, text, 0).expect("settings are good").left.fingerprint;
            assert_eq!(to_hex(&fingerprinter.fingerprint(text), bits), plain);
        }
        let mut group = criterion.benchmark_group(format!("fingerprint/{}/texts", language.name()));
        group.throughput(Throughput::Bytes(common::bytes(texts)));
        group.bench_function(name, |bencher| {
            bencher.iter(|| texts.iter().fold(0, |all, text| all ^ fingerprinter.fingerprint(text)[0]));
        });
    }
}

criterion_group! { name = benches; config = common::criterion(); targets = letters, words, texts }
criterion_main!(benches);
