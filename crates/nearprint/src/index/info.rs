//! An index -> its contents, its sizes, and the share of duplicates that it finds.

use std::collections::{BinaryHeap, HashSet};
use std::fs;
use std::path::Path;

use nearprint_core::judge::FAMILY;
use nearprint_core::near::{Among, Asking, Collection};
use nearprint_core::random::mix;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};

use super::store::STORE;
use super::{IDENTITY, Index, OPTIONS, TABLES, now};
use crate::error::Error;
use crate::watch::{Watch, stop_if_asked};

/// The most distances for which the expected share of pairs is reported.
const MOST_DISTANCES: u32 = 8;

/// The description of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// The number of documents.
    pub documents: u64,
    /// The number of the last change; 1 without changes.
    pub generation: u64,
    /// The number of documents that were removed since the index was compacted.
    pub removed: u64,
    /// The number of files of tables.
    pub files: u64,
    /// The number of files of tables that were damaged or missing when the index was opened.
    pub remade: u64,
    /// The bytes of documents, their texts and the log.
    pub store_bytes: u64,
    /// The bytes of the files of tables.
    pub table_bytes: u64,
    /// The number of documents after the last file of tables, which are compared one by one.
    pub tail: u64,
    /// The largest distance up to which all pairs are found.
    pub complete_distance: Option<u32>,
    /// The largest distance of duplicates; `None` if only equal texts are duplicates.
    pub max_distance: Option<u32>,
    /// Distances between the two above, and the expected share of pairs that is found at each.
    pub expected: Vec<(u32, f64)>,
    /// The measured share of duplicates that is found.
    pub recall: Option<Recall>,
    /// The identity of the recipe.
    pub recipe: String,
    /// The settings that differ from the defaults, as TOML; in JSON an object.
    #[serde(serialize_with = "in_json")]
    pub settings: String,
    /// The options, as TOML; in JSON an object.
    #[serde(serialize_with = "in_json")]
    pub options: String,
}

/// Writes TOML as a JSON object.
fn in_json<S: Serializer>(toml: &str, out: S) -> Result<S::Ok, S::Error> {
    toml::from_str::<toml::Table>(toml).map_err(S::Error::custom)?.serialize(out)
}

/// The duplicates of a sample of documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Recall {
    /// The number of documents of the sample.
    pub sample: u64,
    /// The number of duplicates of these documents that a comparison with all fingerprints finds.
    pub pairs: u64,
    /// The number of these duplicates that the tables find.
    pub found: u64,
}

impl Index {
    /// Describes the index. To measure the recall, the duplicates of `sample` documents are looked
    /// for among all documents.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`], [`Error::Interrupted`].
    pub fn info(&mut self, sample: u32, watch: &dyn Watch) -> Result<Info, Error> {
        let log = ["", "-wal", "-shm"].map(|end| bytes(&self.folder.join(format!("{STORE}{end}"))));
        let tables = fs::read_dir(self.folder.join(TABLES));
        let table_bytes =
            tables.map_or(0, |files| files.flatten().map(|file| bytes(&file.path())).sum());
        self.read(|index| {
            let (view, max_distance) = (&index.view, index.rules.max_distance);
            let plans = view
                .tabled()
                .iter()
                .map(|tabled| tabled.plan())
                .filter(|plan| !plan.is_brute_force());
            let complete_distance =
                plans.map(|plan| plan.complete_distance()).min().or(max_distance);
            let complete_distance =
                complete_distance.map(|complete| complete.min(max_distance.unwrap_or(0)));
            let between =
                complete_distance.zip(max_distance).filter(|(complete, most)| complete < most);
            let spread = |(complete, most): (u32, u32)| {
                let step = (most - complete).div_ceil(MOST_DISTANCES);
                (1..=MOST_DISTANCES).map(move |number| (complete + number * step).min(most))
            };
            let mut distances: Vec<u32> = between.map(spread).into_iter().flatten().collect();
            distances.dedup();
            let recall = match (sample, between) {
                (0, _) | (_, None) => None,
                _ => Some(index.recall(sample, watch)?),
            };
            Ok(Info {
                documents: index.store.count_at(now())?,
                generation: view.state().generation,
                // The view may count others, which are no longer in the files.
                removed: index.store.count_removed()?,
                files: view.tabled().len() as u64,
                remade: view.remade(),
                store_bytes: log.iter().sum(),
                table_bytes,
                tail: view.tail() as u64,
                complete_distance,
                max_distance,
                expected: distances
                    .into_iter()
                    .map(|distance| (distance, view.share_seen(distance)))
                    .collect(),
                recall,
                recipe: index.store.about(IDENTITY)?,
                settings: index.config.to_short_toml(&[]),
                options: index.store.about(OPTIONS)?,
            })
        })
    }

