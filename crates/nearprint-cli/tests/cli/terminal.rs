//! The output of `dedup` on a terminal: it fits into 60 columns, and every figure has a meaning.

use crate::common::{self, Articles, FERRY, Place, row, sample};

/// The width of texts in columns, box characters included.
fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// The lines of the table.
fn table(stderr: &str) -> String {
    stderr
        .lines()
        .filter(|line| line.starts_with(['┌', '│', '└']))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn the_table_fits_sixty_columns() {
    let place = sample();
    place.write("test.jsonl", row("t", FERRY));
    place.write("bad.jsonl", "{\"id\":\"x\"}\n");
    for more in [
        &[][..],
        &["--against", "test.jsonl"],
        &["bad.jsonl", "--on-error", "skip", "--max-rejected", "100%"],
        &["--recall-sample", "0"],
        &["--recall", "0.9"],
    ] {
        let run = place
            .run(&[&["dedup", "articles.jsonl", "--output", "out", "--force"], more].concat())
            .ends_with_code(if more.contains(&"bad.jsonl") { 3 } else { 0 });
        let table = table(&run.stderr);
        assert!(table.lines().count() > 8 && widest(&table) <= 60, "{table}");
        // Counts are never wrapped, only notes are.
        for name in ["read", "kept", "removed", "lost", "clusters", "pairs", "seconds"] {
            assert!(
                table.lines().any(|line| line.starts_with(&format!("│ {name} "))),
                "{name}\n{table}"
            );
        }
    }
}

#[test]
fn what_the_recall_means_is_said_where_it_is_measured() {
    let words = "Recall is the share of the similar pairs of a sample that the search found.\n\
        It does not say whether the removals are right.\n";
    let place = sample();
    let dedup = ["dedup", "articles.jsonl", "--output", "out", "--force"];
    let run = place.run(&dedup).succeeds().says(&[words]);
    let recall = &place.summary("out")["recall"];
    let of = format!("{} of the {} similar", recall["found"], recall["pairs"]);
    assert!(table(&run.stderr).contains(&of), "{of}\n{}", run.stderr);
    let run = place.run(&[&dedup[..], &["--recall-sample", "0"]].concat()).succeeds();
    assert!(
        !run.stderr.contains("Recall is") && !run.stderr.contains("│ recall"),
        "{}",
        run.stderr
    );
    // A sample with few pairs measures nothing.
    place.write("one.jsonl", row("a", FERRY));
    let run = place.run(&["dedup", "one.jsonl", "--output", "one"]).succeeds();
    assert!(
        run.stderr.contains("│ recall        -   too few to tell: 0 of the 0"),
        "{}",
        run.stderr
    );
    // The documentation has the same words.
    for file in ["docs/settings.md", "docs/algorithms.md"] {
        let text = std::fs::read_to_string(common::repository(file)).unwrap();
        let [text, words] =
            [&text, words].map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        assert!(text.contains(&words), "{file}");
    }
}

#[test]
fn speeds_are_told_of_stages_that_read_and_take_long_enough() {
    let place = Place::with("news.jsonl", Articles::quick(3, 3000, 1200));
    // Words take longer to segment than letters.
    let words = ["--features", "words", "--weights", "one"];
    let run = place
        .run(&[&["dedup", "news.jsonl", "--output", "out", "--threads", "1"][..], &words].concat())
        .succeeds();
    let stages: Vec<&str> = run.stderr.lines().take_while(|line| !line.starts_with('┌')).collect();
    assert!(stages.len() >= 6, "{}", run.stderr);
    let mut told = 0;
    for line in stages {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (stage, seconds) = (words[0], words[1].parse::<f64>().unwrap());
        let reads = ["read", "write"].contains(&stage);
        // Two digits are rounded.
        if (seconds - 0.1).abs() > 0.006 {
            assert_eq!(line.contains("MB/s"), reads && seconds > 0.1, "{line}");
        }
        told += usize::from(line.contains("MB/s"));
    }
    assert!(told > 0, "{}", run.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn bars_fit_a_terminal_of_sixty_columns() {
    use std::process::{Command, Stdio};
    let place = Place::with("news.jsonl", Articles::quick(3, 3000, 1200));
    let dedup = format!(
        "stty cols 60 rows 30; {} dedup news.jsonl --output out --threads 1",
        env!("CARGO_BIN_EXE_nearprint")
    );
    let mut script = Command::new("script");
    let script = script.args(["--quiet", "--return", "--command", &dedup, "/dev/null"]);
    let Ok(output) = script.current_dir(place.path("")).stdin(Stdio::null()).output() else {
        return common::skipped("no program `script`, which has a terminal");
    };
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{shown}");
    let bars: Vec<String> =
        shown.split(['\r', '\n']).map(plain).filter(|line| line.contains("%  ")).collect();
    assert!(!bars.is_empty(), "{shown:?}");
    for bar in &bars {
        assert!(widest(bar) <= 60 && bar.contains('['), "{bar:?}");
    }
    assert!(bars.iter().any(|bar| bar.trim_end().ends_with("left")), "{bars:?}");
    assert!(table(&shown.replace('\r', "")).contains("│ kept"), "{shown}");
}

/// A text without control sequences.
#[cfg(target_os = "linux")]
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut escapes = text.split("\u{1b}[");
    out += escapes.next().unwrap_or("");
    for part in escapes {
        out += part.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest);
    }
    out
}
