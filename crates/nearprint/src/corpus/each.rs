//! Input files -> every document, in order, in batches.

use super::feed::Feed;
use super::gather::Reading;
use super::origins::Origins;
use crate::document::Document;
use crate::error::Error;
use crate::watch::{Stage, Watch};

impl Reading<'_> {
    /// Hands the documents on in batches, with the number of the first one. The next batch is read
    /// meanwhile. Returns the origins of all documents.
    ///
    /// # Errors
    /// As [`read`](Self::read); the errors of `take`.
    pub(crate) fn each(
        self,
        stage: Stage,
        watch: &dyn Watch,
        mut take: impl FnMut(u32, &[Document]) -> Result<(), Error> + Send,
    ) -> Result<Origins, Error> {
        let Reading { config, options, sources, .. } = self;
        let rows: Option<u64> = sources.iter().map(crate::read::Source::rows_in_memory).sum();
        let bytes = rows.is_none().then(|| sources.iter().map(|source| source.bytes).sum());
        watch.begin(stage, rows, bytes);
        let mut feed = Feed::new(sources, 0, true, options, config);
        let (mut batch, mut first) = (feed.next_batch(watch)?, 0);
        while !batch.documents.is_empty() {
            let (taken, next) =
                rayon::join(|| take(first, &batch.documents), || feed.next_batch(watch));
            taken?;
            first += batch.documents.len() as u32;
            batch = next?;
        }
        feed.finish()
    }
}
