//! Which documents of an index a question is about, by their dates and stored fields.
//!
//! A filter is looked at for duplicates only, so its cost does not grow with the index. Documents
//! that it leaves out still count as [neighbors](nearprint_core::judge::FAMILY).

use std::collections::BTreeSet;

use super::store::Stored;
use super::{Index, IndexOptions, Ttl, options};
use crate::corpus::is_one_value;
use crate::document::{Document, FieldValue, Id};
use crate::error::Error;
use crate::message;
use crate::message::Setting;

/// The documents that may be an answer. All conditions hold. By default every document may.
///
/// ```
/// use nearprint::index::Filter;
/// let filter = Filter { wanted: vec!["source:wire".parse()?], ..Filter::default() };
/// assert_eq!(filter.wanted[0].field, "source");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The longest time between the dates of both documents, inclusive. A text without a date has
    /// the current time.
    pub within: Option<Ttl>,
    /// Values that fields of the document must have. Of several values of one field it must have
    /// one.
    pub wanted: Vec<Wanted>,
    /// Fields in which both documents agree, as in a deduplication.
    pub same: Vec<String>,
    /// Fields in which both documents differ, as in a deduplication.
    pub differ: Vec<String>,
}

/// A stored field, and a value that it must have. It is written as `field:value`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// The name of the field.
    pub field: String,
    /// The value in words, as in an answer.
    pub value: String,
}

impl std::str::FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Wanted, String> {
        match text.split_once(':') {
            Some((field, value)) if !field.is_empty() => {
                Ok(Wanted { field: field.to_string(), value: value.to_string() })
            }
            _ => Err(format!("{text} is not a field with a value; write FIELD:VALUE")),
        }
    }
}

/// A text, and the data of its document that a question may need.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The text.
    pub text: &'a str,
    /// The own tokens of its document.
    pub tokens: Option<&'a [String]>,
    /// The id of its document. Marks name ids.
    pub id: Option<&'a Id>,
    /// The fields of its document by name.
    pub fields: &'a [(String, FieldValue)],
}

impl<'a> Asked<'a> {
    /// A text without a document.
    pub fn text(text: &'a str) -> Asked<'a> {
        Asked { text, tokens: None, id: None, fields: &[] }
    }

    /// A document, and its fields by name.
    pub fn document(document: &'a Document, fields: &'a [(String, FieldValue)]) -> Asked<'a> {
        let Document { text, id, .. } = document;
        Asked { text, tokens: document.tokens(), id: Some(id), fields }
    }
}

impl Filter {
    /// Returns true if every document may be an answer.
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// The fields of the document that asks which the filter looks at.
    pub fn fields(&self, options: &IndexOptions) -> Vec<String> {
        let date = options.date_field.iter().filter(|_| self.within.is_some());
        let fields = self.same.iter().chain(&self.differ).chain(date);
        fields.cloned().collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// Returns true if a document may be an answer.
    pub(super) fn admits(&self, asked: &Dated<'_>, document: &Stored) -> bool {
        let own = |field: &String| value(&document.fields, field);
        let is_wanted = |wanted: &Wanted| {
            let of_field = |other: &&Wanted| other.field == wanted.field;
            let has =
                |other: &Wanted| own(&other.field).is_some_and(|v| v.to_string() == other.value);
            self.wanted.iter().filter(of_field).any(has)
        };
        let agree = |field: &String| is_one_value([value(asked.fields, field), own(field)]);
        let apart = asked.dated.abs_diff(document.dated);
        self.within.is_none_or(|within| apart <= within.0.into())
            && self.wanted.iter().all(is_wanted)
            && self.same.iter().all(agree)
            && !self.differ.iter().any(agree)
    }
}

/// The fields and the date of a document that asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dated<'a> {
    fields: &'a [(String, FieldValue)],
    /// In seconds since 1970.
    dated: i64,
}

impl<'a> Dated<'a> {
    /// The fields and the date of a document for an index with these options.
    pub fn new(fields: &'a [(String, FieldValue)], options: &IndexOptions, now: i64) -> Dated<'a> {
        let date = options
            .date_field
            .as_ref()
            .and_then(|name| options::date(name, value(fields, name)).ok());
        Dated { fields, dated: date.unwrap_or(now) }
    }
}

/// The value of a field.
fn value<'f>(fields: &'f [(String, FieldValue)], name: &str) -> Option<&'f FieldValue> {
    fields.iter().find(|(own, _)| own == name).map(|(_, value)| value)
}

impl Index {
    /// Refuses a filter on a field that the index does not store.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check_filter(&self, filter: &Filter) -> Result<(), Error> {
        let stored = self.options.fields();
        let wanted = filter.wanted.iter().map(|wanted| ("where", &wanted.field));
        let same = filter.same.iter().map(|field| ("same", field));
        let differ = filter.differ.iter().map(|field| ("differ", field));
        for (setting, field) in wanted.chain(same).chain(differ) {
            if !stored.contains(field) {
                let names = match stored.is_empty() {
                    true => "none".to_string(),
                    false => stored.join(", "),
                };
                let problem = message![
                    format!(
                        "the index stores no field \"{field}\" (stored: {names}); name another \
                        one, or create the index with "
                    ),
                    Setting::with("store-field", field.clone())
                ];
                return Err(Error::usage(setting, problem));
            }
        }
        Ok(())
    }
}
