//! Faults of a persistent index, with real processes: kills, a full or read-only disk, changed
//! bytes, several writers. Reported changes stay, damage is reported, and no answer is wrong.

mod damage;
mod kills;
mod served;
mod surroundings;
mod writers;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{self, Place, Run};

/// The number of rounds. The environment may set more than the usual tests have: 200 take some
/// minutes.
const ROUNDS: &str = "NEARPRINT_CRASH_ROUNDS";
const FEW: usize = 8;

pub fn rounds() -> usize {
    std::env::var(ROUNDS).map_or(FEW, |rounds| rounds.parse().unwrap())
}

/// Prints the result, if the environment sets more rounds.
fn tell(line: &str) {
    if rounds() > FEW {
        std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

/// Random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A random share, from 0 to 1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A short text of random letters. Texts of other seeds are not duplicates of it.
fn text(seed: u64) -> String {
    let mut random = Random(seed);
    let word = |random: &mut Random| -> String {
        (0..3 + random.below(6)).map(|_| char::from(b'a' + random.below(26) as u8)).collect()
    };
    (0..14).map(|_| word(&mut random)).collect::<Vec<_>>().join(" ")
}

/// Documents of these numbers as JSON Lines; their ids begin with a name.
fn documents(name: &str, numbers: impl Iterator<Item = u64>) -> String {
    numbers.map(|number| common::row(&format!("{name}-{number}"), &text(number))).collect()
}

/// The documents of an index: ids and texts. Ids must be unique.
fn exported(place: &Place, index: &str) -> BTreeMap<String, String> {
    let mut documents = BTreeMap::new();
    for row in common::rows(&place.run(&["index", "export", index]).succeeds().stdout) {
        let field = |name: &str| row[name].as_str().unwrap().to_string();
        assert!(documents.insert(field("id"), field("text")).is_none(), "{row} is there twice");
    }
    documents
}

/// An index must have no problems.
fn verify(place: &Place, index: &str) {
    let run = place.run(&["index", "verify", index, "--json"]);
    assert!(
        run.code == Some(0) && run.json()["problems"] == json!([]),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

/// The answer to a query with the documents of a file.
fn answers(place: &Place, index: &str, file: &str) -> Vec<Value> {
    common::rows(&place.run(&["index", "query", index, file, "--quiet"]).succeeds().stdout)
}

/// The most similar document of an answer.
fn first_match(answer: &Value) -> Option<&str> {
    answer["matches"].get(0).map(|found| found["id"].as_str().unwrap())
}

/// Copies a folder in another process: closing a file of SQLite would release the locks of this
/// process.
fn copy(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp").arg("-R").args([from, to]).status();
    assert!(copied.unwrap().success());
}

/// Creates an index of the documents of a file in this place.
fn create(place: &Place, index: &str, file: &str) -> Run {
    place.run(&["index", "create", index, file, "--quiet"]).succeeds()
}
