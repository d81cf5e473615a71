//! `nearprint tune`, and `dedup` with `--min-similarity` and `--recall`: recommendations hold, and
//! mistakes are refused.

use std::collections::BTreeSet;

use crate::common::{Articles, FERRY, LIBRARY, Place, row};
use serde_json::{Value, json};

/// Articles with only their vocabulary in common, some of them followed by a copy that lacks words,
/// with a similarity of about 0.8 to 0.9.
fn planted(count: usize) -> String {
    let mut articles = Articles::new(11);
    let mut fresh = || {
        // Every third article of this generator is a copy; other articles are not.
        let text = articles.next(160);
        text.split(' ').map(str::to_string).collect::<Vec<_>>()
    };
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    let mut id = 0;
    while id < count {
        let text = fresh();
        if text.len() < 60 || !seen.insert(text[..5].to_vec()) {
            continue;
        }
        // Two words in thirty-two are less than a family may lose.
        let copy: Vec<&str> = text
            .iter()
            .enumerate()
            .filter(|(place, _)| place % 32 >= 2)
            .map(|(_, word)| word.as_str())
            .collect();
        out += &row(&format!("a{id}"), &text.join(" "));
        if id % 3 == 0 {
            out += &row(&format!("b{id}"), &copy.join(" "));
        }
        id += 1;
    }
    out
}

fn pairs(place: &Place) -> BTreeSet<(String, String)> {
    let id = |value: &Value| value.as_str().unwrap().to_string();
    place.rows("out/pairs.jsonl").iter().map(|row| (id(&row["left"]), id(&row["right"]))).collect()
}

#[test]
fn what_is_recommended_is_what_dedup_chooses_and_it_finds_what_was_asked_for() {
    let place = Place::with("news.jsonl", planted(600));
    let wanted = ["--min-similarity", "0.75", "--recall", "0.9"];
    let tune = [&["tune", "news.jsonl", "--quiet", "--json"], &wanted[..]].concat();
    let tuned = place.run(&tune).succeeds().json();
    assert_eq!(tuned["reached"], json!(true));
    assert!(tuned["expected_recall"].as_f64().unwrap() >= 0.9);
    assert!(tuned["copies"].as_u64().unwrap() > 400, "{tuned}");
    // The cost: all pairs of fingerprints, since documents are few, and the candidates by chance.
    let documents = tuned["documents"].as_f64().unwrap();
    let row = &tuned["distances"][tuned["max_distance"].as_u64().unwrap() as usize];
    for compared in [&tuned["compared_fingerprints"], &row["compared_fingerprints"]] {
        assert_eq!(compared.as_f64().unwrap(), documents * (documents - 1.0) / 2.0);
    }
    // More similar copies are nearer in bits.
    let others = tuned["other_similarities"].as_array().unwrap();
    let similarities: Vec<f64> =
        others.iter().map(|other| other["similarity"].as_f64().unwrap()).collect();
    assert_eq!(similarities, [0.65, 0.8, 0.85]);
    let found =
        |shares: &Value| shares[tuned["max_distance"].as_u64().unwrap() as usize].as_f64().unwrap();
    let found: Vec<f64> = others.iter().map(|other| found(&other["copies_found"])).collect();
    let expected = tuned["expected_recall"].as_f64().unwrap();
    assert!(
        found[0] < expected && expected < found[1] && found[1] <= found[2],
        "{found:?}, {expected}"
    );

    place.dedup(&[&["news.jsonl", "--pairs"], &wanted[..]].concat());
    let summary = place.summary("out");
    for name in ["max_distance", "complete_distance"] {
        assert_eq!(summary[name], tuned[name]);
    }
    assert_eq!(summary["settings"]["min-similarity"], json!(0.75));
    assert_eq!(summary["estimate"]["expected_recall"], tuned["expected_recall"]);
    let chosen = pairs(&place);

    let toml = ["max_distance", "complete_distance"]
        .map(|name| format!("{} = {}\n", name.replace('_', "-"), tuned[name]));
    place.write("news.toml", toml.concat());
    place.dedup(&["news.jsonl", "--pairs", "--force", "--config", "news.toml"]);
    assert_eq!(pairs(&place), chosen);
    assert_eq!(place.summary("out")["max_distance"], tuned["max_distance"]);
    assert!(place.summary("out").get("estimate").is_none());

    // With a much larger distance, these texts of few words form families, in which less may be
    // lost.
    let farther = (tuned["max_distance"].as_u64().unwrap() + 8).to_string();
    let everything =
        ["--max-distance", &farther, "--complete-distance", &farther, "--min-similarity", "0.75"];
    place.dedup(&[&["news.jsonl", "--pairs", "--force"], &everything[..]].concat());
    let all = pairs(&place);
    let planted = |pairs: BTreeSet<(String, String)>| -> BTreeSet<(String, String)> {
        pairs.into_iter().filter(|(one, other)| one[1..] == other[1..]).collect()
    };
    let [chosen, all] = [chosen, all].map(planted);
    let extra = chosen.difference(&all).count();
    assert!(20 * extra <= all.len(), "{} pairs, {extra} others", all.len());
    // Copies are more similar to their originals than 0.75, so more than 0.9 of them are found, up
    // to chance.
    let (found, all) = (chosen.len(), all.len());
    assert!(all > 150 && found as f64 >= 0.88 * all as f64, "{found} of {all}");
}

