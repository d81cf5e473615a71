//! The record, the text and the fields of a document <-> bytes that end with their hash. A flipped
//! bit is noticed when they are read.

use std::cell::RefCell;

use nearprint_core::near::short::Signature;
use nearprint_core::near::{Kind, Record};
use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::bulk::{Compressor, Decompressor};

use crate::document::FieldValue;

/// The bytes of the hash at the end of a record.
const HASH: usize = 8;

/// The zstd level of compressed texts.
const LEVEL: i32 = 1;

/// The fewest bytes of a text that is compressed. Of a shorter one zstd saves little, and reads its
/// tables for longer than the text.
const COMPRESSED: usize = 512;

/// The first bytes of what zstd writes. No text in UTF-8 begins so.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

thread_local! {
    /// Each thread keeps its own: making one takes longer than compressing a text.
    static COMPRESSOR: RefCell<Compressor<'static>> = RefCell::new(Compressor::new(LEVEL).expect("there is memory for it"));
    static DECOMPRESSOR: RefCell<Decompressor<'static>> = RefCell::new(Decompressor::new().expect("there is memory for it"));
}

/// The text of a document, as the judge compares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The number of characters as read.
    pub characters: u32,
    /// The number of distinct features.
    pub features: u32,
    /// The text: normalized, or as read if the index stores texts.
    pub text: String,
}

/// Appends the hash of a record. It covers the bytes, the number of the document, and the other
/// columns of its row (`beside`).
fn sealed(number: u32, beside: &[u8], mut bytes: Vec<u8>) -> Vec<u8> {
    let hash = hash(number, beside, &bytes);
    bytes.extend(hash.to_le_bytes());
    bytes
}

fn hash(number: u32, beside: &[u8], bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, xxh3_64_with_seed(beside, number.into()))
}

/// The bytes of a record without their hash; `None` if the hash does not match.
fn opened<'r>(number: u32, beside: &[u8], bytes: &'r [u8]) -> Option<&'r [u8]> {
    let (bytes, end) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    (hash(number, beside, bytes).to_le_bytes() == end).then_some(bytes)
}

/// Removes bytes from the front, and returns them.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}

/// The bytes of the record of a document. `each` is the number of words of a fingerprint.
pub fn bytes_of_record(record: &Record, number: u32, each: usize) -> Vec<u8> {
    let mut bytes = vec![record.kind.byte(), u8::from(record.short.is_some())];
    bytes.extend(record.text_hash.to_le_bytes());
    record.words[..each].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    if let Some((characters, signature)) = &record.short {
        bytes.extend(characters.to_le_bytes());
        signature.words().iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    }
    sealed(number, b"", bytes)
}

/// The record of these bytes; `None` if they are damaged.
pub fn record_of_bytes(number: u32, each: usize, bytes: &[u8]) -> Option<Record> {
    let mut bytes = opened(number, b"", bytes)?;
    let [kind, has_short] = take(&mut bytes)?;
    let text_hash = u128::from_le_bytes(take(&mut bytes)?);
    let mut words = [0; 4];
    for word in &mut words[..each] {
        *word = u64::from_le_bytes(take(&mut bytes)?);
    }
    let short = match has_short {
        0 => None,
        _ => {
            let characters = u32::from_le_bytes(take(&mut bytes)?);
            let words =
                [u64::from_le_bytes(take(&mut bytes)?), u64::from_le_bytes(take(&mut bytes)?)];
            Some((characters, Signature::of_words(words)))
        }
    };
    bytes.is_empty().then_some(Record { text_hash, kind: Kind::of_byte(kind), short, words })
}

/// The bytes of a text before the document has a number.
#[derive(Debug)]
pub struct Packed(Vec<u8>);

impl Packed {
    /// The bytes with their hash.
    pub fn record(self, number: u32) -> Vec<u8> {
        sealed(number, b"", self.0)
    }
}

