//! Copies: documents that are kept, but not searched, and the changes of their stories.
//!
//! A copy has all columns of a document in one row, and a number of its own. So a copy becomes a
//! document, and a document a copy, without its text being prepared again.

use nearprint_core::near::Record;
use rusqlite::params;

use super::failure::failed;
use super::read::COLUMNS;
use super::{Store, Stored, value};
use crate::document::Id;
use crate::error::Error;
use crate::index::record::{Text, bytes_of_record, record_of_bytes, record_of_fields};

/// A document with all that the index keeps of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Copied {
    /// Its columns.
    pub stored: Stored,
    /// The record that is searched.
    pub record: Record,
    /// The text that the judge compares.
    pub text: Text,
}

impl Store {
    /// Inserts a copy. It gets a new number.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn insert_copy(&self, copy: &Copied) -> Result<(), Error> {
        let last =
            self.one("SELECT seq FROM sqlite_sequence WHERE name = 'copies'", [], |row| {
                row.get::<_, u32>(0)
            })?;
        let number = last.unwrap_or(0) + 1;
        let Copied { stored, record, text } = copy;
        let Stored { id, expires, added, dated, story, fields, .. } = stored;
        let fields = record_of_fields(number, &stored.beside(), fields);
        let print = bytes_of_record(record, number, self.each);
        let text = text.packed().record(number);
        self.execute(
            "INSERT INTO copies VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![number, value(id), expires, added, dated, story, fields, print, text],
        )
        .map(|_| ())
    }

    /// The copy of an id.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`] if it is damaged.
    pub fn copy(&self, id: &Id) -> Result<Option<Copied>, Error> {
        let statement = format!("SELECT {COLUMNS}, print, text FROM copies WHERE id = ?1");
        Ok(self.copies(&statement, [value(id)])?.pop())
    }

    /// The first copies of a story behind a number, in the order in which they became copies.
    ///
    /// # Errors
    /// As [`copy`](Self::copy).
    pub fn copies_of(&self, story: u32, after: u32, most: usize) -> Result<Vec<Copied>, Error> {
        let statement = format!(
            "SELECT {COLUMNS}, print, text FROM copies WHERE story = ?1 AND number > ?2 \
             ORDER BY number LIMIT ?3"
        );
        self.copies(&statement, params![story, after, most as i64])
    }

    /// Reads every copy.
    ///
    /// # Errors
    /// As [`copy`](Self::copy).
    pub fn check_copies(&self) -> Result<(), Error> {
        let statement = format!("SELECT {COLUMNS}, print, text FROM copies ORDER BY number");
        self.each_copy(&statement, [], &mut |_| Ok(()))
    }

    fn copies(
        &self,
        statement: &str,
        parameters: impl rusqlite::Params,
    ) -> Result<Vec<Copied>, Error> {
        let mut copies = Vec::new();
        self.each_copy(statement, parameters, &mut |copy| {
            copies.push(copy);
            Ok(())
        })?;
        Ok(copies)
    }

    fn each_copy(
        &self,
        statement: &str,
        parameters: impl rusqlite::Params,
        each: &mut dyn FnMut(Copied) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.all(statement, parameters, |row| {
            let stored = self.stored(row)?;
            let number = stored.number;
            let bytes = |place| {
                let bytes = row.get_ref(place).map_err(failed(&self.path, "read"))?;
                bytes.as_blob().map_err(|_| self.damaged("the copy", number))
            };
            let record = record_of_bytes(number, self.each, bytes(7)?);
            let text = Text::of_record(number, bytes(8)?);
            let (record, text) =
                record.zip(text).ok_or_else(|| self.damaged("the copy", number))?;
            each(Copied { stored, record, text })
        })
    }

    /// The number of the copies of a story that have not expired at a time, in seconds since 1970, and
    /// the times at which the first and the last one were added.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn count_copies(&self, story: u32, now: i64) -> Result<(u64, Option<[i64; 2]>), Error> {
        let statement = "SELECT count(*), min(added), max(added) FROM copies \
            WHERE story = ?1 AND (expires IS NULL OR expires > ?2)";
        let counted = self.one(statement, params![story, now], |row| {
            let times = row.get::<_, Option<i64>>(1)?.zip(row.get(2)?);
            Ok((row.get::<_, i64>(0)? as u64, times.map(|(first, last)| [first, last])))
        })?;
        Ok(counted.unwrap_or_default())
    }

    /// The number of the searched document of a story.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn keeper(&self, story: u32) -> Result<Option<u32>, Error> {
        let statement = "SELECT number FROM documents WHERE number = ?1 AND story = ?1 \
            UNION ALL SELECT number FROM documents INDEXED BY keeping \
            WHERE story = ?1 AND story <> number LIMIT 1";
        self.one(statement, [story], |row| row.get(0))
    }

    /// Removes the copy of an id. Returns its story, if there was one.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove_copy(&self, id: &Id) -> Result<Option<u32>, Error> {
        self.one("DELETE FROM copies WHERE id = ?1 RETURNING story", [value(id)], |row| row.get(0))
    }

    /// Removes the copy of an id as [`remove_copy`](Self::remove_copy), and its pairs unless a person
    /// has found them right or wrong: it is no copy any more.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn release_copy(&self, id: &Id) -> Result<Option<u32>, Error> {
        let story = self.remove_copy(id)?;
        if story.is_some() {
            self.execute("DELETE FROM pairs WHERE verdict IN (0, 3) AND copy = ?1", [value(id)])?;
        }
        Ok(story)
    }

    /// Removes the copies that have expired at a time, in seconds since 1970, and their pairs unless
    /// a person has found them right or wrong.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove_expired_copies(&self, now: i64) -> Result<(), Error> {
        let expired = "FROM copies INDEXED BY copies_expiring WHERE expires <= ?1";
        let pairs = "DELETE FROM pairs WHERE verdict IN (0, 3) AND copy IN (SELECT id";
        self.execute(&format!("{pairs} {expired})"), [now])?;
        self.execute(&format!("DELETE {expired}"), [now]).map(|_| ())
    }

    /// Remembers that a story has changed at a time, in seconds since 1970.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn story_changed(&self, story: u32, now: i64) -> Result<(), Error> {
        self.execute(
            "INSERT OR REPLACE INTO changes (story, at) VALUES (?1, ?2)",
            [story.into(), now],
        )
        .map(|_| ())
    }

    /// Forgets the changes of a story that has ended.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget_changes(&self, story: u32) -> Result<(), Error> {
        self.execute("DELETE FROM changes WHERE story = ?1", [story]).map(|_| ())
    }

    /// The next stories that changed after a place in the list of changes: the place, the story and
    /// the time of each.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn changed_after(&self, place: i64, most: usize) -> Result<Vec<(i64, u32, i64)>, Error> {
        let statement =
            "SELECT place, story, at FROM changes WHERE place > ?1 ORDER BY place LIMIT ?2";
        self.changed(statement, [place, most as i64])
    }

    /// The last stories that changed before a place in the list of changes, the last one first: the
    /// place, the story and the time of each.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn changed_before(&self, place: i64, most: usize) -> Result<Vec<(i64, u32, i64)>, Error> {
        let statement =
            "SELECT place, story, at FROM changes WHERE place < ?1 ORDER BY place DESC LIMIT ?2";
        self.changed(statement, [place, most as i64])
    }

    fn changed(
        &self,
        statement: &str,
        parameters: [i64; 2],
    ) -> Result<Vec<(i64, u32, i64)>, Error> {
        let mut changed = Vec::new();
        self.all(statement, parameters, |row| {
            let read = || Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            changed.push(read().map_err(failed(&self.path, "read"))?);
            Ok(())
        })?;
        Ok(changed)
    }

    /// The place of the last change that was ever in the list; 0 if there was none.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn last_change(&self) -> Result<i64, Error> {
        let last = "SELECT seq FROM sqlite_sequence WHERE name = 'changes'";
        Ok(self.one(last, [], |row| row.get(0))?.unwrap_or(0))
    }

    /// The next stories that begin with a document of this number or a larger one, and have not
    /// changed since: the number and the time of each.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn begun_from(&self, number: u32, most: usize) -> Result<Vec<(u32, i64)>, Error> {
        let statement = "SELECT number, added FROM documents WHERE number >= ?1 AND story = number \
            AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.story = number) \
            ORDER BY number LIMIT ?2";
        let mut begun = Vec::new();
        self.all(statement, params![number, most as i64], |row| {
            let read = || Ok((row.get(0)?, row.get(1)?));
            begun.push(read().map_err(failed(&self.path, "read"))?);
            Ok(())
        })?;
        Ok(begun)
    }

    /// The places at which both lists pass a time, in seconds since 1970: of the changes, and of
    /// the documents.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn places_at(&self, time: i64) -> Result<(i64, u32), Error> {
        let place = "SELECT place FROM changes WHERE at < ?1 ORDER BY place DESC LIMIT 1";
        // Only of these documents are the numbers in the order of the times.
        let number = "SELECT number + 1 FROM documents WHERE added < ?1 AND story = number \
            AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.story = number) \
            ORDER BY number DESC LIMIT 1";
        let place = self.one(place, [time], |row| row.get(0))?;
        let number = self.one(number, [time], |row| row.get(0))?;
        Ok((place.unwrap_or(0), number.unwrap_or(0)))
    }

    /// Calls `each` with the documents, or with the copies, the latest first, until it returns
    /// false.
    ///
    /// # Errors
    /// As [`copy`](Self::copy); those of `each`.
    pub fn latest(
        &self,
        copies: bool,
        each: &mut dyn FnMut(Stored) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let table = if copies { "copies" } else { "documents" };
        let statement = format!("SELECT {COLUMNS} FROM {table} ORDER BY number DESC");
        let mut statement =
            self.connection.prepare_cached(&statement).map_err(failed(&self.path, "read"))?;
        let mut rows = statement.query([]).map_err(failed(&self.path, "read"))?;
        while let Some(row) = rows.next().map_err(failed(&self.path, "read"))? {
            if !each(self.stored(row)?)? {
                break;
            }
        }
        Ok(())
    }
}
