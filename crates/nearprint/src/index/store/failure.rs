//! An error of SQLite -> the error of this library.

use std::io;
use std::path::Path;

use rusqlite::{ErrorCode, ffi};

use super::access::log_of;
use crate::error::Error;

/// The error of an action on a file, for `map_err`.
pub(super) fn failed(path: &Path, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
    let path = path.to_path_buf();
    let is_of_log = |error: &rusqlite::Error| {
        error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_DATA)
    };
    move |error| match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) if is_of_log(&error) => {
            let problem = "is damaged; restore the index from a backup, or create it again";
            Error::Incompatible { path: log_of(&path), problem: problem.into() }
        }
        Some(ErrorCode::DiskFull) => Error::io(doing, &path)(io::ErrorKind::StorageFull.into()),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            Error::io(doing, &path)(io::ErrorKind::PermissionDenied.into())
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::IndexTaken { folder: path.parent().map(Path::to_path_buf).unwrap_or_default() }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            let problem = format!(
                "is damaged ({error}); restore it from a backup, or create the index again"
            );
            Error::Incompatible { path, problem: problem.into() }
        }
        Some(ErrorCode::SystemIoFailure) => Error::io(doing, &path)(io::Error::other(format!(
            "{error}; check whether the disk is full or failing"
        ))),
        _ => Error::io(doing, &path)(io::Error::other(error)),
    }
}
