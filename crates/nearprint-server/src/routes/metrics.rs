//! `/metrics` and `/v1/series`: what the service does, in numbers.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::Service;

/// The text format that Prometheus reads.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) async fn metrics(State(service): State<Arc<Service>>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, OPEN_METRICS)], service.metrics.text())
}

pub(super) async fn series(State(service): State<Arc<Service>>) -> Response {
    Json(service.metrics.series.columns()).into_response()
}
