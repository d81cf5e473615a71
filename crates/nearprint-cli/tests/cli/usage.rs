//! Invalid arguments: exit code 2, a message that names the flag and a remedy, and no output.

use crate::common::{self, FERRY, LIBRARY, Place, row, sample};

/// Runs in a place with `news.jsonl`, `notes.txt` and a folder `full` that is not empty.
fn refused(arguments: &[&str], says: &[&str]) {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    place.write("notes.txt", FERRY);
    place.write("full/mine", "precious");
    let before = place.names();
    place.run(arguments).ends_with_code(2).says(says);
    assert_eq!(place.names(), before);
    assert_eq!(place.text("full/mine"), "precious");
}

/// `dedup news.jsonl --output out` with further arguments.
fn dedup_refused(arguments: &[&str], says: &[&str]) {
    refused(&[&["dedup", "news.jsonl", "--output", "out"], arguments].concat(), says);
}

#[test]
fn an_unknown_flag_verb_or_nothing_at_all_is_refused() {
    dedup_refused(&["--fast"], &["--fast"]);
    refused(&["deduplicate", "news.jsonl"], &["deduplicate", "dedup"]);
    refused(&[], &["Usage: nearprint"]);
    refused(&["dedup", "--output", "out"], &["INPUT"]);
    refused(&["dedup", "news.jsonl"], &["--output"]);
}

#[test]
fn an_option_of_another_tool_is_answered_for_the_verb() {
    refused(
        &["rethreshold", "out", "--threshold", "0.8"],
        &["--threshold is not an option of nearprint; use --min-similarity\n"],
    );
    let place = Place::new();
    let run = place.run(&["explain", "out", "1", "--threshold", "0.8"]).ends_with_code(2);
    assert!(
        run.stderr.contains("unexpected argument '--threshold'")
            && !run.stderr.contains("--min-similarity")
    );
}

#[test]
fn an_option_of_another_tool_is_answered_with_the_one_that_does_the_same() {
    for (given, says) in [
        (
            "--threshold=0.8",
            "--threshold is not an option of nearprint; use --min-similarity; with --verify \
             jaccard it bounds",
        ),
        ("--treshold=0.8", "--treshold is not an option of nearprint; use --min-similarity"),
        (
            "--jaccard-threshold=0.8",
            "--jaccard-threshold is not an option of nearprint; use --min-similarity",
        ),
        ("--similarity-threshold=0.8", "use --min-similarity"),
        ("--ngram-size=5", "use --shingle for the n-grams that --verify jaccard compares"),
        ("--num_perm=128", "--num_perm is not an option of nearprint; there are no permutations"),
        ("--bands=20", "there are no bands"),
        ("--bit_diff=3", "use --max-distance"),
        ("--column=body", "use --text-field"),
        ("--text-column=body", "use --text-field"),
        ("--content-column=body", "use --text-field"),
        ("--id-column=key", "use --id-field"),
        ("--output-dir=o", "use --output\n"),
        ("--out=o", "use --output\n"),
        ("--workers=8", "use --threads"),
        ("--num-proc=8", "use --threads"),
        ("--tasks=8", "use --threads"),
        ("--hash-bits=64", "use --bits"),
        ("--f=64", "use --bits"),
        ("--seed=1", "there is no seed"),
        ("--min_similarity=0.8", "--min_similarity is --min-similarity here"),
    ] {
        let (name, value) = given.split_once('=').unwrap();
        for arguments in [&[given][..], &[name, value]] {
            let place = Place::with("news.jsonl", row("a", FERRY));
            let run = place
                .run(&[&["dedup", "news.jsonl", "--output", "out"], arguments].concat())
                .ends_with_code(2);
            assert!(
                run.stderr.starts_with(&format!("nearprint: {name} ")) && run.stderr.contains(says),
                "{}",
                run.stderr
            );
            assert_eq!(
                (run.stderr.lines().count(), place.names()),
                (1, vec!["news.jsonl".to_string()]),
                "{}",
                run.stderr
            );
        }
    }
    // Options of both tools need the right context, and the message says so.
    dedup_refused(&["--ngram", "5"], &["--ngram: applies to words only", "set --features words"]);
    refused(
        &["tune", "news.jsonl", "--workers", "8"],
        &["nearprint: --workers is not an option of nearprint; use --threads"],
    );
}

