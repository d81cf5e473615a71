//! The groups of settings: reading, fingerprints, the search, the decision on pairs, the kept
//! documents, and the machine.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::values::{auto_or_number, bytes, off_or_number};
use super::{
    Cluster, Delimiter, Distance, Encoding, Escape, Features, Format, IdField, Ids, JustMissed,
    LeakAction, MaxDistance, MaxRejected, Measure, Normalize, OnError, Policy, Quote, RecallSample,
    Size,
};
use crate::read;

/// The default of `min-features` for letters, and for words (docs/algorithms.md).
pub(super) const FEWEST_NGRAMS: u32 = 32;
pub(super) const FEWEST_WORDS: u32 = 16;

/// The default of `min-leak-length` (docs/leaks.md).
const MIN_LEAK_LENGTH: u32 = 60;

/// The input files, their fields, and the treatment of input that cannot be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Read {
    /// The fields of the text, one or more; several are joined with a line feed. In TOML
    /// `text-field`.
    #[serde(rename = "text-field")]
    pub text_fields: Vec<String>,
    /// The fields of the text of reference documents; empty if they are `text_fields`. In TOML
    /// `against-text-field`.
    #[serde(rename = "against-text-field", default, skip_serializing_if = "Vec::is_empty")]
    pub against_text_fields: Vec<String>,
    /// The field of the id.
    pub id_field: IdField,
    /// The field of the id of reference documents; `None` if it is `id_field`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_id_field: Option<IdField>,
    /// The source of ids.
    pub ids: Ids,
    /// The format of all input files; by their names if absent. For reference documents it is the
    /// format of files whose names stand for no format with fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The delimiter of the fields of all CSV and TSV files; a comma and a tab if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Delimiter>,
    /// The quote of the fields of all CSV and TSV files. If absent: the double quote, or none in a
    /// file whose beginning shows that quotes are letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<Quote>,
    /// The escape in quoted fields of all CSV and TSV files; if absent, a quote is doubled only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escape: Option<Escape>,
    /// The character encoding of all text files; UTF-8 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Patterns (globs) of files that are left out of input folders and globs, and of those of
    /// reference documents: of the name of the file, or of its path below the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// The largest number of bytes of a row; 1 to [`LARGEST_DOCUMENT`](super::LARGEST_DOCUMENT). In
    /// TOML it may have a unit, such as `200M`.
    #[serde(deserialize_with = "bytes")]
    pub max_document_bytes: u64,
    /// The treatment of input that cannot be used.
    pub on_error: OnError,
    /// The most rows that may be left out of the input, and of the reference documents; at most
    /// 100 %.
    pub max_rejected: MaxRejected,
}

impl Default for Read {
    fn default() -> Read {
        let read = read::Options::default();
        Read {
            text_fields: read.text_fields,
            against_text_fields: Vec::new(),
            id_field: read.id_field.map_or(IdField::Off, IdField::Named),
            against_id_field: None,
            ids: Ids::Field,
            format: None,
            delimiter: None,
            quote: None,
            escape: None,
            encoding: None,
            exclude: Vec::new(),
            max_document_bytes: read.max_document_bytes,
            on_error: OnError::Fail,
            max_rejected: MaxRejected::default(),
        }
    }
}

/// The normalization, features and width of fingerprints.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Fingerprint {
    /// Steps of normalization.
    pub normalize: Normalize,
    /// A file of passages with a person's verdicts ([`Verdicts`](crate::passage::Verdicts)). Those
    /// with the verdict `right` are left out of texts before these are compared; a text that has
    /// nothing else counts as empty, so it has no duplicates. Texts in outputs stay whole.
    pub ignore_passages: Option<PathBuf>,
    /// The features that fingerprints are made of.
    pub features: Features,
    /// The width of fingerprints in bits: 32, 64, 128 or 256.
    pub bits: u32,
    /// Documents with fewer distinct features are never matched by fingerprint; 1 or more. From
    /// TOML the default is 32 for letters and 16 for words.
    pub min_features: u32,
}

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint {
            normalize: Normalize::default(),
            ignore_passages: None,
            features: Features::Letters,
            bits: 256,
            min_features: FEWEST_NGRAMS,
        }
    }
}

