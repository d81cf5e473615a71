//! Documents with their own tokens: `--tokens-field`.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde_json::{Value, json};

use crate::common::{self, FERRY, Place, SKIP, rows};

const TEXTS: [&str; 3] =
    ["能力比学历重要性高，能力最重要。", "葫芦娃葫芦娃，一根藤上七朵花！", "EB-2 与 9.8mm 的管子"];
const TOKENS: [&[&str]; 3] = [
    &["能力", "比", "学历", "重要性", "高", "，", "能力", "最", "重要", "。"],
    &["葫芦娃", "葫芦娃", "，", "一根", "藤上", "七朵", "花", "！"],
    &["EB", "-", "2", " ", "与", " ", "9.8", "mm", " ", "的", "管子"],
];

fn json_lines() -> String {
    let row = |(text, tokens): (&&str, &&[&str])| {
        json!({"id": text, "text": text, "words": tokens}).to_string() + "\n"
    };
    TEXTS.iter().zip(&TOKENS).map(row).collect()
}

fn place() -> Place {
    let place = Place::with("a.jsonl", json_lines());
    let quoted =
        |(text, tokens): (&&str, &&[&str])| format!("{text}\t{text}\t{}\n", tokens.join(" "));
    place.write(
        "a.tsv",
        "id\ttext\twords\n".to_string()
            + &TEXTS.iter().zip(&TOKENS).map(quoted).collect::<String>(),
    );
    let mut lists = ListBuilder::new(StringBuilder::new());
    for tokens in TOKENS {
        tokens.iter().for_each(|token| lists.values().append_value(token));
        lists.append(true);
    }
    let texts: ArrayRef = Arc::new(StringArray::from(TEXTS.to_vec()));
    let batch = RecordBatch::try_from_iter([
        ("id", texts.clone()),
        ("text", texts),
        ("words", Arc::new(lists.finish()) as ArrayRef),
    ]);
    place.write("a.parquet", common::parquet(&batch.unwrap()));
    place
}

fn column(place: &Place, file: &str, flags: &[&str], field: &str) -> Vec<Value> {
    let found = rows(
        &place
            .run(&[&["fingerprint", file, "--features", "words"], flags].concat())
            .succeeds()
            .stdout,
    );
    found.iter().map(|row| row[field].clone()).collect()
}

#[test]
fn every_format_brings_tokens_and_they_stand_in_for_those_of_the_segmenter() {
    let place = place();
    for flags in [
        &["--weights", "one"][..],
        &["--weights", "tf", "--ngram", "2", "--feature-hash", "md5", "--bits", "64"],
        &["--weights", "entropy", "--position", "rank", "--stop-words", "zh", "--top", "5"],
    ] {
        for field in ["fingerprint", "features", "heaviest"] {
            let cut =
                column(&place, "a.jsonl", &[flags, &["--segmenter", "chinese"]].concat(), field);
            for file in ["a.jsonl", "a.tsv", "a.parquet"] {
                let own =
                    column(&place, file, &[flags, &["--tokens-field", "words"]].concat(), field);
                assert_eq!(own, cut, "{file} {flags:?} {field}");
            }
        }
    }
    let recipe =
        &column(&place, "a.jsonl", &["--weights", "one", "--tokens-field", "words"], "recipe")[0];
    assert!(
        recipe.as_str().unwrap().contains("segmenter=the documents' own tokens (1);"),
        "{recipe}"
    );
}

