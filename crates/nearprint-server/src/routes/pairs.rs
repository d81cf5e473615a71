//! `/v1/pairs`: copies beside their keepers for a person to judge, and the verdicts.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::stream::{self, StreamExt};
use nearprint::document::Id;
use nearprint::index::{Judged, Pair, PairDocument, PairDocuments, PairOrder, PairStatus};
use nearprint::shares::rounded_down;
use serde::{Deserialize, Serialize};

use super::object::object;
use super::parameters::{InPath, Parameters};
use super::stories::limit;
use crate::Service;
use crate::access::Asker;
use crate::collections::{Collection, One};
use crate::problem::Problem;
use crate::rows::media;

/// The most pairs that an answer has by default.
const LIMIT: usize = 20;

/// The pairs that are read at a time for an answer, and the bytes of texts after which it ends.
const FEW: usize = 4;
const BYTES: usize = 16 << 20;

/// The pairs that are read at a time for a file.
const PART: usize = 1000;

/// The media type of CSV.
const CSV: &str = "text/csv";

/// The parameters of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfList {
    status: Option<PairStatus>,
    order: Option<PairOrder>,
    after: Option<i64>,
    limit: Option<usize>,
}

/// Pairs, the place of the next ones, and the number of open ones.
#[derive(Serialize)]
struct Pairs {
    pairs: Vec<PairDocuments>,
    next: Option<i64>,
    open: u64,
}

pub(super) async fn list(
    One(collection): One,
    Parameters(OfList { status, order, after, limit: most }): Parameters<OfList>,
) -> Result<Response, Problem> {
    let (status, order) = (status.unwrap_or(PairStatus::Open), order.unwrap_or_default());
    let most = limit(most, LIMIT)?;
    let found = collection.readers.read(|index| {
        let (mut pairs, mut bytes, mut after) = (Vec::new(), 0, after);
        // An answer of long texts ends early.
        while pairs.len() < most && bytes <= BYTES {
            let few = index.pairs(status, order, after, FEW.min(most - pairs.len()))?;
            let Some(last) = few.last() else {
                after = None;
                break;
            };
            after = Some(last.pair.pair);
            bytes += few.iter().map(bytes_of).sum::<usize>();
            pairs.extend(few);
        }
        Ok((pairs, after, index.count_pairs(PairStatus::Open)?))
    });
    let (pairs, next, open) = found.await?;
    Ok(Json(Pairs { pairs, next, open }).into_response())
}

/// The bytes of the texts of a pair.
fn bytes_of(pair: &PairDocuments) -> usize {
    let text = |side: &PairDocument| match side {
        PairDocument::There(document) => document.text.len(),
        PairDocument::Gone { .. } => 0,
    };
    text(&pair.left) + text(&pair.right)
}

/// A row of the file, with the columns of marks.
#[derive(Serialize)]
struct Row {
    pair: i64,
    left: String,
    right: String,
    verdict: &'static str,
    similarity: f64,
    reason: &'static str,
    left_text: Option<String>,
    right_text: Option<String>,
}

impl Row {
    const COLUMNS: [&str; 8] =
        ["pair", "left", "right", "verdict", "similarity", "reason", "left_text", "right_text"];
}

impl From<Pair> for Row {
    fn from(pair: Pair) -> Row {
        let [left_text, right_text] = pair.texts.map(|text| text.map(hash));
        let verdict = match pair.status {
            PairStatus::Open => "",
            status => status.name(),
        };
        Row {
            pair: pair.pair,
            left: pair.copy.to_string(),
            right: pair.keeper.to_string(),
            verdict,
            similarity: rounded_down(pair.similarity),
            reason: pair.reason.name(),
            left_text,
            right_text,
        }
    }
}

/// All pairs as a file of marks. `evaluate` and `--marks` read it. It is sent as it is read.
pub(super) async fn file(One(collection): One) -> Result<Response, Problem> {
    let first = rows(&collection, None).await?;
    let later = stream::unfold((collection, first.1), |(collection, after)| async move {
        match rows(&collection, Some(after?)).await {
            Ok((rows, next)) => Some((Ok(rows), (collection, next))),
            // The connection ends before the file does, so the client sees a fault.
            Err(problem) => Some((Err(std::io::Error::other(problem.detail)), (collection, None))),
        }
    });
    let parts = stream::once(async { Ok(first.0) }).chain(later);
    let named = "attachment; filename=\"pairs.csv\"";
    let headers = [(header::CONTENT_TYPE, CSV), (header::CONTENT_DISPOSITION, named)];
    Ok((headers, Body::from_stream(parts)).into_response())
}