#[test]
fn the_answer_comes_first() {
    let place = Place::with("news.jsonl", planted(20));
    let tune = ["tune", "news.jsonl", "--quiet", "--min-similarity", "0.6", "--recall", "0.99"];
    let tuned = place.run(&[&tune[..], &["--json"]].concat()).succeeds().json();
    let shown = place.run(&[&tune[..], &["--distances"]].concat()).succeeds().stdout;
    let lines: Vec<&str> = shown.lines().collect();
    let distance = format!(
        "Distance {} (complete to {}) finds ",
        tuned["max_distance"], tuned["complete_distance"]
    );
    assert!(
        lines[0].starts_with(&distance) && lines[0].ends_with(" of the pairs of similarity 0.6,"),
        "{shown}"
    );
    assert!(
        lines[1]
            .starts_with(&format!("measured on {} copies edited to it. About ", tuned["copies"])),
        "{shown}"
    );
    assert!(
        lines[2].ends_with(" of fingerprints. The settings for --config are at the end."),
        "{shown}"
    );
    assert_eq!(lines[3], "");
    // Tables and the settings come after it.
    let (table, settings) =
        (shown.find("chance pairs").unwrap(), shown.find("max-distance = ").unwrap());
    assert!(shown.find("documents ").unwrap() < table && table < settings, "{shown}");
    let shown = place.run(&[&tune[..], &["--output", "news.toml"]].concat()).succeeds().stdout;
    assert!(shown.lines().nth(2).unwrap().ends_with(" The settings are in news.toml."), "{shown}");
    // The answer says that there is nothing to choose.
    place.write("short.jsonl", row("a", "too short"));
    let shown = place.run(&["tune", "short.jsonl", "--quiet", "--distances"]).succeeds().stdout;
    assert!(shown.starts_with("No document is searched by fingerprint"), "{shown}");
}

