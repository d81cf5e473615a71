//! Settings -> the folder of a new index.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nearprint_core::fingerprint::Distance;
use nearprint_core::recipe::Recipe;

use super::lock::{LOCKS, Lock};
use super::store::{STORE, Store};
use super::view::TABLES;
use super::{GENERATION, GENERATION_FORMAT, IDENTITY, Index, IndexOptions, OPTIONS, SETTINGS};
use crate::config::{Config, Features, MaxDistance};
use crate::error::Error;
use crate::message;
use crate::message::{Setting, Verb};
use crate::sealed;

/// The bytes of the largest file of an index whose creation was interrupted.
const MOST_UNFINISHED: u64 = 1 << 20;

impl Index {
    /// Creates an empty index in a folder that is empty or does not exist. The index keeps the
    /// settings that decide about pairs.
    ///
    /// # Errors
    /// [`Error::Usage`] for settings that an index does not support, and if the folder is not
    /// empty; [`Error::Io`].
    pub fn create(folder: &Path, config: &Config, options: &IndexOptions) -> Result<Index, Error> {
        Index::create_with(folder, config, options, |_| Ok(()))
    }

    /// Creates an index as [`create`](Self::create), and lets `fill` add its first documents. If
    /// anything fails, nothing of the index is left, and no folder that was missing before. If
    /// `fill` is interrupted, the documents that were added stay.
    ///
    /// # Errors
    /// As [`create`](Self::create); those of `fill`.
    pub fn create_with(
        folder: &Path,
        config: &Config,
        options: &IndexOptions,
        fill: impl FnOnce(&mut Index) -> Result<(), Error>,
    ) -> Result<Index, Error> {
        let recipe = config.recipe()?;
        check(config, options, &recipe)?;
        let mut new = NewFolder::make(folder)?;
        let store = new_store(folder, config, options, &recipe)?;
        new.lock = None;
        let mut index = Index::of(folder, config.clone(), options.clone(), recipe, store);
        let filled = fill(&mut index);
        new.is_kept = matches!(filled, Ok(()) | Err(Error::Interrupted));
        // The store is closed before its files are removed.
        filled.map(|()| index)
    }
}

/// The folder of an index that is being created. Unless it is kept, all that was made in it is
/// removed with this value.
struct NewFolder {
    folder: PathBuf,
    /// The folders that were missing before, the innermost first.
    missing: Vec<PathBuf>,
    is_kept: bool,
    /// Keeps other processes from creating an index in the folder, until there is one.
    lock: Option<Lock>,
}

impl NewFolder {
    /// Makes the folder and the one of tables in it.
    ///
    /// # Errors
    /// [`Error::Usage`] if the folder is not empty; [`Error::Io`].
    fn make(folder: &Path) -> Result<NewFolder, Error> {
        check_empty(folder)?;
        let is_missing = |folder: &&Path| {
            !folder.as_os_str().is_empty() && fs::symlink_metadata(folder).is_err()
        };
        let missing = folder.ancestors().take_while(is_missing).map(Path::to_path_buf).collect();
        let folder = folder.to_path_buf();
        let mut new = NewFolder { folder, missing, is_kept: true, lock: None };
        let tables = new.folder.join(TABLES);
        let made = fs::create_dir_all(&tables).map_err(Error::io("create", &tables));
        match made.and_then(|()| Lock::take(&new.folder)) {
            Ok(lock) => new.lock = Some(lock),
            Err(error) => {
                // On a full disk, what was made is removed, unless another process uses it.
                let is_taken = matches!(error, Error::IndexTaken { .. });
                new.is_kept = is_taken || new.folder.join(STORE).exists();
                return Err(error);
            }
        }
        // Another process may have created an index meanwhile. Its files are not removed.
        let names = check_empty(&new.folder)?;
        new.is_kept = false;
        let removed = names.iter().filter(|name| name.is_file()).try_for_each(fs::remove_file);
        removed.map_err(Error::io("write", &new.folder))?;
        Ok(new)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        // What cannot be removed takes space, and the error that is reported matters more.
        let _ = fs::remove_dir_all(self.folder.join(TABLES));
        for own in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if own.file_name().to_str().is_some_and(is_file_of_index) {
                let _ = fs::remove_file(own.path());
            }
        }
        self.missing.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

/// Checks that a folder is missing or empty, or has only files of an index whose creation was
/// interrupted. Returns the paths of these, without locks.
///
/// # Errors
/// [`Error::Usage`] for a folder that has others; [`Error::Io`].
fn check_empty(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let is_lock = |path: &PathBuf| LOCKS.iter().any(|lock| path.ends_with(lock));
    let names: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => {
            entries.flatten().map(|entry| entry.path()).filter(|path| !is_lock(path)).collect()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Error::io("read", folder)(error)),
    };
    if names.is_empty() || is_unfinished(folder, &names) {
        return Ok(names);
    }
    let problem = format!(
        "{} is not empty; name an empty folder, or add documents to the index in it",
        folder.display()
    );
    Err(Error::usage("index", problem))
}

