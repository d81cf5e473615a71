//! A text as read -> its segments: sentences, lines or paragraphs, whichever are the smallest whose
//! ends are sure.
//!
//! Passages that many documents share are cut out at segment ends only. An end inside a sentence
//! would leave torn text; a missing end only means that less is cut. In doubt there is none.
//!
//! - A line end is an end unless the sentence may run on: where the next line begins with a small
//!   letter, where the line stops at a comma or at `of the`, and where the text is wrapped. An
//!   empty line is one unless the words on both sides clearly belong together.
//! - Inside a line, and where it runs on, a sentence ends after `.` or `。` if what follows clearly
//!   begins a new one, and the word before `.` is no abbreviation, initial or number.
//! - A closing bracket or quotation mark takes back the ends since its opening one. Marks that
//!   nothing closes have no effect. A sentence goes on in a bracket behind its mark.
//! - A heading (`## Credits`, or a line that is underlined) and a line that stops at a colon belong
//!   to what follows. Code between fences (```) has no ends.
//!
//! The time is linear in the length of the text.

mod approved;
mod characters;
mod scan;

use std::ops::Range;

pub(super) use approved::divide;
use characters::{LINKS, closed_by, is_cjk, is_in, mark, opened_by};
use scan::{Scan, Sureness};

/// The columns of the lines of wrapped paragraphs: narrower ones are those of menus and tables,
/// wider ones are whole paragraphs.
const WRAPPED: Range<usize> = 24..161;

/// By how many columns a full line of a wrapped paragraph may be narrower than the widest one lets
/// expect: two wide spaces before the first line are 4, and a Chinese mark that may not begin the
/// next line takes a letter of 2 with it.
const SLACK: usize = 6;

/// The lines on either side that tell the width of a wrapped paragraph.
const NEIGHBORS: usize = 2;

/// Finds the segments of a text, in bytes and in order. They are trimmed of white space; every other
/// character is in exactly one of them. `out` is emptied first.
pub(super) fn segments(text: &str, out: &mut Vec<Range<usize>>) {
    let lines = lines(text);
    let mut scan = Scan::new(text);
    let mut before: Option<&Line> = None;
    for block in lines.chunk_by(|_, next| !next.is_apart) {
        let is_wrapped = is_wrapped(block);
        for (at, line) in block.iter().enumerate() {
            let ended = scan.sureness().map(|sureness| sureness > Sureness::Never);
            let runs_on = match before {
                None => false,
                Some(before) if before.leads || line.is_code => {
                    scan.go_on();
                    true
                }
                Some(before) if at == 0 => ended.is_none() && is_interrupted(before, line),
                Some(_) => match ended {
                    // A wide line is a whole paragraph, which ends with its mark.
                    Some(true) => {
                        line.continues
                            || block[at - 1].width < WRAPPED.end && is_full(block, at - 1)
                    }
                    Some(false) => true,
                    None => {
                        line.continues
                            || is_wrapped
                            || is_full(block, at - 1)
                            || is_prose(block, at)
                    }
                },
            };
            if runs_on {
                scan.space();
            } else {
                scan.start(line.start, at == 0 || ended == Some(true));
            }
            if !line.is_code {
                scan.line(line.start, line.text);
            }
            before = Some(line);
        }
    }

    out.clear();
    let ends = scan.starts.iter().skip(1).copied().chain([text.len()]);
    let trimmed =
        |(start, end): (&usize, usize)| *start..*start + text[*start..end].trim_end().len();
    out.extend(scan.starts.iter().zip(ends).map(trimmed));
}

/// A line that is not empty, trimmed.
struct Line<'t> {
    text: &'t str,
    start: usize,
    width: usize,
    /// Whether an empty line or a rule is between this line and the one before, or this is a rule.
    is_apart: bool,
    /// Whether the signs before and behind the line end before it tell that a sentence runs on.
    continues: bool,
    /// Whether this is a heading, or stops at a colon.
    leads: bool,
    /// Whether this stands between the fences of code, or is the second one.
    is_code: bool,
}

