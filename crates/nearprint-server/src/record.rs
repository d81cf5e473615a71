//! A request and its answer -> metrics, and a line of the log.
//!
//! The log names the call, never its path or parameters: they may hold ids and texts.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

use crate::Service;
use crate::access::secret;
use crate::problem::Problem;

/// The header with the name of a request.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The most characters of a name that a client gives.
const LONGEST_ID: usize = 128;

/// The status in metrics and logs of a request whose client went away before its answer.
const GONE: u16 = 499;

/// The counts of a request, as a part of its extensions. They are held until the last byte of its
/// answer.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// The name of the token that it came with.
    pub token: OnceLock<String>,
    /// The permit of the request among those of its token.
    pub permit: OnceLock<OwnedSemaphorePermit>,
    /// The kind of the problem that was answered.
    pub kind: OnceLock<&'static str>,
    rows: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
}

/// The rows of an answer, as a part of its extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows(pub u64);

/// A request from its head to the last byte of its answer. It is recorded when it is dropped.
struct Record {
    service: Arc<Service>,
    call: String,
    id: String,
    begun: Instant,
    status: u16,
    tally: Arc<Tally>,
}

/// Records a request. It is named as the client says, if that is a short name, or else at random.
pub(crate) async fn record(
    State(service): State<Arc<Service>>,
    mut request: Request,
    next: Next,
) -> Response {
    let tally = Arc::new(Tally::default());
    service.metrics.in_flight.inc();
    let mut record = Record {
        call: call(&request),
        id: id(request.headers()),
        begun: Instant::now(),
        status: GONE,
        tally: tally.clone(),
        service,
    };
    request.extensions_mut().insert(tally.clone());
    let request = request.map(|body| Counted::of(body, tally, |tally| &tally.received, None));
    let mut response = next.run(request).await;
    record.status = response.status().as_u16();
    if let Ok(id) = HeaderValue::from_str(&record.id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    if let Some(Problem { kind, .. }) = response.extensions().get() {
        let _ = record.tally.kind.set(kind);
    }
    let tally = record.tally.clone();
    response.map(|body| Counted::of(body, tally, |tally| &tally.sent, Some(record)))
}

/// Measures a request whose body has been read.
pub(crate) async fn timed(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Response {
    let (call, begun) = (call(&request), Instant::now());
    let tally = request.extensions().get::<Arc<Tally>>().cloned();
    let response = next.run(request).await;
    service.metrics.took(&call, begun.elapsed());
    if let (Some(tally), Some(Rows(rows))) = (tally, response.extensions().get()) {
        tally.rows.fetch_add(*rows, Ordering::Relaxed);
    }
    response
}

/// The method and the pattern of the path, or `other`.
fn call(request: &Request) -> String {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE];
    match request.extensions().get::<MatchedPath>() {
        Some(path) if known.contains(request.method()) => {
            format!("{} {}", request.method(), path.as_str())
        }
        _ => "other".to_string(),
    }
}

/// The name that a client gives to its request, or a random one.
fn id(headers: &HeaderMap) -> String {
    let own = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let is_short = |id: &&str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/=+".contains(&byte);
        (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(is_plain)
    };
    match own.filter(is_short) {
        Some(id) => id.to_string(),
        // Without random bits it has none.
        None => secret("").unwrap_or_default(),
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let Record { service, call, id, begun, status, tally, .. } = self;
        let Tally { token, kind, .. } = &**tally;
        let [rows, received, sent] = [&tally.rows, &tally.received, &tally.sent]
            .map(|number| number.load(Ordering::Relaxed));
        let ms = (begun.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        let (token, problem) = (token.get(), kind.get());
        service.metrics.in_flight.dec();
        service.metrics.answered(call, *status);
        if let Some(kind) = problem {
            service.metrics.problem(kind);
        }
        tracing::info!(call, status, ms, rows, received, sent, token, problem, id, "answered");
    }
}

/// A body whose bytes are counted as they pass.
struct Counted {
    body: Body,
    tally: Arc<Tally>,
    number: fn(&Tally) -> &AtomicU64,
    /// Dropped with the body.
    _record: Option<Record>,
}

impl Counted {
    fn of(
        body: Body,
        tally: Arc<Tally>,
        number: fn(&Tally) -> &AtomicU64,
        record: Option<Record>,
    ) -> Body {
        Body::new(Counted { body, tally, number, _record: record })
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            (self.number)(&self.tally).fetch_add(data.len() as u64, Ordering::Relaxed);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