#[test]
fn other_tokens_make_other_words_and_the_texts_still_decide() {
    let other = FERRY.replace("Monday", "Tuesday");
    let row = |id: &str, text: &str, words: &[&str]| {
        json!({"id": id, "text": text, "words": words}).to_string() + "\n"
    };
    let words: Vec<String> = (0..40).map(|number| format!("New York {number}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let place = Place::with(
        "a.jsonl",
        row("a", FERRY, &words) + &row("b", &other, &words) + &row("c", "snow in May", &words),
    );
    let top = column(
        &place,
        "a.jsonl",
        &["--weights", "one", "--tokens-field", "words", "--top", "1"],
        "heaviest",
    );
    assert_eq!(top[0][0]["feature"], "new york 0");
    // All fingerprints are equal, but the last document has another text.
    place.dedup(&["a.jsonl", "--features", "words", "--weights", "one", "--tokens-field", "words"]);
    let removed = place.rows("out/removed.jsonl");
    let ids: Vec<&Value> = removed.iter().map(|row| &row["id"]).collect();
    assert_eq!((ids, &removed[0]["distance"]), (vec![&json!("b")], &json!(0)));
}

#[test]
fn statistics_count_own_tokens() {
    let place = place();
    let stats = |file: &str, flags: &[&str]| {
        place.run(&[&["stats", "a.jsonl", "--output", file, "--quiet"], flags].concat()).succeeds();
        place.run(&["stats", "show", file, "--top", "100", "--json"]).succeeds().stdout
    };
    assert_eq!(
        stats("own", &["--tokens-field", "words"]),
        stats("cut", &["--segmenter", "chinese"])
    );
    let flags =
        ["fingerprint", "a.jsonl", "--features", "words", "--tokens-field", "words", "--stats"];
    place.run(&[&flags[..], &["own"]].concat()).succeeds();
    place
        .run(&[&flags[..], &["cut"]].concat())
        .ends_with_code(1)
        .says(&["made with other settings"]);
}

#[test]
fn a_row_without_tokens_is_named_with_the_remedy() {
    let flags = ["--features", "words", "--weights", "one", "--tokens-field", "words"];
    let remedy = "not a list of strings; give every row its tokens, or name another field with \
        --tokens-field";
    for (value, found) in [
        ("null", "null"),
        ("7", "an integer"),
        ("[\"a\", 7]", "an array with an integer in it"),
        ("{}", "an object"),
    ] {
        let good = "{\"text\": \"one\", \"words\": [\"one\"]}\n";
        let place =
            Place::with("a.jsonl", format!("{good}{{\"text\": \"two\", \"words\": {value}}}\n"));
        let run = place.run(&[&["fingerprint", "a.jsonl"], &flags[..]].concat()).ends_with_code(1);
        run.says(&[&format!("a.jsonl, row 2: field \"words\" is {found}, {remedy}")]);
        let run = place
            .run(&[&["fingerprint", "a.jsonl"], &SKIP[..], &flags[..]].concat())
            .ends_with_code(3);
        assert_eq!(rows(&run.stdout).len(), 1);
    }
    for (name, bytes) in
        [("a.csv", "text\none\n"), ("a.txt", "one"), ("b.jsonl", "{\"text\": \"one\"}\n")]
    {
        let place = Place::with(name, bytes);
        let run = place.run(&[&["fingerprint", name], &flags[..]].concat()).ends_with_code(1);
        run.says(&["field \"words\" is absent", remedy]);
    }
}

#[test]
fn texts_alone_have_no_tokens() {
    let place = place();
    let flags = ["--features", "words", "--weights", "one", "--tokens-field", "words"];
    let compare = ["compare", "--text", "one", "--text", "two"];
    let run = place.run(&[&compare[..], &flags].concat()).ends_with_code(2);
    run.says(&["--tokens-field: a text has no fields; leave --tokens-field out"]);
    let run = place.run(&[&["tune", "a.jsonl", "--json"], &flags[..]].concat()).ends_with_code(2);
    run.says(&["--tokens-field: this needs edited copies of texts, which have no tokens field; \
        leave it out"]);
    let run = place
        .run(&[&["dedup", "a.jsonl", "--output", "out", "--recall", "0.9"], &flags[..]].concat())
        .ends_with_code(2);
    run.says(&["--recall: it needs edited copies of texts, which have no tokens field; set \
        --max-distance, or leave out --tokens-field"]);
    let run = place.run(&["fingerprint", "a.jsonl", "--tokens-field", "words"]).ends_with_code(2);
    run.says(&["--tokens-field", "--features words"]);
}

#[test]
fn an_index_keeps_the_tokens_of_its_documents() {
    let settings = [
        "--features",
        "words",
        "--weights",
        "one",
        "--tokens-field",
        "words",
        "--verify",
        "jaccard",
        "--shingle",
        "1",
        "--min-similarity",
        "0.8",
        "--quiet",
    ];
    // Three kinds of tokens with some replaced; the texts have nothing in common.
    let document = |id: usize| {
        let word = |place: usize| match (place + id).is_multiple_of(17) {
            true => format!("own{id}-{place}"),
            false => format!("kind{}-{place}", id % 3),
        };
        let words: Vec<String> = (0..40).map(word).collect();
        json!({"id": id, "text": format!("{id} ").repeat(40), "words": words})
    };
    let documents: Vec<Value> = (0..24).map(document).collect();
    let lines = |of: &[Value]| of.iter().map(|row| row.to_string() + "\n").collect::<String>();
    let place = Place::with("all.jsonl", lines(&documents));
    place.write("first.jsonl", lines(&documents[..12]));
    place.write("rest.jsonl", lines(&documents[12..]));
    place.run(&[&["dedup", "all.jsonl", "--pairs", "--output", "out"], &settings[..]].concat());
    let pairs: BTreeSet<[u64; 2]> = place
        .rows("out/pairs.jsonl")
        .iter()
        .map(|pair| ["left", "right"].map(|side| pair[side].as_u64().unwrap()))
        .collect();
    assert!(pairs.len() > 24, "{pairs:?}");

    for (folder, more) in [("seen", &[][..]), ("read", &["--store-text"])] {
        place
            .run(&[&["index", "create", folder, "first.jsonl"], more, &settings].concat())
            .succeeds();
        place.run(&["index", "add", folder, "rest.jsonl", "--quiet"]).succeeds();
        let found = |folder: &str| -> BTreeSet<[u64; 2]> {
            let run = place.run(&["index", "query", folder, "all.jsonl", "--top", "30"]).succeeds();
            let of_row = |row: Value| {
                let own = row["id"].as_u64().unwrap();
                let others = row["matches"].as_array().unwrap().clone();
                others.into_iter().filter_map(move |other| {
                    let other = other["id"].as_u64().unwrap();
                    (own < other).then_some([own, other])
                })
            };
            rows(&run.stdout).into_iter().flat_map(of_row).collect()
        };
        assert_eq!(found(folder), pairs);
        place.run(&["index", "verify", folder]).succeeds();
        // Other tokens make another document of the same text, the same ones do not.
        let mut changed = documents[0].clone();
        changed["words"] = json!(["other", "tokens"]);
        place.write("again.jsonl", lines(&[changed, documents[1].clone()]));
        let again = ["index", "add", folder, "again.jsonl", "--if-new", "--quiet"];
        let added = rows(&place.run(&again).succeeds().stdout);
        let outcomes: Vec<&Value> = added.iter().map(|row| &row["outcome"]).collect();
        assert_eq!(outcomes, ["replaced", "unchanged"]);
        // An index of its documents is the same index.
        place.write("back.jsonl", place.run(&["index", "export", folder]).succeeds().stdout);
        let back = format!("{folder}-back");
        place.run(&[&["index", "create", &back, "back.jsonl"], &settings[..]].concat()).succeeds();
        let without: BTreeSet<[u64; 2]> =
            pairs.iter().copied().filter(|pair| pair[0] != 0).collect();
        assert_eq!((found(folder), found(&back)), (without.clone(), without));
        let run = place.run(&["index", "query", folder, "--text", "one"]).ends_with_code(2);
        run.says(&["have their own tokens in the field \"words\"; give documents with this field"]);
    }
    let against = ["dedup", "rest.jsonl", "--against", "seen", "--output", "left"];
    place.run(&against).ends_with_code(2).says(&["; \"words\" for --tokens-field, not nothing"]);
    place.run(&[&against, &settings[..]].concat()).succeeds();
    let run = place.run(&["explain", "left", "12"]).ends_with_code(2);
    run.says(&["the run took the documents' own tokens", "removed.jsonl and the report"]);
    assert_eq!(place.rows("left/removed.jsonl").len(), 12);
}