/// The bounds of tune are those of a run, with pairs on both sides of each.
#[test]
fn other_bounds_are_shown_with_pairs_on_both_sides() {
    let place = Place::with("news.jsonl", planted(60));
    let shown = place.run(&["tune", "news.jsonl", "--quiet"]).succeeds().stdout;
    let tuned = place.run(&["tune", "news.jsonl", "--quiet", "--json"]).succeeds().json();
    place.dedup(&["news.jsonl"]);
    let summary = place.summary("out");
    let of_run = |bound: &Value| {
        let all = summary["bounds"]["removed"].as_array().unwrap();
        all.iter().find(|own| own[0] == *bound).unwrap()[1].clone()
    };
    let table = &tuned["bounds"];
    let bounds = table["bounds"].as_array().unwrap();
    let values: Vec<f64> = bounds.iter().map(|at| at["min_similarity"].as_f64().unwrap()).collect();
    assert_eq!(values, [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]);
    let removed = &summary["counts"]["removed"];
    let first = format!("--min-similarity 0.75 removes {removed} of {} documents.", table["read"]);
    assert!(shown.starts_with(&first), "{shown}");
    let mut pairs = 0;
    for at in bounds {
        let bound = &at["min_similarity"];
        assert_eq!(at["removed"], of_run(bound), "{bound}");
        let heading = |line: &&str| line.starts_with(&format!("{bound} "));
        assert!(shown.lines().any(|line| heading(&line)), "{bound}\n{shown}");
        for (side, is_above) in [("above", true), ("below", false)] {
            let examples = at[side].as_array().unwrap();
            assert!(examples.len() <= 3);
            for pair in examples {
                let similarity = pair["similarity"].as_f64().unwrap();
                assert_eq!(similarity >= bound.as_f64().unwrap(), is_above, "{bound} {pair}");
                let ids = ["left", "right"].map(|end| pair[end].as_str().unwrap());
                let line = format!(" {}, {}: \"", ids[0], ids[1]);
                assert!(shown.contains(&line), "{line}\n{shown}");
                pairs += 1;
            }
        }
    }
    assert!(pairs >= 6, "{table}");
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    assert_eq!(shown, place.run(&["tune", "news.jsonl", "--threads", "1"]).succeeds().stdout);
}

