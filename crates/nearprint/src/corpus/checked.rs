//! The problems of input files: problems of one kind together, with the first places of each, and
//! their number.

use crate::error::{Error, Rejection};
use crate::message::Message;

/// The number of places of a kind of problem that are kept beside the first one.
const PLACES: usize = 3;

/// The result of a check of the input.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Checked {
    /// The number of documents that can be used, reference documents included.
    pub documents: u64,
    /// The number of files that were checked.
    pub files: u64,
    /// The number of files in folders and globs that were left out, since their endings stand for
    /// no format.
    pub passed_over: u64,
    /// The names of the first of these files, sorted.
    pub some_passed_over: Vec<String>,
    /// Files and rows that cannot be used, by kinds of problems, in the order of appearance; the
    /// first kinds.
    pub kinds: Vec<Alike>,
    /// The number of further files and rows with problems of other kinds.
    pub more: u64,
    /// Fields that a setting names and no row has.
    pub missing_fields: Vec<Error>,
    /// Warnings about rows that are probably not read as they are meant, one for each file.
    pub warnings: Vec<Message>,
    /// The largest number of kinds that are kept.
    pub(super) most: usize,
}

/// Files and rows with one kind of problem.
#[derive(Debug)]
#[non_exhaustive]
pub struct Alike {
    /// The first one.
    pub first: Rejection,
    /// The files and rows of the next ones; the first places.
    pub places: Vec<(String, Option<u64>)>,
    /// The number of problems beside the first one.
    pub others: u64,
    kind: String,
}

impl Checked {
    /// The number of all problems.
    pub fn problems(&self) -> u64 {
        self.kinds.iter().map(|alike| 1 + alike.others).sum::<u64>()
            + self.more
            + self.missing_fields.len() as u64
            + self.warnings.len() as u64
    }

    /// Adds a problem.
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
