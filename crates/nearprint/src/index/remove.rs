//! Documents of an index -> removed, by id or at their expiry; their space given back to the disk.

use super::lock::Lock;
use super::transaction::in_place;
use super::view::View;
use super::{Index, now};
use crate::document::Id;
use crate::error::Error;

impl Index {
    /// Removes the documents of these ids, and all expired documents. Returns for each id whether
    /// there was a document.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::IndexTaken`] if another process is writing; [`Error::Incompatible`].
    pub fn remove(&mut self, ids: &[Id]) -> Result<Vec<bool>, Error> {
        self.write(false, |index, view| {
            index.remove_expired(view)?;
            let remove = |id: &Id| {
                let number = index.store.number(id)?;
                index.take_out(view, number)?;
                Ok(number.is_some())
            };
            ids.iter().map(remove).collect()
        })
    }

    /// Removes the expired documents, and returns their number.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    pub fn expire(&mut self) -> Result<u64, Error> {
        self.write(false, |index, view| index.remove_expired(view))
    }

    pub(super) fn remove_expired(&self, view: &mut View) -> Result<u64, Error> {
        let expired = self.store.expired(now())?;
        expired.iter().try_for_each(|number| self.take_out(view, Some(*number)))?;
        Ok(expired.len() as u64)
    }

    /// Removes the document of a number, if there is one.
    pub(super) fn take_out(&self, view: &mut View, number: Option<u32>) -> Result<(), Error> {
        if let Some(number) = number {
            self.store.remove(number)?;
            view.remove(number);
        }
        Ok(())
    }

    /// Removes the expired documents, writes all files of tables again without removed documents,
    /// and gives their space back to the disk. Other processes can read meanwhile.
    ///
    /// # Errors
    /// As [`remove`](Self::remove). The next call gives back the space that this one could not.
    pub fn compact(&mut self) -> Result<(), Error> {
        self.write(true, |index, view| index.remove_expired(view))?;
        let _lock = Lock::take(&self.folder)?;
        self.store.shrink().map_err(in_place)
    }
}
