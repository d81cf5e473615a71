//! An index over HTTP, by a client of a few lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::common::{FERRY, LIBRARY, Place};

/// A server that runs, and its address.
pub struct Running {
    child: Child,
    pub address: String,
}

impl Running {
    pub fn of(place: &Place, folder: &str) -> Running {
        Running::start(&mut place.command(&["serve", folder, "--listen", "127.0.0.1:0"]))
    }

    /// A server that is started by this command.
    pub fn start(command: &mut Command) -> Running {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let (mut line, mut told) = (String::new(), String::new());
        while !line.contains("http://") {
            line.clear();
            let count = lines.read_line(&mut line).unwrap();
            assert!(count > 0, "{told}");
            told += &line;
        }
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        let address = line.trim_end().rsplit_once("http://").unwrap().1;
        let address = address.split(['/', ' ']).next().unwrap().to_string();
        Running { child, address }
    }

    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.try_ask(method, path, body).unwrap()
    }

    /// The status and the body of an answer, or an error if no whole answer comes.
    pub fn try_ask(&self, method: &str, path: &str, body: &str) -> std::io::Result<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address)?;
        let (host, length) = (&self.address, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: \
             application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let cut = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(cut)?;
        let length = head.to_ascii_lowercase();
        let length = length.lines().find_map(|line| line.strip_prefix("content-length: "));
        if length.is_some_and(|length| length.trim().parse() != Ok(body.len())) {
            return Err(cut());
        }
        Ok((head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_string()))
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = std::process::Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Ends the server in order, and returns its exit code.
    pub fn end(mut self) -> Option<i32> {
        self.signal("-TERM");
        self.child.wait().unwrap().code()
    }

    /// Kills the server.
    pub fn kill(&self) {
        self.signal("-KILL");
    }

    /// Waits for the end of the server.
    pub fn wait(&mut self) {
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended cannot be killed, which is no fault.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_served_index_is_that_of_the_command_line() {
    let place = Place::new();
    let server = Running::of(&place, "seen");
    let rows = json!({"documents": [{"id": "a", "text": FERRY}, {"id": "b", "text": LIBRARY}]});
    let (status, answer) = server.ask("POST", "/v1/documents?if_new=true", &rows.to_string());
    assert_eq!(status, 200, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["results"][1]["status"], "new");
    let (_, answer) = server.ask("POST", "/v1/check", &json!({"texts": [FERRY]}).to_string());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["results"][0]["duplicates"][0]["id"], "a");
    // Another process adds a document, which the next question sees.
    let new = "The council has closed the old bridge to lorries until the cracked arch is mended in spring.";
    place.write("new.jsonl", json!({"id": "c", "text": new}).to_string());
    place.run(&["index", "add", "seen", "new.jsonl", "--quiet"]).succeeds();
    let (_, answer) = server.ask("POST", "/v1/check", &json!({"texts": [new]}).to_string());
    assert!(answer.contains("\"id\":\"c\""), "{answer}");
    assert_eq!(server.end(), Some(0));
    place.run(&["index", "verify", "seen"]).succeeds();
    let found = place.run(&["index", "query", "seen", "--text", LIBRARY, "--quiet"]).succeeds();
    assert!(found.stdout.contains("\"id\":\"b\""), "{}", found.stdout);
}

#[test]
fn an_existing_index_keeps_its_settings() {
    let place = Place::new();
    let made = ["index", "create", "seen", "--min-similarity", "0.8", "--ttl", "3d"];
    place.run(&made).succeeds();
    for (flag, value, says) in [
        ("--min-similarity", "0.5", "0.8 for --min-similarity, not 0.5"),
        ("--ttl", "9d", "--ttl: the index was made with another one"),
        ("--store-field", "title", "--store-field: the index was made with another one"),
    ] {
        let run = place.run(&["serve", "seen", "--listen", "127.0.0.1:0", flag, value]);
        run.ends_with_code(2).says(&[says]);
    }
    let same = ["serve", "seen", "--listen", "127.0.0.1:0", "--ttl", "3d", "--text-field", "body"];
    let server = Running::start(&mut place.command(&same));
    let rows = json!({"documents": [{"id": "a", "body": FERRY}]}).to_string();
    let (_, answer) = server.ask("POST", "/v1/documents", &rows);
    assert!(answer.contains("\"new\""), "{answer}");
    assert_eq!(server.end(), Some(0));
    // A new index is told, since a wrong path would begin with nothing.
    let mut command = place.command(&["serve", "sene", "--listen", "127.0.0.1:0"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().take(2);
    let lines: Vec<String> = lines.map(Result::unwrap).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(lines[1].contains("WARN made a new index") && lines[1].contains("sene"), "{lines:?}");
}

#[test]
fn a_server_listens_to_this_machine_alone_unless_told() {
    let place = Place::new();
    let beyond = ["serve", "seen", "--listen", "0.0.0.0:0"];
    place
        .run(&beyond)
        .ends_with_code(2)
        .says(&["--listen: 0.0.0.0:0 can be reached", "--insecure"]);
    assert!(!place.path("seen").exists());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = place.run(&["serve", "seen", "--listen", &address]).ends_with_code(1);
    run.says(&["cannot listen to", &address]);
}

#[test]
fn settings_are_flags_variables_and_a_table_of_the_file() {
    let place = Place::new();
    place.write(
        "own.toml",
        "min-similarity = 0.6\n[serve]\nlisten = '127.0.0.1:0'\nmax-body = '2K'\nmax-rows = 1\n",
    );
    let mut command =
        place.command(&["serve", "seen", "--config", "own.toml", "--max-body", "300"]);
    let server = Running::start(command.env("NEARPRINT_SERVE_MAX_ROWS", "2"));
    // The variable overrides the file.
    let texts = |count: usize| json!({"texts": vec!["a"; count]}).to_string();
    assert_eq!(server.ask("POST", "/v1/check", &texts(2)).0, 200);
    let (status, problem) = server.ask("POST", "/v1/check", &texts(3));
    assert!(status == 413 && problem.contains("more than 2 rows"), "{problem}");
    // The flag overrides the file.
    let (status, problem) = server.ask("POST", "/v1/check", &texts(100));
    assert!(status == 413 && problem.contains("more than 300 bytes"), "{problem}");
    let (_, info) = server.ask("GET", "/v1/info", "");
    assert!(info.contains("\"min_similarity\":0.6"), "{info}");
    assert_eq!(server.end(), Some(0));
    place.write("typo.toml", "[serve]\nmax-bodi = 1\n");
    let run = place.run(&["serve", "seen", "--config", "typo.toml"]).ends_with_code(2);
    run.says(&["typo.toml", "max-bodi is not a setting", "max-body?"]);
    let mut command = place.command(&["serve", "seen"]);
    let output = command.env("NEARPRINT_SERVE_REDERS", "3").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("did you mean NEARPRINT_SERVE_READERS?"), "{said}");
    assert_eq!(output.status.code(), Some(2));
}
