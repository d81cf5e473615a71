//! Copies of the text formats, row by row, in the source's own bytes and encoding.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use super::copied::{Copied, Form, encoded_in, rejected};
use super::output::Output;
use super::{RowFate, Treatment, Written, passages};
use crate::error::{Error, Problem, Rejection};
use crate::read::compression;
use crate::read::content::Content;
use crate::read::dialect::Dialect;
use crate::read::encoding::{UTF_8, byte_order_mark};
use crate::read::frames::{Frame, Frames, Kind};
use crate::read::{Compression, Format, Options, Source, delimited as read_delimited};

/// Copies the rows that are to be kept.
pub(super) fn kept(
    source: &Source,
    target: &Path,
    options: &Options,
    fate: &mut dyn FnMut(u64) -> RowFate,
) -> Result<Written, Error> {
    let dialect = Dialect::of(source);
    let columns = std::cell::RefCell::new(Vec::new());
    let header = &mut |header: &Frame<'_>, _: &mut Vec<u8>| {
        let names =
            dialect.and_then(|dialect| read_delimited::header(header.content(), dialect).ok());
        let of = |names: &Vec<String>| read_delimited::text_columns(names, &options.text_fields);
        *columns.borrow_mut() = names.as_ref().map_or_else(Vec::new, of);
        Ok(Form::Same)
    };
    rewrite(source, target, options, header, &mut |frame, out| match fate(frame.number) {
        RowFate::Drop => Ok(Form::LeftOut),
        RowFate::Keep => Ok(Form::Same),
        RowFate::KeepWithout(passages, treatment) => {
            let (row, mut end) = (frame.content(), frame.end());
            match (source.format, dialect) {
                (_, Some(dialect)) => {
                    let own = read_delimited::columns_of_text(row, dialect, &columns.borrow());
                    passages::without_in_record(row, dialect, &own, &passages, treatment, out);
                }
                (Format::JsonLines, None) => {
                    passages::without_in_json(row, &options.text_fields, &passages, treatment, out);
                }
                (_, None) => {
                    out.append(&mut passages::without_in_text(row, &passages, treatment));
                    // An empty rest without an end would be no line.
                    end = if out.is_empty() && end.is_empty() { b"\n" } else { end };
                }
            }
            out.extend_from_slice(end);
            Ok(Form::New)
        }
    })
}

/// The form of a row. Its new bytes, if it has some, are appended.
type NewForm<'a> = dyn FnMut(&Frame<'_>, &mut Vec<u8>) -> Result<Form, Error> + 'a;

/// Copies a source row by row, after its header.
pub(super) fn rewrite(
    source: &Source,
    target: &Path,
    options: &Options,
    header: &mut NewForm<'_>,
    row: &mut NewForm<'_>,
) -> Result<Written, Error> {
    let mut frames = match Frames::open(source, options) {
        Ok(frames) => frames,
        Err(Problem::EmptyFile) => return without_rows(source, target),
        Err(Problem::Unreadable { reason }) => {
            return Err(Error::io("read", &source.path)(io::Error::other(reason)));
        }
        Err(_) => return Ok(Written::default()),
    };
    let mut new = Vec::new();
    let form = header(&frames.header(), &mut new)?;
    let mut copy = Copied::create(source, target)?;
    let mark = frames.byte_order_mark();
    copy.output.write(mark)?;
    let has_header = !frames.header().bytes.is_empty();
    if has_header {
        copy.write(&frames.header(), &form, &new)?;
    }
    let mut rows = 0;
    loop {
        let frame = match frames.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            // The run has met this damage while reading and was told to go on. It knows the number
            // of rows before the damage.
            Err(_) => break,
        };
        if frame.kind == Kind::Blank {
            copy.write(&frame, &Form::Same, &[])?;
            continue;
        }
        new.clear();
        let form = row(&frame, &mut new)?;
        if !matches!(form, Form::LeftOut) {
            if frame.kind == Kind::TooLong {
                let limit = options.max_document_bytes;
                return Err(rejected(source, frame.number, Problem::TooLong { limit }));
            }
            let bytes = if matches!(form, Form::New) { &new[..] } else { frame.bytes };
            // Without a mark the reader would strip a first line of bytes that look like one.
            if rows == 0
                && !has_header
                && mark.is_empty()
                && bytes.starts_with(byte_order_mark(UTF_8))
            {
                copy.output.write(byte_order_mark(source.encoding))?;
            }
            rows += 1;
        }
        copy.write(&frame, &form, &new)?;
    }
    Ok(Written { rows, bytes: copy.output.finish()?, source: Some(frames.content_hash()) })
}

