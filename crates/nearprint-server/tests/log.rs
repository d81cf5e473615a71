//! The lines of the log.

mod common;

use std::io::Write;
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use nearprint_server::{Log, LogFormat, NewToken, Role, Settings, make_token};
use serde_json::Value;
use tower::ServiceExt;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_names_the_call_and_no_text_id_or_parameter() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.toml");
    let new = NewToken { name: "feed".into(), role: Role::Write, collections: vec![], rate: None };
    let token = make_token(&file, new).unwrap();
    let settings =
        Settings { log_format: LogFormat::Json, tokens: Some(file), ..Settings::default() };
    let lines = Lines::default();
    let log = Log::to(&settings, lines.clone());
    let server = common::open(folder.path(), settings).unwrap();
    let body =
        "{\"documents\":[{\"id\":\"secret-1\",\"text\":\"secret words\"},{\"id\":\"secret-2\"}]}";
    for request in [
        Request::post("/v1/documents").body(Body::from(body)),
        Request::get("/v1/documents/secret-1").header("X-Request-Id", "own/1").body(Body::empty()),
        Request::get("/v1/secret?token=secret").body(Body::empty()),
        Request::post("/v1/check?secret=1").body(Body::from("{\"texts\":[\"secret\"]}")),
    ] {
        let mut request = request.unwrap();
        let json = "application/json".parse().unwrap();
        request.headers_mut().insert(header::CONTENT_TYPE, json);
        let bearer = format!("Bearer {token}").parse().unwrap();
        request.headers_mut().insert(header::AUTHORIZATION, bearer);
        let answer = server.router().oneshot(request).await.unwrap();
        to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    }
    drop(log);
    let lines = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(!lines.contains("secret") && !lines.contains(&token), "{lines}");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let shown = |line: &Value| {
        let Value::Object(line) = line else { panic!("{line}") };
        let own = ["call", "status", "rows", "problem", "token"];
        let own = own.map(|name| line.get(name).map_or("-".to_string(), Value::to_string));
        own.join(" ")
    };
    assert_eq!(
        lines.iter().map(shown).collect::<Vec<_>>(),
        [
            "\"POST /v1/documents\" 200 2 - \"feed\"",
            "\"GET /v1/documents/{id}\" 200 0 - \"feed\"",
            "\"other\" 404 0 \"no-such-call\" -",
            "\"POST /v1/check\" 400 0 \"parameter\" \"feed\"",
        ]
    );
    assert_eq!((&lines[0]["received"], &lines[1]["id"]), (&body.len().into(), &"own/1".into()));
    assert!(lines[0]["sent"].as_u64().unwrap() > 10 && lines[0]["ms"].as_f64().unwrap() > 0.0);
    assert!(lines[0]["timestamp"].as_str().unwrap().ends_with('Z'), "{}", lines[0]);
}
