//! Marks of a person, and the documents that they name -> pairs that are merged or kept apart.
//!
//! A right mark makes two documents one: documents that right marks link are a group, and so are
//! documents of equal text. A wrong mark keeps two groups apart. Nobody else decides about a marked
//! pair, so it is never a candidate of the search.
//!
//! A mark is not used if one of its texts has changed since, or if a document is not there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::mark_file::{Mark, MarkFile, id_json, text_hash};
use super::origins::Origins;
use crate::cluster::{self, Method};
use crate::document::Id;
use crate::error::Error;
use crate::message;
use crate::message::Message;

/// The most rows that an error names.
const ROWS: usize = 5;

/// Pairs that a person has decided.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Marks {
    /// The first document of the group of each marked document.
    groups: BTreeMap<u32, u32>,
    /// The documents of each group of two or more, by its first one.
    members: BTreeMap<u32, Vec<u32>>,
    /// The groups that are kept apart, by their first documents, in order.
    apart: BTreeSet<(u32, u32)>,
    /// The pairs that are merged, in order: the marked ones, and equal texts of a group.
    pairs: Vec<(u32, u32)>,
    /// The marks that were used.
    used: Option<MarksUsed>,
}

/// The numbers of marks, and those that were not used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MarksUsed {
    /// The file of the marks.
    pub file: String,
    /// XXH3-128 of its bytes, in hexadecimal.
    pub hash: String,
    /// The number of marks, right and wrong.
    pub all: u64,
    /// The number of marks that were used.
    pub used: u64,
    /// The marks on a text that has changed since.
    pub changed: Vec<UnusedMark>,
    /// The marks on a document that is not there, or that the run does not compare with the other
    /// one.
    pub absent: Vec<UnusedMark>,
}

/// A mark that was not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusedMark {
    /// Its row in the file.
    pub row: u64,
    /// The id of the document that has changed, or that is not there.
    pub id: String,
}

impl MarksUsed {
    /// Warnings of marks that were not used, in sentences.
    pub fn warnings(&self) -> Vec<Message> {
        let MarksUsed { file, all, changed, absent, .. } = self;
        let all = if *all == 1 { "1 mark".to_string() } else { format!("{all} marks") };
        let mut warnings = Vec::new();
        if self.all == 0 {
            let problem = "has no marks: no row has the verdict right or wrong";
            warnings.push(message![format!("{file} {problem}")]);
        }
        let kinds = [
            (changed, "the text of ", "has changed since, or other text fields make it"),
            (absent, "", "is not in this run, or not compared with the other one"),
        ];
        for (unused, of, why) in kinds {
            let [UnusedMark { row, id }, more @ ..] = &unused[..] else { continue };
            let are = if more.is_empty() { "is" } else { "are" };
            let more =
                if more.is_empty() { String::new() } else { format!(", and {} more", more.len()) };
            warnings.push(message![format!(
                "{} of {all} {are} not used: {of}{id} {why} ({file}, row {row}){more}",
                unused.len()
            )]);
        }
        warnings
    }
}

impl Marks {
    /// Returns true if nothing is marked.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns true if a mark names the document, or a right one a document of equal text.
    pub fn has(&self, document: u32) -> bool {
        self.groups.contains_key(&document)
    }

    /// True if marks merge two documents, false if they keep them apart, `None` if they say
    /// nothing.
    pub fn verdict(&self, one: u32, other: u32) -> Option<bool> {
        let (one, other) = (*self.groups.get(&one)?, *self.groups.get(&other)?);
        match one == other {
            true => Some(true),
            false => self.apart.contains(&(one.min(other), one.max(other))).then_some(false),
        }
    }

    /// The best-ranked document of a document's group, which may be the document itself.
    pub fn leader(&self, document: u32, ranks: &[u32]) -> u32 {
        let group = self.groups.get(&document).and_then(|group| self.members.get(group));
        group.map_or(document, |members| best(members, ranks))
    }

