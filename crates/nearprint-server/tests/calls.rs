//! Each call with what it answers, without a network.

mod common;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use common::{FERRY, LIBRARY, Place, row};
use futures_util::future::join_all;
use nearprint::Config;
use nearprint::index::IndexOptions;
use nearprint_server::{Server, Settings};
use serde_json::{Value, json};
use tower::ServiceExt;

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_compared_by_their_own_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::from_toml(
        "features = 'words'\nweights = 'one'\ntokens-field = 'words'\nverify = 'jaccard'\nshingle = 1",
    );
    let path = folder.path().join("seen");
    let server =
        Server::open(&path, &config.unwrap(), &IndexOptions::default(), Settings::default());
    let place = Place::of(folder, server.unwrap());
    let row = |id: &str, kind: &str| {
        let words: Vec<String> = (0..40).map(|number| format!("{kind}{number}")).collect();
        json!({"id": id, "text": format!("text {id}"), "words": words})
    };
    let add = |rows: Value| place.post("/v1/documents?mode=count", json!({"documents": rows}));
    let statuses = |added: &Value| -> Vec<String> {
        let results = added["results"].as_array().unwrap();
        results.iter().map(|own| own["status"].as_str().unwrap().to_string()).collect()
    };
    let (_, added) = add(json!([row("a", "x"), row("b", "x"), row("c", "y")])).await;
    assert_eq!(statuses(&added), ["new", "duplicate", "new"]);
    let (_, near) = place.get("/v1/documents/b/near").await;
    assert_eq!(near["duplicates"][0]["id"], "a", "{near}");
    let (_, checked) = place.post("/v1/check", json!({"documents": [row("d", "y")]})).await;
    assert_eq!(checked["results"][0]["duplicates"][0]["id"], "c", "{checked}");
    // With other tokens, a copy of the same text is one no longer.
    let (_, added) = add(json!([row("b", "z"), row("a", "x")])).await;
    assert_eq!(statuses(&added), ["new", "unchanged"]);
    let sides = json!({"left": {"id": "a"}, "right": {"id": "c"}});
    for (call, body) in [("/v1/check", json!({"texts": ["one"]})), ("/v1/compare", sides)] {
        let (status, problem) = place.post(call, body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("have their own tokens in the field \"words\""), "{detail}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn new_documents_are_added_and_copies_are_told() {
    let place = Place::new();
    let copy = FERRY.replace("dawn", "noon");
    let rows = json!({"documents": [row("a", FERRY), row("b", &copy), row("c", LIBRARY)]});
    let (status, added) = place.post("/v1/documents?if_new=true", rows).await;
    assert_eq!(status, StatusCode::OK);
    let results = added["results"].as_array().unwrap();
    let statuses: Vec<&Value> = results.iter().map(|result| &result["status"]).collect();
    assert_eq!(statuses, ["new", "duplicate", "new"]);
    let of = &results[1]["duplicates"][0];
    assert_eq!(
        (&of["id"], &of["reason"], &of["fields"]["title"]),
        (&json!("a"), &json!("near"), &json!("about a"))
    );
    assert!(of["similarity"].as_f64().unwrap() >= 0.75);
    // The same rows again change nothing.
    let again = json!({"documents": [row("a", FERRY)]});
    let (_, again) = place.post("/v1/documents?if_new=true", again).await;
    assert_eq!(again["results"][0]["status"], "unchanged");
    let (_, replaced) =
        place.post("/v1/documents", json!({"documents": [row("a", LIBRARY)]})).await;
    assert_eq!(replaced["results"][0]["status"], "replaced");
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_and_rows_are_checked_and_not_stored() {
    let place = Place::new();
    place.post("/v1/documents", json!({"documents": [row("a", FERRY), row("b", LIBRARY)]})).await;
    let texts = json!({"texts": [FERRY, "Something else is told here.", LIBRARY]});
    let (status, checked) = place.post("/v1/check", texts).await;
    assert_eq!(status, StatusCode::OK);
    let ids: Vec<Vec<&str>> = checked["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| {
            let found = result["duplicates"].as_array().unwrap();
            found.iter().map(|found| found["id"].as_str().unwrap()).collect()
        })
        .collect();
    assert_eq!(ids, [vec!["a"], vec![], vec!["b"]]);
    let lines = format!("{}\n{{\"id\":\"y\"}}\n{}\n", row("x", FERRY), row("z", LIBRARY));
    let request =
        Request::post("/v1/check?top=1").header(header::CONTENT_TYPE, "application/x-ndjson");
    let (status, media, body) = place.ask(request.body(Body::from(lines)).unwrap()).await;
    assert_eq!((status, media.as_str()), (StatusCode::OK, "application/x-ndjson"));
    let rows: Vec<Value> = body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!((&rows[0]["id"], &rows[0]["duplicates"][0]["id"]), (&json!("x"), &json!("a")));
    assert_eq!((&rows[1]["status"], &rows[1]["row"]), (&json!("error"), &json!(2)));
    assert!(rows[1]["detail"].as_str().unwrap().contains("text"), "{}", rows[1]);
    assert_eq!(rows[2]["duplicates"][0]["id"], "b");
    // A question needs no id.
    let (_, checked) = place.post("/v1/check", json!({"documents": [{"text": FERRY}]})).await;
    assert_eq!(checked["results"][0]["duplicates"][0]["id"], "a");
    let (_, added) = place.post("/v1/documents", json!({"documents": [{"text": FERRY}]})).await;
    assert_eq!(added["results"][0]["status"], "error");
    assert_eq!(place.get("/v1/info").await.1["documents"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_shown_and_removed_by_its_id() {
    let place = Place::new();
    let rows = json!({"documents": [row("a/1 é", FERRY), {"id": 7, "text": LIBRARY}]});
    place.post("/v1/documents", rows).await;
    let (status, shown) = place.get("/v1/documents/a%2F1%20%C3%A9").await;
    assert_eq!((status, &shown["fields"]["title"]), (StatusCode::OK, &json!("about a/1 é")));
    assert_eq!(place.get("/v1/documents/7").await.1["id"], 7);
    assert_eq!(place.delete("/v1/documents/7").await, StatusCode::NO_CONTENT);
    assert_eq!(place.delete("/v1/documents/7").await, StatusCode::NOT_FOUND);
    let (status, problem) = place.get("/v1/documents/7").await;
    assert_eq!(
        (status, &problem["type"]),
        (StatusCode::NOT_FOUND, &json!("/problems/no-such-document"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_requests_are_problems_with_a_remedy() {
    let place = Place::with(Settings { max_body: 2000, max_rows: 2, ..Settings::default() });
    let mistakes = [
        ("/v1/check", "application/json", "{\"text\":\"a\"}".to_string(), 400, "texts"),
        ("/v1/check", "application/json", "{\"texts\":[1]}".into(), 400, "texts"),
        ("/v1/check?limit=3", "application/json", "{\"texts\":[]}".into(), 400, "limit"),
        ("/v1/check", "text/csv", "a,b".into(), 415, "application/x-ndjson"),
        ("/v1/check", "", "{\"texts\":[]}".into(), 415, "application/x-ndjson"),
        ("/v1/documents", "application/json", "{\"texts\":[\"a\"]}".into(), 400, "documents"),
        (
            "/v1/check",
            "application/json",
            format!("{{\"texts\":[\"{}\"]}}", "a".repeat(3000)),
            413,
            "2000 bytes",
        ),
        ("/v1/check", "application/json", "{\"texts\":[\"a\",\"b\",\"c\"]}".into(), 413, "2 rows"),
        ("/v1/nothing", "application/json", "{}".into(), 404, "/v1/nothing; GET /docs"),
    ];
    for (path, media, body, status, says) in mistakes {
        let request = Request::post(path).header(header::CONTENT_TYPE, media);
        let (found, kind, answer) =
            place.ask(request.body(Body::from(body.clone())).unwrap()).await;
        assert_eq!(
            (found.as_u16(), kind.as_str()),
            (status, "application/problem+json"),
            "{body} {answer}"
        );
        let problem: Value = serde_json::from_str(&answer).unwrap();
        assert!(problem["detail"].as_str().unwrap().contains(says), "{body}: {problem}");
        assert_eq!(problem["status"], status);
    }
    for (path, allow) in [("/v1/check", "POST"), ("/v1/documents/7", "GET, HEAD, DELETE")] {
        let request = Request::patch(path).body(Body::empty()).unwrap();
        let answer = ServiceExt::oneshot(place.server.router(), request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(answer.headers()[header::ALLOW], allow);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_requests_with_one_text_one_is_new() {
    let place = Place::new();
    let offers = (0..16).map(|id| {
        let rows = json!({"documents": [row(&id.to_string(), FERRY)]});
        place.post("/v1/documents?if_new=true", rows)
    });
    let mut news = 0;
    for (_, answer) in join_all(offers).await {
        news += usize::from(answer["results"][0]["status"] == "new");
    }
    assert_eq!(news, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_and_readiness_are_told() {
    let place = Place::new();
    assert_eq!(place.get("/healthz").await, (StatusCode::OK, json!("ok")));
    assert_eq!(place.get("/readyz").await, (StatusCode::OK, json!("ready")));
}
