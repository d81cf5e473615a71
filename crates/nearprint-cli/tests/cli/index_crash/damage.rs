//! Changed bytes of an index, and cut or missing files: answers are unchanged, or an error names
//! the file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nearprint::document::{Document, Id};
use nearprint::index::{Index, IndexOptions};
use nearprint::{Config, Silent};
use serde_json::Value;

use super::{FEW, Random, answers, copy, create, documents, rounds, text, verify};
use crate::common::{self, Place, Run, row};

/// The damage to a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Flip { byte: usize, with: u8 },
    Cut { bytes: usize },
    Gone,
}

impl Damage {
    fn to(self, path: &Path, bytes: &[u8]) {
        let mut damaged = bytes.to_vec();
        match self {
            Damage::Flip { byte, with } => damaged[byte] ^= with,
            Damage::Cut { bytes } => damaged.truncate(bytes),
            Damage::Gone => return fs::remove_file(path).unwrap(),
        }
        fs::write(path, damaged).unwrap();
    }

    /// This number of flipped bytes and half as many cuts, anywhere in a file of this length; every
    /// byte in a short file.
    fn many(random: &mut Random, length: usize, count: usize) -> Vec<Damage> {
        let count = count * rounds().max(FEW) / FEW;
        let any = |random: &mut Random| 1 << random.below(8);
        if length <= count {
            let flips = (0..length)
                .map(|byte| Damage::Flip { byte, with: any(random) })
                .collect::<Vec<_>>();
            return flips
                .into_iter()
                .chain((0..length).map(|bytes| Damage::Cut { bytes }))
                .collect();
        }
        let flips = (0..count)
            .map(|_| Damage::Flip { byte: random.below(length), with: any(random) })
            .collect::<Vec<_>>();
        let cuts =
            (0..count / 2).map(|_| Damage::Cut { bytes: random.below(length) }).collect::<Vec<_>>();
        // Also cuts at whole pages, and an empty file.
        let pages =
            (0..count / 8).map(|_| Damage::Cut { bytes: random.below(length) / 4096 * 4096 });
        flips.into_iter().chain(cuts).chain(pages).chain([Damage::Cut { bytes: 0 }]).collect()
    }
}

/// An index of some five thousand documents, and its answers.
struct Whole {
    place: Place,
    /// The bytes of its files.
    files: BTreeMap<String, Vec<u8>>,
    answers: Vec<Value>,
    export: String,
}

/// Differences of an index from the undamaged one.
struct Seen {
    query: Run,
    export: Run,
    info: Run,
    verify: Run,
}

impl Whole {
    /// The index of a folder in a place.
    fn of(place: Place) -> Whole {
        let asked = [4, 70, 2000, 4095, 4096, 4500, 4999]
            .into_iter()
            .map(|number| row("of-it", &text(number)));
        let more = (20_000..20_005).map(|number| row("other", &text(number)));
        let removed = [3, 4097].map(|number| row("removed", &text(number)));
        place.write("ask.jsonl", asked.chain(more).chain(removed).collect::<String>());
        let files = common::files(&place.path("seen"));
        let mut whole = Whole { place, files, answers: Vec::new(), export: String::new() };
        let seen = whole.look();
        whole.answers = common::rows(&seen.query.succeeds().stdout);
        whole.export = seen.export.succeeds().stdout;
        assert!(whole.answers[..7].iter().all(|answer| answer["matches"].get(0).is_some()));
        assert!(whole.answers[7..].iter().all(|answer| answer["matches"].get(0).is_none()));
        assert!(
            whole.export.lines().count() > 4_900 && seen.verify.code == Some(0),
            "{}",
            seen.verify.stdout
        );
        whole.restore();
        whole
    }

    /// An index that no process has open, without unused pages.
    fn closed() -> Whole {
        let place = Place::with("input.jsonl", documents("doc", 0..5_000));
        create(&place, "seen", "input.jsonl");
        place.run(&["index", "compact", "seen"]).succeeds();
        place.write("other.jsonl", row("doc-7", &text(10_007)) + &row("new", &text(10_000)));
        place.run(&["index", "add", "seen", "other.jsonl"]).succeeds();
        place.run(&["index", "remove", "seen", "doc-3", "doc-4097"]).succeeds();
        Whole::of(place)
    }

