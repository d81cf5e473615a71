//! Hashes of 256 bits -> for each bit the number of hashes that set it, in bit-sliced counters.
//!
//! The counters are binary numbers in slices: slice k has bit k of all 256 counters. So votes of
//! equal weight need logic only, and no addition for each bit of a hash. A carry-save adder turns
//! three words of one place into a sum and a carry; seven of them add eight hashes to the three
//! lowest slices, with one carry to the slice of eights (Harley and Seal; Mula, Kurz and Lemire,
//! "Faster Population Counts Using AVX2 Instructions", 2018). The code is plain, safe Rust,
//! compiled several times for processors of different ages. The forms give the same counts.

// The unsafe code only calls functions that are compiled for detected instructions.
#![allow(unsafe_code)]

/// One bit of each counter.
type Slice = [u64; 4];

/// The bits of a counter, which stays below 2^40.
const SLICES: usize = 40;

/// 256 counters.
#[derive(Debug, Clone)]
pub(super) struct BitSlicedCounters {
    slices: [Slice; SLICES],
    /// The number of slices that may hold a bit.
    used: usize,
}

impl BitSlicedCounters {
    pub(super) fn zero() -> BitSlicedCounters {
        BitSlicedCounters { slices: [[0; 4]; SLICES], used: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.slices[..self.used].fill([0; 4]);
        self.used = 0;
    }

    /// Adds 1 to each count whose bit is set, for each of the words.
    pub(super) fn add(&mut self, words: &[Slice]) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512vl") {
                // SAFETY: the processor has these instructions.
                return unsafe { add_avx512(self, words) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: as above.
                return unsafe { add_avx2(self, words) };
            }
        }
        add(self, words);
    }

    /// Adds 2^place to each count whose bit is set, for each of the words.
    pub(super) fn add_eight(&mut self, place: usize, words: &[Slice; 8]) {
        add_eight(self, place, words);
    }

    /// Adds 2^shift times the other counts.
    pub(super) fn add_shifted(&mut self, other: &BitSlicedCounters, shift: usize) {
        let mut carry = [0; 4];
        let mut place = shift;
        while place < shift + other.used || carry != [0; 4] {
            let addend =
                if place - shift < other.used { other.slices[place - shift] } else { [0; 4] };
            let (sum, carried) = full_adder(self.slices[place], addend, carry);
            (self.slices[place], carry) = (sum, carried);
            place += 1;
        }
        self.used = self.used.max(place);
    }

    /// A bit for each count that is greater than `bound`.
    pub(super) fn greater_than(&self, bound: u64) -> Slice {
        if bound >> self.used != 0 {
            return [0; 4];
        }
        let (mut greater, mut equal) = ([0; 4], [u64::MAX; 4]);
        for place in (0..self.used).rev() {
            let bit = if bound >> place & 1 == 1 { u64::MAX } else { 0 };
            for word in 0..4 {
                let slice = self.slices[place][word];
                greater[word] |= equal[word] & slice & !bit;
                equal[word] &= !(slice ^ bit);
            }
        }
        greater
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_avx2(counters: &mut BitSlicedCounters, words: &[Slice]) {
    add(counters, words);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn add_avx512(counters: &mut BitSlicedCounters, words: &[Slice]) {
    add(counters, words);
}

#[inline(always)]
fn add(counters: &mut BitSlicedCounters, words: &[Slice]) {
    let (eights, rest) = words.as_chunks::<8>();
    for eight in eights {
        add_eight(counters, 0, eight);
    }
    for word in rest {
        add_at(counters, 0, *word);
    }
}

/// Adds 2^place to each count whose bit is set, for each of the words.
#[inline(always)]
fn add_eight(counters: &mut BitSlicedCounters, place: usize, words: &[Slice; 8]) {
    let [mut ones, mut twos, mut fours] =
        std::array::from_fn(|slice| counters.slices[place + slice]);
    let (a, b, c, d);
    (ones, a) = full_adder(ones, words[0], words[1]);
    (ones, b) = full_adder(ones, words[2], words[3]);
    (ones, c) = full_adder(ones, words[4], words[5]);
    (ones, d) = full_adder(ones, words[6], words[7]);
    let (e, f, carry);
    (twos, e) = full_adder(twos, a, b);
    (twos, f) = full_adder(twos, c, d);
    (fours, carry) = full_adder(fours, e, f);
    counters.slices[place..place + 3].copy_from_slice(&[ones, twos, fours]);
    counters.used = counters.used.max(place + 3);
    add_at(counters, place + 3, carry);
}

/// Adds 2^place to each count whose bit is set.
#[inline(always)]
fn add_at(counters: &mut BitSlicedCounters, mut place: usize, mut carry: Slice) {
    while carry != [0; 4] {
        let slice = counters.slices[place];
        for word in 0..4 {
            counters.slices[place][word] = slice[word] ^ carry[word];
            carry[word] &= slice[word];
        }
        place += 1;
    }
    counters.used = counters.used.max(place);
}

/// The sum of three bits, and the carry.
#[inline(always)]
fn full_adder(a: Slice, b: Slice, c: Slice) -> (Slice, Slice) {
    let (mut sum, mut carry) = ([0; 4], [0; 4]);
    for word in 0..4 {
        let half = a[word] ^ b[word];
        sum[word] = half ^ c[word];
        carry[word] = a[word] & b[word] | half & c[word];
    }
    (sum, carry)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::testing::processor_has;

    fn counts(counters: &BitSlicedCounters) -> Vec<u64> {
        let count = |bit: usize| {
            (0..SLICES)
                .map(|place| (counters.slices[place][bit / 64] >> (bit % 64) & 1) << place)
                .sum()
        };
        (0..256).map(count).collect()
    }

    fn plain(words: &[Slice]) -> Vec<u64> {
        (0..256)
            .map(|bit| words.iter().map(|word| word[bit / 64] >> (bit % 64) & 1).sum())
            .collect()
    }

    proptest! {
        #[test]
        fn counters_count_like_a_plain_sum(
            words in proptest::collection::vec(any::<Slice>(), 0..70),
            more in proptest::collection::vec(any::<Slice>(), 0..20),
            shift in 0usize..6,
            bound in 0u64..700,
        ) {
            let mut variants: Vec<fn(&mut BitSlicedCounters, &[Slice])> = vec![add, BitSlicedCounters::add];
            #[cfg(target_arch = "x86_64")]
            {
                // SAFETY: only where the processor has these instructions.
                if processor_has!("fingerprint/bit_sliced.rs with AVX2", "avx2") {
                    variants.push(|counters, words| unsafe { add_avx2(counters, words) });
                }
                if processor_has!("fingerprint/bit_sliced.rs with AVX-512", "avx512vl") {
                    variants.push(|counters, words| unsafe { add_avx512(counters, words) });
                }
            }
            for add in variants {
                let mut counters = BitSlicedCounters::zero();
                add(&mut counters, &more);
                counters.clear();
                add(&mut counters, &words);
                prop_assert_eq!(counts(&counters), plain(&words));
                let mut others = BitSlicedCounters::zero();
                add(&mut others, &more);
                counters.add_shifted(&others, shift);
                let sums: Vec<u64> = plain(&words).iter().zip(plain(&more)).map(|(a, b)| a + (b << shift)).collect();
                prop_assert_eq!(counts(&counters), &sums[..]);
                let greater = counters.greater_than(bound);
                for (bit, sum) in sums.iter().enumerate() {
                    prop_assert_eq!(greater[bit / 64] >> (bit % 64) & 1 == 1, *sum > bound);
                }
            }
        }
    }
}