/// The lines of a text that are not empty.
fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut lines, mut from, mut is_apart) = (Vec::<Line>::new(), 0, false);
    // The first fence of code that is open.
    let mut fence: Option<usize> = None;
    while from < text.len() {
        let (end, next) = line_end(text, from);
        let line = text[from..end].trim_start();
        let start = end - line.len();
        let line = line.trim_end();
        let is_rule = is_rule(line);
        if !line.is_empty() {
            let is_underline = !is_apart && is_rule && underline(&mut lines, line);
            let is_apart = is_apart || is_rule;
            let continues = !is_apart
                && lines.last().is_some_and(|before| is_open(before.text) || goes_on(line));
            let leads = is_underline || is_heading(line) || line.ends_with([':', '：']);
            let width = width(line);
            lines.push(Line {
                text: line,
                start,
                width,
                is_apart,
                continues,
                leads,
                is_code: false,
            });
            if line.starts_with("```") {
                match fence.take() {
                    None => fence = Some(lines.len()),
                    Some(first) => lines[first..].iter_mut().for_each(|line| line.is_code = true),
                }
            }
        }
        (from, is_apart) = (next, is_rule);
    }
    lines
}

/// The end of the line that begins here, and the beginning of the next one.
fn line_end(text: &str, from: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        let length = match byte {
            b'\n' | 0x0b | 0x0c => 1,
            b'\r' => 1 + usize::from(bytes.get(at + 1) == Some(&b'\n')),
            0xc2 if bytes[at + 1] == 0x85 => 2,
            0xe2 if matches!(bytes[at + 1..], [0x80, 0xa8 | 0xa9, ..]) => 3,
            _ => continue,
        };
        return (at, at + length);
    }
    (text.len(), text.len())
}

/// Whether a line is a heading of Markdown.
fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - title.len())) && title.starts_with(' ')
}

/// Whether a text stops at the mark of a sentence.
pub(super) fn is_ended(text: &str) -> bool {
    let is_behind = |c: char| closed_by(c).is_some() || matches!(c, '*' | '_' | '`');
    text.trim_end_matches(is_behind).chars().next_back().is_some_and(|c| mark(c).is_some())
}

/// Makes the last line a heading if this rule is as wide. Returns whether it does.
fn underline(lines: &mut [Line], rule: &str) -> bool {
    let of_one_kind = ["-", "="].iter().any(|sign| rule.replace(sign, "").is_empty());
    match lines.last_mut() {
        Some(last) if of_one_kind && last.width == width(rule) && !is_rule(last.text) => {
            last.leads = true;
            true
        }
        _ => false,
    }
}

