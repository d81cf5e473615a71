//! Numbers as they are written -> exact decimal values, and whether one is another one rounded.

use crate::random::mix;

/// The most digits of a number; of more the text is a label.
const MOST_DIGITS: u32 = 18;

/// Powers of ten beyond this are no numbers that anybody writes.
const LARGEST_EXPONENT: i32 = 60;

/// Numbers of fewer digits before the point are not rounded: 12 and 12.3 are two figures.
const ROUNDED_FROM: i32 = 4;

/// The fewest digits to which a number is rounded.
const FEWEST_ROUNDED: u32 = 2;

/// The value of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number.
    Number(Number),
    /// A name or a code: a hash of its text.
    Label(u64),
}

impl Value {
    /// What two equal values have in common, and no others: by this they are sorted.
    pub(in crate::verify) fn key(self) -> (u8, u64, i32) {
        match self {
            Value::Number(number) => (0, number.digits, number.exponent),
            Value::Label(hash) => (1, hash, 0),
        }
    }

    /// A hash of the value.
    pub(in crate::verify) fn hash(self) -> u64 {
        let (kind, value, exponent) = self.key();
        mix(mix(value) ^ u64::from(kind) << 32 ^ u64::from(exponent as u32))
    }

    /// Hashes with which the value asks for figures that are the same: one of theirs [answers](Value::answering) then.
    pub(crate) fn asking(self) -> impl Iterator<Item = u32> {
        self.hashes(true)
    }

    /// Hashes with which the value answers those that [ask](Value::asking).
    pub(crate) fn answering(self) -> impl Iterator<Item = u32> {
        self.hashes(false)
    }

    /// That of the value itself, and those of the numbers that it may be rounded to, or be the rounded form of: what one of two
    /// numbers is in full, the other one is in short.
    fn hashes(self, asks: bool) -> impl Iterator<Item = u32> {
        let number = match self {
            Value::Number(number) => Some(number),
            Value::Label(_) => None,
        };
        let hash = |shortened: Shortened, long: bool| {
            let Shortened { digits, exponent, significant } = shortened;
            mix(mix(digits) ^ u64::from(exponent as u32) << 32 ^ u64::from(significant) << 1 ^ u64::from(long)) as u32
        };
        let long = number.into_iter().flat_map(Number::shortened).map(move |shortened| hash(shortened, asks));
        let short = number.into_iter().flat_map(Number::as_shortened).map(move |shortened| hash(shortened, !asks));
        std::iter::once(self.hash() as u32).chain(long).chain(short)
    }

    /// Of two equal values the one that is written with fewer digits.
    pub(in crate::verify) fn shorter(self, other: Value) -> Value {
        match (self, other) {
            (Value::Number(left), Value::Number(right)) if right.significant < left.significant => other,
            _ => self,
        }
    }

    /// Whether two figures say the same. It is symmetric, and by rounding not transitive.
    pub fn is_same(self, other: Value) -> bool {
        match (self, other) {
            (Value::Number(left), Value::Number(right)) => left.is_same(right),
            (Value::Label(left), Value::Label(right)) => left == right,
            _ => false,
        }
    }
}

/// A decimal number: `digits` times a power of ten, without zeros at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    digits: u64,
    exponent: i32,
    /// The digits with which it is written, zeros before the first other one left out.
    significant: u32,
    /// The power of ten of its multiplier; 0 for none.
    power: i32,
    /// Whether it is a multiple of ten in words, which units may follow.
    tens: bool,
}

/// A number that was rounded to this many digits; to none where its multiplier was left out instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::verify) struct Shortened {
    digits: u64,
    exponent: i32,
    significant: u32,
}

impl Number {
    fn new(digits: u64, exponent: i32, significant: u32) -> Number {
        let (mut digits, mut exponent) = (digits, exponent);
        while digits != 0 && digits.is_multiple_of(10) {
            (digits, exponent) = (digits / 10, exponent + 1);
        }
        if digits == 0 {
            exponent = 0;
        }
        Number { digits, exponent, significant, power: 0, tens: false }
    }

    /// A whole number.
    pub(super) fn integer(number: u64) -> Number {
        Number::new(number, 0, length(number))
    }

    /// A number as a word says it.
    pub(super) fn of_word(number: u64) -> Number {
        Number { tens: number >= 20 && number.is_multiple_of(10), ..Number::integer(number) }
    }

    /// `twenty` with `one`; `None` where this number or those units are not of such a compound.
    pub(super) fn with_units(&self, units: u64) -> Option<Number> {
        let whole = self.digits.checked_mul(10u64.checked_pow(u32::try_from(self.exponent).ok()?)?)?;
        (self.tens && (1..=9).contains(&units)).then(|| Number::integer(whole + units))
    }

    pub(super) fn multiply(&mut self, power: i32) {
        self.tens = false;
        if self.digits != 0 && self.exponent + power <= LARGEST_EXPONENT {
            self.exponent += power;
            self.power += power;
        }
    }

    /// A whole number and a fraction; `None` where this one is none.
    pub(super) fn plus(&self, fraction: Number) -> Option<Number> {
        if self.exponent < 0 || self.tens {
            return None;
        }
        let places = u32::try_from(-fraction.exponent).ok()?;
        let scale = u32::try_from(self.exponent).ok()?.checked_add(places)?;
        let whole = self.digits.checked_mul(10u64.checked_pow(scale)?)?;
        Some(Number::new(whole.checked_add(fraction.digits)?, fraction.exponent, MOST_DIGITS))
    }

