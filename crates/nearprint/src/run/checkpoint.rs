//! Checkpoints: the results of finished stages on disk, so that a run that was killed can go on.
//!
//! The folder of an unfinished run lies beside the output (`.NAME.unfinished`), or in `tmp-dir`
//! where one is set. It holds the identity of the run with a hash of it (`run.json`), a lock, the
//! large lists of the stages, and for each finished stage a sealed file with all else that later
//! stages need. A checkpoint or a list that is damaged counts as absent.
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
use crate::sealed;
use crate::watch::Stage;

/// The file with the identity of the run.
const RUN: &str = "run.json";

/// Held by the run that uses the folder.
const LOCK: &str = "lock";

/// The folder that an unfinished run with this output has: in `tmp_dir` if that is set, else beside
/// the output.
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

/// Whether a folder that was there before is one of ours: no link, of this user, and empty or with
/// our lock in it.
fn is_ours(folder: &Path) -> io::Result<bool> {
    let there = fs::symlink_metadata(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // A file that was made just now says who we are.
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

/// Whether the folder holds a finished stage.
pub(super) fn holds_a_stage(folder: &Path) -> bool {
    folder.join(Stage::Read.name()).exists()
}

/// The checkpoints of one run.
#[derive(Debug)]
pub(super) struct Checkpoints {
    /// `None` for a run without checkpoints.
    folder: Option<PathBuf>,
    /// Held as long as this is there.
    _lock: Option<File>,
    /// Stages that an earlier run had finished.
    pub resumed: Vec<Stage>,
    /// The folder of an unfinished run with a finished stage that is begun anew, and whether it
    /// could have gone on.
    pub anew: Option<(PathBuf, bool)>,
    worth_keeping: bool,
}

impl Checkpoints {
    /// None, and none are made.
    pub(super) fn none() -> Checkpoints {
        Checkpoints {
            folder: None,
            _lock: None,
            resumed: Vec::new(),
            anew: None,
            worth_keeping: false,
        }
    }

    /// Those in `folder`, where `resume` asks for them; else the folder is emptied. `run` is an
    /// object that says all that the stages depend on.
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
            anew: None,
            worth_keeping: false,
        };
        let path = folder.join(RUN);
        // Where no stage is finished there is nothing to go on with, whatever the run was.
        if resume && path.exists() && holds_a_stage(folder) {
            checkpoints.worth_keeping = true;
            let text = fs::read(&path).map_err(Error::io("read", &path))?;
            let Some(before) = unsealed(&text) else {
                let resume = Setting::named("resume");
                let problem = message![
                    path.display(),
                    " is damaged; run without ",
                    resume,
                    " to start again"
                ];
                return Err(Error::usage("resume", problem));
            };
            if let Some(name) = first_difference(&before, run) {
                let differs = match name.as_str() {
                    "input" | "against" => {
                        message![
                            "read other files as ",
                            spelled(name),
                            ", or one of them has changed since"
                        ]
                    }
                    _ => message!["had another ", spelled(name)],
                };
                let problem = message![
                    "the unfinished run in ",
                    folder.display(),
                    " ",
                    differs,
                    "; run with the same, or without ",
                    Setting::named("resume"),
                    " to start again"
                ];
                return Err(Error::usage("resume", problem));
            }
            return Ok(checkpoints);
        }
        if holds_a_stage(folder) {
            let before = fs::read(&path).ok().and_then(|text| unsealed(&text));
            let fits = before.is_some_and(|before| first_difference(&before, run).is_none());
            checkpoints.anew = Some((folder.to_path_buf(), fits));
        }
        empty(folder)?;
        let part = path.with_extension("part");
        let write = || fs::write(&part, sealed(run)).and_then(|()| fs::rename(&part, &path));
        write().map_err(Error::io("write", &path))?;
        Ok(checkpoints)
    }

    /// The result of a stage: loaded, if it was finished and `reopen` finds its lists whole in the
    /// folder; else what `make` makes, with its lists in the folder, if there is one.
    pub(super) fn stage<T: Serialize + DeserializeOwned>(
        &mut self,
        stage: Stage,
        reopen: impl FnOnce(&mut T, &Path) -> Result<bool, Error>,
        make: impl FnOnce(Option<&Path>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(folder) = &self.folder else { return make(None) };
        if let Some(mut made) = sealed::load::<T>(&folder.join(stage.name()))?
            && reopen(&mut made, folder)?
        {
            self.resumed.push(stage);
            return Ok(made);
        }
        let made = make(Some(folder))?;
        sealed::save(&folder.join(stage.name()), &made)?;
        self.worth_keeping = true;
        Ok(made)
    }

    /// Nothing is kept.
    pub(super) fn discard(mut self) {
        self.worth_keeping = false;
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        if let (Some(folder), false) = (&self.folder, self.worth_keeping) {
            // By its lock a folder is known for ours, so that goes last: the run may be killed
            // here. A folder that cannot be removed is in nobody's way: the next run to this output
            // tries again.
            let _ = empty(folder).map(|()| fs::remove_dir_all(folder));
        }
    }
}

/// The identity of a run with its hash, so that damage is not taken for another setting.
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

/// A part of a run by its name: a setting, or a word of its own.
fn spelled(name: String) -> Message {
    if Config::names().contains(&&*name) { message![Setting::named(name)] } else { message![name] }
}

/// The name of a setting, or of another part of a run, in which the two differ.
fn first_difference(before: &Value, now: &Value) -> Option<String> {
    let empty = serde_json::Map::new();
    let (before, now) = (before.as_object().unwrap_or(&empty), now.as_object().unwrap_or(&empty));
    let names = now.keys().chain(before.keys());
    names.filter(|name| before.get(*name) != now.get(*name)).map(|name| name.to_string()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_for_ours_until_nothing_is_left_in_it() {
        let folder = tempfile::tempdir().unwrap();
        for name in [LOCK, RUN, "read", "texts"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        empty(folder.path()).unwrap();
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [LOCK]);
        assert!(is_ours(folder.path()).unwrap());
    }

    type Made = (Vec<u128>, Option<i128>, String, f64);

    fn made() -> Made {
        (vec![0, u128::MAX, 7], Some(-3), "字".repeat(9), 0.1 + 0.2)
    }

    fn keep(
        checkpoints: &mut Checkpoints,
        make: impl FnOnce() -> Result<Made, Error>,
    ) -> Result<Made, Error> {
        checkpoints.stage(Stage::Read, |_: &mut Made, _| Ok(true), |_| make())
    }

    fn never() -> Result<Made, Error> {
        unreachable!("the stage is finished")
    }

    #[test]
    fn a_finished_stage_is_made_once_and_an_unfinished_one_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("run");
        let run = json!({"bits": 64});
        let open = |resume| Checkpoints::open(&folder, &run, resume).unwrap();
        // Nothing finished, nothing left.
        assert!(keep(&mut open(true), || Err(Error::Interrupted)).is_err());
        assert!(!folder.exists());
        assert_eq!(keep(&mut open(true), || Ok(made())).unwrap(), made());
        assert!(holds_a_stage(&folder));
        let mut again = open(true);
        assert_eq!(keep(&mut again, never).unwrap(), made());
        assert_eq!(again.resumed, [Stage::Read]);
        // Another run must not have the folder meanwhile.
        let error = Checkpoints::open(&folder, &run, true).unwrap_err().to_string();
        assert!(error.contains("another run is writing to"), "{error}");
        drop(again);
        // Lists that are not whole: made anew.
        let lost = open(true).stage(
            Stage::Read,
            |_: &mut Made, _| Ok(false),
            |_| Ok((vec![], None, String::new(), 0.0)),
        );
        assert_eq!(lost.unwrap().0, [0u128; 0]);
        // Without resume, or where the run is finished, all goes.
        let mut anew = open(false);
        assert_eq!(anew.anew, Some((folder.clone(), true)));
        assert_eq!(keep(&mut anew, || Ok(made())).unwrap(), made());
        drop(anew);
        let other = Checkpoints::open(&folder, &json!({"bits": 128}), false).unwrap();
        assert_eq!(other.anew, Some((folder.clone(), false)));
        drop(other);
        open(true).discard();
        assert!(!folder.exists());
    }

    #[test]
    fn another_run_is_refused_by_name_and_damage_counts_as_not_finished() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("run");
        let open = |bits| Checkpoints::open(&folder, &json!({"bits": bits, "threads": 1}), true);
        keep(&mut open(64).unwrap(), || Ok(made())).unwrap();
        let error = open(128).unwrap_err().to_string();
        assert!(error.contains("had another bits") && error.contains("without resume"), "{error}");
        let path = folder.join("read");
        let whole = fs::read(&path).unwrap();
        for damaged in
            [&whole[..whole.len() - 1], &whole[..7], &[&[whole[0] ^ 1], &whole[1..]].concat()]
        {
            fs::write(&path, damaged).unwrap();
            let mut remade = false;
            keep(&mut open(64).unwrap(), || {
                remade = true;
                Ok(made())
            })
            .unwrap();
            assert!(remade);
        }
        let path = folder.join(RUN);
        let whole = fs::read_to_string(&path).unwrap();
        // A digit that changed is damage, and no other setting.
        for damaged in [
            "",
            "{",
            "{}",
            "[]",
            "null",
            "\u{0}",
            &whole.replace("64", "65"),
            &whole[..whole.len() - 1],
        ] {
            fs::write(&path, damaged).unwrap();
            let error = open(64).unwrap_err().to_string();
            assert!(
                error.contains("run.json is damaged; run without resume"),
                "{damaged}: {error}"
            );
        }
        // Where nothing is finished, nothing is lost.
        fs::remove_file(folder.join("read")).unwrap();
        assert!(open(64).unwrap().resumed.is_empty());
    }

    #[test]
    fn a_folder_of_somebody_else_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("run");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("mine"), "precious").unwrap();
        let refused = |folder: &Path| {
            let error = Checkpoints::open(folder, &json!({}), false).unwrap_err().to_string();
            assert!(error.contains("not an unfinished run of yours"), "{error}");
        };
        refused(&folder);
        #[cfg(unix)]
        {
            let link = place.path().join("link");
            std::os::unix::fs::symlink(&folder, &link).unwrap();
            refused(&link);
        }
        assert_eq!(fs::read_to_string(folder.join("mine")).unwrap(), "precious");
    }
}
