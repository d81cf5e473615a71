//! Hubs, in the order of their ranks -> the candidate pairs of each that still matter.
//!
//! The pairs of two hubs are not listed ([`Candidates`]). A family of n texts of one template has
//! n² / 2 such pairs, and nearly all are no duplicates. So each unclaimed hub is compared with the
//! [`NEAREST`] nearest keepers before it, the nearest one first. It becomes a keeper if it is a
//! duplicate of none of them. Copies of a text are nearer to it than other texts of its template.
//!
//! Cost per hub: a look at the fingerprints of the keepers before it, and [`NEAREST`] comparisons
//! of texts.

use nearprint_core::near::{Lookup, Neighbor};

use super::short_hubs::ByCharacters;
use crate::search::{Candidate, Candidates, HubDocuments, Input};

/// The number of keepers with which a hub is compared.
const NEAREST: usize = 16;

/// The number of later hubs with which a hub is listed.
const LISTED: usize = 128;

/// The hubs and the short hubs of a run, which are resolved one by one.
pub(super) struct Resolve<'c> {
    hubs: &'c HubDocuments,
    /// The fingerprints of the hubs that became keepers.
    keepers: Lookup,
    /// The places of these keepers among the hubs.
    places: Vec<u32>,
    near: Vec<Neighbor>,
    by_characters: ByCharacters<'c>,
    /// The ranks of all hubs, in order.
    ranks: Vec<u32>,
    /// The place of the next rank.
    next: usize,
}

impl<'c> Resolve<'c> {
    /// Takes the hubs of the candidates. `documents` is the document of each rank.
    pub fn new(input: &Input<'c>, candidates: &'c Candidates, documents: &[u32]) -> Resolve<'c> {
        let Candidates { hubs, short_hubs, .. } = candidates;
        let by_characters = ByCharacters::new(
            input.corpus,
            input.config.decide.min_similarity,
            short_hubs,
            documents,
        );
        let mut ranks = [hubs.ranks(), short_hubs].concat();
        // A hub without a family of its own only counts as a neighbor of others.
        ranks.retain(|rank| {
            candidates.families.as_ref().is_none_or(|families| families[*rank as usize].is_some())
        });
        ranks.sort_unstable();
        ranks.dedup();
        let keepers = Lookup::new(input.config.fingerprint.bits, hubs.max_distance());
        let (places, near) = (Vec::new(), Vec::new());
        Resolve { hubs, keepers, places, near, by_characters, ranks, next: 0 }
    }

    /// The rank of the next hub.
    pub fn next(&mut self) -> Option<u32> {
        self.next += 1;
        self.ranks.get(self.next - 1).copied()
    }

    /// The pairs of a hub with the nearest keepers among the hubs, the nearest one first. Keepers
    /// with which it may not be a pair are left out. A short hub has none.
    pub fn with_keepers(&mut self, rank: u32, may_pair: impl Fn(u32) -> bool) -> Vec<Candidate> {
        let Some(own) = self.hubs.place(rank) else { return Vec::new() };
        let Resolve { hubs, keepers, places, near, .. } = self;
        let better = |slot: u32| hubs.ranks()[places[slot as usize] as usize];
        keepers.nearest(hubs.fingerprint(own), NEAREST, |slot| may_pair(better(slot)), near);
        let candidate = |keeper: &Neighbor| Candidate {
            better: better(keeper.slot),
            other: rank,
            distance: Some(keeper.distance),
        };
        near.iter().map(candidate).collect()
    }

    /// Makes a hub a keeper; does nothing for a short hub.
    pub fn keep(&mut self, rank: u32) {
        if let Some(place) = self.hubs.place(rank) {
            self.keepers.insert(self.hubs.fingerprint(place));
            self.places.push(place as u32);
        }
    }

    /// The pairs of a short hub with later short hubs that are free; none for other hubs.
    pub fn by_characters(&mut self, rank: u32, is_free: impl Fn(u32) -> bool) -> Vec<Candidate> {
        self.by_characters.forget(is_free);
        self.by_characters.candidates(rank)
    }
}