    /// The groups of two or more documents, each with its best-ranked one.
    pub fn groups<'m>(&'m self, ranks: &'m [u32]) -> impl Iterator<Item = (u32, &'m [u32])> {
        self.members.values().map(|members| (best(members, ranks), &members[..]))
    }

    /// The pairs that are merged, each with the smaller document first.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The numbers of marks; `None` without a file of marks.
    pub fn used(&self) -> Option<&MarksUsed> {
        self.used.as_ref()
    }

    /// The marks of right and of wrong pairs. Pairs that are right on the way link documents to
    /// groups.
    ///
    /// # Errors
    /// The place of a wrong pair whose documents are in one group.
    fn of(right: &[(u32, u32)], wrong: &[(u32, u32)]) -> Result<Marks, usize> {
        let ends = right.iter().chain(wrong).flat_map(|(one, other)| [*one, *other]);
        let documents: Vec<u32> = ends.collect::<BTreeSet<u32>>().into_iter().collect();
        let place = |document: &u32| documents.partition_point(|own| own < document) as u32;
        let links: Vec<(u32, u32)> =
            right.iter().map(|(one, other)| (place(one), place(other))).collect();
        let ranks: Vec<u32> = (0..documents.len() as u32).collect();
        let roots = cluster::keepers(Method::Components, &ranks, &links);
        let first = |root: &u32| documents[*root as usize];
        let groups: BTreeMap<u32, u32> =
            documents.iter().copied().zip(roots.iter().map(first)).collect();
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (document, group) in &groups {
            members.entry(*group).or_default().push(*document);
        }
        members.retain(|_, members| members.len() > 1);
        let mut apart = BTreeSet::new();
        for (at, (one, other)) in wrong.iter().enumerate() {
            let (one, other) = (groups[one], groups[other]);
            if one == other {
                return Err(at);
            }
            apart.insert((one.min(other), one.max(other)));
        }
        let pairs: BTreeSet<(u32, u32)> =
            right.iter().map(|(one, other)| (*one.min(other), *one.max(other))).collect();
        Ok(Marks { groups, members, apart, pairs: pairs.into_iter().collect(), used: None })
    }

    /// Adds documents of equal text to groups, so that a right mark holds for all copies of a text.
    /// Only inputs are added, and not reference documents. `text` is the hash of a document's text,
    /// `None` if it is empty; `may_pair` tells which equal texts may be a pair.
    fn add_equal_texts(
        &mut self,
        inputs: Range<u32>,
        text: impl Fn(u32) -> Option<u128>,
        may_pair: impl Fn(u32, u32) -> bool,
    ) {
        let mut known: HashMap<u128, Vec<u32>> = HashMap::new();
        let marked = self.members.values().flatten();
        for document in marked.filter(|document| inputs.contains(*document)) {
            if let Some(text) = text(*document) {
                known.entry(text).or_default().push(*document);
            }
        }
        if known.is_empty() {
            return;
        }
        let has_sides = inputs.start > 0;
        for document in inputs {
            let Some(equal) = text(document).and_then(|text| known.get(&text)) else { continue };
            if self.has(document) {
                continue;
            }
            if let Some(equal) = equal.iter().find(|equal| may_pair(**equal, document)) {
                let group = self.groups[equal];
                self.groups.insert(document, group);
                self.members.entry(group).or_default().push(document);
                // Across two sides, the first document of a group is a reference document.
                let other = if has_sides { group } else { *equal };
                self.pairs.push((document.min(other), document.max(other)));
            }
        }
        self.pairs.sort_unstable();
    }
}

fn best(members: &[u32], ranks: &[u32]) -> u32 {
    let best = members.iter().min_by_key(|member| ranks[**member as usize]);
    *best.expect("a group has members")
}

/// A document that a mark names.
#[derive(Debug, Clone)]
struct Named {
    document: u32,
    id: Id,
    /// The hash of its text as read, if that is known.
    text: Option<u64>,
}

/// The documents that marks name, as they are read.
#[derive(Debug)]
pub(super) struct Marking<'f> {
    file: &'f MarkFile,
    /// The documents of each id that is marked. Two documents may have one id: one on each side, or
    /// an integer and its digits.
    named: HashMap<String, Vec<Named>>,
}

