//! Corpus statistics: counted, shown, merged, and used instead of the input's own.

use crate::common::{BRIDGE, FERRY, Place, column, row, rows, sample};

#[test]
fn saved_statistics_of_a_corpus_give_what_counting_it_gives() {
    let place = sample();
    place.run(&["stats", "articles.jsonl", "--output", "s", "--quiet"]).succeeds();
    for weights in ["tfidf", "entropy"] {
        let dedup =
            ["articles.jsonl", "--pairs", "--features", "words", "--weights", weights, "--force"];
        place.dedup(&dedup);
        let counted = (place.text("out/removed.jsonl"), place.text("out/pairs.jsonl"));
        place.dedup(&[&dedup[..], &["--stats", "s"]].concat());
        assert_eq!(
            counted,
            (place.text("out/removed.jsonl"), place.text("out/pairs.jsonl")),
            "{weights}"
        );
        let fingerprint =
            ["fingerprint", "articles.jsonl", "--features", "words", "--weights", weights];
        let rows = |arguments: &[&str]| -> Vec<(String, String)> {
            let row = |line: &str| {
                line.split_once(",\"recipe\":").map(|(row, recipe)| (row.into(), recipe.into()))
            };
            place.run(arguments).succeeds().stdout.lines().map(|line| row(line).unwrap()).collect()
        };
        let (counted, saved) =
            (rows(&fingerprint), rows(&[&fingerprint[..], &["--stats", "s"]].concat()));
        for ((counted, own), (saved, of_file)) in counted.iter().zip(&saved) {
            assert_eq!(counted, saved, "{weights}");
            // Each fingerprint names the source of its weights.
            assert!(
                own.contains("statistics=the input's own;") && of_file.contains("statistics=file ")
            );
        }
    }
}

#[test]
fn statistics_make_fingerprints_of_different_days_comparable() {
    let place = sample();
    place.run(&["stats", "articles.jsonl", "--output", "s", "--quiet"]).succeeds();
    let all = place
        .run(&["fingerprint", "articles.jsonl", "--features", "words", "--stats", "s"])
        .succeeds()
        .stdout;
    let first = place.text("articles.jsonl").lines().next().unwrap().to_string();
    place.write("first.jsonl", first);
    let alone = place
        .run(&["fingerprint", "first.jsonl", "--features", "words", "--stats", "s"])
        .succeeds()
        .stdout;
    assert_eq!(alone.lines().next(), all.lines().next());
    let without =
        place.run(&["fingerprint", "first.jsonl", "--features", "words"]).succeeds().stdout;
    assert_ne!(without.lines().next(), all.lines().next());
}

