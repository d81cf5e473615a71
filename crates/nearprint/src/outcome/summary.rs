//! The run in numbers: `summary.json`.

use std::collections::BTreeMap;

use super::{Bounds, Recall};
use crate::estimate::Choice;
use crate::message;
use crate::message::{Message, Setting, Value, Verb};
use crate::watch::Stage;

/// Characters of a value that a warning shows.
const SHOWN: usize = 40;

/// Documents and pairs, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counts {
    /// Documents read.
    pub read: u64,
    /// Documents that these were compared with, which are in no other count; absent in an ordinary
    /// run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<u64>,
    /// Of those read, documents that are empty once normalized: kept, duplicates of nothing.
    pub empty: u64,
    /// Of those read, documents of fewer than `min-features` distinct features, compared exactly.
    pub short: u64,
    /// Documents removed because their normalized text equals their keeper's.
    pub exact: u64,
    /// Documents removed because they were found by fingerprint and confirmed.
    pub near: u64,
    /// Documents removed by exact comparison of short documents.
    pub near_short: u64,
    /// Documents removed of which nearly all stands in their keeper, or the other way round, and
    /// one has more.
    pub contained: u64,
    /// Documents removed because one that they were compared with stands inside of them.
    pub contains: u64,
    /// Documents kept.
    pub kept: u64,
    /// Documents removed: exact + near + near_short + contained + contains.
    pub removed: u64,
    /// What stands inside of documents; absent where nothing was looked for there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaks: Option<LeakCounts>,
    /// Characters of removed documents that stand nowhere in their keepers, about, where the texts
    /// were compared.
    pub lost_characters: u64,
    /// Files and rows left out because they could not be used, those of `against` included.
    pub rejected: u64,
    /// Pairs near in bits, but for those of two documents that have so many of them that these are
    /// not listed.
    pub candidate_pairs: u64,
    /// Pairs whose texts were compared, those that are not listed included: those that might still
    /// remove a document, or with `pairs` all.
    pub compared_pairs: u64,
    /// Pairs confirmed as duplicates: compared pairs that are, pairs of short documents (those that
    /// might still remove a document, or with `pairs` all), and for each copy of an equal text its
    /// pair with the one that stands for all of them. With `pairs` the rows of `pairs.jsonl`.
    pub confirmed_pairs: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents in the largest cluster, its keeper included; 0 where there is none.
    pub largest_cluster: u64,
}

/// What was found of the other side, counted: `whole` and `passages` together are the rows of
/// `leaks.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct LeakCounts {
    /// Documents that are a duplicate of an item, or contain one.
    pub documents: u64,
    /// Documents that are a duplicate of an item as a whole.
    pub whole: u64,
    /// Passages that are items, but for those of a document that is a duplicate of that item.
    pub passages: u64,
    /// Items that are shorter than `min-leak-length`, and so were not looked for inside of
    /// documents.
    pub too_short: u64,
}

/// All that is said about a run.
#[derive(Debug, serde::Serialize)]
pub struct Summary {
    /// The version of nearprint.
    pub nearprint: &'static str,
    /// How fingerprints were made: two runs' fingerprints may be compared where this is equal.
    pub fingerprint: String,
    /// Every setting that is in force, by name.
    pub settings: serde_json::Value,
    /// The input files that were read, as the user named or found them.
    pub inputs: Vec<String>,
    /// The names of these in the output, by which ids of the form FILE:ROW call them; absent where
    /// they are the last parts of `inputs`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The files that these were compared with; absent in an ordinary run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
    /// XXH3-128 of each file of `against`, then of `inputs`, as it is on disk, in hex; `null` for
    /// one of which no hash is known, and absent for documents in memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hashes: Vec<Option<String>>,
    /// Whether some ids are integers and others strings, so that one name may be that of two
    /// documents; absent where not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mixed_ids: bool,
    /// Files of the input that were passed over in folders and globs, since their endings tell no
    /// format; absent for none.
    #[serde(skip_serializing_if = "is_none")]
    pub passed_over: u64,
    /// The largest distance of candidates, in bits; `null` where nothing was searched.
    pub max_distance: Option<u32>,
    /// The distance that `max-distance auto` stands for, where it was lowered because unrelated
    /// documents lie near one another; else absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_distance_lowered_from: Option<u32>,
    /// The bound to which every pair was found, in bits; `null` where nothing was searched.
    pub complete_distance: Option<u32>,
    /// How the join went about it.
    pub plan: String,
    /// The share of pairs exactly `max_distance` apart, in bits at random places, that its tables
    /// see: 1 where every pair is found, and less the farther that is beyond `complete_distance`;
    /// `null` where nothing was searched.
    pub seen_at_max_distance: Option<f64>,
    /// The estimate that `recall` led to; absent where it was not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Choice>,
    /// The similarity in the reports, in words.
    pub similarity: String,
    /// Documents and pairs.
    pub counts: Counts,
    /// The share of the duplicate pairs that was found, measured on a sample; `null` where none is
    /// measured.
    pub recall: Option<Recall>,
    /// How many documents would be removed at other least similarities; `null` where only equal
    /// texts are looked for, and where duplicates are only listed.
    pub bounds: Option<Bounds>,
    /// Bytes: `input` files as they are on disk, `text` as UTF-8, those of `against` in both;
    /// `output` as written. Of documents in memory `text` alone.
    pub bytes: BTreeMap<&'static str, u64>,
    /// Stages that an earlier, unfinished run had done; absent for none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<Stage>,
    /// Wall-clock seconds of each stage and of `all`.
    pub seconds: BTreeMap<&'static str, f64>,
    /// The most memory the process had at once, in bytes; `null` where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
    /// The limit of the container in bytes, of which the run took three quarters at most; absent
    /// where there is none, or `memory` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_memory_bytes: Option<u64>,
    /// The field that is the whole text of a document, and one beside it that has titles by its
    /// name; `None` where there is no such field, or texts are made of several. It is not in
    /// `summary.json`.
    #[serde(skip)]
    pub text_and_title: Option<[String; 2]>,
    /// The first value of the field of `keep` that is a text and no date, which hardly ranks as it
    /// is meant. It is not in `summary.json`.
    #[serde(skip)]
    pub misranked: Option<Misranked>,
}