impl<'f> Marking<'f> {
    pub fn new(file: &'f MarkFile) -> Marking<'f> {
        let ids = file.marks.iter().flat_map(|mark| &mark.ids);
        let named = ids.map(|id| (id.to_string(), Vec::new())).collect();
        Marking { file, named }
    }

    /// Takes a document with its text as read, if that is known.
    pub fn push(&mut self, document: u32, id: &Id, text: Option<&str>) {
        if self.named.is_empty() {
            return;
        }
        if let Some(named) = self.named.get_mut(&id.to_string()) {
            named.push(Named { document, id: id.clone(), text: text.map(text_hash) });
        }
    }

    /// The marks on the documents that were taken. `text` and `guard` are as for
    /// [`Marks::add_equal_texts`].
    ///
    /// # Errors
    /// [`Error::Incompatible`] for a wrong mark on two documents that right marks link.
    pub fn finish(
        self,
        origins: &Origins,
        text: impl Fn(u32) -> Option<u128>,
        guard: impl Fn(u32, u32) -> bool,
    ) -> Result<Marks, Error> {
        let file = &self.file.file;
        let all = self.file.marks.len() as u64;
        let hash = format!("{:032x}", self.file.hash);
        let mut used = MarksUsed { file: file.clone(), hash, all, ..MarksUsed::default() };
        let (mut right, mut wrong) = (Vec::new(), Vec::new());
        for mark in &self.file.marks {
            match self.found(mark, origins) {
                Ok(pair) if mark.right => right.push((pair, mark)),
                Ok(pair) => wrong.push((pair, mark)),
                Err((Unused::Changed, id)) => used.changed.push(UnusedMark { row: mark.row, id }),
                Err((Unused::Absent, id)) => used.absent.push(UnusedMark { row: mark.row, id }),
            }
        }
        used.used = (right.len() + wrong.len()) as u64;
        let pairs = |marks: &[((u32, u32), &Mark)]| -> Vec<(u32, u32)> {
            marks.iter().map(|(pair, _)| *pair).collect()
        };
        let marks = Marks::of(&pairs(&right), &pairs(&wrong));
        let mut marks = marks.map_err(|at| linked(file, &right, wrong[at]))?;
        let inputs = origins.against() as u32..origins.len() as u32;
        marks.add_equal_texts(inputs, text, guard);
        Ok(Marks { used: Some(used), ..marks })
    }

    /// The two documents of a mark. Across two sides, the left one is an input if both can be.
    fn found(&self, mark: &Mark, origins: &Origins) -> Result<(u32, u32), (Unused, String)> {
        let [left, right] = mark.ids.each_ref().map(|id| self.of(id));
        for (named, id) in [&left, &right].into_iter().zip(&mark.ids) {
            if named.is_empty() {
                return Err((Unused::Absent, id.to_string()));
            }
        }
        let both = left.iter().flat_map(|left| right.iter().map(move |right| (*left, *right)));
        let mut both: Vec<(&Named, &Named)> = both
            .filter(|(left, right)| {
                left.document != right.document && origins.may_pair(left.document, right.document)
            })
            .collect();
        both.sort_by_key(|(left, _)| (left.document as usize) < origins.against());
        let is_same = |named: &Named, text: Option<u64>| {
            text.zip(named.text).is_none_or(|(marked, own)| marked == own)
        };
        let [left_text, right_text] = mark.texts;
        let same = both
            .iter()
            .find(|(left, right)| is_same(left, left_text) && is_same(right, right_text));
        match (same, both.first()) {
            (Some((left, right)), _) => Ok((left.document, right.document)),
            (None, Some((left, _))) => {
                let changed = if is_same(left, left_text) { 1 } else { 0 };
                Err((Unused::Changed, mark.ids[changed].to_string()))
            }
            (None, None) => Err((Unused::Absent, mark.ids[0].to_string())),
        }
    }

    /// The documents of an id. An integer and its digits are one id, unless both are there.
    fn of(&self, id: &Id) -> Vec<&Named> {
        let named = &self.named[&id.to_string()];
        match named.iter().any(|named| named.id == *id) {
            true => named.iter().filter(|named| named.id == *id).collect(),
            false => named.iter().collect(),
        }
    }
}

/// Why a mark is not used.
enum Unused {
    Changed,
    Absent,
}

/// The error of a wrong mark on two documents that right marks link.
fn linked(
    file: &str,
    right: &[((u32, u32), &Mark)],
    ((one, other), mark): ((u32, u32), &Mark),
) -> Error {
    let pairs: Vec<(u32, u32)> = right.iter().map(|(pair, _)| *pair).collect();
    let groups = Marks::of(&pairs, &[]).expect("nothing is wrong");
    debug_assert!(groups.verdict(one, other) == Some(true));
    let links = right.iter().filter(|((own, _), _)| groups.verdict(one, *own) == Some(true));
    let mut rows: Vec<u64> = links.map(|(_, mark)| mark.row).collect();
    rows.sort_unstable();
    let more = if rows.len() > ROWS { ", …" } else { "" };
    let rows: Vec<String> = rows.iter().take(ROWS).map(u64::to_string).collect();
    let pair = mark.ids.each_ref().map(id_json).join(" and ");
    let problem = message![format!(
        "row {}: {pair} are marked wrong, but right marks link them (rows {}{more}); correct one \
         of these rows",
        mark.row,
        rows.join(", ")
    )];
    Error::Incompatible { path: file.into(), problem }
}

#[cfg(test)]
mod tests;
