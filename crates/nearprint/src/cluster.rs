//! Duplicate pairs -> clusters, each with the document that stays for the others.
//!
//! | method | a cluster is | every removed document |
//! | --- | --- | --- |
//! | `star` | a keeper and documents that are duplicates of that keeper | is itself similar to its keeper |
//! | `components` | all documents linked by duplicate pairs | is linked to its keeper, perhaps through others |
//!
//! Star visits the documents from the best rank down. A document that is not yet claimed becomes a
//! keeper and claims its duplicates that are still free. So a chain A~B~C whose ends are not
//! duplicates loses B alone, no two keepers are duplicates of each other, and the result depends on
//! ranks and pairs only.
//!
//! A document can only be claimed by one of a better rank. So pairs in the order of their better
//! rank make stars in one pass, and no pair is stored. Either method takes four bytes a document.

/// The method that makes clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Every removed document is a duplicate of its keeper.
    #[default]
    Star,
    /// Connected components.
    Components,
}

/// A builder of clusters. Documents are identified by their rank: 0 is the best one, which stays.
///
/// ```
/// use nearprint::cluster::{Clusters, Method};
/// let mut clusters = Clusters::new(Method::Star, 4);
/// for (better, other) in [(0, 2), (0, 3), (1, 2)] {
///     clusters.link(better, other);
/// }
/// assert_eq!(clusters.keepers(), [0, 1, 0, 0]);
/// ```
#[derive(Debug)]
pub struct Clusters {
    method: Method,
    /// The keeper of each document, a document nearer to the keeper, or the document itself. No
    /// entry has a worse rank than its document.
    keepers: Vec<u32>,
}

impl Clusters {
    /// `documents` documents without duplicates.
    pub fn new(method: Method, documents: usize) -> Clusters {
        Clusters { method, keepers: (0..documents as u32).collect() }
    }

    /// Adds a duplicate pair by its ranks, `better <= other`. For stars pairs must come in the
    /// order of `better`. Returns the rank that is no keeper any more, if the pair changed the
    /// clusters.
    #[inline]
    pub fn link(&mut self, better: u32, other: u32) -> Option<u32> {
        debug_assert!(better <= other);
        match self.method {
            Method::Star if self.gain_from(better, other) => {
                self.keepers[other as usize] = better;
                (better != other).then_some(other)
            }
            Method::Star => None,
            Method::Components => {
                let (one, other) = (self.halved_root(better), self.halved_root(other));
                // The better rank becomes the root, which is the keeper.
                self.keepers[one.max(other) as usize] = one.min(other);
                (one != other).then_some(one.max(other))
            }
        }
    }

    /// Puts a document into the cluster of a better one, wherever that one goes. It must come
    /// before all links, and the better one must be in no other document's cluster yet.
    pub fn join(&mut self, better: u32, other: u32) {
        debug_assert!(better < other && self.keepers[better as usize] == better);
        self.keepers[other as usize] = better;
    }

    /// Returns true if linking these two would change the clusters.
    #[inline]
    pub fn gain_from(&self, better: u32, other: u32) -> bool {
        match self.method {
            Method::Star => {
                self.keepers[better as usize] == better && self.keepers[other as usize] == other
            }
            Method::Components => self.root(better) != self.root(other),
        }
    }

    /// Returns true if the other one is in the star of the better one.
    pub fn is_in_star(&self, better: u32, other: u32) -> bool {
        self.keepers[other as usize] == better
    }

    /// The keeper of each document, by rank. A kept document is its own keeper.
    pub fn keepers(mut self) -> Vec<u32> {
        // A parent has no worse rank, so its own keeper is final already.
        for document in 0..self.keepers.len() {
            self.keepers[document] = self.keepers[self.keepers[document] as usize];
        }
        self.keepers
    }

    /// The root of a document's tree.
    fn root(&self, mut document: u32) -> u32 {
        while self.keepers[document as usize] != document {
            document = self.keepers[document as usize];
        }
        document
    }

    /// The root of a document's tree. Halves the paths on the way.
    fn halved_root(&mut self, mut document: u32) -> u32 {
        let parents = &mut self.keepers;
        while parents[document as usize] != document {
            let grandparent = parents[parents[document as usize] as usize];
            parents[document as usize] = grandparent;
            document = grandparent;
        }
        document
    }
}

/// For each document the keeper of its cluster. A kept document is its own keeper. `ranks` are
/// those of [`crate::keep::ranks`]; `pairs` may be in any order.
///
/// ```
/// use nearprint::cluster::{Method, keepers};
/// let chain = [(0, 1), (1, 2)];
/// assert_eq!(keepers(Method::Star, &[0, 1, 2], &chain), [0, 0, 2]);
/// assert_eq!(keepers(Method::Components, &[0, 1, 2], &chain), [0, 0, 0]);
/// ```
pub fn keepers(method: Method, ranks: &[u32], pairs: &[(u32, u32)]) -> Vec<u32> {
    let ends = |(one, other): &(u32, u32)| {
        let (one, other) = (ranks[*one as usize], ranks[*other as usize]);
        (one.min(other), one.max(other))
    };
    let mut pairs: Vec<(u32, u32)> = pairs.iter().map(ends).collect();
    pairs.sort_unstable();
    let mut clusters = Clusters::new(method, ranks.len());
    for (better, other) in &pairs {
        clusters.link(*better, *other);
    }
    of_documents(ranks, &clusters.keepers())
}

/// The document of each rank.
pub fn by_rank(ranks: &[u32]) -> Vec<u32> {
    let mut documents = vec![0; ranks.len()];
    ranks.iter().zip(0..).for_each(|(rank, document)| documents[*rank as usize] = document);
    documents
}

/// The keeper of each document, from the ranks of documents and the keeper of each rank.
pub fn of_documents(ranks: &[u32], keepers: &[u32]) -> Vec<u32> {
    let documents = by_rank(ranks);
    ranks.iter().map(|rank| documents[keepers[*rank as usize] as usize]).collect()
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
