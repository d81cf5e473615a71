//! Two answers -> the sums of which all measures are made, one for each block of documents that
//! either answer links.
//!
//! Documents are sorted by block, found cluster and labeled cluster, which is the order of the
//! cells of the contingency table. One pass over them gives every sum. Blocks with equal sums are
//! one kind with a count, so a million documents without duplicates are one kind.

use hashbrown::HashMap;

use super::answer::{Answer, Pair, Shape};
use crate::cluster::{self, Method};

/// The unit of B-cubed's shares, 2⁻⁴⁰. Sums of fractions are held as integers, so their order does
/// not matter.
pub(super) const UNIT: u128 = 1 << 40;

/// The sums over documents or pairs of which the measures are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Sums {
    pub documents: u128,
    /// The number of documents whose partners are the same in both answers.
    pub agreeing: u128,
    /// The numbers of pairs of each answer and of both.
    pub found: u128,
    pub truth: u128,
    pub common: u128,
    /// The numbers of pairs inside the clusters of each answer, and of both.
    pub found_clustered: u128,
    pub truth_clustered: u128,
    pub common_clustered: u128,
    /// B-cubed's shares, in units of 2⁻⁴⁰.
    pub precision: u128,
    pub recall: u128,
}

impl Sums {
    /// Adds other sums `times` times.
    pub fn add(&mut self, other: &Sums, times: u64) {
        let times = u128::from(times);
        self.documents += other.documents * times;
        self.agreeing += other.agreeing * times;
        self.found += other.found * times;
        self.truth += other.truth * times;
        self.common += other.common * times;
        self.found_clustered += other.found_clustered * times;
        self.truth_clustered += other.truth_clustered * times;
        self.common_clustered += other.common_clustered * times;
        self.precision += other.precision * times;
        self.recall += other.recall * times;
    }
}

/// The sums of every block: each kind with its number of blocks, sorted. `left_out` is sorted.
pub(super) fn kinds(
    documents: u32,
    found: &Answer,
    truth: &Answer,
    left_out: &[Pair],
) -> Vec<(Sums, u64)> {
    let (found, truth) = (found.without(left_out), truth.without(left_out));
    let (found_cluster, truth_cluster) =
        (clustering(documents, &found), clustering(documents, &truth));
    let block = blocks(&found_cluster, &truth_cluster);
    let mut order: Vec<u32> = (0..documents).collect();
    order.sort_unstable_by_key(|document| {
        let place = *document as usize;
        (block[place], found_cluster[place], truth_cluster[place], *document)
    });
    let partners = Partners::new(
        documents,
        &found,
        &truth,
        left_out,
        &order,
        (&found_cluster, &truth_cluster),
    );
    let truth_size = sizes(&truth_cluster);
    let found_size = sizes(&found_cluster);

    let mut kinds: HashMap<Sums, u64> = HashMap::new();
    for in_block in order.chunk_by(|a, b| block[*a as usize] == block[*b as usize]) {
        let mut sums = Sums { documents: in_block.len() as u128, ..Sums::default() };
        for document in in_block {
            partners.add(*document, &mut sums);
        }
        // Each pair was counted at both ends.
        sums.found /= 2;
        sums.truth /= 2;
        sums.common /= 2;
        let mut seen = Vec::new();
        for in_found in
            in_block.chunk_by(|a, b| found_cluster[*a as usize] == found_cluster[*b as usize])
        {
            sums.found_clustered += pairs_of(in_found.len() as u128);
            for cell in
                in_found.chunk_by(|a, b| truth_cluster[*a as usize] == truth_cluster[*b as usize])
            {
                let (size, first) = (cell.len() as u128, cell[0] as usize);
                sums.common_clustered += pairs_of(size);
                sums.precision +=
                    share(size, u128::from(found_size[found_cluster[first] as usize]));
                sums.recall += share(size, u128::from(truth_size[truth_cluster[first] as usize]));
                seen.push(truth_cluster[first]);
            }
        }
        seen.sort_unstable();
        seen.dedup();
        sums.truth_clustered =
            seen.iter().map(|label| pairs_of(u128::from(truth_size[*label as usize]))).sum();
        *kinds.entry(sums).or_default() += 1;
    }
    let mut kinds: Vec<(Sums, u64)> = kinds.into_iter().collect();
    kinds.sort_unstable();
    kinds
}

/// The number of pairs among so many documents.
pub(super) fn pairs_of(documents: u128) -> u128 {
    documents * documents.saturating_sub(1) / 2
}

