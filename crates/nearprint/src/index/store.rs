//! The documents of an index, in an SQLite file.
//!
//! | table | what it holds |
//! | --- | --- |
//! | `about` | name and value: the format, the recipe's identity, the settings |
//! | `state` | one row: the generation, the number of the next document |
//! | `documents` | of each number the id, the time at which it expires, the stored fields |
//! | `prints` | of each number what is searched by |
//! | `texts` | of each number the text that the judge compares |
//! | `removed` | numbers that are no longer there, in the order in which they went |
//! | `files` | the files of tables that belong to this generation |
//!
//! A document that is replaced gets a new number; numbers are never given again. Each change is one
//! transaction, and raises the generation by 1.
//!
//! The write-ahead log allows processes to read while one writes, each in the state in which it
//! began. `synchronous = FULL`: what is committed outlasts a loss of power.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nearprint_core::near::Record;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, ffi, params};

use super::frames::PAGE;
use super::pages;
use super::record::{Text, fields_of_record, record_of_bytes, record_of_fields};
use crate::document::{FieldValue, Id};
use crate::error::Error;
use crate::message;

/// The name of the file.
pub const STORE: &str = "documents.sqlite";

/// The version of the format, which is the `user_version` of the file. Its samples are kept with
/// the tests.
pub const FORMAT: i64 = 1;

/// The `application_id` of the file: "nprt".
const APPLICATION: i64 = 0x6e70_7274;

/// How long one waits for a lock of SQLite, which is held for moments.
const PATIENCE: Duration = Duration::from_secs(10);

const TABLES: &str = "
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), generation INTEGER NOT NULL, next INTEGER NOT NULL) STRICT;
    INSERT INTO state VALUES (1, 1, 0);
    CREATE TABLE documents (number INTEGER PRIMARY KEY, id ANY NOT NULL UNIQUE, expires INTEGER, fields BLOB NOT NULL) STRICT;
    CREATE INDEX expiring ON documents (expires) WHERE expires IS NOT NULL;
    CREATE TABLE prints (number INTEGER PRIMARY KEY, print BLOB NOT NULL) STRICT;
    CREATE TABLE texts (number INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT;
    CREATE TABLE removed (place INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER NOT NULL) STRICT;
    CREATE TABLE files (name TEXT PRIMARY KEY, first INTEGER NOT NULL, past INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
";

/// A connection to the documents of an index.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// Words of a fingerprint.
    each: usize,
    /// Whether it can be written.
    is_writable: bool,
}

/// What changes with each transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Raised by 1 with each change.
    pub generation: u64,
    /// The number of the next document.
    pub next: u32,
}

/// A file of tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    /// Its name in the folder of tables.
    pub name: String,
    /// The first number, and the one past the last.
    pub span: std::ops::Range<u32>,
    /// The XXH3-128 of all that follows its head.
    pub hash: u128,
}

/// A document of the store, but for its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its number.
    pub number: u32,
    /// Its id.
    pub id: Id,
    /// Seconds since 1970 from which on it is no longer there.
    pub expires: Option<i64>,
    /// Its stored fields.
    pub fields: Vec<(String, FieldValue)>,
}

