//! `dedup --check`: lists all problems of the input, and writes nothing.

use crate::common::{FERRY, LIBRARY, Place, row, sample};
use serde_json::json;

#[test]
fn every_problem_is_listed_and_nothing_is_written() {
    let place = Place::with("a.jsonl", row("1", FERRY) + "{\"id\":2}\nno\n" + &row("1", LIBRARY));
    place.write("b.csv", "id,body\n1,x\n");
    place.write("c.jsonl", "");
    place.write("d.txt", LIBRARY);
    let before = place.names();
    let arguments = ["dedup", "a.jsonl", "b.csv", "c.jsonl", "d.txt", "--check"];
    let run = place.run(&arguments).ends_with_code(1);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let begins = [
        "a.jsonl, row 2: no field \"text\"; there are: id; name the right one with --text-field",
        "a.jsonl, row 3: not a JSON object (column 2: ",
        "a.jsonl, row 4: id \"1\" was used before (a.jsonl, row 1); make ids unique, ",
        "b.csv: no column \"text\"; there are: id, body; name the right one",
        "2 documents read from 4 files: 4 problems",
    ];
    assert_eq!(lines.len(), begins.len(), "{lines:?}");
    assert!(lines.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)), "{lines:?}");
    assert_eq!((place.names(), place.leftovers()), (before, vec![]));
    // The check does not depend on the output or on other flags.
    let more = ["--output", "out", "--on-error", "skip", "--pairs", "--quiet"];
    let again = place.run(&[&arguments[..], &more].concat()).ends_with_code(1);
    assert_eq!((again.stdout, again.stderr), (run.stdout, String::new()));
    assert!(!place.path("out").exists());
    // Without any row, the input itself is the problem.
    let run = place.run(&["dedup", "c.jsonl", "--check"]).ends_with_code(1);
    assert_eq!(
        run.stdout,
        "c.jsonl: the file has no rows; remove it from the input\n0 documents read from 1 file: 1 \
         problem\n"
    );
}

#[test]
fn good_input_ends_with_code_0() {
    let place = sample();
    let run = place.run(&["dedup", "articles.jsonl", "--check", "--quiet"]).succeeds();
    assert_eq!(run.stdout, "80 documents read from 1 file: 0 problems\n");
    let run =
        place.run_with_input(&["dedup", "-", "--check"], row("1", FERRY).as_bytes()).succeeds();
    assert_eq!(run.stdout, "1 document read from 1 file: 0 problems\n");
    assert_eq!((place.names(), place.leftovers()), (vec!["articles.jsonl".to_string()], vec![]));
}

#[test]
fn problems_of_one_kind_are_told_together_with_their_first_places() {
    let place = Place::with("a.jsonl", "no\n".repeat(103) + "{\"text\":null}\n");
    place
        .write("b.jsonl", "{\"id\":1}\n{\"text\":null}\n{\"text\":7}\n{\"text\":null}\n{\"text\":true}\n{\"key\":1}\n");
    let run = place.run(&["dedup", "a.jsonl", "b.jsonl", "--check"]).ends_with_code(1);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let begins = [
        "a.jsonl, row 1, and 102 others (row 2; row 3; row 4 and 99 more): not a JSON object",
        "a.jsonl, row 104, and 2 others (b.jsonl, row 2; row 4): field \"text\" is null",
        "b.jsonl, row 1, and 1 other (row 6): no field \"text\"; there are: id; name the right one",
        "b.jsonl, row 3: field \"text\" is an integer, not a string",
        "b.jsonl, row 5: field \"text\" is a boolean, not a string",
        "0 documents read from 2 files: 110 problems",
    ];
    assert_eq!(lines.len(), begins.len(), "{lines:?}");
    assert!(lines.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)), "{lines:?}");
}

