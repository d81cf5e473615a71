//! Pairs that a person marked as right or wrong: `evaluate` takes them as the truth, and later runs
//! obey them.

use serde_json::{Value, json};

use crate::common::{Articles, BRIDGE, FERRY, LIBRARY, Place, row};

#[test]
fn all_pairs_of_a_small_run_propose_a_bound_and_a_warning() {
    let (near, half) =
        (FERRY.replace("cardamom", "cinnamon"), format!("{} {LIBRARY}", &FERRY[..120]));
    let place = Place::with(
        "news.jsonl",
        [row("a", FERRY), row("b", LIBRARY), row("c", &near), row("d", &half)].concat(),
    );
    place.dedup(&["news.jsonl", "--just-missed", "0.2"]);
    let keys = |row: &Value, [left, right]: [&str; 2], right_mark: bool| {
        let verdict = if right_mark { "right" } else { "wrong" };
        let mark = json!({"left": row[left], "right": row[right], "similarity": row["similarity"], "verdict": verdict});
        format!("{mark}\n")
    };
    let removed: Vec<Value> = place
        .rows("out/removed.jsonl")
        .into_iter()
        .filter(|row| row["reason"] != "exact")
        .collect();
    let missed = place.rows("out/just_missed.jsonl");
    let all = removed.len() + missed.len();
    assert!(
        !removed.is_empty() && !missed.is_empty() && all < 50,
        "{} {}",
        removed.len(),
        missed.len()
    );
    let mut marks: Vec<String> =
        removed.iter().map(|row| keys(row, ["id", "keeper"], true)).collect();
    marks.extend(missed.iter().map(|row| keys(row, ["right", "left"], false)));
    place.write("marks.jsonl", marks.concat());
    let shown = place.run(&["evaluate", "out", "marks.jsonl"]).succeeds().stdout;
    assert!(shown.starts_with("Proposed: --min-similarity 0."), "{shown}");
    assert!(
        shown.contains(&format!(
            "Warning: the proposal rests on only {all} pairs, all that this run has"
        )),
        "{shown}"
    );
    // One unmarked pair prevents the proposal.
    place.write("marks.jsonl", marks[1..].concat());
    let shown = place.run(&["evaluate", "out", "marks.jsonl"]).succeeds().stdout;
    assert!(
        shown.starts_with(&format!(
            "No bound is proposed yet: it needs marks on all {all} pairs of the run, right and \
             wrong ones; 1 is missing"
        )),
        "{shown}"
    );
    place.write("marks.jsonl", marks.concat().replace("wrong", "right"));
    let shown = place.run(&["evaluate", "out", "marks.jsonl"]).succeeds().stdout;
    assert!(
        shown.starts_with(&format!(
            "No bound is proposed: it needs right and wrong pairs, and all {all} pairs of the run \
             are marked right."
        )),
        "{shown}"
    );
}

#[test]
fn a_mark_whose_similarity_is_none_is_refused() {
    let place = Place::with("news.jsonl", Articles::json_lines(3, 40, 60));
    place.dedup(&["news.jsonl"]);
    place.write(
        "marks.jsonl",
        "{\"left\":1,\"right\":2,\"similarity\":70.5,\"verdict\":\"right\"}\n",
    );
    place
        .run(&["evaluate", "out", "marks.jsonl"])
        .ends_with_code(1)
        .says(&["marks.jsonl, row 1", "\"similarity\" is 70.5, not a number from 0 to 1"]);
}

#[test]
fn misses_without_a_similarity_in_the_run_have_that_of_their_mark() {
    let place = Place::with("news.jsonl", Articles::json_lines(3, 40, 60));
    place.dedup(&["news.jsonl"]);
    let [one, other] = [0, 1].map(|row| place.rows("out/removed.jsonl")[row]["id"].clone());
    place.write(
        "marks.jsonl",
        format!(
            "{}\n",
            json!({"left": one, "right": other, "similarity": 0.625, "verdict": "right"})
        ),
    );
    let report = place.run(&["evaluate", "out", "marks.jsonl", "--json"]).succeeds().json();
    let misses = &report["misses"]["pairs"];
    assert_eq!(
        (&misses[0]["similarity"], &misses[0]["distance"]),
        (&json!(0.625), &Value::Null),
        "{report}"
    );
}

