//! Numbers that depend on the time of reading: relative times, and counters beside their words.

use std::ops::Range;

use super::begins_word;

/// The units between a number and `ago`, with or without an `s`.
const UNITS: [&str; 7] = ["second", "minute", "hour", "day", "week", "month", "year"];

/// Short units between a number and `ago`, with or without an `s`, for any number.
const SHORT_UNITS: [&str; 3] = ["sec", "min", "hr"];

/// The words after the number of a relative time in Chinese.
const TIMES: [&str; 13] = [
    "秒前",
    "分钟前",
    "分鐘前",
    "小时前",
    "小時前",
    "个小时前",
    "個小時前",
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

/// English words of counters.
const COUNTED: [&str; 8] =
    ["views", "comments", "likes", "reads", "replies", "retweets", "upvotes", "downloads"];

/// Chinese words of counters.
const COUNTED_IN_CHINESE: [&str; 18] = [
    "浏览",
    "瀏覽",
    "阅读",
    "閱讀",
    "观看",
    "觀看",
    "播放",
    "评论",
    "評論",
    "回复",
    "回覆",
    "点赞",
    "點讚",
    "收藏",
    "转发",
    "轉發",
    "点击数",
    "點擊數",
];

/// Endings of Chinese words before their number: 阅读量, 评论数.
const ENDINGS: [&str; 5] = ["次数", "次數", "量", "数", "數"];

/// Characters between a number and its Chinese word: 12次阅读, 12人收藏, 12条评论.
const MEASURES: [char; 6] = ['次', '人', '条', '條', '个', '個'];

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
    let word_before = matches!(before.as_bytes().last(), Some(b' ' | b'\t' | b':' | b'(' | 0x80..));
    let word_after =
        matches!(after.as_bytes().first(), Some(b' ' | b'\t' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..));
    if !(word_before || word_after) {
        return None;
    }
    if let Some(left) = rest_of_time(before, &bytes[start..end], after) {
        return Some(start..text.len() - left.len());
    }
    let after = without_multiplier(after);
    if after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let rest = without_blanks(after);
    let has_word = rest.len() < after.len() && rest.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_counter = match rest.as_bytes().first() {
        Some(0x80..) => is_before_its_chinese_word(before, rest),
        _ => has_word && is_before_its_word(before, rest),
    };
    (is_counter || word_before && is_behind_its_word(before, rest))
        .then_some(start..text.len() - after.len())
}

/// The text after the multiplier of a counter: 1.2K, 3.4万.
fn without_multiplier(after: &str) -> &str {
    let after_letter = after.strip_prefix(['k', 'K', 'm', 'M']);
    let is_alone = |rest: &&str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    after_letter.filter(is_alone).or(after.strip_prefix(['万', '萬', '亿', '億'])).unwrap_or(after)
}

/// The text after the words of a relative time, which follow its number.
fn rest_of_time<'t>(before: &str, number: &[u8], after: &'t str) -> Option<&'t str> {
    let rest = without_blanks(after);
    match rest.as_bytes().first()? {
        0x80.. => rest_of_chinese(before, number.len(), rest),
        letter if letter.is_ascii_alphabetic() => match rest.len() < after.len() {
            true => rest_of_ago(number, rest),
            // Two hours are "2h".
            false => rest_of_word_ago(rest.strip_prefix(['s', 'm', 'h', 'd', 'w', 'y'])?),
        },
        _ => None,
    }
}

/// The text after a relative time in English; `rest` follows its number and a blank. "297,000 week
/// ago" is no relative time but a comparison of two numbers.
fn rest_of_ago<'t>(number: &[u8], rest: &'t str) -> Option<&'t str> {
    let left = after_word(rest, &SHORT_UNITS, "s").or_else(|| {
        let left = after_word(rest, &UNITS, "s")?;
        let is_plural = rest[..rest.len() - left.len()].ends_with(['s', 'S']);
        Some(left).filter(|_| is_plural || number == b"1")
    });
    rest_of_word_ago(left?)
}

/// The text after a blank and `ago`.
fn rest_of_word_ago(rest: &str) -> Option<&str> {
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
    if after_word(rest, &COUNTED, "").is_some() {
        return !before.ends_with('#');
    }
    let viewed = || {
        let viewed = without_blanks_at_end(before);
        viewed.len() < before.len() && ends_with_word(viewed, &["viewed"])
    };
    after_word(rest, &["times"], "").is_some() && viewed()
}

/// Returns true if a number is a counter with its Chinese word after it: 12条评论, but neither
/// 第12条评论 nor 12人评论说.
fn is_before_its_chinese_word(before: &str, rest: &str) -> bool {
    let words = rest.strip_prefix(MEASURES).unwrap_or(rest);
    let is_whole = |word: &&str| {
        words.strip_prefix(*word).is_some_and(|left| !left.starts_with(char::is_alphanumeric))
    };
    !before.ends_with('第') && COUNTED_IN_CHINESE.iter().chain(&["赞", "讚"]).any(is_whole)
}

/// Returns true if a number is a counter with its word before it, with a colon between or in
/// brackets (a Chinese word needs neither), and no counted thing follows: "Comments: 12 Angry Men",
/// 阅读3本书.
fn is_behind_its_word(before: &str, rest: &str) -> bool {
    let word = without_blanks_at_end(before);
    let in_brackets = word.strip_suffix(['(', '（']).filter(|_| rest.starts_with([')', '）']));
    let marked = word.strip_suffix([':', '：']).or(in_brackets).map(without_blanks_at_end);
    let is_there = marked.is_some_and(|word| ends_with_word(word, &COUNTED)) || {
        let word = marked.unwrap_or(word);
        let without_ending = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending));
        !word.ends_with(|c: char| c.is_ascii())
            && COUNTED_IN_CHINESE.iter().any(|known| {
                word.ends_with(known) || without_ending.is_some_and(|word| word.ends_with(known))
            })
    };
    let ends = || {
        !rest.starts_with(char::is_alphanumeric)
            || rest.starts_with('次')
            || after_word(rest, &COUNTED, "").is_some()
            || COUNTED_IN_CHINESE.iter().any(|known| rest.starts_with(known))
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
    if !(2..=9).contains(&length) {
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
