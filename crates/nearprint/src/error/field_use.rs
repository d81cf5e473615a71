//! The use that a setting has for a field, and the message about a field that no row has.

use super::hint::guessed;
use crate::message;
use crate::message::{Message, Setting};

/// The use that a setting has for a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldUse {
    /// The field holds the ids of documents (`id-field`, `against-id-field`).
    Id {
        /// True if reference documents lack the field.
        of_against: bool,
    },
    /// The field is one of several that make up the text (`text-field`, `against-text-field`).
    Text {
        /// True if reference documents lack the field.
        of_against: bool,
    },
    /// The field ranks the documents (`keep`).
    Rank,
    /// The field decides which documents may be a pair.
    Guard {
        /// The setting that names it: `same` or `differ`.
        setting: &'static str,
        /// True if reference documents lack the field.
        of_against: bool,
    },
    /// An index keeps the field of its documents (`date-field`, `store-field`).
    Stored(&'static str),
    /// The field names the source of a document in a report (`source-field`).
    Source,
    /// The field is shown beside the documents of a pair (`show-field`).
    Shown,
    /// The field is a column of answers, which this setting names: `left-field`, `cluster-field`, …
    Answer(&'static str),
}

impl FieldUse {
    /// The setting that names the field.
    pub fn setting(self) -> &'static str {
        match self {
            FieldUse::Id { of_against: false } => "id-field",
            FieldUse::Id { of_against: true } => "against-id-field",
            FieldUse::Text { of_against: false } => "text-field",
            FieldUse::Text { of_against: true } => "against-text-field",
            FieldUse::Rank => "keep",
            FieldUse::Guard { setting, .. } => setting,
            FieldUse::Source => "source-field",
            FieldUse::Shown => "show-field",
            FieldUse::Stored(setting) | FieldUse::Answer(setting) => setting,
        }
    }

    /// The same use by documents that are no reference documents.
    pub(crate) fn of_input(self) -> FieldUse {
        match self {
            FieldUse::Id { .. } => FieldUse::Id { of_against: false },
            FieldUse::Text { .. } => FieldUse::Text { of_against: false },
            FieldUse::Guard { setting, .. } => FieldUse::Guard { setting, of_against: false },
            other => other,
        }
    }

    /// The message about a field for this use that no row has, or in which no row has a value that
    /// can be used.
    pub(super) fn message(self, field: &str, available: &[String]) -> Message {
        let rows = |of_against: bool| match of_against {
            true => message!["no row of ", Setting::named("against")],
            false => message!["no row of the input"],
        };
        if available.iter().any(|own| own == field) {
            let side = match self {
                FieldUse::Id { of_against }
                | FieldUse::Text { of_against }
                | FieldUse::Guard { of_against, .. } => of_against,
                _ => false,
            };
            let has = " has a usable value in the field \"";
            let remedy = "\": all are empty, null, NaN, lists or objects; name another field";
            return message![rows(side), has, field, remedy];
        }
        let there = guessed(field, available, None);
        match self {
            FieldUse::Id { of_against } => {
                message![
                    rows(of_against),
                    " has a field \"",
                    field,
                    "\"",
                    there,
                    "; name the one that holds the id"
                ]
            }
            FieldUse::Text { of_against } => {
                message![
                    rows(of_against),
                    " has a field \"",
                    field,
                    "\"",
                    there,
                    "; name an existing one, or leave it out"
                ]
            }
            FieldUse::Rank => {
                message![
                    "no row has a number, a string or a boolean in a field \"",
                    field,
                    "\"",
                    there,
                    "; name another field"
                ]
            }
            FieldUse::Stored(setting) => {
                // Documents need not have a stored field, but they need a date.
                let otherwise = match setting {
                    "store-field" => ", or begin the index with rows that have it",
                    _ => "",
                };
                message![
                    rows(false),
                    " has a field \"",
                    field,
                    "\"",
                    there,
                    "; name another field",
                    otherwise
                ]
            }
            FieldUse::Source | FieldUse::Shown => {
                message![
                    rows(false),
                    " has a value in a field \"",
                    field,
                    "\"",
                    there,
                    "; name another field"
                ]
            }
            FieldUse::Guard { of_against, .. } => {
                message![
                    rows(of_against),
                    " has a value in a field \"",
                    field,
                    "\"",
                    there,
                    "; name another field"
                ]
            }
            FieldUse::Answer(_) => message![
                "neither ",
                Setting::named("found"),
                " nor ",
                Setting::named("truth"),
                " has a column \"",
                field,
                "\"",
                there,
                "; name an existing column"
            ],
        }
    }
}
