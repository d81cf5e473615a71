//! A file that a verb writes: whole or not at all, and over nothing that must stay.

use std::path::{Path, PathBuf};

use nearprint::temporary::{self, Temporary};
use nearprint::{Error, Watch, write};

/// A file to write.
#[derive(Clone, Copy)]
pub struct OutputFile<'p> {
    /// The flag that names it.
    pub setting: &'static str,
    /// Its path.
    pub path: &'p Path,
    /// True if it may replace a file.
    pub force: bool,
}

impl OutputFile<'_> {
    /// Refuses to replace one of the files that are read, a link or a device, and any other file
    /// without `force`.
    pub fn check(&self, read: &[PathBuf]) -> Result<(), Error> {
        let path = self.path;
        let problem = |problem: &str| {
            Err(Error::usage(self.setting, format!("{} {problem}", path.display())))
        };
        if path
            .extension()
            .is_some_and(|end| ["gz", "zst", "bz2", "xz"].iter().any(|own| end == *own))
        {
            return problem("would not be compressed; name it without that ending");
        }
        let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
        if !metadata.is_file() {
            return problem("is not a regular file; name another file");
        }
        let place = path.canonicalize().ok();
        match read.iter().any(|input| place.is_some() && input.canonicalize().ok() == place) {
            true => problem("is an input and would be replaced; name another file"),
            false => write::check_new_file(self.setting, path, self.force),
        }
    }

    /// Writes a temporary file in the same folder and renames it at the end. Errors name the final
    /// file.
    pub fn write(
        &self,
        watch: &dyn Watch,
        write: impl FnOnce(&Path) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let path = self.path;
        let parent = folder_of(path);
        temporary::remove_abandoned(parent, ".");
        let folder = Temporary::create(parent, ".", false)
            .map_err(without_path)
            .map_err(Error::io("create", path))?;
        let part = folder.path().join("part");
        write(&part).map_err(|error| match error {
            Error::Io { doing, path: of, source } if of == part => {
                Error::Io { doing, path: path.to_path_buf(), source }
            }
            error => error,
        })?;
        if watch.stopped() {
            return Err(Error::Interrupted);
        }
        // It may have appeared meanwhile.
        write::check_new_file(self.setting, path, self.force)?;
        std::fs::rename(&part, path).map_err(Error::io("create", path))
    }
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The system's reason without the temporary path, which tells a user nothing.
fn without_path(error: std::io::Error) -> std::io::Error {
    let words = error.to_string();
    let reason = words.split_once(" at path ").map_or(&*words, |(reason, _)| reason);
    std::io::Error::new(error.kind(), reason)
}
