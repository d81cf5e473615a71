//! Text as read -> its parts that are no text: addresses, tags, codes, and numbers that change from
//! day to day.
//!
//! Two copies of one article differ in these parts if they were crawled from two pages, or on two
//! days. Each part begins at or around a mark: a digit, `<`, `@`, `://`, `](` or `www.`. Most texts
//! have few marks, so marks are searched for in blocks of bytes without a branch, and only the text
//! around a mark is examined.

mod numbers;
mod tags;

pub(crate) use tags::tag;
#[cfg(test)]
pub(super) mod tests;

use std::ops::Range;

use super::beginning::{self, MARKED_BLOCK};

/// The name of this step in the identity of a recipe. A change of the parts that are stripped is
/// another version.
pub(super) const NAME: &str = "addresses-2";

/// The most bytes of a tag, a comment or a link's target.
const LONGEST: usize = 2000;

/// The fewest letters and digits of a code.
const SHORTEST_CODE: usize = 12;

/// The text with one blank in place of each part that is stripped; `None` if there is none.
pub(super) fn strip(text: &str) -> Option<String> {
    let parts = parts(text);
    if parts.is_empty() {
        return None;
    }
    let kept: Vec<&str> = between(&parts, text).map(|kept| &text[kept]).collect();
    Some(kept.join(" "))
}

/// The gaps between some parts of a text, before the first one, and after the last one.
pub(super) fn between(parts: &[Range<usize>], text: &str) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(parts.iter().map(|part| part.end));
    let ends = parts.iter().map(|part| part.start).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| start..end)
}

/// The parts of a text that are stripped, one after the other; none if no letter or digit would be
/// left.
pub(super) fn parts(text: &str) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let bytes = text.as_bytes();
    // The place where the next part may begin, and the end of the last one.
    let (mut at, mut end) = (0, 0);
    let (mut block, mut marks) = beginning::marks(bytes, 0);
    while marks != 0 {
        let mark = block + marks.trailing_zeros() as usize;
        if mark >= at {
            at = mark + 1;
            let part = match bytes[mark] {
                b'0'..=b'9' => {
                    let word = word_around(bytes, mark);
                    at = word.end;
                    code(bytes, &word).or_else(|| numbers::part(text, mark))
                }
                b'@' => email(bytes, mark, end),
                b':' => address(text, mark),
                b'<' => tags::tag(bytes, mark),
                b']' => tags::target(text, mark + 1),
                b'w' | b'W' => site(text, mark),
                _ => None,
            };
            if let Some(part) = part.filter(|part| part.start >= end) {
                (at, end) = (part.end, part.end);
                parts.push(part);
            }
        }
        marks &= marks - 1;
        if at >= block + MARKED_BLOCK || marks == 0 {
            let next = if at >= block + MARKED_BLOCK {
                at - at % MARKED_BLOCK
            } else {
                block + MARKED_BLOCK
            };
            if next >= bytes.len() {
                break;
            }
            (block, marks) = beginning::marks(bytes, next);
        }
    }
    if !parts.is_empty()
        && !between(&parts, text).any(|kept| text[kept].contains(char::is_alphanumeric))
    {
        parts.clear();
    }
    parts
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The letters, digits and `_` of ASCII around one of them.
fn word_around(bytes: &[u8], at: usize) -> Range<usize> {
    let before = bytes[..at].iter().rev().take_while(|byte| is_of_word(**byte)).count();
    let after = bytes[at..].iter().take_while(|byte| is_of_word(**byte)).count();
    at - before..at + after
}

/// Returns true if no ASCII letter, digit or `_` stands before a place.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    at == 0 || !is_of_word(bytes[at - 1])
}

/// A word with a digit, if it is a code: it is long and has a letter. A word before `@` may belong
/// to an e-mail address.
fn code(bytes: &[u8], word: &Range<usize>) -> Option<Range<usize>> {
    let is_code =
        word.len() >= SHORTEST_CODE && bytes[word.clone()].iter().any(u8::is_ascii_alphabetic);
    (is_code && bytes.get(word.end) != Some(&b'@')).then(|| word.clone())
}

/// The address whose scheme ends at a colon.
fn address(text: &str, colon: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let scheme = |scheme: &&str| {
        let start = colon.checked_sub(scheme.len())?;
        let is_there = bytes[start..colon].eq_ignore_ascii_case(scheme.as_bytes())
            && begins_word(bytes, start);
        is_there.then_some(start)
    };
    if !bytes[colon..].starts_with(b"://") {
        return None;
    }
    let start = ["http", "https", "ftp"].iter().find_map(scheme)?;
    Some(start..end_of_address(text, colon + 3)?)
}

/// The address that begins with `www.` here.
fn site(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_there = bytes[start..].get(..4).is_some_and(|www| www.eq_ignore_ascii_case(b"www."));
    if !is_there || !begins_word(bytes, start) {
        return None;
    }
    Some(start..end_of_address(text, start + 4)?)
}

/// The end of an address whose rest begins at `start`. Signs that end a sentence do not belong to
/// it.
fn end_of_address(text: &str, start: usize) -> Option<usize> {
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(c, '<' | '>' | '"' | '\'' | ')' | ']' | '}' | '\u{2000}'..='\u{206f}' | '\u{2e80}'..)
    };
    let rest = &text[start..];
    let rest = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let length = rest.trim_end_matches(['.', ',', ';', ':', '!', '?']).len();
    (length > 0).then_some(start + length)
}

/// The e-mail address around an `@`, not before `from`. Its domain has a point and ends in letters.
fn email(bytes: &[u8], sign: usize, from: usize) -> Option<Range<usize>> {
    let is_of_name =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-');
    let name = bytes[from..sign].iter().rev().take_while(|byte| is_of_name(**byte)).count();
    let is_of_domain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let length = bytes[sign + 1..].iter().take_while(|byte| is_of_domain(**byte)).count();
    let domain = &bytes[sign + 1..sign + 1 + length];
    if name == 0 || !domain.first()?.is_ascii_alphanumeric() {
        return None;
    }
    let points = (1..domain.len()).rev().filter(|at| domain[*at] == b'.');
    let end = points.map(|point| {
        (point, domain[point + 1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count())
    });
    let (point, letters) = end.into_iter().find(|(_, letters)| *letters >= 2)?;
    Some(sign - name..sign + 1 + point + 1 + letters)
}
