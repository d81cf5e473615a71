//! Documents of an index -> removed, by id or at their expiry; their space given back to the disk.

use super::lock::Lock;
use super::transaction::in_place;
use super::view::View;
use super::{Index, now};
use crate::document::Id;
use crate::error::Error;

impl Index {
    /// Removes the documents and copies of these ids, and all expired ones. Returns for each id
    /// whether there was one. The first copy of a removed document takes its place.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::IndexTaken`] if another process is writing; [`Error::Incompatible`].
    pub fn remove(&mut self, ids: &[Id]) -> Result<Vec<bool>, Error> {
        let now = now();
        self.write(false, |index, view| {
            index.remove_expired(view)?;
            ids.iter().map(|id| index.remove_one(view, id, now)).collect()
        })
    }

    pub(super) fn remove_one(&self, view: &mut View, id: &Id, now: i64) -> Result<bool, Error> {
        let story = match self.store.number(id)? {
            Some(number) => {
                let story = self.there(number)?.story;
                self.take_out(view, number)?;
                self.succeed(view, story, now)?;
                Some(story)
            }
            None => self.store.release_copy(id)?,
        };
        story.map_or(Ok(()), |story| self.store.story_changed(story, now))?;
        Ok(story.is_some())
    }

    /// Removes the expired documents, and returns their number.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    pub fn expire(&mut self) -> Result<u64, Error> {
        self.write(false, |index, view| index.remove_expired(view))
    }

    /// Removes the expired documents and copies. The first copy that has not expired takes the place
    /// of its keeper.
    pub(super) fn remove_expired(&self, view: &mut View) -> Result<u64, Error> {
        let now = now();
        let expired = self.store.expired(now)?;
        self.store.remove_expired_copies(now)?;
        for number in &expired {
            let story = self.there(*number)?.story;
            self.take_out(view, *number)?;
            if !self.succeed(view, story, now)? {
                self.store.forget_changes(story)?;
            }
        }
        Ok(expired.len() as u64)
    }

    /// Removes the document of a number.
    pub(super) fn take_out(&self, view: &mut View, number: u32) -> Result<(), Error> {
        self.store.remove(number)?;
        view.remove(number);
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
