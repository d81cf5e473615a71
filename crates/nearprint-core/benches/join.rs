//! Fingerprints -> candidate pairs: a column of them joined with itself, in which every planted
//! pair must be found.
//!
//! ```sh
//! cargo bench -p nearprint-core --bench join -- 128/10
//! ITEMS=10000000 THREADS=2 cargo bench -p nearprint-core --bench join -- 256/32/80
//! ```
//!
//! `BITS/COMPLETE/MAX`: the join searches for pairs within MAX bits (COMPLETE if it is left out),
//! and must find all within COMPLETE. The default is a million fingerprints on one thread. Every
//! hundredth fingerprint is a copy of an earlier one with up to MAX bits turned.

#![allow(clippy::print_stdout)]

mod common;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::near::{CandidatePair, Join, Plan, plan};
use nearprint_core::random::Random;

const WANTED: [(u32, u32, u32); 6] =
    [(64, 3, 3), (64, 6, 6), (128, 10, 10), (128, 16, 16), (128, 16, 28), (256, 32, 80)];

fn joining(criterion: &mut Criterion) {
    let items = number("ITEMS", 1_000_000);
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(number("THREADS", 1))
        .build()
        .expect("threads start");
    let mut group = criterion.benchmark_group("join");
    // Each of ten runs is a sample. The run that checks the answer warms up.
    group.sampling_mode(SamplingMode::Flat).sample_size(10).warm_up_time(Duration::from_millis(1));
    group.throughput(Throughput::Elements(items as u64));
    for (bits, complete, max) in WANTED {
        let name = if complete == max {
            format!("{bits}/{complete}")
        } else {
            format!("{bits}/{complete}/{max}")
        };
        let plan = plan(items, bits, complete);
        // The column is made once, and only if it is measured.
        let mut column = None;
        group.bench_function(&name, |bencher| {
            let column = column.get_or_insert_with(|| {
                let (column, planted) = planted(items, bits, max);
                let (mut pairs, mut found) = (0u64, 0);
                threads.install(|| {
                    each_pair(&column, &plan, max, &mut |pair| {
                        pairs += 1;
                        found += usize::from(planted.contains(&(pair.left, pair.right)));
                    })
                });
                assert!(max > complete || found == planted.len(), "{found} of {} planted pairs", planted.len());
                let share = found as f64 / planted.len() as f64;
                let expected = expected_share(&column, &plan, &planted);
                println!(
                    "join/{name} of {items}: {pairs} pairs, {share:.4} of the planted ones, {expected:.4} expected; {plan}"
                );
                column
            });
            bencher.iter(|| {
                let mut pairs = 0u64;
                threads.install(|| each_pair(column, &plan, max, &mut |_| pairs += 1));
                pairs
            });
        });
    }
}

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name)
        .map_or(usual, |value| value.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

fn each_pair(
    column: &Fingerprints,
    plan: &Plan,
    max: u32,
    each: &mut (dyn FnMut(&CandidatePair) + Send),
) {
    let flow = Join::new(plan, max).run(column, &mut |batch| {
        batch.pairs.iter().for_each(&mut *each);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
}

/// The expected share of the pairs that the plan sees, by their distances.
fn expected_share(column: &Fingerprints, plan: &Plan, pairs: &HashSet<(u32, u32)>) -> f64 {
    let shares: Vec<f64> = (0..=plan.bits()).map(|distance| plan.share_seen(distance)).collect();
    let distance = |&(left, right): &(u32, u32)| column.distance(left as usize, right as usize);
    pairs.iter().map(|pair| shares[distance(pair) as usize]).sum::<f64>() / pairs.len() as f64
}

/// Random fingerprints, and the planted pairs: every hundredth fingerprint is a copy of the one 50
/// before it with 1 to `max` bits turned.
fn planted(items: usize, bits: u32, max: u32) -> (Fingerprints, HashSet<(u32, u32)>) {
    let mut random = Random::new(1);
    let mut fingerprints = Fingerprints::new(bits);
    let mut pairs = HashSet::new();
    let words = fingerprints.words_each();
    for item in 0..items {
        let mut fingerprint: Vec<u64> = (0..words).map(|_| random.next()).collect();
        if item % 100 == 99 {
            fingerprint.copy_from_slice(fingerprints.get(item - 50));
            for _ in 0..1 + random.below(u64::from(max)) {
                let bit = random.below(u64::from(bits));
                fingerprint[(bit / 64) as usize] ^= 1 << (63 - bit % 64);
            }
            pairs.insert((item as u32 - 50, item as u32));
        }
        fingerprints.push(&fingerprint);
    }
    (fingerprints, pairs)
}

criterion_group! { name = benches; config = common::criterion(); targets = joining }
criterion_main!(benches);
