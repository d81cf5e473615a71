//! Errors -> problem JSON [RFC 9457], in the library's words with their remedy.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use nearprint::Error;
use serde::Serialize;
use serde_json::json;

/// The answer to a request that cannot be served.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub status: StatusCode,
    /// One word that programs can compare.
    pub kind: &'static str,
    /// What is wrong, and a remedy.
    pub detail: String,
    /// The seconds after which the client may try again, if it may.
    pub wait: u64,
}

/// The members of problem JSON.
#[derive(Serialize)]
struct Members<'p> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'p str,
}

impl Problem {
    /// A request that is wrong.
    pub fn of_request(kind: &'static str, detail: impl Into<String>) -> Problem {
        Problem { status: StatusCode::BAD_REQUEST, kind, detail: detail.into(), wait: 1 }
    }

    /// A request that took longer than it may.
    pub fn late(most: Duration) -> Problem {
        let detail = format!(
            "the request took more than {} seconds; its changes are in the index whole or not at \
             all; send it again",
            most.as_secs()
        );
        Problem::of_request("timeout", detail).with(StatusCode::GATEWAY_TIMEOUT)
    }

    /// A request that comes when the server stops.
    pub fn stopping() -> Problem {
        let detail = "the server stops; send what has no answer again in a few seconds";
        Problem::of_request("stopping", detail).with(StatusCode::SERVICE_UNAVAILABLE)
    }

    /// The members of problem JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self.members()).unwrap_or_default()
    }

    /// The last line of an answer in JSON Lines that this problem ends.
    pub fn line(&self) -> String {
        let Members { r#type, detail, .. } = self.members();
        format!("{}\n", json!({"status": "error", "type": r#type, "detail": detail}))
    }

    fn members(&self) -> Members<'_> {
        Members {
            r#type: format!("/problems/{}", self.kind),
            title: self.status.canonical_reason().unwrap_or("Problem"),
            status: self.status.as_u16(),
            detail: &self.detail,
        }
    }

    /// A problem with another status.
    pub fn with(self, status: StatusCode) -> Problem {
        Problem { status, ..self }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let (status, kind) = match &error {
            Error::Usage { .. } | Error::Config { .. } => (StatusCode::BAD_REQUEST, "setting"),
            Error::Rejected(_) | Error::NoSuchField { .. } | Error::TooManyRejected { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "row")
            }
            Error::OutputTaken { .. } => (StatusCode::CONFLICT, "output"),
            Error::IndexTaken { .. } | Error::Interrupted => {
                (StatusCode::SERVICE_UNAVAILABLE, "busy")
            }
            Error::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                (StatusCode::INSUFFICIENT_STORAGE, "disk-full")
            }
            Error::Incompatible { .. } => (StatusCode::INTERNAL_SERVER_ERROR, "index"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "system"),
        };
        Problem::of_request(kind, error.to_string()).with(status)
    }
}

impl IntoResponse for Problem {
    /// The problem is a part of the extensions of its response.
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.members())).into_response();
        let headers = response.headers_mut();
        let problem = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, problem);
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
                headers.insert(header::RETRY_AFTER, self.wait.into());
            }
            StatusCode::UNAUTHORIZED => {
                let challenge = HeaderValue::from_static("Bearer realm=\"nearprint\"");
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
            _ => {}
        }
        response.extensions_mut().insert(self);
        response
    }
}
