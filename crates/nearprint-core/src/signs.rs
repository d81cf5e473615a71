//! Hidden characters: they show nothing, or change the direction of the text after them. Output for
//! people shows their codes instead.

/// Returns true if a character is hidden: a control character, a line or paragraph separator, a
/// mark, override or isolate of bidirectional text, a joiner, a filler, a tag, or a blank without
/// width.
///
/// ```
/// use nearprint_core::signs::is_hidden;
/// assert!(['\n', '\u{7f}', '\u{200b}', '\u{e007f}'].into_iter().all(is_hidden));
/// assert!(!['a', ' ', '葫', '\u{301}'].into_iter().any(is_hidden));
/// ```
pub fn is_hidden(c: char) -> bool {
    HIDDEN.iter().any(|[first, last]| (*first..=*last).contains(&c))
}

/// Returns true if a character shows nothing: it is a variation selector, or it is hidden, and no
/// control character or separator of lines or paragraphs.
///
/// ```
/// use nearprint_core::signs::shows_nothing;
/// assert!(['\u{200b}', '\u{ad}', '\u{202e}', '\u{fe0f}'].into_iter().all(shows_nothing));
/// assert!(![' ', '\n', '\u{2028}', '字', '\u{301}'].into_iter().any(shows_nothing));
/// ```
pub fn shows_nothing(c: char) -> bool {
    let is_selector = matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    is_selector || is_hidden(c) && !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}')
}

/// The first and the last character of each range of hidden characters, in order.
pub const HIDDEN: &[[char; 2]] = &[
    ['\0', '\u{1f}'],
    ['\u{7f}', '\u{9f}'],
    ['\u{ad}', '\u{ad}'],
    ['\u{34f}', '\u{34f}'],
    ['\u{61c}', '\u{61c}'],
    ['\u{115f}', '\u{1160}'],
    ['\u{17b4}', '\u{17b5}'],
    ['\u{180b}', '\u{180f}'],
    ['\u{200b}', '\u{200f}'],
    ['\u{2028}', '\u{202e}'],
    ['\u{2060}', '\u{206f}'],
    ['\u{3164}', '\u{3164}'],
    ['\u{feff}', '\u{feff}'],
    ['\u{ffa0}', '\u{ffa0}'],
    ['\u{fff9}', '\u{fffb}'],
    ['\u{e0000}', '\u{e007f}'],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_control_characters_are_hidden() {
        assert!((0..0x300).filter_map(char::from_u32).filter(|c| c.is_control()).all(is_hidden));
        assert!(HIDDEN.is_sorted() && HIDDEN.iter().all(|[first, last]| first <= last));
    }
}
