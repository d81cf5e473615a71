//! Hashes and weights of many features -> for each bit the sum of the weights of the hashes that
//! set it: the innermost loop of fingerprinting.
//!
//! The plain loop handles 16 bits of all hashes at a time, so that their 16 sums stay in registers.
//! The compiler vectorizes it, and compiles it a second time for AVX2. With AVX-512 the 16 bits of
//! a hash are the mask of one addition of its weight to 16 sums. The forms give the same sums.

// The unsafe code calls functions that are compiled for detected instructions. They store sums into
// an array.
#![allow(unsafe_code)]

/// The loop in instructions that this processor has. Only detection makes one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tally(Instructions);

#[derive(Debug, Clone, Copy)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Tally {
    /// The fastest variant for this processor.
    pub(super) fn detect() -> Tally {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return Tally(Instructions::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                return Tally(Instructions::Avx2);
            }
        }
        Tally(Instructions::Portable)
    }

    /// Adds the weight of each feature to the sums of those of the first `bits` bits that are 1 in
    /// its hash. The caller ensures that no sum overflows.
    #[inline]
    pub(super) fn count(self, features: &[([u64; 4], u32)], bits: usize, sums: &mut [u32; 256]) {
        match self.0 {
            Instructions::Portable => count(features, bits, sums),
            // SAFETY: `detect` has seen that the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { count_avx2(features, bits, sums) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { count_avx512(features, bits, sums) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn count_avx2(features: &[([u64; 4], u32)], bits: usize, sums: &mut [u32; 256]) {
    count(features, bits, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn count_avx512(features: &[([u64; 4], u32)], bits: usize, sums: &mut [u32; 256]) {
    match bits {
        32 => avx512::count::<2>(features, sums),
        64 => avx512::count::<4>(features, sums),
        128 => avx512::count::<8>(features, sums),
        256 => avx512::count::<16>(features, sums),
        _ => count(features, bits, sums),
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    /// Counts the first 16 * `PARTS` bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn count<const PARTS: usize>(features: &[([u64; 4], u32)], sums: &mut [u32; 256]) {
        let mut own = [_mm512_setzero_si512(); PARTS];
        for (hash, weight) in features {
            let weight = _mm512_set1_epi32(*weight as i32);
            for (part, sums) in own.iter_mut().enumerate() {
                let bits = (hash[part / 4] >> (48 - part % 4 * 16)) as __mmask16;
                *sums = _mm512_mask_add_epi32(*sums, bits, *sums, weight);
            }
        }
        for (own, sums) in own.iter().zip(sums.as_chunks_mut::<16>().0) {
            let mut by_lane = [0u32; 16];
            // SAFETY: the array has room for 16 sums.
            unsafe { _mm512_storeu_si512(by_lane.as_mut_ptr().cast(), *own) };
            // The first bit is the highest, and lanes begin with the lowest.
            sums.iter_mut().zip(by_lane.iter().rev()).for_each(|(sum, own)| *sum += own);
        }
    }
}

#[inline(always)]
fn count(features: &[([u64; 4], u32)], bits: usize, sums: &mut [u32; 256]) {
    /// The bit of each of 16 sums.
    const BITS: [u32; 16] = {
        let (mut bits, mut place) = ([0; 16], 0);
        while place < 16 {
            bits[place] = 1 << (15 - place);
            place += 1;
        }
        bits
    };
    for (part, sums) in sums.as_chunks_mut::<16>().0.iter_mut().enumerate().take(bits / 16) {
        let (word, shift) = (part / 4, 48 - part % 4 * 16);
        let mut own = *sums;
        for (hash, weight) in features {
            let bits = (hash[word] >> shift) as u32;
            for (sum, bit) in own.iter_mut().zip(BITS) {
                *sum += weight & u32::from(bits & bit != 0).wrapping_neg();
            }
        }
        *sums = own;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::testing::processor_has;

    proptest! {
        #[test]
        fn every_variant_counts_alike(
            features in proptest::collection::vec((any::<[u64; 4]>(), 0u32..1 << 20), 0..300),
            bits in prop_oneof![Just(32usize), Just(64), Just(128), Just(256)],
        ) {
            let mut plain = [0u32; 256];
            for (hash, weight) in &features {
                for (bit, sum) in plain.iter_mut().enumerate().take(bits) {
                    *sum += *weight * (hash[bit / 64] >> (63 - bit % 64) & 1) as u32;
                }
            }
            let mut sums = [0; 256];
            count(&features, bits, &mut sums);
            prop_assert_eq!(sums, plain);
            #[cfg(target_arch = "x86_64")]
            {
                if processor_has!("fingerprint/tally.rs with AVX2", "avx2") {
                    let mut sums = [0; 256];
                    Tally(Instructions::Avx2).count(&features, bits, &mut sums);
                    prop_assert_eq!(sums, plain);
                }
                if processor_has!("fingerprint/tally.rs with AVX-512", "avx512f") {
                    let mut sums = [0; 256];
                    Tally(Instructions::Avx512).count(&features, bits, &mut sums);
                    prop_assert_eq!(sums, plain);
                }
            }
        }
    }
}