/// The contribution of a cell of the contingency table to B-cubed: for each of its documents, the
/// cell's share of the cluster.
fn share(cell: u128, cluster: u128) -> u128 {
    (cell * cell * UNIT + cluster / 2) / cluster
}

fn sizes(clusters: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0; clusters.len()];
    clusters.iter().for_each(|cluster| sizes[*cluster as usize] += 1);
    sizes
}

/// For each document a label of its cluster below `documents`; for an answer in pairs the clusters
/// are the connected components.
fn clustering(documents: u32, answer: &Answer) -> Vec<u32> {
    let ranks: Vec<u32> = (0..documents).collect();
    match &answer.0 {
        Shape::Pairs(pairs) => cluster::keepers(Method::Components, &ranks, pairs),
        Shape::Clusters(labels) => {
            // A cluster is labeled by its first document, so the labels of documents beyond the
            // list are free.
            let mut first = vec![u32::MAX; labels.len()];
            let known = labels.iter().zip(0..).map(|(label, document)| {
                let first = &mut first[*label as usize];
                *first = document.min(*first);
                *first
            });
            let known: Vec<u32> = known.take(documents as usize).collect();
            let alone = known.len() as u32..documents;
            known.into_iter().chain(alone).collect()
        }
    }
}

/// For each document the first one to which the two clusterings link it.
fn blocks(found: &[u32], truth: &[u32]) -> Vec<u32> {
    let ranks: Vec<u32> = (0..found.len() as u32).collect();
    let links = |clusters: &[u32]| clusters.iter().copied().zip(0..).collect::<Vec<Pair>>();
    let links: Vec<Pair> = [links(found), links(truth)].concat();
    cluster::keepers(Method::Components, &ranks, &links)
}

/// For each document the number of its partners in each answer and in both, without the pairs that
/// are left out.
struct Partners {
    found: Vec<u32>,
    truth: Vec<u32>,
    common: Vec<u32>,
}

impl Partners {
    /// Counts the partners. `order` has the documents of each cell of the contingency table side by
    /// side.
    fn new(
        documents: u32,
        found: &Answer,
        truth: &Answer,
        left_out: &[Pair],
        order: &[u32],
        clusters: (&[u32], &[u32]),
    ) -> Partners {
        let of = |answer: &Answer, clusters: &[u32]| match &answer.0 {
            Shape::Pairs(pairs) => degrees(documents, pairs),
            Shape::Clusters(_) => {
                let sizes = sizes(clusters);
                clusters.iter().map(|cluster| sizes[*cluster as usize] - 1).collect()
            }
        };
        let common = match (&found.0, &truth.0) {
            (Shape::Pairs(pairs), _) => degrees(documents, &among(pairs, truth)),
            (_, Shape::Pairs(pairs)) => degrees(documents, &among(pairs, found)),
            (Shape::Clusters(_), Shape::Clusters(_)) => {
                let cell =
                    |document: u32| (clusters.0[document as usize], clusters.1[document as usize]);
                let mut common = vec![0; documents as usize];
                for cell in order.chunk_by(|a, b| cell(*a) == cell(*b)) {
                    cell.iter()
                        .for_each(|document| common[*document as usize] = cell.len() as u32 - 1);
                }
                common
            }
        };
        let mut partners =
            Partners { found: of(found, clusters.0), truth: of(truth, clusters.1), common };
        // Lists of pairs do not contain them.
        for (left, right) in left_out {
            let (in_found, in_truth) = (found.holds(*left, *right), truth.holds(*left, *right));
            for document in [*left as usize, *right as usize] {
                partners.found[document] -= u32::from(in_found);
                partners.truth[document] -= u32::from(in_truth);
                partners.common[document] -= u32::from(in_found && in_truth);
            }
        }
        partners
    }

    fn add(&self, document: u32, sums: &mut Sums) {
        let place = document as usize;
        let (found, truth, common) = (self.found[place], self.truth[place], self.common[place]);
        sums.found += u128::from(found);
        sums.truth += u128::from(truth);
        sums.common += u128::from(common);
        sums.agreeing += u128::from(found == common && truth == common);
    }
}

fn among(pairs: &[Pair], answer: &Answer) -> Vec<Pair> {
    pairs.iter().copied().filter(|(left, right)| answer.holds(*left, *right)).collect()
}

fn degrees(documents: u32, pairs: &[Pair]) -> Vec<u32> {
    let mut degrees = vec![0; documents as usize];
    for (left, right) in pairs {
        degrees[*left as usize] += 1;
        degrees[*right as usize] += 1;
    }
    degrees
}
