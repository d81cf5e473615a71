//! Short hubs -> their candidate pairs, one document after the other.
//!
//! A short hub has so many similar short texts that its pairs are not listed
//! ([`nearprint_core::near::short`]). Few keepers claim most short hubs. So each short hub without
//! a keeper is compared with all later free ones, first by their signatures.

use nearprint_core::compare::{ShortText, most_broken};
use nearprint_core::near::short::{Pool, Signature};
use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::search::{Candidate, may_be_near};

/// The short hubs that are free.
pub(super) struct ByCharacters<'c> {
    corpus: &'c Corpus,
    pool: &'c Pool,
    /// The least similarity of duplicates.
    least: f64,
    /// The free short hubs, by rank.
    free: Vec<Free>,
}

/// A short hub that no keeper has claimed.
#[derive(Clone, Copy)]
struct Free {
    rank: u32,
    document: u32,
    place: u32,
    characters: u32,
    signature: Signature,
}

impl<'c> ByCharacters<'c> {
    /// Takes the short hubs of some ranks, in order. `documents` is the document of each rank.
    pub fn new(
        corpus: &'c Corpus,
        least: f64,
        ranks: &[u32],
        documents: &[u32],
    ) -> ByCharacters<'c> {
        let pool = corpus.short();
        let free = |text: &mut ShortText, rank: &u32| {
            let place =
                pool.place(documents[*rank as usize]).expect("those of the hubs are in the pool");
            pool.read(place, text);
            let (characters, signature) =
                (text.characters.len() as u32, Signature::new(&text.characters));
            Free { rank: *rank, document: documents[*rank as usize], place, characters, signature }
        };
        let free = ranks.par_iter().map_init(ShortText::default, free).collect();
        ByCharacters { corpus, pool, least, free }
    }

    /// Forgets documents that are not free.
    pub fn forget(&mut self, is_free: impl Fn(u32) -> bool) {
        self.free.retain(|document| is_free(document.rank));
    }

    /// The candidate pairs of the document of a rank with later free short hubs, in order; none if
    /// it is not a free short hub.
    pub fn candidates(&self, rank: u32) -> Vec<Candidate> {
        let Ok(own) = self.free.binary_search_by_key(&rank, |document| document.rank) else {
            return Vec::new();
        };
        let (own, later) = (self.free[own], &self.free[own + 1..]);
        let [mut text, mut other] = [ShortText::default(), ShortText::default()];
        self.pool.read(own.place, &mut text);
        let mut is_candidate = |document: &&Free| {
            let most = most_broken((own.characters + document.characters) as usize + 2, self.least);
            own.signature.broken(&document.signature) <= most
                && self.pool.may_pair(own.place, document.place)
                && may_be_near(self.corpus, own.document, document.document)
                && {
                    self.pool.read(document.place, &mut other);
                    text.similarity(&other, self.least).is_some()
                }
        };
        let near = later.iter().filter(|document| is_candidate(document));
        near.map(|document| Candidate { better: rank, other: document.rank, distance: None })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use nearprint_core::random::Random;

    use crate::config::Config;
    use crate::corpus::Purpose;
    use crate::document::{Document, FieldValue, Id};
    use crate::read::Source;
    use crate::run::Deduplicator;
    use crate::watch::Silent;

    /// Messages that differ in a code, in a name, or in typing errors alone.
    fn messages(count: usize) -> Vec<String> {
        let mut random = Random::new(3);
        let mut below = |bound: usize| (random.next() % bound as u64) as usize;
        let names = ["Ann", "Bob", "Carla", "Dmitri", "Eve", "Фёдор", "小明", "Hal"];
        let mut messages = Vec::new();
        for number in 0..count {
            let name = names[below(names.len())];
            let text = match number % 3 {
                0 => format!("Your code is {}, {name}", below(40)),
                1 => format!("{name}, 您的快递已经到了，请来取"),
                _ => "the train is late once more".to_string(),
            };
            let mut letters: Vec<char> = text.chars().collect();
            for _ in 0..below(3) {
                let place = below(letters.len());
                letters[place] = char::from(b'a' + below(26) as u8);
            }
            messages.push(letters.into_iter().collect());
        }
        messages
    }

    #[test]
    fn hubs_of_short_documents_resolve_as_if_all_pairs_were_compared() {
        let texts = messages(400);
        let field = || vec!["field".to_string()];
        for settings in [
            Config::default(),
            Config::default().min_similarity(0.6),
            Config::default().same(field()),
            Config::default().differ(field()),
            Config::default().max_lost(0.1),
        ] {
            let shown = format!("{settings:?}");
            let least = settings.decide.min_similarity;
            let deduplicator = Deduplicator::new(settings).unwrap();
            let document = |(number, text): (usize, &String)| Document {
                row: 0,
                id: Id::Integer(number as i64),
                text: text.clone(),
                fields: vec![Some(FieldValue::Integer((number * number / 3 % 3) as i128))],
            };
            let source =
                Source::documents("messages", texts.iter().enumerate().map(document).collect());
            let corpus = deduplicator.read(vec![source], Purpose::Dedup, &Silent).unwrap();
            let hubs = corpus.short().duplicates(
                least,
                |_| true,
                |_, _| true,
                Some(16),
                &|| false,
                |_, _| {},
            );
            assert!(hubs.len() > 50, "{shown}");
            let [all, resolved] =
                [true, false].map(|pairs| deduplicator.decide(&corpus, pairs, &Silent).unwrap());
            assert_eq!(all.removals, resolved.removals, "{shown}");
            assert!(all.removals.len() > 50, "{shown}");
        }
    }
}
