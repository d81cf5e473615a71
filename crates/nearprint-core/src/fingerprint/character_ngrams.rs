//! Character n-grams, the default features -> fingerprint.
//!
//! All chosen n-grams of a text weigh the same, and so do all others. So no weight is added for
//! each bit of each n-gram. Bit-sliced counters count the n-grams that set each bit, once for each
//! of the two weights, and the two counts are added with their weights as shifts.

mod count;

use super::bit_sliced::BitSlicedCounters;
use super::first_bits;
use crate::features::character_ngrams::{FULL_WEIGHT, Voters};
use crate::random::mix;

/// The name of the hash of n-grams, which is saved with fingerprints.
pub const NGRAM_HASH: &str = "letters-1";

/// The constants of an n-gram's bits: the first 512 bits of the fraction of π. Every second word is
/// made odd.
const PI: [u64; 8] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d0,
    0x082e_fa98_ec4e_6c89,
    0x4528_21e6_38d0_1377,
    0xbe54_66cf_34e9_0c6d,
    0xc0ac_29b7_c97c_50dd,
    0x3f84_d5b5_b547_0917,
];

/// The 256 bits with which an n-gram votes (feature hash `letters-1`). Its number is mixed by the
/// finalizer of SplitMix64. For each word the mixed number XOR one word of π is multiplied by
/// another word of π; the word is the upper half of this product of 128 bits XOR the lower half.
///
/// ```
/// let bits = nearprint_core::fingerprint::bits_of_ngram(0x7369_7469); // "itis"
/// assert_eq!(bits, nearprint_core::fingerprint::bits_of_ngram(0x7369_7469));
/// assert_ne!(bits, nearprint_core::fingerprint::bits_of_ngram(0x6173_6974)); // "tisa"
/// ```
#[inline]
pub fn bits_of_ngram(ngram: u64) -> [u64; 4] {
    let mixed = mix(ngram);
    std::array::from_fn(|word| {
        let product = u128::from(mixed ^ PI[2 * word]) * u128::from(PI[2 * word + 1]);
        (product >> 64) as u64 ^ product as u64
    })
}

/// Makes one fingerprint after the other, in buffers of its own. A fingerprint of fewer bits is the
/// beginning of one of more bits.
///
/// ```
/// use nearprint_core::features::character_ngrams::CharacterNgrams;
/// use nearprint_core::fingerprint::NgramVote;
/// let (mut extractor, mut vote) = (CharacterNgrams::default(), NgramVote::new(256));
/// let left = vote.fingerprint(&extractor.voters("能力比学历重要性高"));
/// let right = vote.fingerprint(&extractor.voters("学历比能力重要性高"));
/// let differ = left.iter().zip(right).map(|(left, right)| (left ^ right).count_ones());
/// assert_eq!(differ.sum::<u32>(), 50); // By chance it would be 128.
/// ```
#[derive(Debug)]
pub struct NgramVote {
    bits: u32,
    sums: BitSlicedCounters,
    chosen: BitSlicedCounters,
    others: BitSlicedCounters,
}

impl NgramVote {
    /// A vote on fingerprints of `bits` bits.
    pub fn new(bits: u32) -> NgramVote {
        let [sums, chosen, others] = [(); 3].map(|()| BitSlicedCounters::zero());
        NgramVote { bits, sums, chosen, others }
    }

    /// The fingerprint in the first bits of the words. A bit is 1 if the n-grams whose bit is 1
    /// weigh more than half.
    pub fn fingerprint(&mut self, voters: &Voters<'_>) -> [u64; 4] {
        let NgramVote { sums, chosen, others, .. } = self;
        for (ngrams, counts) in [(voters.chosen, &mut *chosen), (voters.others, &mut *others)] {
            counts.clear();
            count::count(ngrams, counts);
        }
        sums.clear();
        sums.add_shifted(chosen, FULL_WEIGHT.ilog2() as usize);
        for shift in (0..=FULL_WEIGHT.ilog2() as usize)
            .filter(|shift| voters.weight_of_others >> shift & 1 == 1)
        {
            sums.add_shifted(others, shift);
        }
        let total = voters.chosen.len() as u64 * u64::from(FULL_WEIGHT)
            + voters.others.len() as u64 * u64::from(voters.weight_of_others);
        first_bits(sums.greater_than(total / 2), self.bits)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Vote;
    use super::*;
    use crate::features::character_ngrams::CharacterNgrams;

    #[test]
    fn the_bits_of_an_ngram_never_change() {
        assert_eq!(bits_of_ngram(0x7369_7469), SAMPLE);
    }

    const SAMPLE: [u64; 4] = [
        0x6bd3_7701_5b18_1789,
        0x7e3a_bd0c_becc_e561,
        0x113b_60df_42c7_3cc2,
        0x9d84_d5f2_75f3_bd94,
    ];

    #[test]
    fn every_bit_depends_on_every_letter_and_on_no_other_bit() {
        // Pairs of n-grams that differ in a bit, and pairs of bits of the hash, by 4,096 n-grams of
        // lower-case letters.
        let letter = |n: u64| u64::from(b'a') + n;
        let ngrams: Vec<u64> = (0..4096)
            .map(|n| {
                letter(n % 16) | letter(n / 16 % 16) << 8 | letter(n / 256) << 16 | 0x6500_0000
            })
            .collect();
        let hashes: Vec<[u64; 4]> = ngrams.iter().map(|ngram| bits_of_ngram(*ngram)).collect();
        let bit = |hash: &[u64; 4], at: usize| hash[at / 64] >> (at % 64) & 1;
        // 4,096 tosses of a coin have a standard deviation of 32. None of some thousand results is
        // 6 deviations off.
        for at in 0..256 {
            let ones = hashes.iter().map(|hash| bit(hash, at)).sum::<u64>();
            assert!(ones.abs_diff(2048) < 192, "bit {at}: {ones}");
            for flipped in [0, 1, 2, 3, 9, 18, 27] {
                let turned = ngrams.iter().zip(&hashes).map(|(ngram, hash)| {
                    bit(&bits_of_ngram(ngram ^ 1 << flipped), at) ^ bit(hash, at)
                });
                let turned = turned.sum::<u64>();
                assert!(turned.abs_diff(2048) < 192, "bit {at}, letter bit {flipped}: {turned}");
            }
            for other in (0..at).step_by(7) {
                let same = hashes.iter().map(|hash| bit(hash, at) ^ bit(hash, other)).sum::<u64>();
                assert!(same.abs_diff(2048) < 192, "bits {at} and {other}: {same}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_vote_is_that_of_weighted_features(
            text in "([a-z]{1,9}|[重要性学历]{1,3}){0,400}",
            bits in prop_oneof![Just(32u32), Just(64), Just(128), Just(256)],
        ) {
            let mut extractor = CharacterNgrams::default();
            let voters = extractor.voters(&text);
            let mut plain = Vote::new(bits);
            voters.iter().for_each(|(ngram, weight)| plain.add(&bits_of_ngram(ngram), u64::from(weight)));
            let mut vote = NgramVote::new(bits);
            let _ = vote.fingerprint(&CharacterNgrams::default().voters("an other text before"));
            prop_assert_eq!(vote.fingerprint(&voters), plain.finish());
        }
    }
}
