//! Equal input gives equal bytes, in every run and with any number of threads.

use crate::common::{Articles, Place, files, sample};
use crate::settings::PRESETS;

/// Runs with one thread and then with each other number of threads; returns the number of removals.
fn same_bytes(place: &Place, arguments: &[&str], other_threads: &[&str]) -> u64 {
    let run = |threads: &str| {
        place.dedup(&[arguments, &["--threads", threads, "--force"]].concat());
        (files(&place.path("out")), place.summary("out")["counts"].clone())
    };
    let (expected, counts) = run("1");
    assert!(expected.contains_key("removed.jsonl"));
    for threads in other_threads {
        let (found, found_counts) = run(threads);
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (name, bytes) in &expected {
            assert!(&found[name] == bytes, "{name} differs with {threads} threads: {arguments:?}");
        }
        assert_eq!(found_counts, counts);
    }
    counts["removed"].as_u64().unwrap()
}

/// Articles in three files, a third of them edited copies and copies of copies.
fn corpus(articles: usize) -> Place {
    let place = Place::new();
    let lines = Articles::json_lines(4, articles, 60);
    let lines: Vec<&str> = lines.split_inclusive('\n').collect();
    for (number, part) in lines.chunks(articles / 3 + 1).enumerate() {
        place.write(&format!("corpus/part-{number}.jsonl"), part.concat());
    }
    place
}

#[test]
fn star_and_components_give_the_same_bytes_with_any_threads() {
    let place = corpus(900);
    let star = same_bytes(&place, &["corpus", "--pairs"], &["2", "2", "7"]);
    let components =
        same_bytes(&place, &["corpus", "--pairs", "--cluster", "components"], &["2", "2"]);
    assert!(star > 150, "{star}");
    assert!(components > star, "the corpus has chains");
}

#[test]
fn tables_and_brute_force_give_the_same_bytes_with_any_threads() {
    let place = corpus(2_500);
    let complete = [
        "corpus",
        "--pairs",
        "--features",
        "words",
        "--weights",
        "one",
        "--max-distance",
        "20",
        "--keep",
        "highest:score",
    ];
    same_bytes(&place, &complete, &["2"]);
    // A smaller complete distance leaves farther pairs to chance, but to the same chance in every
    // run.
    same_bytes(&place, &[&complete[..], &["--complete-distance", "3"]].concat(), &["2", "2"]);
    let plan = place.summary("out")["plan"].to_string();
    assert!(plan.contains("bits from"), "this should search by tables: {plan}");
    same_bytes(
        &place,
        &["corpus", "--annotate", "--bits", "32", "--max-distance", "4", "--verify", "minhash"],
        &["2"],
    );
}

#[test]
fn every_preset_gives_the_same_bytes_with_any_threads() {
    let place = sample();
    for preset in PRESETS {
        same_bytes(&place, &["articles.jsonl", "--pairs", "--preset", preset], &["2"]);
    }
}

#[test]
fn fingerprints_and_statistics_are_the_same_bytes_with_any_threads() {
    let place = corpus(1_200);
    let outputs = ["1", "2"].map(|threads| {
        let arguments = ["corpus", "--threads", threads, "--quiet", "--force", "--output"];
        place.run(&[&["stats"], &arguments[..], &["s"]].concat()).succeeds();
        place.run(&[&["fingerprint"], &arguments[..], &["f.parquet"]].concat()).succeeds();
        let lines = place.run(&["fingerprint", "corpus", "--threads", threads]).succeeds().stdout;
        assert_eq!(lines.lines().count(), 1_200);
        (place.read("s"), place.read("f.parquet"), lines)
    });
    assert!(outputs[0] == outputs[1]);
}