    /// A copy of an index that a process has open, with its log.
    fn open() -> Whole {
        let place = Place::new();
        let (config, options) = (Config::default(), IndexOptions::default());
        let mut index = Index::create(&place.path("open"), &config, &options).unwrap();
        let document = |number: u64| {
            let id = Id::Text(format!("doc-{number}"));
            Document { row: number + 1, id, text: text(number), fields: vec![] }
        };
        for begin in (0..5_000).step_by(1_000) {
            index.add((begin..begin + 1_000).map(document).collect(), true, &Silent).unwrap();
        }
        index.remove(&[3, 4097].map(|number| Id::Text(format!("doc-{number}")))).unwrap();
        copy(&place.path("open"), &place.path("seen"));
        Whole::of(place)
    }

    fn restore(&self) {
        let folder = self.place.path("seen");
        fs::remove_dir_all(&folder).unwrap();
        for (name, bytes) in &self.files {
            self.place.write(&format!("seen/{name}"), bytes);
        }
    }

    /// The damaged bytes of a file.
    fn damage(&self, file: &str, damage: Damage) {
        self.restore();
        damage.to(&self.place.path("seen").join(file), &self.files[file]);
    }

    /// The answers of all reading verbs.
    fn look(&self) -> Seen {
        // Each verb gets a fresh copy, so that all find the same damage.
        let run = |arguments: &[&str]| {
            let run = self.place.run(arguments);
            assert!(
                matches!(run.code, Some(0..=2)),
                "{arguments:?} ended with {:?}: {}",
                run.code,
                run.stderr
            );
            run
        };
        Seen {
            query: run(&["index", "query", "seen", "ask.jsonl", "--quiet"]),
            export: run(&["index", "export", "seen"]),
            info: run(&["index", "info", "seen", "--json"]),
            verify: run(&["index", "verify", "seen"]),
        }
    }

    /// Each verb must give the same answer, or refuse and name one of these files. Returns the
    /// number of refusals.
    fn same_or_refused(&self, seen: &Seen, names: &[&str], what: &str) -> usize {
        let mut refused = 0;
        for run in [&seen.query, &seen.export, &seen.info] {
            if run.code != Some(0) {
                let named = names.iter().any(|name| run.stderr.contains(name));
                assert!(named && !run.stderr.contains("panicked"), "{what}: {}", run.stderr);
                refused += 1;
            }
        }
        if seen.query.code == Some(0) {
            assert_eq!(common::rows(&seen.query.stdout), self.answers, "{what}");
        }
        if seen.export.code == Some(0) {
            assert!(seen.export.stdout == self.export, "{what}: other documents are written");
        } else {
            // Output before the error is correct.
            assert!(
                self.export.starts_with(&seen.export.stdout),
                "{what}: other documents are written"
            );
        }
        if seen.info.code == Some(0) {
            assert_eq!(seen.info.json()["documents"], self.export.lines().count(), "{what}");
        }
        refused
    }
}

/// True if `index verify` names a file.
fn names(verify: &Run, file: &str) -> bool {
    verify.code != Some(0) && (verify.stdout.contains(file) || verify.stderr.contains(file))
}

#[test]
fn documents_that_are_not_as_they_were_written_are_named_and_not_answered() {
    let whole = Whole::closed();
    let mut random = Random(71);
    let bytes = &whole.files["documents.sqlite"];
    // The first page, which describes the file, and random places.
    let first = (0..12)
        .map(|_| Damage::Flip { byte: random.below(120), with: 1 << random.below(8) })
        .collect::<Vec<_>>();
    let mut refused = 0;
    for damage in
        Damage::many(&mut random, bytes.len(), 16).into_iter().chain(first).chain([Damage::Gone])
    {
        whole.damage("documents.sqlite", damage);
        let seen = whole.look();
        let what = format!("documents.sqlite: {damage:?}");
        let name = if matches!(damage, Damage::Gone) { "seen" } else { "documents.sqlite" };
        refused += whole.same_or_refused(&seen, &[name], &what);
        assert!(names(&seen.verify, name), "{what}: {}{}", seen.verify.stdout, seen.verify.stderr);
        // A change works on the existing documents, or is refused too.
        for verb in [&["add", "seen", "other.jsonl"][..], &["remove", "seen", "doc-9"]] {
            let changed = whole.place.run(&[&["index"], verb].concat());
            let right = changed.stderr.contains("0 new, 2 unchanged")
                || changed.stderr.contains("1 removed;");
            let is_refused = changed.code == Some(1) && changed.stderr.contains(name);
            assert!(right || is_refused, "{what}: {:?}: {}", changed.code, changed.stderr);
        }
    }
    assert!(refused > 30, "{refused}");
}

