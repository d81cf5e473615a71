//! The changes of a store, from `begin_writing` to `commit`, and the care for its file.

use std::io;

use rusqlite::params;

use super::failure::failed;
use super::{State, Store, Stored, TableFile, value};
use crate::error::Error;
use crate::index::record::record_of_fields;

impl Store {
    /// Begins a transaction that writes.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder cannot be written.
    pub fn begin_writing(&self) -> Result<(), Error> {
        if !self.is_writable {
            return Err(Error::io("write", &self.path)(io::ErrorKind::PermissionDenied.into()));
        }
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(failed(&self.path, "write"))
    }

    /// Inserts a document.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn insert(&self, document: &Stored, print: &[u8], text: &[u8]) -> Result<(), Error> {
        let Stored { number, id, expires, added, dated, story, fields } = document;
        let fields = record_of_fields(*number, &document.beside(), fields);
        self.execute(
            "INSERT INTO documents VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![number, value(id), expires, added, dated, story, fields],
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

    /// Replaces the list of files of tables.
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

    /// Clears the list of removed documents: no file contains them any more.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget_removed(&self) -> Result<(), Error> {
        self.execute("DELETE FROM removed", []).map(|_| ())
    }

    /// Sets the state, and commits the transaction.
    ///
    /// # Errors
    /// [`Error::Io`]; then nothing was written.
    pub fn commit(&self, state: State) -> Result<(), Error> {
        let State { generation, next } = state;
        self.execute(
            "UPDATE state SET generation = ?1, next = ?2",
            params![generation as i64, next],
        )?;
        self.batch("COMMIT")
    }

    /// Rewrites the file without the space of removed documents.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn shrink(&self) -> Result<(), Error> {
        self.batch("VACUUM")?;
        self.checkpoint()
    }

    /// Copies the log into the file, and empties it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn checkpoint(&self) -> Result<(), Error> {
        let checkpoint =
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        checkpoint.map_err(failed(&self.path, "write"))
    }
}
