//! Candidate pairs -> their coverage: texts that are nearly equal, texts that share a half, and
//! texts that share nothing.

mod common;

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint_core::compare::{Coverage, coverage};

fn verifying(criterion: &mut Criterion) {
    for language in Language::BOTH {
        let texts = language.alphanumeric_texts(1_000);
        let next = |number: usize| &texts[(number + 1) % texts.len()];
        let near = |number: usize| common::edited(&texts[number], 100);
        let half_shared =
            |number: usize| halves(&texts[number]).0.to_string() + halves(next(number)).1;
        let unrelated = |number: usize| next(number).clone();
        let kinds: [(&str, &dyn Fn(usize) -> String, _); 3] = [
            ("near-identical", &near, 0.9..=1.0),
            ("half-shared", &half_shared, 0.1..=0.8),
            ("unrelated", &unrelated, 0.0..=0.3),
        ];
        let mut group = criterion.benchmark_group(format!("verify/{}", language.name()));
        for (name, other, expected) in kinds {
            let others: Vec<String> = (0..texts.len()).map(other).collect();
            let mut comparison = Coverage::default();
            let mut compare = |left: &String, right: &String| {
                comparison.set_left(left, left);
                comparison.difference(right, right).similarity()
            };
            for (left, right) in texts.iter().zip(&others) {
                let known = coverage(left, right);
                assert!(expected.contains(&known), "{name}: {known}");
                assert_eq!(compare(left, right), known, "{name}");
            }
            group.throughput(Throughput::Bytes(common::bytes(&texts) + common::bytes(&others)));
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    texts.iter().zip(&others).map(|(left, right)| compare(left, right)).sum::<f64>()
                });
            });
        }
    }
}

/// The text in two parts of about the same length.
fn halves(text: &str) -> (&str, &str) {
    text.split_at(text.ceil_char_boundary(text.len() / 2))
}

criterion_group! { name = benches; config = common::criterion(); targets = verifying }
criterion_main!(benches);