impl Store {
    /// Makes the file of a new index.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn create(folder: &Path, about: &[(&str, &str)]) -> Result<Store, Error> {
        let path = folder.join(STORE);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = connect(&path, flags).map_err(failed(&path, "create"))?;
        let store = Store { connection, path, each: 4, is_writable: true };
        // The size of pages can be chosen before the first table and the log are there.
        store.pragma("page_size", PAGE as i64)?;
        if !pages::reserve(&store.connection) {
            return Err(store.unfit("cannot have pages with hashes"));
        }
        store.settle()?;
        // What it is and its tables are there together, or not at all.
        store.batch("BEGIN IMMEDIATE")?;
        store.pragma("application_id", APPLICATION)?;
        store.pragma("user_version", FORMAT)?;
        store.batch(TABLES)?;
        for (name, value) in about {
            store.execute("INSERT INTO about VALUES (?1, ?2)", params![name, value])?;
        }
        store.batch("COMMIT")?;
        // A file that has lost its log then still says that it is one of an index.
        store.checkpoint()?;
        Ok(store)
    }

    /// Opens the file of an index. Where the folder cannot be written, it is read without a log.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Incompatible`] where it is no such file, of another format, or
    /// damaged.
    pub fn open(folder: &Path) -> Result<Store, Error> {
        let path = folder.join(STORE);
        let metadata = fs::metadata(&path);
        metadata.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                let problem = message![
                    "is not an index: it has no file ",
                    STORE,
                    "; create one with nearprint index create"
                ];
                Error::Incompatible { path: folder.to_path_buf(), problem }
            }
            _ => Error::io("read", &path)(error),
        })?;
        // The file itself is not opened beside SQLite: closing it again would take the locks of
        // this process from it.
        let for_writing = || {
            let connection = connect(
                &path,
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )?;
            let is_writable = !connection.is_readonly("main")?;
            Ok(is_writable.then_some(connection))
        };
        let connection = match is_writable(folder, &path) {
            true => for_writing().map_err(failed(&path, "open"))?,
            false => None,
        };
        let is_writable = connection.is_some();
        let for_reading = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_URI
                | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            connect(Path::new(&immutable(&path)?), flags).map_err(failed(&path, "open"))
        };
        let store = Store {
            connection: connection.map_or_else(for_reading, Ok)?,
            path,
            each: 4,
            is_writable,
        };
        let pragma = |name| {
            store
                .connection
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
                .map_err(failed(&store.path, "read"))
        };
        let others =
            || store.unfit("is not a file of an index; create one with nearprint index create");
        // The pages of other programs have no hashes.
        if !pages::has_hashes(&store.connection) {
            return Err(others());
        }
        let (application, format) = (pragma("application_id")?, pragma("user_version")?);
        if application != APPLICATION {
            return Err(others());
        }
        if format != FORMAT {
            let problem = format!(
                "has format {format}, but this program reads format {FORMAT}; use the version of \
                 nearprint that made it, or write its documents with nearprint index export of \
                 that version and create a new index from them"
            );
            return Err(store.unfit(problem));
        }
        if is_writable {
            store.settle()?;
        }
        Ok(store)
    }

    /// Says how many bits a fingerprint has.
    pub fn set_bits(&mut self, bits: u32) {
        self.each = bits.div_ceil(64) as usize;
    }

    fn settle(&self) -> Result<(), Error> {
        self.connection.busy_timeout(PATIENCE).map_err(failed(&self.path, "open"))?;
        let mode = self
            .connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0));
        mode.map_err(failed(&self.path, "open"))?;
        self.pragma("synchronous", 2)?;
        // 64 MiB of pages, and a log of 16 MiB that does not stay larger than 64.
        self.pragma("cache_size", -65_536)?;
        self.pragma("wal_autocheckpoint", 4096)?;
        self.pragma("journal_size_limit", 64 << 20)?;
        self.connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    }

    fn pragma(&self, name: &str, value: i64) -> Result<(), Error> {
        self.connection.pragma_update(None, name, value).map_err(failed(&self.path, "open"))
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

    /// Calls `each` with every row.
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

    /// Refuses to read on without a log where somebody writes meanwhile: what was read might be of
    /// two states.
    ///
    /// # Errors
    /// [`Error::Incompatible`].
    pub fn check_unchanged(&self) -> Result<(), Error> {
        if self.is_writable { Ok(()) } else { without_log(&self.path) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it can be written.
    pub fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// The error of a file that does not fit.
    fn unfit(&self, problem: impl Into<message::Message>) -> Error {
        Error::Incompatible { path: self.path.clone(), problem: problem.into() }
    }

    /// The error of a record that is not what was written.
    pub fn damaged(&self, what: &str, number: u32) -> Error {
        self.unfit(format!(
            "is damaged: {what} of document number {number} differs from the written data; list \
             all damage with nearprint index verify, and restore the file from a backup, or create \
             the index again"
        ))
    }

    // What is read. A transaction holds its state while others write.

    /// Begins to read: until [`end`](Self::end) all that is read is of one state.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn begin(&self) -> Result<(), Error> {
        self.connection.execute_batch("BEGIN").map_err(failed(&self.path, "read"))
    }

    /// Ends what was begun to be read, or takes back what was written since
    /// [`begin_writing`](Self::begin_writing).
    pub fn end(&self) {
        if !self.connection.is_autocommit() {
            // Where it fails, the next transaction says why.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }

    /// The state.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`] where the file is damaged.
    pub fn state(&self) -> Result<State, Error> {
        let values = |row: &Row<'_>| {
            Ok(State { generation: row.get::<_, i64>(0)? as u64, next: row.get(1)? })
        };
        let state = self.one("SELECT generation, next FROM state", [], values)?;
        state.ok_or_else(|| self.unfit("is damaged: its state is missing"))
    }

    /// What it says about the index under a name.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn about(&self, name: &str) -> Result<String, Error> {
        let value =
            self.one("SELECT value FROM about WHERE name = ?1", [name], |row| row.get(0))?;
        value.ok_or_else(|| self.unfit(format!("is damaged: its {name} is missing")))
    }

    /// The number of documents.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn count(&self, table: &str) -> Result<u64, Error> {
        let count =
            self.one(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))?;
        Ok(count.unwrap_or(0) as u64)
    }

    /// The number of documents that have not expired at this time.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn count_at(&self, now: i64) -> Result<u64, Error> {
        const COUNT: &str = "SELECT (SELECT count(*) FROM documents) \
             - (SELECT count(*) FROM documents INDEXED BY expiring WHERE expires <= ?1)";
        Ok(self.one(COUNT, [now], |row| row.get::<_, i64>(0))?.unwrap_or(0) as u64)
    }

    /// The files of tables, in the order of their spans.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn files(&self) -> Result<Vec<TableFile>, Error> {
        let mut files = Vec::new();
        self.all("SELECT name, first, past, hash FROM files ORDER BY first", [], |row| {
            let read = || {
                Ok((
                    row.get(0)?,
                    row.get::<_, u32>(1)?,
                    row.get::<_, u32>(2)?,
                    row.get::<_, [u8; 16]>(3)?,
                ))
            };
            let (name, first, past, hash) = read().map_err(failed(&self.path, "read"))?;
            files.push(TableFile { name, span: first..past, hash: u128::from_le_bytes(hash) });
            Ok(())
        })?;
        Ok(files)
    }

    /// Calls `each` with the prints of a span of numbers, in order.
    ///
    /// # Errors
    /// As [`state`](Self::state); those of `each`.
    pub fn prints(
        &self,
        span: std::ops::Range<u32>,
        mut each: impl FnMut(u32, Record) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let statement =
            "SELECT number, print FROM prints WHERE number >= ?1 AND number < ?2 ORDER BY number";
        self.all(statement, [span.start, span.end], |row| {
            let (number, record) = self.record(row)?;
            each(
                number,
                record_of_bytes(number, self.each, record)
                    .ok_or_else(|| self.damaged("the fingerprint", number))?,
            )
        })
    }

    fn record<'r>(&self, row: &'r Row<'_>) -> Result<(u32, &'r [u8]), Error> {
        let number: u32 = row.get(0).map_err(failed(&self.path, "read"))?;
        let record = row.get_ref(1).map_err(failed(&self.path, "read"))?;
        Ok((number, record.as_blob().map_err(|_| self.damaged("a record", number))?))
    }

    /// The numbers that were removed at a place behind this one, with their places.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn removed(&self, behind: i64, mut each: impl FnMut(i64, u32)) -> Result<(), Error> {
        self.all(
            "SELECT place, number FROM removed WHERE place > ?1 ORDER BY place",
            [behind],
            |row| {
                let read = || Ok((row.get(0)?, row.get(1)?));
                let (place, number) = read().map_err(failed(&self.path, "read"))?;
                each(place, number);
                Ok(())
            },
        )
    }

    /// The place of the number that was removed last, even if it is forgotten; 0 where there never
    /// was one. Places are given in a row.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn last_removed(&self) -> Result<i64, Error> {
        let last =
            self.one("SELECT seq FROM sqlite_sequence WHERE name = 'removed'", [], |row| {
                row.get(0)
            })?;
        Ok(last.unwrap_or(0))
    }

    /// The text of a document; `None` where there is no such number.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn text(&self, number: u32) -> Result<Option<Text>, Error> {
        let mut text = None;
        self.all("SELECT number, text FROM texts WHERE number = ?1", [number], |row| {
            let (number, record) = self.record(row)?;
            text = Some(
                Text::of_record(number, record).ok_or_else(|| self.damaged("the text", number))?,
            );
            Ok(())
        })?;
        Ok(text)
    }

    /// A document by its number.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn document(&self, number: u32) -> Result<Option<Stored>, Error> {
        let mut found = None;
        self.all(
            "SELECT number, id, expires, fields FROM documents WHERE number = ?1",
            [number],
            |row| {
                found = Some(self.stored(row)?);
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// The number of the document of an id.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn number(&self, id: &Id) -> Result<Option<u32>, Error> {
        self.one("SELECT number FROM documents WHERE id = ?1", [value(id)], |row| row.get(0))
    }

    /// Whether there is a document of an id that has not expired at this time.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn has_at(&self, id: &Id, now: i64) -> Result<bool, Error> {
        const HAS: &str =
            "SELECT 1 FROM documents WHERE id = ?1 AND (expires IS NULL OR expires > ?2)";
        Ok(self.one(HAS, params![value(id), now], |_| Ok(()))?.is_some())
    }

    /// Calls `each` with every document, in the order of their numbers.
    ///
    /// # Errors
    /// As [`state`](Self::state); those of `each`.
    pub fn documents(
        &self,
        mut each: impl FnMut(Stored) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.all("SELECT number, id, expires, fields FROM documents ORDER BY number", [], |row| {
            each(self.stored(row)?)
        })
    }

    /// The ids and numbers of documents that expire at this time or before.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn expired(&self, now: i64) -> Result<Vec<u32>, Error> {
        let mut numbers = Vec::new();
        // Asked for by number, SQLite would look at all documents.
        self.all(
            "SELECT number FROM documents INDEXED BY expiring WHERE expires <= ?1",
            [now],
            |row| {
                numbers.push(row.get(0).map_err(failed(&self.path, "read"))?);
                Ok(())
            },
        )?;
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn stored(&self, row: &Row<'_>) -> Result<Stored, Error> {
        let read = || {
            let id = match row.get_ref(1)? {
                ValueRef::Integer(id) => Some(Id::Integer(id)),
                ValueRef::Text(id) => {
                    std::str::from_utf8(id).ok().map(|id| Id::Text(id.to_string()))
                }
                ValueRef::Blob(id) => {
                    id.try_into().ok().map(|id| Id::Unsigned(u64::from_be_bytes(id)))
                }
                _ => None,
            };
            Ok((
                row.get::<_, u32>(0)?,
                id,
                row.get::<_, Option<i64>>(2)?,
                row.get_ref(3)?.as_blob_or_null()?,
            ))
        };
        let (number, id, expires, record) = read().map_err(failed(&self.path, "read"))?;
        let fields = id.zip(record).and_then(|(id, record)| {
            let fields = fields_of_record(number, &beside(&id, expires), record)?;
            Some(Stored { number, id, expires, fields })
        });
        fields.ok_or_else(|| self.damaged("the row", number))
    }

    // What is written, between `begin_writing` and `commit`.

    /// Begins to write.
    ///
    /// # Errors
    /// [`Error::Io`] where the folder cannot be written.
    pub fn begin_writing(&self) -> Result<(), Error> {
        if !self.is_writable {
            return Err(Error::io("write", &self.path)(io::ErrorKind::PermissionDenied.into()));
        }
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(failed(&self.path, "write"))
    }

    /// Puts in a document.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn insert(&self, document: &Stored, print: &[u8], text: &[u8]) -> Result<(), Error> {
        let Stored { number, id, expires, fields } = document;
        let fields = record_of_fields(*number, &beside(id, *expires), fields);
        self.execute(
            "INSERT INTO documents VALUES (?1, ?2, ?3, ?4)",
            params![number, value(id), expires, fields],
        )?;
        self.execute("INSERT INTO prints VALUES (?1, ?2)", params![number, print])?;
        self.execute("INSERT INTO texts VALUES (?1, ?2)", params![number, text])?;
        Ok(())
    }

    /// Removes the document of a number.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove(&self, number: u32) -> Result<(), Error> {
        for statement in [
            "DELETE FROM documents WHERE number = ?1",
            "DELETE FROM prints WHERE number = ?1",
            "DELETE FROM texts WHERE number = ?1",
            "INSERT INTO removed (number) VALUES (?1)",
        ] {
            self.execute(statement, [number])?;
        }
        Ok(())
    }

    /// Names the files of tables from now on.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn set_files(&self, files: &[TableFile]) -> Result<(), Error> {
        self.execute("DELETE FROM files", [])?;
        for TableFile { name, span, hash } in files {
            let hash = hash.to_le_bytes();
            self.execute(
                "INSERT INTO files VALUES (?1, ?2, ?3, ?4)",
                params![name, span.start, span.end, hash],
            )?;
        }
        Ok(())
    }

    /// Forgets which documents were removed: no file has them any more.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget_removed(&self) -> Result<(), Error> {
        self.execute("DELETE FROM removed", []).map(|_| ())
    }

    /// Makes what was written last, all of it.
    ///
    /// # Errors
    /// [`Error::Io`]; nothing was written then.
    pub fn commit(&self, state: State) -> Result<(), Error> {
        let State { generation, next } = state;
        self.execute(
            "UPDATE state SET generation = ?1, next = ?2",
            params![generation as i64, next],
        )?;
        self.batch("COMMIT")
    }

    /// Writes the file anew without the space of what was removed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn shrink(&self) -> Result<(), Error> {
        self.batch("VACUUM")?;
        self.checkpoint()
    }

    /// Brings the log into the file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn checkpoint(&self) -> Result<(), Error> {
        let checkpoint =
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        checkpoint.map_err(failed(&self.path, "write"))
    }

    /// What SQLite finds wrong with the file, line by line.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn problems(&self) -> Result<Vec<String>, Error> {
        let mut problems = Vec::new();
        self.all("PRAGMA integrity_check", [], |row| {
            problems.push(row.get::<_, String>(0).map_err(failed(&self.path, "read"))?);
            Ok(())
        })?;
        problems.retain(|problem| problem != "ok");
        Ok(problems)
    }
}

