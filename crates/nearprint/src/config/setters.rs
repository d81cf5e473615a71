//! A method for each setting, to write settings as a chain of calls.

use std::path::PathBuf;

use super::{
    Cluster, Config, Delimiter, Distance, Encoding, Escape, Features, Format, IdField, Ids,
    JustMissed, LeakAction, MaxDistance, MaxRejected, Measure, Normalize, OnError, Policy, Quote,
    RecallSample, Size,
};

macro_rules! setters {
    ($($group:ident of $kind:ident { $($field:ident as $name:ident($value:ty),)+ })+) => {
        /// Each method sets one setting and returns the settings. Ranges are checked by
        /// [`check`](Config::check), which every job calls first.
        impl Config {$($(
            #[doc = concat!("Sets [`", stringify!($field), "`](super::", stringify!($kind), "::", stringify!($field), ").")]
            pub fn $name(mut self, value: $value) -> Config {
                self.$group.$field = value.into();
                self
            }
        )+)+}
    };
}

setters! {
    read of Read {
        text_fields as text_fields(impl Into<Vec<String>>),
        against_text_fields as against_text_fields(impl Into<Vec<String>>),
        id_field as id_field(IdField),
        against_id_field as against_id_field(impl Into<Option<IdField>>),
        ids as ids(Ids),
        format as format(impl Into<Option<Format>>),
        delimiter as delimiter(impl Into<Option<Delimiter>>),
        quote as quote(impl Into<Option<Quote>>),
        escape as escape(impl Into<Option<Escape>>),
        encoding as encoding(impl Into<Option<Encoding>>),
        exclude as exclude(impl Into<Vec<String>>),
        max_document_bytes as max_document_bytes(u64),
        on_error as on_error(OnError),
        max_rejected as max_rejected(MaxRejected),
    }
    fingerprint of Fingerprint {
        normalize as normalize(Normalize),
        ignore_passages as ignore_passages(impl Into<Option<PathBuf>>),
        features as features(Features),
        bits as bits(u32),
        min_features as min_features(u32),
    }
    search of Search {
        recall as recall(impl Into<Option<f64>>),
        distance as distance(Distance),
        max_distance as max_distance(MaxDistance),
        complete_distance as complete_distance(impl Into<Option<u32>>),
        recall_sample as recall_sample(impl Into<RecallSample>),
    }
    decide of Decide {
        verify as verify(Measure),
        shingle as shingle(u32),
        min_similarity as min_similarity(f64),
        just_missed as just_missed(JustMissed),
        same as same(impl Into<Vec<String>>),
        differ as differ(impl Into<Vec<String>>),
        max_lost as max_lost(impl Into<Option<f64>>),
        marks as marks(impl Into<Option<PathBuf>>),
    }
    keep of Keep {
        cluster as cluster(Cluster),
        policy as keep(Policy),
        leak_action as leak_action(LeakAction),
        min_leak_length as min_leak_length(impl Into<Option<u32>>),
    }
    run of Run {
        threads as threads(usize),
        memory as memory(impl Into<Option<Size>>),
        tmp_dir as tmp_dir(impl Into<Option<PathBuf>>),
    }
}
