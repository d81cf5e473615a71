//! Text in scripts that write their words apart -> words, by the boundaries of Unicode Standard Annex 29.
//!
//! ASCII stretches, nearly everything in English, go through a small state machine that knows only the ASCII part of
//! the rules; a test holds it against the full tables.

use unicode_segmentation::UnicodeSegmentation;

/// Rules and tables. Raise it whenever they change.
pub(super) const NAME: &str = "UAX 29, Unicode 17";

/// Words of any text, by the full tables.
pub(super) fn unicode<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    text.unicode_words().for_each(each);
}

/// Words of ASCII text: what [`unicode`] gives, faster.
pub(super) fn ascii<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(Class::Other, |byte| CLASSES[*byte as usize & 127]);
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut word = false;
        let mut last = class(at);
        at += 1;
        if !matches!(last, Class::Letter | Class::Digit | Class::Joiner) {
            continue;
        }
        loop {
            word |= matches!(last, Class::Letter | Class::Digit);
            let next = class(at);
            match (last, next) {
                // WB5, WB8-10, WB13a, WB13b: letters, digits and underscores hold together.
                (_, Class::Letter | Class::Digit | Class::Joiner) => {
                    last = next;
                    at += 1;
                }
                // WB6, WB7: a letter on both sides of a colon, full stop or apostrophe.
                (Class::Letter, Class::BetweenLetters | Class::BetweenBoth) if class(at + 1) == Class::Letter => {
                    last = Class::Letter;
                    at += 2;
                }
                // WB11, WB12: a digit on both sides of a comma, semicolon, full stop or apostrophe.
                (Class::Digit, Class::BetweenDigits | Class::BetweenBoth) if class(at + 1) == Class::Digit => {
                    last = Class::Digit;
                    at += 2;
                }
                _ => break,
            }
        }
        if word {
            each(&text[start..at]);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    /// The underscore (ExtendNumLet).
    Joiner,
    BetweenLetters,
    BetweenDigits,
    BetweenBoth,
    Other,
}

const CLASSES: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Joiner,
            b':' => Class::BetweenLetters,
            b',' | b';' => Class::BetweenDigits,
            b'.' | b'\'' => Class::BetweenBoth,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn ascii_words_equal_the_full_tables(text in prop_oneof!["[!-~]{0,24}", "[a-c1-3_.,:;'\"-]{0,24}"]) {
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            ascii(&text, &mut |word| fast.push(word));
            unicode(&text, &mut |word| slow.push(word));
            prop_assert_eq!(fast, slow);
        }
    }
}
