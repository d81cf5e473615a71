//! Decisions and the input files, read again -> the kept rows, or all rows with their decisions.

use std::path::Path;

use super::{ANNOTATED, Annotation, KEPT, LeakPassages, RowFate, annotated, kept};
use crate::config::LeakAction;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::outcome::Decisions;
use crate::read;
use crate::watch::{Progress, Watch, stop_if_asked};

/// Writes the input files again: with `annotate` all rows with their decisions, else the kept rows.
/// Files of reference documents are not written. Returns the number of bytes.
///
/// # Errors
/// The errors of [`kept`] and [`annotated`]; [`Error::Interrupted`].
#[expect(clippy::too_many_arguments)]
pub(crate) fn documents(
    corpus: &Corpus,
    decisions: &Decisions,
    action: LeakAction,
    options: &read::Options,
    folder: &Path,
    annotate: bool,
    stage: &Progress<'_>,
    watch: &dyn Watch,
) -> Result<u64, Error> {
    let origins = &corpus.origins;
    let mut leaks = LeakPassages::new(corpus, action);
    let cluster_of = if annotate { decisions.cluster_of(origins.len()) } else { Vec::new() };
    let mut written = 0;
    for (number, source) in origins.sources.iter().enumerate().skip(origins.against) {
        let (first, end) = (origins.starts[number], origins.starts[number + 1]);
        if origins.rejections.has_failed(number) && first == end {
            continue;
        }
        // Rows come in the order of documents. A row without a document was rejected.
        let mut next = first;
        let mut document_in = |row: u64| {
            if next == end || origins.rows[next] != row || watch.stopped() {
                return None;
            }
            next += 1;
            stage.advance(1);
            Some(next as u32 - 1)
        };
        let rows = if annotate {
            annotated(source, &folder.join(ANNOTATED).join(&source.name), options, &mut |row| {
                document_in(row).map(|document| Annotation {
                    duplicate_of: decisions
                        .removal(document)
                        .map(|removal| origins.id(removal.keeper)),
                    cluster: cluster_of[document as usize].map(u64::from),
                })
            })?
        } else {
            let mut failure = None;
            let rows = kept(source, &folder.join(KEPT).join(&source.name), options, &mut |row| {
                match document_in(row) {
                    Some(document) if decisions.removal(document).is_none() => {
                        match leaks.of(document) {
                            Ok(passages) if passages.is_empty() => RowFate::Keep,
                            Ok(passages) => RowFate::KeepWithout(passages, leaks.treatment),
                            Err(error) => {
                                failure = Some(error);
                                RowFate::Drop
                            }
                        }
                    }
                    _ => RowFate::Drop,
                }
            })?;
            failure.map_or(Ok(rows), Err)?
        };
        written += rows.bytes;
        stop_if_asked(watch)?;
        if next != end || rows.source.is_some_and(|hash| hash != origins.hashes[number]) {
            return Err(Error::Changed { path: source.path.clone() });
        }
    }
    Ok(written)
}
