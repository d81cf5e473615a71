//! Published fingerprints, bit for bit, through the command line.

use crate::common::{Place, repository, rows, skipped};
use serde_json::Value;

/// Three passages with their fingerprints, beside the repository; `None`, with a message, if they
/// are absent.
fn passages() -> Option<Vec<Value>> {
    let path = repository("../shared/golden/passages.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        skipped(&format!("../shared is absent: no {}", path.display()));
        return None;
    };
    Some(rows(&text))
}

#[test]
fn the_published_fingerprints_come_out_bit_for_bit() {
    let Some(passages) = passages() else { return };
    let place = Place::with(
        "passages.jsonl",
        passages.iter().map(|row| format!("{row}\n")).collect::<String>(),
    );
    let run = place.run(&["fingerprint", "passages.jsonl", "--preset", "md5-32"]).succeeds();
    let fingerprints = rows(&run.stdout);
    assert_eq!(fingerprints.len(), 3);
    for (fingerprint, passage) in fingerprints.iter().zip(&passages) {
        let hex = fingerprint["fingerprint"].as_str().unwrap();
        let bits = format!("{:032b}", u32::from_str_radix(hex, 16).unwrap());
        assert_eq!(hex.len(), 8);
        assert_eq!(passage["md5_32_fingerprint"], bits, "{}", passage["id"]);
    }
}

/// The paper prints the first and the last distance; the distance of the first and the third
/// passage follows from their printed fingerprints.
#[test]
fn the_published_passages_have_the_distances_of_their_fingerprints() {
    let Some(passages) = passages() else { return };
    let place = Place::new();
    for (number, passage) in passages.iter().enumerate() {
        place.write(&format!("{number}.txt"), passage["text"].as_str().unwrap());
    }
    for (left, right, distance) in
        [("0.txt", "1.txt", 16), ("0.txt", "2.txt", 16), ("1.txt", "2.txt", 2)]
    {
        let found =
            place.run(&["compare", left, right, "--preset", "md5-32", "--json"]).succeeds().json();
        assert_eq!(
            (&found["distance"], &found["bits"]),
            (&distance.into(), &32.into()),
            "{left} and {right}"
        );
    }
}

/// Section 6.2 of the specification: a tie in three bits, each of which is 0. The words are
/// jieba's; the test cannot set the six-bit hashes of the example, but its weights.
#[test]
fn the_published_relative_frequencies_come_out_of_jiebas_words() {
    let place = Place::new();
    let text = "葫芦娃葫芦娃，一根藤上七朵花";
    let compare = ["compare", "--text", text, "--text", text, "--preset", "md5-32", "--json"];
    let found = place.run(&compare).succeeds().json();
    let heaviest = found["left"]["heaviest"].as_array().unwrap();
    let shown: Vec<String> = heaviest
        .iter()
        .map(|row| format!("{} {}", row["feature"].as_str().unwrap(), row["count"]))
        .collect();
    assert_eq!(shown, ["葫芦娃 2", "一根 1", "藤上 1", "七朵 1", "花 1"]);
}
