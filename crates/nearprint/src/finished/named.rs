//! Ids and `FILE:ROW`s that a user names -> the documents that have them, or those with the nearest names.

use std::path::PathBuf;

use super::{Finished, Found, Place};
use crate::error::{Error, distance};
use crate::message;
use crate::message::Message;
use crate::watch::Watch;

/// Names that are suggested in place of one that no document has.
const SUGGESTED: usize = 3;

/// Longer names are not suggested.
const LONGEST: usize = 200;

/// Looks for documents by their names.
#[derive(Debug)]
pub(crate) struct Names<'n> {
    names: &'n [String],
    /// The documents with each name.
    found: Vec<Vec<Found>>,
    /// For each name some that are near it, with their distance, the nearest first.
    near: Vec<Vec<(usize, String)>>,
    /// For each name the places that it may mean, none where it is no `FILE:ROW`.
    places: Vec<Vec<Place>>,
    /// For each name that is `FILE:ROW` the last document of that file.
    last: Vec<Option<Place>>,
}

impl<'n> Names<'n> {
    /// For these names, among the documents of these files.
    pub fn new<'f>(names: &'n [String], files: impl Iterator<Item = &'f str> + Clone) -> Names<'n> {
        Names {
            names,
            found: vec![Vec::new(); names.len()],
            near: vec![Vec::new(); names.len()],
            places: names.iter().map(|name| places(name, files.clone())).collect(),
            last: vec![None; names.len()],
        }
    }

    /// Looks at a document.
    pub fn look_at(&mut self, found: Found) {
        let id = found.id.to_string();
        for (number, name) in self.names.iter().enumerate() {
            let place = match &self.places[number][..] {
                [place] => Some(place),
                _ => None,
            };
            if place.is_some_and(|place| place.file == found.place.file) {
                self.last[number] = Some(found.place.clone());
            }
            if id == *name || place == Some(&found.place) {
                self.found[number].push(found.clone());
            } else if self.found[number].is_empty() && id.len() <= LONGEST && name.len() <= LONGEST {
                let near = &mut self.near[number];
                let most = near.get(SUGGESTED - 1).map_or(usize::MAX, |(distance, _)| *distance);
                if id.chars().count().abs_diff(name.chars().count()) < most {
                    let distance = distance(name, &id);
                    if distance < most {
                        let place = near.partition_point(|(other, _)| *other <= distance);
                        near.insert(place, (distance, id.clone()));
                        near.truncate(SUGGESTED);
                    }
                }
            }
        }
    }

    /// Whether there is a document for every name.
    pub fn are_found(&self) -> bool {
        self.found.iter().all(|found| !found.is_empty())
    }

    /// The documents with each name.
    ///
    /// # Errors
    /// [`Error::Incompatible`] of this file or folder for a name that no document has, and for one that fits several files.
    pub fn documents(self, of: impl Into<PathBuf>) -> Result<Vec<Vec<Found>>, Error> {
        match self.found.iter().position(Vec::is_empty) {
            None => Ok(self.found),
            Some(number) => {
                let (name, places) = (&self.names[number], &self.places[number]);
                if let [one, other, ..] = &places[..] {
                    let row = one.row;
                    let problem = format!(
                        "\"{name}\" fits {} files; write {}:{row} or {}:{row}",
                        places.len(),
                        one.file,
                        other.file
                    );
                    return Err(Error::Incompatible { path: of.into(), problem: problem.into() });
                }
                if let (Some(last), [Place { row, .. }]) = (&self.last[number], &places[..]) {
                    let problem =
                        format!("no document is in row {row}; the last one of {} is in row {}", last.file, last.row);
                    return Err(Error::Incompatible { path: of.into(), problem: problem.into() });
                }
                let near: Vec<String> = self.near[number].iter().map(|(_, id)| format!("\"{id}\"")).collect();
                let near: Message = match near.is_empty() {
                    true => Message::default(),
                    false => message!["; the nearest ids are ", near.join(", ")],
                };
                let problem = message![
                    format!("no document has the id \"{name}\""),
                    near,
                    "; FILE:ROW names one, too"
                ];
                Err(Error::Incompatible { path: of.into(), problem })
            }
        }
    }
}

/// The places that a name may mean if it is `FILE:ROW`: that in the file with just this name, else one in each file whose name, without
/// some of the folders that it is in, is that.
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

impl Finished {
    /// The documents that have each of these names: an id, or `FILE:ROW`. Several have one name where an id stands on both sides of a
    /// run.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where no document has a name, and as [`texts`](Finished::texts).
    pub fn named(&self, names: &[String], watch: &dyn Watch) -> Result<Vec<Vec<Found>>, Error> {
        let files = self.against.iter().chain(&self.inputs).map(String::as_str);
        let mut wanted = Names::new(names, files.clone());
        if self.against.is_empty() {
            // An id is there once, and the reports say where those of removed documents and their keepers are.
            let mut places = Vec::new();
            for removed in self.removed()? {
                let removed = removed?;
                let ends = [(&removed.id, removed.wanted()), (&removed.keeper, removed.wanted_keeper())];
                let is_named = |id: String, wanted: &super::Wanted| {
                    names.iter().any(|name| *name == id || wanted.place.is_named(name))
                };
                places.extend(ends.into_iter().filter(|(id, end)| is_named(id.to_string(), end)).map(|(_, end)| end));
            }
            places.sort_by(|one, other| one.place.cmp(&other.place));
            places.dedup_by(|one, other| one.place == other.place);
            self.texts(&places, watch)?.into_iter().for_each(|found| wanted.look_at(found));
            if wanted.are_found() {
                return wanted.documents(&self.folder);
            }
            wanted = Names::new(names, files);
        }
        let may_be_twice = !self.against.is_empty();
        self.each(watch, |found| {
            wanted.look_at(found);
            may_be_twice || !wanted.are_found()
        })?;
        wanted.documents(&self.folder)
    }
}