#[test]
fn a_full_output_folder_is_refused_without_force() {
    let dedup = ["dedup", "news.jsonl", "--output", "full"];
    refused(&dedup, &["--output: full exists, holds mine", "--force"]);
    refused(&["dedup", "news.jsonl", "--output", "notes.txt"], &["--output: notes.txt is a file"]);
}

#[test]
fn force_replaces_outputs_of_nearprint_alone() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    for name in ["thesis.tex", "figures/1.svg", "data.csv", "summary.json"] {
        place.write(&format!("work/{name}"), "{}");
    }
    let dedup = ["dedup", "news.jsonl", "--force", "--output"];
    let says =
        ["work exists, holds data.csv, figures, summary.json and 1 more, and is not an output"];
    place
        .run(&[&dedup[..], &["work"]].concat())
        .ends_with_code(2)
        .says(&says)
        .says(&["remove it by hand"]);
    assert_eq!(
        common::names(&place.path("work")),
        ["data.csv", "figures", "summary.json", "thesis.tex"]
    );
    for flags in [&[][..], &["--dry-run"], &["--annotate"], &[]] {
        place.run(&[&dedup[..], &["out"], flags].concat()).succeeds();
    }
    assert_eq!(
        common::names(&place.path("out")),
        [
            "clusters.jsonl",
            "fingerprints.bin",
            "just_missed.jsonl",
            "kept",
            "removed.jsonl",
            "summary.json"
        ]
    );
}

#[test]
fn an_output_folder_that_holds_the_input_is_refused_even_with_force() {
    let place = Place::with("data/news.jsonl", row("a", FERRY));
    let dedup = ["dedup", "data/news.jsonl", "--output", "data", "--force"];
    place.run(&dedup).ends_with_code(2).says(&["holds data/news.jsonl, which the run reads"]);
    assert_eq!(place.text("data/news.jsonl"), row("a", FERRY));
}

#[test]
fn an_output_that_a_later_run_would_read_is_refused() {
    let place = Place::with("data/news.jsonl", row("a", FERRY));
    place.write("test/items.jsonl", row("b", LIBRARY));
    let again = "so a later run would read it as input; name a place outside, or name the input \
        files one by one";
    for (arguments, says) in [
        (
            &["dedup", "data", "--output", "data/out", "--force"][..],
            "--output: data/out is in the input folder data, ",
        ),
        (&["dedup", ".", "--output", "new/out"], "--output: new/out is in the input folder ., "),
        (
            &["dedup", "data", "--against", "test", "--output", "test/out"],
            "test/out is in the input folder test, ",
        ),
        (
            &["dedup", "data/**/*.jsonl", "--output", "data/out"],
            "data/out is among the files of the input data/**/*.jsonl, ",
        ),
        (
            &["fingerprint", "data", "--output", "data/a.parquet"],
            "data/a.parquet is in the input folder data, ",
        ),
        (
            &["stats", "data", "--output", "data/a.json"],
            "data/a.json is in the input folder data, ",
        ),
    ] {
        place.run(arguments).ends_with_code(2).says(&[says, again]);
    }
    assert_eq!(common::names(&place.path("")), ["data", "test"]);
    assert_eq!(
        (common::names(&place.path("data")), place.leftovers()),
        (vec!["news.jsonl".to_string()], vec![])
    );
    // No run reads these files.
    place.run(&["dedup", "data/news.jsonl", "--output", "data/out"]).succeeds();
    place.run(&["dedup", "test", "--output", "test/.out"]).succeeds();
    place.run(&["stats", "test", "--output", "test/news.stats"]).succeeds();
}

#[test]
fn an_empty_output_folder_is_used() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    std::fs::create_dir(place.path("out")).unwrap();
    place.dedup(&["news.jsonl"]);
    assert_eq!(place.text("out/kept/news.jsonl"), row("a", FERRY));
}

