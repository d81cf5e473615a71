//! The input files -> documents counted by source and length, and the texts and fields of the
//! documents in pairs, on disk. One pass over the files, each in a thread of its own.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Material;
use super::rows::{Files, Place, ReportRows};
use crate::document::{Document, FieldValue};
use crate::error::Error;
use crate::read::{self, Source};
use crate::shown_fields::ShownFields;
use crate::spill::Spill;
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

/// The most bytes of texts that are kept in memory.
const IN_MEMORY: usize = 16 << 20;

/// The counts of the input, and the documents in pairs.
#[derive(Debug)]
pub(super) struct Census {
    pub counts: Counts,
    /// Removed documents by their source and that of their keeper.
    pub across: HashMap<[Option<String>; 2], u64>,
    /// The names of the shown fields of all documents.
    pub shown: Vec<String>,
    /// The names of all fields that may be in the records.
    names: Vec<String>,
    documents: Documents,
}

/// The counts of a file, or of all.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// For each source by its name, `None` for documents without a value, the documents read and
    /// removed.
    pub sources: BTreeMap<Option<String>, [u64; 2]>,
    /// The numbers of documents kept and removed, by the binary logarithm of their length in
    /// characters.
    pub lengths: BTreeMap<u32, [u64; 2]>,
    /// The number of bytes of all texts, and of the removed ones.
    pub bytes: [u64; 2],
}

/// The documents in pairs that were found.
#[derive(Debug)]
struct Documents {
    /// For each document the numbers of its record and of its source.
    places: HashMap<Place, [u32; 2]>,
    records: Spill<u8>,
    /// The names of the sources, with their numbers.
    sources: Vec<Option<String>>,
    numbers: HashMap<Option<String>, u32>,
    /// True for each name of a field that is shown of some document.
    has: Vec<bool>,
}

/// The content of a document in a pair.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// The values of its shown fields, by the numbers of their names.
    fields: Vec<(u16, String)>,
    pub text: String,
}

impl Census {
    /// Reads the files. `rows` has the removals first. A file that no longer exists, or cannot be
    /// read on, is left out.
    pub fn new(
        material: &Material<'_>,
        rows: [&ReportRows; 3],
        files: &Files,
        watch: &dyn Watch,
    ) -> Result<Census, Error> {
        let names = material.show_fields.names();
        // The documents in pairs; true for a removed one.
        let mut wanted: HashMap<Place, bool> = HashMap::new();
        for row in rows.iter().flat_map(|rows| &rows.rows) {
            wanted.entry(row.keeper).or_insert(false);
            *wanted.entry(row.place).or_insert(false) |= row.cluster > 0;
        }
        let kept = Mutex::new(Documents {
            places: HashMap::new(),
            records: Spill::new(material.folder)?.holding(IN_MEMORY),
            sources: Vec::new(),
            numbers: HashMap::new(),
            has: vec![false; names.len()],
        });
        let of_file = |reading: &Reading| -> Result<Counts, Error> {
            let mut counts = Counts::default();
            let label = &reading.source.label;
            let file = files.find(label);
            let documents = documents(reading, material.source_field.as_deref());
            for (number, (document, fields)) in documents.enumerate() {
                if number % BETWEEN_STOPS == 0 {
                    stop_if_asked(watch)?;
                }
                let value = |name: &str| {
                    let at = fields.iter().position(|own| own == name)?;
                    document.fields.get(at)?.as_ref()
                };
                let source = match &material.source_field {
                    Some(field) => value(field).map(in_words),
                    None => Some(label.clone()),
                };
                let place = file.map(|file| Place { file, row: document.row });
                let end = place.and_then(|place| Some((place, *wanted.get(&place)?)));
                if !reading.is_against {
                    let is_removed = end.is_some_and(|(_, is_removed)| is_removed);
                    counts.add(source.clone(), &document.text, is_removed);
                }
                let Some((place, _)) = end else { continue };
                let ShownFields(mut shown) = material.show_fields.of(value);
                let of_name = |(at, name): (u16, &String)| {
                    let place = shown.iter().position(|(own, _)| own == name)?;
                    Some((at, shown.swap_remove(place).1))
                };
                let fields = (0..).zip(&names).filter_map(of_name).collect();
                let record = Record { fields, text: document.text };
                kept.lock().unwrap_or_else(PoisonError::into_inner).add(place, source, &record)?;
            }
            Ok(counts)
        };
        let each: Vec<Counts> =
            material.readings.par_iter().map(of_file).collect::<Result<_, _>>()?;
        let mut counts = Counts::default();
        each.into_iter().for_each(|own| counts.merge(own));
        let mut documents = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        documents.records.flush()?;
        let shown = names.iter().zip(&documents.has).filter(|(_, has)| **has);
        let shown = shown.map(|(name, _)| name.clone()).collect();
        let mut across = HashMap::new();
        for row in &rows[0].rows {
            let source = |place: Place| match material.source_field {
                Some(_) => documents.source(place).cloned(),
                None => Some(files.names[place.file as usize].clone()),
            };
            *across.entry([row.place, row.keeper].map(source)).or_default() += 1;
        }
        Ok(Census { counts, across, shown, names, documents })
    }

