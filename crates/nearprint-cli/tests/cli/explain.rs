//! `nearprint explain`: why a document was kept or removed, and two documents aligned.

use serde_json::{Value, json};

use crate::common::{BRIDGE, FERRY, LIBRARY, Place};

/// Rows of JSON Lines.
fn jsonl(rows: &[(usize, &str)]) -> String {
    rows.iter().map(|(id, text)| format!("{}\n", json!({"id": id, "text": text}))).collect()
}

/// The text FERRY with another figure and one more sentence.
fn edited() -> String {
    format!("{} Dogs travel free.", FERRY.replace("cardamom", "cinnamon"))
}

fn explained(place: &Place, ids: &[&str]) -> Value {
    place.run(&[&["explain", "out", "--json"], ids].concat()).succeeds().json()
}

/// The sentences of the reasons, joined.
fn why(found: &Value) -> String {
    found["pairs"][0]["why"]
        .as_array()
        .unwrap()
        .iter()
        .map(|why| why.as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn without_a_measure_the_distance_is_the_reason() {
    let place = Place::with("news.jsonl", jsonl(&[(1, FERRY), (2, &edited())]));
    for similarity in ["0.5", "0.999"] {
        let settings = ["--verify", "none", "--min-similarity", similarity, "--keep", "first"];
        place.dedup(&[&["news.jsonl", "--force"], &settings[..]].concat());
        let run = place.run(&["explain", "out", "2"]).succeeds();
        let reason = "2 is removed for 1: with --verify none the distance of their fingerprints \
                      decides alone; their similarity is 0.";
        assert!(run.stdout.starts_with(reason), "{}", run.stdout);
        assert!(!run.stdout.contains("minimum: "), "{}", run.stdout);
        assert_eq!(explained(&place, &["2"])["pairs"][0]["min_similarity"], Value::Null);
    }
}

/// FERRY whose first words are those of LIBRARY.
fn mixed(words: usize) -> String {
    let [library, ferry] = [LIBRARY, FERRY].map(|text| text.split(' ').collect::<Vec<_>>());
    [&library[..words], &ferry[words..]].concat().join(" ")
}

#[test]
fn without_a_measure_neither_links_nor_distant_texts_name_a_minimum() {
    let (some, more) = (mixed(12), mixed(18));
    let texts = [(1, FERRY), (2, &some), (3, &more), (4, LIBRARY), (5, "Closed"), (6, "Opened")];
    let place = Place::with("news.jsonl", jsonl(&texts));
    let settings = ["news.jsonl", "--verify", "none", "--keep", "first", "--force"];
    let by_distance = "the two texts are duplicates (near): with --verify none the distance of \
                       their fingerprints decides alone; their similarity is 0.";
    let told = |ids: &[&str], says: &[&str]| {
        let run = place.run(&[&["explain", "out"], ids].concat()).succeeds();
        for part in says {
            assert!(run.stdout.contains(part), "{part} is not in\n{}", run.stdout);
        }
        for part in ["minimum: ", "the minimum is", "would be high enough"] {
            assert!(!run.stdout.contains(part), "{part} is in\n{}", run.stdout);
        }
    };

    place.dedup(&[&settings[..], &["--cluster", "components"]].concat());
    let of_chain = "3 is removed for 1: other documents link them in a chain of duplicates \
                    (components); their own similarity is 0.";
    let too_far = "\ntheir fingerprints differ in 89 bits; the maximum for candidates is 80\n";
    told(&["3"], &[of_chain, too_far]);
    told(&["2"], &["2 is removed for 1: with --verify none the distance "]);
    told(&["2", "3"], &["2 and 3 are both removed for 1\n", by_distance]);
    told(
        &["1", "4"],
        &[
            "\nsimilarity 0.",
            "1 and 4 are not merged: their fingerprints differ in 124 bits, and the maximum for \
             candidates is 80\n",
        ],
    );
    // Short texts have a minimum under every measure.
    assert_eq!(explained(&place, &["5", "6"])["pairs"][0]["min_similarity"], 0.75);

    place.dedup(&settings);
    told(&["2", "3"], &["2 was removed for 1, which ranks higher", by_distance]);
    let compared = ["compare", "--text", FERRY, "--text", &some, "--verify", "none"];
    let compared = place.run(&compared).succeeds().stdout;
    assert!(compared.contains(by_distance), "{compared}");
}

#[test]
fn a_chain_is_the_reason_of_texts_that_are_similar_and_too_far_apart() {
    let (some, more) = (mixed(6), mixed(12));
    let place = Place::with("news.jsonl", jsonl(&[(1, FERRY), (2, &some), (3, &more)]));
    let of_chain = ["--cluster", "components", "--keep", "first"];
    let bounds = ["--max-distance", "60", "--min-similarity", "0.4"];
    place.dedup(&[&["news.jsonl"], &of_chain[..], &bounds].concat());
    let found = explained(&place, &["3"]);
    let says = "3 is removed for 1: other documents link them in a chain of duplicates \
                (components); their own similarity is 0.656\n";
    let told = why(&found);
    assert!(told.starts_with(says), "{told}");
    assert!(told.contains("differ in 71 bits; the maximum for candidates is 60\n"), "{told}");
    assert_eq!(found["pairs"][0]["min_similarity"], 0.4);
}

#[test]
fn a_removed_document_is_shown_beside_its_keeper() {
    let edited = edited();
    let place =
        Place::with("news.jsonl", jsonl(&[(1, FERRY), (2, LIBRARY), (3, &edited), (4, FERRY)]));
    place.dedup(&["news.jsonl", "--keep", "first"]);
    let run = place.run(&["explain", "out", "3"]).succeeds();
    for part in [
        "\n3 (news.jsonl, row 3): removed, cluster 1\n  keeper: 1 (news.jsonl, row 1)\n",
        "[-cinnamon-]{+cardamom+}",
        "[-only 3-]  {+only 1+}",
        "Dogs travel free.-]",
    ] {
        assert!(run.stdout.contains(part), "{part} is not in\n{}", run.stdout);
    }
    let lines: Vec<&str> = run.stdout.lines().collect();
    let verdict = "3 is removed for 1: ";
    assert!(lines[0].starts_with(verdict), "{}", run.stdout);
    assert!(lines[0].contains(", similarity 0.") && lines[0].ends_with(", the minimum is 0.75"));
    assert_eq!((lines[1], run.stdout.matches("similarity 0.").count()), ("", 1), "{}", run.stdout);
    assert!(lines[2].starts_with("[-only 3-]"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'));
    let colored =
        place.command(&["explain", "out", "3"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    let colored = String::from_utf8(colored.stdout).unwrap();
    assert!(
        colored.contains("\u{1b}[31mcinnamon\u{1b}[0m\u{1b}[32mcardamom\u{1b}[0m"),
        "{colored}"
    );

    let found = explained(&place, &["3"]);
    let reported = place.rows("out/removed.jsonl").into_iter().find(|row| row["id"] == 3).unwrap();
    for name in ["similarity", "distance", "lost", "reason", "cluster"] {
        assert_eq!(found["documents"][0]["removal"][name], reported[name], "{name}");
    }
    assert_eq!(
        (&found["pairs"][0]["merged"], &found["pairs"][0]["verdict"]),
        (&json!(true), &reported["reason"])
    );
    let texts = |side: &str| -> String {
        found["pairs"][0]["view"][side]
            .as_array()
            .unwrap()
            .iter()
            .map(|piece| piece["text"].as_str().unwrap())
            .collect()
    };
    assert_eq!((texts("left"), texts("right")), (edited.clone(), FERRY.to_string()));
    assert!(why(&found).contains(" of their letters; this counts as 0."), "{found}");
    assert!(
        why(&found).contains(", since one of them has a part that the other lacks\n"),
        "{found}"
    );
    // Two documents that were removed for a third one.
    assert!(
        why(&explained(&place, &["3", "news.jsonl:4"]))
            .starts_with("3 and 4 are both removed for 1\n")
    );
}

#[test]
fn a_kept_document_lists_those_for_which_it_stays() {
    let words: Vec<&str> = FERRY.split(' ').collect();
    // Every text but the first lacks a word.
    let texts = (0..14).map(|n| {
        words
            .iter()
            .enumerate()
            .filter(|(place, _)| n == 0 || *place != 2 * n)
            .map(|(_, word)| *word)
            .collect::<Vec<_>>()
            .join(" ")
    });
    let texts: Vec<String> = texts.collect();
    let rows: Vec<(usize, &str)> =
        texts.iter().enumerate().map(|(n, text)| (n, text.as_str())).collect();
    let place = Place::with("news.jsonl", jsonl(&rows));
    place.dedup(&["news.jsonl"]);
    let removed = place.rows("out/removed.jsonl").len();
    assert!(removed > 10, "{removed}");
    let found = explained(&place, &["0"]);
    let document = &found["documents"][0];
    let listed = document["stands_for"].as_array().unwrap();
    assert_eq!((document["fate"].as_str(), listed.len()), (Some("kept"), 10));
    assert_eq!(document["more"].as_u64(), Some(removed as u64 - 10));
    let similarities: Vec<f64> =
        listed.iter().map(|row| row["similarity"].as_f64().unwrap()).collect();
    assert!(similarities.is_sorted(), "{similarities:?}");
    let shown = place.run(&["explain", "out", "0"]).succeeds().stdout;
    assert!(shown.contains(&format!("keeper of {removed} removed documents")), "{shown}");
}

#[test]
fn two_documents_that_were_not_merged_are_told_why() {
    let place = Place::with(
        "news.jsonl",
        jsonl(&[(1, FERRY), (2, LIBRARY), (3, "Closed today"), (4, "Opened in May"), (5, "")]),
    );
    place.dedup(&["news.jsonl"]);
    let found = explained(&place, &["1", "2"]);
    assert_eq!(
        (&found["pairs"][0]["merged"], &found["pairs"][0]["verdict"]),
        (&json!(false), &json!("different"))
    );
    let says = " bits, and the maximum for candidates is 80; and the two texts share only 8.2 % of \
        their letters, and the minimum is 75.0 %";
    assert!(why(&found).contains(says), "{found}");
    assert!(why(&explained(&place, &["3", "4"])).contains("the similarity of their characters is"));
    assert!(why(&explained(&place, &["1", "5"])).starts_with("1 and 5 are not merged: "));
    assert!(
        why(&explained(&place, &["3", "5"]))
            .starts_with("3 and 5 are not merged: one of them has no text to compare")
    );

    let rows = format!(
        "{{\"id\":1,\"lang\":\"en\",\"text\":\"{FERRY}\"}}\n{{\"id\":2,\"lang\":\"fr\",\"text\":\"{FERRY}\"}}\n"
    );
    let place = Place::with("guarded.jsonl", rows);
    place.dedup(&["guarded.jsonl", "--same", "lang"]);
    let run = place.run(&["explain", "out", "1", "2"]).succeeds();
    assert!(
        run.stdout.starts_with(
            "1 and 2 are not merged: --same lang keeps them apart: \"en\" and \"fr\"\n"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn figures_that_contradict_are_told_and_shown() {
    let words = "The hall of the old harbour was full of people who had come from the villages \
        around the bay by boat.";
    let paid =
        |sum: u32| format!("The company paid {sum} dollars to each of its 30 workers. {words}");
    let place = Place::with("news.jsonl", jsonl(&[(1, &paid(120)), (2, &paid(340))]));
    place.dedup(&["news.jsonl"]);
    let run = place.run(&["explain", "out", "1", "2"]).succeeds();
    for part in [
        "1 and 2 are not merged: 1 figure of 2 contradicts, so the texts say different things\n\n",
        "\nshare of letters in both 0.983 (minimum: 0.75), 17 bits (maximum: 80)\n",
        "\nthe texts differ in 1 place; words are exchanged in 1; 1 figure of 2 contradicts\n",
        "[-only 1-]  {+only 2+}  [-<<moved>>-]  [-!figure!-]\n",
        "\nThe company paid [-!120!-]{+!340!+} dollars to each of its 30 workers. The hall of ",
    ] {
        assert!(run.stdout.contains(part), "{part} is not in\n{}", run.stdout);
    }
    let compared = place.run(&["compare", "--in", "news.jsonl", "1", "2"]).succeeds();
    for part in [
        "the two texts are not duplicates: 1 figure of 2 contradicts, so the texts say different \
         things\n",
        "the texts differ in 1 place; words are exchanged in 1; 1 figure of 2 contradicts\n",
    ] {
        assert!(compared.stdout.contains(part), "{part} is not in\n{}", compared.stdout);
    }
}

#[test]
fn pairs_that_just_missed_are_told_as_the_run_had_them() {
    let edited = FERRY.replace("cardamom", "cinnamon");
    let place = Place::with("news.jsonl", jsonl(&[(1, FERRY), (2, &edited)]));
    place.dedup(&["news.jsonl", "--min-similarity", "0.97", "--just-missed", "0.5"]);
    let missed = place.rows("out/just_missed.jsonl");
    assert_eq!(missed.len(), 1);
    let found = explained(&place, &["1"]);
    assert_eq!(
        (&found["documents"][0]["fate"], found["pairs"].as_array().unwrap().len()),
        (&json!("kept"), 0)
    );
    let told = &found["documents"][0]["just_missed"][0];
    assert_eq!((&told["id"], &told["similarity"]), (&json!(2), &missed[0]["similarity"]));
    let shown = place.run(&["explain", "out", "2"]).succeeds().stdout;
    assert!(
        shown.contains(
            "just below the minimum similarity, so both were kept:\n    1 (news.jsonl, row 1): \
             similarity 0."
        ),
        "{shown}"
    );
    // The result of the run has precedence over a comparison of the two texts alone.
    let row = json!({"left": 1, "right": 2, "distance": 9, "similarity": 0.5, "left_file": "news.jsonl", "left_row": 1,
        "left_length": 9, "right_file": "news.jsonl", "right_row": 2, "right_length": 9});
    place.write("out/just_missed.jsonl", format!("{row}\n"));
    let found = explained(&place, &["2", "1"]);
    assert_eq!(found["pairs"][0]["similarity"], 0.5);
    let why = why(&found);
    assert!(
        why.starts_with(
            "2 and 1 are not merged: in the run their similarity by coverage was 0.500, \
            which is 0.470 less"
        ),
        "{why}"
    );
    assert!(why.ends_with("\nthe texts differ in 1 place; words are exchanged in 1"), "{why}");
}

#[test]
fn texts_that_a_family_keeps_apart_are_told_so() {
    let without = |words: &str| FERRY.replace(words, "");
    let changes =
        [("green", "white"), ("cardamom", "cinnamon"), ("at dawn", "at noon"), ("hired", "found")];
    let texts = changes.map(|(word, other)| FERRY.replace(word, other));
    let rows: Vec<(usize, &str)> =
        texts.iter().enumerate().map(|(n, text)| (n, text.as_str())).collect();
    let place = Place::with("news.jsonl", jsonl(&rows));
    place.dedup(&["news.jsonl"]);
    let found = explained(&place, &["0", "1"]);
    assert_eq!(
        (&found["pairs"][0]["merged"], &found["pairs"][0]["verdict"]),
        (&json!(false), &json!("different"))
    );
    let told = why(&found);
    let says = "0 and 1 are not merged: one of them has three or more near neighbors, and words are \
        exchanged in 2 of 2 places: the texts fill in the same form\nwithout other near neighbors \
        they would be duplicates: their similarity would be 0.925; --verify jaccard judges each \
        pair by its texts alone\nthe texts differ in 2 places; words are exchanged in 2";
    assert!(told.starts_with(says), "{told}");
    // A removal in a family may lose little.
    place.write(
        "lacking.jsonl",
        jsonl(&[
            (0, &without("green ")),
            (1, &without("night ")),
            (2, &without("again ")),
            (3, &without(" Cobble")),
        ]),
    );
    place.dedup(&["lacking.jsonl", "--force"]);
    let told = why(&explained(&place, &["3", "0"]));
    let says = ", since one of the two has three or more near neighbors, which limits what a \
        removal may lose\n";
    assert!(told.starts_with("3 is removed for 0: ") && told.contains(says), "{told}");
    // A removal of a text that the other contains completely loses nothing.
    place.write(
        "whole.jsonl",
        jsonl(&[
            (0, FERRY),
            (1, &without("night ")),
            (2, &without("again ")),
            (3, &without(" Cobble")),
        ]),
    );
    place.dedup(&["whole.jsonl", "--force"]);
    let told = why(&explained(&place, &["1"]));
    assert!(told.starts_with("1 is removed for 0: ") && !told.contains(says), "{told}");
    // Without a corpus, the two are duplicates.
    place.write("two.jsonl", jsonl(&rows[..2]));
    place.dedup(&["two.jsonl", "--force"]);
    let told = why(&explained(&place, &["1"]));
    assert!(told.starts_with("1 is removed for 0: near, similarity 0.9"), "{told}");
}

#[test]
fn both_sides_of_an_id_are_told() {
    let place = Place::with("train.jsonl", jsonl(&[(1, LIBRARY), (2, &edited())]));
    place.write("test.jsonl", jsonl(&[(2, FERRY)]));
    place.dedup(&["train.jsonl", "--against", "test.jsonl"]);
    let found = explained(&place, &["2"]);
    let fates: Vec<&str> = found["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|document| document["fate"].as_str().unwrap())
        .collect();
    assert_eq!(fates, ["against", "removed"]);
    assert_eq!(found["documents"][1]["leaks"][0]["item"], 2);
    assert!(
        why(&explained(&place, &["train.jsonl:1", "train.jsonl:2"]))
            .contains("compares documents only with reference documents")
    );
    // Both have the same id, so their places tell them apart.
    let says = "2 (train.jsonl, row 2) is removed for 2 (test.jsonl, row 1): ";
    assert!(why(&found).starts_with(says), "{found}");
}

/// Of a leak the item and its place in the document are shown, and not the rest of the document.
#[test]
fn a_leak_is_shown_by_its_passage() {
    let around = format!("Answer on paper, please. {FERRY} After that, ask somebody at home.");
    let long = format!("{around} {LIBRARY}");
    let place = Place::with("train.jsonl", jsonl(&[(7, &long)]));
    place.write("test.jsonl", jsonl(&[(1, FERRY)]));
    let against = ["train.jsonl", "--against", "test.jsonl"];
    place.dedup(&against);
    let shown = place.run(&["explain", "out", "7"]).succeeds().stdout;
    let says =
        "7 is removed for 1: it contains that document, similarity 1.000, the minimum is 0.75\n";
    assert!(shown.starts_with(says), "{shown}");
    assert!(shown.contains("The night ferry") && !shown.contains("Answer on paper"), "{shown}");
    assert!(!shown.contains("ask somebody") && !shown.contains("garden tools"), "{shown}");
    let found = explained(&place, &["7"]);
    assert_eq!(found["pairs"][0]["place"][0], "Answer on paper, please. ".len());
    assert_eq!(found["documents"][0]["leaks"][0]["passage"], FERRY);
    // A document that stays shows the passage, too.
    place.dedup(&[&against[..], &["--leak-action", "mask", "--force"]].concat());
    let shown = place.run(&["explain", "out", "7"]).succeeds().stdout;
    assert!(shown.contains("  leak of 1: contains, similarity 1.000, characters "), "{shown}");
    assert!(shown.contains("\n    The night ferry"), "{shown}");
}

/// The keeper of a run against an index is read from the index.
#[test]
fn a_keeper_in_an_index_is_shown() {
    let place = Place::with("old.jsonl", jsonl(&[(1, LIBRARY), (2, BRIDGE), (3, FERRY)]));
    place.run(&["index", "create", "seen", "old.jsonl"]).succeeds();
    place.write("new.jsonl", jsonl(&[(8, &edited()), (9, "Closed today")]));
    place.dedup(&["new.jsonl", "--against", "seen", "--report"]);
    let shown = place.run(&["explain", "out", "8"]).succeeds().stdout;
    assert!(shown.starts_with("8 is removed for 3: "), "{shown}");
    assert!(shown.contains("[-cinnamon-]{+cardamom+}"), "{shown}");
    assert!(shown.contains("keeper: 3 (seen, row "), "{shown}");
    let found = explained(&place, &["3"]);
    assert_eq!(found["documents"][0]["fate"], "against");
    assert_eq!(found["documents"][0]["stands_for"][0]["id"], 8);
    let page = place.read("out/report.html");
    assert!(String::from_utf8_lossy(&page).contains("cardamom"));
    place.run(&["report", "out"]).succeeds();
    assert!(place.read("out/report.html") == page);
    // A keeper that has changed or gone is told.
    place.write("changed.jsonl", jsonl(&[(3, BRIDGE)]));
    place.run(&["index", "add", "seen", "changed.jsonl"]).succeeds();
    let run = place.run(&["explain", "out", "8"]).succeeds();
    run.says(&["seen: has changed since the run: its document 3 is gone or has another text"]);
    std::fs::remove_dir_all(place.path("seen")).unwrap();
    let run = place.run(&["explain", "out", "8"]).succeeds();
    run.says(&["seen: does not exist; run this in the folder in which nearprint dedup ran"]);
}

#[test]
fn a_wrong_number_of_names_is_a_mistake_of_the_command() {
    let place = Place::with("news.jsonl", jsonl(&[(1, FERRY), (2, FERRY), (3, FERRY)]));
    place.dedup(&["news.jsonl"]);
    place.run(&["explain", "out"]).ends_with_code(2);
    place.run(&["explain", "out", "1", "2", "3"]).ends_with_code(2);
}

#[test]
fn what_cannot_be_explained_says_what_to_do() {
    let place = Place::with("news.jsonl", jsonl(&[(1, FERRY), (17, FERRY)]));
    place
        .run(&["explain", ".", "1"])
        .ends_with_code(1)
        .says(&[".: is not an output folder of nearprint dedup"]);
    place
        .run(&["explain", "gone", "1"])
        .ends_with_code(1)
        .says(&["gone: is not an output folder of nearprint dedup"]);
    place.dedup(&["news.jsonl"]);
    let run = place.run(&["explain", "out", "71"]).ends_with_code(1);
    run.says(&[
        "out: no document has the id \"71\"; the nearest ids are ",
        "\"17\"",
        "; FILE:ROW also names a document",
    ]);
    let run = place.run(&["explain", "out", "news.jsonl:9999"]).ends_with_code(1);
    run.says(&["out: row 9999 has no document; the last document of news.jsonl is in row 2"]);
    place
        .run(&["explain", "out", "1", "news.jsonl:1"])
        .ends_with_code(1)
        .says(&["both names refer to the same document"]);
    let removed = std::fs::read_to_string(place.path("out/removed.jsonl")).unwrap();
    place.write("out/removed.jsonl", "");
    let run = place.run(&["explain", "out", "17"]).ends_with_code(1);
    run.says(&[
        "out/removed.jsonl: has 0 rows, but summary.json counts 1 removed documents; run nearprint \
         dedup again",
    ]);
    place.write("out/removed.jsonl", removed);
    place.write("news.jsonl", jsonl(&[(1, FERRY), (18, FERRY)]));
    let run = place.run(&["explain", "out", "17"]).ends_with_code(1);
    run.says(&[
        "news.jsonl: row 2 is not the document that nearprint dedup read; restore the file",
    ]);
    std::fs::remove_file(place.path("news.jsonl")).unwrap();
    let run = place.run(&["explain", "out", "17"]).ends_with_code(1);
    run.says(&[
        "news.jsonl: does not exist; run this in the folder in which nearprint dedup ran, or \
         restore the inputs",
    ]);
}

#[test]
fn a_document_far_from_all_others_is_told_the_nearest_one() {
    let half = format!("{} {LIBRARY}", &FERRY[..120]);
    let place = Place::with(
        "news.jsonl",
        jsonl(&[(1, FERRY), (2, LIBRARY), (3, BRIDGE), (4, &half), (5, "Closed today")]),
    );
    place.dedup(&["news.jsonl", "--just-missed", "off"]);
    assert_eq!(place.rows("out/removed.jsonl").len(), 0);
    let found = explained(&place, &["2"]);
    let nearest = &found["documents"][0]["nearest"];
    assert_eq!((&nearest["id"], &nearest["would_be_duplicates"]), (&json!(4), &json!(false)));
    let pair = &explained(&place, &["2", "4"])["pairs"][0];
    assert_eq!(
        (&nearest["similarity"], &nearest["distance"]),
        (&pair["similarity"], &pair["distance"])
    );
    let told = place.run(&["explain", "out", "2"]).succeeds().stdout;
    assert!(
        told.contains(
            "most similar of the nearest fingerprints, below the minimum similarity:\n    4 \
             (news.jsonl, row 4): similarity 0."
        ),
        "{told}"
    );
    // Without a fingerprint there is no nearest document: for a short document, for a folder
    // without fingerprints, and for fingerprints of other files.
    assert_eq!(explained(&place, &["5"])["documents"][0]["nearest"], Value::Null);
    std::fs::remove_file(place.path("out/fingerprints.bin")).unwrap();
    assert_eq!(explained(&place, &["2"])["documents"][0]["nearest"], Value::Null);
    // Two documents that a guard keeps apart were not compared.
    let row = |id: u32, lang: &str| json!({"id": id, "lang": lang, "text": FERRY}).to_string();
    place.write("news.jsonl", format!("{}\n{}\n", row(1, "en"), row(2, "fr")));
    place.dedup(&["news.jsonl", "--same", "lang", "--force"]);
    assert_eq!(explained(&place, &["1"])["documents"][0]["nearest"], Value::Null);
}

#[test]
fn a_file_that_has_changed_since_is_warned_of() {
    let place = Place::with("in/a.jsonl", jsonl(&[(1, FERRY), (2, LIBRARY), (3, FERRY)]));
    place.write("in/b.jsonl", jsonl(&[(4, BRIDGE)]));
    place.write("in/c.jsonl", jsonl(&[(5, "Closed today")]));
    place.dedup(&["in"]);
    assert_eq!(explained(&place, &["3"])["warnings"], json!([]));
    // The new text has the same length, so the place of the document stays the same.
    place.write(
        "in/a.jsonl",
        jsonl(&[(1, &FERRY.replace("cook", "maid")), (2, LIBRARY), (3, FERRY)]),
    );
    let says = "in/a.jsonl has changed since the run, so its texts may differ from the compared \
        ones; run nearprint dedup again";
    for ids in [&["3"][..], &["2"], &["2", "4"]] {
        place
            .run(&[&["explain", "out"], ids].concat())
            .succeeds()
            .says(&[&format!("nearprint: warning: {says}")]);
    }
    assert!(
        explained(&place, &["3"])["warnings"][0]
            .as_str()
            .unwrap()
            .starts_with("in/a.jsonl has changed")
    );
    // No shown document is in this file.
    assert_eq!(explained(&place, &["5"])["warnings"], json!([]));
    // A missing file is an error only if it is needed.
    std::fs::remove_file(place.path("in/b.jsonl")).unwrap();
    let alone = explained(&place, &["2"]);
    assert_eq!(
        (&alone["documents"][0]["fate"], &alone["documents"][0]["nearest"]),
        (&json!("kept"), &Value::Null)
    );
}

#[test]
fn a_rejected_row_is_told_why() {
    let again = json!({"id": 1, "text": LIBRARY});
    let place =
        Place::with("news.jsonl", format!("{}{{\"id\":2}}\n{again}\n", jsonl(&[(1, FERRY)])));
    place.write("array.jsonl", "[{}]");
    place.dedup_the_rest(&["news.jsonl", "array.jsonl"]);
    let rejected = place.rows("out/rejected.jsonl");
    assert_eq!(rejected.len(), 3);
    for (name, row) in [
        ("news.jsonl:2", &rejected[0]),
        ("news.jsonl:3", &rejected[1]),
        ("array.jsonl:5", &rejected[2]),
    ] {
        let found = explained(&place, &[name]);
        assert_eq!(
            (&found["documents"][0]["fate"], &found["documents"][0]["rejection"]),
            (&json!("rejected"), row)
        );
        assert_eq!(found["pairs"], json!([]));
        let told = place.run(&["explain", "out", name]).succeeds().stdout;
        assert!(
            told.contains(": rejected\n  ") && told.contains(row["message"].as_str().unwrap()),
            "{told}"
        );
    }
    let both = explained(&place, &["1", "news.jsonl:3"]);
    let fates: Vec<&Value> =
        both["documents"].as_array().unwrap().iter().map(|document| &document["fate"]).collect();
    assert_eq!((fates, &both["pairs"]), (vec![&json!("kept"), &json!("rejected")], &json!([])));
    let run = place.run(&["explain", "out", "2"]).ends_with_code(1);
    run.says(&[
        "no document has the id \"2\"",
        "rejected.jsonl lists the rows and files that the run left out (3)",
    ]);
}

#[test]
fn a_row_that_fits_two_files_is_named_in_full() {
    let place = Place::with("in/may/news.jsonl", jsonl(&[(1, FERRY)]));
    place.write("in/june/news.jsonl", jsonl(&[(2, LIBRARY), (3, &edited())]));
    place.dedup(&["in"]);
    for row in [1, 2] {
        let run = place.run(&["explain", "out", &format!("news.jsonl:{row}")]).ends_with_code(1);
        run.says(&[&format!(
            "out: \"news.jsonl:{row}\" matches 2 files; write in/june/news.jsonl:{row} or \
             in/may/news.jsonl:{row}"
        )]);
    }
    assert_eq!(explained(&place, &["june/news.jsonl:1"])["documents"][0]["id"], 2);
    place.run(&["compare", "--in", "in", "1", "june/news.jsonl:1"]).succeeds();
    place
        .run(&["compare", "--in", "in", "1", "news.jsonl:1"])
        .ends_with_code(1)
        .says(&["matches 2 files; write in/june/"]);
    // The name matches a file with exactly this name, and a document with this id.
    place.write("news.jsonl", jsonl(&[(4, BRIDGE)]));
    place.dedup(&["in", "news.jsonl", "--force"]);
    assert_eq!(explained(&place, &["news.jsonl:1"])["documents"][0]["id"], 4);
    place.write("plain/a.jsonl", json!({"text": FERRY}).to_string());
    place.write("plain/b/a.jsonl", json!({"text": LIBRARY}).to_string());
    place.dedup(&["plain", "--force"]);
    assert_eq!(explained(&place, &["a.jsonl:1"])["documents"][0]["file"], "plain/a.jsonl");
}

#[test]
fn an_integer_and_its_digits_are_two_ids_with_one_name() {
    let digits = json!({"id": "12", "text": LIBRARY});
    let place = Place::with(
        "news.jsonl",
        format!("{}{digits}\n", jsonl(&[(11, BRIDGE), (12, FERRY), (13, FERRY)])),
    );
    place.dedup(&["news.jsonl"]);
    let both = "two documents have the id 12: the integer 12 in news.jsonl, row 2, and the string \
        \"12\" in news.jsonl, row 4; name one as news.jsonl:2 or news.jsonl:4";
    place.run(&["explain", "out", "12"]).ends_with_code(1).says(&[both]);
    place.run(&["explain", "out", "13", "12"]).ends_with_code(1).says(&[both]);
    place.run(&["compare", "--in", "news.jsonl", "11", "12"]).ends_with_code(1).says(&[both]);
    assert_eq!(explained(&place, &["news.jsonl:4"])["documents"][0]["id"], "12");
    assert_eq!(explained(&place, &["13"])["documents"][0]["fate"], "removed");
}

#[test]
fn texts_do_not_control_the_terminal() {
    let text = FERRY.replace("cardamom", "\u{1b}[2J\u{202e}");
    let place = Place::with("news.jsonl", jsonl(&[(1, FERRY), (2, &text)]));
    place.dedup(&["news.jsonl"]);
    let output =
        place.command(&["explain", "out", "2"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("\\u{1b}[2") && shown.contains("J\\u{202e}"), "{shown:?}");
    assert!(!shown.contains("\u{1b}[2J") && !shown.contains('\u{202e}'), "{shown:?}");
}

#[test]
fn texts_that_differ_in_what_shows_nothing_are_told_to() {
    let text = FERRY.replace("cardamom", "car\u{ad}da\u{200b}mom");
    let place = Place::with("news.jsonl", jsonl(&[(1, FERRY), (2, &text), (3, FERRY)]));
    place.dedup(&["news.jsonl"]);
    let sentence = "the two texts differ only in invisible characters: U+00AD, U+200B";
    assert!(why(&explained(&place, &["2"])).ends_with(sentence));
    assert!(!why(&explained(&place, &["3"])).contains("show nothing"));
    let compared = place.run(&["compare", "--in", "news.jsonl", "1", "2"]).succeeds().stdout;
    assert!(compared.contains(&format!("{sentence}\n")), "{compared}");
}

#[test]
fn reports_show_the_passages_that_differ() {
    let texts = [FERRY, &edited(), FERRY, LIBRARY, "Closed today at ten", "Closed today, at noon"]
        .map(str::to_string);
    let rows: Vec<(usize, &str)> =
        texts.iter().enumerate().map(|(n, text)| (n, text.as_str())).collect();
    let place = Place::with("news.jsonl", jsonl(&rows));
    place.dedup(&["news.jsonl", "--keep", "first"]);
    let plain = place.rows("out/removed.jsonl");
    assert!(plain.iter().all(|row| row.get("text").is_none() && row.get("keeper_text").is_none()));
    place.dedup(&["news.jsonl", "--keep", "first", "--show-text", "4", "--force"]);
    let mut shown = place.rows("out/removed.jsonl");
    let texts: Vec<[Value; 2]> = shown
        .iter_mut()
        .map(|row| {
            ["text", "keeper_text"].map(|name| row.as_object_mut().unwrap().remove(name).unwrap())
        })
        .collect();
    assert_eq!(shown, plain);
    assert_eq!(texts[..2], [[json!("cinn"), json!("card")], [Value::Null, Value::Null]]);
}

#[test]
fn ids_of_file_and_row_are_those_of_the_run() {
    let place = Place::with("news/a/p.jsonl", jsonl(&[(1, FERRY), (2, LIBRARY)]));
    place.write("news/b/p.jsonl", jsonl(&[(1, FERRY)]));
    place.dedup(&["news", "--ids", "file-row"]);
    let removed = &place.rows("out/removed.jsonl")[0];
    assert_eq!(
        (&removed["id"], &removed["keeper"]),
        (&json!("b/p.jsonl:1"), &json!("a/p.jsonl:1"))
    );
    let found = explained(&place, &["b/p.jsonl:1"]);
    assert_eq!(
        (&found["pairs"][0]["left"], &found["pairs"][0]["right"]),
        (&removed["id"], &removed["keeper"])
    );
}

#[test]
fn an_empty_document_is_called_that() {
    let place = Place::with("news.jsonl", jsonl(&[(1, " \n"), (2, "..."), (3, FERRY)]));
    place.write("a.txt", "");
    place.dedup(&["news.jsonl", "a.txt"]);
    let says = "  it is empty; empty documents are kept, and are duplicates of nothing\n";
    for (name, is_empty) in [("1", true), ("a.txt:1", true), ("3", false)] {
        let told = place.run(&["explain", "out", name]).succeeds().stdout;
        assert_eq!(told.contains(says), is_empty, "{told}");
        assert_eq!(explained(&place, &[name])["documents"][0]["is_empty"], json!(is_empty));
    }
}

#[test]
fn fields_of_both_documents_are_shown() {
    let row = |id: usize, text: &str, host: &str| {
        format!("{}\n", json!({"id": id, "text": text, "host": host, "tokens": "a"}))
    };
    let place =
        Place::with("news.jsonl", row(1, FERRY, "a.example") + &row(2, &edited(), "b.example"));
    place.dedup(&["news.jsonl", "--keep", "first", "--differ", "host"]);
    let run = place.run(&["explain", "out", "2"]).succeeds();
    assert!(run.stdout.contains("\n2: host: b.example\n1: host: a.example\n"), "{}", run.stdout);
    let pair = &explained(&place, &["2"])["pairs"][0];
    assert_eq!(pair["left_fields"], json!({"host": "b.example"}));
    let run = place.run(&["explain", "out", "2", "--show-field", "none"]).succeeds();
    assert!(!run.stdout.contains("b.example"), "{}", run.stdout);
    let run = place.run(&["explain", "out", "2", "--show-field", "tokens"]).succeeds();
    assert!(run.stdout.contains("\n2: tokens: a\n"), "{}", run.stdout);
}

#[test]
fn documents_of_one_id_are_named_with_their_files() {
    let place = Place::with("train.jsonl", jsonl(&[(1, FERRY)]));
    place.write("test.jsonl", jsonl(&[(1, &edited())]));
    place.dedup(&["train.jsonl", "--against", "test.jsonl"]);
    let told = place.run(&["explain", "out", "1"]).succeeds().stdout;
    let [train, test] = ["1 (train.jsonl, row 1)", "1 (test.jsonl, row 1)"];
    for says in [
        format!("{train} is removed for {test}: "),
        format!("[-only {train}-]  {{+only {test}+}}"),
        format!(" of {train} is missing from {test}\n"),
    ] {
        assert!(told.contains(&says), "{says} is not in\n{told}");
    }
    assert_eq!(explained(&place, &["1"])["pairs"][0]["names"], json!([train, test]));
}

#[test]
fn without_the_text_of_the_keeper_the_report_tells_the_verdict() {
    let place = Place::with("old.jsonl", jsonl(&[(1, FERRY), (2, LIBRARY)]));
    place.write("new.jsonl", jsonl(&[(3, &edited()), (4, BRIDGE)]));
    place.run(&["index", "create", "seen", "old.jsonl"]).succeeds();
    place.dedup(&["new.jsonl", "--against", "seen"]);
    assert!(explained(&place, &["3"])["pairs"][0]["why"].is_array());
    let kept = place.run(&["explain", "out", "4"]).succeeds().stdout;
    assert!(kept.starts_with("4 (new.jsonl, row 2): kept\n"), "{kept}");

    place.run(&["index", "remove", "seen", "1"]).succeeds();
    for problem in ["its document 1 is gone or has another text", "seen: does not exist"] {
        let run = place.run(&["explain", "out", "3"]).succeeds();
        let run = run.says(&[problem, "; the verdict is that of removed.jsonl, without the texts"]);
        let verdict = "3 (new.jsonl, row 1): removed\n  keeper: 1 (seen, row 1): contained, ";
        assert!(run.stdout.starts_with(verdict), "{}", run.stdout);
        let kept = place.run(&["explain", "out", "4"]).succeeds().stdout;
        assert!(kept.starts_with("4 (new.jsonl, row 2): kept\n"), "{kept}");
        let _ = std::fs::rename(place.path("seen"), place.path("moved"));
    }
}

#[test]
fn a_rejected_file_has_a_name_and_a_string_its_quotation_marks() {
    let text = json!({"id": "1", "text": LIBRARY});
    let place = Place::with("in/news.jsonl", format!("{}{text}\n", jsonl(&[(1, FERRY)])));
    place.write("in/meta.json", "[{}]");
    place.dedup_the_rest(&["in"]);
    for name in ["meta.json", "in/meta.json"] {
        let told = place.run(&["explain", "out", name]).succeeds().stdout;
        assert!(told.starts_with("in/meta.json: rejected\n  the whole file: "), "{told}");
    }
    assert_eq!(explained(&place, &["meta.json"])["documents"][0]["row"], Value::Null);
    place.run(&["explain", "out", "1"]).ends_with_code(1).says(&["two documents have the id 1: "]);
    assert_eq!(explained(&place, &["\"1\""])["documents"][0]["row"], 2);
}

#[test]
fn an_own_id_of_a_numbered_document_is_unknown_and_told_why() {
    let place = Place::with("news.jsonl", jsonl(&[(7, FERRY), (8, LIBRARY)]));
    place.dedup(&["news.jsonl", "--ids", "file-row"]);
    place.run(&["explain", "out", "8"]).ends_with_code(1).says(&[
        "no document has the id \"8\"; this run numbered the documents by file and row, since --ids \
         file-row does not read their own ids; the nearest ids are \"news.jsonl:1\"",
    ]);
}

#[test]
fn editions_that_a_family_keeps_are_told_their_shared_letters() {
    // Four editions of one story, each with five words of its own.
    let words: Vec<&str> = LIBRARY.split(' ').chain(FERRY.split(' ')).collect();
    let edition = |number: usize| {
        let mut words = words.clone();
        for place in 0..5 {
            words[number + 9 * place] = ["amber", "cobalt", "sienna", "indigo"][number];
        }
        words.join(" ")
    };
    let editions = [0, 1, 2, 3].map(edition);
    let rows: Vec<(usize, &str)> = (1..).zip(editions.iter().map(String::as_str)).collect();
    let place = Place::with("news.jsonl", jsonl(&rows));
    place.dedup(&["news.jsonl"]);
    assert!(place.rows("out/removed.jsonl").is_empty());
    let told = place.run(&["explain", "out", "1", "2"]).succeeds().stdout;
    for says in [
        "1 and 2 are not merged: one of them has three or more near neighbors",
        "\nwithout other near neighbors they would be duplicates: their similarity would be 0.",
        "\nshare of letters in both 0.",
    ] {
        assert!(told.contains(says), "{says} is not in\n{told}");
    }
    assert!(!told.contains("similarity 0.000"), "{told}");
    let found = explained(&place, &["1", "2"]);
    assert!(found["pairs"][0]["share"].as_f64().unwrap() > 0.8, "{found}");
    let told = place.run(&["explain", "out", "1"]).succeeds().stdout;
    assert!(told.contains("not merged (name both ids to see why)"), "{told}");
}
