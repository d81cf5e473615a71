//! Documents of a finished run, by their places or ids -> the same documents with their texts, read
//! from the inputs again.
//!
//! Each file that holds some of them is read once, up to the last of them. The ids and lengths in
//! the reports show whether a file has changed since the run. Of an index those documents are read
//! that the reports name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Finished, Rejected, index};
use crate::config::OnError;
use crate::document::{Document, FieldValue, Id};
use crate::error::Error;
use crate::message;
use crate::message::{Message, Verb};
use crate::read::{self, Source};
use crate::watch::{Silent, Watch, stop_if_asked};

/// The place of a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Place {
    /// The file, as the user named or found it.
    pub file: String,
    /// The row, from 1.
    pub row: u64,
}

impl Place {
    /// Returns true if `FILE:ROW` names this place. The file may be named without the folders
    /// around it.
    ///
    /// ```
    /// use nearprint::finished::Place;
    /// let place = Place { file: "news/may/a.jsonl".into(), row: 3 };
    /// assert!(place.is_named("a.jsonl:3") && place.is_named("may/a.jsonl:3"));
    /// assert!(place.is_named("news/may/a.jsonl:3"));
    /// assert!(!place.is_named("a.jsonl:4") && !place.is_named("l:3"));
    /// ```
    pub fn is_named(&self, name: &str) -> bool {
        let Some((file, row)) = name.rsplit_once(':') else { return false };
        row.parse() == Ok(self.row) && self.is_in(file)
    }

    /// Returns true if a user may mean the file by this name, or the run named it so: a name in the
    /// output may begin with folders that the user did not write.
    pub(crate) fn is_in(&self, file: &str) -> bool {
        let is_whole = |rest: &str| rest.is_empty() || rest.ends_with(['/', '\\']);
        let is_end_of = |path: &str| path.strip_suffix(file).is_some_and(is_whole);
        is_end_of(&self.file) || is_end_of(&read::whole_path(Path::new(&self.file)))
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, row {}", self.file, self.row)
    }
}

/// A document that is to be read again.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The place of the document.
    pub place: Place,
    /// The id, if it is known.
    pub id: Option<Id>,
    /// The number of characters of the text as read, if it is known.
    pub length: Option<u32>,
}

/// A document that was read again.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundDocument {
    /// The place of the document.
    pub place: Place,
    /// True if it is a reference document: the others were only compared with it.
    pub of_against: bool,
    /// The id.
    pub id: Id,
    /// The text as read.
    pub text: String,
    /// The values of the fields of `keep`, `same` and `differ`, and of further ones, by name.
    pub fields: BTreeMap<String, FieldValue>,
}

impl Finished {
    /// Some documents with their texts, in the order of `wanted`. Each file that holds one of them
    /// is read once.
    ///
    /// # Errors
    /// [`Error::Incompatible`] for a file that is gone or has changed, [`Error::Rejected`] for a
    /// file that cannot be read, [`Error::Interrupted`].
    pub fn texts(&self, wanted: &[Wanted], watch: &dyn Watch) -> Result<Vec<FoundDocument>, Error> {
        let mut by_file: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for Wanted { place, .. } in wanted {
            by_file.entry(&place.file).or_default().insert(place.row);
        }
        let mut found: BTreeMap<Place, FoundDocument> = BTreeMap::new();
        for (file, mut rows) in by_file {
            let of_against = self.side_of(file)?;
            self.each_document(file, of_against, watch, |document| {
                if rows.remove(&document.place.row) {
                    found.insert(document.place.clone(), document);
                }
                !rows.is_empty()
            })?;
        }
        let one = |wanted: &Wanted| match found.get(&wanted.place) {
            Some(found) if wanted.is(found) => Ok(found.clone()),
            _ => {
                let path = PathBuf::from(&wanted.place.file);
                let problem = match &wanted.id {
                    Some(id) if path.is_dir() => message![
                        format!(
                            "has changed since the run: its document {id} is gone or has another \
                             text; run "
                        ),
                        Verb::Dedup,
                        " again"
                    ],
                    _ => message![
                        format!("row {} is not the document that ", wanted.place.row),
                        Verb::Dedup,
                        " read; restore the file, or run it again"
                    ],
                };
                Err(Error::Incompatible { path, problem })
            }
        };
        wanted.iter().map(one).collect()
    }

