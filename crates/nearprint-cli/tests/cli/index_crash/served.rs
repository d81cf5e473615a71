//! A server is killed under load. What it had answered is there, each id is there once, and of
//! equal texts one was new.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Random, exported, rounds, tell, text, verify};
use crate::common::Place;
use crate::serve::Running;

/// Clients at a time.
const CLIENTS: u64 = 4;

/// Texts that all clients offer again and again.
const REPEATED: u64 = 20;

/// What the answers said.
#[derive(Default)]
struct Told {
    /// The new documents, by id.
    new: BTreeMap<String, String>,
    /// The documents that others were said to be duplicates of.
    originals: BTreeSet<String>,
}

impl Told {
    /// Takes the answer to an addition of rows.
    fn take(&mut self, rows: &[Value], answer: &Value) {
        let results = answer["results"].as_array().unwrap();
        assert_eq!(results.len(), rows.len(), "{answer}");
        let field = |value: &Value, name: &str| value[name].as_str().unwrap().to_string();
        for (row, result) in rows.iter().zip(results) {
            assert_eq!(row["id"], result["id"]);
            match result["status"].as_str().unwrap() {
                "new" => {
                    let (id, text) = (field(row, "id"), field(row, "text"));
                    let first = self.new.iter().find(|(_, known)| **known == text);
                    assert!(first.is_none(), "{first:?} was new, and {id} has its text");
                    self.new.insert(id, text);
                }
                "duplicate" => {
                    self.originals.insert(field(&result["duplicates"][0], "id"));
                }
                other => panic!("{other}: {result}"),
            }
        }
    }
}

/// Offers documents until the server is gone.
fn offer(server: &Running, client: u64, round: u64, told: &Mutex<Told>) {
    let mut random = Random(round << 32 | client);
    for request in 0.. {
        let rows: Vec<Value> = (0..1 + random.below(20))
            .map(|row| {
                let text = match random.below(3) {
                    0 => text(random.below(REPEATED as usize) as u64),
                    _ => text(REPEATED + random.next() / 2),
                };
                json!({"id": format!("{round}-{client}-{request}-{row}"), "text": text})
            })
            .collect();
        let body = json!({"documents": rows}).to_string();
        let Ok((status, answer)) = server.try_ask("POST", "/v1/documents?if_new=true", &body)
        else {
            return;
        };
        assert_eq!(status, 200, "{answer}");
        told.lock().unwrap().take(&rows, &serde_json::from_str(&answer).unwrap());
    }
}

#[test]
fn a_server_that_is_killed_at_any_moment_has_all_that_it_told() {
    let place = Place::new();
    let told = Mutex::new(Told::default());
    let mut random = Random(2_028);
    for round in 0..rounds() as u64 {
        let mut server = Running::of(&place, "seen");
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (server, told) = (&server, &told);
                scope.spawn(move || offer(server, client, round, told));
            }
            std::thread::sleep(Duration::from_secs_f64(0.05 + 0.5 * random.part()));
            server.kill();
        });
        server.wait();
    }
    let told = told.into_inner().unwrap();
    // Fails if an id is there twice.
    let there = exported(&place, "seen");
    for (id, text) in &told.new {
        assert_eq!(there.get(id), Some(text), "{id} is lost or changed");
    }
    assert!(told.originals.iter().all(|id| there.contains_key(id)));
    assert!(!told.new.is_empty() && !told.originals.is_empty());
    verify(&place, "seen");
    tell(&format!("{} rounds: {} documents were told to be new", rounds(), told.new.len()));
}
