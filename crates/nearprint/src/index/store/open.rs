//! A folder -> its store: a new file, or an open connection to an existing one.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, params};

use super::access::{immutable_address, is_writable};
use super::failure::failed;
use super::{STORE, Store};
use crate::error::Error;
use crate::index::frames::PAGE;
use crate::index::pages;
use crate::message;
use crate::message::Verb;

/// The version of the format: the `user_version` of the file. The tests have a sample of each
/// version.
const FORMAT: i64 = 2;

/// The `application_id` of the file: "nprt".
const APPLICATION: i64 = 0x6e70_7274;

/// The longest wait for a lock of SQLite. Other processes hold it for moments.
const PATIENCE: Duration = Duration::from_secs(10);

const TABLES: &str = "
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), generation INTEGER NOT NULL, next INTEGER NOT NULL) STRICT;
    INSERT INTO state VALUES (1, 1, 0);
    CREATE TABLE documents (number INTEGER PRIMARY KEY, id ANY NOT NULL UNIQUE, expires INTEGER, added INTEGER NOT NULL, dated INTEGER NOT NULL, story INTEGER NOT NULL, fields BLOB NOT NULL) STRICT;
    CREATE INDEX expiring ON documents (expires) WHERE expires IS NOT NULL;
    CREATE INDEX keeping ON documents (story) WHERE story <> number;
    CREATE TABLE prints (number INTEGER PRIMARY KEY, print BLOB NOT NULL) STRICT;
    CREATE TABLE texts (number INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT;
    CREATE TABLE removed (place INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER NOT NULL) STRICT;
    CREATE TABLE files (name TEXT PRIMARY KEY, first INTEGER NOT NULL, past INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
    CREATE TABLE copies (number INTEGER PRIMARY KEY AUTOINCREMENT, id ANY NOT NULL UNIQUE, expires INTEGER, added INTEGER NOT NULL, dated INTEGER NOT NULL, story INTEGER NOT NULL, fields BLOB NOT NULL, print BLOB NOT NULL, text BLOB NOT NULL) STRICT;
    CREATE INDEX copies_expiring ON copies (expires) WHERE expires IS NOT NULL;
    CREATE INDEX copies_of ON copies (story);
    CREATE TABLE pairs (pair INTEGER PRIMARY KEY AUTOINCREMENT, copy ANY NOT NULL, keeper ANY NOT NULL, story INTEGER NOT NULL, at INTEGER NOT NULL, similarity REAL NOT NULL, reason TEXT NOT NULL, distance INTEGER, copy_text INTEGER, keeper_text INTEGER, verdict INTEGER NOT NULL, judged INTEGER, UNIQUE (copy, keeper)) STRICT;
    CREATE INDEX pairs_by_verdict ON pairs (verdict, pair);
    CREATE INDEX pairs_by_similarity ON pairs (verdict, similarity, pair);
    CREATE INDEX pairs_of_keeper ON pairs (keeper);
    CREATE TABLE changes (place INTEGER PRIMARY KEY AUTOINCREMENT, story INTEGER NOT NULL UNIQUE, at INTEGER NOT NULL) STRICT;
";

impl Store {
    /// Creates the file of a new index.
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
        // The page size must be set before the first table and the log exist.
        store.pragma("page_size", PAGE as i64)?;
        if !pages::reserve(&store.connection) {
            return Err(store.unfit("cannot have pages with hashes"));
        }
        store.set_options()?;
        // One transaction: a file with the ids of the format has all of its tables.
        store.batch("BEGIN IMMEDIATE")?;
        store.pragma("application_id", APPLICATION)?;
        store.pragma("user_version", FORMAT)?;
        store.batch(TABLES)?;
        for (name, value) in about {
            store.execute("INSERT INTO about VALUES (?1, ?2)", params![name, value])?;
        }
        store.batch("COMMIT")?;
        // A file that loses its log later keeps the ids of the format.
        store.checkpoint()?;
        Ok(store)
    }

    /// Opens the file of an index. In a folder that cannot be written it is read without a log.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Incompatible`] if the file is missing, is damaged, has another
    /// format, or is of another program.
    pub fn open(folder: &Path) -> Result<Store, Error> {
        let path = folder.join(STORE);
        let metadata = fs::metadata(&path);
        metadata.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                let problem = message![
                    "is not an index: it has no file ",
                    STORE,
                    "; create one with ",
                    Verb::IndexCreate
                ];
                Error::Incompatible { path: folder.to_path_buf(), problem }
            }
            _ => Error::io("read", &path)(error),
        })?;
        // The file is opened by SQLite alone: closing another handle of it would release the locks
        // of this process.
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
            connect(Path::new(&immutable_address(&path)?), flags).map_err(failed(&path, "open"))
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
        let others = || {
            store.unfit(message!["is not a file of an index; create one with ", Verb::IndexCreate])
        };
        // Files of other programs have pages without hashes.
        if !pages::has_hashes(&store.connection) {
            return Err(others());
        }
        let (application, format) = (pragma("application_id")?, pragma("user_version")?);
        if application != APPLICATION {
            return Err(others());
        }
        if format != FORMAT {
            let formats = format!("has format {format}, but this program reads format {FORMAT}");
            return Err(store.unfit(message![
                formats,
                "; use the version of nearprint that made it, or write its documents with ",
                Verb::IndexExport,
                " of that version and create a new index from them"
            ]));
        }
        if is_writable {
            store.set_options()?;
        }
        Ok(store)
    }

    /// Sets the options of a connection that writes.
    fn set_options(&self) -> Result<(), Error> {
        self.connection.busy_timeout(PATIENCE).map_err(failed(&self.path, "open"))?;
        let mode = self
            .connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0));
        mode.map_err(failed(&self.path, "open"))?;
        self.pragma("synchronous", 2)?;
        // A cache of 16 MiB; the system keeps the other pages. The log is copied into the file at 16 MiB (4,096 pages), and is cut to
        // 64 MiB if it has grown larger.
        self.pragma("cache_size", -16_384)?;
        self.pragma("wal_autocheckpoint", 4096)?;
        self.pragma("journal_size_limit", 64 << 20)?;
        self.connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    }

    fn pragma(&self, name: &str, value: i64) -> Result<(), Error> {
        self.connection.pragma_update(None, name, value).map_err(failed(&self.path, "open"))
    }
}

/// Connects to a file whose pages have hashes.
fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags_and_vfs(path, flags, pages::layer())?;
    // A plan that does not depend on bound values. Else SQLite parses a statement that could use a
    // partial index again for each value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::index::{IDENTITY, Index, IndexOptions};

    /// The error of opening an index after a statement has changed its file.
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
        let said = refused("PRAGMA user_version = 3", []);
        assert!(
            said.contains("has format 3")
                && said.contains("reads format 2")
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
