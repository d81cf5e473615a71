//! Text -> its NFKC form (Unicode Standard Annex 15), most of it without the Unicode tables.

use unicode_normalization::UnicodeNormalization;

use super::{ascii_run, han_run};

/// NFKC of the whole text. ASCII and Han are copied run by run, and some more characters mapped one by one; each run of
/// others goes through the tables, together with the one character before it, which it may compose with.
pub(super) fn nfkc(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Where the last copied character stands in `text` and in `out`: a run of others starts there.
    let (mut last_in, mut last_out) = (0, 0);
    let mut at = 0;
    while at < text.len() {
        let bytes = &text.as_bytes()[at..];
        let ascii = ascii_run(bytes);
        let (run, last) = if ascii > 0 { (ascii, 1) } else { (han_run(bytes), 3) };
        if run > 0 {
            out.push_str(&text[at..at + run]);
            at += run;
            (last_in, last_out) = (at - last, out.len() - last);
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        if let Some(plain) = without_tables(c) {
            (last_in, last_out) = (at, out.len());
            out.push(plain);
            at += c.len_utf8();
        } else {
            let length = text[at..].find(|c| without_tables(c).is_some()).unwrap_or(text.len() - at);
            out.truncate(last_out);
            out.extend(text[last_in..at + length].nfkc());
            at += length;
            (last_in, last_out) = (at, out.len());
        }
    }
    out
}

/// The NFKC form of a character that has one of its own whatever stands before it, and is a starter.
fn without_tables(c: char) -> Option<char> {
    match c {
        '\0'..='\u{7f}' => Some(c),
        '\u{4e00}'..='\u{9fff}' => Some(c),
        // Full-width ! to ~.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xff01 + 0x21),
        // Ideographic space, comma, full stop, brackets and Chinese quotation marks.
        '\u{3000}' => Some(' '),
        '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' => {
            Some(c)
        }
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// ASCII, Han, full-width forms, marks that compose, Hangul, kana and everything else.
    pub(in super::super) fn mixed_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[ -~]{0,6}",
            "[a-zA-Z0-9 ,.]{20,90}",
            "[一-龥]{0,6}",
            "[\u{ff01}-\u{ff5e}\u{3000}-\u{3020}]{0,4}",
            "[\u{300}-\u{310}]{0,3}",
            "[가-힣ᄀ-ᇂ\u{1161}-\u{1175}]{0,3}",
            "[か-ぽ\u{3099}\u{309a}ｱ-ﾟ]{0,4}",
            "\\PC{0,4}",
        ];
        proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn nfkc_equals_the_plain_tables(text in mixed_text()) {
            prop_assert_eq!(nfkc(&text), text.nfkc().collect::<String>());
        }
    }
}
