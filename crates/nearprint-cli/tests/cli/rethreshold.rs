//! `rethreshold`: the output of a new run with another minimum similarity.

use std::path::Path;

use serde_json::Value;

use super::common::{self, Place};

/// Copies of seven texts that lack more or fewer words at the beginning or the end, and short
/// messages.
fn texts() -> Vec<String> {
    let long = |n: usize| {
        let (family, left_out) = (n % 7, n / 7 % 9 * 3);
        let places = if n.is_multiple_of(2) { left_out..50 } else { 0..50 - left_out };
        places.map(|place| common::word(family * 50 + place)).collect::<Vec<_>>().join(" ")
    };
    (0..90)
        .map(|n| {
            if n % 5 == 4 {
                format!("the train is late once more {}", "!a".repeat(n / 5 % 6))
            } else {
                long(n)
            }
        })
        .collect()
}

/// The files of a folder with their bytes; of the summary only the reproducible part.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for name in common::names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            all.extend(
                files(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)),
            );
            continue;
        }
        let mut bytes = std::fs::read(&path).unwrap();
        if name == "summary.json" {
            let mut summary: Value = serde_json::from_slice(&bytes).unwrap();
            let values = summary.as_object_mut().unwrap();
            for name in ["seconds", "peak_memory_bytes"] {
                values.remove(name);
            }
            bytes = summary.to_string().into_bytes();
        }
        all.push((name, bytes));
    }
    all
}

fn place() -> Place {
    let place = Place::new();
    let rows = |list: &[String], first: usize| {
        let row =
            |(n, text): (usize, &String)| format!("{{\"id\":{},\"text\":\"{text}\"}}\n", first + n);
        list.iter().enumerate().map(row).collect::<String>()
    };
    let texts = texts();
    place.write("news/a.jsonl", rows(&texts[..40], 0));
    let csv: String =
        texts[40..].iter().enumerate().map(|(n, text)| format!("{},{text}\n", 100 + n)).collect();
    place.write("news/deep/b.csv", format!("id,text\n{csv}"));
    place.write("news/notes.xyz", "passed over");
    place.write("test.jsonl", rows(&texts[..20], 500));
    place
}

#[test]
fn the_result_is_that_of_a_fresh_run() {
    let place = place();
    for (arguments, rethreshold) in [
        (&[][..], &["--pairs"][..]),
        (&["--pairs", "--just-missed", "0.4"], &["--pairs"]),
        (&["--cluster", "components", "--dry-run"], &["--annotate"]),
        (&["--against", "test.jsonl"], &[]),
        (&["--recall", "0.9"], &[]),
        (&["--features", "words"], &[]),
        (&["--features", "words", "--verify", "jaccard", "--bits", "64"], &["--dry-run"]),
        (&["--features", "words", "--verify", "cosine"], &[]),
        (&["--preset", "md5-32"], &[]),
        (&["--verify", "jaccard", "--on-error", "skip"], &[]),
    ] {
        let run = |output: &str, more: &[&str]| {
            place
                .run(&[&["dedup", "news", "--quiet", "--output", output, "--force"], more].concat())
                .succeeds();
        };
        run("one", arguments);
        for similarity in ["0.55", "0.9"] {
            let output = [
                "rethreshold",
                "one",
                "--min-similarity",
                similarity,
                "--output",
                "other",
                "--force",
                "--quiet",
            ];
            place.run(&[&output[..], rethreshold].concat()).succeeds();
            let own: Vec<&str> = arguments
                .iter()
                .copied()
                .filter(|flag| !["--dry-run", "--pairs"].contains(flag))
                .collect();
            run("fresh", &[&own[..], rethreshold, &["--min-similarity", similarity]].concat());
            let (other, fresh) = (files(&place.path("other")), files(&place.path("fresh")));
            let names = |files: &[(String, Vec<u8>)]| {
                files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
            };
            assert_eq!(names(&other), names(&fresh), "{arguments:?}");
            for ((name, other), (_, fresh)) in other.iter().zip(&fresh) {
                assert!(
                    other == fresh,
                    "{arguments:?} {similarity} {name}: {}",
                    String::from_utf8_lossy(other)
                );
            }
        }
    }
}

