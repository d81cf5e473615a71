//! Ids, `FILE:ROW`s and rejected files that a user names -> the documents that have them, or the
//! documents with the nearest names.

use std::path::PathBuf;

use super::{Finished, FoundDocument, Place, Rejected, Wanted};
use crate::config::Ids;
use crate::document::Id;
use crate::error::{Error, distance};
use crate::message;
use crate::message::{Message, Setting};
use crate::watch::Watch;

/// The number of names that are suggested in place of an unknown one.
const SUGGESTED: usize = 3;

/// The length of the longest name that is suggested.
const LONGEST: usize = 200;

/// The documents, or the rejected row, that a name stands for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Named {
    /// The documents.
    pub found: Vec<FoundDocument>,
    /// The row of a `FILE:ROW` that is no document, `None` for a `FILE`, and why the run has left
    /// it out.
    pub rejected: Option<(Option<u64>, Rejected)>,
}

/// Looks for documents by their names.
#[derive(Debug)]
pub(crate) struct Names<'n> {
    names: &'n [String],
    /// True if an integer and a string may have the same name.
    may_be_mixed: bool,
    /// For each name the documents that have it.
    named: Vec<Named>,
    /// For each name of the form `FILE:ROW` the reason why the run has left out the file, or its
    /// rows after the damage.
    files: Vec<Option<Rejected>>,
    /// The number of files and rows that the run has left out.
    rejected: u64,
    /// For each name some similar names, with their distance, the nearest first.
    near: Vec<Vec<(usize, String)>>,
    /// For each name the places that it may mean, none if it is no `FILE:ROW`.
    places: Vec<Vec<Place>>,
    /// For each name of the form `FILE:ROW` the last document of that file.
    last: Vec<Option<Place>>,
    /// True if the ids are files and rows in place of the documents' own ids.
    are_numbered: bool,
}

