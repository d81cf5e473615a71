//! Bodies and paths from outside, damaged or made up. Every request is answered in time, and no
//! fault of a caller is called one of the server.
//!
//! A target takes a second, or the seconds of `NEARPRINT_FUZZ_SECONDS`. `PROPTEST_RNG_SEED` fixes
//! the inputs. A failure prints its smallest input: turn it into a test.

mod common;

use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use common::Place;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use tower::ServiceExt;

/// The longest time of an answer. The machine may do other work.
const LONGEST: Duration = Duration::from_secs(20);

/// The number of requests between two looks at the clock.
const TOGETHER: u32 = 50;

/// Calls that take a body. Those that a server does not have answer 404 or 405.
const CALLS: [(&str, &str); 12] = [
    ("POST", "/v1/check"),
    ("POST", "/v1/check?top=3"),
    ("POST", "/v1/documents"),
    ("POST", "/v1/documents?if_new=true"),
    ("POST", "/v1/documents?mode=update"),
    ("POST", "/v1/compare"),
    ("POST", "/v1/fingerprints:check"),
    ("POST", "/v1/pairs/verdicts"),
    ("PUT", "/v1/pairs/1/verdict"),
    ("PUT", "/v1/stories/1/keeper"),
    ("POST", "/v1/jobs"),
    ("POST", "/v1/session"),
];

const MEDIA: [&str; 6] = [
    "application/json",
    "application/x-ndjson",
    "application/json; charset=utf-8",
    "text/csv",
    "text/plain",
    "",
];

/// Bodies that are right, to be damaged.
const RIGHT: [&str; 8] = [
    r#"{"texts":["The ferry returns on Monday after eleven weeks of repairs.","石桥镇的老桥上个月拆下了第一块石板。"]}"#,
    r#"{"documents":[{"id":"a","text":"The ferry returns on Monday.","title":"t"},{"id":7,"text":""}]}"#,
    "{\"id\":\"a\",\"text\":\"one line\"}\n\n{\"id\":18446744073709551615,\"text\":\"another\"}\n",
    r#"{"left":{"text":"one"},"right":{"id":"a"}}"#,
    r#"{"fingerprints":["00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff"]}"#,
    r#"{"verdicts":[{"pair":1,"verdict":"right"},{"pair":2,"verdict":"later"}]}"#,
    r#"{"verdict":"wrong","keeper":"left"}"#,
    "left,right,verdict\na,b,right\n",
];

/// Pieces that parsers stumble over.
const ODD: [&str; 18] = [
    "\u{0}",
    "\u{feff}",
    r"\u0000",
    r"\ud800",
    r"\ud800\udc00",
    r"\uDFFF",
    "1e999999",
    "-0",
    "99999999999999999999999999999999",
    "NaN",
    "null",
    "true",
    "\"",
    "\\",
    "{}",
    "[]",
    "\r\n",
    "\u{2028}",
];

/// A change of a body.
#[derive(Debug, Clone)]
enum Damage {
    /// This byte at this part of the length.
    Byte(f64, u8),
    /// An odd piece at this part of the length.
    Odd(f64, usize),
    /// The rest is missing.
    Cut(f64),
    /// The part between the two is there twice.
    Twice(f64, f64),
    /// A value this deep at this part of the length.
    Deep(f64, u16, bool),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (0.0..1.0, any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        (0.0..1.0, 0..ODD.len()).prop_map(|(at, odd)| Damage::Odd(at, odd)),
        (0.0..1.0).prop_map(Damage::Cut),
        (0.0..1.0, 0.0..1.0).prop_map(|(from, to)| Damage::Twice(from, to)),
        (0.0..1.0, any::<u16>(), any::<bool>())
            .prop_map(|(at, deep, of)| Damage::Deep(at, deep, of)),
    ]
}

impl Damage {
    fn to(&self, body: &mut Vec<u8>) {
        let place = |part: f64| (part * (body.len() + 1) as f64) as usize;
        match *self {
            Damage::Byte(at, byte) => {
                let at = place(at).min(body.len().saturating_sub(1));
                if let Some(old) = body.get_mut(at) {
                    *old = byte;
                }
            }
            Damage::Odd(at, odd) => {
                let at = place(at);
                body.splice(at..at, ODD[odd].bytes());
            }
            Damage::Cut(at) => body.truncate(place(at)),
            Damage::Twice(from, to) => {
                let (from, to) = (place(from.min(to)), place(from.max(to)));
                let part = body[from..to].to_vec();
                body.splice(to..to, part);
            }
            Damage::Deep(at, deep, of_lists) => {
                let piece = if of_lists { "[" } else { "{\"a\":" }.repeat(usize::from(deep));
                let at = place(at);
                body.splice(at..at, piece.bytes());
            }
        }
    }
}

fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let damaged = (0..RIGHT.len(), vec(damage(), 0..4)).prop_map(|(right, changes)| {
        let mut body = RIGHT[right].as_bytes().to_vec();
        changes.iter().for_each(|change| change.to(&mut body));
        body
    });
    prop_oneof![6 => damaged, 1 => vec(any::<u8>(), 0..300)]
}

