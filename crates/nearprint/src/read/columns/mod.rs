//! Parquet files and Arrow's columns in memory -> documents, or rows of values.
//!
//! The feature `parquet` switches the libraries that this takes. Without it the same functions are
//! here: nothing is in columns then, and a Parquet file is refused with what to do about it.

#[cfg(not(feature = "parquet"))]
mod disabled;
#[cfg(feature = "parquet")]
mod enabled;

#[cfg(not(feature = "parquet"))]
use disabled as chosen;
#[cfg(feature = "parquet")]
use enabled as chosen;

pub use chosen::expects_panics;
pub(crate) use chosen::{Columns, Reader, Rows, check_readable, names, open, open_file, rows};
#[cfg(feature = "parquet")]
pub use enabled::{as_views, holds_texts, without_dictionary};
#[cfg(feature = "parquet")]
pub(crate) use enabled::{batches, is_integer};
