//! Documents -> the corpus: the data that is kept of each document after its text is dropped.
//!
//! ```text
//! input files -> batches of documents with checked ids              feed.rs
//! settings, a purpose -> the parts that must be gathered            needs.rs
//! fingerprints that an earlier run has made                         known.rs
//! documents -> a column for each part                               gather.rs
//! columns: terms, texts, a sample of texts                          terms.rs, texts.rs, sampled.rs
//! features -> corpus statistics                                     counting.rs, shard.rs
//! documents of one side that stand inside those of the other one    leaks.rs
//! where documents come from                                         origins.rs
//! values of fields -> which documents may be a pair                 guards.rs
//! a document's number -> the parts that are prepared again          reader.rs
//! two documents' numbers -> the judge's verdict                     pairs.rs
//! ```
//!
//! A corpus carries the purpose it was read for and the identity of its recipe. A part that was not
//! gathered cannot be asked for, and neither can one of another recipe: both are errors. An absent
//! part is never an empty one.

mod again;
mod check;
mod checked;
mod counting;
mod feed;
mod gather;
mod guards;
mod known;
mod leaks;
mod needs;
mod origins;
mod pairs;
mod reader;
mod sampled;
mod shard;
mod terms;
mod texts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use checked::{Alike, Checked};
pub use gather::{Reading, Storage};
pub use guards::{Guards, guarding};
pub use known::{FINGERPRINTS, Known, KnownFile};
pub(crate) use leaks::Search as LeakSearch;
pub use needs::Purpose;
pub use origins::Origins;
pub use pairs::{PairJudge, StoreJudge};
pub use reader::{DocumentStore, Reader};
pub use sampled::smallest;

use nearprint_core::fingerprint::{Fingerprints, Hasher};
use nearprint_core::near::short;
use nearprint_core::recipe::Recipe;
use nearprint_core::statistics::Statistics;

use crate::config::Config;
use crate::document::FieldValue;
use crate::error::Error;
use crate::leak::Leak;
use crate::read::Source;
use crate::spill::Sorted;
use needs::Needs;
use sampled::SampledTexts;
use terms::Terms;
use texts::Texts;

/// The data that is kept of each document after its text is dropped. Documents are numbered in
/// input order from 0. A column is `None` where its part was not gathered.
#[derive(Debug, Serialize, Deserialize)]
pub struct Corpus {
    /// The purpose it was read for.
    purpose: Purpose,
    /// The identity of the recipe.
    recipe: String,
    /// The parts that were gathered.
    needs: Needs,
    /// Whether fingerprints were there before.
    is_known: bool,
    /// Documents of fewer features are short.
    min_features: u32,
    /// The field that `keep` looks at, if it looks at one.
    keep_field: Option<String>,
    /// The fields that say which documents may be a pair.
    guards: Guards,
    /// Where they come from.
    pub origins: Origins,
    /// Characters of each text as read.
    lengths: Vec<u32>,
    /// Bytes of the letters and digits of each normalized text, 0 where these were not made.
    letter_bytes: Vec<u32>,
    /// XXH3-128 of each normalized text.
    text_hashes: Vec<u128>,
    /// Distinct features of each document.
    features: Vec<u32>,
    /// Whether each document is empty once normalized and trimmed.
    empty: Vec<bool>,
    /// The field that `keep` looks at; none where it looks at none.
    fields: Vec<Option<FieldValue>>,
    /// Each document's fingerprint, where its text alone makes it.
    fingerprints: Option<Fingerprints>,
    terms: Option<Terms>,
    texts: Option<Texts>,
    /// A few normalized texts, where distances are chosen by a sample.
    sampled: Option<SampledTexts>,
    /// Short documents and those that can be compared with them.
    short: short::Pool,
    /// The documents of one side that stand inside those of the other one, sorted; `None` where
    /// none were looked for.
    leaks: Option<Sorted<Leak>>,
    /// Documents that are too short to be looked for.
    too_short_items: u64,
    /// The statistics of this corpus, where features are weighed by them.
    statistics: Arc<Statistics>,
    hasher: Hasher,
    /// Bytes of text, as UTF-8.
    pub text_bytes: u64,
    /// Where temporary files of the run go.
    #[serde(skip)]
    folder: PathBuf,
}

