//! A Parquet file -> its copy: some rows, with changed or added columns; metadata and compression
//! stay.
//!
//! The source is read in small batches and written in row groups of about [`ROW_GROUP_BYTES`], so
//! memory does not grow with the file. [`schema`] keeps the types: values are copied as they are
//! stored. The writer does not support the old 96-bit timestamps; they become 64-bit microseconds,
//! without a time zone as before.

use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::arrow::arrow_writer::ArrowWriterOptions;
use ::parquet::arrow::{ArrowWriter, ProjectionMask};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{FieldRef, Schema};
use arrow_select::filter::filter_record_batch;

use super::schema;
use crate::error::{Error, Problem};
use crate::read::Source;
use crate::read::columns::batches::{Batches, guarded};
use crate::write::copied::rejected;
use crate::write::{Written, output};

/// The number of buffered bytes at which a row group is closed. Groups are large enough to compress
/// well, and small enough for any machine.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// An opened source.
pub(super) struct Input<'a> {
    pub source: &'a Source,
    file: File,
    /// The metadata, with the types of Parquet's own schema.
    pub metadata: ArrowReaderMetadata,
}

impl Input<'_> {
    /// Opens a source. Returns `None` if nothing of the file can be read.
    pub fn open(source: &Source) -> Result<Option<Input<'_>>, Error> {
        let file = File::open(&source.path).map_err(Error::io("read", &source.path))?;
        let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guarded(|| ArrowReaderMetadata::load(&file, plain));
        Ok(metadata.ok().map(|metadata| Input { source, file, metadata }))
    }
}

/// The changes of the columns.
pub(super) struct Changes<'a, T> {
    /// The new columns, which follow the source's own.
    pub fields: Vec<FieldRef>,
    pub columns: &'a mut ChangeColumns<'a, T>,
}

/// Changes the columns of some rows and adds the new ones. The arguments are the decisions on the
/// rows and the number of the last row.
pub(super) type ChangeColumns<'a, T> =
    dyn FnMut(&mut Vec<ArrayRef>, &[T], u64) -> Result<(), Error> + 'a;

/// Copies the rows for which `decide` returns a decision, with their changes, and adds these
/// key-value pairs as metadata.
pub(super) fn copy<T>(
    input: Input<'_>,
    target: &Path,
    pairs: Vec<KeyValue>,
    decide: &mut dyn FnMut(u64) -> Option<T>,
    changes: Changes<'_, T>,
) -> Result<Written, Error> {
    let cannot_write = |error: ParquetError| Error::io("write", target)(into_io(error));
    let Ok(physical) = guarded(|| schema::physical(input.metadata.metadata())) else {
        return Ok(Written::default());
    };
    let fields: Vec<_> =
        physical.schema().fields().iter().chain(&changes.fields).cloned().collect();
    let schema = Arc::new(Schema::new(fields));
    let options = writer_options(&input, &schema, pairs).map_err(cannot_write)?;
    let file = output::create(target)?;
    let mut writer =
        ArrowWriter::try_new_with_options(file, schema.clone(), options).map_err(cannot_write)?;
    let mut batches = Batches::in_file(input.file, physical, ProjectionMask::all())
        .map_err(|problem| rejected(input.source, 1, problem))?;
    let row_count = input.metadata.metadata().file_metadata().num_rows().try_into().unwrap_or(0);
    let (mut row, mut rows) = (0, 0);
    let mut decided = Vec::new();
    while let Some(batch) = batches.next() {
        let batch = match batch {
            Ok(batch) => batch,
            Err(problem) => {
                drop_rest(input.source, row + 1..=row_count, problem, decide)?;
                break;
            }
        };
        decided.clear();
        let mut chosen = Vec::with_capacity(batch.num_rows());
        for _ in 0..batch.num_rows() {
            row += 1;
            let wanted = decide(row);
            chosen.push(wanted.is_some());
            decided.extend(wanted);
        }
        if decided.is_empty() {
            continue;
        }
        rows += decided.len() as u64;
        let cannot_write = |error: arrow_schema::ArrowError| cannot_write(error.into());
        let batch =
            filter_record_batch(&batch, &BooleanArray::from(chosen)).map_err(cannot_write)?;
        let mut columns = batch.columns().to_vec();
        (changes.columns)(&mut columns, &decided, row)?;
        let count = RecordBatchOptions::new().with_row_count(Some(decided.len()));
        let batch = RecordBatch::try_new_with_options(schema.clone(), columns, &count)
            .map_err(cannot_write)?;
        writer.write(&batch).map_err(|error| Error::io("write", target)(into_io(error)))?;
        if writer.memory_size() >= ROW_GROUP_BYTES {
            writer.flush().map_err(|error| Error::io("write", target)(into_io(error)))?;
        }
    }
    // `into_inner` alone would report a full disk as a text only.
    writer.finish().map_err(cannot_write)?;
    let bytes = std::fs::metadata(target).map_err(Error::io("write", target))?.len();
    Ok(Written { rows, bytes, source: None })
}

