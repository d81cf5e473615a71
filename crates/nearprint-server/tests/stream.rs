//! JSON Lines that are answered while they come, over real connections.

mod sockets;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use nearprint_server::{NewToken, Rate, Role, Settings, make_token};
use serde_json::{Value, json};
use sockets::Running;

/// The head of a request whose body comes in chunks.
fn begin(stream: &mut TcpStream, path: &str) {
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \
         application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    .unwrap();
}

fn chunk(stream: &mut TcpStream, bytes: &str) -> std::io::Result<()> {
    write!(stream, "{:x}\r\n{bytes}\r\n", bytes.len())
}

/// The end of a body.
fn end(stream: &mut TcpStream) {
    stream.write_all(b"0\r\n\r\n").unwrap();
}

/// Reads an answer in chunks, line by line.
struct Answer {
    input: BufReader<TcpStream>,
    status: u16,
    /// The bytes of chunks that are in no line yet.
    rest: Vec<u8>,
}

impl Answer {
    fn of(stream: &TcpStream) -> Answer {
        let mut input = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(input.read_line(&mut head).unwrap(), 0, "{head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let rest = match head.to_lowercase().contains("transfer-encoding: chunked") {
            true => Vec::new(),
            // It is whole.
            false => {
                let mut body = Vec::new();
                input.read_to_end(&mut body).unwrap();
                body
            }
        };
        Answer { input, status, rest }
    }
}

impl Iterator for Answer {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let mut size = String::new();
            self.input.read_line(&mut size).unwrap();
            let size = usize::from_str_radix(size.trim_end(), 16).unwrap_or(0);
            let mut bytes = vec![0; size + 2];
            self.input.read_exact(&mut bytes).ok()?;
            if size == 0 {
                return None;
            }
            self.rest.extend_from_slice(&bytes[..size]);
        }
    }
}

fn row(number: usize) -> String {
    let words: Vec<String> = (0..12).map(|place| format!("word{}x{place}", number * 31)).collect();
    format!("{{\"id\":{number},\"text\":\"{}\"}}\n", words.join(" "))
}

#[test]
fn rows_are_answered_before_the_body_ends() {
    let server = Running::with(Settings::default());
    let mut stream = server.connect();
    begin(&mut stream, "/v1/documents?if_new=true");
    let first: String = (0..1500).map(row).collect();
    chunk(&mut stream, &first).unwrap();
    let mut answer = Answer::of(&stream);
    assert_eq!(answer.status, 200);
    for number in 0..1500 {
        assert_eq!(answer.next().unwrap()["id"], number);
    }
    // Rows of one part and of another are compared.
    chunk(&mut stream, &format!("{}{}", row(1600), row(3).replace(":3,", ":\"copy\","))).unwrap();
    assert_eq!(answer.next().unwrap()["status"], "new");
    assert_eq!(answer.next().unwrap()["duplicates"][0]["id"], 3);
    end(&mut stream);
    assert_eq!(answer.next(), None);
    server.end();
}

#[test]
fn a_body_is_larger_than_what_is_held_of_it() {
    let settings =
        Settings { max_body: 4000, max_bodies: 3 << 20, max_rows: 100, ..Settings::default() };
    let server = Running::with(settings);
    let mut stream = server.connect();
    begin(&mut stream, "/v1/check");
    let mut sender = stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || {
        let text = "the tide table hangs beside the door ".repeat(50);
        for number in 0..5000 {
            chunk(&mut sender, &format!("{{\"text\":\"{number} {text}\"}}\n")).unwrap();
        }
        end(&mut sender);
    });
    let answer = Answer::of(&stream);
    assert_eq!(answer.map(|row| assert!(row["duplicates"].is_array())).count(), 5000);
    sending.join().unwrap();
    server.end();
}

#[test]
fn lone_carriage_returns_end_rows_and_are_bounded() {
    let server = Running::with(Settings::default());
    let mut stream = server.connect();
    begin(&mut stream, "/v1/check");
    let rows: String = (1..=3000)
        .map(|number| match number {
            2100 => "{\"id\":1}\r".to_string(),
            // Two characters, one end.
            _ if number % 500 == 0 => row(number).replace('\n', "\r\n"),
            _ => row(number).replace('\n', "\r"),
        })
        .collect();
    // Some chunks end between the two.
    for part in rows.split_inclusive('\r') {
        chunk(&mut stream, part).unwrap();
    }
    end(&mut stream);
    let rows: Vec<Value> = Answer::of(&stream).collect();
    assert_eq!(rows.len(), 3000);
    assert_eq!((&rows[2099]["status"], &rows[2099]["row"]), (&json!("error"), &json!(2100)));
    assert_eq!(rows[2999]["id"], 3000);
    server.end();
}

#[test]
fn a_fault_is_the_last_line_and_the_rows_before_it_stay() {
    let server = Running::with(Settings { max_body: 3000, ..Settings::default() });
    let mut stream = server.connect();
    begin(&mut stream, "/v1/documents");
    let rows: String = (0..1200).map(row).collect();
    let long = format!("{{\"id\":\"long\",\"text\":\"{}\"}}\n", "a".repeat(4000));
    chunk(&mut stream, &format!("{rows}{long}{}", row(2000))).unwrap();
    // It goes on to send, and reads the answer later.
    (0..100).for_each(|_| chunk(&mut stream, &rows).unwrap());
    end(&mut stream);
    let rows: Vec<Value> = Answer::of(&stream).collect();
    assert_eq!(rows.len(), 1201);
    assert!(rows[..1200].iter().all(|row| row["status"] == "new"));
    let last = &rows[1200];
    assert_eq!((&last["status"], &last["type"]), (&json!("error"), &json!("/problems/body")));
    assert!(last["detail"].as_str().unwrap().contains("more than 3000 bytes"), "{last}");
    let mut stream = server.connect();
    stream
        .write_all(b"GET /v1/info HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("\"documents\":1200"), "{answer}");
    // A fault at the beginning is the status.
    let mut stream = server.connect();
    begin(&mut stream, "/v1/documents?if_now=true");
    chunk(&mut stream, &row(1)).unwrap();
    assert_eq!(Answer::of(&stream).status, 400);
    server.end();
}