/// A row of a file of marks.
fn mark(left: &str, right: &str, verdict: &str) -> String {
    format!("{}\n", json!({"left": left, "right": right, "similarity": 0.8, "verdict": verdict}))
}

/// A run in which the first document of a cluster stays.
const FIRST: [&str; 4] = ["dedup", "news.jsonl", "--keep", "first"];

/// A ferry, a near copy of it, a library and a bridge.
fn news() -> Place {
    let near = FERRY.replace("cardamom", "cinnamon");
    let rows = [("a", FERRY), ("b", &near), ("c", LIBRARY), ("d", BRIDGE)];
    let place = Place::with("news.jsonl", rows.map(|(id, text)| row(id, text)).concat());
    place.write("marks.jsonl", mark("a", "b", "wrong") + &mark("d", "c", "right"));
    place
}

#[test]
fn a_later_run_obeys_the_marks_and_tells_them() {
    let place = news();
    let run = place
        .run(&[&FIRST[..], &["--output", "out", "--marks", "marks.jsonl", "--pairs"]].concat())
        .succeeds();
    assert!(run.stderr.contains("marked"), "{}", run.stderr);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(removed.len(), 1, "{removed:?}");
    assert_eq!((&removed[0]["reason"], &removed[0]["id"]), (&json!("marked"), &json!("d")));
    assert!(removed[0]["similarity"].as_f64().unwrap() < 0.5);
    let pairs = place.rows("out/pairs.jsonl");
    assert_eq!((pairs.len(), &pairs[0]["reason"]), (1, &json!("marked")), "{pairs:?}");
    assert_eq!(place.rows("out/clusters.jsonl")[0]["members"], json!(["c", "d"]));
    let summary = place.summary("out");
    assert_eq!(summary["counts"]["marked"], 1);
    let mut marks = summary["marks"].clone();
    let hash = marks.as_object_mut().unwrap().remove("hash").unwrap();
    assert_eq!(hash.as_str().unwrap().len(), 32);
    assert_eq!(
        marks,
        json!({"file": "marks.jsonl", "all": 2, "used": 2, "changed": [], "absent": []})
    );
    let why =
        |left: &str, right: &str| place.run(&["explain", "out", left, right]).succeeds().stdout;
    let right = why("d", "c");
    assert!(right.contains("marked as right by a person, in marks.jsonl, row 2"), "{right}");
    let wrong = why("a", "b");
    assert!(wrong.contains("marked as wrong by a person, in marks.jsonl, row 1"), "{wrong}");
    place.run(&["report", "out", "--quiet"]).succeeds();
    assert!(place.text("out/report.html").contains("\"marked\":1"));
    // Of a file that has changed since, no row is named.
    place.write("marks.jsonl", mark("c", "d", "right"));
    let right = why("d", "c");
    assert!(right.contains("marks of a person link them; their own similarity is"), "{right}");
    // A run without marks is as ever.
    place.run(&["dedup", "news.jsonl", "--quiet", "--output", "plain"]).succeeds();
    let plain = place.summary("plain");
    assert!(plain.get("marks").is_none() && plain["counts"].get("marked").is_none());
}