/// Copies a file unchanged, compressed or not, or without some passages.
pub(super) fn whole_file(source: &Source, target: &Path, fate: RowFate) -> Result<Written, Error> {
    match fate {
        RowFate::Drop => return Ok(Written::default()),
        RowFate::Keep => {}
        RowFate::KeepWithout(passages, treatment) => {
            return file_without(source, target, &passages, treatment);
        }
    }
    let mut file = Content::open(&source.path).map_err(Error::io("read", &source.path))?;
    let mut output = Output::create(target, Compression::None)?;
    let mut buffer = vec![0; 256 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => output.write(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("read", &source.path)(error)),
        }
    }
    Ok(Written { rows: 1, bytes: output.finish()?, source: Some(file.hash()) })
}

/// Copies a file that has no rows, and no header.
pub(super) fn without_rows(source: &Source, target: &Path) -> Result<Written, Error> {
    Ok(Written { rows: 0, ..whole_file(source, target, RowFate::Keep)? })
}

/// Copies a file without some passages of its text, in the source's compression.
fn file_without(
    source: &Source,
    target: &Path,
    passages: &[Range<usize>],
    treatment: Treatment,
) -> Result<Written, Error> {
    let mut input = compression::open(source).map_err(|problem| {
        Error::Rejected(Rejection { file: source.label.clone(), row: None, problem })
    })?;
    let mut text = Vec::new();
    input.bytes.read_to_end(&mut text).map_err(Error::io("read", &source.path))?;
    let new = passages::without_in_text(&text, passages, treatment);
    let mut output = Output::create(target, source.compression)?;
    // Without a mark the reader would strip a text of first bytes that look like one.
    let has_mark = !input.byte_order_mark.is_empty() || new.starts_with(byte_order_mark(UTF_8));
    output.write(if has_mark { byte_order_mark(source.encoding) } else { &[] })?;
    output.write(&encoded_in(source, &new, 1)?)?;
    Ok(Written { rows: 1, bytes: output.finish()?, source: Some(input.content.hash()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::testing::{compress, decompress, options, readable, source};
    use crate::read::{self, Format, Quote};
    use crate::write;
    use proptest::prelude::*;

    const NAMES: [&str; 3] = ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"];

    fn keep_some(
        name: &str,
        plain: &[u8],
        options: &Options,
        keep: impl Fn(u64) -> bool,
    ) -> (Written, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path(), name, &compress(name, plain), options);
        let target = folder.path().join("kept").join(name);
        let mut fate = |row| if keep(row) { RowFate::Keep } else { RowFate::Drop };
        let written = write::kept(&source, &target, options, &mut fate).unwrap();
        let bytes = std::fs::read(&target).unwrap_or_default();
        assert_eq!(written.bytes, bytes.len() as u64);
        (written, if target.exists() { decompress(name, &bytes) } else { bytes })
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ a光\\\\\"]{0,20}".prop_map(|text| serde_json::json!({ "text": text }).to_string()),
            Just(String::new()),
            Just("  ".to_string()),
            Just("not json".to_string()),
        ]
    }

    proptest! {
        #[test]
        fn all_kept_is_the_input_and_some_kept_is_the_filtered_input(
            lines in prop::collection::vec((line(), prop::bool::ANY, prop::bool::ANY), 0..20),
            mark in prop::bool::ANY,
            last_ended in prop::bool::ANY,
            name in prop::sample::select(&NAMES[..]),
        ) {
            let mut ended: Vec<String> =
                lines.iter().map(|(line, crlf, _)| format!("{line}{}", if *crlf { "\r\n" } else { "\n" })).collect();
            if let (Some(last), false) = (ended.last_mut(), last_ended) {
                last.truncate(last.trim_end_matches(['\r', '\n']).len());
            }
            let mark = if mark { "\u{feff}" } else { "" };
            let whole = format!("{mark}{}", ended.concat());
            prop_assume!(!whole.is_empty());
            let (_, bytes) = keep_some(name, whole.as_bytes(), &options(), |_| true);
            prop_assert_eq!(bytes, whole.as_bytes());
            let filtered: String = ended
                .iter()
                .zip(&lines)
                .filter(|(line, (_, _, keep))| *keep || line.trim().is_empty())
                .map(|(line, _)| line.as_str())
                .collect();
            let (written, bytes) = keep_some(name, whole.as_bytes(), &options(), |row| lines[row as usize - 1].2);
            let expected = format!("{mark}{filtered}");
            prop_assert_eq!(bytes, expected.as_bytes());
            prop_assert_eq!(written.rows as usize, filtered.lines().filter(|line| !line.trim().is_empty()).count());
        }

        #[test]
        fn kept_csv_rows_have_the_values_they_had(
            rows in prop::collection::vec(("[a,\"\r\n光]{0,9}", "[b,\"\t\n]{0,9}", prop::bool::ANY), 0..12),
            tab in prop::bool::ANY,
        ) {
            let delimiter = if tab { b'\t' } else { b',' };
            let write = |rows: &[&(String, String, bool)]| {
                let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
                writer.write_record(["text", "id"]).unwrap();
                for row in rows {
                    writer.write_record([&row.0, &row.1]).unwrap();
                }
                writer.into_inner().unwrap()
            };
            let all: Vec<_> = rows.iter().collect();
            let some: Vec<_> = rows.iter().filter(|row| row.2).collect();
            let options = Options { quote: Some(Quote::DOUBLE), ..options() };
            let name = if tab { "a.tsv" } else { "a.csv" };
            prop_assert_eq!(keep_some(name, &write(&all), &options, |_| true).1, write(&all));
            let (written, bytes) = keep_some(name, &write(&all), &options, |row| rows[row as usize - 1].2);
            prop_assert_eq!(bytes, write(&some));
            prop_assert_eq!(written.rows as usize, some.len());
        }
    }

    #[test]
    fn long_rows_are_dropped_without_being_held() {
        let options = Options { max_document_bytes: 12, ..options() };
        let long =
            [b"{\"text\":\"a\"}\n".as_slice(), &[b'x'; 300_000], b"\n{\"text\":\"b\"}\n"].concat();
        for name in NAMES {
            let (written, bytes) = keep_some(name, &long, &options, |row| row != 2);
            assert_eq!(
                (written.rows, bytes.as_slice()),
                (2, &b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n"[..])
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path(), "a.jsonl", &long, &options);
        let error =
            write::kept(&source, &folder.path().join("k"), &options, &mut |_| RowFate::Keep)
                .unwrap_err();
        assert!(error.to_string().starts_with("a.jsonl, row 2: longer than 12 bytes"), "{error}");
    }

    #[test]
    fn the_readable_rows_of_a_cut_off_file_are_written() {
        let lines: Vec<String> =
            (0..100_000).map(|row| format!("{{\"text\":\"第{row}行\"}}\n")).collect();
        for name in ["a.jsonl.gz", "a.jsonl.zst"] {
            let folder = tempfile::tempdir().unwrap();
            let whole = compress(name, lines.concat().as_bytes());
            let source = source(folder.path(), name, &whole[..whole.len() / 2], &options());
            let rows = read::read(&source, &options()).unwrap().filter(Result::is_ok).count();
            let target = folder.path().join("kept").join(name);
            let written =
                write::kept(&source, &target, &options(), &mut |_| RowFate::Keep).unwrap();
            assert_eq!(written.rows, rows as u64, "{name}");
            assert!(rows > 10_000);
            assert_eq!(
                decompress(name, &std::fs::read(target).unwrap()),
                lines[..rows].concat().as_bytes()
            );
        }
    }

    #[test]
    fn a_text_file_is_copied_or_not_written() {
        for name in ["a.txt", "a.txt.gz", "a.txt.zst"] {
            assert_eq!(
                keep_some(name, b"\xef\xbb\xbfa\r\nb", &options(), |_| true).1,
                b"\xef\xbb\xbfa\r\nb"
            );
            assert_eq!(
                keep_some(name, b"a", &options(), |_| false),
                (Written::default(), Vec::new())
            );
        }
        let lines = Options { format: Some(Format::Lines), ..options() };
        let (written, bytes) = keep_some("a.txt", b"a\n\nb\r\nc", &lines, |row| row != 1);
        assert_eq!((written.rows, bytes), (3, b"\nb\r\nc".to_vec()));
    }

    #[test]
    fn a_file_of_nothing_has_a_copy_of_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy");
        for name in readable(&["a.jsonl", "a.csv", "a.parquet", "a.jsonl.gz"]) {
            for bytes in [compress(name, b""), Vec::new()] {
                let source = source(folder.path(), name, &bytes, &options());
                let written =
                    write::kept(&source, &copy, &options(), &mut |_| RowFate::Keep).unwrap();
                assert_eq!((written.rows, written.bytes), (0, bytes.len() as u64), "{name}");
                assert_eq!(written.source, Some(xxhash_rust::xxh3::xxh3_128(&bytes)));
                assert_eq!(std::fs::read(&copy).unwrap(), bytes, "{name}");
            }
        }
    }

    #[test]
    fn a_changed_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path(), "a.jsonl", b"{\"text\":\"a\"}\n", &options());
        std::fs::write(&source.path, b"{\"text\":\"ab\"}\n").unwrap();
        let error =
            write::kept(&source, &folder.path().join("k"), &options(), &mut |_| RowFate::Keep)
                .unwrap_err();
        assert!(
            error.to_string().contains("changed after it was first read; run again"),
            "{error}"
        );
        std::fs::remove_file(&source.path).unwrap();
        let error =
            write::kept(&source, &folder.path().join("k"), &options(), &mut |_| RowFate::Keep)
                .unwrap_err();
        assert!(matches!(error, Error::Io { doing: "read", .. }), "{error}");
    }
}
