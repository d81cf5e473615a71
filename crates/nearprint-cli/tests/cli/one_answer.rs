//! Two documents of a corpus have the same verdict and similarity in every verb.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::common::{BRIDGE, FERRY, LIBRARY, Place, column, repository, row, rows, word};

/// Words for the places of a form: companies, towns and banks.
const FILLINGS: [[&str; 3]; 9] = [
    ["Boreal Mills", "Avonmouth", "Larch Savings"],
    ["Delta Hotels", "Bridgeford", "Merchant Union"],
    ["Umbra Foods", "Coldwater", "Founders Trust"],
    ["Acme Tools", "Dunmere", "Old Harbour"],
    ["Zenith Paper", "Eastleigh", "Granite House"],
    ["Orchard Bakery", "Fairhaven", "Pioneer Mutual"],
    ["Quarry Steel", "Glenrock", "First Coastal"],
    ["Lumen Glass", "Holywell", "Sterling Brothers"],
    ["Tidal Power", "Ivy Cross", "Capital Street"],
];

/// Bylines of one story.
const NAMES: [&str; 6] = [
    "Anna Bellini",
    "Bruno Castle",
    "Carla Dupont",
    "Dmitri Eriksen",
    "Elena Farkas",
    "Farid Greene",
];

/// The sample, notices of one form, and copies of one story with different bylines.
fn corpus() -> String {
    let mut rows = std::fs::read_to_string(repository("examples/articles.jsonl")).unwrap();
    for (number, [company, town, bank]) in FILLINGS.into_iter().enumerate() {
        let text = format!(
            "The board of {company} declared a regular quarterly dividend, payable to the \
             shareholders of {town} who are of record by the close of business in the head office, \
             and {bank} expects no change in the year; the accounts are with the auditors."
        );
        rows += &row(&format!("notice-{number}"), &text);
        if number % 2 == 0 {
            rows += &row(
                &format!("notice-{number}-again"),
                &text.replace("regular quarterly", "quarterly"),
            );
        }
    }
    for (number, name) in NAMES.into_iter().enumerate() {
        let text = format!(
            "By {name}. The night ferry to the islands returned on Monday after a winter of \
             repairs to its cracked shaft. The crew has painted the railings green, hired a cook \
             who bakes buns before the first crossing, and asked the harbour office for a later \
             boat home. Families on the far shore had waited since the first storms of autumn, and \
             shops in the old town plan to stay open for them."
        );
        rows += &row(&format!("story-{number}"), &text);
    }
    rows
}

#[test]
fn a_run_compare_and_explain_say_the_same_of_two_documents() {
    let place = Place::with("texts.jsonl", corpus());
    place.dedup(&["texts.jsonl", "--pairs"]);
    let texts: BTreeMap<String, Value> = place
        .rows("texts.jsonl")
        .into_iter()
        .map(|row| (row["id"].to_string(), row["text"].clone()))
        .collect();
    let listed = place.rows("out/pairs.jsonl");
    let missed = place.rows("out/just_missed.jsonl");
    let removed = place.rows("out/removed.jsonl");
    let notices =
        removed.iter().filter(|row| row["id"].as_str().unwrap().starts_with("notice")).count();
    let stories =
        removed.iter().filter(|row| row["id"].as_str().unwrap().starts_with("story")).count();
    assert_eq!((notices, stories), (5, 5), "each notice once, and the story once");
    let of_family = |row: &&Value| {
        row["share"].as_f64().is_some_and(|share| share > row["similarity"].as_f64().unwrap())
    };
    assert!(removed.iter().filter(of_family).count() > 5 && missed.len() > 1);
    let known = listed.iter().map(|row| (row, true)).chain(missed.iter().map(|row| (row, false)));
    // Pairs of notices of two companies are in no list.
    let apart = serde_json::json!({"left": "notice-1", "right": "notice-3", "similarity": 0.0});
    for (row, are_duplicates) in known.chain([(&apart, false)]) {
        let [left, right] = ["left", "right"].map(|side| row[side].as_str().unwrap());
        let compared =
            place.run(&["compare", "--in", "texts.jsonl", left, right, "--json"]).succeeds().json();
        let explained = place.run(&["explain", "out", left, right, "--json"]).succeeds().json();
        let explained = &explained["pairs"][0];
        for (name, answer) in [("compare", &compared), ("explain", explained)] {
            let difference =
                answer["similarity"].as_f64().unwrap() - row["similarity"].as_f64().unwrap();
            assert!(difference.abs() < 1e-6, "{name}: {row} {}", answer["similarity"]);
            assert_eq!(
                answer["verdict"] != "different",
                are_duplicates,
                "{name}: {row} {}",
                answer["verdict"]
            );
        }
        // A query with the text of one, among all others.
        let found = place.run(&[
            "find",
            "texts.jsonl",
            "--text",
            texts[&row["left"].to_string()].as_str().unwrap(),
            "--json",
            "--top",
            "99",
        ]);
        let found = found.succeeds().json();
        let found = found["texts"][0]["duplicates"].as_array().unwrap();
        let found = found.iter().find(|found| found["id"] == right);
        assert_eq!(
            found.map(|found| &found["similarity"]),
            are_duplicates.then_some(&row["similarity"]),
            "find: {row}"
        );
    }
}

