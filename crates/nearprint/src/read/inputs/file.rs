//! The path of a file -> a source, with its format and compression.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use super::{Options, of_name};
use crate::error::{Error, Problem};
use crate::message;
use crate::message::Setting;
use crate::read::compression::START;
use crate::read::encoding::UTF_8;
use crate::read::{Compression, Format, Source, binary, columns, detect, quoting};

/// A source that cannot be read. Its format is text, so that opening it fails.
pub(crate) fn unreadable(path: &Path, name: String) -> Source {
    Source {
        path: path.to_path_buf(),
        name,
        label: path.display().to_string(),
        format: Format::Text,
        delimiter: None,
        quote: None,
        escape: None,
        encoding: UTF_8,
        compression: Compression::None,
        bytes: 0,
        modified: SystemTime::UNIX_EPOCH,
        memory: None,
        stream: None,
    }
}

/// The source of a file. A Parquet file is known by its first bytes, whatever the settings and its
/// name say. Refuses a file that cannot be read twice, and one of an unknown format.
pub(super) fn file(
    path: &Path,
    name: String,
    metadata: &Metadata,
    options: &Options,
) -> Result<Source, Error> {
    let label = path.display().to_string();
    if !metadata.is_file() {
        return Err(Error::usage(
            "input",
            format!(
                "{label} is not a regular file and cannot be read twice; pipe it to standard \
                 input, and name it -"
            ),
        ));
    }
    let (by_name, compression) = of_name(&file_name(path));
    let start = start(path);
    let is_parquet = binary::is_parquet(&start);
    let by_bytes_or_name =
        if is_parquet { Some(Format::Parquet) } else { options.format_of(by_name) };
    let format = by_bytes_or_name.ok_or_else(|| match recognized(path) {
        Some(problem) => Error::usage("input", message![&label, ": ", problem.message()]),
        None => Error::usage(
            "input",
            message![
                "the format of ",
                &label,
                " is unknown; name it with ",
                Setting::named("format"),
                ", such as ",
                Setting::with("format", "json-lines")
            ],
        ),
    })?;
    if format == Format::Parquet && !is_parquet && compression != Compression::None {
        let problem = format!("{label} is a compressed Parquet file; decompress it first");
        return Err(Error::usage("input", problem));
    }
    if format == Format::Parquet {
        columns::check_readable(&label)?;
    }
    let compression = match format {
        Format::Parquet => Compression::None,
        // The bytes decide, whatever the name. A file of no bytes has none to decide.
        _ if start.is_empty() => compression,
        _ => Compression::of_bytes(&start),
    };
    let modified = metadata.modified().map_err(Error::io("read", path))?;
    let source = Source {
        encoding: detect::encoding_of(path, format, compression, options.encoding),
        path: path.to_path_buf(),
        name,
        label,
        format,
        delimiter: options.delimiter,
        quote: options.quote,
        escape: options.escape,
        compression,
        bytes: metadata.len(),
        modified,
        memory: None,
        stream: None,
    };
    Ok(Source { quote: quoting::quote_of(&source), ..source })
}

/// The problem of a file that is no text, if its first bytes show that. A compressed file may be one.
pub(super) fn recognized(path: &Path) -> Option<Problem> {
    let start = start(path);
    let is_compressed = Compression::of_bytes(&start) != Compression::None;
    if is_compressed { None } else { binary::recognized(&start) }
}

/// The first bytes of a file; none if it cannot be read, which is reported when it is read.
fn start(path: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    let _ = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
    start
}

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
