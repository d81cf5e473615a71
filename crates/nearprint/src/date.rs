//! The value of a field -> the moment that it names, so that dates of all forms compare.
//!
//! Everything that reads a date calls [`moment`]. It knows neither the time of day nor a local
//! zone. `docs/algorithms.md` lists the forms under "Dates".

use chrono::NaiveDate;

use crate::document::FieldValue;

/// The nanoseconds of a second and of a day.
const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// The end of the year 9999, where calendars of four digits end.
const END: i128 = 253_402_300_800 * SECOND;

/// The most bytes of a text that is read as a date.
const LONGEST: usize = 128;

/// The moment that a value names, in nanoseconds since the beginning of 1970 in UTC; negative
/// before. `None` if the value is no date. A date without a zone is in UTC, and a date without a
/// time begins the day, month or year.
///
/// ```
/// use nearprint::date::moment;
/// use nearprint::document::FieldValue;
/// let text = |text: &str| moment(&FieldValue::Text(text.to_string()));
/// assert_eq!(text("2024-01-02T09:00:00-05:00"), text("2024年1月2日14时"));
/// assert_eq!(text("Fri, 05 Jan 2024 10:00:00 GMT"), moment(&FieldValue::Integer(1_704_448_800)));
/// assert_eq!(text("yesterday"), None);
/// ```
pub fn moment(value: &FieldValue) -> Option<i128> {
    match value {
        FieldValue::Time(microseconds) => Some(microseconds * 1000),
        FieldValue::Integer(number) => of_integer(*number),
        FieldValue::Number(number) => of_number(*number),
        FieldValue::Text(text) => of_text(text),
        FieldValue::Boolean(_) | FieldValue::Tokens(_) => None,
    }
}

/// Returns true for a value that names no moment. A blank text is no value.
pub(crate) fn is_no_date(value: &FieldValue) -> bool {
    let is_blank = matches!(value, FieldValue::Text(text) if text.trim().is_empty());
    !is_blank && moment(value).is_none()
}

/// Four digits are a year, eight a day, and fourteen a day with a time. Every other number counts
/// from 1970.
fn of_integer(number: i128) -> Option<i128> {
    let two = |power: u32| u32::try_from(number / 10_i128.pow(power) % 100).ok();
    match number {
        1_000..=9_999 => day(number, 1, 1),
        10_000_000..=99_999_999 => day(number / 10_000, two(2)?, two(0)?),
        10_000_000_000_000..=99_999_999_999_999 => {
            let day = day(number / 10_i128.pow(10), two(8)?, two(6)?)?;
            Some(day + clock(two(4)?, two(2)?, two(0)?)?)
        }
        _ => within_years(number.checked_mul(unit(number.unsigned_abs())?)?),
    }
}

fn of_number(number: f64) -> Option<i128> {
    if number.fract() == 0.0 {
        return of_integer(number as i128);
    }
    // The cast of a number beyond 128 bits gives the nearest bound, which is no date.
    let unit = unit(number.abs() as u128)?;
    let whole = number.floor();
    let rest = ((number - whole) * unit as f64) as i128;
    within_years((whole as i128).checked_mul(unit)?.checked_add(rest)?)
}

/// The nanoseconds of the unit in which a number of this size counts from 1970: seconds below 10¹¹
/// (the year 5138), milliseconds below 10¹⁴, microseconds below 10¹⁷, then nanoseconds. `None`
/// below 10⁸ seconds (March 1973), since small numbers are counters rather than dates.
fn unit(size: u128) -> Option<i128> {
    match size {
        0..100_000_000 => None,
        100_000_000..100_000_000_000 => Some(SECOND),
        100_000_000_000..100_000_000_000_000 => Some(SECOND / 1000),
        100_000_000_000_000..100_000_000_000_000_000 => Some(1000),
        _ => Some(1),
    }
}

fn within_years(moment: i128) -> Option<i128> {
    (-END..END).contains(&moment).then_some(moment)
}