/// The next rows of the file, with its head if `after` is `None`; and the last pair, or `None` at
/// the end.
async fn rows(
    collection: &Collection,
    after: Option<i64>,
) -> Result<(Vec<u8>, Option<i64>), Problem> {
    let from = after.unwrap_or_default();
    let pairs = collection.readers.read(|index| index.list_pairs(from, PART)).await?;
    let last = pairs.last().filter(|_| pairs.len() == PART).map(|last| last.pair);
    let mut rows = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    let failed = |error: csv::Error| {
        let problem = Problem::of_request("system", error.to_string());
        problem.with(StatusCode::INTERNAL_SERVER_ERROR)
    };
    if after.is_none() {
        rows.write_record(Row::COLUMNS).map_err(failed)?;
    }
    for pair in pairs {
        rows.serialize(Row::from(pair)).map_err(failed)?;
    }
    let rows = rows.into_inner().map_err(|error| failed(error.into_error().into()))?;
    Ok((rows, last))
}

pub(super) async fn show(
    One(collection): One,
    InPath(pair): InPath<i64>,
) -> Result<Response, Problem> {
    match collection.readers.read(|index| index.pair(pair)).await? {
        Some(pair) => Ok(Json(pair).into_response()),
        None => Err(absent(pair)),
    }
}

/// A verdict.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdict {
    verdict: PairStatus,
    keeper: Option<Id>,
}

impl Verdict {
    fn on(self, pair: i64) -> Result<Judged, String> {
        let Verdict { verdict: status, keeper } = self;
        match keeper.is_some() && status != PairStatus::Right {
            false => Ok(Judged { pair, status, keeper }),
            true => Err("keeper goes with the verdict right; leave it out".to_string()),
        }
    }
}

pub(super) async fn judge(
    One(collection): One,
    InPath(pair): InPath<i64>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let wanted = "{\"verdict\": \"right\", \"wrong\", \"later\" or \"open\"}";
    let verdict: Verdict = object(&headers, &body, wanted)?;
    let judged = verdict.on(pair).map_err(|problem| Problem::of_request("body", problem))?;
    let found = collection.writer.change(move |index| index.judge_pairs(&[judged])).await?;
    match found.contains(&true) {
        true => show(One(collection), InPath(pair)).await,
        false => Err(absent(pair)),
    }
}

/// The results of many verdicts, in their order.
#[derive(Serialize)]
struct Results {
    results: Vec<OfVerdict>,
}

/// The result of a verdict.
#[derive(Serialize)]
#[serde(untagged)]
enum OfVerdict {
    Done { pair: i64, status: PairStatus },
    Failed { status: &'static str, detail: String },
}

/// Verdicts on many pairs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdicts {
    verdicts: Vec<OfPair>,
}

/// A verdict on a pair, which is named by its number or by the ids of its documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfPair {
    pair: Option<i64>,
    left: Option<Id>,
    right: Option<Id>,
    verdict: PairStatus,
    keeper: Option<Id>,
    /// The hashes of the texts that were judged, if the verdict is of a file.
    #[serde(skip)]
    texts: [Option<String>; 2],
}

/// A row of a file of marks.
#[derive(Deserialize)]
struct OfFile {
    pair: Option<i64>,
    left: Option<String>,
    right: Option<String>,
    verdict: Option<PairStatus>,
    left_text: Option<String>,
    right_text: Option<String>,
}

