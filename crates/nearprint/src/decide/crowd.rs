//! The documents of a crowd -> their candidate pairs, one document after the other, as far as these may be duplicates.
//!
//! A crowd is a family of so many texts that its pairs are not listed. Its documents settle in the order of their ranks: each that
//! no keeper has claimed becomes one, and only its own pairs with later documents are looked for. They are found by what fills
//! the slots of the form ([`Fillings`]): of two duplicates, one at least has telling windows of its own among the fillings of the
//! other one. A document without telling windows is held against all later ones; of a family that differs in nothing but slips
//! most documents are like that, and the first one claims them all.
//!
//! A pair is left out whose fillings differ too much for the least similarity. A test compares the result with that of all pairs.
//!
//! Cost: for each document a merge of its windows with those of its company; 12 bytes of memory for each window that touches a
//! slot, some 2 KB for a mail of 250 letters, which no memory bound counts; and the pairs that have a telling window in common.

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
    /// The telling windows of each document.
    telling: Vec<Telling>,
    /// Documents by their telling windows, and by those of their fillings that tell another one.
    by_telling: Posts,
    by_filling: Posts,
    /// Documents without telling windows.
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
        let windows: usize = fillings.iter().map(|fillings| fillings.hashes().len()).sum();
        let mut counters = vec![0u32; windows.next_power_of_two().min(COUNTERS)];
        let counter = |hash: u32| hash as usize & (windows.next_power_of_two().min(COUNTERS) - 1);
        fillings.iter().flat_map(|fillings| fillings.hashes()).for_each(|hash| counters[counter(*hash)] += 1);
        let least = input.config.min_similarity;
        let telling = |fillings: &Arc<Fillings>| fillings.telling(least, |hash| counters[counter(hash)]);
        let telling: Vec<Telling> = fillings.par_iter().map(telling).collect();
        let by_telling = Posts::new(telling.iter().map(|telling| telling.windows.as_slice()), |_| true);
        counters.fill(0);
        by_telling.posts.iter().for_each(|(hash, _)| counters[counter(*hash)] = 1);
        let by_filling =
            Posts::new(fillings.iter().map(|fillings| fillings.hashes()), |hash| counters[counter(hash)] == 1);
        let plain =
            (0..).zip(&telling).filter(|(_, telling)| telling.windows.is_empty()).map(|(place, _)| place).collect();
        let documents = crowd.ranks().iter().map(|rank| documents[*rank as usize]).collect();
        let corpus = input.corpus;
        Ok(ByFillings { crowd, corpus, documents, least, fillings, telling, by_telling, by_filling, plain })
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
        if self.telling[place].windows.is_empty() {
            others.extend((place as u32 + 1..ranks.len() as u32).filter(later));
        } else {
            let Telling { windows, least } = &self.telling[place];
            for (hashes, posts, least) in
                [(&windows[..], &self.by_filling, Some(*least)), (own.hashes(), &self.by_telling, None)]
            {
                let enough = |other: u32| least.unwrap_or(self.telling[other as usize].least);
                let with_one = hashes.iter().flat_map(|hash| posts.of(*hash)).filter(|other| later(other));
                let mut with_one: Vec<u32> = with_one.collect();
                with_one.sort_unstable();
                others.extend(
                    with_one.chunk_by(u32::eq).filter(|same| same.len() >= enough(same[0])).map(|same| same[0]),
                );
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

/// The places of documents by the windows that they have.
struct Posts {
    /// Sorted.
    posts: Vec<(u32, u32)>,
    /// Where those begin whose windows have these first bits.
    starts: Vec<u32>,
    /// The bits after these.
    shift: u32,
}

impl Posts {
    /// Those of lists of windows, as far as these are wanted.
    fn new<'f>(lists: impl Iterator<Item = &'f [u32]>, wanted: impl Fn(u32) -> bool) -> Posts {
        let mut posts: Vec<(u32, u32)> = Vec::new();
        for (place, hashes) in (0..).zip(lists) {
            posts.extend(hashes.iter().filter(|hash| wanted(**hash)).map(|hash| (*hash, place)));
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

    /// The documents that have a window.
    fn of(&self, hash: u32) -> impl Iterator<Item = u32> + '_ {
        let place = (hash >> self.shift) as usize;
        let near = &self.posts[self.starts[place] as usize..self.starts[place + 1] as usize];
        near.iter().filter(move |post| post.0 == hash).map(|post| post.1)
    }
}

#[cfg(test)]
mod tests;