fn of_text(text: &str) -> Option<i128> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    let plain = plain(text);
    let text = plain.trim_end_matches(['-', ':', ' ']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(is_digit) {
        return of_integer(text.parse().ok()?);
    }
    if digits.matches('.').count() == 1 && digits.bytes().all(|byte| byte == b'.' || is_digit(byte))
    {
        return of_number(text.parse().ok()?);
    }
    of_calendar(text).or_else(|| of_words(text))
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Chinese units, and the marks of ISO 8601 that stand for them.
const UNITS: [(&str, &str); 18] = [
    ("年", "-"),
    ("月", "-"),
    ("日", " "),
    ("号", " "),
    ("號", " "),
    ("上午", " am "),
    ("下午", " pm "),
    ("凌晨", " am "),
    ("清晨", " am "),
    ("早上", " am "),
    ("傍晚", " pm "),
    ("晚上", " night "),
    ("时", ":"),
    ("時", ":"),
    ("点", ":"),
    ("點", ":"),
    ("分", ":"),
    ("秒", ""),
];

/// Chinese digits, from 0 on.
const DIGITS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// A text with ASCII forms of full-width characters, Arabic digits in place of Chinese ones, and
/// marks in place of Chinese units: `二〇二四年2月十五日 下午3点5分` is `2024-2-15 pm 3:5:`. Chinese
/// names of the days of the week are left out.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let (mut rest, mut after_unit) = (text, false);
    while let Some(letter) = rest.chars().next() {
        let may_be_unit = !letter.is_ascii() || letter == '(';
        if let Some((after, mark)) = may_be_unit.then(|| after_chinese_unit(rest)).flatten() {
            plain.truncate(plain.trim_end().len());
            plain.push_str(mark);
            (rest, after_unit) = (after, true);
            continue;
        }
        rest = &rest[letter.len_utf8()..];
        let digit = || DIGITS.iter().zip('0'..).find(|(digit, _)| **digit == letter);
        match letter {
            _ if letter.is_whitespace() && after_unit => continue,
            _ if letter.is_whitespace() => plain.push(' '),
            _ if letter.is_ascii() => plain.push(letter),
            '！'..='～' => plain.extend(char::from_u32(letter as u32 - 0xfee0)),
            '−' => plain.push('-'),
            '零' | '○' => plain.push('0'),
            '十' => plain.push_str(
                match (plain.ends_with(|l: char| l.is_ascii_digit()), rest.starts_with(DIGITS)) {
                    (true, true) => "",
                    (true, false) => "0",
                    (false, true) => "1",
                    (false, false) => "10",
                },
            ),
            _ => plain.push(digit().map_or(letter, |(_, digit)| digit)),
        }
        after_unit = false;
    }
    plain
}

/// The text after a Chinese unit, and the mark in its place.
fn after_chinese_unit(text: &str) -> Option<(&str, &str)> {
    let unit = UNITS.iter().find_map(|(unit, mark)| Some((text.strip_prefix(unit)?, *mark)));
    unit.or_else(|| Some((after_day_of_week(text)?, " ")))
}

/// The text after a Chinese day of the week, with or without parentheses.
fn after_day_of_week(text: &str) -> Option<&str> {
    let inside = text.strip_prefix(['(', '（']);
    let name = inside.unwrap_or(text);
    let name = ["星期", "周", "週"].iter().find_map(|week| name.strip_prefix(week))?;
    let after = name.strip_prefix(['一', '二', '三', '四', '五', '六', '日', '天'])?;
    if inside.is_some() { after.strip_prefix([')', '）']) } else { Some(after) }
}

/// A date of ISO 8601: year, month and day, with a time and its zone where they are given. The
/// parts may lack zeros, and be separated by `/` or `.` in place of `-`.
fn of_calendar(text: &str) -> Option<i128> {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(place) => (&text[..place], Some(text[place + 1..].trim())),
        None => (text, None),
    };
    let mark = date.chars().find(|letter| ['-', '/', '.'].contains(letter));
    let parts: Vec<&str> = match mark {
        Some(mark) => date.split(mark).collect(),
        None if date.len() == 8 => vec![date.get(..4)?, date.get(4..6)?, date.get(6..)?],
        None => return None,
    };
    let begin = match (&parts[..], time) {
        ([year, month, part], _) => day(year_of(year)?, number(month, 2)?, number(part, 2)?)?,
        ([year, month], None) if mark != Some('.') => day(year_of(year)?, number(month, 2)?, 1)?,
        _ => return None,
    };
    Some(begin + time.map_or(Some(0), time_of_day)?)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const DAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A date with an English name of its month: RFC 2822 and RFC 850 as in mails and feeds, ctime, and
