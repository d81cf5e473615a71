//! What is wrong with input files: problems of one kind together, with the first places of each,
//! and how many there are.

use crate::error::{Error, Rejection};

/// The places of a kind of problem that are kept beside the first one.
const PLACES: usize = 3;

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
    /// The first of these, by name.
    pub some_passed_over: Vec<String>,
    /// Files and rows that cannot be used, by kinds of problems, in the order in which these were
    /// met; the first kinds.
    pub kinds: Vec<Alike>,
    /// How many files and rows more have problems of other kinds.
    pub more: u64,
    /// Fields that a setting names and no row has.
    pub missing_fields: Vec<Error>,
    /// The most kinds that are kept.
    pub(super) most: usize,
}

/// Files and rows with one kind of problem.
#[derive(Debug)]
#[non_exhaustive]
pub struct Alike {
    /// The first one.
    pub first: Rejection,
    /// The file and the row of the next ones; the first places.
    pub places: Vec<(String, Option<u64>)>,
    /// How many there are beside the first one.
    pub others: u64,
    kind: String,
}

impl Checked {
    /// How many problems there are.
    pub fn problems(&self) -> u64 {
        self.kinds.iter().map(|alike| 1 + alike.others).sum::<u64>()
            + self.more
            + self.missing_fields.len() as u64
    }

    /// Takes a problem in.
    pub(super) fn take(&mut self, rejection: Rejection) {
        let kind = rejection.problem.kind();
        let has_room = self.kinds.len() < self.most;
        match self.kinds.iter_mut().find(|alike| alike.kind == kind) {
            Some(alike) => {
                alike.others += 1;
                if alike.places.len() < PLACES {
                    alike.places.push((rejection.file, rejection.row));
                }
            }
            None if has_room => {
                self.kinds.push(Alike { first: rejection, places: Vec::new(), others: 0, kind });
            }
            None => self.more += 1,
        }
    }
}