#[test]
fn a_number_out_of_its_range_is_refused_by_name() {
    for (flag, value, part) in [
        ("--min-similarity", "0", "0 is not above 0 and at most 1"),
        ("--min-similarity", "1.5", "at most 1"),
        ("--memory", "100M", "100M is less than 128M"),
        ("--memory", "4 pounds", "such as 4G"),
        ("--bits", "100", "32, 64, 128 or 256"),
        ("--max-distance", "256", "not below the 256 bits"),
        ("--max-distance", "far", "off"),
        ("--min-features", "0", "1 or more"),
        ("--ngram", "0", "1 and 64"),
        ("--shingle", "65", "1 and 64"),
        ("--min-token-length", "0", "1 or more"),
        ("--max-document-bytes", "0", "0 is not between 1 and 1073741824"),
        ("--max-rejected", "101%", "101% is more than 100%"),
        ("--weight-cap", "-1", "above 0"),
        ("--threads", "5000", "1024"),
    ] {
        let words = ["--features", "words"];
        dedup_refused(
            &[&words[..], &[&format!("{flag}={value}")]].concat(),
            &[&format!("nearprint: {flag}: "), part],
        );
    }
}

#[test]
fn a_value_below_zero_or_of_the_wrong_kind_is_answered_in_plain_words() {
    for (flag, value, says) in [
        ("--min-similarity", "-0.5", "--min-similarity: -0.5 is not above 0 and at most 1\n"),
        ("--max-lost", "-1", "--max-lost: -1 is not between 0 and 1\n"),
        ("--threads", "-1", "--threads: -1 is not a whole number from 0 on\n"),
        ("--threads", "many", "--threads: \"many\" is not a whole number from 0 on\n"),
        ("--threads", "1.5", "--threads: 1.5 is not a whole number from 0 on\n"),
        ("--bits", "9999999999", "is not a whole number from 0 to 4294967295\n"),
        ("--max-distance", "-3", "-3 is not a non-negative number, auto, any, or off\n"),
        ("--max-document-bytes", "-5", "-5 is not a size, such as 4G\n"),
        ("--max-document-bytes", "4G", "4294967296 is not between 1 and 1073741824\n"),
        ("--on-error", "stop", "--on-error: \"stop\" is not one of fail, skip\n"),
        ("--show-text", "-1", "-1 is not a whole number from 0 on"),
    ] {
        dedup_refused(&[flag, value], &[says]);
    }
    let place = Place::with("news.jsonl", row("a", FERRY));
    place.dedup(&["news.jsonl", "--max-document-bytes", "200M"]);
    assert_eq!(place.summary("out")["settings"]["max-document-bytes"], 200 << 20);
    place.dedup(&["news.jsonl", "--max-document-bytes", "1000", "--force"]);
    place.write("book.XLSX", [b"PK\x03\x04", &[0; 26][..], b"[Content_Types].xml"].concat());
    let run = place.run(&["dedup", "book.XLSX", "--output", "other"]);
    run.ends_with_code(2).says(&["input: book.XLSX: ", "an Office file", "save it as CSV"]);
}

#[test]
fn no_tip_makes_a_file_of_an_option() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    let run = place.run(&["dedup", "news.jsonl", "--zzz"]).ends_with_code(2);
    assert!(run.stderr.contains("'--zzz'") && !run.stderr.contains("-- --zzz"), "{}", run.stderr);
}

#[test]
fn a_share_in_hundredths_is_answered_with_the_share() {
    for (flag, value, says) in [
        ("--min-similarity", "75%", "a share is a number from 0 to 1; write 0.75\n"),
        (
            "--min-similarity",
            "75",
            "--min-similarity: 75 is not above 0 and at most 1; a share is a part of 1: write \
             0.75\n",
        ),
        ("--recall", "99.9%", "write 0.999\n"),
        ("--recall", "99", "write 0.99\n"),
        ("--max-lost", "10%", "write 0.1\n"),
        ("--max-lost", "10", "write 0.1\n"),
        (
            "--just-missed",
            "60%",
            "--just-missed: \"60%\" is not a number, auto, or off; a share is a number from 0 to \
             1; write 0.6\n",
        ),
        ("--just-missed", "60", "write 0.6\n"),
        ("--min-similarity", "most", "a share is a number from 0 to 1\n"),
    ] {
        dedup_refused(&[flag, value], &[says]);
    }
    let place = sample();
    place.dedup(&["articles.jsonl"]);
    let run = place
        .run(&["rethreshold", "out", "--min-similarity", "80%", "--output", "other"])
        .ends_with_code(2);
    run.says(&["a share is a number from 0 to 1; write 0.8\n"]);
}

