//! Two answers -> the pairs of one that the other lacks: the misses, or with the answers exchanged
//! the false alarms.
//!
//! Up to the limit all pairs are listed. Of more pairs a uniform random sample is drawn. Clusters
//! may have far more pairs than can be listed, so documents are sorted by their clusters in both
//! answers. The missing partners of a document then follow it without a gap, and only missing pairs
//! are visited.

use hashbrown::HashSet;
use nearprint_core::random::Random;

use super::answer::{Answer, Pair, Shape, contains, sorted};

/// The pairs that `answer` holds and `other` lacks, without `left_out`, sorted: all of them, or a
/// random sample of `limit`.
///
/// ```
/// use nearprint::evaluate::{Answer, lacking};
/// let truth = Answer::clusters([0, 0, 0, 1]);
/// let found = Answer::pairs([(0, 1), (2, 3)]);
/// assert_eq!(lacking(&truth, &found, &[(1, 2)], 10, 0), [(0, 2)]); // a miss
/// assert_eq!(lacking(&found, &truth, &[], 10, 0), [(2, 3)]); // a false alarm
/// ```
pub fn lacking(
    answer: &Answer,
    other: &Answer,
    left_out: &[Pair],
    limit: usize,
    seed: u64,
) -> Vec<Pair> {
    let left_out = sorted(left_out.iter().copied());
    // This stream differs from those of the bootstrap.
    let mut random = Random::stream(seed, u64::MAX);
    let wanted = |pair: &Pair| !other.holds(pair.0, pair.1) && !contains(&left_out, pair.0, pair.1);
    match &answer.0 {
        Shape::Pairs(pairs) => part(pairs.iter().copied().filter(wanted), limit, &mut random),
        Shape::Clusters(labels) => {
            let listed = Listed::new(labels, other);
            let unwanted = left_out.len() as u64
                + if let Shape::Pairs(pairs) = &other.0 { pairs.len() as u64 } else { 0 };
            match listed.len() / 4 > unwanted.saturating_add(limit as u64) {
                // At least three in four are wanted, so drawing ends soon.
                true => drawn(&listed, wanted, limit, &mut random),
                false => part(
                    (0..listed.len()).map(|rank| listed.get(rank)).filter(wanted),
                    limit,
                    &mut random,
                ),
            }
        }
    }
}

/// All pairs, or a random sample of `limit` (reservoir sampling, Vitter 1985, algorithm R).
fn part(pairs: impl Iterator<Item = Pair>, limit: usize, random: &mut Random) -> Vec<Pair> {
    let mut taken = Vec::new();
    for (seen, pair) in pairs.enumerate() {
        if taken.len() < limit {
            taken.push(pair);
            continue;
        }
        let place = random.below(seen as u64 + 1) as usize;
        if let Some(replaced) = taken.get_mut(place) {
            *replaced = pair;
        }
    }
    taken.sort_unstable();
    taken
}

/// A random sample of the wanted pairs of a list that is too long to enumerate.
fn drawn(
    listed: &Listed,
    wanted: impl Fn(&Pair) -> bool,
    limit: usize,
    random: &mut Random,
) -> Vec<Pair> {
    let mut taken = HashSet::new();
    while taken.len() < limit {
        let pair = listed.get(random.below(listed.len()));
        if wanted(&pair) {
            taken.insert(pair);
        }
    }
    let mut taken: Vec<Pair> = taken.into_iter().collect();
    taken.sort_unstable();
    taken
}

/// The pairs of clusters by rank, without the pairs that clusters of the other answer hold.
struct Listed {
    documents: Vec<u32>,
    /// For each place the number of pairs up to and including it.
    ends: Vec<u64>,
    /// For each place the place of its first partner; the other partners follow.
    first_partner: Vec<u32>,
}

impl Listed {
    fn new(labels: &[u32], other: &Answer) -> Listed {
        // The cluster in the other answer. Documents that it does not know are single, and so are
        // all documents if the answer is in pairs.
        let label_in_other = |document: u32| match &other.0 {
            Shape::Clusters(labels) => {
                labels.get(document as usize).map_or(1 << 32 | u64::from(document), |l| (*l).into())
            }
            Shape::Pairs(_) => u64::from(document),
        };
        let mut documents: Vec<u32> = (0..labels.len() as u32).collect();
        documents.sort_unstable_by_key(|document| {
            (labels[*document as usize], label_in_other(*document), *document)
        });
        let (mut ends, mut first_partner) = (Vec::new(), Vec::new());
        let (mut pairs, mut place) = (0, 0);
        for cluster in documents.chunk_by(|a, b| labels[*a as usize] == labels[*b as usize]) {
            let cluster_end = place + cluster.len();
            for cell in cluster.chunk_by(|a, b| label_in_other(*a) == label_in_other(*b)) {
                place += cell.len();
                for _ in cell {
                    pairs += (cluster_end - place) as u64;
                    ends.push(pairs);
                    first_partner.push(place as u32);
                }
            }
        }
        Listed { documents, ends, first_partner }
    }

    fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    fn get(&self, rank: u64) -> Pair {
        let place = self.ends.partition_point(|end| *end <= rank);
        let before = if place == 0 { 0 } else { self.ends[place - 1] };
        let partner = self.first_partner[place] as usize + (rank - before) as usize;
        let (left, right) = (self.documents[place], self.documents[partner]);
        (left.min(right), left.max(right))
    }
}
