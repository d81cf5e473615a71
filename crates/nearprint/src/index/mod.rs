//! Documents that come and go, kept on disk -> for any text its duplicates among them: "seen
//! before?"
//!
//! ```text
//! a text -> all that is kept of it                                  prepare.rs
//! what is kept <-> records with their hashes                        record.rs
//! records in an SQLite file, one transaction for each change        store.rs
//! its pages <-> pages on disk with their hashes                     pages.rs
//! a page of its log -> whether it is the one that was written      frames.rs
//! how many documents -> which of them have a file of tables         spans.rs
//! records -> columns and tables in a file                            file.rs
//! the store at a generation -> documents as they are searched       view.rs
//! documents, and a query -> prepared documents for the judge         kept.rs
//! texts -> the duplicates of each                                   query.rs
//! documents near some texts -> reference documents of a run          near.rs
//! documents -> put in, each with an answer                          add.rs
//! all of it compared with itself; sizes, recall                     verify.rs, info.rs
//! who may write; what is kept, and for how long                     lock.rs, options.rs
//! ```
//!
//! The store is the truth: documents, their texts, what was removed. The search is ours: columns
//! and tables lie in files that are mapped and can be made again of the store. An answer is what
//! the judge says of two texts, with the neighbors of both, as in a deduplication.
//!
//! Several processes may read while one writes. Each question is answered of one generation.

mod add;
mod file;
mod frames;
mod info;
mod kept;
mod lock;
mod near;
mod options;
mod pages;
mod prepare;
mod query;
mod record;
mod spans;
mod store;
mod verify;
mod view;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Map, Value};

pub use add::{Added, Outcome};
pub use info::{Info, Recall};
pub use options::{IndexOptions, Ttl};
pub use verify::Verified;

use nearprint_core::fingerprint::Distance;
use nearprint_core::judge::{Reason, Rules};
use nearprint_core::recipe::Recipe;

use crate::config::{Config, Features};
use crate::document::{FieldValue, Id};
use crate::error::Error;
use crate::message;
use crate::message::{Setting, Verb};
use crate::sealed;
use crate::search::largest_distance;
use crate::shares::serialize_rounded;
use lock::Lock;
use store::{STORE, State, Store, Stored};
use view::{TABLES, View};

/// The file with the generation that was written last: an older one in the store has lost what came
/// behind it.
const GENERATION: &str = "generation";

/// Settings of how documents are read, and of a run.
const OF_READING: [&str; 14] = [
    "preset",
    "text-field",
    "id-field",
    "ids",
    "format",
    "delimiter",
    "max-document-bytes",
    "on-error",
    "threads",
    "memory",
    "tmp-dir",
    "against-text-field",
    "against-id-field",
    "min-leak-length",
];

/// Files of an index that was just made are smaller than this.
const MOST_UNFINISHED: u64 = 1 << 20;

/// The names of what the store says about the index.
const SETTINGS: &str = "settings";
const OPTIONS: &str = "options";
const IDENTITY: &str = "recipe";

/// A document that is a duplicate of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IndexMatch {
    /// Its id.
    pub id: Id,
    /// The similarity of the two, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    pub similarity: f64,
    /// Why they are duplicates.
    pub reason: Reason,
    /// The distance of their fingerprints in bits; `None` where one of them is short.
    pub distance: Option<u32>,
    /// Its stored fields.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// Its text as it was read, where that is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What is found for a text.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Answer {
    /// Its duplicates: the most similar first, of these the nearest, of these the one that was
    /// added first.
    pub matches: Vec<IndexMatch>,
    /// The number of its other duplicates.
    pub more: u64,
}

/// A document of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IndexDocument {
    /// Its id.
    pub id: Id,
    /// Its text: as read, where that is stored, else normalized.
    pub text: String,
    /// Its stored fields, and its date.
    pub fields: Map<String, Value>,
    /// Seconds since 1970 from which on it is no longer there.
    pub expires: Option<i64>,
}

