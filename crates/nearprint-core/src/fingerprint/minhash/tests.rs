use proptest::prelude::*;

use super::*;
#[cfg(target_arch = "x86_64")]
use crate::testing::processor_has;

/// The values of `MinHash(4, seed=1, scheme=...)` of datasketch 2.0.0 after `update(b"Hello")`, under
/// its permutations. 1.10.0 has the same in the legacy scheme.
#[test]
fn values_of_the_package() {
    let permutations = Permutations::Legacy {
        a: vec![
            775_169_054_918_279_404,
            2_109_959_069_025_162,
            401_325_382_989_534_145,
            1_130_051_441_076_870_728,
        ],
        b: vec![
            1_758_426_461_858_698_312,
            965_365_488_286_768_773,
            1_703_346_441_743_126_657,
            1_762_784_241_922_636_284,
        ],
    };
    let mut minima = [u64::from(u32::MAX); 4];
    let hash = u64::from(sha1_64(b"Hello") as u32);
    permutations.lower(bytemuck::bytes_of_mut(&mut minima), &mut [hash]);
    assert_eq!(minima, [734_825_475, 960_773_806, 359_816_889, 342_714_745]);

    let permutations = Permutations::Affine32 {
        a: vec![3_582_191_691, 4_270_784_983, 1_892_572_953, 3_715_639_441],
        b: vec![491_263, 550_290_313, 1_298_508_491, 4_290_846_341],
    };
    let mut minima = [u32::MAX; 4];
    permutations.lower(bytemuck::bytes_of_mut(&mut minima), &mut [hash]);
    assert_eq!(minima, [3_231_258_861, 1_388_533_999, 831_950_533, 1_845_606_703]);

    let permutations = Permutations::Affine64 {
        a: vec![15_385_396_165_118_722_519, 8_128_538_942_144_784_529],
        b: vec![2_707_168_392_203_228_096, 1_703_346_441_743_126_657],
    };
    let mut minima = [u64::MAX; 2];
    permutations.lower(bytemuck::bytes_of_mut(&mut minima), &mut [sha1_64(b"Hello")]);
    assert_eq!(minima, [17_263_807_126_536_662_982, 6_203_611_050_164_820_875]);
}

#[test]
fn last_bits_are_those_of_a_division() {
    let modulus = (1u64 << 61) - 1;
    for number in [0, 1, modulus - 1, modulus, modulus + 1, 2 * modulus, 7 * modulus, u64::MAX] {
        for number in [number.wrapping_sub(1), number, number.wrapping_add(1)] {
            assert_eq!(last_bits(number), (number % modulus) & 0xffff_ffff);
        }
    }
}

/// The minima as the definition has them, one permutation after the other.
fn plain(permutations: &Permutations, minima: &[u64], hashes: &[u64]) -> Vec<u64> {
    let value = |place: usize, hash: u64| match permutations {
        Permutations::Affine32 { a, b } => {
            u64::from(a[place].wrapping_mul(mix_32(hash as u32)).wrapping_add(b[place]))
        }
        Permutations::Affine64 { a, b } => {
            a[place].wrapping_mul(mix_64(hash)).wrapping_add(b[place])
        }
        Permutations::Legacy { a, b } => {
            (a[place].wrapping_mul(hash).wrapping_add(b[place]) % ((1 << 61) - 1)) & 0xffff_ffff
        }
    };
    let lowered = |(place, start): (usize, &u64)| {
        hashes.iter().map(|hash| value(place, *hash)).fold(*start, u64::min)
    };
    minima.iter().enumerate().map(lowered).collect()
}

proptest! {
    #[test]
    fn every_variant_lowers_like_one_permutation_at_a_time(
        scheme in 0..3,
        numbers in proptest::collection::vec(any::<[u64; 3]>(), 1..100),
        hashes in proptest::collection::vec(any::<u64>(), 0..20),
    ) {
        let column = |place: usize| numbers.iter().map(|own| own[place]).collect::<Vec<u64>>();
        let (a, b, mut start) = (column(0), column(1), column(2));
        let narrow = |numbers: &[u64]| numbers.iter().map(|own| *own as u32).collect::<Vec<u32>>();
        let permutations = match scheme {
            0 => {
                start.iter_mut().for_each(|own| *own &= 0xffff_ffff);
                Permutations::Affine32 { a: narrow(&a), b: narrow(&b) }
            }
            1 => Permutations::Affine64 { a, b },
            _ => Permutations::Legacy { a, b },
        };
        let expected = plain(&permutations, &start, &hashes);
        type Lower = fn(&Permutations, &mut [u8], &mut [u64]);
        let mut variants: Vec<Lower> = vec![Permutations::lower, Permutations::lower_each];
        #[cfg(target_arch = "x86_64")]
        if processor_has!("fingerprint/minhash.rs with AVX2", "avx2") {
            // SAFETY: the processor has these instructions.
            variants.push(|permutations, minima, hashes| unsafe {
                permutations.lower_avx2(minima, hashes)
            });
        }
        #[cfg(target_arch = "x86_64")]
        if processor_has!("fingerprint/minhash.rs with AVX-512", "avx512f", "avx512dq") {
            // SAFETY: the processor has these instructions.
            variants.push(|permutations, minima, hashes| unsafe {
                permutations.lower_avx512(minima, hashes)
            });
        }
        for lower in variants {
            let found: Vec<u64> = if scheme == 0 {
                let mut minima = narrow(&start);
                lower(&permutations, bytemuck::cast_slice_mut(&mut minima), &mut hashes.clone());
                minima.into_iter().map(u64::from).collect()
            } else {
                let mut minima = start.clone();
                lower(&permutations, bytemuck::cast_slice_mut(&mut minima), &mut hashes.clone());
                minima
            };
            prop_assert_eq!(&found, &expected);
        }
    }
}