/// `Feb. 3rd, 2024, 10:30 PM`. The name tells the month and four digits the year, so their order is
/// free. The day of the week is not needed, and may be wrong.
fn of_words(text: &str) -> Option<i128> {
    let (text, comment) = text.split_once('(').map_or((text, None), |(a, b)| (a, Some(b)));
    let (mut numbers, mut month, mut time) = (Vec::new(), None, String::new());
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        // `01-Feb-24` is three words, and `10:30-0500` is one.
        let is_date = word.starts_with(|letter: char| letter.is_ascii_digit());
        let mark = if is_date && !word.contains(':') { '-' } else { ' ' };
        for word in word.split(mark) {
            if let Some(number) = named(word, &MONTHS) {
                if month.replace((number, numbers.len())).is_some() {
                    return None;
                }
            } else if let Some(number) = cardinal(word) {
                numbers.push(number);
            } else if named(word, &DAYS).is_none() && word != "at" {
                time.push(' ');
                time.push_str(word);
            }
        }
    }
    let (month, place) = month?;
    let has_time = !time.is_empty();
    if comment.is_some_and(|comment| !comment.ends_with(')') || !has_time) {
        return None;
    }
    let (year, part) = match (&numbers[..place], &numbers[place..]) {
        ([day], [year]) if day.len() <= 2 && year.len() == 2 && has_time => {
            (century_of(year)?, day)
        }
        ([day], [year]) | ([], [day, year]) if year.len() == 4 => (year_of(year)?, day),
        ([year], [day]) => (year_of(year)?, day),
        ([], [year]) | ([year], []) if !has_time => (year_of(year)?, &"1"),
        _ => return None,
    };
    // RFC 2822 has this zone. Elsewhere it may be China's.
    let american = time.strip_suffix(" CST").filter(|_| place == 1 && numbers[0].len() <= 2);
    let time = american.map_or(time.clone(), |time| format!("{time} -0600"));
    let time = if has_time { time_of_day(time.trim())? } else { 0 };
    Some(day(year, month, number(part, 2)?)? + time)
}

/// The number of a name, from 1. Its first three letters are enough, with or without a full stop.
fn named(word: &str, names: &[&str]) -> Option<u32> {
    let word = word.strip_suffix('.').unwrap_or(word).to_ascii_lowercase();
    let is_name = |name: &&str| word.len() >= 3 && name.starts_with(&word);
    Some(names.iter().position(is_name)? as u32 + 1)
}

/// The digits of a number, which may be an ordinal: `3`, `3rd`.
fn cardinal(word: &str) -> Option<&str> {
    let ending = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending));
    let digits = ending.unwrap_or(word);
    (!digits.is_empty() && digits.bytes().all(is_digit)).then_some(digits)
}

/// A year of two digits in mails.
fn century_of(text: &str) -> Option<i128> {
    let year = i128::from(number(text, 2)?);
    Some(if year < 50 { 2000 + year } else { 1900 + year })
}