/// What the record of a document's fields is hashed with.
fn beside(id: &Id, expires: Option<i64>) -> Vec<u8> {
    rmp_serde::to_vec(&(id, expires)).expect("an id is a value")
}

/// An id as SQLite has it: an integer, a text, or the eight bytes of an integer beyond 63 bits, the
/// highest first.
fn value(id: &Id) -> Value {
    match id {
        Id::Integer(id) => Value::Integer(*id),
        Id::Text(id) => Value::Text(id.clone()),
        Id::Unsigned(id) => Value::Blob(id.to_be_bytes().to_vec()),
    }
}

/// A connection to a file whose pages have hashes.
fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags_and_vfs(path, flags, pages::layer())
}

/// Whether a folder can be written, and its file is not marked as one that cannot.
fn is_writable(folder: &Path, path: &Path) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let is_read_only =
        |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly());
    let refuses = |error: io::Error| matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem);
    !is_read_only(folder)
        && !is_read_only(path)
        && !tempfile::tempfile_in(folder).is_err_and(refuses)
}

/// The address of a file that nobody writes.
///
/// # Errors
/// [`Error::Incompatible`] where it has a log, which could not be read.
fn immutable(path: &Path) -> Result<String, Error> {
    without_log(path)?;
    let path = fs::canonicalize(path).map_err(Error::io("read", path))?;
    let mut address = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(char::from(*byte))
            }
            _ => address.push_str(&format!("%{byte:02x}")),
        }
    }
    Ok(address + "?immutable=1")
}

