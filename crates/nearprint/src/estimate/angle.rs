//! Cosines of weighted feature vectors -> the share of pairs within each distance by the angle
//! formula.
//!
//! Every bit of two fingerprints differs with probability θ / π, θ being the angle between the two
//! vectors, and bits are independent of each other (Charikar 2002, section 3). So the distance of a
//! pair follows a binomial distribution, and that of several pairs a mixture of them. The formula
//! holds exactly for random hyperplanes. It holds approximately for a vote with random signs: the
//! better, the more features there are and the less one outweighs the others.

use std::f64::consts::PI;

/// For each distance from 0 to `bits` the share of pairs expected within it.
///
/// ```
/// use nearprint::estimate::expected_within;
/// let share = expected_within(&[0.5], 64); // 60 degrees: a third of the bits
/// assert!(share[10] < 0.01 && share[32] > 0.99);
/// assert_eq!(expected_within(&[1.0], 64)[0], 1.0);
/// ```
pub fn expected_within(cosines: &[f64], bits: u32) -> Vec<f64> {
    let mut within = vec![0.0; bits as usize + 1];
    for cosine in cosines {
        let share = libm::acos(cosine.clamp(-1.0, 1.0)) / PI;
        for (distance, probability) in binomial(share, bits).into_iter().enumerate() {
            within[distance] += probability;
        }
    }
    let mut sum = 0.0;
    for share in &mut within {
        sum += *share;
        *share = if cosines.is_empty() { 0.0 } else { (sum / cosines.len() as f64).min(1.0) };
    }
    within
}

/// The probability of each number of differing bits from 0 to `bits`, where each bit differs with
/// probability `share`.
fn binomial(share: f64, bits: u32) -> Vec<f64> {
    // The smaller side comes first, so that the first probability can be represented (it is at
    // least 2⁻²⁵⁶).
    if share > 0.5 {
        let mut turned = binomial(1.0 - share, bits);
        turned.reverse();
        return turned;
    }
    let mut probability = libm::pow(1.0 - share, f64::from(bits));
    let odds = share / (1.0 - share);
    let mut out = Vec::with_capacity(bits as usize + 1);
    for differing in 0..=bits {
        out.push(probability);
        probability *= odds * f64::from(bits - differing) / f64::from(differing + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use nearprint_core::compare::cosine;
    use nearprint_core::fingerprint::{FeatureHash, Hasher, Vote};

    use super::*;

    #[test]
    fn probabilities_sum_to_one() {
        for share in [0.0, 0.01, 0.3, 0.5, 0.7, 1.0] {
            let sum: f64 = binomial(share, 256).iter().sum();
            assert!((sum - 1.0).abs() < 1e-9, "{share}: {sum}");
        }
    }

    #[test]
    fn votes_keep_the_promise_on_random_vectors() {
        // The sample has 2,000 pairs that share from a half to nine tenths of 200 features of
        // weights from 1 to 8.
        let (bits, pairs) = (128, 2000);
        let hasher = Hasher::new(FeatureHash::Xxh3, bits);
        let weight = |feature: u64| 1 + (feature.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61);
        let fingerprint = |features: &[(u64, u64)]| {
            let mut vote = Vote::new(bits);
            features
                .iter()
                .for_each(|(feature, weight)| vote.add(&hasher.hash(*feature, 0), *weight));
            vote.finish()
        };
        let (mut cosines, mut distances) = (Vec::new(), vec![0u32; bits as usize + 1]);
        for pair in 0..pairs {
            let shared = 100 + pair % 80;
            let vector = |own: u64| -> Vec<(u64, u64)> {
                let feature = |n: u64| pair * 1_000_003 + if n < shared { n } else { own + n };
                let mut features: Vec<_> =
                    (0..200).map(|n| (feature(n), weight(feature(n)))).collect();
                features.sort_unstable();
                features
            };
            let (left, right) = (vector(1000), vector(2000));
            cosines.push(cosine(&left, &right));
            let (left, right) = (fingerprint(&left), fingerprint(&right));
            distances[left.iter().zip(right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
                as usize] += 1;
        }
        let mut found = 0;
        for (distance, expected) in expected_within(&cosines, bits).into_iter().enumerate() {
            found += distances[distance];
            let share = f64::from(found) / pairs as f64;
            // The bound is four standard errors of a share among 2,000.
            assert!((share - expected).abs() < 0.045, "{distance}: {share} and {expected}");
        }
    }
}
