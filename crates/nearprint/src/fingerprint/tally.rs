//! Votes of many features -> the weight for 1 of each bit: the innermost loop of fingerprinting.
//!
//! The loop is plain, safe Rust over 32 bits at a time, whose sums stay in registers. It is compiled several times, for
//! processors of different ages; the compiler's own vectors do the rest. Integers: every variant gives the same sums.

// Calling a function that is compiled for more instructions than the rest of the program is the one unsafe act here.
#![allow(unsafe_code)]

/// The loop in instructions that this processor has: only detection makes one.
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

    /// Adds the weight of each feature to the sums of the bits (of the first `bits`) at which its hash says 1. The caller
    /// sees to it that no sum overflows.
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
    count(features, bits, sums);
}

#[inline(always)]
fn count(features: &[([u64; 4], u32)], bits: usize, sums: &mut [u32; 256]) {
    for (part, sums) in sums.as_chunks_mut::<32>().0.iter_mut().enumerate().take(bits / 32) {
        let (word, shift) = (part / 2, 32 - part % 2 * 32);
        let mut own = *sums;
        for (hash, weight) in features {
            let half = (hash[word] >> shift) as u32;
            for (place, sum) in own.iter_mut().enumerate() {
                *sum += if half & 1 << (31 - place) != 0 { *weight } else { 0 };
            }
        }
        *sums = own;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
                if is_x86_feature_detected!("avx2") {
                    let mut sums = [0; 256];
                    Tally(Instructions::Avx2).count(&features, bits, &mut sums);
                    prop_assert_eq!(sums, plain);
                }
                if is_x86_feature_detected!("avx512f") {
                    let mut sums = [0; 256];
                    Tally(Instructions::Avx512).count(&features, bits, &mut sums);
                    prop_assert_eq!(sums, plain);
                }
            }
        }
    }
}
