//! Pairs that may be duplicates -> the families that they connect, each of which is decided by itself.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::cluster::{Clusters, Method};

/// Sets of numbers that grow together.
pub(super) struct Sets(Clusters);

impl Sets {
    /// Each number below `count` alone.
    pub fn new(count: usize) -> Sets {
        Sets(Clusters::new(Method::Components, count))
    }

    /// Joins the sets of two numbers, and says whether they were two.
    pub fn join(&mut self, one: u32, other: u32) -> bool {
        self.0.link(one.min(other), one.max(other)).is_some()
    }

    /// The least number of the set of each.
    pub fn firsts(self) -> Vec<u32> {
        self.0.keepers()
    }
}

/// Documents of a task, at least, where there are several.
const LEAST: usize = 1_000;

/// The task, from 0, in which the family of each document is decided, by the pairs of documents that may be duplicates: a family is all documents that
/// these connect. Of at most `tasks` tasks each gets about as many documents, some thousand at least, but no family is split. Documents are known by their text
/// hashes; the result is in their order, and depends on the set of pairs alone.
///
/// ```
/// use nearprint::distributed::families;
/// let pairs: Vec<(u128, u128)> = (0..3_000).map(|number| (number % 1_000, number + 1_000)).collect();
/// let found = families(&pairs, 2);
/// assert_eq!(found[7].1, found[1_007].1);
/// assert_eq!(found.iter().filter(|(_, task)| *task == 0).count(), 2_000);
/// ```
pub fn families(pairs: &[(u128, u128)], tasks: usize) -> Vec<(u128, u32)> {
    let mut documents: Vec<u128> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
    documents.sort_unstable();
    documents.dedup();
    let number = |hash: &u128| documents.binary_search(hash).expect("it is among them") as u32;
    let mut sets = Sets::new(documents.len());
    pairs.iter().for_each(|(one, other)| {
        sets.join(number(one), number(other));
    });
    let firsts = sets.firsts();
    let mut sizes: HashMap<u32, u32> = HashMap::new();
    firsts.iter().for_each(|first| *sizes.entry(*first).or_default() += 1);
    let mut families: Vec<(u32, u32)> = sizes.into_iter().collect();
    families.sort_unstable_by_key(|(first, size)| (Reverse(*size), *first));
    // The largest family first, each to the task that has the fewest documents.
    let mut loads: std::collections::BinaryHeap<Reverse<(u64, u32)>> =
        (0..tasks.clamp(1, documents.len().div_ceil(LEAST).max(1)) as u32).map(|task| Reverse((0, task))).collect();
    let mut task_of: HashMap<u32, u32> = HashMap::new();
    for (first, size) in families {
        let mut least = loads.peek_mut().expect("there is a task");
        task_of.insert(first, least.0.1);
        least.0.0 += u64::from(size);
    }
    documents.into_iter().zip(firsts).map(|(hash, first)| (hash, task_of[&first])).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn families_are_whole_and_tasks_even(pairs in prop::collection::vec((0u128..60, 0u128..60), 0..60), tasks in 1usize..5) {
            let found = families(&pairs, tasks);
            let task = |hash: u128| found.iter().find(|(own, _)| *own == hash).map(|(_, task)| *task);
            for (one, other) in &pairs {
                prop_assert!(task(*one).is_some() && task(*one) == task(*other));
            }
            let mut turned: Vec<_> = pairs.iter().map(|(one, other)| (*other, *one)).collect();
            turned.reverse();
            prop_assert_eq!(&families(&turned, tasks), &found);
            prop_assert!(found.iter().all(|(_, task)| (*task as usize) < tasks));
        }
    }
}
