//! The duplicates of a document, and the marks of a person -> the duplicates that the marks leave
//! or add.
//!
//! Marks name ids, so a text without an id has none. A mark on a text that has changed since is not
//! used. An index knows the texts of its own documents as read only if it stores them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use nearprint_core::judge::{Parts, Reason, Verdict};
use nearprint_core::near::QUERY;

use super::Index;
use super::kept::Kept;
use super::pair::PairStatus;
use crate::corpus::{MarkFile, MarksUsed, StoreJudge, UnusedMark, text_hash};
use crate::document::Id;
use crate::error::Error;
use crate::find::by_similarity;
use crate::message::Message;

/// The marks that an index obeys.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// The marks on each document, by its id in words.
    of: HashMap<String, Vec<OfDocument>>,
    /// The file and the number of its marks.
    file: String,
    all: u64,
    /// The rows of marks on texts that have changed, with the id of the text.
    changed: Mutex<BTreeMap<u64, String>>,
    /// The rows of marks on documents that the index does not have, with their ids.
    absent: Mutex<BTreeMap<u64, String>>,
    /// The rows of marks that an answer obeyed. A mark may be seen from both of its documents, of
    /// which the index has one.
    used: Mutex<BTreeSet<u64>>,
}

/// A mark, seen from one of its documents.
#[derive(Debug)]
struct OfDocument {
    other: Id,
    /// The hashes of the document's own text and of the other one.
    own_text: Option<u64>,
    other_text: Option<u64>,
    right: bool,
    row: u64,
}

impl Marked {
    fn new(file: &MarkFile) -> Marked {
        let mut of: HashMap<String, Vec<OfDocument>> = HashMap::new();
        // A document is not compared with an earlier version of itself.
        let has_one = |ids: &[Id; 2]| ids[0].to_string() == ids[1].to_string();
        for mark in file.marks.iter().filter(|mark| !has_one(&mark.ids)) {
            for (own, other) in [(0, 1), (1, 0)] {
                of.entry(mark.ids[own].to_string()).or_default().push(OfDocument {
                    other: mark.ids[other].clone(),
                    own_text: mark.texts[own],
                    other_text: mark.texts[other],
                    right: mark.right,
                    row: mark.row,
                });
            }
        }
        let (file, all) = (file.file.clone(), file.marks.len() as u64);
        Marked { of, file, all, ..Marked::default() }
    }

    /// True for a text that is still the marked one. Others are remembered.
    fn is_same(&self, row: u64, id: &Id, known: Option<u64>, text: &str) -> bool {
        let is_same = known.is_none_or(|known| known == text_hash(text));
        if !is_same {
            remember(&self.changed, row, id);
        }
        is_same
    }
}

fn remember(unused: &Mutex<BTreeMap<u64, String>>, row: u64, id: &Id) {
    unused.lock().unwrap_or_else(PoisonError::into_inner).entry(row).or_insert(id.to_string());
}

fn in_order(unused: &Mutex<BTreeMap<u64, String>>) -> Vec<UnusedMark> {
    let unused = unused.lock().unwrap_or_else(PoisonError::into_inner);
    unused.iter().map(|(row, id)| UnusedMark { row: *row, id: id.clone() }).collect()
}

/// The ids that a mark may mean. An integer and its digits are one id, as in a run.
pub(super) fn meant(id: &Id) -> Vec<Id> {
    let text = id.to_string();
    let other = match id {
        Id::Text(_) => {
            let integer = text.parse().map(Id::Integer).or_else(|_| text.parse().map(Id::Unsigned));
            integer.ok().filter(|other| other.to_string() == text)
        }
        _ => Some(Id::Text(text)),
    };
    [id.clone()].into_iter().chain(other).collect()
}

impl Index {
    /// Takes marks that all answers about documents with an id obey from now on.
    pub(crate) fn obey(&mut self, marks: Option<&MarkFile>) {
        self.marked = marks.map(Marked::new).unwrap_or_default();
    }