    /// Calls `each` with every reference document, then with every document of the inputs, in
    /// order, until `each` returns `false`. Rows that cannot be used are left out. So are rows that
    /// the run rejected for another reason, such as an id that was used before. Of an index only
    /// documents that the reports name are there.
    ///
    /// # Errors
    /// The errors of [`texts`](Self::texts).
    pub fn each(
        &self,
        watch: &dyn Watch,
        mut each: impl FnMut(FoundDocument) -> bool,
    ) -> Result<(), Error> {
        if self.each_of(true, watch, &mut each)? {
            self.each_of(false, watch, &mut each)?;
        }
        Ok(())
    }

    /// Calls `each` as [`each`](Self::each) with the reference documents, or with those of the
    /// inputs. Returns `false` if `each` did.
    pub(super) fn each_of(
        &self,
        of_against: bool,
        watch: &dyn Watch,
        mut each: impl FnMut(FoundDocument) -> bool,
    ) -> Result<bool, Error> {
        let mut rejected: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for row in self.rejected()? {
            let Rejected { file, row, .. } = row?;
            rejected.entry(file).or_default().extend(row);
        }
        let mut goes_on = true;
        for file in if of_against { &self.against } else { &self.inputs } {
            if goes_on {
                let rejected = rejected.get(file);
                self.each_document(file, of_against, watch, |found| {
                    goes_on =
                        rejected.is_some_and(|rows| rows.contains(&found.place.row)) || each(found);
                    goes_on
                })?;
            }
        }
        Ok(goes_on)
    }

    /// The files that still exist: those of the reference documents, or their index, and the inputs.
    ///
    /// # Errors
    /// [`Error::Io`] for a file that cannot be accessed.
    pub fn sources(&self) -> Result<[Vec<Source>; 2], Error> {
        let found = |files: &[String], options: &read::Options| -> Result<Vec<Source>, Error> {
            let is_there = |file: &&String| Path::new(file).is_file();
            files.iter().filter(is_there).map(|file| source(file, options)).collect()
        };
        let of_against = read::Options { names_first: true, ..self.config.of_against().reading() };
        let against = match index::of(self)? {
            Some(index) => vec![index],
            None => found(&self.against, &of_against)?,
        };
        Ok([against, found(&self.inputs, &self.config.reading())?])
    }

    /// The files that no longer exist, standard input among them: those of the reference documents,
    /// or their index, and the inputs.
    pub fn missing(&self) -> Vec<&str> {
        let files = self.against.iter().chain(&self.inputs).map(String::as_str);
        files.filter(|file| !Path::new(file).is_file() && !index::is_there(file)).collect()
    }

    /// The files that exist, but have changed since the run: their bytes have another hash. Every
    /// file is read to its end.
    ///
    /// # Errors
    /// [`Error::Io`] for a file that cannot be read, [`Error::Interrupted`].
    pub fn changed(&self, watch: &dyn Watch) -> Result<Vec<String>, Error> {
        self.changed_among(|_| true, watch)
    }

    /// The changed files among some.
    ///
    /// # Errors
    /// The errors of [`changed`](Self::changed).
    pub fn changed_among(
        &self,
        is_asked: impl Fn(&str) -> bool,
        watch: &dyn Watch,
    ) -> Result<Vec<String>, Error> {
        let files = self.against.iter().chain(&self.inputs).zip(&self.hashes);
        let mut changed = Vec::new();
        for (file, hash) in files.filter(|(file, _)| is_asked(file)) {
            stop_if_asked(watch)?;
            let (Some(hash), path) = (hash, Path::new(file)) else { continue };
            if path.is_file() {
                let now = read::content::hash_of(path).map_err(Error::io("read", path))?;
                changed.extend((format!("{now:032x}") != *hash).then(|| file.clone()));
            }
        }
        Ok(changed)
    }

