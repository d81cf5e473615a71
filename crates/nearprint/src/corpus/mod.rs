//! Documents -> the corpus: the data of each document that outlive its text.
//!
//! ```text
//! input files -> batches of documents with checked ids              feed.rs
//! input files -> every document, for a caller                      each.rs
//! settings, a purpose -> the parts that must be gathered            needs.rs
//! fingerprints that an earlier run has made                         known.rs
//! documents -> their parts, on all threads                          prepare.rs
//! parts of documents -> a column for each                           gather.rs
//! the place of large lists                                          storage.rs
//! columns: terms, texts, a sample of texts                          terms.rs, texts.rs, sampled.rs
//! features -> corpus statistics                                     counting.rs, shard.rs
//! reference documents -> the documents that contain them            leaks.rs
//! files, rows and ids of documents                                  origins.rs
//! values of fields -> permitted pairs of documents                  guards.rs
//! a person's marks -> pairs that are merged or kept apart           mark_file.rs, marks.rs
//! a document's number -> the parts that are prepared again          reader.rs
//! two documents' numbers -> the judge's verdict                     pairs.rs
//! ```
//!
//! A corpus has the purpose for which it was read and the identity of its recipe. A request for a
//! part that was not gathered, or for a part of another recipe, is an error. An absent part is
//! never an empty one.

mod again;
mod check;
mod checked;
mod counting;
mod each;
mod feed;
mod gather;
mod guards;
mod known;
mod leaks;
mod mark_file;
mod marks;
mod needs;
mod origins;
mod pairs;
mod prepare;
mod reader;
mod sampled;
mod shard;
mod storage;
mod terms;
mod texts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use checked::{Alike, Checked};
pub use gather::Reading;
pub use guards::{Guards, conflict, group, guarding, is_one_value};
pub(crate) use known::FINGERPRINTS_FORMAT;
pub use known::{FINGERPRINTS, Known, KnownFile};
pub(crate) use leaks::Search as LeakSearch;
pub use mark_file::MarkFile;
pub(crate) use mark_file::{id_json, text_hash};
pub use marks::{Marks, MarksUsed, UnusedMark};
pub use needs::Purpose;
pub use origins::Origins;
pub use pairs::{PairJudge, StoreJudge};
pub use reader::{DocumentStore, Reader};
pub use sampled::smallest;
pub use storage::Storage;

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

/// The data of each document that outlive its text. Documents are numbered in input order from 0. A
/// column is `None` if its part was not gathered.
#[derive(Debug, Serialize, Deserialize)]
pub struct Corpus {
    /// The purpose for which the corpus was read.
    purpose: Purpose,
    /// The identity of the recipe.
    recipe: String,
    /// The parts that were gathered.
    needs: Needs,
    /// True if the fingerprints were loaded.
    is_known: bool,
    /// The least number of features of a document that is not short.
    min_features: u32,
    /// The field of `keep`, if it names one.
    keep_field: Option<String>,
    /// The guards, which decide which documents may be a pair.
    guards: Guards,
    /// The pairs that a person has decided.
    marks: Marks,
    /// The origins of the documents.
    pub origins: Origins,
    /// The number of characters of each text as read.
    lengths: Vec<u32>,
    /// The number of bytes of the letters and digits of each normalized text, 0 if these were not
    /// made.
    letter_bytes: Vec<u32>,
    /// XXH3-128 of each normalized text.
    text_hashes: Vec<u128>,
    /// The number of distinct features of each document.
    features: Vec<u32>,
    /// For each document true if it is empty once normalized and trimmed.
    empty: Vec<bool>,
    /// The values of the field of `keep`; empty if it names none.
    fields: Vec<Option<FieldValue>>,
    /// The fingerprint of each document, if its text alone makes it.
    fingerprints: Option<Fingerprints>,
    terms: Option<Terms>,
    texts: Option<Texts>,
    /// A few normalized texts, if distances are chosen by a sample.
    sampled: Option<SampledTexts>,
    /// Short documents and those that can be compared with them.
    short: short::Pool,
    /// The reference documents inside of other documents, sorted; `None` if there was no search for
    /// them.
    leaks: Option<Sorted<Leak>>,
    /// The number of reference documents that are too short for the search.
    too_short_items: u64,
    /// The statistics of this corpus, if they weigh its features.
    statistics: Arc<Statistics>,
    hasher: Hasher,
    /// The number of bytes of text, as UTF-8.
    pub text_bytes: u64,
    /// The folder for temporary files of the run.
    #[serde(skip)]
    folder: PathBuf,
}

