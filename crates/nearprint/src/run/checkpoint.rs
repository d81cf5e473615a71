//! The results of finished stages <-> a folder on disk, so that a killed run can go on.
//!
//! The folder of an unfinished run lies beside the output (`.NAME.unfinished`), or in `tmp-dir` if
//! that is set. It holds the identity of the run with its hash (`run.json`), a lock, the large
//! lists of the stages, and for each finished stage a sealed file with all else that later stages
//! need. A damaged checkpoint or list counts as absent.
//!
//! The folder is deleted when the run ends, unless it is stopped or fails after a finished stage.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::config::Config;
use crate::error::{Error, Taken};
use crate::message;
use crate::message::{Message, Setting};
use crate::sealed::{self, Format};
use crate::watch::Stage;

/// The file with the identity of the run.
const RUN: &str = "run.json";

/// The format of what finished stages save. It changes with each type of theirs: `Corpus`,
/// `Candidates`, `Search`, `Confirmed`, `Recall`, and all types in these.
const FORMAT: Format = *b"STA2";

/// The file that is locked by the run that uses the folder.
const LOCK: &str = "lock";

/// The folder of an unfinished run with this output: in `tmp_dir` if that is set, else beside the
/// output.
pub(super) fn folder_of(output: &Path, tmp_dir: Option<&Path>) -> io::Result<PathBuf> {
    let output = std::path::absolute(output)?;
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    Ok(match (tmp_dir, output.parent()) {
        (Some(folder), _) => folder
            .join(format!(".nearprint-{:016x}", xxh3_64(output.as_os_str().as_encoded_bytes()))),
        (None, Some(parent)) => parent.join(format!(".{name}.unfinished")),
        (None, None) => return Err(io::ErrorKind::InvalidInput.into()),
    })
}

/// Returns true if an existing folder may be used: it is no link, it belongs to this user, and it
/// is empty or holds our lock.
fn is_ours(folder: &Path) -> io::Result<bool> {
    let there = fs::symlink_metadata(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // A new file shows the user of this process.
        if there.is_dir() && there.uid() != tempfile::tempfile()?.metadata()?.uid() {
            return Ok(false);
        }
    }
    Ok(there.is_dir() && (folder.join(LOCK).is_file() || fs::read_dir(folder)?.next().is_none()))
}

