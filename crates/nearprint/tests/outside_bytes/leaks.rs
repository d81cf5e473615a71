//! Runs that mask or cut test items in damaged files. The kept file, read again, has the kept rows
//! in their order, each with its text without the listed passages.

use nearprint::config::{LeakAction, MaxRejected, OnError};
use nearprint::read::Format;
use nearprint::{Config, Deduplicator, Output, Silent};
use proptest::prelude::*;
use serde_json::Value;

use crate::bytes::{Bytes, damaged, made_up};
use crate::formats::{gzip, read};
use crate::target;

/// The items. A text of both and little else is a duplicate of neither, and each is a passage of
/// it.
const ITEMS: [&str; 2] =
    ["春眠不觉晓处处闻啼鸟夜来风雨声花落知多少", "床前明月光疑是地上霜举头望明月低头思故乡"];

const BOTH: &str =
    "春眠不觉晓处处闻啼鸟夜来风雨声花落知多少床前明月光疑是地上霜举头望明月低头思故乡";

const PIECES: &[&[u8]] = &[
    BOTH.as_bytes(),
    BOTH.as_bytes(),
    ITEMS[0].as_bytes(),
    ITEMS[1].as_bytes(),
    "石桥镇的老桥上个月拆下了第一块石板工匠发现桥拱里藏着一封写给后人的信".as_bytes(),
    b"text",
    b"note",
    b",",
    b"\t",
    b"\"",
    b"\"\"",
    b"\n",
    b"\r",
    b"\r\n",
    b"{\"text\":\"",
    b"\"}",
    b"\\\"",
    b"\\ud83d\\ude00",
    b"\xef\xbb\xbf",
    b"a",
    b" ",
];

/// Whole files: the name of each, its format if the name does not say it, and its bytes.
fn files() -> [(&'static str, Option<Format>, Vec<u8>); 8] {
    let json = format!(
        "{{\"text\":\"{BOTH}\"}}\n\n{{\"note\":[1],\"te\\u0078t\":\"\\ud83d\\uDE00{BOTH}\\n\"}}\r\n{{\"text\":\"a\"}}"
    );
    let table = format!(
        "note,text\n1,{BOTH}\"a\" b\n\"2\",\"{BOTH}\"\"\r\n\"\n3,a\"{BOTH}\r\n4,{BOTH}\n5,a"
    );
    let column = format!("\u{feff}text\n{BOTH}\na\n\"{BOTH}\"\n\n{BOTH}");
    let lines = format!("{BOTH}\u{feff}a\n\n a{BOTH}\r\na\r{BOTH}\n{BOTH}");
    [
        ("a.jsonl", None, json.clone().into()),
        ("a.csv", None, table.clone().into()),
        ("a.tsv", None, table.replace(',', "\t").into()),
        ("b.csv", None, column.clone().into()),
        ("a.txt", Some(Format::Lines), lines.clone().into()),
        ("b.txt", None, lines.into()),
        ("a.jsonl.gz", None, gzip(json.as_bytes())),
        ("b.csv.zst", None, zstd::encode_all(column.as_bytes(), 3).unwrap()),
    ]
}

/// A text without sorted passages. A passage is given by its first and its last character.
fn without(text: &str, passages: &[[usize; 2]], action: LeakAction) -> String {
    let mut out = String::new();
    let mut was_inside = false;
    for (place, c) in text.chars().enumerate() {
        let is_inside = passages.iter().any(|[first, last]| (*first..=*last).contains(&place));
        if !is_inside {
            out.push(c);
        } else if !was_inside && action == LeakAction::Mask {
            out.push_str("[masked]");
        }
        was_inside = is_inside;
    }
    out
}

/// Runs over a file. The number of passages left out of the kept rows, or `None` if the run was
/// refused.
fn check(
    name: &str,
    format: Option<Format>,
    bytes: &[u8],
    action: LeakAction,
) -> Result<Option<usize>, TestCaseError> {
    let config = Config::default()
        .on_error(OnError::Skip)
        .max_rejected(MaxRejected::Share(1_000_000))
        .threads(1)
        .leak_action(action)
        .min_leak_length(30);
    let deduplicator = Deduplicator::new(config.format(format)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path(name), bytes).unwrap();
    let extension = if format.is_some() { "txt" } else { "jsonl" };
    let items: String = ITEMS
        .iter()
        .map(|item| {
            if format.is_some() {
                format!("{item}\n")
            } else {
                format!("{{\"text\":\"{item}\"}}\n")
            }
        })
        .collect();
    std::fs::write(path(&format!("items.{extension}")), items).unwrap();
    let output = Output::new(folder.path().join("out"));
    let Ok(summary) = deduplicator.dedup_against(
        &[path(&format!("items.{extension}"))],
        &[path(name)],
        &output,
        &Silent,
    ) else {
        prop_assert!(!output.folder.exists());
        return Ok(None);
    };
    let rows = |report: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(output.folder.join(report)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (removed, leaks) = (rows("removed.jsonl"), rows("leaks.jsonl"));
    let mut left_out = 0;
    let mut expected = Vec::new();
    for (_, id, text) in read(name, bytes, format).into_iter().flatten() {
        let id = serde_json::to_value(&id).unwrap();
        if removed.iter().any(|row| row["id"] == id) {
            continue;
        }
        let places = leaks.iter().filter(|row| row["id"] == id && row["action"] != "listed");
        let places: Vec<_> = places
            .map(|row| ["first", "last"].map(|end| row[end].as_u64().unwrap() as usize))
            .collect();
        left_out += places.len();
        expected.push(without(&text, &places, action));
    }
    prop_assert_eq!(expected.len() as u64, summary.counts.kept);
    let kept = std::fs::read(output.folder.join("kept").join(name)).unwrap_or_default();
    let found = read(name, &kept, format);
    let texts: Vec<_> = found.iter().flatten().map(|(_, _, text)| text.clone()).collect();
    if summary.counts.kept > 0 {
        prop_assert!(found.iter().all(Result::is_ok), "{:?}", found);
        prop_assert_eq!(texts, expected);
    }
    Ok(Some(left_out))
}

#[test]
fn leaks() {
    let inputs = prop::sample::select(files().to_vec()).prop_flat_map(|(name, format, whole)| {
        let head: &[u8] = match name {
            "a.csv" => b"note,text\n",
            "a.tsv" => b"note\ttext\n",
            "b.csv" => b"text\n",
            _ => b"",
        };
        let made_up = made_up(PIECES).prop_map(move |Bytes(rows)| Bytes([head, &rows].concat()));
        (Just((name, format)), prop_oneof![damaged(whole, PIECES), made_up])
    });
    let actions = prop::sample::select(
        &[LeakAction::Remove, LeakAction::Mask, LeakAction::Cut, LeakAction::List][..],
    );
    target((inputs, actions), |(((name, format), Bytes(bytes)), action)| {
        check(name, format, &bytes, action).map(|_| ())
    });
}

#[test]
fn passages_of_whole_files_are_left_out() {
    for (name, format, bytes) in files() {
        for (action, is_left_out) in
            [(LeakAction::Mask, true), (LeakAction::Cut, true), (LeakAction::List, false)]
        {
            let left_out = check(name, format, &bytes, action).unwrap();
            assert_eq!(
                left_out.map(|passages| passages >= 4),
                Some(is_left_out),
                "{name} {action:?} {left_out:?}"
            );
        }
    }
}
