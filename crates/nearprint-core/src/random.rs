//! A seed -> random numbers, equal on every machine.
//!
//! SplitMix64 (Guy L. Steele, Doug Lea, Christine H. Flood, "Fast Splittable Pseudorandom Number
//! Generators", OOPSLA 2014): a counter in steps of the golden ratio, and a finalizer that spreads
//! each of its values over all 64 bits.

/// A generator of random numbers.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// One of the independent streams of a seed.
    pub fn stream(seed: u64, stream: u64) -> Random {
        Random(mix(mix(seed) ^ stream))
    }

    /// 64 random bits.
    #[expect(clippy::should_implement_trait, reason = "random numbers do not end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `bound`, which is not 0; the bias is below `bound` / 2⁶⁴.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

/// The finalizer of SplitMix64.
pub fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_splitmix64() {
        // The first numbers of the seed 1234567, as the published generator gives them.
        let mut random = Random::new(1_234_567);
        let expected =
            [6_457_827_717_110_365_317u64, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected.map(|_| random.next()), expected);
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
