//! Modes of adding, filters, stories, pairs and verdicts.

mod common;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use common::{FERRY, LIBRARY, Place, row};
use nearprint_server::Settings;
use serde_json::{Value, json};

fn copy() -> String {
    FERRY.replace("cardamom", "cinnamon")
}

/// Adds documents, and returns the status of each.
async fn add(place: &Place, how: &str, rows: &[Value]) -> Vec<String> {
    let (status, answer) =
        place.post(&format!("/v1/documents?{how}"), json!({"documents": rows})).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| result["status"].as_str().unwrap().to_string()).collect()
}

async fn put(place: &Place, path: &str, body: Value) -> (StatusCode, Value) {
    let request = Request::put(path).header(header::CONTENT_TYPE, "application/json");
    let (status, _, body) = place.ask(request.body(Body::from(body.to_string())).unwrap()).await;
    (status, serde_json::from_str(&body).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_becomes_a_copy_of_a_story() {
    let place = Place::new();
    let rows = [row("a", FERRY), row("b", &copy()), row("c", LIBRARY)];
    assert_eq!(add(&place, "if_new=true", &rows).await, ["new", "duplicate", "new"]);
    let (_, shown) = place.get("/v1/documents/b").await;
    assert_eq!(
        (&shown["hidden"], &shown["story"], &shown["seen"]),
        (&json!(true), &json!(0), &json!(2))
    );
    assert!(shown["added"].as_str().unwrap().ends_with('Z'), "{shown}");
    let (_, story) = place.get("/v1/stories/0").await;
    assert_eq!((&story["keeper"]["id"], &story["copies"][0]["id"]), (&json!("a"), &json!("b")));
    assert_eq!(story["copies"][0]["fields"]["title"], "about b");
    let (_, stories) = place.get("/v1/stories").await;
    assert_eq!(stories["stories"].as_array().unwrap().len(), 1, "{stories}");
    let (_, near) = place.get("/v1/documents/b/near").await;
    assert_eq!(
        (&near["duplicates"][0]["id"], near["duplicates"].as_array().unwrap().len()),
        (&json!("a"), 1)
    );
    assert_eq!(add(&place, "mode=skip", &[row("d", FERRY)]).await, ["duplicate"]);
    assert_eq!(place.get("/v1/documents/d").await.0, StatusCode::NOT_FOUND);
    assert_eq!(add(&place, "mode=update", &[row("e", FERRY)]).await, ["replaced"]);
    let (_, story) = place.get("/v1/stories/0").await;
    assert_eq!((&story["keeper"]["id"], &story["seen"]), (&json!("e"), &json!(3)));
    let (status, story) = put(&place, "/v1/stories/0/keeper", json!({"id": "b"})).await;
    assert_eq!((status, &story["keeper"]["id"]), (StatusCode::OK, &json!("b")));
    let (status, problem) = put(&place, "/v1/stories/0/keeper", json!({"id": "c"})).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "{problem}");
    assert_eq!(place.get("/v1/stories/77").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_counts_in_later_answers_until_it_is_opened_again() {
    let place = Place::new();
    add(&place, "if_new=true", &[row("a", FERRY), row("b", &copy())]).await;
    let (_, queue) = place.get("/v1/pairs").await;
    assert_eq!((&queue["open"], &queue["pairs"][0]["status"]), (&json!(1), &json!("open")));
    let ids = ["left", "right"].map(|side| queue["pairs"][0][side]["id"].clone());
    assert_eq!(ids, ["b", "a"]);
    let (_, judged) = put(&place, "/v1/pairs/1/verdict", json!({"verdict": "wrong"})).await;
    assert_eq!((&judged["status"], &judged["left"]["hidden"]), (&json!("wrong"), &json!(false)));
    let asked = json!({"documents": [row("b", &copy())]});
    let (_, checked) = place.post("/v1/check", asked.clone()).await;
    assert_eq!(checked["results"][0]["duplicates"].as_array().unwrap().len(), 1, "only itself");
    assert_eq!(add(&place, "if_new=true", &[row("b", &copy())]).await, ["unchanged"]);
    put(&place, "/v1/pairs/1/verdict", json!({"verdict": "open"})).await;
    let (_, checked) = place.post("/v1/check", asked).await;
    assert_eq!(checked["results"][0]["duplicates"][0]["id"], "a");
    // A request that is sent again changes nothing.
    for _ in 0..2 {
        let other = json!({"verdict": "right", "keeper": "b"});
        let (_, judged) = put(&place, "/v1/pairs/1/verdict", other).await;
        assert_eq!((&judged["left"]["id"], &judged["right"]["id"]), (&json!("a"), &json!("b")));
        assert_eq!(judged["left"]["hidden"], json!(true));
    }
    for (path, body, status) in [
        ("/v1/pairs/9/verdict", json!({"verdict": "right"}), StatusCode::NOT_FOUND),
        ("/v1/pairs/1/verdict", json!({"verdict": "maybe"}), StatusCode::BAD_REQUEST),
        (
            "/v1/pairs/1/verdict",
            json!({"verdict": "wrong", "keeper": "a"}),
            StatusCode::BAD_REQUEST,
        ),
        ("/v1/pairs/1/verdict", json!({"verdict": "right", "keeper": "c"}), StatusCode::NOT_FOUND),
    ] {
        assert_eq!(put(&place, path, body).await.0, status, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn verdicts_go_and_come_as_a_file() {
    let place = Place::new();
    let rows = [row("a", FERRY), row("b", &copy()), row("c", FERRY)];
    add(&place, "if_new=true", &rows).await;
    let verdicts = json!({"verdicts": [{"pair": 1, "verdict": "right"}, {"left": "a", "right": "c", "verdict": "later"}, {"pair": 7, "verdict": "right"}]});
    let (_, answer) = place.post("/v1/pairs/verdicts", verdicts).await;
    let status = |place: usize| answer["results"][place]["status"].as_str().unwrap().to_string();
    assert_eq!([0, 1, 2].map(status), ["right", "later", "error"], "{answer}");
    let get = Request::get("/v1/pairs.csv").body(Body::empty()).unwrap();
    let (_, media, file) = place.ask(get).await;
    assert!(media.starts_with("text/csv"));
    let lines: Vec<&str> = file.lines().collect();
    assert_eq!(lines[0], "pair,left,right,verdict,similarity,reason,left_text,right_text");
    assert!(
        lines[1].starts_with("1,b,a,right,0.9") && lines[2].starts_with("2,c,a,later,1"),
        "{file}"
    );
    let post = Request::post("/v1/pairs/verdicts").header(header::CONTENT_TYPE, "text/csv");
    let (status, _, said) =
        place.ask(post.body(Body::from(file.replace("right,0", "wrong,0"))).unwrap()).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    let (_, pair) = place.get("/v1/pairs/1").await;
    assert_eq!(pair["status"], "wrong");
    let post = Request::post("/v1/pairs/verdicts").header(header::CONTENT_TYPE, "text/csv");
    let (status, _, said) =
        place.ask(post.body(Body::from("pair,verdict\n1,maybe\n")).unwrap()).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(said.contains("row 1") && said.contains("maybe"), "{said}");
    let post = Request::post("/v1/pairs/verdicts").header(header::CONTENT_TYPE, "text/csv");
    let (status, _, said) = place.ask(post.body(Body::from("{}")).unwrap()).await;
    assert!(status == StatusCode::BAD_REQUEST && said.contains("no column verdict"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_polled_and_come_as_events() {
    let place = Place::new();
    add(&place, "if_new=true", &[row("a", FERRY), row("c", LIBRARY)]).await;
    let (_, all) = place.get("/v1/stories?since=2020-01-01").await;
    assert_eq!(all["stories"].as_array().unwrap().len(), 2, "{all}");
    let next = all["next"].as_str().unwrap();
    let path = format!("/v1/stories?after={next}");
    assert_eq!(place.get(&path).await.1["stories"], json!([]));
    add(&place, "if_new=true", &[row("b", &copy())]).await;
    let (_, changed) = place.get(&path).await;
    assert_eq!(
        (&changed["stories"][0]["story"], &changed["stories"][0]["seen"]),
        (&json!(0), &json!(2))
    );
    place.delete("/v1/documents/c").await;
    let (_, changed) = place.get(&path).await;
    assert_eq!(changed["stories"][1], json!({"story": 1, "ended": true}));
    let events = Request::get("/v1/stories").header(header::ACCEPT, "text/event-stream");
    let events = events.header("last-event-id", next).body(Body::empty()).unwrap();
    let answer = tower::ServiceExt::oneshot(place.server.router(), events).await.unwrap();
    let mut body = answer.into_body().into_data_stream();
    let first = futures_util::StreamExt::next(&mut body).await.unwrap().unwrap();
    let first = String::from_utf8(first.to_vec()).unwrap();
    assert!(first.starts_with("event: story\nid: ") && first.contains("\"seen\":2"), "{first}");
    for (query, said) in [
        ("since=soon", "since"),
        ("after=x", "x is not a cursor"),
        ("limit=0", "limit is 0"),
        ("limit=many", "limit: invalid digit"),
        ("after=0-0&before=1", "exclude one another"),
        // The index may be an older copy, whose client has seen later changes.
        ("after=0-99", "begin with since=TIME"),
        ("after=99-0", "begin with since=TIME"),
    ] {
        let (status, problem) = place.get(&format!("/v1/stories?{query}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query}");
        assert!(problem["detail"].as_str().unwrap().contains(said), "{problem}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_on_other_documents_or_texts_than_were_judged_is_refused() {
    let place = Place::with_texts(Settings::default());
    add(&place, "if_new=true", &[row("a", FERRY), row("b", &copy())]).await;
    let get = Request::get("/v1/pairs.csv").body(Body::empty()).unwrap();
    let (_, _, file) = place.ask(get).await;
    let judge = async |file: String| {
        let post = Request::post("/v1/pairs/verdicts").header(header::CONTENT_TYPE, "text/csv");
        let (_, _, said) = place.ask(post.body(Body::from(file)).unwrap()).await;
        said
    };
    let judged = file.replace("1,b,a,,", "1,b,a,right,");
    assert!(judge(judged.clone()).await.contains("\"status\":\"right\""));
    let said = judge(judged.replace("1,b,", "1,c,")).await;
    assert!(said.contains("pair 1 is of b and a"), "{said}");
    // With another text the copy is judged again.
    add(&place, "if_new=true", &[row("b", &format!("{} Dogs travel free.", copy()))]).await;
    let said = judge(judged).await;
    assert!(said.contains("the text of b has changed since"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_that_are_sent_again_are_the_same_copies() {
    let place = Place::new();
    let other = |word| FERRY.replace("cardamom", word);
    let rows: Vec<Value> = ["cinnamon", "saffron", "almond", "poppy seed", "raisin", "cherry"]
        .iter()
        .map(|word| row(word, &other(word)))
        .collect();
    let first = json!({"documents": rows});
    let path = "/v1/documents?if_new=true&top=1";
    let (_, before) = place.post(path, first.clone()).await;
    let (_, after) = place.post(path, first).await;
    assert_eq!(before["results"][5]["status"], "duplicate", "{before}");
    assert_eq!(
        before["results"].as_array().unwrap()[1..],
        after["results"].as_array().unwrap()[1..]
    );
    let (status, problem) =
        place.post(&format!("{path}&mode=skip"), json!({"documents": []})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_stories_goes_on_after_one_that_has_ended() {
    let place = Place::new();
    add(&place, "if_new=true", &[row("a", FERRY), row("b", &copy()), row("c", LIBRARY)]).await;
    place.delete("/v1/documents/c").await;
    let (_, page) = place.get("/v1/stories?limit=1").await;
    assert_eq!(page["stories"], json!([]));
    let (_, page) = place.get(&format!("/v1/stories?limit=1&before={}", page["before"])).await;
    assert_eq!(page["stories"][0]["story"], 0, "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_about_some_documents_and_words_find_them() {
    let place = Place::new();
    add(&place, "", &[row("a", FERRY), row("b", &copy())]).await;
    let check = json!({"texts": [FERRY]});
    let ids = |answer: &Value| {
        let found = answer["results"][0]["duplicates"].as_array().unwrap();
        found.iter().map(|found| found["id"].as_str().unwrap()).collect::<String>()
    };
    let (_, all) = place.post("/v1/check", check.clone()).await;
    assert_eq!(ids(&all), "ab");
    let (_, some) = place.post("/v1/check?where=title:about%20b", check.clone()).await;
    assert_eq!(ids(&some), "b");
    let two = "/v1/check?where=title:about%20b&where=title:about%20a&within=1h";
    assert_eq!(ids(&place.post(two, check.clone()).await.1), "ab");
    for (path, says) in [
        ("/v1/check?where=author:me", "no field"),
        ("/v1/check?same=title", "rows"),
        ("/v1/check?wihtin=7d", "within"),
        ("/v1/check?within=soon", "90s"),
    ] {
        let (status, problem) = place.post(path, check.clone()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}");
        assert!(problem["detail"].as_str().unwrap().contains(says), "{problem}");
    }
    let rows = json!({"documents": [row("q", FERRY)]});
    assert_eq!(ids(&place.post("/v1/check?same=title", rows).await.1), "");
    let (_, found) = place.get("/v1/documents?q=ABOUT%20b").await;
    assert_eq!((&found["documents"][0]["id"], &found["of"]), (&json!("b"), &json!(2)), "{found}");
}
