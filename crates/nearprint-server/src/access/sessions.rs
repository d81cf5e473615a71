//! Sessions of browsers: a token that was given once -> a cookie that stands for it.
//!
//! Sessions are in memory alone: they end with the server, with their time, and with their token.
//! A browser sends the cookie only for pages of this server (`SameSite=Strict`), and `site.rs`
//! refuses what it sends for others.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, header};
use nearprint::Error;

use super::secret::{Hash, hash, secret};
use super::site;
use crate::lock::lock;

/// The life of a session.
const LIFE: Duration = Duration::from_secs(12 * 60 * 60);

/// The most sessions of one token. A further one ends the oldest.
const MOST: usize = 32;

/// The sessions that have not ended, by the hashes of their secrets.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Hash, Session>>);

struct Session {
    /// The hash of the token that it stands for.
    token: Hash,
    began: Instant,
}

impl Sessions {
    /// Begins a session of a token, and returns its secret.
    ///
    /// # Errors
    /// [`Error::Io`] if the system gives no random bits.
    pub fn begin(&self, token: &[u8], now: Instant) -> Result<String, Error> {
        let (token, secret) = (hash(token), secret("")?);
        let mut all = lock(&self.0);
        all.retain(|_, session| is_alive(session, now));
        let own = all.iter().filter(|(_, session)| session.token == token);
        let mut own: Vec<(Instant, Hash)> = own.map(|(key, own)| (own.began, *key)).collect();
        own.sort_unstable();
        for (_, oldest) in own.iter().take((own.len() + 1).saturating_sub(MOST)) {
            all.remove(oldest);
        }
        all.insert(hash(secret.as_bytes()), Session { token, began: now });
        Ok(secret)
    }

    /// The hash of the token that a session stands for.
    pub fn token(&self, secret: &str, now: Instant) -> Option<Hash> {
        let all = lock(&self.0);
        let session = all.get(&hash(secret.as_bytes()))?;
        is_alive(session, now).then_some(session.token)
    }

    /// Ends a session.
    pub fn end(&self, secret: &str) {
        lock(&self.0).remove(&hash(secret.as_bytes()));
    }
}

fn is_alive(session: &Session, now: Instant) -> bool {
    now.saturating_duration_since(session.began) < LIFE
}

/// The name of the cookie. Beyond this machine it has the prefix with which browsers take it only
/// over TLS and from this host itself, not from its sisters.
fn name(headers: &HeaderMap) -> &'static str {
    if site::is_loopback(headers) { "nearprint" } else { "__Host-nearprint" }
}

/// The secret of the session in the cookie of a request.
pub(crate) fn of_cookie(headers: &HeaderMap) -> Option<&str> {
    let wanted = name(headers);
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim())
}

/// The header that gives a browser the cookie.
pub(crate) fn cookie(headers: &HeaderMap, secret: &str) -> String {
    written(headers, secret, LIFE.as_secs())
}

/// The header that takes the cookie from a browser.
pub(crate) fn no_cookie(headers: &HeaderMap) -> String {
    written(headers, "", 0)
}

fn written(headers: &HeaderMap, secret: &str, seconds: u64) -> String {
    let secure = if site::is_loopback(headers) { "" } else { "; Secure" };
    let name = name(headers);
    format!("{name}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_with_its_time_or_when_told() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let one = sessions.begin(b"a", now).unwrap();
        let two = sessions.begin(b"b", now).unwrap();
        assert_eq!(sessions.token(&one, now), Some(hash(b"a")));
        sessions.end(&one);
        assert_eq!(sessions.token(&one, now), None);
        assert_eq!(sessions.token(&two, now + LIFE - Duration::from_secs(1)), Some(hash(b"b")));
        assert_eq!(sessions.token(&two, now + LIFE), None);
        assert_eq!(sessions.token("", now), None);
    }

    #[test]
    fn the_oldest_session_of_a_token_makes_place() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let other = sessions.begin(b"b", now).unwrap();
        let at = |place| now + Duration::from_secs(place);
        let all: Vec<String> =
            (0..=MOST as u64).map(|place| sessions.begin(b"a", at(place)).unwrap()).collect();
        assert!(sessions.token(&other, at(40)).is_some());
        assert!(sessions.token(&all[0], at(40)).is_none());
        assert!(all[1..].iter().all(|secret| sessions.token(secret, at(40)).is_some()));
    }

    #[test]
    fn beyond_this_machine_only_the_guarded_cookie_counts() {
        let of = |host: &str, cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            headers.insert(header::COOKIE, cookie.parse().unwrap());
            of_cookie(&headers).map(str::to_string)
        };
        assert_eq!(of("localhost:8080", "a=b; nearprint=c"), Some("c".into()));
        assert_eq!(of("seen.example", "nearprint=c"), None);
        assert_eq!(of("seen.example", "nearprint=c; __Host-nearprint=d"), Some("d".into()));
        assert_eq!(of("seen.example", "x__Host-nearprint=d; __host-nearprint=e"), None);
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "seen.example".parse().unwrap());
        assert!(cookie(&headers, "d").ends_with("; HttpOnly; SameSite=Strict; Secure"));
    }
}