impl Text {
    /// The text in bytes, compressed unless it is short.
    pub fn packed(&self) -> Packed {
        let mut bytes = Vec::with_capacity(self.text.len() / 2 + 64);
        for value in [self.characters, self.features, self.text.len() as u32] {
            bytes.extend(value.to_le_bytes());
        }
        if self.text.len() < COMPRESSED {
            bytes.extend(self.text.as_bytes());
            return Packed(bytes);
        }
        let compressed =
            COMPRESSOR.with_borrow_mut(|compressor| compressor.compress(self.text.as_bytes()));
        bytes.extend(compressed.expect("there is memory for a text"));
        Packed(bytes)
    }

    /// The text of these bytes; `None` if they are damaged.
    pub fn of_record(number: u32, record: &[u8]) -> Option<Text> {
        let mut bytes = opened(number, b"", record)?;
        let [characters, features, length] =
            [take(&mut bytes)?, take(&mut bytes)?, take(&mut bytes)?].map(u32::from_le_bytes);
        let text = match bytes.starts_with(&FRAME) {
            true => DECOMPRESSOR
                .with_borrow_mut(|decompressor| decompressor.decompress(bytes, length as usize))
                .ok()?,
            false => bytes.to_vec(),
        };
        Some(Text { characters, features, text: String::from_utf8(text).ok()? })
    }
}

/// The bytes of the fields of a document. Their hash covers the other columns of the row
/// (`beside`).
pub fn record_of_fields(number: u32, beside: &[u8], fields: &[(String, FieldValue)]) -> Vec<u8> {
    sealed(number, beside, rmp_serde::to_vec(fields).expect("fields are values"))
}

/// The fields of these bytes; `None` if they or the other columns of the row are damaged.
pub fn fields_of_record(
    number: u32,
    beside: &[u8],
    record: &[u8],
) -> Option<Vec<(String, FieldValue)>> {
    rmp_serde::from_slice(opened(number, beside, record)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each_flip(record: &[u8], is_read: impl Fn(&[u8]) -> bool) {
        assert!(is_read(record));
        for bit in 0..record.len() * 8 {
            let mut flipped = record.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_read(&flipped), "bit {bit}");
        }
        (0..record.len()).for_each(|length| assert!(!is_read(&record[..length])));
    }

    #[test]
    fn a_record_comes_back_and_a_flipped_bit_is_noticed() {
        for (each, short) in [(1, None), (4, Some((7, Signature::new(&['天', 'a']))))] {
            let mut words = [0; 4];
            words[..each].fill(0x0123_4567_89ab_cdef);
            let record =
                Record { text_hash: 5 << 90, kind: Kind::new(true, false, false), short, words };
            let bytes = bytes_of_record(&record, 9, each);
            assert_eq!(record_of_bytes(9, each, &bytes), Some(record));
            each_flip(&bytes, |bytes| record_of_bytes(9, each, bytes).is_some());
            assert_eq!(record_of_bytes(8, each, &bytes), None, "it is another document's");
        }
    }

    #[test]
    fn a_text_comes_back_and_a_flipped_bit_is_noticed() {
        let long = "a ferry ".repeat(COMPRESSED);
        for text in ["", "床前明月光", &long[..COMPRESSED - 1], &long[..COMPRESSED], &long] {
            let text = Text { characters: 3, features: 2, text: text.to_string() };
            let record = text.packed().record(1);
            assert_eq!(Text::of_record(1, &record), Some(text));
            each_flip(&record, |record| Text::of_record(1, record).is_some());
        }
    }

    #[test]
    fn fields_come_back_with_what_stands_beside_them() {
        let fields = vec![
            ("a".to_string(), FieldValue::Integer(-(1 << 70))),
            ("b".into(), FieldValue::Text("诗".into())),
        ];
        let record = record_of_fields(3, b"id", &fields);
        assert_eq!(fields_of_record(3, b"id", &record), Some(fields));
        assert_eq!(fields_of_record(3, b"ie", &record), None);
        each_flip(&record, |record| fields_of_record(3, b"id", record).is_some());
    }
}
