//! Letters and digits of texts -> the n-grams that vote; tokens -> terms, counted.

mod common;

use std::collections::HashSet;

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint_core::features::character_ngrams::{CharacterNgrams, each_ngram};
use nearprint_core::features::{Counter, Term, append_features};

fn features(criterion: &mut Criterion) {
    for language in Language::BOTH {
        let mut group = criterion.benchmark_group(format!("features/{}", language.name()));
        let alphanumeric_texts = language.alphanumeric_texts(1_000);
        alphanumeric_texts.iter().for_each(|alphanumeric| check(alphanumeric));
        group.throughput(Throughput::Bytes(common::bytes(&alphanumeric_texts)));
        group.bench_function("letters", |bencher| {
            let mut extractor = CharacterNgrams::default();
            bencher.iter(|| {
                alphanumeric_texts
                    .iter()
                    .map(|alphanumeric| extractor.voters(alphanumeric).len())
                    .sum::<usize>()
            });
        });

        let terms = common::terms(&language.documents(1_000));
        group.throughput(Throughput::Elements(terms.iter().map(|terms| terms.len() as u64).sum()));
        for ngram in [1, 2] {
            group.bench_function(format!("words, {ngram} in a row"), |bencher| {
                let (mut counter, mut features) = (Counter::default(), Vec::new());
                let mut distinct = |terms: &Vec<Term>| {
                    features.clear();
                    append_features(terms, ngram, &mut features);
                    counter.count(&features).len()
                };
                terms.iter().for_each(|terms| {
                    let plain: HashSet<&[Term]> = terms.windows(ngram as usize).collect();
                    assert_eq!(distinct(terms), plain.len());
                });
                bencher.iter(|| terms.iter().map(&mut distinct).sum::<usize>());
            });
        }
    }
}

/// Checks that voters are distinct n-grams of the text, and all of them unless the others weigh
/// nothing.
fn check(alphanumeric: &str) {
    let mut ngrams = HashSet::new();
    each_ngram(alphanumeric, |ngram, _, _| _ = ngrams.insert(ngram));
    let mut extractor = CharacterNgrams::default();
    let voters = extractor.voters(alphanumeric);
    let distinct: HashSet<u64> = voters.iter().map(|(ngram, _)| ngram).collect();
    assert!(distinct.len() == voters.len() && distinct.is_subset(&ngrams));
    assert!(voters.weight_of_others == 0 || distinct == ngrams);
}

criterion_group! { name = benches; config = common::criterion(); targets = features }
criterion_main!(benches);
