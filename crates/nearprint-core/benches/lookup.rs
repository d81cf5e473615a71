//! Fingerprints that come one by one -> fingerprints near a query: insertions and queries. Every
//! planted query must be answered.
//!
//! ```sh
//! cargo bench -p nearprint-core --bench lookup -- 64/3
//! ITEMS=10000000 cargo bench -p nearprint-core --bench lookup -- near
//! ```
//!
//! `BITS/MAX`: a query finds the fingerprints within MAX bits. The default is a hundred thousand
//! and a million random fingerprints. Every hundredth query is one of them with up to MAX bits
//! turned, all others are random.

#![allow(clippy::print_stdout)]

mod common;

use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::near::{Lookup, Neighbor};
use nearprint_core::random::Random;

const WANTED: [(u32, u32); 4] = [(64, 2), (64, 3), (64, 6), (128, 10)];

const QUERIES: usize = 10_000;

fn looking_up(criterion: &mut Criterion) {
    let usual = vec![100_000, 1_000_000];
    let sizes = std::env::var("ITEMS")
        .map_or(usual, |items| vec![items.parse().expect("ITEMS is a number")]);
    for items in sizes {
        for (bits, max_distance) in WANTED {
            let mut random = Random::new(1);
            let column = fingerprints(items, bits, &mut random);
            let mut group = criterion.benchmark_group("insert");
            group
                .sampling_mode(SamplingMode::Flat)
                .sample_size(10)
                .warm_up_time(Duration::from_millis(1));
            group.throughput(Throughput::Elements(items as u64));
            group.bench_function(format!("{bits}/{max_distance} of {items}"), |bencher| {
                bencher.iter(|| filled(&column, max_distance).len());
            });
            group.finish();

            // Lookup and queries are made once, and only if they are measured.
            let mut made = None;
            let mut group = criterion.benchmark_group("near");
            group.throughput(Throughput::Elements(QUERIES as u64));
            group.bench_function(format!("{bits}/{max_distance} of {items}"), |bencher| {
                let (lookup, queries) = made.get_or_insert_with(|| {
                    let lookup = filled(&column, max_distance);
                    let queries = checked_queries(&column, &lookup, &mut random);
                    println!(
                        "{bits}/{max_distance} of {items}: {} bytes each",
                        lookup.bytes() / items
                    );
                    (lookup, queries)
                });
                let mut near = Vec::new();
                bencher.iter(|| {
                    let mut count = |query: usize| {
                        lookup.near(queries.get(query), &mut near);
                        near.len()
                    };
                    (0..QUERIES).map(&mut count).sum::<usize>()
                });
            });
            group.finish();
        }
    }
}

fn fingerprints(items: usize, bits: u32, random: &mut Random) -> Fingerprints {
    let mut column = Fingerprints::new(bits);
    for _ in 0..items {
        let words: Vec<u64> = (0..column.words_each()).map(|_| random.next()).collect();
        column.push(&words);
    }
    column
}

fn filled(column: &Fingerprints, max_distance: u32) -> Lookup {
    let mut lookup = Lookup::new(column.bits(), max_distance);
    (0..column.len()).for_each(|item| assert_eq!(lookup.insert(column.get(item)), item as u32));
    lookup
}

/// Random queries, of which every hundredth is a copy of a fingerprint with up to the largest
/// distance of bits turned. A copy must find its fingerprint, and every tenth copy is compared with
/// all fingerprints.
fn checked_queries(column: &Fingerprints, lookup: &Lookup, random: &mut Random) -> Fingerprints {
    let mut queries = Fingerprints::new(column.bits());
    let mut near = Vec::new();
    for (number, other) in (0..QUERIES)
        .zip(fingerprints(QUERIES, column.bits(), random).words().chunks(column.words_each()))
    {
        let mut words = other.to_vec();
        if number % 100 == 0 {
            let slot = random.below(column.len() as u64) as usize;
            words.copy_from_slice(column.get(slot));
            for _ in 0..lookup.max_distance() {
                let bit = random.below(u64::from(column.bits()));
                words[(bit / 64) as usize] ^= 1 << (63 - bit % 64);
            }
            lookup.near(&words, &mut near);
            assert!(
                near.iter().any(|neighbor| neighbor.slot == slot as u32),
                "{slot} is not found"
            );
            if number % 1000 == 0 {
                assert_eq!(near, compared_with_all(column, &words, lookup.max_distance()));
            }
        }
        queries.push(&words);
    }
    queries
}

fn compared_with_all(column: &Fingerprints, words: &[u64], max_distance: u32) -> Vec<Neighbor> {
    let distance =
        |item: usize| column.get(item).iter().zip(words).map(|(a, b)| (a ^ b).count_ones()).sum();
    let all =
        (0..column.len()).map(|item| Neighbor { slot: item as u32, distance: distance(item) });
    all.filter(|neighbor| neighbor.distance <= max_distance).collect()
}

criterion_group! { name = benches; config = common::criterion(); targets = looking_up }
criterion_main!(benches);
