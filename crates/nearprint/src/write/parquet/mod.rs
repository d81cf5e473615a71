//! Parquet copies of Parquet files, and fingerprints as Parquet.
//!
//! The feature `parquet` switches the library that this takes. Without it the same functions are
//! here and refuse.

#[cfg(not(feature = "parquet"))]
mod disabled;
#[cfg(feature = "parquet")]
mod enabled;

#[cfg(not(feature = "parquet"))]
use disabled as chosen;
#[cfg(feature = "parquet")]
use enabled as chosen;

pub use chosen::fingerprints_as_parquet;
pub(super) use chosen::{annotated, kept};