#[test]
fn merged_statistics_are_those_of_the_whole_corpus() {
    let place = sample();
    let text = place.text("articles.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    place.write("monday.jsonl", lines[..33].concat());
    place.write("tuesday.jsonl", lines[33..].concat());
    for (input, output) in
        [("articles.jsonl", "whole"), ("monday.jsonl", "monday"), ("tuesday.jsonl", "tuesday")]
    {
        place.run(&["stats", input, "--output", output, "--quiet"]).succeeds();
    }
    place.run(&["stats", "merge", "monday", "tuesday", "--output", "week"]).succeeds();
    let show = |file: &str| {
        let shown =
            place.run(&["stats", "show", file, "--json", "--top", "1000000"]).succeeds().stdout;
        let mut lines: Vec<String> = shown.lines().map(str::to_string).collect();
        lines.sort();
        lines
    };
    assert!(show("whole").len() > 1_000);
    assert_eq!(show("week"), show("whole"));
    let dedup = |stats: &str| {
        place.dedup(&["articles.jsonl", "--features", "words", "--stats", stats, "--force"]);
        place.text("out/removed.jsonl")
    };
    assert_eq!(dedup("week"), dedup("whole"));
}

#[test]
fn shown_statistics_are_those_of_the_definition() {
    // Left neighbors of b: a twice, c once; right neighbors: c and d. Entropies in bits.
    let place = Place::with("letters.jsonl", row("1", "a b c. A b") + &row("2", "c b d"));
    place.run(&["stats", "letters.jsonl", "--output", "s", "--quiet"]).succeeds();
    let shown =
        rows(&place.run(&["stats", "show", "s", "--json", "--by", "frequency"]).succeeds().stdout);
    let of = |feature: &str| shown.iter().find(|row| row["feature"] == feature).unwrap().clone();
    let frequencies =
        ["a", "b", "c", "d"].map(|feature| of(feature)["document_frequency"].as_u64().unwrap());
    assert_eq!(frequencies, [1, 2, 2, 1]);
    let third = 1.0f64 / 3.0;
    let expected = -(third * third.log2() + 2.0 * third * (2.0 * third).log2());
    let b = of("b");
    let entropy = |name: &str| b[name].as_f64().unwrap();
    assert!((entropy("left_entropy") - expected).abs() < 1e-9, "{b}");
    assert!((entropy("right_entropy") - 1.0).abs() < 1e-9, "{b}");
    assert!((entropy("entropy") - (expected + 1.0) / 2.0).abs() < 1e-9, "{b}");

    let table = place.run(&["stats", "show", "s", "--top", "2"]).succeeds().stdout;
    assert!(table.contains("2 documents, 4 features") && table.contains("E_L"), "{table}");
    let top = rows(&place.run(&["stats", "show", "s", "--top", "1", "--json"]).succeeds().stdout);
    assert_eq!(column(&top, "feature"), ["b"]);
}

#[test]
fn statistics_of_other_settings_are_refused() {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", BRIDGE));
    place.run(&["stats", "news.jsonl", "--output", "words", "--quiet"]).succeeds();
    place
        .run(&["stats", "news.jsonl", "--output", "bigrams", "--quiet", "--ngram", "2"])
        .succeeds();
    let says =
        ["bigrams: made with other settings", "ngram=2", "ngram=1", "count the statistics again"];
    for verb in [&["dedup", "news.jsonl", "--output", "out"][..], &["fingerprint", "news.jsonl"]] {
        place
            .run(&[verb, &["--features", "words", "--stats", "bigrams"]].concat())
            .ends_with_code(1)
            .says(&says);
    }
    let compare =
        ["compare", "--text", "a", "--text", "b", "--features", "words", "--stats", "bigrams"];
    place.run(&compare).ends_with_code(1).says(&says);
    let merge = ["stats", "merge", "words", "bigrams", "--output", "both"];
    place.run(&merge).ends_with_code(1).says(&["settings"]);
    assert_eq!(place.names(), ["bigrams", "news.jsonl", "words"]);
    // Settings that do not change the features may differ.
    let dedup =
        ["dedup", "news.jsonl", "--output", "out", "--features", "words", "--stats", "words"];
    let dedup = [&dedup[..], &["--bits", "64", "--max-distance", "9"]].concat();
    place.run(&dedup).succeeds();
}

#[test]
fn a_file_that_is_no_statistics_is_refused() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    place.run(&["stats", "news.jsonl", "--output", "s", "--quiet"]).succeeds();
    let whole = place.read("s");
    place.write("cut", &whole[..whole.len() - 10]);
    for file in ["news.jsonl", "cut"] {
        let says = [file, "make it again with nearprint stats"];
        place.run(&["stats", "show", file]).ends_with_code(1).says(&says);
        place
            .run(&["fingerprint", "news.jsonl", "--features", "words", "--stats", file])
            .ends_with_code(1)
            .says(&says);
        place.run(&["stats", "merge", "s", file, "--output", "m"]).ends_with_code(1).says(&says);
    }
    place.run(&["stats", "show", "gone"]).ends_with_code(1).says(&["cannot read gone"]);
    assert!(!place.path("m").exists());
}
