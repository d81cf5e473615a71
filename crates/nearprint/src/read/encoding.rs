//! The character encoding of text files: the setting, the encoding of one file, and bytes in it
//! into UTF-8 and back.
//!
//! Line feeds and carriage returns are the same bytes in all of these encodings but UTF-16, even in
//! damaged text. So the n-th line end of the decoded text is the n-th one of the file.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::str::FromStr;

use encoding_rs::{
    Decoder, DecoderResult, EncoderResult, GB18030, GBK, ISO_2022_JP, UTF_16BE, UTF_16LE,
};

pub(crate) use encoding_rs::UTF_8;

use super::lines::filled;

/// The encoding of one file.
pub(crate) type FileEncoding = &'static encoding_rs::Encoding;

/// The encoding of the text files among the input: one for all, or `auto`. Written as a label of
/// the WHATWG Encoding Standard, in any case. GBK is read as GB18030, which contains it.
///
/// ```
/// use nearprint::read::Encoding;
/// assert_eq!("gbk".parse::<Encoding>().unwrap().to_string(), "GB18030");
/// assert_eq!("latin1".parse::<Encoding>().unwrap().to_string(), "windows-1252");
/// assert_eq!("auto".parse::<Encoding>().unwrap(), Encoding::AUTO);
/// assert!("klingon".parse::<Encoding>().unwrap_err().contains("GB18030"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Encoding(Option<FileEncoding>);

impl Encoding {
    /// The encoding is detected for each file.
    pub const AUTO: Encoding = Encoding(None);

    /// The one encoding of all files; `None` for `auto`.
    pub(crate) fn of_all(self) -> Option<FileEncoding> {
        self.0
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.map_or("auto", name))
    }
}

impl FromStr for Encoding {
    type Err = String;

    fn from_str(label: &str) -> Result<Encoding, String> {
        if label == "auto" {
            return Ok(Encoding::AUTO);
        }
        match encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()) {
            // What a byte means depends on the bytes before, so rows cannot be copied alone.
            Some(encoding) if encoding == ISO_2022_JP => {
                Err("ISO-2022-JP is not read; convert the files to UTF-8".to_string())
            }
            Some(encoding) if encoding == GBK => Ok(Encoding(Some(GB18030))),
            Some(encoding) => Ok(Encoding(Some(encoding))),
            None => Err(format!(
                "\"{label}\" is neither auto nor a known encoding, such as UTF-8, GB18030, Big5, \
                 Shift_JIS, EUC-KR, UTF-16LE or windows-1252"
            )),
        }
    }
}

as_text!(Encoding);

/// The usual name of an encoding.
pub(crate) fn name(encoding: FileEncoding) -> &'static str {
    if encoding == GB18030 { "GB18030" } else { encoding.name() }
}

/// The byte order mark U+FEFF in this encoding; empty if it cannot write it.
pub(crate) fn byte_order_mark(encoding: FileEncoding) -> &'static [u8] {
    match () {
        () if encoding == UTF_8 => b"\xef\xbb\xbf",
        () if encoding == UTF_16LE => b"\xff\xfe",
        () if encoding == UTF_16BE => b"\xfe\xff",
        () if encoding == GB18030 => b"\x84\x31\x95\x33",
        () => b"",
    }
}

/// The encoding that a byte order mark of UTF-8 or UTF-16 at the start tells.
pub(super) fn marked(start: &[u8]) -> Option<FileEncoding> {
    encoding_rs::Encoding::for_bom(start).map(|(encoding, _)| encoding)
}

/// The number of bytes of the longest of these marks.
pub(super) const MARK: usize = 3;

/// Returns true if one of these marks begins with this byte.
pub(super) fn may_be_marked(first: u8) -> bool {
    matches!(first, 0xef | 0xfe | 0xff)
}

/// Text in UTF-8 -> its bytes in an encoding, without a byte order mark; `None` if the text has a
/// character that the encoding cannot write, or is no UTF-8.
pub(crate) fn encoded(text: &[u8], encoding: FileEncoding) -> Option<Cow<'_, [u8]>> {
    if encoding == UTF_8 {
        return Some(Cow::Borrowed(text));
    }
    let text = std::str::from_utf8(text).ok()?;
    if encoding == UTF_16LE || encoding == UTF_16BE {
        let bytes = |unit: u16| match encoding == UTF_16LE {
            true => unit.to_le_bytes(),
            false => unit.to_be_bytes(),
        };
        return Some(Cow::Owned(text.encode_utf16().flat_map(bytes).collect()));
    }
    let mut encoder = encoding.new_encoder();
    let most = encoder.max_buffer_length_from_utf8_without_replacement(text.len())?;
    let mut bytes = Vec::with_capacity(most);
    match encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true) {
        (EncoderResult::InputEmpty, _) => Some(Cow::Owned(bytes)),
        (EncoderResult::OutputFull | EncoderResult::Unmappable(_), _) => None,
    }
}

