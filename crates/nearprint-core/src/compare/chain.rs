//! Runs that two texts share -> the chain: the runs in the same order in both texts that weigh most
//! together (the heaviest increasing subsequence: Fredman 1975).
//!
//! Cost: n log n for n runs, by a tree of the heaviest chains that end before a place of the second
//! text (Fenwick 1994).

/// The choice among chains of equal weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ties {
    /// The chain that is found first.
    First,
    /// The chain whose last run comes first in the second text, and so on back.
    Earliest,
}

/// For each run, true if it is in the chain. A run is its start in the second text and its weight.
/// Runs are given in the order of the first text.
pub(crate) fn heaviest_chain(runs: &[(usize, u64)], ties: Ties) -> Vec<bool> {
    let mut in_second: Vec<usize> = (0..runs.len()).collect();
    in_second.sort_unstable_by_key(|run| runs[*run].0);
    let mut ranks = vec![0; runs.len()];
    in_second.into_iter().enumerate().for_each(|(rank, run)| ranks[run] = rank);
    // A chain is its weight and its last run.
    let heavier = |one: Option<(u64, usize)>, other: Option<(u64, usize)>| {
        let wins = |other: &(u64, usize), one: (u64, usize)| {
            let is_earlier = ties == Ties::Earliest && ranks[other.1] < ranks[one.1];
            other.0 > one.0 || other.0 == one.0 && is_earlier
        };
        other.filter(|other| one.is_none_or(|one| wins(other, one))).or(one)
    };
    let mut tree = vec![None; runs.len() + 1];
    let mut before = vec![None; runs.len()];
    let mut heaviest = None;
    for (run, (_, weight)) in runs.iter().enumerate() {
        let (mut best, mut node) = (None, ranks[run]);
        while node > 0 {
            best = heavier(best, tree[node]);
            node &= node - 1;
        }
        before[run] = best.map(|(_, last)| last);
        let own = Some((weight + best.map_or(0, |(weight, _)| weight), run));
        heaviest = heavier(heaviest, own);
        let mut node = ranks[run] + 1;
        while node < tree.len() {
            tree[node] = heavier(tree[node], own);
            node += node & node.wrapping_neg();
        }
    }
    let mut in_chain = vec![false; runs.len()];
    let mut next = heaviest.map(|(_, last)| last);
    while let Some(run) = next {
        in_chain[run] = true;
        next = before[run];
    }
    in_chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The most letters of a chain: all chains are tried.
    fn plain(runs: &[(usize, u64)]) -> u64 {
        let chain = |chosen: u32| {
            let chain: Vec<_> =
                (0..runs.len()).filter(|run| chosen >> run & 1 == 1).map(|run| runs[run]).collect();
            chain
                .windows(2)
                .all(|pair| pair[0].0 < pair[1].0)
                .then(|| chain.iter().map(|run| run.1).sum())
        };
        (0..1 << runs.len()).filter_map(chain).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn the_chain_has_the_most_letters(
            places in Just((0..9usize).collect::<Vec<_>>()).prop_shuffle(),
            letters in prop::collection::vec(1u64..9, 0..9),
        ) {
            let runs: Vec<(usize, u64)> = places.into_iter().zip(letters).collect();
            for ties in [Ties::First, Ties::Earliest] {
                let chain = heaviest_chain(&runs, ties);
                let chosen: Vec<_> = runs.iter().zip(&chain).filter(|(_, is_in)| **is_in).map(|(run, _)| *run).collect();
                prop_assert!(chosen.windows(2).all(|pair| pair[0].0 < pair[1].0));
                prop_assert_eq!(chosen.iter().map(|run| run.1).sum::<u64>(), plain(&runs));
            }
        }
    }
}