/// Removes all files of a folder but its lock.
fn empty(folder: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::io("read", folder))? {
        let path = entry.map_err(Error::io("read", folder))?.path();
        if path.file_name().is_some_and(|name| name != LOCK) {
            fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Returns true if the folder holds a finished stage.
pub(super) fn holds_a_stage(folder: &Path) -> bool {
    folder.join(Stage::Read.name()).exists()
}

/// The checkpoints of one run.
#[derive(Debug)]
pub(super) struct Checkpoints {
    /// `None` for a run without checkpoints.
    folder: Option<PathBuf>,
    /// The lock, which is held as long as the value exists.
    _lock: Option<File>,
    /// The stages that an earlier run had finished.
    pub resumed: Vec<Stage>,
    /// A warning that an unfinished run of other settings or files was discarded.
    pub discarded: Option<Message>,
    /// True if a stage is finished, so that the folder is kept after an error.
    worth_keeping: bool,
}

impl Checkpoints {
    /// No checkpoints. None are made.
    pub(super) fn none() -> Checkpoints {
        Checkpoints {
            folder: None,
            _lock: None,
            resumed: Vec::new(),
            discarded: None,
            worth_keeping: false,
        }
    }

    /// Opens the checkpoints in `folder`. `run` is an object with all that the stages depend on. The
    /// checkpoints of another run are discarded.
    ///
    /// # Errors
    /// [`Error::OutputTaken`] if the folder is not ours or in use, [`Error::Io`]. With `resume` also
    /// [`Error::Usage`] if the folder holds another run.
    pub(super) fn open(folder: &Path, run: &Value, resume: bool) -> Result<Checkpoints, Error> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Error::io("create", folder)(error));
            }
            Err(_) if !is_ours(folder).map_err(Error::io("read", folder))? => {
                return Err(Error::OutputTaken {
                    folder: folder.to_path_buf(),
                    by: Taken::NotOurs,
                });
            }
            _ => {}
        }
        let path = folder.join(LOCK);
        let lock = File::options().write(true).create(true).truncate(false).open(&path);
        let lock = lock.map_err(Error::io("create", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::OutputTaken {
                    folder: folder.to_path_buf(),
                    by: Taken::AnotherRun,
                });
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
        }
        let mut checkpoints = Checkpoints {
            folder: Some(folder.to_path_buf()),
            _lock: Some(lock),
            resumed: Vec::new(),
            discarded: None,
            worth_keeping: false,
        };
        let path = folder.join(RUN);
        // Without a finished stage there is nothing to resume, whatever the identity.
        if holds_a_stage(folder) {
            let Some(differs) = difference(&path, run) else {
                checkpoints.worth_keeping = true;
                return Ok(checkpoints);
            };
            let unfinished = message!["the unfinished run in ", folder.display(), " "];
            if resume {
                checkpoints.worth_keeping = true;
                let Difference { words, remedy } = differs;
                let anew = message![Setting::named("resume"), " to start again"];
                return Err(Error::usage("resume", message![unfinished, words, remedy, anew]));
            }
            let discarded = message![unfinished, differs.words, "; it is discarded"];
            checkpoints.discarded = Some(discarded);
        }
        empty(folder)?;
        let part = path.with_extension("part");
        let write = || fs::write(&part, sealed(run)).and_then(|()| fs::rename(&part, &path));
        write().map_err(Error::io("write", &path))?;
        Ok(checkpoints)
    }

    /// The result of a stage. It is loaded if the stage was finished and `reopen` finds its lists
    /// undamaged in the folder. Else `make` makes it, with its lists in the folder, if there is
    /// one.
    pub(super) fn stage<T: Serialize + DeserializeOwned>(
        &mut self,
        stage: Stage,
        reopen: impl FnOnce(&mut T, &Path) -> Result<bool, Error>,
        make: impl FnOnce(Option<&Path>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(folder) = &self.folder else { return make(None) };
        if let Some(mut made) = sealed::load::<T>(&folder.join(stage.name()), FORMAT)?
            && reopen(&mut made, folder)?
        {
            self.resumed.push(stage);
            return Ok(made);
        }
        let made = make(Some(folder))?;
        sealed::save(&folder.join(stage.name()), FORMAT, &made)?;
        self.worth_keeping = true;
        Ok(made)
    }

    /// Removes the folder.
    pub(super) fn discard(mut self) {
        self.worth_keeping = false;
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        if let (Some(folder), false) = (&self.folder, self.worth_keeping) {
            // The lock marks the folder as ours. It is removed last, since the run may be killed
            // here. If the folder cannot be removed, the next run to this output tries again.
            let _ = empty(folder).map(|()| fs::remove_dir_all(folder));
        }
    }
}

/// The identity of a run with its hash, so that damage is not mistaken for another setting.
fn sealed(run: &Value) -> String {
    json!({ "hash": hash(run), "run": run }).to_string()
}

/// The identity, unless it is damaged.
fn unsealed(text: &[u8]) -> Option<Value> {
    let mut sealed: Value = serde_json::from_slice(text).ok()?;
    let run = sealed.get_mut("run")?.take();
    (sealed["hash"] == hash(&run)).then_some(run)
}

fn hash(run: &Value) -> String {
    format!("{:016x}", xxh3_64(run.to_string().as_bytes()))
}

/// A difference between two runs.
struct Difference {
    /// The difference, to follow the name of the earlier run.
    words: Message,
    /// The beginning of the remedy, before the name of `resume`.
    remedy: &'static str,
}

/// The difference between the run of a file and this one; `None` if they are the same.
fn difference(path: &Path, run: &Value) -> Option<Difference> {
    let Some(before) = fs::read(path).ok().and_then(|text| unsealed(&text)) else {
        return Some(Difference { words: message!["is damaged"], remedy: "; run without " });
    };
    let name = first_difference(&before, run)?;
    let words = match name.as_str() {
        "input" | "against" => {
            message!["read other files as ", spelled(name), ", or one of them has changed since"]
        }
        _ => message!["had another ", spelled(name)],
    };
    Some(Difference { words, remedy: "; run with the same, or without " })
}

/// The name of a part of a run's identity in a message: a setting, or a word.
fn spelled(name: String) -> Message {
    if Config::names().contains(&&*name) { message![Setting::named(name)] } else { message![name] }
}

/// The name of the first part in which two identities differ.
fn first_difference(before: &Value, now: &Value) -> Option<String> {
    let empty = serde_json::Map::new();
    let (before, now) = (before.as_object().unwrap_or(&empty), now.as_object().unwrap_or(&empty));
    let names = now.keys().chain(before.keys());
    names.filter(|name| before.get(*name) != now.get(*name)).map(|name| name.to_string()).next()
}

#[cfg(test)]
mod tests;