#[test]
fn who_pauses_is_told_so_in_the_last_line() {
    let settings = Settings { client_timeout: Duration::from_millis(300), ..Settings::default() };
    let server = Running::with(settings);
    let mut stream = server.connect();
    begin(&mut stream, "/v1/check");
    chunk(&mut stream, &format!("{}{{\"id\":", row(1))).unwrap();
    let rows: Vec<Value> = Answer::of(&stream).collect();
    assert_eq!((&rows[0]["id"], rows.len()), (&json!(1), 2));
    assert_eq!(rows[1]["type"], "/problems/timeout");
    server.end();
}

#[test]
fn who_sends_a_line_too_slowly_is_cut_off() {
    let settings = Settings { client_timeout: Duration::from_millis(300), ..Settings::default() };
    let server = Running::with(settings);
    let mut stream = server.connect();
    begin(&mut stream, "/v1/check");
    let mut sender = stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || {
        let sent = (0..200).take_while(|_| {
            std::thread::sleep(Duration::from_millis(50));
            chunk(&mut sender, " ").is_ok()
        });
        sent.count()
    });
    assert_eq!(Answer::of(&stream).status, 408);
    drop(stream);
    assert!(sending.join().unwrap() < 200);
    server.end();
}

#[test]
fn who_waits_for_the_rate_is_not_late() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.toml");
    let rate = Some(Rate::new(1000, Some(10)));
    let new = NewToken { name: "feed".into(), role: Role::Write, collections: Vec::new(), rate };
    let token = make_token(&file, new).unwrap();
    let client_timeout = Duration::from_millis(300);
    let server =
        Running::with(Settings { tokens: Some(file), client_timeout, ..Settings::default() });
    let mut stream = server.connect();
    let rows: String = (0..2500).map(row).collect();
    write!(
        stream,
        "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \
         application/x-ndjson\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n\
         {rows}",
        rows.len()
    )
    .unwrap();
    assert_eq!(Answer::of(&stream).filter(|row| row["status"] == "new").count(), 2500);
    server.end();
}

#[test]
fn a_stream_ends_with_its_token_and_keeps_to_its_rate() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.toml");
    let rate = Some(Rate::new(1000, Some(10)));
    let new = NewToken { name: "feed".into(), role: Role::Write, collections: Vec::new(), rate };
    let token = make_token(&file, new).unwrap();
    let server = Running::with(Settings { tokens: Some(file.clone()), ..Settings::default() });
    let mut stream = server.connect();
    write!(
        stream,
        "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \
         application/x-ndjson\r\nAuthorization: Bearer {token}\r\nTransfer-Encoding: \
         chunked\r\n\r\n"
    )
    .unwrap();
    let begun = Instant::now();
    let rows: String = (0..2000).map(row).collect();
    chunk(&mut stream, &rows).unwrap();
    let mut answer = Answer::of(&stream);
    assert_eq!(answer.by_ref().take(2000).filter(|row| row["status"] == "new").count(), 2000);
    // A thousand rows are owed after the first part.
    assert!(begun.elapsed() > Duration::from_millis(900), "{:?}", begun.elapsed());
    std::fs::write(&file, "").unwrap();
    std::thread::sleep(Duration::from_millis(1200));
    chunk(&mut stream, &row(3000)).unwrap();
    assert_eq!(answer.next().unwrap()["type"], "/problems/token");
    server.end();
}

#[test]
fn who_takes_no_answers_is_not_read_from_and_cut_off() {
    let settings = Settings { client_timeout: Duration::from_millis(300), ..Settings::default() };
    let server = Running::with(settings);
    let mut stream = server.connect();
    begin(&mut stream, "/v1/documents");
    let text = "The signal box at the junction has nine levers. ".repeat(100);
    chunk(&mut stream, &format!("{{\"id\":1,\"text\":\"{text}\"}}\n")).unwrap();
    let mut answer = Answer::of(&stream);
    assert_eq!(answer.next().unwrap()["status"], "new");
    drop((answer, stream));
    let mut stream = server.connect();
    begin(&mut stream, "/v1/check");
    // The answers repeat the text.
    let rows = format!("{{\"text\":\"{text}\"}}\n").repeat(100);
    let sent = (0..100_000).take_while(|_| chunk(&mut stream, &rows).is_ok()).count();
    assert!(sent < 100_000, "{sent} parts were taken");
    server.end();
}

#[test]
fn a_stream_ends_when_the_server_stops() {
    let server = Running::with(Settings { client_timeout: sockets::ENOUGH, ..Settings::default() });
    let mut stream = server.connect();
    begin(&mut stream, "/v1/check");
    chunk(&mut stream, &row(1)).unwrap();
    let mut answer = Answer::of(&stream);
    assert_eq!(answer.next().unwrap()["id"], 1);
    server.end();
    assert_eq!(answer.next().unwrap()["type"], "/problems/stopping");
    let left = answer.input.read(&mut [0; 8]);
    assert!(left.is_ok() || left.unwrap_err().kind() == ErrorKind::ConnectionReset);
}
