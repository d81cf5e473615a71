//! `POST /v1/check`: texts or rows -> their duplicates. Nothing is stored.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use nearprint::Silent;
use nearprint::document::{Document, Id};
use nearprint::error::Rejection;
use nearprint::index::{Answer, IndexMatch, Merged};
use serde::{Deserialize, Serialize};

use super::answers::{self, Failed};
use crate::Service;
use crate::collections::{Collection, Several};
use crate::problem::Problem;
use crate::rows::{Rows, rows};

/// The most duplicates that are shown of a text by default.
const TOP: usize = 10;

/// The parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    top: Option<usize>,
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
    parameters: Result<Query<Parameters>, QueryRejection>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let Query(Parameters { top }) = parameters.map_err(answers::parameter)?;
    let top = top.unwrap_or(TOP);
    let rows = rows(&headers, &body, true, service.settings.max_rows)?;
    let mut all = Vec::with_capacity(collections.len());
    for collection in &collections {
        all.push(ask(collection, &rows, top).await?.into_iter());
    }
    let mut results = Vec::new();
    while let Some(answers) = all.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>() {
        let answers: Result<Vec<_>, _> = answers.into_iter().collect();
        results.push(match answers {
            Ok(answers) => Ok(checked(answers, &collections, top)),
            Err(rejection) => Err(Failed::of(&rejection)),
        });
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
async fn ask(collection: &Collection, rows: &Rows, top: usize) -> Result<Answers, Problem> {
    match rows {
        Rows::Texts(texts) => {
            let asked: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = find(collection, &asked, top).await?;
            Ok(found.into_iter().map(|found| Ok((None, found))).collect())
        }
        Rows::Lines(lines) => {
            let read = super::documents(collection, lines.clone(), false);
            let asked: Vec<&str> = read.iter().flatten().map(|own| own.text.as_str()).collect();
            let mut found = find(collection, &asked, top).await?.into_iter();
            let mut answer =
                |document: Document| (Some(document.id), found.next().unwrap_or_default());
            Ok(read.into_iter().map(|row| row.map(&mut answer)).collect())
        }
    }
}

/// The duplicates of each text.
async fn find(collection: &Collection, texts: &[&str], top: usize) -> Result<Vec<Answer>, Problem> {
    let found = collection.readers.read(|index| {
        let mut answers = Vec::with_capacity(texts.len());
        index.query_all(texts.iter().copied(), top, &Silent, |_, answer| {
            answers.push(answer);
            Ok(())
        })?;
        Ok(answers)
    });
    Ok(found.await?)
}
