//! Pairs or clusters of documents that are duplicates of each other.

use hashbrown::HashMap;

/// Two documents by their numbers.
pub type Pair = (u32, u32);

/// The documents that are duplicates of each other, as pairs or as clusters.
///
/// ```
/// use nearprint::evaluate::Answer;
/// let pairs = Answer::pairs([(2, 1), (1, 2), (3, 3)]);
/// let clusters = Answer::clusters([7, 5, 5]);
/// assert!(pairs.holds(1, 2) && clusters.holds(1, 2));
/// assert!(!clusters.holds(0, 1));
/// assert_eq!(pairs, Answer::pairs([(1, 2)]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer(pub(super) Shape);

/// The representation of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// Sorted, the smaller number first, each pair once.
    Pairs(Vec<Pair>),
    /// For each document the number of its cluster, numbered in the order of their first documents.
    /// Documents beyond the list are single.
    Clusters(Vec<u32>),
}

impl Answer {
    /// An answer in pairs, in any order. A repeated or reversed pair counts once; a pair of a
    /// document with itself does not count.
    pub fn pairs(pairs: impl IntoIterator<Item = Pair>) -> Answer {
        Answer(Shape::Pairs(sorted(pairs)))
    }

    /// An answer in clusters: for each document a label, equal for documents of one cluster.
    pub fn clusters(labels: impl IntoIterator<Item = u32>) -> Answer {
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let number = |label: u32| {
            let next = numbers.len() as u32;
            *numbers.entry(label).or_insert(next)
        };
        Answer(Shape::Clusters(labels.into_iter().map(number).collect()))
    }

    /// Returns true if the answer says that two documents are duplicates.
    pub fn holds(&self, left: u32, right: u32) -> bool {
        match &self.0 {
            Shape::Pairs(pairs) => contains(pairs, left, right),
            Shape::Clusters(labels) => {
                match (labels.get(left as usize), labels.get(right as usize)) {
                    (Some(left_label), Some(right_label)) => {
                        left != right && left_label == right_label
                    }
                    _ => false,
                }
            }
        }
    }

    /// The answer restricted to documents with lower numbers.
    pub fn below(&self, documents: u32) -> Answer {
        Answer(match &self.0 {
            Shape::Pairs(pairs) => {
                Shape::Pairs(pairs.iter().copied().filter(|pair| pair.1 < documents).collect())
            }
            Shape::Clusters(labels) => {
                Shape::Clusters(labels.iter().copied().take(documents as usize).collect())
            }
        })
    }

    /// The answer about these documents alone, numbered from 0 in their order. They are sorted.
    pub(super) fn only(&self, documents: &[u32]) -> Answer {
        match &self.0 {
            Shape::Pairs(pairs) => {
                Answer::pairs(pairs.iter().filter_map(|pair| only(documents, *pair)))
            }
            Shape::Clusters(labels) => {
                let beyond = labels.iter().max().map_or(0, |label| label + 1);
                let label =
                    |(own, alone): (&u32, u32)| labels.get(*own as usize).copied().unwrap_or(alone);
                Answer::clusters(documents.iter().zip(beyond..).map(label))
            }
        }
    }

    /// The listed pairs that the answer holds.
    pub fn among(&self, listed: impl IntoIterator<Item = Pair>) -> Answer {
        Answer::pairs(listed.into_iter().filter(|(left, right)| self.holds(*left, *right)))
    }

    /// The answer without these sorted pairs, if it is a list of pairs.
    pub(super) fn without(&self, left_out: &[Pair]) -> Answer {
        Answer(match &self.0 {
            Shape::Pairs(pairs) => Shape::Pairs(
                pairs
                    .iter()
                    .copied()
                    .filter(|(left, right)| !contains(left_out, *left, *right))
                    .collect(),
            ),
            Shape::Clusters(labels) => Shape::Clusters(labels.clone()),
        })
    }
}

/// A pair by the places of both documents in a sorted list; `None` if one is not there.
pub(super) fn only(documents: &[u32], (left, right): Pair) -> Option<Pair> {
    let place = |document| documents.binary_search(&document).ok().map(|place| place as u32);
    place(left).zip(place(right))
}

/// Each pair once, the smaller number first, sorted, without pairs of a document with itself.
pub(super) fn sorted(pairs: impl IntoIterator<Item = Pair>) -> Vec<Pair> {
    let turned = |(left, right): Pair| (left.min(right), left.max(right));
    let mut list: Vec<Pair> =
        pairs.into_iter().map(turned).filter(|(left, right)| left != right).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Returns true if a list made by [`sorted`] has a pair.
pub(super) fn contains(sorted: &[Pair], left: u32, right: u32) -> bool {
    sorted.binary_search(&(left.min(right), left.max(right))).is_ok()
}