/// A persistent index of documents, in a folder.
///
/// ```
/// use nearprint::document::{Document, Id};
/// use nearprint::index::{Index, IndexOptions};
/// use nearprint::{Config, Silent};
/// let folder = tempfile::tempdir()?;
/// let mut index = Index::create(&folder.path().join("seen"), &Config::default(), &IndexOptions::default())?;
/// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft";
/// let document = |id: &str, text: &str| Document { row: 1, id: Id::Text(id.into()), text: text.into(), fields: vec![] };
/// index.add(vec![document("a", text), document("b", "Half price")], false, &Silent)?;
/// let answer = index.query(&format!("{text}, they say."), 10, &Silent)?;
/// assert_eq!(answer.matches[0].id, Id::Text("a".into()));
/// assert_eq!((index.len()?, index.contains(&Id::Text("b".into()))?), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Index {
    folder: PathBuf,
    /// The settings that it was made with, and those by which documents are read.
    made_with: Config,
    config: Config,
    options: IndexOptions,
    recipe: Recipe,
    rules: Rules,
    store: Store,
    view: View,
}

impl Index {
    /// Makes an empty index in a folder that is empty or not there yet. The settings that decide
    /// about pairs stay with it.
    ///
    /// # Errors
    /// [`Error::Usage`] for settings that an index cannot have, and where the folder is not empty;
    /// [`Error::Io`].
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

    /// Whether a folder looks like that of an index.
    pub fn is_there(folder: &Path) -> bool {
        folder.join(STORE).is_file()
    }

