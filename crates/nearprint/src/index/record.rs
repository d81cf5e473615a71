//! What the store keeps of a document <-> bytes, each record with its hash at its end: a flipped bit is noticed when the record is read.

use std::cell::RefCell;

use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::bulk::{Compressor, Decompressor};

use crate::document::FieldValue;
use crate::short::Signature;

/// Bytes of the hash at the end of a record.
const HASH: usize = 8;

/// The zstd level of texts.
const LEVEL: i32 = 1;

thread_local! {
    /// Making one takes longer than a text does.
    static COMPRESSOR: RefCell<Compressor<'static>> = RefCell::new(Compressor::new(LEVEL).expect("there is memory for it"));
    static DECOMPRESSOR: RefCell<Decompressor<'static>> = RefCell::new(Decompressor::new().expect("there is memory for it"));
}

/// The print of a document: what is searched by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Print {
    /// The XXH3-128 of its normalized text.
    pub text_hash: u128,
    /// How it is looked for.
    pub kind: Kind,
    /// Its characters that count, and some of their pairs, where it is compared by these.
    pub short: Option<(u32, Signature)>,
    /// Its fingerprint; of a document that is not searched by it bits of the hash of its text, by which equal texts are found.
    pub words: [u64; 4],
}

/// How a document is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kind(u8);

impl Kind {
    const SEARCHED: u8 = 1;
    const SHORT: u8 = 2;
    const EMPTY: u8 = 4;

    /// Of a document that is searched by its fingerprint, that is short, or that is empty.
    pub fn new(is_searched: bool, is_short: bool, is_empty: bool) -> Kind {
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        Kind(bit(is_searched, Kind::SEARCHED) | bit(is_short, Kind::SHORT) | bit(is_empty, Kind::EMPTY))
    }

    /// As a file has it.
    pub fn of_byte(byte: u8) -> Kind {
        Kind(byte)
    }

    /// For a file.
    pub fn byte(self) -> u8 {
        self.0
    }

    /// Whether it is searched by its fingerprint.
    pub fn is_searched(self) -> bool {
        self.0 & Kind::SEARCHED != 0
    }

    /// Whether it is short.
    pub fn is_short(self) -> bool {
        self.0 & Kind::SHORT != 0
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.0 & Kind::EMPTY != 0
    }
}

/// The text of a document, as the judge compares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Characters as read.
    pub characters: u32,
    /// Distinct features.
    pub features: u32,
    /// Normalized, or as read where texts are kept as they were read.
    pub text: String,
}

/// Ends a record with the hash of its bytes, of the number of its document and of what stands beside it in the store.
fn sealed(number: u32, beside: &[u8], mut bytes: Vec<u8>) -> Vec<u8> {
    let hash = hash(number, beside, &bytes);
    bytes.extend(hash.to_le_bytes());
    bytes
}

fn hash(number: u32, beside: &[u8], bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, xxh3_64_with_seed(beside, number.into()))
}

/// The bytes of a record; `None` where they are others than were written, or what stands beside them.
fn opened<'r>(number: u32, beside: &[u8], bytes: &'r [u8]) -> Option<&'r [u8]> {
    let (bytes, end) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    (hash(number, beside, bytes).to_le_bytes() == end).then_some(bytes)
}

/// Takes bytes off the front.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}

impl Print {
    /// The record of the document of a number, whose fingerprints have `each` words.
    pub fn record(&self, number: u32, each: usize) -> Vec<u8> {
        let mut bytes = vec![self.kind.0, u8::from(self.short.is_some())];
        bytes.extend(self.text_hash.to_le_bytes());
        self.words[..each].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        if let Some((characters, signature)) = &self.short {
            bytes.extend(characters.to_le_bytes());
            signature.words().iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        sealed(number, b"", bytes)
    }

    /// That of a record; `None` where it is damaged.
    pub fn of_record(number: u32, each: usize, record: &[u8]) -> Option<Print> {
        let mut bytes = opened(number, b"", record)?;
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
                let words = [u64::from_le_bytes(take(&mut bytes)?), u64::from_le_bytes(take(&mut bytes)?)];
                Some((characters, Signature::of_words(words)))
            }
        };
        bytes.is_empty().then_some(Print { text_hash, kind: Kind(kind), short, words })
    }
}

