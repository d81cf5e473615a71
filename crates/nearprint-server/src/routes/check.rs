//! `POST /v1/check`: texts or rows -> their duplicates. Nothing is stored.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use nearprint::document::{Document, Id};
use nearprint::error::Rejection;
use nearprint::index::{Answer, Asked, Filter, IndexMatch, Merged, Question, Ttl};
use serde::{Deserialize, Serialize};

use super::answers::{self, Failed, Row};
use super::parameters::{self, Parameters, filter};
use crate::Service;
use crate::access::Asker;
use crate::collections::{Collection, Several};
use crate::problem::Problem;
use crate::rows::{Before, Rows, rows};

/// The most bytes of texts in an answer.
pub(super) const BYTES: usize = 64 << 20;

/// The parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfCheck {
    top: Option<usize>,
    within: Option<Ttl>,
    #[serde(default)]
    r#where: Vec<String>,
    #[serde(default)]
    same: Vec<String>,
    #[serde(default)]
    differ: Vec<String>,
}

/// The duplicates of a text.
#[derive(Serialize)]
struct Checked {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id>,
    duplicates: Vec<Match>,
    /// Further duplicates.
    more: u64,
}

/// A duplicate, with its collection if several were asked.
#[derive(Serialize)]
struct Match {
    #[serde(flatten)]
    found: IndexMatch,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
}

/// The answer of a collection to each row.
type Answers = Vec<Result<(Option<Id>, Answer), Rejection>>;

pub(super) async fn check(
    State(service): State<Arc<Service>>,
    Several(collections): Several,
    Extension(asker): Extension<Arc<Asker>>,
    Parameters(parameters): Parameters<OfCheck>,
    before: Before,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let OfCheck { top, within, r#where: wanted, same, differ } = parameters;
    let top = parameters::top(top)?;
    let question = Question { top, filter: filter(within, &wanted, same, differ)? };
    let rows = rows(&headers, &body, true, service.settings.max_rows, (&asker, before))?;
    let Filter { same, differ, .. } = &question.filter;
    if matches!(rows, Rows::Texts(_)) && !(same.is_empty() && differ.is_empty()) {
        let detail = "same and differ compare fields of rows; send {\"documents\": [{…}]}";
        return Err(Problem::of_request("parameter", detail));
    }
    let mut all = Vec::with_capacity(collections.len());
    for collection in &collections {
        all.push(ask(collection, &rows, &question).await?.into_iter());
    }
    let mut results = Vec::new();
    while let Some(answers) = all.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>() {
        let answers: Result<Vec<_>, _> = answers.into_iter().collect();
        results.push(match answers {
            Ok(answers) => Row::Done(checked(answers, &collections, top)),
            Err(rejection) => Row::Failed(Failed::of(&rejection, before)),
        });
    }
    for row in &results {
        match row {
            Row::Done(row) => {
                let best = row.duplicates.first().map(|best| best.found.reason);
                service.metrics.row_checked(best);
            }
            Row::Failed(_) => service.metrics.row_not_checked(),
        }
    }
    answers::answer(&headers, &results)
}

/// One answer from those of all collections to a row.
fn checked(
    answers: Vec<(Option<Id>, Answer)>,
    collections: &[Arc<Collection>],
    top: usize,
) -> Checked {
    let (mut ids, answers): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
    let Merged { matches, more } = Merged::of(answers, top);
    let name = |place: usize| (collections.len() > 1).then(|| collections[place].name.clone());
    let duplicates = matches.into_iter();
    let duplicates =
        duplicates.map(|(place, found)| Match { found, collection: name(place) }).collect();
    Checked { id: ids.pop().flatten(), duplicates, more }
}

/// The answers of a collection.
async fn ask(
    collection: &Collection,
    rows: &Rows,
    question: &Question,
) -> Result<Answers, Problem> {
    match rows {
        Rows::Texts(texts) => {
            let asked: Vec<Asked<'_>> = texts.iter().map(|text| Asked::text(text)).collect();
            let found = find(collection, &asked, question).await?;
            Ok(found.into_iter().map(|found| Ok((None, found))).collect())
        }
        Rows::Lines(lines) => {
            let names = question.filter.fields(&collection.kept);
            let read = super::documents(collection, lines.clone(), None, &names);
            let fields: Vec<_> = read.iter().flatten().map(|own| own.named(&names)).collect();
            let asked = read.iter().flatten().zip(&fields);
            let asked: Vec<Asked<'_>> =
                asked.map(|(own, fields)| Asked::document(own, fields)).collect();
            let mut found = find(collection, &asked, question).await?.into_iter();
            let mut answer =
                |document: Document| (Some(document.id), found.next().unwrap_or_default());
            Ok(read.into_iter().map(|row| row.map(&mut answer)).collect())
        }
    }
}

/// The duplicates of each text.
async fn find(
    collection: &Collection,
    asked: &[Asked<'_>],
    question: &Question,
) -> Result<Vec<Answer>, Problem> {
    let found = collection.readers.ask(|index, until| {
        let (mut answers, mut bytes) = (Vec::with_capacity(asked.len()), 0);
        index.ask(asked.iter().copied(), question, until, |_, answer| {
            bytes += bytes_of(&answer);
            // The answers before are dropped at once, and the next ones as they come.
            if bytes > BYTES {
                answers = Vec::new();
            } else {
                answers.push(answer);
            }
            Ok(())
        })?;
        Ok((bytes <= BYTES).then_some(answers))
    });
    found.await?.ok_or_else(too_large)
}

/// The bytes of the texts of an answer, and some for the rest.
pub(super) fn bytes_of(answer: &Answer) -> usize {
    let text = |found: &IndexMatch| found.text.as_ref().map_or(0, String::len) + 200;
    answer.matches.iter().map(text).sum()
}

/// The problem of an answer with too many bytes.
pub(super) fn too_large() -> Problem {
    let most = BYTES >> 20;
    let detail =
        format!("the answer has more than {most} MB; send fewer rows at a time, or a smaller top");
    Problem::of_request("answer", detail).with(StatusCode::PAYLOAD_TOO_LARGE)
}
