//! How fast a set of fingerprints is joined with itself, and that every planted pair is found.
//!
//! ```sh
//! taskset -c 1 cargo bench -p nearprint --bench join -- 1000000 128/10 64/3
//! cargo bench -p nearprint --bench join -- 10000000 --threads 2 128/16/28
//! ```
//!
//! `BITS/COMPLETE/MAX`: pairs within MAX bits (COMPLETE where it is left out) are asked for, of which those within COMPLETE
//! are promised. Of the fingerprints, drawn by a seed, every hundredth is a copy of an earlier one with up to MAX bits turned.
//! Printed are medians of three runs: seconds of the clock and of the processor, and the share of the planted pairs found.

#![allow(clippy::print_stdout)]

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Instant;

use nearprint::fingerprint::Fingerprints;
use nearprint::join::{join, plan};

const RUNS: usize = 3;

fn main() {
    let mut items = 1_000_000;
    let mut threads = 1;
    let mut wanted = Vec::new();
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        if argument == "--threads" {
            threads = arguments.next().and_then(|number| number.parse().ok()).expect("a number of threads");
        } else if let Ok(number) = argument.parse() {
            items = number;
        } else {
            let numbers: Vec<u32> = argument.split('/').map(|n| n.parse().expect("BITS/COMPLETE/MAX")).collect();
            wanted.push((numbers[0], numbers[1], *numbers.get(2).unwrap_or(&numbers[1])));
        }
    }
    if wanted.is_empty() {
        wanted = vec![(64, 3, 3), (64, 6, 6), (128, 10, 10), (128, 16, 16), (128, 16, 28)];
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
    println!("{items} fingerprints, {threads} threads");
    for (bits, complete, max) in wanted {
        let (fingerprints, planted) = planted(items, bits, max);
        let plan = plan(items, bits, complete);
        let (mut clock, mut processor, mut pairs, mut found) = (Vec::new(), Vec::new(), 0, 0);
        for _ in 0..RUNS {
            (pairs, found) = (0u64, 0u64);
            let (start, start_of_process) = (Instant::now(), processor_seconds());
            let _ = pool.install(|| {
                join(&fingerprints, &plan, max, &mut |batch| {
                    pairs += batch.pairs.len() as u64;
                    found +=
                        batch.pairs.iter().filter(|pair| planted.contains(&(pair.left, pair.right))).count() as u64;
                    ControlFlow::Continue(())
                })
            });
            clock.push(start.elapsed().as_secs_f64());
            processor.push(processor_seconds() - start_of_process);
        }
        assert!(max > complete || found == planted.len() as u64, "{found} of {} planted pairs", planted.len());
        let share = found as f64 / planted.len() as f64;
        let (clock, processor) = (median(clock), median(processor));
        println!(
            "{bits}/{complete}/{max}: {clock:.3} s, {processor:.3} CPU s, {pairs} pairs, {share:.4} of the planted ones; {plan}"
        );
    }
}

/// Random fingerprints of which every hundredth is a copy of the one 50 before it, with 1 to `max` bits turned.
fn planted(items: usize, bits: u32, max: u32) -> (Fingerprints, HashSet<(u32, u32)>) {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    let mut fingerprints = Fingerprints::new(bits);
    let mut pairs = HashSet::new();
    let words = fingerprints.words_each();
    for item in 0..items {
        let mut fingerprint: Vec<u64> = (0..words).map(|_| random()).collect();
        if item % 100 == 99 {
            fingerprint.copy_from_slice(fingerprints.get(item - 50));
            for _ in 0..1 + random() % u64::from(max.max(1)) {
                let bit = random() % u64::from(bits);
                fingerprint[(bit / 64) as usize] ^= 1 << (63 - bit % 64);
            }
            pairs.insert((item as u32 - 50, item as u32));
        }
        fingerprints.push(&fingerprint);
    }
    (fingerprints, pairs)
}

/// CPU seconds of this process so far, of all its threads.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
