//! Pairs of documents that are near -> the number of other texts near each document, up to
//! [`FAMILY`].
//!
//! With reference documents, a reference document has its neighbors among these, and one more: the
//! document that is compared with it. So each new document is judged as if it came alone.

use std::ops::ControlFlow;

use hashbrown::{HashMap, HashSet};
use nearprint_core::compare::Measure;
use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::judge::FAMILY;
use nearprint_core::near::{Hubs, Join};

use super::by_number::{CHEAP, largest_distance, plan_of};
use super::{Input, fingerprints};
use crate::config::Distance;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::watch::{Watch, stop_if_asked};

/// Counts the neighbors of documents. Equal texts count once.
pub(super) struct Neighbors<'c> {
    corpus: &'c Corpus,
    ranks: &'c [u32],
    counts: Vec<u8>,
    /// The texts that were counted for each document. It is used only with guards or marks; without
    /// them each document has a text of its own.
    counted: HashMap<u32, Vec<u128>>,
}

impl<'c> Neighbors<'c> {
    /// Starts without pairs. `ranks` are those of the documents of the corpus.
    pub fn new(corpus: &'c Corpus, ranks: &'c [u32]) -> Neighbors<'c> {
        let mut counts = vec![0; corpus.len()];
        // Reference documents rank first. The document that is compared with one is its neighbor.
        counts[..corpus.origins.against()].fill(1);
        Neighbors { corpus, ranks, counts, counted: HashMap::new() }
    }

    /// Counts two documents that are near. Only reference documents count for a reference document.
    pub fn add_pair(&mut self, one: u32, other: u32) {
        let is_against = |own: u32| (own as usize) < self.corpus.origins.against();
        let [one_is, other_is] = [one, other].map(is_against);
        if !one_is || other_is {
            self.count(one, other);
        }
        if !other_is || one_is {
            self.count(other, one);
        }
    }

    /// Returns true if each searched document has a text of its own.
    fn has_own_texts(&self) -> bool {
        self.corpus.guards().is_empty() && self.corpus.marks().is_empty()
    }

    /// Counts `other` for the document `own`.
    fn count(&mut self, own: u32, other: u32) {
        let has_own_texts = self.has_own_texts();
        let count = &mut self.counts[self.ranks[own as usize] as usize];
        let text = self.corpus.text_hash(other);
        if *count == FAMILY || text == self.corpus.text_hash(own) {
            return;
        }
        if !has_own_texts {
            let counted = self.counted.entry(own).or_default();
            if counted.contains(&text) {
                return;
            }
            counted.push(text);
        }
        *count += 1;
    }

    /// Marks a document as one with very many neighbors.
    pub fn mark_hub(&mut self, document: u32) {
        self.counts[self.ranks[document as usize] as usize] = FAMILY;
    }

    /// Counts the neighbors of some documents among all documents of a column. Of equal texts the
    /// first one counts. `places` are the places of these documents in the column.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn find(
        &mut self,
        places: &[u32],
        (documents, fingerprints): (&[u32], &Fingerprints),
        join: Join<'_>,
        watch: &dyn Watch,
    ) -> Result<(), Error> {
        let mut texts = HashSet::new();
        let mut is_first = |place: &u32| {
            let document = documents[*place as usize];
            self.has_own_texts() || texts.insert(self.corpus.text_hash(document))
        };
        let all: Vec<u32> = (0..documents.len() as u32).filter(|place| is_first(place)).collect();
        let words = places.iter().chain(&all).flat_map(|place| fingerprints.get(*place as usize));
        let column = Fingerprints::of_words(fingerprints.bits(), words.copied().collect());
        let (hubs, mut stopped) = (Hubs::new(column.len()), Ok(()));
        let own = |place: u32| documents[places[place as usize] as usize];
        let join = join.across(Some(places.len())).without_hubs(Some(&hubs));
        let _ = join.run(&column, &mut |batch| {
            let other = |place: u32| documents[all[place as usize - places.len()] as usize];
            batch.pairs.iter().for_each(|pair| self.count(own(pair.left), other(pair.right)));
            stopped = stop_if_asked(watch);
            if stopped.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (0..places.len() as u32)
            .filter(|place| hubs.has(*place))
            .for_each(|place| self.mark_hub(own(place)));
        stopped
    }

    /// The neighbors of each document by its rank, up to [`FAMILY`].
    pub fn counts(self) -> Vec<u8> {
        self.counts
    }
}

/// Returns for each document true if it is in a family. The search goes as far as that of a run
/// before it knows the texts.
///
/// # Errors
/// [`Error::Io`] if the disk cannot be read, [`Error::Unfit`] if the corpus lacks a needed part,
/// [`Error::Interrupted`].
pub fn families(
    input: &Input<'_>,
    documents: &[u32],
    watch: &dyn Watch,
) -> Result<Vec<bool>, Error> {
    let Input { config, corpus, recipe, memory } = *input;
    let max_distance =
        largest_distance(config).filter(|_| config.decide.verify == Measure::Coverage);
    let rules = config.rules(max_distance);
    let is_long = |document: &u32| {
        !rules.is_short(corpus.features(*document)) && !corpus.is_empty_text(*document)
    };
    // Each text has one place in the column.
    let (mut all, mut place_of) = (Vec::new(), HashMap::new());
    for document in (0..corpus.len() as u32).filter(is_long) {
        place_of.entry(corpus.text_hash(document)).or_insert_with(|| {
            all.push(document);
            all.len() as u32 - 1
        });
    }
    let place = |document: &u32| place_of.get(&corpus.text_hash(*document)).copied();
    let mut places: Vec<u32> = documents.iter().filter_map(place).collect();
    places.sort_unstable();
    places.dedup();
    let ranks: Vec<u32> = (0..corpus.len() as u32).collect();
    let mut neighbors = Neighbors::new(corpus, &ranks);
    let by_edits = config.search.distance == Distance::Edit;
    // A run by edits refuses more documents.
    if let Some(max_distance) = max_distance.filter(|_| !by_edits || all.len() <= CHEAP) {
        let column = fingerprints(corpus, recipe, &all, watch)?;
        let plan = plan_of(config, all.len());
        let join = Join::new(&plan, max_distance).by(config.search.distance).within(memory.left());
        neighbors.find(&places, (&all, &column), join, watch)?;
    }
    let counts = neighbors.counts();
    Ok(documents
        .iter()
        .map(|own| place(own).is_some_and(|at| counts[all[at as usize] as usize] >= FAMILY))
        .collect())
}
