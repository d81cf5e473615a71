//! `/v1/documents`: rows added, a document shown, a document removed.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use nearprint::document::Id;
use nearprint::index::{Added, IndexMatch, Outcome};
use serde::{Deserialize, Serialize};

use super::answers::{self, Failed};
use crate::Service;
use crate::collections::One;
use crate::problem::Problem;
use crate::rows::{Rows, rows};

/// The parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    #[serde(default)]
    if_new: bool,
}

/// The answer to a row.
#[derive(Serialize)]
struct Offered {
    id: Id,
    status: &'static str,
    duplicates: Vec<IndexMatch>,
}

impl From<Added> for Offered {
    fn from(Added { id, outcome }: Added) -> Offered {
        let status = outcome.name();
        let duplicates = match outcome {
            Outcome::Duplicate { of } => vec![*of],
            _ => Vec::new(),
        };
        Offered { id, status, duplicates }
    }
}

pub(super) async fn add(
    State(service): State<Arc<Service>>,
    One(collection): One,
    parameters: Result<Query<Parameters>, QueryRejection>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let Query(Parameters { if_new }) = parameters.map_err(answers::parameter)?;
    let Rows::Lines(lines) = rows(&headers, &body, false, service.settings.max_rows)? else {
        return Err(Problem::of_request("body", "the body has no documents"));
    };
    let read = super::documents(&collection, lines, true);
    let (mut documents, mut failed) = (Vec::new(), Vec::new());
    for row in read {
        match row {
            Ok(document) => {
                failed.push(None);
                documents.push(document);
            }
            Err(rejection) => failed.push(Some(Failed::of(&rejection))),
        }
    }
    let added = collection.writer.add(documents, if_new).await;
    let mut added = added.map_err(|error| Problem::from(&*error))?.into_iter();
    let result = |failed: Option<Failed>| match failed {
        Some(failed) => Some(Err(failed)),
        None => added.next().map(|added| Ok(Offered::from(added))),
    };
    let results: Vec<_> = failed.into_iter().filter_map(result).collect();
    answers::answer(&headers, &results)
}

pub(super) async fn show(
    One(collection): One,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let found = collection.readers.read(|index| match index.ids_named(&name)?.first() {
        Some(id) => index.document(&id.clone()),
        None => Ok(None),
    });
    match found.await? {
        Some(document) => Ok(Json(document).into_response()),
        None => Err(absent(&name)),
    }
}

pub(super) async fn remove(
    One(collection): One,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    let ids = collection.readers.read(|index| index.ids_named(&name)).await?;
    if ids.len() > 1 {
        let detail = format!(
            "two documents have the id {name}, a string and an integer; name the string as \
             \"{name}\", with quotation marks"
        );
        return Err(Problem::of_request("id", detail).with(StatusCode::CONFLICT));
    }
    if ids.is_empty() {
        return Err(absent(&name));
    }
    let removed = collection.writer.remove(ids).await.map_err(|error| Problem::from(&*error))?;
    match removed.contains(&true) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(absent(&name)),
    }
}

fn absent(name: &str) -> Problem {
    let detail = format!("no document has the id {name}");
    Problem::of_request("no-such-document", detail).with(StatusCode::NOT_FOUND)
}