#[test]
fn settings_at_odds_with_each_other_are_refused() {
    let says = ["--complete-distance: 20 is more than the --max-distance of 10"];
    dedup_refused(&["--complete-distance", "20", "--max-distance", "10"], &says);
    let md5 = ["--features", "words", "--feature-hash", "md5", "--bits", "256"];
    dedup_refused(&md5, &["--feature-hash: md5 has 128 bits; choose xxh3, or --bits 128 or less"]);
    for about_words in [["--ngram", "2"], ["--weights", "one"], ["--stats", "s"]] {
        let says = format!(
            "{}: applies to words only, and features are letters; set --features words",
            about_words[0]
        );
        dedup_refused(&about_words, &[&says]);
        dedup_refused(
            &[&about_words[..], &["--preset", "google", "--features", "letters"]].concat(),
            &[&says],
        );
    }
    dedup_refused(&["--lines", "--format", "csv"], &["--lines", "cannot be used with"]);
    dedup_refused(
        &["--preset", "google", "--max-distance", "64"],
        &["--max-distance: 64 is not below the 64 bits"],
    );
}

#[test]
fn an_unknown_word_is_answered_with_the_known_ones() {
    for (flag, known) in [
        ("--preset", "google"),
        ("--weights", "entropy"),
        ("--verify", "containment"),
        ("--cluster", "components"),
        ("--keep", "newest:FIELD"),
        ("--format", "parquet"),
        ("--normalize", "nfkc"),
        ("--segmenter", "chinese"),
        ("--position", "rank"),
        ("--on-error", "skip"),
        ("--max-rejected", "10%"),
        ("--tf", "relative"),
    ] {
        dedup_refused(&[flag, "best"], &[&format!("nearprint: {flag}: "), known]);
    }
    dedup_refused(
        &["--features=words", "--stop-words", "klingon"],
        &["--stop-words: \"klingon\" is neither a language with a built-in list"],
    );
}

#[test]
fn input_that_names_nothing_or_one_thing_twice_is_refused() {
    let out = ["--output", "out"];
    refused(&[&["dedup", "*.parquet"], &out[..]].concat(), &["input: *.parquet matches no file"]);
    for address in ["s3://bucket/a.jsonl", "hf://datasets/x/*.parquet", "https://a.example/a.csv"] {
        let says = format!("input: {address} is an address, and addresses are not read; download");
        refused(&[&["dedup", address], &out[..]].concat(), &[&says]);
    }
    refused(
        &[&["dedup", "full"], &out[..]].concat(),
        &["input: full has no file that ends in .jsonl"],
    );
    refused(
        &[&["dedup", "full/mine"], &out[..]].concat(),
        &["the format of full/mine is unknown", "--format"],
    );
    refused(&[&["dedup", "news.jsonl", "./news.jsonl"], &out[..]].concat(), &["are the same file"]);
}

#[test]
fn plain_text_has_no_fields_to_annotate() {
    for arguments in [&["notes.txt"][..], &["notes.txt", "--lines"], &["news.jsonl", "notes.txt"]] {
        let dedup = [&["dedup", "--output", "out", "--annotate"], arguments].concat();
        refused(&dedup, &["--annotate: notes.txt is plain text, which has no fields"]);
    }
}

#[test]
fn a_field_that_annotate_would_add_must_not_be_there() {
    let place = Place::with("news.jsonl", "{\"text\":\"a\"}\n{\"text\":\"b\",\"cluster\":7}\n");
    let dedup = ["dedup", "news.jsonl", "--output", "out", "--annotate"];
    place
        .run(&dedup)
        .ends_with_code(2)
        .says(&["--annotate: news.jsonl, row 2 already has a field \"cluster\""]);
    assert_eq!(place.names(), ["news.jsonl"]);
}