#[test]
fn evaluate_knows_the_families_of_its_documents() {
    let place = Place::with("texts.jsonl", corpus());
    place.dedup(&["texts.jsonl", "--pairs"]);
    let known = place.rows("out/pairs.jsonl");
    place.write("none.jsonl", "");
    // Pairs of the truth that were not found.
    let arguments = [
        "evaluate",
        "none.jsonl",
        "out/pairs.jsonl",
        "--documents",
        "texts.jsonl",
        "--worst",
        "99",
        "--json",
    ];
    let missed = place.run(&arguments).succeeds().json();
    let missed = missed["misses"]["pairs"].as_array().unwrap().clone();
    assert!(missed.len() > 20 && missed.len() == known.len(), "{}", missed.len());
    for row in known {
        let is_it = |case: &&Value| {
            let ends = |row: &Value| [row["left"].clone(), row["right"].clone()];
            let [left, right] = ends(case);
            ends(&row) == [left.clone(), right.clone()] || ends(&row) == [right, left]
        };
        let case = missed.iter().find(is_it).unwrap();
        assert_eq!(case["similarity"], row["similarity"], "{row}");
    }
}

#[test]
fn two_loose_texts_are_told_what_a_family_would_change() {
    let place = Place::with("texts.jsonl", corpus());
    let rows = place.rows("texts.jsonl");
    let text = |id: &str| {
        rows.iter().find(|row| row["id"] == id).unwrap()["text"].as_str().unwrap().to_string()
    };
    let [one, other] = ["notice-1", "notice-3"].map(text);
    let loose = place.run(&["compare", "--text", &one, "--text", &other]).succeeds();
    for said in [
        "without a corpus, the two texts are duplicates",
        "in a corpus with similar texts they would not be duplicates: one of them has three or \
         more near neighbors",
    ] {
        assert!(loose.stdout.contains(said), "{}", loose.stdout);
    }
    let known = place.run(&["compare", "--in", "texts.jsonl", "notice-1", "notice-3"]).succeeds();
    let said = "the two texts are not duplicates: one of them has three or more near neighbors";
    assert!(known.stdout.contains(said), "{}", known.stdout);
}

#[test]
fn a_guard_or_a_higher_bound_never_adds_a_pair() {
    let place = Place::new();
    let rows: String = corpus()
        .lines()
        .enumerate()
        .map(|(number, line)| {
            format!("{},\"side\":{}}}\n", line.trim_end().strip_suffix('}').unwrap(), number % 2)
        })
        .collect();
    place.write("texts.jsonl", rows);
    let pairs = |arguments: &[&str]| -> BTreeMap<String, Value> {
        place.dedup(&[&["texts.jsonl", "--pairs", "--force"], arguments].concat());
        let of =
            |row: &Value| (format!("{} {}", row["left"], row["right"]), row["similarity"].clone());
        place.rows("out/pairs.jsonl").iter().map(of).collect()
    };
    let all = pairs(&[]);
    assert!(all.len() > 40, "{}", all.len());
    for arguments in [
        &["--same", "side"][..],
        &["--differ", "side"],
        &["--min-similarity", "0.8"],
        &["--min-similarity", "0.95"],
        &["--min-similarity", "0.9", "--same", "side"],
    ] {
        let fewer = pairs(arguments);
        assert!(!fewer.is_empty() && fewer.len() < all.len(), "{arguments:?}: {}", fewer.len());
        for (pair, similarity) in fewer {
            assert_eq!(all.get(&pair), Some(&similarity), "{arguments:?}: {pair}");
        }
    }
}

