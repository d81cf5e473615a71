//! Pairs that may be duplicates -> the families that they connect. Each family is decided alone.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::cluster::{Clusters, Method};

/// Sets of numbers that grow together.
pub(super) struct Sets(Clusters);

impl Sets {
    /// One set for each number below `count`.
    pub fn new(count: usize) -> Sets {
        Sets(Clusters::new(Method::Components, count))
    }

    /// Joins the sets of two numbers. Returns true if they were different sets.
    pub fn join(&mut self, one: u32, other: u32) -> bool {
        self.0.link(one.min(other), one.max(other)).is_some()
    }

    /// For each number the least number of its set.
    pub fn firsts(self) -> Vec<u32> {
        self.0.keepers()
    }
}

/// The usual number of tasks.
const TASKS: usize = 200;

/// The least and the largest number of documents of a task. The number of tasks gives way to them.
const OF_A_TASK: [usize; 2] = [1_000, 20_000];

/// The family of a document, and the task that decides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The key of the document.
    pub key: u128,
    /// The number of its family.
    pub family: u32,
    /// The number of the task, from 0.
    pub task: u32,
}

/// Groups documents into families and tasks. A family is a set of documents that are connected by
/// pairs that may be duplicates. Tasks get about the same number of documents, but no family is
/// split. The result is in the order of keys, and depends on the set of pairs alone.
///
/// ```
/// use nearprint::distributed::families;
/// let pairs: Vec<(u128, u128)> = (0..3_000).map(|number| (number % 1_000, number + 1_000)).collect();
/// let found = families(&pairs);
/// assert_eq!((found[7].family, found[7].task), (found[1_007].family, found[1_007].task));
/// assert_eq!(found.iter().filter(|place| place.task == 0).count(), 1_000);
/// ```
pub fn families(pairs: &[(u128, u128)]) -> Vec<Place> {
    let mut documents: Vec<u128> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
    documents.sort_unstable();
    documents.dedup();
    let number = |key: &u128| documents.binary_search(key).expect("it is among them") as u32;
    let mut sets = Sets::new(documents.len());
    pairs.iter().for_each(|(one, other)| {
        sets.join(number(one), number(other));
    });
    let firsts = sets.firsts();
    let mut sizes: HashMap<u32, u32> = HashMap::new();
    firsts.iter().for_each(|first| *sizes.entry(*first).or_default() += 1);
    let mut families: Vec<(u32, u32)> = sizes.into_iter().collect();
    families.sort_unstable_by_key(|(first, size)| (Reverse(*size), *first));
    let [least, most] = OF_A_TASK;
    let tasks = (documents.len() / (documents.len() / TASKS).clamp(least, most)).max(1);
    // The largest family comes first. Each goes to the task with the fewest documents.
    let mut loads: std::collections::BinaryHeap<Reverse<(u64, u32)>> =
        (0..tasks as u32).map(|task| Reverse((0, task))).collect();
    let mut task_of: HashMap<u32, u32> = HashMap::new();
    for (first, size) in families {
        let mut least = loads.peek_mut().expect("there is a task");
        task_of.insert(first, least.0.1);
        least.0.0 += u64::from(size);
    }
    let place = |(key, family)| Place { key, family, task: task_of[&family] };
    documents.into_iter().zip(firsts).map(place).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn families_are_whole(pairs in prop::collection::vec((0u128..60, 0u128..60), 0..60)) {
            let found = families(&pairs);
            let family = |key: u128| found.iter().find(|place| place.key == key).map(|place| place.family);
            for (one, other) in &pairs {
                prop_assert!(family(*one).is_some() && family(*one) == family(*other));
            }
            let mut turned: Vec<_> = pairs.iter().map(|(one, other)| (*other, *one)).collect();
            turned.reverse();
            prop_assert_eq!(&families(&turned), &found);
        }
    }

    #[test]
    fn tasks_are_even() {
        let pairs: Vec<(u128, u128)> =
            (0..30_000).map(|number| (number, number + 30_000)).collect();
        let mut counts = [0; 60];
        families(&pairs).iter().for_each(|place| counts[place.task as usize] += 1);
        assert_eq!(counts, [1_000; 60]);
    }
}
