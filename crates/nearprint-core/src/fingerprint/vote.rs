//! Weighted features -> fingerprint. Each bit sums the weights of the features whose bit is 1, and
//! subtracts nothing. Bit i is set if twice this sum exceeds the weight of all features: 2 Σ₁ > Σ
//! is equivalent to V_i > 0.

use super::tally::Tally;

/// The vote on one fingerprint after the other, in buffers of its own.
///
/// Croft, Metzler and Strohman's example with 8-bit hashes (here in the first 8 of 32 bits):
/// ```
/// use nearprint_core::fingerprint::Vote;
/// let features = [
///     (2, 0b01100001), (2, 0b10101011), (1, 0b11100110), (1, 0b00011110), (1, 0b00101101),
///     (1, 0b10001011), (1, 0b00101010), (1, 0b11000000), (1, 0b10101110), (1, 0b00111111),
///     (1, 0b10110101), (1, 0b00100101), (1, 0b11101110u64),
/// ];
/// let mut vote = Vote::new(32);
/// for (weight, hash) in features {
///     vote.add(&[hash << 56, 0, 0, 0], weight);
/// }
/// assert_eq!(vote.sums()[..8], [1, -5, 9, -9, 3, 1, 3, 3]);
/// assert_eq!(vote.finish()[0] >> 56, 0b10101111);
/// ```
#[derive(Debug)]
pub struct Vote {
    bits: usize,
    tally: Tally,
    /// The features whose votes are not counted yet, each with a weight of 32 bits.
    waiting: Vec<([u64; 4], u32)>,
    /// The sum of the weights in `waiting` and in `small`. No entry of `small` can become larger.
    small_total: u64,
    /// The sum of the weights whose bit is 1, for each bit. `small` is added to it before it
    /// overflows.
    sums: Vec<u64>,
    small: Box<[u32; 256]>,
    total: u64,
}

/// The features that are counted together: enough to keep sums in registers, few enough for the
/// first-level cache.
const WAITING: usize = 256;

impl Vote {
    /// A vote on fingerprints of `bits` bits.
    pub fn new(bits: u32) -> Vote {
        let bits = bits as usize;
        Vote {
            bits,
            tally: Tally::detect(),
            waiting: Vec::with_capacity(WAITING),
            small_total: 0,
            sums: vec![0; bits],
            small: Box::new([0; 256]),
            total: 0,
        }
    }

    /// Lets a feature vote: `hash` holds its bits, bit 0 the highest of the first word. Weights of
    /// one document must not sum up to 2⁶³ or more.
    #[inline]
    pub fn add(&mut self, hash: &[u64; 4], weight: u64) {
        self.total += weight;
        match u32::try_from(weight) {
            Ok(weight) => {
                if self.small_total + u64::from(weight) > u64::from(u32::MAX) {
                    self.flush();
                }
                self.small_total += u64::from(weight);
                self.waiting.push((*hash, weight));
                if self.waiting.len() == WAITING {
                    self.count();
                }
            }
            Err(_) => {
                for (bit, sum) in self.sums.iter_mut().enumerate() {
                    *sum += weight * (hash[bit / 64] >> (63 - bit % 64) & 1);
                }
            }
        }
    }

    /// Counts the waiting votes.
    fn count(&mut self) {
        self.tally.count(&self.waiting, self.bits, &mut self.small);
        self.waiting.clear();
    }

    fn flush(&mut self) {
        self.count();
        for (sum, small) in self.sums.iter_mut().zip(self.small.iter_mut()) {
            *sum += u64::from(*small);
            *small = 0;
        }
        self.small_total = 0;
    }

    /// V: for each bit the weight for 1 minus the weight for 0.
    pub fn sums(&mut self) -> Vec<i64> {
        self.flush();
        self.sums.iter().map(|sum| (2 * sum) as i64 - self.total as i64).collect()
    }

    /// The fingerprint in the first `bits` of the words, bit 0 the highest. The vote is empty
    /// again.
    pub fn finish(&mut self) -> [u64; 4] {
        self.flush();
        let mut words = [0; 4];
        for (bit, sum) in self.sums.iter_mut().enumerate() {
            words[bit / 64] |= u64::from(2 * *sum > self.total) << (63 - bit % 64);
            *sum = 0;
        }
        self.total = 0;
        words
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Steps 3 and 4 of Croft, Metzler and Strohman (2009), letter for letter.
    fn plain(features: &[([u64; 4], u64)], bits: usize) -> ([u64; 4], Vec<i64>) {
        let mut v = vec![0i64; bits];
        for (hash, weight) in features {
            for (i, v) in v.iter_mut().enumerate() {
                let one = hash[i / 64] >> (63 - i % 64) & 1 == 1;
                *v += if one { *weight as i64 } else { -(*weight as i64) };
            }
        }
        let mut words = [0; 4];
        for (i, v) in v.iter().enumerate() {
            words[i / 64] |= u64::from(*v > 0) << (63 - i % 64);
        }
        (words, v)
    }

    #[test]
    fn ties_are_exact_and_give_zero() {
        // 葫芦娃 2/6, 一根, 藤上, 七朵, 花 1/6 each, with 6-bit hashes.
        let features =
            [(2, 0b100100), (1, 0b010101), (1, 0b101010), (1, 0b111010), (1, 0b001010u64)];
        let mut vote = Vote::new(32);
        for (weight, hash) in features {
            vote.add(&[hash << 58, 0, 0, 0], weight);
        }
        assert_eq!(vote.sums()[..6], [2, -2, 0, 0, 0, -4]);
        assert_eq!(vote.finish()[0] >> 58, 0b100000);
    }

    #[test]
    fn one_feature_of_more_than_half_the_weight_is_the_fingerprint() {
        // Eq. 11-15: w_k >> all others makes the fingerprint that feature's hash.
        let hash = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0, 0];
        let mut vote = Vote::new(128);
        vote.add(&hash, 1001);
        for other in 0..10u64 {
            vote.add(&[other.wrapping_mul(0x9e37_79b9_7f4a_7c15), !other, 0, 0], 100);
        }
        assert_eq!(vote.finish(), hash);
    }

    proptest! {
        #[test]
        fn the_vote_follows_the_definition(
            bits in prop_oneof![Just(32u32), Just(64), Just(128), Just(256)],
            features in proptest::collection::vec((any::<[u64; 4]>(), prop_oneof![1u64..5, 1u64..1 << 20, 1u64..1 << 40]), 0..60),
        ) {
            let mut vote = Vote::new(bits);
            for round in 0..2 {
                for (hash, weight) in &features {
                    vote.add(hash, *weight);
                }
                let (words, sums) = plain(&features, bits as usize);
                prop_assert_eq!(vote.sums(), sums, "round {}", round);
                prop_assert_eq!(vote.finish(), words);
            }
        }

        #[test]
        fn the_order_of_features_changes_nothing(features in proptest::collection::vec((any::<[u64; 4]>(), 1u64..1 << 33), 0..40)) {
            let mut vote = Vote::new(256);
            features.iter().for_each(|(hash, weight)| vote.add(hash, *weight));
            let forward = vote.finish();
            features.iter().rev().for_each(|(hash, weight)| vote.add(hash, *weight));
            prop_assert_eq!(vote.finish(), forward);
        }
    }
}
