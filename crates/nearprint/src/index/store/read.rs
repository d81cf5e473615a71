//! The queries of a store. A transaction sees one state while other processes write.

use std::ops::Range;

use nearprint_core::near::Record;
use rusqlite::{Row, params};

use super::failure::failed;
use super::{State, Store, Stored, TableFile, id_of, value};
use crate::document::Id;
use crate::error::Error;
use crate::index::record::{Text, fields_of_record, record_of_bytes};

/// The columns of a document, in the order in which they are read.
pub(super) const COLUMNS: &str = "number, id, expires, added, dated, story, fields";

impl Store {
    /// Begins a transaction that reads. Until [`end`](Self::end) it sees one state.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn begin(&self) -> Result<(), Error> {
        self.connection.execute_batch("BEGIN").map_err(failed(&self.path, "read"))
    }

    /// The state.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Incompatible`] if the file is damaged.
    pub fn state(&self) -> Result<State, Error> {
        let values = |row: &Row<'_>| {
            Ok(State { generation: row.get::<_, i64>(0)? as u64, next: row.get(1)? })
        };
        let state = self.one("SELECT generation, next FROM state", [], values)?;
        state.ok_or_else(|| self.unfit("is damaged: its state is missing"))
    }

    /// The value of a name in the table `about`.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn about(&self, name: &str) -> Result<String, Error> {
        let value =
            self.one("SELECT value FROM about WHERE name = ?1", [name], |row| row.get(0))?;
        value.ok_or_else(|| self.unfit(format!("is damaged: its {name} is missing")))
    }

    /// The number of rows of a table.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn count(&self, table: &str) -> Result<u64, Error> {
        let count =
            self.one(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))?;
        Ok(count.unwrap_or(0) as u64)
    }

    /// The number of documents that have not expired at a time, in seconds since 1970. Each number
    /// was a document's, and each removed document has a place, so none is counted one by one.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn count_at(&self, now: i64) -> Result<u64, Error> {
        const COUNT: &str = "SELECT (SELECT next FROM state) \
             - coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'removed'), 0) \
             - (SELECT count(*) FROM documents INDEXED BY expiring WHERE expires <= ?1)";
        let count = self.one(COUNT, [now], |row| row.get::<_, Option<i64>>(0))?;
        Ok(count.flatten().unwrap_or(0).max(0) as u64)
    }

    /// The number of removed documents that are in the list. Their places are consecutive.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn count_removed(&self) -> Result<u64, Error> {
        let first = "SELECT place FROM removed ORDER BY place LIMIT 1";
        let first = self.one(first, [], |row| row.get::<_, i64>(0))?;
        let Some(first) = first else { return Ok(0) };
        Ok((self.last_removed()? - first + 1).max(0) as u64)
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

    /// Calls `each` with the number and the record of every document of a span, in order.
    ///
    /// # Errors
    /// As [`state`](Self::state); those of `each`.
    pub fn prints(
        &self,
        span: Range<u32>,
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

    /// The number of a document, and the bytes of a record of it.
    fn record<'r>(&self, row: &'r Row<'_>) -> Result<(u32, &'r [u8]), Error> {
        let number: u32 = row.get(0).map_err(failed(&self.path, "read"))?;
        let record = row.get_ref(1).map_err(failed(&self.path, "read"))?;
        Ok((number, record.as_blob().map_err(|_| self.damaged("a record", number))?))
    }

    /// Calls `each` with the places after `behind` in the list of removed documents, and the
    /// numbers at them.
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

    /// The place of the document that was removed last; 0 if none was ever removed. The list may
    /// have been cleared since. Places are consecutive.
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

    /// The text of a document; `None` without a document of this number.
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

    /// The document of a number.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn document(&self, number: u32) -> Result<Option<Stored>, Error> {
        let mut found = None;
        self.all(&format!("SELECT {COLUMNS} FROM documents WHERE number = ?1"), [number], |row| {
            found = Some(self.stored(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The number of the document of an id.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn number(&self, id: &Id) -> Result<Option<u32>, Error> {
        self.one("SELECT number FROM documents WHERE id = ?1", [value(id)], |row| row.get(0))
    }

    /// Returns true if there is a document of an id that has not expired at a time, in seconds
    /// since 1970.
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
        self.all(&format!("SELECT {COLUMNS} FROM documents ORDER BY number"), [], |row| {
            each(self.stored(row)?)
        })
    }

    /// The numbers of the documents that expire at a time or before, in order.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub fn expired(&self, now: i64) -> Result<Vec<u32>, Error> {
        let mut numbers = Vec::new();
        // Ordered by number, the query would read all documents.
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

    /// The document of a row with all columns of [`COLUMNS`].
    pub(super) fn stored(&self, row: &Row<'_>) -> Result<Stored, Error> {
        let read = || {
            let stored = Stored {
                number: row.get(0)?,
                id: id_of(row.get_ref(1)?).unwrap_or(Id::Integer(0)),
                expires: row.get(2)?,
                added: row.get(3)?,
                dated: row.get(4)?,
                story: row.get(5)?,
                fields: Vec::new(),
            };
            Ok((stored, row.get_ref(6)?.as_blob_or_null()?))
        };
        let (stored, record) = read().map_err(failed(&self.path, "read"))?;
        let fields =
            record.and_then(|record| fields_of_record(stored.number, &stored.beside(), record));
        match fields {
            Some(fields) => Ok(Stored { fields, ..stored }),
            None => Err(self.damaged("the row", stored.number)),
        }
    }

    /// The problems that SQLite finds in the file.
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
