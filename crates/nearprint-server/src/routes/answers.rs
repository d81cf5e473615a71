//! Results -> the body of an answer, in the form of the request; faults of a request -> problems.

use axum::Json;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use nearprint::error::Rejection;
use serde::Serialize;

use crate::problem::Problem;

/// The media type of JSON Lines.
const LINES: &str = "application/x-ndjson";

/// The answer to a row that cannot be used.
#[derive(Serialize)]
pub(super) struct Failed {
    status: &'static str,
    /// The row in the request, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u64>,
    /// What is wrong with it, and a remedy.
    detail: String,
}

impl Failed {
    pub fn of(rejection: &Rejection) -> Failed {
        let detail = rejection.problem.message().to_string();
        Failed { status: "error", row: rejection.row, detail }
    }
}

/// The result of a row.
pub(super) type Row<T> = Result<T, Failed>;

#[derive(Serialize)]
#[serde(untagged)]
enum Either<'r, T> {
    Done(&'r T),
    Failed(&'r Failed),
}

#[derive(Serialize)]
struct Results<'r, T> {
    results: Vec<Either<'r, T>>,
}

fn each<T>(row: &Row<T>) -> Either<'_, T> {
    match row {
        Ok(done) => Either::Done(done),
        Err(failed) => Either::Failed(failed),
    }
}

/// The results of all rows, in their order: as JSON Lines for a request in JSON Lines, else as JSON.
pub(super) fn answer<T: Serialize>(
    headers: &HeaderMap,
    results: &[Row<T>],
) -> Result<Response, Problem> {
    let in_lines = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(LINES.as_bytes()));
    if !in_lines {
        return Ok(Json(Results { results: results.iter().map(each).collect() }).into_response());
    }
    let mut lines = Vec::new();
    for row in results {
        serde_json::to_writer(&mut lines, &each(row)).map_err(|error| {
            Problem::of_request("system", error.to_string()).with(StatusCode::INTERNAL_SERVER_ERROR)
        })?;
        lines.push(b'\n');
    }
    Ok(([(header::CONTENT_TYPE, LINES)], lines).into_response())
}
