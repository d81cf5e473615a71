//! Texts that say one thing again and again, and texts of few letters among many signs.

use crate::common::{Place, row};

/// The sorted ids of the removed documents. An id that stands for several gets their numbers.
fn removed(texts: &[(&str, String)], arguments: &[&str]) -> Vec<String> {
    let id = |(number, (id, _)): (usize, &(&str, String))| match *id {
        "kept" => format!("kept {number}"),
        id => id.to_string(),
    };
    let ids = texts.iter().enumerate().map(id);
    let rows: String = ids.zip(texts).map(|(id, (_, text))| row(&id, text)).collect();
    let place = Place::with("texts.jsonl", rows);
    place.dedup(&[&["texts.jsonl"], arguments].concat());
    let mut ids: Vec<String> = place
        .rows("out/removed.jsonl")
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_string())
        .collect();
    ids.sort_unstable();
    ids
}

#[test]
fn loops_are_compared_however_long_they_are() {
    let loops = [
        ("buy", "Buy red shoes here. ", 100),
        ("no", "no ", 360),
        ("know", "我不知道，", 300),
        ("ten", "the cat sat on the mat and then ", 10),
        ("long", "hop ", 40_000),
    ];
    let texts: Vec<(&str, String)> = loops
        .iter()
        .flat_map(|(id, phrase, times)| {
            [(*id, phrase.repeat(*times)), ("kept", phrase.repeat(times + 1))]
        })
        .collect();
    let expected = ["buy", "know", "long", "no", "ten"];
    for settings in [
        "",
        "--features words",
        "--features words --ngram 2",
        "--preset paper",
        "--preset simhash",
        "--verify jaccard",
        "--verify cosine",
        "--verify containment",
        "--cluster components",
    ] {
        let arguments: Vec<&str> = settings.split_whitespace().collect();
        assert_eq!(removed(&texts, &arguments), expected, "{settings}");
    }
}

#[test]
fn loops_of_other_lengths_and_other_phrases_stay() {
    let texts: Vec<(&str, String)> = [
        ("Buy red shoes here. ", 100),
        ("Buy red shoes here. ", 300),
        ("Buy old boats there. ", 100),
        ("我不知道，", 300),
        ("你都明白，", 300),
    ]
    .map(|(phrase, times)| ("kept", phrase.repeat(times)))
    .to_vec();
    for settings in [vec![], vec!["--features", "words"]] {
        assert_eq!(removed(&texts, &settings), [""; 0], "{settings:?}");
    }
}

#[test]
fn a_few_letters_among_many_signs_are_a_short_text() {
    let framed = |sign: &str, count: usize, text: &str| {
        format!("{}\n{text}\n{}", sign.repeat(count), sign.repeat(count))
    };
    let texts = [
        ("kept", framed("—", 400, "twelve oars in the shed")),
        ("dashes", framed("—", 700, "twelve oars in the shed")),
        ("space", format!("twelve oars{}in the shed", "\n \t\n".repeat(900))),
        ("kept", framed("—", 400, "eleven cats in the boat")),
    ];
    let found = removed(&texts, &[]);
    assert_eq!(found, ["dashes", "space"]);
}
