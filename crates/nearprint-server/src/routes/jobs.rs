//! `/v1/jobs`: jobs over files and folders, their progress as events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;

use super::object::object;
use super::parameters::{InPath, Parameters};
use crate::Service;
use crate::access::Asker;
use crate::jobs::{Job, Order, absent};
use crate::problem::Problem;

/// The number of jobs that are listed by default.
const LISTED: usize = 100;

/// The pause between two looks at a job.
const LOOK: Duration = Duration::from_millis(200);

const WANTED: &str = "{\"job\": \"dedup\", \"input\": [\"NAME/file.jsonl\"], \"output\": \
    \"NAME/clean\", \"settings\": {…}}";

/// The parameters of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfList {
    limit: Option<usize>,
}

/// The list.
#[derive(Serialize)]
pub(super) struct Listed {
    /// The last jobs, the newest first.
    jobs: Vec<Job>,
}

pub(super) async fn add(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<(StatusCode, Json<Job>), Problem> {
    let order: Order = object(&headers, &body, WANTED)?;
    let job = tokio::task::block_in_place(|| service.jobs.add(order))?;
    Ok((StatusCode::ACCEPTED, Json(job)))
}

pub(super) async fn list(
    State(service): State<Arc<Service>>,
    Parameters(OfList { limit }): Parameters<OfList>,
) -> Result<Json<Listed>, Problem> {
    Ok(Json(Listed { jobs: service.jobs.list(limit.unwrap_or(LISTED)) }))
}

pub(super) async fn show(
    State(service): State<Arc<Service>>,
    Extension(asker): Extension<Arc<Asker>>,
    InPath(id): InPath<u64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let job = service.jobs.job(id).ok_or_else(|| absent(id))?;
    let accepted = headers.get(header::ACCEPT).and_then(|accepted| accepted.to_str().ok());
    match accepted.is_some_and(|accepted| accepted.contains("text/event-stream")) {
        true => events(service, asker, id),
        false => Ok(Json(job).into_response()),
    }
}

pub(super) async fn cancel(
    State(service): State<Arc<Service>>,
    InPath(id): InPath<u64>,
) -> Result<Json<Job>, Problem> {
    tokio::task::block_in_place(|| service.jobs.cancel(id)).map(Json)
}

pub(super) async fn resume(
    State(service): State<Arc<Service>>,
    InPath(id): InPath<u64>,
) -> Result<(StatusCode, Json<Job>), Problem> {
    let job = tokio::task::block_in_place(|| service.jobs.resume(id))?;
    Ok((StatusCode::ACCEPTED, Json(job)))
}

/// A listener to a job.
struct Listener {
    service: Arc<Service>,
    asker: Arc<Asker>,
    id: u64,
    /// The job as it was told last.
    told: Option<Job>,
    _place: OwnedSemaphorePermit,
}

impl Listener {
    /// The job, once it has changed; `None` when its end was told, when the server ends, and with the token.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Listener)> {
        loop {
            let is_told = self.told.as_ref().is_some_and(|job| !job.is_open());
            if is_told || !self.asker.is_still_admitted(&self.service) {
                return None;
            }
            let job = self.service.jobs.job(self.id)?;
            if self.told.as_ref() != Some(&job) {
                let event = Event::default().event("job").json_data(&job).ok()?;
                self.told = Some(job);
                return Some((Ok(event), self));
            }
            if self.service.jobs.is_stopping() {
                return None;
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// An event at each change of a job, until it has ended.
fn events(service: Arc<Service>, asker: Arc<Asker>, id: u64) -> Result<Response, Problem> {
    let place = service.event_permits.clone().try_acquire_owned().map_err(|_| {
        let detail =
            "too many clients read events; ask for the job without events, or try again later";
        Problem::of_request("busy", detail).with(StatusCode::SERVICE_UNAVAILABLE)
    })?;
    let listener = Listener { service, asker, id, told: None, _place: place };
    let events = Sse::new(unfold(listener, Listener::next)).keep_alive(KeepAlive::default());
    Ok(events.into_response())
}
