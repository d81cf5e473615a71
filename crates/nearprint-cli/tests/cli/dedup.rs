//! The main job on the sample corpus: pairs found, evidence of removals, keepers, and counts.

use std::collections::HashMap;

use crate::common::{BRIDGE, FERRY, LIBRARY, Place, column, repository, row, rows, sample};
use crate::settings::PRESETS;
use serde_json::{Value, json};

/// Labeled pairs of the sample corpus: ids and kind.
fn labeled(duplicate: bool) -> Vec<(String, String, String)> {
    let rows = rows(&std::fs::read_to_string(repository("examples/expected.jsonl")).unwrap());
    let pairs =
        rows.iter().filter(|row| row["duplicate"] == duplicate && row["ids"][1].is_string());
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
    place
        .rows("out/removed.jsonl")
        .iter()
        .map(|row| (text(&row["id"]), text(&row["keeper"])))
        .collect()
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
        assert!(
            clusters.contains_key(&a) && clusters.get(&a) == clusters.get(&b),
            "{kind}: {a} and {b} are apart"
        );
        assert!(
            keepers.contains_key(&a) || keepers.contains_key(&b),
            "{kind}: {a} and {b} are both kept"
        );
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
    let removed = place.rows("out/removed.jsonl");
    let near = removed.iter().filter(|row| row["reason"] == "near");
    for row in near.step_by(5) {
        let (left, right) = (row["id"].as_str().unwrap(), row["keeper"].as_str().unwrap());
        let compare = ["compare", "--in", "articles.jsonl", left, right, "--json"];
        let comparison = place.run(&compare).succeeds().json();
        assert_eq!(
            (&comparison["distance"], &comparison["verdict"]),
            (&row["distance"], &row["reason"]),
            "{row}"
        );
        let is = |one: f64, other: &Value| (one - other.as_f64().unwrap()).abs() < 1e-6;
        let [share, similarity] =
            ["coverage", "similarity"].map(|name| comparison[name].as_f64().unwrap());
        assert!(
            is(share, &row["share"]) && is(similarity, &row["similarity"]),
            "{row}: {comparison}"
        );
        assert!(is(comparison["lost"][0].as_f64().unwrap(), &row["lost"]), "{row}: {comparison}");
    }
}

