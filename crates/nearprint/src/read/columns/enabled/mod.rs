//! The columns of Parquet files, and those of Arrow in memory.

pub(crate) mod batches;
mod casts;
mod documents;
mod memory;
mod parquet;
mod rows;

pub use batches::{as_views, expects_panics, without_dictionary};
pub use documents::holds_texts;
pub(crate) use documents::{ColumnsReader, is_integer};
pub(crate) use memory::{Columns, open};
pub(crate) use parquet::open as open_file;
pub(crate) use rows::{ColumnsRows, count_rows, names, rows};

use crate::error::Error;

/// Refuses a Parquet file of this name in a build that cannot read Parquet. This build can.
///
/// # Errors
/// None.
pub(crate) fn check_readable(_: &str) -> Result<(), Error> {
    Ok(())
}
