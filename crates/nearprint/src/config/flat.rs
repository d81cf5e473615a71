//! All settings side by side <-> [`Config`].
//!
//! A table is flat: settings about words stand beside the others.

use std::path::PathBuf;

use nearprint_core::features::Kind;
use serde::{Deserialize, Serialize};

use super::values::{auto_or_number, none_or_number, off_or_number};
use super::{
    Cluster, Config, Delimiter, Distance, FeatureHash, Features, Format, IdField, Idf, Ids,
    JustMissed, Keep, LeakAction, MaxDistance, Measure, Normalize, OnError, Position, Segmenter,
    Size, Tf, Weights, Words,
};

/// All settings side by side, as in a table, in the order in which they are shown.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Flat {
    preset: String,
    text_field: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    against_text_field: Vec<String>,
    id_field: IdField,
    #[serde(skip_serializing_if = "Option::is_none")]
    against_id_field: Option<IdField>,
    ids: Ids,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<Delimiter>,
    max_document_bytes: u64,
    on_error: OnError,
    normalize: Normalize,
    features: Kind,
    segmenter: Segmenter,
    hmm: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_field: Option<String>,
    stop_words: Vec<String>,
    min_token_length: u32,
    han_only: bool,
    ngram: u32,
    weights: Weights,
    tf: Tf,
    idf: Idf,
    least_idf: f64,
    #[serde(with = "none_or_number")]
    weight_cap: Option<f64>,
    position: Position,
    bits: u32,
    feature_hash: FeatureHash,
    min_features: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    distance: Distance,
    max_distance: MaxDistance,
    #[serde(with = "auto_or_number")]
    complete_distance: Option<u32>,
    verify: Measure,
    shingle: u32,
    min_similarity: f64,
    just_missed: JustMissed,
    recall_sample: u32,
    cluster: Cluster,
    keep: Keep,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    same: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    differ: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_lost: Option<f64>,
    leak_action: LeakAction,
    #[serde(with = "off_or_number")]
    min_leak_length: Option<u32>,
    threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Size>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tmp_dir: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<PathBuf>,
}

impl Flat {
    pub fn of(config: &Config) -> Flat {
        let (config, words) = (config.clone(), config.words().clone());
        Flat {
            preset: config.preset,
            text_field: config.text_fields,
            against_text_field: config.against_text_fields,
            id_field: config.id_field,
            against_id_field: config.against_id_field,
            ids: config.ids,
            format: config.format,
            delimiter: config.delimiter,
            max_document_bytes: config.max_document_bytes,
            on_error: config.on_error,
            normalize: config.normalize,
            features: config.features.kind(),
            segmenter: words.segmenter,
            hmm: words.hmm,
            tokens_field: words.tokens_field,
            stop_words: words.stop_words,
            min_token_length: words.min_token_length,
            han_only: words.han_only,
            ngram: words.ngram,
            weights: words.weights,
            tf: words.tf,
            idf: words.idf,
            least_idf: words.least_idf,
            weight_cap: words.weight_cap,
            position: words.position,
            bits: config.bits,
            feature_hash: words.feature_hash,
            min_features: config.min_features,
            recall: config.recall,
            distance: config.distance,
            max_distance: config.max_distance,
            complete_distance: config.complete_distance,
            verify: config.verify,
            shingle: config.shingle,
            min_similarity: config.min_similarity,
            just_missed: config.just_missed,
            recall_sample: config.recall_sample,
            cluster: config.cluster,
            keep: config.keep,
            same: config.same,
            differ: config.differ,
            max_lost: config.max_lost,
            leak_action: config.leak_action,
            min_leak_length: config.min_leak_length,
            threads: config.threads,
            memory: config.memory,
            tmp_dir: config.tmp_dir,
            stats: words.stats,
        }
    }

    pub fn config(self) -> Config {
        let words = Words {
            segmenter: self.segmenter,
            hmm: self.hmm,
            tokens_field: self.tokens_field,
            stop_words: self.stop_words,
            min_token_length: self.min_token_length,
            han_only: self.han_only,
            ngram: self.ngram,
            weights: self.weights,
            tf: self.tf,
            idf: self.idf,
            least_idf: self.least_idf,
            weight_cap: self.weight_cap,
            position: self.position,
            feature_hash: self.feature_hash,
            stats: self.stats,
        };
        Config {
            preset: self.preset,
            text_fields: self.text_field,
            against_text_fields: self.against_text_field,
            id_field: self.id_field,
            against_id_field: self.against_id_field,
            ids: self.ids,
            format: self.format,
            delimiter: self.delimiter,
            max_document_bytes: self.max_document_bytes,
            on_error: self.on_error,
            normalize: self.normalize,
            features: match self.features {
                Kind::Letters => Features::Letters,
                Kind::Words => Features::Words(words),
            },
            bits: self.bits,
            min_features: self.min_features,
            recall: self.recall,
            distance: self.distance,
            max_distance: self.max_distance,
            complete_distance: self.complete_distance,
            verify: self.verify,
            shingle: self.shingle,
            min_similarity: self.min_similarity,
            just_missed: self.just_missed,
            recall_sample: self.recall_sample,
            cluster: self.cluster,
            keep: self.keep,
            same: self.same,
            differ: self.differ,
            max_lost: self.max_lost,
            leak_action: self.leak_action,
            min_leak_length: self.min_leak_length,
            threads: self.threads,
            memory: self.memory,
            tmp_dir: self.tmp_dir,
        }
    }
}