/// Whether a trimmed line separates paragraphs: it is empty, a rule, or an empty line of a comment
/// or of quoted mail.
fn is_rule(line: &str) -> bool {
    let is_drawn = |c| matches!(c, '-' | '=' | '_' | '*' | '#' | '>' | '~' | '+' | '/' | '|' | '%');
    line.chars().all(|c| is_drawn(c) || c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'))
}

/// The columns of a line: two for a wide character, such as a Chinese one.
fn width(line: &str) -> usize {
    let columns = |byte: u8| match byte {
        0x80..=0xbf => 0,
        0xe3..=0xed | 0xef.. => 2,
        _ => 1,
    };
    line.bytes().map(columns).sum()
}

/// Whether a line stops where no sentence, heading or entry does.
fn is_open(line: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric();
    let word = line.len() - line.bytes().rev().take_while(|byte| is_letter(byte)).count();
    let last = line.chars().next_back();
    is_in(LINKS, &line[word..])
        || last.is_some_and(|c| {
            matches!(
                c,
                ',' | '，'
                    | '、'
                    | ';'
                    | '；'
                    | '-'
                    | '‐'
                    | '‑'
                    | '–'
                    | '—'
                    | '―'
                    | '─'
                    | '&'
                    | '+'
                    | '\\'
            ) || opened_by(c).is_some_and(|kind| kind > 0)
        })
}

/// Whether a line begins where no sentence, heading or entry does. A number may be a part of one,
/// unless it is that of an item.
fn goes_on(line: &str) -> bool {
    let line = content(line);
    line.chars().next().is_some_and(|c| {
        let item = line.trim_start_matches(|c: char| c.is_ascii_digit());
        c.is_lowercase()
            || matches!(c, ',' | '，' | '、' | ';' | '；' | ':' | '：')
            || mark(c).is_some()
            || closed_by(c).is_some_and(|kind| kind > 0)
            || c.is_ascii_digit()
                && !item.starts_with(['.', ')', '、', '）', '．', '年', '月', '日'])
    })
}

/// A line without what begins the lines of lists, comments and quoted mail.
fn content(line: &str) -> &str {
    let is_prefix = |c| matches!(c, '*' | '#' | '>' | '/' | ';' | '%' | '|' | '-' | '+' | '•');
    line.trim_start_matches(|c: char| is_prefix(c) || c.is_whitespace())
}

/// Whether a sentence runs on from a line into the next one in spite of an empty line.
fn is_interrupted(line: &Line, next: &Line) -> bool {
    let mut behind = next.text.chars();
    let (first, second) = (behind.next(), behind.next());
    let begins_small = first.is_some_and(char::is_lowercase) && !matches!(second, Some('.' | ')'));
    let is_word = line.text.chars().next_back().is_some_and(char::is_alphanumeric);
    !is_rule(line.text)
        && (is_word && begins_small || is_open(line.text) && first.is_some_and(char::is_alphabetic))
}

/// Whether the first word of the next line of a block had no place in this one.
fn is_full(block: &[Line], at: usize) -> bool {
    let around = &block[at.saturating_sub(NEIGHBORS)..block.len().min(at + 2 + NEIGHBORS)];
    let widths = around.iter().map(|line| line.width).filter(|width| *width < WRAPPED.end);
    let most = widths.max().unwrap_or(0);
    let next = content(block[at + 1].text);
    let word = next.split(|c: char| c.is_whitespace() || is_cjk(c)).next().unwrap_or("");
    block[at].width >= WRAPPED.end
        || most >= WRAPPED.start && block[at].width + 1 + width(word).max(1) + SLACK > most
}

/// Whether this line of a block and the one before may be parts of a sentence that ends with a mark,
/// such as those of verse.
fn is_prose(block: &[Line], at: usize) -> bool {
    let last = block[at].text.chars().next_back();
    WRAPPED.contains(&block[at - 1].width)
        && block[at].width < WRAPPED.end
        && last.is_some_and(|c| mark(c).is_some() || ",，".contains(c))
}

/// Whether sentences run on at a quarter of the line ends of a block that no mark precedes.
fn is_wrapped(block: &[Line]) -> bool {
    let (mut on, mut all) = (0, 0);
    for pair in block.windows(2) {
        let last = pair[0].text.chars().next_back();
        if WRAPPED.contains(&pair[0].width) && last.is_some_and(|c| mark(c).is_none()) {
            all += 1;
            on += usize::from(pair[1].continues);
        }
    }
    on > 0 && 4 * on >= all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        let mut out = Vec::new();
        segments(text, &mut out);
        out.into_iter().map(|range| &text[range]).collect()
    }

    /// Checks that the segments end at the bars of a text, and only there.
    fn check(barred: &str) {
        let text = barred.replace('|', "");
        let expected: Vec<&str> = barred.split('|').map(str::trim).collect();
        assert_eq!(parts(&text), expected, "{barred}");
    }

    #[test]
    fn segments_are_sentences_or_lines() {
        let text = "Is Mr. Li in? He is.\n你好！他说：“好。我来。”我们等他。\nsee\nyou";
        let expected =
            ["Is Mr. Li in?", "He is.", "你好！", "他说：“好。我来。”我们等他。", "see\nyou"];
        assert_eq!(parts(text), expected);
    }

    #[test]
    fn sentences_end_at_marks() {
        for barred in [
            "He came.| She left!| Why?| “Nobody knows.”| The end.",
            "Mr. Smith of the U.S. Army met J. R. Doe, Ph.D. Both came.| They ate.",
            "See Fig. 3, Sec. 4 and No. 5 at example.com.| Prices rose 3.5 pct in 1987.| The rest fell.",
            "1. Item one is here. (This is whole.) Next (see Art. 5).| Then on.",
            "Shall we reload it? (Press y, any other key for No) : y",
            "\"They would tell us,\" he said. \"They did not.\"| She left.| \"Why?\"",
            "“Is it?” John asked.| “Yes!” Mary said.",
            "He said (I think. Or not. Yes) so.| Then (he left.| And",
            "\"One. Two. Three,\" he said.| Four.",
            "Wait... What is vs. Ours?| Cats e.g. Tom etc. Are here.",
            "**Terms.**| We may [change](x.html) them.| **They** stay.",
            "(Is it?) He may know.| [One.] Two and “A. B!” Then.",
            "Great!😀| Next one.| Cafe\u{301}.\u{301}| Done",
            "他来了。|她走了！|为什么？|没有人知道……也许。|完",
            "他说：“我来。你走！”然后离开了。（这是注。）《怎么办？》是书。",
            "我用 Linux。|Linux 很好！|「は」です。|3 个",
            "вот ул. Ленина.| Он жил там.| Она тоже.",
            "यह है।| वह गया।| और",
        ] {
            check(barred);
        }
    }

    #[test]
    fn line_ends_end_segments_unless_the_sentence_runs_on() {
        for barred in [
            "Home|\nAbout us|\nContact",
            "Getting Started|\r\nThis guide explains how the program is built, and how you can change it.",
            "A heading|\n\nA paragraph|\n \t\nAnother|\u{2029}\u{c}\nLast",
            "the first line\nof a sentence,\nAnd more -\nX",
            "We asked the\nCommission, the\n\nCouncil and the\n\ncourt",
            "Mr.\nSmith (of the\nNavy) left.|\nJones stayed.",
            "有用的工具|\n在我们开始之前，这里有几个工具，它们可以让您找到有趣的东西。|\n他来了，\n她走了",
            "他说：“好。|\n我来。”|\n完",
            "- Read the text|\n- Write it down|\n* Rest\n* and sleep",
            "Title|\n====|\nText",
            "Title\n=====\n\nText.| More",
            "It ends.|\n## Who?\n\nThis is me.| And you.",
            "These fell:\n\nSugar 51.94|\nWheat 12.00",
            "Run it.|\n```sh\nmake. Then\n\nmake install\n```|\nDone.|\n```\nopen|\nText",
        ] {
            check(barred);
        }
    }

    #[test]
    fn wrapped_paragraphs_are_read_as_one_line() {
        check(
            "Permission is hereby granted, free of charge, to any person obtaining a\n\
             copy of this software (the \"Software\"), to deal in it as the Free\n\
             Software Foundation says.| All of it is\n\
             provided as is.|\n\
             The Authors are not liable for any claim, damages or other liability, as\n\
             Joe says.",
        );
        check(
            "/*|\n * Permission is hereby granted, free of charge, to the United\n * States of America, \
             and to others who may want it or need it.|\n *|\n * The end|\n */",
        );
        check("Could you please ask the new owner, Ellen\nSmith about it?");
        check(
            "　　却说那女娲氏炼石补天之时，于大荒山无稽崖炼成高\n经十二丈、方经二十四丈顽石三万六千五百零一块。|娲皇氏\n只用了三万六千五百块，只单单剩了一块未用，便弃在此山",
        );
        check(
            "今天我们在北京参加了一个很重要的会议并且讨论\n了很多问题。|大家都认为这个会议开得很好而且以\n后还要再开。|\n完",
        );
        check(
            "Whose woods these are I think I know,\nHis house is in the village though\nHe will not see me stopping here,\nTo watch his woods fill up with snow.",
        );
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        for piece in [
            "(",
            "\"",
            "“",
            ".",
            "。",
            ". A",
            "。“",
            "(a. B",
            "a.\n",
            "“a。\n",
            "”",
            "\n",
            "x",
            "A. \"",
            "\u{301}",
        ] {
            let text = piece.repeat(1_000_000 / piece.len());
            // With quadratic time this would not end.
            let mut out = Vec::new();
            segments(&text, &mut out);
            assert_eq!(
                out.last().map(|range| range.end),
                Some(text.trim_end().len()).filter(|end| *end > 0),
                "{piece:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_character_is_in_one_segment(
            text in r#"([a-cA-C12天地]{0,3}[.!?。！？…,，:;"“”()（）「」*_\-=>| \t\r\n\u{2028}\u{85}\u{a0}\u{3000}\u{200b}\u{301}😀]{0,3}){0,30}"#,
            any in any::<String>(),
        ) {
            for text in [text, any] {
                let mut out = Vec::new();
                segments("stale", &mut out);
                segments(&text, &mut out);
                let mut end = 0;
                for range in &out {
                    prop_assert!(text[end..range.start].trim().is_empty());
                    let segment = &text[range.clone()];
                    prop_assert!(!segment.is_empty() && segment.trim() == segment);
                    end = range.end;
                }
                prop_assert!(text[end..].trim().is_empty());
                let padded = format!(" \n\u{3000}{text}\n \t");
                prop_assert_eq!(parts(&padded), parts(&text));
            }
        }
    }
}