#[test]
fn neither_order_nor_threads_change_a_byte() {
    let text = planted(20);
    let backwards: String = text.lines().rev().map(|line| format!("{line}\n")).collect();
    let place = Place::with("news.jsonl", text);
    place.write("sward.jsonl", backwards);
    let tune = |input: &str, threads: &str, svg: &str| {
        place
            .run(&["tune", input, "--quiet", "--threads", threads, "--plot", svg])
            .succeeds()
            .stdout
    };
    let first = tune("news.jsonl", "1", "one.svg");
    assert_eq!(first, tune("news.jsonl", "2", "two.svg"));
    assert_eq!(first, tune("sward.jsonl", "2", "three.svg"));
    assert_eq!(place.read("one.svg"), place.read("two.svg"));
    assert_eq!(place.read("one.svg"), place.read("three.svg"));
    let svg = place.text("one.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    // The plot loads nothing.
    assert!(!svg.contains("href") && !svg.contains("@import") && svg.matches("http").count() == 1);
}

#[test]
fn more_recall_never_gives_a_smaller_distance_nor_less_similarity() {
    let place = Place::with("news.jsonl", planted(20));
    let distance = |similarity: &str, recall: &str| {
        let run = place.run(&[
            "tune",
            "news.jsonl",
            "--quiet",
            "--json",
            "--min-similarity",
            similarity,
            "--recall",
            recall,
        ]);
        run.succeeds().json()["max_distance"].as_u64().unwrap()
    };
    let by_recall: Vec<u64> =
        ["0.5", "0.9", "0.95", "0.99"].map(|recall| distance("0.8", recall)).to_vec();
    assert!(by_recall.is_sorted() && by_recall[0] < by_recall[3], "{by_recall:?}");
    let by_similarity: Vec<u64> =
        ["1", "0.95", "0.8", "0.6"].map(|similarity| distance(similarity, "0.95")).to_vec();
    assert!(by_similarity.is_sorted() && by_similarity[0] == 0, "{by_similarity:?}");
}

#[test]
fn tiny_corpora_are_tuned_too() {
    let short = row("a", "too short") + &row("b", "short too");
    let equal: String = (0..50).map(|id| row(&format!("e{id}"), FERRY)).collect();
    for (rows, documents, copies) in [
        (row("a", " "), 0, 0),
        (row("a", FERRY), 1, 0),
        (row("a", FERRY) + &row("b", LIBRARY), 2, 32),
        (short, 0, 0),
        (equal, 1, 0),
    ] {
        let place = Place::with("news.jsonl", rows);
        let run = place
            .run(&["tune", "news.jsonl", "--quiet", "--json", "--plot", "news.svg"])
            .succeeds();
        let tuned = run.json();
        assert_eq!(tuned["documents"], json!(documents), "{tuned}");
        assert!(tuned["copies"].as_u64().unwrap() <= copies, "{tuned}");
        assert_eq!(tuned["reached"], json!(true));
        let shown = place.run(&["tune", "news.jsonl", "--quiet", "--distances"]).succeeds().stdout;
        let nothing = shown.contains("No document is searched by fingerprint");
        let settings = shown.contains("max-distance = ");
        let less = shown.contains("There are no settings of them: they find less than");
        assert_eq!((nothing, settings || less), (documents == 0, documents != 0), "{shown}");
        assert!(!settings || !less, "{shown}");
        place.run(&["tune", "news.jsonl", "--quiet"]).succeeds();
        place.dedup(&["news.jsonl", "--recall", "0.9"]);
        assert_eq!(place.summary("out")["estimate"]["documents"], json!(documents));
    }
}

#[test]
fn why_a_recall_is_not_reached_is_said() {
    let obstacle = |place: &Place, arguments: &[&str], says: &str| {
        let tune = [&["tune", "news.jsonl", "--quiet"], arguments].concat();
        let run = place.run(&tune).succeeds();
        assert!(run.stdout.contains(says), "{}", run.stdout);
        let tuned = place.run(&[&tune[..], &["--json"]].concat()).succeeds().json();
        assert_eq!(tuned["reached"], json!(false));
        tuned["obstacle"].clone()
    };
    let place = Place::with("news.jsonl", row("a", FERRY));
    let alike = ["--min-similarity", "0.1", "--recall", "0.99"];
    assert_eq!(obstacle(&place, &alike, "differ in more than half the bits"), json!("distance"));
    place.dedup(&[&["news.jsonl"], &alike[..]].concat());
    assert_eq!(place.summary("out")["estimate"]["obstacle"], json!("distance"));
}

#[test]
fn every_measure_and_preset_can_be_tuned() {
    let place = Place::with("news.jsonl", planted(10));
    for settings in [
        &["--verify", "jaccard"][..],
        &["--verify", "containment"],
        &["--verify", "cosine"],
        &["--verify", "minhash"],
        &["--preset", "paper"],
        &["--preset", "google"],
        &["--preset", "md5-32"],
        &["--bits", "128"],
        &["--features", "words", "--ngram", "2"],
    ] {
        let tune = [&["tune", "news.jsonl", "--quiet"], settings].concat();
        let tuned = place.run(&[&tune[..], &["--json"]].concat()).succeeds().json();
        let default = &tuned["bounds"];
        let less = ["max_distance", "complete_distance"]
            .iter()
            .any(|name| tuned[name].as_u64() < default[name].as_u64());
        let run = place.run(&[&tune[..], &["--output", "news.toml"]].concat());
        match less {
            true => {
                run.ends_with_code(2).says(&["--output: no settings are written, since they find"]);
                assert!(!place.path("news.toml").exists());
            }
            false => {
                run.succeeds();
                place.dedup(&["news.jsonl", "--force", "--config", "news.toml"]);
                assert_eq!(place.summary("out")["max_distance"], tuned["max_distance"]);
                std::fs::remove_file(place.path("news.toml")).unwrap();
            }
        }
        place.dedup(&[&["news.jsonl", "--force", "--recall", "0.95"], settings].concat());
        assert_eq!(place.summary("out")["max_distance"], tuned["max_distance"], "{settings:?}");
    }
}

#[test]
fn mistakes_are_named_with_their_remedy() {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    place.write("far.toml", "max-distance = 30\n");
    place.write("wish.toml", "recall = 0.9\n");
    place.write("both.toml", "recall = 0.9\nmax-distance = 9\n");
    place.write("bits.toml", "bits = 100\n");
    let dedup = ["dedup", "news.jsonl", "--output", "out"];
    for (arguments, says) in [
        (&["--min-similarity", "0"][..], "--min-similarity: 0 is not above 0 and at most 1"),
        (&["--min-similarity", "1.1"], "--min-similarity: 1.1 is not above 0 and at most 1"),
        (&["--min-similarity", "nan"], "--min-similarity: NaN is not above 0"),
        (&["--recall", "0"], "--recall: 0 is not above 0 and below 1"),
        (&["--recall", "1"], "--recall: 1 is not above 0 and below 1"),
        (&["--recall", "0.9", "--max-distance", "20"], "--max-distance: 20 contradicts --recall"),
        (
            &["--recall", "0.9", "--complete-distance", "20"],
            "--complete-distance: 20 contradicts --recall",
        ),
        (
            &["--recall", "0.9", "--config", "far.toml"],
            "nearprint: far.toml: max-distance: 30 contradicts --recall",
        ),
        (
            &["--max-distance", "9", "--config", "wish.toml"],
            "--max-distance: 9 contradicts --recall, which",
        ),
        (
            &["--config", "both.toml"],
            "--config: both.toml: max-distance: 9 contradicts recall, which",
        ),
        (&["--config", "bits.toml"], "nearprint: bits.toml: bits: 100 is not 32, 64, 128 or 256"),
        (&["--config", "bits.toml", "--bits", "99"], "nearprint: --bits: 99 is not"),
        (&["--recall", "0.9", "--max-distance", "off"], "--recall: it chooses --max-distance"),
        (&["--recall", "0.9", "--preset", "exact"], "--recall: it chooses --max-distance"),
    ] {
        place.run(&[&dedup[..], arguments].concat()).ends_with_code(2).says(&[says]);
    }
    for (arguments, says) in [
        (&["--sample", "0"][..], "--sample: 0 is not between 1 and 100000"),
        (&["--preset", "exact"], "--max-distance: off matches equal texts only"),
        (
            &["--max-distance", "30"],
            "--max-distance: this verb chooses it and would ignore 30; leave it out",
        ),
        (
            &["--max-distance", "auto", "--complete-distance", "9"],
            "--complete-distance: this verb chooses it and would ignore 9",
        ),
        (
            &["--config", "far.toml"],
            "nearprint: far.toml: max-distance: this verb chooses it and would ignore 30",
        ),
        (&["--output", "news.jsonl"], "--output: news.jsonl is an input"),
        (&["--plot", "news.jsonl"], "--plot: news.jsonl is an input"),
        (&["--output", "x", "--plot", "x"], "--plot: --output names the same file"),
        (&["--output", "x", "--plot", "./x"], "--plot: --output names the same file"),
        (&["--plot", "-"], "--plot: the plot cannot be written to standard output"),
        (&["--output", "-", "--json"], "--output: - and --json both write to standard output"),
    ] {
        place
            .run(&[&["tune", "news.jsonl", "--quiet"], arguments].concat())
            .ends_with_code(2)
            .says(&[says]);
    }
    for flag in ["--output", "--plot"] {
        let tune = ["tune", "news.jsonl", "--min-similarity", "0.4", "--recall", "0.99"];
        let run = place.run(&[&tune[..], &[flag, "gone/news.toml"]].concat()).ends_with_code(1);
        run.says(&["cannot create gone/news.toml: No such file or directory\n"]);
    }
    assert_eq!(place.names(), ["bits.toml", "both.toml", "far.toml", "news.jsonl", "wish.toml"]);
}

#[cfg(unix)]
#[test]
fn settings_that_can_be_read_only_once_are_checked_too() {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    let tune = ["tune", "news.jsonl", "--quiet", "--config", "/dev/stdin"];
    let run = place.run_with_input(&tune, b"max-distance = 30\n").ends_with_code(2);
    run.says(&["nearprint: /dev/stdin: max-distance: this verb chooses it and would ignore 30"]);
}

#[test]
fn settings_alone_go_to_standard_output() {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    let tune = ["tune", "news.jsonl", "--min-similarity", "0.4", "--recall", "0.99", "--output"];
    let run = place.run(&[&tune[..], &["-", "--plot", "news.svg"]].concat()).succeeds();
    place.run(&[&tune[..], &["news.toml"]].concat()).succeeds();
    assert_eq!(run.stdout, place.text("news.toml"));
    assert_eq!(place.names(), ["news.jsonl", "news.svg", "news.toml"]);
}
