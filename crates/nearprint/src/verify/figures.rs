//! A normalized text -> its figures: numbers, dates and codes, where they stand, and which of them are the same.
//!
//! | written | figure |
//! | --- | --- |
//! | `1,234,567`, `1 234 567`, `9.7`, `6-3/16`, `1/2` | the number |
//! | `9.7 mln`, `two thousand`, `3万`, `三百万` | the number with its multiplier |
//! | `five`, `twenty-one`, `third`, `3rd` | the number |
//! | `二〇二三`, `十二`, `第三`, `三成` (30), `百分之三十` (30) | the number |
//! | `march`, `monday` | a label; `may` and `march` beside another figure only |
//! | `10:30`, `2020-01-05`, `1.2.3`, `4f7k2` | a label: the text itself |
//! | `b737`, `iso-9001` | the number, or the label from the first digit on: letters before it are letters |
//!
//! A Chinese numeral is a figure where it has two characters or more, follows `第`, `周` or `期`, or precedes a unit of time
//! or of counting; else `一` would be one in every sentence.
//!
//! Two figures are the same if their numbers are equal, or if one of them, of 1,000 or more, is the other one rounded to the
//! two or more digits that it is written with: 9.7 mln and 9,729,000. Where one of them lacks its multiplier, the digits
//! decide: of 9.7 mln and 9.7 an edit took a word.

mod number;
mod words;

use xxhash_rust::xxh3::xxh3_64;

pub(super) use number::Shortened;
pub use number::Value;
use number::{Number, han_number};
use words::{Word, meaning};

/// A figure of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The place of its first byte among the letters and digits of the text
    /// ([`append_alphanumeric`](crate::normalize::append_alphanumeric)).
    pub start: u32,
    /// The place past its last byte there.
    pub end: u32,
    /// Its value.
    pub value: Value,
}

/// Fills `out` with the figures of a normalized text, in order.
///
/// ```
/// use nearprint::verify::figures;
/// let (mut here, mut there) = (Vec::new(), Vec::new());
/// figures("sales of 9.7 mln dlrs in may 1987", &mut here);
/// figures("1987年5月 sales: 9,729,000", &mut there);
/// assert_eq!((here.len(), there.len()), (3, 3));
/// assert!(here[0].value.is_same(there[2].value) && here[2].value.is_same(there[0].value));
/// assert!(!here[1].value.is_same(there[1].value));
/// ```
pub fn figures(text: &str, out: &mut Vec<Figure>) {
    out.clear();
    let mut scanner = Scanner { text, at: 0, kept: 0, after_figure: false, figures: out };
    while scanner.at < text.len() {
        if !scanner.skip_word() {
            let c = scanner.peek().expect("the end was not reached");
            scanner.token(c);
        }
    }
}

/// Reads a text token by token.
struct Scanner<'t, 'o> {
    text: &'t str,
    /// The next byte of the text.
    at: usize,
    /// The letters and digits before it, in bytes.
    kept: usize,
    /// Whether the token before this one was the last figure.
    after_figure: bool,
    figures: &'o mut Vec<Figure>,
}

