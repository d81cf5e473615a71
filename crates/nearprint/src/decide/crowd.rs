//! The documents of a crowd -> their candidate pairs, one document after the other, as far as these may be duplicates.
//!
//! A crowd is a family of so many texts that its pairs are not listed. Its documents settle in the order of their ranks: each that
//! no keeper has claimed becomes one, and only its own pairs with later documents are looked for. They are found by what fills
//! the slots of the form ([`Fillings`]): of two duplicates, one at least has a telling window or figure that the other one has, too. A
//! document that nothing tells is held against all later ones; of a family that differs in nothing but slips most documents are
//! like that, and the first one claims them all.
//!
//! A pair is left out whose fillings differ too much for the least similarity. A test compares the result with that of all pairs.
//!
//! Cost: for each document a look at the windows of its company; some 2 KB of memory for a mail of 250 letters (4 bytes for
//! each window, 4 more for one that touches a slot, 40 for a figure), which no memory bound counts; and the pairs that have
//! something telling in common.

use std::sync::Arc;

use rayon::prelude::*;

use super::company::Company;
use crate::corpus::{Corpus, Forms, Reader};
use crate::error::Error;
use crate::search::{Candidate, Crowd, Input, may_be_near};
use crate::verify::{Asked, Fillings, Telling};
use crate::watch::Progress;

/// Documents that a thread takes at a time.
const PART: usize = 256;

/// The most counters of windows.
const COUNTERS: usize = 1 << 24;

/// The documents of a crowd by what fills their slots.
pub(super) struct ByFillings<'c> {
    crowd: &'c Crowd,
    corpus: &'c Corpus,
    /// The document of each place.
    documents: Vec<u32>,
    least: f64,
    fillings: Vec<Arc<Fillings>>,
    /// What tells each document.
    telling: Vec<Telling>,
    /// Documents by the windows that tell them, and by those of their windows that tell another one.
    windows: [Posts; 2],
    /// The same by the values of figures.
    values: [Posts; 2],
    /// Documents that nothing tells.
    plain: Vec<u32>,
}

impl<'c> ByFillings<'c> {
    /// Reads the documents of a crowd. `documents` is the document of each rank.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Unfit`] where texts were not gathered, [`Error::Interrupted`].
    pub fn new(
        input: &Input<'c>,
        crowd: &'c Crowd,
        company: &Company<'_>,
        documents: &[u32],
        stage: &Progress<'_>,
    ) -> Result<ByFillings<'c>, Error> {
        let read = |(forms, reader): &mut (Forms, Reader<'_>), ranks: &[u32]| {
            let document = |rank: &u32| documents[*rank as usize];
            let company = |rank: &u32| company.of(*rank).iter().map(document).collect::<Vec<u32>>();
            let each = |rank: &u32| forms.fillings(document(rank), &company(rank), reader);
            if stage.stopped() { Err(Error::Interrupted) } else { ranks.iter().map(each).collect() }
        };
        let forms = || (Forms::default(), Reader::new(input.corpus, input.recipe));
        let fillings: Vec<Vec<Arc<Fillings>>> =
            crowd.ranks().par_chunks(PART).map_init(forms, read).collect::<Result<_, Error>>()?;
        let fillings: Vec<Arc<Fillings>> = fillings.into_iter().flatten().collect();
        let windows: usize = fillings.iter().map(|fillings| fillings.windows().len()).sum();
        let mut counters = vec![0u32; windows.next_power_of_two().min(COUNTERS)];
        let mask = counters.len() - 1;
        let counter = |hash: u32| hash as usize & mask;
        for fillings in &fillings {
            fillings.windows().iter().chain(fillings.values()).copied().for_each(|hash| counters[counter(hash)] += 1);
        }
        let least = input.config.min_similarity;
        let telling = |fillings: &Arc<Fillings>| fillings.telling(least, |hash| counters[counter(hash)]);
        let telling: Vec<Telling> = fillings.par_iter().map(telling).collect();
        let windows = Posts::both(
            telling.iter().map(|telling| telling.windows.iter().copied()),
            fillings.iter().map(|fillings| fillings.windows().iter().copied()),
            &mut counters,
        );
        let values = Posts::both(
            telling.iter().map(|telling| telling.values.iter().copied()),
            fillings.iter().map(|fillings| fillings.values().iter().copied()),
            &mut counters,
        );
        let plain = (0..).zip(&telling).filter(|(_, telling)| telling.is_empty()).map(|(place, _)| place).collect();
        let documents = crowd.ranks().iter().map(|rank| documents[*rank as usize]).collect();
        let corpus = input.corpus;
        Ok(ByFillings { crowd, corpus, documents, least, fillings, telling, windows, values, plain })
    }

    /// Forgets documents that are not free, as far as that saves looking at them.
    pub fn forget(&mut self, is_free: impl Fn(u32) -> bool) {
        let ranks = self.crowd.ranks();
        self.plain.retain(|place| is_free(ranks[*place as usize]));
    }

    /// The candidate pairs of the document of a rank with later ones that are free, in order; none if it is not of the crowd.
    pub fn candidates(&self, rank: u32, is_free: impl Fn(u32) -> bool) -> Vec<Candidate> {
        let Some(place) = self.crowd.place(rank) else { return Vec::new() };
        let (ranks, own) = (self.crowd.ranks(), &self.fillings[place]);
        let may_be_near = |other: u32| may_be_near(self.corpus, self.documents[place], self.documents[other as usize]);
        let later = |other: &u32| *other as usize > place && is_free(ranks[*other as usize]) && may_be_near(*other);
        let mut others: Vec<u32> = Vec::new();
        let Telling { windows, values } = &self.telling[place];
        if self.telling[place].is_empty() {
            others.extend((place as u32 + 1..ranks.len() as u32).filter(later));
        } else {
            // Those that have what tells this text, and those of which this text has what tells them.
            let all = (own.windows(), own.values());
            for (number, (windows, values)) in [all, (windows, values)].into_iter().enumerate() {
                others.extend(windows.iter().flat_map(|hash| self.windows[number].of(*hash)).filter(later));
                others.extend(values.iter().flat_map(|hash| self.values[number].of(*hash)).filter(later));
            }
            others.extend(self.plain.iter().copied().filter(later));
            others.sort_unstable();
            others.dedup();
        }
        let mut asked = Asked::new(own);
        let candidate = |other: u32| {
            let distance = self.crowd.near(place, other as usize)?;
            let may_reach = asked.may_reach(&self.fillings[other as usize], self.least);
            let (better, other) = (ranks[place], ranks[other as usize]);
            may_reach.then_some(Candidate { better, other, distance: Some(distance) })
        };
        others.into_iter().filter_map(candidate).collect()
    }
}

