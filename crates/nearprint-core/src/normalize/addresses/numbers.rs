//! Numbers that depend on the time of reading: relative times, and counters beside their words.

use std::ops::Range;

use super::begins_word;

/// The units between a number and `ago`, with or without an `s`.
const UNITS: [&str; 7] = ["second", "minute", "hour", "day", "week", "month", "year"];

/// The words after the number of a relative time in Chinese.
const TIMES: [&str; 11] = [
    "秒前",
    "分钟前",
    "分鐘前",
    "小时前",
    "小時前",
    "天前",
    "周前",
    "週前",
    "个月前",
    "個月前",
    "年前",
];

/// Characters that make another word of `前` at the end of a time: 前后, 前往, 前来, 前期, 前端, 前半.
const NOT_BEFORE: [char; 8] = ['后', '後', '往', '来', '來', '期', '端', '半'];

/// A year of this number of digits or more is a date and no span of time: `2020年前` is before 2020.
const DIGITS_OF_DATE: usize = 4;

/// Words that follow their number.
const AFTER_NUMBER: [&str; 4] = ["views", "comments", "likes", "reads"];

/// Words that stand before their number, with a colon between.
const BEFORE_NUMBER: [&str; 4] = ["views", "comments", "likes", "reads"];

/// Words that stand before their number, with a colon or without.
const BEFORE_NUMBER_IN_CHINESE: [&str; 18] = [
    "浏览",
    "浏览量",
    "浏览次数",
    "瀏覽",
    "瀏覽量",
    "瀏覽次數",
    "阅读",
    "阅读量",
    "阅读数",
    "閱讀",
    "閱讀量",
    "閱讀數",
    "评论",
    "评论数",
    "評論",
    "評論數",
    "点赞",
    "點讚",
];

/// The number whose first digit is at `start`, if it is a counter, or a relative time with its
/// words.
pub(super) fn part(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let joins = |at: usize| matches!(bytes.get(at), Some(b'.' | b',')) && is_digit(at + 1);
    if !begins_word(bytes, start) || start >= 2 && is_digit(start - 2) && joins(start - 1) {
        return None;
    }
    let mut end = start + 1;
    while is_digit(end) || joins(end) {
        end += 1;
    }
    let (before, after) = (&text[..start], &text[end..]);
    // Nearly all numbers are ruled out here.
    let may_have_word = |next: &u8| matches!(next, b' ' | b'\t' | b':' | 0x80..);
    let [word_before, word_after] = [before.as_bytes().last(), after.as_bytes().first()]
        .map(|next| next.is_some_and(may_have_word));
    if !(word_before || word_after)
        || after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    {
        return None;
    }
    let rest = without_blanks(after);
    let has_word = rest.len() < after.len() && rest.starts_with(|c: char| c.is_ascii_alphabetic());
    let length = match rest.as_bytes().first() {
        Some(0x80..) => rest_of_chinese(before, end - start, rest),
        _ if has_word => rest_of_ago(&bytes[start..end], rest),
        _ => None,
    };
    if let Some(left) = length {
        return Some(start..text.len() - left.len());
    }
    let is_counter = has_word && is_before_its_word(before, rest)
        || word_before && is_behind_its_word(before, rest);
    is_counter.then_some(start..end)
}

/// The text after a relative time in English; `rest` follows its number and a blank. "297,000 week
/// ago" is no relative time but a comparison of two numbers.
fn rest_of_ago<'t>(number: &[u8], rest: &'t str) -> Option<&'t str> {
    let left = after_word(rest, &UNITS, "s")?;
    let is_plural = rest[..rest.len() - left.len()].ends_with(['s', 'S']);
    let rest = Some(left).filter(|_| is_plural || number == b"1")?;
    let words = without_blanks(rest);
    after_word(words, &["ago"], "").filter(|_| words.len() < rest.len())
}

/// The text after a relative time in Chinese; `rest` follows its number of `digits` digits.
fn rest_of_chinese<'t>(before: &str, digits: usize, rest: &'t str) -> Option<&'t str> {
    let (time, left) = TIMES.iter().find_map(|time| Some((time, rest.strip_prefix(time)?)))?;
    let is_date = *time == "年前" && digits >= DIGITS_OF_DATE;
    (!is_date && !left.starts_with(NOT_BEFORE) && !before.ends_with('第')).then_some(left)
}

/// Returns true if a number is a counter with a blank and its word after it.
fn is_before_its_word(before: &str, rest: &str) -> bool {
    if after_word(rest, &AFTER_NUMBER, "").is_some() {
        return !before.ends_with('#');
    }
    let viewed = || {
        let viewed = without_blanks_at_end(before);
        viewed.len() < before.len() && ends_with_word(viewed, &["viewed"])
    };
    after_word(rest, &["times"], "").is_some() && viewed()
}

/// Returns true if a number is a counter with its word before it, and no counted thing follows:
/// "Comments: 12 Angry Men", 阅读3本书.
fn is_behind_its_word(before: &str, rest: &str) -> bool {
    let word = without_blanks_at_end(before);
    if !matches!(word.as_bytes().last(), Some(b':' | 0x80..)) {
        return false;
    }
    let with_colon = word.strip_suffix([':', '：']).map(without_blanks_at_end);
    let is_there = with_colon.is_some_and(|word| ends_with_word(word, &BEFORE_NUMBER)) || {
        let word = with_colon.unwrap_or(word);
        !word.ends_with(|c: char| c.is_ascii())
            && BEFORE_NUMBER_IN_CHINESE.iter().any(|known| word.ends_with(known))
    };
    let ends = || {
        !rest.starts_with(char::is_alphanumeric)
            || rest.starts_with('次')
            || after_word(rest, &BEFORE_NUMBER, "").is_some()
            || BEFORE_NUMBER_IN_CHINESE.iter().any(|known| rest.starts_with(known))
    };
    is_there && ends()
}

/// Blanks between a number and its word.
const BLANKS: [char; 4] = [' ', '\t', '\u{a0}', '\u{3000}'];

fn without_blanks(text: &str) -> &str {
    text.trim_start_matches(BLANKS)
}

fn without_blanks_at_end(text: &str) -> &str {
    text.trim_end_matches(BLANKS)
}

/// The text after one of these words, with or without the ending, at the start of a text.
fn after_word<'t>(text: &'t str, words: &[&str], ending: &str) -> Option<&'t str> {
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if !(3..=9).contains(&length) {
        return None;
    }
    let (word, rest) = text.split_at(length);
    let is_one = |known: &&str| {
        let is_longer = word.len() > known.len();
        word.len() == known.len() + if is_longer { ending.len() } else { 0 }
            && word.as_bytes()[0] | 0x20 == known.as_bytes()[0]
            && word[..known.len()].eq_ignore_ascii_case(known)
            && (!is_longer || word[known.len()..].eq_ignore_ascii_case(ending))
    };
    let ends = !rest.starts_with(|c: char| c == '_' || c.is_ascii_digit());
    (ends && words.iter().any(is_one)).then_some(rest)
}

/// Returns true if a text ends with one of these words.
fn ends_with_word(text: &str, words: &[&str]) -> bool {
    let bytes = text.as_bytes();
    let length = bytes.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let start = bytes.len() - length;
    begins_word(bytes, start) && words.iter().any(|word| text[start..].eq_ignore_ascii_case(word))
}
