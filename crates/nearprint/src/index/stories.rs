//! Stories: documents that are duplicates of one another, under a number that stays when the keeper
//! changes; which of them have changed since.
//!
//! A story is numbered by the document with which it began. Its keeper is searched, and its copies
//! are kept beside it.

use std::fmt;
use std::str::FromStr;

use nearprint_core::judge::Reason;
use serde::{Serialize, Serializer};

use super::answer::utc;
use super::{Index, IndexDocument, ListedDocument, now};
use crate::document::Id;
use crate::error::Error;
use crate::shares::serialize_rounded;

/// The bytes of texts after which a story shows no further copies.
const BYTES: usize = 16 << 20;

/// The documents of a story in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The number of its documents.
    pub seen: u64,
    /// The time at which its first document was added, in seconds since 1970.
    #[serde(serialize_with = "utc")]
    pub first: i64,
    /// The time at which its last document was added, in seconds since 1970.
    #[serde(serialize_with = "utc")]
    pub last: i64,
}

/// A story without its texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Story {
    /// Its number.
    pub story: u32,
    /// Its documents in numbers.
    #[serde(flatten)]
    pub seen: Seen,
    /// The document that is searched.
    pub keeper: ListedDocument,
}

/// A change of a story.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The number of the story.
    pub number: u32,
    /// The story as it is now; `None` if it has ended.
    pub story: Option<Story>,
    /// The place behind this change.
    pub cursor: Cursor,
}

/// A place in the list of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The number of the next document with which a story may begin.
    next: u32,
    /// The place of the last change of a story that had begun.
    place: i64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.next, self.place)
    }
}

impl FromStr for Cursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Cursor, String> {
        let parts = text.split_once('-');
        let numbers = parts.and_then(|(next, place)| {
            Some(Cursor { next: next.parse().ok()?, place: place.parse().ok()? })
        });
        numbers.ok_or_else(|| format!("{text} is not a cursor; take the one of an answer"))
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// All documents of a story.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoryDocuments {
    /// The number of the story.
    pub story: u32,
    /// Its documents in numbers.
    #[serde(flatten)]
    pub seen: Seen,
    /// The document that is searched.
    pub keeper: IndexDocument,
    /// The first copies, in the order in which they were added.
    pub copies: Vec<StoryCopy>,
    /// The number of further copies.
    pub more: u64,
}

/// A copy, and how similar it was to the keeper of its time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoryCopy {
    /// The copy.
    #[serde(flatten)]
    pub document: IndexDocument,
    /// The number of the pair.
    pub pair: i64,
    /// The keeper of its time.
    pub keeper: Id,
    /// Their similarity, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    pub similarity: f64,
    /// The reason why they are duplicates.
    pub reason: Reason,
}