impl Corpus {
    /// Refuses a corpus that was read for another purpose, by another recipe, or under settings by
    /// which other parts of documents are gathered.
    ///
    /// # Errors
    /// [`Error::Unfit`].
    pub fn check(&self, purpose: Purpose, config: &Config, recipe: &Recipe) -> Result<(), Error> {
        if self.purpose != purpose {
            let (was, wanted) = (self.purpose.in_words(), purpose.in_words());
            return Err(Error::Unfit(format!("it was read for {was}, not for {wanted}").into()));
        }
        if self.recipe != recipe.identity() {
            let other = recipe.identity();
            return Err(Error::Unfit(
                format!("it was read by the recipe {}, not by {other}", self.recipe).into(),
            ));
        }
        let needs = Needs::new(config, recipe, purpose);
        let needs = if self.is_known { needs.with_fingerprints(config) } else { needs };
        if (needs, config.min_features, config.keep.field())
            != (self.needs, self.min_features, self.keep_field.as_deref())
            || !self.guards.are_of(config)
        {
            return Err(Error::Unfit(
                "it was read under settings that keep other parts of documents".into(),
            ));
        }
        Ok(())
    }

    /// Opens the columns on disk of a corpus that was loaded. `false` where one is not what it was.
    pub fn reopen(&mut self, folder: &Path, sources: Vec<Source>) -> Result<bool, Error> {
        self.folder = folder.to_path_buf();
        self.origins.sources = sources;
        let terms = self.terms.as_mut().map_or(Ok(true), |terms| terms.reopen(folder))?;
        let texts = self.texts.as_mut().map_or(Ok(true), |column| column.reopen(folder))?;
        let sampled = self.sampled.as_mut().map_or(Ok(true), |sampled| sampled.reopen(folder))?;
        let leaks = self.leaks.as_mut().map_or(Ok(true), |found| leaks::reopen(found, folder))?;
        Ok(terms && texts && sampled && leaks)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.terms.as_mut().map_or(Ok(()), Terms::flush)?;
        self.texts.as_mut().map_or(Ok(()), Texts::flush)?;
        self.sampled.as_mut().map_or(Ok(()), SampledTexts::flush)
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// Distinct features of a document.
    pub fn features(&self, document: u32) -> u32 {
        self.features[document as usize]
    }

    /// Characters of each text as read.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// Bytes of the letters and digits of each normalized text, 0 where these were not made.
    pub fn letter_bytes(&self) -> &[u32] {
        &self.letter_bytes
    }

    /// The field that `keep` looks at, of each document; none where it looks at none.
    pub fn fields(&self) -> &[Option<FieldValue>] {
        &self.fields
    }

    /// Whether two documents may be a pair: they are on the two sides, if there are sides, and the
    /// guards allow it.
    pub fn may_pair(&self, one: u32, other: u32) -> bool {
        self.origins.may_pair(one, other) && self.guards.allow(one, other)
    }

    /// The values of the guards' fields.
    pub fn guards(&self) -> &Guards {
        &self.guards
    }

    /// The XXH3-128 of a document's normalized text.
    pub fn text_hash(&self, document: u32) -> u128 {
        self.text_hashes[document as usize]
    }

    /// Whether a document is empty once normalized and trimmed.
    pub fn is_empty_text(&self, document: u32) -> bool {
        self.empty[document as usize]
    }

    /// The fingerprints of all documents, where their texts alone make them.
    pub fn fingerprints(&self) -> Option<&Fingerprints> {
        self.fingerprints.as_ref()
    }

    /// Short documents and those that can be compared with them.
    pub fn short(&self) -> &short::Pool {
        &self.short
    }

    /// The documents of one side that stand inside those of the other one and may be a pair with
    /// these, by document, item and place.
    ///
    /// # Errors
    /// Each may be an [`Error::Io`] instead, where the disk cannot be read.
    pub fn leaks(&self) -> impl Iterator<Item = Result<Leak, Error>> + '_ {
        let leaks = self.leaks.iter().flat_map(Sorted::iter);
        leaks.filter(|leak| {
            leak.as_ref().map_or(true, |leak| self.may_pair(leak.document, leak.item))
        })
    }

    /// Documents that the others are only compared with, and that are too short to be looked for
    /// inside of these; `None` where none were looked for.
    pub fn too_short_items(&self) -> Option<u64> {
        self.leaks.as_ref().map(|_| self.too_short_items)
    }

    /// The sampled texts by hash, with their hashes.
    ///
    /// # Errors
    /// [`Error::Unfit`] where no sample was gathered, [`Error::Io`].
    pub fn sampled_texts(&self) -> Result<Vec<(u128, String)>, Error> {
        let sampled = self
            .sampled
            .as_ref()
            .ok_or_else(|| Error::Unfit("no sample of its texts was gathered".into()))?;
        sampled.read()
    }

    /// The statistics of this corpus; those of no document where features are not weighed by them.
    pub fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// The hash of features, which knows the text of every feature where it needs that.
    pub fn hasher(&self) -> &Hasher {
        &self.hasher
    }

    /// Where temporary files of the run go.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
