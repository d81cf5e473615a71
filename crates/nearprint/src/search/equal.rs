//! Equal texts that guards tell apart -> candidate pairs.
//!
//! Equal texts are folded: one document stands for all ([`crate::decide`]). But where a pair must
//! differ in a field, two of three equal texts may be pairs of the third one and not of each other.
//! So one stands for another only where they have the same pairs, and the pairs of those that are
//! left are candidates whose texts need not be compared. They are made when they are asked for, one
//! after the other: n documents of one text take n² / 2 steps of some nanoseconds, and no room.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::candidates::Candidate;
use crate::corpus::Corpus;

/// Documents of equal text of which none stands for another.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct EqualTexts {
    /// The documents of each text by rank, the best one first.
    groups: Vec<Vec<u32>>,
    /// All of them by rank: the group, and the place in it.
    by_rank: Vec<(u32, u32)>,
}

impl EqualTexts {
    /// Those of a corpus. `ranks` and `representatives` are those of documents.
    pub(super) fn new(corpus: &Corpus, ranks: &[u32], representatives: &[u32]) -> EqualTexts {
        if !corpus.guards().differ() {
            return EqualTexts::default();
        }
        let rank = |document: u32| ranks[document as usize];
        let mut by_text: HashMap<u128, Vec<u32>> = HashMap::new();
        for document in
            (0..).zip(representatives).filter(|(own, other)| own == *other).map(|(own, _)| own)
        {
            if !corpus.is_empty_text(document) {
                by_text.entry(corpus.text_hash(document)).or_default().push(document);
            }
        }
        let mut groups: Vec<Vec<u32>> =
            by_text.into_values().filter(|group| group.len() > 1).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable_by_key(|document| rank(*document)));
        groups.sort_unstable();
        let places = |(number, group): (u32, &Vec<u32>)| {
            (0..group.len() as u32).map(move |place| (number, place))
        };
        let mut by_rank: Vec<(u32, u32)> = (0..).zip(&groups).flat_map(places).collect();
        by_rank
            .sort_unstable_by_key(|(group, place)| rank(groups[*group as usize][*place as usize]));
        EqualTexts { groups, by_rank }
    }

    /// Their pairs that the guards allow, in the order of candidates.
    pub(super) fn candidates<'c>(
        &'c self,
        corpus: &'c Corpus,
        ranks: &'c [u32],
    ) -> impl Iterator<Item = Candidate> + 'c {
        let rank = |document: u32| ranks[document as usize];
        self.by_rank.iter().flat_map(move |(group, place)| {
            let (_, own) = self.groups[*group as usize].split_at(*place as usize);
            let later = own[1..].iter().filter(move |other| corpus.may_pair(own[0], **other));
            later.map(move |other| Candidate {
                better: rank(own[0]),
                other: rank(*other),
                distance: None,
            })
        })
    }
}