#[test]
fn a_file_of_tables_that_is_damaged_is_made_again() {
    let whole = Whole::closed();
    let file = whole.files.keys().find(|name| name.starts_with("tables/")).unwrap().clone();
    let mut random = Random(72);
    let bytes = &whole.files[&file];
    let head = (0..6)
        .map(|_| Damage::Flip { byte: random.below(128), with: 1 << random.below(8) })
        .collect::<Vec<_>>();
    let damages =
        Damage::many(&mut random, bytes.len(), 8).into_iter().chain(head).chain([Damage::Gone]);
    for (number, damage) in damages.enumerate() {
        whole.damage(&file, damage);
        let seen = whole.look();
        let what = format!("{file}: {damage:?}");
        assert_eq!(whole.same_or_refused(&seen, &[], &what), 0, "{what}");
        assert_eq!(seen.info.json()["remade"], 1, "{what}");
        assert!(
            names(&seen.verify, file.rsplit('/').next().unwrap()),
            "{what}: {}",
            seen.verify.stdout
        );
        if number % 8 == 0 {
            // The next change writes the file.
            whole.place.write("one.jsonl", row("one", &text(30_000)));
            whole.place.run(&["index", "add", "seen", "one.jsonl"]).succeeds();
            verify(&whole.place, "seen");
            let info = whole.place.run(&["index", "info", "seen", "--json"]).succeeds().json();
            assert_eq!(
                (&info["remade"], &info["files"]),
                (&Value::from(0), &Value::from(1)),
                "{what}"
            );
            assert_eq!(answers(&whole.place, "seen", "ask.jsonl"), whole.answers, "{what}");
        }
    }
    // All files at once, with their folder.
    whole.restore();
    fs::remove_dir_all(whole.place.path("seen/tables")).unwrap();
    assert_eq!(answers(&whole.place, "seen", "ask.jsonl"), whole.answers);
    whole.place.run(&["index", "add", "seen", "other.jsonl", "--quiet"]).succeeds();
    whole.place.run(&["index", "remove", "seen", "doc-5"]).succeeds();
    verify(&whole.place, "seen");
}

#[test]
fn a_damaged_generation_is_refused_and_one_that_is_gone_is_named() {
    let whole = Whole::closed();
    let mut random = Random(73);
    let length = whole.files["generation"].len();
    for damage in Damage::many(&mut random, length, 64) {
        whole.damage("generation", damage);
        let seen = whole.look();
        let what = format!("generation: {damage:?}");
        let says = "seen/generation: has another format or is damaged; delete it";
        let refused = whole.same_or_refused(&seen, &[says], &what);
        // A power loss may leave the file empty; that must not cause an error.
        let is_empty = whole.place.read("seen/generation").is_empty();
        assert_eq!(refused, if is_empty { 0 } else { 3 }, "{what}");
        assert!(names(&seen.verify, "seen/generation"), "{what}");
    }
    whole.damage("generation", Damage::Gone);
    let seen = whole.look();
    assert_eq!(whole.same_or_refused(&seen, &[], "generation is gone"), 0);
    assert!(names(&seen.verify, "seen/generation"), "{}", seen.verify.stdout);
    whole.place.run(&["index", "remove", "seen", "doc-5"]).succeeds();
    verify(&whole.place, "seen");
}

#[test]
fn a_log_that_was_lost_is_noticed() {
    let whole = Whole::open();
    let log = whole.files["documents.sqlite-wal"].len();
    assert!(log > 500_000, "{log} bytes of log");
    let mut random = Random(74);
    for damage in Damage::many(&mut random, log, 16).into_iter().chain([Damage::Gone]) {
        whole.damage("documents.sqlite-wal", damage);
        let seen = whole.look();
        let what = format!("documents.sqlite-wal: {damage:?}");
        let refused = whole.same_or_refused(&seen, &["documents.sqlite: has lost changes"], &what);
        assert!(
            refused == 3 && names(&seen.verify, "documents.sqlite"),
            "{what}: {refused} refused"
        );
    }
    // The shared memory file of open processes is created again.
    for damage in Damage::many(&mut random, whole.files["documents.sqlite-shm"].len(), 8)
        .into_iter()
        .chain([Damage::Gone])
    {
        whole.damage("documents.sqlite-shm", damage);
        let seen = whole.look();
        assert_eq!(whole.same_or_refused(&seen, &[], &format!("{damage:?}")), 0);
        assert_eq!(
            seen.verify.code,
            Some(0),
            "{damage:?}: {}{}",
            seen.verify.stdout,
            seen.verify.stderr
        );
    }
}
