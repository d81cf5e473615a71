use proptest::prelude::*;

use super::*;
use crate::read::testing::{compress, decompress, options, source};
use crate::read::{self, Options, Quote};
use crate::write::{self, RowFate};

/// A field that begins after `before` characters of the text, without the passages, by simple code.
fn plain(field: &str, before: usize, passages: &[Range<usize>], treatment: Treatment) -> String {
    let mut out = String::new();
    for (place, c) in (before..).zip(field.chars()) {
        let inside = passages.iter().find(|passage| passage.contains(&place));
        match inside {
            None => out.push(c),
            Some(passage) if passage.start.max(before) == place && treatment == Treatment::Mask => {
                out.push_str(MASK)
            }
            Some(_) => {}
        }
    }
    out
}

/// Ranges between these numbers.
fn passages(mut bounds: Vec<usize>) -> Passages {
    bounds.sort_unstable();
    bounds.dedup();
    bounds.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
}

fn some_passages() -> impl Strategy<Value = Passages> {
    prop::collection::vec(0usize..16, 0..6).prop_map(passages)
}

fn treatment() -> impl Strategy<Value = Treatment> {
    prop_oneof![Just(Treatment::Mask), Just(Treatment::Cut)]
}

fn json(text: &str, escapes: &[u8]) -> String {
    let escaped = |(place, c): (usize, char)| match escapes[place % escapes.len()] {
        0 => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect(),
        _ => serde_json::to_string(&c).unwrap().trim_matches('"').to_string(),
    };
    let all = text.chars().enumerate();
    all.map(|(place, c)| if c == '"' { "\\\"".to_string() } else { escaped((place, c)) }).collect()
}

/// The bytes of a file after its rows got these fates.
fn kept(name: &str, bytes: &[u8], options: &Options, fates: &[RowFate]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path(), name, &compress(name, bytes), options);
    let target = folder.path().join("kept").join(name);
    let mut rows = fates.iter();
    write::kept(&source, &target, options, &mut |_| rows.next().unwrap().clone()).unwrap();
    assert_eq!(rows.len(), 0, "a row was not asked for");
    decompress(name, &std::fs::read(target).unwrap())
}

/// A field of a table in its encoded form.
fn field(value: &str, quoted: bool, delimiter: u8, is_alone: bool) -> String {
    let must = value.starts_with('"')
        || value.bytes().any(|byte| byte == delimiter || matches!(byte, b'\r' | b'\n'))
        || is_alone && value.is_empty();
    if quoted || must { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_string() }
}

/// The fields of the records of a table, blank lines left out, as the csv crate reads them.
fn records(bytes: &[u8], delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes);
    reader.records().map(|record| record.unwrap().iter().map(str::to_string).collect()).collect()
}

