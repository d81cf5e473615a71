//! Records and fields, compared with the csv crate.

use super::*;
use proptest::prelude::*;
use std::io::{BufReader, Cursor};

const COMMA: Dialect = Dialect { delimiter: b',', quote: Some(b'"'), escape: None };

fn records(bytes: &[u8], limit: u64, buffer: usize) -> Vec<(u64, Kind, Vec<u8>)> {
    records_of(COMMA, bytes, limit, buffer)
}

fn records_of(
    dialect: Dialect,
    bytes: &[u8],
    limit: u64,
    buffer: usize,
) -> Vec<(u64, Kind, Vec<u8>)> {
    let input = BufReader::with_capacity(buffer, Cursor::new(bytes.to_vec()));
    let mut records = Records::new(Box::new(input), dialect, limit);
    let mut found = Vec::new();
    while let Some(frame) = records.next().unwrap() {
        found.push((frame.number, frame.kind, frame.bytes.to_vec()));
    }
    found
}

fn fields(record: &[u8]) -> Result<Vec<Vec<u8>>, BadQuote> {
    let mut fields = Fields::default();
    fields.split(record, COMMA)?;
    Ok((0..fields.len()).map(|place| fields.get(place).to_vec()).collect())
}

#[test]
fn line_ends_in_quotes_belong_to_the_record() {
    let bytes = b"a,\"b\r\nc\"\r\n\r\n\"x\"\"\n\",y\r\"z,\n";
    for buffer in [1, 2, 5, 4096] {
        let found = records(bytes, 100, buffer);
        assert_eq!(found[0], (1, Kind::Row, b"a,\"b\r\nc\"\r\n".to_vec()));
        assert_eq!(found[1], (1, Kind::Blank, b"\r\n".to_vec()));
        assert_eq!(found[2], (2, Kind::Row, b"\"x\"\"\n\",y\r".to_vec()));
        assert_eq!(found[3], (3, Kind::Row, b"\"z,\n".to_vec()));
        assert_eq!(found.len(), 4);
    }
    assert_eq!(fields(b"\"z,\n"), Err(BadQuote::Open));
    assert_eq!(fields(b"a,\"Well,\" he said,b"), Err(BadQuote::Stray));
    assert_eq!(fields(b"a,5\" disk").unwrap(), [b"a".to_vec(), b"5\" disk".to_vec()]);
}

proptest! {
    #[test]
    fn fields_lie_where_they_are_cut(record in "[ab,\"]{0,20}") {
        if let Ok(fields) = fields(record.as_bytes()) {
            let unquoted = |place: Range<usize>| match record[place.clone()].strip_prefix('"') {
                Some(quoted) => quoted.strip_suffix('"').unwrap().replace("\"\"", "\""),
                None => record[place].to_string(),
            };
            let cut: Vec<_> = places(record.as_bytes(), COMMA).into_iter().map(|place| unquoted(place).into_bytes()).collect();
            prop_assert_eq!(cut, fields);
        }
    }
}

#[test]
fn a_record_over_the_limit_is_skipped_and_not_held() {
    let bytes = [b"\"".as_slice(), &[b'\n'; 1_000_000], b"\",b\r\nc,d\n"].concat();
    let mut records =
        Records::new(Box::new(BufReader::with_capacity(64, Cursor::new(bytes))), COMMA, 100);
    assert_eq!(records.next().unwrap().unwrap().kind, Kind::TooLong);
    assert!(records.buffer.capacity() < 1000);
    assert_eq!(records.next().unwrap().unwrap().bytes, b"c,d\n");
    assert!(records.next().unwrap().is_none());
}

proptest! {
    /// The csv crate is the reference: both must find the same fields in the same records.
    #[test]
    fn agrees_with_the_csv_crate(text in "[ab,\"\r\n光]{0,40}", buffer in 1usize..9) {
        let mut oracle = Vec::new();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        for record in reader.byte_records() {
            oracle.push(record.unwrap().iter().map(<[u8]>::to_vec).collect::<Vec<_>>());
        }
        let frames = records(text.as_bytes(), 1000, buffer);
        let joined: Vec<u8> = frames.iter().flat_map(|frame| frame.2.clone()).collect();
        prop_assert_eq!(joined, text.as_bytes());
        let rows: Vec<_> = frames.into_iter().filter(|frame| frame.1 == Kind::Row).collect();
        prop_assert_eq!(rows.len(), oracle.len());
        for (row, oracle) in rows.iter().zip(&oracle) {
            let mut fields = Fields::default();
            // A quote is left open only at the end of the file. The csv crate accepts both
            // kinds of bad quotes.
            let content = if fields.split(&row.2, COMMA) == Err(BadQuote::Open) {
                continue;
            } else {
                let content = row.2.strip_suffix(b"\n").unwrap_or(&row.2);
                content.strip_suffix(b"\r").unwrap_or(content)
            };
            if fields.split(content, COMMA).is_err() {
                continue;
            }
            let ours: Vec<_> = (0..fields.len()).map(|place| fields.get(place).to_vec()).collect();
            prop_assert_eq!(&ours, oracle);
        }
    }

    /// The csv crate is the reference here, too.
    #[test]
    fn other_quotes_and_escapes_agree_with_the_csv_crate(
        text in "[ab,'\\\\\n光]{0,40}",
        quote in prop::option::of(Just(b'\'')),
        escapes in prop::bool::ANY,
    ) {
        let dialect = Dialect { delimiter: b',', quote, escape: (escapes && quote.is_some()).then_some(b'\\') };
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .quoting(quote.is_some())
            .quote(b'\'')
            .escape(dialect.escape)
            .from_reader(text.as_bytes());
        let oracle: Vec<Vec<Vec<u8>>> = reader
            .byte_records()
            .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect())
            .collect();
        let rows = records_of(dialect, text.as_bytes(), 1000, 3);
        let rows: Vec<_> = rows.into_iter().filter(|row| row.1 == Kind::Row).collect();
        prop_assert_eq!(rows.len(), oracle.len());
        for (row, oracle) in rows.iter().zip(&oracle) {
            let mut fields = Fields::default();
            if fields.split(&row.2, dialect) == Err(BadQuote::Open) {
                continue;
            }
            let content = row.2.strip_suffix(b"\n").unwrap_or(&row.2);
            if fields.split(content, dialect).is_err() {
                continue;
            }
            let ours: Vec<_> = (0..fields.len()).map(|place| fields.get(place).to_vec()).collect();
            prop_assert_eq!(&ours, oracle);
        }
    }

    #[test]
    fn a_written_field_is_read_back_with_an_escape(value in "[ab,'\\\\\n光]{0,12}") {
        let dialect = Dialect { delimiter: b',', quote: Some(b'\''), escape: Some(b'\\') };
        let mut record = Vec::new();
        prop_assert!(push_field(&mut record, &value, dialect));
        let mut fields = Fields::default();
        fields.split(&record, dialect).unwrap();
        prop_assert_eq!((fields.len(), fields.get(0)), (1, value.as_bytes()));
        let none = Dialect { quote: None, ..dialect };
        prop_assert_eq!(push_field(&mut record, &value, none), !value.contains([',', '\n']));
    }

    #[test]
    fn a_written_field_is_read_back(value in "[ab,\"\r\n光]{0,12}") {
        let mut record = Vec::new();
        prop_assert!(push_field(&mut record, &value, COMMA));
        record.extend_from_slice(b",b");
        prop_assert_eq!(fields(&record).unwrap(), vec![value.into_bytes(), b"b".to_vec()]);
    }
}
