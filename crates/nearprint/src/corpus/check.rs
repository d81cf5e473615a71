//! Input files -> every problem that a run would meet while it reads them. Nothing is kept but ids and places.

use super::feed::Feed;
use super::gather::Reading;
use crate::config::{Config, OnError};
use crate::error::{Error, Rejection};
use crate::read;
use crate::watch::{Stage, Watch};

/// What a look at the input has found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Checked {
    /// Documents that can be used, those that the others are only compared with among them.
    pub documents: u64,
    /// Files that were looked at.
    pub files: u64,
    /// Files that were passed over in folders and globs, since their endings tell no format.
    pub passed_over: u64,
    /// Files and rows that cannot be used, in input order; the first ones.
    pub rejections: Vec<Rejection>,
    /// How many more there are.
    pub more: u64,
    /// Fields that a setting names and no row has.
    pub missing_fields: Vec<Error>,
    /// The most rejections that are kept.
    pub(super) most: usize,
}

impl Checked {
    /// How many problems there are.
    pub fn problems(&self) -> u64 {
        self.rejections.len() as u64 + self.more + self.missing_fields.len() as u64
    }
}

impl Reading<'_> {
    /// Reads everything and keeps the first problems, `most` at most.
    ///
    /// # Errors
    /// [`Error::TooManyDocuments`], [`Error::Interrupted`].
    pub fn check(self, most: usize, watch: &dyn Watch) -> Result<Checked, Error> {
        let Reading { options, against, sources, .. } = self;
        let first = against.len();
        let sources = [against, sources].concat();
        let files = sources.len() as u64;
        watch.begin(Stage::Read, None, Some(sources.iter().map(|source| source.bytes).sum()));
        // What a run that skips rows would find: every row is looked at, and all of it.
        let config = Config { on_error: OnError::Skip, ..self.config.clone() };
        let options = read::Options { whole_rows: true, ..options.clone() };
        let mut feed = Feed::new(sources, first, false, &options, &config).for_check(most);
        while !feed.next_batch(watch)?.documents.is_empty() {}
        Ok(Checked { files, ..feed.checked()? })
    }
}
