//! `/v1/jobs`: jobs over files and folders, their progress as events.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};

use super::events;
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
    if !events::are_wanted(&headers) {
        return Ok(Json(job).into_response());
    }
    let events = JobEvents { service: service.clone(), asker, id, sent: None };
    events::answer(service, unfold(events, JobEvents::next))
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

/// The events of a job.
struct JobEvents {
    service: Arc<Service>,
    asker: Arc<Asker>,
    id: u64,
    /// The job as it was sent last.
    sent: Option<Job>,
}

impl JobEvents {
    /// The job, once it has changed; `None` when its end was sent, and with the token.
    async fn next(mut self) -> Option<(Event, JobEvents)> {
        loop {
            let has_ended = self.sent.as_ref().is_some_and(|job| !job.is_open());
            if has_ended || !self.asker.is_still_admitted(&self.service) {
                return None;
            }
            let job = self.service.jobs.job(self.id)?;
            if self.sent.as_ref() != Some(&job) {
                let event = Event::default().event("job").json_data(&job).ok()?;
                self.sent = Some(job);
                return Some((event, self));
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}