    /// Measures the share of duplicates that the tables find. The sample consists of the documents
    /// with the smallest mixed numbers.
    fn recall(&self, sample: u32, watch: &dyn Watch) -> Result<Recall, Error> {
        let mut numbers = BinaryHeap::new();
        for (part, _) in self.view.parts() {
            for (place, number) in part.numbers.iter().enumerate() {
                if part.kind(place).is_searched() && self.view.has(*number) {
                    numbers.push((mix((*number).into()), *number));
                    if numbers.len() > sample as usize {
                        numbers.pop();
                    }
                }
            }
        }
        let most = self.rules.max_distance.unwrap_or(0);
        let mut recall = Recall { sample: numbers.len() as u64, pairs: 0, found: 0 };
        let mut judge = self.judge();
        let (mut asking, mut among) = (Asking::default(), None);
        for (_, number) in numbers {
            stop_if_asked(watch)?;
            let Some(record) = self.view.record(number) else { continue };
            let among = among.get_or_insert_with(|| Among::new(&self.view, &self.rules, record));
            let found = self.view.near(&record.words, most, &mut asking);
            let found: HashSet<u32> = found.into_iter().map(|met| met.number).collect();
            let all = self.view.near_by_scan(&record.words, most);
            let others = all.iter().filter(|neighbor| {
                neighbor.kind.is_searched() && neighbor.text_hash != record.text_hash
            });
            for neighbor in others {
                let in_family = || {
                    Ok(among.neighbors(number) >= FAMILY
                        || among.neighbors(neighbor.number) >= FAMILY)
                };
                if judge
                    .candidate_asking(
                        [number, neighbor.number],
                        Some(neighbor.distance),
                        in_family,
                    )?
                    .is_some()
                {
                    recall.pairs += 1;
                    recall.found += u64::from(found.contains(&neighbor.number));
                }
            }
        }
        Ok(recall)
    }
}

fn bytes(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::document::{Document, Id};
    use crate::index::IndexOptions;
    use crate::watch::Silent;

    /// A text that shares no word with the texts of other numbers.
    fn text(number: i64) -> String {
        (0..4)
            .map(|place| format!("{:x} ", nearprint_core::random::mix(number as u64 * 4 + place)))
            .collect()
    }

    #[test]
    fn what_was_removed_is_forgotten_when_its_space_is_given_back() {
        // Without a file of tables, and with one.
        for documents in [7, 4200] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("seen");
            let mut index =
                Index::create(&path, &Config::default(), &IndexOptions::default()).unwrap();
            let document =
                |id| Document { row: 1, id: Id::Integer(id), text: text(id), fields: vec![] };
            index.add((0..documents).map(document).collect(), false, &Silent).unwrap();
            // One reader sees the removed documents before the list is cleared, and the other one
            // does not.
            let [mut one, mut other] = [(); 2].map(|()| Index::open(&path).unwrap());
            let removed = |index: &mut Index| index.info(0, &Silent).unwrap().removed;
            assert_eq!([&mut index, &mut one, &mut other].map(removed), [0, 0, 0]);
            index.remove(&[Id::Integer(1), Id::Integer(3)]).unwrap();
            assert_eq!([&mut index, &mut one].map(removed), [2, 2]);
            index.compact().unwrap();
            index.remove(&[Id::Integer(0), Id::Integer(documents - 1)]).unwrap();
            for index in [&mut index, &mut one, &mut other] {
                let mut found = |id| index.query(&text(id), 9, &Silent).unwrap().matches.len();
                assert_eq!([1, 3, 0, documents - 1].map(&mut found), [0; 4]);
                assert_eq!([2, documents - 2].map(&mut found), [1, 1]);
                assert_eq!(removed(index), 2);
            }
            index.compact().unwrap();
            assert_eq!([&mut index, &mut one, &mut other].map(removed), [0, 0, 0]);
            assert_eq!(index.verify(&Silent).unwrap().problems, []);
        }
    }
}
