//! Input files -> every problem that a run would meet while it reads them. Nothing is kept but ids
//! and places.

use super::checked::Checked;
use super::feed::Feed;
use super::gather::Reading;
use crate::config::{Config, OnError};
use crate::error::Error;
use crate::read;
use crate::watch::{Stage, Watch};

impl Reading<'_> {
    /// Reads everything and keeps the first kinds of problems, `most` at most.
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
