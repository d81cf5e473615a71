//! Sources -> their documents in batches, for an index.
//!
//! A batch has up to a thousand documents. The rows of a stream, such as standard input, are read on
//! a thread of their own. If the next row does not come within a moment, or after a second, the
//! batch ends: the writer may wait for the answers. No answer depends on the batches.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::Deduplicator;
use crate::config::OnError;
use crate::document::Document;
use crate::error::{Error, FieldUse, Problem, Rejection, Rejections};
use crate::message::Message;
use crate::read::{self, Source};
use crate::watch::{Stage, Watch, stop_if_asked};

/// The most documents of a transaction, or of a batch of queries.
const BATCH_DOCUMENTS: usize = 1000;

/// The most bytes of their texts.
const BATCH_BYTES: usize = 16 << 20;

/// The longest wait of a batch for the next row of a stream.
const MOMENT: Duration = Duration::from_millis(20);

/// The longest time in which a batch is read from a stream.
const LONGEST: Duration = Duration::from_secs(1);

/// The longest silence of a stream before a check whether the user wants to stop.
const LOOK_UP: Duration = Duration::from_millis(100);

/// The number of rows of a stream that are read ahead.
const AHEAD: usize = 64;

impl Deduplicator {
    /// Reads documents in batches. `problem` returns the reason to reject a document, if any.
    /// Before the last batch `check` is given the text fields that were found, as of
    /// [`read::Documents::texts_found`]. It is not called without a document, or after a row that
    /// stops the run.
    pub(super) fn batches(
        &self,
        sources: &[Source],
        options: &read::Options,
        problem: impl Fn(&Source, &Document) -> Option<Problem>,
        check: impl FnOnce(&[bool]) -> Result<(), Error>,
        watch: &dyn Watch,
        mut each: impl FnMut(Vec<Document>) -> Result<(), Error>,
    ) -> Result<Rejections, Error> {
        let rows: Option<u64> = sources.iter().map(Source::rows_in_memory).sum();
        let is_known = rows.is_none() && sources.iter().all(|source| source.stream.is_none());
        let bytes = is_known.then(|| sources.iter().map(|source| source.bytes).sum());
        watch.begin(Stage::Read, rows, bytes);
        let (mut batch, mut rejections) = (Batch::default(), Rejections::default());
        let (mut some, mut found_texts) = (false, Vec::new());
        // Rows before the row that stops the run are still passed on.
        let mut stopped = None;
        let fails = self.config.read.on_error == OnError::Fail;
        'sources: for (number, source) in sources.iter().enumerate() {
            rejections.begin(&source.label, source.has_rows());
            let mut rows = match Rows::open(source, options) {
                Ok(rows) => rows,
                Err(Error::Rejected(rejection)) if !fails => {
                    rejections.reject(number, rejection, read::count_rows(source));
                    continue;
                }
                Err(Error::Rejected(rejection)) => {
                    stopped = Some(Error::Rejected(rejection));
                    break 'sources;
                }
                Err(error) => return Err(error),
            };
            let mut known = 0;
            loop {
                let wait = if batch.documents.is_empty() { LOOK_UP } else { MOMENT };
                let (row, read) = match rows.next(wait) {
                    Next::Row(row, read) => (Some(row), read),
                    Next::Pause if batch.documents.is_empty() => {
                        stop_if_asked(watch)?;
                        continue;
                    }
                    Next::Pause => (None, known),
                    Next::End(End { texts_found, warning }) => {
                        watch.advance(0, source.bytes.saturating_sub(known));
                        warning.iter().for_each(|warning| watch.warn(warning));
                        read::add_found(&mut found_texts, texts_found);
                        break;
                    }
                };
                let pauses = row.is_none();
                let checked = row.map(|row| {
                    let document = row?;
                    match problem(source, &document) {
                        Some(problem) => Err(Rejection {
                            file: source.label.clone(),
                            row: Some(document.row),
                            problem,
                        }),
                        None => Ok(document),
                    }
                });
                match checked {
                    Some(Ok(document)) => {
                        some = true;
                        rejections.use_row(number);
                        batch.push(document);
                    }
                    Some(Err(rejection)) if fails => {
                        stopped = Some(Error::Rejected(rejection));
                        break 'sources;
                    }
                    Some(Err(rejection)) => rejections.reject(number, rejection, None),
                    None => {}
                }
                let takes_long = source.stream.is_some() && batch.age() >= LONGEST;
                if batch.is_full() || pauses || takes_long {
                    stop_if_asked(watch)?;
                    let documents = std::mem::take(&mut batch).documents;
                    let count = documents.len() as u64;
                    each(documents)?;
                    watch.advance(count, read.saturating_sub(known));
                    known = read;
                }
            }
        }
        if some && stopped.is_none() {
            check(&found_texts)?;
        }
        if !batch.documents.is_empty() {
            stop_if_asked(watch)?;
            let count = batch.documents.len() as u64;
            each(batch.documents)?;
            watch.advance(count, 0);
        }
        if let Some(stopped) = stopped {
            return Err(stopped);
        }
        rejections.check(0, self.config.read.max_rejected)?;
        Ok(rejections)
    }
}