/// The places of documents by the hashes of what they have.
struct Posts {
    /// Sorted.
    posts: Vec<(u32, u32)>,
    /// Where those begin whose hashes have these first bits.
    starts: Vec<u32>,
    /// The bits after these.
    shift: u32,
}

impl Posts {
    /// Those of lists of hashes, as far as these are wanted.
    fn new<I: Iterator<Item = u32>>(lists: impl Iterator<Item = I>, wanted: impl Fn(u32) -> bool) -> Posts {
        let mut posts: Vec<(u32, u32)> = Vec::new();
        for (place, hashes) in (0..).zip(lists) {
            posts.extend(hashes.filter(|hash| wanted(*hash)).map(|hash| (hash, place)));
        }
        posts.par_sort_unstable();
        posts.dedup();
        let shift = u32::BITS - posts.len().max(2).ilog2();
        let mut starts = vec![0; (1 << (u32::BITS - shift)) + 1];
        posts.iter().for_each(|(hash, _)| starts[(hash >> shift) as usize + 1] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        Posts { posts, starts, shift }
    }

    /// Lists of hashes, and of other lists the hashes that are in one of them.
    fn both<I: Iterator<Item = u32>>(
        telling: impl Iterator<Item = I>,
        lists: impl Iterator<Item = impl Iterator<Item = u32>>,
        counters: &mut [u32],
    ) -> [Posts; 2] {
        let telling = Posts::new(telling, |_| true);
        let mask = counters.len() - 1;
        counters.fill(0);
        telling.posts.iter().for_each(|(hash, _)| counters[*hash as usize & mask] = 1);
        let wanted = |hash: u32| counters[hash as usize & mask] == 1;
        let others = Posts::new(lists, wanted);
        [telling, others]
    }

    /// The documents that have a hash.
    fn of(&self, hash: u32) -> impl Iterator<Item = u32> + '_ {
        let place = (hash >> self.shift) as usize;
        let near = &self.posts[self.starts[place] as usize..self.starts[place + 1] as usize];
        near.iter().filter(move |post| post.0 == hash).map(|post| post.1)
    }
}

#[cfg(test)]
mod tests;
