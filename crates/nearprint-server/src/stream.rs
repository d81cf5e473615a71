//! Rows in JSON Lines -> answers in JSON Lines, part by part.
//!
//! A part is a request of its own to the call. The next part is read when the answers to this one
//! were taken. So a client that reads no answers is not read from. The first part decides on the
//! status. A fault after it is the last line of the answer.

use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{StreamExt, once, unfold};

use crate::Service;
use crate::access::{Asker, unknown};
use crate::bodies::Share;
use crate::lines::{Lines, Part};
use crate::problem::Problem;
use crate::record::Tally;
use crate::rows::Before;

/// A body that is read and answered.
struct Stream {
    service: Arc<Service>,
    lines: Lines,
    parts: Parts,
    next: Next,
    before: u64,
}

/// Answers a request whose body is JSON Lines.
pub(crate) async fn answer(service: Arc<Service>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let lines = match Lines::of(body, service.clone()) {
        Ok(lines) => lines,
        Err(problem) => return problem.into_response(),
    };
    let mut stream = Stream { service, lines, parts, next, before: 0 };
    let first = match stream.lines.next().await {
        Ok(Some(part)) => stream.ask(part).await,
        // A body without rows is asked about as well: its parameters may be wrong.
        Ok(None) => stream.run(Vec::new()).await,
        Err(problem) => problem.into_response(),
    };
    if !first.status().is_success() {
        return first;
    }
    let (head, body) = first.into_parts();
    let later = unfold((stream, false), |(mut stream, has_failed)| async move {
        if has_failed {
            stream.lines.discard().await;
            return None;
        }
        let response = match stream.lines.next().await {
            Ok(Some(part)) => stream.ask(part).await,
            Ok(None) => return None,
            Err(problem) => problem.into_response(),
        };
        match response.status().is_success() {
            true => Some((whole(response.into_body()).await, (stream, false))),
            false => Some((Ok(stream.last_line(&response)), (stream, true))),
        }
    });
    let answers = once(whole(body)).chain(later);
    Response::from_parts(head, Body::from_stream(answers))
}

impl Stream {
    /// The answer to a part. A later part waits until the rate allows more rows; its token must
    /// still be there.
    async fn ask(&mut self, Part { bytes, lines, share }: Part) -> Response {
        if self.before > 0
            && let Some(asker) = self.parts.extensions.get::<Arc<Asker>>().cloned()
        {
            asker.wait().await;
            if !asker.is_still_admitted(&self.service) {
                return unknown().into_response();
            }
        }
        self.parts.extensions.insert(Before(self.before));
        self.parts.extensions.insert(Share::of(share));
        let response = self.run(bytes).await;
        self.parts.extensions.remove::<Share>();
        self.before += lines;
        response
    }

    async fn run(&mut self, bytes: Vec<u8>) -> Response {
        let request = Request::from_parts(self.parts.clone(), bytes.into());
        self.next.clone().run(request).await
    }

    /// The last line of an answer that ends with a problem.
    fn last_line(&self, response: &Response) -> Bytes {
        let problem = response.extensions().get::<Problem>().expect("a request fails by a problem");
        if let Some(tally) = self.parts.extensions.get::<Arc<Tally>>() {
            let _ = tally.kind.set(problem.kind);
        }
        problem.line().into()
    }
}

/// The bytes of a body that is in memory.
async fn whole(body: Body) -> Result<Bytes, axum::Error> {
    to_bytes(body, usize::MAX).await
}