/// The pairs of a hub with the [`LISTED`] nearest later hubs with which it may be a pair, in the
/// order of their ranks.
pub(super) fn listed(
    hubs: &HubDocuments,
    rank: u32,
    may_pair: impl Fn(u32) -> bool,
) -> Vec<Candidate> {
    let Some(place) = hubs.place(rank) else { return Vec::new() };
    let later = place as u32 + 1..hubs.ranks().len() as u32;
    let later = later.filter_map(|other| Some((hubs.near(place, other as usize)?, other)));
    let later = later.filter(|(_, other)| may_pair(hubs.ranks()[*other as usize]));
    let candidate = |(distance, other): (u32, u32)| {
        let other = hubs.ranks()[other as usize];
        Candidate { better: rank, other, distance: Some(distance) }
    };
    let mut near: Vec<Candidate> = nearest(later, LISTED).into_iter().map(candidate).collect();
    near.sort_unstable_by_key(|candidate| candidate.other);
    near
}

/// The `most` nearest of some distances and places, the nearest one first.
fn nearest(found: impl Iterator<Item = (u32, u32)>, most: usize) -> Vec<(u32, u32)> {
    let mut near: Vec<(u32, u32)> = found.collect();
    if near.len() > most {
        near.select_nth_unstable(most);
        near.truncate(most);
    }
    near.sort_unstable();
    near
}

#[cfg(test)]
mod tests {
    use nearprint_core::random::Random;

    use crate::config::Config;
    use crate::corpus::Purpose;
    use crate::decide::tests::decided_by_all_pairs;
    use crate::outcome::Decisions;
    use crate::read::Source;
    use crate::run::Deduplicator;
    use crate::watch::Silent;

    /// Copies of some texts that share every second word. `edits` words of each copy are changed.
    fn copies(seed: u64, texts: usize, count: usize, edits: usize) -> Vec<String> {
        let mut random = Random::new(seed);
        let mut below = |bound: usize| (random.next() % bound as u64) as usize;
        let mut word = || (0..6).map(|_| char::from(b'a' + below(26) as u8)).collect::<String>();
        let template: Vec<String> = (0..60).map(|_| word()).collect();
        let mut text =
            || template.iter().flat_map(|shared| [shared.clone(), word()]).collect::<Vec<String>>();
        let texts: Vec<Vec<String>> = (0..texts).map(|_| text()).collect();
        let mut places = Random::new(seed + 1);
        let copies = (0..count).map(|number| {
            let mut copy = texts[number % texts.len()].clone();
            for _ in 0..edits {
                let place = (places.next() % copy.len() as u64) as usize;
                copy[place].push('e');
            }
            copy.join(" ")
        });
        copies.collect()
    }

    /// The removed documents of a run, by number.
    fn removed(of: &Decisions) -> Vec<u32> {
        of.removals.iter().map(|removal| removal.document).collect()
    }

    #[test]
    fn hubs_of_few_keepers_resolve_as_if_all_pairs_were_compared() {
        for (seed, texts, edits) in [(1, 1, 3), (2, 5, 2), (3, 14, 2), (4, 8, 6)] {
            let config = Config::default().recall_sample(0);
            let deduplicator = Deduplicator::new(config).unwrap();
            let source = Source::texts("texts", copies(seed, texts, 80 * texts, edits));
            let corpus = deduplicator.read(vec![source], Purpose::Dedup, &Silent).unwrap();
            let (all, is_hub) = decided_by_all_pairs(&deduplicator, &corpus);
            assert!(is_hub, "{seed}");
            let [listed, resolved] =
                [true, false].map(|pairs| deduplicator.decide(&corpus, pairs, &Silent).unwrap());
            assert_eq!(
                listed.removals, resolved.removals,
                "{seed}: a list of pairs changes what is removed"
            );
            assert_eq!(removed(&resolved), removed(&all), "{seed}");
            assert!(resolved.removals.len() >= 78 * texts, "{seed}: {}", resolved.removals.len());
        }
    }
}