impl<'n> Names<'n> {
    /// Starts a search for these names among the documents of these files. `may_be_mixed` is true
    /// if some ids may be integers and others strings.
    pub fn new<'f>(
        names: &'n [String],
        may_be_mixed: bool,
        files: impl Iterator<Item = &'f str> + Clone,
    ) -> Names<'n> {
        Names {
            names,
            may_be_mixed,
            named: vec![Named::default(); names.len()],
            files: vec![None; names.len()],
            rejected: 0,
            near: vec![Vec::new(); names.len()],
            places: names.iter().map(|name| places(name, files.clone())).collect(),
            last: vec![None; names.len()],
            are_numbered: false,
        }
    }

    /// Compares a document with the names.
    pub fn look_at(&mut self, found: FoundDocument) {
        let id = found.id.to_string();
        for (number, name) in self.names.iter().enumerate() {
            let place = match &self.places[number][..] {
                [place] => Some(place),
                _ => None,
            };
            if place.is_some_and(|place| place.file == found.place.file) {
                self.last[number] = Some(found.place.clone());
            }
            if found.id.is_named(name) || place == Some(&found.place) {
                self.named[number].found.push(found.clone());
            } else if self.named[number].found.is_empty()
                && id.len() <= LONGEST
                && name.len() <= LONGEST
            {
                let near = &mut self.near[number];
                let most = near.get(SUGGESTED - 1).map_or(usize::MAX, |(distance, _)| *distance);
                if id.chars().count().abs_diff(name.chars().count()) < most {
                    let distance = distance(name, &id);
                    if distance < most {
                        let place = near.partition_point(|(other, _)| *other <= distance);
                        if near.iter().all(|(_, other)| *other != id) {
                            near.insert(place, (distance, id.clone()));
                        }
                        near.truncate(SUGGESTED);
                    }
                }
            }
        }
    }

    /// Compares a file or row that the run has left out with the names.
    pub fn look_at_rejected(&mut self, rejected: Rejected) {
        self.rejected += 1;
        let whole = rejected.row.is_none().then(|| Place { file: rejected.file.clone(), row: 0 });
        for (number, places) in self.places.iter().enumerate() {
            match &places[..] {
                [] if whole.as_ref().is_some_and(|whole| whole.is_in(&self.names[number])) => {
                    self.named[number].rejected = Some((None, rejected.clone()));
                }
                [place] if place.file == rejected.file && rejected.row.is_none() => {
                    self.files[number] = Some(rejected.clone());
                }
                [place] if place.file == rejected.file && rejected.row == Some(place.row) => {
                    self.named[number].rejected = Some((Some(place.row), rejected.clone()));
                }
                _ => {}
            }
        }
    }

    /// Returns true if every name has a document or a rejected row.
    fn has_all(&self) -> bool {
        self.named.iter().all(|Named { found, rejected }| !found.is_empty() || rejected.is_some())
    }

    /// Returns true if every name has all documents that it can have. An integer and its digits as
    /// a string are two ids with one name, so the last document may be the second one with such a
    /// name.
    pub fn are_found(&self) -> bool {
        self.has_all() && !(self.may_be_mixed && self.names.iter().any(|name| is_integer(name)))
    }

    /// The documents of each name.
    ///
    /// # Errors
    /// [`Error::Incompatible`] of this file or folder for a name that no document has, for a name
    /// that fits several files, and for a name that is both an integer and a string.
    pub fn documents(mut self, of: impl Into<PathBuf>) -> Result<Vec<Named>, Error> {
        for (number, Named { found, rejected }) in self.named.iter_mut().enumerate() {
            if let ([], [place], Some(file)) =
                (&found[..], &self.places[number][..], &self.files[number])
            {
                rejected.get_or_insert_with(|| (Some(place.row), file.clone()));
            }
        }
        for (number, Named { found, .. }) in self.named.iter().enumerate() {
            let other_kind = |one: &&FoundDocument, other: &&FoundDocument| {
                one.id != other.id && one.of_against == other.of_against
            };
            let two = found
                .iter()
                .find_map(|one| Some((one, found.iter().find(|other| other_kind(&one, other))?)));
            if let Some((one, other)) = two.filter(|_| is_integer(&self.names[number])) {
                let told = |found: &FoundDocument| match found.id {
                    Id::Text(_) => {
                        format!(
                            "the string \"{}\" in {}, row {}",
                            found.id, found.place.file, found.place.row
                        )
                    }
                    _ => format!(
                        "the integer {} in {}, row {}",
                        found.id, found.place.file, found.place.row
                    ),
                };
                let named =
                    |found: &FoundDocument| format!("{}:{}", found.place.file, found.place.row);
                let problem = format!(
                    "two documents have the id {}: {}, and {}; name one as {} or {}",
                    self.names[number],
                    told(one),
                    told(other),
                    named(one),
                    named(other)
                );
                return Err(Error::Incompatible { path: of.into(), problem: problem.into() });
            }
        }
        let is_missing = |Named { found, rejected }: &Named| found.is_empty() && rejected.is_none();
        match self.named.iter().position(is_missing) {
            None => Ok(self.named),
            Some(number) => {
                let (name, places) = (&self.names[number], &self.places[number]);
                if let [one, other, ..] = &places[..] {
                    let row = one.row;
                    let problem = format!(
                        "\"{name}\" matches {} files; write {}:{row} or {}:{row}",
                        places.len(),
                        one.file,
                        other.file
                    );
                    return Err(Error::Incompatible { path: of.into(), problem: problem.into() });
                }
                if let (Some(last), [Place { row, .. }]) = (&self.last[number], &places[..]) {
                    let problem = format!(
                        "row {row} has no document; the last document of {} is in row {}",
                        last.file, last.row
                    );
                    return Err(Error::Incompatible { path: of.into(), problem: problem.into() });
                }
                let near: Vec<String> =
                    self.near[number].iter().map(|(_, id)| format!("\"{id}\"")).collect();
                let near: Message = match near.is_empty() {
                    true => Message::default(),
                    false => message!["; the nearest ids are ", near.join(", ")],
                };
                let numbered = match self.are_numbered {
                    true => message![
                        "; this run numbered the documents by file and row, since ",
                        Setting::with("ids", "file-row"),
                        " does not read their own ids"
                    ],
                    false => Message::default(),
                };
                let problem = message![
                    format!("no document has the id \"{name}\""),
                    numbered,
                    near,
                    "; FILE:ROW also names a document",
                    match self.rejected {
                        0 => String::new(),
                        count => format!(
                            "; rejected.jsonl lists the rows and files that the run left out \
                             ({count})"
                        ),
                    }
                ];
                Err(Error::Incompatible { path: of.into(), problem })
            }
        }
    }
}

