//! Tokens of documents -> document frequencies and neighbor entropies, compared with counts in
//! plain maps.

mod common;

use std::collections::{HashMap, HashSet};

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint_core::features::{Counter, Term};
use nearprint_core::statistics::{Entropies, FeatureCounts, Pair, SHARDS, Statistics, count_pairs};

fn counting(criterion: &mut Criterion) {
    for language in Language::BOTH {
        let documents = common::terms(&language.documents(5_000));
        check(&documents, &statistics(&documents));
        let mut group = criterion.benchmark_group("statistics");
        group.throughput(Throughput::Elements(
            documents.iter().map(|terms| terms.len() as u64).sum(),
        ));
        group.bench_function(language.name(), |bencher| {
            bencher.iter(|| statistics(&documents).features())
        });
    }
}

fn statistics(documents: &[Vec<Term>]) -> Statistics {
    let (mut counter, mut counts) = (Counter::default(), FeatureCounts::default());
    let mut shards: Vec<Vec<Pair>> = vec![Vec::new(); SHARDS];
    for terms in documents {
        counter.count(terms);
        counts.add(
            counter.last(),
            counter.places(),
            |shard, pair| shards[shard].push(pair),
            |_| {},
        );
    }
    let mut entropies = Entropies::new(counts.hashes().len());
    shards
        .iter_mut()
        .for_each(|pairs| count_pairs(pairs, |pair, count| entropies.add(pair, count)));
    counts.finish(&entropies)
}

/// Checks that every term has the idf and the entropy of the equations.
fn check(documents: &[Vec<Term>], statistics: &Statistics) {
    let mut frequency: HashMap<Term, u32> = HashMap::new();
    let mut neighbors: [HashMap<Term, HashMap<Term, u32>>; 2] = Default::default();
    for terms in documents {
        terms
            .iter()
            .collect::<HashSet<_>>()
            .into_iter()
            .for_each(|term| *frequency.entry(*term).or_default() += 1);
        for pair in terms.windows(2) {
            *neighbors[0].entry(pair[1]).or_default().entry(pair[0]).or_default() += 1;
            *neighbors[1].entry(pair[0]).or_default().entry(pair[1]).or_default() += 1;
        }
    }
    let entropy = |counts: Option<&HashMap<Term, u32>>| {
        let all: u32 = counts.iter().flat_map(|counts| counts.values()).sum();
        let part = |count: &u32| {
            let share = f64::from(*count) / f64::from(all);
            -share * share.log2()
        };
        counts.iter().flat_map(|counts| counts.values()).map(part).sum::<f64>()
    };
    for (term, frequency) in frequency {
        let known = statistics.of(term);
        let idf = (documents.len() as f64 / f64::from(frequency + 1)).ln();
        let mean = neighbors.iter().map(|side| entropy(side.get(&term))).sum::<f64>() / 2.0;
        assert!(
            (known.idf - idf).abs() < 1e-9 && (known.entropy - mean).abs() < 1e-3,
            "{known:?}, {idf}, {mean}"
        );
    }
}

criterion_group! { name = benches; config = common::criterion(); targets = counting }
criterion_main!(benches);
