//! A folder -> an open index. An open index may take other settings for reading documents.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::store::{STORE, Store};
use super::{Filter, GENERATION, GENERATION_FORMAT, IDENTITY, Index, OPTIONS, SETTINGS};
use crate::config::Config;
use crate::error::Error;
use crate::message;
use crate::message::{Setting, Verb};
use crate::sealed;
use crate::search::largest_distance;

/// The settings of a run, and of reading documents. They may change after an index was created.
const OF_READING: [&str; 22] = [
    "preset",
    "text-field",
    "id-field",
    "ids",
    "format",
    "delimiter",
    "quote",
    "escape",
    "encoding",
    "exclude",
    "max-document-bytes",
    "on-error",
    "max-rejected",
    "threads",
    "memory",
    "tmp-dir",
    "against-text-field",
    "against-id-field",
    "min-leak-length",
    "marks",
    "same",
    "differ",
];

impl Index {
    /// Returns true if a folder contains an index.
    pub fn is_there(folder: &Path) -> bool {
        folder.join(STORE).is_file()
    }

    /// Opens the index of a folder. If the folder cannot be written, the index is read-only.
    ///
    /// # Errors
    /// [`Error::Incompatible`] if the folder has no index, if the index is damaged, or if this
    /// program has another recipe for its settings than the program that created it; [`Error::Io`];
    /// [`Error::Usage`] if a file that the settings name is missing.
    pub fn open(folder: &Path) -> Result<Index, Error> {
        let store = open_store(folder)?;
        let damaged = |what: &str| {
            let problem = format!(
                "is damaged: its {what} cannot be read; restore it from a backup, or create the \
                 index again"
            );
            Error::Incompatible { path: store.path().to_path_buf(), problem: problem.into() }
        };
        let config = match Config::from_toml(&store.about(SETTINGS)?) {
            Err(Error::Config { .. }) => return Err(damaged(SETTINGS)),
            config => config?,
        };
        let options = toml::from_str(&store.about(OPTIONS)?).map_err(|_| damaged(OPTIONS))?;
        let recipe = config.recipe()?;
        let identity = store.about(IDENTITY)?;
        if let Some(list) = &config.fingerprint.ignore_passages
            && without_list(&identity) == without_list(recipe.identity())
            && identity != recipe.identity()
        {
            let made_with = format!(
                "approves other passages than when the index {} was created with it; restore it, \
                 or write the documents of the index with ",
                folder.display()
            );
            let problem =
                message![made_with, Verb::IndexExport, " and create a new index from them"];
            return Err(Error::Incompatible { path: list.clone(), problem });
        }
        if identity != recipe.identity() {
            let problem = format!(
                "was made with the recipe {identity}, but this program has the recipe {} for its \
                 settings; use the version, dictionary and statistics that made it, or write its \
                 documents with ",
                recipe.identity()
            );
            let problem = message![problem, Verb::IndexExport, " and create a new index from them"];
            return Err(Error::Incompatible { path: store.path().to_path_buf(), problem });
        }
        Ok(Index::of(folder, config, options, recipe, store))
    }

    /// Takes other settings for reading documents. They are not saved.
    ///
    /// # Errors
    /// [`Error::Usage`] if a setting that decides about pairs differs.
    pub fn read_by(&mut self, config: Config) -> Result<(), Error> {
        let rules = config.rules(largest_distance(&config));
        let recipe = config.recipe()?;
        let search = |config: &Config| {
            let tokens_field = config.tokens_field().map(str::to_string);
            (config.search.complete_distance, config.search.recall, tokens_field)
        };
        if rules != self.rules
            || recipe.identity() != self.recipe.identity()
            || search(&config) != search(&self.made_with)
        {
            let [other, own] = [&config, &self.made_with]
                .map(|config| config.to_toml().parse::<toml::Table>().unwrap_or_default());
            let names: BTreeSet<&String> = other.keys().chain(own.keys()).collect();
            let differing = names.into_iter().filter(|name| {
                !OF_READING.contains(&name.as_str()) && own.get(*name) != other.get(*name)
            });
            let mut problem = message![self.folder.display(), " was made with other settings"];
            for name in differing {
                let [own, other] = [&own, &other]
                    .map(|of| of.get(name).map_or("nothing".to_string(), ToString::to_string));
                let setting = Setting::named(name.clone());
                problem.push(message!["; ", own, " for ", setting, ", not ", other]);
            }
            problem.push("; take the settings of the index, or create a new index");
            return Err(Error::usage("index", problem));
        }
        let filter = Filter {
            same: config.decide.same.clone(),
            differ: config.decide.differ.clone(),
            ..Filter::default()
        };
        self.check_filter(&filter)?;
        self.config = config;
        Ok(())
    }
}

/// The parts of an identity, but for the list of passages that are left out.
fn without_list(identity: &str) -> Vec<&str> {
    identity.split("; ").filter(|part| !part.starts_with("left-out=")).collect()
}

/// Opens the store of an index, and checks that it has not lost changes.
pub(super) fn open_store(folder: &Path) -> Result<Store, Error> {
    let path = folder.join(GENERATION);
    // This file is read before the store, so that the store is never behind it.
    let written: Option<u64> = sealed::load(&path, GENERATION_FORMAT)?;
    let store = Store::open(folder)?;
    // A power failure may leave the file empty.
    if written.is_none() && fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0) {
        let problem = message![
            "has another format or is damaged; delete it, and check the index with ",
            Verb::IndexVerify,
            "; the next change writes the file again"
        ];
        return Err(Error::Incompatible { path, problem });
    }
    let state = store.state()?;
    if written.is_some_and(|written| written > state.generation) {
        let problem = format!(
            "has lost changes: it is at generation {}, but generation {} was written; its log \
             (-wal) is damaged or missing, so restore all files of the index from a backup, or \
             delete the file {GENERATION} and add the documents again",
            state.generation,
            written.unwrap_or(0)
        );
        return Err(Error::Incompatible {
            path: store.path().to_path_buf(),
            problem: problem.into(),
        });
    }
    Ok(store)
}
