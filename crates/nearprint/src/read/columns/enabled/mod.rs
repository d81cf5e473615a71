//! The columns of Parquet files, and those of Arrow in memory.

pub(crate) mod batches;
mod casts;
mod documents;
mod flat;
mod ids;
pub(crate) mod inside;
mod memory;
mod parquet;
mod placed;
mod rows;
mod tokens;
mod wanted;

pub use batches::{as_views, expects_panics, without_dictionary};
pub(crate) use documents::{ColumnsReader, is_integer};
pub use documents::{holds_texts, values};
pub use flat::field_of;
pub(crate) use memory::{Columns, open};
pub(crate) use parquet::open as open_file;
pub(crate) use rows::{ColumnsRows, count_rows, fields, names, rows};

use crate::error::Error;

/// Refuses a Parquet file of this name in a build that cannot read Parquet. This build can.
///
/// # Errors
/// None.
pub(crate) fn check_readable(_: &str) -> Result<(), Error> {
    Ok(())
}
