//! A finished run and one or two of its documents -> their fate, and its reasons.
//!
//! Statements of the reports are repeated. For other questions, such as why two documents were not
//! merged, the judge decides again under the settings and the distance of the run.

mod marks;
mod nearest;
mod pair;
mod ranked;
mod reports;

use std::collections::BTreeSet;

use serde::Serialize;

pub use nearest::Nearest;
use nearprint_core::judge::Reason;
use nearprint_core::recipe::{Prepared, Wanted};
pub use pair::Pair;
use reports::Reports;

use crate::compare::compare_by;
use crate::document::Id;
use crate::error::Error;
use crate::finished::{Finished, FoundDocument, Named, Rejected};
use crate::message;
use crate::message::{Message, Verb};
use crate::shown_fields::ShowFields;
use crate::watch::Watch;

/// The fate of some documents of a run, and its reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The documents that the user named.
    pub documents: Vec<Explained>,
    /// For one removed document the pair with its keeper; for two documents their pair.
    pub pairs: Vec<Pair>,
    /// Warnings for the user.
    pub warnings: Vec<Message>,
}

/// The fate of a document in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It is kept.
    Kept,
    /// It is removed.
    Removed,
    /// It could not be read.
    Rejected,
    /// It is a reference document, neither kept nor removed: `against` in JSON.
    #[serde(rename = "against")]
    Reference,
}

/// A document, its fate and the reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// The id; for a rejected row `FILE:ROW`, and for a rejected file `FILE`.
    pub id: Id,
    /// The file, as the user named or found it.
    pub file: String,
    /// The row, from 1; `None` for a whole file.
    pub row: Option<u64>,
    /// The fate.
    pub fate: Fate,
    /// For a rejected row or file the reason.
    pub rejection: Option<Rejected>,
    /// For a removed document its keeper, with the evidence.
    pub removal: Option<Evidence>,
    /// The removed documents for which this one stays, the least similar first, at most 10.
    pub stands_for: Vec<Evidence>,
    /// The number of further removed documents.
    pub more: usize,
    /// The documents that it just missed, as listed in `just_missed.jsonl`, the most similar first,
    /// at most 10.
    pub just_missed: Vec<Evidence>,
    /// For a single kept document that no report mentions: the most similar of the documents with
    /// the nearest fingerprints, mostly far below the bound.
    pub nearest: Option<Nearest>,
    /// True if its text is empty once normalized. An empty document is kept, and is a duplicate of
    /// nothing.
    pub is_empty: bool,
    /// The passages in it that are reference documents, and the reference documents it is a
    /// duplicate of.
    pub leaks: Vec<LeakOf>,
}

/// The evidence on two documents, for one of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// The id of the other document.
    pub id: Id,
    /// The file of the other document.
    pub file: String,
    /// The row of the other document, from 1.
    pub row: u64,
    /// The number of their cluster, from 1; `None` if they just missed each other.
    pub cluster: Option<u32>,
    /// The reason of the removal; `None` if they just missed each other.
    pub reason: Option<Reason>,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// The Hamming distance of their fingerprints in bits; `None` if one of the two is short.
    pub distance: Option<u32>,
    /// The share of the removed document that stands nowhere in its keeper, 0 to 1; `None` if the
    /// texts were not compared.
    pub lost: Option<f64>,
    /// The share of both texts that stands in the other one, if coverage decided.
    pub share: Option<f64>,
    /// The first and the last character, counted from 0, of the place where the keeper stands in
    /// the removed document.
    pub place: Option<[u32; 2]>,
}

/// A leak of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeakOf {
    /// The item.
    pub item: Id,
    /// The reason why it is a leak.
    pub reason: Reason,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// The first and the last character of the item in the document, counted from 0.
    pub place: Option<[u32; 2]>,
    /// The text of the document at that place, as read.
    pub passage: Option<String>,
    /// The action on it.
    pub action: String,
}

