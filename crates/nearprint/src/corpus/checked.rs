//! What is wrong with input files: the first problems, and how many there are.

use crate::error::{Error, Rejection};

/// What a look at the input has found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Checked {
    /// Documents that can be used, those that the others are only compared with among them.
    pub documents: u64,
    /// Files that were looked at.
    pub files: u64,
    /// Files that were passed over in folders and globs, since their endings tell no format.
    pub passed_over: u64,
    /// Files and rows that cannot be used, in input order; the first ones.
    pub rejections: Vec<Rejection>,
    /// How many more there are.
    pub more: u64,
    /// Fields that a setting names and no row has.
    pub missing_fields: Vec<Error>,
    /// The most rejections that are kept.
    pub(super) most: usize,
}

impl Checked {
    /// How many problems there are.
    pub fn problems(&self) -> u64 {
        self.rejections.len() as u64 + self.more + self.missing_fields.len() as u64
    }
}
