//! Copies of input files -> one stream of their rows, uncompressed, in UTF-8, with one header.

use std::io::{self, Write};
use std::path::Path;

use crate::error::{Error, Problem};
use crate::message;
use crate::message::Setting;
use crate::read::dialect::Dialect;
use crate::read::frames::Frames;
use crate::read::{Format, Options, Quote, Source, delimited};

/// Refuses sources whose rows cannot be one stream: Parquet, whole files of text, several formats,
/// several headers.
///
/// # Errors
/// [`Error::Usage`] of `output`.
pub(crate) fn check_streamable(sources: &[Source], options: &Options) -> Result<(), Error> {
    let refuse = |problem: String| Err(Error::usage("output", format!("{problem}; name a folder")));
    let mut first: Option<(&Source, Option<Vec<String>>)> = None;
    for source in sources {
        let label = &source.label;
        match source.format {
            Format::Parquet => {
                return refuse(format!("{label} is Parquet, which cannot be written as a stream"));
            }
            Format::Text => {
                let problem = " is one document, and a stream does not separate documents of plain \
                    text; name a folder, or read each line as a document with ";
                return Err(Error::usage(
                    "output",
                    message![label, problem, Setting::with("format", "lines")],
                ));
            }
            Format::JsonLines | Format::Csv | Format::Tsv | Format::Lines => {}
        }
        let header = header(source, options);
        match &first {
            None => first = Some((source, header)),
            Some((one, _)) if one.format != source.format => {
                let formats =
                    format!("{} is {}, and {label} is {}", one.label, one.format, source.format);
                return refuse(format!("a stream has one format, but {formats}"));
            }
            Some((one, other))
                if other.is_some() && header.is_some() && one.quote != source.quote =>
            {
                let (letters, quotes) = match source.quote {
                    Some(Quote::NONE) => (label, &one.label),
                    _ => (&one.label, label),
                };
                return Err(Error::usage(
                    "output",
                    message![
                        format!(
                            "quotes are letters in {letters}, and may be quotes in {quotes}; name \
                             a folder, or read all files alike with "
                        ),
                        Setting::with("quote", Quote::NONE.to_string())
                    ],
                ));
            }
            Some((one, other)) if other.is_some() && header.is_some() && *other != header => {
                return refuse(format!(
                    "a stream has one header, but {} and {label} have different ones",
                    one.label
                ));
            }
            Some((_, None)) => first = Some((source, header)),
            Some(_) => {}
        }
    }
    Ok(())
}

/// The columns of a source, if its format has a header that can be read. An unreadable header is
/// reported when the source is read.
fn header(source: &Source, options: &Options) -> Option<Vec<String>> {
    let dialect = Dialect::of(source)?;
    let frames = Frames::open(source, options).ok()?;
    delimited::header(frames.header().content(), dialect).ok()
}

/// Writes the rows of the existing copies of these sources in a folder, and returns the number of
/// bytes. A line end is added to a file's last row if another row follows.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn stream(sources: &[Source], copies: &Path, out: &mut dyn Write) -> Result<u64, Error> {
    let mut out = Stream { out, bytes: 0, last: b'\n', has_header: false };
    let options = Options { max_document_bytes: u64::MAX, ..Options::default() };
    for source in sources {
        let path = copies.join(&source.name);
        if !path.exists() {
            continue;
        }
        let copy = Source { path: path.clone(), ..source.clone() };
        let mut frames = match Frames::open(&copy, &options) {
            Ok(frames) => frames,
            Err(Problem::EmptyFile) => continue,
            Err(problem) => return Err(Error::Unusable { path, problem }),
        };
        if !out.has_header {
            out.write(frames.header().bytes)?;
            out.has_header = !frames.header().bytes.is_empty();
        }
        while let Some(frame) = frames.next().map_err(Error::io("read", &path))? {
            out.write(frame.bytes)?;
        }
    }
    out.out.flush().map_err(failed)?;
    Ok(out.bytes)
}

struct Stream<'o> {
    out: &'o mut dyn Write,
    bytes: u64,
    /// The last byte.
    last: u8,
    has_header: bool,
}

impl Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(last) = bytes.last() else { return Ok(()) };
        // A line feed after a carriage return would be one end with it.
        let is_open = !matches!(self.last, b'\n' | b'\r');
        if is_open || self.last == b'\r' && bytes[0] == b'\n' {
            self.out.write_all(b"\n").map_err(failed)?;
            self.bytes += 1;
        }
        self.last = *last;
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes).map_err(failed)
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("write", "standard output")(error)
}