#[test]
fn a_bad_settings_file_is_refused() {
    for (toml, part) in [
        ("max-distance = ", "settings.toml"),
        ("max_distance = 3", "max_distance"),
        ("bits = '64'", "bits: \"64\" is not a whole number from 0 on"),
        ("min-similarity = 'high'", "min-similarity: \"high\" is not a number; a share is"),
        ("keep = 5", "keep: 5 is not a text"),
        ("same = 5", "same: 5 is not a list of texts"),
        ("same = [5]", "same: [5] is not a list of texts"),
        ("features = 'words'\nhmm = 'yes'", "hmm: \"yes\" is not true or false"),
        ("bits = 100", "32, 64, 128 or 256"),
        ("preset = 'best'", "google"),
    ] {
        let place = Place::with("news.jsonl", row("a", FERRY));
        place.write("settings.toml", toml);
        let dedup = ["dedup", "news.jsonl", "--output", "out", "--config", "settings.toml"];
        place.run(&dedup).ends_with_code(2).says(&["nearprint: ", "settings.toml: ", part]);
        assert_eq!(place.names(), ["news.jsonl", "settings.toml"]);
    }
}

#[test]
fn compare_wants_two_texts() {
    refused(&["compare", "--text", "one"], &["--text: give two texts to compare, not 1"]);
    refused(&["compare", "notes.txt"], &["FILE"]);
    refused(&["compare"], &["FILE"]);
    refused(&["stats", "news.jsonl"], &["--output"]);
}

#[test]
fn what_is_asked_of_a_search_is_refused_where_nothing_is_searched() {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    place.write("pairs.csv", "left,right\na,b\n");
    place.write("settings.toml", "recall = 0.9\n");
    let (fingerprint, stats) =
        (["fingerprint", "news.jsonl"], ["stats", "news.jsonl", "--output", "news.stats"]);
    let (compare, evaluate) =
        (["compare", "--text", "a", "--text", "b"], ["evaluate", "pairs.csv", "pairs.csv"]);
    for verb in [&fingerprint[..], &stats, &compare, &evaluate] {
        let run = place.run(&[verb, &["--recall", "0.9"]].concat()).ends_with_code(2);
        run.says(&["nearprint: --recall: it chooses the distances of a search", "dedup or tune"]);
        let help = place.run(&[verb[0], "--help"]).succeeds().stdout;
        assert!(!help.contains("--recall "), "{help}");
        // Verbs may share a file.
        place.run(&[verb, &["--config", "settings.toml"]].concat()).succeeds();
    }
}

#[test]
fn an_output_file_that_is_an_input_or_a_link_is_refused() {
    let place = Place::with("a.jsonl", "{\"text\":\"one two three\"}\n");
    for verb in ["fingerprint", "stats"] {
        place
            .run(&[verb, "a.jsonl", "--output", "a.jsonl"])
            .ends_with_code(2)
            .says(&["a.jsonl", "is an input"]);
    }
    place
        .run(&["fingerprint", "a.jsonl", "--output", "/dev/stdout"])
        .ends_with_code(2)
        .says(&["not a regular file"]);
    assert_eq!(place.text("a.jsonl"), "{\"text\":\"one two three\"}\n");
    // Files that settings name are refused too.
    place.run(&["stats", "a.jsonl", "--output", "a.stats"]).succeeds();
    place.write("stop.txt", "two\n");
    place.write("a.toml", "features = 'words'\n");
    let words = ["a.jsonl", "--features", "words"];
    for (verb, flag, file) in [
        ("fingerprint", "--stats", "a.stats"),
        ("tune", "--stats", "a.stats"),
        ("fingerprint", "--stop-words", "stop.txt"),
        ("stats", "--stop-words", "stop.txt"),
        ("fingerprint", "--config", "a.toml"),
        ("stats", "--config", "a.toml"),
        ("tune", "--config", "a.toml"),
    ] {
        let before = place.read(file);
        let run = place.run(&[&[verb][..], &words, &[flag, file, "--output", file]].concat());
        run.ends_with_code(2).says(&[file, "is an input"]);
        assert!(place.read(file) == before, "{verb} {flag}");
    }
}

