//! Files that settings name -> stop words, corpus statistics.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Seek};
use std::path::Path;

use crate::error::Error;
use crate::message;
use crate::message::Verb;
use crate::normalize::Normalizer;
use crate::spill::hash_of;
use crate::statistics::{Saved, Statistics};

/// Stop words by list name or from files, each as it looks after normalization.
pub(super) fn stop_words(lists: &[String], normalizer: &Normalizer) -> Result<BTreeSet<String>, Error> {
    let mut words = BTreeSet::new();
    for list in lists {
        let known = if list.len() == 2 { stop_words::lookup(list) } else { None };
        if let Some(known) = known {
            words.extend(known.iter().map(|word| normalizer.normalize(word)));
            continue;
        }
        let text = std::fs::read_to_string(list).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::usage(
                "stop-words",
                format!("\"{list}\" is neither a language with a list (zh, en, de, …) nor a file with one word a line"),
            ),
            _ => Error::setting("stop-words", list)(error),
        })?;
        words.extend(text.lines().map(|word| normalizer.normalize(word.trim())).filter(|word| !word.is_empty()));
    }
    Ok(words)
}

/// Opens a file of corpus statistics.
///
/// # Errors
/// [`Error::Io`] where it cannot be read, and as [`bad_statistics`] says.
pub fn open_statistics(path: &Path) -> Result<Saved<BufReader<File>>, Error> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    Saved::open(BufReader::new(file)).map_err(bad_statistics(path))
}

/// The error of a file of corpus statistics, for `map_err`: [`Error::Incompatible`] where it is damaged or holds no
/// statistics, else [`Error::Io`].
pub fn bad_statistics(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => damaged(&path, &error),
        _ => Error::io("read or write", path)(error),
    }
}

/// Statistics made by a recipe of this identity, and the hash of their file.
pub(super) fn statistics(path: &Path, features_identity: &str) -> Result<(Statistics, u128), Error> {
    let mut file = File::open(path).map_err(Error::setting("stats", path))?;
    let hash = hash_of(&file).and_then(|hash| file.rewind().map(|()| hash)).map_err(Error::setting("stats", path))?;
    let saved = Saved::open(BufReader::new(file)).map_err(|error| damaged(path, &error))?;
    if saved.description != features_identity {
        return Err(Error::Incompatible {
            path: path.to_path_buf(),
            problem: format!(
                "made under other settings ({}) than this run's ({features_identity}); use the same settings or make the statistics anew",
                saved.description
            )
            .into(),
        });
    }
    Ok((saved.into_statistics().map_err(|error| damaged(path, &error))?, hash))
}

fn damaged(path: &Path, error: &io::Error) -> Error {
    let problem = message![error.to_string(), "; make it anew with ", Verb::Stats];
    Error::Incompatible { path: path.to_path_buf(), problem }
}
