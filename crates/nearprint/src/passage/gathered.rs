//! The letters and the chosen windows of all documents, on disk. Windows are divided into shards by
//! their grams, so that each shard is counted alone.

use std::path::Path;

use nearprint_core::normalize::size;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::counts;
use super::windows::Chosen;
use crate::error::Error;
use crate::spill::{Record, Sorted, Sorter, Spill};

/// The number of shards: few enough for open files, enough that a shard of 100 gigabytes of text is
/// about a gigabyte.
const SHARDS: usize = 64;

/// The file of the letters, if files have names.
const LETTERS: &str = "letters";

/// The file of the stretches, if files have names.
const STRETCHES: &str = "stretches";

/// A chosen window as numbers: its gram, the hash around, document and place of the gram, and how
/// many bytes before the gram the first and the last window begin.
pub(super) type Row = [u64; 4];

/// The letters and the chosen windows of documents.
#[derive(Debug, Serialize, Deserialize)]
pub struct Gathered {
    length: u32,
    letters: Spill<u8>,
    shards: Vec<Spill<Row>>,
}

/// The stretches of documents that are shared, by document and place.
pub type Stretches = Sorted<Stretch>;

/// A stretch of the letters of a document that is made of windows which stand in this number of
/// documents each. Places are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stretch {
    /// The number of the document.
    pub document: u32,
    /// The first byte.
    pub start: u32,
    /// The end.
    pub end: u32,
    /// The number of documents.
    pub documents: u32,
}

impl Record for Stretch {
    type Row = [u32; 4];

    fn to_row(self) -> [u32; 4] {
        [self.document, self.start, self.end, self.documents]
    }

    fn from_row([document, start, end, documents]: [u32; 4]) -> Stretch {
        Stretch { document, start, end, documents }
    }
}

impl Gathered {
    /// Starts without documents. Windows have at least `length` letters. Files go to `folder`; with
    /// `named` they have names there, and can be opened again.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(length: u32, folder: &Path, named: bool) -> Result<Gathered, Error> {
        let letters = if named { Spill::create(&folder.join(LETTERS)) } else { Spill::new(folder) };
        let shard = |number: usize| match named {
            true => Spill::create(&folder.join(shard_name(number))),
            false => Spill::new(folder),
        };
        let shards = (0..SHARDS).map(shard).collect::<Result<_, Error>>()?;
        Ok(Gathered { length, letters: letters?, shards })
    }

    /// Adds the next document: its letters and chosen windows.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn push(&mut self, document: u32, letters: &[u8], chosen: &[Chosen]) -> Result<(), Error> {
        self.letters.append(letters)?;
        self.letters.end();
        for Chosen { gram, around, at, first, last } in chosen {
            let place = u64::from(document) << 32 | u64::from(*at);
            let windows = u64::from(at - first) << 32 | u64::from(at - last);
            let shard = (gram >> 32) as usize % SHARDS;
            self.shards[shard].append(&[[*gram, *around, place, windows]])?;
        }
        Ok(())
    }

    /// Ends the gathering.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(&mut self) -> Result<(), Error> {
        self.letters.flush()?;
        self.shards.iter_mut().try_for_each(|shard| {
            shard.end();
            shard.flush()
        })
    }

    /// Opens the files of a value that was loaded. Returns `false` if one has changed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn reopen(&mut self, folder: &Path) -> Result<bool, Error> {
        let mut whole = self.letters.reopen(&folder.join(LETTERS))?;
        for (number, shard) in self.shards.iter_mut().enumerate() {
            whole &= shard.reopen(&folder.join(shard_name(number)))?;
        }
        Ok(whole)
    }

    /// Finds the stretches of windows that stand at two places or more, in at least `documents`
    /// documents. As many shards are counted at a time as fit into `memory` bytes, one at least.
    ///
    /// # Errors
    /// [`Error::Io`]; the error of `done`, which is called after each shard with the share of all
    /// that are done.
    pub fn stretches(
        &self,
        documents: u32,
        memory: u64,
        folder: &Path,
        named: bool,
        done: impl Fn(f64) -> Result<(), Error>,
    ) -> Result<Stretches, Error> {
        let mut sorter = Sorter::new(folder)?;
        let bytes = |shard: &Spill<Row>| (shard.numbers() * size_of::<Row>()) as u64;
        let mut next = 0;
        while next < SHARDS {
            // What is found in a shard may take as much memory as its windows.
            let (mut end, mut taken) = (next + 1, 2 * bytes(&self.shards[next]));
            while end < SHARDS && end - next < rayon::current_num_threads() {
                taken += 2 * bytes(&self.shards[end]);
                if taken > memory {
                    break;
                }
                end += 1;
            }
            let count = |shard: &Spill<Row>| {
                let mut rows = Vec::new();
                shard.read(0, &mut rows)?;
                counts::stretches(&mut rows, &self.letters, self.length, documents)
            };
            let found: Vec<Vec<Stretch>> =
                self.shards[next..end].par_iter().map(count).collect::<Result<_, Error>>()?;
            found.into_iter().flatten().try_for_each(|stretch| sorter.push(stretch))?;
            next = end;
            done(next as f64 / SHARDS as f64)?;
        }
        let found = sorter.finish()?;
        if named { found.in_file(&folder.join(STRETCHES)) } else { Ok(found) }
    }

    /// The letters of a document; `buffer` is for those on disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn letters<'l>(&'l self, document: u32, buffer: &'l mut Vec<u8>) -> Result<&'l str, Error> {
        let bytes = self.letters.list(document as usize, buffer)?;
        Ok(simdutf8::basic::from_utf8(bytes).expect("letters are written as UTF-8"))
    }

    /// The size of the letters of all documents in bytes.
    pub fn bytes(&self) -> u64 {
        self.letters.numbers() as u64
    }
}

