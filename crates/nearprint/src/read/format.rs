//! The name of a file -> its format and its compression.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The format of an input file, which divides it into rows.
///
/// ```
/// use nearprint::read::Format;
/// assert_eq!("jsonl".parse::<Format>().unwrap(), Format::JsonLines);
/// assert_eq!(Format::JsonLines.to_string(), "json-lines");
/// assert!("xml".parse::<Format>().unwrap_err().to_string().contains("json-lines, parquet, csv"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// One JSON object a line.
    #[serde(alias = "jsonl")]
    JsonLines,
    /// Parquet: one document a row.
    Parquet,
    /// Comma-separated values with a header.
    Csv,
    /// Tab-separated values with a header.
    Tsv,
    /// The whole file is one document.
    Text,
    /// Each line is one document.
    Lines,
}

impl Format {
    /// The name of the format in settings.
    pub fn name(self) -> &'static str {
        match self {
            Format::JsonLines => "json-lines",
            Format::Parquet => "parquet",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Text => "text",
            Format::Lines => "lines",
        }
    }

    /// Returns true if rows of the format have named fields or columns.
    pub(crate) fn has_fields(self) -> bool {
        !matches!(self, Format::Text | Format::Lines)
    }

    /// The usual ending of a file's name.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Format::JsonLines => "jsonl",
            Format::Parquet => "parquet",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Text | Format::Lines => "txt",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Format, Error> {
        match name {
            "json-lines" | "jsonl" => Ok(Format::JsonLines),
            "parquet" => Ok(Format::Parquet),
            "csv" => Ok(Format::Csv),
            "tsv" => Ok(Format::Tsv),
            "text" => Ok(Format::Text),
            "lines" => Ok(Format::Lines),
            _ => Err(Error::usage(
                "format",
                format!(
                    "\"{name}\" is not one of json-lines, parquet, csv, tsv, text, lines (jsonl \
                     means json-lines)"
                ),
            )),
        }
    }
}

/// The compression of a whole input file. Parquet compresses inside and is always `None` here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// No compression.
    None,
    /// Gzip, one member or several.
    Gzip,
    /// Zstandard, one frame or several.
    Zstd,
    /// Bzip2, one stream or several.
    Bzip2,
    /// Xz, one stream or several.
    Xz,
}

impl Compression {
    /// The ending that the compression adds to a file's name.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
            Compression::Bzip2 => ".bz2",
            Compression::Xz => ".xz",
        }
    }

    /// Detects the compression from the first bytes of a file. No real text starts with one of
    /// these marks: they have control characters or bytes that are not UTF-8, and the mark of bzip2
    /// has ten letters or signs that form no word.
    pub(crate) fn of_bytes(start: &[u8]) -> Compression {
        match start {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            // A frame, or one that is skipped.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', block @ ..]
                if block.starts_with(b"1AY&SY") || block.starts_with(b"\x17rE8P\x90") =>
            {
                Compression::Bzip2
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            _ => Compression::None,
        }
    }
}

/// The endings of the names of compressed files.
const ENDINGS: [(&str, Compression); 5] = [
    (".gz", Compression::Gzip),
    (".zst", Compression::Zstd),
    (".zstd", Compression::Zstd),
    (".bz2", Compression::Bzip2),
    (".xz", Compression::Xz),
];

/// The format and the compression that the ending of a file's name stands for; no format if the
/// ending is unknown. Upper and lower case are equal.
pub(crate) fn of_name(name: &str) -> (Option<Format>, Compression) {
    let name = name.to_ascii_lowercase();
    let (stem, compression) = ENDINGS
        .iter()
        .find_map(|(ending, compression)| Some((name.strip_suffix(ending)?, *compression)))
        .unwrap_or((&name, Compression::None));
    let format = match stem.rsplit_once('.').map(|(_, ending)| ending) {
        Some("jsonl" | "ndjson" | "json") => Some(Format::JsonLines),
        Some("parquet") if compression == Compression::None => Some(Format::Parquet),
        Some("csv") => Some(Format::Csv),
        Some("tsv") => Some(Format::Tsv),
        Some("txt" | "text") => Some(Format::Text),
        _ => None,
    };
    (format, compression)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_format_and_compression() {
        for (name, format, compression) in [
            ("a.jsonl", Some(Format::JsonLines), Compression::None),
            ("a.ndjson.gz", Some(Format::JsonLines), Compression::Gzip),
            ("a.json.zst", Some(Format::JsonLines), Compression::Zstd),
            ("a.JSONL.ZSTD", Some(Format::JsonLines), Compression::Zstd),
            ("a.parquet", Some(Format::Parquet), Compression::None),
            ("a.parquet.gz", None, Compression::Gzip),
            ("语料.csv", Some(Format::Csv), Compression::None),
            ("a.b.tsv.gz", Some(Format::Tsv), Compression::Gzip),
            ("a.txt", Some(Format::Text), Compression::None),
            ("a.text.zst", Some(Format::Text), Compression::Zstd),
            ("a.jsonl.bz2", Some(Format::JsonLines), Compression::Bzip2),
            ("a.CSV.XZ", Some(Format::Csv), Compression::Xz),
            ("a.jsonl.lz4", None, Compression::None),
            ("a.gz", None, Compression::Gzip),
            ("README", None, Compression::None),
            ("a.md", None, Compression::None),
        ] {
            assert_eq!(of_name(name), (format, compression), "{name}");
        }
    }

    #[test]
    fn every_name_is_read_back() {
        for format in [
            Format::JsonLines,
            Format::Parquet,
            Format::Csv,
            Format::Tsv,
            Format::Text,
            Format::Lines,
        ] {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
            assert_eq!(serde_json::to_string(&format).unwrap(), format!("\"{format}\""));
        }
    }
}
