//! Events as an answer, to clients that accept them.

use std::convert::Infallible;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{Stream, StreamExt};

use crate::Service;
use crate::problem::Problem;

/// True if a client wants events.
pub(super) fn are_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|accepted| accepted.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/event-stream"))
}

/// Sends events until there are no more or the server stops.
///
/// # Errors
/// A problem if too many clients read events.
pub(super) fn answer(
    service: Arc<Service>,
    events: impl Stream<Item = Event> + Send + 'static,
) -> Result<Response, Problem> {
    let permit = service.event_permits.clone().try_acquire_owned().map_err(|_| {
        let detail = "too many clients read events; ask without events, or try again later";
        Problem::of_request("busy", detail).with(StatusCode::SERVICE_UNAVAILABLE)
    })?;
    let events = events.take_until(Box::pin(async move { service.stopped().await }));
    let events = events.map(move |event| {
        let _held = &permit;
        Ok::<_, Infallible>(event)
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}
