//! The measured recall in `summary.json` and in the table of `dedup`.

use crate::common::{self, Articles, Place};
use serde_json::{Value, json};

fn corpus() -> Place {
    Place::with("articles.jsonl", Articles::json_lines(11, 700, 80))
}

#[test]
fn the_summary_has_the_recall_and_threads_do_not_show() {
    let place = corpus();
    let recall = |threads: &str| {
        place.dedup(&["articles.jsonl", "--force", "--max-distance", "12", "--threads", threads]);
        (place.summary("out")["recall"].clone(), place.read("out/removed.jsonl"))
    };
    let (one, removed) = recall("1");
    // The square root of 2 x 128 x 780 documents; fewer if there are many copies.
    assert!((150..=447).contains(&one["sampled"].as_u64().unwrap()), "{one}");
    let number = |field: &str| one[field].as_f64().unwrap();
    assert!(number("pairs") > 20.0 && number("found") < number("pairs"), "{one}");
    assert!((number("recall") - number("found") / number("pairs")).abs() < 1e-12, "{one}");
    assert!(
        0.0 < number("low")
            && number("low") < number("recall")
            && number("recall") < number("high"),
        "{one}"
    );
    for threads in ["2", "5"] {
        assert_eq!(recall(threads), (one.clone(), removed.clone()));
    }
}

#[test]
fn a_sample_of_none_measures_nothing_and_changes_nothing_else() {
    let place = corpus();
    place.dedup(&["articles.jsonl"]);
    let (removed, clusters) = (place.read("out/removed.jsonl"), place.read("out/clusters.jsonl"));
    assert!(place.summary("out")["seconds"]["recall"].is_number());
    place.dedup(&["articles.jsonl", "--force", "--recall-sample", "0"]);
    let summary = place.summary("out");
    assert_eq!((&summary["recall"], &summary["seconds"]["recall"]), (&Value::Null, &Value::Null));
    assert_eq!(summary["settings"]["recall-sample"], 0);
    assert_eq!(
        (place.read("out/removed.jsonl"), place.read("out/clusters.jsonl")),
        (removed, clusters)
    );
}

#[test]
fn without_a_pair_there_are_counts_and_no_share() {
    let place = Place::with("one.jsonl", common::row("a", common::FERRY));
    place.dedup(&["one.jsonl"]);
    let expected = json!({
        "sampled": 1, "pairs": 0, "found": 0, "kept_apart": 0, "recall": null, "low": null, "high": null
    });
    assert_eq!(place.summary("out")["recall"], expected);
}

#[test]
fn the_recall_is_shown_where_there_is_one() {
    let place = corpus();
    place
        .run(&["dedup", "articles.jsonl", "--output", "out"])
        .succeeds()
        .says(&["│ recall", "Recall is the share of the similar pairs of a sample"]);
    let width = |summary: &Value| {
        let [low, high] = ["low", "high"].map(|end| summary["recall"][end].as_f64());
        high.unwrap_or(1.0) - low.unwrap_or(0.0)
    };
    // A wide interval tells nothing; a larger sample narrows it.
    for (size, is_narrow) in [("2", false), ("narrow", true)] {
        let run = ["dedup", "articles.jsonl", "--output", "of", "--force", "--max-distance", "12"];
        let run = place.run(&[&run[..], &["--recall-sample", size]].concat()).succeeds();
        assert_eq!(width(&place.summary("of")) <= 0.1, is_narrow, "{size}");
        assert_eq!(run.stderr.contains("too few to tell"), !is_narrow, "{}", run.stderr);
        assert_eq!(
            place.summary("of")["settings"]["recall-sample"],
            match size {
                "2" => json!(2),
                _ => json!("narrow"),
            }
        );
    }
    let run = place
        .run(&["dedup", "articles.jsonl", "--output", "other", "--recall-sample", "off"])
        .succeeds();
    assert!(!run.stderr.contains("recall"), "{}", run.stderr);
}