/// A request, and what makes it.
#[derive(Debug, Clone)]
struct Asked {
    method: &'static str,
    path: String,
    media: &'static str,
    body: Vec<u8>,
}

struct Target {
    runtime: tokio::runtime::Runtime,
    place: Place,
}

impl Target {
    fn new() -> Target {
        Target { runtime: tokio::runtime::Runtime::new().unwrap(), place: Place::new() }
    }

    /// Asks, and checks the answer.
    fn ask(&self, asked: &Asked) -> Result<(), TestCaseError> {
        let request = Request::builder().method(asked.method).uri(&asked.path);
        let request = request.header(header::HOST, "127.0.0.1:8080");
        let request = request.header(header::CONTENT_TYPE, asked.media);
        // A path that is no address never reaches a server.
        let Ok(request) = request.body(Body::from(asked.body.clone())) else { return Ok(()) };
        let (status, media, body) = self
            .runtime
            .block_on(async {
                let answer = async {
                    let answer = self.place.server.router().oneshot(request).await.unwrap();
                    let status = answer.status().as_u16();
                    let media = answer.headers().get(header::CONTENT_TYPE).cloned();
                    (status, media, to_bytes(answer.into_body(), usize::MAX).await.unwrap())
                };
                tokio::time::timeout(LONGEST, answer).await
            })
            .map_err(|_| TestCaseError::fail("no answer came"))?;
        let told = String::from_utf8_lossy(&body);
        prop_assert!(status < 500, "{}: {}", status, told);
        if status >= 400 {
            let media = media.map_or(String::new(), |media| media.to_str().unwrap().to_string());
            prop_assert_eq!(media, "application/problem+json", "{}", told);
            let problem: Value = serde_json::from_slice(&body).unwrap();
            prop_assert_eq!(&problem["status"], status);
            prop_assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
        }
        Ok(())
    }
}

/// Tries random requests for the seconds that the environment says.
fn tried(inputs: impl Strategy<Value = Asked>) {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let time = Duration::from_secs(number("NEARPRINT_FUZZ_SECONDS").unwrap_or(1));
    let now = || std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as u64);
    let first = number("PROPTEST_RNG_SEED").unwrap_or_else(now);
    let (target, begun) = (Target::new(), Instant::now());
    for batch in 0.. {
        let seed = first.wrapping_add(batch);
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let cases = Cases { cases: TOGETHER, failure_persistence: None, ..Cases::default() };
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(cases, random);
        if let Err(error) = runner.run(&inputs, |asked| target.ask(&asked)) {
            panic!("with PROPTEST_RNG_SEED={seed}: {error}");
        }
        if begun.elapsed() >= time {
            break;
        }
    }
}

#[test]
fn any_body_is_answered_and_never_by_a_fault_of_the_server() {
    let inputs = (0..CALLS.len(), 0..MEDIA.len(), bodies()).prop_map(|(call, media, body)| {
        let (method, path) = CALLS[call];
        Asked { method, path: path.to_string(), media: MEDIA[media], body }
    });
    tried(inputs);
}

#[test]
fn any_path_and_parameters_are_answered_and_never_by_a_fault_of_the_server() {
    let method = prop_oneof![Just("GET"), Just("POST"), Just("PUT"), Just("DELETE"), Just("PATCH")];
    let call = prop_oneof![
        Just("/v1/documents"),
        Just("/v1/check"),
        Just("/v1/stories"),
        Just("/v1/pairs"),
        Just("/v1/pairs.csv"),
        Just("/v1/jobs"),
        Just("/v1/info"),
        Just("/metrics"),
        Just("")
    ];
    let piece = prop_oneof![
        vec(any::<u8>(), 0..6).prop_map(|bytes| {
            bytes.iter().map(|byte| format!("%{byte:02X}")).collect::<String>()
        }),
        "[a-z0-9%/.;:,*~!-]{0,12}",
        Just("18446744073709551616".to_string()),
        Just("-1".to_string()),
    ];
    let name = prop_oneof![
        Just("top"),
        Just("limit"),
        Just("after"),
        Just("since"),
        Just("within"),
        Just("where"),
        Just("q"),
        Just("status"),
        Just("order"),
        Just("collection"),
        Just("if_new"),
        Just("same"),
        Just("other")
    ];
    let parameters = vec((name, piece.clone()), 0..3).prop_map(|parameters| {
        parameters
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join("&")
    });
    let inputs = (method, call, vec(piece, 0..3), parameters).prop_map(
        |(method, call, pieces, parameters)| {
            let path = [call.to_string()].into_iter().chain(pieces).collect::<Vec<_>>().join("/");
            let path = if path.starts_with('/') { path } else { format!("/{path}") };
            let query =
                if parameters.is_empty() { String::new() } else { format!("?{parameters}") };
            Asked {
                method,
                path: path + &query,
                media: "application/json",
                body: b"{\"texts\":[\"a\"]}".to_vec(),
            }
        },
    );
    tried(inputs);
}
