//! Documents without a date -> warnings.

use crate::message;
use crate::message::{Message, Setting};

/// The documents without a date in the field of `keep newest` or `oldest`, reference documents left
/// out. They rank after all others.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Undated {
    /// The field.
    pub field: String,
    /// The number of documents whose value is no date.
    pub documents: u64,
    /// The first of them.
    pub first: Vec<NoDate>,
    /// The number of documents without a value: the field is absent, null or blank.
    pub missing: u64,
}

impl Undated {
    /// Warnings about values that are no dates, and about documents without one.
    pub(super) fn warnings(&self) -> impl Iterator<Item = Message> {
        let Undated { field, documents, first, missing } = self;
        let counted = |count: &u64| match count {
            1 => "1 document".to_string(),
            count => format!("{count} documents"),
        };
        let no_dates = (*documents > 0).then(|| {
            let shown: Vec<String> = first
                .iter()
                .map(|NoDate { file, row, value }| format!("\"{value}\" ({file}, row {row})"))
                .collect();
            message![
                format!(
                    "the field \"{field}\", which ranks documents, has a value that is no date in \
                     {}, such as {}, which ranks below all dates; write dates like \
                     2026-01-31T09:00:00Z, or rank numbers and text with ",
                    counted(documents),
                    shown.join(", ")
                ),
                Setting::with("keep", format!("highest:{field}"))
            ]
        });
        let missing = (*missing > 0).then(|| {
            let (have, rank) = if *missing == 1 { ("has", "ranks") } else { ("have", "rank") };
            message![format!(
                "{} {have} no date in the field \"{field}\", which ranks documents, and {rank} \
                 below all dates",
                counted(missing)
            )]
        });
        no_dates.into_iter().chain(missing)
    }
}

/// A value that is no date.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct NoDate {
    /// The file of the document.
    pub file: String,
    /// The row of the document, from 1.
    pub row: u64,
    /// The beginning of the value.
    pub value: String,
}
