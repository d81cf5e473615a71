//! `POST /v1/check`: texts or rows -> their duplicates. Nothing is stored.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use nearprint::Silent;
use nearprint::document::Id;
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
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let Query(Parameters { top }) = parameters.map_err(answers::parameter)?;
    let top = top.unwrap_or(TOP);
    let body = body.map_err(|problem| answers::body(problem, service.settings.max_body))?;
    let results = match rows(&headers, &body, true, service.settings.max_rows)? {
        Rows::Texts(texts) => {
            let asked: Vec<_> = texts.iter().map(|text| (None, text.as_str())).collect();
            let found = find(&service, &asked, top).await?;
            found.into_iter().map(|found| Ok(checked(None, found))).collect()
        }
        Rows::Lines(lines) => {
            let read = super::documents(&service, lines);
            let usable = read.iter().flatten();
            let asked: Vec<_> = usable.map(|own| (Some(&own.id), own.text.as_str())).collect();
            let mut found = find(&service, &asked, top).await?.into_iter();
            let mut result = |row: &Result<nearprint::document::Document, _>| match row {
                Ok(document) => {
                    let found = found.next().unwrap_or_default();
                    Ok(checked(Some(document.id.clone()), found))
                }
                Err(rejection) => Err(Failed::of(rejection)),
            };
            read.iter().map(&mut result).collect::<Vec<_>>()
        }
    };
    answers::answer(&headers, &results)
}

fn checked(id: Option<Id>, Answer { matches, more }: Answer) -> Checked {
    Checked { id, duplicates: matches, more }
}

/// The duplicates of each text.
async fn find(
    service: &Service,
    texts: &[(Option<&Id>, &str)],
    top: usize,
) -> Result<Vec<Answer>, Problem> {
    let found = service.readers.read(|index| {
        let mut answers = Vec::with_capacity(texts.len());
        index.query_all(texts.iter().map(|(_, text)| *text), top, &Silent, |_, answer| {
            answers.push(answer);
            Ok(())
        })?;
        Ok(answers)
    });
    Ok(found.await?)
}