/// A story of made-up words, with this number of every hundred replaced by words of this name.
fn edited(story: usize, name: &str, replaced: usize) -> String {
    let word = |place: usize| match (place * 37 + name.len()) % 100 < replaced {
        true => format!("{name}{:x}", (place + 7) * (story + 3) * 7919),
        false => format!("k{:x}", (place + 3) * (story + 11) * 104_729),
    };
    (0..200).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_run_against_others_find_and_an_index_say_the_same_of_a_new_text() {
    let (place, mut texts) = (Place::new(), [String::new(), String::new()]);
    corpus()
        .lines()
        .enumerate()
        .for_each(|(number, line)| texts[usize::from(number % 3 == 0)] += &format!("{line}\n"));
    // Each of up to four texts is near a story, and none of them is near an edit of it.
    for story in 0..15 {
        texts[0] += &row(&format!("edit-{story}"), &edited(story, "own", 0));
        for (other, name) in ["a", "bb", "ccc", "dddd"][..story % 5].iter().enumerate() {
            texts[0] += &row(&format!("edit-{story}-{other}"), &edited(story, name, 28));
        }
        texts[1] += &row(&format!("edit-{story}-new"), &edited(story, "eeeee", 14));
        texts[1] += &row(&format!("edit-{story}-newer"), &edited(story, "ffffff", 12));
    }
    let [old, new] = texts;
    place.write("old.jsonl", old);
    place.write("new.jsonl", new);
    place.run(&["index", "create", "old.index", "old.jsonl"]).succeeds();
    place.dedup(&["new.jsonl", "--against", "old.jsonl", "--pairs"]);
    let listed = place.rows("out/pairs.jsonl");
    // Documents of the index that are near no new text decide which of the others are in a family.
    place.dedup(&["new.jsonl", "--against", "old.index", "--pairs", "--force"]);
    assert_eq!(place.rows("out/pairs.jsonl"), listed);
    let mut pairs: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for pair in listed {
        let [old, new] = ["left", "right"].map(|side| pair[side].as_str().unwrap().to_string());
        pairs.entry(new).or_default().insert(old, pair["similarity"].clone());
    }
    let of = |list: &Value| -> BTreeMap<String, Value> {
        let row =
            |row: &Value| (row["id"].as_str().unwrap().to_string(), row["similarity"].clone());
        list.as_array().unwrap().iter().map(row).collect()
    };
    let queried =
        place.run(&["index", "query", "old.index", "new.jsonl", "--top", "99"]).succeeds();
    let (mut kept, mut edits) = (0, 0);
    for (row, queried) in place.rows("new.jsonl").iter().zip(queried.stdout.lines()) {
        let [id, text] = ["id", "text"].map(|field| row[field].as_str().unwrap());
        let queried: Value = serde_json::from_str(queried).unwrap();
        let queried = of(&queried["matches"]);
        let found =
            place.run(&["find", "old.jsonl", "--text", text, "--json", "--top", "99"]).json();
        assert_eq!(
            (&queried, queried.is_empty()),
            (&of(&found["texts"][0]["duplicates"]), !pairs.contains_key(id)),
            "{id}"
        );
        // Of several texts equal to an old one, a run lists the first.
        if !queried.values().any(|similarity| *similarity == 1.0) {
            assert_eq!(queried, pairs.remove(id).unwrap_or_default(), "{id}");
        }
        edits += usize::from(id.starts_with("edit"));
        kept += usize::from(id.starts_with("edit") && queried.is_empty());
    }
    assert!(kept > 5 && edits > kept + 10, "{kept} of {edits} are in a family");
}

/// A text of 100 sentences of this form, in which `{}` stands for one of 128 words.
fn independent(form: &str, seed: u64, word: impl Fn(usize) -> String) -> String {
    let (mut text, mut state) = (form.repeat(100), seed);
    while let Some(place) = text.find("{}") {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.replace_range(place..place + 2, &word((state >> 33) as usize % 128));
    }
    text
}

/// Two characters for each number below 128.
fn chinese(number: usize) -> String {
    let [first, second] =
        [("木金红小老旧亮深", number / 16), ("桌猫桥灯船鱼瓶门花鸟井车纸鞋帽伞", number % 16)]
            .map(|(characters, place)| characters.chars().nth(place).unwrap());
    format!("{first}{second}")
}

/// Texts, for each of them the place of the first one that it copies, and settings. Longer texts
/// come first, as they are kept.
fn kinds_of_texts() -> Vec<(Vec<String>, Vec<usize>, &'static str)> {
    let loops = ["Fresh eggs today. ", "今天有鸡蛋，", "달걀이 왔어요. ", "hop "];
    let loops = loops.map(|phrase| [201, 200].map(|times| phrase.repeat(times)));
    let english =
        ["1 hour", "3 hours", "12 minutes"].map(|age| format!("Updated {age} ago. {FERRY}"));
    let chinese_ages = ["1小时", "2天"].map(|age| format!("{age}前更新 {BRIDGE}"));
    let prices = [15, 95].map(|price| format!("The lamp costs {price} crowns. {LIBRARY}"));
    let ages = [&english[..], &chinese_ages, &prices].concat();
    let signs = [
        "刺猬来了",
        "刺\u{200b}猬来了",
        "\u{feff}刺猬来了",
        "owl",
        "owl\u{200b}",
        "o\u{ad}wl",
        "ёж пришёл",
        "ёж\u{2060} пришёл",
    ];
    let form = "The {} {} counts the {} {} and the {} today. ";
    let zh = "{}边的{}数着{}和{}，今天{}里有{}。";
    let few = [independent(form, 1, word), independent(form, 2, word)];
    let few_chinese = [independent(zh, 1, chinese), independent(zh, 2, chinese)];
    let parts =
        [format!("{FERRY} {LIBRARY}"), FERRY.into(), format!("{BRIDGE}{BRIDGE}"), BRIDGE.into()];
    vec![
        (loops.concat(), vec![0, 0, 2, 2, 4, 4, 6, 6], ""),
        (ages, vec![0, 0, 0, 3, 3, 5, 6], ""),
        (signs.map(String::from).to_vec(), vec![0, 0, 0, 3, 3, 3, 6, 6], ""),
        ([few, few_chinese].concat(), vec![0, 1, 2, 3], ""),
        (parts.to_vec(), vec![0, 0, 2, 2], "--verify containment"),
    ]
}

#[test]
fn kinds_of_texts_have_one_answer_in_a_run_find_and_an_index() {
    for (texts, firsts, settings) in kinds_of_texts() {
        let settings: Vec<&str> = settings.split_whitespace().collect();
        let settings = &settings[..];
        let lines: String =
            texts.iter().enumerate().map(|(id, text)| row(&id.to_string(), text)).collect();
        let place = Place::with("texts.jsonl", lines);
        let copies: Vec<[Value; 2]> = (0..texts.len())
            .filter(|&id| firsts[id] != id)
            .map(|id| [json!(id.to_string()), json!(firsts[id].to_string())])
            .collect();
        place.dedup(&[&["texts.jsonl"], settings].concat());
        let removed = place.rows("out/removed.jsonl");
        let removed = removed.iter().map(|row| [row["id"].clone(), row["keeper"].clone()]);
        assert_eq!(removed.collect::<Vec<_>>(), copies, "{}", texts[0]);

        place.run(&[&["index", "create", "one"], settings].concat()).succeeds();
        let added = place.run(&["index", "add", "one", "texts.jsonl", "--if-new"]).succeeds();
        let added = rows(&added.stdout);
        let old = added.iter().filter(|row| row["new"] == false);
        let old = old.map(|row| [row["id"].clone(), row["duplicate"]["id"].clone()]);
        assert_eq!(old.collect::<Vec<_>>(), copies, "{}", texts[0]);

        place.run(&[&["index", "create", "all", "texts.jsonl"], settings].concat()).succeeds();
        let queried = place.run(&["index", "query", "all", "texts.jsonl"]).succeeds();
        let ids = |list: &Value| -> BTreeSet<String> {
            let ids = column(list.as_array().unwrap(), "id");
            ids.iter().map(|id| id.as_str().unwrap().to_string()).collect()
        };
        for (id, answer) in rows(&queried.stdout).iter().enumerate() {
            let alike = (0..texts.len()).filter(|&other| firsts[other] == firsts[id]);
            let alike: BTreeSet<String> = alike.map(|other| other.to_string()).collect();
            assert_eq!(ids(&answer["matches"]), alike, "{}", texts[id]);
            let find = ["find", "texts.jsonl", "--json", "--top", "99", "--text", &texts[id]];
            let found = place.run(&[&find[..], settings].concat()).succeeds().json();
            assert_eq!(ids(&found["texts"][0]["duplicates"]), alike, "{}", texts[id]);
        }
    }
}
