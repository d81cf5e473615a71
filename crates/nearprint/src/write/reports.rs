//! The outcome of a run -> the reports beside the kept files: one JSON object a line, ids as the
//! user wrote them.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::config::LeakAction;
use crate::corpus::{Corpus, Origins};
use crate::error::{Error, Rejections};
use crate::message::Message;
use crate::outcome::{Decisions, DuplicatePairs, Reason, Removal};
use crate::shares::{rounded, rounded_down};
use crate::write::{Differing, listed_leaks};

/// The name of the summary, which every output of a run has.
pub const SUMMARY: &str = "summary.json";

/// The file name of the removed documents, which every output folder has as well.
pub const REMOVED: &str = "removed.jsonl";

/// The file name of the clusters.
pub const CLUSTERS: &str = "clusters.jsonl";

/// The file name of the duplicate pairs, which a run writes if it is asked to.
pub const PAIRS: &str = "pairs.jsonl";

/// The file name of the pairs just below the minimum similarity.
pub const JUST_MISSED: &str = "just_missed.jsonl";

/// The file name of the leaks, in a run with reference documents.
pub const LEAKS: &str = "leaks.jsonl";

/// The file name of the files and rows that were left out.
pub const REJECTED: &str = "rejected.jsonl";

/// A row of `removed.jsonl`.
#[derive(Serialize)]
struct RemovedRow<'a> {
    id: &'a RawValue,
    keeper: &'a RawValue,
    cluster: u32,
    distance: Option<u32>,
    similarity: f64,
    reason: Reason,
    lost: Option<f64>,
    share: Option<f64>,
    first: Option<u32>,
    last: Option<u32>,
    file: &'a str,
    row: u64,
    length: u32,
    keeper_file: &'a str,
    keeper_row: u64,
    keeper_length: u32,
    /// Absent if texts are not shown, `null` if the texts are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keeper_text: Option<Option<String>>,
}

/// A row of `leaks.jsonl`.
#[derive(Serialize)]
struct LeakRow<'a> {
    id: &'a RawValue,
    item: &'a RawValue,
    reason: Reason,
    similarity: f64,
    first: Option<u32>,
    last: Option<u32>,
    action: &'static str,
    file: &'a str,
    row: u64,
    length: u32,
    item_file: &'a str,
    item_row: u64,
    item_length: u32,
}

/// A row of `clusters.jsonl`.
#[derive(Serialize)]
struct ClusterRow<'a> {
    cluster: usize,
    keeper: &'a RawValue,
    size: usize,
    members: Vec<&'a RawValue>,
}

/// A row of `pairs.jsonl`.
#[derive(Serialize)]
struct PairRow<'a> {
    left: &'a RawValue,
    right: &'a RawValue,
    distance: Option<u32>,
    similarity: f64,
    reason: Reason,
}

/// A row of `just_missed.jsonl`.
#[derive(Serialize)]
struct JustMissedRow<'a> {
    left: &'a RawValue,
    right: &'a RawValue,
    distance: Option<u32>,
    similarity: f64,
    left_file: &'a str,
    left_row: u64,
    left_length: u32,
    right_file: &'a str,
    right_row: u64,
    right_length: u32,
}

/// A row of `rejected.jsonl`.
#[derive(Serialize)]
struct RejectedRow<'a> {
    file: &'a str,
    row: Option<u64>,
    problem: &'a str,
    message: String,
}

/// Writes `removed.jsonl`, the removed documents in input order, and returns its size in bytes.
/// With `texts` each row has the first passages in which the document and its keeper differ.
///
/// # Errors
/// [`Error::Io`]; [`Error::Changed`] for an input file whose rows differ when it is read again.
pub fn removed(
    corpus: &Corpus,
    decisions: &Decisions,
    texts: Option<Differing<'_>>,
    folder: &Path,
) -> Result<u64, Error> {
    let path = folder.join(REMOVED);
    let Some(texts) = texts else {
        return report(
            &path,
            decisions.removals.iter().map(|removal| Ok(removed_row(corpus, removal, None))),
        );
    };
    let rows = texts.parts(&decisions.removals).flat_map(|removals| {
        let rows = texts.of(removals).map(|shown| {
            removals
                .iter()
                .zip(shown)
                .map(|(removal, shown)| Ok(removed_row(corpus, removal, Some(shown))))
                .collect()
        });
        rows.unwrap_or_else(|error| vec![Err(error)])
    });
    report(&path, rows)
}

fn removed_row<'a>(
    corpus: &'a Corpus,
    removal: &Removal,
    shown: Option<Option<[String; 2]>>,
) -> RemovedRow<'a> {
    let origins = &corpus.origins;
    let length = |document: u32| corpus.lengths()[document as usize];
    let [text, keeper_text] = match shown {
        None => [None, None],
        Some(None) => [Some(None), Some(None)],
        Some(Some(texts)) => texts.map(|text| Some(Some(text))),
    };
    RemovedRow {
        id: id(origins, removal.document),
        keeper: id(origins, removal.keeper),
        cluster: removal.cluster,
        distance: removal.distance,
        similarity: rounded_down(removal.similarity),
        reason: removal.reason,
        lost: removal.lost.map(rounded),
        share: removal.share.map(rounded_down),
        first: removal.place.map(|[first, _]| first),
        last: removal.place.map(|[_, last]| last),
        file: origins.file(removal.document),
        row: origins.row(removal.document),
        length: length(removal.document),
        keeper_file: origins.file(removal.keeper),
        keeper_row: origins.row(removal.keeper),
        keeper_length: length(removal.keeper),
        text,
        keeper_text,
    }
}

