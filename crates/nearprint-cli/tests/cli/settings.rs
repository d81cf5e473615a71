//! The settings of a run: flags, files and presets, and their record in the summary.

use crate::common::{FERRY, Place, sample};
use serde_json::json;

/// Presets, as `nearprint presets` lists them.
pub const PRESETS: [&str; 8] =
    ["default", "strict", "loose", "paper", "simhash", "google", "md5-32", "exact"];

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
    // The summary has every flag of the help that is a setting.
    let help = place.run(&["dedup", "--help"]).succeeds().stdout;
    let flags = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--")?.split(['[', ' ']).next());
    for flag in flags.filter(|flag| {
        ![
            "against",
            "force",
            "pairs",
            "annotate",
            "dry-run",
            "show-text",
            "report",
            "source-field",
            "show-field",
            "resume",
            "config",
            "check",
        ]
        .contains(flag)
    }) {
        let may_be_absent = [
            "format",
            "delimiter",
            "quote",
            "escape",
            "encoding",
            "exclude",
            "lines",
            "same",
            "differ",
            "max-lost",
            "marks",
            "ignore-passages",
            "memory",
            "tmp-dir",
            "stats",
            "recall",
            "shingle",
            "tokens-field",
            "against-text-field",
            "against-id-field",
        ]
        .contains(&flag);
        assert!(may_be_absent || settings.contains_key(flag), "--{flag} is not in the summary");
    }
    assert!(settings.len() > 25, "{settings:?}");
    assert_eq!(summary["complete_distance"], 5);
    assert_eq!(summary["seen_at_max_distance"], 1.0);
    assert!(summary["plan"].as_str().unwrap().starts_with("complete to 5"), "{}", summary["plan"]);
    assert!(summary["fingerprint"].as_str().unwrap().contains("bits=64"));
    assert!(
        summary["seconds"]["all"].as_f64().unwrap() >= summary["seconds"]["read"].as_f64().unwrap()
    );
    assert!(summary["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    let size = |name: &str| std::fs::metadata(place.path(name)).unwrap().len();
    let reports = ["kept/articles", "removed", "clusters", "just_missed"]
        .map(|name| size(&format!("out/{name}.jsonl")));
    let output: u64 = reports.iter().sum::<u64>() + size("out/fingerprints.bin");
    assert_eq!(
        (&summary["bytes"]["input"], &summary["bytes"]["output"]),
        (&json!(size("articles.jsonl")), &json!(output))
    );
    let text: usize =
        place.rows("articles.jsonl").iter().map(|row| row["text"].as_str().unwrap().len()).sum();
    assert_eq!(summary["bytes"]["text"], text);
}

#[test]
fn a_settings_file_holds_the_same_settings_and_flags_win() {
    let place = sample();
    let toml = "preset = 'google'\nmax-distance = 5\nkeep = 'longest'\nstop-words = ['zh', \
        'en']\non-error = 'skip'\n";
    place.write("settings.toml", toml);
    place.dedup(&[
        "articles.jsonl",
        "--config",
        "settings.toml",
        "--max-distance",
        "7",
        "--on-error",
        "fail",
    ]);
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
    // A preset on the command line is still overridden by settings of the file.
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
        assert_eq!(
            from_file,
            (place.text("out/removed.jsonl"), place.summary("out")["settings"].clone()),
            "{preset}"
        );
    }
}

#[test]
fn a_field_to_keep_by_that_is_text_and_no_date_is_warned_of() {
    let place = Place::new();
    let run = |values: [&str; 2], keep: &str| {
        let row = |value: &str| {
            format!("{{\"id\":{},\"by\":{value},\"text\":\"{FERRY}\"}}\n", value.len())
        };
        place.write("news.jsonl", values.map(row).concat());
        place
            .run(&["dedup", "news.jsonl", "--quiet", "--force", "--output", "out", "--keep", keep])
            .succeeds()
            .stderr
    };
    let warning = "nearprint: warning: the field \"by\", which ranks documents, has text that is \
        not a date, such as \"9\" (news.jsonl, row 2); text ranks letter by letter, and below \
        numbers: write numbers without quotation marks, and dates like 2026-01-31, or name another \
        field with --keep\n";
    assert_eq!(run(["10", "\"9\""], "highest:by"), warning);
    assert!(
        run(["\"31 May\"", "\"2026-06-01\""], "highest:by")
            .contains("such as \"31 May\" (news.jsonl, row 1)")
    );
    assert_eq!(run(["\"2026-01-31\"", "\"2026\""], "highest:by"), "");
    assert_eq!(run(["10", "9.5"], "highest:by"), "");
}
