//! `POST /v1/fingerprints:check`: fingerprints -> the documents near each. No text is compared.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use nearprint::index::NearFingerprint;
use serde::{Deserialize, Serialize};

use super::object::object;
use super::parameters::{self, Parameters};
use crate::Service;
use crate::access::Asker;
use crate::collections::One;
use crate::problem::Problem;

/// The parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfFingerprints {
    top: Option<usize>,
}

/// The body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    fingerprints: Vec<String>,
}

/// The answer.
#[derive(Serialize)]
pub(super) struct Near {
    /// The documents near each fingerprint, in the order of the fingerprints.
    results: Vec<NearFingerprint>,
    /// Always false: no text was compared, so a near document may be no duplicate.
    verified: bool,
}

pub(super) async fn check(
    State(service): State<Arc<Service>>,
    One(collection): One,
    Extension(asker): Extension<Arc<Asker>>,
    Parameters(OfFingerprints { top }): Parameters<OfFingerprints>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Near>, Problem> {
    let Asked { fingerprints } = object(&headers, &body, "{\"fingerprints\": [\"HEX\", …]}")?;
    let most = service.settings.max_rows;
    if fingerprints.len() > most {
        let detail = format!("the body has more than {most} fingerprints; send several requests");
        return Err(Problem::of_request("rows", detail).with(StatusCode::PAYLOAD_TOO_LARGE));
    }
    asker.count(fingerprints.len())?;
    let top = parameters::top(top)?;
    let asked: Vec<&str> = fingerprints.iter().map(String::as_str).collect();
    let found = collection.readers.ask(|index, until| index.near_fingerprints(&asked, top, until));
    Ok(Json(Near { results: found.await?, verified: false }))
}