/// Opens the file of stretches that were loaded. Returns `false` if it has changed.
///
/// # Errors
/// [`Error::Io`].
pub fn reopen(stretches: &mut Stretches, folder: &Path) -> Result<bool, Error> {
    stretches.reopen(&folder.join(STRETCHES))
}

fn shard_name(number: usize) -> String {
    format!("windows-{number}")
}

/// The number of letters, where wide characters count as two.
pub(super) fn length(letters: &[u8]) -> u32 {
    size(letters).letters
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::super::coverage::{Part, coverage};
    use super::super::windows::{Chooser, tests::windows};
    use super::*;

    /// The coverage of all documents, window by window.
    fn oracle(texts: &[(String, u64)], length: u32, least: u32) -> Vec<Vec<Part>> {
        let mut places: BTreeMap<(u64, &str), Vec<usize>> = BTreeMap::new();
        for (number, (text, group)) in texts.iter().enumerate() {
            for window in windows(text, length) {
                places.entry((*group, &text[window])).or_default().push(number);
            }
        }
        let mut covered = Vec::new();
        for (text, group) in texts {
            let mut stretches = Vec::new();
            for window in windows(text, length) {
                let places = &places[&(*group, &text[window.clone()])];
                let documents = places.iter().collect::<BTreeSet<_>>().len() as u32;
                if places.len() > 1 && documents >= least {
                    let [start, end] = [window.start as u32, window.end as u32];
                    stretches.push(Stretch { document: 0, start, end, documents });
                }
            }
            covered.push(coverage(&stretches));
        }
        covered
    }

    fn found(texts: &[(String, u64)], length: u32, least: u32, memory: u64) -> Vec<Vec<Part>> {
        let folder = std::env::temp_dir();
        let mut gathered = Gathered::new(length, &folder, false).unwrap();
        let mut chooser = Chooser::new(length);
        for ((text, group), number) in texts.iter().zip(0..) {
            let mut chosen = Vec::new();
            chooser.choose(text.as_bytes(), *group, &mut chosen);
            gathered.push(number, text.as_bytes(), &chosen).unwrap();
        }
        gathered.finish().unwrap();
        let found = gathered.stretches(least, memory, &folder, false, |_| Ok(())).unwrap();
        let found: Vec<Stretch> = found.iter().map(Result::unwrap).collect();
        let of = |number: usize| -> Vec<Stretch> {
            found.iter().filter(|stretch| stretch.document == number as u32).copied().collect()
        };
        (0..texts.len()).map(|number| coverage(&of(number))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn every_window_is_counted_as_by_brute_force(
            parts in prop::collection::vec("[ab]{3,12}|[a-z]{3,12}|[天地玄é]{2,8}", 2..6),
            documents in prop::collection::vec((prop::collection::vec((0usize..7, "[a-c天]{0,3}"), 1..6), 0u64..2), 1..7),
            length in 3u32..20,
            least in 1u32..4,
            memory in prop_oneof![Just(0u64), Just(u64::MAX)],
        ) {
            let text = |order: &Vec<(usize, String)>| -> String {
                order.iter().flat_map(|(part, own)| [parts.get(*part).map_or("", String::as_str), own]).collect()
            };
            let texts: Vec<(String, u64)> = documents.iter().map(|(order, group)| (text(order), *group)).collect();
            prop_assert_eq!(found(&texts, length, least, memory), oracle(&texts, length, least));
        }
    }
}
