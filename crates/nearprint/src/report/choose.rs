//! All rows -> the rows whose texts the page shows, and the clusters: enough for a judgment, in
//! some megabytes.
//!
//! | rows | number |
//! | --- | --- |
//! | the largest clusters, those with the least similar documents, and clusters drawn without regard to anything | 100 each |
//! | of each of these its least similar documents | 10 |
//! | the least similar removed documents | 400 |
//! | of each hundredth of similarity some, above and below the bound, for the slider; of no more than 100 all | 16 |
//! | removed documents longer than their keepers by a fifth or more, those that are longer by most | 100 |
//!
//! A draw takes the rows with the smallest hashes, so it is the same every time.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::rows::{Place, ReportRows, Row};

const CLUSTERS: usize = 100;
const OF_CLUSTER: usize = 10;
const LEAST_SIMILAR: usize = 400;
const OF_HUNDREDTH: usize = 16;
const FEW: usize = 100;
const LONGER: usize = 100;

/// The chosen rows, by their numbers in order.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub removed: Vec<usize>,
    pub missed: Vec<usize>,
    /// The number of documents in every cluster, the keeper included, the largest cluster first; of
    /// equal ones the first.
    pub sizes: Vec<(u32, u32)>,
    pub orders: Orders<u32>,
}

/// The clusters to browse, in several orders.
#[derive(Debug, Default, Serialize)]
pub(super) struct Orders<T> {
    /// The largest one first.
    pub largest: Vec<T>,
    /// The cluster with the least similar document first.
    pub least: Vec<T>,
    /// A uniform random sample.
    pub sampled: Vec<T>,
}

impl Chosen {
    pub fn new(removed: &ReportRows, missed: &ReportRows) -> Chosen {
        let sizes = sizes(&removed.rows);
        let mut chosen: BTreeSet<usize> = BTreeSet::new();
        let all = || 0..removed.rows.len();
        let mut by_similarity: Vec<usize> = all().collect();
        by_similarity.sort_by(|one, other| {
            let similarity = |row: &usize| removed.rows[*row].similarity;
            similarity(one).total_cmp(&similarity(other)).then(one.cmp(other))
        });
        let orders =
            Orders::new(&sizes, by_similarity.iter().map(|row| removed.rows[*row].cluster));
        let browsed = [&orders.largest, &orders.least, &orders.sampled].into_iter().flatten();
        let mut left: HashMap<u32, usize> = browsed.map(|cluster| (*cluster, OF_CLUSTER)).collect();
        let in_clusters = by_similarity.iter().copied().filter(|row| {
            let left = left.get_mut(&removed.rows[*row].cluster).filter(|left| **left > 0);
            left.map(|left| *left -= 1).is_some()
        });
        chosen.extend(in_clusters);
        chosen.extend(&by_similarity[..by_similarity.len().min(LEAST_SIMILAR)]);
        chosen.extend(of_each_hundredth(&removed.rows));
        chosen.extend(longer(&removed.rows));
        Chosen {
            removed: chosen.into_iter().collect(),
            missed: of_each_hundredth(&missed.rows),
            sizes,
            orders,
        }
    }

    /// The clusters of the chosen removed documents.
    pub fn clusters(&self, removed: &ReportRows) -> HashSet<u32> {
        self.removed.iter().map(|row| removed.rows[*row].cluster).collect()
    }

    /// The places of all chosen documents and of their keepers, each once, with the names of files
    /// in these rows.
    pub fn places<'r>(
        &self,
        removed: &'r ReportRows,
        missed: &'r ReportRows,
    ) -> BTreeSet<(&'r str, u64)> {
        let ends = |rows: &'r ReportRows, chosen: &[usize]| -> Vec<(&'r str, u64)> {
            let ends =
                chosen.iter().flat_map(|row| [rows.rows[*row].place, rows.rows[*row].keeper]);
            ends.map(|Place { file, row }| (rows.files[file as usize].as_str(), row)).collect()
        };
        ends(removed, &self.removed).into_iter().chain(ends(missed, &self.missed)).collect()
    }
}