/// Refuses files of which no row has one of several fields of the text. Reads them until each field
/// was found, which is the first row as a rule. A stream is not read.
///
/// # Errors
/// [`Error::NoSuchField`].
pub(super) fn check_texts_of_files(
    sources: &[Source],
    options: &read::Options,
) -> Result<(), Error> {
    let mut all = Vec::new();
    for source in sources.iter().filter(|source| source.stream.is_none()) {
        // A file that cannot be read is reported when its documents are.
        let Ok(mut documents) = read::read(source, options) else { continue };
        loop {
            let ended = documents.next().is_none();
            let Some(found) = documents.texts_found() else { return Ok(()) };
            read::add_found(&mut all, Some(found));
            if !all.contains(&false) {
                return Ok(());
            }
            if ended {
                break;
            }
        }
    }
    check_texts(&all, sources, options)
}

/// Refuses input of which rows have some fields of the text, and no row has another one.
pub(super) fn check_texts(
    found: &[bool],
    sources: &[Source],
    options: &read::Options,
) -> Result<(), Error> {
    match read::not_found(found) {
        None => Ok(()),
        Some(place) => Err(Error::NoSuchField {
            used_as: FieldUse::Text { of_against: false },
            field: options.text_fields[place].clone(),
            available: sources.iter().find_map(read::table::fields).unwrap_or_default(),
        }),
    }
}

/// The documents of a batch.
#[derive(Default)]
struct Batch {
    documents: Vec<Document>,
    /// The bytes of their texts.
    bytes: usize,
    /// The time at which the first one came.
    begun: Option<Instant>,
}

impl Batch {
    fn push(&mut self, document: Document) {
        self.begun.get_or_insert_with(Instant::now);
        self.bytes += document.text.len();
        self.documents.push(document);
    }

    fn is_full(&self) -> bool {
        self.documents.len() == BATCH_DOCUMENTS || self.bytes >= BATCH_BYTES
    }

    fn age(&self) -> Duration {
        self.begun.map_or(Duration::ZERO, |begun| begun.elapsed())
    }
}

type Row = Result<Document, Rejection>;

/// The rows of a source.
enum Rows {
    /// Rows that are there, read when they are needed.
    Here(Box<read::Documents>),
    /// Rows that come, each with the number of bytes read so far.
    Coming { rows: Receiver<(Row, u64)>, reader: Option<JoinHandle<End>> },
}

/// What comes next.
enum Next {
    /// A row, and the number of bytes read so far.
    Row(Row, u64),
    /// No row within the time.
    Pause,
    /// The end of the source.
    End(End),
}

/// What the reader of a source knows at its end.
#[derive(Default)]
struct End {
    /// [`read::Documents::texts_found`].
    texts_found: Option<Vec<bool>>,
    /// [`read::Documents::warning`].
    warning: Option<Message>,
}

impl End {
    fn of(documents: &read::Documents) -> End {
        End { texts_found: documents.texts_found(), warning: documents.warning() }
    }
}

impl Rows {
    fn open(source: &Source, options: &read::Options) -> Result<Rows, Error> {
        if source.stream.is_none() {
            let read = read::read(source, options).map_err(Error::Rejected);
            return read.map(|documents| Rows::Here(Box::new(documents)));
        }
        let (sender, rows) = sync_channel(AHEAD);
        let (source, options) = (source.clone(), options.clone());
        // A failed send means that nobody wants more rows.
        let read = move || match read::read(&source, &options) {
            Err(rejection) => {
                let _ = sender.send((Err(rejection), 0));
                End::default()
            }
            Ok(mut documents) => {
                while let Some(row) = documents.next() {
                    if sender.send((row, documents.bytes_read())).is_err() {
                        break;
                    }
                }
                End::of(&documents)
            }
        };
        // The thread is left behind if the run stops, since nothing ends a read that waits for a
        // writer.
        let reader = thread::Builder::new()
            .spawn(read)
            .map_err(Error::io("start a thread to read", "standard input"))?;
        Ok(Rows::Coming { rows, reader: Some(reader) })
    }

    /// The next row. Waits for rows that come, `wait` at most.
    fn next(&mut self, wait: Duration) -> Next {
        match self {
            Rows::Here(documents) => match documents.next() {
                Some(row) => Next::Row(row, documents.bytes_read()),
                None => Next::End(End::of(documents)),
            },
            Rows::Coming { rows, reader } => match rows.recv_timeout(wait) {
                Ok((row, read)) => Next::Row(row, read),
                Err(RecvTimeoutError::Timeout) => Next::Pause,
                Err(RecvTimeoutError::Disconnected) => match reader.take().map(JoinHandle::join) {
                    Some(Err(panic)) => std::panic::resume_unwind(panic),
                    Some(Ok(end)) => Next::End(end),
                    None => Next::End(End::default()),
                },
            },
        }
    }
}