/// Explains the fate of one or two documents of a run, each named by its id, by a string id in
/// quotation marks of JSON, or as `FILE:ROW`; `FILE` names a file that the run left out. `show`
/// names the fields that are shown beside the documents of a pair.
///
/// ```
/// use nearprint::explain::{Fate, explain};
/// use nearprint::{Config, Deduplicator, Output, ShowFields, Silent, finished::Finished};
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("poems.csv");
/// std::fs::write(&input, "id,text\n1,春眠不觉晓\n2,床前明月光\n3,春眠不覺曉\n")?;
/// let output = Output::new(folder.path().join("clean"));
/// Deduplicator::new(Config::default())?.dedup(&[input.display().to_string()], &output, &Silent)?;
///
/// let finished = Finished::open(&output.folder)?;
/// let found = explain(&finished, &["3".to_string()], &ShowFields::Usual, &Silent)?;
/// assert_eq!((found.documents[0].fate, found.pairs[0].verdict), (Fate::Removed, "exact"));
/// let names = ["1".to_string(), "poems.csv:2".to_string()];
/// let found = explain(&finished, &names, &ShowFields::Usual, &Silent)?;
/// assert!(found.pairs[0].why[0].to_string().starts_with("1 and 2 are not merged: "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for any other number of names than one or two; [`Error::Incompatible`] for a
/// name that no document has, and for an input or an index that is gone or has changed;
/// [`Error::Io`]; [`Error::Interrupted`].
pub fn explain(
    finished: &Finished,
    names: &[String],
    show: &ShowFields,
    watch: &dyn Watch,
) -> Result<Explanation, Error> {
    if !(1..=2).contains(&names.len()) {
        let problem = format!("{} documents are named; name one or two", names.len());
        return Err(Error::usage("id", problem));
    }
    let finished = &finished.clone().with_fields(&show.names());
    let recipe = finished.config.recipe()?;
    if recipe.takes_tokens() {
        let problem = "the run took the documents' own tokens, and texts are compared here without \
            them; removed.jsonl and the report have the reason of each removal";
        return Err(Error::usage("tokens-field", problem));
    }
    let named = finished.named(names, watch)?;
    let all: Vec<&FoundDocument> = named.iter().flat_map(|named| &named.found).collect();
    let reports = Reports::read(finished, &all)?;
    let mut prepared = Prepared::default();
    let mut explained = |Named { found, rejected }: &Named| -> Vec<Explained> {
        let rejected = rejected.iter().map(|(row, rejected)| Explained::rejected(*row, rejected));
        let found = found.iter().map(|found| {
            recipe.prepare(&found.text, Wanted::default(), &mut prepared);
            Explained { is_empty: prepared.is_empty, ..reports.explained(found) }
        });
        found.chain(rejected).collect()
    };
    let mut documents: Vec<Explained> = named.iter().flat_map(&mut explained).collect();
    let mut unread = Vec::new();
    let pairs: Vec<(FoundDocument, FoundDocument)> = match &named[..] {
        [Named { found, .. }] => {
            let removed =
                found.iter().filter_map(|found| Some((found, reports.removal_of(found)?)));
            let mut pairs = Vec::new();
            for (found, removed) in removed {
                match finished.texts(&[removed.wanted_keeper()], watch) {
                    Ok(keeper) => {
                        pairs.extend(keeper.into_iter().map(|keeper| (found.clone(), keeper)));
                    }
                    // The report tells the verdict without the texts.
                    Err(error @ (Error::Incompatible { .. } | Error::Rejected(_))) => {
                        let text = "; the verdict is that of removed.jsonl, without the texts";
                        unread.push(message![error.message(), text]);
                    }
                    Err(error) => return Err(error),
                }
            }
            pairs
        }
        [Named { found: left, .. }, Named { found: right, .. }]
            if left.is_empty() || right.is_empty() =>
        {
            Vec::new()
        }
        [Named { found: left, .. }, Named { found: right, .. }] => {
            let both = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
            let both: Vec<_> = both.filter(|(left, right)| left.place != right.place).collect();
            // Documents of one side are not compared with each other.
            let across: Vec<_> = both
                .iter()
                .copied()
                .filter(|(left, right)| left.of_against != right.of_against)
                .collect();
            let both = if across.is_empty() { both } else { across };
            if both.is_empty() {
                let problem = message!["both names refer to the same document; name another one"];
                return Err(Error::Incompatible { path: finished.folder.clone(), problem });
            }
            both.into_iter().map(|(left, right)| (left.clone(), right.clone())).collect()
        }
        _ => Vec::new(),
    };
    let rules = finished.config.rules(finished.max_distance);
    if let ([Named { found, .. }], [document]) = (&named[..], &mut documents[..])
        && let [own] = &found[..]
        && document.is_alone()
    {
        document.nearest = nearest::nearest(finished, &recipe, rules, own, watch)?;
    }
    let pair = |(left, right): &(FoundDocument, FoundDocument)| {
        let texts = [&left.text[..], &right.text];
        let compared =
            compare_by(&recipe, rules, texts, nearest::in_family(finished, &recipe, texts)?, 0);
        let removals = [reports.removal_of(left), reports.removal_of(right)];
        Ok(Pair::new(
            finished,
            (&recipe, &rules),
            [left, right],
            removals,
            reports.missed([left, right]),
            compared,
            show,
        ))
    };
    let told = documents.iter().flat_map(|document| {
        [Some(&document.file), document.nearest.as_ref().map(|nearest| &nearest.file)]
            .into_iter()
            .flatten()
    });
    let files: BTreeSet<&String> = told
        .chain(pairs.iter().flat_map(|(left, right)| [&left.place.file, &right.place.file]))
        .collect();
    let list = changed_list(finished, recipe.identity());
    let warnings = [changed(finished, &files, watch)?, Vec::from_iter(list), unread].concat();
    let pairs = pairs.iter().map(pair).collect::<Result<_, Error>>()?;
    Ok(Explanation { documents, pairs, warnings })
}

