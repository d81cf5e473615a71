//! What `--on-error skip` leaves out is loud: a line on standard error, exit code 3, and an error
//! where it is more than `--max-rejected` allows.

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, gzip, row};
use serde_json::json;

const BAD: &str = "{\"id\":0}\n";

/// A place with a file of good rows, a file of bad ones, and a file of both.
fn place() -> Place {
    let place = Place::with("good.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    place.write("bad.jsonl", BAD.repeat(3));
    place.write("mixed.jsonl", BAD.to_string() + &row("c", BRIDGE));
    place
}

#[test]
fn the_last_line_counts_files_and_rows_also_when_quiet() {
    let place = place();
    place.write("table.csv", "id,body\n1,x\n2,\"y\nz\"\n");
    place.write("array.jsonl", "[{}]\n");
    let files = ["good.jsonl", "bad.jsonl", "mixed.jsonl", "table.csv", "array.jsonl"];
    let run = place.dedup_the_rest(&files);
    assert_eq!(
        run.stderr,
        "nearprint: 3 files left out whole (5 rows, and an unknown number of one file): \
         bad.jsonl, table.csv, array.jsonl; 1 row left out: see rejected.jsonl\n"
    );
    assert_eq!(place.rows("out/rejected.jsonl").len(), 6);
    // A file of which each row was read and refused has a copy without rows.
    let kept = ["bad.jsonl", "good.jsonl", "mixed.jsonl"];
    assert_eq!(common::names(&place.path("out/kept")), kept);
    assert_eq!(place.text("out/kept/bad.jsonl"), "");
    // The same line without `--quiet`, at the end.
    let dedup = ["dedup", "--output", "out", "--force", "good.jsonl", "mixed.jsonl"];
    let run = place.run(&[&dedup[..], &common::SKIP].concat()).ends_with_code(3);
    assert!(
        run.stderr.ends_with("\nnearprint: 1 row left out: see rejected.jsonl\n"),
        "{}",
        run.stderr
    );
    // Nothing is left out, so nothing is told.
    let run = place.dedup(&["good.jsonl", "--force", "--on-error", "skip"]);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_damaged_file_tells_how_much_of_it_was_used() {
    let place = place();
    let plain = common::Articles::json_lines(1, 600, 60);
    let whole = gzip(plain.as_bytes());
    place.write("cut.jsonl.gz", &whole[..whole.len() - 9]);
    let run = place.dedup_the_rest(&["good.jsonl", "cut.jsonl.gz"]);
    let used = place.summary("out")["counts"]["read"].as_u64().unwrap() - 2;
    run.says(&[&format!(
        "nearprint: 1 file left out from the damage on: cut.jsonl.gz ({used} rows used): see"
    )]);
    let dedup = ["dedup", "good.jsonl", "cut.jsonl.gz", "--output", "out2", "--on-error", "skip"];
    place.run(&[&dedup[..], &["--max-rejected", "99%"]].concat()).ends_with_code(1);
    assert!(!place.path("out2").exists());
}

#[test]
fn rows_that_a_missing_quote_joined_count_as_rows() {
    let place = place();
    let rows = |first: usize| -> String {
        (first..first + 20).map(|id| format!("{id}\t{BRIDGE} {id}\n")).collect()
    };
    let names = "id\ttext\n".to_string();
    place.write("open.tsv", names.clone() + &rows(1) + "x\t\"Open\n" + &rows(21));
    let closed = "x\t\"Open\n".to_string() + &rows(21) + "y\t\"No\" was all\n";
    place.write("closed.tsv", names + &rows(1) + &closed);
    for (file, left_out) in [("open.tsv", 21), ("closed.tsv", 22)] {
        let dedup = ["dedup", file, "--output", "out", "--force"];
        let skip = [&dedup[..], &["--on-error", "skip", "--quote", "\""]].concat();
        place.run(&[&skip[..], &["--max-rejected", "20"]].concat()).ends_with_code(1).says(&[
            &format!("{left_out} rows left out (listed as 1, since missing quotes join rows)"),
            "row 21: damaged (",
            &format!("the row spans {left_out} lines); if quotes are letters"),
            "read it with --quote none",
        ]);
        place.run(&[&skip[..], &["--max-rejected", "60%"]].concat()).ends_with_code(3);
        assert_eq!(place.summary("out")["counts"]["read"], 20);
        assert_eq!(place.summary("out")["counts"]["rejected"], 1);
        place.run(&dedup).succeeds().says(&[&format!("{file}: quotes are read as letters")]);
        assert_eq!(place.summary("out")["counts"]["read"], 20 + left_out);
    }
}

#[test]
fn more_than_the_bound_is_an_error_before_any_output() {
    let place = place();
    let before = place.names();
    let skip = ["--on-error", "skip", "--output", "out"];
    for threads in ["1", "4"] {
        for (files, most, says) in [
            (
                &["good.jsonl", "bad.jsonl"][..],
                &[][..],
                "nearprint: 1 file left out whole (3 rows): bad.jsonl (of 5 rows that were read); \
                 --max-rejected 10% does not allow this; mend the input, leave such files out of a \
                 folder with --exclude, or accept the loss with --max-rejected 100%; the first \
                 problem: bad.jsonl, row 1: no field \"text\"",
            ),
            (
                &["good.jsonl", "bad.jsonl"],
                &["--max-rejected", "3"],
                "--max-rejected 3 does not allow",
            ),
            (
                &["good.jsonl", "mixed.jsonl"],
                &[],
                "nearprint: 1 row left out (of 4 rows that were read); --max-rejected 10% does not",
            ),
            (&["mixed.jsonl"], &["--max-rejected", "49.9999%"], "--max-rejected 49.9999% does"),
            (&["mixed.jsonl"], &["--max-rejected", "0"], "--max-rejected 0 does not allow"),
        ] {
            let dedup = [&["dedup", "--threads", threads], files, &skip, most].concat();
            let run = place.run(&dedup).ends_with_code(1).says(&[says]);
            assert_eq!(run.stderr.lines().filter(|line| line.contains("nearprint:")).count(), 1);
            assert_eq!((place.names(), place.leftovers()), (before.clone(), vec![]));
        }
    }
    // Bounds are inclusive.
    for most in ["50%", "1", "100%"] {
        let dedup = ["dedup", "mixed.jsonl", "--quiet", "--max-rejected", most, "--force"];
        place.run(&[&dedup[..], &skip].concat()).ends_with_code(3);
    }
    place.write("settings.toml", "on-error = 'skip'\nmax-rejected = '50%'\n");
    let run = place.run(&[
        "dedup",
        "mixed.jsonl",
        "--config",
        "settings.toml",
        "--output",
        "out",
        "--force",
    ]);
    run.ends_with_code(3);
    assert_eq!(place.summary("out")["settings"]["max-rejected"], json!("50%"));
}

#[test]
fn a_text_file_that_is_one_document_counts_as_a_row() {
    let place = Place::with("texts/0.txt", b"caf\xe9");
    for number in 1..10 {
        place.write(&format!("texts/{number}.txt"), format!("{FERRY} {number}"));
    }
    let dedup = ["dedup", "texts", "--quiet", "--output", "out", "--on-error", "skip"];
    place.run(&dedup).ends_with_code(3).says(&["nearprint: 1 row left out: see rejected.jsonl"]);
}

#[test]
fn verbs_without_a_report_end_with_the_same_line_and_code() {
    let place = place();
    place.write("found.csv", "left,right\na,b\n");
    let [good, mixed] = ["good.jsonl", "mixed.jsonl"];
    for arguments in [
        &["find", good, mixed, "--text", FERRY][..],
        &["fingerprint", good, mixed],
        &["stats", good, mixed, "--output", "s", "--force"],
        &["tune", good, mixed],
        &["evaluate", "found.csv", "found.csv", "--documents", good, mixed],
        &["index", "create", "seen", good, mixed],
        &["index", "add", "seen", good, mixed],
        &["index", "query", "seen", good, mixed],
        &["dedup", good, mixed, "--output", "-"],
    ] {
        let run = place.run(&[arguments, &["--quiet"], &common::SKIP].concat());
        let run = run.ends_with_code(3).says(&["mixed.jsonl, row 1: no field \"text\""]);
        let last = run.stderr.lines().last().unwrap();
        assert!(last.starts_with("nearprint: 1 row left out"), "{arguments:?}: {last}");
        let bound = ["--on-error", "skip", "--max-rejected", "20%"];
        let arguments: Vec<&str> =
            arguments.iter().map(|own| if *own == "create" { "add" } else { *own }).collect();
        let run = place.run(&[&arguments[..], &bound].concat()).ends_with_code(1);
        run.says(&["--max-rejected 20% does not allow this", "mixed.jsonl, row 1: no field"]);
    }
}

#[test]
fn a_call_of_an_index_adds_the_rest_and_then_refuses_too_much() {
    let place = place();
    place.run(&["index", "create", "seen"]).succeeds();
    let add = ["index", "add", "seen", "good.jsonl", "bad.jsonl", "--on-error", "skip"];
    let run = place.run(&add).ends_with_code(1).says(&[
        "nearprint: left out: bad.jsonl, row 3: no field \"text\"",
        "nearprint: the other documents are in the index\n",
        "nearprint: 1 file left out whole (3 rows): bad.jsonl (of 5 rows that were read)",
    ]);
    assert!(!run.stderr.contains("2 new"), "{}", run.stderr);
    assert_eq!(place.run(&["index", "info", "seen", "--json"]).succeeds().json()["documents"], 2);
}

#[test]
fn rows_that_are_too_many_to_leave_out_are_listed_by_every_verb() {
    let place = place();
    place.run(&["index", "create", "seen", "good.jsonl"]).succeeds();
    place.write("bad.jsonl", row("b", LIBRARY) + BAD + BAD);
    for verb in [
        &["index", "add", "seen", "bad.jsonl"][..],
        &["index", "query", "seen", "bad.jsonl"],
        &["find", "bad.jsonl", "--text", FERRY],
        &["fingerprint", "bad.jsonl"],
        &["stats", "bad.jsonl", "--output", "s"],
    ] {
        let run = place.run(&[verb, &["--on-error", "skip"]].concat()).ends_with_code(1);
        for number in [2, 3] {
            let line = format!("nearprint: left out: bad.jsonl, row {number}: ");
            assert_eq!(run.stderr.matches(&line).count(), 1, "{verb:?}: {}", run.stderr);
        }
        run.says(&["2 rows left out (of 3 rows that were read)"]);
    }
}

#[test]
fn a_run_that_left_out_a_file_is_read_again_without_it() {
    let copy = FERRY.replace("dawn", "noon");
    let place = Place::with("data/b.jsonl", row("1", FERRY) + &row("2", &copy) + &row("3", BRIDGE));
    std::os::unix::fs::symlink("nowhere", place.path("data/a.jsonl")).unwrap();
    let skip = ["--on-error", "skip", "--max-rejected", "100%"];
    place.run(&[&["dedup", "data", "--output", "out"], &skip[..]].concat()).ends_with_code(3);
    for id in ["1", "2", "3"] {
        assert_eq!(place.run(&["explain", "out", id]).succeeds().stderr, "");
    }
    let again = ["rethreshold", "out", "--min-similarity", "0.99", "--output", "stricter"];
    place.run(&again).ends_with_code(3).says(&["1 file left out whole"]);
    assert_eq!(place.summary("stricter")["counts"]["removed"], 0);
    let compare = ["compare", "--in", "data", "1", "2"];
    place.run(&compare).ends_with_code(1).says(&["--on-error skip"]);
    let compared = place.run(&[&compare[..], &skip].concat()).succeeds();
    compared.says(&["left out: data/a.jsonl: cannot be read"]);
}
