//! The value of a field -> the moment that it names, so that dates of all forms compare.
//!
//! Everything that reads a date calls [`moment`]. It knows neither the time of day nor a local
//! zone. `docs/algorithms.md` lists the forms under "Dates".

use chrono::{DateTime, NaiveDate};

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
    let is_digit = |byte: u8| byte.is_ascii_digit();
    if !digits.is_empty() && digits.bytes().all(is_digit) {
        return of_integer(text.parse().ok()?);
    }
    if digits.matches('.').count() == 1 && digits.bytes().all(|byte| byte == b'.' || is_digit(byte))
    {
        return of_number(text.parse().ok()?);
    }
    of_calendar(text).or_else(|| of_mail(text))
}

/// A text with ASCII forms of full-width characters, and with the marks of ISO 8601 in place of
/// Chinese units: `2024年2月1日10时30分` is `2024-2-1 10:30:`.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut after_unit = false;
    for letter in text.chars() {
        let letter = match letter {
            '！'..='～' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
            _ if letter.is_whitespace() => ' ',
            _ => letter,
        };
        let mark = match letter {
            '年' | '月' => "-",
            '日' | '号' | '號' => " ",
            '时' | '時' | '点' | '點' | '分' => ":",
            '秒' => "",
            ' ' if after_unit => continue,
            _ => {
                after_unit = false;
                plain.push(letter);
                continue;
            }
        };
        plain.truncate(plain.trim_end().len());
        plain.push_str(mark);
        after_unit = true;
    }
    plain
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

/// A time of RFC 2822, as mails and feeds have it. Without a zone it is in UTC.
fn of_mail(text: &str) -> Option<i128> {
    // The name of the day is not needed, and may be wrong.
    let text = text.split_once(',').map_or(text, |(_, date)| date).trim();
    let text = text.strip_suffix("UTC").unwrap_or(text).trim_end();
    let time = DateTime::parse_from_rfc2822(text)
        .or_else(|_| DateTime::parse_from_rfc2822(&format!("{text} +0000")))
        .ok()?;
    within_years(i128::from(time.timestamp()) * SECOND)
}

/// The time since midnight in UTC: `10:30`, `10:30:00.25+08:00`, `103000Z`. It may lie on the day
/// before or after.
fn time_of_day(text: &str) -> Option<i128> {
    let in_utc = ["Z", "z", "UTC", "GMT"].iter().find_map(|name| text.strip_suffix(name));
    let (time, offset) = match (in_utc, text.rfind(['+', '-'])) {
        (Some(time), _) => (time, 0),
        (None, Some(place)) => (&text[..place], offset(&text[place..])?),
        (None, None) => (text, 0),
    };
    let time = time.trim_end_matches([' ', ':']);
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
        [hour] if fraction.is_empty() => clock(hour, 0, 0)?,
        [hour, minute] if fraction.is_empty() => clock(hour, minute, 0)?,
        [hour, minute, second] => clock(hour, minute, second)? + nanoseconds(fraction)?,
        _ => return None,
    };
    Some(time - offset)
}

