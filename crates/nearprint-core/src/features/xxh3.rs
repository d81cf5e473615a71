//! XXH3 of inputs whose length is known or short, inlined. It has the values of the library and is
//! several times faster.
//!
//! Source: the specification of XXH3, "XXH3 Algorithm Overview", for inputs of up to 32 bytes, with
//! seed 0 where none is given. The tests compare it with the library.

/// The default secret's first eight words.
const SECRET: [u64; 8] = [
    0xbe4b_a423_396c_feb8,
    0x1cad_21f7_2c81_017c,
    0xdb97_9083_e96d_d4de,
    0x1f67_b3b7_a4a4_4072,
    0x78e5_c0cc_4ee6_79cb,
    0x2172_ffcc_7dd0_5a82,
    0x8e24_43f7_7446_08b8,
    0x4c26_3a81_e690_35e0,
];

const PRIME_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME_3: u64 = 0x1656_67b1_9e37_79f9;
const MIX_1: u64 = 0x1656_6791_9e37_79f9;
const MIX_2: u64 = 0x9fb2_1c65_1e98_df25;

/// XXH3-64 of some bytes.
#[inline]
pub fn xxh3_64(bytes: &[u8]) -> u64 {
    let length = bytes.len() as u64;
    match bytes.len() {
        1..=3 => {
            let [first, middle, last] =
                [0, bytes.len() / 2, bytes.len() - 1].map(|at| u64::from(bytes[at]));
            let combined = first << 16 | middle << 24 | last | length << 8;
            let mut hash = combined ^ (SECRET[0] & 0xffff_ffff ^ SECRET[0] >> 32);
            hash = (hash ^ hash >> 33).wrapping_mul(PRIME_2);
            hash = (hash ^ hash >> 29).wrapping_mul(PRIME_3);
            hash ^ hash >> 32
        }
        4..=8 => {
            let [first, last] = ends(bytes).map(u32::from_le_bytes).map(u64::from);
            let mut hash = (last | first << 32) ^ SECRET[1] ^ SECRET[2];
            hash ^= hash.rotate_left(49) ^ hash.rotate_left(24);
            hash = hash.wrapping_mul(MIX_2);
            hash = (hash ^ (hash >> 35).wrapping_add(length)).wrapping_mul(MIX_2);
            hash ^ hash >> 28
        }
        9..=16 => of_up_to_16(ends(bytes).map(u64::from_le_bytes), length),
        _ => xxhash_rust::xxh3::xxh3_64(bytes),
    }
}

/// XXH3-64 of the bytes of some numbers, little-endian.
#[inline]
pub fn xxh3_64_of_numbers(numbers: &[u64]) -> u64 {
    match *numbers {
        [first, last] => of_up_to_16([first, last], 16),
        [first, second, third] => {
            let start = fold(first ^ SECRET[0], second ^ SECRET[1]);
            let end = fold(second ^ SECRET[2], third ^ SECRET[3]);
            avalanche(24u64.wrapping_mul(PRIME_1).wrapping_add(start).wrapping_add(end))
        }
        _ if numbers.len() <= 8 => {
            let little_endian: [u64; 8] =
                std::array::from_fn(|place| numbers.get(place).map_or(0, |n| n.to_le()));
            xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(&little_endian[..numbers.len()]))
        }
        _ => xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(
            &numbers.iter().map(|n| n.to_le()).collect::<Vec<u64>>(),
        )),
    }
}

/// XXH3-128 of a number's eight bytes, little-endian: the high word and the low one.
#[inline]
pub fn xxh3_128_of_number(number: u64, seed: u64) -> [u64; 2] {
    let seed = seed ^ u64::from((seed as u32).swap_bytes()) << 32;
    let keyed = number ^ (SECRET[2] ^ SECRET[3]).wrapping_add(seed);
    let product = u128::from(keyed) * u128::from(PRIME_1.wrapping_add(8 << 2));
    let (mut high, mut low) = ((product >> 64) as u64, product as u64);
    high = high.wrapping_add(low << 1);
    low ^= high >> 3;
    low = (low ^ low >> 35).wrapping_mul(MIX_2);
    [avalanche(high), low ^ low >> 28]
}

/// The hash of 9 to 16 bytes, from the first eight and the last eight.
#[inline]
fn of_up_to_16([first, last]: [u64; 2], length: u64) -> u64 {
    let low = first ^ SECRET[3] ^ SECRET[4];
    let high = last ^ SECRET[5] ^ SECRET[6];
    avalanche(
        length.wrapping_add(low.swap_bytes()).wrapping_add(high).wrapping_add(fold(low, high)),
    )
}

/// The halves of a product of 128 bits.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn avalanche(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 37).wrapping_mul(MIX_1);
    hash ^ hash >> 32
}

/// The first bytes and the last ones.
#[inline]
fn ends<const N: usize>(bytes: &[u8]) -> [[u8; N]; 2] {
    [bytes.first_chunk(), bytes.last_chunk()].map(|end| *end.expect("there are enough bytes"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3;

    use super::*;

    proptest! {
        #[test]
        fn hashes_are_those_of_the_library(
            bytes in proptest::collection::vec(any::<u8>(), 0..40),
            numbers in proptest::collection::vec(any::<u64>(), 0..10),
            seed: u64,
        ) {
            prop_assert_eq!(xxh3_64(&bytes), xxh3::xxh3_64(&bytes));
            let of_numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            prop_assert_eq!(xxh3_64_of_numbers(&numbers), xxh3::xxh3_64(&of_numbers));
            let plain = xxh3::xxh3_128_with_seed(&seed.to_le_bytes(), seed);
            prop_assert_eq!(xxh3_128_of_number(seed, seed), [(plain >> 64) as u64, plain as u64]);
        }
    }
}
