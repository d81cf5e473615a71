//! Holds the table of ARCHITECTURE.md ("Who may import whom") against the `use` lines, and its links against the tree.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms it may know; all may know `document` and `error`.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("config", &["cluster", "fingerprint", "keep", "normalize", "read", "segment", "verify", "weights"]),
    ("document", &[]),
    ("error", &[]),
    ("watch", &[]),
    ("read", &["watch"]),
    ("normalize", &[]),
    ("segment", &["normalize"]),
    ("features", &[]),
    ("statistics", &["features"]),
    ("weights", &["statistics"]),
    ("fingerprint", &["statistics"]),
    ("join", &["fingerprint"]),
    ("verify", &["features"]),
    ("short", &["normalize", "statistics", "verify", "watch"]),
    ("cluster", &[]),
    ("keep", &[]),
    ("spill", &[]),
    ("write", &["read"]),
];

/// Rooms in which nothing opens a file, prints, or reads a clock or the environment.
const PURE: &[&str] = &[
    "config",
    "document",
    "normalize",
    "segment",
    "features",
    "statistics",
    "weights",
    "fingerprint",
    "join",
    "verify",
    "short",
    "cluster",
    "keep",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The source files of a room, tests at their ends cut off.
fn sources(room: &str) -> Vec<(PathBuf, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = vec![src.join(format!("{room}.rs"))];
    let mut folders = vec![src.join(room)];
    while let Some(entries) = folders.pop().and_then(|folder| fs::read_dir(folder).ok()) {
        let inside: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        folders.extend(inside.iter().filter(|path| path.is_dir()).cloned());
        paths.extend(inside);
    }
    paths.retain(|path| path.is_file() && !path.ends_with("tests.rs") && !path.ends_with("testing.rs"));
    assert!(!paths.is_empty(), "there is no room {room}");
    let code =
        |path: &PathBuf| fs::read_to_string(path).unwrap().split("#[cfg(test)]\nmod tests").next().unwrap().to_string();
    paths.into_iter().map(|path| (path.clone(), code(&path))).collect()
}

/// Lines that are no comments.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn rooms_know_only_the_rooms_they_may() {
    for (room, allowed) in MAY_IMPORT {
        for (path, text) in sources(room) {
            for line in code_lines(&text) {
                for (at, _) in line.match_indices("crate::") {
                    let rest = line[at + "crate::".len()..].trim_start_matches('{');
                    let other: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
                    let known = other == *room || ["document", "error", ""].contains(&other.as_str());
                    assert!(known || allowed.contains(&other.as_str()), "{}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn every_room_is_in_the_table() {
    let lib = sources("lib").remove(0).1;
    for line in lib.lines() {
        let declared =
            line.strip_prefix("pub mod ").or(line.strip_prefix("mod ")).and_then(|name| name.strip_suffix(';'));
        if let Some(room) = declared.filter(|room| *room != "pipeline") {
            assert!(MAY_IMPORT.iter().any(|(known, _)| *known == room), "{room} is not in the table");
        }
    }
}

#[test]
fn pure_rooms_touch_nothing_outside() {
    for room in PURE {
        for (path, text) in sources(room) {
            for line in code_lines(&text) {
                for outside in
                    ["std::fs", "File::", "std::env", "std::time", "Instant::", "println!", "std::process", "std::net"]
                {
                    assert!(!line.contains(outside), "{}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn links_in_documents_lead_somewhere() {
    let mut documents = vec![];
    for folder in ["", "docs", "examples"] {
        for entry in fs::read_dir(repository().join(folder)).unwrap() {
            documents.push(entry.unwrap().path());
        }
    }
    documents.retain(|path| path.extension().is_some_and(|end| end == "md"));
    assert!(documents.len() >= 4, "{documents:?}");
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            assert!(document.parent().unwrap().join(target).exists(), "{}: {link}", document.display());
        }
    }
}
