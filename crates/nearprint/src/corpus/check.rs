//! Input files -> every problem that a run would meet while it reads them. Only ids and places are
//! kept.

use super::checked::Checked;
use super::feed::Feed;
use super::gather::Reading;
use crate::config::OnError;
use crate::error::Error;
use crate::read;
use crate::watch::{Stage, Watch};

impl Reading<'_> {
    /// Reads everything and keeps the first `most` kinds of problems.
    ///
    /// # Errors
    /// [`Error::TooManyDocuments`], [`Error::Interrupted`].
    pub fn check(self, most: usize, watch: &dyn Watch) -> Result<Checked, Error> {
        let Reading { options, against, sources, .. } = self;
        let first = against.len();
        let sources = [against, sources].concat();
        let files = sources.len() as u64;
        watch.begin(Stage::Read, None, Some(sources.iter().map(|source| source.bytes).sum()));
        // Like a run that skips rows, the check reads every row to its end.
        let config = self.config.clone().on_error(OnError::Skip);
        let options = read::Options { whole_rows: true, ..options.clone() };
        let mut feed = Feed::new(sources, first, false, &options, &config).for_check(most);
        while !feed.next_batch(watch)?.documents.is_empty() {}
        Ok(Checked { files, ..feed.checked()? })
    }
}
