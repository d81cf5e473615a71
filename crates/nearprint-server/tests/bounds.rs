//! Bounds on what one request may ask for.

mod common;

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use common::{FERRY, Place, row};
use nearprint_server::Settings;
use serde_json::{Value, json};

fn problem(answer: &(StatusCode, Value)) -> (u16, &str) {
    (answer.0.as_u16(), answer.1["type"].as_str().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_and_words_of_a_question_are_bounded() {
    let place = Place::new();
    let texts = json!({"texts": [FERRY]});
    assert_eq!(place.post("/v1/check?top=1000", texts.clone()).await.0, 200);
    let many = place.post("/v1/check?top=1001", texts.clone()).await;
    assert_eq!(problem(&many), (400, "/problems/parameter"));
    assert!(many.1["detail"].as_str().unwrap().contains("at most 1000"), "{}", many.1);
    let conditions = format!("/v1/check?{}", "where=title:x&".repeat(33));
    assert_eq!(problem(&place.post(&conditions, texts).await), (400, "/problems/parameter"));
    let words = format!("/v1/documents?q={}", "d+".repeat(200));
    assert_eq!(problem(&place.get(&words).await), (400, "/problems/parameter"));
}

#[tokio::test(flavor = "multi_thread")]
async fn long_texts_are_not_compared() {
    let place = Place::new();
    let long = "the tide table ".repeat(70_000);
    let sides = json!({"left": {"text": long}, "right": {"text": FERRY}});
    assert_eq!(problem(&place.post("/v1/compare", sides).await), (413, "/problems/body"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_with_too_many_texts_is_refused() {
    let place = Place::with_texts(Settings::default());
    let long = "The signal box at the junction has nine levers. ".repeat(20_000);
    let copies: Vec<Value> =
        (0..8).map(|number| json!({"id": number, "text": format!("{long}{number}")})).collect();
    assert_eq!(place.post("/v1/documents", json!({"documents": copies})).await.0, 200);
    // The answer to an addition has no texts.
    let row = json!({"documents": [{"id": "copy", "text": long}]});
    let (_, added) = place.post("/v1/documents?mode=skip", row).await;
    let found = &added["results"][0]["duplicates"][0];
    assert!(found["similarity"].is_number() && found["text"].is_null(), "{found}");
    let asked = |rows: usize| json!({"texts": vec![long.clone(); rows]});
    assert_eq!(place.post("/v1/check", asked(2)).await.0, 200);
    let many = place.post("/v1/check", asked(12)).await;
    assert_eq!(problem(&many), (413, "/problems/answer"));
    assert_eq!(place.post("/v1/check?top=1", asked(12)).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_long_pairs_end_early_and_go_on() {
    let place = Place::with_texts(Settings::default());
    let long = "The signal box at the junction has nine levers. ".repeat(30_000);
    let copies: Vec<Value> =
        (0..11).map(|number| json!({"id": number, "text": format!("{long}{number}")})).collect();
    for few in copies.chunks(4) {
        place.post("/v1/documents?if_new=true&top=0", json!({"documents": few})).await;
    }
    let (mut all, mut pages, mut after) = (Vec::new(), 0, Value::from(""));
    while !after.is_null() {
        let after_pair = after.as_i64().map_or(String::new(), |pair| format!("&after={pair}"));
        let (_, page) = place.get(&format!("/v1/pairs?limit=1000{after_pair}")).await;
        all.extend(page["pairs"].as_array().unwrap().iter().map(|pair| pair["pair"].clone()));
        after = page["next"].clone();
        pages += 1;
    }
    all.dedup();
    assert_eq!((all.len(), pages > 1), (10, true), "{all:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn work_ends_with_its_time_and_adds_nothing() {
    let settings = Settings { timeout: Duration::from_millis(150), ..Settings::default() };
    let place = Place::with(settings);
    let rows: Vec<Value> = (0..9_000)
        .map(|number| row(&number.to_string(), &FERRY.replace("green", &format!("{number}"))))
        .collect();
    let begun = Instant::now();
    let rows = json!({"documents": rows});
    let slow = place.post("/v1/documents?mode=skip", rows.clone()).await;
    assert_eq!(problem(&slow), (504, "/problems/timeout"));
    // The next change does not wait for all that was given up.
    let one = json!({"documents": [row("one", "A lantern hangs above the boat house door.")]});
    while place.post("/v1/documents", one.clone()).await.0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
    assert_eq!(place.get("/v1/info").await.1["documents"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_body_is_refused() {
    let place = Place::new();
    let request = Request::post("/v1/check")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::CONTENT_ENCODING, "gzip");
    let (status, _, body) = place.ask(request.body(Body::from("{}")).unwrap()).await;
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(body.contains("compressed"), "{body}");
}
