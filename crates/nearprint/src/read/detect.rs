//! A beginning of a file -> the encoding that it is likely in.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{GB18030, GBK, SHIFT_JIS, UTF_16BE, UTF_16LE};

use super::compression::decompressed;
use super::encoding::{Encoding, FileEncoding, MARK, UTF_8, marked, name};
use super::{Compression, Format, Source};

/// The number of bytes at the beginning of a file, uncompressed, by which its encoding and its
/// quotes are detected.
pub(super) const BEGINNING: u64 = 1 << 20;

/// The fewest bytes beyond ASCII that an encoding is guessed by.
const FEWEST: usize = 2;

/// The fewest of these bytes in a file, and in a file where they stand in one row, by which an
/// encoding is suggested: some words of it.
const ENOUGH: usize = 6;
const ENOUGH_OF_A_ROW: usize = 16;

/// The number of groups of rows that are asked for their encoding.
const GROUPS: usize = 8;

/// One row in so many may be damaged, and one character in so many may be a control character.
const DAMAGED: usize = 10;
const CONTROLS: usize = 8;

/// The encoding of a file by the setting. A file whose encoding cannot be detected is read as
/// UTF-8, and the reader reports the damage that it finds.
pub(super) fn encoding_of(
    path: &Path,
    format: Format,
    compression: Compression,
    setting: Option<Encoding>,
) -> FileEncoding {
    let found = |most| beginning(path, compression, most);
    match setting.map(Encoding::of_all) {
        None => UTF_8,
        Some(_) if format == Format::Parquet => UTF_8,
        Some(None) => found(BEGINNING).and_then(|start| detected(&start)).unwrap_or(UTF_8),
        Some(Some(named)) if named == UTF_8 => UTF_8,
        // A mark of the file tells its encoding better than a setting for all files.
        Some(Some(named)) => found(MARK as u64).and_then(|start| marked(&start)).unwrap_or(named),
    }
}

/// The name of the encoding that a source read as UTF-8 is likely in instead; `None` if too little
/// speaks for one.
pub(super) fn likely(source: &Source) -> Option<&'static str> {
    let start = beginning(&source.path, source.compression, BEGINNING)?;
    detected(&start)
        .filter(|_| shows_enough(&start))
        .filter(|encoding| *encoding != UTF_8)
        .map(name)
}

/// Returns true if enough of a text is not UTF-8 that an encoding can be suggested to a person. A
/// few bytes in one row are damage. A zero byte or a mark is left to [`detected`].
fn shows_enough(start: &[u8]) -> bool {
    if start.contains(&0) || marked(start).is_some() {
        return true;
    }
    let foreign = foreign(start);
    foreign_bytes(&foreign) >= if foreign.len() == 1 { ENOUGH_OF_A_ROW } else { ENOUGH }
}

/// The rows of a text that are not UTF-8.
fn foreign(start: &[u8]) -> Vec<&[u8]> {
    let rows = start.split(|byte| *byte == b'\n');
    rows.filter(|row| std::str::from_utf8(row).is_err()).collect()
}

/// The number of bytes beyond ASCII in some rows.
fn foreign_bytes(rows: &[&[u8]]) -> usize {
    rows.iter().flat_map(|row| row.iter()).filter(|byte| !byte.is_ascii()).count()
}

/// The first bytes of a file, at most `most`, up to damage; `None` if it cannot be read at all.
fn beginning(path: &Path, compression: Compression, most: u64) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    let bytes = decompressed(File::open(path).ok()?, compression).ok()?;
    let read = bytes.take(most).read_to_end(&mut start);
    (read.is_ok() || !start.is_empty()).then_some(start)
}

/// The encoding of a text with this beginning; `None` if nothing speaks for one.
fn detected(start: &[u8]) -> Option<FileEncoding> {
    // The mark of UTF-32, which is not read.
    if start.starts_with(b"\xff\xfe\0\0") {
        return None;
    }
    if let Some(encoding) = marked(start) {
        return Some(encoding);
    }
    if start.contains(&0) {
        return utf_16(start);
    }
    let (mut valid, mut invalid, mut chunks) = (0, 0, start.utf8_chunks().peekable());
    while let Some(chunk) = chunks.next() {
        valid += chunk.valid().bytes().filter(|byte| !byte.is_ascii()).count();
        // The beginning may end inside of a character.
        let is_cut = chunks.peek().is_none() && start.len() as u64 == BEGINNING;
        invalid += if is_cut { 0 } else { chunk.invalid().len() };
    }
    if invalid == 0 {
        return Some(UTF_8);
    }
    // Damaged UTF-8 is not read as anything else.
    if valid > invalid || valid + invalid < FEWEST {
        return None;
    }
    let foreign = foreign(start);
    let rows = start.iter().filter(|byte| **byte == b'\n').count();
    if foreign.len() == 1 && rows >= DAMAGED && foreign_bytes(&foreign) < ENOUGH {
        return None;
    }
    let guess = match guessed(&foreign) {
        // The detector expects no text of these letters alone.
        guess if guess.is_single_byte() && is_half_width_katakana(start) => SHIFT_JIS,
        guess => guess,
    };
    fits(&foreign, guess).then_some(guess)
}