/// Warns of those files that have changed since the run. Their texts may differ even where ids and
/// lengths do not.
fn changed(
    finished: &Finished,
    files: &BTreeSet<&String>,
    watch: &dyn Watch,
) -> Result<Vec<Message>, Error> {
    let changed = finished.changed_among(|file| files.iter().any(|told| *told == file), watch)?;
    let warning = |file: &String| {
        let changed = format!(
            "{file} has changed since the run, so its texts may differ from the compared ones; run "
        );
        message![changed, Verb::Dedup, " again"]
    };
    Ok(changed.iter().map(warning).collect())
}

/// Warns if the list of ignored passages has changed since the run.
fn changed_list(finished: &Finished, identity: &str) -> Option<Message> {
    let list = finished.config.fingerprint.ignore_passages.as_ref()?;
    let changed = format!(
        "{} has changed since the run, so other passages may be left out of the texts; run ",
        list.display()
    );
    (finished.fingerprint != identity).then(|| message![changed, Verb::Dedup, " again"])
}

impl Explained {
    /// Returns true if the document is kept, and the reports name no similar document.
    fn is_alone(&self) -> bool {
        self.fate == Fate::Kept && self.stands_for.is_empty() && self.just_missed.is_empty()
    }

    /// A rejected file, or a row of it.
    fn rejected(row: Option<u64>, rejected: &Rejected) -> Explained {
        let file = rejected.file.clone();
        Explained {
            id: Id::Text(row.map_or(file.clone(), |row| format!("{file}:{row}"))),
            file,
            row,
            fate: Fate::Rejected,
            rejection: Some(rejected.clone()),
            removal: None,
            stands_for: Vec::new(),
            more: 0,
            just_missed: Vec::new(),
            nearest: None,
            is_empty: false,
            leaks: Vec::new(),
        }
    }
}