/// Returns true for the names of files that an index has beside its folder of tables.
fn is_file_of_index(name: &str) -> bool {
    let is_generation =
        name.strip_prefix(GENERATION).is_some_and(|end| ["", ".part"].contains(&end));
    is_generation || LOCKS.contains(&name) || is_file_of_store(name)
}

/// Returns true for the names of the store and of the files that SQLite keeps beside it.
fn is_file_of_store(name: &str) -> bool {
    name.strip_prefix(STORE).is_some_and(|end| ["", "-wal", "-shm", "-journal"].contains(&end))
}

/// The store of a new index, with its settings, and its other files.
fn new_store(
    folder: &Path,
    config: &Config,
    options: &IndexOptions,
    recipe: &Recipe,
) -> Result<Store, Error> {
    let tables = folder.join(TABLES);
    fs::create_dir_all(&tables).map_err(Error::io("create", &tables))?;
    let kept = with_absolute_paths(config.clone().threads(0).memory(None).tmp_dir(None));
    let settings = kept.to_toml();
    let in_toml = toml::to_string(options).expect("options are TOML values");
    let about = [
        ("program", concat!("nearprint ", env!("CARGO_PKG_VERSION"))),
        (IDENTITY, recipe.identity()),
        (SETTINGS, settings.as_str()),
        (OPTIONS, in_toml.as_str()),
    ];
    let store = Store::create(folder, &about)?;
    sealed::save(&folder.join(GENERATION), GENERATION_FORMAT, &1u64)?;
    Ok(store)
}

/// Checks that an index supports these settings.
///
/// # Errors
/// [`Error::Usage`].
fn check(config: &Config, options: &IndexOptions, recipe: &Recipe) -> Result<(), Error> {
    if let Some(field) =
        config.tokens_field().filter(|own| options.fields().iter().any(|field| field == own))
    {
        let problem = message![
            "the index keeps the tokens in the field \"",
            field,
            "\" in any case; leave it out of ",
            Setting::named("store-field")
        ];
        return Err(Error::usage("tokens-field", problem));
    }
    recipe.check_statistics()?;
    if config.search.distance == Distance::Edit {
        let problem = message![
            "an index supports only the distance in differing bits; set ",
            Setting::with("distance", "hamming")
        ];
        return Err(Error::usage("distance", problem));
    }
    if config.search.max_distance == MaxDistance::Any {
        let problem = message![
            "an index searches fingerprints; set ",
            Setting::with("max-distance", "auto"),
            ", or a number of bits"
        ];
        return Err(Error::usage("max-distance", problem));
    }
    if let Some((setting, _)) = config.guards().next() {
        return Err(Error::usage(
            setting,
            "an index takes it when documents are added or looked up; leave it out",
        ));
    }
    if config.decide.marks.is_some() {
        let problem = "an index takes marks when documents are added or looked up; leave it out";
        return Err(Error::usage("marks", problem));
    }
    if config.search.recall.is_some() {
        let problem = message![
            "an index does not choose distances; leave it out, or set the distances that ",
            Verb::Tune,
            " proposes"
        ];
        return Err(Error::usage("recall", problem));
    }
    if let Some(field) =
        options.store_fields.iter().find(|field| ["id", "text"].contains(&field.as_str()))
    {
        let problem = message![
            "every index has the field \"",
            field,
            "\"; leave it out, or store texts with ",
            Setting::named("store-text")
        ];
        return Err(Error::usage("store-field", problem));
    }
    Ok(())
}

/// Returns true if a folder contains only files of an index whose creation was interrupted. `names`
/// are the paths in the folder.
fn is_unfinished(folder: &Path, names: &[PathBuf]) -> bool {
    let is_own = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_small = || fs::metadata(path).is_ok_and(|metadata| metadata.len() < MOST_UNFINISHED);
        match name {
            TABLES => fs::read_dir(path).is_ok_and(|mut files| files.next().is_none()),
            name => is_file_of_store(name) && is_small(),
        }
    };
    names.iter().all(is_own) && Store::open(folder).is_err()
}

/// The settings with absolute paths of the files that they name.
fn with_absolute_paths(mut config: Config) -> Config {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let ignored = &mut config.fingerprint.ignore_passages;
    *ignored = ignored.take().map(|path| absolute(&path));
    if let Features::Words(words) = &mut config.fingerprint.features {
        words.stats = words.stats.take().map(|path| absolute(&path));
        for list in words.stop_words.iter_mut().filter(|list| Path::new(list.as_str()).is_file()) {
            *list = absolute(Path::new(list.as_str())).display().to_string();
        }
    }
    config
}
