//! `nearprint completions` and `nearprint man`: every verb and every option that help shows, and
//! nothing that it hides.

use std::process::{Command, Stdio};

use crate::common::{self, Place};

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// The verbs of an index.
const OF_AN_INDEX: [&str; 8] =
    ["create", "add", "remove", "query", "info", "verify", "compact", "export"];

const VERBS: [&str; 17] = [
    "dedup",
    "rethreshold",
    "find",
    "index",
    "serve",
    "token",
    "explain",
    "fingerprint",
    "passages",
    "compare",
    "stats",
    "tune",
    "evaluate",
    "report",
    "presets",
    "completions",
    "man",
];

/// Settings that no help shows.
const HIDDEN: [&str; 9] = [
    "hmm",
    "han-only",
    "least-idf",
    "idf",
    "tf",
    "weight-cap",
    "position",
    "feature-hash",
    "distance",
];

/// True if a text has a word, between characters that are not part of names.
fn has_word(text: &str, word: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.match_indices(word).any(|(place, _)| {
        let (before, after) = (text[..place].trim_end_matches('-'), &text[place + word.len()..]);
        !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
    })
}

#[test]
fn every_shell_completes_all_verbs_and_no_hidden_option() {
    let place = Place::new();
    for shell in SHELLS {
        let script = place.run(&["completions", shell]).succeeds().stdout;
        for verb in VERBS.iter().chain(["merge", "show"].iter()).chain(&OF_AN_INDEX) {
            assert!(has_word(&script, verb), "{shell}: {verb}");
        }
        for setting in nearprint::Config::names() {
            let flag = match shell {
                "bash" => format!(" --{setting} "),
                "elvish" => format!("cand --{setting} "),
                "fish" => format!(" -l {setting} "),
                "powershell" => format!("'--{setting}'"),
                _ => format!("--{setting}=["),
            };
            assert_eq!(script.contains(&flag), !HIDDEN.contains(setting), "{shell}: --{setting}");
        }
        assert_eq!(script, place.run(&["completions", shell]).succeeds().stdout);
        // The generators of the other two complete no values.
        if ["bash", "fish", "zsh"].contains(&shell) {
            assert!(script.contains("md5-32") && script.contains("json-lines"), "{shell}");
        }
    }
    place.run(&["completions", "tcsh"]).ends_with_code(2).says(&["bash", "zsh"]);
}

#[test]
fn bash_completes_with_the_script() {
    let place = Place::new();
    place.write("complete.bash", place.run(&["completions", "bash"]).succeeds().stdout);
    let ask = "source ./complete.bash; COMP_WORDS=(nearprint dedup --min-s); COMP_CWORD=2; \
        _nearprint nearprint --min-s dedup; echo \"${COMPREPLY[@]}\"; COMP_WORDS=(nearprint dedup \
        --keep lon); COMP_CWORD=3; _nearprint nearprint lon --keep; echo \"${COMPREPLY[@]}\"; \
        COMP_WORDS=(nearprint compare --verify co); COMP_CWORD=3; _nearprint nearprint co \
        --verify; echo \"${COMPREPLY[@]}\"; COMP_WORDS=(nearprint fin); COMP_CWORD=1; _nearprint \
        nearprint fin nearprint; echo \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    let bash =
        bash.args(["--norc", "-c", ask]).current_dir(place.path("")).stdin(Stdio::null()).output();
    let Ok(output) = bash else { return common::skipped("no bash") };
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "--min-similarity\nlongest\ncoverage containment cosine\nfind fingerprint\n"
    );
}

#[test]
fn the_manual_has_a_page_for_every_verb() {
    let place = Place::new();
    place.run(&["man", "--output", "share/man1"]).succeeds();
    let mut expected: Vec<String> =
        VERBS.iter().map(|verb| format!("nearprint-{verb}.1")).collect();
    expected.extend(
        ["nearprint.1", "nearprint-stats-merge.1", "nearprint-stats-show.1"].map(str::to_string),
    );
    expected.extend(OF_AN_INDEX.map(|verb| format!("nearprint-index-{verb}.1")));
    expected.sort();
    assert_eq!(common::names(&place.path("share/man1")), expected);
    let page = |name: &str| place.text(&format!("share/man1/{name}.1")).replace("\\-", "-");
    for verb in VERBS {
        assert!(page("nearprint").contains(&format!("nearprint-{verb}(1)")), "{verb}");
        let (page, printed) =
            (page(&format!("nearprint-{verb}")), place.run(&["man", verb]).succeeds().stdout);
        assert_eq!(page, printed.replace("\\-", "-"));
        assert!(page.contains(".SH EXAMPLES\n.nf\n  nearprint "), "{page}");
        assert!(
            page.starts_with(".")
                && page.contains(&format!("nearprint {}", env!("CARGO_PKG_VERSION"))),
            "{page}"
        );
        for hidden in HIDDEN {
            assert!(!has_word(&page, &format!("--{hidden}")), "{verb} --{hidden}");
        }
    }
    let dedup = page("nearprint-dedup");
    for setting in nearprint::Config::names().iter().filter(|setting| !HIDDEN.contains(setting)) {
        // Each name has its description.
        let (_, entry) = dedup
            .split_once(&format!("\\fB--{setting}\\fR \\fI<"))
            .unwrap_or_else(|| panic!("--{setting}"));
        assert!(!entry.lines().nth(1).unwrap().starts_with('.'), "--{setting}: {}", &entry[..80]);
    }
    assert!(!page("nearprint-fingerprint").contains("min-similarity"));
    assert!(dedup.contains("removed.jsonl (each removed document"), "{dedup}");
    // Existing pages are replaced; other files stay.
    place.write("share/man1/other.1", "mine");
    place.run(&["man", "--output", "share/man1"]).succeeds();
    assert_eq!(
        (place.text("share/man1/other.1"), page("nearprint-dedup")),
        ("mine".to_string(), dedup)
    );
    assert!(place.run(&["man", "stats", "show"]).succeeds().stdout.contains("\\-\\-top"));
    assert!(place.run(&["man"]).succeeds().stdout.contains("SUBCOMMANDS"));
    place
        .run(&["man", "dedupe"])
        .ends_with_code(2)
        .says(&["nearprint: VERB: dedupe is not a verb; choose one of dedup"]);
}
