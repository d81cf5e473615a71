//! Duplicate pairs -> the documents that stay.
//!
//! A third of a million documents are in groups of mutual duplicates, so that every method keeps
//! one document of each group.

#[path = "../../nearprint-core/benches/common/mod.rs"]
mod common;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint::cluster::{Method, keepers};
use nearprint_core::random::Random;

const DOCUMENTS: u32 = 1_000_000;

fn clustering(criterion: &mut Criterion) {
    let mut random = Random::new(1);
    let mut order: Vec<u32> = (0..DOCUMENTS).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, random.below(place as u64 + 1) as usize);
    }
    let (mut pairs, mut groups, mut grouped) = (Vec::new(), 0, 0);
    while grouped < DOCUMENTS as usize / 3 {
        let group = &order[grouped..grouped + 2 + random.below(9) as usize];
        for (number, one) in group.iter().enumerate() {
            pairs.extend(group[..number].iter().map(|other| (*one.min(other), *one.max(other))));
        }
        grouped += group.len();
        groups += 1;
    }
    let ranks: Vec<u32> = (0..DOCUMENTS).collect();
    let mut group = criterion.benchmark_group("cluster");
    group.sample_size(20).throughput(Throughput::Elements(pairs.len() as u64));
    for (name, method) in [("star", Method::Star), ("components", Method::Components)] {
        let keepers_of = |pairs| keepers(method, &ranks, pairs);
        let stay =
            (0..).zip(keepers_of(&pairs)).filter(|(document, keeper)| document == keeper).count();
        assert_eq!(stay, DOCUMENTS as usize - grouped + groups, "{name}");
        group.bench_function(name, |bencher| bencher.iter(|| keepers_of(&pairs)));
    }
}

criterion_group! { name = benches; config = common::criterion(); targets = clustering }
criterion_main!(benches);
