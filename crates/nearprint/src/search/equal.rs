//! Equal texts that guards or marks tell apart -> candidate pairs.
//!
//! Equal texts are folded: one document stands for all ([`crate::decide`]). But if a guard demands
//! that pairs differ in a field, the third of three equal texts may form a pair with each of the
//! other two, which form none. A person may have marked one of them. So a document stands for
//! another only if both have the same pairs.
//! The pairs of the remaining documents are candidates whose texts need no comparison. They are
//! generated one by one: n documents of one text take n² / 2 steps of some nanoseconds, and no
//! memory.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::candidates::Candidate;
use crate::corpus::Corpus;

/// Documents of equal text that are not folded.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct EqualTexts {
    /// The documents of each text, the best rank first.
    groups: Vec<Vec<u32>>,
    /// The group of each document and its place in the group, in the order of ranks.
    by_rank: Vec<(u32, u32)>,
}

impl EqualTexts {
    /// The documents of a corpus. `ranks` and `representatives` are indexed by document.
    pub(super) fn new(corpus: &Corpus, ranks: &[u32], representatives: &[u32]) -> EqualTexts {
        if corpus.folds_equal_texts() {
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
        // Without a guard that demands a difference, only marked documents may still be pairs.
        let matters = |group: &Vec<u32>| {
            let is_marked = |document: &u32| corpus.marks().has(*document);
            group.len() > 1 && (corpus.guards().differ() || group.iter().any(is_marked))
        };
        let mut groups: Vec<Vec<u32>> = by_text.into_values().filter(matters).collect();
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

    /// The pairs that the guards allow, in the order of candidates.
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