/// The encoding that these rows are likely in. One damaged character rules an encoding of several
/// bytes out, so groups of rows are asked, too.
fn guessed(rows: &[&[u8]]) -> FileEncoding {
    let whole = guess_of(rows);
    if !whole.is_single_byte() || rows.len() < GROUPS {
        return whole;
    }
    let guesses: Vec<FileEncoding> =
        rows.chunks(rows.len().div_ceil(GROUPS)).map(guess_of).collect();
    let votes = |guess: &&FileEncoding| guesses.iter().filter(|own| own == guess).count();
    let most = guesses.iter().max_by_key(votes).expect("there are rows");
    if 2 * votes(&most) > guesses.len() { most } else { whole }
}

fn guess_of(rows: &[&[u8]]) -> FileEncoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for row in rows {
        detector.feed(row, false);
        detector.feed(b"\n", false);
    }
    match detector.guess(None, Utf8Detection::Deny) {
        guess if guess == GBK => GB18030,
        guess => guess,
    }
}

/// Returns true if nearly all rows are text in an encoding.
fn fits(rows: &[&[u8]], encoding: FileEncoding) -> bool {
    let damaged = rows.iter().filter(|row| !is_text(row, encoding, CONTROLS)).count();
    damaged * DAMAGED <= rows.len()
}

/// Returns true if the bytes beyond ASCII are half-width katakana of Shift_JIS. Signs of Western
/// encodings such as `°` and `«` lie in the lower half of their range, but stand alone. Letters of
/// Cyrillic ones lie in the upper half.
fn is_half_width_katakana(start: &[u8]) -> bool {
    let words = start.split(u8::is_ascii).filter(|word| !word.is_empty());
    let (mut letters, mut words_of_one, mut low) = (0, 0, 0);
    for word in words {
        if word.iter().any(|byte| !matches!(byte, 0xa1..=0xdf)) {
            return false;
        }
        letters += word.len();
        words_of_one += usize::from(word.len() == 1);
        low += word.iter().filter(|&&byte| byte < 0xc0).count();
    }
    words_of_one * 4 < letters && low * 8 > letters
}

/// The order of bytes of a text in UTF-16 with this beginning, which has a zero byte.
fn utf_16(start: &[u8]) -> Option<FileEncoding> {
    let zero = start.iter().filter(|&&byte| byte == 0).count();
    let ascii = start.iter().filter(|byte| byte.is_ascii()).count() - zero;
    let is_ascii = ascii * 8 > (start.len() - zero) * 7;
    // English in UTF-16 has such bytes, too, but every other one is zero. A few are damage.
    if (is_ascii || std::str::from_utf8(start).is_ok()) && zero * 4 < start.len() {
        return None;
    }
    // The high bytes of a text are few and come often, whatever its script. Zeros alone do not tell:
    // 一 is U+4E00.
    let concentration = |first: usize| -> (u64, u64) {
        let mut counts = [0_u64; 256];
        start.iter().skip(first).step_by(2).for_each(|byte| counts[usize::from(*byte)] += 1);
        (counts.iter().map(|count| count * count).sum(), counts[0])
    };
    let guess = if concentration(1) > concentration(0) { UTF_16LE } else { UTF_16BE };
    is_text(start, guess, usize::MAX).then_some(guess)
}

