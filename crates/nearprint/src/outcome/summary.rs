//! The run in numbers: `summary.json`.

use std::collections::BTreeMap;

use super::{Bounds, Recall, Undated};
use crate::config::Config;
use crate::corpus::MarksUsed;
use crate::error::Loss;
use crate::estimate::Choice;
use crate::message;
use crate::message::{Message, Setting, Value, Verb};
use crate::watch::Stage;

/// The number of characters of a value that a warning shows.
pub(crate) const SHOWN: usize = 40;

/// The numbers of documents and pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counts {
    /// The number of documents read.
    pub read: u64,
    /// The number of reference documents, which are in no other count; absent in an ordinary run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<u64>,
    /// The number of reference documents that were found in the documents read, whole or inside of
    /// one: those in `leaks.jsonl`, and those of the same text. Absent in an ordinary run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_found: Option<u64>,
    /// The number of documents read that are empty once normalized; they are kept and have no
    /// duplicates.
    pub empty: u64,
    /// The number of documents read with fewer than `min-features` distinct features, which are
    /// compared exactly.
    pub short: u64,
    /// The number of documents removed because their normalized text equals their keeper's.
    pub exact: u64,
    /// The number of documents removed because they were found by fingerprint and confirmed.
    pub near: u64,
    /// The number of documents removed by exact comparison of short documents.
    pub near_short: u64,
    /// The number of documents removed because one of the two texts is nearly contained in the
    /// other, which has more.
    pub contained: u64,
    /// The number of documents removed because they contain a reference document.
    pub contains: u64,
    /// The number of documents removed because a person marked them as right; absent without marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marked: Option<u64>,
    /// The number of documents kept.
    pub kept: u64,
    /// The number of documents removed: exact + near + near_short + contained + contains + marked.
    pub removed: u64,
    /// The numbers of reference documents inside of documents; absent if there was no search for
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaks: Option<LeakCounts>,
    /// The approximate number of characters of removed documents that stand nowhere in their
    /// keepers; `None` if the measure does not tell it for all of them.
    pub lost_characters: Option<u64>,
    /// The number of files and rows left out because they could not be used, those of `against`
    /// included.
    pub rejected: u64,
    /// The number of pairs near in bits, without pairs of two hubs, which are not listed.
    pub candidate_pairs: u64,
    /// The number of pairs whose texts were compared, unlisted ones included: pairs that might
    /// still remove a document, or with `pairs` all.
    pub compared_pairs: u64,
    /// The number of pairs confirmed as duplicates: compared pairs, pairs of short documents (pairs
    /// that might still remove a document, or with `pairs` all), and for each copy of an equal text
    /// its pair with the representative. With `pairs` the number of rows of `pairs.jsonl`.
    pub confirmed_pairs: u64,
    /// The number of clusters of two or more documents.
    pub clusters: u64,
    /// The number of documents in the largest cluster, its keeper included; 0 without a cluster.
    pub largest_cluster: u64,
}

impl Counts {
    /// The number of reference documents that were found, in a sentence without its full stop;
    /// `None` in an ordinary run.
    ///
    /// ```
    /// use nearprint::Counts;
    /// let counts = Counts { against: Some(100), against_found: Some(62), ..Counts::default() };
    /// let found = "62 of 100 reference documents are in the input documents";
    /// assert_eq!(counts.found_in_words().as_deref(), Some(found));
    /// ```
    pub fn found_in_words(&self) -> Option<String> {
        let (all, found) = (self.against?, self.against_found?);
        let documents = if all == 1 { "document" } else { "documents" };
        let are = if found == 1 { "is" } else { "are" };
        Some(format!("{found} of {all} reference {documents} {are} in the input documents"))
    }
}

/// The numbers of duplicates and passages of reference documents: `whole` and `passages` together
/// are the rows of `leaks.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct LeakCounts {
    /// The number of documents that are a duplicate of an item, or contain one.
    pub documents: u64,
    /// The number of documents that are a duplicate of an item as a whole.
    pub whole: u64,
    /// The number of passages that are items, without those of a document that is a duplicate of
    /// that item.
    pub passages: u64,
    /// The number of items that are shorter than `min-leak-length`, which are not searched for
    /// inside of documents.
    pub too_short: u64,
}

