//! Parquet files and Arrow's columns in memory -> documents, or rows of values.
//!
//! The feature `parquet` brings the libraries that this room needs. A build without it has the same
//! functions: there are no columns in memory, and a Parquet file is refused with a message that
//! says what to do.

#[cfg(not(feature = "parquet"))]
mod disabled;
#[cfg(feature = "parquet")]
mod enabled;

#[cfg(not(feature = "parquet"))]
use disabled as chosen;
#[cfg(feature = "parquet")]
use enabled as chosen;

pub use chosen::expects_panics;
pub(crate) use chosen::{
    Columns, ColumnsReader, ColumnsRows, check_readable, count_rows, fields, names, open,
    open_file, rows,
};
#[cfg(feature = "parquet")]
pub use enabled::{as_views, field_of, holds_texts, values, without_dictionary};
#[cfg(feature = "parquet")]
pub(crate) use enabled::{batches, inside, is_integer};