/// Refuses a file that has a log with changes.
fn without_log(path: &Path) -> Result<(), Error> {
    let log = log_of(path);
    if fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0) {
        let problem = "holds changes that cannot be read without writing to the folder; wait until \
            the writing process ends, or run nearprint index info once as a user who may write";
        return Err(Error::Incompatible { path: log, problem: problem.into() });
    }
    Ok(())
}

/// The log of a file.
fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// Says what SQLite could not do, for `map_err`.
fn failed(path: &Path, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
    let path = path.to_path_buf();
    let is_of_log = |error: &rusqlite::Error| {
        error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_DATA)
    };
    move |error| match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) if is_of_log(&error) => {
            let problem = "is damaged; restore the index from a backup, or create it again";
            Error::Incompatible { path: log_of(&path), problem: problem.into() }
        }
        Some(ErrorCode::DiskFull) => Error::io(doing, &path)(io::ErrorKind::StorageFull.into()),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            Error::io(doing, &path)(io::ErrorKind::PermissionDenied.into())
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::IndexTaken { folder: path.parent().map(Path::to_path_buf).unwrap_or_default() }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            let problem = format!(
                "is damaged ({error}); restore it from a backup, or create the index again"
            );
            Error::Incompatible { path, problem: problem.into() }
        }
        Some(ErrorCode::SystemIoFailure) => Error::io(doing, &path)(io::Error::other(format!(
            "{error}; check whether the disk is full or failing"
        ))),
        _ => Error::io(doing, &path)(io::Error::other(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{IDENTITY, Index, IndexOptions};
    use super::*;
    use crate::config::Config;

    /// What is said of an index after a statement was carried out on its file.
    fn refused(statement: &str, parameters: impl rusqlite::Params) -> String {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("seen");
        drop(Index::create(&folder, &Config::default(), &IndexOptions::default()).unwrap());
        let store = Store::open(&folder).unwrap();
        store.execute(statement, parameters).unwrap();
        drop(store);
        Index::open(&folder).unwrap_err().to_string()
    }

    #[test]
    fn a_newer_format_and_another_recipe_are_refused_with_what_to_do() {
        let said = refused("PRAGMA user_version = 2", []);
        assert!(
            said.contains("has format 2")
                && said.contains("reads format 1")
                && said.contains("index export"),
            "{said}"
        );
        let said = refused("UPDATE about SET value = 'jieba 7' WHERE name = ?1", [IDENTITY]);
        assert!(
            said.contains("with the recipe jieba 7") && said.contains("index export"),
            "{said}"
        );
        let said = refused("PRAGMA application_id = 7", []);
        assert!(said.contains("is not a file of an index"), "{said}");
        let said = refused("DELETE FROM about WHERE name = ?1", [IDENTITY]);
        assert!(said.contains("its recipe is missing"), "{said}");
    }
}
