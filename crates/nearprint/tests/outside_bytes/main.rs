//! Bytes from outside, damaged or made up. Reading any file ends with documents and rejections or
//! with an error, never with a panic, and no row is lost unseen. Each kind of file has a target,
//! which is compared with a model if there is one.
//!
//! A target takes a second, or the seconds of `NEARPRINT_FUZZ_SECONDS`; the gate gives each three.
//! `PROPTEST_RNG_SEED` fixes the inputs. A failure prints its smallest input: turn it into a test.

mod bytes;
mod checkpoints;
mod corpora;
mod formats;
mod leaks;
mod lists;
mod parquet;
mod settings;
mod statistics;
mod tables;

use std::fmt::Debug;
use std::time::{Duration, Instant, SystemTime};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The number of inputs between two looks at the clock.
const TOGETHER: u32 = 50;

/// Tries a target on random inputs for the seconds that the environment says.
///
/// # Panics
/// If the target fails, with the smallest input on which it does, and the seed that leads to it.
fn target<S: Strategy>(inputs: S, check: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: Debug,
{
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let time = Duration::from_secs(number("NEARPRINT_FUZZ_SECONDS").unwrap_or(1));
    let now = || {
        SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos() as u64)
    };
    let first = number("PROPTEST_RNG_SEED").unwrap_or_else(now);
    let begun = Instant::now();
    for batch in 0.. {
        let seed = first.wrapping_add(batch);
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let config = Config { cases: TOGETHER, failure_persistence: None, ..Config::default() };
        let mut runner =
            TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        if let Err(error) = runner.run(&inputs, &check) {
            panic!("with PROPTEST_RNG_SEED={seed}: {error}");
        }
        if begun.elapsed() >= time {
            break;
        }
    }
}