impl<'t> Scanner<'t, '_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn before(&self) -> Option<char> {
        self.text[..self.at].chars().next_back()
    }

    /// Goes past the next character.
    fn pass(&mut self, c: char) {
        self.at += c.len_utf8();
        if c.is_alphanumeric() {
            self.kept += c.len_utf8();
        }
    }

    /// Goes past this word, which comes next.
    fn pass_word(&mut self, word: &str) {
        (self.at, self.kept) = (self.at + word.len(), self.kept + word.len());
    }

    /// Goes past this part of the text, which comes next.
    fn pass_all(&mut self, part: &str) {
        part.chars().for_each(|c| self.pass(c));
    }

    /// Goes past a word of letters in ASCII that means nothing as a figure, and the blank after it: most of a text.
    #[inline]
    fn skip_word(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let next = rest.get(letters).copied().unwrap_or(b' ');
        if letters == 0
            || next >= 0x80
            || next.is_ascii_digit()
            || meaning(&self.text[self.at..self.at + letters]).is_some()
        {
            return false;
        }
        self.kept += letters;
        self.at += letters + usize::from(next == b' ' && letters < rest.len());
        self.after_figure = false;
        true
    }

    fn token(&mut self, c: char) {
        match c {
            '0'..='9' => self.digits(),
            'a'..='z' | 'A'..='Z' => self.word(),
            _ if is_han_numeral(c) => self.han(),
            '\u{4e00}'..='\u{9fff}' => {
                (self.at, self.kept) = (self.at + c.len_utf8(), self.kept + c.len_utf8());
                self.after_figure = false;
            }
            _ if c.is_alphabetic() && !is_wide(c) => self.word(),
            _ => {
                self.pass(c);
                // Blanks, hyphens and currency signs part a number from its multiplier; letters and sentences do so for good.
                self.after_figure &= !c.is_alphanumeric() && !matches!(c, '.' | ',' | ';' | '。' | '，' | '；' | '\n');
            }
        }
    }

    fn push(&mut self, start: usize, value: Value) {
        self.figures.push(Figure { start: start as u32, end: self.kept as u32, value });
        self.after_figure = true;
    }

    /// The number that comes right before this token.
    fn number_before(&mut self) -> Option<&mut Number> {
        let last = self.figures.last_mut().filter(|_| self.after_figure)?;
        match &mut last.value {
            Value::Number(number) => Some(number),
            Value::Label(_) => None,
        }
    }

    /// A figure that begins with a digit: `1,234.5`, `6-3/16`, `10:30`, `5th`, `4f7k2`.
    fn digits(&mut self) {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let mut end = thousands(bytes);
        while digit(end) || matches!(bytes.get(end), Some(b'.' | b':' | b'/' | b'-')) && digit(end + 1) {
            end += 1;
        }
        let suffix: &str = word_of(&rest[end..]);
        let start = self.kept;
        if suffix.bytes().any(|byte| byte.is_ascii_digit()) {
            let code = &rest[..end + suffix.len()];
            self.pass_all(code);
            return self.push(start, label(code));
        }
        let written = &rest[..end];
        let fraction = number::proper_fraction(written);
        if let (Some(fraction), Some(number)) = (fraction, self.number_before())
            && let Some(sum) = number.plus(fraction)
        {
            *number = sum;
            self.pass_all(written);
            let kept = self.kept as u32;
            self.figures.last_mut().expect("there is a number before").end = kept;
            return;
        }
        self.pass_all(written);
        let value = number::parse(written).map_or_else(|| label(written), Value::Number);
        self.push(start, value);
        if suffix.is_empty() {
            return self.han_multipliers();
        }
        match meaning(suffix) {
            Some(Word::Multiplier(power)) => self.multiply(power),
            _ if matches!(suffix, "st" | "nd" | "rd" | "th") => {}
            _ if suffix == "k" => self.multiply(3),
            _ => return,
        }
        self.pass_all(suffix);
    }

    fn multiply(&mut self, power: i32) {
        if let Some(number) = self.number_before() {
            number.multiply(power);
        }
    }

    /// `万`, `百万`, `成` after digits.
    fn han_multipliers(&mut self) {
        while let Some(c) = self.peek() {
            let Some(power) = number::han_multiplier(c) else { break };
            self.multiply(power);
            self.pass(c);
        }
    }

    /// A numeral in Chinese, where it is a figure.
    fn han(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !is_han_numeral(c)).unwrap_or(rest.len());
        let (written, after) = (&rest[..length], rest[length..].chars().next());
        let before = self.before();
        let several = written.chars().nth(1).is_some() && written.chars().any(|c| c != '一');
        let counted = matches!(before, Some('第' | '周' | '期'))
            || after.is_some_and(|c| UNITS.contains(c)) && !(written == "一" && after != Some('月'))
            || after == Some('成')
            || self.text[..self.at].ends_with("百分之");
        let start = self.kept;
        let number = han_number(written).filter(|_| several || counted);
        self.pass_all(written);
        match number {
            Some(mut number) => {
                if after == Some('成') {
                    number.multiply(1);
                }
                self.push(start, Value::Number(number));
            }
            None => self.after_figure = false,
        }
    }

    /// A word of an alphabet, perhaps with digits in it.
    fn word(&mut self) {
        let word: &'t str = word_of(&self.text[self.at..]);
        let start = self.kept;
        if let Some(digit) = word.find(|c: char| c.is_ascii_digit()) {
            self.pass_word(&word[..digit]);
            self.after_figure = false;
            return self.digits();
        }
        let meaning = meaning(word);
        self.pass_word(word);
        match meaning {
            Some(Word::Multiplier(power)) if self.number_before().is_some() => {
                self.multiply(power);
                let kept = self.kept as u32;
                self.figures.last_mut().expect("there is a number before").end = kept;
            }
            Some(Word::Number(units)) => {
                let compound = self.number_before().and_then(|tens| tens.with_units(units));
                if let Some(sum) = compound {
                    let last = self.figures.last_mut().expect("there is a number before");
                    (last.value, last.end) = (Value::Number(sum), self.kept as u32);
                } else {
                    self.push(start, Value::Number(Number::of_word(units)));
                }
            }
            Some(Word::Ordinal(number)) => {
                self.push(start, Value::Number(Number::integer(number)));
                self.after_figure = false;
            }
            Some(Word::Name(name)) => self.push(start, label(name)),
            Some(Word::NameBesideFigures(name)) if self.after_figure || self.is_before_figure() => {
                self.push(start, label(name));
            }
            _ => self.after_figure = false,
        }
    }

    /// Whether the next token is a figure in digits or a number in words.
    fn is_before_figure(&self) -> bool {
        let rest = self.text[self.at..].trim_start_matches([' ', ',', '.']);
        rest.starts_with(|c: char| c.is_ascii_digit())
            || matches!(meaning(word_of(rest)), Some(Word::Number(_) | Word::Ordinal(_)))
    }
}

