//! Text formats. The documents and rejections of a file together are its rows, as a plain reader of
//! the format counts and reads them.

use proptest::prelude::*;

use nearprint::document::Id;
use nearprint::read::{self, Format, Options, Source};
use nearprint::{Rejection, Silent};

use crate::bytes::{Bytes, damaged, made_up};
use crate::target;

pub const JSON: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\"",
    b"\\",
    b"\\\"",
    b"\\ud83d",
    b"\\ude00",
    b"\\u0000",
    b"\\u12",
    b"\"text\":",
    b"\"id\":",
    b"\"te\\u0078t\":\"b\",",
    b"{\"id\":1,\"text\":\"a\"}",
    b"{\"text\":\"\"}",
    b"\n",
    b"\r\n",
    b" ",
    b"-0",
    b"1e9",
    b"null",
    b"true",
    b"18446744073709551616",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    "春".as_bytes(),
];

pub const TABLE: &[&[u8]] = &[
    b"id,text",
    b"id\ttext",
    b",",
    b"\t",
    b"\"",
    b"\"\"",
    b"\n",
    b"\r",
    b"\r\n",
    b"a",
    b"1",
    b"text",
    b"id",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    "晓".as_bytes(),
    b"\"a,\n\"",
    b" ",
];

pub const LINES: &str = "{\"id\":1,\"text\":\"春眠不觉晓，\\u5904处\\n闻啼鸟\",\"more\":[1.5e3,{}]}\n\n{\"id\":\"b\",\"text\":\"one\"}\r\n";
pub const RECORDS: &str = "id,text\n1,\"spring, \"\"asleep\"\"\r\nuntil dawn\"\n\n2,处处闻啼鸟\n";

/// The documents and rejections of a file. Two readings must be equal, and a rejection of the whole
/// file must be the last.
pub fn read(
    name: &str,
    bytes: &[u8],
    format: Option<Format>,
) -> Vec<Result<(u64, Id, String), Rejection>> {
    read_with(name, bytes, &Options { format, ..Options::default() })
}

/// As [`read`], with these options.
fn read_with(
    name: &str,
    bytes: &[u8],
    options: &Options,
) -> Vec<Result<(u64, Id, String), Rejection>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let options = Options { max_document_bytes: 1 << 16, ..options.clone() };
    let sources =
        read::find(&[path.display().to_string()], &options, folder.path(), &Silent).unwrap();
    let once = |source: &Source| match read::read(source, &options) {
        Err(rejection) => vec![Err(rejection)],
        Ok(documents) => documents
            .map(|document| document.map(|own| (own.row, own.id, own.text)))
            .collect::<Vec<_>>(),
    };
    let found = once(&sources[0]);
    assert!(found == once(&sources[0]), "read twice, and otherwise the second time");
    let of_file = found.iter().position(|item| matches!(item, Err(Rejection { row: None, .. })));
    assert!(
        of_file.is_none_or(|place| place + 1 == found.len()),
        "something came after the end: {found:?}"
    );
    found
}

/// The number of rows read or rejected, if the file was read to its end.
fn rows<T>(found: &[Result<T, Rejection>]) -> Option<usize> {
    match found {
        [.., Err(Rejection { row: None, .. })] => None,
        found => Some(found.len()),
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The lines of a file with their numbers from 1, without line ends. A line end at the end of a
/// file begins no line.
fn lines(bytes: &[u8]) -> Vec<(u64, &[u8])> {
    let mut rest = without_mark(bytes);
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        let (line, after) = rest.split_at(length);
        lines.push(line);
        rest = after.strip_prefix(b"\r\n").or(after.get(1..)).unwrap_or_default();
    }
    (1..).zip(lines).collect()
}

/// True if the first line begins an array of objects.
fn begins_an_array(bytes: &[u8]) -> bool {
    let first = lines(bytes).first().map_or(&b""[..], |(_, line)| line);
    let rest = first.trim_ascii_start().strip_prefix(b"[");
    rest.is_some_and(|rest| matches!(rest.trim_ascii_start(), [] | [b'{', ..]))
}

#[test]
fn json_lines() {
    let inputs = prop_oneof![damaged(LINES.into(), JSON), made_up(JSON)];
    target(inputs, |Bytes(bytes)| {
        let found = read("a.jsonl", &bytes, None);
        if begins_an_array(&bytes) {
            let is_refused = matches!(&found[..], [Err(Rejection { row: None, problem, .. })] if problem.name() == "json_array");
            prop_assert!(is_refused, "{:?}", found);
            return Ok(());
        }
        let expected: Vec<_> =
            lines(&bytes).into_iter().filter(|(_, line)| !line.trim_ascii().is_empty()).collect();
        prop_assert_eq!(rows(&found), Some(expected.len()));
        for (item, (number, line)) in found.iter().zip(expected) {
            // A plain reader takes the last of two equal fields, and is stricter with unused
            // values.
            let plain = serde_json::from_slice::<serde_json::Value>(line).ok();
            match (item, plain) {
                (Ok((row, id, text)), Some(plain)) => {
                    prop_assert_eq!((*row, Some(text.as_str())), (number, plain["text"].as_str()));
                    let same = match id {
                        Id::Text(own) if plain["id"].is_null() => *own == format!("a.jsonl:{row}"),
                        Id::Text(own) if plain["id"].is_string() => plain["id"] == own.as_str(),
                        // Numbers of other kinds are ids as they are written.
                        Id::Text(own) => {
                            own.parse::<serde_json::Value>().is_ok_and(|own| plain["id"] == own)
                        }
                        Id::Integer(own) => plain["id"] == *own,
                        Id::Unsigned(own) => plain["id"] == *own,
                    };
                    prop_assert!(same, "{:?} {:?}", id, plain);
                }
                (Ok(_), None) => {}
                (Err(rejection), plain) => {
                    prop_assert_eq!(rejection.row, Some(number));
                    let usable = |plain: &serde_json::Value| {
                        let id = &plain["id"];
                        plain["text"].is_string()
                            && (id.is_null() || id.is_string() || id.is_number() || id.is_boolean())
                    };
                    let excused =
                        ["repeated_field", "nul_byte"].contains(&rejection.problem.name());
                    prop_assert!(
                        excused || !plain.as_ref().is_some_and(usable),
                        "{} {:?}",
                        rejection,
                        plain
                    );
                }
            }
        }
        Ok(())
    });
}

/// The records of a table after its header, as the csv crate reads them, without blank lines.
fn records(bytes: &[u8], delimiter: u8) -> Vec<Vec<Vec<u8>>> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(true)
        .from_reader(without_mark(bytes));
    reader
        .byte_records()
        .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect())
        .collect()
}

