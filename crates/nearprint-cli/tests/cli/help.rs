//! `-h` and `--help`: the options that people use on one screen, and every setting that a verb
//! obeys.

use crate::common::{Place, repository};
use serde_json::json;

/// The verbs that take settings.
const VERBS: [&str; 6] = ["dedup", "fingerprint", "compare", "stats", "tune", "evaluate"];

/// Settings of published variants only, which no help shows.
const OF_VARIANTS: [&str; 9] = [
    "hmm",
    "han-only",
    "tf",
    "idf",
    "least-idf",
    "weight-cap",
    "position",
    "feature-hash",
    "distance",
];

fn help(place: &Place, arguments: &[&str]) -> String {
    let output = place.command(arguments).env("COLUMNS", "80").output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The names of the flags that a help explains.
fn flags(help: &str) -> Vec<String> {
    help.lines().filter_map(flag).map(str::to_string).collect()
}

/// The name of the flag at the beginning of a line, or after its letter.
fn flag(line: &str) -> Option<&str> {
    let (before, flag) = line.split_once("--")?;
    let is_first = matches!(before.trim_start().as_bytes(), [] | [b'-', _, b',', b' ']);
    flag.split([' ', '=', '[']).next().filter(|_| is_first)
}

#[test]
fn the_short_help_fits_a_screen() {
    let place = Place::new();
    for verb in VERBS {
        let (short, long) = (help(&place, &[verb, "-h"]), help(&place, &[verb, "--help"]));
        assert!(short.lines().all(|line| line.chars().count() <= 80), "{short}");
        // Every option is in one line.
        let is_argument = |line: &str| line.ends_with("FILE:ROW");
        let goes_on = |line: &str| {
            line.starts_with(&" ".repeat(9)) && !line.contains("--") && !is_argument(line)
        };
        assert!(!short.lines().any(goes_on), "{short}");
        assert!(short.lines().count() <= 45, "{short}");
        assert!(long.lines().count() > short.lines().count(), "{verb}");
        for flag in flags(&short) {
            assert!(long.contains(&format!("--{flag}")), "{verb} --{flag}");
        }
        assert!(short.contains("\nSettings:\n") && short.contains("\nExamples:\n  "), "{short}");
    }
    let short = help(&place, &["dedup", "-h"]);
    assert!(short.lines().count() <= 42, "{short}");
    let headings = [
        "Input:",
        "Output:",
        "Duplicates:",
        "Test sets:",
        "Speed and memory:",
        "Settings:",
        "Examples:",
    ];
    let found: Vec<&str> =
        short.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    assert_eq!(found, headings);
    for flag in [
        "text-field",
        "output",
        "force",
        "min-similarity",
        "keep",
        "against",
        "threads",
        "preset",
        "help",
    ] {
        assert!(flags(&short).iter().any(|shown| shown == flag), "--{flag} is not in\n{short}");
    }
    for flag in [
        "complete-distance",
        "shingle",
        "segmenter",
        "recall-sample",
        "annotate",
        "max-document-bytes",
    ] {
        assert!(
            !short.contains(&format!("--{flag}"))
                && help(&place, &["dedup", "--help"]).contains(&format!("--{flag}")),
            "--{flag}"
        );
    }
    // The verbs of a verb have a help too.
    assert!(help(&place, &["stats", "show", "-h"]).contains("--top"));
    assert!(help(&place, &["stats", "merge", "--help"]).contains("--output"));
}

#[test]
fn the_long_help_of_dedup_has_every_setting() {
    let long = flags(&help(&Place::new(), &["dedup", "--help"]));
    for setting in nearprint::Config::names() {
        assert_eq!(
            long.iter().any(|flag| flag == setting),
            !OF_VARIANTS.contains(setting),
            "--{setting}"
        );
    }
}

/// A value other than the default's.
fn another(setting: &str) -> &'static str {
    match setting {
        "text-field" | "id-field" | "against-text-field" | "against-id-field" => "title",
        "format" => "csv",
        "on-error" => "skip",
        "max-rejected" => "17",
        "keep" => "longest",
        "same" | "differ" => "id",
        "max-lost" | "min-similarity" => "0.3",
        "marks" => "marks.csv",
        "just-missed" => "0.2",
        "cluster" => "components",
        "verify" => "jaccard",
        "shingle" | "threads" => "1",
        "recall-sample" => "0",
        "leak-action" => "list",
        "min-leak-length" => "20",
        "max-distance" => "9",
        "complete-distance" => "5",
        "min-features" => "9",
        "bits" => "64",
        "weights" => "one",
        "memory" => "1G",
        other => panic!("no value for {other}"),
    }
}

