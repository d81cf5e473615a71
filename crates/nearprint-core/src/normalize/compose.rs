//! A character -> its NFKC form (Unicode Standard Annex 15), if that needs no tables; and the
//! length of a run of other characters.

/// The NFKC form of a character, if it does not depend on the character before it, is a starter,
/// and stays one character in lower case.
pub(super) fn without_tables(c: char) -> Option<char> {
    match c {
        '\0'..='\u{7f}' | '\u{4e00}'..='\u{9fff}' => Some(c),
        // Full-width ! to ~, and the ideographic space.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xff01 + 0x21),
        '\u{3000}' => Some(' '),
        // Ideographic comma, full stop, brackets; dashes and quotation marks.
        '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' => Some(c),
        '\u{2010}' | '\u{2012}'..='\u{2015}' | '\u{2018}'..='\u{201f}' => Some(c),
        // Letters of Latin and Cyrillic; İ becomes two characters in lower case, of which only the
        // last could be taken back.
        '\u{130}' => None,
        '\u{132}' | '\u{133}' | '\u{13f}' | '\u{140}' | '\u{149}' | '\u{17f}' => None,
        '\u{c0}'..='\u{1c3}' | '\u{1ea0}'..='\u{1eff}' | '\u{400}'..='\u{481}' => Some(c),
        // Kana and syllables of Hangul.
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{ac00}'..='\u{d7a3}' => Some(c),
        _ => None,
    }
}

/// Length in bytes of the leading characters that need the tables.
pub(super) fn run_with_tables(text: &str) -> usize {
    text.find(|c| without_tables(c).is_some()).unwrap_or(text.len())
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use unicode_normalization::char::canonical_combining_class;
    use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

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
            "[à-ǿẠ-ỹЀ-ѿ\u{323}\u{301}]{0,4}",
            "[“”‘’—。、「」\u{3000} ]{0,4}",
            "\\PC{0,4}",
        ];
        proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    #[test]
    fn what_needs_no_tables_has_a_form_of_its_own() {
        for c in '\0'..=char::MAX {
            if let Some(form) = without_tables(c) {
                assert!(
                    c.nfkc().eq([form]) && is_nfkc_quick([form].into_iter()) == IsNormalized::Yes,
                    "{c:?}"
                );
                assert_eq!(
                    (canonical_combining_class(c), form.to_lowercase().count()),
                    (0, 1),
                    "{c:?}"
                );
            }
        }
    }
}