/// The places that a name of the form `FILE:ROW` may mean: the place in the file with exactly this
/// name, else one place in each file whose name ends with it after a folder.
fn places<'f>(name: &str, files: impl Iterator<Item = &'f str> + Clone) -> Vec<Place> {
    let Some((file, row)) = name.rsplit_once(':') else { return Vec::new() };
    let Ok(row) = row.parse() else { return Vec::new() };
    let place = |file: &str| Place { file: file.to_string(), row };
    if files.clone().any(|other| other == file) {
        return vec![place(file)];
    }
    let mut places: Vec<Place> = files.map(place).filter(|place| place.is_in(file)).collect();
    places.sort();
    places.dedup();
    places
}

/// Returns true if a person would write an integer in this way.
fn is_integer(name: &str) -> bool {
    name.parse::<i128>().is_ok_and(|number| number.to_string() == name)
}

impl Finished {
    /// The documents that have each of these names: an id, or `FILE:ROW`. A name has several
    /// documents if both sides of a run have the id. A `FILE:ROW` may be a row that the run has
    /// rejected.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where no document has a name, and the errors of
    /// [`texts`](Finished::texts).
    pub fn named(&self, names: &[String], watch: &dyn Watch) -> Result<Vec<Named>, Error> {
        let files = self.against.iter().chain(&self.inputs).map(String::as_str);
        let new = || {
            let are_numbered = self.config.read.ids == Ids::FileRow;
            Names { are_numbered, ..Names::new(names, self.mixed_ids, files.clone()) }
        };
        let mut wanted = new();
        let reported = self.reported(names)?;
        if self.against.is_empty() {
            self.texts(&reported, watch)?.into_iter().for_each(|found| wanted.look_at(found));
            if wanted.are_found() {
                return wanted.documents(&self.folder);
            }
            wanted = new();
        }
        for rejected in self.rejected()? {
            wanted.look_at_rejected(rejected?);
        }
        let may_be_twice = !self.against.is_empty();
        let mut look_at = |found| {
            wanted.look_at(found);
            may_be_twice || !wanted.are_found()
        };
        // Documents of the input may be found without reference documents.
        let against = self.each_of(true, watch, &mut look_at);
        let inputs = match &against {
            Ok(goes_on) if !goes_on => Ok(false),
            _ => self.each_of(false, watch, &mut look_at),
        };
        match against.and(inputs) {
            // A file that is gone matters only for names that were not found before it.
            Err(Error::Incompatible { .. }) if wanted.has_all() => {}
            read => {
                read?;
            }
        }
        if !wanted.has_all() {
            // A document of the reports is missing if its file has changed. This call returns that
            // error.
            self.texts(&reported, watch)?;
        }
        wanted.documents(&self.folder)
    }

    /// The places of the removed documents and keepers with these names, as the reports list them.
    fn reported(&self, names: &[String]) -> Result<Vec<Wanted>, Error> {
        let mut places = Vec::new();
        for removed in self.removed()? {
            let removed = removed?;
            let ends =
                [(&removed.id, removed.wanted()), (&removed.keeper, removed.wanted_keeper())];
            let is_named = |id: &Id, wanted: &Wanted| {
                names.iter().any(|name| id.is_named(name) || wanted.place.is_named(name))
            };
            places
                .extend(ends.into_iter().filter(|(id, end)| is_named(id, end)).map(|(_, end)| end));
        }
        places.sort_by(|one, other| one.place.cmp(&other.place));
        places.dedup_by(|one, other| one.place == other.place);
        Ok(places)
    }
}