#[test]
fn files_that_changed_and_folders_that_cannot_are_named() {
    let place = place();
    let again = |folder: &str| {
        place.run(&["rethreshold", folder, "--min-similarity", "0.9", "--output", "other"])
    };
    place.run(&["dedup", "news", "--quiet", "--output", "one"]).succeeds();
    let before = std::fs::read(place.path("news/a.jsonl")).unwrap();
    let changed =
        String::from_utf8(before.clone()).unwrap().replacen(&common::word(0), &common::word(1), 1);
    place.write("news/a.jsonl", changed);
    again("one")
        .ends_with_code(1)
        .says(&["a.jsonl: has changed since the run; run nearprint dedup again"]);
    place.write("news/a.jsonl", before);
    std::fs::write(place.path("one/fingerprints.bin"), "damaged").unwrap();
    again("one").ends_with_code(1).says(&["fingerprints.bin: is missing or damaged"]);
    let into = |output: &str| {
        place
            .run(&[
                "rethreshold",
                "whole",
                "--min-similarity",
                "0.9",
                "--force",
                "--output",
                output,
            ])
            .ends_with_code(2)
    };
    place.run(&["dedup", "news", "--quiet", "--output", "whole"]).succeeds();
    let before = files(&place.path("whole"));
    into("whole").says(&[
        "--output: whole holds whole/fingerprints.bin, which the run reads and would replace",
    ]);
    into("whole/kept/x")
        .says(&["--output: whole/kept/x is inside the folder of the run; name a folder outside"]);
    assert_eq!(files(&place.path("whole")), before);
    place.run(&["dedup", "news", "--quiet", "--output", "exact", "--preset", "exact"]).succeeds();
    again("exact").ends_with_code(1).says(&["has no similarity bound to change"]);
    again("news").ends_with_code(1).says(&["is not an output folder of"]);
    assert!(!place.path("other").exists());
}

