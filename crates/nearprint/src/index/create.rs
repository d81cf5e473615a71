//! Settings -> the folder of a new index.

use std::fs;
use std::path::{Path, PathBuf};

use nearprint_core::fingerprint::Distance;
use nearprint_core::recipe::Recipe;

use super::store::{STORE, Store};
use super::view::TABLES;
use super::{GENERATION, IDENTITY, Index, IndexOptions, OPTIONS, SETTINGS};
use crate::config::{Config, Features};
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
        let recipe = config.recipe()?;
        check(config, options, &recipe)?;
        let names: Vec<PathBuf> = match fs::read_dir(folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io("read", folder)(error)),
        };
        if is_unfinished(folder, &names) {
            names
                .iter()
                .filter(|name| name.is_file())
                .try_for_each(fs::remove_file)
                .map_err(Error::io("write", folder))?;
        } else if !names.is_empty() {
            let problem = format!(
                "{} is not empty; name an empty folder, or add documents to the index in it",
                folder.display()
            );
            return Err(Error::usage("index", problem));
        }
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
        sealed::save(&folder.join(GENERATION), &1u64)?;
        Ok(Index::of(folder, config.clone(), options.clone(), recipe, store))
    }
}

/// Checks that an index supports these settings.
///
/// # Errors
/// [`Error::Usage`].
fn check(config: &Config, options: &IndexOptions, recipe: &Recipe) -> Result<(), Error> {
    if recipe.takes_tokens() {
        return Err(Error::usage("tokens-field", "an index makes its own tokens; leave it out"));
    }
    recipe.check_statistics()?;
    if config.search.distance == Distance::Edit {
        let problem = message![
            "an index supports only the distance in differing bits; set ",
            Setting::with("distance", "hamming")
        ];
        return Err(Error::usage("distance", problem));
    }
    if let Some((setting, _)) = config.guards().next() {
        return Err(Error::usage(setting, "an index compares only texts; leave it out"));
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
    if options.date_field.is_some() && options.ttl.is_none() {
        return Err(Error::usage(
            "date-field",
            message!["a date has no effect without ", Setting::named("ttl"), "; give both"],
        ));
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
            name => {
                name.strip_prefix(STORE)
                    .is_some_and(|end| ["", "-wal", "-shm", "-journal"].contains(&end))
                    && is_small()
            }
        }
    };
    !names.is_empty() && names.iter().all(is_own) && Store::open(folder).is_err()
}

/// The settings with absolute paths of the files that they name.
fn with_absolute_paths(mut config: Config) -> Config {
    if let Features::Words(words) = &mut config.fingerprint.features {
        let absolute =
            |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        words.stats = words.stats.take().map(|path| absolute(&path));
        for list in words.stop_words.iter_mut().filter(|list| Path::new(list.as_str()).is_file()) {
            *list = absolute(Path::new(list.as_str())).display().to_string();
        }
    }
    config
}