impl Corpus {
    /// Refuses a corpus that was read for another purpose, by another recipe, or under settings
    /// that gather other parts of documents.
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
        if (needs, config.fingerprint.min_features, config.keep.policy.field())
            != (self.needs, self.min_features, self.keep_field.as_deref())
            || !self.guards.are_of(config)
            || purpose == Purpose::Dedup
                && self.marks.used().is_some() != config.decide.marks.is_some()
        {
            return Err(Error::Unfit(
                "it was read under settings that keep other parts of documents".into(),
            ));
        }
        Ok(())
    }

    /// Opens the columns on disk of a corpus that was loaded. Returns `false` if one has changed.
    ///
    /// # Errors
    /// [`Error::Io`].
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

    /// Returns true if there is no document.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// The number of distinct features of a document.
    pub fn features(&self, document: u32) -> u32 {
        self.features[document as usize]
    }

    /// The number of characters of each text as read.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// The number of bytes of the letters and digits of each normalized text, 0 if these were not
    /// made.
    pub fn letter_bytes(&self) -> &[u32] {
        &self.letter_bytes
    }

    /// The value of the field of `keep` of each document; empty if it names none.
    pub fn fields(&self) -> &[Option<FieldValue>] {
        &self.fields
    }

    /// Returns true if two documents may be a pair: they are on the two sides, if there are sides,
    /// the guards allow it, and no person has decided about them.
    pub fn may_pair(&self, one: u32, other: u32) -> bool {
        self.origins.may_pair(one, other)
            && self.guards.allow(one, other)
            && self.marks.verdict(one, other).is_none()
    }

    /// The pairs that a person has decided.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Returns true if all documents of equal text are folded that may be a pair.
    pub fn folds_equal_texts(&self) -> bool {
        !self.guards.differ() && self.marks.is_empty()
    }

    /// The guards with the values of their fields.
    pub fn guards(&self) -> &Guards {
        &self.guards
    }

    /// The XXH3-128 of a document's normalized text.
    pub fn text_hash(&self, document: u32) -> u128 {
        self.text_hashes[document as usize]
    }

    /// Returns true if a document is empty once normalized and trimmed.
    pub fn is_empty_text(&self, document: u32) -> bool {
        self.empty[document as usize]
    }

    /// The fingerprints of all documents, if their texts alone make them.
    pub fn fingerprints(&self) -> Option<&Fingerprints> {
        self.fingerprints.as_ref()
    }

    /// Short documents and those that can be compared with them.
    pub fn short(&self) -> &short::Pool {
        &self.short
    }

    /// The reference documents inside of other documents with which they may be a pair, by
    /// document, item and place.
    ///
    /// # Errors
    /// Each item may be an [`Error::Io`] instead, if the disk cannot be read.
    pub fn leaks(&self) -> impl Iterator<Item = Result<Leak, Error>> + '_ {
        let leaks = self.leaks.iter().flat_map(Sorted::iter);
        leaks.filter(|leak| {
            leak.as_ref().map_or(true, |leak| self.may_pair(leak.document, leak.item))
        })
    }

    /// The number of reference documents that are too short to search for them inside of others;
    /// `None` if there was no search.
    pub fn too_short_items(&self) -> Option<u64> {
        self.leaks.as_ref().map(|_| self.too_short_items)
    }

    /// The sampled texts by hash, with their hashes.
    ///
    /// # Errors
    /// [`Error::Unfit`] if no sample was gathered, [`Error::Io`].
    pub fn sampled_texts(&self) -> Result<Vec<(u128, String)>, Error> {
        let sampled = self
            .sampled
            .as_ref()
            .ok_or_else(|| Error::Unfit("no sample of its texts was gathered".into()))?;
        sampled.read()
    }

    /// The statistics of this corpus; empty if they do not weigh its features.
    pub fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// The hash of features. It knows the text of every feature if it needs the texts.
    pub fn hasher(&self) -> &Hasher {
        &self.hasher
    }

    /// The folder for temporary files of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
