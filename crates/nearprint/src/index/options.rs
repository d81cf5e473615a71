//! The fields and texts that an index keeps for its answers, and the time to live of its documents.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::document::{Document, FieldValue};
use crate::error::Problem;

/// The data that an index keeps of its documents, and for how long. The options are chosen when the
/// index is created.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct IndexOptions {
    /// The fields that answers show, as read.
    pub store_fields: Vec<String>,
    /// True if answers show the text as read.
    pub store_text: bool,
    /// The time that a document stays, from its date, or from when it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Ttl>,
    /// The field with the date of a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_field: Option<String>,
}

impl IndexOptions {
    /// The fields that are read of each document: the stored ones, and the date.
    pub fn fields(&self) -> Vec<String> {
        let mut fields = self.store_fields.clone();
        fields.extend(
            self.date_field.iter().filter(|date| !self.store_fields.contains(date)).cloned(),
        );
        fields
    }

    /// The problem of a document that has no readable date, if the index needs one. Its fields are
    /// those of [`fields`](Self::fields).
    pub(crate) fn no_date(&self, document: &Document) -> Option<Problem> {
        let field = self.date_field.as_ref()?;
        let place = self.fields().iter().position(|own| own == field)?;
        match document.fields.get(place).and_then(Option::as_ref) {
            None => Some(Problem::WrongType {
                field: field.clone(),
                wanted: DATE.into(),
                found: "nothing".to_string(),
            }),
            Some(value) if seconds(value).is_none() => Some(Problem::WrongType {
                field: field.clone(),
                wanted: DATE.into(),
                found: match value {
                    FieldValue::Text(text) => format!("\"{text}\""),
                    FieldValue::Integer(number) => number.to_string(),
                    FieldValue::Number(number) => number.to_string(),
                    FieldValue::Boolean(value) => value.to_string(),
                    FieldValue::Tokens(_) => "a list".to_string(),
                },
            }),
            Some(_) => None,
        }
    }
}

/// The form of a date in messages.
const DATE: &str = "a date such as 2026-11-24T12:00:00Z, or as in feeds, or in seconds since 1970";

/// A duration in seconds, written as `90s`, `30m`, `12h`, `365d` or `2w`.
///
/// ```
/// use nearprint::index::Ttl;
/// assert_eq!("2w".parse::<Ttl>()?, Ttl(14 * 24 * 3600));
/// assert_eq!(Ttl(7200).to_string(), "2h");
/// assert!("soon".parse::<Ttl>().is_err() && "-1d".parse::<Ttl>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Ttl(pub u32);

/// The units and their seconds, the longest first.
const UNITS: [(char, u32); 5] = [('w', 604_800), ('d', 86_400), ('h', 3600), ('m', 60), ('s', 1)];

impl FromStr for Ttl {
    type Err = String;

    fn from_str(text: &str) -> Result<Ttl, String> {
        let unit = UNITS.iter().find(|(unit, _)| text.ends_with(*unit));
        let seconds = unit.and_then(|(_, seconds)| {
            text[..text.len() - 1].parse::<u32>().ok()?.checked_mul(*seconds)
        });
        let seconds = seconds.filter(|seconds| *seconds > 0);
        seconds
            .map(Ttl)
            .ok_or_else(|| format!("{text} is not a duration; write 90s, 30m, 12h, 365d or 2w"))
    }
}

impl fmt::Display for Ttl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, seconds) = UNITS
            .iter()
            .find(|(_, seconds)| self.0.is_multiple_of(*seconds))
            .expect("all are whole seconds");
        write!(f, "{}{unit}", self.0 / seconds)
    }
}

impl TryFrom<String> for Ttl {
    type Error = String;

    fn try_from(text: String) -> Result<Ttl, String> {
        text.parse()
    }
}

impl From<Ttl> for String {
    fn from(ttl: Ttl) -> String {
        ttl.to_string()
    }
}

/// The smallest number that counts milliseconds since 1970, and not seconds. A thousand times as
/// much counts microseconds. In milliseconds it is a day in 1973.
const MILLISECONDS: i128 = 100_000_000_000;

