//! Documents -> their ranks. The best-ranked document of a group of duplicates is kept.

use std::cmp::{Ordering, Reverse};

use crate::date::moment;
use crate::document::FieldValue;

/// The rule that chooses the kept document of a cluster. The first in the input wins a tie.
///
/// ```
/// use nearprint::keep::Policy;
/// assert_eq!("newest:date".parse(), Ok(Policy::Newest("date".to_string())));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Policy {
    /// The document with the most letters and digits, so that a fuller text is kept.
    #[default]
    Longest,
    /// The first document in the input.
    First,
    /// The document with the latest date in a field, in any form that [`moment`] reads. Documents
    /// without a date come last.
    Newest(String),
    /// The document with the earliest date in a field. Documents without a date come last.
    Oldest(String),
    /// The document with the largest value of a field: a number, such as a score, or a text.
    /// Documents without the field come last.
    Highest(String),
}

impl Policy {
    /// The field whose value decides, if any.
    pub fn field(&self) -> Option<&str> {
        match self {
            Policy::Newest(field) | Policy::Oldest(field) | Policy::Highest(field) => Some(field),
            Policy::First | Policy::Longest => None,
        }
    }

    /// The field whose date decides, if any.
    pub fn date_field(&self) -> Option<&str> {
        self.field().filter(|_| !matches!(self, Policy::Highest(_)))
    }
}

impl std::fmt::Display for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Policy::First => f.write_str("first"),
            Policy::Longest => f.write_str("longest"),
            Policy::Newest(field) => write!(f, "newest:{field}"),
            Policy::Oldest(field) => write!(f, "oldest:{field}"),
            Policy::Highest(field) => write!(f, "highest:{field}"),
        }
    }
}

impl std::str::FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Policy, String> {
        match text.split_once(':') {
            None if text == "first" => Ok(Policy::First),
            None if text == "longest" => Ok(Policy::Longest),
            Some(("newest", field)) if !field.is_empty() => Ok(Policy::Newest(field.to_string())),
            Some(("oldest", field)) if !field.is_empty() => Ok(Policy::Oldest(field.to_string())),
            Some(("highest", field)) if !field.is_empty() => Ok(Policy::Highest(field.to_string())),
            _ => Err(format!(
                "\"{text}\" is not a rule for keeping documents; {}write first, longest, \
                 newest:FIELD, oldest:FIELD or highest:FIELD",
                meant(text).map_or(String::new(), |rule| format!("did you mean {rule}? "))
            )),
        }
    }
}

/// Other words for rules.
const WORDS: [(&str, &str); 7] = [
    ("latest", "newest"),
    ("recent", "newest"),
    ("last", "newest"),
    ("earliest", "oldest"),
    ("best", "highest"),
    ("largest", "highest"),
    ("max", "highest"),
];

/// The rule that a text probably means. The field of a date is supposed to be `date`, another one
/// `score`.
fn meant(text: &str) -> Option<String> {
    let (word, field) = text.split_once(':').unwrap_or((text, ""));
    let word = WORDS.iter().find(|(other, _)| *other == word).map_or(word, |(_, rule)| *rule);
    match (word, field) {
        ("first" | "longest", _) => Some(word.to_string()),
        ("newest" | "oldest", "") => Some(format!("{word}:date")),
        ("highest", "") => Some("highest:score".to_string()),
        ("newest" | "oldest" | "highest", _) => Some(format!("{word}:{field}")),
        _ => None,
    }
}

as_text!(Policy);

/// Returns true if a value of the field of `highest` ranks as a person expects: a number, or a text
/// that begins with a year of four digits, like a date written as 2026-01-31. Any other text is
/// compared letter by letter: there 9 is more than 10, and May less than September.
///
/// ```
/// use nearprint::document::FieldValue;
/// use nearprint::keep::ranks_as_meant;
/// let text = |text: &str| FieldValue::Text(text.to_string());
/// for date in ["2026", "2026-01-31", "20260131T0900"] {
///     assert!(ranks_as_meant(&text(date)));
/// }
/// for other in ["31.1.2026", "9", "high", "26-01-31", "1234567890"] {
///     assert!(!ranks_as_meant(&text(other)));
/// }
/// ```
pub fn ranks_as_meant(value: &FieldValue) -> bool {
    let FieldValue::Text(text) = value else { return true };
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    // Years, and dates without signs between year, month and day, have so many digits.
    matches!(digits, 4 | 8 | 14)
}

/// The rank of every document, 0 the best. `lengths` are the numbers of letters and digits;
/// `fields` is used only if the policy names a field.
pub fn ranks(policy: &Policy, lengths: &[u32], fields: &[Option<FieldValue>]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..lengths.len() as u32).collect();
    match policy {
        Policy::First => return order,
        Policy::Longest => order.sort_by_key(|document| Reverse(lengths[*document as usize])),
        Policy::Newest(_) | Policy::Oldest(_) => {
            let earlier = if matches!(policy, Policy::Newest(_)) { -1 } else { 1 };
            // A document without a date comes after all dates.
            let key = |value: &Option<FieldValue>| {
                value.as_ref().and_then(moment).map_or(i128::MAX, |moment| earlier * moment)
            };
            let keys: Vec<i128> = fields.iter().map(key).collect();
            order.sort_by_key(|document| keys[*document as usize]);
        }
        Policy::Highest(_) => {
            order.sort_by(|a, b| compare(&fields[*b as usize], &fields[*a as usize]));
        }
    }
    let mut ranks = vec![0; order.len()];
    for (rank, document) in order.into_iter().enumerate() {
        ranks[document as usize] = rank as u32;
    }
    ranks
}