impl Index {
    /// The story of a number, without its copies; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    pub fn story(&mut self, story: u32) -> Result<Option<Story>, Error> {
        self.read(|index| index.story_at(story, now()))
    }

    /// The story of a number with its first `most` copies; `None` if there is none. Of copies with
    /// long texts there are fewer.
    ///
    /// # Errors
    /// As [`story`](Self::story).
    pub fn story_documents(
        &mut self,
        story: u32,
        most: usize,
    ) -> Result<Option<StoryDocuments>, Error> {
        self.read(|index| {
            let now = now();
            let Some(known) = index.story_at(story, now)? else { return Ok(None) };
            let Some(keeper) = index.found(&known.keeper.id, now)? else { return Ok(None) };
            let (mut copies, mut after, mut bytes) = (Vec::new(), 0, 0);
            while copies.len() < most
                && bytes < BYTES
                && let Some(copy) = index.store.copies_of(story, after, 1)?.pop()
            {
                after = copy.stored.number;
                if !copy.stored.is_there(now) {
                    continue;
                }
                bytes += copy.text.text.len();
                let pair = index.store.last_pair_of(&copy.stored.id)?;
                let number = copy.stored.number;
                let pair = pair.ok_or_else(|| index.store.damaged("the pair of copy", number))?;
                copies.push(StoryCopy {
                    document: copy.stored.shown(copy.text.text, true),
                    pair: pair.pair,
                    keeper: pair.keeper,
                    similarity: pair.similarity,
                    reason: pair.reason,
                });
            }
            let more = (known.seen.seen - 1).saturating_sub(copies.len() as u64);
            Ok(Some(StoryDocuments { story, seen: known.seen, keeper, copies, more }))
        })
    }

    fn story_at(&self, story: u32, now: i64) -> Result<Option<Story>, Error> {
        let Some(number) = self.store.keeper(story)? else { return Ok(None) };
        let keeper = self.there(number)?;
        if !keeper.is_there(now) {
            return Ok(None);
        }
        let (copies, times) = self.store.count_copies(story, now)?;
        let [first, last] = times.unwrap_or([keeper.added; 2]);
        let (first, last) = (first.min(keeper.added), last.max(keeper.added));
        let seen = Seen { seen: 1 + copies, first, last };
        Ok(Some(Story { story, seen, keeper: keeper.listed(false) }))
    }

    /// Makes a copy the keeper of its story; the keeper becomes a copy, and the two are right. Returns
    /// false if the story has no such document.
    ///
    /// # Errors
    /// As [`Index::add`].
    pub fn set_keeper(&mut self, story: u32, id: &Id) -> Result<bool, Error> {
        self.write(false, |index, view| match index.store.copy(id)? {
            Some(copy) if copy.stored.story == story => index.swap(view, id, now()),
            Some(_) => Ok(false),
            None => Ok(index.store.number(id)?.is_some()
                && index.store.keeper(story)? == index.store.number(id)?),
        })
    }

    /// The place in the list of changes at a time, in seconds since 1970.
    ///
    /// # Errors
    /// As [`story`](Self::story).
    pub fn cursor_at(&mut self, time: i64) -> Result<Cursor, Error> {
        self.read(|index| {
            let (place, next) = index.store.places_at(time)?;
            Ok(Cursor { next, place })
        })
    }

    /// Returns true if the list of changes has come to a place. It has not if the place is of another
    /// index, or of a later state than a backup.
    ///
    /// # Errors
    /// As [`story`](Self::story).
    pub fn has_come_to(&mut self, cursor: Cursor) -> Result<bool, Error> {
        self.read(|index| {
            let next = index.store.state()?.next;
            Ok(cursor.next <= next && cursor.place <= index.store.last_change()?)
        })
    }

    /// The next stories that have begun or changed after a place, in the order of their last
    /// changes. A story that has changed several times is there once.
    ///
    /// # Errors
    /// As [`story`](Self::story).
    pub fn changes(&mut self, after: Cursor, most: usize) -> Result<Vec<Change>, Error> {
        self.read(|index| {
            let now = now();
            let mut cursor = after;
            let begun = index.store.begun_from(after.next, most)?;
            let changed = index.store.changed_after(after.place, most)?;
            let (mut begun, mut changed) =
                (begun.into_iter().peekable(), changed.into_iter().peekable());
            let mut changes = Vec::new();
            while changes.len() < most {
                let is_begun = match (begun.peek(), changed.peek()) {
                    (Some((_, added)), Some((_, _, at))) => added <= at,
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    (None, None) => break,
                };
                let next = match is_begun {
                    true => begun.next().map(|(number, _)| {
                        cursor.next = number + 1;
                        number
                    }),
                    false => changed.next().map(|(place, story, _)| {
                        cursor.place = place;
                        story
                    }),
                };
                let Some(number) = next else { break };
                let story = index.story_at(number, now)?;
                // An expired keeper is there until it is removed. Then the story has another one, or
                // has ended, which is not told.
                if story.is_some() || index.store.keeper(number)?.is_none() {
                    changes.push(Change { number, story, cursor });
                }
            }
            Ok(changes)
        })
    }

    /// The stories of the last `most` changes before a place in the list of changes, the last one
    /// first; and the place before which earlier changes are, `None` if there are none. A story that
    /// has only begun has not changed, and one that has ended is left out.
    ///
    /// # Errors
    /// As [`story`](Self::story).
    pub fn latest_stories(
        &mut self,
        before: Option<i64>,
        most: usize,
    ) -> Result<(Vec<Story>, Option<i64>), Error> {
        self.read(|index| {
            let (now, mut stories) = (now(), Vec::new());
            let changes = index.store.changed_before(before.unwrap_or(i64::MAX), most)?;
            let earlier = changes.last().filter(|_| changes.len() == most).map(|last| last.0);
            for (_, story, _) in changes {
                stories.extend(index.story_at(story, now)?);
            }
            Ok((stories, earlier))
        })
    }
}

#[cfg(test)]
mod tests;
