//! Hubs -> some pairs that connect them as all their candidate pairs do.

use nearprint_core::near::{Connected, Join};

use super::candidates::MEMORY;
use super::{Group, Worker};
use crate::search::plan_among;

impl Worker {
    /// Pairs of hubs of a group, or across two groups, by their places. They connect the same hubs
    /// as all candidate pairs that may be similar enough. `documents` is as in
    /// [`candidates`](Self::candidates).
    ///
    /// ```
    /// use nearprint::distributed::{Keys, Group, Worker};
    /// use nearprint::{Config, Fingerprints};
    /// let mut fingerprints = Fingerprints::new(64);
    /// [0b01, 0b11, 0b10].iter().for_each(|word| fingerprints.push(&[*word]));
    /// let documents = Keys { keys: vec![1, 2, 3], values: vec![] };
    /// let group = Group { documents, fingerprints, sketches: vec![None; 3], first: None };
    /// let connections = Worker::new(&Config::default().bits(64))?.hubs(3, &group);
    /// assert_eq!(connections.len(), 2);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn hubs(&self, documents: usize, group: &Group) -> Vec<(u32, u32)> {
        let Some(max_distance) = self.max_distance() else { return Vec::new() };
        let Group { fingerprints, first, .. } = group;
        let plan = plan_among(self.config(), documents, None);
        let is_possible = |left, right| self.is_possible(group, left, right);
        let connected = Connected::new(fingerprints.len(), &is_possible);
        let join = Join::new(&plan, max_distance).across(*first).connecting(&connected);
        let connections = self.pairs_of(join.within(MEMORY), fingerprints);
        connections.iter().map(|pair| (pair.left, pair.right)).collect()
    }
}