/// A byte that no UTF-8 text has.
const NO_TEXT: u8 = 0xff;

/// The number of bytes that are decoded at a time.
const BUFFER: usize = 64 << 10;

/// Bytes in an encoding -> UTF-8. Each sequence of bytes that is invalid in the encoding becomes
/// the byte 0xFF, so that its row is no UTF-8 and is refused.
pub(super) struct Decoded {
    input: Box<dyn BufRead + Send>,
    decoder: Decoder,
    /// Decoded bytes, and the number of them that are consumed.
    ready: Vec<u8>,
    consumed: usize,
    ended: bool,
}

impl Decoded {
    /// Decodes all bytes of `input`, which has no byte order mark.
    pub fn new(input: Box<dyn BufRead + Send>, encoding: FileEncoding) -> Decoded {
        let decoder = encoding.new_decoder_without_bom_handling();
        Decoded { input, decoder, ready: Vec::new(), consumed: 0, ended: false }
    }

    /// Decodes the next bytes, at least one unless the input ends.
    fn decode(&mut self) -> io::Result<()> {
        self.consumed = 0;
        self.ready.clear();
        while self.ready.is_empty() && !self.ended {
            let bytes = filled(&mut *self.input)?;
            let is_last = bytes.is_empty();
            self.ready.resize(BUFFER + 1, 0);
            let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(
                bytes,
                &mut self.ready[..BUFFER],
                is_last,
            );
            self.ready.truncate(written);
            self.input.consume(read);
            match result {
                DecoderResult::InputEmpty => self.ended = is_last,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => self.ready.push(NO_TEXT),
            }
        }
        Ok(())
    }
}

impl Read for Decoded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Decoded {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.consumed == self.ready.len() {
            self.decode()?;
        }
        Ok(&self.ready[self.consumed..])
    }

    fn consume(&mut self, count: usize) {
        self.consumed += count;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;

    const LABELS: [&str; 9] = [
        "gb18030",
        "big5",
        "shift_jis",
        "euc-jp",
        "euc-kr",
        "utf-16le",
        "utf-16be",
        "windows-1252",
        "koi8-r",
    ];

    fn of(label: &str) -> FileEncoding {
        label.parse::<Encoding>().unwrap().of_all().unwrap()
    }

    fn decoded(bytes: &[u8], encoding: FileEncoding, buffer: usize) -> Vec<u8> {
        let input = BufReader::with_capacity(buffer, Cursor::new(bytes.to_vec()));
        let mut out = Vec::new();
        Decoded::new(Box::new(input), encoding).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn text_comes_back_from_its_bytes_whatever_the_buffer() {
        for (label, text) in [
            ("gbk", "春眠不觉晓，𠀀\r\nabc|\\"),
            ("big5", "春眠不覺曉\nabc"),
            ("sjis", "ソース能\r\nabc"),
            ("euc-kr", "봄\nabc"),
            ("utf-16le", "一光\u{10000}\r\nabc"),
            ("utf-16be", "一光\u{10000}\r\nabc"),
            ("latin1", "naïve\nabc"),
        ] {
            let bytes = encoded(text.as_bytes(), of(label)).unwrap();
            for buffer in [1, 2, 3, 5, 4096] {
                assert_eq!(decoded(&bytes, of(label), buffer), text.as_bytes(), "{label}");
            }
        }
        assert_eq!(encoded("光".as_bytes(), of("latin1")), None);
        let long = "春眠".repeat(100_000);
        let bytes = encoded(long.as_bytes(), of("gbk")).unwrap();
        assert_eq!(decoded(&bytes, of("gbk"), 4096), long.as_bytes());
    }

    #[test]
    fn invalid_bytes_leave_a_mark_and_no_line_end_is_lost() {
        assert_eq!(decoded(b"a\x81\nb\xff", of("gbk"), 1), b"a\xff\nb\xff");
        assert_eq!(decoded(b"a\0\x00\xd8\n\0b", of("utf-16le"), 2), b"a\xff\n\xff");
        // Pseudorandom bytes with many line ends.
        let mut state = 7_u32;
        let bytes: Vec<u8> = (0..60_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if state >> 30 == 0 {
                    b"\r\n"[(state >> 20 & 1) as usize]
                } else {
                    (state >> 22) as u8
                }
            })
            .collect();
        let line_ends = |bytes: &[u8]| -> Vec<u8> {
            bytes.iter().copied().filter(|byte| matches!(byte, b'\r' | b'\n')).collect()
        };
        for label in LABELS.into_iter().filter(|label| !label.starts_with("utf-16")) {
            let text = decoded(&bytes, of(label), 4096);
            assert_eq!(line_ends(&text), line_ends(&bytes), "{label}");
        }
    }
}
