//! The fields and texts that an index keeps for its answers, and the time to live of its documents.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::date::moment;
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
    /// The field with the date of a document. Its lifetime begins then, and a question may be about
    /// documents of near dates.
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
        date(field, document.fields.get(place).and_then(Option::as_ref)).err()
    }
}

/// The date of a document by the value of its date field, in seconds since 1970.
///
/// # Errors
/// [`Problem::NoDate`].
pub(super) fn date(field: &str, value: Option<&FieldValue>) -> Result<i64, Problem> {
    let found = match value {
        None => "nothing".to_string(),
        Some(FieldValue::Tokens(_)) => "a list".to_string(),
        Some(value) => match (moment(value), value) {
            (Some(moment), _) => return Ok(moment.div_euclid(1_000_000_000) as i64),
            (None, FieldValue::Text(text)) => format!("\"{text}\""),
            (None, value) => value.to_string(),
        },
    };
    Err(Problem::NoDate { field: field.to_string(), found })
}

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

const SECONDS_OF_DAY: u32 = 86_400;

/// The units and their seconds, the longest first.
const UNITS: [(char, u32); 5] =
    [('w', 604_800), ('d', SECONDS_OF_DAY), ('h', 3600), ('m', 60), ('s', 1)];

impl FromStr for Ttl {
    type Err = String;

    fn from_str(text: &str) -> Result<Ttl, String> {
        let unit = UNITS.iter().find(|(unit, _)| text.ends_with(*unit));
        let seconds = unit.and_then(|(_, seconds)| {
            let number = text[..text.len() - 1].parse::<u64>().ok()?;
            Some(number.saturating_mul(u64::from(*seconds)))
        });
        match seconds.filter(|seconds| *seconds > 0) {
            None => Err(format!("{text} is not a duration; write 90s, 30m, 12h, 365d or 2w")),
            Some(seconds) => u32::try_from(seconds).map(Ttl).map_err(|_| {
                format!("{text} is too long; the longest is {}d", u32::MAX / SECONDS_OF_DAY)
            }),
        }
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

as_text!(Ttl);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_in_whole_seconds() {
        let seconds = |text: &str| date("day", Some(&FieldValue::Text(text.to_string())));
        assert_eq!(seconds("1969-12-31T23:59:58.5Z"), Ok(-2));
        assert_eq!(seconds("Tue, 24 Nov 2026 12:00:00 GMT"), Ok(1_795_521_600));
        let says = |value: Option<FieldValue>| date("day", value.as_ref()).unwrap_err().to_string();
        assert!(says(None).starts_with("field \"day\" is nothing, not a date"));
        assert!(says(Some(FieldValue::Boolean(true))).starts_with("field \"day\" is true, not"));
    }

    #[test]
    fn a_duration_has_a_largest_number_of_seconds() {
        assert_eq!("49710d".parse(), Ok(Ttl(49_710 * 86_400)));
        for text in ["49711d", "4294967296s", "18446744073709551615w"] {
            let says = format!("{text} is too long; the longest is 49710d");
            assert_eq!(text.parse::<Ttl>(), Err(says));
        }
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