#[test]
fn the_page_of_a_run_with_marks_knows_them() {
    let place = news();
    place.write("marks.jsonl", place.text("marks.jsonl") + &mark("a", "nobody", "right"));
    let flags = ["--output", "out", "--quiet", "--report", "--marks", "marks.jsonl"];
    place.run(&[&FIRST[..], &flags].concat()).succeeds();
    let page = || place.text("out/report.html");
    let marks = || -> Value {
        let page = page();
        let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
        serde_json::from_str::<Value>(data).unwrap()["marks"].clone()
    };
    let earlier = |ids: [&str; 2], right: bool, used: bool, row: usize| {
        let row: Value =
            serde_json::from_str(place.text("marks.jsonl").lines().nth(row).unwrap()).unwrap();
        let (left, other) = (&row["left"], &row["right"]);
        let verdict = &row["verdict"];
        let row = format!(
            "{{\"left\":{left},\"right\":{other},\"similarity\":0.8,\"verdict\":{verdict}}}\n"
        );
        json!({"ids": ids, "right": right, "used": used, "rows": row})
    };
    let all = [
        earlier(["a", "b"], false, true, 0),
        earlier(["c", "d"], true, true, 1),
        earlier(["a", "nobody"], true, false, 2),
    ];
    assert_eq!(marks(), json!({"least": 50, "earlier": all, "gone": false}));
    let at_once = page();
    let report = || place.run(&["report", "out", "--quiet"]).succeeds();
    report();
    assert!(page() == at_once);
    let gone = json!({"least": 50, "earlier": [], "gone": true});
    place.write("marks.jsonl", mark("a", "b", "wrong"));
    report();
    assert_eq!(marks(), gone);
    std::fs::remove_file(place.path("marks.jsonl")).unwrap();
    report();
    assert_eq!(marks(), gone);
    place.run(&["dedup", "news.jsonl", "--quiet", "--output", "out", "--force", "--report"]);
    assert_eq!(marks(), json!({"least": 50, "earlier": [], "gone": false}));
}

#[test]
fn rethreshold_takes_marks_instead_of_a_bound() {
    let place = news();
    place.run(&[&FIRST[..], &["--quiet", "--output", "out"]].concat()).succeeds();
    assert_eq!(place.rows("out/removed.jsonl")[0]["id"], "b");
    let marks = ["--marks", "marks.jsonl", "--quiet"];
    place.run(&[&["rethreshold", "out", "--output", "again"], &marks[..]].concat()).succeeds();
    place.run(&[&FIRST[..], &["--output", "fresh"], &marks].concat()).succeeds();
    for file in ["removed.jsonl", "clusters.jsonl", "kept/news.jsonl"] {
        assert_eq!(place.text(&format!("again/{file}")), place.text(&format!("fresh/{file}")));
    }
    // A later bound keeps the marks of the run.
    place
        .run(&["rethreshold", "again", "--min-similarity", "0.9", "--output", "last", "--quiet"])
        .succeeds();
    assert_eq!(place.rows("last/removed.jsonl")[0]["reason"], "marked");
    place
        .run(&["rethreshold", "out", "--output", "none"])
        .ends_with_code(2)
        .says(&["--min-similarity"]);
}

#[test]
fn a_run_says_which_marks_it_does_not_use() {
    let place = news();
    place.run(&["dedup", "news.jsonl", "--quiet", "--output", "out", "--report"]).succeeds();
    // The page gives the hash of each text, with which it saves its marks.
    let page = place.text("out/report.html");
    let pairs = page.split("id=\"pairs\">").nth(1).unwrap().split("</script>").next().unwrap();
    let pairs: Vec<serde_json::Value> = serde_json::from_str(pairs).unwrap();
    let hash = |id: &str| {
        let ends = pairs.iter().flat_map(|pair| [&pair["d"], &pair["k"]]);
        let mut ends = ends.filter_map(|end| end.as_array());
        let end = ends.find(|end| end[0] == format!("\"{id}\"")).unwrap();
        end.last().unwrap().as_str().unwrap().to_string()
    };
    let with_texts = |hashes: [String; 2]| {
        let [left, right] = hashes;
        assert!(left.len() == 16 && right.len() == 16, "{left} {right}");
        let mut wrong = json!({"left": "b", "right": "a", "verdict": "wrong"});
        (wrong["left_text"], wrong["right_text"]) = (left.into(), right.into());
        place.write("marks.jsonl", format!("{wrong}\n") + &mark("a", "nobody", "right"));
    };
    with_texts([hash("b"), hash("a")]);
    let dedup = |output: &str| {
        place
            .run(&["dedup", "news.jsonl", "--output", output, "--quiet", "--marks", "marks.jsonl"])
            .succeeds()
    };
    let run = dedup("same").says(&[
        "warning: 1 of 2 marks is not used: nobody is not in this run, or not compared with the \
         other one (marks.jsonl, row 2)",
    ]);
    assert!(!run.stderr.contains("changed"), "{}", run.stderr);
    assert!(place.text("same/removed.jsonl").is_empty());
    place.write("news.jsonl", place.text("news.jsonl").replace("cinnamon", "chestnut"));
    dedup("other").says(&[
        "1 of 2 marks is not used: the text of b has changed since, or other text fields make \
            it (marks.jsonl, row 1)",
    ]);
    assert_eq!(place.rows("other/removed.jsonl").len(), 1);
    place.write("marks.jsonl", mark("a", "b", "later"));
    dedup("none").says(&["warning: marks.jsonl has no marks: no row has the verdict right"]);
    place.write("marks.jsonl", mark("a", "b", "later") + &mark("a", "b", "rigth"));
    let refused = ["dedup", "news.jsonl", "--marks", "marks.jsonl", "--output", "refused"];
    place.run(&refused).ends_with_code(1).says(&["row 2", "\"rigth\"", "right, wrong or later"]);
}

