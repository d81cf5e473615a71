//! Text of the input -> text that is safe on a terminal. Control characters become `\u{1b}`, and so
//! do characters that change the direction of writing, begin a line, or are invisible.
//!
//! Ids, texts and names of fields may hold characters that move the cursor, change colors or ring
//! the bell. All output for people goes through here; output for programs (JSON, TOML) has its own
//! escapes.

use std::borrow::Cow;

use nearprint_core::signs::is_hidden;

/// A text on one line, with every control character (C0, DEL, C1), every other character that a
/// terminal may obey, and every invisible character escaped.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// A text as [`visible`] shows it, with its line feeds and tabs.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// True if a character joins these two, as in words of Persian or Hindi and in emoji. Between Latin
/// letters it does nothing.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_beyond_latin = |c: Option<char>| c.is_some_and(|c| c > '\u{24f}');
    matches!(c, '\u{200c}' | '\u{200d}') && is_beyond_latin(before) && is_beyond_latin(after)
}

fn escaped(text: &str, is_hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let (mut before, mut rest) = (None, text.chars());
    while let Some(c) = rest.next() {
        let is_shown = !is_hidden(c) || joins(before, c, rest.clone().next());
        if is_shown {
            out.push(c)
        } else {
            out.extend(c.escape_unicode())
        }
        before = Some(c);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_nothing_else_is() {
        let text = "a\u{1b}[31m\u{7}b\r\n\t\u{7f}\u{9b}0m";
        assert_eq!(visible(text), "a\\u{1b}[31m\\u{7}b\\u{d}\\u{a}\\u{9}\\u{7f}\\u{9b}0m");
        assert_eq!(visible("a\u{202e}b\u{2029}"), "a\\u{202e}b\\u{2029}");
        assert_eq!(visible_lines(text), "a\\u{1b}[31m\\u{7}b\\u{d}\n\t\\u{7f}\\u{9b}0m");
        assert_eq!(
            visible("pay\u{200b}ment\u{feff} co\u{200d}op"),
            "pay\\u{200b}ment\\u{feff} co\\u{200d}op"
        );
        assert_eq!(
            visible("\u{7}می\u{200c}خواهم 👩\u{200d}🔬"),
            "\\u{7}می\u{200c}خواهم 👩\u{200d}🔬"
        );
        let plain = "床前明月光, \\u{1b} naïve 🙂";
        assert!(matches!(visible(plain), Cow::Borrowed(same) if same == plain));
    }
}