/// A value by which a document hardly ranks as it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misranked {
    /// The field.
    pub field: String,
    /// Its value.
    pub value: String,
    /// The document: its file and row.
    pub place: String,
}

/// Pairs of the sample that are kept apart, from which on it is worth a sentence.
const SOME: u64 = 10;

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Summary {
    /// Warnings about the run, in sentences.
    pub fn warnings(&self) -> Vec<Message> {
        let [max_distance, recall_setting, similarity] =
            ["max-distance", "recall", "min-similarity"].map(Setting::named);
        let mut warnings = Vec::new();
        // Documents in memory may well be none, as on the first day of a program that runs daily.
        let of_files = self.bytes.contains_key("input");
        if of_files && self.counts.against == Some(0) {
            let against = Setting::named("against");
            warnings.push(message![
                against,
                " has no documents, so nothing was compared; check whether it is the right file"
            ]);
        }
        if let (Some(against), Some(LeakCounts { too_short, .. })) =
            (self.counts.against, self.counts.leaks)
            && too_short > against / 2
        {
            let length = "min-leak-length";
            warnings.push(message![
                format!("{too_short} of {against} documents of "),
                Setting::named("against"),
                " are too short to search inside other documents, and were compared with whole \
                 documents only; set a smaller ",
                Setting::named(length),
                ", or ",
                Setting::with(length, "off"),
                " to accept this"
            ]);
        }
        if let Some(Misranked { field, value, place }) = &self.misranked {
            let value = value.chars().take(SHOWN).collect::<String>();
            warnings.push(message![
                format!("the field \"{field}\", which ranks documents, has text that is not a \
                    date, such as \"{value}\" ({place}); "),
                "text ranks letter by letter, and below numbers: write numbers without quotation marks, and dates like 2026-01-31, or name \
                 another field with ",
                Setting::named("keep")
            ]);
        }
        if let Some((
            asked,
            Recall { recall: Some(recall), low: Some(low), high: Some(high), .. },
        )) = self.missed_recall()
        {
            warnings.push(message![
                format!(
                    "the recall of this run is {recall:.3} ({low:.3} to {high:.3}), measured \
                    on a sample, below the target of "
                ),
                format!("{asked}; set a larger "),
                max_distance,
                " instead of ",
                recall_setting,
                ", set a lower ",
                similarity,
                ", or measure the distances with ",
                Verb::Tune
            ]);
        }
        if let (Some(before), Some(now)) = (self.max_distance_lowered_from, self.max_distance) {
            warnings.push(message![
                format!(
                    "unrelated documents are close in bits, so the maximum distance of \
                    candidates is {now} bits instead "
                ),
                format!("of {before}; "),
                if self.recall.is_some() {
                    "the summary has the measured recall, and \
                    "
                } else {
                    ""
                },
                Setting::with("max-distance", before),
                " searches farther, and takes longer"
            ]);
        }
        warnings
    }

    /// Suggestions for the next run over such documents, in sentences.
    pub fn suggestions(&self) -> Vec<Message> {
        let with = |field: &String| Setting::with("text-field", Value::Word(field.clone().into()));
        let suggested = |[text, title]: &[String; 2]| {
            message![
                "the field \"",
                title,
                "\" was not compared; title and text together better distinguish texts of one \
                 template: ",
                with(title),
                " ",
                with(text)
            ]
        };
        let apart = self
            .recall
            .filter(|recall| recall.kept_apart >= SOME && 10 * recall.kept_apart >= recall.found);
        let apart = apart.map(|Recall { found, kept_apart, .. }| {
            let stay = format!(
                "both documents of {kept_apart} of {found} similar pairs of the sample are kept, \
                 because of near neighbors, hubs or the limit on lost text"
            );
            // Jaccard similarity knows no bound on what is lost.
            match self.settings.get("max-lost").is_none_or(serde_json::Value::is_null) {
                true => {
                    message![
                        stay,
                        "; ",
                        Setting::with("verify", "jaccard"),
                        " judges each pair by \
                        its texts alone"
                    ]
                }
                false => message![stay],
            }
        });
        apart.into_iter().chain(self.text_and_title.iter().map(suggested)).collect()
    }

    /// The recall that the run was asked for, and the one that it has by its measurement, where the
    /// former lies above the interval of the latter. `None` also where no recall was asked for, or
    /// none was measured.
    pub fn missed_recall(&self) -> Option<(f64, Recall)> {
        let (choice, recall) = (self.estimate.as_ref()?, self.recall?);
        (recall.high? < choice.recall).then_some((choice.recall, recall))
    }
}
