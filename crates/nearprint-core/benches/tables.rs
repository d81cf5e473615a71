//! Fingerprints that stay, with their tables -> fingerprints near a query: making the tables, and
//! queries. Every planted query must be answered.
//!
//! ```sh
//! cargo bench -p nearprint-core --bench tables -- 256/80
//! ITEMS=10000000 cargo bench -p nearprint-core --bench tables -- near
//! ```
//!
//! `BITS/MAX`: a query finds all fingerprints within the complete distance (a share of 32 of 256
//! bits, or MAX if that is less) and some up to MAX bits, by the plan of a file of an index. The
//! default is a hundred thousand and a million random fingerprints. Every hundredth query is one of
//! them with up to the complete distance of bits turned, all others are random.

#![allow(clippy::print_stdout)]

mod common;

use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::near::{Asking, Lists, Query, Tables, plan};
use nearprint_core::random::Random;

const WANTED: [(u32, u32); 4] = [(64, 3), (64, 20), (128, 40), (256, 80)];

const QUERIES: usize = 2_000;

/// The queries that are searched at once.
const TOGETHER: [usize; 3] = [1, 100, 1_000];

fn looking_up(criterion: &mut Criterion) {
    let usual = vec![100_000, 1_000_000];
    let sizes = std::env::var("ITEMS")
        .map_or(usual, |items| vec![items.parse().expect("ITEMS is a number")]);
    for items in sizes {
        let wanted = WANTED.into_iter().flat_map(|wanted| TOGETHER.map(|count| (wanted, count)));
        for ((bits, max_distance), together) in wanted {
            let complete = max_distance.min(bits / 8);
            let plan = plan(items, bits, complete);
            let mut made: Option<(Fingerprints, Lists, Vec<[u64; 4]>)> = None;
            let mut group = criterion.benchmark_group("near");
            group
                .sampling_mode(SamplingMode::Flat)
                .sample_size(10)
                .warm_up_time(Duration::from_millis(1));
            group.throughput(Throughput::Elements(QUERIES as u64));
            group.bench_function(
                format!("{bits}/{max_distance} of {items}, {together} together"),
                |bencher| {
                    let (column, lists, queries) = made.get_or_insert_with(|| {
                    let mut random = Random::new(1);
                    let column = fingerprints(items, bits, &mut random);
                    let begun = std::time::Instant::now();
                    let lists = Lists::new(&plan, column.words());
                    let (seconds, bytes) = (
                        begun.elapsed().as_secs_f64(),
                        4 * lists.places.len() + 8 * lists.values.len(),
                    );
                    println!(
                        "{bits}/{max_distance} of {items}: made in {seconds:.2} s, {} bytes each",
                        bytes / items
                    );
                    let queries = queries(&column, complete, &mut random);
                    (column, lists, queries)
                });
                    let tables = Tables::new(&plan, column.words(), &lists.places, &lists.values);
                    let mut asking = Asking::default();
                    let mut count = |together: usize, most: u32| -> Vec<usize> {
                        let mut near = vec![Vec::new(); together];
                        let mut counts = Vec::new();
                        for words in queries.chunks(together) {
                            let queries: Vec<Query> =
                                words.iter().map(|words| Query::all(*words, most)).collect();
                            tables.near(&queries, &mut asking, &mut near);
                            counts.extend(near[..queries.len()].iter().map(Vec::len));
                        }
                        counts
                    };
                    let counts = count(1, complete);
                    assert!(
                        counts.iter().step_by(100).all(|count| *count > 0),
                        "not all are found"
                    );
                    assert_eq!(counts, count(together, complete));
                    bencher.iter(|| count(together, max_distance));
                },
            );
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

/// Random queries, of which every hundredth is a copy of the fingerprint of its number with up to
/// `complete` bits turned.
fn queries(column: &Fingerprints, complete: u32, random: &mut Random) -> Vec<[u64; 4]> {
    let query = |number: usize| {
        let mut words = [random.next(), random.next(), random.next(), random.next()];
        let each = column.words_each();
        if number.is_multiple_of(100) {
            words[..each].copy_from_slice(column.get(number % column.len()));
            for _ in 0..complete {
                let bit = random.below(u64::from(column.bits()));
                words[(bit / 64) as usize] ^= 1 << (63 - bit % 64);
            }
        }
        words[each..].fill(0);
        words
    };
    (0..QUERIES).map(query).collect()
}

criterion_group!(benches, looking_up);
criterion_main!(benches);