/// Writes `leaks.jsonl`, and returns its size in bytes: in input order each document that is a
/// duplicate of a reference document, and every passage that is one, with the action.
///
/// # Errors
/// [`Error::Io`].
pub fn leaks(
    corpus: &Corpus,
    decisions: &Decisions,
    action: LeakAction,
    folder: &Path,
) -> Result<u64, Error> {
    let (origins, lengths) = (&corpus.origins, corpus.lengths());
    let rows = listed_leaks(corpus, decisions, action).map(|leak| {
        let leak = leak?;
        Ok(LeakRow {
            id: id(origins, leak.document),
            item: id(origins, leak.item),
            reason: leak.reason,
            similarity: rounded_down(leak.similarity),
            first: leak.place.map(|[first, _]| first),
            last: leak.place.map(|[_, last]| last),
            action: leak.action,
            file: origins.file(leak.document),
            row: origins.row(leak.document),
            length: lengths[leak.document as usize],
            item_file: origins.file(leak.item),
            item_row: origins.row(leak.item),
            item_length: lengths[leak.item as usize],
        })
    });
    report(&folder.join(LEAKS), rows)
}

/// Writes `clusters.jsonl`, the clusters of two or more by number, and returns its size in bytes.
///
/// # Errors
/// [`Error::Io`].
pub fn clusters(origins: &Origins, decisions: &Decisions, folder: &Path) -> Result<u64, Error> {
    let rows = decisions.clusters.iter().enumerate().map(|(number, (keeper, members))| {
        Ok(ClusterRow {
            cluster: number + 1,
            keeper: id(origins, *keeper),
            size: members.len(),
            members: members.iter().map(|member| id(origins, *member)).collect(),
        })
    });
    report(&folder.join(CLUSTERS), rows)
}

/// Writes `pairs.jsonl`, all duplicate pairs, and returns its size in bytes.
///
/// # Errors
/// [`Error::Io`].
pub fn pairs(origins: &Origins, decisions: &Decisions, folder: &Path) -> Result<u64, Error> {
    let rows = decisions.all_pairs().map(|pair| {
        let pair = pair?;
        Ok(PairRow {
            left: id(origins, pair.left),
            right: id(origins, pair.right),
            distance: pair.distance,
            similarity: rounded_down(pair.similarity),
            reason: pair.reason,
        })
    });
    report(&folder.join(PAIRS), rows)
}

/// Writes `just_missed.jsonl`, pairs that just missed the least similarity, and returns its size in
/// bytes.
///
/// # Errors
/// [`Error::Io`].
pub fn just_missed(corpus: &Corpus, pairs: &DuplicatePairs, folder: &Path) -> Result<u64, Error> {
    let (origins, lengths) = (&corpus.origins, corpus.lengths());
    let rows = pairs.iter().map(|pair| {
        let pair = pair?;
        Ok(JustMissedRow {
            left: id(origins, pair.left),
            right: id(origins, pair.right),
            distance: pair.distance,
            similarity: rounded_down(pair.similarity),
            left_file: origins.file(pair.left),
            left_row: origins.row(pair.left),
            left_length: lengths[pair.left as usize],
            right_file: origins.file(pair.right),
            right_row: origins.row(pair.right),
            right_length: lengths[pair.right as usize],
        })
    });
    report(&folder.join(JUST_MISSED), rows)
}

/// Writes `rejected.jsonl`, the files and rows that were left out, and returns its size in bytes.
/// `spelled` spells settings in the messages.
///
/// # Errors
/// [`Error::Io`].
pub fn rejected(
    rejections: &Rejections,
    spelled: fn(&Message) -> String,
    folder: &Path,
) -> Result<u64, Error> {
    let rows = rejections.iter().map(|rejection| {
        Ok(RejectedRow {
            file: &rejection.file,
            row: rejection.row,
            problem: rejection.problem.name(),
            message: spelled(&rejection.problem.message()),
        })
    });
    report(&folder.join(REJECTED), rows)
}

/// Writes `summary.json`.
///
/// # Errors
/// [`Error::Io`].
pub fn summary(summary: &impl Serialize, folder: &Path) -> Result<(), Error> {
    let path = folder.join(SUMMARY);
    let mut json = serde_json::to_string_pretty(summary).expect("a summary is JSON");
    json.push('\n');
    fs::write(&path, json).map_err(Error::io("write", &path))
}

/// Writes rows of JSON and returns their size in bytes.
pub(super) fn report(
    path: &Path,
    rows: impl Iterator<Item = Result<impl Serialize, Error>>,
) -> Result<u64, Error> {
    let file = File::create(path).map_err(Error::io("create", path))?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let (mut bytes, mut line) = (0, Vec::new());
    for row in rows {
        line.clear();
        serde_json::to_writer(&mut line, &row?).expect("a row is JSON");
        line.push(b'\n');
        bytes += line.len() as u64;
        out.write_all(&line).map_err(Error::io("write", path))?;
    }
    out.flush().map_err(Error::io("write", path))?;
    Ok(bytes)
}

/// The id of a document, already encoded as JSON.
pub(super) fn id(origins: &Origins, document: u32) -> &RawValue {
    serde_json::from_str(origins.id_json(document)).expect("an id is JSON")
}
