//! The file system -> whether a store can be written, and whether it has a log.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::message;
use crate::message::Verb;

/// Returns true if a folder and the file in it can be written.
pub(super) fn is_writable(folder: &Path, path: &Path) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let is_read_only =
        |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly());
    let refuses = |error: io::Error| matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem);
    !is_read_only(folder)
        && !is_read_only(path)
        && !tempfile::tempfile_in(folder).is_err_and(refuses)
}

/// The URI of a file that no process writes.
///
/// # Errors
/// [`Error::Incompatible`] if the file has a log with changes, since it is read without the log.
pub(super) fn immutable_address(path: &Path) -> Result<String, Error> {
    check_log(path)?;
    let path = fs::canonicalize(path).map_err(Error::io("read", path))?;
    let mut address = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(char::from(*byte))
            }
            _ => address.push_str(&format!("%{byte:02x}")),
        }
    }
    Ok(address + "?immutable=1")
}

/// Fails if a file has a log with changes.
pub(super) fn check_log(path: &Path) -> Result<(), Error> {
    let log = log_of(path);
    if fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0) {
        let problem = message![
            "holds changes that cannot be read without writing to the folder; wait until the \
             writing process ends, or run ",
            Verb::IndexInfo,
            " once as a user who may write"
        ];
        return Err(Error::Incompatible { path: log, problem });
    }
    Ok(())
}

/// The path of the log of a file.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}