#[test]
fn an_output_file_is_replaced_by_force_alone() {
    let place = Place::with("a.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    place.run(&["stats", "a.jsonl", "--output", "a.stats", "--quiet"]).succeeds();
    place.run(&["index", "create", "seen", "a.jsonl", "--quiet"]).succeeds();
    for arguments in [
        &["fingerprint", "a.jsonl", "--output", "old"][..],
        &["stats", "a.jsonl", "--output", "old"],
        &["stats", "merge", "a.stats", "a.stats", "--output", "old"],
        &["tune", "a.jsonl", "--recall", "0.9999", "--output", "old"],
        &["tune", "a.jsonl", "--plot", "old"],
        &["index", "export", "seen", "-o", "old"],
    ] {
        place.write("old", "mine");
        let run = place.run(arguments).ends_with_code(2);
        run.says(&["old exists; name another file, or replace it with --force"]);
        assert_eq!(place.text("old"), "mine", "{arguments:?}");
        place.run(&[arguments, &["--force"]].concat()).succeeds();
        assert_ne!(place.read("old"), b"mine", "{arguments:?}");
    }
    let export = place.run(&["index", "export", "seen", "-o", "-"]).succeeds();
    assert_eq!(export.stdout, place.run(&["index", "export", "seen"]).succeeds().stdout);
    assert_eq!(place.names(), ["a.jsonl", "a.stats", "old", "seen"]);
}

#[test]
fn statistics_of_letters_are_refused() {
    let place = Place::with("a.jsonl", "{\"text\":\"one two three\"}\n");
    let run = place.run(&["stats", "a.jsonl", "--output", "a.stats", "--features", "letters"]);
    run.ends_with_code(2).says(&["--features: statistics count words; set --features words"]);
}

#[test]
fn a_run_without_documents_warns() {
    let place = Place::with("a.jsonl", "{\"id\":1,\"text\":\"one two three\"}\n");
    place.write("blank.jsonl", "\n");
    let run = place.dedup_the_rest(&["a.jsonl", "--against", "blank.jsonl"]);
    run.says(&["nearprint: warning: --against has no documents"]);
    let run = place.dedup_the_rest(&["blank.jsonl", "--force"]);
    run.says(&["nearprint: no row is usable; rejected.jsonl says why"]);
}

#[test]
fn a_setting_that_names_a_file_which_is_not_there_is_refused() {
    dedup_refused(&["--config", "gone.toml"], &["--config: gone.toml: No such file"]);
    dedup_refused(&["--marks", "gone.jsonl"], &["--marks: gone.jsonl: No such file"]);
    let place = Place::with("news.jsonl", row("a", FERRY));
    place.write("bad.toml", "max-distance = 9\npairs = true\n");
    let run = place
        .run(&["dedup", "news.jsonl", "--output", "out", "--config", "bad.toml"])
        .ends_with_code(2);
    run.says(&["--config: bad.toml: pairs: is not a setting; there are: preset"]);
    dedup_refused(
        &["--features=words", "--stats", "gone.stats"],
        &["--stats: gone.stats: No such file"],
    );
    dedup_refused(
        &["--features=words", "--stop-words", "gone.txt"],
        &["--stop-words: \"gone.txt\" is neither"],
    );
    dedup_refused(&["--tmp-dir", "gone"], &["--tmp-dir: gone is not a directory"]);
    dedup_refused(&["--tmp-dir", "news.jsonl"], &["--tmp-dir: news.jsonl is not a directory"]);
}

#[test]
fn a_rule_for_keeping_that_was_probably_meant_is_proposed() {
    for (given, meant) in [
        ("newest", "newest:date"),
        ("latest:day", "newest:day"),
        ("earliest:day", "oldest:day"),
        ("first:x", "first"),
    ] {
        dedup_refused(&["--keep", given], &[&format!("did you mean {meant}? write first, ")]);
    }
}

#[test]
fn a_field_without_a_usable_value_is_not_taken_for_a_misspelled_one() {
    for value in ["null", "[1,2]"] {
        let line = format!("{{\"id\":\"a\",\"text\":\"{FERRY}\",\"c\":{value}}}\n");
        let place = Place::with("a.jsonl", line);
        for (flag, named) in [("--same", "c"), ("--keep", "highest:c")] {
            let run = place.run(&["dedup", "a.jsonl", "--output", "out", flag, named]);
            let says = format!("{flag}: no row of the input has a usable value in the field \"c\"");
            let run = run.ends_with_code(2).says(&[&says]);
            assert!(!run.stderr.contains("did you mean"), "{}", run.stderr);
        }
    }
}

#[test]
fn a_field_that_no_row_has_is_refused_where_it_was_asked_for() {
    dedup_refused(&["--id-field", "url"], &["--id-field: no row of the input has a field \"url\""]);
    dedup_refused(
        &["--keep", "newest:day"],
        &["--keep: no row has a number, a string or a boolean in a field \"day\""],
    );
    dedup_refused(
        &["--same", "lang"],
        &["--same: no row of the input has a value in a field \"lang\"; there are: id, text"],
    );
    // One row with the field is enough: other rows get the id FILE:ROW, or rank last.
    let place = Place::with("a.jsonl", row("a", FERRY));
    place.write("b.csv", format!("url,text,day\nx,\"{LIBRARY}\",3\n"));
    place.dedup(&["a.jsonl", "b.csv", "--id-field", "url", "--keep", "newest:day"]);
    assert_eq!(place.summary("out")["counts"]["kept"], 2);
    // A file without the default id field is not an error.
    place.write("c.txt", FERRY);
    place.dedup(&["c.txt", "--force"]);
}

#[test]
fn input_is_no_flag() {
    refused(
        &["dedup", "notes.md*", "--output", "out"],
        &["nearprint: input: notes.md* matches no file"],
    );
}

#[test]
fn the_help_of_a_verb_leaves_out_the_settings_of_published_variants() {
    let place = Place::new();
    let help = |verb: &str| place.run(&[verb, "--help"]).succeeds().stdout;
    // Flags that only published variants need are accepted, but not shown.
    for verb in ["dedup", "fingerprint", "compare", "stats", "tune", "evaluate"] {
        let help = help(verb);
        assert!(
            help.contains("--ngram")
                && help.contains("`nearprint presets paper` also lists the settings"),
            "{verb}"
        );
        for hidden in [
            "--hmm",
            "--idf",
            "--least-idf",
            "--han-only",
            "--tf ",
            "--position",
            "minhash",
            "--similarity",
        ] {
            assert!(!help.contains(hidden), "{verb} {hidden}");
        }
    }
    let shown = place.run(&["presets", "paper"]).succeeds().stdout;
    for setting in nearprint::Config::names() {
        let may_be_absent = [
            "format",
            "recall",
            "same",
            "differ",
            "max-lost",
            "marks",
            "ignore-passages",
            "memory",
            "tmp-dir",
            "stats",
            "shingle",
            "tokens-field",
        ];
        let may_be_absent = may_be_absent.contains(setting)
            || ["against-text-field", "against-id-field"].contains(setting)
            || ["delimiter", "quote", "escape", "encoding", "exclude"].contains(setting);
        assert!(may_be_absent || shown.contains(&format!("{setting} = ")), "{setting}");
    }
    // Scripts may give all verbs the same settings.
    let place = Place::with("news.jsonl", row("a", FERRY));
    for verb in ["fingerprint", "stats"] {
        place.run(&[verb, "news.jsonl", "--max-distance", "9", "--output", verb]).succeeds();
    }
}

#[test]
fn an_empty_current_folder_is_filled_in_place() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    std::fs::create_dir(place.path("out")).unwrap();
    let arguments = ["dedup", "../news.jsonl", "--output", ".", "--quiet"];
    let output = place.command(&arguments).current_dir(place.path("out")).output().unwrap();
    common::Run::new(&arguments, output).succeeds();
    assert_eq!(
        common::names(&place.path("out")),
        [
            "clusters.jsonl",
            "fingerprints.bin",
            "just_missed.jsonl",
            "kept",
            "removed.jsonl",
            "summary.json"
        ]
    );
    assert_eq!(place.names(), ["news.jsonl", "out"]);
}

#[test]
fn files_that_the_settings_name_are_not_replaced() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    place.write("out/settings.toml", "max-distance = 9\n");
    place.write("out/words.txt", "the\n");
    let dedup = ["dedup", "news.jsonl", "--output", "out", "--force"];
    let stop_words = ["--features", "words", "--stop-words", "out/words.txt"];
    for named in [&["--config", "out/settings.toml"][..], &stop_words, &["--tmp-dir", "out"]] {
        place
            .run(&[&dedup[..], named].concat())
            .ends_with_code(2)
            .says(&["--output: out holds out"]);
    }
    assert_eq!(common::names(&place.path("out")), ["settings.toml", "words.txt"]);
}
