//! Parquet copies of Parquet files, and fingerprints as Parquet.
//!
//! The feature `parquet` brings the library that this needs. A build without it has the same
//! functions, which refuse.

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
#[cfg(feature = "parquet")]
pub use enabled::table_as_parquet;
