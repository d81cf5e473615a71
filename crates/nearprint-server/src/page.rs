//! `/`: the page for people, and `/docs`, the page of the calls, with their scripts and their
//! style. They share their elements with the report.
//!
//! The content security policy allows files of this server alone. The script makes text nodes of
//! texts, so no content of a document can run.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::response::IntoResponse;
use axum::routing::get;
use nearprint::{PAGE_STYLE, page_elements};

use crate::Service;
use crate::openapi::OPENAPI;

const PAGE: &str = include_str!("page/page.html");
const OWN_STYLE: &str = include_str!("page/page.css");
const OWN_SCRIPT: &str = concat!(
    include_str!("page/words.js"),
    include_str!("page/calls.js"),
    include_str!("page/documents.js"),
    include_str!("page/ask.js"),
    include_str!("page/review.js"),
    include_str!("page/stories.js"),
    include_str!("page/search.js"),
    include_str!("page/overview.js"),
    include_str!("page/main.js"),
);

static STYLE: LazyLock<String> = LazyLock::new(|| PAGE_STYLE.to_string() + OWN_STYLE);
const DOCS: &str = include_str!("page/docs.html");
static DOCS_SCRIPT: LazyLock<String> =
    LazyLock::new(|| page_elements() + include_str!("page/docs.js"));
static SCRIPT: LazyLock<String> = LazyLock::new(|| page_elements() + OWN_SCRIPT);

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; \
    base-uri 'none'";

/// The page and its files, for everybody: it asks for a token when a call does.
pub(crate) fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/", get(async || file("text/html; charset=utf-8", PAGE)))
        .route("/page.css", get(async || file("text/css; charset=utf-8", &STYLE)))
        .route("/page.js", get(async || file("text/javascript; charset=utf-8", &SCRIPT)))
        .route("/docs", get(async || file("text/html; charset=utf-8", DOCS)))
        .route("/docs.js", get(async || file("text/javascript; charset=utf-8", &DOCS_SCRIPT)))
        .route("/openapi.json", get(async || file("application/json", &OPENAPI)))
}

fn file(media: &'static str, content: &'static str) -> impl IntoResponse {
    let headers: [(HeaderName, &'static str); 5] = [
        (CONTENT_TYPE, media),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        // A new version is used at once.
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_makes_no_markup_of_texts() {
        for way in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("]
        {
            assert!(!SCRIPT.contains(way) && !DOCS_SCRIPT.contains(way), "{way}");
        }
        for part in ["<script>", "<style", "onclick"] {
            assert!(!PAGE.contains(part) && !DOCS.contains(part), "{part}");
        }
    }
}
