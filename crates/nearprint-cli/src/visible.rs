//! Text of the input -> text that a terminal shows and does not obey: control characters as `\u{1b}`, and so those that
//! turn the direction of writing or begin a line.
//!
//! Ids, texts and names of fields may hold what moves the cursor, changes colors or rings the bell. Whatever a person
//! reads goes through here; what programs read (JSON, TOML) has escapes of its own.

use std::borrow::Cow;

/// A text on one line, every control character (C0, DEL, C1) escaped, and every one that a terminal may obey beside
/// these.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

/// The same, line feeds left as they are.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_obeyed(c) && c != '\n')
}

/// Control characters, line and paragraph separators, and the marks, overrides and isolates of bidirectional text.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
}

fn escaped(text: &str, is_hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_hidden(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
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
        assert_eq!(visible_lines(text), "a\\u{1b}[31m\\u{7}b\\u{d}\n\\u{9}\\u{7f}\\u{9b}0m");
        let plain = "床前明月光, \\u{1b} naïve 🙂";
        assert!(matches!(visible(plain), Cow::Borrowed(same) if same == plain));
    }
}
