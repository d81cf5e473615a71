//! A table in memory -> a file of Parquet.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use arrow_array::RecordBatch;
use arrow_schema::Schema;

use crate::error::Error;

/// Writes batches of a schema as a Parquet file, compressed by zstd. Returns its size in bytes.
///
/// # Errors
/// The errors of the batches; [`Error::Io`], also for a type of column that Parquet lacks.
pub fn table_as_parquet(
    schema: Arc<Schema>,
    batches: impl Iterator<Item = Result<RecordBatch, Error>>,
    path: &Path,
) -> Result<u64, Error> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let failed = |error: ParquetError| Error::io("write", path)(std::io::Error::other(error));
    let file = File::create(path).map_err(Error::io("create", path))?;
    let mut writer =
        ArrowWriter::try_new(BufWriter::new(file), schema, Some(properties)).map_err(failed)?;
    for batch in batches {
        writer.write(&batch?).map_err(failed)?;
    }
    let mut out = writer.into_inner().map_err(failed)?;
    out.flush().map_err(Error::io("write", path))?;
    Ok(out.get_ref().metadata().map_err(Error::io("read", path))?.len())
}
