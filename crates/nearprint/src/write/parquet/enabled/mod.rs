//! Rows, copies and fingerprints -> Parquet files, by the crate `parquet`.

mod annotation;
mod copy;
mod fingerprints;
mod kept;
mod schema;
#[cfg(test)]
mod testing;

pub(in crate::write) use annotation::annotated;
pub use fingerprints::fingerprints_as_parquet;
pub(in crate::write) use kept::kept;
