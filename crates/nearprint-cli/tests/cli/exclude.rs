//! `--exclude` passes over files of folders and globs.

use crate::common::{BRIDGE, FERRY, LIBRARY, Place, column, row};
use serde_json::json;

/// A folder of data with a description and a cache beside it.
fn place() -> Place {
    let place = Place::with("data/a.jsonl", row("a", FERRY));
    place.write("data/deep/b.jsonl", row("b", LIBRARY));
    place.write("data/deep/meta.json", "{\n  \"rows\": 2\n}\n");
    place.write("data/cache/old/c.jsonl", "{}\n");
    place.write("data/cache/part-00000", "x");
    place
}

#[test]
fn files_are_left_out_by_name_and_by_path_without_a_word() {
    let place = place();
    let exclude = ["--exclude", "meta.json", "--exclude", "cache/**"];
    for input in ["data", "data/**/*"] {
        let run = place.dedup(&[&[input, "--force"], &exclude[..]].concat());
        assert_eq!(run.stderr, "", "{input}");
        let summary = place.summary("out");
        assert_eq!(summary["inputs"], json!(["data/a.jsonl", "data/deep/b.jsonl"]), "{input}");
        assert!(summary.get("passed_over").is_none(), "{input}");
        assert_eq!(summary["settings"]["exclude"], json!(["meta.json", "cache/**"]));
    }
    place.write("settings.toml", "exclude = ['meta.json', 'cache/**']\n");
    for verb in ["fingerprint", "stats"] {
        let run = [verb, "data", "--config", "settings.toml", "--output", verb];
        place.run(&run).succeeds();
    }
    let check = [&["dedup", "data", "--check"], &exclude[..]].concat();
    assert_eq!(place.run(&check).succeeds().stdout, "2 documents read from 2 files: 0 problems\n");
    let index = [&["index", "create", "index", "data"], &exclude[..]].concat();
    place.run(&index).succeeds();
    place.write("more/new.jsonl", row("c", BRIDGE));
    place.write("more/meta.json", "{\n");
    place.run(&["index", "add", "index", "more", "--exclude", "meta.json"]).succeeds();
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_can_be_left_out() {
    let place = Place::with("data/a.jsonl", row("a", FERRY));
    std::os::unix::fs::symlink("nowhere", place.path("data/b.jsonl")).unwrap();
    place.run(&["dedup", "data", "--output", "out"]).ends_with_code(1);
    for input in ["data", "data/*.jsonl"] {
        place.dedup(&[input, "--exclude", "b.*", "--force"]);
    }
}

#[test]
fn reference_documents_are_left_out_too_and_a_pattern_must_match_on_one_side() {
    let place = place();
    place.write("test/t.jsonl", row("t", FERRY));
    place.write("test/info.json", "{\n");
    let exclude = ["--exclude", "meta.json", "--exclude", "cache/**", "--exclude", "info.json"];
    let run = place.dedup(&[&["data", "--against", "test"], &exclude[..]].concat());
    assert_eq!(run.stderr, "");
    assert_eq!(column(&place.rows("out/removed.jsonl"), "keeper"), ["t"]);
}

#[test]
fn a_named_file_is_read_and_a_pattern_that_matches_nothing_is_warned_of() {
    let place = place();
    let run = place.dedup(&["data/a.jsonl", "--exclude", "a.jsonl"]);
    let warning = "nearprint: warning: --exclude: \"a.jsonl\" matches no file of an input folder \
        or glob; a pattern stands for the name of a file, or for its path below the folder\n";
    assert_eq!(run.stderr, warning);
    assert_eq!(place.summary("out")["counts"]["read"], 1);
    let misspelt = ["fingerprint", "data/deep", "--quiet", "--output", "f"];
    let patterns = ["--exclude", "meta.jso", "--exclude", "meta.json"];
    let run = place.run(&[&misspelt[..], &patterns].concat()).succeeds();
    run.says(&["warning: --exclude: \"meta.jso\" matches no file"]);
    let all = ["dedup", "data/deep", "--output", "out2", "--exclude", "*"];
    place
        .run(&all)
        .ends_with_code(2)
        .says(&["data/deep has no file of a known format but those that --exclude leaves out"]);
    let bad = ["dedup", "data", "--output", "out2", "--exclude", "a["];
    place.run(&bad).ends_with_code(2).says(&["--exclude: \"a[\" is not a glob: "]);
}