    /// The name of the source of a document.
    pub fn source(&self, place: Place) -> Option<&String> {
        self.documents.source(place)
    }

    /// The content of a document, if it was found.
    pub fn record(&self, place: Place) -> Result<Option<Record>, Error> {
        let Some([number, _]) = self.documents.places.get(&place) else { return Ok(None) };
        let mut buffer = Vec::new();
        let bytes = self.documents.records.list(*number as usize, &mut buffer)?;
        Ok(Some(postcard::from_bytes(bytes).expect("a record is as it was written")))
    }

    /// The values of the shown fields of a document, in their order.
    pub fn values<'r>(&self, record: &'r Record) -> Vec<Option<&'r str>> {
        let value = |name: &String| {
            let of_name = |(at, _): &&(u16, String)| self.names[usize::from(*at)] == *name;
            record.fields.iter().find(of_name).map(|(_, value)| value.as_str())
        };
        self.shown.iter().map(value).collect()
    }
}

impl Documents {
    /// Keeps a document.
    fn add(&mut self, place: Place, source: Option<String>, record: &Record) -> Result<(), Error> {
        record.fields.iter().for_each(|(at, _)| self.has[usize::from(*at)] = true);
        let next = self.sources.len() as u32;
        let number = *self.numbers.entry(source.clone()).or_insert_with(|| {
            self.sources.push(source);
            next
        });
        self.places.insert(place, [self.records.len() as u32, number]);
        self.records.push(postcard::to_allocvec(record).expect("texts are written"))
    }

    fn source(&self, place: Place) -> Option<&String> {
        let [_, number] = self.places.get(&place)?;
        self.sources[*number as usize].as_ref()
    }
}

/// The documents of a file, with the names of their fields. If the file cannot be read with the
/// shown fields, as when two columns have the name of one of them, it is read without them.
fn documents<'r>(
    reading: &'r Reading,
    source_field: Option<&str>,
) -> impl Iterator<Item = (Document, &'r [String])> {
    let of_source = source_field.and_then(|field| {
        let fields = &reading.options.kept_fields;
        fields.iter().position(|own| own == field).map(|at| at..at + 1)
    });
    let fewer = &reading.options.kept_fields[of_source.unwrap_or(0..0)];
    let with = |fields: &'r [String]| {
        let options = read::Options { kept_fields: fields.to_vec(), ..reading.options.clone() };
        Some((read::read(&reading.source, &options).ok()?, fields))
    };
    let found = with(&reading.options.kept_fields).or_else(|| with(fewer));
    found
        .into_iter()
        .flat_map(|(documents, fields)| documents.flatten().map(move |document| (document, fields)))
}

impl Counts {
    /// Counts a document of this source and text.
    fn add(&mut self, name: Option<String>, text: &str, is_removed: bool) {
        let counts = self.sources.entry(name).or_default();
        counts[0] += 1;
        counts[1] += u64::from(is_removed);
        let length = text.chars().count() as u32;
        self.lengths.entry(length.max(1).ilog2()).or_default()[usize::from(is_removed)] += 1;
        self.bytes[0] += text.len() as u64;
        self.bytes[1] += if is_removed { text.len() as u64 } else { 0 };
    }

    fn merge(&mut self, other: Counts) {
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
