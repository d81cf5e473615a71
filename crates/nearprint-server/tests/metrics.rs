//! Numbers for Prometheus, the series of the last day, and names of requests.

mod common;

use axum::body::Body;
use axum::http::{Method, Request};
use common::Place;
use serde_json::json;
use tower::ServiceExt;

const MILL: &str = "The mill at the ford grinds barley on Tuesdays only. Whoever brings oats must wait until the \
    stones have been dressed, and the miller's dog counts the sacks.";

#[tokio::test(flavor = "multi_thread")]
async fn requests_rows_answers_and_problems_are_counted() {
    let place = Place::new();
    let rows =
        json!({"documents": [{"id": "a", "text": MILL}, {"id": "b"}, {"id": "c", "text": MILL}]});
    place.post("/v1/documents?if_new=true", rows).await;
    place.post("/v1/check", json!({"texts": [MILL, "Nothing of the kind."]})).await;
    place.post("/v1/check?tip=3", json!({"texts": []})).await;
    for number in 0..20 {
        place.get(&format!("/v1/nothing-{number}")).await;
        let method = Method::from_bytes(format!("BREW{number}").as_bytes()).unwrap();
        let request = Request::builder().method(method).uri("/v1/check");
        place.ask(request.body(Body::empty()).unwrap()).await;
    }
    let metrics = Request::get("/metrics").body(Body::empty()).unwrap();
    let (_, _, metrics) = place.ask(metrics).await;
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
    let place = Place::new();
    let named = async |id: &str| {
        let request = Request::get("/healthz").header("X-Request-Id", id);
        let request = request.body(Body::empty()).unwrap();
        let answer = place.server.router().oneshot(request).await.unwrap();
        answer.headers()["x-request-id"].to_str().unwrap().to_string()
    };
    assert_eq!(named("crawl-7/12").await, "crawl-7/12");
    for bad in ["", "two words", "{\"level\":\"ERROR\"}", &"x".repeat(129)] {
        let own = named(bad).await;
        assert!(own.len() == 43 && own != named(bad).await, "{own}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_series_are_columns_that_begin_empty() {
    let (_, series) = Place::new().get("/v1/series").await;
    let empty = json!({"end": null, "step": 60, "documents": [], "questions": [], "hits": [], "p99_ms": []});
    assert_eq!(series, empty);
}
