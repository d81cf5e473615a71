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
fn meant(id: &Id) -> Vec<Id> {
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
    /// that marks merge with it.
    pub(super) fn add_marks(
        &self,
        (id, text): (&Id, &str),
        found: &mut Vec<(u32, Verdict)>,
        judge: &mut StoreJudge<Kept<'_>>,
    ) -> Result<(), Error> {
        let Some(marks) = self.marked.of.get(&id.to_string()) else { return Ok(()) };
        for mark in marks {
            let mut found_other = None;
            for other in meant(&mark.other) {
                found_other = found_other.or(self.store.number(&other)?);
            }
            let Some(number) = found_other else {
                remember(&self.marked.absent, mark.row, &mark.other);
                continue;
            };
            let is_same = self.marked.is_same(mark.row, id, mark.own_text, text)
                && match self.options.store_text {
                    false => true,
                    true => self.store.text(number)?.is_none_or(|own| {
                        self.marked.is_same(mark.row, &mark.other, mark.other_text, &own.text)
                    }),
                };
            if !is_same {
                continue;
            }
            self.marked.used.lock().unwrap_or_else(PoisonError::into_inner).insert(mark.row);
            found.retain(|(own, _)| *own != number);
            if mark.right {
                let parts = Parts { fingerprint: true, short: true, ..Parts::default() };
                let verdict = judge.verdict_of([QUERY, number], parts)?;
                let reason = match verdict.reason {
                    Reason::Exact => Reason::Exact,
                    _ => Reason::Marked,
                };
                found.push((number, Verdict { duplicates: true, reason, ..verdict }));
            }
        }
        found.sort_unstable_by(by_similarity);
        Ok(())
    }
}
