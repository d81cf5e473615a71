//! Two files of corpus statistics -> the file of both corpora together.

use std::io::{self, Read, Write};

use super::file::{Saved, SavedFeature, Writer, invalid};
use super::{Pair, SHARDS};

/// Adds two files up. The sum is equal to the statistics of both corpora counted together.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] if the features of the two were made in different ways or a file
/// is damaged, and the errors of the readers and of `out`.
pub fn merge(
    mut left: Saved<impl Read>,
    mut right: Saved<impl Read>,
    out: impl Write,
) -> io::Result<()> {
    if left.description != right.description {
        return Err(invalid(&format!(
            "the two files were made with different settings and cannot be merged: {} and {}",
            left.description, right.description
        )));
    }
    let (features, left_places, right_places) = merge_features(&left.features, &right.features);
    let mut writer =
        Writer::new(out, &left.description, left.documents + right.documents, &features)?;
    let mut pairs: Vec<(Pair, u64)> = Vec::new();
    for shard in 0..SHARDS {
        let last = shard + 1 == SHARDS;
        let moved = |places: &[u32], pair: Pair| {
            u64::from(places[(pair >> 32) as usize]) << 32 | u64::from(places[pair as u32 as usize])
        };
        pairs.clear();
        left.shard(last, |pair, count| pairs.push((moved(&left_places, pair), count)))?;
        right.shard(last, |pair, count| pairs.push((moved(&right_places, pair), count)))?;
        pairs.sort_unstable();
        pairs.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            earlier.1 += if same { later.1 } else { 0 };
            same
        });
        writer.shard(&pairs)?;
    }
    writer.finish()?.flush()
}

/// The union of two sorted lists, and the place in it of each feature of either list.
fn merge_features(
    left: &[SavedFeature],
    right: &[SavedFeature],
) -> (Vec<SavedFeature>, Vec<u32>, Vec<u32>) {
    let mut features: Vec<SavedFeature> = Vec::with_capacity(left.len().max(right.len()));
    let (mut left_places, mut right_places) =
        (Vec::with_capacity(left.len()), Vec::with_capacity(right.len()));
    let (mut l, mut r) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let order = match (l.peek(), r.peek()) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => a.hash.cmp(&b.hash),
        };
        let place = features.len() as u32;
        let mut frequency = 0;
        let mut feature = None;
        if order.is_le() {
            left_places.push(place);
            feature = l.next();
            frequency += feature.map_or(0, |f| f.frequency);
        }
        if order.is_ge() {
            right_places.push(place);
            let from_right = r.next();
            frequency += from_right.map_or(0, |f| f.frequency);
            feature = feature.or(from_right);
        }
        features.extend(feature.map(|f| SavedFeature { frequency, ..f.clone() }));
    }
    (features, left_places, right_places)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::file::tests::saved;
    use super::*;

    /// The content of a file without the texts, which depend on the order of documents.
    fn facts(file: &[u8]) -> (u64, Vec<(u64, u64, f64, f64)>) {
        let mut opened = Saved::open(file).unwrap();
        let entropies = opened.entropies().unwrap();
        let features = opened.features.iter().enumerate();
        (
            opened.documents,
            features
                .map(|(n, f)| (f.hash, f.frequency, entropies.left(n), entropies.right(n)))
                .collect(),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn merging_equals_counting_together(
            left in proptest::collection::vec(proptest::collection::vec(0u64..9, 0..30), 0..6),
            right in proptest::collection::vec(proptest::collection::vec(5u64..14, 0..30), 0..6),
        ) {
            let mut merged = Vec::new();
            let (a, b) = (saved(&left), saved(&right));
            merge(Saved::open(&a[..]).unwrap(), Saved::open(&b[..]).unwrap(), &mut merged).unwrap();
            prop_assert_eq!(facts(&merged), facts(&saved(&[left, right].concat())));
        }
    }

    #[test]
    fn statistics_made_in_different_ways_do_not_add_up() {
        let good = saved(&[vec![1, 2, 3]]);
        let mut other = Saved::open(&good[..]).unwrap();
        other.description = "another".to_string();
        let error = merge(Saved::open(&good[..]).unwrap(), other, io::sink()).unwrap_err();
        assert!(error.to_string().contains("different settings"), "{error}");
    }
}
