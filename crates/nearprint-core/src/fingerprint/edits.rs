//! Two fingerprints as strings of bits -> their edit distance: the fewest bits to insert, delete
//! and replace.
//!
//! Zhang Hang et al. 2020 (section 1, and step 5 of SimHash) name it as an alternative to the
//! Hamming distance. It is at most the Hamming distance, and far less if bits are shifted.
//!
//! [`edit_distance`] is the table of the textbook, bits² steps. [`edit_distance_within`] only finds
//! a distance of at most some k: for each number of edits it keeps the farthest place on each
//! diagonal of the table, and extends it by comparing 64 bits at a time (Ukkonen, "Algorithms for
//! Approximate String Matching", Information and Control 64, 1985; Landau and Vishkin, "Fast
//! Parallel and Serial Approximate String Matching", Journal of Algorithms 10, 1989). It takes
//! about k² / 2 steps.

use std::mem;

use super::hamming_distance;

/// The kind of distance of two fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// The bits in which they differ.
    #[default]
    Hamming,
    /// The bits to insert, delete and replace.
    Edit,
}

impl Distance {
    /// The distance of two fingerprints of `bits` bits.
    pub fn of(self, left: &[u64], right: &[u64], bits: u32) -> u32 {
        match self {
            Distance::Hamming => hamming_distance(left, right),
            Distance::Edit => edit_distance(left, right, bits),
        }
    }
}

/// The edit distance of two fingerprints as strings of `bits` bits: the fewest bits to insert,
/// delete and replace.
///
/// ```
/// use nearprint_core::fingerprint::edit_distance;
/// // 00110 and 01110 differ in one bit.
/// assert_eq!(edit_distance(&[0b00110 << 59], &[0b01110 << 59], 64), 1);
/// // 0101… and 1010… differ in all bits, but one bit moved makes one of the other.
/// assert_eq!(edit_distance(&[0x5555_5555_5555_5555], &[0xaaaa_aaaa_aaaa_aaaa], 64), 2);
/// ```
pub fn edit_distance(left: &[u64], right: &[u64], bits: u32) -> u32 {
    let bit = |words: &[u64], at: u32| words[at as usize / 64] >> (63 - at % 64) & 1;
    let mut row: Vec<u32> = (0..=bits).collect();
    for i in 0..bits {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..bits {
            let above = row[j as usize + 1];
            let replaced = diagonal + u32::from(bit(left, i) != bit(right, j));
            row[j as usize + 1] = replaced.min(above + 1).min(row[j as usize] + 1);
            diagonal = above;
        }
    }
    row[bits as usize]
}

/// The edit distance of two fingerprints of `bits` bits, if it is at most `most`.
///
/// ```
/// use nearprint_core::fingerprint::edit_distance_within;
/// let [left, right] = [[0x5555_5555_5555_5555], [0xaaaa_aaaa_aaaa_aaaa]];
/// assert_eq!(edit_distance_within(&left, &right, 64, 2), Some(2));
/// assert_eq!(edit_distance_within(&left, &right, 64, 1), None);
/// ```
pub fn edit_distance_within(left: &[u64], right: &[u64], bits: u32, most: u32) -> Option<u32> {
    /// The diagonals that the most bits of a fingerprint can reach.
    const DIAGONALS: usize = 256 + 3;
    const UNREACHED: i32 = i32::MIN / 2;
    // Each edit adds or removes at most one 1.
    let ones = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
    if ones(left).abs_diff(ones(right)) > most {
        return None;
    }
    let (bits, most) = (bits as i32, most.min(bits) as i32);
    // The bits of `left` that the edits so far account for. On diagonal `middle` + n, `right` is n
    // bits ahead.
    let middle = DIAGONALS / 2;
    let (mut one, mut other) = ([0; DIAGONALS], [0; DIAGONALS]);
    let (mut before, mut reach) = (&mut one, &mut other);
    let used = middle - most as usize / 2 - 1..middle + most as usize / 2 + 2;
    before[used.clone()].fill(UNREACHED);
    reach[used].fill(UNREACHED);
    for edits in 0..=most {
        // Insertions and deletions are equally many in the end, so far diagonals lead nowhere.
        let widest = edits.min(most - edits);
        for diagonal in -widest..=widest {
            let at = (middle as i32 + diagonal) as usize;
            let from = match edits {
                0 => 0,
                _ => (before[at] + 1).max(before[at - 1]).max(before[at + 1] + 1),
            };
            let from = from.min(bits).min(bits - diagonal);
            reach[at] = match from + diagonal.min(0) {
                // The diagonal is not reached yet.
                start if start < 0 => UNREACHED,
                _ => from + equal_bits(left, right, from, from + diagonal, bits),
            };
        }
        if reach[middle] == bits {
            return Some(edits as u32);
        }
        // Values of the step before the last one are bounds for fewer edits, which hold for more
        // edits.
        mem::swap(&mut before, &mut reach);
    }
    None
}

