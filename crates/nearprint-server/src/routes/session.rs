//! `/v1/session`: a token in a browser -> a cookie that stands for it, and who asks.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};

use super::object::object;
use crate::Service;
use crate::access::sessions::{cookie, no_cookie, of_cookie};
use crate::access::{Asker, Role, unknown};
use crate::problem::Problem;

/// The body that begins a session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    token: String,
}

/// Who asks, and what they may do.
#[derive(Serialize)]
struct Holder {
    /// The name of the token; `None` on a server without tokens.
    name: Option<String>,
    role: Role,
    /// The collections that they may use.
    collections: Vec<String>,
}

impl Holder {
    fn of(service: &Service, asker: &Asker) -> Holder {
        let name = Some(asker.name.clone()).filter(|name| !name.is_empty());
        Holder { name, role: asker.role, collections: service.collections.names(asker) }
    }
}

pub(super) async fn begin(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let Given { token } = object(&headers, &body, "{\"token\": \"…\"}")?;
    let Some(tokens) = &service.tokens else {
        return Ok(Json(Holder::of(&service, &Asker::anybody(None))).into_response());
    };
    let asker = tokens.of(token.as_bytes()).ok_or_else(unknown)?;
    let secret = service.sessions.begin(token.as_bytes(), Instant::now())?;
    let set = [(header::SET_COOKIE, cookie(&headers, &secret))];
    Ok((set, Json(Holder::of(&service, &asker))).into_response())
}

pub(super) async fn show(
    State(service): State<Arc<Service>>,
    Extension(asker): Extension<Arc<Asker>>,
) -> Response {
    Json(Holder::of(&service, &asker)).into_response()
}

pub(super) async fn end(State(service): State<Arc<Service>>, headers: HeaderMap) -> Response {
    if let Some(secret) = of_cookie(&headers) {
        service.sessions.end(secret);
    }
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, no_cookie(&headers))]).into_response()
}
