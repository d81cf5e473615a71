//! `nearprint index`: errors, warnings and summaries for the user.

use serde_json::json;

use crate::common::{BRIDGE, FERRY, LIBRARY, Place, row};
use crate::index::created;

#[test]
fn an_addition_that_fails_tells_what_is_done() {
    let place = created(&row("a", FERRY), &[]);
    place.write("bad.jsonl", row("b", LIBRARY) + &row("c", BRIDGE) + "{}\n");
    let run = place.run(&["index", "add", "seen", "bad.jsonl", "--quiet"]).ends_with_code(1);
    assert!(
        run.stderr.starts_with("nearprint: bad.jsonl, row 3: ")
            && run.stderr.ends_with(
                "\nnearprint: 2 rows before the error are done: 2 new; 3 documents in all\n"
            ),
        "{}",
        run.stderr
    );
    place.write("bad.jsonl", "{}\n");
    let run = place.run(&["index", "add", "seen", "bad.jsonl"]).ends_with_code(1);
    run.says(&["nearprint: nothing was added; 3 documents in all"]);
    // An index that cannot be created has no such line.
    let run = place.run(&["index", "create", "new", "bad.jsonl"]).ends_with_code(1);
    assert!(!run.stderr.contains("in all"), "{}", run.stderr);
    // Progress counts the last batch, too.
    let run = place.run(&["index", "query", "seen", "news.jsonl"]).succeeds();
    assert!(run.stderr.lines().all(|line| line == line.trim_end()), "{}", run.stderr);
    let run = place.run(&["index", "add", "seen", "news.jsonl"]).succeeds();
    let read = run.stderr.lines().find(|line| line.starts_with("read ")).unwrap();
    assert!(read.ends_with(" s  1 document"), "{read}");
}

#[test]
fn documents_without_ids_of_their_own_do_not_replace_others_in_silence() {
    let texts =
        |texts: [&str; 2]| texts.map(|text| format!("{}\n", json!({"text": text}))).concat();
    let place = Place::with("27/10.jsonl", texts([FERRY, LIBRARY]));
    place.write("28/10.jsonl", texts([BRIDGE, LIBRARY]));
    place.run(&["index", "create", "seen", "--id-field", "off"]).succeeds();
    let run = place.run(&["index", "add", "seen", "27/10.jsonl"]).succeeds();
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    let run = place.run(&["index", "add", "seen", "28/10.jsonl", "--quiet"]).succeeds();
    let warning = "nearprint: warning: 1 document replaced one of the same file name and row; if";
    run.says(&[warning, "name the field that holds their ids with --id-field"]);
    for (off, setting) in [(&[][..], "--id-field"), (&["--ids", "file-row"], "--ids")] {
        let add = [&["index", "add", "seen", "-", "--if-new"], off].concat();
        let run = place.run_with_input(&add, texts([FERRY, BRIDGE]).as_bytes()).ends_with_code(2);
        run.says(&[&format!("nearprint: {setting}: rows of standard input"), "with --id-field"]);
    }
    // Queries need no ids, and with ids nothing is warned of.
    let query = ["index", "query", "seen", "-"];
    place.run_with_input(&query, texts([FERRY, BRIDGE]).as_bytes()).succeeds();
    for text in [FERRY, LIBRARY] {
        let add = ["index", "add", "seen", "-", "--id-field", "id"];
        let run = place.run_with_input(&add, row("a", text).as_bytes()).succeeds();
        assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    }
}

#[test]
fn ids_that_are_not_there_are_named() {
    let place = created(&row("a", FERRY), &[]);
    let run = place.run(&["index", "remove", "seen", "x", "y"]).succeeds();
    run.says(&["0 removed; no document has the ids x, y; 1 document in all"]);
    let many: Vec<String> = (0..12).map(|number| format!("n{number}\n")).collect();
    let run = place.run_with_input(&["index", "remove", "seen", "-"], many.concat().as_bytes());
    run.succeeds().says(&["no document has the ids n0, n1, n2,", "n8, n9 and 2 more; 1 document"]);
}

#[test]
fn an_index_describes_itself_in_json_with_every_setting() {
    for settings in [
        &[][..],
        &["--max-distance", "off"],
        &["--max-distance", "7", "--bits", "64", "--verify", "jaccard"],
        &["--features", "words", "--weights", "tf", "--stop-words", "zh", "--max-rejected", "7"],
        &["--preset", "exact", "--ids", "file-row"],
        &["--ttl", "2w", "--date-field", "day", "--store-field", "day", "--store-text"],
        &["--delimiter", "tab", "--quote", "none", "--encoding", "gb18030", "--memory", "1G"],
    ] {
        let place = Place::with("none.jsonl", "");
        place.run(&[&["index", "create", "seen", "none.jsonl"], settings].concat()).succeeds();
        for sample in ["0", "100"] {
            let info = ["index", "info", "seen", "--json", "--recall-sample", sample];
            let info = place.run(&info).succeeds().json();
            assert_eq!((&info["documents"], info["settings"].is_object()), (&json!(0), true));
        }
    }
}
