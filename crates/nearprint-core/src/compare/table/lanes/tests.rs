//! All forms of the loops against the plain ones.

use proptest::prelude::*;

use super::*;
use crate::compare::table::each_hash_plainly;
use crate::normalize::size;
use crate::testing::processor_has;

/// All forms that this processor can run.
fn forms() -> Vec<Lanes> {
    let avx2 = processor_has!("compare/table/lanes.rs with AVX2", "avx2", "popcnt");
    let avx512 = processor_has!("compare/table/lanes.rs with AVX-512", "avx512bw", "avx512vbmi");
    let all = [(avx2, Instructions::Avx2), (avx512, Instructions::Avx512)];
    all.into_iter()
        .filter(|(there, _)| *there)
        .map(|(_, instructions)| Lanes(instructions))
        .collect()
}

proptest! {
    #[test]
    fn every_form_hashes_and_covers_like_the_plain_one(
        own in "[a-c0-2]{10,300}", other in "[a-c0-2]{10,300}", length in 4u32..=10,
    ) {
        let (own, other) = (own.as_bytes(), other.as_bytes());
        let mut hashes = Vec::new();
        each_hash_plainly(own, size(own), length, |byte, hash| hashes.push((byte, hash)));
        let mut table = WindowTable::default();
        table.hold(own, size(own), length);
        let mut plainly = Present::default();
        plainly.clear(other.len());
        table.present_plainly(other, size(other), u32::MAX, &mut plainly);
        for form in forms() {
            let mut in_lanes = Vec::new();
            form.each_hash(length as usize, own, |byte, hash| in_lanes.push((byte, hash)));
            prop_assert_eq!(&in_lanes, &hashes, "{:?}", form);
            let mut present = Present::default();
            present.clear(other.len());
            form.present(&table, other, u32::MAX, &mut present);
            prop_assert_eq!(present.uncovered, plainly.uncovered, "{:?}", form);
            for byte in 0..other.len() {
                prop_assert_eq!(present.has(byte), plainly.has(byte), "{:?}", form);
            }
            for most in (0..1000).step_by(17) {
                present.clear(other.len());
                form.present(&table, other, most, &mut present);
                prop_assert_eq!(present.uncovered <= most, plainly.uncovered <= most, "{:?}", form);
            }
        }
    }
}