/// The summary of a run.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Summary {
    /// The version of nearprint.
    pub nearprint: &'static str,
    /// The recipe of the fingerprints. Fingerprints of two runs can be compared if it is equal.
    pub fingerprint: String,
    /// Every setting in force, by name.
    pub settings: Config,
    /// The input files that were read, as the user named or found them.
    pub inputs: Vec<String>,
    /// The names of the inputs in the output, which ids of the form FILE:ROW use; absent if they
    /// are the last parts of `inputs`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The files of the reference documents; absent in an ordinary run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
    /// XXH3-128 of each file of `against`, then of `inputs`, as it is on disk, in hex; `null` if
    /// the hash is unknown, and absent for documents in memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hashes: Vec<Option<String>>,
    /// True if some ids are integers and others strings, so that two documents may have one name;
    /// absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mixed_ids: bool,
    /// The number of files in folders and globs that were left out, since their endings stand for
    /// no format; absent for none.
    #[serde(skip_serializing_if = "is_none")]
    pub passed_over: u64,
    /// The largest distance of candidates, in bits; `null` if there was no search.
    pub max_distance: Option<u32>,
    /// The value of `max-distance auto` before it was lowered because unrelated documents lie near
    /// one another; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_distance_lowered_from: Option<u32>,
    /// The bound to which every pair was found, in bits; `null` if there was no search.
    pub complete_distance: Option<u32>,
    /// The plan of the join.
    pub plan: String,
    /// The share of pairs exactly `max_distance` apart, in bits at random places, that its tables
    /// see: 1 if every pair is found, and less the farther that is beyond `complete_distance`;
    /// `null` if there was no search.
    pub seen_at_max_distance: Option<f64>,
    /// The estimate for `recall`; absent if it was not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Choice>,
    /// The similarity in the reports, in words.
    pub similarity: String,
    /// The numbers of documents and pairs.
    pub counts: Counts,
    /// The marks of a person that were used, and those that were not; absent without marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarksUsed>,
    /// The share of the duplicate pairs that was found, measured on a sample; `null` if it was not
    /// measured.
    pub recall: Option<Recall>,
    /// The number of documents that would be removed at other least similarities; `null` if only
    /// equal texts are searched for, or if duplicates are only listed.
    pub bounds: Option<Bounds>,
    /// Numbers of bytes: `input` files as they are on disk, `text` as UTF-8, those of `against` in
    /// both; `output` as written. For documents in memory `text` alone.
    pub bytes: BTreeMap<&'static str, u64>,
    /// The stages that an earlier, unfinished run had done; absent for none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<Stage>,
    /// Wall-clock seconds of each stage and of `all`.
    pub seconds: BTreeMap<&'static str, f64>,
    /// The most memory that the process had at once, in bytes; `null` if the system does not report
    /// it.
    pub peak_memory_bytes: Option<u64>,
    /// The limit of the container in bytes, of which the run took at most three quarters; absent
    /// without a limit, or if `memory` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_memory_bytes: Option<u64>,
    /// The field that is the whole text of a document, and the field beside it that has titles by
    /// its name, with the names that other files have for it as alternatives; `None` without such
    /// a field, or if texts are made of several. It is not in `summary.json`.
    #[serde(skip)]
    pub text_and_title: Option<[String; 2]>,
    /// The documents without a date in the field of `keep newest` or `oldest`; absent for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undated: Option<Undated>,
    /// The first value of the field of `keep highest` that is a text and no date, which is probably
    /// ranked in an unintended order. It is not in `summary.json`.
    #[serde(skip)]
    pub misranked: Option<Misranked>,
    /// The files and rows that were left out, in numbers; absent for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
}

/// A value that probably ranks a document in an unintended order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misranked {
    /// The field.
    pub field: String,
    /// The value.
    pub value: String,
    /// The place of the document: its file and row.
    pub place: String,
}

/// The least number of pairs of the sample kept apart that is reported.
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
        // A run over documents in memory may have none, like the first day of a program that runs
        // daily.
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
        if let Some(undated) = &self.undated {
            warnings.extend(undated.warnings());
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
        let apart = self.kept_apart().filter(|recall| 2 * recall.kept_apart >= recall.found);
        warnings.extend(apart.map(|recall| self.kept_apart_in_words(recall)));
        warnings.extend(self.marks.iter().flat_map(MarksUsed::warnings));
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
        // If most pairs stay, it is a warning.
        let apart = self.kept_apart().filter(|recall| 2 * recall.kept_apart < recall.found);
        let apart = apart.map(|recall| self.kept_apart_in_words(recall));
        apart.into_iter().chain(self.text_and_title.iter().map(suggested)).collect()
    }

    /// The recall of the run, if a share of the similar pairs stay that is worth a sentence.
    fn kept_apart(&self) -> Option<Recall> {
        self.recall
            .filter(|recall| recall.kept_apart >= SOME && 10 * recall.kept_apart >= recall.found)
    }

    fn kept_apart_in_words(&self, Recall { found, kept_apart, .. }: Recall) -> Message {
        let stay = format!(
            "both documents of {kept_apart} of {found} similar pairs of the sample are kept, \
             because of near neighbors, hubs or the limit on lost text"
        );
        // Jaccard similarity does not bound the lost share.
        match self.settings.decide.max_lost.is_none() {
            true => message![
                stay,
                "; ",
                Setting::with("verify", "jaccard"),
                " with a lower ",
                Setting::named("min-similarity"),
                " judges each pair by its texts alone"
            ],
            false => message![stay],
        }
    }

    /// The wanted recall of the run and its measured recall, if the former lies above the interval
    /// of the latter. `None` also if no recall was wanted or measured.
    pub fn missed_recall(&self) -> Option<(f64, Recall)> {
        let (choice, recall) = (self.estimate.as_ref()?, self.recall?);
        (recall.high? < choice.recall).then_some((choice.recall, recall))
    }
}
