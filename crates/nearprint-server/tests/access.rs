//! Who may make which call, and what is refused to whom.

mod common;

use std::path::Path;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use common::{FERRY, Place, row};
use nearprint_server::{CALLS, Call, NewToken, Rate, Role, Scope, Server, Settings, make_token};
use serde_json::{Value, json};
use tower::ServiceExt;

/// A server with tokens: one for each role and all collections, and `news`, which may write the
/// collection `news` alone.
struct Guarded {
    place: Place,
    tokens: Vec<(String, Role, String)>,
    file: std::path::PathBuf,
}

impl Guarded {
    fn new() -> Guarded {
        Guarded::with(Settings::default())
    }

    fn with(settings: Settings) -> Guarded {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens.toml");
        let make = |name: &str, role, collections: &[&str]| {
            let collections = collections.iter().map(|name| name.to_string()).collect();
            let new = NewToken { name: name.into(), role, collections, rate: None };
            (name.to_string(), role, make_token(&file, new).unwrap())
        };
        let mut tokens: Vec<_> = Role::ALL.map(|role| make(role.name(), role, &[])).into();
        tokens.push(make("news", Role::Write, &["news"]));
        let server = open(folder.path(), Settings { tokens: Some(file.clone()), ..settings });
        Guarded { place: Place::of(folder, server), tokens, file }
    }

    /// The token of this name.
    fn token(&self, name: &str) -> &str {
        &self.tokens.iter().find(|(own, ..)| own == name).unwrap().2
    }

    async fn ask(&self, request: Request<Body>) -> Response<Body> {
        self.place.server.router().oneshot(request).await.unwrap()
    }

    /// The answer to a request with the header `Authorization`.
    async fn with_header(&self, path: &str, authorization: &str) -> Response<Body> {
        let authorization = HeaderValue::from_bytes(authorization.as_bytes()).unwrap();
        let request = Request::get(path).header(header::AUTHORIZATION, authorization);
        self.ask(request.body(Body::empty()).unwrap()).await
    }
}

fn open(folder: &Path, settings: Settings) -> Server {
    let collections = vec![("news".to_string(), folder.join("news"))];
    common::open(folder, Settings { collections, ..settings }).unwrap()
}

/// A request that makes a call. Names in its path become 1.
fn request(call: &Call, query: &str, token: Option<&str>) -> Request<Body> {
    let parts = call.path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
    let path: Vec<&str> = parts.collect();
    let mut request = Request::builder()
        .method(call.method.clone())
        .uri(format!("{}{query}", path.join("/")))
        .header(header::CONTENT_TYPE, "application/json");
    if let Some(token) = token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    request.body(Body::from("{}")).unwrap()
}