/// The search for candidate pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Search {
    /// The share of the pairs of similarity `min_similarity` that is to be found, between 0 and 1,
    /// exclusive. The run chooses its distances for it by a sample, so `max_distance` and
    /// `complete_distance` must be unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// The distance of two fingerprints that `max_distance` bounds.
    pub distance: Distance,
    /// The largest distance of candidates in bits; below `bits`.
    pub max_distance: MaxDistance,
    /// The distance in bits within which every pair is found; `None`: the run chooses. At most
    /// `max_distance`.
    #[serde(with = "auto_or_number")]
    pub complete_distance: Option<u32>,
    /// The size of the sample that measures the recall.
    pub recall_sample: RecallSample,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            recall: None,
            distance: Distance::Hamming,
            max_distance: MaxDistance::Auto,
            complete_distance: None,
            recall_sample: RecallSample::Documents(128),
        }
    }
}

/// The decision on a candidate pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Decide {
    /// The measure that confirms candidates.
    pub verify: Measure,
    /// The number of terms in a word n-gram (shingle) of `jaccard` and `containment`, 1 to 64.
    pub shingle: u32,
    /// The least similarity of duplicates, above 0 to 1.
    pub min_similarity: f64,
    /// The pairs below that similarity that are kept as just missed.
    pub just_missed: JustMissed,
    /// Fields whose values are equal in duplicates: documents that differ in one of them are no
    /// pair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<String>,
    /// Fields whose values differ in duplicates: documents that agree in one of them are no pair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differ: Vec<String>,
    /// The largest share, 0 to 1, of a removed document that may stand nowhere in its keeper;
    /// `None` for no bound. For coverage and stars only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_lost: Option<f64>,
    /// The file of the marks of a person: pairs marked `right` are merged at any similarity, pairs
    /// marked `wrong` never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<PathBuf>,
}

impl Default for Decide {
    fn default() -> Decide {
        Decide {
            verify: Measure::Coverage,
            shingle: 3,
            min_similarity: 0.75,
            just_missed: JustMissed::Auto,
            same: Vec::new(),
            differ: Vec::new(),
            max_lost: None,
            marks: None,
        }
    }
}

/// The clusters of duplicates, the document that each keeps, and leaks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Keep {
    /// The method that makes clusters of duplicate pairs.
    pub cluster: Cluster,
    /// The rule that chooses the kept document of a cluster. In TOML `keep`.
    #[serde(rename = "keep")]
    pub policy: Policy,
    /// The action on a document that contains an item, which is a reference document.
    pub leak_action: LeakAction,
    /// The least number of letters, 15 at least, of an item that is searched for inside of
    /// documents; a Chinese character counts as two. `None` for no search.
    #[serde(with = "off_or_number")]
    pub min_leak_length: Option<u32>,
}

impl Default for Keep {
    fn default() -> Keep {
        Keep {
            cluster: Cluster::Star,
            policy: Policy::Longest,
            leak_action: LeakAction::Remove,
            min_leak_length: Some(MIN_LEAK_LENGTH),
        }
    }
}

/// The threads, memory and temporary folder of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Run {
    /// The number of threads, at most 1,024; 0 for as many as the machine has.
    pub threads: usize,
    /// The most memory that a run may take, at least [`LEAST_MEMORY`](super::LEAST_MEMORY); if
    /// absent, three quarters of the limit of the container of the process, or as much as it needs
    /// without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// The folder for temporary files; if absent, beside the output of `dedup`, and the system's
    /// folder for other runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tmp_dir: Option<PathBuf>,
}
