//! Rows, copies, tables and fingerprints -> Parquet files, by the crate `parquet`.

mod annotation;
mod copy;
mod embedded;
mod fingerprints;
mod kept;
mod schema;
mod table;
#[cfg(test)]
mod testing;
mod types;

pub(in crate::write) use annotation::annotated;
pub use fingerprints::fingerprints_as_parquet;
pub(in crate::write) use kept::kept;
pub use table::table_as_parquet;