#[test]
fn marks_that_contradict_each_other_are_refused_by_their_rows() {
    let place = news();
    let dedup = ["dedup", "news.jsonl", "--output", "out", "--marks", "marks.jsonl"];
    place.write(
        "marks.jsonl",
        mark("a", "b", "wrong") + &mark("a", "c", "later") + &mark("b", "a", "right"),
    );
    place
        .run(&dedup)
        .ends_with_code(1)
        .says(&["marks.jsonl: row 3: the pair", "marks.jsonl, row 1"]);
    place.write("marks.jsonl", "left,right\n");
    place.run(&dedup).ends_with_code(1).says(&["marks.jsonl"]);
    place.run(&[&dedup[..5], &["gone.jsonl"]].concat()).ends_with_code(2).says(&["gone.jsonl"]);
}

#[test]
fn an_index_obeys_marks() {
    let place = news();
    place.run(&["index", "create", "seen", "news.jsonl", "--quiet"]).succeeds();
    let near = FERRY.replace("dawn", "noon");
    place.write(
        "new.jsonl",
        row("x", &near) + &row("y", "Rain and wind are expected on the coast."),
    );
    let marks = mark("x", "a", "wrong") + &mark("c", "y", "right");
    place.write("marks.jsonl", marks);
    // The index has one of two marked documents, and the batch has both.
    place.write("new.jsonl", place.text("new.jsonl") + &row("c", LIBRARY));
    let found = |more: &[&str]| -> Vec<Vec<Value>> {
        let run = place.run(&[&["index", "query", "seen", "new.jsonl", "--quiet"], more].concat());
        let run = run.succeeds();
        assert_eq!(run.stderr, "");
        let rows = crate::common::rows(&run.stdout);
        rows.iter().map(|row| row["matches"].as_array().unwrap().clone()).collect()
    };
    let ids = |found: &[Value]| -> Vec<String> {
        found.iter().map(|found| found["id"].as_str().unwrap().to_string()).collect()
    };
    let plain = found(&[]);
    assert!(ids(&plain[0]).contains(&"a".to_string()) && plain[1].is_empty(), "{plain:?}");
    let marked = found(&["--marks", "marks.jsonl"]);
    assert!(!ids(&marked[0]).contains(&"a".to_string()), "{marked:?}");
    assert_eq!(
        (ids(&marked[1]), &marked[1][0]["reason"]),
        (vec!["c".to_string()], &json!("marked"))
    );
    let add =
        ["index", "add", "seen", "new.jsonl", "--if-new", "--marks", "marks.jsonl", "--quiet"];
    let rows = crate::common::rows(&place.run(&add).succeeds().stdout);
    assert_ne!(rows[0]["duplicate"]["id"], "a");
    assert_eq!((&rows[1]["duplicate"]["id"], &rows[1]["new"]), (&json!("c"), &json!(false)));
    place
        .run(&["index", "create", "other", "--marks", "marks.jsonl"])
        .ends_with_code(2)
        .says(&["--marks"]);
}