/// Missing values come before booleans, these before text, and text before numbers. Each kind has
/// its own order; true is more than false.
pub(crate) fn compare(left: &Option<FieldValue>, right: &Option<FieldValue>) -> Ordering {
    use FieldValue::{Integer, Time};
    match (left, right) {
        (Some(Integer(a) | Time(a)), Some(Integer(b) | Time(b))) => a.cmp(b),
        (Some(FieldValue::Number(a)), Some(FieldValue::Number(b))) => a.total_cmp(b),
        (Some(Integer(a) | Time(a)), Some(FieldValue::Number(b))) => against(*a, *b),
        (Some(FieldValue::Number(a)), Some(Integer(b) | Time(b))) => against(*b, *a).reverse(),
        (Some(FieldValue::Text(a)), Some(FieldValue::Text(b))) => a.cmp(b),
        (Some(FieldValue::Boolean(a)), Some(FieldValue::Boolean(b))) => a.cmp(b),
        _ => kind(left).cmp(&kind(right)),
    }
}

/// Compares an integer with another number exactly, so that all numbers have one order. The number
/// is rounded down, and its fraction decides between equal ones.
fn against(integer: i128, number: f64) -> Ordering {
    // Beyond 128 bits the cast gives the nearest bound, which no field has.
    integer.cmp(&(number.floor() as i128)).then(if number.fract() == 0.0 {
        Ordering::Equal
    } else {
        Ordering::Less
    })
}

fn kind(value: &Option<FieldValue>) -> u8 {
    match value {
        None | Some(FieldValue::Tokens(_)) => 0,
        Some(FieldValue::Boolean(_)) => 1,
        Some(FieldValue::Text(_)) => 2,
        Some(FieldValue::Integer(_) | FieldValue::Time(_) | FieldValue::Number(_)) => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_ranks_by_its_rule_and_ties_by_input_order() {
        let lengths = [5, 9, 9, 1];
        assert_eq!(ranks(&Policy::First, &lengths, &[]), [0, 1, 2, 3]);
        assert_eq!(ranks(&Policy::Longest, &lengths, &[]), [2, 0, 1, 3]);
        let text = |t: &str| Some(FieldValue::Text(t.to_string()));
        let dates = [text("2026-01-02"), None, text("2026-03-01"), text("2025-12-31")];
        for policy in [Policy::Newest("date".into()), Policy::Highest("date".into())] {
            assert_eq!(ranks(&policy, &lengths, &dates), [1, 3, 0, 2]);
        }
        let scores =
            [Some(FieldValue::Number(9.0)), Some(FieldValue::Number(10.0)), None, text("9")];
        assert_eq!(ranks(&Policy::Highest("score".into()), &lengths, &scores), [1, 0, 3, 2]);
        let flags =
            [None, Some(FieldValue::Boolean(false)), Some(FieldValue::Boolean(true)), text("")];
        assert_eq!(ranks(&Policy::Highest("flag".into()), &lengths, &flags), [3, 2, 1, 0]);
    }

    #[test]
    fn dates_of_all_forms_rank_by_their_moments_and_other_values_last() {
        let text = |t: &str| Some(FieldValue::Text(t.to_string()));
        let dates = [
            text("yesterday"),
            text("2024-01-02T10:00:00Z"),
            text("2024-01-02T09:00:00-05:00"),
            text("Wed, 03 Jan 2024 10:00:00 GMT"),
            text("2024年1月10日"),
            Some(FieldValue::Integer(1_704_153_600)),
            Some(FieldValue::Time(1_000_000)),
            None,
            Some(FieldValue::Number(7.5)),
        ];
        let newest = ranks(&Policy::Newest("date".into()), &[0; 9], &dates);
        assert_eq!(newest, [6, 3, 2, 1, 0, 4, 5, 7, 8]);
        let oldest = ranks(&Policy::Oldest("date".into()), &[0; 9], &dates);
        assert_eq!(oldest, [6, 2, 3, 4, 5, 1, 0, 7, 8]);
    }

    #[test]
    fn numbers_are_compared_exactly() {
        let integer = |number| Some(FieldValue::Integer(number));
        let number = |number| Some(FieldValue::Number(number));
        // As 64-bit floats the first two would be equal.
        let order = [
            number(f64::NEG_INFINITY),
            integer(-3),
            number(-2.5),
            integer(-2),
            number(0.5),
            integer(1_790_000_000_000_000_000),
            integer(1_790_000_000_000_000_001),
            integer(u64::MAX.into()),
            number(f64::INFINITY),
        ];
        for (a, left) in order.iter().enumerate() {
            for (b, right) in order.iter().enumerate() {
                assert_eq!(compare(left, right), a.cmp(&b), "{left:?} {right:?}");
            }
        }
        assert_eq!(compare(&integer(3), &number(3.0)), Ordering::Equal);
    }

    #[test]
    fn a_policy_without_its_field_is_refused() {
        for (text, meant) in [
            ("newest", "did you mean newest:date? "),
            ("newest:", "did you mean newest:date? "),
            ("latest:day", "did you mean newest:day? "),
            ("recent:date", "did you mean newest:date? "),
            ("oldest", "did you mean oldest:date? "),
            ("earliest:date", "did you mean oldest:date? "),
            ("best", "did you mean highest:score? "),
            ("first:x", "did you mean first? "),
            ("", "documents; write first, "),
            ("lowest:x", "documents; write first, "),
        ] {
            let problem = text.parse::<Policy>().unwrap_err();
            assert!(problem.contains(meant), "{text}: {problem}");
        }
        assert_eq!("oldest:day".parse::<Policy>().unwrap().to_string(), "oldest:day");
    }
}
