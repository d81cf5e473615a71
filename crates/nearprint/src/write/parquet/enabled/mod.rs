//! What is written by the library for Parquet.

mod copy;
mod fingerprints;
mod schema;

pub(in crate::write) use copy::{annotated, kept};
pub use fingerprints::fingerprints_as_parquet;