    fn is_same(self, other: Number) -> bool {
        let shortens_to =
            |long: Number, short: Number| long.shortened().any(|one| short.as_shortened().any(|other| one == other));
        (self.digits, self.exponent) == (other.digits, other.exponent)
            || shortens_to(self, other)
            || shortens_to(other, self)
    }

    /// This number rounded to fewer digits than those it is written with, and without its multiplier.
    pub(in crate::verify) fn shortened(self) -> impl Iterator<Item = Shortened> {
        let most = if self.is_rounded_from() { self.significant.min(length(self.digits)) } else { 0 };
        let rounded = (FEWEST_ROUNDED..most).map(move |digits| {
            let rounded = self.rounded(digits);
            Shortened { digits: rounded.digits, exponent: rounded.exponent, significant: digits }
        });
        let Number { digits, exponent, power, .. } = self;
        rounded.chain((power != 0).then_some(Shortened { digits, exponent: exponent - power, significant: 0 }))
    }

    /// This number as others shorten to it.
    pub(in crate::verify) fn as_shortened(self) -> impl Iterator<Item = Shortened> {
        let Number { digits, exponent, significant, power, .. } = self;
        let rounded = (self.is_rounded_from() && significant >= FEWEST_ROUNDED).then_some(significant);
        let bare = (power == 0).then_some(0);
        rounded.into_iter().chain(bare).map(move |significant| Shortened { digits, exponent, significant })
    }

    fn is_rounded_from(self) -> bool {
        length(self.digits) as i32 + self.exponent >= ROUNDED_FROM
    }

    fn rounded(self, digits: u32) -> Number {
        let Some(dropped @ 1..) = length(self.digits).checked_sub(digits) else { return self };
        let power = 10u64.pow(dropped);
        Number::new((self.digits + power / 2) / power, self.exponent + dropped as i32, digits)
    }
}

/// The digits of a number; 1 for 0.
fn length(number: u64) -> u32 {
    number.checked_ilog10().unwrap_or(0) + 1
}

/// A number in digits: `1,234.5`, `6-3/16`, `1/2`; `None` for a date, a time, or too many digits. Commas and blanks in it
/// are those of its thousands.
pub(super) fn parse(written: &str) -> Option<Number> {
    if let Some(fraction) = proper_fraction(written) {
        return Some(fraction);
    }
    if let Some((whole, fraction)) = written.split_once('-') {
        return parse(whole)?.plus(proper_fraction(fraction)?);
    }
    let (whole, decimals) = written.split_once('.').unwrap_or((written, ""));
    let all: String = whole.chars().filter(|c| !matches!(c, ',' | ' ')).chain(decimals.chars()).collect();
    if !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = all.trim_start_matches('0');
    if significant.len() > MOST_DIGITS as usize || decimals.len() > MOST_DIGITS as usize {
        return None;
    }
    let digits = if significant.is_empty() { 0 } else { significant.parse().ok()? };
    Some(Number::new(digits, -(decimals.len() as i32), (significant.len() as u32).max(1)))
}

/// A fraction below 1 that decimals give exactly: its denominator is 2, 4, 8, …, 64.
pub(super) fn proper_fraction(written: &str) -> Option<Number> {
    let (above, below) = written.split_once('/')?;
    let (above, below): (u64, u64) = (above.parse().ok()?, below.parse().ok()?);
    if !(2..=64).contains(&below) || !below.is_power_of_two() || above >= below {
        return None;
    }
    // Six decimals say 1/64 exactly.
    Some(Number::new(above * (1_000_000 / below), -6, MOST_DIGITS))
}

/// A digit of Chinese.
pub(super) fn han_digit(c: char) -> Option<u64> {
    Some(match c {
        '〇' | '零' => 0,
        '一' => 1,
        '二' | '两' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    })
}

/// The power of ten by which a character of Chinese multiplies the digits before it.
pub(super) fn han_multiplier(c: char) -> Option<i32> {
    Some(match c {
        '成' => 1,
        '百' => 2,
        '千' => 3,
        '万' => 4,
        '亿' => 8,
        _ => return None,
    })
}

/// A numeral of Chinese: digits one after the other (`二〇二三`), or digits and their units (`三百万`); `None` for units alone
/// and for what is no number.
pub(super) fn han_number(written: &str) -> Option<Number> {
    let digits = written.chars().filter_map(han_digit).count();
    if written.chars().all(|c| han_digit(c).is_some()) {
        let value = written.chars().try_fold(0u64, |value, c| value.checked_mul(10)?.checked_add(han_digit(c)?));
        return value.filter(|_| digits <= MOST_DIGITS as usize).map(|value| {
            let significant = written.trim_start_matches(['〇', '零']).chars().count().max(1);
            Number::new(value, 0, significant as u32)
        });
    }
    // What the next unit multiplies, what is below 10,000 so far, and what is above.
    let (mut digit, mut section, mut total) = (None, 0u64, 0u64);
    for c in written.chars() {
        if let Some(value) = han_digit(c) {
            digit = Some(value);
            continue;
        }
        match c {
            '十' | '百' | '千' => {
                let unit = match c {
                    '十' => 10,
                    '百' => 100,
                    _ => 1000,
                };
                // 十 alone is ten; the others need a digit.
                let count = if c == '十' { digit.take().unwrap_or(1) } else { digit.take()? };
                section = section.checked_add(count * unit)?;
            }
            _ => {
                let unit = if c == '万' { 10_000 } else { 100_000_000 };
                section += digit.take().unwrap_or(0);
                total = total.checked_add(section)?.checked_mul(unit).filter(|total| *total > 0)?;
                section = 0;
            }
        }
    }
    let value = total.checked_add(section)?.checked_add(digit.unwrap_or(0))?;
    Some(Number::new(value, 0, (digits as u32).max(1)))
}
