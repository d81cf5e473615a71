//! Removals and the input files, read again -> the first passages in which a removed document and
//! its keeper differ.
//!
//! Removals are processed in parts whose texts take [`ROOM`] bytes together. The inputs are read
//! again once for each part.

use std::collections::BTreeSet;

use nearprint_core::compare::Measure;
use nearprint_core::judge::Basis;
use nearprint_core::recipe::Recipe;
use nearprint_core::view::{View, first_differing};
use rayon::prelude::*;

use crate::config::Config;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::outcome::{Reason, Removal};

/// The approximate number of bytes of texts in memory at once.
const ROOM: u64 = 256 << 20;

/// Finds the passages that differ.
#[derive(Clone, Copy)]
pub struct Differing<'a> {
    /// The settings of the run.
    pub config: &'a Config,
    /// The recipe of the run.
    pub recipe: &'a Recipe,
    /// The documents of the run.
    pub corpus: &'a Corpus,
    /// The most characters of a passage.
    pub characters: usize,
}

impl Differing<'_> {
    /// Splits removals, in order, into parts that fit into the memory.
    pub(super) fn parts(self, removals: &[Removal]) -> impl Iterator<Item = &[Removal]> {
        let lengths = self.corpus.lengths();
        let mut rest = removals;
        std::iter::from_fn(move || {
            let mut bytes = 0;
            let of = |document: u32| 4 * u64::from(lengths[document as usize]);
            let fits = |removal: &&Removal| {
                bytes += of(removal.document) + of(removal.keeper);
                bytes <= ROOM
            };
            let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
            let (part, others) = rest.split_at(count);
            rest = others;
            (!part.is_empty()).then_some(part)
        })
    }

    /// For each removal the passages of the document and of its keeper; `None` if the texts are
    /// equal.
    pub(super) fn of(self, removals: &[Removal]) -> Result<Vec<Option<[String; 2]>>, Error> {
        let differ = |removal: &&Removal| removal.reason != Reason::Exact;
        let documents: BTreeSet<u32> = removals
            .iter()
            .filter(differ)
            .flat_map(|removal| [removal.document, removal.keeper])
            .collect();
        let texts = self.corpus.texts_again(self.config, &documents, usize::MAX);
        let origins = &self.corpus.origins;
        let text = |document: u32| {
            let changed = || Error::Changed {
                path: origins.sources[origins.source_of(document)].path.clone(),
            };
            texts.get(&document).map(String::as_str).ok_or_else(changed)
        };
        let passages = |removal: &Removal| {
            if !differ(&removal) {
                return Ok(None);
            }
            let texts = [text(removal.document)?, text(removal.keeper)?];
            let basis = match removal.reason {
                Reason::Short => Basis::Characters,
                _ => Basis::Measure(Measure::Coverage),
            };
            let view = View::new(texts, self.recipe.normalizer(), basis);
            Ok(first_differing(texts, &view, self.characters))
        };
        removals.par_iter().map(passages).collect()
    }
}
