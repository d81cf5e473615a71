//! `POST /v1/fingerprints:check`.

mod common;

use axum::http::StatusCode;
use common::{FERRY, LIBRARY, Place, row};
use nearprint::{Config, compare};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn documents_near_fingerprints_are_answered_unverified() {
    let place = Place::new();
    place.post("/v1/documents", json!({"documents": [row("a", FERRY), row("b", LIBRARY)]})).await;
    let made = compare(&Config::default(), &FERRY.replace("dawn", "noon"), LIBRARY, 0).unwrap();
    let body = json!({"fingerprints": [made.left.fingerprint, "0".repeat(64)]});
    let (status, near) = place.post("/v1/fingerprints:check?top=1", body).await;
    assert_eq!((status, &near["verified"]), (StatusCode::OK, &json!(false)));
    let results = near["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["near"][0]["id"]), (2, &json!("a")), "{near}");
    let distance = results[0]["near"][0]["distance"].as_u64().unwrap();
    assert!((1..=80).contains(&distance), "{near}");
    assert_eq!(results[1], json!({"near": [], "more": 0}));
    for (fingerprint, says) in [("abc", "number 1 is not 64 hexadecimal"), ("", "number 1")] {
        let (status, problem) =
            place.post("/v1/fingerprints:check", json!({"fingerprints": [fingerprint]})).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(problem["detail"].as_str().unwrap().contains(says), "{problem}");
    }
}