/// The rows of a report.
fn rows(path: &Path) -> Vec<Value> {
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn pairs_below_the_bound_are_listed_and_other_bounds_told() {
    let place = place();
    let run = |output: &str, more: &[&str]| {
        let own = ["dedup", "news", "--quiet", "--output", output];
        place.run(&[&own[..], more].concat()).succeeds();
        place.summary(output)["bounds"].clone()
    };
    let all = run("all", &["--just-missed", "0.4"]);
    let few = run("few", &[]);
    let off = run("off", &["--just-missed", "off"]);
    assert_eq!(
        [&all, &few, &off]
            .map(|bounds| [&bounds["estimated"], &bounds["without_short"]].map(|one| one == true)),
        [[false, false], [false, true], [true, false]]
    );
    let missed = rows(&place.path("all/just_missed.jsonl"));
    assert!(
        missed.len() > 20
            && place.path("all/pairs.jsonl").exists()
            && !place.path("off/just_missed.jsonl").exists()
    );
    for row in &missed {
        let similarity = row["similarity"].as_f64().unwrap();
        assert!((0.4..0.75).contains(&similarity), "{row}");
        let file = std::fs::read_to_string(place.path(row["left_file"].as_str().unwrap())).unwrap();
        let line = row["left_row"].as_u64().unwrap() as usize
            - usize::from(!row["left_file"].as_str().unwrap().ends_with("csv"));
        let line = file.lines().nth(line).unwrap();
        assert!(line.contains(row["left"].to_string().trim_matches('"')), "{row} {line}");
    }
    assert!(rows(&place.path("few/just_missed.jsonl")).iter().all(|row| missed.contains(row)));
    let removed = &all["removed"].as_array().unwrap()[20];
    assert_eq!(removed[0], 0.6);
    run("fresh", &["--min-similarity", "0.6"]);
    assert_eq!(place.summary("fresh")["counts"]["removed"], removed[1]);
    place
        .run(&["dedup", "news", "--output", "wrong", "--just-missed", "0.8"])
        .ends_with_code(2)
        .says(&["--just-missed: 0.8 is not above 0 and below the --min-similarity of 0.75"]);
}

#[test]
fn a_bound_down_to_that_of_just_missed_and_below_is_possible() {
    let place = place();
    let run =
        |arguments: &[&str]| place.run(&[arguments, &["--quiet", "--force"]].concat()).succeeds();
    run(&["dedup", "news", "--output", "one", "--just-missed", "0.6"]);
    let counted = place.summary("one")["bounds"]["removed"].clone();
    for bound in ["0.61", "0.6", "0.5"] {
        run(&["rethreshold", "one", "--min-similarity", bound, "--output", "other"]);
        let own = if bound == "0.61" { &["--just-missed", "0.6"][..] } else { &[] };
        run(&[&["dedup", "news", "--output", "fresh", "--min-similarity", bound], own].concat());
        assert_eq!(files(&place.path("other")), files(&place.path("fresh")), "{bound}");
        let at = |step: &&Value| step[0].as_f64() == bound.parse().ok();
        if let Some(step) = counted.as_array().unwrap().iter().find(at) {
            assert_eq!(place.summary("other")["counts"]["removed"], step[1], "{bound}");
        }
    }
    let at_zero = ["rethreshold", "one", "--min-similarity", "0", "--output", "zero"];
    place.run(&at_zero).ends_with_code(2).says(&["--min-similarity: 0 is not above 0"]);
}

#[test]
fn a_higher_bound_may_remove_a_document_that_stayed() {
    let place = Place::new();
    let words = |count: usize| (0..count).map(common::word).collect::<Vec<_>>().join(" ");
    let row = |(id, count)| format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", words(count));
    place.write("chain.jsonl", [("a", 100), ("b", 140), ("c", 160)].map(row).concat());
    place.run(&["dedup", "chain.jsonl", "--output", "one", "--keep", "first"]).succeeds();
    place.run(&["rethreshold", "one", "--min-similarity", "0.9", "--output", "other"]).succeeds();
    let removed = |folder: &str| {
        let rows = rows(&place.path(&format!("{folder}/removed.jsonl")));
        rows.iter().map(|row| [row["id"].clone(), row["keeper"].clone()]).collect::<Vec<_>>()
    };
    assert_eq!(removed("one"), [["b", "a"]]);
    assert_eq!(removed("other"), [["c", "b"]]);
}

#[test]
fn marks_propose_a_bound() {
    let place = place();
    place.run(&["dedup", "news", "--quiet", "--output", "out", "--just-missed", "0.3"]).succeeds();
    let pairs =
        [rows(&place.path("out/pairs.jsonl")), rows(&place.path("out/just_missed.jsonl"))].concat();
    let marks = |count: usize| {
        let row = |mut row: Value| {
            row["verdict"] = if row["similarity"].as_f64() >= Some(0.7) {
                "right".into()
            } else {
                "wrong".into()
            };
            format!("{row}\n")
        };
        // Marks of both kinds.
        let step = pairs.len() / count;
        pairs.iter().step_by(step).take(count).cloned().map(row).collect::<String>()
    };
    place.write("few.jsonl", marks(40));
    let few = place.run(&["evaluate", "out", "few.jsonl"]).succeeds().stdout;
    assert!(
        few.starts_with(
            "No bound is proposed yet: it needs at least 50 marks, right and wrong ones; 10 are \
             missing."
        ),
        "{few}"
    );
    let unknown = "{\"left\":0,\"right\":\"nobody\",\"similarity\":0.9,\"verdict\":\"right\"}\n{\"left\":1,\"right\":2,\"verdict\":\"\"}\n";
    place.write("marks.jsonl", marks(60) + unknown);
    let report = place.run(&["evaluate", "out", "marks.jsonl", "--json"]).succeeds().stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    let proposal = &report["proposal"];
    assert_eq!((&proposal["marks"], &proposal["missing"]), (&60.into(), &0.into()), "{proposal}");
    assert_eq!(proposal["unknown"], serde_json::json!([[0, "nobody"]]));
    let bound = proposal["min_similarity"].as_f64().unwrap();
    assert!(
        (0.7..1.0).contains(&bound)
            && proposal["precision"]["value"] == 1.0
            && proposal["recall"]["value"] == 1.0
    );
    let shown = place.run(&["evaluate", "out", "marks.jsonl"]).succeeds().stdout;
    let lines: Vec<&str> = shown.lines().take(4).collect();
    assert!(
        lines[0].starts_with(&format!(
            "Proposed: --min-similarity {bound}, with the best F1 over 60 marked pairs"
        )),
        "{shown}"
    );
    assert!(
        lines[1].starts_with("precision 1.0000 (") && lines[2].contains("counts marked pairs only"),
        "{shown}"
    );
    assert_eq!(lines[3], "1 mark is of documents that are not in the run: 0 and nobody.");
    // Pairs without a mark are neither right nor wrong.
    let wrong = marks(60).lines().filter(|line| line.contains("\"wrong\"")).count();
    assert_eq!(report["counts"]["labelled_pairs"], 60 - wrong);
    assert_eq!(report["counts"]["false_alarms"], 0);
    let says =
        "TRUTH has marks (verdict), so pairs without a mark are ignored, as with --judged-only";
    assert!(report["notes"].as_array().unwrap().iter().any(|note| *note == says), "{report}");
    place.write("wrong.jsonl", "{\"left\":1,\"right\":2,\"verdict\":\"maybe\"}\n");
    place
        .run(&["evaluate", "out", "wrong.jsonl"])
        .ends_with_code(1)
        .says(&["field \"verdict\" is \"maybe\", not right, wrong or later"]);
}