/// The nanoseconds of the digits of a fraction of a second; more than nine are cut off.
fn nanoseconds(digits: &str) -> Option<i128> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
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
    let is_number = (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i128 = 1_795_521_600 * SECOND;

    fn text(text: &str) -> Option<i128> {
        moment(&FieldValue::Text(text.to_string()))
    }

    #[test]
    fn every_form_of_one_moment_is_that_moment() {
        for date in [
            "2026-11-24T12:00:00Z",
            "2026-11-24t12:00:00z",
            "2026-11-24T12:00Z",
            "2026-11-24T12",
            "2026-11-24T1200",
            "2026-11-24T20:00:00+08:00",
            "2026-11-24 20:00:00 +0800",
            "2026-11-24 20:00:00+08",
            "2026-11-24 01:30-10:30",
            "2026-11-25T00:00:00.000+12:00",
            "2026-11-23T24:00:00-12:00",
            "2026-11-24 12:00:00",
            "2026-11-24 12:00:00 UTC",
            "2026/11/24 12:0:0",
            "20261124T120000Z",
            "20261124T12:00",
            "20261124120000",
            "Tue, 24 Nov 2026 12:00:00 GMT",
            "Mon, 24 Nov 2026 12:00:00 UTC",
            "24 Nov 2026 12:00:00",
            " Tue, 24 Nov 2026 13:00:00 +0100 ",
            "2026年11月24日12时",
            "2026年11月24日20时+08:00",
            "2026年11月24日 12:00",
            "2026 年 11 月 24 日 12 时 00 分 0 秒",
            "２０２６年１１月２４日　１２：００",
            "2026-11-24 12点00分",
            "1795521600",
            "1795521600.0",
            "1795521600000",
        ] {
            assert_eq!(text(date), Some(NOON), "{date}");
        }
        for number in [1_795_521_600, 1_795_521_600_000, 1_795_521_600_000_000, NOON] {
            assert_eq!(moment(&FieldValue::Integer(number)), Some(NOON), "{number}");
        }
        assert_eq!(moment(&FieldValue::Time(1_795_521_600_000_000)), Some(NOON));
    }

    #[test]
    fn days_months_and_years_begin_at_midnight() {
        let new_year = Some(1_704_067_200 * SECOND);
        for date in [
            "2024-01-01",
            "2024-1-1",
            "2024/1/1",
            "2024.1.1",
            "20240101",
            "2024年1月1日",
            "2024年1月1号",
            "2024-01",
            "2024/1",
            "2024年1月",
            "2024",
            "2024年",
            "２０２４",
        ] {
            assert_eq!(text(date), new_year, "{date}");
        }
        for value in [FieldValue::Integer(2024), FieldValue::Number(20_240_101.0)] {
            assert_eq!(moment(&value), new_year, "{value:?}");
        }
        assert!(text("2024年2月1日") < text("2024年10月1日"));
        assert_eq!(moment(&FieldValue::Time(86_400_000_000)), Some(DAY));
    }

    #[test]
    fn fractions_of_seconds_count() {
        let quarter = Some(NOON + SECOND / 4);
        for date in ["2026-11-24T12:00:00.25Z", "2026-11-24 12:00:00,250", "1795521600.25"] {
            assert_eq!(text(date), quarter, "{date}");
        }
        assert_eq!(moment(&FieldValue::Number(1_795_521_600.25)), quarter);
        assert_eq!(moment(&FieldValue::Number(-100_000_000.5)), text("-100000000.5"));
        assert_eq!(text("2026-11-24T12:00:00.0000000019Z"), Some(NOON + 1));
    }

    #[test]
    fn other_values_are_no_dates() {
        for other in [
            "",
            " ",
            "-",
            "soon",
            "9",
            "202401",
            "2024-13-01",
            "2024-02-30",
            "20241301",
            "24-1-1",
            "31.1.2026",
            "2024.02",
            "1-2-3-4",
            "2024-1-1T25:00",
            "2024-1-1T10:60",
            "2024-1-1 x",
            "2024-1-1T10:00+",
            "2024-1-1T10:00:00.x",
            "10:30",
            "2024-1/1",
            "20241301000000",
            "99999999999999999999999",
            "-2024-1-1",
            "2024-1-1T10:00+99:00",
            "Fri, 05 Jan 2024",
            "é024-1-1",
            "20é0101T10",
            "2024-1-1T1é3000",
            "2024-1-1 aé12",
            "2024-1-1T103",
        ] {
            assert_eq!(text(other), None, "{other}");
        }
        assert_eq!(text(&format!("2024-1-1{}", " ".repeat(200) + "10:00")), None);
        for other in [
            FieldValue::Number(f64::INFINITY),
            FieldValue::Number(0.5),
            FieldValue::Integer(0),
            FieldValue::Integer(i128::MIN),
            FieldValue::Boolean(true),
        ] {
            assert_eq!(moment(&other), None, "{other:?}");
        }
    }
}
