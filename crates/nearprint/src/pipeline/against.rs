//! Documents that the others are only compared with, such as a test set that must not be in the training data.
//!
//! They are read first, so that they have the smaller numbers, and they rank before all others, so that of a pair it is
//! always the other document that goes. A pair is one of such a document and one of the others: nothing is compared within
//! either side, and nothing else is a duplicate.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::corpus::Corpus;
use super::{Pipeline, Purpose};
use crate::cluster;
use crate::error::Error;
use crate::keep;
use crate::read::{self, STANDARD_INPUT, Source};
use crate::watch::Watch;

impl Pipeline {
    /// Finds the files that those of `sources` are to be compared with. Nothing is written for them, so several may have one
    /// name, and in ids made of file and row the file is as the user named it.
    ///
    /// # Errors
    /// As [`Pipeline::find`], of the setting `against`; [`Error::Usage`] also where one of these files is in `sources`.
    pub fn find_against(
        &self,
        against: &[String],
        sources: &[Source],
        spool: &Path,
        watch: &dyn Watch,
    ) -> Result<Vec<Source>, Error> {
        let labels = sources.iter().map(|source| source.label.as_str());
        check_standard_input(labels.chain(against.iter().map(String::as_str)))?;
        let place = |source: &Source| fs::canonicalize(&source.path).unwrap_or_else(|_| source.path.clone());
        let mut files: HashMap<PathBuf, (String, bool)> =
            sources.iter().map(|source| (place(source), (source.label.clone(), true))).collect();
        let mut found = Vec::new();
        for input in against {
            // One by one, since two of one name are no mistake here.
            let sources = read::find(std::slice::from_ref(input), &self.read, spool, watch)
                .map_err(|error| error.of_setting("against"))?;
            for source in sources {
                match files.insert(place(&source), (source.label.clone(), false)) {
                    None => {}
                    Some((first, is_input)) => return Err(given_twice(&first, is_input, &source.label)),
                }
                found.push(Source { name: source.label.clone(), ..source });
            }
        }
        Ok(found)
    }

    /// Reads documents that are to be compared with those of `against`, and with nothing else. The documents of `against` are
    /// the first ones of the corpus ([`Corpus::against`] says how many), and none of them is ever removed. Ids need only be
    /// unique on each side.
    ///
    /// ```
    /// use nearprint::{Config, Pipeline, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let find = |name: &str, texts: &[&str]| {
    ///     let rows = texts.iter().enumerate().map(|(id, text)| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n"));
    ///     std::fs::write(folder.path().join(name), rows.collect::<String>()).map(|()| folder.path().join(name))
    /// };
    /// let test = find("test.jsonl", &["床前明月光，疑是地上霜。"])?.display().to_string();
    /// let train = find("train.jsonl", &["春眠不觉晓", "床前明月光，疑是地上霜！", "春眠不觉晓"])?.display().to_string();
    ///
    /// let pipeline = Pipeline::new(Config::default())?;
    /// let train = pipeline.find(&[train], folder.path(), &Silent)?;
    /// let test = pipeline.find_against(&[test], &train, folder.path(), &Silent)?;
    /// let corpus = pipeline.read_against(test, train, &Silent)?;
    /// assert_eq!((corpus.against(), corpus.len()), (1, 4));
    /// let decisions = pipeline.decide(&corpus, false, &Silent)?;
    /// let removed: Vec<(u32, u32)> = decisions.removals.iter().map(|r| (r.document, r.keeper)).collect();
    /// assert_eq!(removed, [(2, 0)]); // Both 春眠不觉晓 stay.
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Pipeline::read`]; [`Error::Usage`] where there is nothing to compare with.
    pub fn read_against(&self, against: Vec<Source>, sources: Vec<Source>, watch: &dyn Watch) -> Result<Corpus, Error> {
        if against.is_empty() {
            return Err(Error::usage("against", "there is no file to compare with; name one"));
        }
        self.read_into(None, against, sources, Purpose::Dedup, watch)
    }

    /// The rank of every document: those that the others are compared with first, each side by the policy.
    pub(super) fn ranks(&self, corpus: &Corpus) -> Vec<u32> {
        let mut ranks = keep::ranks(&self.config.keep, &corpus.lengths, &corpus.fields);
        let against = corpus.against() as u32;
        if against > 0 {
            let mut next = [0, against];
            for document in cluster::by_rank(&ranks) {
                let next = &mut next[usize::from(document >= against)];
                ranks[document as usize] = *next;
                *next += 1;
            }
        }
        ranks
    }
}

/// Refuses standard input where it is among all that is named more than once.
pub(super) fn check_standard_input<'n>(mut names: impl Iterator<Item = &'n str>) -> Result<(), Error> {
    let mut again = || names.any(|name| name == STANDARD_INPUT);
    match again() && again() {
        true => Err(Error::usage("against", "standard input (-) can be read once; save it to a file, and name that")),
        false => Ok(()),
    }
}

/// One file in two places.
fn given_twice(first: &str, is_input: bool, label: &str) -> Error {
    let problem = match (is_input, first == label) {
        (true, true) => format!("{label} is one of the inputs, too; name it in one of the two places"),
        (true, false) => format!("{label} is the input {first}, too; name it in one of the two places"),
        (false, true) => format!("{label} is given twice; name it once"),
        (false, false) => format!("{first} and {label} are one and the same file; name it once"),
    };
    Error::usage("against", problem)
}

impl Corpus {
    /// The number of documents that the others are only compared with; they are the first ones. 0 in an ordinary run.
    pub fn against(&self) -> usize {
        self.origins.starts.get(self.origins.against).map_or(0, |start| *start)
    }

    /// Whether documents are compared across the two sides alone.
    pub(super) fn has_sides(&self) -> bool {
        self.origins.against > 0
    }

    /// Whether two documents may be a pair.
    pub(super) fn may_pair(&self, one: u32, other: u32) -> bool {
        let is_against = |document: u32| (document as usize) < self.against();
        !self.has_sides() || is_against(one) != is_against(other)
    }

    /// Of these sorted documents the number of those that the others are compared with; `None` where all are compared with
    /// each other.
    pub(super) fn first_side(&self, documents: &[u32]) -> Option<usize> {
        let is_against = |document: &u32| (*document as usize) < self.against();
        self.has_sides().then(|| documents.partition_point(is_against))
    }
}

/// So many documents that are all compared with each other have as many pairs as these, of which the `first` ones are
/// compared with the others. The distances and the plan of a search are those for so many.
pub(super) fn with_as_many_pairs(documents: usize, first: Option<usize>) -> usize {
    match first {
        None => documents,
        Some(first) => {
            let pairs = first as u64 * (documents - first) as u64;
            // n (n - 1) / 2 pairs are some n² / 2.
            (2 * pairs).isqrt() as usize + usize::from(pairs > 0)
        }
    }
}

#[cfg(test)]
mod tests;
