//! Connections -> requests, with bounds on clients that are slow or many.
//!
//! A client has a bounded time for each thing that the server waits for: the head of a request
//! (which it may send much later than the answer before it), a body, and taking an answer. A client
//! that needs longer is cut off. A connection has one buffer of bounded size for each direction.

use std::future::Future;
use std::io::{self, Write};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::serve::Listener;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep, timeout};

use crate::metrics::Metrics;
use crate::settings::Settings;

/// The bytes that a connection buffers each way. The head of a request may be as large.
const BUFFER: usize = 64 << 10;

/// The files that the server has open beside its connections, at most.
const OTHER_FILES: usize = 1024;

/// The time for connections that are cut off when the server stops.
const AT_LAST: Duration = Duration::from_secs(1);

/// The answer to a client for which there is no connection.
const REFUSAL: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n\
    Retry-After: 1\r\nConnection: close\r\n\r\n\
    {\"type\":\"/problems/connections\",\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"too many \
    connections are open; try again in a second, or use one again\"}";

/// Answers requests until `stop` ends, then those that have begun. Connections that are idle are
/// closed at once, and all are after the time for the end.
pub(crate) async fn serve(
    mut listener: TcpListener,
    router: Router,
    settings: &Settings,
    metrics: &Metrics,
    stop: impl Future<Output = ()>,
) {
    // Without the right to open as many files the bound on connections may not be reached.
    let files = settings.max_connections.saturating_add(OTHER_FILES);
    let _ = rlimit::increase_nofile_limit(files as u64);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(settings.idle_timeout).max_buf_size(BUFFER);
    let service = TowerToHyperService::new(router);
    let permits = Arc::new(Semaphore::new(settings.max_connections));
    let open = GracefulShutdown::new();
    let mut all = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let (stream, address) = tokio::select! {
            biased;
            () = &mut stop => break,
            Some(_) = all.join_next() => continue,
            accepted = Listener::accept(&mut listener) => accepted,
        };
        let Ok(permit) = permits.clone().try_acquire_owned() else {
            metrics.problem("connections");
            refuse(stream);
            continue;
        };
        // Without it small answers may wait for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        let stream = TokioIo::new(Connection::new(stream, settings.client_timeout));
        let service = service.clone();
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(address));
            service.call(request)
        });
        let served = open.watch(http.serve_connection(stream, service));
        all.spawn(async move {
            // A client that goes away or is cut off is no fault of the server.
            let _ = served.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = timeout(settings.stop_timeout, open.shutdown()).await;
    let _ = timeout(AT_LAST, all.shutdown()).await;
}

/// Answers a client for which there is no permit. The answer is small enough not to wait.
fn refuse(stream: TcpStream) {
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write_all(REFUSAL.as_bytes());
    }
}

/// A connection whose client must take what is sent within a time.
struct Connection {
    stream: TcpStream,
    most: Duration,
    /// The end of the time for what waits to be sent.
    late: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    fn new(stream: TcpStream, most: Duration) -> Connection {
        Connection { stream, most, late: None }
    }

    /// Waits for the client, which has the rest of its time.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let late = self.late.get_or_insert_with(|| Box::pin(sleep(self.most)));
        ready!(late.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending => self.wait(context),
            written => written,
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write_vectored(context, slices) {
            Poll::Pending => self.wait(context),
            written => written,
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Everything that waited has been sent.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.late = None;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
