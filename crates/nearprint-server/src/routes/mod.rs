//! The calls.

mod answers;
mod check;
mod compare;
mod documents;
mod events;
mod fingerprints;
mod info;
mod jobs;
mod metrics;
mod object;
mod pairs;
mod parameters;
mod session;
mod stories;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use nearprint::document::Document;
use nearprint::error::Rejection;
use nearprint::index::IndexOptions;
use nearprint::read::Source;

use crate::Service;
use crate::access;
use crate::bodies;
use crate::collections::Collection;
use crate::problem::Problem;
use crate::record;
use crate::rows::Before;

/// All calls.
pub(crate) fn router(service: Arc<Service>) -> Router {
    let permits = Arc::new(tokio::sync::Semaphore::new(service.settings.max_requests));
    let timeout = service.settings.timeout;
    // Calls without parameters. `collection` has been taken out of the query.
    let plain = Router::new()
        .route("/v1/compare", post(compare::compare))
        .route("/v1/documents/{id}", get(documents::show).delete(documents::remove))
        .route("/v1/stories/{story}/keeper", put(stories::set_keeper))
        .route("/v1/pairs.csv", get(pairs::file))
        .route("/v1/pairs/verdicts", post(pairs::judge_all))
        .route("/v1/pairs/{pair}", get(pairs::show))
        .route("/v1/pairs/{pair}/verdict", put(pairs::judge))
        .route("/v1/info", get(info::info))
        .route("/v1/jobs", post(jobs::add))
        .route("/v1/jobs/{job}", get(jobs::show).delete(jobs::cancel))
        .route("/v1/jobs/{job}/resume", post(jobs::resume))
        .route("/v1/series", get(metrics::series))
        .route("/v1/session", get(session::show).post(session::begin).delete(session::end))
        .route_layer(middleware::from_fn(parameters::none));
    let calls = Router::new()
        .route("/v1/check", post(check::check))
        .route("/v1/fingerprints:check", post(fingerprints::check))
        .route("/v1/documents", get(documents::search).post(documents::add))
        .route("/v1/documents/{id}/near", get(documents::near))
        .route("/v1/stories", get(stories::list))
        .route("/v1/stories/{story}", get(stories::show))
        .route("/v1/pairs", get(pairs::list))
        .route("/v1/jobs", get(jobs::list))
        .merge(plain)
        .layer(middleware::from_fn(move |request, next| within(timeout, request, next)))
        .layer(middleware::from_fn_with_state(permits, with_permit))
        .layer(middleware::from_fn_with_state(service.clone(), record::timed))
        .layer(middleware::from_fn_with_state(service.clone(), bodies::whole));
    calls
        .route("/metrics", get(metrics::metrics))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(info::ready))
        .merge(crate::page::routes())
        .fallback(nothing)
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(service.clone(), access::admit))
        .layer(middleware::from_fn_with_state(service.clone(), access::site::guard))
        .layer(middleware::from_fn_with_state(service.clone(), record::record))
        .with_state(service)
}

/// Refuses a request at once if too many are there.
async fn with_permit(
    State(permits): State<Arc<tokio::sync::Semaphore>>,
    request: Request,
    next: Next,
) -> Response {
    // A part of a body that is answered while it comes waits for its turn.
    let permit = match request.extensions().get::<Before>() {
        Some(Before(1..)) => permits.acquire().await.map_err(drop),
        _ => permits.try_acquire().map_err(drop),
    };
    match permit {
        Ok(_permit) => next.run(request).await,
        Err(_) => {
            let detail = "too many requests are being answered; try again in a second";
            let problem = Problem::of_request("requests", detail);
            problem.with(StatusCode::SERVICE_UNAVAILABLE).into_response()
        }
    }
}

/// Ends a request that takes too long. What it changes is in the index whole or not at all.
async fn within(most: Duration, request: Request, next: Next) -> Response {
    let answered = tokio::time::timeout(most, next.run(request)).await;
    answered.unwrap_or_else(|_| Problem::late(most).into_response())
}

async fn nothing(request: Request) -> Problem {
    let detail = format!("there is no call {}; GET /docs lists all", request.uri().path());
    Problem::of_request("no-such-call", detail).with(StatusCode::NOT_FOUND)
}

/// The documents of rows with these fields, in their order. A row that cannot be used has the
/// reason in its place. Documents to add need an id, and have the fields that are `kept`.
fn documents(
    collection: &Collection,
    lines: Vec<u8>,
    kept: Option<&IndexOptions>,
    fields: &[String],
) -> Vec<Result<Document, Rejection>> {
    collection.reading.documents(kept, fields, &Source::rows("rows", lines))
}
