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
use nearprint::index::{Answer, IndexMatch};
use serde::{Deserialize, Serialize};

use super::answers::{self, Failed};
use crate::Service;
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
    duplicates: Vec<IndexMatch>,
    /// Further duplicates.
    more: u64,
}

pub(super) async fn check(
    State(service): State<Arc<Service>>,
    parameters: Result<Query<Parameters>, QueryRejection>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let Query(Parameters { top }) = parameters.map_err(answers::parameter)?;
    let top = top.unwrap_or(TOP);
    let results = match rows(&headers, &body, true, service.settings.max_rows)? {
        Rows::Texts(texts) => {
            let asked: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = find(&service, &asked, top).await?;
            found.into_iter().map(|found| Ok(checked(None, found))).collect()
        }
        Rows::Lines(lines) => {
            let read = super::documents(&service, lines, false);
            let asked: Vec<&str> = read.iter().flatten().map(|own| own.text.as_str()).collect();
            let mut found = find(&service, &asked, top).await?.into_iter();
            let result = |row: Result<Document, Rejection>| match row {
                Ok(document) => Ok(checked(Some(document.id), found.next().unwrap_or_default())),
                Err(rejection) => Err(Failed::of(&rejection)),
            };
            read.into_iter().map(result).collect::<Vec<_>>()
        }
    };
    answers::answer(&headers, &results)
}

fn checked(id: Option<Id>, Answer { matches, more }: Answer) -> Checked {
    Checked { id, duplicates: matches, more }
}

/// The duplicates of each text.
async fn find(service: &Service, texts: &[&str], top: usize) -> Result<Vec<Answer>, Problem> {
    let found = service.readers.read(|index| {
        let mut answers = Vec::with_capacity(texts.len());
        index.query_all(texts.iter().copied(), top, &Silent, |_, answer| {
            answers.push(answer);
            Ok(())
        })?;
        Ok(answers)
    });
    Ok(found.await?)
}
