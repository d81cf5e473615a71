//! The fields of documents that people see beside a pair -> their names, and their values as short
//! texts.

use serde::{Serialize, Serializer};

use crate::document::FieldValue;

/// The usual names of a title, a date, an address and a source.
pub(crate) const USUAL: [&[&str]; 4] = [
    &["title", "headline", "标题", "doc.title", "meta.title", "metadata.title"],
    &[
        "date",
        "published",
        "pubDate",
        "pubdate",
        "time",
        "日期",
        "doc.date",
        "meta.date",
        "metadata.date",
    ],
    &["url", "link", "doc.url", "meta.url", "metadata.url"],
    &["source", "site", "host", "domain", "来源", "doc.source", "meta.source", "metadata.source"],
];

/// The place of the names of a date among them.
const DATE: usize = 1;

/// The name that stands for no field.
const NONE: &str = "none";

/// The most characters of a value that are shown.
const VALUE: usize = 200;

/// The fields that are shown beside a pair.
///
/// ```
/// use nearprint::ShowFields;
/// let usual = ShowFields::new(Vec::new());
/// assert_eq!(usual.chosen(|name| ["time", "date", "link"].contains(&name)), ["date", "link"]);
/// assert_eq!(ShowFields::new(vec!["day".into()]).names(), ["day"]);
/// assert!(ShowFields::new(vec!["none".into()]).names().is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ShowFields {
    /// Of the usual names of a title, a date, an address and a source the first that a document
    /// has: at most four fields.
    #[default]
    Usual,
    /// The usual fields, with the field of this name as the first one for a date.
    Dated(String),
    /// The fields of these names, in this order.
    Named(Vec<String>),
}

impl ShowFields {
    /// The fields that a user names. No name means the usual ones, and `none` alone means no field.
    pub fn new(names: Vec<String>) -> ShowFields {
        match &names[..] {
            [] => ShowFields::Usual,
            [none] if none == NONE => ShowFields::Named(Vec::new()),
            _ => ShowFields::Named(names),
        }
    }

    /// The same fields; of the usual ones the date is in this field, if a document has it.
    ///
    /// ```
    /// use nearprint::ShowFields;
    /// let dated = ShowFields::Usual.dated_by("day");
    /// assert_eq!(dated.chosen(|name| ["day", "date"].contains(&name)), ["day"]);
    /// ```
    pub fn dated_by(self, field: impl Into<String>) -> ShowFields {
        match self {
            ShowFields::Named(names) => ShowFields::Named(names),
            ShowFields::Usual | ShowFields::Dated(_) => ShowFields::Dated(field.into()),
        }
    }

    /// The names that the user gave; none for the usual ones.
    pub fn named(&self) -> &[String] {
        match self {
            ShowFields::Usual | ShowFields::Dated(_) => &[],
            ShowFields::Named(names) => names,
        }
    }

    /// The names of each kind of field, of which one is shown.
    fn kinds(&self) -> Vec<Vec<&str>> {
        let mut kinds = match self {
            ShowFields::Usual | ShowFields::Dated(_) => USUAL.map(<[_]>::to_vec).to_vec(),
            ShowFields::Named(names) => names.iter().map(|name| vec![name.as_str()]).collect(),
        };
        if let ShowFields::Dated(date) = self {
            kinds[DATE].retain(|name| name != date);
            kinds[DATE].insert(0, date);
        }
        kinds
    }

    /// The names of all fields that may be shown.
    pub fn names(&self) -> Vec<String> {
        self.kinds().concat().into_iter().map(String::from).collect()
    }

    /// The names of the fields that are shown of a document that has some of them.
    pub fn chosen(&self, has: impl Fn(&str) -> bool) -> Vec<String> {
        let kinds = self.kinds();
        let first = kinds.iter().filter_map(|names| names.iter().find(|name| has(name)));
        first.map(|name| name.to_string()).collect()
    }

    /// The shown fields of a document whose values `value` returns.
    pub(crate) fn of<'v>(&self, value: impl Fn(&str) -> Option<&'v FieldValue>) -> ShownFields {
        let text = |name: &str| value(name).and_then(in_words);
        let shown = |name: String| text(&name).map(|text| (name, text));
        ShownFields(
            self.chosen(|name| text(name).is_some()).into_iter().filter_map(shown).collect(),
        )
    }
}

/// The shown fields of a document: their names and values, in the order in which they are shown.
/// They are an object in JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownFields(pub Vec<(String, String)>);

impl ShownFields {
    /// Returns true if the document has none of the fields.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for ShownFields {
    /// Writes the fields on one line.
    ///
    /// ```
    /// use nearprint::shown_fields::ShownFields;
    /// let fields = ShownFields(vec![("title".into(), "Ferry".into()), ("date".into(), "2024".into())]);
    /// assert_eq!(fields.to_string(), "title: Ferry, date: 2024");
    /// ```
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, (name, value)) in self.0.iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            write!(f, "{comma}{name}: {value}")?;
        }
        Ok(())
    }
}

impl Serialize for ShownFields {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// A value as a text of one line and at most 200 characters; `None` if that is empty.
pub(crate) fn in_words(value: &FieldValue) -> Option<String> {
    let text = match value {
        FieldValue::Time(microseconds) => date(*microseconds)?,
        value => value.to_string(),
    };
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = text.char_indices().nth(VALUE) {
        text.truncate(end);
        text.push('…');
    }
    Some(text).filter(|text| !text.is_empty())
}

/// A number of microseconds since 1970 as a date, with the time unless that is midnight.
fn date(microseconds: i128) -> Option<String> {
    let moment = chrono::DateTime::from_timestamp_micros(microseconds.try_into().ok()?)?;
    let form = if microseconds % 86_400_000_000 == 0 { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M:%S" };
    Some(moment.format(form).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_usual_name_with_a_value_is_shown() {
        let text = |text: &str| FieldValue::Text(text.to_string());
        let values = [
            ("headline", text("The ferry\n returns")),
            ("title", text(" ")),
            ("published", FieldValue::Time(1_704_067_200_000_000)),
            ("host", text("a.example")),
            ("source", text("wire")),
        ];
        let value =
            |name: &str| values.iter().find(|(own, _)| *own == name).map(|(_, value)| value);
        let shown = ShowFields::Usual.of(value).to_string();
        assert_eq!(shown, "headline: The ferry returns, published: 2024-01-01, source: wire");
        let dated = ShowFields::Usual.dated_by("host").of(value).to_string();
        assert_eq!(dated, "headline: The ferry returns, host: a.example, source: wire");
        let named = ShowFields::new(vec!["host".into(), "day".into()]).of(value);
        assert_eq!(serde_json::to_string(&named).unwrap(), "{\"host\":\"a.example\"}");
        assert!(ShowFields::new(vec!["none".into()]).of(value).is_empty());
    }

    #[test]
    fn a_value_is_cut_and_a_time_is_a_date() {
        let long = in_words(&FieldValue::Text("词".repeat(300))).unwrap();
        assert_eq!(long.chars().count(), VALUE + 1);
        let time = FieldValue::Time(1_704_067_261_000_000);
        assert_eq!(in_words(&time).unwrap(), "2024-01-01 00:01:01");
        assert_eq!(in_words(&FieldValue::Time(i128::MAX)), None);
        assert_eq!(in_words(&FieldValue::Integer(2024)).unwrap(), "2024");
    }
}