proptest! {
    #[test]
    fn every_format_leaves_out_the_same(
        text in "[a-c天😀é\",\\\\\n ]{0,24}",
        passages in some_passages(),
        escapes in prop::collection::vec(0u8..3, 1..6),
        treatment in treatment(),
    ) {
        let expected = plain(&text, 0, &passages, treatment);
        let out = without_in_text(text.as_bytes(), &passages, treatment);
        prop_assert_eq!(&String::from_utf8(out).unwrap(), &expected);

        let line = format!("{{\"a\": [1, \"text\"], \"t\\u0065xt\" : \"{}\" ,\"z\":null}}", json(&text, &escapes));
        let mut out = Vec::new();
        without_in_json(line.as_bytes(), &["text".to_string()], &passages, treatment, &mut out);
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        prop_assert_eq!(value["text"].as_str().unwrap(), &expected);
        let beside = out.starts_with(b"{\"a\": [1, \"text\"], \"t\\u0065xt\" : \"") && out.ends_with(b"\" ,\"z\":null}");
        prop_assert!(beside, "{}", line);
    }

    #[test]
    fn passages_of_several_fields_are_left_out_of_each(
        values in prop::collection::vec(prop::option::of("[a-c天]{0,6}"), 1..4),
        passages in some_passages(),
        treatment in treatment(),
    ) {
        let fields = ["title", "text", "end"].map(String::from);
        let borrowed: Vec<_> = values.iter().map(Option::as_deref).collect();
        let left = without_in_values(&borrowed, &passages, treatment);
        // A line feed between two fields belongs to neither.
        let mut before = 0;
        for (value, left) in borrowed.iter().zip(&left) {
            prop_assert_eq!(left, &value.map(|value| plain(value, before, &passages, treatment)));
            before += value.map_or(0, |value| value.chars().count() + 1);
        }
        let object: serde_json::Map<_, _> = fields.iter().zip(&values).map(|(field, value)| (field.clone(), value.clone().into())).collect();
        let (line, mut out) = (serde_json::to_string(&object).unwrap(), Vec::new());
        without_in_json(line.as_bytes(), &fields[..values.len()], &passages, treatment, &mut out);
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        for (field, left) in fields.iter().zip(left) {
            prop_assert_eq!(value[field].as_str(), left.as_deref());
        }
    }

    #[test]
    fn kept_tables_have_the_same_rows_and_other_fields(
        rows in prop::collection::vec(([("[\"a,\t天\r\n]{0,6}", any::<bool>()), ("[\"a😀 ]{0,6}", any::<bool>()), ("[\"b]{0,3}", any::<bool>())], some_passages(), 0usize..4), 1..6),
        columns in 1usize..4,
        texts in Just(vec![0usize, 1, 2]).prop_shuffle(),
        count in 1usize..3,
        treatment in treatment(),
        name in prop::sample::select(&["a.csv", "a.tsv", "a.csv.zst"][..]),
        start in prop::sample::select(&["", "\u{feff}", "\n"][..]),
    ) {
        let delimiter = if name == "a.tsv" { b'\t' } else { b',' };
        let between = char::from(delimiter).to_string();
        let names = ["a", "b", "c"].map(String::from);
        let texts: Vec<usize> = texts.into_iter().filter(|text| *text < columns).take(count).collect();
        let mut file = format!("{start}{}\r\n", names[..columns].join(&between));
        let (mut expected, mut fates) = (vec![names[..columns].to_vec()], Vec::new());
        for (fields, passages, end) in rows {
            let spelled = fields[..columns].iter().map(|(value, quoted)| field(value, *quoted, delimiter, columns == 1));
            file.push_str(&spelled.collect::<Vec<_>>().join(&between));
            file.push_str(["\n", "\r\n", "\r", "\n\n"][end]);
            let mut record: Vec<String> = fields[..columns].iter().map(|(value, _)| value.clone()).collect();
            let mut before = 0;
            for text in &texts {
                let own = plain(&record[*text], before, &passages, treatment);
                before += record[*text].chars().count() + 1;
                record[*text] = own;
            }
            expected.push(record);
            fates.push(RowFate::KeepWithout(passages, treatment));
        }
        let file = if fates.len() % 2 == 0 { file.trim_end_matches(['\r', '\n']) } else { &file };
        let options = Options { text_fields: texts.iter().map(|text| names[*text].clone()).collect(), quote: Some(Quote::DOUBLE), ..options() };
        let out = kept(name, file.as_bytes(), &options, &fates);
        prop_assert_eq!(out.starts_with("\u{feff}".as_bytes()), start == "\u{feff}");
        prop_assert_eq!(records(out.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&out), delimiter), expected);
    }

    #[test]
    fn kept_lines_have_the_same_rows(
        file in "\u{feff}?[a天\r\n\u{feff}]{1,24}",
        fates in prop::collection::vec(prop::option::of(some_passages()), 24),
        treatment in treatment(),
        name in prop::sample::select(&["a.txt", "a.txt.gz"][..]),
        format in prop::sample::select(&[read::Format::Lines, read::Format::Text][..]),
    ) {
        let options = Options { format: Some(format), ..options() };
        let texts = |bytes: &[u8]| -> Vec<String> {
            let found = read::testing::documents(name, &compress(name, bytes), &options);
            found.into_iter().filter_map(Result::ok).map(|document| document.text).collect()
        };
        let before = texts(file.as_bytes());
        let fates = fates[..before.len()].iter().cloned().map(|passages| match passages {
            Some(passages) => RowFate::KeepWithout(passages, treatment),
            None if format == read::Format::Text => RowFate::Keep,
            None => RowFate::Drop,
        });
        let fates: Vec<RowFate> = fates.collect();
        let out = if fates.is_empty() { Vec::new() } else { kept(name, file.as_bytes(), &options, &fates) };
        let expected = before.iter().zip(&fates).filter_map(|(text, fate)| match fate {
            RowFate::Keep => Some(text.clone()),
            RowFate::Drop => None,
            RowFate::KeepWithout(passages, treatment) => Some(plain(text, 0, passages, *treatment)),
        });
        prop_assert_eq!(texts(&out), expected.collect::<Vec<_>>(), "{:?} became {:?}", file, String::from_utf8_lossy(&out));
    }
}

#[test]
fn a_field_gets_quotes_where_it_needs_them() {
    let without = |record: &str, columns: &[usize], bounds: &[usize]| {
        let mut out = Vec::new();
        without_in_record(
            record.as_bytes(),
            Dialect::with(b','),
            columns,
            &passages(bounds.to_vec()),
            Treatment::Cut,
            &mut out,
        );
        String::from_utf8(out).unwrap()
    };
    assert_eq!(without("1,ab\"c\"", &[1], &[0, 2]), "1,\"\"\"c\"\"\"");
    assert_eq!(without("1,ab\"c\"", &[1], &[0, 1]), "1,b\"c\"");
    assert_eq!(without("ab", &[0], &[0, 2]), "\"\"");
    assert_eq!(without("\"ab\"", &[0], &[0, 2]), "\"\"");
    assert_eq!(without("ab,cd", &[1, 0], &[0, 2, 3, 5]), ",");
}

#[test]
fn a_field_that_is_named_twice_is_written_once() {
    let passages = [0..1, 4..5];
    let mut out = Vec::new();
    without_in_record(b"1,abc", Dialect::with(b','), &[1, 1], &passages, Treatment::Cut, &mut out);
    assert_eq!(out, b"1,bc");
    out.clear();
    let fields = ["t", "t"].map(String::from);
    without_in_json(b"{\"t\":\"abc\"}", &fields, &passages, Treatment::Mask, &mut out);
    assert_eq!(out, b"{\"t\":\"[masked]bc\"}");
}
