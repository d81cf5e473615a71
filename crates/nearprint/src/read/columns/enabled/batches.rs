//! A Parquet file, or columns in memory -> batches of rows, small whatever the rows hold. A damaged
//! file is read up to the damaged row.

use std::cell::Cell;
use std::fmt::Display;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::file::metadata::ParquetMetaData;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use arrow_select::take::take;

use super::casts::views;
use crate::error::Problem;

/// A batch holds about this many bytes of values, as they lie in the file before compression.
const BATCH_BYTES: u64 = 4 << 20;

/// The most rows of a batch. The file holds a repeated value once, so its bytes say little about
/// the size of a batch. With this limit a batch takes at most 1 GiB when its values are copied,
/// even if each is as large as a dictionary page allows (1 MiB).
const BATCH_ROWS: u64 = 1024;

/// Batches of rows, in order.
pub(crate) enum Batches {
    /// The batches of a file.
    InFile(Box<InFile>),
    /// The batches of columns in memory.
    InMemory(InMemory),
}

impl Batches {
    /// Starts to read these columns of a file.
    pub fn in_file(
        file: File,
        metadata: ArrowReaderMetadata,
        mask: ProjectionMask,
    ) -> Result<Batches, Problem> {
        InFile::open(file, metadata, mask).map(Box::new).map(Batches::InFile)
    }

    /// The columns at these places of batches in memory, strings as views.
    pub fn in_memory(batches: Arc<[RecordBatch]>, wanted: Vec<usize>) -> Batches {
        Batches::InMemory(InMemory { batches, wanted, at: 0, row: 0 })
    }

    /// The next batch.
    pub fn next(&mut self) -> Option<Result<RecordBatch, Problem>> {
        match self {
            Batches::InFile(batches) => batches.next(),
            Batches::InMemory(batches) => batches.next(),
        }
    }
}

/// The batches of a file, read up to the damaged row.
pub(crate) struct InFile {
    file: File,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    size: usize,
    reader: ParquetRecordBatchReader,
    row: usize,
}

impl InFile {
    fn open(
        file: File,
        metadata: ArrowReaderMetadata,
        mask: ProjectionMask,
    ) -> Result<InFile, Problem> {
        let size = batch_rows(metadata.metadata(), &mask);
        let reader = batch_reader(&file, &metadata, &mask, size, 0)?;
        Ok(InFile { file, metadata, mask, size, reader, row: 0 })
    }

    /// The next batch. A batch that cannot be decoded is tried again row by row. The rows that are
    /// read then do not depend on the borders of batches, which differ with the chosen columns.
    fn next(&mut self) -> Option<Result<RecordBatch, Problem>> {
        match guarded(|| self.reader.next().transpose()) {
            Ok(None) => None,
            Ok(Some(batch)) => {
                self.row += batch.num_rows();
                Some(Ok(batch))
            }
            Err(_) if self.size > 1 => {
                self.size = 1;
                match batch_reader(&self.file, &self.metadata, &self.mask, self.size, self.row) {
                    Ok(reader) => self.reader = reader,
                    Err(problem) => return Some(Err(problem)),
                }
                self.next()
            }
            Err(problem) => Some(Err(problem)),
        }
    }
}

/// The batches of columns in memory.
pub(crate) struct InMemory {
    batches: Arc<[RecordBatch]>,
    wanted: Vec<usize>,
    /// The current batch, and the number of its rows that were returned.
    at: usize,
    row: usize,
}

impl InMemory {
    fn next(&mut self) -> Option<Result<RecordBatch, Problem>> {
        let batch = loop {
            let batch = self.batches.get(self.at)?;
            if self.row < batch.num_rows() {
                break batch;
            }
            (self.at, self.row) = (self.at + 1, 0);
        };
        let count = (batch.num_rows() - self.row).min(BATCH_ROWS as usize);
        self.row += count;
        Some(
            few_rows(batch, &self.wanted, self.row - count, count)
                .map_err(|error| Problem::Damaged { reason: error.to_string() }),
        )
    }
}

/// Some rows of the wanted columns, strings as views.
fn few_rows(
    batch: &RecordBatch,
    wanted: &[usize],
    start: usize,
    count: usize,
) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let columns = wanted.iter().map(|place| {
        let column = batch.column(*place).slice(start, count);
        Ok((schema.field(*place).name(), as_views(&column)?, true))
    });
    RecordBatch::try_from_iter_with_nullable(columns.collect::<Result<Vec<_>, ArrowError>>()?)
}

/// A column whose strings, or bytes, are views into it, and whose dictionary is replaced by its
/// values. Other types stay.
///
/// # Errors
/// The errors of Arrow, for data that does not match its type.
pub fn as_views(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    without_dictionary(column).map(|column| views(&column))
}

/// A column whose dictionary is replaced by its values, nulls included.
///
/// # Errors
/// The errors of [`as_views`].
pub fn without_dictionary(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match column.as_any_dictionary_opt() {
        Some(dictionary) => {
            without_dictionary(&take(dictionary.values(), dictionary.keys(), None)?)
        }
        None => Ok(column.clone()),
    }
}

fn batch_reader(
    file: &File,
    metadata: &ArrowReaderMetadata,
    mask: &ProjectionMask,
    size: usize,
    from: usize,
) -> Result<ParquetRecordBatchReader, Problem> {
    let file =
        file.try_clone().map_err(|error| Problem::Unreadable { reason: error.to_string() })?;
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
    guarded(|| reader.with_projection(mask.clone()).with_batch_size(size).with_offset(from).build())
}

/// The number of rows to decode at once, so that a batch of these columns stays small.
fn batch_rows(metadata: &ParquetMetaData, mask: &ProjectionMask) -> usize {
    let mut rows = BATCH_ROWS;
    for group in metadata.row_groups() {
        let columns =
            group.columns().iter().enumerate().filter(|(leaf, _)| mask.leaf_included(*leaf));
        let bytes: u64 =
            columns.map(|(_, column)| u64::try_from(column.uncompressed_size()).unwrap_or(0)).sum();
        let count = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
        rows = rows.min(BATCH_BYTES / (bytes / count).max(1));
    }
    rows.max(1) as usize
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if a panic of this thread, now, means a damaged file and becomes an error. The
/// panic hook of a program may then keep silent.
pub fn expects_panics() -> bool {
    GUARDED.get()
}

/// Runs the Parquet library on a file from outside. The library panics on some damaged files; such
/// a panic becomes an error.
pub(crate) fn guarded<T, E: Display>(work: impl FnOnce() -> Result<T, E>) -> Result<T, Problem> {
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    let reason = match result {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => match panic.downcast_ref::<String>() {
            Some(reason) => reason.clone(),
            None => panic.downcast_ref::<&str>().unwrap_or(&"the reader gave up").to_string(),
        },
    };
    // Some reasons go on for many lines.
    let first = reason.lines().next().unwrap_or_default().to_string();
    Err(Problem::Damaged { reason: first })
}
