//! Results -> the body of an answer, in the form of the request; faults of a request -> problems.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use nearprint::error::Rejection;
use serde::Serialize;

use crate::problem::Problem;
use crate::record::Rows;
use crate::rows::{self, Before, LINES};

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
    /// A row of a part of the body; `before` has the number of rows in earlier parts.
    pub fn of(rejection: &Rejection, Before(before): Before) -> Failed {
        let detail = rejection.problem.message().to_string();
        Failed { status: "error", row: rejection.row.map(|row| row + before), detail }
    }
}

/// The result of a row.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Row<T> {
    Done(T),
    Failed(Failed),
}

#[derive(Serialize)]
struct Results<'r, T> {
    results: &'r [Row<T>],
}

/// The results of all rows, in their order: as JSON Lines for a request in JSON Lines, else as
/// JSON.
pub(super) fn answer<T: Serialize>(
    headers: &HeaderMap,
    results: &[Row<T>],
) -> Result<Response, Problem> {
    let count = Extension(Rows(results.len() as u64));
    if rows::media(headers) != LINES {
        return Ok((count, Json(Results { results })).into_response());
    }
    let mut lines = Vec::new();
    for row in results {
        serde_json::to_writer(&mut lines, row).map_err(|error| {
            Problem::of_request("system", error.to_string()).with(StatusCode::INTERNAL_SERVER_ERROR)
        })?;
        lines.push(b'\n');
    }
    Ok((count, [(header::CONTENT_TYPE, LINES)], lines).into_response())
}