/// The number of equal bits of `left` from `i` on and of `right` from `j` on.
fn equal_bits(left: &[u64], right: &[u64], i: i32, j: i32, bits: i32) -> i32 {
    let most = bits - i.max(j);
    let mut equal = 0;
    while equal < most {
        let differ = word_at(left, i + equal) ^ word_at(right, j + equal);
        let same = differ.leading_zeros() as i32;
        equal += same;
        if same < 64 {
            break;
        }
    }
    equal.min(most)
}

/// The 64 bits from a place on, with zeros after the end.
#[inline]
fn word_at(words: &[u64], place: i32) -> u64 {
    let (word, shift) = (place as usize / 64, place as u32 % 64);
    let next = words.get(word + 1).copied().unwrap_or(0);
    words[word] << shift | next.checked_shr(64 - shift).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A fingerprint, and one that some edits made of it; bits that fall off its end are lost.
    fn edited() -> impl Strategy<Value = ([u64; 4], [u64; 4], u32)> {
        let edits =
            prop::collection::vec((0..3_u8, any::<prop::sample::Index>(), any::<bool>()), 0..24);
        (any::<[u64; 4]>(), edits, prop::sample::select(vec![32, 64, 128, 256])).prop_map(
            |(words, edits, bits)| {
                let mut all: Vec<bool> = (0..bits)
                    .map(|at| words[at as usize / 64] >> (63 - at % 64) & 1 == 1)
                    .collect();
                for (kind, place, bit) in edits {
                    let place = place.index(all.len());
                    match kind {
                        0 => all.insert(place, bit),
                        1 => _ = all.remove(place),
                        _ => all[place] = bit,
                    }
                    all.resize(bits as usize, bit);
                }
                let mut other = [0; 4];
                all.iter()
                    .enumerate()
                    .for_each(|(at, bit)| other[at / 64] |= u64::from(*bit) << (63 - at % 64));
                (super::super::first_bits(words, bits), other, bits)
            },
        )
    }

    /// The definition of `edit_distance_within`.
    fn plain(left: &[u64; 4], right: &[u64; 4], bits: u32, most: u32) -> Option<u32> {
        Some(edit_distance(left, right, bits)).filter(|distance| *distance <= most)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn the_distance_is_that_of_the_table((left, right, bits) in edited(), most in 0..60_u32) {
            prop_assert_eq!(edit_distance_within(&left, &right, bits, most), plain(&left, &right, bits, most));
            prop_assert_eq!(edit_distance_within(&right, &left, bits, most), plain(&left, &right, bits, most));
        }

        #[test]
        fn it_is_at_most_the_hamming_distance_and_found_whatever_it_is(left: [u64; 4], right: [u64; 4]) {
            let distance = edit_distance(&left, &right, 256);
            prop_assert!(distance <= super::super::hamming_distance(&left, &right));
            prop_assert_eq!(edit_distance_within(&left, &right, 256, 256), Some(distance));
            prop_assert_eq!(edit_distance_within(&left, &right, 256, distance), Some(distance));
            prop_assert_eq!(edit_distance_within(&left, &right, 256, distance - 1), None);
        }
    }

    #[test]
    fn the_farthest_fingerprints_are_as_many_edits_apart_as_they_have_bits() {
        for bits in [32, 64, 128, 256] {
            let ones = super::super::first_bits([u64::MAX; 4], bits);
            assert_eq!(edit_distance_within(&ones, &[0; 4], bits, bits), Some(bits));
            assert_eq!(edit_distance_within(&ones, &[0; 4], bits, bits - 1), None);
            assert_eq!(edit_distance_within(&ones, &ones, bits, 0), Some(0));
        }
    }
}
