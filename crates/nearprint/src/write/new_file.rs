//! The path of an output file -> a check that nothing is replaced by accident.

use std::path::Path;

use crate::error::Error;
use crate::message;
use crate::message::Setting;

/// Refuses the path of something that exists, unless `force`. `setting` names the path.
///
/// # Errors
/// [`Error::Usage`].
pub fn check_new_file(setting: &'static str, path: &Path, force: bool) -> Result<(), Error> {
    if force || path.symlink_metadata().is_err() {
        return Ok(());
    }
    let force = Setting::named("force");
    let problem =
        message![path.display(), " exists; name another file, or replace it with ", force];
    Err(Error::usage(setting, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_by_force_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        check_new_file("output", &path, false).unwrap();
        std::fs::write(&path, "a").unwrap();
        let refused = check_new_file("output", &path, false).unwrap_err().to_string();
        assert!(refused.contains("exists; name another file, or replace it with force"));
        check_new_file("output", &path, true).unwrap();
    }
}