#[test]
fn pairs_that_a_form_keeps_apart_are_told() {
    let names = [
        "Anna Berg",
        "Luis Ortega",
        "Mei Tanaka",
        "Tom Fisher",
        "Ivo Novak",
        "Sara Lind",
        "Omar Aziz",
        "Eva Horn",
    ];
    let notice = |name: &str| {
        format!(
            "The office for parking has sent a notice to {name}. The fee is to be paid within two \
             weeks at any bank or at the counter of the town hall, which is open on all days but \
             Sunday from nine to five, and nobody pays it twice."
        )
    };
    let rows: String = (0..)
        .zip(names)
        .map(|(id, name): (u32, _)| common::row(&id.to_string(), &notice(name)))
        .collect();
    let place = Place::with("notices.jsonl", rows);
    let run = place.run(&["dedup", "notices.jsonl", "--output", "out"]).succeeds();
    let recall = place.summary("out")["recall"].clone();
    assert!(place.rows("out/removed.jsonl").is_empty());
    assert_eq!(
        (&recall["kept_apart"], &recall["pairs"]),
        (&recall["found"], &json!(28)),
        "{recall}"
    );
    run.says(&[
        "both documents of 28 of 28 similar pairs of the sample are kept",
        "--verify jaccard with a lower --min-similarity",
    ]);
    // Most pairs stay, so it is a warning, which --quiet does not hide.
    let quiet = place.run(&["dedup", "notices.jsonl", "--output", "quiet", "--quiet"]).succeeds();
    quiet.says(&["nearprint: warning: both documents of 28 of 28 similar pairs of the sample"]);
    // Jaccard similarity has no limit on lost text, so it is not suggested together with
    // --max-lost.
    let bounded = place
        .run(&["dedup", "notices.jsonl", "--output", "bounded", "--max-lost", "0.5"])
        .succeeds();
    let bounded =
        bounded.says(&["both documents of 28 of 28 similar pairs of the sample are kept"]);
    assert!(!bounded.stderr.contains("--verify jaccard"), "{}", bounded.stderr);
}

#[test]
fn a_recall_below_the_one_asked_for_is_told_with_its_remedy() {
    // Every second text is contained in one twice as long: similar by containment, far away by
    // fingerprint.
    let mut articles = Articles::new(5);
    let mut rows = String::new();
    for number in 0..80 {
        let (text, more) = (articles.next(120), articles.next(240));
        rows += &common::row(&format!("a{number}"), &text);
        rows += &common::row(&format!("b{number}"), &format!("{text} {more}"));
    }
    let place = Place::with("news.jsonl", rows);
    let settings = ["news.jsonl", "--verify", "containment", "--force"];
    let run = place.dedup(&[&settings[..], &["--recall", "0.95"]].concat());
    let recall = place.summary("out")["recall"].clone();
    assert!(recall["high"].as_f64().unwrap() < 0.95, "{recall}");
    let measured = format!("the recall of this run is {:.3} (", recall["recall"].as_f64().unwrap());
    run.says(&[
        "nearprint: warning: ",
        &measured,
        "below the target of 0.95",
        "--max-distance",
        "--min-similarity",
        "nearprint tune",
    ]);
    let far = place.dedup(&[&settings[..], &["--max-distance", "30"]].concat());
    assert_eq!(far.stderr, "", "nothing was asked for");
    let articles = corpus();
    assert_eq!(articles.dedup(&["articles.jsonl", "--recall", "0.9"]).stderr, "");
}

#[test]
#[ignore = "nightly: takes half a minute"]
fn candidates_by_chance_lower_the_distance_where_unrelated_texts_are_near() {
    // Words of two letters, 25 of them: all texts have nearly the same n-grams. Every tenth text is
    // a copy of the previous one with other last words.
    let mut state = 1u64;
    let mut random = move |bound: u64| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) % bound
    };
    let mut before: Vec<String> = Vec::new();
    let mut rows = String::new();
    for number in 0..3_000 {
        let mut text = before.clone();
        text.truncate(if number % 10 == 9 { 690 } else { 0 });
        while text.len() < 700 {
            let letter = |of: &[u8], at: u64| char::from(of[at as usize]);
            text.push(format!("{}{}", letter(b"bdgkm", random(5)), letter(b"aeiou", random(5))));
        }
        rows += &common::row(&number.to_string(), &text.join(" "));
        before = text;
    }
    let place = Place::with("syllables.jsonl", rows);
    // Hubs resolve among the nearest ones.
    place.dedup(&["syllables.jsonl"]);
    let summary = place.summary("out");
    assert_eq!(
        (&summary["max_distance_lowered_from"], &summary["counts"]["removed"]),
        (&Value::Null, &json!(300))
    );

    let components = ["syllables.jsonl", "--force", "--cluster", "components"];
    place.dedup(&components).says(&["unrelated documents are close in bits", "instead of 80"]);
    let summary = place.summary("out");
    let now = summary["max_distance"].as_u64().unwrap();
    assert!((32..80).contains(&now), "{now}");
    assert_eq!(
        (&summary["max_distance_lowered_from"], &summary["complete_distance"]),
        (&json!(80), &json!(now))
    );
    assert_eq!(summary["counts"]["removed"], 300);
    // Without a measured recall, the message does not mention one.
    let unmeasured = place.dedup(&[&components[..], &["--recall-sample", "0"]].concat());
    unmeasured.says(&[" bits instead of 80; --max-distance 80 searches farther"]);

    place.dedup(&[&components[..], &["--max-distance", "33"]].concat());
    assert_eq!(place.summary("out")["max_distance_lowered_from"], Value::Null);
}