/// The seconds from 1970 to a date; `None` if the value is no date. A date is an ISO 8601 date or
/// time (in UTC without a zone), an RFC 2822 time as in feeds, or a number. The number counts
/// seconds, from 10¹¹ on milliseconds, from 10¹⁴ on microseconds (as in columns of times), and from
/// 10¹⁷ on nanoseconds.
pub fn seconds(value: &FieldValue) -> Option<i64> {
    use chrono::{DateTime, NaiveDate, NaiveDateTime};
    match value {
        FieldValue::Integer(number) => {
            let unit =
                [1, 1000, 1_000_000].into_iter().find(|unit| number.abs() < MILLISECONDS * unit);
            i64::try_from(number.div_euclid(unit.unwrap_or(1_000_000_000))).ok()
        }
        FieldValue::Number(number) if number.is_finite() && number.abs() < 1e19 => {
            seconds(&FieldValue::Integer(number.floor() as i128))
        }
        FieldValue::Text(text) => {
            let text = text.trim();
            // A number of eight digits may be a day.
            if text.len() > 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
                return seconds(&FieldValue::Integer(text.parse().ok()?));
            }
            let with_zone =
                DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
            if let Ok(time) = with_zone {
                return Some(time.timestamp());
            }
            let of_zone = [
                "%Y-%m-%dT%H:%M:%S%.f",
                "%Y-%m-%d %H:%M:%S%.f",
                "%Y-%m-%dT%H:%M",
                "%Y-%m-%d %H:%M",
            ];
            let time =
                of_zone.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
            let with_offset = || {
                let formats =
                    ["%Y-%m-%dT%H:%M:%S%.f%z", "%Y-%m-%d %H:%M:%S%.f%z", "%Y-%m-%d %H:%M:%S %z"];
                formats.iter().find_map(|format| DateTime::parse_from_str(text, format).ok())
            };
            let days = ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%Y年%m月%d日"];
            let day = || {
                days.iter()
                    .find_map(|format| NaiveDate::parse_from_str(text, format).ok())?
                    .and_hms_opt(0, 0, 0)
            };
            let time = time.map(|time| time.and_utc().timestamp());
            time.or_else(|| with_offset().map(|time| time.timestamp()))
                .or_else(|| Some(day()?.and_utc().timestamp()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_feeds_and_tables_have_them() {
        let text = |text: &str| seconds(&FieldValue::Text(text.to_string()));
        let noon = Some(1_795_521_600);
        for date in [
            "2026-11-24T12:00:00Z",
            "2026-11-24T20:00:00+08:00",
            "2026-11-24T12:00:00.25",
            "2026-11-24 12:00:00",
            "2026-11-24 12:00",
            "2026-11-24T12:00:00+0000",
            "Tue, 24 Nov 2026 12:00:00 GMT",
            " Tue, 24 Nov 2026 13:00:00 +0100 ",
        ] {
            assert_eq!(text(date), noon, "{date}");
        }
        assert_eq!(text("2026-11-24"), noon.map(|noon| noon - 43_200));
        for day in ["2026/11/24", "20261124", "2026年11月24日"] {
            assert_eq!(text(day), text("2026-11-24"), "{day}");
        }
        assert_eq!(text("1795521600"), noon);
        assert_eq!([text("yesterday"), text(""), text("2026-13-01")], [None; 3]);
        for number in [1_795_521_600_999, 1_795_521_600_999_999, 1_795_521_600_999_999_999] {
            assert_eq!(seconds(&FieldValue::Integer(number)), noon, "{number}");
        }
        assert_eq!(seconds(&FieldValue::Integer(-100_000_000_001)), Some(-100_000_001));
        assert_eq!(
            [FieldValue::Integer(1_795_521_600), FieldValue::Number(1_795_521_600.5)]
                .map(|v| seconds(&v)),
            [noon; 2]
        );
        assert_eq!(
            [FieldValue::Number(f64::INFINITY), FieldValue::Boolean(true)].map(|v| seconds(&v)),
            [None; 2]
        );
    }

    #[test]
    fn options_come_back_from_their_text() {
        let options = IndexOptions {
            store_fields: vec!["title".into()],
            store_text: true,
            ttl: Some(Ttl(31_536_000)),
            date_field: Some("published".into()),
        };
        let text = toml::to_string(&options).unwrap();
        assert!(text.contains("ttl = \"365d\""), "{text}");
        assert_eq!(toml::from_str::<IndexOptions>(&text).unwrap(), options);
        assert_eq!(
            toml::from_str::<IndexOptions>(&toml::to_string(&IndexOptions::default()).unwrap())
                .unwrap(),
            IndexOptions::default()
        );
        assert_eq!(options.fields(), ["title", "published"]);
    }
}
