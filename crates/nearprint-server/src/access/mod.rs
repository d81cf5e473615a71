//! A request -> who asks, and whether it is admitted. No body is read before.
//!
//! ```text
//! a call -> who may make it                              calls.rs
//! a file -> tokens with their roles                      tokens.rs, role.rs
//! random bits -> a token, its hash                       secret.rs
//! headers -> the token or session of a request           asker.rs, sessions.rs
//! headers of browsers -> whether another site asks       site.rs
//! rows -> whether they come too fast                     rate.rs
//! ```

mod asker;
mod calls;
mod rate;
mod role;
mod secret;
pub(crate) mod sessions;
pub(crate) mod site;
mod tokens;

use std::sync::Arc;

use axum::body::HttpBody;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::Service;
use crate::bodies;
use crate::collections::{self, Several};
use crate::problem::Problem;
use crate::record::Tally;
pub(crate) use asker::{Asker, unknown};
pub use calls::{CALLS, Call, Scope};
pub(crate) use rate::Peers;
pub use rate::Rate;
pub use role::Role;
pub(crate) use secret::secret;
pub(crate) use sessions::Sessions;
pub(crate) use site::Hosts;
pub(crate) use tokens::Tokens;
pub use tokens::{NewToken, make_token};

/// The largest body in bytes that is read of a request without a token, inclusive.
const SMALL: u64 = 4 << 10;

/// Admits a request to the call that it was routed to, with who asks and the collections. A call
/// that is not in [`CALLS`] is refused.
pub(crate) async fn admit(
    State(service): State<Arc<Service>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(path) = request.extensions().get::<MatchedPath>() else {
        return next.run(request).await;
    };
    let Some(call) = Call::of(request.method(), path.as_str()) else {
        let allow = Call::methods(path.as_str());
        let detail = format!("{} takes the methods {allow}", request.uri().path());
        let problem = Problem::of_request("no-such-method", detail);
        let problem = problem.with(StatusCode::METHOD_NOT_ALLOWED);
        return ([(header::ALLOW, allow)], problem).into_response();
    };
    let Some(needs) = call.needs else {
        let is_small = request.body().size_hint().upper().is_some_and(|bytes| bytes <= SMALL);
        return match is_small {
            true => next.run(request).await,
            false => bodies::too_large(SMALL as usize).into_response(),
        };
    };
    match admitted(&service, call, needs, &mut request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// Finds out who asks and about what, or why that is refused.
fn admitted(
    service: &Service,
    call: &Call,
    needs: Role,
    request: &mut Request,
) -> Result<(), Problem> {
    let asker = asker::of(service, request)?;
    let tally = request.extensions().get::<Arc<Tally>>().expect("every request has counts").clone();
    if !asker.name.is_empty() {
        let _ = tally.token.set(asker.name.clone());
    }
    if !asker.role.may(needs) {
        let detail = format!(
            "this call needs a token with the role {}; the token {} has the role {}",
            needs.or_more(),
            asker.name,
            asker.role.name()
        );
        return Err(Problem::of_request("role", detail).with(StatusCode::FORBIDDEN));
    }
    let named = collections::named(&service.collections, call.scope, &asker, request)?;
    if let Some(permit) = asker.enter()? {
        let _ = tally.permit.set(permit);
    }
    request.extensions_mut().insert(Several(named));
    request.extensions_mut().insert(asker);
    Ok(())
}
