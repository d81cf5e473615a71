//! Slow, idle and many clients, over real connections.

mod sockets;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use nearprint_server::Settings;
use sockets::{ENOUGH, Running};

/// A request with a body in JSON. `length` is that in its head.
fn request(method: &str, path: &str, body: &str, length: usize) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
}

fn send(stream: &mut TcpStream, method: &str, path: &str, body: &str) {
    stream.write_all(request(method, path, body, body.len()).as_bytes()).unwrap();
}

/// The head of the next answer, in small letters.
fn answer_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap().to_lowercase()
}

/// The status and the body of the next answer.
fn answer(stream: &mut TcpStream) -> (u16, String) {
    let head = answer_head(stream);
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = Vec::new();
    match length {
        Some(length) => {
            body.resize(length.parse().unwrap(), 0);
            stream.read_exact(&mut body).unwrap();
        }
        None => drop(stream.read_to_end(&mut body).unwrap()),
    }
    (head.split(' ').nth(1).unwrap().parse().unwrap(), String::from_utf8(body).unwrap())
}

/// True if the server has closed the connection.
fn is_closed(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn who_sends_no_request_or_half_a_head_is_cut_off() {
    let settings = Settings { idle_timeout: Duration::from_millis(300), ..Settings::default() };
    let server = Running::with(settings);
    let (mut silent, mut half, mut idle) = (server.connect(), server.connect(), server.connect());
    half.write_all(b"GET /healthz HTTP/1.1\r\nHost: local").unwrap();
    send(&mut idle, "GET", "/healthz", "");
    assert_eq!(answer(&mut idle), (200, "ok".to_string()));
    for stream in [&mut silent, &mut half, &mut idle] {
        assert!(is_closed(stream));
    }
    server.end();
}

#[test]
fn who_sends_a_body_slowly_is_answered_408_and_holds_no_place() {
    let settings = Settings {
        client_timeout: Duration::from_millis(500),
        max_requests: 1,
        ..Settings::default()
    };
    let server = Running::with(settings);
    let mut slow: Vec<TcpStream> = (0..5).map(|_| server.connect()).collect();
    for slow in &mut slow {
        let begun = request("POST", "/v1/check", "{\"texts\"", 100);
        slow.write_all(begun.as_bytes()).unwrap();
    }
    let mut other = server.connect();
    send(&mut other, "POST", "/v1/check", "{\"texts\":[\"a\"]}");
    assert_eq!(answer(&mut other).0, 200);
    for slow in &mut slow {
        let (status, problem) = answer(slow);
        assert_eq!(status, 408);
        assert!(problem.contains("did not come within 0.5 seconds"), "{problem}");
        assert!(is_closed(slow));
    }
    server.end();
}

#[test]
fn bodies_beyond_the_bytes_for_all_of_them_are_refused() {
    let settings = Settings { max_bodies: 1000, ..Settings::default() };
    let server = Running::with(settings);
    let hold = || {
        let mut held = server.connect();
        let begun = request("POST", "/v1/check", &"x".repeat(900), 901);
        held.write_all(begun.as_bytes()).unwrap();
        held
    };
    let ask = |size: usize| {
        let mut other = server.connect();
        let body = format!("{{\"texts\":[\"{}\"]}}", "a".repeat(size));
        send(&mut other, "POST", "/v1/check", &body);
        answer(&mut other)
    };
    // Of the two that do not fit together, the one that comes later is refused. That may be the first.
    let (held, (status, problem)) = std::iter::repeat_with(|| (hold(), ask(200)))
        .take(1000)
        .find(|(_, (status, _))| *status != 200)
        .unwrap();
    assert_eq!(status, 503, "{problem}");
    assert!(problem.contains("fill the memory for bodies"), "{problem}");
    assert_eq!(ask(20).0, 200);
    drop(held);
    // They are free when the client has gone.
    let served = std::iter::repeat_with(|| ask(200)).take(1000).any(|(status, _)| status == 200);
    assert!(served);
    server.end();
}

#[test]
fn who_does_not_take_an_answer_is_cut_off() {
    let settings = Settings { client_timeout: Duration::from_millis(300), ..Settings::default() };
    let server = Running::with(settings);
    let mut stream = server.connect();
    let text = "The heron waits. ".repeat(100_000);
    let rows = format!("{{\"documents\":[{{\"id\":\"a\",\"text\":\"{text}\"}}]}}");
    send(&mut stream, "POST", "/v1/documents", &rows);
    assert_eq!(answer(&mut stream).0, 200);
    // More than the buffers of both sides hold.
    let asked = 40;
    for _ in 0..asked {
        send(&mut stream, "GET", "/v1/documents/a", "");
    }
    // It reads nothing until the server has given up, which a second connection cannot see.
    std::thread::sleep(Duration::from_secs(2));
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    assert!(bytes.len() < asked * text.len(), "{} bytes were sent", bytes.len());
    server.end();
}

#[test]
fn connections_beyond_the_bound_are_refused_with_a_problem() {
    let settings = Settings { max_connections: 2, ..Settings::default() };
    let server = Running::with(settings);
    let mut open: Vec<TcpStream> = (0..2).map(|_| server.connect()).collect();
    for stream in &mut open {
        send(stream, "GET", "/healthz", "");
        assert_eq!(answer(stream).0, 200);
    }
    let (status, problem) = answer(&mut server.connect());
    let problem: serde_json::Value = serde_json::from_str(&problem).unwrap();
    assert_eq!((status, &problem["type"]), (503, &"/problems/connections".into()));
    drop(open.pop());
    let ask = || {
        let mut stream = server.connect();
        let head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let mut answer = String::new();
        let sent = stream.write_all(head).and_then(|()| stream.read_to_string(&mut answer));
        sent.is_ok() && answer.starts_with("HTTP/1.1 200")
    };
    assert!(std::iter::repeat_with(ask).take(1000).any(|served| served));
    server.end();
}

#[test]
fn idle_connections_do_not_keep_a_server_that_is_stopped() {
    let settings = Settings { stop_timeout: ENOUGH, ..Settings::default() };
    let server = Running::with(settings);
    let (_silent, mut idle) = (server.connect(), server.connect());
    send(&mut idle, "GET", "/healthz", "");
    assert_eq!(answer(&mut idle).0, 200);
    let folder = server.folder.path().join("seen");
    // The answer to a request that has begun is complete.
    let mut begun = server.connect();
    let body = "{\"documents\":[{\"id\":\"a\",\"text\":\"The lock keeper counts the barges.\"}]}";
    let head = request("POST", "/v1/documents", "", body.len());
    begun.write_all(head.replacen("\r\n", "\r\nExpect: 100-continue\r\n", 1).as_bytes()).unwrap();
    // The server asks for the body, so the request has begun.
    assert_eq!(answer_head(&mut begun), "http/1.1 100 continue\r\n\r\n");
    let Running { stop, thread, folder: _kept, .. } = server;
    stop.send(()).unwrap();
    assert!(is_closed(&mut idle));
    begun.write_all(body.as_bytes()).unwrap();
    assert_eq!(answer(&mut begun).0, 200);
    thread.join().unwrap().unwrap();
    assert_eq!(nearprint::index::Index::open(&folder).unwrap().len().unwrap(), 1);
}

#[test]
fn a_server_that_is_stopped_waits_for_a_slow_client_no_longer_than_told() {
    let settings = Settings {
        stop_timeout: Duration::from_millis(300),
        client_timeout: 10 * ENOUGH,
        ..Settings::default()
    };
    let server = Running::with(settings);
    let mut slow = server.connect();
    slow.write_all(request("POST", "/v1/check", "{", 100).as_bytes()).unwrap();
    server.end();
    assert!(is_closed(&mut slow));
}