#[test]
fn an_evaluated_folder_knows_its_settings_and_its_documents() {
    let near = FERRY.replace("cardamom", "cinnamon");
    let rows = [("a", FERRY), ("b", &near), ("c", LIBRARY), ("d", BRIDGE)];
    let rows = rows.map(|(id, text)| format!("{}\n", json!({"url": id, "body": text})));
    let place = Place::with("news.jsonl", rows.concat());
    place.dedup(&["news.jsonl", "--text-field", "body", "--id-field", "url"]);
    place.write("labels.csv", "left,right\na,b\nc,d\nb,nobody\n");
    let report =
        |more: &[&str]| place.run(&[&["evaluate", "out", "labels.csv", "--json"], more].concat());
    let found = report(&[]).succeeds().json();
    assert_eq!(found["documents"]["in_documents"], 4);
    assert_eq!(found["documents"]["counted"], 4);
    let counts = &found["counts"];
    assert_eq!((&counts["labelled_pairs"], &counts["true_positives"]), (&json!(2), &json!(1)));
    let miss = &found["misses"]["pairs"][0];
    assert_eq!((&miss["left"], &miss["right"]), (&json!("c"), &json!("d")));
    assert!(miss["left_text"].is_string() && miss["similarity"].is_number(), "{miss}");
    let notes = found["notes"].to_string();
    assert!(
        notes.contains("1 of the documents in FOUND and TRUTH were not read by the run"),
        "{notes}"
    );
    // Other flags override those of the run.
    report(&["--text-field", "title"]).ends_with_code(1).says(&["title"]);
    place.run(&["evaluate", "out"]).ends_with_code(2).says(&["marks"]);
    // Without TRUTH the marks of the run are the truth.
    place.write("marks.jsonl", mark("a", "b", "wrong"));
    let fields = ["--text-field", "body", "--id-field", "url"];
    let dedup = ["dedup", "news.jsonl", "--quiet", "--output", "marked", "--marks", "marks.jsonl"];
    place.run(&[&dedup[..], &fields].concat()).succeeds();
    let found = place.run(&["evaluate", "marked", "--json"]).succeeds().json();
    assert_eq!(
        (&found["proposal"]["marks"], &found["counts"]["false_alarms"]),
        (&json!(1), &json!(0))
    );
}

#[test]
fn few_marks_say_what_follows() {
    let texts = Articles::json_lines(3, 30, 60);
    let place = Place::with("news.jsonl", &texts);
    place.dedup(&["news.jsonl"]);
    let removed: Vec<Value> = place
        .rows("out/removed.jsonl")
        .into_iter()
        .filter(|row| row["reason"] != "exact")
        .collect();
    let marks = |verdict: &str| -> String {
        let mark = |row: &Value| {
            let mut mark = json!({"left": row["id"], "right": row["keeper"], "verdict": verdict});
            mark["similarity"] = row["similarity"].clone();
            format!("{mark}\n")
        };
        removed.iter().take(3).map(mark).collect()
    };
    place.write("marks.jsonl", marks("right"));
    let shown = place.run(&["evaluate", "out", "marks.jsonl"]).succeeds().stdout;
    assert!(
        shown.contains(
            "All 3 marks are right: the bound could be lower; mark pairs of just_missed.jsonl."
        ),
        "{shown}"
    );
    // Documents of wrong pairs differ in their source.
    let mut number = 0;
    let with_source: String = texts
        .lines()
        .map(|line| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            let keeper = removed.iter().any(|removed| removed["keeper"] == row["id"]);
            row["source"] = if keeper { "press" } else { "blog" }.into();
            number += 1;
            row["number"] = number.into();
            format!("{row}\n")
        })
        .collect();
    place.write("news.jsonl", with_source);
    place.dedup(&["news.jsonl", "--force"]);
    place.write("marks.jsonl", marks("wrong"));
    let shown = place.run(&["evaluate", "out", "marks.jsonl"]).succeeds().stdout;
    assert!(
        shown.contains(
            "3 of 3 marked removals are wrong: guard by the field with --same source (3 of the \
             wrong pairs differ in it)."
        ),
        "{shown}"
    );
}
