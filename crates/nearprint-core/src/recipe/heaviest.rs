//! Weighed features -> the heaviest ones, as they are shown.

use std::cmp::Ordering;

use super::{Prepared, Weigher};
use crate::features::Feature;
use crate::weights::UNIT;

/// A feature with its weight.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Weighed {
    /// Its text; the terms of an n-gram are joined by blanks.
    pub feature: String,
    /// The number of its occurrences.
    pub count: u32,
    /// Its weight.
    pub weight: f64,
}

/// The `top` heaviest features, the heaviest first. Among equal weights the feature that occurs
/// first comes first.
pub fn heaviest<'f>(
    weighed: impl Iterator<Item = (&'f Feature, f64)>,
    top: usize,
    name: impl Fn(&Feature) -> String,
) -> Vec<Weighed> {
    let mut list: Vec<(&Feature, f64)> = weighed.collect();
    keep_first(&mut list, top, |left, right| {
        right.1.total_cmp(&left.1).then(left.0.first.cmp(&right.0.first))
    });
    list.into_iter()
        .map(|(feature, weight)| Weighed { feature: name(feature), count: feature.count, weight })
        .collect()
}

/// Sorts the first `count` values of an order and drops the rest. A book has many features, and few
/// of them are shown.
pub fn keep_first<T>(list: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering) {
    if count == 0 {
        // Nothing is compared: the features may have no names.
        return list.clear();
    }
    if count < list.len() {
        list.select_nth_unstable_by(count, &order);
        list.truncate(count);
    }
    list.sort_by(order);
}

impl Weigher {
    /// The heaviest words of a document of words, in the order of [`heaviest`]. Its terms and their
    /// places must be there.
    pub fn heaviest_words(&mut self, document: &Prepared, top: usize) -> Vec<Weighed> {
        self.count_terms(document.own_terms());
        let ngram = self.ngram();
        let name = |feature: &Feature| {
            document.words_at(feature.first, ngram).expect("places are prepared")
        };
        heaviest(
            self.weighed().map(|(feature, weight)| (feature, weight as f64 / UNIT as f64)),
            top,
            name,
        )
    }
}
