//! A document -> the parts of it that are gathered, on all threads.

use std::mem;
use std::sync::{Mutex, OnceLock, PoisonError};

use nearprint_core::fingerprint::Hasher;
use nearprint_core::recipe::{Prepared, Recipe, Wanted, Weigher};
use rayon::prelude::*;

use super::counting::Counted;
use super::feed::Batch;
use super::known::Known;
use super::leaks;
use super::needs::Needs;
use super::sampled::SampledTexts;
use crate::document::Document;
use crate::error::Error;
use crate::leak::{Index, Leak};
use crate::watch::{Watch, stop_if_asked};

/// The number of documents that a thread prepares at a time: few, so that other threads do not wait
/// for it at the end of a batch.
const TOGETHER: usize = 16;

/// Prepares documents on all threads. The first of them has this number.
pub(super) fn prepare_all(
    batch: &Batch,
    first: usize,
    preparers: &[Mutex<Preparer<'_>>],
    watch: &dyn Watch,
) -> Result<Vec<Gathered>, Error> {
    let prepare = |(place, document)| {
        stop_if_asked(watch)?;
        let own = rayon::current_thread_index().expect("a thread of the pool prepares");
        let mut preparer = preparers[own].lock().unwrap_or_else(PoisonError::into_inner);
        Ok(preparer.prepare(first + place, document, batch.of_against))
    };
    batch.documents.par_iter().enumerate().with_max_len(TOGETHER).map(prepare).collect()
}

/// A document with the parts of it that are gathered.
pub(super) struct Gathered {
    pub document: Prepared,
    /// The number of characters of the text as read.
    pub length: u32,
    /// The number of bytes of its letters and digits.
    pub letter_bytes: u32,
    /// The distinct features and their places, if they are counted.
    pub counted: Option<Counted>,
    /// True if the text may be in the sample.
    pub may_be_sampled: bool,
    /// The reference documents inside of it.
    pub leaks: Vec<Leak>,
}

/// Prepares documents one by one. Each thread has its own.
pub(super) struct Preparer<'r> {
    recipe: &'r Recipe,
    needs: Needs,
    min_features: u32,
    weigher: Weigher,
    hasher: Hasher,
    /// The current document, and buffers of earlier ones.
    scratch: Prepared,
    /// The search for items; `None` if there is no search.
    leaks: Option<leaks::Search<'r>>,
    /// The fingerprints, if an earlier run has made them.
    known: Option<&'r Known>,
}

impl<'r> Preparer<'r> {
    pub fn new(
        recipe: &'r Recipe,
        needs: Needs,
        min_features: u32,
        items: Option<&'r OnceLock<Index>>,
        known: Option<&'r Known>,
    ) -> Preparer<'r> {
        let (weigher, hasher, leaks) =
            (Weigher::without_corpus(recipe), recipe.hasher(), items.map(leaks::Search::new));
        Preparer {
            recipe,
            needs,
            min_features,
            weigher,
            hasher,
            scratch: Prepared::default(),
            leaks,
            known,
        }
    }

    fn prepare(&mut self, number: usize, document: &Document, of_against: bool) -> Gathered {
        let Preparer { recipe, needs, weigher, hasher, scratch, leaks, known, .. } = self;
        let wanted =
            Wanted { alphanumeric: needs.wanted.alphanumeric || leaks.is_some(), ..needs.wanted };
        match document.tokens().filter(|_| recipe.takes_tokens()) {
            Some(own) => recipe.prepare_with_tokens(&document.text, own, wanted, scratch),
            None => recipe.prepare(&document.text, wanted, scratch),
        }
        let is_item = leaks.is_some() && of_against;
        let leaks = match leaks {
            Some(search) if !of_against => search.leaks(&document.text, scratch, recipe),
            _ => Vec::new(),
        };
        match (known, needs.fingerprints) {
            (Some(known), _) => {
                let (features, fingerprint) = known.of(number);
                (scratch.features, scratch.fingerprint) = (features, Some(fingerprint));
            }
            (None, true) => weigher.add_fingerprint(scratch, hasher),
            (None, false) if needs.wanted.terms => weigher.add_features(scratch),
            (None, false) => {}
        }
        scratch.keep_short(needs.short_below);
        let fits = scratch.text.get().is_some_and(|text| SampledTexts::takes(text));
        let may_be_sampled = needs.sampled_texts && scratch.features >= self.min_features && fits;
        let letter_bytes = scratch
            .alphanumeric
            .get()
            .map_or(0, |bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        // The other parts stay here, so that their buffers are used again.
        let mut gathered = Prepared {
            text_hash: scratch.text_hash,
            is_empty: scratch.is_empty,
            features: scratch.features,
            fingerprint: scratch.fingerprint,
            places: mem::take(&mut scratch.places),
            short: mem::take(&mut scratch.short),
            ..Prepared::default()
        };
        if needs.terms.is_some() {
            gathered.terms = mem::take(&mut scratch.terms);
        }
        if may_be_sampled || needs.texts || needs.wanted.places || is_item {
            gathered.text = mem::take(&mut scratch.text);
            gathered.own_tokens = mem::take(&mut scratch.own_tokens);
        }
        if is_item {
            gathered.alphanumeric = mem::take(&mut scratch.alphanumeric);
        }
        Gathered {
            document: gathered,
            length: u32::try_from(document.text.chars().count()).unwrap_or(u32::MAX),
            letter_bytes,
            counted: needs.counted.then(|| (weigher.counted().to_vec(), weigher.places().to_vec())),
            may_be_sampled,
            leaks,
        }
    }
}
