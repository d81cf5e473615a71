//! Sums of blocks -> percentile intervals of the measures.
//!
//! Documents that either answer links are not independent, so the bootstrap (Efron 1979) draws
//! whole blocks with replacement, as many as there are. A replicate is a draw from a multinomial
//! distribution over the kinds of blocks. The interval of a measure goes from the 2.5th to the
//! 97.5th percentile of its replicates, without those where it is undefined. Cost of a replicate: a
//! random bit or two for each block of a frequent kind, a random number for each other block.
//!
//! Random numbers come from SplitMix64. Distributions are made of its bits by integer arithmetic
//! alone, and each replicate has a stream of its own, so the intervals are the same on every
//! machine and with any number of threads.

use nearprint_core::random::Random;
use rayon::prelude::*;

use super::Options;
use super::measures::{MEASURES, measures};
use super::tally::Sums;

/// The share of the replicates outside the interval on each side.
const TAIL: f64 = 0.025;

/// The 95 % interval of each measure.
pub(super) fn intervals(
    kinds: &[(Sums, u64)],
    options: Options,
) -> [Option<(f64, f64)>; MEASURES.len()] {
    let urn = Urn::new(kinds);
    let replicate =
        |number: u32| measures(&urn.draw(&mut Random::stream(options.seed, number.into())));
    let replicates: Vec<_> = (0..options.replicates).into_par_iter().map(replicate).collect();
    let mut intervals = [None; MEASURES.len()];
    for (place, interval) in intervals.iter_mut().enumerate() {
        let mut values: Vec<f64> = replicates.iter().filter_map(|values| values[place]).collect();
        values.sort_unstable_by(f64::total_cmp);
        *interval = percentile(&values, TAIL).zip(percentile(&values, 1.0 - TAIL));
    }
    intervals
}

/// The value below which this share of the sorted values lies, linearly interpolated.
fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

/// Blocks to draw from.
struct Urn {
    /// The kinds and their numbers of blocks, the frequent kinds first.
    kinds: Vec<(Sums, u64)>,
    /// The kind of each block, in the order of the kinds.
    kind_of: Vec<u32>,
}

impl Urn {
    fn new(kinds: &[(Sums, u64)]) -> Urn {
        let mut kinds = kinds.to_vec();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let kind_of = (0..)
            .zip(&kinds)
            .flat_map(|(kind, (_, count))| std::iter::repeat_n(kind, *count as usize));
        Urn { kind_of: kind_of.collect(), kinds }
    }

    /// The sum of blocks drawn with replacement, as many as there are.
    fn draw(&self, random: &mut Random) -> Sums {
        let mut sum = Sums::default();
        let blocks = self.kind_of.len() as u64;
        let (mut draws, mut left) = (blocks, blocks);
        for (sums, count) in &self.kinds {
            // The number of draws of this kind takes draws / 32 random words. Draws one by one take
            // a word each.
            if *count <= draws / 32 {
                break;
            }
            let hits = binomial(random, draws, *count, left);
            sum.add(sums, hits);
            draws -= hits;
            left -= count;
        }
        for _ in 0..draws {
            let block = blocks - left + random.below(left);
            sum.add(&self.kinds[self.kind_of[block as usize] as usize].0, 1);
        }
        sum
    }
}

/// The number of successes among `trials` that each succeed with probability `part` / `whole`,
/// exactly.
///
/// A trial is a random binary fraction that succeeds if it is below the probability. All trials
/// that agree with the digits of the probability so far are compared with its next digit together.
/// This digit decides half of them, so all digits take two random bits a trial.
fn binomial(random: &mut Random, trials: u64, part: u64, whole: u64) -> u64 {
    if part == whole {
        return trials;
    }
    let (mut undecided, mut successes, mut rest) = (trials, 0, u128::from(part));
    while undecided > 0 && rest > 0 {
        let ones = random_ones(random, undecided);
        rest *= 2;
        if rest >= u128::from(whole) {
            rest -= u128::from(whole);
            successes += undecided - ones;
            undecided = ones;
        } else {
            undecided -= ones;
        }
    }
    successes
}

/// The number of ones among `bits` random bits.
fn random_ones(random: &mut Random, bits: u64) -> u64 {
    let whole: u64 = (0..bits / 64).map(|_| u64::from(random.next().count_ones())).sum();
    match bits % 64 {
        0 => whole,
        some => whole + u64::from((random.next() >> (64 - some)).count_ones()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binomial_has_its_mean_and_variance() {
        for (trials, part, whole) in
            [(10, 1, 3), (1000, 1, 2), (5000, 999, 1000), (5000, 1, 1000), (64, 3, 7)]
        {
            let mut random = Random::stream(7, trials);
            let draws: Vec<f64> =
                (0..20_000).map(|_| binomial(&mut random, trials, part, whole) as f64).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance = draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>()
                / draws.len() as f64;
            let share = part as f64 / whole as f64;
            let (wanted, spread) = (trials as f64 * share, trials as f64 * share * (1.0 - share));
            // The bound is five standard errors.
            assert!(
                (mean - wanted).abs() < 5.0 * (spread / 20_000.0).sqrt(),
                "{trials} {part}/{whole}: {mean}"
            );
            assert!(
                (variance / spread - 1.0).abs() < 0.1,
                "{trials} {part}/{whole}: {variance}, not {spread}"
            );
            assert!(draws.iter().all(|draw| *draw <= trials as f64));
        }
        assert_eq!(
            (binomial(&mut Random::new(1), 9, 0, 5), binomial(&mut Random::new(1), 9, 5, 5)),
            (0, 9)
        );
    }

    #[test]
    fn every_draw_takes_as_many_blocks_as_there_are() {
        let kind = |found: u128| Sums { documents: 1, found, ..Sums::default() };
        let kinds: Vec<(Sums, u64)> =
            (0..50).map(|n| (kind(n), [100_000, 400, 30, 1, 1][n as usize % 5])).collect();
        let urn = Urn::new(&kinds);
        let blocks: u64 = kinds.iter().map(|(_, count)| count).sum();
        let mut mean = 0.0;
        for stream in 0..200 {
            let sum = urn.draw(&mut Random::stream(0, stream));
            assert_eq!(sum.documents, u128::from(blocks));
            mean += sum.found as f64 / 200.0;
        }
        let wanted: f64 = kinds.iter().map(|(sums, count)| sums.found as f64 * *count as f64).sum();
        assert!((mean / wanted - 1.0).abs() < 0.001, "{mean} {wanted}");
    }

    #[test]
    fn random_numbers_are_the_same_for_ever() {
        let mut random = Random::stream(42, 3);
        let numbers = [random.next(), random.below(1000), binomial(&mut random, 1_000_000, 1, 3)];
        assert_eq!(numbers, [11_022_221_231_937_569_768, 518, 333_793]);
    }

    #[test]
    fn percentiles_lie_between_values_in_proportion() {
        assert_eq!(percentile(&[], 0.5), None);
        assert_eq!(percentile(&[3.0], 0.025), Some(3.0));
        assert_eq!(percentile(&[0.0, 1.0, 2.0, 3.0, 4.0], 0.5), Some(2.0));
        assert_eq!(percentile(&[0.0, 10.0], 0.025), Some(0.25));
    }
}
