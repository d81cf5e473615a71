//! Each call with who may make it. A route without a row here is closed.

use axum::http::Method;

use super::Role;

/// The collections that a call takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// None: it is about who asks.
    Asker,
    /// None: it is about all of them, so the asker must be free to use each.
    Server,
    /// One.
    One,
    /// One or several.
    Several,
}

/// A call with who may make it.
#[derive(Debug)]
pub struct Call {
    /// The method. `HEAD` counts as `GET`.
    pub method: Method,
    /// The path of the route.
    pub path: &'static str,
    /// The role that it needs; `None` if it is open to everybody.
    pub needs: Option<Role>,
    /// The collections that it takes.
    pub scope: Scope,
}

/// All calls.
pub const CALLS: &[Call] = &[
    call(Method::POST, "/v1/check", Role::Read, Scope::Several),
    call(Method::POST, "/v1/documents", Role::Write, Scope::One),
    call(Method::GET, "/v1/documents/{id}", Role::Read, Scope::One),
    call(Method::DELETE, "/v1/documents/{id}", Role::Write, Scope::One),
    call(Method::GET, "/v1/documents", Role::Read, Scope::One),
    call(Method::GET, "/v1/documents/{id}/near", Role::Read, Scope::One),
    call(Method::POST, "/v1/compare", Role::Read, Scope::One),
    call(Method::POST, "/v1/fingerprints:check", Role::Read, Scope::One),
    call(Method::GET, "/v1/stories", Role::Read, Scope::One),
    call(Method::GET, "/v1/stories/{story}", Role::Read, Scope::One),
    call(Method::PUT, "/v1/stories/{story}/keeper", Role::Review, Scope::One),
    call(Method::GET, "/v1/pairs", Role::Read, Scope::One),
    call(Method::GET, "/v1/pairs.csv", Role::Read, Scope::One),
    call(Method::GET, "/v1/pairs/{pair}", Role::Read, Scope::One),
    call(Method::PUT, "/v1/pairs/{pair}/verdict", Role::Review, Scope::One),
    call(Method::POST, "/v1/pairs/verdicts", Role::Review, Scope::One),
    call(Method::GET, "/v1/jobs", Role::Admin, Scope::Server),
    call(Method::POST, "/v1/jobs", Role::Admin, Scope::Server),
    call(Method::GET, "/v1/jobs/{job}", Role::Admin, Scope::Server),
    call(Method::DELETE, "/v1/jobs/{job}", Role::Admin, Scope::Server),
    call(Method::POST, "/v1/jobs/{job}/resume", Role::Admin, Scope::Server),
    call(Method::GET, "/v1/info", Role::Read, Scope::One),
    call(Method::GET, "/v1/series", Role::Read, Scope::Server),
    call(Method::GET, "/metrics", Role::Admin, Scope::Server),
    open(Method::GET, "/"),
    open(Method::GET, "/page.css"),
    open(Method::GET, "/page.js"),
    open(Method::GET, "/docs"),
    open(Method::GET, "/docs.js"),
    open(Method::GET, "/openapi.json"),
    open(Method::POST, "/v1/session"),
    call(Method::GET, "/v1/session", Role::Read, Scope::Asker),
    call(Method::DELETE, "/v1/session", Role::Read, Scope::Asker),
    open(Method::GET, "/healthz"),
    open(Method::GET, "/readyz"),
];

const fn call(method: Method, path: &'static str, needs: Role, scope: Scope) -> Call {
    Call { method, path, needs: Some(needs), scope }
}

const fn open(method: Method, path: &'static str) -> Call {
    Call { method, path, needs: None, scope: Scope::Asker }
}

impl Call {
    /// The call of a method and the path of a route.
    pub(crate) fn of(method: &Method, path: &str) -> Option<&'static Call> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        CALLS.iter().find(|call| call.path == path && call.method == *method)
    }

    /// The methods that the path of a route takes, separated by commas.
    pub(crate) fn methods(path: &str) -> String {
        let own = CALLS.iter().filter(|call| call.path == path).map(|call| call.method.as_str());
        own.collect::<Vec<_>>().join(", ").replace("GET", "GET, HEAD")
    }
}
