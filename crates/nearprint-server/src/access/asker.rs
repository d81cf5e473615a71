//! The headers of a request -> who asks.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::rate::Bucket;
use super::secret::Hash;
use super::{Role, sessions};
use crate::Service;
use crate::problem::Problem;

/// The most characters of a token.
const LONGEST: usize = 512;

/// Who asks, what they may do, and how much.
#[derive(Debug)]
pub(crate) struct Asker {
    /// The name of the token; nothing without tokens.
    pub name: String,
    /// The hash of the token, if there is one.
    pub token: Option<Hash>,
    pub role: Role,
    /// The collections that they may use; `None` for all.
    pub collections: Option<Vec<String>>,
    /// The rows that they may send, if there is a bound.
    pub bucket: Option<Arc<Bucket>>,
    /// The permits of requests at a time, if there is a bound.
    pub permits: Option<Arc<Semaphore>>,
}

impl Asker {
    /// Somebody who asks a server without tokens.
    pub fn anybody(bucket: Option<Arc<Bucket>>) -> Asker {
        Asker {
            name: String::new(),
            token: None,
            role: Role::Admin,
            collections: None,
            bucket,
            permits: None,
        }
    }

    /// True if they may use a collection.
    pub fn may_use(&self, collection: &str) -> bool {
        let own = self.collections.as_ref();
        own.is_none_or(|own| own.iter().any(|name| name == collection))
    }

    /// Counts the rows of a request, which was counted as one row when it came.
    ///
    /// # Errors
    /// A problem if other requests have taken too many rows since.
    pub fn count(&self, rows: usize) -> Result<(), Problem> {
        let Some(bucket) = &self.bucket else { return Ok(()) };
        bucket.take_more(rows.saturating_sub(1), Instant::now()).map_err(too_many_rows)
    }

    /// Counts the rows of a further part of a request, which has waited for its turn.
    pub fn count_part(&self, rows: usize) {
        if let Some(bucket) = &self.bucket {
            bucket.owe(rows.saturating_sub(1), Instant::now());
        }
    }

    /// Waits until a further part of a request may come, and counts it as one row.
    pub async fn wait(&self) {
        let Some(bucket) = &self.bucket else { return };
        while let Err(pause) = bucket.take(Instant::now()) {
            tokio::time::sleep(pause).await;
        }
    }

    /// True if the token is still there, with the same role and collections.
    pub fn is_still_admitted(&self, service: &Service) -> bool {
        let Some((tokens, own)) = service.tokens.as_ref().zip(self.token) else { return true };
        let now = tokens.of_hash(&own);
        now.is_some_and(|now| now.role == self.role && now.collections == self.collections)
    }

    /// Counts a request, and takes a permit for it if there is a bound.
    pub(super) fn enter(&self) -> Result<Option<OwnedSemaphorePermit>, Problem> {
        if let Some(bucket) = &self.bucket {
            bucket.take(Instant::now()).map_err(too_many_rows)?;
        }
        let Some(permits) = &self.permits else { return Ok(None) };
        permits.clone().try_acquire_owned().map(Some).map_err(|_| {
            let detail =
                "too many requests of this token are being answered; try again in a second";
            Problem::of_request("rate", detail).with(StatusCode::TOO_MANY_REQUESTS)
        })
    }
}

/// The problem of a client that may go on after a pause.
fn too_many_rows(pause: Duration) -> Problem {
    let wait = (pause.as_secs_f64().ceil() as u64).max(1);
    let detail = format!("you have sent too many rows; send the next in {wait} seconds");
    Problem { wait, ..Problem::of_request("rate", detail).with(StatusCode::TOO_MANY_REQUESTS) }
}

/// Who asks, by a token or a cookie. Without tokens everybody may do everything.
pub(super) fn of(service: &Service, request: &Request) -> Result<Arc<Asker>, Problem> {
    let headers = request.headers();
    let Some(tokens) = &service.tokens else {
        let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let peers = service.peers.as_ref().zip(address);
        let bucket = peers.map(|(peers, ConnectInfo(own))| peers.of(own.ip(), Instant::now()));
        return Ok(Arc::new(Asker::anybody(bucket)));
    };
    if let Some(token) = bearer(headers)? {
        return tokens.of(token.as_bytes()).ok_or_else(unknown);
    }
    let Some(secret) = sessions::of_cookie(headers) else {
        let detail = "this call needs a token; send it as Authorization: Bearer TOKEN";
        return Err(Problem::of_request("token", detail).with(StatusCode::UNAUTHORIZED));
    };
    let token = service.sessions.token(secret, Instant::now());
    token.and_then(|token| tokens.of_hash(&token)).ok_or_else(unknown)
}

/// The token in a header; `None` without the header.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(unknown());
    }
    let value = value.to_str().map_err(|_| unknown())?;
    let (scheme, token) = value.split_once(' ').ok_or_else(unknown)?;
    let token = token.trim_matches(' ');
    let is_token = (1..=LONGEST).contains(&token.len()) && !token.contains(' ');
    match scheme.eq_ignore_ascii_case("bearer") && is_token {
        true => Ok(Some(token)),
        false => Err(unknown()),
    }
}

pub(crate) fn unknown() -> Problem {
    let detail = "the token is unknown, was revoked, or its session has ended; send a token of the \
                  server's file as Authorization: Bearer TOKEN";
    Problem::of_request("token", detail).with(StatusCode::UNAUTHORIZED)
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::super::Rate;
    use super::*;

    #[test]
    fn a_refusal_has_the_seconds_to_wait() {
        let bucket = Bucket::new(Rate::new(1, Some(4)), Instant::now());
        let asker = Asker::anybody(Some(Arc::new(bucket)));
        assert!(asker.enter().is_ok() && asker.enter().is_ok());
        assert!(asker.count(43).is_ok());
        let refused = asker.count(1).unwrap_err();
        assert!((40..=41).contains(&refused.wait), "{refused:?}");
        let wait = refused.wait.to_string();
        assert_eq!(refused.into_response().headers()[header::RETRY_AFTER], wait.as_str());
    }
}
