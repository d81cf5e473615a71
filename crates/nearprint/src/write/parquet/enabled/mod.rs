//! Rows, copies and fingerprints -> Parquet files, by the crate `parquet`.

mod copy;
mod fingerprints;
mod schema;

pub(in crate::write) use copy::{annotated, kept};
pub use fingerprints::fingerprints_as_parquet;