/// The names of zones in mails, and their hours from UTC.
const ZONES: [(&str, i128); 11] = [
    ("Z", 0),
    ("UT", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("EST", -5),
    ("EDT", -4),
    ("CDT", -5),
    ("MST", -7),
    ("MDT", -6),
    ("PST", -8),
    ("PDT", -7),
];

/// The halves of a day, and their first hours.
const HALVES: [(&str, u32); 5] =
    [("AM", 0), ("PM", 12), ("A.M.", 0), ("P.M.", 12), ("NIGHT", NIGHT)];

/// The half of 晚上: as pm, but twelve at night might begin this day or the next one.
const NIGHT: u32 = 24;

/// The time since midnight in UTC: `10:30`, `10:30:00.25+08:00`, `103000Z`, `10:30 pm EST`. It may
/// lie on the day before or after.
fn time_of_day(text: &str) -> Option<i128> {
    let text = text.to_ascii_uppercase();
    let (time, offset) = match text.rfind(['+', '-']) {
        Some(place) => {
            let time = text[..place].trim_end();
            let before = ["UTC", "GMT"].iter().find_map(|name| time.strip_suffix(name));
            (before.unwrap_or(time), offset(&text[place..])?)
        }
        None => {
            let of = |(name, hours): &(&str, i128)| Some((text.strip_suffix(name)?, *hours));
            let (time, hours) = ZONES.iter().find_map(of).unwrap_or((text.as_str(), 0));
            (time, hours * 3600 * SECOND)
        }
    };
    let time = time.trim_matches([' ', ':']);
    let half = |(name, first): &(&str, u32)| {
        let time = time.strip_suffix(name).or_else(|| time.strip_prefix(name))?;
        Some((time.trim_matches([' ', ':']), Some(*first)))
    };
    let (time, half) = HALVES.iter().find_map(half).unwrap_or((time, None));
    let (whole, fraction) = match time.find(['.', ',']) {
        Some(place) => (&time[..place], &time[place + 1..]),
        None => (time, ""),
    };
    let parts: Vec<&str> = match whole.len() {
        _ if whole.contains(':') => whole.split(':').collect(),
        0..=2 => vec![whole],
        4 | 6 if whole.is_ascii() => {
            (0..whole.len()).step_by(2).map(|place| &whole[place..place + 2]).collect()
        }
        _ => return None,
    };
    let numbers: Vec<u32> = parts.iter().map(|part| number(part, 2)).collect::<Option<_>>()?;
    let time = match numbers[..] {
        [hour] if fraction.is_empty() => clock(of_day(hour, half)?, 0, 0)?,
        [hour, minute] if fraction.is_empty() => clock(of_day(hour, half)?, minute, 0)?,
        [hour, minute, second] => {
            clock(of_day(hour, half)?, minute, second)? + nanoseconds(fraction)?
        }
        _ => return None,
    };
    Some(time - offset)
}

/// The hour of a day from an hour of one of its halves: 12 am is 0, and 3 pm is 15, as is 15 pm.
fn of_day(hour: u32, half: Option<u32>) -> Option<u32> {
    match (half, hour) {
        (None, _) | (Some(0), 0..=11) | (Some(12), 13..=23) => Some(hour),
        (Some(NIGHT), 13..=23) => Some(hour),
        (Some(NIGHT), 12) => None,
        (Some(first), 12) => Some(first),
        (Some(12 | NIGHT), 1..=11) => Some(hour + 12),
        _ => None,
    }
}

/// The nanoseconds of the digits of a fraction of a second; more than nine are cut off.
fn nanoseconds(digits: &str) -> Option<i128> {
    if !digits.bytes().all(is_digit) {
        return None;
    }
    format!("{digits:0<9}").get(..9)?.parse().ok()
}

/// The nanoseconds of an offset from UTC: `+08:00`, `-0500`, `+8`.
fn offset(text: &str) -> Option<i128> {
    let (sign, offset) = (if text.starts_with('-') { -1 } else { 1 }, text.get(1..)?);
    let (hours, minutes) = match offset.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if offset.len() == 4 => offset.split_at_checked(2)?,
        None => (offset, "0"),
    };
    Some(sign * clock(number(hours, 2)?, number(minutes, 2)?, 0)?)
}

/// The nanoseconds since midnight, up to the next one. Leap seconds count.
fn clock(hour: u32, minute: u32, second: u32) -> Option<i128> {
    let time = i128::from(hour * 3600 + minute * 60 + second) * SECOND;
    (minute < 60 && second <= 60 && time <= DAY).then_some(time)
}

/// The beginning of a day.
fn day(year: i128, month: u32, day: u32) -> Option<i128> {
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    (year >= 1000).then(|| i128::from((date - NaiveDate::default()).num_days()) * DAY)
}

/// A year of four digits.
fn year_of(text: &str) -> Option<i128> {
    number(text, 4).filter(|_| text.len() == 4).map(i128::from)
}

/// A number of at most so many digits, and no other characters.
fn number(text: &str, most: usize) -> Option<u32> {
    let is_number = (1..=most).contains(&text.len()) && text.bytes().all(is_digit);
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests;
