//! The headers that a browser sends -> whether a page of another site is behind the request.
//!
//! A page of another site may send requests to a server on the same machine, and one that lets its
//! name point to this machine (DNS rebinding) may read the answers. So the server answers under its
//! own names alone, and makes no call at the request of another site. It sends no CORS header, so
//! no browser lets another site read an answer or send JSON.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::Service;
use crate::problem::Problem;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The names that a server answers under.
pub(crate) struct Hosts {
    /// The names that were given.
    named: Vec<String>,
    /// The address that is listened to.
    listen: SocketAddr,
    /// True if a request may name any host.
    any: bool,
}

impl Hosts {
    /// The names `named`, those of this machine, and the address that is listened to. Any name will
    /// do if none was given and tokens guard the calls, or `listen` can be reached from elsewhere.
    pub fn new(named: &[String], listen: SocketAddr, has_tokens: bool) -> Hosts {
        let named: Vec<String> = named.iter().map(|name| name.to_ascii_lowercase()).collect();
        let any = named.is_empty() && (has_tokens || !listen.ip().is_loopback());
        Hosts { named, listen, any }
    }

    /// Checks that a request names this server.
    ///
    /// # Errors
    /// A problem if it names another one, or several.
    fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let mut values = headers.get_all(header::HOST).iter();
        let host = values.next();
        if values.next().is_some() {
            return Err(Problem::of_request("host", "the request has several Host headers"));
        }
        for named in host.map(HeaderValue::as_bytes).into_iter().chain(authority(uri)) {
            if !self.any && !host_of(named).is_some_and(|host| self.is_own(&host)) {
                let detail = format!(
                    "this server does not answer as {}; ask it as localhost, or start it with \
                     --host and that name",
                    String::from_utf8_lossy(named)
                );
                let problem = Problem::of_request("host", detail);
                return Err(problem.with(StatusCode::MISDIRECTED_REQUEST));
            }
        }
        Ok(())
    }

    fn is_own(&self, host: &str) -> bool {
        is_this_machine(host)
            || address(host) == Some(self.listen.ip())
            || self.named.iter().any(|own| own == host)
    }
}

/// The address that a host is.
fn address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || address(host).is_some_and(|address| address.is_loopback())
}

fn authority(uri: &Uri) -> Option<&[u8]> {
    uri.authority().map(|authority| authority.as_str().as_bytes())
}

/// The host of `HOST` or `HOST:PORT`, in small letters.
fn host_of(value: &[u8]) -> Option<String> {
    let authority = Authority::try_from(value).ok().filter(|own| !own.as_str().contains('@'))?;
    Some(authority.host().to_ascii_lowercase())
}

/// True if a request names this machine, so that nobody else reads what is sent.
pub(crate) fn is_loopback(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|value| host_of(value.as_bytes()));
    host.is_some_and(|host| is_this_machine(&host))
}

/// Checks that no page of another site sent a call. `Sec-Fetch-Site` comes
/// from all browsers of today, `Origin` also from older ones. Programs send neither.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let is_own = match (headers.get(FETCH_SITE), headers.get(header::ORIGIN)) {
        (Some(site), _) => site == "same-origin" || site == "none",
        (None, None) => true,
        (None, Some(origin)) => {
            let origin = origin.to_str().unwrap_or_default();
            let origin = origin.split_once("://").map(|(_, host)| host.as_bytes());
            let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
            origin.is_some_and(|origin| host.is_some_and(|host| host.eq_ignore_ascii_case(origin)))
        }
    };
    match is_own {
        true => Ok(()),
        false => {
            let detail = "a page of another site sent this request; only pages of this server may send \
                          requests";
            Err(Problem::of_request("origin", detail).with(StatusCode::FORBIDDEN))
        }
    }
}

/// Refuses requests that name another server or come from a page of another site, and tells
/// browsers to keep answers from such pages.
pub(crate) async fn guard(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let is_call = request.uri().path().starts_with("/v1/");
    // A page of another site cannot read an answer, but what it asks for takes time.
    let checked = service.hosts.check(request.uri(), headers);
    let checked = checked.and_then(|()| if is_call { check_origin(headers) } else { Ok(()) });
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    if is_call {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn a_server_on_this_machine_answers_under_its_own_names() {
        let listen = "127.0.0.1:8080".parse().unwrap();
        let hosts = Hosts::new(&[], listen, false);
        let is_own = |host: &str| hosts.check(&Uri::from_static("/"), &headers(&[("host", host)]));
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:9", "127.8.0.1", "[::1]:8080"] {
            assert!(is_own(host).is_ok(), "{host}");
        }
        let others = [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "",
            "a@localhost",
            "localhost@evil.example",
            "localhost evil",
            "127.1",
            "0.0.0.0",
            "é",
            "localhost:8080:1",
            "[::2]",
        ];
        for host in others {
            assert!(is_own(host).is_err(), "{host}");
        }
        let two = headers(&[("host", "localhost"), ("host", "localhost")]);
        assert!(hosts.check(&Uri::from_static("/"), &two).is_err());
        let absolute = Uri::from_static("http://evil.example/v1/info");
        assert!(hosts.check(&absolute, &headers(&[("host", "localhost")])).is_err());
        let named = Hosts::new(&["Seen.Example".into()], listen, false);
        assert!(named.check(&Uri::from_static("/"), &headers(&[("host", "seen.example")])).is_ok());
        assert!(
            named.check(&Uri::from_static("/"), &headers(&[("host", "evil.example")])).is_err()
        );
        let beyond = Hosts::new(&[], "10.0.0.1:80".parse().unwrap(), true);
        assert!(beyond.check(&Uri::from_static("/"), &headers(&[("host", "seen.lan")])).is_ok());
    }

    #[test]
    fn only_own_pages_and_programs_change_something() {
        let own = [
            vec![],
            vec![("sec-fetch-site", "same-origin"), ("origin", "https://seen.example")],
            vec![("sec-fetch-site", "none")],
            vec![("origin", "http://localhost:8080"), ("host", "localhost:8080")],
        ];
        for pairs in own {
            assert!(check_origin(&headers(&pairs)).is_ok(), "{pairs:?}");
        }
        let others = [
            vec![("sec-fetch-site", "cross-site")],
            vec![("sec-fetch-site", "same-site"), ("origin", "http://localhost:8080")],
            vec![("sec-fetch-site", "")],
            vec![("origin", "null"), ("host", "localhost")],
            vec![("origin", "http://localhost:9"), ("host", "localhost:8080")],
            vec![("origin", "http://evil.example"), ("host", "localhost:8080")],
            vec![("origin", "http://localhost:8080")],
        ];
        for pairs in others {
            assert!(check_origin(&headers(&pairs)).is_err(), "{pairs:?}");
        }
    }
}
