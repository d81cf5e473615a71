//! Values of settings that are a number, or a keyword such as `auto` or `off` in its place.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::Size;

/// The settings that are shares of 1.
pub(super) const SHARES: [&str; 4] = ["min-similarity", "just-missed", "max-lost", "recall"];

/// A share in its written form.
///
/// ```
/// use nearprint::config::share;
/// assert_eq!(share("0.75"), Ok(0.75));
/// assert_eq!(share("75%").unwrap_err(), "a share is a number from 0 to 1; write 0.75");
/// assert_eq!(share("most").unwrap_err(), "a share is a number from 0 to 1");
/// ```
///
/// # Errors
/// A text that says what to write in place of a wrong number.
pub fn share(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| {
        let remedy = text
            .trim()
            .strip_suffix(['%', '％'])
            .and_then(|percent| percent.trim().parse().ok())
            .and_then(of_1);
        let remedy = remedy.map_or(String::new(), |share| format!("; write {share}"));
        format!("a share is a number from 0 to 1{remedy}")
    })
}

/// A number of hundredths as a share of 1; `None` for a number that cannot be one.
fn of_1(hundredths: f64) -> Option<f64> {
    // The share is rounded to six places, since 99.9 hundredths are no exact number.
    (0.0..=100.0).contains(&hundredths).then(|| (hundredths * 1e4).round() / 1e6)
}

/// A hint for a number that is too large for a share, if hundredths are probably meant.
pub(super) fn if_hundredths(number: f64) -> String {
    // A number of one digit may mean tenths or hundredths.
    match of_1(number).filter(|_| number >= 10.0) {
        Some(share) => format!("; a share is a part of 1: write {share}"),
        None => String::new(),
    }
}

/// Reads a number, or one of two words in its place.
fn number_or_word<'de, D: Deserializer<'de>, N: Deserialize<'de>, T>(
    input: D,
    words: impl IntoIterator<Item = (&'static str, T)>,
    of_number: impl FnOnce(N) -> T,
    expected: &str,
) -> Result<T, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either<N> {
        Number(N),
        Word(String),
    }
    match Either::deserialize(input) {
        Ok(Either::Number(number)) => Some(of_number(number)),
        Ok(Either::Word(word)) => {
            words.into_iter().find(|(known, _)| *known == word).map(|(_, value)| value)
        }
        Err(_) => None,
    }
    .ok_or_else(|| de::Error::custom(expected))
}

/// The largest distance of candidates. Written as `auto`, `off`, `any` or a number of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MaxDistance {
    /// A share of the bits within which the confirmed pairs lie.
    #[default]
    Auto,
    /// No search: only equal texts match.
    Off,
    /// No bound, since fingerprints are not searched: an index of word n-grams finds all pairs that
    /// are similar enough by these.
    Any,
    /// A number of bits.
    Bits(u32),
}

impl Serialize for MaxDistance {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            MaxDistance::Auto => out.serialize_str("auto"),
            MaxDistance::Off => out.serialize_str("off"),
            MaxDistance::Any => out.serialize_str("any"),
            MaxDistance::Bits(bits) => bits.serialize(out),
        }
    }
}

impl<'de> Deserialize<'de> for MaxDistance {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<MaxDistance, D::Error> {
        let words =
            [("auto", MaxDistance::Auto), ("off", MaxDistance::Off), ("any", MaxDistance::Any)];
        number_or_word(
            input,
            words,
            MaxDistance::Bits,
            "expected a non-negative number, auto, any, or off",
        )
    }
}

/// The pairs below the least similarity of duplicates that a run keeps. Written as `auto`, `off` or
/// their least similarity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum JustMissed {
    /// Pairs of kept documents: of all if candidates are few, else of a sample.
    #[default]
    Auto,
    /// No pairs.
    Off,
    /// All pairs of at least this similarity, above 0 and below that of duplicates.
    Down(f64),
}

impl Serialize for JustMissed {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            JustMissed::Auto => out.serialize_str("auto"),
            JustMissed::Off => out.serialize_str("off"),
            JustMissed::Down(least) => least.serialize(out),
        }
    }
}

