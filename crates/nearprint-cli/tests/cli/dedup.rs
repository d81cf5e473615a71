//! The main job on the sample corpus: what is found, what every removal is backed by, who is kept, and the numbers.

use std::collections::HashMap;

use crate::common::{self, FERRY, LIBRARY, Place, column, repository, row, rows};
use serde_json::{Value, json};

/// Presets, as `nearprint presets` lists them.
const PRESETS: [&str; 8] = ["default", "strict", "loose", "paper", "simhash", "google", "md5-32", "exact"];

/// A place with the sample corpus.
fn sample() -> Place {
    Place::with("articles.jsonl", std::fs::read(repository("examples/articles.jsonl")).unwrap())
}

/// Labeled pairs of the sample corpus: ids and kind.
fn labeled(duplicate: bool) -> Vec<(String, String, String)> {
    let rows = rows(&std::fs::read_to_string(repository("examples/expected.jsonl")).unwrap());
    let pairs = rows.iter().filter(|row| row["duplicate"] == duplicate && row["ids"][1].is_string());
    let text = |value: &Value| value.as_str().unwrap().to_string();
    pairs.map(|row| (text(&row["ids"][0]), text(&row["ids"][1]), text(&row["kind"]))).collect()
}

/// The cluster of every document that has one.
fn clusters(place: &Place) -> HashMap<String, u64> {
    let clusters = place.rows("out/clusters.jsonl");
    let members = |cluster: &Value| {
        let number = cluster["cluster"].as_u64().unwrap();
        let members = cluster["members"].as_array().unwrap().clone();
        members.into_iter().map(move |id| (id.as_str().unwrap().to_string(), number))
    };
    clusters.iter().flat_map(members).collect()
}

/// The keeper of every removed document.
fn keepers(place: &Place) -> HashMap<String, String> {
    let text = |value: &Value| value.as_str().unwrap().to_string();
    place.rows("out/removed.jsonl").iter().map(|row| (text(&row["id"]), text(&row["keeper"]))).collect()
}

#[test]
fn every_labeled_duplicate_of_the_sample_is_found() {
    let place = sample();
    place.dedup(&["articles.jsonl"]);
    let (clusters, keepers) = (clusters(&place), keepers(&place));
    let pairs = labeled(true);
    assert!(pairs.len() > 20);
    for (a, b, kind) in pairs {
        if kind == "chain" {
            continue;
        }
        assert!(clusters.contains_key(&a) && clusters.get(&a) == clusters.get(&b), "{kind}: {a} and {b} are apart");
        assert!(keepers.contains_key(&a) || keepers.contains_key(&b), "{kind}: {a} and {b} are both kept");
    }
}

#[test]
fn no_labeled_look_alike_of_the_sample_is_taken_for_a_duplicate() {
    let place = sample();
    place.dedup(&["articles.jsonl"]);
    let keepers = keepers(&place);
    let pairs = labeled(false);
    assert!(pairs.len() > 8);
    for (a, b, kind) in pairs {
        assert_ne!(keepers.get(&a), Some(&b), "{kind}");
        assert_ne!(keepers.get(&b), Some(&a), "{kind}");
    }
}

#[test]
fn short_notices_with_common_words_are_no_duplicates() {
    let place = sample();
    place.dedup(&["articles.jsonl"]);
    assert_eq!(keepers(&place).get("en-020"), None);
}