#[test]
fn rows_with_other_hints_are_told_apart() {
    let rows = [
        json!({"id": 1, "messages": FERRY}),
        json!({"id": 2, "dialog": []}),
        json!({"id": 3, "messages": []}),
        json!({"id": 4, "dialog": null}),
        json!({"id": 5, "messages": null}),
    ];
    let rows: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let place = Place::with("a.jsonl", rows);
    let run = place.run(&["dedup", "a.jsonl", "--check", "--text-field", "messages[].text"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let begins = [
        "a.jsonl, row 1: no field \"messages[].text\"; ",
        "a.jsonl, row 2, and 1 other (row 4): no field \"messages[].text\"; there are: dialog, id;",
        "a.jsonl, row 3: the list of field \"messages[].text\" has no elements; give it one with a",
        "a.jsonl, row 5: field \"messages[].text\" is null; give it a text",
        "0 documents read from 1 file: 5 problems",
    ];
    assert_eq!(lines.len(), begins.len(), "{lines:?}");
    assert!(lines.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)), "{lines:?}");
    assert!(lines[0].contains("did you mean \"messages\"?"), "{}", lines[0]);
}

#[test]
fn both_sides_and_fields_that_no_row_has_are_checked() {
    let place = Place::with("train.jsonl", row("1", FERRY));
    place.write(
        "test.jsonl",
        json!({"id": 1, "question": LIBRARY}).to_string() + "\n" + &row("1", LIBRARY),
    );
    let fields = ["--id-field", "key", "--same", "lang", "--keep", "newest:day"];
    let run = place.run(
        &[&["dedup", "train.jsonl", "--against", "test.jsonl", "--check"], &fields[..]].concat(),
    );
    let says: [&str; 6] = [
        "--same: no row of --against has a value in a field \"lang\"",
        "--id-field: no row of the input has a field \"key\"",
        "--keep: no row has a number, a string or a boolean in a field \"day\"",
        "--same: no row of the input has a value in a field \"lang\"",
        "test.jsonl, row 1: no field \"text\"; did you mean \"question\"? its text is by far the \
         longest",
        "2 documents read from 2 files: 5 problems",
    ];
    for part in says {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    run.ends_with_code(1);
}

#[test]
fn files_that_are_passed_over_are_counted_and_named() {
    let place = Place::with("data/a.jsonl", row("1", FERRY));
    for name in ["data/notes.md", "data/deep/b.jsonl.bak", "data/.hidden"] {
        place.write(name, "x");
    }
    let run = place.run(&["dedup", "data", "--check"]).succeeds();
    assert_eq!(
        run.stdout,
        "passed over, format unknown: data/deep/b.jsonl.bak, data/notes.md\n\
         1 document read from 1 file, 2 files passed over: 0 problems\n"
    );
    for number in 10..22 {
        place.write(&format!("more/{number}.md"), "x");
    }
    place.write("more/a.jsonl", row("1", FERRY));
    let run = place.run(&["dedup", "more", "--check"]).succeeds();
    assert!(
        run.stdout.contains("more/10.md, ") && run.stdout.contains(", more/19.md and 2 more\n"),
        "{}",
        run.stdout
    );
    let run = place.run(&["dedup", "data", "--output", "out"]).succeeds();
    assert!(run.stderr.contains("passed over"), "{}", run.stderr);
    assert_eq!(place.summary("out")["passed_over"], 2);
    place.dedup(&["data/a.jsonl", "--force"]);
    assert!(place.summary("out").get("passed_over").is_none());
}

#[test]
fn values_that_are_no_dates_are_problems_if_dates_choose_the_keeper() {
    let dated =
        |id: &str, date: &str| json!({"id": id, "text": FERRY, "day": date}).to_string() + "\n";
    let rows =
        dated("a", "2026-01-31") + &dated("b", "soon") + &dated("c", "later") + &dated("d", "");
    let place = Place::with("news.jsonl", rows);
    place.write("test.jsonl", dated("t", "never"));
    for policy in ["newest:day", "oldest:day"] {
        let check = ["dedup", "news.jsonl", "--against", "test.jsonl", "--check", "--keep", policy];
        let run = place.run(&check).ends_with_code(1);
        assert_eq!(
            run.stdout,
            "news.jsonl, row 2, and 1 other (row 3): the field \"day\", which ranks documents, has \
             \"soon\", which is no date and ranks below all dates; write dates like \
             2026-01-31T09:00:00Z, or rank numbers and text with --keep highest:day\n\
             5 documents read from 2 files: 2 problems\n"
        );
    }
    place.run(&["dedup", "news.jsonl", "--check", "--keep", "highest:day"]).succeeds();
}
