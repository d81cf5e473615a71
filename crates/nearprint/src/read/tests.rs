//! Files of all formats: compressed, damaged, empty, and with bad rows.

use super::testing::{compress, documents, options, readable, source};
use super::*;

fn rows(count: usize) -> Vec<u8> {
    (0..count).flat_map(|row| format!("{{\"text\":\"第{row}行\"}}\n").into_bytes()).collect()
}

#[test]
fn compressed_files_are_read_whole_in_several_parts() {
    for name in ["a.jsonl.gz", "a.jsonl.zst", "a.jsonl.bz2", "a.jsonl.xz"] {
        let bytes = [
            compress(name, b"\xef\xbb\xbf{\"text\":\"a\"}\n{\"te"),
            compress(name, b"xt\":\"b\"}"),
        ]
        .concat();
        let found = documents(name, &bytes, &options());
        let texts: Vec<_> = found.into_iter().map(|document| document.unwrap().text).collect();
        assert_eq!(texts, ["a", "b"], "{name}");
    }
}

#[test]
fn a_cut_off_file_gives_its_rows_and_then_says_so() {
    for name in [
        "a.jsonl.gz",
        "a.jsonl.zst",
        "a.jsonl.bz2",
        "a.jsonl.xz",
        "a.csv.gz",
        "a.csv.zst",
        "a.txt.gz",
        "a.txt.zst",
    ] {
        let plain = if name.contains("csv") { b"text\n".repeat(200_000) } else { rows(100_000) };
        let bytes = compress(name, &plain);
        let found = documents(name, &bytes[..bytes.len() - 5], &options());
        let (last, before) = found.split_last().unwrap();
        let last = last.as_ref().unwrap_err();
        assert_eq!((last.row, last.problem.name()), (None, "truncated"), "{name}");
        assert!(
            last.to_string()
                .starts_with(&format!("{name}: the compressed data is incomplete or damaged ("))
        );
        assert!(before.iter().all(Result::is_ok));
        assert!(before.len() > 10_000 || name.contains("txt"), "{name}");
    }
}

#[test]
fn damaged_data_is_told_from_a_bad_row() {
    for name in ["a.jsonl.gz", "a.jsonl.zst", "a.jsonl.bz2", "a.jsonl.xz"] {
        let header = compress(name, b"{}");
        let bytes = [&header[..10], b"{\"text\":\"not compressed\"}\n"].concat();
        let found = documents(name, &bytes, &options());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].as_ref().unwrap_err().problem.name(), "truncated");
    }
}

#[test]
fn a_file_without_a_row_has_no_documents_whatever_else_it_holds() {
    let without_a_row: [(&str, &[u8]); 11] = [
        ("a.jsonl", b""),
        ("a.jsonl", b"\xef\xbb\xbf"),
        ("a.jsonl", b"\n \t\r\n\n"),
        ("a.jsonl.gz", b""),
        ("a.jsonl.zst", b"\n"),
        ("a.csv", b""),
        ("a.csv", b"\n\r\n"),
        ("a.csv", b"id,text"),
        ("a.csv.zst", b"id,text\n\n\n"),
        ("a.tsv", b"\xef\xbb\xbfid\ttext\r\n"),
        ("a.parquet", b""),
    ];
    for (name, bytes) in without_a_row.into_iter().filter(|(name, _)| !readable(&[name]).is_empty())
    {
        assert_eq!(documents(name, &compress(name, bytes), &options()), [], "{name} {bytes:?}");
    }
    for name in ["a.jsonl.gz", "a.csv.zst"] {
        assert_eq!(documents(name, b"", &options()), [], "{name}");
    }
    // A refused row counts as a row, and so does an empty line of the format `lines`.
    assert_eq!(documents("a.jsonl", b"\nno\n", &options()).len(), 1);
    let lines = Options { format: Some(Format::Lines), ..options() };
    assert_eq!(documents("a.txt", b"\n", &lines)[0].as_ref().unwrap().text, "");
    assert_eq!(
        documents("a.txt.gz", &compress("a.txt.gz", b""), &options())[0].as_ref().unwrap().text,
        ""
    );
}

#[test]
fn a_file_that_is_gone_is_unreadable() {
    let folder = tempfile::tempdir().unwrap();
    for name in readable(&["a.jsonl", "a.csv", "a.txt", "a.parquet"]) {
        let source = source(folder.path(), name, b"x", &options());
        std::fs::remove_file(&source.path).unwrap();
        let rejection = read(&source, &options()).err().unwrap();
        assert_eq!((rejection.row, rejection.problem.name()), (None, "unreadable"), "{name}");
    }
}

#[test]
fn without_the_name_of_a_text_field_no_row_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let none = Options { text_fields: Vec::new(), ..options() };
    for name in readable(&["a.jsonl", "a.csv", "a.parquet"]) {
        let source = source(folder.path(), name, b"text\n", &options());
        let rejection = read(&source, &none).err().unwrap();
        assert_eq!((rejection.row, rejection.problem.name()), (None, "missing_field"), "{name}");
    }
    let text = source(folder.path(), "a.txt", b"text\n", &options());
    assert_eq!(read(&text, &none).unwrap().count(), 1);
}

#[test]
fn progress_reaches_the_size_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.jsonl.bz2", "a.jsonl.xz", "a.txt"] {
        let source = source(folder.path(), name, &compress(name, &rows(50_000)), &options());
        let mut documents = read(&source, &options()).unwrap();
        assert!(documents.next().is_some());
        while documents.next().is_some() {}
        assert_eq!(documents.bytes_read(), source.bytes, "{name}");
        assert!(documents.next().is_none());
    }
}

#[test]
fn documents_can_be_read_on_another_thread() {
    fn sent<T: Send>() {}
    sent::<Documents>();
}
