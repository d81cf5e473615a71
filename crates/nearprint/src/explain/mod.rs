//! A finished run and one or two of its documents -> what became of them, and why.
//!
//! What the reports say is told as they say it. What they do not say, such as why two documents were not merged, is asked of the
//! judge, under the settings and the distance of the run.

mod pair;

use serde::Serialize;

pub use pair::Pair;

use crate::compare::compare_by;
use crate::document::Id;
use crate::error::Error;
use crate::finished::{Finished, Found, Leak, Missed, Place, Removed};
use crate::judge::{Reason, Rules};
use crate::message;
use crate::recipe::Recipe;
use crate::watch::Watch;

/// Removed documents of a keeper that are listed.
const LISTED: usize = 10;

/// What became of some documents of a run, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The documents that were asked for.
    pub documents: Vec<Explained>,
    /// Of one removed document it and its keeper; of two documents these.
    pub pairs: Vec<Pair>,
}

/// What became of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// Its id.
    pub id: Id,
    /// Its file, as the user named or found it.
    pub file: String,
    /// Its row, from 1.
    pub row: u64,
    /// `kept`, `removed`, or `against`: the others were only compared with it.
    pub fate: &'static str,
    /// Of a removed document the document that stays in its place, with the evidence.
    pub removal: Option<Evidence>,
    /// The removed documents for which it stays, the least similar first, at most 10.
    pub stands_for: Vec<Evidence>,
    /// How many more there are.
    pub more: usize,
    /// The documents that it just missed, as `just_missed.jsonl` has them, the most similar first, at most 10.
    pub just_missed: Vec<Evidence>,
    /// The passages in it that are items of the other side, and the items it is a duplicate of.
    pub leaks: Vec<LeakOf>,
}

/// What was measured of two documents: of the two the other one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// The id of the other document.
    pub id: Id,
    /// Its file.
    pub file: String,
    /// Its row, from 1.
    pub row: u64,
    /// The number of their cluster, from 1; `None` where they just missed each other.
    pub cluster: Option<u32>,
    /// Why the one was removed; `None` where they just missed each other.
    pub reason: Option<Reason>,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// The Hamming distance of their fingerprints in bits; `None` where one of the two is short.
    pub distance: Option<u32>,
    /// The share of the removed document that stands nowhere in its keeper, 0 to 1; `None` where the texts were not compared.
    pub lost: Option<f64>,
    /// What fills the form of the two, in a sentence, where other documents show one.
    pub form: Option<String>,
    /// The first and the last character, counted from 0, of the place where the keeper stands in the removed document.
    pub place: Option<[u32; 2]>,
}

/// A leak of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeakOf {
    /// The item.
    pub item: Id,
    /// Why it is a leak.
    pub reason: Reason,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// The first and the last character of the item in the document, counted from 0.
    pub place: Option<[u32; 2]>,
    /// What became of it.
    pub action: String,
}

/// Says what became of one or two documents of a run, each named by its id or as `FILE:ROW`, and why.
///
/// ```
/// use nearprint::{Config, Deduplicator, Output, Silent, explain::explain, finished::Finished};
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("poems.csv");
/// std::fs::write(&input, "id,text\n1,春眠不觉晓\n2,床前明月光\n3,春眠不覺曉\n")?;
/// let output = Output::new(folder.path().join("clean"));
/// Deduplicator::new(Config::default())?.dedup(&[input.display().to_string()], &output, &Silent)?;
///
/// let finished = Finished::open(&output.folder)?;
/// let found = explain(&finished, &["3".to_string()], &Silent)?;
/// assert_eq!((found.documents[0].fate, found.pairs[0].verdict), ("removed", "exact"));
/// let found = explain(&finished, &["1".to_string(), "poems.csv:2".to_string()], &Silent)?;
/// assert!(found.pairs[0].why[0].to_string().starts_with("they were not merged"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Incompatible`] for a name that no document has, and for an input that is gone or has changed; that includes other than one or
/// two names; [`Error::Io`]; [`Error::Interrupted`].
pub fn explain(finished: &Finished, names: &[String], watch: &dyn Watch) -> Result<Explanation, Error> {
    let recipe = Recipe::new(&finished.config)?;
    recipe.check_texts_alone()?;
    let named = finished.named(names, watch)?;
    let all: Vec<&Found> = named.iter().flatten().collect();
    let reports = Reports::read(finished, &all)?;
    let documents: Vec<Explained> = all.iter().map(|found| reports.explained(found)).collect();
    let pairs: Vec<(Found, Found)> = match &named[..] {
        [found] => {
            let removed: Vec<(&Found, &Removed)> =
                found.iter().filter_map(|found| Some((found, reports.removal_of(found)?))).collect();
            let wanted: Vec<_> = removed.iter().map(|(_, removed)| removed.wanted_keeper()).collect();
            let keepers = finished.texts(&wanted, watch)?;
            removed.into_iter().map(|(found, _)| found.clone()).zip(keepers).collect()
        }
        [left, right] => {
            let both = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
            let both: Vec<_> = both.filter(|(left, right)| left.place != right.place).collect();
            // Documents of one side are not compared with each other.
            let across: Vec<_> =
                both.iter().copied().filter(|(left, right)| left.of_against != right.of_against).collect();
            let both = if across.is_empty() { both } else { across };
            if both.is_empty() {
                let problem = message!["both names are those of one document; name another one"];
                return Err(Error::Incompatible { path: finished.folder.clone(), problem });
            }
            both.into_iter().map(|(left, right)| (left.clone(), right.clone())).collect()
        }
        _ => {
            let problem = message![format!("{} documents are named; name one, or two", named.len())];
            return Err(Error::Incompatible { path: finished.folder.clone(), problem });
        }
    };
    let rules = Rules::new(&finished.config, finished.max_distance);
    let pair = |(left, right): &(Found, Found)| {
        let compared = compare_by(&recipe, rules, &left.text, &right.text, 0);
        let removals = [reports.removal_of(left), reports.removal_of(right)];
        Pair::new(finished, &rules, [left, right], removals, reports.missed([left, right]), compared)
    };
    Ok(Explanation { documents, pairs: pairs.iter().map(pair).collect() })
}

