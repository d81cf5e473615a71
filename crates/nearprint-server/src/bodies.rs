//! The body of a request -> its bytes, before the request takes a place.
//!
//! A client that sends slowly holds no place of those who wait for an answer. The bodies that are
//! held at a time have a bound together.

use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::problem::Problem;
use crate::settings::Settings;

/// The bounds on bodies, and the bytes that are still free.
#[derive(Clone)]
pub(crate) struct Bodies {
    settings: Settings,
    free: Arc<Semaphore>,
}

impl Bodies {
    pub fn new(settings: &Settings) -> Bodies {
        let bytes = settings.max_bodies.min(Semaphore::MAX_PERMITS);
        Bodies { settings: settings.clone(), free: Arc::new(Semaphore::new(bytes)) }
    }

    /// The bytes of a body, with their share of the bound on all bodies.
    async fn read(&self, mut body: Body) -> Result<(Vec<u8>, OwnedSemaphorePermit), Problem> {
        let most = self.settings.max_body;
        if body.size_hint().lower() > most as u64 {
            return Err(too_large(most));
        }
        let mut share = self.share(0)?;
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                Problem::of_request("body", format!("the body cannot be read: {error}"))
            })?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > most {
                return Err(too_large(most));
            }
            share.merge(self.share(data.len())?);
            bytes.extend_from_slice(&data);
        }
        Ok((bytes, share))
    }

    /// A share of the bytes for all bodies.
    fn share(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let full = || {
            let detail = "the requests that are there hold too many bytes; try again in a second";
            Problem::of_request("busy", detail).with(StatusCode::SERVICE_UNAVAILABLE)
        };
        let bytes = u32::try_from(bytes).map_err(|_| full())?;
        self.free.clone().try_acquire_many_owned(bytes).map_err(|_| full())
    }
}

/// Reads the body, within the time for it, and hands the request on.
pub(crate) async fn whole(State(bodies): State<Bodies>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match timeout(bodies.settings.body_timeout, bodies.read(body)).await {
        Ok(Ok((bytes, _share))) => next.run(Request::from_parts(parts, bytes.into())).await,
        Ok(Err(problem)) => problem.into_response(),
        Err(_) => {
            let detail = format!(
                "the body did not come within {} seconds; send its rows in several requests",
                bodies.settings.body_timeout.as_secs_f64()
            );
            let problem = Problem::of_request("timeout", detail);
            problem.with(StatusCode::REQUEST_TIMEOUT).into_response()
        }
    }
}

fn too_large(most: usize) -> Problem {
    let detail = format!("the body has more than {most} bytes; send its rows in several requests");
    Problem::of_request("body", detail).with(StatusCode::PAYLOAD_TOO_LARGE)
}