/// A text before it has the number of its document.
#[derive(Debug)]
pub struct Packed(Vec<u8>);

impl Packed {
    /// The record of the document of a number.
    pub fn record(self, number: u32) -> Vec<u8> {
        sealed(number, b"", self.0)
    }
}

impl Text {
    /// What a record holds: compressed.
    pub fn packed(&self) -> Packed {
        let mut bytes = Vec::with_capacity(self.text.len() / 2 + 64);
        for value in [self.characters, self.features, self.text.len() as u32] {
            bytes.extend(value.to_le_bytes());
        }
        let compressed = COMPRESSOR.with_borrow_mut(|compressor| compressor.compress(self.text.as_bytes()));
        bytes.extend(compressed.expect("there is memory for a text"));
        Packed(bytes)
    }

    /// That of a record; `None` where it is damaged.
    pub fn of_record(number: u32, record: &[u8]) -> Option<Text> {
        let mut bytes = opened(number, b"", record)?;
        let [characters, features, length] =
            [take(&mut bytes)?, take(&mut bytes)?, take(&mut bytes)?].map(u32::from_le_bytes);
        let text = DECOMPRESSOR.with_borrow_mut(|decompressor| decompressor.decompress(bytes, length as usize)).ok()?;
        Some(Text { characters, features, text: String::from_utf8(text).ok()? })
    }
}

/// The record of the fields of a document. What stands beside it in the store is hashed with it.
pub fn record_of_fields(number: u32, beside: &[u8], fields: &[(String, FieldValue)]) -> Vec<u8> {
    sealed(number, beside, rmp_serde::to_vec(fields).expect("fields are values"))
}

/// The fields of a record; `None` where it is damaged, or what stands beside it.
pub fn fields_of_record(number: u32, beside: &[u8], record: &[u8]) -> Option<Vec<(String, FieldValue)>> {
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
    fn a_print_comes_back_and_a_flipped_bit_is_noticed() {
        for (each, short) in [(1, None), (4, Some((7, Signature::new(&['天', 'a']))))] {
            let mut words = [0; 4];
            words[..each].fill(0x0123_4567_89ab_cdef);
            let print = Print { text_hash: 5 << 90, kind: Kind::new(true, false, false), short, words };
            let record = print.record(9, each);
            assert_eq!(Print::of_record(9, each, &record), Some(print));
            each_flip(&record, |record| Print::of_record(9, each, record).is_some());
            assert_eq!(Print::of_record(8, each, &record), None, "it is another document's");
        }
    }

    #[test]
    fn a_text_comes_back_and_a_flipped_bit_is_noticed() {
        for text in ["", "床前明月光", "a ferry a ferry a ferry a ferry"] {
            let text = Text { characters: 3, features: 2, text: text.to_string() };
            let record = text.packed().record(1);
            assert_eq!(Text::of_record(1, &record), Some(text));
            each_flip(&record, |record| Text::of_record(1, record).is_some());
        }
    }

    #[test]
    fn fields_come_back_with_what_stands_beside_them() {
        let fields =
            vec![("a".to_string(), FieldValue::Integer(-(1 << 70))), ("b".into(), FieldValue::Text("诗".into()))];
        let record = record_of_fields(3, b"id", &fields);
        assert_eq!(fields_of_record(3, b"id", &record), Some(fields));
        assert_eq!(fields_of_record(3, b"ie", &record), None);
        each_flip(&record, |record| fields_of_record(3, b"id", record).is_some());
    }
}