#[test]
fn a_removal_says_where_both_documents_stand_and_how_long_they_are() {
    let place = Place::new();
    let text = |end: &str| {
        format!("葫芦娃葫芦娃，一根藤上七朵花。风吹雨打都不怕，啦啦啦啦，叮当当咚咚当当{end}")
    };
    place.write("in/a.jsonl", row("one", FERRY) + &row("two", &text("！")));
    place.write(
        "in/b.jsonl",
        row("four", LIBRARY) + &row("five", "啄木鸟") + &row("six", &text("，葫芦娃")),
    );
    place.dedup(&["in"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(column(&removed, "id"), ["two"].map(Value::from));
    let there = |prefix: &str| {
        let [file, number, length] =
            ["file", "row", "length"].map(|name| &removed[0][format!("{prefix}{name}")]);
        let row = &place.rows(file.as_str().unwrap())[number.as_u64().unwrap() as usize - 1];
        assert_eq!(length.as_u64().unwrap(), row["text"].as_str().unwrap().chars().count() as u64);
        row["id"].clone()
    };
    assert_eq!([there(""), there("keeper_")], ["two", "six"].map(Value::from));
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
    let rows = [
        ("short", story(0..20)),
        ("third", story(0..26)),
        ("double", story(0..42)),
        ("other", story(50..70)),
    ];
    let place =
        Place::with("news.jsonl", rows.iter().map(|(id, text)| row(id, text)).collect::<String>());
    place.dedup(&["news.jsonl", "--keep", "first"]);
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
    assert_eq!(
        summary["counts"]["lost_characters"].as_f64().unwrap(),
        (lost * characters).round(),
        "{summary}"
    );
    assert_eq!(
        (&summary["counts"]["contained"], &summary["counts"]["near"]),
        (&json!(1), &json!(0))
    );

    for (measure, is_measured) in [
        ("jaccard", true),
        ("containment", true),
        ("minhash", true),
        ("cosine", false),
        ("none", false),
    ] {
        let least = ["--min-similarity", "0.3", "--max-distance", "120"];
        let settings = "dedup news.jsonl --output out --force --keep first --verify";
        let settings: Vec<&str> = settings.split(' ').chain([measure]).chain(least).collect();
        let done = place.run(&settings).succeeds();
        let (summary, removed) = (place.summary("out"), place.rows("out/removed.jsonl"));
        let third = removed.iter().find(|row| row["id"] == "third").unwrap();
        let lost = summary["counts"]["lost_characters"].as_f64();
        assert!(!is_measured || lost.unwrap() > 0.0, "{measure}: {summary}");
        assert!(is_measured || lost.is_none() && third["lost"].is_null(), "{measure}: {third}");
        let told = [&*done.stdout, &done.stderr].concat();
        assert_eq!(told.contains("not measured by this --verify"), !is_measured, "{told}");
    }
    place.dedup(&["news.jsonl", "--force"]);
    let removed = place.rows("out/removed.jsonl");
    let ids: Vec<_> = removed
        .iter()
        .map(|row| (&row["id"], &row["keeper"], row["lost"].as_f64().unwrap() < 0.01))
        .collect();
    assert_eq!(ids[0], (&json!("short"), &json!("third"), true), "{removed:?}");
}

#[test]
fn a_star_keeps_the_far_end_of_a_chain_and_components_join_it() {
    let place = sample();
    place.dedup(&["articles.jsonl", "--keep", "first"]);
    let star = keepers(&place);
    assert_eq!(star.get("en-023").map(String::as_str), Some("en-013"));
    assert_eq!(star.get("en-034"), None, "the far end is not similar to the keeper");
    let kept = column(&place.rows("out/kept/articles.jsonl"), "id");
    assert!(kept.contains(&json!("en-013")) && kept.contains(&json!("en-034")));

    place.dedup(&["articles.jsonl", "--keep", "first", "--cluster", "components", "--force"]);
    let joined = keepers(&place);
    assert_eq!(joined.get("en-034").map(String::as_str), Some("en-013"));
    let removed = place.rows("out/removed.jsonl");
    let far = removed.iter().find(|row| row["id"] == "en-034").unwrap();
    assert!(
        far["similarity"].as_f64().unwrap() < 0.75,
        "the two ends were compared with each other: {far}"
    );
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
    let rows: Vec<String> =
        chain.iter().map(|id| article(id)).chain(others).map(|row| format!("{row}\n")).collect();
    place.write("articles.jsonl", rows.concat());
    place.dedup(&["articles.jsonl", "--keep", "first"]);
    let keepers = keepers(&place);
    assert_eq!((keepers["en-013"].as_str(), keepers["en-034"].as_str()), ("en-023", "en-023"));
}

#[test]
fn whom_to_keep_can_be_chosen() {
    // Each text lacks a word or has more words: texts that exchange words would fill in one form.
    let copy = |word: &str, other: &str| {
        assert!(FERRY.contains(word));
        FERRY.replace(word, other)
    };
    let rows = [
        json!({"id": "first", "text": copy(" Cobble", ""), "date": "2026-02-01", "score": 9, "late": "b"}),
        json!({"id": "other", "text": LIBRARY, "date": "2026-12-31", "score": 99}),
        json!({"id": "longest", "text": copy("cardamom", "cardamom and cinnamon"), "date": "2025-12-31", "score": 8.5}),
        json!({"id": "newest", "text": copy("again ", ""), "date": "2026-11-30", "score": -1, "late": "a"}),
        json!({"id": "highest", "text": copy("night ", ""), "date": null, "score": 10, "late": "b"}),
    ];
    let place = Place::with("news.jsonl", rows.map(|row| format!("{row}\n")).concat());
    for (policy, keeper) in [
        ("first", "first"),
        ("longest", "longest"),
        ("newest:date", "newest"),
        ("highest:score", "highest"),
        // Of equal candidates the first.
        ("highest:late", "first"),
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
    let rows =
        [1, 3, 2].map(|score| format!("{}\n", json!({"id": score, "text": FERRY, "score": score})));
    let place = Place::with("news.jsonl", rows.concat());
    place.dedup(&["news.jsonl", "--keep", "highest:score"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(column(&removed, "id"), [1, 2]);
    assert!(removed.iter().all(|row| row["keeper"] == 3 && row["reason"] == "exact"));
}

#[test]
fn titles_beside_the_text_are_suggested() {
    let suggestion = |arguments: &[&str], place: &Place| {
        let run =
            place.run(&[&["dedup", "--output", "out", "--force"], arguments].concat()).succeeds();
        let lines: Vec<String> = run
            .stderr
            .lines()
            .filter(|line| line.contains("--text-field"))
            .map(String::from)
            .collect();
        assert!(lines.len() < 2, "{lines:?}");
        lines.into_iter().next()
    };
    let place = Place::with(
        "news.jsonl",
        format!("{}\n", json!({"id": 1, "body": FERRY, "Title": "a", "text": LIBRARY})),
    );
    let says = "nearprint: the field \"Title\" was not compared; title and text together better \
        distinguish texts of one template: --text-field Title --text-field text";
    assert_eq!(suggestion(&["news.jsonl"], &place).as_deref(), Some(says));
    let body = suggestion(&["news.jsonl", "--text-field", "body"], &place).unwrap();
    assert!(body.ends_with("--text-field Title --text-field body"), "{body}");
    place.write("标题.csv", format!("id,标题,text\n1,a,\"{FERRY}\"\n"));
    assert!(
        suggestion(&["标题.csv"], &place).unwrap().contains("--text-field 标题 --text-field text")
    );
    let doc = json!({"id": 2, "doc": {"title": "b"}, "text": BRIDGE});
    place.write("nested.jsonl", format!("{doc}\n"));
    let files = ["news.jsonl", "标题.csv", "same.jsonl", "nested.jsonl", "--ids", "file-row"];
    place.write(files[2], format!("{}\n", json!({"id": 3, "Title": "c", "text": FERRY})));
    let all = suggestion(&files, &place).unwrap();
    assert!(all.ends_with("--text-field 'Title|标题|doc.title' --text-field text"), "{all}");
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
        place.dedup_the_rest(&[
            "articles.jsonl",
            "bad.jsonl",
            "--pairs",
            "--force",
            "--preset",
            preset,
        ]);
        let summary = place.summary("out");
        let count = |name: &str| {
            summary["counts"][name]
                .as_u64()
                .unwrap_or_else(|| panic!("{preset}: no count {name} in {summary}"))
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
        for (name, reason) in [
            ("exact", "exact"),
            ("near", "near"),
            ("near_short", "short"),
            ("contained", "contained"),
        ] {
            let listed = removed.iter().filter(|row| row["reason"] == reason).count() as u64;
            assert_eq!(count(name), listed, "{preset}: {name}");
        }
        let sizes: Vec<u64> =
            rows("clusters").iter().map(|row| row["size"].as_u64().unwrap()).collect();
        assert_eq!(count("clusters"), sizes.len() as u64, "{preset}");
        assert_eq!(count("largest_cluster"), sizes.iter().max().copied().unwrap_or(0), "{preset}");
        assert_eq!(count("removed"), sizes.iter().map(|size| size - 1).sum::<u64>(), "{preset}");
        assert_eq!(count("confirmed_pairs"), rows("pairs").len() as u64, "{preset}");
        assert!(count("short") > 1 || preset == "exact", "{preset}");
        assert!(count("candidate_pairs") + count("exact") > 0, "{preset}");
        assert!(count("exact") >= 4, "{preset} finds equal texts");
    }
}

#[test]
fn pairs_that_can_change_nothing_are_not_compared_and_nothing_changes() {
    let place = sample();
    for cluster in ["star", "components"] {
        for keep in ["first", "longest"] {
            let flags = [
                "articles.jsonl",
                "--force",
                "--cluster",
                cluster,
                "--keep",
                keep,
                "--min-similarity",
                "0.5",
            ];
            place.dedup(&[&flags[..], &["--pairs"]].concat());
            let reports = || {
                ["removed.jsonl", "clusters.jsonl"].map(|name| place.rows(&format!("out/{name}")))
            };
            let (all, counts) = (reports(), place.summary("out")["counts"].clone());
            assert_eq!(counts["compared_pairs"], counts["candidate_pairs"], "{cluster} {keep}");
            place.dedup(&flags);
            assert_eq!(reports(), all, "{cluster} {keep}");
            let fewer = place.summary("out")["counts"].clone();
            for count in ["compared_pairs", "confirmed_pairs"] {
                assert!(
                    fewer[count].as_u64() < counts[count].as_u64(),
                    "{cluster} {keep} {count}: {fewer} {counts}"
                );
            }
        }
    }
}

#[test]
fn a_person_sees_stages_and_a_closing_table_and_with_quiet_nothing() {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", LIBRARY) + &row("c", FERRY));
    let run = place.run(&["dedup", "news.jsonl", "--output", "out"]).succeeds();
    let run = run.says(&[
        "read ",
        "join ",
        "write ",
        "│ kept",
        "1 exact, 0 near, 0 contained, 0 short",
        "Written to out",
    ]);
    assert!(!run.stderr.contains('\u{1b}'), "escape sequences without a terminal: {}", run.stderr);
    let run =
        place.run(&["dedup", "news.jsonl", "--output", "out", "--force", "--quiet"]).succeeds();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}
