//! Documents that are added and removed over time, on disk -> for any text its duplicates among
//! them: "seen before?"
//!
//! ```text
//! settings -> the folder of a new index                             create.rs
//! a folder -> an open index; other settings for reading             open.rs
//! one state for all reads, one transaction for all changes          transaction.rs
//! a record <-> bytes with their hash                                record.rs
//! records in an SQLite file                                         store.rs
//! pages of SQLite <-> pages on disk with their hashes               pages.rs
//! a page of the log -> whether it is the page that was written      frames.rs
//! a number of documents -> the spans that have a file of tables     spans.rs
//! records -> columns and tables in a file                           file.rs
//! the store at a generation -> the documents that are searched      view.rs
//! documents, and a query -> prepared documents for the judge        kept.rs
//! texts -> the duplicates of each                                   query.rs
//!   the documents that a question is about                          filter.rs
//!   a person's marks -> duplicates that they remove or add          marked.rs
//! fingerprints -> the documents near each, not compared            fingerprints.rs
//! two texts -> whether one of them is in a family                   family.rs
//! documents near some texts -> reference documents of a run          near.rs
//! documents that a finished run names -> the same, read again       again.rs
//! duplicates and documents as plain data                            answer.rs
//! documents -> added, each with an outcome                          add.rs
//!   documents <-> copies, which are kept and not searched           copies.rs
//! documents removed, by id or at their expiry                       remove.rs
//! documents that are duplicates of one another, and their changes   stories.rs
//! pairs for a person to judge; verdicts -> marks                    review.rs
//! pairs and verdicts as plain data                                  pair.rs
//! every document, or that of an id -> its text and fields           export.rs, show.rs
//! an index -> its problems; its sizes and its recall                verify.rs, info.rs
//! the right to write                                                lock.rs
//! the kept fields and texts, and the time to live                   options.rs
//! ```
//!
//! The store is the source of truth: documents, their texts, and the list of removed ones. The
//! columns and tables of the search lie in mapped files, which can be made again from the store.
//! The judge decides about two texts, given the neighbors of both, as in a deduplication.
//!
//! Several processes may read while one process writes. Each query is answered from one generation.

mod add;
mod again;
mod answer;
mod copies;
mod create;
mod export;
mod family;
mod file;
mod filter;
mod fingerprints;
mod frames;
mod info;
mod kept;
mod lock;
mod marked;
mod merge;
mod near;
mod open;
mod options;
mod pages;
mod pair;
mod query;
mod record;
mod remove;
mod review;
mod show;
mod spans;
mod store;
mod stories;
mod transaction;
mod verify;
mod view;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

pub use add::{Added, Adding, Mode, Outcome};
pub(crate) use again::again;
pub use answer::{Answer, IndexDocument, IndexMatch, ListedDocument};
pub use export::export;
pub use filter::{Asked, Filter, Wanted};
pub use fingerprints::{NearDocument, NearFingerprint};
pub use info::{Info, Recall};
pub use merge::Merged;
pub use options::{IndexOptions, Ttl};
pub use pair::{Judged, Pair, PairDocument, PairDocuments, PairOrder, PairStatus};
pub use query::Question;
pub use show::Found;
pub use stories::{Change, Cursor, Seen, Story, StoryCopy, StoryDocuments};
pub use verify::Verified;

use nearprint_core::judge::Rules;
use nearprint_core::recipe::Recipe;

use crate::config::Config;
use crate::document::Id;
use crate::error::Error;
use crate::sealed::Format;
use crate::search::largest_distance;
use marked::Marked;
use store::Store;
use view::{TABLES, View};

/// The file with the number of the last generation that was written. A store with a smaller number
/// has lost later changes.
const GENERATION: &str = "generation";

/// The format of that file, a `u64`. It changes with the type.
const GENERATION_FORMAT: Format = *b"GEN1";

/// The names of values in the table `about` of the store.
const SETTINGS: &str = "settings";
const OPTIONS: &str = "options";
const IDENTITY: &str = "recipe";

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
    /// The settings that the index was created with.
    made_with: Config,
    /// The settings for reading documents.
    config: Config,
    options: IndexOptions,
    recipe: Recipe,
    rules: Rules,
    store: Store,
    view: View,
    /// The marks of a person that answers obey.
    marked: Marked,
}

impl Index {
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
            marked: Marked::default(),
        }
    }

    /// The folder of the index.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The settings of the index.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The fields of the text that the index was created with.
    pub(crate) fn text_fields(&self) -> &[String] {
        &self.made_with.read.text_fields
    }

    /// The options of the index.
    pub fn options(&self) -> &IndexOptions {
        &self.options
    }

    /// The number of documents that have not expired.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    pub fn len(&self) -> Result<u64, Error> {
        self.store.count_at(now())
    }

    /// Returns true if the index has no documents.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    pub fn is_empty(&self) -> Result<bool, Error> {
        self.len().map(|documents| documents == 0)
    }

    /// Returns true if the index has a document of this id.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    pub fn contains(&self, id: &Id) -> Result<bool, Error> {
        self.store.has_at(id, now())
    }
}

/// The current time, in seconds since 1970.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64)
}
