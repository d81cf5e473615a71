//! `nearprint evaluate`: its counts, and its report about two answers and their worst pairs. The
//! library tests the figures.

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, Run, SKIP, repository, row, sample};
use serde_json::{Value, json};

/// Evaluates without intervals, as JSON.
pub fn evaluate(place: &Place, arguments: &[&str]) -> Value {
    place.run(&[&["evaluate", "--json", "--bootstrap", "0"], arguments].concat()).succeeds().json()
}

/// Documents, found pairs, labelled pairs, true positives.
pub fn counts(report: &Value) -> [u64; 4] {
    ["documents", "found_pairs", "labelled_pairs", "true_positives"]
        .map(|name| report["counts"][name].as_u64().unwrap())
}

/// Evaluates, and expects this exit code and these messages.
pub fn refused(place: &Place, arguments: &[&str], code: i32, says: &[&str]) {
    place.run(&[&["evaluate"], arguments].concat()).ends_with_code(code).says(says);
}

/// A place with these files, and found pairs 1-2 and 3-4 against the cluster 1, 2, 3.
pub fn place() -> Place {
    let place = Place::with("found.csv", "left,right\n1,2\n3,4\n");
    place.write("truth.csv", "id,cluster\n1,x\n2,x\n3,x\n4,\n");
    place
}

#[test]
fn the_sample_corpus_has_the_figures_of_the_readme() {
    let place = sample();
    place.write("labels.csv", std::fs::read(repository("examples/labels.csv")).unwrap());
    place.dedup(&["articles.jsonl"]);
    let arguments = ["evaluate", "out", "labels.csv", "--documents", "articles.jsonl"];
    let run = place.run(&arguments).succeeds();
    // The second document of each of the two chains lacks one of its duplicates.
    let first: Vec<&str> = run.stdout.lines().take(4).collect();
    assert_eq!(
        first[0],
        "27 of 29 labelled pairs were found, 2 were missed. 0 found pairs are not labelled as \
         duplicates."
    );
    assert!(
        first[1].starts_with("precision 1.0000 (1.0000 to 1.0000), recall 0.9310 (0."),
        "{}",
        first[1]
    );
    assert_eq!(
        first[2],
        "FOUND is clusters.jsonl of the folder out, which has no pairs.jsonl (see dedup --pairs); \
         TRUTH is labels.csv."
    );
    assert_eq!(first[3], "");
    for part in [
        "clusters.jsonl  (clusters, 25 rows)",
        "documents counted     80",
        "misses: 2",
        "recall               0.9310",
        "en-023",
    ] {
        assert!(run.stdout.contains(part), "{part} is not in\n{}", run.stdout);
    }
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    let threads = place.run(&[&arguments[..], &["--threads", "1"]].concat()).succeeds();
    assert_eq!(run.stdout, threads.stdout);
    let seed = place.run(&[&arguments[..], &["--seed", "7"]].concat()).succeeds();
    assert_ne!(run.stdout, seed.stdout);

    let report = place.run(&[&arguments[..], &["--json"]].concat()).succeeds().json();
    let worst = &report["misses"]["pairs"][0];
    assert_eq!((&worst["left"], &worst["right"]), (&json!("en-013"), &json!("en-023")));
    assert!(worst["distance"].as_u64().unwrap() > 0 && worst["similarity"].as_f64().unwrap() > 0.5);
    // The first difference of the texts, with some words around it.
    let missed =
        report["misses"]["pairs"].as_array().unwrap().iter().find(|pair| pair["left"] == "zh-011");
    let missed = missed.expect("the other chain lacks this one");
    let (left, right) =
        (missed["left_text"].as_str().unwrap(), missed["right_text"].as_str().unwrap());
    let (before, of_left) = left.split_once('[').unwrap();
    let (same, of_right) = right.split_once('[').unwrap();
    let [(own, after), (others, same_after)] =
        [of_left, of_right].map(|part| part.split_once(']').unwrap());
    let around =
        after.chars().zip(same_after.chars()).take_while(|(one, other)| one == other).count();
    assert!(before == same && own != others && before.chars().count() + around > 10, "{missed}");
    assert!(run.stdout.contains(left) && run.stdout.contains(right), "{}", run.stdout);
    let recall = &report["measures"]["recall"];
    assert!(
        recall["low"].as_f64() < recall["value"].as_f64()
            && recall["value"].as_f64() < recall["high"].as_f64()
    );

    // With all pairs instead of stars, nothing is missed.
    place.dedup(&["articles.jsonl", "--pairs", "--force"]);
    let report = evaluate(&place, &arguments[1..]);
    assert_eq!(counts(&report), [80, 29, 29, 29]);
    let shown = place.run(&arguments).succeeds().stdout;
    assert_eq!(
        shown.lines().nth(2),
        Some("FOUND is pairs.jsonl of the folder out; TRUTH is labels.csv.")
    );
    assert!(
        report["measures"].as_object().unwrap().values().all(|figure| figure["value"] == 1.0),
        "{report}"
    );
}