pub(super) async fn judge_all(
    State(service): State<Arc<Service>>,
    One(collection): One,
    Extension(asker): Extension<Arc<Asker>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let verdicts = match media(&headers).as_str() {
        CSV => of_file(&body)?,
        _ => {
            let wanted = "{\"verdicts\": [{\"pair\": …, \"verdict\": …}]}";
            let Verdicts { verdicts } = object(&headers, &body, wanted)?;
            verdicts
        }
    };
    let most = service.settings.max_rows;
    if verdicts.len() > most {
        let detail = format!("the body has more than {most} rows; send them in several requests");
        return Err(Problem::of_request("rows", detail).with(StatusCode::PAYLOAD_TOO_LARGE));
    }
    asker.count(verdicts.len())?;
    let mut judged = Vec::with_capacity(verdicts.len());
    for verdict in &verdicts {
        judged.push(named(&collection, verdict).await?);
    }
    let all: Vec<Judged> = judged.iter().flatten().cloned().collect();
    let found = collection.writer.change(move |index| index.judge_pairs(&all)).await?;
    let mut found = found.into_iter();
    let failed = |detail| OfVerdict::Failed { status: "error", detail };
    let result = |judged: Result<Judged, String>| match judged {
        Ok(Judged { pair, status, .. }) if found.next() == Some(true) => {
            OfVerdict::Done { pair, status }
        }
        Ok(judged) => failed(no_pair(judged.pair)),
        Err(detail) => failed(detail),
    };
    let results = judged.into_iter().map(result).collect();
    Ok(Json(Results { results }).into_response())
}

/// The rows of a file of marks that have a verdict.
fn of_file(body: &[u8]) -> Result<Vec<OfPair>, Problem> {
    let (mut verdicts, mut rows) = (Vec::new(), csv::Reader::from_reader(body));
    if !rows.headers().is_ok_and(|names| names.iter().any(|name| name == "verdict")) {
        let detail = "the file has no column verdict; its first row names the columns";
        return Err(Problem::of_request("body", detail));
    }
    for (row, read) in (1..).zip(rows.into_deserialize()) {
        let OfFile { pair, left, right, verdict, left_text, right_text } =
            read.map_err(|error: csv::Error| {
                Problem::of_request("row", format!("row {row}: {error}"))
            })?;
        let Some(verdict) = verdict else { continue };
        let [left, right] = [left, right].map(|id| id.map(Id::Text));
        let texts = [left_text, right_text];
        verdicts.push(OfPair { pair, left, right, verdict, keeper: None, texts });
    }
    Ok(verdicts)
}

/// The verdict with the number of its pair, or the reason why there is none.
async fn named(
    collection: &Collection,
    verdict: &OfPair,
) -> Result<Result<Judged, String>, Problem> {
    let own = Verdict { verdict: verdict.verdict, keeper: verdict.keeper.clone() };
    let pair = match (verdict.pair, &verdict.left, &verdict.right) {
        (Some(pair), _, _) => pair,
        (None, Some(left), Some(right)) => {
            match collection.readers.read(|index| index.pair_named([left, right])).await? {
                Some(pair) => pair,
                None => return Ok(Err(format!("there is no pair of {left} and {right}"))),
            }
        }
        _ => return Ok(Err("name the pair, or left and right".to_string())),
    };
    let found = collection.readers.read(|index| index.list_pairs(pair - 1, 1)).await?;
    let Some(found) = found.first().filter(|found| found.pair == pair) else {
        return Ok(Err(no_pair(pair)));
    };
    Ok(verdict.fits(found).and_then(|()| own.on(pair)))
}

impl OfPair {
    /// Refuses a pair of other documents than those that the verdict names, or of other texts.
    fn fits(&self, pair: &Pair) -> Result<(), String> {
        let ids = [&pair.copy, &pair.keeper].map(|id| id.to_string());
        let named = [&self.left, &self.right].map(|id| id.as_ref().map(ToString::to_string));
        let is_turned = named[0].as_ref().is_some_and(|name| *name != ids[0]);
        let side = |at: usize| if is_turned { 1 - at } else { at };
        for at in [0, 1] {
            if named[at].as_ref().is_some_and(|name| *name != ids[side(at)]) {
                return Err(format!("pair {} is of {} and {}", pair.pair, ids[0], ids[1]));
            }
            let text = pair.texts[side(at)].map(hash);
            if self.texts[at].as_ref().zip(text).is_some_and(|(judged, text)| *judged != text) {
                return Err(format!("the text of {} has changed since", ids[side(at)]));
            }
        }
        Ok(())
    }
}

/// The hash of a text in hexadecimal digits.
fn hash(text: u64) -> String {
    format!("{text:016x}")
}

fn no_pair(pair: i64) -> String {
    format!("there is no pair {pair}, or the keeper is not one of its documents")
}

fn absent(pair: i64) -> Problem {
    Problem::of_request("no-such-pair", no_pair(pair)).with(StatusCode::NOT_FOUND)
}
