//! Values of a row -> ids, labels, numbers, or what is wrong with them.

use std::borrow::Cow;

use super::json::Value;
use crate::error::Problem;

/// An id as text, and true if it is an integer.
pub(crate) fn id<'v>(
    value: Option<&'v Value<'_>>,
    field: &str,
) -> Result<(Cow<'v, str>, bool), Problem> {
    match value {
        Some(Value::Text(text)) if !text.is_empty() => Ok((Cow::Borrowed(text), false)),
        Some(Value::Integer(number)) => Ok((number.to_string().into(), true)),
        Some(Value::Unsigned(number)) => Ok((number.to_string().into(), true)),
        other => Err(wrong(field, "a string or an integer", other)),
    }
}

/// The label of a pair: true for duplicates, `None` if it is unknown, as for a mark `later`.
pub(crate) fn judgment(value: Option<&Value<'_>>, field: &str) -> Result<Option<bool>, Problem> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::Boolean(label)) => Ok(Some(*label)),
        Some(Value::Text(text)) if text.trim().eq_ignore_ascii_case("true") => Ok(Some(true)),
        Some(Value::Text(text)) if text.trim().eq_ignore_ascii_case("false") => Ok(Some(false)),
        Some(Value::Text(text)) if text.trim().eq_ignore_ascii_case("right") => Ok(Some(true)),
        Some(Value::Text(text)) if text.trim().eq_ignore_ascii_case("wrong") => Ok(Some(false)),
        Some(Value::Text(text)) if text.trim().eq_ignore_ascii_case("later") => Ok(None),
        Some(other) => match number(other) {
            Some(label) => Ok(Some(label > 0.0)),
            None if field == "verdict" => {
                Err(wrong(field, "right, wrong or later, or true or false", Some(other)))
            }
            None => Err(wrong(field, "a number, true or false", Some(other))),
        },
    }
}

pub(crate) fn number(value: &Value<'_>) -> Option<f64> {
    let number = match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Unsigned(number) => Some(*number as f64),
        Value::Fraction(number) => Some(*number),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| !number.is_nan())
}

/// A distance in bits; `None` for any other value.
pub(crate) fn distance(value: &Value<'_>) -> Option<u32> {
    let whole =
        |number: &f64| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number);
    number(value).filter(whole).map(|number| number as u32)
}

pub(crate) fn wrong(field: &str, wanted: &'static str, found: Option<&Value<'_>>) -> Problem {
    let found = match found {
        None => "missing".to_string(),
        Some(Value::Text(text)) if text.is_empty() => "empty".to_string(),
        Some(Value::Text(text)) if wanted.contains("true") => format!("\"{text}\""),
        Some(value) => value.kind().to_string(),
    };
    Problem::WrongType { field: field.to_string(), wanted: wanted.into(), found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_a_whole_number_from_0() {
        let text = |text: &'static str| Value::Text(Cow::Borrowed(text));
        for (value, expected) in [
            (Value::Integer(7), Some(7)),
            (Value::Fraction(7.0), Some(7)),
            (text(" 7 "), Some(7)),
            (Value::Integer(0), Some(0)),
            (Value::Fraction(0.3), None),
            (Value::Fraction(7.9), None),
            (Value::Integer(-1), None),
            (Value::Unsigned(u64::MAX), None),
            (Value::Fraction(f64::INFINITY), None),
            (text(""), None),
            (Value::Null, None),
        ] {
            assert_eq!(distance(&value), expected, "{value:?}");
        }
    }
}
