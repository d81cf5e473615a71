//! The outcome of a run and the input files -> copies of the files, and reports.
//!
//! `documents` writes the rows of all input files; [`reports`] explains why each removed row is
//! missing. For one file, [`kept`] leaves rows out, and [`annotated`] adds fields to each row, such as the
//! document that it duplicates. Both read the source again with the framing of the read room and change
//! nothing else. A copy has its source's format, compression, character encoding, schema and order,
//! and in text formats the very bytes of each row.
//!
//! A source that ends in damage is copied up to the damage: the run has met the damage while
//! reading and was told to go on. A source that cannot be read at all (damaged from the start) has
//! no copy.
//!
//! ```
//! use nearprint::{read, write};
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("诗.jsonl");
//! std::fs::write(&path, "{\"text\":\"春眠\"}\n{\"text\":\"春 眠\"}\n{\"text\":\"登高\"}\n")?;
//! let options = read::Options::default();
//! let inputs = [path.to_string_lossy().into_owned()];
//! let sources = read::find(&inputs, &options, folder.path(), &nearprint::Silent)?;
//! let target = folder.path().join("kept/诗.jsonl");
//! let mut fate = |row| if row == 2 { write::RowFate::Drop } else { write::RowFate::Keep };
//! assert_eq!(write::kept(&sources[0], &target, &options, &mut fate)?.rows, 2);
//! assert_eq!(std::fs::read_to_string(target)?, "{\"text\":\"春眠\"}\n{\"text\":\"登高\"}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod added;
mod annotation;
mod copied;
mod differing;
mod documents;
mod fingerprints;
mod folder;
mod leaks;
mod new_file;
mod output;
mod parquet;
mod passage_rows;
mod passages;
pub mod reports;
mod rows;
mod stream;

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::read::{self, Format, Source};

pub use added::{AddedFields, Annotation, PlacesOfDocument};
pub use differing::Differing;
pub use documents::PlacesThatGo;
pub(crate) use documents::{documents, with_places, without_places};
pub use fingerprints::fingerprints_as_json_lines;
pub use folder::Folder;
pub use leaks::{LeakPassages, ListedLeak, listed_leaks};
pub use new_file::check_new_file;
pub use parquet::fingerprints_as_parquet;
#[cfg(feature = "parquet")]
pub use parquet::table_as_parquet;
pub use passage_rows::{PASSAGE_TEXTS, PASSAGES, PassageText};
pub(crate) use passage_rows::{passage_texts, places};
pub use passages::{MASK, Passages, Treatment, without_in_values};
pub(crate) use stream::{check_streamable, stream};

/// The fate of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowFate {
    /// The row is copied.
    Keep,
    /// The row is left out.
    Drop,
    /// The row is copied without these passages of its text: ranges of characters, sorted and apart
    /// from each other. Marks are added if the rest could not be read again without them: quotes
    /// around a field, the end of an empty last line.
    KeepWithout(Passages, Treatment),
}

/// The counts of written rows and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// The number of copied rows.
    pub rows: u64,
    /// The size of the copy on disk.
    pub bytes: u64,
    /// XXH3-128 of the source's bytes; `None` if it was not read.
    pub source: Option<u128>,
}

/// Copies the rows that are to be kept.
///
/// `fate` is called once for each row, in order, rejected rows included, which it must drop. A text
/// file is copied as a whole, or not written. Empty lines between rows are copied.
///
/// # Errors
/// [`Error::Io`] if the source cannot be read or the copy cannot be written; [`Error::Changed`] if
/// its size or time has changed since it was found; [`Error::Rejected`] if a row cannot be copied
/// and `fate` keeps it.
pub fn kept(
    source: &Source,
    target: &Path,
    options: &read::Options,
    fate: &mut dyn FnMut(u64) -> RowFate,
) -> Result<Written, Error> {
    check_unchanged(source)?;
    let written = match source.format {
        Format::JsonLines | Format::Csv | Format::Tsv | Format::Lines => {
            rows::kept(source, target, options, fate)
        }
        Format::Text => rows::whole_file(source, target, fate(1)),
        Format::Parquet if source.bytes == 0 => rows::without_rows(source, target),
        Format::Parquet => hashed(source, parquet::kept(source, target, options, fate)?),
    }?;
    check_unchanged(source)?;
    Ok(written)
}

/// Copies all rows but the rejected ones, with fields added: of a decision, `duplicate_of` and
/// `cluster`; of passages, `passages`.
///
/// `annotate` is called once for each row, in order, and returns `None` for rejected rows. In
/// Parquet `duplicate_of` is a string, or an integer if the source's ids are integers; `cluster` is
/// an unsigned integer; `passages` is a list of structures. In CSV `passages` is JSON.
///
/// # Errors
/// [`Error::Usage`] if the source has one of the fields already, has no fields at all (text,
/// lines), or has integers for ids and `duplicate_of` is none; else the errors of [`kept`].
pub fn annotated<A: AddedFields>(
    source: &Source,
    target: &Path,
    options: &read::Options,
    annotate: &mut dyn FnMut(u64) -> Option<A>,
) -> Result<Written, Error> {
    check_unchanged(source)?;
    let written = match source.format {
        Format::JsonLines => annotation::json_lines(source, target, options, annotate),
        Format::Csv | Format::Tsv => annotation::delimited(source, target, options, annotate),
        Format::Parquet if source.bytes == 0 => rows::without_rows(source, target),
        Format::Parquet => hashed(source, parquet::annotated(source, target, options, annotate)?),
        Format::Text | Format::Lines => {
            check_annotatable::<A>(source)?;
            unreachable!("plain text cannot be annotated")
        }
    }?;
    check_unchanged(source)?;
    Ok(written)
}

/// Refuses a source whose rows have no named fields.
///
/// # Errors
/// [`Error::Usage`] for plain text.
pub fn check_annotatable<A: AddedFields>(source: &Source) -> Result<(), Error> {
    match source.format {
        Format::JsonLines | Format::Csv | Format::Tsv | Format::Parquet => Ok(()),
        Format::Text | Format::Lines => {
            let problem = format!(
                "{} is plain text, which has no fields; convert it to JSON Lines, one {{\"text\": \
                 …}} per line, or {}",
                source.label,
                A::INSTEAD
            );
            Err(Error::usage(A::SETTING, problem))
        }
    }
}

/// The folder of the kept files in the output.
pub(crate) const KEPT: &str = "kept";

/// The folder of all rows with added fields in the output.
const ANNOTATED: &str = "annotated";

/// Adds the hash of a source that is not read in order, computed after it was read.
fn hashed(source: &Source, written: Written) -> Result<Written, Error> {
    if written == Written::default() {
        return Ok(written);
    }
    let hash = read::content::hash_of(&source.path).map_err(Error::io("read", &source.path))?;
    Ok(Written { source: Some(hash), ..written })
}

fn check_unchanged(source: &Source) -> Result<(), Error> {
    let cannot_read = || Error::io("read", &source.path);
    let metadata = fs::metadata(&source.path).map_err(cannot_read())?;
    let modified = metadata.modified().map_err(cannot_read())?;
    if metadata.len() == source.bytes && modified == source.modified {
        return Ok(());
    }
    Err(Error::Changed { path: source.path.clone() })
}

/// The error of a source that has a field with one of our names.
fn field_taken<A: AddedFields>(place: &str, field: &str) -> Error {
    let problem = format!(
        "{place} already has a field \"{field}\"; rename it in the input, or {}",
        A::INSTEAD
    );
    Error::usage(A::SETTING, problem)
}
