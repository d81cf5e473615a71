//! The documents of an index, in an SQLite file.
//!
//! | table | contents |
//! | --- | --- |
//! | `about` | name and value: the format, the identity of the recipe, the settings |
//! | `state` | one row: the generation, the number of the next document |
//! | `documents` | number, id, times of expiry, of its addition and of its date, story, stored fields |
//! | `prints` | number, and the record that is searched |
//! | `texts` | number, and the text that the judge compares |
//! | `removed` | numbers of removed documents, in the order of their removal |
//! | `files` | the files of tables of this generation |
//! | `copies` | the documents that are kept, but not searched: a number of their own, and all columns of the others |
//! | `pairs` | a copy, its keeper then, how similar they were, and a person's verdict |
//! | `changes` | the stories that have changed since they began, in the order of their last change |
//!
//! A replaced document gets a new number. No number is used twice. Each change is one transaction,
//! and raises the generation by 1.
//!
//! The write-ahead log allows processes to read while one process writes. Each reader sees the
//! state at the start of its transaction. With `synchronous = FULL`, committed changes survive a
//! power failure.
//!
//! ```text
//! a folder -> a new file, or an open one                            open.rs
//! the file system -> whether the file can be written or has a log   access.rs
//! queries of a transaction                                          read.rs
//! changes of a transaction                                          write.rs
//! copies of documents; the changes of their stories                 copies.rs
//! pairs of a copy and its keeper                                    pairs.rs
//! an error of SQLite -> the error of this library                   failure.rs
//! ```

mod access;
mod copies;
mod failure;
mod open;
mod pairs;
mod read;
mod write;

use std::path::{Path, PathBuf};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::document::{FieldValue, Id};
use crate::error::Error;
use crate::message;
use crate::message::Verb;
use access::check_log;
pub use copies::Copied;
use failure::failed;

/// The name of the file.
pub const STORE: &str = "documents.sqlite";

/// A connection to the documents of an index.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// The number of 64-bit words of a fingerprint.
    each: usize,
    /// True if the file can be written.
    is_writable: bool,
}

/// The values that change with each transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The number of the last change, from 1.
    pub generation: u64,
    /// The number of the next document.
    pub next: u32,
}

/// A file of tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    /// Its name in the folder of tables.
    pub name: String,
    /// The numbers of its documents.
    pub span: std::ops::Range<u32>,
    /// The XXH3-128 of its body.
    pub hash: u128,
}

/// A document of the store, without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its number.
    pub number: u32,
    /// Its id.
    pub id: Id,
    /// The time of its expiry, in seconds since 1970.
    pub expires: Option<i64>,
    /// The time at which it was added first, in seconds since 1970.
    pub added: i64,
    /// Its date by the date field, or else the time at which this version was added.
    pub dated: i64,
    /// The number of its story: that of the document with which the story began.
    pub story: u32,
    /// Its stored fields.
    pub fields: Vec<(String, FieldValue)>,
}

impl Store {
    /// Sets the number of bits of a fingerprint.
    pub fn set_bits(&mut self, bits: u32) {
        self.each = bits.div_ceil(64) as usize;
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the file can be written.
    pub fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// Fails if the file is read without its log, and the log has changes: data read before and
    /// after such a change would not agree.
    ///
    /// # Errors
    /// [`Error::Incompatible`].
    pub fn check_unchanged(&self) -> Result<(), Error> {
        if self.is_writable { Ok(()) } else { check_log(&self.path) }
    }

    /// The number of rows that this connection has changed since it was opened.
    pub fn changes(&self) -> u64 {
        self.connection.total_changes()
    }

    /// Rolls back: ends a transaction that reads, and discards all changes since
    /// [`begin_writing`](Self::begin_writing).
    pub fn end(&self) {
        if !self.connection.is_autocommit() {
            // After a failure the next transaction fails, too, and reports the reason.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }

    /// The error of a file that cannot be used.
    fn unfit(&self, problem: impl Into<message::Message>) -> Error {
        Error::Incompatible { path: self.path.clone(), problem: problem.into() }
    }

    /// The error of a record that is damaged.
    pub fn damaged(&self, what: &str, number: u32) -> Error {
        self.unfit(message![
            format!("is damaged: {what} of document number {number} differs from the written data"),
            "; list all damage with ",
            Verb::IndexVerify,
            ", and restore the file from a backup, or create the index again"
        ])
    }

    fn batch(&self, statements: &str) -> Result<(), Error> {
        self.connection.execute_batch(statements).map_err(failed(&self.path, "write"))
    }

    fn execute(&self, statement: &str, parameters: impl rusqlite::Params) -> Result<usize, Error> {
        let statement = self.connection.prepare_cached(statement);
        statement
            .and_then(|mut statement| statement.execute(parameters))
            .map_err(failed(&self.path, "write"))
    }

    /// The value of the first row of a query.
    fn one<T>(
        &self,
        statement: &str,
        parameters: impl rusqlite::Params,
        value: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        let statement = self.connection.prepare_cached(statement);
        let row =
            statement.and_then(|mut statement| statement.query_row(parameters, value).optional());
        row.map_err(failed(&self.path, "read"))
    }

    /// Calls `each` with every row of a query.
    fn all(
        &self,
        statement: &str,
        parameters: impl rusqlite::Params,
        mut each: impl FnMut(&Row<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut statement =
            self.connection.prepare_cached(statement).map_err(failed(&self.path, "read"))?;
        let mut rows = statement.query(parameters).map_err(failed(&self.path, "read"))?;
        while let Some(row) = rows.next().map_err(failed(&self.path, "read"))? {
            each(row)?;
        }
        Ok(())
    }
}

impl Stored {
    /// Returns true if it has not expired at a time, in seconds since 1970.
    pub fn is_there(&self, now: i64) -> bool {
        self.expires.is_none_or(|expires| expires > now)
    }

    /// The bytes that are hashed together with its fields.
    fn beside(&self) -> Vec<u8> {
        let Stored { id, expires, added, dated, story, .. } = self;
        rmp_serde::to_vec(&(id, expires, added, dated, story)).expect("an id is a value")
    }
}

/// The value of an id in SQLite: an integer, a text, or, for an integer above 63 bits, its eight
/// bytes, the highest first.
fn value(id: &Id) -> Value {
    match id {
        Id::Integer(id) => Value::Integer(*id),
        Id::Text(id) => Value::Text(id.clone()),
        Id::Unsigned(id) => Value::Blob(id.to_be_bytes().to_vec()),
    }
}

/// The id of a value; `None` for another value.
fn id_of(value: ValueRef<'_>) -> Option<Id> {
    match value {
        ValueRef::Integer(id) => Some(Id::Integer(id)),
        ValueRef::Text(id) => std::str::from_utf8(id).ok().map(|id| Id::Text(id.to_string())),
        ValueRef::Blob(id) => id.try_into().ok().map(|id| Id::Unsigned(u64::from_be_bytes(id))),
        _ => None,
    }
}
