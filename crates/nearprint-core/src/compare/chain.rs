//! Runs that two texts share -> the runs in the same order in both: the increasing chain with the
//! most letters.
//!
//! Cost: n log n for n runs, by a tree of the best chains that end before a place of the right text
//! (Fenwick 1994).

/// For each run, true if it is in the chain. A run is its place in the order of the right text and
/// its letters. Runs are given in the order of the left text.
///
/// Among several chains with the most letters, the one wins whose last run comes first in the right
/// text, and so on back.
pub(super) fn heaviest_chain(runs: &[(usize, u64)]) -> Vec<bool> {
    let mut tree: Vec<Option<(u64, usize)>> = vec![None; runs.len() + 1];
    let mut before = vec![None; runs.len()];
    let mut heaviest: Option<(u64, usize)> = None;
    let better = |one: Option<(u64, usize)>, other: Option<(u64, usize)>| match (one, other) {
        (Some(one), Some(other)) if (other.0, runs[one.1].0) > (one.0, runs[other.1].0) => {
            Some(other)
        }
        (None, other) => other,
        (one, _) => one,
    };
    for (run, (place, letters)) in runs.iter().enumerate() {
        let (mut best, mut node) = (None, *place);
        while node > 0 {
            best = better(best, tree[node]);
            node &= node - 1;
        }
        before[run] = best.map(|(_, run)| run);
        let own = Some((letters + best.map_or(0, |(weight, _)| weight), run));
        heaviest = better(heaviest, own);
        let mut node = place + 1;
        while node < tree.len() {
            tree[node] = better(tree[node], own);
            node += node & node.wrapping_neg();
        }
    }
    let mut in_chain = vec![false; runs.len()];
    let mut next = heaviest.map(|(_, run)| run);
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
            let rank = |place: usize| places[..letters.len()].iter().filter(|other| **other < place).count();
            let runs: Vec<(usize, u64)> = places.iter().map(|place| rank(*place)).zip(letters.iter().copied()).collect();
            let chain = heaviest_chain(&runs);
            let chosen: Vec<_> = runs.iter().zip(&chain).filter(|(_, is_in)| **is_in).map(|(run, _)| *run).collect();
            prop_assert!(chosen.windows(2).all(|pair| pair[0].0 < pair[1].0));
            prop_assert_eq!(chosen.iter().map(|run| run.1).sum::<u64>(), plain(&runs));
        }
    }
}
