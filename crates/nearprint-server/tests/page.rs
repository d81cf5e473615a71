//! The page for people: its files and their headers. A browser uses it in the tests of the Python
//! package.

mod common;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use common::Place;
use tower::ServiceExt;

#[tokio::test(flavor = "multi_thread")]
async fn the_page_allows_files_of_its_server_alone() {
    let place = Place::new();
    for (path, media, part) in [
        ("/", "text/html; charset=utf-8", "<script src=\"page.js\" defer></script>"),
        ("/page.css", "text/css; charset=utf-8", "mark.figure"),
        ("/page.js", "text/javascript; charset=utf-8", "function sideBySide("),
        ("/docs", "text/html; charset=utf-8", "<script src=\"docs.js\" defer></script>"),
        ("/docs.js", "text/javascript; charset=utf-8", "function schemaOf("),
        ("/openapi.json", "application/json", "\"openapi\":\"3.1.0\""),
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let answer = place.server.router().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_string();
        assert_eq!(header("content-type"), media);
        assert_eq!(header("x-content-type-options"), "nosniff");
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        assert!(std::str::from_utf8(&body).unwrap().contains(part), "{path}");
    }
}
