//! Rows, and their sources -> the clusters of the page with their sizes, similarities and sources.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use serde::Serialize;

use super::census::Census;
use super::choose::Chosen;
use super::rows::ReportRows;

/// The most sources of a cluster that are named, those with most of its documents first.
const NAMED: usize = 3;

/// A cluster, some of whose removed documents the page shows. Its fields have short names, since
/// there may be thousands of clusters.
#[derive(Debug, Serialize)]
pub(super) struct Cluster {
    /// The number of the cluster.
    pub n: u32,
    /// The number of its documents, the keeper included.
    size: u32,
    /// The keeper.
    k: usize,
    /// The least similarity of a removed document.
    s: f64,
    /// Some of its sources, and the number of all of them.
    from: Vec<Option<String>>,
    sources: usize,
    /// The pairs, the least similar first.
    pairs: Vec<usize>,
}

/// The clusters that have pairs, the largest first. `pairs` has the pairs of each cluster by its
/// number, in the order of the rows.
pub(super) fn clusters(
    removed: &ReportRows,
    chosen: &Chosen,
    census: &Census,
    mut pairs: BTreeMap<u32, Vec<(f64, usize)>>,
    keeper: impl Fn(usize) -> usize,
) -> Vec<Cluster> {
    let mut least: HashMap<u32, f64> = HashMap::new();
    for row in removed.rows.iter().filter(|row| pairs.contains_key(&row.cluster)) {
        let least = least.entry(row.cluster).or_insert(row.similarity);
        *least = least.min(row.similarity);
    }
    let cluster = |(number, size): &(u32, u32)| {
        let mut own = pairs.remove(number)?;
        own.sort_by(|(one, first), (other, second)| one.total_cmp(other).then(first.cmp(second)));
        let own: Vec<usize> = own.into_iter().map(|(_, pair)| pair).collect();
        let mut from: Vec<_> = census.spans.get(number).into_iter().flatten().collect();
        from.sort_by_key(|(name, count)| (Reverse(**count), *name));
        Some(Cluster {
            n: *number,
            size: *size,
            k: keeper(own[0]),
            s: least[number],
            sources: from.len(),
            from: from.into_iter().take(NAMED).map(|(name, _)| name.clone()).collect(),
            pairs: own,
        })
    };
    chosen.sizes.iter().filter_map(cluster).collect()
}
