//! Duplicate pairs -> clusters, each with the document that stays in place of the others.
//!
//! | method | a cluster is | every removed document |
//! | --- | --- | --- |
//! | `star` | a keeper and documents that are duplicates of that keeper | is itself similar to its keeper |
//! | `components` | all documents linked by duplicate pairs | is linked to its keeper, perhaps through others |
//!
//! Star walks through the documents from the best rank down. A document that nobody has claimed yet becomes a keeper and
//! claims its duplicates that are still free. So a chain A~B~C whose ends are not duplicates loses B alone, no two
//! keepers are duplicates of each other, and the result depends on ranks and pairs only. Cost: the pairs, twice.

/// How clusters are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Every removed document is a duplicate of its keeper.
    #[default]
    Star,
    /// Connected components.
    Components,
}

/// For each document the keeper of its cluster, itself where it is kept. `ranks` as [`crate::keep::ranks`] gives them;
/// `pairs` in any order, each at most once.
///
/// ```
/// use nearprint::cluster::{Method, keepers};
/// let chain = [(0, 1), (1, 2)];
/// assert_eq!(keepers(Method::Star, &[0, 1, 2], &chain), [0, 0, 2]);
/// assert_eq!(keepers(Method::Components, &[0, 1, 2], &chain), [0, 0, 0]);
/// ```
pub fn keepers(method: Method, ranks: &[u32], pairs: &[(u32, u32)]) -> Vec<u32> {
    match method {
        Method::Star => star(ranks, pairs),
        Method::Components => components(ranks, pairs),
    }
}

fn star(ranks: &[u32], pairs: &[(u32, u32)]) -> Vec<u32> {
    let neighbors = Neighbors::new(ranks.len(), pairs);
    let mut by_rank = vec![0; ranks.len()];
    for (document, rank) in ranks.iter().enumerate() {
        by_rank[*rank as usize] = document as u32;
    }
    const FREE: u32 = u32::MAX;
    let mut keepers = vec![FREE; ranks.len()];
    for document in by_rank {
        if keepers[document as usize] != FREE {
            continue;
        }
        keepers[document as usize] = document;
        for neighbor in neighbors.of(document) {
            if keepers[*neighbor as usize] == FREE {
                keepers[*neighbor as usize] = document;
            }
        }
    }
    keepers
}

fn components(ranks: &[u32], pairs: &[(u32, u32)]) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..ranks.len() as u32).collect();
    for (left, right) in pairs {
        let (left, right) = (root(&mut parents, *left), root(&mut parents, *right));
        // The better rank becomes the root, so that the root is the keeper.
        let (better, other) = if ranks[left as usize] <= ranks[right as usize] { (left, right) } else { (right, left) };
        parents[other as usize] = better;
    }
    (0..ranks.len() as u32).map(|document| root(&mut parents, document)).collect()
}

/// The root of a document's tree; paths are halved on the way.
fn root(parents: &mut [u32], mut document: u32) -> u32 {
    while parents[document as usize] != document {
        let grandparent = parents[parents[document as usize] as usize];
        parents[document as usize] = grandparent;
        document = grandparent;
    }
    document
}

/// The duplicates of every document, side by side in one list.
struct Neighbors {
    ends: Vec<usize>,
    list: Vec<u32>,
}

impl Neighbors {
    fn new(documents: usize, pairs: &[(u32, u32)]) -> Neighbors {
        let mut ends = vec![0usize; documents + 1];
        for (left, right) in pairs {
            ends[*left as usize] += 1;
            ends[*right as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        // Filling from the end of each stretch turns the ends into starts.
        let mut list = vec![0; pairs.len() * 2];
        for (left, right) in pairs {
            for (document, neighbor) in [(left, right), (right, left)] {
                let end = &mut ends[*document as usize];
                *end -= 1;
                list[*end] = *neighbor;
            }
        }
        Neighbors { ends, list }
    }

    fn of(&self, document: u32) -> &[u32] {
        &self.list[self.ends[document as usize]..self.ends[document as usize + 1]]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn case() -> impl Strategy<Value = (Vec<u32>, Vec<(u32, u32)>)> {
        (1usize..20).prop_flat_map(|count| {
            let ranks = Just((0..count as u32).collect::<Vec<_>>()).prop_shuffle();
            let pairs = proptest::collection::btree_set((0..count as u32, 0..count as u32), 0..30)
                .prop_map(|pairs| pairs.into_iter().filter(|(a, b)| a < b).collect());
            (ranks, pairs)
        })
    }

    proptest! {
        #[test]
        fn a_star_removes_only_duplicates_of_keepers((ranks, pairs) in case()) {
            let keepers = keepers(Method::Star, &ranks, &pairs);
            let paired = |a: u32, b: u32| pairs.contains(&(a.min(b), a.max(b)));
            for (document, keeper) in keepers.iter().enumerate() {
                prop_assert_eq!(keepers[*keeper as usize], *keeper);
                let document = document as u32;
                if document != *keeper {
                    prop_assert!(paired(document, *keeper));
                    prop_assert!(ranks[*keeper as usize] < ranks[document as usize]);
                }
            }
            for (a, b) in &pairs {
                prop_assert!(keepers[*a as usize] != *a || keepers[*b as usize] != *b, "both ends of {}-{} are kept", a, b);
            }
        }

        #[test]
        fn a_component_is_what_can_be_reached((ranks, pairs) in case()) {
            let keepers = keepers(Method::Components, &ranks, &pairs);
            let mut labels: Vec<u32> = (0..ranks.len() as u32).collect();
            for _ in 0..ranks.len() {
                for (a, b) in &pairs {
                    let label = labels[*a as usize].min(labels[*b as usize]);
                    (labels[*a as usize], labels[*b as usize]) = (label, label);
                }
            }
            for a in 0..ranks.len() {
                let best = (0..ranks.len()).filter(|b| labels[*b] == labels[a]).min_by_key(|b| ranks[*b]).unwrap();
                prop_assert_eq!(keepers[a] as usize, best);
            }
        }

        #[test]
        fn the_order_of_pairs_changes_nothing((ranks, pairs) in case()) {
            let reversed: Vec<_> = pairs.iter().rev().copied().collect();
            for method in [Method::Star, Method::Components] {
                prop_assert_eq!(keepers(method, &ranks, &pairs), keepers(method, &ranks, &reversed));
            }
        }
    }
}
