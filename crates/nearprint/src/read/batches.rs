//! A Parquet file -> batches of rows, small whatever the rows hold, up to the very row that is damaged.

use std::fs::File;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use ::parquet::file::metadata::ParquetMetaData;
use arrow::array::RecordBatch;

use crate::error::Problem;

/// A batch holds about this many bytes of values, as they lie in the file before compression.
const BATCH_BYTES: u64 = 4 << 20;

/// A batch has no more rows than this. Values that repeat lie in the file once, so that their bytes say little; the limit
/// keeps even a batch of values as large as a dictionary page lets them be (1 MiB) within 1 GiB when they are copied.
const BATCH_ROWS: u64 = 1024;

/// The batches of a file, read up to the very row that is damaged.
pub(crate) struct Batches {
    file: File,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    size: usize,
    reader: ParquetRecordBatchReader,
    row: usize,
}

impl Batches {
    /// Starts to read these columns.
    pub fn open(file: File, metadata: ArrowReaderMetadata, mask: ProjectionMask) -> Result<Batches, Problem> {
        let size = batch_rows(metadata.metadata(), &mask);
        let reader = batch_reader(&file, &metadata, &mask, size, 0)?;
        Ok(Batches { file, metadata, mask, size, reader, row: 0 })
    }

    /// The next batch. A batch that cannot be decoded is tried again row by row, so that what can be read does not depend
    /// on where batches begin, which is another place for every choice of columns.
    pub fn next(&mut self) -> Option<Result<RecordBatch, Problem>> {
        match self.reader.next()? {
            Ok(batch) => {
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
            Err(error) => Some(Err(damaged(error))),
        }
    }
}

fn batch_reader(
    file: &File,
    metadata: &ArrowReaderMetadata,
    mask: &ProjectionMask,
    size: usize,
    from: usize,
) -> Result<ParquetRecordBatchReader, Problem> {
    let file = file.try_clone().map_err(|error| Problem::Unreadable { reason: error.to_string() })?;
    ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
        .with_projection(mask.clone())
        .with_batch_size(size)
        .with_offset(from)
        .build()
        .map_err(damaged)
}

/// How many rows to decode at once, so that a batch of these columns stays small.
fn batch_rows(metadata: &ParquetMetaData, mask: &ProjectionMask) -> usize {
    let mut rows = BATCH_ROWS;
    for group in metadata.row_groups() {
        let columns = group.columns().iter().enumerate().filter(|(leaf, _)| mask.leaf_included(*leaf));
        let bytes: u64 = columns.map(|(_, column)| u64::try_from(column.uncompressed_size()).unwrap_or(0)).sum();
        let count = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
        rows = rows.min(BATCH_BYTES / (bytes / count).max(1));
    }
    rows.max(1) as usize
}

/// What the reader's error means for the user.
pub(crate) fn damaged(error: impl std::fmt::Display) -> Problem {
    Problem::Damaged { reason: error.to_string() }
}
