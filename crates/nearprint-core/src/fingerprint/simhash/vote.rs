//! Weighted features -> fingerprint, in the floating-point sums of the package.

use ::md5::{Digest, Md5};

use super::md5::{LANES, LONGEST, Messages, digests};
use super::{MOST_BITS, bits_of, check};

/// The weight of the vote of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weight {
    /// An integer. As in the package, one below 1 adds only to the sum of weights, of which half is
    /// needed.
    Integer(i64),
    /// A finite number.
    Float(f64),
}

/// The vote of weighted features.
///
/// Sums are 64-bit floating-point numbers, made in the order of the package. Integers up to 50 are
/// gathered, and added after every two hundred of them and at the end; other weights are added at
/// once. Sums of integers below 2^53 are exact.
///
/// # Examples
///
/// ```
/// use nearprint_core::fingerprint::simhash::{Vote, Weight};
/// // Simhash({"能力": 2, "学历": 0.5}).value in Python
/// let mut vote = Vote::new(64);
/// vote.add_feature("能力", Weight::Integer(2));
/// vote.add_feature("学历", Weight::Float(0.5));
/// assert_eq!(vote.finish()[0], 17070311681196811875);
/// ```
#[derive(Debug, Clone)]
pub struct Vote {
    bits: u32,
    sums: Vec<f64>,
    /// The sums of small integer weights that are not in `sums` yet.
    gathered: Vec<i64>,
    /// The number of features in `gathered`.
    features: usize,
    total: f64,
    /// Features whose digests are not made yet.
    waiting: Waiting,
}

/// Up to sixteen features, in their order.
#[derive(Debug, Clone)]
struct Waiting {
    messages: Messages,
    count: usize,
    weights: [Weight; LANES],
}

/// The largest integer weight that is gathered, and the most features that are gathered.
const SMALL: i64 = 50;
const TOGETHER: usize = 200;

/// The widest fingerprint that hashes of the caller's own may vote on.
pub const MOST_BITS_OF_A_VOTE: u32 = 256;

impl Vote {
    /// A vote on fingerprints of `bits` bits.
    ///
    /// # Panics
    ///
    /// Panics if `bits` is not a multiple of 8 from 8 to [`MOST_BITS_OF_A_VOTE`].
    pub fn new(bits: u32) -> Vote {
        let possible = bits.is_multiple_of(8) && (8..=MOST_BITS_OF_A_VOTE).contains(&bits);
        assert!(possible, "a fingerprint has 8, 16, ... {MOST_BITS_OF_A_VOTE} bits, not {bits}");
        let waiting =
            Waiting { messages: Messages::empty(), count: 0, weights: [Weight::Integer(0); LANES] };
        let (sums, gathered) = (vec![0.0; bits as usize], vec![0; bits as usize]);
        Vote { bits, sums, gathered, features: 0, total: 0.0, waiting }
    }

    /// Lets a feature vote with its MD5.
    ///
    /// # Panics
    ///
    /// Panics if the fingerprint has more than [`MOST_BITS`].
    pub fn add_feature(&mut self, feature: &str, weight: Weight) {
        check(self.bits);
        if feature.len() > LONGEST {
            self.hash_waiting();
            self.add_bits(u128::from_be_bytes(Md5::digest(feature).into()), weight);
            return;
        }
        let mut bytes = [0; LONGEST];
        bytes[..feature.len()].copy_from_slice(feature.as_bytes());
        let Waiting { messages, count, weights } = &mut self.waiting;
        messages.set(*count, &bytes, feature.len());
        weights[*count] = weight;
        *count += 1;
        if *count == LANES {
            self.hash_waiting();
        }
    }

    /// Lets a feature vote with a hash of the caller's own, of `bits` bits.
    ///
    /// # Panics
    ///
    /// Panics if the hash has another length.
    pub fn add_hash(&mut self, hash: &[u8], weight: Weight) {
        assert_eq!(hash.len(), self.bits as usize / 8, "not a hash of {} bits", self.bits);
        self.hash_waiting();
        self.add(weight, |bit| hash[bit / 8] >> (7 - bit % 8) & 1 == 1);
    }

    /// The fingerprint, its bits from the highest of the first word on. A bit is 1 if the weights
    /// of the features whose bit is 1 are more than half of all.
    pub fn finish(mut self) -> [u64; 4] {
        self.hash_waiting();
        self.take_in_gathered();
        let mut words = [0; 4];
        for (bit, sum) in self.sums.iter().enumerate() {
            words[bit / 64] |= u64::from(*sum > self.total / 2.0) << (63 - bit % 64);
        }
        words
    }

    fn hash_waiting(&mut self) {
        let Waiting { messages, count, weights } = self.waiting.clone();
        if count == 0 {
            return;
        }
        let digests = digests(&messages);
        for (lane, weight) in weights.into_iter().enumerate().take(count) {
            let [high, low, ..] = bits_of(digests.map(|word| word[lane]));
            self.add_bits(u128::from(high) << 64 | u128::from(low), weight);
        }
        self.waiting.count = 0;
    }

    /// Lets the last bits of a digest vote.
    fn add_bits(&mut self, digest: u128, weight: Weight) {
        let last = digest << (MOST_BITS - self.bits);
        self.add(weight, |bit| last << bit >> (MOST_BITS - 1) == 1);
    }

    #[inline(always)]
    fn add(&mut self, weight: Weight, is_one: impl Fn(usize) -> bool) {
        match weight {
            Weight::Integer(weight) if weight <= SMALL => {
                self.total += weight as f64;
                for (bit, sum) in self.gathered.iter_mut().enumerate() {
                    *sum += i64::from(is_one(bit)) * weight.max(0);
                }
                self.features += 1;
                if self.features == TOGETHER {
                    self.take_in_gathered();
                }
            }
            Weight::Integer(_) | Weight::Float(_) => {
                let weight = match weight {
                    Weight::Integer(weight) => weight as f64,
                    Weight::Float(weight) => weight,
                };
                self.total += weight;
                for (bit, sum) in self.sums.iter_mut().enumerate() {
                    *sum += if is_one(bit) { weight } else { 0.0 };
                }
            }
        }
    }

    fn take_in_gathered(&mut self) {
        for (sum, gathered) in self.sums.iter_mut().zip(&mut self.gathered) {
            *sum += std::mem::take(gathered) as f64;
        }
        self.features = 0;
    }
}
