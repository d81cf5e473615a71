//! Documents with very many candidates -> whom these connect, and the company of each.

use super::candidates::MEMORY;
use super::{Documents, Group, Worker};
use crate::join::{self, Connected};
use crate::search::{self, Crowded, companies, plan_among};

/// The documents near one of a crowd that are its company here: one more than tell its form, as of equal beginnings of hashes the better
/// rank is the first one.
pub const COMPANY: usize = search::COMPANY + 1;

/// What stands for the candidate pairs of a crowd.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Crowd {
    /// Pairs of places. They connect the same documents as all candidate pairs that may be similar enough.
    pub connections: Vec<(u32, u32)>,
    /// The places of a document and of one near it. The first ones near it, in the order of keys, tell its form.
    pub company: Vec<(u32, u32)>,
}

impl Worker {
    /// What stands for the candidate pairs of documents of the crowd, of a group or across two. `documents` is as in
    /// [`candidates`](Self::candidates).
    ///
    /// ```
    /// use nearprint::distributed::{Documents, Group, Worker};
    /// use nearprint::{Config, Fingerprints};
    /// let mut fingerprints = Fingerprints::new(64);
    /// [0b01, 0b11, 0b10].iter().for_each(|word| fingerprints.push(&[*word]));
    /// let documents = Documents { keys: vec![1, 2, 3], values: vec![] };
    /// let group = Group { documents, fingerprints, sketches: vec![None; 3], first: None };
    /// let crowd = Worker::new(&Config { bits: 64, ..Config::default() })?.crowd(3, &group);
    /// assert_eq!((crowd.connections.len(), crowd.company.len()), (2, 6));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn crowd(&self, documents: usize, group: &Group) -> Crowd {
        let Some(max_distance) = self.max_distance() else { return Crowd::default() };
        let Group { documents: Documents { keys, .. }, fingerprints, first, .. } = group;
        let plan = plan_among(self.config(), documents, None);
        let is_possible = |left, right| self.is_possible(group, left, right);
        let connected = Connected::new(fingerprints.len(), &is_possible);
        let connections = self.pairs_of(
            |_| true,
            |emit| join::join_apart(fingerprints, *first, &connected, &plan, max_distance, MEMORY, emit),
        );
        let crowded = |place: u32| Crowded {
            priority: search::priority_of(keys[place as usize]),
            rank: place,
            document: place,
            fingerprint: fingerprints.get(place as usize),
        };
        let mut documents: Vec<Crowded<'_>> = (0..fingerprints.len() as u32).map(crowded).collect();
        documents.sort_unstable();
        let is_first = |place: u32| first.is_some_and(|first| (place as usize) < first);
        let wanted = |one, other| {
            (first.is_none() || is_first(one) != is_first(other)) && self.may_be_near(&group.documents, one, other)
        };
        let company = self.run.install(|| companies(&documents, COMPANY, &plan, max_distance, MEMORY, wanted));
        let of_each = company.iter().zip(&documents);
        let company = of_each
            .flat_map(|(near, own)| near.iter().map(|other| (own.document, documents[*other as usize].document)))
            .collect();
        Crowd { connections: connections.iter().map(|pair| (pair.left, pair.right)).collect(), company }
    }
}
