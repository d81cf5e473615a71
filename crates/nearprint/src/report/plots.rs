//! Rows and counts -> the numbers behind the plots.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::census::{Census, Counts};
use super::rows::ReportRows;

/// The most sources that are compared.
const ACROSS: usize = 12;

/// The numbers of pairs by hundredths of similarity, from the first hundredth with a pair.
#[derive(Debug, Serialize)]
pub(super) struct Similarities {
    from: f64,
    step: f64,
    removed: Vec<u64>,
    missed: Vec<u64>,
    /// True if the pairs just below the bound are a sample.
    sampled: bool,
}

/// The numbers of clusters by their numbers of documents.
#[derive(Debug, Serialize)]
pub(super) struct Sizes {
    pub labels: Vec<String>,
    pub clusters: Vec<u64>,
}

/// The numbers of documents by their length in characters.
#[derive(Debug, Serialize)]
pub(super) struct Lengths {
    labels: Vec<String>,
    kept: Vec<u64>,
    removed: Vec<u64>,
}

/// The numbers of removed documents of each source by the source of their keeper.
#[derive(Debug, Serialize)]
pub(super) struct Across {
    names: Vec<Option<String>>,
    counts: Vec<Vec<u64>>,
}

impl Similarities {
    pub fn new(removed: &ReportRows, missed: &ReportRows, sampled: bool) -> Similarities {
        let count = |rows: &ReportRows| {
            let mut counts = vec![0; 101];
            rows.rows.iter().for_each(|row| counts[hundredth(row.similarity)] += 1);
            counts
        };
        let (removed, missed) = (count(removed), count(missed));
        let first = (0..101).find(|at| removed[*at] + missed[*at] > 0).unwrap_or(100);
        let [removed, missed] = [removed, missed].map(|counts| counts[first..].to_vec());
        Similarities { from: first as f64 / 100.0, step: 0.01, removed, missed, sampled }
    }
}

impl Sizes {
    /// The numbers of clusters of these sizes.
    pub fn of(sizes: impl Iterator<Item = u32>) -> Sizes {
        // The classes are 2, 3, 4, then powers of two: 5-8, 9-16.
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for size in sizes {
            *counts.entry(if size <= 4 { size } else { size.next_power_of_two() }).or_default() +=
                1;
        }
        let label = |most: &u32| {
            if *most <= 4 { most.to_string() } else { format!("{}-{most}", most / 2 + 1) }
        };
        Sizes {
            labels: counts.keys().map(label).collect(),
            clusters: counts.into_values().collect(),
        }
    }
}

impl Lengths {
    /// The lengths; `None` if nothing was read.
    pub fn new(counts: &Counts) -> Option<Lengths> {
        let (first, last) = (*counts.lengths.keys().next()?, *counts.lengths.keys().next_back()?);
        let all =
            || (first..=last).map(|power| counts.lengths.get(&power).copied().unwrap_or_default());
        let label = |power: u32| match power {
            0..10 => (1u64 << power).to_string(),
            10..20 => format!("{}k", 1u64 << (power - 10)),
            _ => format!("{}M", 1u64 << (power - 20)),
        };
        Some(Lengths {
            labels: (first..=last).map(label).collect(),
            kept: all().map(|[kept, _]| kept).collect(),
            removed: all().map(|[_, removed]| removed).collect(),
        })
    }
}

impl Across {
    /// The sources with the most removed documents and keepers.
    pub fn new(census: &Census) -> Across {
        let mut totals: BTreeMap<&Option<String>, u64> = BTreeMap::new();
        for ([own, keeper], count) in &census.across {
            *totals.entry(own).or_default() += count;
            *totals.entry(keeper).or_default() += count;
        }
        let mut names: Vec<(&Option<String>, u64)> = totals.into_iter().collect();
        names.sort_by_key(|(_, count)| Reverse(*count));
        let names: Vec<Option<String>> =
            names.into_iter().take(ACROSS).map(|(name, _)| name.clone()).collect();
        let count = |own: &Option<String>, keeper: &Option<String>| {
            census.across.get(&[own.clone(), keeper.clone()]).copied().unwrap_or(0)
        };
        let counts = names
            .iter()
            .map(|own| names.iter().map(|keeper| count(own, keeper)).collect())
            .collect();
        Across { names, counts }
    }
}

/// The number of the hundredth with this similarity.
pub(super) fn hundredth(similarity: f64) -> usize {
    // The tolerance makes six decimals exact; without it 0.29 would lie below 29 hundredths.
    ((similarity * 100.0 + 1e-7).floor() as usize).min(100)
}
