//! Two texts -> the number of bytes that they have in common at their beginnings and at their ends.

/// The length of the longest common prefix of two texts, in bytes.
///
/// ```
/// assert_eq!(nearprint_core::compare::common_prefix(b"harbor", b"harvest"), 3);
/// ```
#[inline]
pub fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let mut same = 0;
    for (left, right) in words {
        let differ = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differ != 0 {
            return same + differ.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    same + left[same..].iter().zip(&right[same..]).take_while(|(left, right)| left == right).count()
}

/// The length of the longest common suffix of two texts, in bytes.
///
/// ```
/// assert_eq!(nearprint_core::compare::common_suffix(b"harvest", b"forest"), 3);
/// ```
#[inline]
pub fn common_suffix(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_rchunks::<8>().1.iter().rev().zip(right.as_rchunks::<8>().1.iter().rev());
    let mut same = 0;
    for (left, right) in words {
        let differ = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differ != 0 {
            return same + differ.leading_zeros() as usize / 8;
        }
        same += 8;
    }
    let rest = [left, right].map(|text| text[..text.len() - same].iter().rev());
    let [left, right] = rest;
    same + left.zip(right).take_while(|(left, right)| left == right).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn common_bytes_are_counted_like_one_by_one(one in "[ab]{0,40}", other in "[ab]{0,40}", same in "[ab]{0,20}") {
            let naive = |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(one, other)| one == other).count();
            let (left, right) = (format!("{same}{one}"), format!("{same}{other}"));
            prop_assert_eq!(common_prefix(left.as_bytes(), right.as_bytes()), naive(&mut left.bytes().zip(right.bytes())));
            let (left, right) = (format!("{one}{same}"), format!("{other}{same}"));
            let reversed = &mut left.bytes().rev().zip(right.bytes().rev());
            prop_assert_eq!(common_suffix(left.as_bytes(), right.as_bytes()), naive(reversed));
        }
    }
}