/// The letters and digits at the beginning of a text, up to the first wide one.
fn word_of(text: &str) -> &str {
    let plain = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if text.as_bytes().get(plain).is_none_or(u8::is_ascii) {
        return &text[..plain];
    }
    let end = text.find(|c: char| !c.is_alphanumeric() || is_wide(c)).unwrap_or(text.len());
    &text[..end]
}

/// The length of the number that a text begins with, as far as its thousands are apart: `1,234,567` and `1 234 567`, or the
/// first digits. In `12,34` and in `1234,567` the comma parts two numbers.
fn thousands(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if end <= 3
        && let Some(apart @ (b',' | b' ')) = bytes.get(end)
    {
        while bytes.get(end) == Some(apart) && digits(end + 1) == 3 {
            end += 4;
        }
    }
    end
}

/// Units of time and of counting. Those are left out that make another word with a numeral: 十分, 百度, 四处, 一点, 只.
const UNITS: &str = "年月日号时天周秒届次季岁名人个项位件场套条台辆家间张本篇章节组班批轮倍元块头匹棵座级层楼步排期版种箱包瓶吨斤克米亩票站枚架艘幅支颗份片粒滴";

/// Whether a character counts as two letters.
pub(super) fn is_wide(c: char) -> bool {
    c >= '\u{2e80}'
}

fn is_han_numeral(c: char) -> bool {
    number::han_digit(c).is_some() || matches!(c, '十' | '百' | '千' | '万' | '亿')
}

