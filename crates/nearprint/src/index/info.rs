//! An index -> what is in it, how large it is, and how much of what is alike it finds.

use std::fs;
use std::path::Path;

use nearprint_core::judge::FAMILY;
use nearprint_core::near::{Among, Asking, Collection};
use nearprint_core::random::mix;
use serde::Serialize;

use super::store::STORE;
use super::{IDENTITY, Index, OPTIONS, TABLES, now};
use crate::error::Error;
use crate::watch::{Watch, stop_if_asked};

/// The distances, in shares of the largest, at which the expected share is told.
const TOLD: u32 = 8;

/// What an index is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// Documents.
    pub documents: u64,
    /// The number of the last change; 1 where there was none.
    pub generation: u64,
    /// Documents that were removed since the index was compacted.
    pub removed: u64,
    /// Files of tables.
    pub files: u64,
    /// Files of tables that were damaged or absent when it was opened.
    pub remade: u64,
    /// Bytes of documents, their texts and the log.
    pub store_bytes: u64,
    /// Bytes of tables.
    pub table_bytes: u64,
    /// Documents behind the last file of tables, which are compared one by one.
    pub tail: u64,
    /// Pairs to this distance are all found.
    pub complete_distance: Option<u32>,
    /// The largest distance of duplicates; none where only equal texts are duplicates.
    pub max_distance: Option<u32>,
    /// For some distances between these the share of pairs that is found, to be expected.
    pub expected: Vec<(u32, f64)>,
    /// The share of duplicates that a sample finds among all that there are.
    pub recall: Option<Recall>,
    /// The recipe.
    pub recipe: String,
    /// The settings that differ from the defaults.
    pub settings: String,
    /// What it keeps.
    pub options: String,
}

/// The duplicates of a sample of documents, all of which were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Recall {
    /// Documents of the sample.
    pub sample: u64,
    /// Duplicates of these that there are by their fingerprints, within the largest distance.
    pub pairs: u64,
    /// Those that the tables find.
    pub found: u64,
}

impl Index {
    /// Says what it is. The duplicates of `sample` documents are looked for among all, to measure
    /// the recall.
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
            let of_files = view
                .tabled()
                .iter()
                .map(|tabled| tabled.plan())
                .filter(|plan| !plan.is_brute_force());
            let complete_distance =
                of_files.map(|plan| plan.complete_distance()).min().or(max_distance);
            let complete_distance =
                complete_distance.map(|complete| complete.min(max_distance.unwrap_or(0)));
            let between =
                complete_distance.zip(max_distance).filter(|(complete, most)| complete < most);
            let told = |(complete, most): (u32, u32)| {
                let step = (most - complete).div_ceil(TOLD);
                (1..=TOLD).map(move |number| (complete + number * step).min(most))
            };
            let mut distances: Vec<u32> = between.map(told).into_iter().flatten().collect();
            distances.dedup();
            let recall = match (sample, between) {
                (0, _) | (_, None) => None,
                _ => Some(index.recall(sample, watch)?),
            };
            Ok(Info {
                documents: index.store.count_at(now())?,
                generation: view.state().generation,
                // The view may know others, which have left the files since.
                removed: index.store.count("removed")?,
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

    /// The share of duplicates that the tables find, of the documents whose numbers mixed are
    /// least.
    fn recall(&self, sample: u32, watch: &dyn Watch) -> Result<Recall, Error> {
        let mut numbers = Vec::new();
        self.store.prints(0..u32::MAX, |number, record| {
            if record.kind.is_searched() {
                numbers.push((mix(number.into()), number));
            }
            Ok(())
        })?;
        numbers.sort_unstable();
        numbers.truncate(sample as usize);
        let most = self.rules.max_distance.unwrap_or(0);
        let mut recall = Recall { sample: numbers.len() as u64, pairs: 0, found: 0 };
        let mut judge = self.judge();
        let mut asking = Asking::default();
        for (_, number) in numbers {
            stop_if_asked(watch)?;
            let Some(record) = self.view.record(number) else { continue };
            let found = self.view.near(&record.words, most, &mut asking);
            let all = self.view.near_by_scan(&record.words, most);
            let others = all
                .iter()
                .filter(|met| met.kind.is_searched() && met.text_hash != record.text_hash);
            for met in others {
                let mut among = Among::new(&self.view, &self.rules, record);
                let in_family = || {
                    Ok(among.neighbors(number) >= FAMILY || among.neighbors(met.number) >= FAMILY)
                };
                if judge
                    .candidate_asking([number, met.number], Some(met.distance), in_family)?
                    .is_some()
                {
                    recall.pairs += 1;
                    recall.found += u64::from(found.iter().any(|own| own.number == met.number));
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

    /// Texts of words that no two have in common.
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
            // One who reads hears of what was removed before it is forgotten, and another one who
            // reads does not.
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
            assert_eq!(index.verify(&Silent).unwrap().problems, Vec::<String>::new());
        }
    }
}