    /// Warnings of marks that were not used so far.
    pub(crate) fn mark_warnings(&self) -> Vec<Message> {
        let Marked { file, all, changed, absent, used, .. } = &self.marked;
        if file.is_empty() {
            return Vec::new();
        }
        let obeyed = used.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = in_order(changed);
        changed.retain(|mark| !obeyed.contains(&mark.row));
        let mut absent = in_order(absent);
        let is_changed = |row: u64| changed.iter().any(|mark| mark.row == row);
        absent.retain(|mark| !obeyed.contains(&mark.row) && !is_changed(mark.row));
        let used = MarksUsed {
            file: file.clone(),
            all: *all,
            used: all.saturating_sub((changed.len() + absent.len()) as u64),
            changed,
            absent,
            ..MarksUsed::default()
        };
        used.warnings()
    }

    /// Removes those of the duplicates of the query that marks keep apart from it, and adds those
    /// that marks merge with it: first those of pairs that were judged in the index, then those of
    /// the file. The text of the query is `None` if it is not known as read.
    pub(super) fn add_marks(
        &self,
        (id, text): (&Id, Option<&str>),
        found: &mut Vec<(u32, Verdict)>,
        judge: &mut StoreJudge<Kept<'_>>,
    ) -> Result<(), Error> {
        let own = self.store.marked_pairs(id)?;
        let marks = self.marked.of.get(&id.to_string());
        if own.is_empty() && marks.is_none() {
            return Ok(());
        }
        for pair in own {
            let [own_text, other_text] = match pair.copy == *id {
                true => pair.texts,
                false => [pair.texts[1], pair.texts[0]],
            };
            let other = if pair.copy == *id { &pair.keeper } else { &pair.copy };
            let Some(number) = self.store.number(other)? else { continue };
            let is_same = |known: Option<u64>, text: Option<&str>| {
                known.zip(text).is_none_or(|(known, text)| known == text_hash(text))
            };
            let other = self.text_as_read(number)?;
            if is_same(own_text, text) && is_same(other_text, other.as_deref()) {
                obey(pair.status == PairStatus::Right, number, found, judge)?;
            }
        }
        for mark in marks.into_iter().flatten() {
            let mut found_other = None;
            for other in meant(&mark.other) {
                found_other = found_other.or(self.store.number(&other)?);
            }
            let Some(number) = found_other else {
                remember(&self.marked.absent, mark.row, &mark.other);
                continue;
            };
            let other = self.text_as_read(number)?;
            let is_same = |id, known, text: Option<&str>| {
                text.is_none_or(|text| self.marked.is_same(mark.row, id, known, text))
            };
            if !is_same(id, mark.own_text, text)
                || !is_same(&mark.other, mark.other_text, other.as_deref())
            {
                continue;
            }
            self.marked.used.lock().unwrap_or_else(PoisonError::into_inner).insert(mark.row);
            obey(mark.right, number, found, judge)?;
        }
        found.sort_unstable_by(by_similarity);
        Ok(())
    }

    /// The text of a document as read, if the index keeps it so.
    pub(super) fn text_as_read(&self, number: u32) -> Result<Option<String>, Error> {
        match self.options.store_text {
            true => Ok(self.store.text(number)?.map(|text| text.text)),
            false => Ok(None),
        }
    }
}

/// Removes a document from the duplicates of the query, or adds it if the two are right.
fn obey(
    right: bool,
    number: u32,
    found: &mut Vec<(u32, Verdict)>,
    judge: &mut StoreJudge<Kept<'_>>,
) -> Result<(), Error> {
    found.retain(|(own, _)| *own != number);
    if right {
        let parts = Parts { fingerprint: true, short: true, ..Parts::default() };
        let verdict = judge.verdict_of([QUERY, number], parts)?;
        let reason = match verdict.reason {
            Reason::Exact => Reason::Exact,
            _ => Reason::Marked,
        };
        found.push((number, Verdict { duplicates: true, reason, ..verdict }));
    }
    Ok(())
}
