//! Short documents -> duplicate pairs. The documents are sentences, a tenth of them copies with
//! every tenth character changed.

mod common;

use std::collections::HashSet;

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint_core::compare::ShortText;
use nearprint_core::near::short::Pool;

const LEAST: f64 = 0.75;

fn comparing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("short");
    for language in Language::BOTH {
        let mut sentences = language.sentences(4_000);
        for copy in (9..sentences.len()).step_by(10) {
            sentences[copy] = common::edited(&sentences[copy - 5], 10);
        }
        let texts: Vec<ShortText> =
            sentences.iter().map(|sentence| ShortText::new(sentence)).collect();
        let mut pool = Pool::default();
        (0..).zip(&texts).for_each(|(number, text)| pool.add(number, true, text));
        let pairs = (9..texts.len()).step_by(10).map(|copy| (copy - 5, copy));
        let similar = |(left, right): &(usize, usize)| {
            texts[*left].similarity(&texts[*right], LEAST).is_some()
        };
        let planted: HashSet<(u32, u32)> =
            pairs.filter(similar).map(|(left, right)| (left as u32, right as u32)).collect();
        let mut found = HashSet::new();
        pool.duplicates(
            LEAST,
            |_| true,
            |_, _| true,
            None,
            &|| false,
            |left, right| _ = found.insert((left, right)),
        );
        let lost: Vec<_> = planted.difference(&found).collect();
        assert!(lost.is_empty(), "not found: {lost:?}");
        group.sample_size(10).throughput(Throughput::Elements(pool.len() as u64));
        group.bench_function(language.name(), |bencher| {
            bencher.iter(|| {
                let mut pairs = 0;
                pool.duplicates(LEAST, |_| true, |_, _| true, None, &|| false, |_, _| pairs += 1);
                pairs
            });
        });
    }
}

criterion_group! { name = benches; config = common::criterion(); targets = comparing }
criterion_main!(benches);