#[test]
fn tables() {
    let whole = prop_oneof![Just(b','), Just(b'\t')];
    let inputs = whole.prop_flat_map(|delimiter| {
        let whole = RECORDS.replace(',', &char::from(delimiter).to_string()).into_bytes();
        (Just(delimiter), prop_oneof![damaged(whole, TABLE), made_up(TABLE)])
    });
    target(inputs, |(delimiter, Bytes(bytes))| {
        let name = if delimiter == b',' { "a.csv" } else { "a.tsv" };
        read(name, &bytes, None);
        let quote = "\"".parse().ok();
        let found = read_with(name, &bytes, &Options { quote, ..Options::default() });
        let expected = records(&bytes, delimiter);
        let Some(rows) = rows(&found) else { return Ok(()) };
        prop_assert_eq!(rows, expected.len());
        for (item, record) in found.iter().zip(expected) {
            if let Ok((_, _, text)) = item {
                prop_assert!(
                    record.iter().any(|field| field == text.as_bytes()),
                    "{:?} {:?}",
                    text,
                    record
                );
            }
        }
        Ok(())
    });
}

#[test]
fn plain_text() {
    let inputs = prop_oneof![damaged(LINES.into(), JSON), made_up(JSON)];
    target(inputs, |Bytes(bytes)| {
        let whole = read("a.txt", &bytes, None);
        prop_assert_eq!(whole.len(), 1);
        let plain =
            std::str::from_utf8(without_mark(&bytes)).ok().filter(|text| !text.contains('\0'));
        prop_assert_eq!(whole[0].as_ref().ok().map(|(_, _, text)| text.as_str()), plain);
        let found = read("a.txt", &bytes, Some(Format::Lines));
        let expected = lines(&bytes);
        prop_assert_eq!(rows(&found), Some(expected.len()));
        for (item, (number, line)) in found.iter().zip(expected) {
            let text = std::str::from_utf8(line).ok().filter(|text| !text.contains('\0'));
            prop_assert_eq!(
                item.as_ref().ok().map(|(row, _, text)| (*row, text.as_str())),
                text.map(|text| (number, text))
            );
        }
        Ok(())
    });
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_text() {
    let rows: String = (0..300)
        .map(|row| format!("{{\"id\":{row},\"text\":\"第{row}行 {}\"}}\n", row * row * 7919))
        .collect();
    let wrapped = [
        ("a.jsonl.gz", gzip(rows.as_bytes())),
        ("a.jsonl.zst", zstd::encode_all(rows.as_bytes(), 3).unwrap()),
    ];
    let inputs = prop::sample::select(wrapped.to_vec()).prop_flat_map(|(name, whole)| {
        (
            Just(name),
            Just(whole.clone()),
            damaged(whole, &[b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\0"]),
        )
    });
    target(inputs, |(name, whole, Bytes(bytes))| {
        let found = read(name, &bytes, None);
        if bytes == whole {
            prop_assert!(found.len() == 300 && found.iter().all(Result::is_ok));
        }
        // Rows before the damage are intact, and the checksum of gzip detects damage except in its
        // own header.
        let documents: Vec<_> = found.iter().flatten().collect();
        let as_they_were = documents.iter().filter(|(row, id, text)| {
            let number = row - 1;
            *id == Id::Integer(number as i64)
                && *text == format!("第{number}行 {}", number * number * 7919)
        });
        let ended_well = found.iter().all(Result::is_ok) && documents.len() == 300;
        prop_assert!(!ended_well || as_they_were.count() == 300 || name.ends_with(".zst"));
        Ok(())
    });
}

#[test]
fn whole_files_are_read() {
    let count =
        |name, bytes: &[u8]| read(name, bytes, None).iter().filter(|item| item.is_ok()).count();
    assert_eq!((count("a.jsonl", LINES.as_bytes()), count("a.csv", RECORDS.as_bytes())), (2, 2));
    assert_eq!((count("a.jsonl.gz", &gzip(LINES.as_bytes())), count("a.txt", b"")), (2, 1));
}
