//! Numbers for Prometheus, the series of the last day, and names of requests.

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response, header};
use nearprint::Config;
use nearprint::index::IndexOptions;
use nearprint_server::{Server, Settings};
use serde_json::{Value, json};
use tower::ServiceExt;

const MILL: &str = "The mill at the ford grinds barley on Tuesdays only. Whoever brings oats must wait until the \
    stones have been dressed, and the miller's dog counts the sacks.";

fn server(folder: &tempfile::TempDir) -> Server {
    let seen = folder.path().join("seen");
    Server::open(&seen, &Config::default(), &IndexOptions::default(), Settings::default()).unwrap()
}

async fn ask(server: &Server, request: Request<Body>) -> (Response<()>, String) {
    let answer = server.router().oneshot(request).await.unwrap();
    let (head, body) = answer.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    (Response::from_parts(head, ()), String::from_utf8(body.to_vec()).unwrap())
}

async fn get(server: &Server, path: &str) -> String {
    ask(server, Request::get(path).body(Body::empty()).unwrap()).await.1
}

async fn post(server: &Server, path: &str, body: Value) -> String {
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    ask(server, request.body(Body::from(body.to_string())).unwrap()).await.1
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_rows_answers_and_problems_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(&folder);
    let rows =
        json!({"documents": [{"id": "a", "text": MILL}, {"id": "b"}, {"id": "c", "text": MILL}]});
    post(&server, "/v1/documents?if_new=true", rows).await;
    post(&server, "/v1/check", json!({"texts": [MILL, "Nothing of the kind."]})).await;
    post(&server, "/v1/check?tip=3", json!({"texts": []})).await;
    for number in 0..20 {
        get(&server, &format!("/v1/nothing-{number}")).await;
        let method = Method::from_bytes(format!("BREW{number}").as_bytes()).unwrap();
        let request = Request::builder().method(method).uri("/v1/check");
        ask(&server, request.body(Body::empty()).unwrap()).await;
    }
    let metrics = get(&server, "/metrics").await;
    for line in [
        "nearprint_requests_total{call=\"POST /v1/documents\",status=\"200\"} 1",
        "nearprint_requests_total{call=\"POST /v1/check\",status=\"200\"} 1",
        "nearprint_requests_total{call=\"POST /v1/check\",status=\"400\"} 1",
        "nearprint_requests_total{call=\"other\",status=\"404\"} 20",
        "nearprint_requests_total{call=\"other\",status=\"405\"} 20",
        "nearprint_request_seconds_count{call=\"POST /v1/check\"} 2",
        "nearprint_rows_added_total{outcome=\"new\"} 1",
        "nearprint_rows_added_total{outcome=\"duplicate\"} 1",
        "nearprint_rows_added_total{outcome=\"error\"} 1",
        "nearprint_rows_checked_total{outcome=\"known\"} 1",
        "nearprint_rows_checked_total{outcome=\"unknown\"} 1",
        "nearprint_answers_total{reason=\"exact\"} 2",
        "nearprint_problems_total{kind=\"parameter\"} 1",
        "nearprint_problems_total{kind=\"no-such-call\"} 20",
        // The request for the metrics itself.
        "nearprint_requests_in_flight 1",
        "nearprint_writer_queue 0",
        "# EOF",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} in {metrics}");
    }
    let memory = metrics
        .lines()
        .find_map(|line| line.strip_prefix("nearprint_process_resident_memory_bytes "));
    assert!(memory.unwrap().parse::<u64>().unwrap() > 1 << 20);
    // Nothing that a client writes becomes a label.
    assert!(!metrics.contains("nothing-3") && !metrics.contains("BREW"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_keeps_its_short_name_and_gets_one_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(&folder);
    let named = async |id: &str| {
        let request = Request::get("/healthz").header("X-Request-Id", id);
        let (head, _) = ask(&server, request.body(Body::empty()).unwrap()).await;
        head.headers()["x-request-id"].to_str().unwrap().to_string()
    };
    assert_eq!(named("crawl-7/12").await, "crawl-7/12");
    for bad in ["", "two words", "{\"level\":\"ERROR\"}", &"x".repeat(129)] {
        let own = named(bad).await;
        assert!(own.len() == 43 && own != named(bad).await, "{own}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_series_are_columns_that_begin_empty() {
    let folder = tempfile::tempdir().unwrap();
    let series: Value = serde_json::from_str(&get(&server(&folder), "/v1/series").await).unwrap();
    let empty = json!({"end": null, "step": 60, "documents": [], "questions": [], "hits": [], "p99_ms": []});
    assert_eq!(series, empty);
}
