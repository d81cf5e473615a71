//! The bound on rejected rows: a number of rows, or a share of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A share of 1 in millionths.
const WHOLE: u32 = 1_000_000;

/// A hundredth in millionths.
const PERCENT: u32 = WHOLE / 100;

/// The most rows of an input that may be rejected, inclusive. Written as a number of rows, or as a
/// share of all rows such as `10%`, with at most four decimals. Only `100%` allows a file that is
/// left out whole or is damaged.
///
/// ```
/// use nearprint::config::MaxRejected;
/// let most: MaxRejected = "12.5%".parse().unwrap();
/// assert!(most.allows(1, 8) && !most.allows(2, 8));
/// assert_eq!((most.to_string(), MaxRejected::Rows(17).to_string()), ("12.5%".into(), "17".into()));
/// assert!("12,5%".parse::<MaxRejected>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxRejected {
    /// A number of rows.
    Rows(u64),
    /// A share of all rows in millionths, at most 1,000,000.
    Share(u32),
}

impl MaxRejected {
    /// Returns true if so many rejected rows of so many rows are allowed.
    pub fn allows(self, rejected: u64, rows: u64) -> bool {
        match self {
            MaxRejected::Rows(most) => rejected <= most,
            MaxRejected::Share(most) => {
                u128::from(rejected) * u128::from(WHOLE) <= u128::from(rows) * u128::from(most)
            }
        }
    }

    /// Returns true if any loss is allowed.
    pub fn allows_all(self) -> bool {
        self == MaxRejected::Share(WHOLE)
    }

    /// Returns true if a share is at most the whole, and a number of rows fits an integer of TOML.
    pub(crate) fn is_in_range(self) -> bool {
        match self {
            MaxRejected::Rows(most) => i64::try_from(most).is_ok(),
            MaxRejected::Share(most) => most <= WHOLE,
        }
    }
}

/// A tenth of the rows.
impl Default for MaxRejected {
    fn default() -> MaxRejected {
        MaxRejected::Share(10 * PERCENT)
    }
}

impl fmt::Display for MaxRejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MaxRejected::Rows(most) => write!(f, "{most}"),
            MaxRejected::Share(most) => {
                let (percent, rest) = (most / PERCENT, most % PERCENT);
                let decimals = format!("{rest:04}");
                let decimals = decimals.trim_end_matches('0');
                let point = if decimals.is_empty() { "" } else { "." };
                write!(f, "{percent}{point}{decimals}%")
            }
        }
    }
}

impl FromStr for MaxRejected {
    type Err = String;

    fn from_str(text: &str) -> Result<MaxRejected, String> {
        let unknown =
            || format!("\"{text}\" is neither a number of rows nor a share of them, such as 10%");
        let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let Some(percent) = text.trim().strip_suffix(['%', '％']) else {
            let rows = text.trim();
            return match are_digits(rows) {
                true => rows.parse().map(MaxRejected::Rows).map_err(|_| unknown()),
                false => Err(unknown()),
            };
        };
        let (whole, decimals) = percent.trim_end().split_once('.').unwrap_or((percent.trim(), "0"));
        if whole.is_empty() || decimals.is_empty() || decimals.len() > 4 {
            return Err(unknown());
        }
        if !are_digits(whole) || !are_digits(decimals) {
            return Err(unknown());
        }
        let millionths = format!("{whole}{decimals:0<4}").parse();
        millionths.map(MaxRejected::Share).map_err(|_| unknown())
    }
}

impl Serialize for MaxRejected {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            MaxRejected::Rows(most) => most.serialize(out),
            MaxRejected::Share(_) => out.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for MaxRejected {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<MaxRejected, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(u64),
            Word(String),
        }
        match Either::deserialize(input) {
            Ok(Either::Number(most)) => Ok(MaxRejected::Rows(most)),
            Ok(Either::Word(word)) => word.parse().map_err(de::Error::custom),
            Err(_) => {
                Err(de::Error::custom("expected a number of rows, or a share of them such as 10%"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_shares_are_read_back_and_other_words_refused() {
        for (text, most) in [
            ("0", MaxRejected::Rows(0)),
            ("17", MaxRejected::Rows(17)),
            ("0%", MaxRejected::Share(0)),
            ("10%", MaxRejected::default()),
            ("0.1%", MaxRejected::Share(1000)),
            ("12.3456%", MaxRejected::Share(123_456)),
            ("100%", MaxRejected::Share(1_000_000)),
        ] {
            assert_eq!((text.parse(), most.to_string().as_str()), (Ok(most), text));
        }
        for text in ["", "%", "ten", "-1", "+1", "1.5", "1.%", ".5%", "-1%", "1.23456%", "1e2%"] {
            assert!(text.parse::<MaxRejected>().is_err(), "{text}");
        }
        assert!(!"100.0001%".parse::<MaxRejected>().unwrap().is_in_range());
        assert!("5000%".parse::<MaxRejected>().is_ok_and(|most| !most.is_in_range()));
    }

    #[test]
    fn bounds_are_inclusive_and_exact() {
        let share = |text: &str| text.parse::<MaxRejected>().unwrap();
        for (most, rejected, rows, is_allowed) in [
            (share("10%"), 1, 10, true),
            (share("10%"), 1, 9, false),
            (share("0.1%"), 3, 3000, true),
            (share("0.1%"), 3, 2999, false),
            (share("0%"), 0, 0, true),
            (share("33.3333%"), 1, 3, false),
            (share("100%"), u64::MAX, u64::MAX, true),
            (MaxRejected::Rows(2), 2, 2, true),
            (MaxRejected::Rows(2), 3, u64::MAX, false),
        ] {
            assert_eq!(most.allows(rejected, rows), is_allowed, "{most}: {rejected} of {rows}");
        }
    }
}