    /// Returns true if the run has left out a file that it could not read.
    fn has_left_out(&self, file: &str) -> Result<bool, Error> {
        let mut hashes = self.against.iter().chain(&self.inputs).zip(&self.hashes);
        if hashes.any(|(own, hash)| own == file && hash.is_some()) {
            return Ok(false);
        }
        for row in self.rejected()? {
            let row = row?;
            if row.row.is_none() && row.file == file {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if a file holds reference documents.
    fn side_of(&self, file: &str) -> Result<bool, Error> {
        match self.inputs.iter().any(|input| input == file) {
            true => Ok(false),
            false if self.against.iter().any(|input| input == file) => Ok(true),
            false => {
                let problem = message!["is not among the files that ", Verb::Dedup, " read"];
                Err(Error::Incompatible { path: PathBuf::from(file), problem })
            }
        }
    }

    /// Calls `each` with every document of a file until `each` returns `false`.
    fn each_document(
        &self,
        file: &str,
        of_against: bool,
        watch: &dyn Watch,
        each: impl FnMut(FoundDocument) -> bool,
    ) -> Result<(), Error> {
        let config = if of_against { self.config.of_against() } else { self.config.clone() };
        let options = read::Options { names_first: of_against, ..config.reading() };
        if of_against && let Some(index) = index::of(self)? {
            let options = self.with_further(&index, options);
            return each_document(&index, of_against, &options, watch, each);
        }
        let source = match source(file, &options) {
            // The run has left out the file.
            Err(_) if self.has_left_out(file)? => return Ok(()),
            source => source?,
        };
        // Ids of the form FILE:ROW have the names of the files in the run.
        let name = self
            .inputs
            .iter()
            .zip(&self.names)
            .find(|(input, _)| *input == file)
            .map(|(_, name)| name.clone());
        let name = if of_against { Some(file.to_string()) } else { name };
        let source = Source { name: name.unwrap_or(source.name), ..source };
        let options = self.with_further(&source, options);
        match each_document(&source, of_against, &options, watch, each) {
            // The run has left out the file, or its rows after the damage.
            Err(Error::Rejected(_)) if self.config.read.on_error == OnError::Skip => Ok(()),
            result => result,
        }
    }
}

impl Finished {
    /// The options with the further fields, unless the source cannot be read with them, as when two
    /// of its columns have the name of one of them. The field of tokens stays the last one.
    fn with_further(&self, source: &Source, options: read::Options) -> read::Options {
        if self.fields.is_empty() {
            return options;
        }
        let further = self.fields.iter().filter(|field| !options.kept_fields.contains(field));
        let kept_fields = further.chain(&options.kept_fields).cloned().collect();
        let with = read::Options { kept_fields, ..options.clone() };
        if read::read(source, &with).is_ok() { with } else { options }
    }
}

/// Calls `each` with every document of a source until `each` returns `false`. Rows that cannot be
/// used are left out.
pub(crate) fn each_document(
    source: &Source,
    of_against: bool,
    options: &read::Options,
    watch: &dyn Watch,
    mut each: impl FnMut(FoundDocument) -> bool,
) -> Result<(), Error> {
    for (number, document) in read::read(source, options)?.enumerate() {
        if number % 1024 == 0 {
            stop_if_asked(watch)?;
        }
        let Document { row, id, text, fields } = match document {
            Ok(document) => document,
            Err(rejection) if rejection.row.is_some() => continue,
            Err(rejection) => return Err(Error::Rejected(rejection)),
        };
        let place = Place { file: source.label.clone(), row };
        let fields = options.kept_fields.iter().cloned().zip(fields);
        let fields = fields.filter_map(|(name, value)| Some((name, value?))).collect();
        if !each(FoundDocument { place, of_against, id, text, fields }) {
            break;
        }
    }
    Ok(())
}

/// The input file of this name.
fn source(file: &str, options: &read::Options) -> Result<Source, Error> {
    let refused = |problem: Message| Error::Incompatible { path: PathBuf::from(file), problem };
    if file == read::STANDARD_INPUT {
        let problem = message![
            "was standard input, which cannot be read again; save it to a file, and run ",
            Verb::Dedup,
            " on that"
        ];
        return Err(refused(problem));
    }
    if Path::new(file).is_dir() {
        let problem = message![
            "is a folder, and no longer an index; restore the index, or run ",
            Verb::Dedup,
            " again"
        ];
        return Err(refused(problem));
    }
    if !Path::new(file).is_file() {
        let problem = message![
            "does not exist; run this in the folder in which ",
            Verb::Dedup,
            " ran, or restore the inputs"
        ];
        return Err(refused(problem));
    }
    // The run warned of what it guessed about the file.
    let mut sources = read::find(&[file.to_string()], options, Path::new(""), &Silent)?;
    Ok(sources.remove(0))
}

impl Wanted {
    /// Returns true if `found` has the id and the length that are known.
    fn is(&self, found: &FoundDocument) -> bool {
        // The id of a row without one is the name of its file, which may have begun with folders.
        let is_id =
            |id: &Id| *id == found.id || matches!(id, Id::Text(name) if found.place.is_named(name));
        let is_length = |length: u32| found.text.chars().count() == length as usize;
        self.id.as_ref().is_none_or(is_id) && self.length.is_none_or(is_length)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::{Config, Ids, MaxRejected};
    use crate::run::{Deduplicator, Output};

    /// A run over files in a folder, one of which holds the reference documents.
    fn run(folder: &Path, config: Config) -> Finished {
        let file = |name: &str| folder.join(name).display().to_string();
        fs::create_dir_all(folder.join("in/may")).unwrap();
        fs::write(file("test.jsonl"), "{\"id\":1,\"text\":\"春眠不觉晓，处处闻啼鸟\"}\n").unwrap();
        fs::write(
            file("in/may/a.jsonl"),
            "{\"text\":\"春眠不覺曉,處處聞啼鳥\"}\nno\n{\"id\":1,\"text\":\"床前明月光\"}\n",
        )
        .unwrap();
        let output = Output::new(folder.join("clean"));
        let deduplicator = Deduplicator::new(config).unwrap();
        deduplicator.dedup_against(&[file("test.jsonl")], &[file("in")], &output, &Silent).unwrap();
        Finished::open(&output.folder).unwrap()
    }

    #[test]
    fn texts_are_read_again_and_changes_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let skip = Config::default().on_error(OnError::Skip).max_rejected(MaxRejected::Rows(1));
        for ids in [Ids::Field, Ids::FileRow] {
            let _ = fs::remove_dir_all(folder.path().join("clean"));
            let finished = run(folder.path(), skip.clone().ids(ids));
            let removed = finished.removed().unwrap().map(Result::unwrap).next().unwrap();
            assert_eq!(finished.leaks().unwrap().count(), 1);
            let wanted = [removed.wanted(), removed.wanted_keeper(), removed.wanted()];
            let texts = finished.texts(&wanted, &Silent).unwrap();
            let shown: Vec<_> = texts
                .iter()
                .map(|found| (found.of_against, found.text.as_str(), found.place.row))
                .collect();
            let poem = (false, "春眠不覺曉,處處聞啼鳥", 1);
            assert_eq!(shown, [poem, (true, "春眠不觉晓，处处闻啼鸟", 1), poem]);
            let mut all = Vec::new();
            finished
                .each(&Silent, |found| {
                    all.push(found.text);
                    true
                })
                .unwrap();
            assert_eq!(all, ["春眠不觉晓，处处闻啼鸟", "春眠不覺曉,處處聞啼鳥", "床前明月光"]);

            let input = folder.path().join("in/may/a.jsonl");
            fs::write(&input, "{\"text\":\"春眠\"}\n").unwrap();
            let error = finished.texts(&[removed.wanted()], &Silent).unwrap_err().to_string();
            assert!(error.contains("a.jsonl: row 1 is not the document that "), "{error}");
            fs::remove_file(&input).unwrap();
            let error = finished.texts(&[removed.wanted()], &Silent).unwrap_err().to_string();
            assert!(error.contains("does not exist; run this in the folder in which "), "{error}");
        }
    }
}
