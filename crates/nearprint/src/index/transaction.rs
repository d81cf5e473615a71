//! One state for all reads, one transaction for all changes.

use std::fs;
use std::io;

use super::lock::Lock;
use super::store::State;
use super::view::{TABLES, View};
use super::{GENERATION, GENERATION_FORMAT, Index};
use crate::error::{Error, FULL_IN_PLACE};
use crate::sealed;

impl Index {
    /// Runs `work` on one state of the index.
    pub(super) fn read<T>(
        &mut self,
        work: impl FnOnce(&Index) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.store.check_unchanged()?;
        self.store.begin()?;
        let result = self.view.follow(&self.store).and_then(|()| work(self));
        self.store.end();
        self.store.check_unchanged()?;
        result
    }

    /// Opens the files of the present state, as the first question would.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Incompatible`] if data that questions need is damaged.
    pub fn refresh(&mut self) -> Result<(), Error> {
        self.read(|_| Ok(()))
    }

    /// Runs `work` in one transaction, while no other process writes. If anything fails, nothing is
    /// written. With `anew` all files of tables are written again, without the removed documents.
    pub(super) fn write<T>(
        &mut self,
        anew: bool,
        work: impl FnOnce(&Index, &mut View) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if !self.store.is_writable() {
            let denied = io::ErrorKind::PermissionDenied.into();
            return Err(Error::io("write", self.store.path())(denied));
        }
        let _lock = Lock::take(&self.folder)?;
        self.store.begin_writing()?;
        let mut view = std::mem::replace(&mut self.view, View::new(&self.folder, &self.made_with));
        match self.write_to(&mut view, anew, work) {
            Ok(result) => {
                self.view = view;
                Ok(result)
            }
            Err(error) => {
                self.store.end();
                Err(in_place(error))
            }
        }
    }

    /// Runs `work`, then writes the files of tables and commits the transaction. `view` gets the
    /// new state.
    fn write_to<T>(
        &self,
        view: &mut View,
        anew: bool,
        work: impl FnOnce(&Index, &mut View) -> Result<T, Error>,
    ) -> Result<T, Error> {
        view.follow(&self.store)?;
        let (before, changes) = (view.state(), self.store.changes());
        let result = work(self, view)?;
        let generation = before.generation + 1;
        let files = view.write_files(&self.store, generation, anew)?;
        if self.store.changes() == changes && files.is_none() {
            self.store.end();
            return Ok(result);
        }
        if anew {
            self.store.forget_removed()?;
            view.forget_removed();
        }
        let (state, last) = (State { generation, ..view.state() }, self.store.last_removed()?);
        self.store.commit(state)?;
        view.committed(state, last);
        // The documents are on disk. If this write fails, for example on a full disk, a loss of the
        // log would be noticed only after the next change.
        let _ = sealed::save(&self.folder.join(GENERATION), GENERATION_FORMAT, &generation);
        if let Some(files) = files {
            self.remove_other_files(|name| files.iter().any(|file| file.name == name));
        }
        Ok(result)
    }

    /// Removes files of tables that the store does not name. A process that has one open can go on
    /// reading it.
    fn remove_other_files(&self, is_wanted: impl Fn(&str) -> bool) {
        let Ok(entries) = fs::read_dir(self.folder.join(TABLES)) else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(|name| !is_wanted(name)) {
                // A file that cannot be removed takes space, and does no other harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The error of a full disk without the advice to choose another folder: an index cannot move.
pub(super) fn in_place(error: Error) -> Error {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    match error {
        Error::Io { doing, path, source }
            if matches!(source.kind(), StorageFull | QuotaExceeded) =>
        {
            let source = io::Error::new(StorageFull, FULL_IN_PLACE);
            Error::Io { doing, path, source }
        }
        other => other,
    }
}