    /// Opens the index of a folder. Where the folder cannot be written, it can be read.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where it is no index, damaged, or was made by another recipe than
    /// this program has for its settings; [`Error::Io`]; [`Error::Usage`] where a file that the
    /// settings name is gone.
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
        if identity != recipe.identity() {
            let problem = format!(
                "was made with the recipe {identity}, but this program has the recipe {} for its \
                 settings; use the version, dictionary and statistics that made it, or write its \
                 documents with index export and create a new index from them",
                recipe.identity()
            );
            return Err(Error::Incompatible {
                path: store.path().to_path_buf(),
                problem: problem.into(),
            });
        }
        Ok(Index::of(folder, config, options, recipe, store))
    }

    fn of(
        folder: &Path,
        config: Config,
        options: IndexOptions,
        recipe: Recipe,
        mut store: Store,
    ) -> Index {
        let rules = config.rules(largest_distance(&config));
        store.set_bits(config.fingerprint.bits);
        let view = View::new(folder, &config);
        let made_with = config.clone();
        Index {
            folder: folder.to_path_buf(),
            made_with,
            config,
            options,
            recipe,
            rules,
            store,
            view,
        }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What it keeps.
    pub fn options(&self) -> &IndexOptions {
        &self.options
    }

    /// Takes other settings of how documents are read from now on; they are not kept.
    ///
    /// # Errors
    /// [`Error::Usage`] where one that decides about pairs is another.
    pub fn read_by(&mut self, config: Config) -> Result<(), Error> {
        let other = config.rules(largest_distance(&config));
        let recipe = config.recipe()?;
        let search = |config: &Config| {
            (
                config.search.complete_distance,
                config.search.recall,
                config.decide.same.clone(),
                config.decide.differ.clone(),
            )
        };
        if other != self.rules
            || recipe.identity() != self.recipe.identity()
            || search(&config) != search(&self.made_with)
        {
            let [given, own] = [&config, &self.made_with]
                .map(|config| config.to_toml().parse::<toml::Table>().unwrap_or_default());
            let differing = given.iter().filter(|(name, value)| {
                !OF_READING.contains(&name.as_str()) && own.get(*name) != Some(value)
            });
            let differing = differing.map(|(name, value)| match own.get(name) {
                Some(own) => format!("{name} = {own}, not {value}"),
                None => format!("no {name}, not {value}"),
            });
            let differing = differing.collect::<Vec<_>>().join("; ");
            let differing =
                if differing.is_empty() { "other settings".to_string() } else { differing };
            let problem = format!(
                "{} was made with {differing}, and its settings are fixed; leave them out, or \
                 create a new index",
                self.folder.display()
            );
            return Err(Error::usage("index", problem));
        }
        self.config = config;
        Ok(())
    }

    /// The number of its documents.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    pub fn len(&self) -> Result<u64, Error> {
        self.store.count_at(now())
    }

    /// Whether there are none.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    pub fn is_empty(&self) -> Result<bool, Error> {
        self.len().map(|documents| documents == 0)
    }

    /// Whether it has a document of this id.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    pub fn contains(&self, id: &Id) -> Result<bool, Error> {
        self.store.has_at(id, now())
    }

    /// Reads in one state.
    fn read<T>(&mut self, work: impl FnOnce(&Index) -> Result<T, Error>) -> Result<T, Error> {
        self.store.check_unchanged()?;
        self.store.begin()?;
        let result = self.view.follow(&self.store).and_then(|()| work(self));
        self.store.end();
        self.store.check_unchanged()?;
        result
    }

    /// Writes in one transaction, as the only one who writes. Nothing is written where the work or
    /// anything else fails.
    fn write<T>(
        &mut self,
        anew: bool,
        work: impl FnOnce(&Index, &mut View) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if !self.store.is_writable() {
            return Err(Error::io("write", self.store.path())(
                std::io::ErrorKind::PermissionDenied.into(),
            ));
        }
        let _lock = Lock::take(&self.folder)?;
        self.store.begin_writing()?;
        let mut view = std::mem::replace(&mut self.view, View::new(&self.folder, &self.made_with));
        let written = self.write_to(&mut view, anew, work);
        match written {
            Ok(result) => {
                self.view = view;
                Ok(result)
            }
            Err(error) => {
                self.store.end();
                Err(in_place(error))
            }
        }
    }

    fn write_to<T>(
        &self,
        view: &mut View,
        anew: bool,
        work: impl FnOnce(&Index, &mut View) -> Result<T, Error>,
    ) -> Result<T, Error> {
        view.follow(&self.store)?;
        let before = (view.state(), view.removed());
        let result = work(self, view)?;
        let generation = before.0.generation + 1;
        let files = view.write_files(&self.store, generation, anew)?;
        if before == (view.state(), view.removed()) && files.is_none() {
            self.store.end();
            return Ok(result);
        }
        if anew {
            self.store.forget_removed()?;
            view.forget_removed();
        }
        let (state, last) = (State { generation, ..view.state() }, self.store.last_removed()?);
        self.store.commit(state)?;
        view.committed(state, last);
        // The documents are on disk. Where this fails, on a full disk, only the loss of the log
        // would not be noticed until the next change.
        let _ = sealed::save(&self.folder.join(GENERATION), &generation);
        if let Some(files) = files {
            self.remove_other_files(|name| files.iter().any(|file| file.name == name));
        }
        Ok(result)
    }

    /// Removes files of tables that nobody opens any more. Who has one open goes on reading it.
    fn remove_other_files(&self, is_wanted: impl Fn(&str) -> bool) {
        let Ok(entries) = fs::read_dir(self.folder.join(TABLES)) else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(|name| !is_wanted(name)) {
                // One that cannot be removed only takes space.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Removes the documents of these ids, and those that have expired; says of each id whether it
    /// was there.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::IndexTaken`] where another process is writing;
    /// [`Error::Incompatible`].
    pub fn remove(&mut self, ids: &[Id]) -> Result<Vec<bool>, Error> {
        self.write(false, |index, view| {
            index.remove_expired(view)?;
            let remove = |id: &Id| {
                let number = index.store.number(id)?;
                index.take_out(view, number)?;
                Ok(number.is_some())
            };
            ids.iter().map(remove).collect()
        })
    }

    /// Removes the documents that have expired, and gives their number.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    pub fn expire(&mut self) -> Result<u64, Error> {
        self.write(false, |index, view| index.remove_expired(view))
    }

    fn remove_expired(&self, view: &mut View) -> Result<u64, Error> {
        let expired = self.store.expired(now())?;
        expired.iter().try_for_each(|number| self.take_out(view, Some(*number)))?;
        Ok(expired.len() as u64)
    }

    /// Removes what has expired, makes all files of tables anew without what was removed, and gives
    /// its space back to the disk. Others go on reading meanwhile.
    ///
    /// # Errors
    /// As [`remove`](Self::remove). What could not be given back is given back the next time.
    pub fn compact(&mut self) -> Result<(), Error> {
        self.write(true, |index, view| index.remove_expired(view))?;
        let _lock = Lock::take(&self.folder)?;
        self.store.shrink().map_err(in_place)
    }

    /// Calls `each` with every document, in the order in which they were added.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`]; those of `each`.
    pub fn export(
        &mut self,
        each: impl FnMut(IndexDocument) -> Result<(), Error>,
    ) -> Result<(), Error> {
        export_of(&self.store, each)
    }
}