#[test]
fn what_the_help_of_a_verb_leaves_out_changes_nothing() {
    let articles = std::fs::read(repository("examples/articles.jsonl")).unwrap();
    let place = Place::with("articles.jsonl", articles);
    place.write("labels.csv", std::fs::read(repository("examples/labels.csv")).unwrap());
    place.write(
        "one.txt",
        "The night ferry to Cobble Island sails again from Friday, with a new \
            cook and two engines.",
    );
    place.write(
        "two.txt",
        "The night ferry to Cobble Island sails again from Sunday, with two new \
            engines and a cook.",
    );
    place.write("pairs.csv", "left,right\nzh-037,zh-031\nen-001,en-002\n");
    place.write("marks.csv", "left,right,verdict\nzh-037,zh-031,wrong\n");
    // Verbs that refuse these flags, since the flags would have another effect than their names
    // say.
    let refused = |verb: &str, setting: &str| match verb {
        "tune" => ["max-distance", "complete-distance", "tokens-field"].contains(&setting),
        "compare" => ["recall", "tokens-field"].contains(&setting),
        _ => setting == "recall",
    };
    let mut tried = 0;
    for (verb, arguments) in [
        ("fingerprint", &["articles.jsonl", "--output", "out", "--force"][..]),
        ("compare", &["one.txt", "two.txt"]),
        ("stats", &["articles.jsonl", "--output", "out", "--force", "--quiet"]),
        ("tune", &["articles.jsonl", "--quiet"]),
        (
            "evaluate",
            &["pairs.csv", "labels.csv", "--documents", "articles.jsonl", "--bootstrap", "9"],
        ),
    ] {
        let result = |more: &[&str]| {
            let run = place.run(&[&[verb], arguments, more].concat()).succeeds();
            // The measurements of `tune` come before the settings for `--config`, which repeat the
            // given ones.
            let found = run.stdout.split("# nearprint tune:").next().unwrap().to_string();
            (found, place.path("out").exists().then(|| place.read("out")))
        };
        let shown = flags(&help(&place, &[verb, "--help"]));
        let hidden = nearprint::Config::names()
            .iter()
            .filter(|setting| !shown.iter().any(|flag| flag == *setting));
        let usual = result(&[]);
        for setting in hidden.filter(|setting| !OF_VARIANTS.contains(setting)) {
            if refused(verb, setting) {
                continue;
            }
            // Statistics count words only, so the verb sets features = words.
            if (verb, *setting) == ("stats", "features") {
                place
                    .run(&["stats", "articles.jsonl", "--output", "s", "--features", "letters"])
                    .ends_with_code(2);
                continue;
            }
            if *setting == "stats" {
                continue;
            }
            assert!(
                result(&[&format!("--{setting}={}", another(setting))]) == usual,
                "{verb} --{setting}"
            );
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}

#[test]
fn what_the_help_of_a_verb_shows_changes_something() {
    let place = Place::with(
        "articles.jsonl",
        std::fs::read(repository("examples/articles.jsonl")).unwrap(),
    );
    place.write("labels.csv", std::fs::read(repository("examples/labels.csv")).unwrap());
    place.write("pairs.csv", "left,right\nzh-037,zh-031\nen-001,en-002\n");
    for (verb, arguments, setting) in [
        ("tune", &["articles.jsonl", "--quiet"][..], "same"),
        ("tune", &["articles.jsonl", "--quiet"], "min-similarity"),
        ("fingerprint", &["articles.jsonl"], "bits"),
        (
            "evaluate",
            &["pairs.csv", "labels.csv", "--documents", "articles.jsonl", "--worst", "40"],
            "verify",
        ),
    ] {
        assert!(
            flags(&help(&place, &[verb, "--help"])).iter().any(|flag| flag == setting),
            "{verb} --{setting}"
        );
        let usual = place.run(&[&[verb], arguments].concat()).succeeds().stdout;
        let other = place
            .run(&[&[verb], arguments, &[&format!("--{setting}={}", another(setting))]].concat());
        assert_ne!(usual, other.succeeds().stdout, "{verb} --{setting}");
    }
    let run = place
        .run(&["compare", "--text", "a b c", "--text", "a b d", "--json", "--threads", "1"])
        .succeeds();
    assert_eq!(run.json()["verdict"], json!("different"));
}
