//! A body of JSON Lines -> parts of whole lines, as they come.
//!
//! As in the library, `\n`, `\r\n` and a lone `\r` end a line. A part ends after [`LINES`] lines or
//! [`BYTES`] bytes, or when the client pauses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::Frame;
use memchr::memchr2;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::Service;
use crate::bodies::unreadable;
use crate::problem::Problem;

/// The most lines of a part.
const LINES: usize = 1000;

/// The bytes after which a part ends. Its last line may exceed them.
const BYTES: usize = 4 << 20;

/// The pause of a client that ends a part.
const PAUSE: Duration = Duration::from_millis(5);

/// The time that a client has to read the last line of its answer.
const LINGER: Duration = Duration::from_secs(2);

/// Some lines of a body.
pub(crate) struct Part {
    pub bytes: Vec<u8>,
    /// The number of lines in it, with the blank ones.
    pub lines: u64,
    /// Its share of the bytes for all bodies.
    pub share: OwnedSemaphorePermit,
}

/// Cuts a body.
pub(crate) struct Lines {
    body: Body,
    service: Arc<Service>,
    /// The bytes that came and are in no part yet, and their share of the bytes for all bodies.
    buffer: Vec<u8>,
    share: OwnedSemaphorePermit,
    /// The number of whole lines in the buffer, and their end.
    lines: usize,
    whole: usize,
    /// The bytes of the buffer in which ends of lines were looked for.
    seen: usize,
    /// True if the bytes so far end with `\r`. A `\n` after it belongs to the same end.
    after_return: bool,
    /// True if the line after the whole ones is too long.
    too_long: bool,
    /// True if a part was cut.
    begun: bool,
    /// The time since which the client is waited for with bytes in the buffer.
    since: Option<Instant>,
    /// The end of the body, or a fault of it.
    end: Option<Result<(), Problem>>,
}

impl Lines {
    /// # Errors
    /// A problem if the bodies that are held have too many bytes.
    pub fn of(body: Body, service: Arc<Service>) -> Result<Lines, Problem> {
        let share = service.share(0)?;
        let (buffer, since, end) = (Vec::new(), None, None);
        let (lines, whole, seen) = (0, 0, 0);
        let (after_return, too_long, begun) = (false, false, false);
        Ok(Lines {
            body,
            service,
            buffer,
            share,
            lines,
            whole,
            seen,
            after_return,
            too_long,
            begun,
            since,
            end,
        })
    }

    /// The next part; `None` at the end.
    ///
    /// # Errors
    /// A problem if a line is too long, the body does not go on in time, or the server stops. All
    /// lines before it are in earlier parts.
    pub async fn next(&mut self) -> Result<Option<Part>, Problem> {
        if self.begun && self.end.is_none() && self.service.is_stopping() {
            return Err(Problem::stopping());
        }
        // While a part was answered, nothing was read of the client.
        self.since = (!self.buffer.is_empty()).then(Instant::now);
        loop {
            self.find_lines();
            let ends = self.too_long || self.end.is_some() || self.is_full();
            if ends && self.lines > 0 {
                return self.cut().map(Some);
            }
            if self.too_long {
                let most = self.service.settings.max_body;
                let detail = format!("a row has more than {most} bytes");
                let problem = Problem::of_request("body", detail);
                return Err(problem.with(StatusCode::PAYLOAD_TOO_LARGE));
            }
            match self.end.take() {
                Some(Err(problem)) => return Err(problem),
                Some(Ok(())) if self.buffer.is_empty() => return Ok(None),
                // The last line needs no end.
                Some(Ok(())) => {
                    (self.lines, self.whole) = (1, self.buffer.len());
                    self.end = Some(Ok(()));
                }
                None if self.is_late() => self.end = Some(Err(self.service.late_body())),
                None => match timeout(PAUSE, self.body.frame()).await {
                    Ok(frame) => self.take(frame).await,
                    Err(_) if self.lines > 0 => return self.cut().map(Some),
                    Err(_) => self.wait().await,
                },
            }
        }
    }

    /// Leaves out what the client still sends, for a while: a connection that is closed at once may
    /// lose the last line of the answer.
    pub async fn discard(&mut self) {
        let rest = async { while let Some(Ok(_)) = self.body.frame().await {} };
        let _ = timeout(LINGER, rest).await;
    }

    /// Waits for the client.
    async fn wait(&mut self) {
        let most = self.service.settings.client_timeout;
        tokio::select! {
            frame = timeout(most, self.body.frame()) => match frame {
                Ok(frame) => self.take(frame).await,
                Err(_) => self.end = Some(Err(self.service.late_body())),
            },
            () = self.service.stopped() => self.end = Some(Err(Problem::stopping())),
        }
    }

    /// Takes what has come: bytes, a fault or the end.
    async fn take(&mut self, frame: Option<Result<Frame<Bytes>, axum::Error>>) {
        let frame = match frame {
            None => return self.end = Some(Ok(())),
            Some(Err(error)) => return self.end = Some(Err(unreadable(error))),
            Some(Ok(frame)) => frame,
        };
        let Ok(mut data) = frame.into_data() else { return };
        if self.after_return && data.first() == Some(&b'\n') {
            data = data.slice(1..);
        }
        self.after_return &= data.is_empty();
        match self.service.wait_for_share(data.len()).await {
            Ok(share) => self.share.merge(share),
            Err(problem) => return self.end = Some(Err(problem)),
        }
        self.buffer.extend_from_slice(&data);
        self.since.get_or_insert_with(Instant::now);
    }

    /// True if the client takes too long for one line. It is cut off, since it holds bytes that
    /// others wait for.
    fn is_late(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() > self.service.settings.client_timeout)
    }

    /// True if the whole lines make a part.
    fn is_full(&self) -> bool {
        self.lines >= LINES.min(self.service.settings.max_rows) || self.whole >= BYTES
    }

    /// Looks for ends of lines, until a part is full or a line is too long.
    fn find_lines(&mut self) {
        while !self.is_full() {
            let at = memchr2(b'\n', b'\r', &self.buffer[self.seen..]);
            let end = at.map_or(self.buffer.len(), |at| self.seen + at);
            self.too_long = end - self.whole > self.service.settings.max_body;
            if self.too_long || at.is_none() {
                self.seen = end;
                return;
            }
            let mut end = end + 1;
            if self.buffer[end - 1] == b'\r' {
                match self.buffer.get(end) {
                    Some(b'\n') => end += 1,
                    Some(_) => {}
                    None => self.after_return = true,
                }
            }
            (self.whole, self.seen) = (end, end);
            self.lines += 1;
        }
    }

    /// Cuts the whole lines off.
    fn cut(&mut self) -> Result<Part, Problem> {
        let rest = self.buffer.split_off(self.whole);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        let share = match self.share.split(self.whole) {
            Some(share) => share,
            None => self.service.share(0)?,
        };
        let lines = self.lines as u64;
        (self.lines, self.whole, self.seen, self.begun) = (0, 0, 0, true);
        Ok(Part { bytes, lines, share })
    }
}
