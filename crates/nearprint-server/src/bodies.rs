//! The body of a request -> its bytes, before the request takes a permit.
//!
//! A client that sends slowly holds no permit of those that wait for an answer. The bodies that are
//! held at a time have a bound together. Rows in JSON Lines are answered while they come.

use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::Service;
use crate::problem::Problem;
use crate::{rows, stream};

/// The calls whose rows are answered while they come.
const OF_ROWS: [&str; 2] = ["/v1/check", "/v1/documents"];

impl Service {
    /// The bytes of a body, with their share of the bound on all bodies.
    async fn read_body(&self, mut body: Body) -> Result<(Vec<u8>, OwnedSemaphorePermit), Problem> {
        let most = self.settings.max_body;
        if body.size_hint().lower() > most as u64 {
            return Err(too_large(most));
        }
        let mut share = self.share(0)?;
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(unreadable)?;
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
    pub fn share(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let bytes = u32::try_from(bytes).map_err(|_| full())?;
        self.free_bytes.clone().try_acquire_many_owned(bytes).map_err(|_| full())
    }

    /// A share of the bytes for all bodies, when there is one within the time for a body.
    pub async fn wait_for_share(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let bytes = u32::try_from(bytes).map_err(|_| full())?;
        let share = self.free_bytes.clone().acquire_many_owned(bytes);
        let share = timeout(self.settings.client_timeout, share).await;
        share.ok().and_then(Result::ok).ok_or_else(full)
    }

    /// Ends when the server stops.
    pub async fn stopped(&self) {
        let _ = self.stop.subscribe().wait_for(|stop| *stop).await;
    }

    /// True if the server stops.
    pub fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// The problem of a body that comes too slowly.
    pub fn late_body(&self) -> Problem {
        let detail = format!(
            "the body did not come within {} seconds; send its rows in several requests",
            self.settings.client_timeout.as_secs_f64()
        );
        Problem::of_request("timeout", detail).with(StatusCode::REQUEST_TIMEOUT)
    }
}

/// The share of a body of the bytes for all bodies, as a part of the extensions of its request. It
/// is held until the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Share {
    _bytes: Arc<OwnedSemaphorePermit>,
}

impl Share {
    pub fn of(bytes: OwnedSemaphorePermit) -> Share {
        Share { _bytes: Arc::new(bytes) }
    }
}

/// Reads the body, within the time for it, and hands the request on.
pub(crate) async fn whole(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Response {
    if request.headers().get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let detail = "the body is compressed; send it as it is, without Content-Encoding";
        let problem = Problem::of_request("media-type", detail);
        return problem.with(StatusCode::UNSUPPORTED_MEDIA_TYPE).into_response();
    }
    let path = request.extensions().get::<MatchedPath>();
    let has_rows = path.is_some_and(|path| OF_ROWS.contains(&path.as_str()));
    if has_rows && rows::media(request.headers()) == rows::LINES {
        return stream::answer(service, request, next).await;
    }
    let (mut parts, body) = request.into_parts();
    match timeout(service.settings.client_timeout, service.read_body(body)).await {
        Ok(Ok((bytes, share))) => {
            parts.extensions.insert(Share::of(share));
            next.run(Request::from_parts(parts, bytes.into())).await
        }
        Ok(Err(problem)) => problem.into_response(),
        Err(_) => service.late_body().into_response(),
    }
}

/// The problem of a body that ends in an error.
pub(crate) fn unreadable(error: axum::Error) -> Problem {
    Problem::of_request("body", format!("the body cannot be read: {error}"))
}

fn full() -> Problem {
    let detail = "the bodies of other requests fill the memory for bodies; try again in a second";
    Problem::of_request("bodies", detail).with(StatusCode::SERVICE_UNAVAILABLE)
}

pub(crate) fn too_large(most: usize) -> Problem {
    let detail = format!("the body has more than {most} bytes; send its rows in several requests");
    Problem::of_request("body", detail).with(StatusCode::PAYLOAD_TOO_LARGE)
}