impl<'de> Deserialize<'de> for JustMissed {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<JustMissed, D::Error> {
        let words = [("auto", JustMissed::Auto), ("off", JustMissed::Off)];
        number_or_word(input, words, JustMissed::Down, "expected a number, auto, or off")
    }
}

/// The size of the sample that measures the recall of a run. Written as `off`, `narrow` or a number
/// of documents, of which 0 is `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecallSample {
    /// No measurement.
    Off,
    /// As many pairs as this many documents have with all others, above 0.
    Documents(u32),
    /// Enlarged until the 95 % interval of the recall is at most a tenth wide, or no larger sample
    /// can be drawn.
    Narrow,
}

impl From<u32> for RecallSample {
    fn from(documents: u32) -> RecallSample {
        if documents == 0 { RecallSample::Off } else { RecallSample::Documents(documents) }
    }
}

impl Serialize for RecallSample {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            RecallSample::Off => 0.serialize(out),
            RecallSample::Narrow => out.serialize_str("narrow"),
            RecallSample::Documents(documents) => documents.serialize(out),
        }
    }
}

impl<'de> Deserialize<'de> for RecallSample {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<RecallSample, D::Error> {
        let words = [("off", RecallSample::Off), ("narrow", RecallSample::Narrow)];
        number_or_word(
            input,
            words,
            <RecallSample as From<u32>>::from,
            "expected a non-negative number, off, or narrow",
        )
    }
}

/// The field that holds the ids of documents. Written as `off` or its name.
///
/// ```
/// use nearprint::config::IdField;
/// assert_eq!(IdField::from("url").name(), Some("url"));
/// assert_eq!(IdField::from("off"), IdField::Off);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum IdField {
    /// No field: each document is called by its file and row.
    Off,
    /// The field of this name.
    Named(String),
}

impl IdField {
    /// The name of the field, if there is one.
    pub fn name(&self) -> Option<&str> {
        match self {
            IdField::Off => None,
            IdField::Named(name) => Some(name),
        }
    }
}

impl From<&str> for IdField {
    fn from(text: &str) -> IdField {
        if text == "off" { IdField::Off } else { IdField::Named(text.to_string()) }
    }
}

impl From<String> for IdField {
    fn from(text: String) -> IdField {
        IdField::from(text.as_str())
    }
}

impl From<IdField> for String {
    fn from(field: IdField) -> String {
        field.name().unwrap_or("off").to_string()
    }
}

/// The source of the ids of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ids {
    /// The field of `id-field`; for a document without it its file and row.
    #[default]
    Field,
    /// The file and row of each document. `id-field` is ignored, so shards may repeat an id.
    FileRow,
}

/// The action on a document that contains an item, which is a reference document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeakAction {
    /// The document is left out.
    #[default]
    Remove,
    /// A mark replaces the passage.
    Mask,
    /// The passage is left out.
    Cut,
    /// The document is listed and kept unchanged; so are duplicates of reference documents.
    List,
}

/// The treatment of a file or row that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// The run stops without output.
    #[default]
    Fail,
    /// The file or row is listed and left out.
    Skip,
}

/// Reads a number of bytes with or without a unit.
pub(super) fn bytes<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    Size::deserialize(input).map(|size| size.0)
}

/// Implements a setting that is a number or one word that stands for `None`.
macro_rules! word_or_number {
    ($module:ident, $word:literal, $number:ty) => {
        pub(super) mod $module {
            use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

            pub fn serialize<S: Serializer>(
                value: &Option<$number>,
                out: S,
            ) -> Result<S::Ok, S::Error> {
                match value {
                    Some(number) => number.serialize(out),
                    None => out.serialize_str($word),
                }
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(
                input: D,
            ) -> Result<Option<$number>, D::Error> {
                #[derive(Deserialize)]
                #[serde(untagged)]
                enum Either {
                    Number($number),
                    Word(String),
                }
                match Either::deserialize(input) {
                    Ok(Either::Number(number)) => Ok(Some(number)),
                    Ok(Either::Word(word)) if word == $word => Ok(None),
                    _ => Err(de::Error::custom(concat!(
                        "expected a non-negative number, or ",
                        $word
                    ))),
                }
            }
        }
    };
}

word_or_number!(none_or_number, "none", f64);
word_or_number!(auto_or_number, "auto", u32);
word_or_number!(off_or_number, "off", u32);