fn label(text: &str) -> Value {
    Value::Label(xxh3_64(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::normalize::append_alphanumeric;

    fn of(text: &str) -> Vec<Figure> {
        let mut out = Vec::new();
        figures(text, &mut out);
        out
    }

    /// The figures as they stand among the letters and digits.
    fn written(text: &str) -> Vec<String> {
        let mut kept = String::new();
        append_alphanumeric(text, &mut kept);
        of(text).iter().map(|figure| kept[figure.start as usize..figure.end as usize].to_string()).collect()
    }

    fn same(left: &str, right: &str) -> bool {
        let (left, right) = (of(left), of(right));
        assert_eq!((left.len(), right.len()), (1, 1), "{left:?} {right:?}");
        assert_eq!(left[0].value.is_same(right[0].value), right[0].value.is_same(left[0].value));
        left[0].value.is_same(right[0].value)
    }

    #[test]
    fn figures_are_found_where_they_stand() {
        for (text, expected) in [
            ("qtly div 12-1/2 cts vs six cts", &["1212", "six"][..]),
            ("9.7 mln dlrs, 1,234 tonnes", &["97mln", "1234"]),
            ("the b737 at 10:30 on monday", &["737", "1030", "monday"]),
            ("you may march on", &[]),
            ("pay may 15, may one", &["may", "15", "may", "one"]),
            ("二〇二三年第十四届全国人大一次会议", &["二〇二三", "十四"]),
            ("第三次会议一共来了一个人", &["三"]),
            ("四件展品和一件赠品，十分好看", &["四"]),
            ("3万人，三成，百分之三十", &["3", "三", "三十"]),
            ("twenty-one of the third five", &["twentyone", "third", "five"]),
            ("5th, 1980s and 100km", &["5", "1980", "100"]),
            ("6 3/16", &["6316"]),
            ("37767,81941 and 1,234,56", &["37767", "81941", "1234", "56"]),
            ("1 234 567 of 12 34", &["1234567", "12", "34"]),
            ("", &[]),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
    }

    #[test]
    fn one_figure_written_in_two_ways_is_the_same() {
        for (left, right) in [
            ("9.7 mln", "9,729,000"),
            ("304 mln", "303.9 mln"),
            ("1,000", "1000"),
            ("1 000 000", "1,000,000"),
            ("3万", "30,000"),
            ("三百万", "3,000,000"),
            ("三成", "30%"),
            ("百分之三十", "30%"),
            ("二十一", "21"),
            ("二〇二三", "2023"),
            ("twenty one", "21"),
            ("three", "3.0"),
            ("6-3/16", "6.1875"),
            ("1/2", "0.5"),
            ("2 bln", "2,000 mln"),
            ("two thousand", "2000"),
            ("26.91 billion", "26.91 bilion"),
            ("3rd", "third"),
            ("sept", "september"),
        ] {
            assert!(same(left, right), "{left} {right}");
        }
    }

    #[test]
    fn other_figures_are_not_the_same() {
        for (left, right) in [
            ("12", "12.3"),
            ("1986", "1987"),
            ("9.7 mln", "9.8 mln"),
            ("9.7 mln", "9,789,000"),
            ("10:30", "10:31"),
            ("12", "12-1/2"),
            ("march 1", "april"),
            ("4f7k2", "4f7k3"),
            ("第三", "第四"),
            ("5 mln", "5 bln"),
            ("9000000000000000000000", "9000000000000000000001"),
        ] {
            let (left, right) = (of(left), of(right));
            assert!(!left[0].value.is_same(right[0].value), "{left:?} {right:?}");
        }
    }

    proptest! {
        #[test]
        fn of_figures_that_are_the_same_one_answers_what_the_other_one_asks(
            number in 1u64..20_000_000, digits in 1usize..8, other in 1u64..20_000_000, writing in 0..4
        ) {
            let rounded = format!("{:.0}", number as f64).chars().enumerate()
                .map(|(place, c)| if place < digits { c } else { '0' }).collect::<String>();
            let written = match writing {
                0 => rounded,
                1 => format!("{} mln", number as f64 / 1e6),
                2 => format!("{:.1} mln", number as f64 / 1e6),
                _ => other.to_string(),
            };
            let [one, two] = [&number.to_string(), &written].map(|text| of(text)[0].value);
            for [one, two] in [[one, two], [two, one]] {
                let asked: Vec<u32> = one.asking().collect();
                prop_assert_eq!(two.answering().any(|hash| asked.contains(&hash)), one.is_same(two), "{} {}", number, written);
            }
        }
    }

    proptest! {
        #[test]
        fn figures_lie_in_the_letters_and_digits_in_order(text in prop_oneof!["[0-9a-z .,:/-]{0,40}", "[一二三十百万第年月0-9成天，]{0,30}", any::<String>()]) {
            let mut kept = String::new();
            append_alphanumeric(&text, &mut kept);
            let mut end = 0;
            for figure in of(&text) {
                prop_assert!(end <= figure.start && figure.start < figure.end && figure.end as usize <= kept.len());
                prop_assert!(kept.is_char_boundary(figure.start as usize) && kept.is_char_boundary(figure.end as usize));
                prop_assert!(figure.value.is_same(figure.value));
                end = figure.end;
            }
        }
    }
}
