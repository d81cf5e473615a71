//! The input files -> documents counted by source and length, and the texts that are shown. One
//! pass over the files, each in a thread of its own.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::Material;
use super::rows::{Place, ReportRows};
use crate::document::FieldValue;
use crate::error::Error;
use crate::read::{self, Source};
use crate::watch::{Watch, stop_if_asked};

/// A file of the input, and the options to read it.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The file.
    pub source: Source,
    /// Its options.
    pub options: read::Options,
    /// True if the file holds reference documents, with which the others were only compared.
    pub is_against: bool,
}

/// The number of documents that a thread reads between two checks for a stop.
const BETWEEN_STOPS: usize = 4096;

/// The most characters of the name of a source.
const NAME: usize = 120;

/// The names of the sources of some rows.
type Names = HashMap<u64, Option<String>>;

/// The counts and the texts of the input.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// For each source by its name, `None` for documents without a value, the documents read and
    /// removed.
    pub sources: BTreeMap<Option<String>, [u64; 2]>,
    /// Removed documents by their source and that of their keeper.
    pub across: HashMap<[Option<String>; 2], u64>,
    /// For each requested cluster its documents by source.
    pub spans: HashMap<u32, HashMap<Option<String>, u32>>,
    /// The numbers of documents kept and removed, by the binary logarithm of their length in
    /// characters.
    pub lengths: BTreeMap<u32, [u64; 2]>,
    /// The number of bytes of all texts, and of the removed ones.
    pub bytes: [u64; 2],
    /// The texts of the requested places, if they were found.
    pub texts: HashMap<(String, u64), String>,
}

impl Census {
    /// Reads the files. A file that no longer exists, or cannot be read on, is left out.
    pub fn new(
        material: &Material<'_>,
        removed: &ReportRows,
        wanted: &BTreeSet<(&str, u64)>,
        clusters: &HashSet<u32>,
        watch: &dyn Watch,
    ) -> Result<Census, Error> {
        let by_field = material.source_field.is_some();
        // The rows of each file that are removed or a keeper; true for a removed one.
        let mut ends: HashMap<&str, HashMap<u64, bool>> = HashMap::new();
        for row in &removed.rows {
            let file = |place: Place| removed.files[place.file as usize].as_str();
            ends.entry(file(row.keeper)).or_default().entry(row.keeper.row).or_insert(false);
            ends.entry(file(row.place)).or_default().insert(row.place.row, true);
        }
        let of_file = |reading: &Reading| -> Result<(Census, Names), Error> {
            let label = &reading.source.label;
            let (mut census, mut names, none) = (Census::default(), Names::new(), HashMap::new());
            let ends = ends.get(label.as_str()).unwrap_or(&none);
            let Ok(documents) = read::read(&reading.source, &reading.options) else {
                return Ok((census, names));
            };
            for (number, document) in documents.flatten().enumerate() {
                if number % BETWEEN_STOPS == 0 {
                    stop_if_asked(watch)?;
                }
                let name = match by_field {
                    true => document.fields.first().and_then(Option::as_ref).map(in_words),
                    false => Some(label.clone()),
                };
                let end = ends.get(&document.row);
                if by_field && end.is_some() {
                    names.insert(document.row, name.clone());
                }
                if !reading.is_against {
                    census.count(name, &document.text, end == Some(&true));
                }
                if wanted.contains(&(label.as_str(), document.row)) {
                    census.texts.insert((label.clone(), document.row), document.text);
                }
            }
            Ok((census, names))
        };
        let files: Vec<_> = material.readings.par_iter().map(of_file).collect::<Result<_, _>>()?;
        let mut all = Census::default();
        let mut names: HashMap<&str, Names> = HashMap::new();
        for (reading, (census, own)) in material.readings.iter().zip(files) {
            all.add(census);
            names.insert(&reading.source.label, own);
        }
        for row in &removed.rows {
            let name = |place: Place| {
                let file = removed.files[place.file as usize].as_str();
                match by_field {
                    true => {
                        names.get(file).and_then(|names| names.get(&place.row)).cloned().flatten()
                    }
                    false => Some(file.to_string()),
                }
            };
            let ends = [row.place, row.keeper].map(name);
            if clusters.contains(&row.cluster) {
                // The keeper of a cluster counts once.
                let span = all
                    .spans
                    .entry(row.cluster)
                    .or_insert_with(|| HashMap::from([(ends[1].clone(), 1)]));
                *span.entry(ends[0].clone()).or_default() += 1;
            }
            *all.across.entry(ends).or_default() += 1;
        }
        Ok(all)
    }

    /// Counts a document of this source and text.
    fn count(&mut self, name: Option<String>, text: &str, is_removed: bool) {
        let counts = self.sources.entry(name).or_default();
        counts[0] += 1;
        counts[1] += u64::from(is_removed);
        let length = text.chars().count() as u32;
        self.lengths.entry(length.max(1).ilog2()).or_default()[usize::from(is_removed)] += 1;
        self.bytes[0] += text.len() as u64;
        self.bytes[1] += if is_removed { text.len() as u64 } else { 0 };
    }

    fn add(&mut self, other: Census) {
        let add = |own: &mut [u64; 2], other: [u64; 2]| {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other)
        };
        other
            .sources
            .into_iter()
            .for_each(|(name, counts)| add(self.sources.entry(name).or_default(), counts));
        other
            .lengths
            .into_iter()
            .for_each(|(length, counts)| add(self.lengths.entry(length).or_default(), counts));
        add(&mut self.bytes, other.bytes);
        self.texts.extend(other.texts);
    }
}

/// The name of a source by the value of a field.
fn in_words(value: &FieldValue) -> String {
    let name = value.to_string();
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}
