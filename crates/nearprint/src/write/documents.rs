//! Decisions and the input files, read again -> the kept rows, or all rows with their decisions.

use std::iter::Peekable;
use std::path::Path;

use super::passage_rows::PlaceValues;
use super::{
    ANNOTATED, Annotation, KEPT, LeakPassages, Passages, PlacesOfDocument, RowFate, Treatment,
    Written, annotated, kept,
};
use crate::config::LeakAction;
use crate::corpus::{Corpus, Origins};
use crate::error::Error;
use crate::outcome::Decisions;
use crate::passage::{self, Found, PlaceRow, Stay};
use crate::read::{self, Source};
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
    each_file(origins, stage, watch, &mut |source, document_in| {
        if annotate {
            let target = folder.join(ANNOTATED).join(&source.name);
            return annotated(source, &target, options, &mut |row| {
                document_in(row).map(|document| Annotation {
                    duplicate_of: decisions
                        .removal(document)
                        .map(|removal| origins.id(removal.keeper)),
                    cluster: cluster_of[document as usize].map(u64::from),
                })
            });
        }
        let target = folder.join(KEPT).join(&source.name);
        kept_or_failed(source, &target, options, &mut |row| match document_in(row) {
            Some(document) if decisions.removal(document).is_none() => {
                Ok(without(leaks.of(document)?, leaks.treatment))
            }
            _ => Ok(RowFate::Drop),
        })
    })
}

/// Writes the input files again, without the places of passages that go. Returns the number of
/// bytes.
///
/// # Errors
/// The errors of [`kept`]; [`Error::Interrupted`].
pub(crate) fn without_places(
    origins: &Origins,
    found: &Found,
    treatment: Treatment,
    options: &read::Options,
    folder: &Path,
    stage: &Progress<'_>,
    watch: &dyn Watch,
) -> Result<u64, Error> {
    let mut going = PlacesThatGo::new(found, treatment);
    each_file(origins, stage, watch, &mut |source, document_in| {
        let target = folder.join(KEPT).join(&source.name);
        kept_or_failed(source, &target, options, &mut |row| match document_in(row) {
            Some(document) => Ok(without(going.of(document)?, treatment)),
            None => Ok(RowFate::Drop),
        })
    })
}

/// Writes the input files again, each row with the places of passages in its document. Returns the
/// number of bytes.
///
/// # Errors
/// The errors of [`annotated`]; [`Error::Interrupted`].
pub(crate) fn with_places(
    origins: &Origins,
    found: &Found,
    options: &read::Options,
    folder: &Path,
    stage: &Progress<'_>,
    watch: &dyn Watch,
) -> Result<u64, Error> {
    let mut places = found.places.iter().peekable();
    each_file(origins, stage, watch, &mut |source, document_in| {
        let target = folder.join(ANNOTATED).join(&source.name);
        let mut failure = None;
        let written = annotated(source, &target, options, &mut |row| {
            let document = document_in(row)?;
            let mut own = Vec::new();
            while let Some(place) = places.next_if(|place| is_in(place, document)) {
                match place {
                    Ok(place) => own.push(PlaceValues::of(found, &place)),
                    Err(error) => failure = Some(error),
                }
            }
            Some(PlacesOfDocument(own))
        })?;
        failure.map_or(Ok(written), Err)
    })
}

/// Whether a place is in a document, or could not be read.
fn is_in(place: &Result<PlaceRow, Error>, document: u32) -> bool {
    place.as_ref().map_or(true, |place| place.document == document)
}

/// Places, or the error of reading them.
type Places<'f> = Box<dyn Iterator<Item = Result<PlaceRow, Error>> + 'f>;

/// The places of passages that go, by document.
pub struct PlacesThatGo<'f> {
    places: Peekable<Places<'f>>,
    treatment: Treatment,
}

impl<'f> PlacesThatGo<'f> {
    /// Starts before the first document.
    pub fn new(found: &'f Found, treatment: Treatment) -> PlacesThatGo<'f> {
        let places: Places<'f> = Box::new(found.places.iter());
        PlacesThatGo { places: places.peekable(), treatment }
    }

    /// The ranges of characters that go in a document. Documents must come in order.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn of(&mut self, document: u32) -> Result<Passages, Error> {
        let mut going = Vec::new();
        let is_reached = |place: &Result<PlaceRow, Error>| {
            place.as_ref().map_or(true, |place| place.document <= document)
        };
        while let Some(place) = self.places.next_if(is_reached) {
            let PlaceRow { document: of, characters: [start, end], gaps, stay, .. } = place?;
            if of == document && stay == Stay::Goes {
                going.push((start as usize..end as usize, gaps));
            }
        }
        Ok(match self.treatment {
            Treatment::Cut => passage::without(going),
            Treatment::Mask => going.into_iter().map(|(characters, _)| characters).collect(),
        })
    }
}

fn without(passages: Passages, treatment: Treatment) -> RowFate {
    match passages.is_empty() {
        true => RowFate::Keep,
        false => RowFate::KeepWithout(passages, treatment),
    }
}

/// Copies a file like [`kept`]. After an error of `fate` the copy is not used.
fn kept_or_failed(
    source: &Source,
    target: &Path,
    options: &read::Options,
    fate: &mut dyn FnMut(u64) -> Result<RowFate, Error>,
) -> Result<Written, Error> {
    let mut failure = None;
    let written = kept(source, target, options, &mut |row| {
        fate(row).unwrap_or_else(|error| {
            failure = Some(error);
            RowFate::Drop
        })
    })?;
    failure.map_or(Ok(written), Err)
}

/// Tells the document of each row in order; `None` for a row without one.
type DocumentOfRow<'r> = dyn FnMut(u64) -> Option<u32> + 'r;

/// Calls `write` for each input file, with a function that tells the document of each row in order;
/// rows without a document were rejected. Returns the number of bytes written.
fn each_file(
    origins: &Origins,
    stage: &Progress<'_>,
    watch: &dyn Watch,
    write: &mut dyn FnMut(&Source, &mut DocumentOfRow<'_>) -> Result<Written, Error>,
) -> Result<u64, Error> {
    let mut bytes = 0;
    for (number, source) in origins.sources.iter().enumerate().skip(origins.against) {
        let (first, end) = (origins.starts[number], origins.starts[number + 1]);
        if origins.rejections.has_failed(number) && first == end {
            continue;
        }
        let mut next = first;
        let mut document_in = |row: u64| {
            if next == end || origins.rows[next] != row || watch.stopped() {
                return None;
            }
            next += 1;
            stage.advance(1);
            Some(next as u32 - 1)
        };
        let written = write(source, &mut document_in)?;
        bytes += written.bytes;
        stop_if_asked(watch)?;
        if next != end || written.source.is_some_and(|hash| hash != origins.hashes[number]) {
            return Err(Error::Changed { path: source.path.clone() });
        }
    }
    Ok(bytes)
}
