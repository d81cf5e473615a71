//! `POST /v1/compare`.

mod common;

use axum::http::StatusCode;
use common::{FERRY, LIBRARY, Place, row};
use serde_json::{Value, json};

/// The whole text of some pieces.
fn text(pieces: &Value) -> String {
    let pieces = pieces.as_array().unwrap();
    pieces.iter().map(|piece| piece["text"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_texts_have_the_verdict_of_check_and_their_marked_view() {
    let place = Place::new();
    let copy = FERRY.replace("dawn", "noon");
    let sides = json!({"left": {"text": FERRY}, "right": {"text": copy}});
    let (status, compared) = place.post("/v1/compare", sides).await;
    assert_eq!((status, &compared["duplicates"]), (StatusCode::OK, &json!(true)), "{compared}");
    assert_eq!(text(&compared["left"]), FERRY);
    assert_eq!(text(&compared["right"]), copy);
    let own: Vec<&Value> = compared["right"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|piece| piece["kind"] == "own")
        .map(|piece| &piece["text"])
        .collect();
    assert_eq!(own, ["noon."]);
    place.post("/v1/documents", json!({"documents": [row("a", FERRY)]})).await;
    let (_, checked) = place.post("/v1/check", json!({"texts": [copy]})).await;
    let found = &checked["results"][0]["duplicates"][0];
    for member in ["similarity", "reason", "distance"] {
        assert_eq!(found[member], compared[member], "{member}");
    }
    let sides = json!({"left": {"text": FERRY}, "right": {"text": LIBRARY}});
    let (_, compared) = place.post("/v1/compare", sides).await;
    assert_eq!((&compared["duplicates"], &compared["reason"]), (&json!(false), &Value::Null));
    assert!(compared["why"][0].as_str().unwrap().contains("not duplicates"), "{compared}");
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_compared_by_their_ids() {
    let place = Place::new();
    let rows = json!({"documents": [row("a", FERRY), {"id": 7, "text": FERRY}, row("7", LIBRARY)]});
    place.post("/v1/documents", rows).await;
    let ask = |left: Value, right: Value| {
        place.post("/v1/compare", json!({"left": left, "right": right}))
    };
    let (_, compared) = ask(json!({"id": "a"}), json!({"id": 7})).await;
    assert_eq!(compared["reason"], "exact");
    let (_, compared) = ask(json!({"id": "7"}), json!({"text": LIBRARY})).await;
    assert_eq!(compared["reason"], "exact");
    let (status, problem) = ask(json!({"id": "a"}), json!({"id": "b"})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(problem["detail"], "no document has the id b");
    for (right, says) in [
        (json!({"txt": "a"}), "expected `text` or `id`"),
        (json!({"text": "a", "id": "b"}), "SIDE is {\"text\""),
        (json!("a"), "SIDE is {\"text\""),
        (json!({"text": 1}), "expected a string"),
        (Value::Null, "SIDE is {\"text\""),
    ] {
        let (status, problem) = ask(json!({"text": "a"}), right.clone()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{right}");
        assert!(problem["detail"].as_str().unwrap().contains(says), "{right}: {problem}");
    }
}