/// The error of a full disk without the advice to choose another place: an index stays where it is.
fn in_place(error: Error) -> Error {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    match error {
        Error::Io { doing, path, source }
            if matches!(source.kind(), StorageFull | QuotaExceeded) =>
        {
            let source =
                std::io::Error::other("no space left on the disk; free some space, and try again");
            Error::Io { doing, path, source }
        }
        other => other,
    }
}

/// Refuses settings that an index cannot have.
fn check(config: &Config, options: &IndexOptions, recipe: &Recipe) -> Result<(), Error> {
    prepare::check(recipe)?;
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

/// Calls `each` with every document of the index in a folder, in the order in which they were
/// added, also where this program has another recipe than the one that made it.
///
/// # Errors
/// [`Error::Io`]; [`Error::Incompatible`] where it is no index of this format, or damaged; those of
/// `each`.
pub fn export(
    folder: &Path,
    each: impl FnMut(IndexDocument) -> Result<(), Error>,
) -> Result<(), Error> {
    export_of(&open_store(folder)?, each)
}

fn export_of(
    store: &Store,
    mut each: impl FnMut(IndexDocument) -> Result<(), Error>,
) -> Result<(), Error> {
    store.begin()?;
    let now = now();
    let result = store.documents(|document| {
        let Stored { number, id, fields, expires } = document;
        if expires.is_some_and(|expires| expires <= now) {
            return Ok(());
        }
        let text = store.text(number)?.ok_or_else(|| store.damaged("the text", number))?.text;
        each(IndexDocument { id, text, fields: in_json(fields), expires })
    });
    store.end();
    result
}

/// Opens the store of an index, after a look whether it has lost changes.
fn open_store(folder: &Path) -> Result<Store, Error> {
    let path = folder.join(GENERATION);
    // Before the store: it may be ahead, and never behind.
    let written: Option<u64> = sealed::load(&path)?;
    let store = Store::open(folder)?;
    // A loss of power may leave it empty.
    if written.is_none() && fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0) {
        let problem = "is damaged; delete it, and check the index with nearprint index verify; the \
            next change writes the file again";
        return Err(Error::Incompatible { path, problem: problem.into() });
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

/// Whether a folder holds nothing but what a process leaves that was killed while it made an index.
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

/// The same settings with files that are found from every folder.
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

/// Fields as JSON has them.
fn in_json(fields: impl IntoIterator<Item = (String, FieldValue)>) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name, plain(value))).collect()
}

/// A value as JSON has it: integers beyond 64 bits and infinity are strings there.
fn plain(value: FieldValue) -> Value {
    match value {
        FieldValue::Integer(number) => match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => number.into(),
            (_, Ok(number)) => number.into(),
            _ => number.to_string().into(),
        },
        FieldValue::Number(number) => serde_json::Number::from_f64(number)
            .map_or_else(|| number.to_string().into(), Value::Number),
        FieldValue::Text(text) => text.into(),
        FieldValue::Boolean(value) => value.into(),
        FieldValue::Tokens(tokens) => tokens.into(),
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64)
}