async fn problem(response: Response<Body>) -> Value {
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_is_open_to_its_roles_and_closed_to_others() {
    let guarded = Guarded::new();
    for call in CALLS {
        let name = format!("{} {}", call.method, call.path);
        let Some(needs) = call.needs else { continue };
        let response = guarded.ask(request(call, "", None)).await;
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{name}");
        assert_eq!(response.headers()[header::WWW_AUTHENTICATE], "Bearer realm=\"nearprint\"");
        for role in Role::ALL {
            let token = guarded.token(role.name());
            let response = guarded.ask(request(call, "", Some(token))).await;
            let status = response.status();
            if role.may(needs) {
                let is_reached = ![401, 403, 405].contains(&status.as_u16());
                assert!(is_reached, "{name} as {}: {status}", role.name());
            } else {
                assert_eq!(status, StatusCode::FORBIDDEN, "{name} as {}", role.name());
                let detail = problem(response).await["detail"].to_string();
                assert!(detail.contains(needs.name()), "{detail}");
            }
        }
    }
}

#[test]
fn no_role_but_admin_changes_what_another_role_is_for() {
    for call in CALLS {
        let name = format!("{} {}", call.method, call.path);
        let least = match (call.path, &call.method) {
            (path, _) if path.starts_with("/v1/jobs") => Some(Role::Admin),
            ("/v1/session", &Method::POST) => None,
            (path, _) if !path.starts_with("/v1/") => continue,
            ("/v1/check" | "/v1/compare" | "/v1/fingerprints:check" | "/v1/session", _) => {
                Some(Role::Read)
            }
            (_, &Method::GET) => Some(Role::Read),
            (path, _) if path.starts_with("/v1/documents") => Some(Role::Write),
            _ => Some(Role::Review),
        };
        assert_eq!(call.needs, least, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_one_collection_reaches_no_other() {
    let guarded = Guarded::new();
    let token = guarded.token("news");
    for call in CALLS {
        if call.scope == Scope::Server {
            // It tells of all collections.
            let response = guarded.ask(request(call, "", Some(token))).await;
            assert_eq!(response.status(), StatusCode::FORBIDDEN, "{}", call.path);
            continue;
        }
        if call.scope == Scope::Asker {
            continue;
        }
        if !Role::Write.may(call.needs.unwrap()) {
            continue;
        }
        let name = format!("{} {}", call.method, call.path);
        // Names that are not there are answered as those that are.
        for query in [
            "",
            "?collection=default",
            "?collection=other",
            "?collection=news,default",
            "?collection=",
        ] {
            let response = guarded.ask(request(call, query, Some(token))).await;
            assert_eq!(response.status(), StatusCode::FORBIDDEN, "{name}{query}");
        }
        let response = guarded.ask(request(call, "?collection=news", Some(token))).await;
        assert_ne!(response.status(), StatusCode::FORBIDDEN, "{name}");
    }
    let info = guarded.with_header("/v1/info?collection=news", &format!("Bearer {token}")).await;
    assert_eq!(problem(info).await["collections"], json!(["news"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_token_is_refused() {
    let guarded = Guarded::new();
    let token = guarded.token("admin");
    let short = &token[..token.len() - 1];
    let info = "/v1/info";
    for authorization in [
        "",
        "Bearer",
        "Bearer ",
        token,
        &format!("Basic {token}"),
        &format!("Bearer {short}"),
        &format!("Bearer {token}a"),
        &format!("Bearer {token} {token}"),
        &format!("Bearer\t{token}"),
        &format!("Bearer {}", token.to_uppercase()),
        &format!("Bearer {token}\u{e9}"),
        &format!("Bearer \u{feff}{token}"),
        "Bearer e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ] {
        let response = guarded.with_header(info, authorization).await;
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{authorization}");
    }
    assert_eq!(guarded.with_header(info, &format!("bearer {token}")).await.status(), 200);
    // A token in an address would end in logs.
    for path in [format!("{info}?token={token}"), format!("{info}?access_token={token}")] {
        let response = guarded.ask(Request::get(path).body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    }
    let two = Request::get(info)
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .header(header::AUTHORIZATION, "Bearer x");
    assert_eq!(guarded.ask(two.body(Body::empty()).unwrap()).await.status(), 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_spellings_of_a_path_lead_nowhere() {
    let guarded = Guarded::new();
    let read = format!("Bearer {}", guarded.token("read"));
    for path in [
        "/v1//documents",
        "/v1/documents/",
        "/V1/documents",
        "/v1/%64ocuments",
        "/v1/../v1/documents",
        "/v1/./documents",
        "//v1/documents",
        "/v1/check/../documents",
        "/v1/check%2F..%2Fdocuments",
        "/v1/documents%00",
        "/v1/documents;a=b",
    ] {
        for authorization in [Some(&read), None] {
            let mut request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
            if let Some(read) = authorization {
                request = request.header(header::AUTHORIZATION, read);
            }
            let rows = json!({"documents": [row("a", FERRY)]}).to_string();
            let status = guarded.ask(request.body(Body::from(rows)).unwrap()).await.status();
            assert!([401, 403, 404, 405].contains(&status.as_u16()), "{path}: {status}");
        }
    }
    // The method of a header counts for nothing.
    let request = Request::post("/v1/check")
        .header(header::AUTHORIZATION, &read)
        .header(header::CONTENT_TYPE, "application/json")
        .header("x-http-method-override", "DELETE")
        .body(Body::from("{\"texts\":[]}"));
    assert_eq!(guarded.ask(request.unwrap()).await.status(), 200);
    // An id is an id, whatever it looks like.
    for id in ["..", "%2e%2e", "%2e%2e%2f%2e%2e", "a%2Fnear", "%00", "%ff"] {
        let path = format!("/v1/documents/{id}");
        let request = Request::delete(&path).header(header::AUTHORIZATION, &read);
        let status = guarded.ask(request.body(Body::empty()).unwrap()).await.status();
        assert!([403, 404].contains(&status.as_u16()), "{path}: {status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_was_removed_from_the_file_ends_with_its_sessions() {
    let guarded = Guarded::new();
    let (_, cookie) = log_in(&guarded, "localhost", guarded.token("read")).await;
    let by_cookie = || {
        let request = Request::get("/v1/info").header(header::HOST, "localhost");
        guarded.ask(request.header(header::COOKIE, &cookie).body(Body::empty()).unwrap())
    };
    assert_eq!(by_cookie().await.status(), 200);
    std::fs::write(&guarded.file, "").unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!(by_cookie().await.status(), 401);
    let header = format!("Bearer {}", guarded.token("admin"));
    assert_eq!(guarded.with_header("/v1/info", &header).await.status(), 401);
}

/// The answer to a log-in, and the cookie that it set without its attributes.
async fn log_in(guarded: &Guarded, host: &str, token: &str) -> (String, String) {
    let request = Request::post("/v1/session")
        .header(header::HOST, host)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(json!({"token": token}).to_string()));
    let response = guarded.ask(request.unwrap()).await;
    assert_eq!(response.status(), StatusCode::OK);
    let set = response.headers()[header::SET_COOKIE].to_str().unwrap().to_string();
    let cookie = set.split(';').next().unwrap().to_string();
    (set, cookie)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_logs_in_and_out_and_other_sites_cannot_use_its_session() {
    let guarded = Guarded::new();
    for (host, name, is_secure) in
        [("127.0.0.1:8080", "nearprint=", false), ("seen.example", "__Host-nearprint=", true)]
    {
        let (set, cookie) = log_in(&guarded, host, guarded.token("write")).await;
        assert!(set.starts_with(name) && set.contains("HttpOnly; SameSite=Strict"), "{set}");
        assert_eq!(set.contains("Secure"), is_secure, "{set}");
        assert!(!set.contains(guarded.token("write")));
        let ask = |method: Method, path: &str, headers: &[(&str, &str)]| {
            let mut request = Request::builder().method(method).uri(path);
            request = request.header(header::HOST, host).header(header::COOKIE, &cookie);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let rows = json!({"documents": [row("a", FERRY)]}).to_string();
            guarded.ask(request.body(Body::from(rows)).unwrap())
        };
        let documents = "/v1/documents";
        let who = problem(ask(Method::GET, "/v1/session", &[]).await).await;
        assert_eq!((&who["name"], &who["role"]), (&json!("write"), &json!("write")));
        assert_eq!(who["collections"], json!(["default", "news"]));
        let json = ("content-type", "application/json");
        let own = [json, ("sec-fetch-site", "same-origin")];
        assert_eq!(ask(Method::POST, documents, &own).await.status(), 200);
        // A fetch, and a form; older browsers send the origin alone.
        let form = ("content-type", "application/x-www-form-urlencoded");
        for media in [json, form, ("content-type", "text/plain")] {
            for other in [
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-site", "same-site"),
                ("origin", "https://evil.example"),
                ("origin", "http://127.0.0.1:9"),
                ("origin", "null"),
            ] {
                for path in [documents, "/v1/jobs/1/resume", "/v1/session"] {
                    let answer = ask(Method::POST, path, &[media, other]).await;
                    assert_eq!(answer.status(), 403, "{path} {media:?} {other:?}");
                }
            }
        }
        assert_eq!(ask(Method::POST, documents, &[form]).await.status(), 415);
        let other = [json, ("authorization", "Bearer x")];
        assert_eq!(ask(Method::POST, documents, &other).await.status(), 401);
        let out = ask(Method::DELETE, "/v1/session", &[]).await;
        assert_eq!(out.status(), StatusCode::NO_CONTENT);
        let set = out.headers()[header::SET_COOKIE].to_str().unwrap();
        assert!(set.contains("Max-Age=0"), "{set}");
        assert_eq!(ask(Method::GET, "/v1/session", &[]).await.status(), 401);
    }
    let request = Request::post("/v1/session").header(header::CONTENT_TYPE, "application/json");
    let response = guarded.ask(request.body(Body::from("{\"token\":\"\"}")).unwrap()).await;
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert!(!response.headers().contains_key(header::SET_COOKIE));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_neither_reads_nor_changes() {
    let place = Place::new();
    let ask = |method: &str, headers: &[(&str, &str)]| {
        let mut request = Request::builder().method(method).uri("/v1/documents");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let rows = json!({"documents": [row("a", FERRY)]}).to_string();
        let router = place.server.router();
        let request = request.body(Body::from(rows)).unwrap();
        async move { router.oneshot(request).await.unwrap() }
    };
    let json = ("content-type", "application/json");
    let evil = ("host", "evil.example");
    assert_eq!(ask("POST", &[json, evil]).await.status(), StatusCode::MISDIRECTED_REQUEST);
    let local = ("host", "localhost:8080");
    for (headers, status) in [
        (vec![json, local, ("origin", "https://evil.example")], 403),
        (vec![json, local, ("origin", "null")], 403),
        (vec![json, local, ("sec-fetch-site", "cross-site")], 403),
        (vec![("content-type", "text/plain"), local], 415),
        (vec![("content-type", "application/x-www-form-urlencoded"), local], 415),
        (vec![("content-type", "multipart/form-data; boundary=x"), local], 415),
        (vec![("content-length", "9"), local], 415),
        (vec![("content-type", "Application/JSON; charset=utf-8"), local], 200),
        (vec![json, local, ("origin", "http://localhost:8080")], 200),
        (vec![json, local], 200),
    ] {
        assert_eq!(ask("POST", &headers).await.status().as_u16(), status, "{headers:?}");
    }
    // It makes no question either: questions take time.
    let cross = [local, ("sec-fetch-site", "cross-site")];
    assert_eq!(ask("GET", &cross).await.status(), StatusCode::FORBIDDEN);
    let preflight = [
        local,
        ("origin", "https://evil.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type"),
    ];
    let response = ask("OPTIONS", &preflight).await;
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
    assert_eq!(response.headers()["cache-control"], "no-store");
    let names = response.headers().keys();
    assert!(names.into_iter().all(|name| !name.as_str().starts_with("access-control")));
    assert_eq!(response.headers()["cross-origin-resource-policy"], "same-origin");
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_come_too_fast_are_refused_with_the_time_to_wait() {
    let rate = Some(Rate::new(1, Some(4)));
    let guarded = Guarded::with(Settings { rate, ..Settings::default() });
    let check = |name: &str, texts: usize| {
        let texts = json!({"texts": vec![FERRY; texts]});
        let request = Request::post("/v1/check")
            .header(header::AUTHORIZATION, format!("Bearer {}", guarded.token(name)))
            .header(header::CONTENT_TYPE, "application/json");
        guarded.ask(request.body(Body::from(texts.to_string())).unwrap())
    };
    assert_eq!(check("read", 50).await.status(), 200);
    let refused = check("read", 1).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let wait: u64 = refused.headers()[header::RETRY_AFTER].to_str().unwrap().parse().unwrap();
    assert!((40..=47).contains(&wait), "{wait}");
    // Another token has rows of its own.
    assert_eq!(check("review", 1).await.status(), 200);

    // Without tokens each address has.
    let folder = tempfile::tempdir().unwrap();
    let server = open(folder.path(), Settings { rate, ..Settings::default() });
    let ask = |address: [u8; 4]| {
        let address = std::net::SocketAddr::from((address, 1));
        let request = Request::get("/v1/info").extension(ConnectInfo(address));
        let router = server.router();
        async move { router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status() }
    };
    let mut refused = false;
    for _ in 0..1000 {
        refused = refused || ask([127, 0, 0, 1]).await == StatusCode::TOO_MANY_REQUESTS;
    }
    assert!(refused);
    assert_eq!(ask([127, 0, 0, 2]).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_a_request_has_counts_as_rows() {
    let rate = Some(Rate::new(1, Some(4)));
    let guarded = Guarded::with(Settings { rate, ..Settings::default() });
    let post = |name: &str, path: &str, body: Value| {
        let request = Request::post(path)
            .header(header::AUTHORIZATION, format!("Bearer {}", guarded.token(name)))
            .header(header::CONTENT_TYPE, "application/json");
        guarded.ask(request.body(Body::from(body.to_string())).unwrap())
    };
    let text = "the tide table ".repeat(20_000);
    let verdict = json!({"pair": 1, "verdict": "right"});
    for (name, path, body) in [
        ("read", "/v1/fingerprints:check", json!({"fingerprints": vec!["0".repeat(64); 50]})),
        ("write", "/v1/compare", json!({"left": {"text": text}, "right": {"text": FERRY}})),
        ("review", "/v1/pairs/verdicts", json!({"verdicts": vec![verdict; 50]})),
    ] {
        assert_eq!(post(name, path, body.clone()).await.status(), 200, "{path}");
        assert_eq!(post(name, path, body).await.status(), 429, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_end_with_their_token() {
    let guarded = Guarded::new();
    let request = Request::get("/v1/stories")
        .header(header::AUTHORIZATION, format!("Bearer {}", guarded.token("read")))
        .header(header::ACCEPT, "text/event-stream");
    let response = guarded.ask(request.body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::OK);
    let file = std::fs::read_to_string(&guarded.file).unwrap();
    let others = file.split("[[token]]").filter(|row| !row.contains("name = \"read\""));
    std::fs::write(&guarded.file, others.collect::<Vec<_>>().join("[[token]]")).unwrap();
    let whole = axum::body::to_bytes(response.into_body(), usize::MAX);
    tokio::time::timeout(std::time::Duration::from_secs(20), whole).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_holds_its_places_until_its_answers_are_read() {
    let guarded = Guarded::with(Settings { max_token_requests: 2, ..Settings::default() });
    let events = || {
        let request = Request::get("/v1/stories")
            .header(header::AUTHORIZATION, format!("Bearer {}", guarded.token("read")))
            .header(header::ACCEPT, "text/event-stream");
        guarded.ask(request.body(Body::empty()).unwrap())
    };
    let (one, other) = (events().await, events().await);
    assert_eq!((one.status(), other.status()), (StatusCode::OK, StatusCode::OK));
    assert_eq!(events().await.status(), StatusCode::TOO_MANY_REQUESTS);
    drop(one);
    assert_eq!(events().await.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sends_a_body_before_being_admitted() {
    let guarded = Guarded::new();
    let ask = |path: &str, token: Option<&str>, length: u64| {
        let mut request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        guarded.ask(request.body(Body::new(NeverSent(length))).unwrap())
    };
    let documents = "/v1/documents";
    assert_eq!(ask(documents, None, 9).await.status(), 401);
    assert_eq!(ask(documents, Some(guarded.token("read")), 9).await.status(), 403);
    assert_eq!(ask(documents, Some(guarded.token("news")), 9).await.status(), 403);
    assert_eq!(ask(documents, Some(guarded.token("write")), (16 << 20) + 1).await.status(), 413);
    // Somebody unknown sends no more than a token needs.
    assert_eq!(ask("/v1/session", None, 4097).await.status(), 413);
}

/// A body of so many bytes, whose sender is silent.
struct NeverSent(u64);

impl axum::body::HttpBody for NeverSent {
    type Data = axum::body::Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Self::Data>, Self::Error>>> {
        std::task::Poll::Pending
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        hyper::body::SizeHint::with_exact(self.0)
    }
}
