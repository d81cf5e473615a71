//! A pool -> the pairs of its documents that are duplicates.

use rayon::prelude::*;

use super::Pool;
use super::index::{Buffers, Index};

/// The documents that a thread takes at a time.
const PART: usize = 64;

/// The documents whose pairs are held in memory together.
const TOGETHER: usize = 1 << 14;

impl Pool {
    /// Calls `each` with every `wanted` pair of `chosen` documents whose similarity is
    /// `min_similarity` (above 0) or more, and of which at least one is short. With `most`, a
    /// document is a hub if more than that number of its duplicates are no longer than it. Pairs of
    /// two hubs are left out. Returns the hubs, in order. Ends early if `stopped` returns true.
    pub fn duplicates(
        &self,
        min_similarity: f64,
        chosen: impl Fn(u32) -> bool,
        wanted: impl Fn(u32, u32) -> bool + Sync,
        most: Option<usize>,
        stopped: &(dyn Fn() -> bool + Sync),
        mut each: impl FnMut(u32, u32),
    ) -> Vec<u32> {
        let is_chosen = |place: &u32| {
            chosen(self.documents[*place as usize]) && !self.characters_of(*place).is_empty()
        };
        let places: Vec<u32> = (0..self.len() as u32).filter(is_chosen).collect();
        let mut hubs =
            self.find(&places, &places, min_similarity, &wanted, most, stopped, &mut each);
        if !hubs.is_empty() {
            hubs.sort_unstable();
            let others: Vec<u32> =
                places.into_iter().filter(|place| hubs.binary_search(place).is_err()).collect();
            self.find(&others, &hubs, min_similarity, &wanted, None, stopped, &mut each);
        }
        hubs.into_iter().map(|place| self.documents[place as usize]).collect()
    }

    /// Calls `each` with the pairs of a document at `queries` and a similar one at `places` that is
    /// no longer. Returns the queries with more than `most` of them, whose pairs are left out.
    /// Queries that are not short find short documents alone.
    #[expect(clippy::too_many_arguments)]
    fn find(
        &self,
        places: &[u32],
        queries: &[u32],
        min_similarity: f64,
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        most: Option<usize>,
        stopped: &(dyn Fn() -> bool + Sync),
        each: &mut impl FnMut(u32, u32),
    ) -> Vec<u32> {
        let is_short = |place: &u32| self.short[*place as usize];
        let (short, longer): (Vec<u32>, Vec<u32>) = queries.iter().copied().partition(is_short);
        let short_places: Vec<u32> = places.iter().copied().filter(is_short).collect();
        let indexes = [(places, &short), (&short_places, &longer)]
            .map(|(places, queries)| (Index::new(self, places, queries, min_similarity), queries));
        let mut hubs = Vec::new();
        for (index, together) in indexes
            .iter()
            .flat_map(|(index, queries)| queries.chunks(TOGETHER).map(move |part| (index, part)))
        {
            let of_part = |buffers: &mut (Buffers, Vec<u32>), part: &[u32]| {
                let (buffers, found) = buffers;
                let (mut pairs, mut hubs) = (Vec::new(), Vec::new());
                for place in part.iter().take_while(|_| !stopped()) {
                    let document = |place: u32| self.documents[place as usize];
                    let may_pair = |other: u32| {
                        self.may_pair(*place, other) && wanted(document(*place), document(other))
                    };
                    match index.find(*place, most.unwrap_or(usize::MAX), may_pair, buffers, found) {
                        true => pairs
                            .extend(found.iter().map(|other| (document(*place), document(*other)))),
                        false => hubs.push(*place),
                    }
                }
                (pairs, hubs)
            };
            let found: Vec<_> =
                together.par_chunks(PART).map_init(Default::default, of_part).collect();
            for (pairs, own) in found {
                pairs.into_iter().for_each(|(one, other)| each(one.min(other), one.max(other)));
                hubs.extend(own);
            }
        }
        hubs
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicU32, Ordering};

    use proptest::prelude::*;

    use super::*;
    use crate::compare::ShortText;

    fn pool<'t>(texts: impl Iterator<Item = (&'t str, bool)>) -> Pool {
        let mut pool = Pool::default();
        (0..)
            .zip(texts)
            .for_each(|(number, (text, short))| pool.add(number, short, &ShortText::new(text)));
        pool
    }

    #[test]
    fn a_large_search_is_left_early() {
        let pool = pool((0..1000).map(|_| ("春眠不觉晓", true)));
        let pairs = |patience: u32| {
            let mut pairs = 0u32;
            let left = AtomicU32::new(patience);
            // It returns true after this number of calls.
            let stopped = || {
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
                    .is_err()
            };
            pool.duplicates(0.8, |_| true, |_, _| true, None, &stopped, |_, _| pairs += 1);
            pairs
        };
        assert!((1..100_000).contains(&pairs(100)));
        assert_eq!(pairs(u32::MAX), 499_500);
    }

    proptest! {
        #[test]
        fn the_index_finds_what_comparing_all_pairs_finds(
            texts in proptest::collection::vec(("[ab天]{0,14}( [12三]{0,2})?( 7)?", any::<bool>()), 0..60),
            min_similarity in prop_oneof![Just(0.2), Just(0.5), Just(0.75), Just(0.9), Just(1.0), 0.01f64..1.0],
            // All pairs, or pairs of one of the first documents and one of the others.
            across in prop_oneof![Just(60), 0u32..60],
            most in prop_oneof![Just(None), (0usize..4).prop_map(Some)],
        ) {
            let pool = pool(texts.iter().map(|(text, short)| (text.as_str(), *short)));
            let wanted = |a, b| u32::min(a, b) < across && u32::max(a, b) >= across || across == 60;
            let mut found = Vec::new();
            let hubs = pool.duplicates(min_similarity, |_| true, wanted, most, &|| false, |a, b| found.push((a, b)));
            let mut plain = BTreeSet::new();
            let mut no_longer = vec![0; texts.len()];
            for b in 0..texts.len() {
                for a in 0..b {
                    let [one, other] = [&texts[a].0, &texts[b].0].map(|text| ShortText::new(text));
                    let may_pair = wanted(a as u32, b as u32) && (texts[a].1 || texts[b].1);
                    let is_similar = one.similarity(&other, min_similarity).is_some();
                    if may_pair && is_similar && !one.characters.is_empty() && !other.characters.is_empty() {
                        plain.insert((a as u32, b as u32));
                        let longer = if one.characters.len() > other.characters.len() { a } else { b };
                        no_longer[longer] += 1;
                    }
                }
            }
            let is_hub = |document: u32| most.is_some_and(|most| no_longer[document as usize] > most);
            let expected: Vec<u32> = (0..texts.len() as u32).filter(|document| is_hub(*document)).collect();
            prop_assert_eq!(hubs, expected);
            plain.retain(|(a, b)| !is_hub(*a) || !is_hub(*b));
            found.sort_unstable();
            prop_assert_eq!(found, plain.into_iter().collect::<Vec<_>>());
        }
    }
}