#[test]
fn the_labels_of_the_sample_are_what_its_list_of_pairs_says() {
    let expected =
        common::rows(&std::fs::read_to_string(repository("examples/expected.jsonl")).unwrap());
    let pairs = expected.iter().filter(|row| row["ids"].as_array().unwrap().len() == 2);
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let lines = pairs.map(|row| {
        let label = u8::from(row["duplicate"] == true);
        format!(
            "{},{},{label},{}\n",
            text(&row["ids"][0]),
            text(&row["ids"][1]),
            text(&row["kind"])
        )
    });
    let labels = std::fs::read_to_string(repository("examples/labels.csv")).unwrap();
    assert_eq!(labels, format!("left,right,label,kind\n{}", lines.collect::<String>()));
}

#[test]
fn a_pair_counts_once_and_a_pair_with_itself_not_at_all() {
    let place = place();
    place.write("twice.csv", "left,right\n1,2\n2,1\n1,2\n3,3\n4,3\n");
    let report = evaluate(&place, &["twice.csv", "truth.csv"]);
    assert_eq!(counts(&report), [4, 2, 3, 1]);
    assert_eq!(
        (&report["found"]["repeated_pairs"], &report["found"]["self_pairs"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn empty_files_have_no_pairs() {
    let place = place();
    place.write("empty.jsonl", "");
    place.write("header.csv", "left,right\n");
    place.write("empty.csv", "");
    place.write("empty.parquet", "");
    for found in ["empty.jsonl", "header.csv", "empty.csv", "empty.parquet"] {
        let run = place.run(&["evaluate", found, "truth.csv", "--bootstrap", "20"]).succeeds();
        assert!(
            run.stdout.lines().any(|line| line.split_whitespace().eq(["precision", "-", "-", "-"])),
            "{}",
            run.stdout
        );
        let report = evaluate(&place, &[found, "truth.csv"]);
        assert_eq!(counts(&report), [4, 0, 3, 0]);
        assert_eq!(
            report["measures"]["precision"],
            json!({"value": null, "low": null, "high": null})
        );
        assert_eq!(report["measures"]["recall"]["value"], 0.0);
    }
    for truth in ["header.csv", "empty.csv"] {
        assert_eq!(counts(&evaluate(&place, &["empty.jsonl", truth])), [0, 0, 0, 0]);
    }
}

#[test]
fn pairs_that_nobody_judged_are_left_out() {
    let place = place();
    place.write("judged.jsonl", "{\"left\":1,\"right\":2,\"label\":1}\n{\"left\":3,\"right\":4,\"label\":null}\n{\"left\":1,\"right\":5,\"label\":false}\n");
    let report = evaluate(&place, &["found.csv", "judged.jsonl"]);
    assert_eq!((counts(&report), &report["counts"]["left_out_pairs"]), ([5, 1, 1, 1], &json!(1)));

    // 1-3 is on no list: a false alarm, unless only judged pairs count.
    place.write("more.csv", "left,right\n1,2\n1,3\n1,5\n6,7\n");
    assert_eq!(counts(&evaluate(&place, &["more.csv", "judged.jsonl"])), [7, 4, 1, 1]);
    assert_eq!(
        counts(&evaluate(&place, &["more.csv", "judged.jsonl", "--judged-only"])),
        [5, 2, 1, 1]
    );
    // Clusters judge the documents that they name.
    assert_eq!(
        counts(&evaluate(&place, &["more.csv", "truth.csv", "--judged-only"])),
        [4, 2, 3, 2]
    );
    place.write("all.csv", "id,cluster\n1,a\n2,a\n3,a\n5,a\n6,a\n");
    assert_eq!(
        counts(&evaluate(&place, &["all.csv", "judged.jsonl", "--judged-only"])),
        [5, 2, 1, 1]
    );
    // In FOUND, a label of 0 means that a pair was not found.
    assert_eq!(evaluate(&place, &["judged.jsonl", "truth.csv"])["counts"]["found_pairs"], 1);
}

#[test]
fn a_precision_that_cannot_be_below_1_is_told() {
    let place = place();
    place.write("same.csv", "left,right\n1,2\n1,3\n");
    place.write("judged.csv", "left,right,label\n1,2,1\n3,4,0\n");
    let notes = |truth: &str, more: &[&str]| {
        let report = evaluate(&place, &[&["found.csv", truth], more].concat());
        let told = report["notes"].to_string().contains("TRUTH labels no pair as different");
        (
            told,
            report["truth"]["different_pairs"].as_u64().unwrap(),
            report["measures"]["precision"]["value"].clone(),
        )
    };
    assert_eq!(notes("same.csv", &["--judged-only"]), (true, 0, json!(1.0)));
    assert_eq!(notes("same.csv", &[]), (false, 0, json!(0.5)));
    assert_eq!(notes("judged.csv", &["--judged-only"]), (false, 1, json!(0.5)));
    assert_eq!(notes("truth.csv", &["--judged-only"]), (false, 0, json!(0.5)));
}

#[test]
fn copies_of_equal_texts_are_all_pairs() {
    // Three copies of one text and an edited one: dedup lists copies with the first of them only.
    let copy = |id: &str| row(id, FERRY);
    let edited = row("d", &FERRY.replace("cardamom", "cinnamon"));
    let place = Place::with(
        "news.jsonl",
        copy("a") + &copy("b") + &copy("c") + &edited + &row("e", LIBRARY),
    );
    place.write("truth.csv", "id,cluster\na,1\nb,1\nc,1\nd,1\n");
    place.dedup(&["news.jsonl", "--pairs"]);
    assert_eq!(place.rows("out/pairs.jsonl").len(), 3);
    let report = evaluate(&place, &["out", "truth.csv", "--documents", "news.jsonl"]);
    assert_eq!((counts(&report), &report["found"]["implied_pairs"]), ([5, 6, 6, 6], &json!(3)));
}

#[test]
fn only_equal_texts_stand_for_each_other() {
    // b has the paragraphs of a in another order: distance 0 and similarity 1, but a different
    // text.
    let (ferry, library) = (FERRY.to_string(), LIBRARY.to_string());
    let place = Place::with(
        "news.jsonl",
        row("a", &format!("{ferry} {library}")) + &row("b", &format!("{library} {ferry}")),
    );
    place.write("truth.csv", "left,right\na,b\n");
    place.dedup(&["news.jsonl", "--pairs", "--features", "words"]);
    let pair =
        json!({"left": "a", "right": "b", "distance": 0, "similarity": 1.0, "reason": "near"});
    assert_eq!(place.rows("out/pairs.jsonl"), [pair]);
    place.write("more.jsonl", place.text("out/pairs.jsonl") + "{\"left\":\"b\",\"right\":\"c\"}\n");
    // Pairs of distance 0 from another tool are not exempt either.
    place.write("other.csv", "left,right,distance,similarity\na,b,0.0,1.0\nb,c,0.3,0.7\n");
    for found in ["more.jsonl", "other.csv"] {
        let report = evaluate(&place, &[found, "truth.csv"]);
        assert_eq!(
            (counts(&report), &report["found"]["implied_pairs"]),
            ([3, 2, 1, 1], &json!(0)),
            "{found}"
        );
    }
    place.write(
        "exact.jsonl",
        "{\"left\":1,\"right\":2,\"reason\":\"exact\"}\n{\"left\":2,\"right\":3}\n",
    );
    assert_eq!(evaluate(&place, &["exact.jsonl", "truth.csv"])["found"]["implied_pairs"], 1);
}

#[test]
fn the_worst_pairs_come_with_distance_similarity_and_texts() {
    let draft = FERRY.replace("cardamom", "cinnamon");
    let revised = FERRY
        .replace("cardamom", "cinnamon")
        .replace("engines", "anchors")
        .replace("Friday", "Sunday");
    let place = Place::with(
        "news.jsonl",
        row("ferry", FERRY)
            + &row("draft", &draft)
            + &row("revised", &revised)
            + &row("library", LIBRARY)
            + &row("bridge", BRIDGE),
    );
    place.write(
        "found.csv",
        "left,right,distance,similarity\nferry,library,12,0.7\nlibrary,bridge,9,0.6\nferry,gone,,\n",
    );
    place.write("truth.csv", "left,right\nferry,draft\nrevised,ferry\n");
    let pairs = |report: &Value, list: &str| -> Vec<String> {
        let pairs = report[list]["pairs"].as_array().unwrap().iter();
        pairs
            .map(|pair| {
                format!("{} {}", pair["left"].as_str().unwrap(), pair["right"].as_str().unwrap())
            })
            .collect()
    };
    let report = evaluate(&place, &["found.csv", "truth.csv", "--documents", "news.jsonl"]);
    assert_eq!(pairs(&report, "misses"), ["ferry draft", "ferry revised"]);
    let alarm = &report["false_alarms"]["pairs"][0];
    assert_eq!(alarm["similarity"], 0.0, "the texts decide, not what FOUND says of them: {alarm}");
    assert_eq!(report["false_alarms"]["pairs"][2]["similarity"], Value::Null);
    assert!(
        report["notes"][0].as_str().unwrap().starts_with("1 of the documents in FOUND and TRUTH")
    );
    assert_eq!(
        report["documents"],
        json!({"counted": 6, "in_found": 4, "in_truth": 3, "in_documents": 5})
    );
    assert_eq!(report["settings"]["bits"], 256);
    // The distances are those of compare.
    let compare = ["compare", "--json", "--text", FERRY, "--text", &draft];
    let compared = place.run(&compare).succeeds().json();
    let miss = &report["misses"]["pairs"][0];
    assert_eq!(miss["distance"], compared["distance"]);
    assert!(
        (miss["similarity"].as_f64().unwrap() - compared["coverage"].as_f64().unwrap()).abs()
            < 1e-6
    );

    // Without the documents, only the columns of FOUND are known.
    let report = evaluate(&place, &["found.csv", "truth.csv", "--worst", "1"]);
    assert_eq!(pairs(&report, "false_alarms"), ["library bridge"]);
    assert_eq!(
        (&report["false_alarms"]["of"], &report["false_alarms"]["pairs"][0]["distance"]),
        (&json!(3), &json!(9))
    );
    assert!(report["notes"][0].as_str().unwrap().contains("--documents"));
    let report = evaluate(&place, &["found.csv", "truth.csv", "--worst", "0"]);
    assert_eq!(report["misses"], json!({"of": 2, "compared": 0, "pairs": []}));
}

#[test]
fn texts_are_compared_whatever_distance_dedup_would_search() {
    let place = Place::with(
        "news.jsonl",
        row("a", FERRY) + &row("b", &FERRY.replace("cardamom", "cinnamon")),
    );
    place.write(
        "more.jsonl",
        row("c", "the ferry sails at ten") + &row("d", "the ferry sails at six"),
    );
    place.write("none.csv", "left,right\n");
    place.write("pairs.csv", "left,right\na,b\nc,d\n");
    let documents = ["none.csv", "pairs.csv", "--documents", "news.jsonl", "more.jsonl"];
    let usual = evaluate(&place, &documents);
    assert!(usual["misses"]["pairs"][0]["similarity"].as_f64().unwrap() > 0.8);
    let off = evaluate(&place, &[&documents[..], &["--max-distance", "off"]].concat());
    assert_eq!(off["misses"], usual["misses"]);
}

#[test]
fn documents_that_do_not_belong_to_the_pairs_are_refused() {
    let place = place();
    place.write("news.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    refused(
        &place,
        &["found.csv", "truth.csv", "--documents", "news.jsonl"],
        2,
        &["--documents: they have none of", "--id-field"],
    );
    // An integer and its digits are one id, so a corpus with both is ambiguous.
    place.write("both.jsonl", "{\"id\":1,\"text\":\"x\"}\n{\"id\":\"1\",\"text\":\"y\"}\n");
    let arguments = ["found.csv", "truth.csv", "--documents", "both.jsonl"];
    refused(
        &place,
        &arguments,
        1,
        &["both.jsonl, row 2: id \"1\" was used before (both.jsonl, row 1)"],
    );
    // A corpus without a document has no texts to show.
    place.write("blank.jsonl", "\n");
    let blank = ["evaluate", "found.csv", "truth.csv", "--json", "--documents", "blank.jsonl"];
    let run = place.run(&[&blank[..], &SKIP].concat()).ends_with_code(3);
    assert_eq!(counts(&run.json()), [4, 2, 3, 1]);
    let run: Run = place.run(&[&["evaluate"], &arguments[..], &SKIP].concat()).ends_with_code(3);
    assert!(run.stderr.contains("left out: both.jsonl, row 2"), "{}", run.stderr);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let text = |text: &str| format!("\u{1b}[31m{text}\u{7}\u{9b}0m");
    let place =
        Place::with("news.jsonl", row("a\u{1b}[2J", &text(FERRY)) + &row("b\rb", &text(LIBRARY)));
    place.write("truth.csv", "left,right\na\u{1b}[2J,\"b\rb\"\n");
    place.write("none\u{1b}[1m.csv", "left,right\n");
    let arguments = ["none\u{1b}[1m.csv", "truth.csv", "--documents", "news.jsonl"];
    let run = place.run(&[&["evaluate"], &arguments[..]].concat()).succeeds();
    assert!(!run.stdout.chars().any(|c| c.is_control() && c != '\n'), "{:?}", run.stdout);
    for part in ["none\\u{1b}[1m.csv", "a\\u{1b}[2J", "b\\u{d}b", "[\\u{1b}[31mThe night ferry"] {
        assert!(run.stdout.contains(part), "{part} is not in\n{}", run.stdout);
    }
    let miss = &evaluate(&place, &arguments)["misses"]["pairs"][0];
    assert_eq!((&miss["left"], &miss["right"]), (&json!("a\u{1b}[2J"), &json!("b\rb")));

    place.write("bad.csv", "te\u{1b}[31mxt,\u{9b}id\n1,2\n");
    let run = place.run(&["dedup", "bad.csv", "--output", "out"]).ends_with_code(1);
    assert!(!run.stderr.chars().any(|c| c.is_control() && c != '\n'), "{:?}", run.stderr);
    run.says(&["there are: te\\u{1b}[31mxt, \\u{9b}id;"]);
}