impl Orders<u32> {
    /// The orders of clusters. `sizes` has the largest first, `by_similarity` the cluster of every
    /// row, the least similar first.
    fn new(sizes: &[(u32, u32)], by_similarity: impl Iterator<Item = u32>) -> Orders<u32> {
        let mut seen = HashSet::new();
        let least = by_similarity.filter(|cluster| seen.insert(*cluster)).take(CLUSTERS).collect();
        let mut hashed: Vec<(u64, u32)> =
            sizes.iter().map(|(cluster, _)| (xxh3_64(&cluster.to_le_bytes()), *cluster)).collect();
        hashed.sort_unstable();
        Orders {
            largest: sizes.iter().take(CLUSTERS).map(|(cluster, _)| *cluster).collect(),
            least,
            sampled: hashed.into_iter().take(CLUSTERS).map(|(_, cluster)| cluster).collect(),
        }
    }
}

impl<T> Orders<T> {
    /// The orders with the clusters mapped by `each`.
    pub fn map<U>(&self, each: impl Fn(&T) -> U) -> Orders<U> {
        let [largest, least, sampled] = [&self.largest, &self.least, &self.sampled]
            .map(|order| order.iter().map(&each).collect());
        Orders { largest, least, sampled }
    }
}

/// The clusters with their numbers of documents, the largest first.
fn sizes(rows: &[Row]) -> Vec<(u32, u32)> {
    let mut sizes: HashMap<u32, u32> = HashMap::new();
    rows.iter().for_each(|row| *sizes.entry(row.cluster).or_insert(1) += 1);
    let mut sizes: Vec<(u32, u32)> = sizes.into_iter().collect();
    sizes.sort_unstable_by_key(|(cluster, size)| (Reverse(*size), *cluster));
    sizes
}

/// For each hundredth of similarity the rows with the smallest hashes, in order. If there are few
/// rows all are taken, so that all can be marked.
fn of_each_hundredth(rows: &[Row]) -> Vec<usize> {
    if rows.len() <= FEW {
        return (0..rows.len()).collect();
    }
    let mut parts = vec![Vec::new(); 101];
    for (number, row) in rows.iter().enumerate() {
        parts[hundredth(row.similarity)].push(number);
    }
    let mut chosen: Vec<usize> =
        parts.iter().flat_map(|part| smallest(rows, part.iter().copied(), OF_HUNDREDTH)).collect();
    chosen.sort_unstable();
    chosen
}

/// The number of the hundredth with this similarity.
pub(super) fn hundredth(similarity: f64) -> usize {
    // The tolerance makes six decimals exact; without it 0.29 would lie below 29 hundredths.
    ((similarity * 100.0 + 1e-7).floor() as usize).min(100)
}

/// The removed documents that are much longer than their keepers, those with the most additional
/// characters first.
fn longer(rows: &[Row]) -> Vec<usize> {
    let mut longer: Vec<usize> =
        (0..rows.len()).filter(|number| rows[*number].is_longer()).collect();
    longer.sort_by_key(|number| Reverse(rows[*number].lengths[0] - rows[*number].lengths[1]));
    longer.truncate(LONGER);
    longer
}

/// Of some rows, the ones whose places have the smallest hashes.
fn smallest(rows: &[Row], numbers: impl Iterator<Item = usize>, most: usize) -> Vec<usize> {
    let hash = |number: usize| {
        let Row { place, keeper, .. } = rows[number];
        xxh3_64(
            &[place.row, u64::from(place.file), keeper.row, u64::from(keeper.file)]
                .map(u64::to_le_bytes)
                .concat(),
        )
    };
    let mut hashed: Vec<(u64, usize)> = numbers.map(|number| (hash(number), number)).collect();
    if hashed.len() > most {
        hashed.select_nth_unstable(most);
        hashed.truncate(most);
    }
    hashed.into_iter().map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_browsed_by_size_by_their_least_similar_document_and_drawn() {
        let sizes: Vec<(u32, u32)> = (1..=250).map(|cluster| (cluster, 300 - cluster)).collect();
        // The last cluster has the least similar document; each cluster has two.
        let by_similarity = (1..=250).rev().flat_map(|cluster| [cluster, cluster]);
        let orders = Orders::new(&sizes, by_similarity);
        assert_eq!(orders.largest, (1..=100).collect::<Vec<u32>>());
        assert_eq!(orders.least, (151..=250).rev().collect::<Vec<u32>>());
        let drawn: BTreeSet<u32> = orders.sampled.iter().copied().collect();
        // The two halves are drawn alike, except for chance.
        let small = drawn.range(126..).count();
        assert!(drawn.len() == 100 && (35..=65).contains(&small), "{small}");
        assert_eq!(orders.map(|cluster| cluster + 1).largest[0], 2);
    }
}