#[test]
fn every_removed_document_was_compared_with_its_keeper_which_is_kept() {
    let place = sample();
    place.dedup(&["articles.jsonl", "--min-similarity", "0.6", "--max-distance", "20"]);
    let kept = column(&place.rows("out/kept/articles.jsonl"), "id");
    let removed = place.rows("out/removed.jsonl");
    let clusters = clusters(&place);
    assert!(removed.len() > 15);
    for row in &removed {
        assert!(kept.contains(&row["keeper"]), "the keeper is not kept: {row}");
        assert!(!kept.contains(&row["id"]), "kept and removed: {row}");
        assert_eq!(json!(clusters[row["id"].as_str().unwrap()]), row["cluster"], "{row}");
        assert_eq!(json!(clusters[row["keeper"].as_str().unwrap()]), row["cluster"], "{row}");
        let (similarity, distance) = (row["similarity"].as_f64().unwrap(), &row["distance"]);
        assert!((0.6..=1.0).contains(&similarity), "{row}");
        match row["reason"].as_str().unwrap() {
            "exact" => assert_eq!((similarity, distance), (1.0, &json!(0)), "{row}"),
            "near" | "contained" => assert!(distance.as_u64().unwrap() <= 20, "{row}"),
            "short" => assert_eq!(distance, &Value::Null, "{row}"),
            other => panic!("{other}"),
        }
    }
    let reasons = column(&removed, "reason");
    assert!(reasons.contains(&json!("exact")) && reasons.contains(&json!("near")));
}

#[test]
fn the_evidence_of_a_removal_is_what_compare_says_of_the_two_texts() {
    let place = sample();
    place.dedup(&["articles.jsonl"]);
    let texts: HashMap<Value, Value> =
        place.rows("articles.jsonl").into_iter().map(|row| (row["id"].clone(), row["text"].clone())).collect();
    let removed = place.rows("out/removed.jsonl");
    let near = removed.iter().filter(|row| row["reason"] == "near");
    for row in near.step_by(5) {
        let (left, right) = (texts[&row["id"]].as_str().unwrap(), texts[&row["keeper"]].as_str().unwrap());
        let compare = ["compare", "--text", left, "--text", right, "--json"];
        let comparison = place.run(&compare).succeeds().json();
        assert_eq!((&comparison["distance"], &comparison["verdict"]), (&row["distance"], &row["reason"]), "{row}");
        let difference = comparison["coverage"].as_f64().unwrap() - row["similarity"].as_f64().unwrap();
        assert!(difference.abs() < 1e-6, "{row}: {}", comparison["coverage"]);
    }
}

