//! A removed document and its keeper -> the rule of `keep` that ranks the keeper higher, with the
//! value of each.

use std::cmp::Ordering;

use nearprint_core::recipe::{Prepared, Recipe, Wanted};

use crate::date::moment;
use crate::document::FieldValue;
use crate::finished::FoundDocument;
use crate::keep::{Policy, compare};
use crate::message;
use crate::message::{Message, Setting};
use crate::shown_fields::in_words;

/// The reason why the second of two documents ranks higher, in a sentence; `None` if the rule does
/// not decide, as for a reference document. `names` are those of the two.
pub(super) fn why_higher(
    policy: &Policy,
    recipe: &Recipe,
    [removed, keeper]: [&FoundDocument; 2],
    [id, by]: [&str; 2],
) -> Option<Message> {
    if keeper.of_against {
        return None;
    }
    let first = format!("{by} comes first in the input");
    let values = [removed, keeper].map(|found| policy.field().and_then(|f| found.fields.get(f)));
    let why = match policy {
        Policy::First => first,
        Policy::Longest => match [removed, keeper].map(|found| letter_bytes(recipe, found)) {
            [own, others] if own == others => format!("both texts are equally long, and {first}"),
            [own, others] if own < others => format!(
                "the letters and digits of {by} take {others} bytes, and those of {id} {own}"
            ),
            _ => return None,
        },
        Policy::Newest(_) | Policy::Oldest(_) => {
            let moments = values.map(|value| value.and_then(moment));
            let told = values.map(|value| value.and_then(in_words));
            match (moments, told) {
                ([Some(own), Some(others)], [Some(date), Some(other)]) => {
                    match (others.cmp(&own), policy) {
                        (Ordering::Equal, _) => format!(
                            "{other} of {by} and {date} of {id} are one moment, and {first}"
                        ),
                        (Ordering::Greater, Policy::Newest(_)) => {
                            format!("{other} of {by} is later than {date} of {id}")
                        }
                        (Ordering::Less, Policy::Oldest(_)) => {
                            format!("{other} of {by} is earlier than {date} of {id}")
                        }
                        _ => return None,
                    }
                }
                ([None, Some(_)], [None, Some(other)]) => {
                    format!("{by} has {other}, and {id} has no date")
                }
                ([None, Some(_)], [Some(own), Some(other)]) => {
                    format!("{by} has {other}, and {id} has no date that can be read (\"{own}\")")
                }
                ([None, None], _) => {
                    format!("neither {by} nor {id} has a date that can be read, and {first}")
                }
                _ => return None,
            }
        }
        Policy::Highest(_) => {
            let owned = values.map(|value| value.cloned());
            let told = values.map(|value| value.map_or("no value".to_string(), quoted));
            match (compare(&owned[1], &owned[0]), told) {
                (Ordering::Equal, [own, _]) => format!("both have {own}, and {first}"),
                (Ordering::Greater, [own, other]) => {
                    format!("{by} has {other}, which ranks above {own} of {id}")
                }
                (Ordering::Less, _) => return None,
            }
        }
    };
    Some(message![Setting::with("keep", policy.to_string()), ": ", why])
}

/// The bytes of the letters and digits of a text, by which `longest` ranks.
fn letter_bytes(recipe: &Recipe, found: &FoundDocument) -> usize {
    let mut prepared = Prepared::default();
    let wanted = Wanted { alphanumeric: true, ..Wanted::default() };
    recipe.prepare(&found.text, wanted, &mut prepared);
    prepared.alphanumeric.get().map_or(0, Vec::len)
}

/// A value in words, a text with quotation marks.
fn quoted(value: &FieldValue) -> String {
    let words = in_words(value).unwrap_or_default();
    if matches!(value, FieldValue::Text(_)) { format!("\"{words}\"") } else { words }
}
