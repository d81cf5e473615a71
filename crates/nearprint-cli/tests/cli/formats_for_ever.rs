//! Every version must give the same fingerprints and read the same statistics; both are in `data/`.
//! If one of them must change, its version in the description and `data/` change too.

use std::path::PathBuf;

use crate::common::{self, Place, rows};
use serde_json::Value;

fn data(name: &str) -> PathBuf {
    common::repository("crates/nearprint-cli/tests/data").join(name)
}

fn place() -> Place {
    let place = Place::new();
    for name in ["news.jsonl", "news.stats"] {
        place.write(name, std::fs::read(data(name)).unwrap());
    }
    place
}

#[test]
fn fingerprints_are_what_they_were() {
    let place = place();
    for saved in rows(&std::fs::read_to_string(data("fingerprints.jsonl")).unwrap()) {
        let settings = saved["settings"].as_str().unwrap();
        let arguments: Vec<&str> =
            ["fingerprint", "news.jsonl"].into_iter().chain(settings.split(' ')).collect();
        for made in rows(&place.run(&arguments).succeeds().stdout) {
            let id = made["id"].as_str().unwrap();
            assert_eq!(made["fingerprint"], saved["fingerprints"][id], "{id} with {settings}");
        }
    }
}

#[test]
fn saved_statistics_are_read() {
    let place = place();
    let top = rows(
        &place.run(&["stats", "show", "news.stats", "--top", "100", "--json"]).succeeds().stdout,
    );
    let find = |feature: &str| top.iter().find(|row| row["feature"] == feature).unwrap().clone();
    // Three neighbors on either side, two of them equal.
    let expected = -(1.0f64 / 3.0 * (1.0f64 / 3.0).log2() + 2.0 / 3.0 * (2.0f64 / 3.0).log2());
    for feature in ["了", "的"] {
        let row = find(feature);
        assert_eq!(row["document_frequency"], 3, "{row}");
        assert!((row["entropy"].as_f64().unwrap() - expected).abs() < 1e-4, "{row}");
    }
    assert_eq!(find("rust")["document_frequency"], 1);
    assert_eq!(top.iter().filter(|row| row["feature"] == Value::Null).count(), 0);
}

#[test]
fn statistics_made_today_say_what_saved_ones_say() {
    let place = place();
    place.run(&["stats", "news.jsonl", "--output", "today", "--quiet"]).succeeds();
    let shown = |file: &str| {
        place.run(&["stats", "show", file, "--top", "1000", "--json"]).succeeds().stdout
    };
    assert_eq!(shown("today"), shown("news.stats"));
}

/// The formats that indexes have had.
const INDEXES: [u32; 1] = [2];

/// The file `generation` of an index without changes: the format, the number 1, their hash.
const GENERATION: [u8; 21] = *b"GEN1\x01\
    \xcc\xfd\x57\xb9\xd7\xc8\x2e\x33\xaa\x04\x94\x23\x01\xf1\x62\x85";

#[test]
fn the_generation_of_an_index_is_written_as_it_was_and_one_of_an_earlier_build_is_named() {
    let place = place();
    place.run(&["index", "create", "seen", "--quiet"]).succeeds();
    assert_eq!(std::fs::read(place.path("seen/generation")).unwrap(), GENERATION);
    let earlier = b"NPS2\x01\
        \x9c\x03\x30\xc3\x81\x3b\xa0\x4b\x64\x8f\x9f\x51\x3f\x1b\xcc\xa0";
    place.write("seen/generation", earlier);
    place.run(&["index", "query", "seen", "news.jsonl"]).ends_with_code(1).says(&[
        "seen/generation: has another format or is damaged; delete it, and check the index with \
         nearprint index verify; the next change writes the file again",
    ]);
    std::fs::remove_file(place.path("seen/generation")).unwrap();
    place.run(&["index", "verify", "seen"]).succeeds();
}

/// An index of each former format, of the rows of `news.jsonl` with titles, without `tw`.
#[test]
fn indexes_of_old_formats_are_read_and_written() {
    for format in INDEXES {
        let place = place();
        let store = std::fs::read(data(&format!("index-{format}.sqlite.zst"))).unwrap();
        place.write("seen/documents.sqlite", zstd::decode_all(&store[..]).unwrap());
        place.write("seen/generation", GENERATION);
        let ask = || {
            rows(&place.run(&["index", "query", "seen", "news.jsonl", "--quiet"]).succeeds().stdout)
        };
        let matches = |of: &str, id: &str| {
            let found = serde_json::json!({"id": id, "similarity": 1.0, "reason": "exact", "distance": 0,
                "fields": {"title": format!("title of {id}")}});
            serde_json::json!({"id": of, "matches": [found], "more": 0})
        };
        let expected =
            [("en", "en"), ("zh", "zh"), ("tw", "zh"), ("mixed", "mixed"), ("kana", "kana")]
                .map(|(of, id)| matches(of, id));
        assert_eq!(ask(), expected, "format {format}");
        place.write("more.jsonl", common::row("new", common::FERRY));
        place
            .run(&["index", "add", "seen", "more.jsonl"])
            .succeeds()
            .says(&["1 new; 5 documents in all"]);
        assert_eq!(ask(), expected, "format {format}");
        place.run(&["index", "verify", "seen"]).succeeds();
        place.run(&["index", "compact", "seen"]).succeeds();
    }
}