/// What the reports say of some documents.
struct Reports {
    /// The removals of them, and those for which they stay.
    removed: Vec<Removed>,
    leaks: Vec<Leak>,
    /// The pairs with one of them that just missed the least similarity, the most similar first.
    missed: Vec<Missed>,
    has_sides: bool,
}

impl Reports {
    fn read(finished: &Finished, documents: &[&Found]) -> Result<Reports, Error> {
        let is_of = |file: &str, row: u64| documents.iter().any(|found| is_at(found, file, row));
        let mut removed = Vec::new();
        for row in finished.removed()? {
            let row = row?;
            if is_of(&row.file, row.row) || is_of(&row.keeper_file, row.keeper_row) {
                removed.push(row);
            }
        }
        let mut leaks = Vec::new();
        for row in finished.leaks()? {
            let row = row?;
            if documents.iter().any(|found| !found.of_against && found.id == row.id) {
                leaks.push(row);
            }
        }
        let mut missed = Vec::new();
        for row in finished.just_missed()? {
            let row = row?;
            if is_of(&row.left_file, row.left_row) || is_of(&row.right_file, row.right_row) {
                missed.push(row);
            }
        }
        missed.sort_by(|one: &Missed, other: &Missed| other.similarity.total_cmp(&one.similarity));
        Ok(Reports { removed, leaks, missed, has_sides: !finished.against.is_empty() })
    }

    /// The pair of these two, if it just missed the least similarity.
    fn missed(&self, [one, other]: [&Found; 2]) -> Option<&Missed> {
        let is = |missed: &&Missed, left: &Found, right: &Found| {
            is_at(left, &missed.left_file, missed.left_row) && is_at(right, &missed.right_file, missed.right_row)
        };
        self.missed.iter().find(|missed| is(missed, one, other) || is(missed, other, one))
    }

    fn removal_of(&self, found: &Found) -> Option<&Removed> {
        self.removed.iter().find(|removed| is_at(found, &removed.file, removed.row))
    }

    fn explained(&self, found: &Found) -> Explained {
        let removal = self.removal_of(found);
        let mut stands_for: Vec<&Removed> =
            self.removed.iter().filter(|removed| is_at(found, &removed.keeper_file, removed.keeper_row)).collect();
        stands_for.sort_by(|one, other| one.similarity.total_cmp(&other.similarity));
        let more = stands_for.len().saturating_sub(LISTED);
        stands_for.truncate(LISTED);
        let removed = |removed: &Removed| {
            Evidence::new(&removed.id, &Place { file: removed.file.clone(), row: removed.row }, removed)
        };
        let leaks = self.leaks.iter().filter(|leak| self.has_sides && !found.of_against && leak.id == found.id);
        let leak = |leak: &Leak| LeakOf {
            item: leak.item.clone(),
            reason: leak.reason,
            similarity: leak.similarity,
            place: place(leak.first, leak.last),
            action: leak.action.clone(),
        };
        let missed = self.missed.iter().filter_map(|missed| {
            let is_left = is_at(found, &missed.left_file, missed.left_row);
            let is_right = is_at(found, &missed.right_file, missed.right_row);
            let (id, file, row) = match (is_left, is_right) {
                (true, _) => (&missed.right, &missed.right_file, missed.right_row),
                (_, true) => (&missed.left, &missed.left_file, missed.left_row),
                _ => return None,
            };
            let place = Place { file: file.clone(), row };
            Some(Evidence::missed(id, &place, missed))
        });
        Explained {
            id: found.id.clone(),
            file: found.place.file.clone(),
            row: found.place.row,
            fate: match removal {
                _ if found.of_against => "against",
                Some(_) => "removed",
                None => "kept",
            },
            removal: removal.map(|removed| {
                let keeper = Place { file: removed.keeper_file.clone(), row: removed.keeper_row };
                Evidence::new(&removed.keeper, &keeper, removed)
            }),
            stands_for: stands_for.into_iter().map(removed).collect(),
            more,
            just_missed: missed.take(LISTED).collect(),
            leaks: leaks.map(leak).collect(),
        }
    }
}

impl Evidence {
    fn new(id: &Id, other: &Place, removed: &Removed) -> Evidence {
        Evidence {
            id: id.clone(),
            file: other.file.clone(),
            row: other.row,
            cluster: Some(removed.cluster),
            reason: Some(removed.reason),
            similarity: removed.similarity,
            distance: removed.distance,
            lost: removed.lost,
            form: removed.form.clone(),
            place: place(removed.first, removed.last),
        }
    }

    fn missed(id: &Id, other: &Place, missed: &Missed) -> Evidence {
        Evidence {
            id: id.clone(),
            file: other.file.clone(),
            row: other.row,
            cluster: None,
            reason: None,
            similarity: missed.similarity,
            distance: missed.distance,
            lost: None,
            form: None,
            place: None,
        }
    }
}

fn is_at(found: &Found, file: &str, row: u64) -> bool {
    found.place.row == row && found.place.file == file
}

fn place(first: Option<u32>, last: Option<u32>) -> Option<[u32; 2]> {
    Some([first?, last?])
}
