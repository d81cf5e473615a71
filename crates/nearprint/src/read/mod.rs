//! Input files -> documents.
//!
//! [`find`] turns the names that the user gave (files, folders, globs, standard input) into
//! [`Source`]s. [`read`] turns one source into its documents, row by row, in order. A row that
//! cannot be used is a [`Rejection`](crate::error::Rejection), and the next row follows. A file
//! that cannot be read on ends with a rejection without a row. An empty file has no documents.
//!
//! Memory: one row, bounded by [`Options::max_document_bytes`], and buffers of fixed size; for
//! Parquet a small batch of rows and the pages that hold them. The write room reads the same files
//! again with the same framing, so that row n is the same row in both.
//!
//! ```
//! use nearprint::{document::Id, read};
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("诗.jsonl");
//! std::fs::write(&path, "{\"id\":7,\"text\":\"床前明月光\"}\n\n{\"text\":\"疑是地上霜\"}\n")?;
//! let options = read::Options::default();
//! let inputs = [path.to_string_lossy().into_owned()];
//! let sources = read::find(&inputs, &options, folder.path(), &nearprint::Silent)?;
//! let documents: Vec<_> = read::read(&sources[0], &options)?.collect::<Result<_, _>>()?;
//! assert_eq!((documents[0].id.clone(), documents[0].text.as_str()), (Id::Integer(7), "床前明月光"));
//! assert_eq!(documents[1].id, Id::Text("诗.jsonl:3".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod binary;
pub(crate) mod columns;
pub(crate) mod compression;
pub(crate) mod content;
pub(crate) mod delimited;
mod detect;
pub(crate) mod dialect;
mod distinct;
mod documents;
pub(crate) mod encoding;
mod format;
mod found_again;
pub(crate) mod frames;
mod inputs;
pub(crate) mod json;
mod json_lines;
pub(crate) mod lines;
mod memory;
mod names;
mod options;
pub(crate) mod original;
mod quoting;
pub(crate) mod records;
mod rejected;
mod row;
mod source;
mod standard_input;
mod swallowed;
pub(crate) mod table;
#[cfg(test)]
pub(crate) mod testing;
mod text;
pub(crate) mod values;
mod wanted;

pub use columns::expects_panics;
#[cfg(feature = "parquet")]
pub use columns::{as_views, field_of, holds_texts, values, without_dictionary};
pub use dialect::{Delimiter, Escape, Quote};
pub use documents::{Documents, read};
pub use encoding::Encoding;
pub(crate) use format::of_name;
pub use format::{Compression, Format};
pub use found_again::check_not_found_again;
pub(crate) use found_again::resolved;
pub(crate) use inputs::{Found, find_all, find_table, pattern, unreadable};
pub use inputs::{find, find_once};
#[cfg(feature = "index")]
pub(crate) use memory::StoredRows;
pub(crate) use names::whole_path;
pub use options::Options;
pub(crate) use row::{Fault, row_id};
use row::{join_texts, no_tokens, tokens_of, utf8};
pub use source::{Input, Source};
pub(crate) use standard_input::STANDARD_INPUT;
pub(crate) use table::count_rows;
pub(crate) use wanted::{add_found, not_found};

#[cfg(test)]
mod tests;
