//! Several collections behind one server.

mod common;

use axum::http::StatusCode;
use common::{FERRY, LIBRARY, Place, row};
use nearprint_server::{Server, Settings};
use serde_json::{Value, json};

/// The collections `default` and `news`.
fn two() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let server = open(folder.path(), &[("news", "news")]).unwrap();
    Place::of(folder, server)
}

fn open(folder: &std::path::Path, others: &[(&str, &str)]) -> Result<Server, nearprint::Error> {
    let others = others.iter().map(|(name, own)| (name.to_string(), folder.join(own)));
    common::open(folder, Settings { collections: others.collect(), ..Settings::default() })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_in_the_collection_that_was_named() {
    let place = two();
    let (_, added) =
        place.post("/v1/documents?collection=news", json!({"documents": [row("a", FERRY)]})).await;
    assert_eq!(added["results"][0]["status"], "new");
    assert_eq!(place.get("/v1/documents/a").await.0, StatusCode::NOT_FOUND);
    assert_eq!(place.get("/v1/documents/a?collection=default").await.0, StatusCode::NOT_FOUND);
    assert_eq!(place.get("/v1/documents/a?collection=news").await.1["id"], "a");
    let (_, info) = place.get("/v1/info?collection=news").await;
    assert_eq!(
        (&info["collection"], &info["collections"], &info["documents"]),
        (&json!("news"), &json!(["default", "news"]), &json!(1))
    );
    assert_eq!(place.delete("/v1/documents/a").await, StatusCode::NOT_FOUND);
    assert_eq!(place.delete("/v1/documents/a?collection=news").await, StatusCode::NO_CONTENT);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_collections_answer_a_check_together_best_first() {
    let place = two();
    let near = FERRY.replace("dawn", "noon");
    place.post("/v1/documents", json!({"documents": [row("a", &near), row("b", LIBRARY)]})).await;
    let news = json!({"documents": [row("c", FERRY)]});
    place.post("/v1/documents?collection=news", news).await;
    let found = |checked: &Value| -> Vec<(String, Value)> {
        let found = checked["results"][0]["duplicates"].as_array().unwrap().clone();
        let each =
            |found: Value| (found["id"].as_str().unwrap().into(), found["collection"].clone());
        found.into_iter().map(each).collect()
    };
    let texts = json!({"texts": [FERRY, LIBRARY]});
    let (_, checked) = place.post("/v1/check?collection=default,news", texts.clone()).await;
    let wanted = vec![("c".to_string(), json!("news")), ("a".to_string(), json!("default"))];
    assert_eq!(found(&checked), wanted);
    assert_eq!(checked["results"][1]["duplicates"][0]["id"], "b");
    let (_, checked) = place.post("/v1/check?top=1&collection=default%2Cnews", texts.clone()).await;
    assert_eq!(
        (found(&checked), &checked["results"][0]["more"]),
        (wanted[..1].to_vec(), &json!(1))
    );
    let (_, checked) = place.post("/v1/check", texts).await;
    assert_eq!(found(&checked), [("a".to_string(), Value::Null)]);
    let rows = json!({"documents": [{"id": "x", "text": FERRY}, {"id": "y"}]});
    let (_, checked) = place.post("/v1/check?collection=news,default", rows).await;
    assert_eq!((found(&checked), &checked["results"][0]["id"]), (wanted, &json!("x")));
    assert_eq!(checked["results"][1]["status"], "error");
}

#[tokio::test(flavor = "multi_thread")]
async fn collections_that_are_not_there_or_too_many_are_refused() {
    let place = two();
    let texts = || json!({"texts": []});
    for (query, status, says) in [
        ("collection=other", 404, "other"),
        ("collection=", 404, "GET /v1/info"),
        ("collection=..%2Fnews", 404, "../news"),
        ("collection=news,", 404, "GET /v1/info"),
        ("collection=news,news", 400, "twice"),
        ("collection=news&collection=default", 400, "collection=a,b"),
        ("collections=news", 400, "collections"),
    ] {
        let (found, problem) = place.post(&format!("/v1/check?{query}"), texts()).await;
        assert_eq!(found.as_u16(), status, "{query}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(says), "{query}: {problem}");
    }
    // A misspelled name changes nothing in the default collection.
    place.post("/v1/documents", json!({"documents": [row("a", FERRY)]})).await;
    let wrong = "/v1/documents/a?colection=news";
    assert_eq!(place.delete(wrong).await, StatusCode::BAD_REQUEST);
    let (status, problem) = place.get(wrong).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(problem["detail"].as_str().unwrap().contains("`colection`"), "{problem}");
    for path in ["/v1/jobs?collection=news", "/v1/series?x=1", "/v1/session?x=1", "/v1/info?x=1"] {
        assert_eq!(place.get(path).await.0, StatusCode::BAD_REQUEST, "{path}");
    }
    let (status, problem) = place.get("/v1/info?collection=default,news").await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
}

#[test]
fn a_name_or_folder_is_used_once() {
    let folder = tempfile::tempdir().unwrap();
    for (others, says) in [
        (vec![("default", "b")], "two collections default"),
        (vec![("a", "b"), ("a", "c")], "two collections a"),
        (vec![("a", "seen")], "two collections have the folder"),
        (vec![("a/b", "b")], "not a name of a collection"),
        (vec![("", "b")], "not a name of a collection"),
    ] {
        let error = open(folder.path(), &others).err().expect(says).to_string();
        assert!(error.contains(says), "{error}");
    }
}
