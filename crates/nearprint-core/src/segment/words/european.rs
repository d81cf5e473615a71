//! Text of European languages -> words, by a state machine over classes of frequent characters.

/// Returns true if all characters of a text have a class.
pub(super) fn has_classes(text: &str) -> bool {
    text.chars().all(|c| class(c).is_some())
}

/// Hands on the words of a text whose characters all have a class.
pub(super) fn european<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    let class_at = |at: usize| {
        text[at..].chars().next().map_or((Class::Other, 0), |c| (class_of(c), c.len_utf8()))
    };
    let mut at = 0;
    while at < text.len() {
        let start = at;
        let mut word = false;
        let (mut last, length) = class_at(at);
        at += length;
        if !matches!(last, Class::Letter | Class::Digit | Class::Joiner) {
            continue;
        }
        loop {
            word |= matches!(last, Class::Letter | Class::Digit);
            let (next, length) = class_at(at);
            // WB6, WB7, WB11, WB12: a character between two letters, or two digits.
            let between = match last {
                Class::Letter => matches!(next, Class::BetweenLetters | Class::BetweenBoth),
                Class::Digit => matches!(next, Class::BetweenDigits | Class::BetweenBoth),
                _ => false,
            };
            match next {
                // WB5, WB8-10, WB13a, WB13b: letters, digits and underscores hold together.
                Class::Letter | Class::Digit | Class::Joiner => at += length,
                _ if between && class_at(at + length).0 == last => {
                    at += length + class_at(at + length).1
                }
                _ => break,
            }
            last = if between { last } else { next };
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

/// The class of a character, if it is frequent in European languages.
fn class(c: char) -> Option<Class> {
    Some(match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        '_' => Class::Joiner,
        ':' => Class::BetweenLetters,
        ',' | ';' => Class::BetweenDigits,
        '.' | '\'' => Class::BetweenBoth,
        '\0'..='\x7f' => Class::Other,
        '\u{d7}' | '\u{f7}' => Class::Other,
        '\u{c0}'..='\u{24f}' => Class::Letter,
        '\u{a0}'..='\u{a9}' | '\u{ab}' | '\u{b0}' | '\u{bb}' => Class::Other,
        '\u{2018}' | '\u{2019}' => Class::BetweenBoth,
        '\u{2010}'..='\u{2022}' | '\u{2026}' | '\u{20ac}' => Class::Other,
        _ => return None,
    })
}

fn class_of(c: char) -> Class {
    class(c).unwrap_or(Class::Other)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::cut_by;
    use super::super::{unicode, words};
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn european_words_equal_the_full_tables(
            text in "([a-c1-3_.,:;' ]|[\u{a0}-\u{a9}\u{ab}\u{b0}\u{bb}\u{c0}-\u{24f}]|[\u{2010}-\u{2022}\u{2026}\u{20ac}]|[\u{300}\u{b7}字]){0,30}"
        ) {
            let wanted = cut_by(|text, all| unicode(text, &mut |word| all.push(word)), &text);
            prop_assert_eq!(cut_by(|text, all| words(text, &mut |word| all.push(word)), &text), wanted);
        }
    }

    #[test]
    fn every_character_with_a_class_stands_alone_like_in_the_full_tables() {
        for c in ('\0'..='\u{ffff}').filter(|c| class(*c).is_some()) {
            for text in [
                format!("{c}"),
                format!("a{c}a"),
                format!("1{c}1"),
                format!("_{c}_"),
                format!("a{c}1"),
                format!("é{c}’{c}é"),
            ] {
                let wanted =
                    cut_by(|text, words| unicode(text, &mut |word| words.push(word)), &text);
                let found =
                    cut_by(|text, words| european(text, &mut |word| words.push(word)), &text);
                assert_eq!(found, wanted, "{text:?}");
            }
        }
    }
}
