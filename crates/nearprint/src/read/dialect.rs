//! The characters that divide a CSV or TSV file into fields: delimiter, quote and escape.

use std::fmt;
use std::str::FromStr;

use super::{Format, Source};

/// The delimiter between the fields of a file. Written as one ASCII character, or as `tab`.
///
/// ```
/// use nearprint::read::Delimiter;
/// assert_eq!(";".parse::<Delimiter>().unwrap().to_string(), ";");
/// assert_eq!("\t".parse::<Delimiter>().unwrap().to_string(), "tab");
/// assert!("\n".parse::<Delimiter>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Delimiter(u8);

impl Delimiter {
    /// A comma, the default of CSV.
    pub(crate) const COMMA: Delimiter = Delimiter(b',');

    /// A tab, the default of TSV.
    pub(crate) const TAB: Delimiter = Delimiter(b'\t');

    /// The delimiters that files usually have.
    pub(crate) const USUAL: [Delimiter; 4] =
        [Delimiter::COMMA, Delimiter(b';'), Delimiter::TAB, Delimiter(b'|')];

    /// The delimiter as a byte.
    pub(crate) fn byte(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == b'\t' { f.write_str("tab") } else { write!(f, "{}", char::from(self.0)) }
    }
}

impl FromStr for Delimiter {
    type Err = String;

    fn from_str(text: &str) -> Result<Delimiter, String> {
        match text.as_bytes() {
            b"tab" | b"\\t" => Ok(Delimiter::TAB),
            [b'\n' | b'\r'] => {
                Err("a line end cannot be a delimiter; name another character".to_string())
            }
            [byte] => Ok(Delimiter(*byte)),
            _ => Err(format!("\"{text}\" is neither one ASCII character, such as ; or |, nor tab")),
        }
    }
}

as_text!(Delimiter);

/// The character that encloses a field in which delimiters and line ends are letters. Written as
/// one ASCII character, or as `none` if quotes are letters like others.
///
/// ```
/// use nearprint::read::Quote;
/// assert_eq!("'".parse::<Quote>().unwrap().to_string(), "'");
/// assert_eq!("none".parse::<Quote>().unwrap(), Quote::NONE);
/// assert!("“".parse::<Quote>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Quote(Option<u8>);

impl Quote {
    /// No character encloses fields.
    pub const NONE: Quote = Quote(None);

    /// The double quote, the default.
    pub(crate) const DOUBLE: Quote = Quote(Some(b'"'));

    /// The quote as a byte.
    pub(crate) fn byte(self) -> Option<u8> {
        self.0
    }
}

impl fmt::Display for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(quote) => write!(f, "{}", char::from(quote)),
            None => f.write_str("none"),
        }
    }
}

impl FromStr for Quote {
    type Err = String;

    fn from_str(text: &str) -> Result<Quote, String> {
        let other = || format!("\"{text}\" is neither one ASCII character, such as ', nor none");
        if text == "none" {
            Ok(Quote::NONE)
        } else {
            one(text).map(Some).map(Quote).ok_or_else(other)
        }
    }
}

as_text!(Quote);

/// The character in a quoted field after which the next character is a letter. Written as one ASCII
/// character.
///
/// ```
/// use nearprint::read::Escape;
/// assert_eq!("\\".parse::<Escape>().unwrap().to_string(), "\\");
/// assert!("\\\\".parse::<Escape>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Escape(u8);

impl Escape {
    /// The escape as a byte.
    pub(crate) fn byte(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Escape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(self.0))
    }
}

impl FromStr for Escape {
    type Err = String;

    fn from_str(text: &str) -> Result<Escape, String> {
        let other = || format!("\"{text}\" is not one ASCII character, such as \\");
        one(text).map(Escape).ok_or_else(other)
    }
}

as_text!(Escape);

/// The byte of a text that is one ASCII character and no line end.
fn one(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [b'\n' | b'\r'] => None,
        [byte] => Some(*byte),
        _ => None,
    }
}

/// The characters that divide one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub delimiter: u8,
    pub quote: Option<u8>,
    pub escape: Option<u8>,
}

impl Dialect {
    /// Fields in double quotes, with this delimiter.
    pub fn with(delimiter: u8) -> Dialect {
        Dialect { delimiter, quote: Quote::DOUBLE.byte(), escape: None }
    }

    /// The dialect of a source; `None` if its format has no columns.
    pub fn of(source: &Source) -> Option<Dialect> {
        let usual = match source.format {
            Format::Csv => Delimiter::COMMA,
            Format::Tsv => Delimiter::TAB,
            Format::JsonLines | Format::Parquet | Format::Text | Format::Lines => return None,
        };
        Some(Dialect {
            delimiter: source.delimiter.unwrap_or(usual).byte(),
            quote: source.quote.unwrap_or(Quote::DOUBLE).byte(),
            escape: source.escape.map(Escape::byte),
        })
    }
}