/// Checks that no wanted row is unreadable: damage may lie in a column that the first pass did not
/// read.
fn drop_rest<T>(
    source: &Source,
    rows: RangeInclusive<u64>,
    problem: Problem,
    decide: &mut dyn FnMut(u64) -> Option<T>,
) -> Result<(), Error> {
    match rows.into_iter().find(|&row| decide(row).is_some()) {
        Some(row) => Err(rejected(source, row, problem)),
        None => Ok(()),
    }
}

fn writer_options(
    input: &Input<'_>,
    schema: &Schema,
    pairs: Vec<KeyValue>,
) -> Result<ArrowWriterOptions, ParquetError> {
    let mut properties = WriterProperties::builder();
    if !pairs.is_empty() {
        properties = properties.set_key_value_metadata(Some(pairs));
    }
    if let Some(group) = input.metadata.metadata().row_groups().first() {
        if let Some(column) = group.columns().first() {
            properties = properties.set_compression(column.compression());
        }
        for column in group.columns() {
            properties = properties
                .set_column_compression(column.column_path().clone(), column.compression());
        }
    }
    Ok(ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(true)
        .with_parquet_schema(schema::of_copy(input.metadata.parquet_schema(), schema)?))
}

/// The system's own error, if it is one. A full disk is then reported as such.
pub(super) fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::basic::{Compression, GzipLevel, ZstdLevel};
    use arrow_array::StringArray;

    use super::super::testing::{every_type, file, load};
    use crate::read::testing::{options, source};
    use crate::write::{self, RowFate};

    #[test]
    fn schema_metadata_codec_and_values_stay() {
        let folder = tempfile::tempdir().unwrap();
        let batch = every_type();
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::ZSTD(ZstdLevel::default()),
            Compression::GZIP(GzipLevel::default()),
            Compression::LZ4_RAW,
        ] {
            let properties = WriterProperties::builder()
                .set_compression(compression)
                .set_max_row_group_row_count(Some(3))
                // Some writers put the schema's metadata (here `origin`) beside the embedded
                // schema, too.
                .set_key_value_metadata(Some(vec![
                    KeyValue::new("pandas".to_string(), "{}".to_string()),
                    KeyValue::new("origin".to_string(), "test".to_string()),
                ]))
                .build();
            let source = source(folder.path(), "a.parquet", &file(&batch, properties), &options());
            let target = folder.path().join("kept/a.parquet");
            let mut fate = |row| if row == 2 { RowFate::Drop } else { RowFate::Keep };
            let written = write::kept(&source, &target, &options(), &mut fate).unwrap();
            assert_eq!(
                (written.rows, written.bytes),
                (3, std::fs::metadata(&target).unwrap().len())
            );
            let ((before, old), (after, new)) = (load(&source.path), load(&target));
            assert_eq!(before.schema(), after.schema());
            assert_eq!(before.parquet_schema(), after.parquet_schema());
            assert_eq!(after.metadata().row_group(0).column(0).compression(), compression);
            let pairs = |metadata: &ArrowReaderMetadata| {
                let mut pairs =
                    metadata.metadata().file_metadata().key_value_metadata().unwrap().clone();
                pairs.sort_by(|a, b| a.key.cmp(&b.key));
                pairs
            };
            assert_eq!(pairs(&before), pairs(&after));
            let expected =
                filter_record_batch(&old, &BooleanArray::from(vec![true, false, true, true]))
                    .unwrap();
            assert_eq!(new, expected);
        }
    }

    #[test]
    fn no_rows_left_is_a_file_with_the_schema() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(
            folder.path(),
            "a.parquet",
            &file(&every_type(), WriterProperties::default()),
            &options(),
        );
        let target = folder.path().join("kept.parquet");
        assert_eq!(
            write::kept(&source, &target, &options(), &mut |_| RowFate::Drop).unwrap().rows,
            0
        );
        assert_eq!(load(&target).0.schema(), load(&source.path).0.schema());
    }

    #[test]
    fn many_row_groups_are_written_for_much_data() {
        let folder = tempfile::tempdir().unwrap();
        // No text repeats, so neither a dictionary nor compression makes it small.
        let text = |row: u64| {
            (0..2_000).map(move |n| {
                format!("{:016x}", (row * 2_000 + n).wrapping_mul(0x9e37_79b9_7f4a_7c15))
            })
        };
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
            (0..2_500).map(|row| text(row).collect::<String>()),
        ));
        let batch = RecordBatch::try_from_iter([("text", texts)]).unwrap();
        let source = source(
            folder.path(),
            "a.parquet",
            &file(&batch, WriterProperties::default()),
            &options(),
        );
        let target = folder.path().join("kept.parquet");
        write::kept(&source, &target, &options(), &mut |_| RowFate::Keep).unwrap();
        let (metadata, copy) = load(&target);
        assert_eq!(copy.columns(), batch.columns());
        assert!(metadata.metadata().num_row_groups() >= 2);
    }

    #[test]
    fn damage_loses_no_row_that_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let column =
            |letter: &str| Arc::new(StringArray::from(vec![letter.repeat(9); 20])) as ArrayRef;
        let batch =
            RecordBatch::try_from_iter([("text", column("a")), ("other", column("b"))]).unwrap();
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(::parquet::file::properties::EnabledStatistics::None)
            .set_max_row_group_row_count(Some(5))
            .build();
        let good = file(&batch, properties);
        let offset = |leaf| {
            let source = source(folder.path(), "good.parquet", &good, &options());
            load(&source.path).0.metadata().row_group(2).column(leaf).byte_range().0 as usize
        };
        for (leaf, readable) in [(0, 10), (1, 20)] {
            let mut bytes = good.clone();
            let start = offset(leaf);
            bytes[start..start + 20].fill(0xff);
            let source = source(folder.path(), "bad.parquet", &bytes, &options());
            let found =
                crate::read::read(&source, &options()).unwrap().filter(Result::is_ok).count()
                    as u64;
            assert_eq!(found, readable);
            let target = folder.path().join("kept.parquet");
            let mut fate = |row| if row <= found { RowFate::Keep } else { RowFate::Drop };
            let written = write::kept(&source, &target, &options(), &mut fate);
            if leaf == 0 {
                assert_eq!(written.unwrap().rows, 10);
                assert_eq!(load(&target).1.num_rows(), 10);
            } else {
                let message = written.unwrap_err().to_string();
                assert!(message.starts_with("bad.parquet, row 11: damaged ("), "{message}");
            }
        }
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(
            folder.path(),
            "a.parquet",
            &file(&every_type(), WriterProperties::default()),
            &options(),
        );
        let full = Path::new("/dev/full");
        let message =
            write::kept(&source, full, &options(), &mut |_| RowFate::Keep).unwrap_err().to_string();
        assert!(message.starts_with("cannot write /dev/full: No space left"), "{message}");
    }
}
