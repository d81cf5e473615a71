//! The path of a file -> a source, with its format and compression.

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use super::{Options, of_name};
use crate::error::Error;
use crate::message;
use crate::message::Setting;
use crate::read::{Compression, Format, Source, columns};

/// A source that cannot be read. Its format is text, so that opening it fails.
pub(super) fn unreadable(path: &Path, name: String) -> Source {
    Source {
        path: path.to_path_buf(),
        name,
        label: path.display().to_string(),
        format: Format::Text,
        delimiter: None,
        compression: Compression::None,
        bytes: 0,
        modified: SystemTime::UNIX_EPOCH,
        memory: None,
        stream: None,
    }
}

/// The source of a file. Refuses a file that cannot be read twice, and one of an unknown format.
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
    let format = options.format_of(by_name).ok_or_else(|| {
        if is_spreadsheet(path) {
            let problem = format!("{label} is a spreadsheet; export it as CSV (UTF-8)");
            return Error::usage("input", problem);
        }
        Error::usage(
            "input",
            message![
                "the format of ",
                &label,
                " is unknown; name it with ",
                Setting::named("format"),
                ", such as ",
                Setting::with("format", "json-lines")
            ],
        )
    })?;
    if format == Format::Parquet && compression != Compression::None {
        let problem = format!("{label} is a compressed Parquet file; decompress it first");
        return Err(Error::usage("input", problem));
    }
    if format == Format::Parquet {
        columns::check_readable(&label)?;
    }
    let modified = metadata.modified().map_err(Error::io("read", path))?;
    let bytes = metadata.len();
    let (path, delimiter) = (path.to_path_buf(), options.delimiter);
    let (memory, stream) = (None, None);
    Ok(Source {
        path,
        name,
        label,
        format,
        delimiter,
        compression,
        bytes,
        modified,
        memory,
        stream,
    })
}

/// Returns true if the name of a file ends like that of a spreadsheet.
fn is_spreadsheet(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["xlsx", "xls", "xlsm", "xlsb", "ods"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