/// Returns true if the bytes are valid in the encoding, and at most one character in `controls` is
/// a control character, white space aside. The last character may be cut off.
fn is_text(start: &[u8], encoding: FileEncoding, controls: usize) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let Some(most) = decoder.max_utf8_buffer_length_without_replacement(start.len()) else {
        return false;
    };
    let mut text = String::with_capacity(most);
    let (result, _) = decoder.decode_to_string_without_replacement(start, &mut text, false);
    let found =
        text.chars().filter(|letter| letter.is_control() && !letter.is_whitespace()).count();
    result == encoding_rs::DecoderResult::InputEmpty && found <= text.chars().count() / controls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::encoding::encoded;

    const CHINESE: &str =
        "{\"text\":\"人生若只如初见，何事秋风悲画扇。等闲变却故人心，却道故人心易变。\"}\n";
    const JAPANESE: &str = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n";
    const FRENCH: &str = "Les élèves ont passé l'été à la forêt, où la fenêtre était fermée.\n";

    fn of(text: &str, encoding: FileEncoding) -> Option<FileEncoding> {
        detected(&encoded(text.as_bytes(), encoding).unwrap())
    }

    #[test]
    fn the_encoding_of_ordinary_text_is_detected() {
        let traditional = "人生若只如初見，何事秋風悲畫扇。等閒變卻故人心，卻道故人心易變。\n";
        for (text, encoding) in [
            (CHINESE, GB18030),
            (traditional, encoding_rs::BIG5),
            (JAPANESE, encoding_rs::SHIFT_JIS),
            (JAPANESE, encoding_rs::EUC_JP),
            (FRENCH, encoding_rs::WINDOWS_1252),
            (CHINESE, UTF_16LE),
            (CHINESE, UTF_16BE),
            (CHINESE, UTF_8),
            ("plain\n", UTF_8),
        ] {
            assert_eq!(of(text, encoding), Some(encoding), "{}", encoding.name());
        }
        // The low byte of 一 is zero.
        let ones = "石桥镇的老桥上个月拆下了第一块石板，工匠发现桥拱里藏着一封信。\n";
        for encoding in [UTF_16LE, UTF_16BE] {
            assert_eq!(of(ones, encoding), Some(encoding), "{}", encoding.name());
        }
        let half_width = "id,text\n1,ｶ)ﾄｳｷｮｳｼｮｳｼﾞ ﾌﾘｺﾐ\n2,ﾐﾂﾋﾞｼ ｼﾞﾛｳ\n3,ﾔﾏﾀﾞ ﾊﾅｺ\n";
        assert_eq!(of(half_width, SHIFT_JIS), Some(SHIFT_JIS));
        let signs = "It was 25 °C, at £5 each «or so», ½ of it · 3 times © 2024\n";
        assert_ne!(of(signs, encoding_rs::WINDOWS_1252), Some(SHIFT_JIS));
        let russian = "пример текста, который написан строчными буквами без заглавных\n";
        assert_ne!(of(russian, encoding_rs::KOI8_R), Some(SHIFT_JIS));
        assert_eq!(detected(b"\xff\xfe\x00\x4e"), Some(UTF_16LE));
        assert_eq!(detected(b"\xff\xfe\0\0a\0\0\0"), None);
        assert_eq!(detected(b""), Some(UTF_8));
    }

    #[test]
    fn a_few_bytes_of_one_row_suggest_no_encoding() {
        let plain = "plain\n".repeat(9).into_bytes();
        let with = |row: &[u8], times: usize| [&plain[..], &row.repeat(times)].concat();
        for (text, is_enough) in [
            (with(b"id \xff\xfe\n", 1), false),
            (with(b"id \xff\xfe\n", 2), false),
            (with(b"un caf\xe9 cr\xe8me\n", 3), true),
            (with(&encoded(CHINESE.as_bytes(), GB18030).unwrap(), 1), true),
            (encoded(CHINESE.as_bytes(), UTF_16LE).unwrap().into_owned(), true),
        ] {
            assert_eq!(shows_enough(&text), is_enough, "{text:?}");
        }
    }

    #[test]
    fn a_damaged_row_or_a_control_character_hides_no_encoding() {
        let rows: Vec<String> =
            (0..40).map(|n| format!("{n},{}", &CHINESE[9..CHINESE.len() - 3])).collect();
        let text = encoded(rows.join("\n").as_bytes(), GB18030).unwrap().into_owned();
        let damaged = |bytes: &[u8]| {
            let mut damaged = text.clone();
            let end = damaged.iter().rposition(|byte| *byte == b'\n').unwrap();
            damaged.splice(end..end, bytes.iter().copied());
            detected(&damaged)
        };
        assert_eq!(damaged(b"\xb7 "), Some(GB18030));
        assert_eq!(damaged(b"\x7f\x1b"), Some(GB18030));
        // One damaged row of a text in ASCII is damage.
        let plain = ["plain\n".repeat(20).as_bytes(), b"bad \xff\xfe\n"].concat();
        assert_eq!(detected(&plain), None);
    }

    #[test]
    fn damaged_text_and_binary_data_are_nothing_else() {
        for text in ["春眠不觉晓\u{0}", "{\"id\":\"b\",\"text\":\"bin\u{0}ary\"}\n"] {
            assert_eq!(detected(text.as_bytes()), None);
        }
        assert_eq!(detected(b"id,text\n4,\xff\n5,\0\n6,good\n"), None);
        assert_eq!(detected(&[CHINESE.as_bytes(), b"\xff\xff"].concat()), None);
        assert_eq!(detected(b"ab\xff"), None);
        assert_eq!(detected(b"\x01\x02\xff\xfe\xfd\x03"), None);
        let cut = "光".repeat(BEGINNING as usize / 3 + 1);
        assert_eq!(detected(&cut.as_bytes()[..BEGINNING as usize]), Some(UTF_8));
    }
}