#[test]
fn a_story_with_a_paragraph_more_is_contained_and_what_is_lost_is_told() {
    let sentence = |number: usize| {
        format!(
            "Sentence {number} of this story tells of the {} ferry and its {} crew. ",
            number * 7919,
            number * 104_729
        )
    };
    let story = |sentences: std::ops::Range<usize>| sentences.map(sentence).collect::<String>();
    let rows = [("short", story(0..20)), ("third", story(0..26)), ("double", story(0..42)), ("other", story(50..70))];
    let place = Place::with("news.jsonl", rows.iter().map(|(id, text)| row(id, text)).collect::<String>());
    place.dedup(&["news.jsonl"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(removed.len(), 1, "{removed:?}");
    assert_eq!(
        (&removed[0]["id"], &removed[0]["keeper"], &removed[0]["reason"]),
        (&json!("third"), &json!("short"), &json!("contained"))
    );
    let lost = removed[0]["lost"].as_f64().unwrap();
    assert!((0.2..0.26).contains(&lost), "{lost}");
    let summary = place.summary("out");
    let characters = rows[1].1.chars().count() as f64;
    assert_eq!(summary["counts"]["lost_characters"].as_f64().unwrap(), (lost * characters).round(), "{summary}");
    assert_eq!((&summary["counts"]["contained"], &summary["counts"]["near"]), (&json!(1), &json!(0)));

    place.dedup(&["news.jsonl", "--keep", "longest", "--force"]);
    let removed = place.rows("out/removed.jsonl");
    let ids: Vec<_> =
        removed.iter().map(|row| (&row["id"], &row["keeper"], row["lost"].as_f64().unwrap() < 0.01)).collect();
    assert_eq!(ids[0], (&json!("short"), &json!("third"), true), "{removed:?}");
}

/// A notice of one form.
fn notice(company: &str, cents: &str, payable: &str, record: &str) -> String {
    format!(
        "{company} said its board declared a regular quarterly dividend of {cents} cts per share, payable on {payable} to the \
         shareholders who are of record by the close of business on {record}, and that it expects no change in the year."
    )
}

/// Notices of one form by the names of the companies, two of them of one company, and two near texts of no form.
fn notices() -> Vec<Value> {
    let mut rows: Vec<Value> = ["Boreal Mills", "Quantum Fields", "Wexford & Sons", "Delta Hotels", "Umbra Foods"]
        .iter()
        .zip(1..)
        .map(|(name, n)| {
            let text = notice(name, &(n * 17 % 23).to_string(), &format!("May {}", n * 5), &format!("April {}", n * 3));
            json!({"id": name, "text": text})
        })
        .collect();
    rows.extend([
        json!({"id": "acme", "text": notice("Acme Tools", "24", "June 3", "January 25"), "date": 1}),
        json!({"id": "copy", "text": notice("ACME Tools", "24", "June three", "January 25") + " (Reuters)", "date": 2}),
        json!({"id": "ferry", "text": FERRY}),
        json!({"id": "boat", "text": FERRY.replace("green", "white")}),
    ]);
    rows
}

#[test]
fn what_fills_the_form_of_a_removed_document_is_told() {
    let place = Place::with("news.jsonl", notices().iter().map(|row| format!("{row}\n")).collect::<String>());
    for flags in [&[][..], &["--pairs"], &["--threads", "1"], &["--cluster", "components"]] {
        place.dedup(&[&["news.jsonl", "--force"], flags].concat());
        let removed = place.rows("out/removed.jsonl");
        let told: Vec<(&Value, &Value)> = removed.iter().map(|row| (&row["id"], &row["form"])).collect();
        let form = json!(
            "5 other documents share this form. They differ in 4 places, where this text and its keeper agree: \"acme tools\", \
             \"24\", \"june three\" and 1 more. Elsewhere the two differ: \"reuters\" here, nothing there."
        );
        assert_eq!(told, [(&json!("copy"), &form), (&json!("boat"), &Value::Null)], "{flags:?}");
    }
    // A measure that knows no forms.
    place.dedup(&["news.jsonl", "--force", "--verify", "jaccard", "--min-similarity", "0.5", "--features", "words"]);
    assert!(place.rows("out/removed.jsonl").iter().all(|row| row["form"].is_null()));
}

#[test]
fn the_keeper_that_stays_is_the_one_that_is_spoken_of() {
    let mut rows = notices();
    // More that the two have in common makes up for the difference.
    let acme = |record: &str| format!("{} {LIBRARY}", notice("Acme Tools", "24", "June 3", record));
    rows[5] = json!({"id": "acme", "text": acme("January 25"), "date": 1});
    rows[6] = json!({"id": "copy", "text": acme("January 24"), "date": 2});
    let place = Place::with("news.jsonl", rows.iter().map(|row| format!("{row}\n")).collect::<String>());
    let form = |flags: &[&str]| {
        place.dedup(&[&["news.jsonl", "--force"], flags].concat());
        let removed = place.rows("out/removed.jsonl");
        let of_acme = |row: &&Value| ["acme", "copy"].map(Value::from).contains(&row["id"]);
        let row = removed.iter().find(of_acme).unwrap();
        (row["id"].as_str().unwrap().to_string(), row["form"].as_str().unwrap().to_string())
    };
    let told = |here: &str, there: &str| {
        format!(
            "5 other documents share this form. They differ in 4 places. In 3 of them this text and its keeper agree: \"acme tools\", \
             \"24\", \"june 3\"; in 1 the two differ: \"january {here}\" here, \"january {there}\" there."
        )
    };
    assert_eq!(form(&[]), ("copy".to_string(), told("24", "25")));
    assert_eq!(form(&["--max-lost", "0.5", "--keep", "newest:date"]), ("acme".to_string(), told("25", "24")));
}

#[test]
fn a_star_keeps_the_far_end_of_a_chain_and_components_join_it() {
    let place = sample();
    place.dedup(&["articles.jsonl"]);
    let star = keepers(&place);
    assert_eq!(star.get("en-023").map(String::as_str), Some("en-013"));
    assert_eq!(star.get("en-034"), None, "the far end is not similar to the keeper");
    let kept = column(&place.rows("out/kept/articles.jsonl"), "id");
    assert!(kept.contains(&json!("en-013")) && kept.contains(&json!("en-034")));

    place.dedup(&["articles.jsonl", "--cluster", "components", "--force"]);
    let joined = keepers(&place);
    assert_eq!(joined.get("en-034").map(String::as_str), Some("en-013"));
    let removed = place.rows("out/removed.jsonl");
    let far = removed.iter().find(|row| row["id"] == "en-034").unwrap();
    assert!(far["similarity"].as_f64().unwrap() < 0.75, "the two ends were compared with each other: {far}");
    // Components remove all that stars remove.
    assert!(star.keys().all(|id| joined.contains_key(id)));
}

#[test]
fn a_keeper_in_the_middle_of_a_chain_claims_both_ends() {
    let place = Place::new();
    let chain = ["en-023", "en-013", "en-034"];
    let articles = sample().rows("articles.jsonl");
    let article = |id: &str| articles.iter().find(|row| row["id"] == id).unwrap();
    let others = articles.iter().filter(|row| !chain.contains(&row["id"].as_str().unwrap()));
    let rows: Vec<String> = chain.iter().map(|id| article(id)).chain(others).map(|row| format!("{row}\n")).collect();
    place.write("articles.jsonl", rows.concat());
    place.dedup(&["articles.jsonl"]);
    let keepers = keepers(&place);
    assert_eq!((keepers["en-013"].as_str(), keepers["en-034"].as_str()), ("en-023", "en-023"));
}

/// The first command gives the outcome that the README shows, in both languages.
#[test]
fn the_readme_shows_what_the_sample_corpus_gives() {
    let place = Place::new();
    let articles = common::repository("examples/articles.jsonl");
    place.dedup(&[articles.to_str().unwrap()]);
    let (kept, removed) = (place.text("out/kept/articles.jsonl"), place.text("out/removed.jsonl"));
    let counts = (kept.lines().count(), removed.lines().count());
    for (name, sentence) in [
        ("README.md", format!("{} of the {} rows", counts.0, counts.0 + counts.1)),
        ("README.zh-CN.md", format!("{} 行中保留了 {} 行", counts.0 + counts.1, counts.0)),
    ] {
        let readme = std::fs::read_to_string(common::repository(name)).unwrap();
        assert!(readme.contains(&sentence), "{name} should say {sentence}");
        let shown: Vec<&str> = readme.lines().filter(|line| line.starts_with("{\"id\":\"zh-")).collect();
        assert_eq!(shown.len(), 3, "{name}");
        for line in shown {
            assert!(removed.lines().any(|row| row == line), "{name} shows {line}");
        }
    }
}

#[test]
fn whom_to_keep_can_be_chosen() {
    // Each differs elsewhere: what differs in one place of all is the filling of a form.
    let copy = |word: &str, other: &str| FERRY.replace(word, other);
    let rows = [
        json!({"id": "first", "text": copy("green", "white"), "date": "2026-02-01", "score": 9, "late": "b"}),
        json!({"id": "other", "text": LIBRARY, "date": "2026-12-31", "score": 99}),
        json!({"id": "longest", "text": copy("cardamom", "cardamom and cinnamon"), "date": "2025-12-31", "score": 8.5}),
        json!({"id": "newest", "text": copy("at dawn", "at noon"), "date": "2026-11-30", "score": -1, "late": "a"}),
        json!({"id": "highest", "text": copy("hired", "found"), "date": null, "score": 10, "late": "b"}),
    ];
    let place = Place::with("news.jsonl", rows.map(|row| format!("{row}\n")).concat());
    for (policy, keeper) in [
        ("first", "first"),
        ("longest", "longest"),
        ("newest:date", "newest"),
        ("highest:score", "highest"),
        // Of equal ones the first.
        ("newest:late", "first"),
    ] {
        place.dedup(&["news.jsonl", "--keep", policy, "--force"]);
        let removed = place.rows("out/removed.jsonl");
        assert_eq!(removed.len(), 3, "{policy}");
        assert!(removed.iter().all(|row| row["keeper"] == keeper), "{policy}: {removed:?}");
        // The kept rows come in input order.
        let kept = column(&place.rows("out/kept/news.jsonl"), "id");
        let expected = if keeper == "first" { [keeper, "other"] } else { ["other", keeper] };
        assert_eq!(kept, expected, "{policy}");
    }
}

#[test]
fn whom_to_keep_among_equal_texts_follows_the_same_rule() {
    let rows = [1, 3, 2].map(|score| format!("{}\n", json!({"id": score, "text": FERRY, "score": score})));
    let place = Place::with("news.jsonl", rows.concat());
    place.dedup(&["news.jsonl", "--keep", "highest:score"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(column(&removed, "id"), [1, 2]);
    assert!(removed.iter().all(|row| row["keeper"] == 3 && row["reason"] == "exact"));
}

#[test]
fn titles_beside_the_text_are_suggested() {
    let suggestion = |arguments: &[&str], place: &Place| {
        let run = place.run(&[&["dedup", "--output", "out", "--force"], arguments].concat()).succeeds();
        let lines: Vec<String> =
            run.stderr.lines().filter(|line| line.contains("--text-field")).map(String::from).collect();
        assert!(lines.len() < 2, "{lines:?}");
        lines.into_iter().next()
    };
    let place =
        Place::with("news.jsonl", format!("{}\n", json!({"id": 1, "body": FERRY, "Title": "a", "text": LIBRARY})));
    let says = "nearprint: the field \"Title\" was not compared; title and text together tell items of one template apart better: \
                --text-field Title --text-field text";
    assert_eq!(suggestion(&["news.jsonl"], &place).as_deref(), Some(says));
    let body = suggestion(&["news.jsonl", "--text-field", "body"], &place).unwrap();
    assert!(body.ends_with("--text-field Title --text-field body"), "{body}");
    place.write("标题.csv", format!("id,标题,text\n1,a,\"{FERRY}\"\n"));
    assert!(suggestion(&["标题.csv"], &place).unwrap().contains("--text-field 标题 --text-field text"));
    for silent in [
        &["news.jsonl", "--quiet"][..],
        &["news.jsonl", "--text-field", "Title"],
        &["news.jsonl", "--text-field", "Title", "--text-field", "text"],
        &["plain.jsonl"],
        &["title.txt"],
    ] {
        place.write("plain.jsonl", row("a", FERRY));
        place.write("title.txt", FERRY);
        assert_eq!(suggestion(silent, &place), None, "{silent:?}");
    }
}

#[test]
fn the_numbers_of_the_summary_add_up() {
    let place = sample();
    place.write("bad.jsonl", "{\"id\":\"x\"}\n");
    for preset in PRESETS {
        place.dedup(&["articles.jsonl", "bad.jsonl", "--on-error", "skip", "--pairs", "--force", "--preset", preset]);
        let summary = place.summary("out");
        let count = |name: &str| {
            summary["counts"][name].as_u64().unwrap_or_else(|| panic!("{preset}: no count {name} in {summary}"))
        };
        let rows = |name: &str| place.rows(&format!("out/{name}.jsonl"));
        assert_eq!((count("read"), count("empty"), count("rejected")), (80, 1, 1), "{preset}");
        assert_eq!(count("read"), count("kept") + count("removed"), "{preset}");
        assert_eq!(
            count("removed"),
            count("exact") + count("near") + count("near_short") + count("contained"),
            "{preset}"
        );
        assert_eq!(count("kept"), rows("kept/articles").len() as u64, "{preset}");
        let removed = rows("removed");
        assert_eq!(count("removed"), removed.len() as u64, "{preset}");
        for (name, reason) in
            [("exact", "exact"), ("near", "near"), ("near_short", "short"), ("contained", "contained")]
        {
            let listed = removed.iter().filter(|row| row["reason"] == reason).count() as u64;
            assert_eq!(count(name), listed, "{preset}: {name}");
        }
        let sizes: Vec<u64> = rows("clusters").iter().map(|row| row["size"].as_u64().unwrap()).collect();
        assert_eq!(count("clusters"), sizes.len() as u64, "{preset}");
        assert_eq!(count("largest_cluster"), sizes.iter().max().copied().unwrap_or(0), "{preset}");
        assert_eq!(count("removed"), sizes.iter().map(|size| size - 1).sum::<u64>(), "{preset}");
        assert_eq!(count("confirmed_pairs"), rows("pairs").len() as u64, "{preset}");
        assert!(count("short") > 1 && count("candidate_pairs") + count("exact") > 0, "{preset}");
        assert!(count("exact") >= 4, "{preset} finds equal texts");
    }
}

#[test]
fn pairs_that_can_change_nothing_are_not_compared_and_nothing_changes() {
    let place = sample();
    for cluster in ["star", "components"] {
        for keep in ["first", "longest"] {
            let flags = ["articles.jsonl", "--force", "--cluster", cluster, "--keep", keep, "--min-similarity", "0.5"];
            place.dedup(&[&flags[..], &["--pairs"]].concat());
            let reports = || ["removed.jsonl", "clusters.jsonl"].map(|name| place.rows(&format!("out/{name}")));
            let (all, counts) = (reports(), place.summary("out")["counts"].clone());
            assert_eq!(counts["compared_pairs"], counts["candidate_pairs"], "{cluster} {keep}");
            place.dedup(&flags);
            assert_eq!(reports(), all, "{cluster} {keep}");
            let fewer = place.summary("out")["counts"].clone();
            for count in ["compared_pairs", "confirmed_pairs"] {
                assert!(fewer[count].as_u64() < counts[count].as_u64(), "{cluster} {keep} {count}: {fewer} {counts}");
            }
        }
    }
}

#[test]
fn the_summary_says_how_the_run_was_made() {
    let place = sample();
    let settings = [
        "--bits",
        "64",
        "--features",
        "words",
        "--weights",
        "tfidf",
        "--max-distance",
        "9",
        "--complete-distance",
        "5",
    ];
    place.dedup(&[&["articles.jsonl"], &settings[..]].concat());
    let summary = place.summary("out");
    assert_eq!(summary["nearprint"], env!("CARGO_PKG_VERSION"));
    let settings = summary["settings"].as_object().unwrap();
    assert_eq!(
        (&settings["bits"], &settings["max-distance"], &settings["weights"]),
        (&json!(64), &json!(9), &json!("tfidf"))
    );
    // Every flag of the help that sets something is told.
    let help = place.run(&["dedup", "--help"]).succeeds().stdout;
    let flags = help.lines().filter_map(|line| line.trim_start().strip_prefix("--")?.split(['[', ' ']).next());
    for flag in
        flags.filter(|flag| !["against", "force", "pairs", "annotate", "dry-run", "resume", "config"].contains(flag))
    {
        let may_be_absent = [
            "format",
            "lines",
            "same",
            "differ",
            "max-lost",
            "memory",
            "tmp-dir",
            "stats",
            "recall",
            "shingle",
            "tokens-field",
            "against-text-field",
        ]
        .contains(&flag);
        assert!(may_be_absent || settings.contains_key(flag), "--{flag} is not in the summary");
    }
    assert!(settings.len() > 25, "{settings:?}");
    assert_eq!(summary["complete_distance"], 5);
    assert_eq!(summary["seen_at_max_distance"], 1.0);
    assert!(summary["plan"].as_str().unwrap().starts_with("complete to 5"), "{}", summary["plan"]);
    assert!(summary["fingerprint"].as_str().unwrap().contains("bits=64"));
    assert!(summary["seconds"]["all"].as_f64().unwrap() >= summary["seconds"]["read"].as_f64().unwrap());
    assert!(summary["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    let size = |name: &str| std::fs::metadata(place.path(name)).unwrap().len();
    let output: u64 =
        ["kept/articles", "removed", "clusters"].map(|name| size(&format!("out/{name}.jsonl"))).iter().sum();
    assert_eq!(
        (&summary["bytes"]["input"], &summary["bytes"]["output"]),
        (&json!(size("articles.jsonl")), &json!(output))
    );
    let text: usize = place.rows("articles.jsonl").iter().map(|row| row["text"].as_str().unwrap().len()).sum();
    assert_eq!(summary["bytes"]["text"], text);
}

#[test]
fn a_settings_file_holds_the_same_settings_and_flags_win() {
    let place = sample();
    let toml = "preset = 'google'\nmax-distance = 5\nkeep = 'longest'\nstop-words = ['zh', 'en']\non-error = 'skip'\n";
    place.write("settings.toml", toml);
    place.dedup(&["articles.jsonl", "--config", "settings.toml", "--max-distance", "7", "--on-error", "fail"]);
    let settings = &place.summary("out")["settings"];
    let expected = [
        ("preset", json!("google")),
        ("bits", json!(64)),
        ("max-distance", json!(7)),
        ("keep", json!("longest")),
        ("stop-words", json!(["zh", "en"])),
        ("on-error", json!("fail")),
    ];
    for (name, value) in expected {
        assert_eq!(settings[name], value, "{name}");
    }
    // A preset on the command line lies below the file's settings all the same.
    place.dedup(&["articles.jsonl", "--config", "settings.toml", "--preset", "simhash", "--force"]);
    let settings = &place.summary("out")["settings"];
    assert_eq!((&settings["bits"], &settings["max-distance"]), (&json!(128), &json!(5)));
}

#[test]
fn a_stricter_preset_removes_no_more() {
    let place = sample();
    let removed = ["strict", "default", "loose"].map(|preset| {
        place.dedup(&["articles.jsonl", "--force", "--preset", preset]);
        let least = place.summary("out")["settings"]["min-similarity"].as_f64().unwrap();
        let rows = place.rows("out/removed.jsonl");
        assert!(rows.iter().all(|row| row["similarity"].as_f64().unwrap() >= least), "{preset}");
        (least, rows.len())
    });
    assert!(removed.is_sorted_by(|one, other| one.0 > other.0 && one.1 <= other.1), "{removed:?}");
    assert!(removed[0].1 < removed[2].1, "{removed:?}");
}

#[test]
fn a_preset_saved_to_a_file_is_that_preset() {
    let place = sample();
    for preset in PRESETS {
        let toml = place.run(&["presets", preset]).succeeds().stdout;
        place.write("preset.toml", toml);
        place.dedup(&["articles.jsonl", "--config", "preset.toml", "--force"]);
        let from_file = (place.text("out/removed.jsonl"), place.summary("out")["settings"].clone());
        place.dedup(&["articles.jsonl", "--preset", preset, "--force"]);
        assert_eq!(from_file, (place.text("out/removed.jsonl"), place.summary("out")["settings"].clone()), "{preset}");
    }
}

#[test]
fn a_person_sees_stages_and_a_closing_table_and_with_quiet_nothing() {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", LIBRARY) + &row("c", FERRY));
    let run = place.run(&["dedup", "news.jsonl", "--output", "out"]).succeeds();
    let run =
        run.says(&["read ", "join ", "write ", "│ kept", "1 exact, 0 near, 0 contained, 0 short", "Written to out"]);
    assert!(!run.stderr.contains('\u{1b}'), "escape sequences without a terminal: {}", run.stderr);
    let run = place.run(&["dedup", "news.jsonl", "--output", "out", "--force", "--quiet"]).succeeds();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}
