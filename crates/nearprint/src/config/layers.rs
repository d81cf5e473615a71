//! TOML tables -> settings, and back. A later table overrides an earlier one.
//!
//! A table is flat: settings about words stand beside the others, and are only allowed where
//! features are words.

use std::path::PathBuf;

use nearprint_core::features::Kind;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use toml::{Table, Value};

use super::names::{NAMES, WORD_SETTINGS};
use super::values::{SHARES, auto_or_number, none_or_number, off_or_number, share};
use super::{
    Cluster, Config, Delimiter, Distance, FEWEST_NGRAMS, FEWEST_WORDS, FeatureHash, Features,
    Format, IdField, Idf, Ids, JustMissed, Keep, LeakAction, MaxDistance, Measure, Normalize,
    OnError, Position, Segmenter, Size, Tf, Weights, Words,
};
use crate::error::{Error, distance};
use crate::message;
use crate::message::Setting;

/// All settings side by side, as a table has them, in the order in which they are shown.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Flat {
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
    fn of(config: &Config) -> Flat {
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

    fn config(self) -> Config {
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

impl Config {
    /// Settings from layers, each a table of settings by name; a later layer wins. The preset that
    /// the last layer with one names lies below them all. Where layers set `bits` and no distance,
    /// the preset's distances are scaled with it; where they set `features` and not `min-features`,
    /// that is the usual one for such features.
    ///
    /// Where a layer sets `recall`, the run chooses the distances, and the preset's are left aside.
    ///
    /// ```
    /// use nearprint::Config;
    /// let error = Config::from_layers(&["ngram = 2".parse()?]).unwrap_err();
    /// assert_eq!(error.subject(), Some("ngram"));
    /// assert_eq!(Config::from_layers(&["features = 'words'\nngram = 2".parse()?])?.words().ngram, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown name, a value of the wrong kind, a setting about words where
    /// features are letters, or `recall` beside the distances that it chooses. Ranges are looked at
    /// by [`Config::check`].
    pub fn from_layers(layers: &[Table]) -> Result<Config, Error> {
        let preset = match layers.iter().rev().find_map(|layer| layer.get("preset")) {
            None => "default",
            Some(Value::String(name)) => name,
            Some(other) => return Err(Error::usage("preset", format!("{other} is not a name"))),
        };
        let preset = Config::preset(preset)?;
        let mut table = preset.to_table();
        for layer in layers {
            table.extend(layer.clone());
        }
        let given = |name: &str| layers.iter().any(|layer| layer.contains_key(name));
        let mut config = Config::of_table(table)?;
        config.check_words(given)?;
        if !given("min-features") && config.features.kind() != preset.features.kind() {
            config.min_features = match config.features {
                Features::Letters => FEWEST_NGRAMS,
                Features::Words(_) => FEWEST_WORDS,
            };
        }
        // Distances mean a share of the bits: one that is not given is the preset's share of other
        // bits.
        let share = f64::from(config.bits) / f64::from(preset.bits);
        let scaled = |distance: u32| (f64::from(distance) * share) as u32;
        if let (false, MaxDistance::Bits(distance)) = (given("max-distance"), preset.max_distance) {
            config.max_distance = MaxDistance::Bits(scaled(distance));
        }
        if !given("complete-distance") {
            config.complete_distance = preset.complete_distance.map(scaled);
        }
        config.leave_to_the_run(given)?;
        Ok(config)
    }

    /// Refuses settings about words where there are none.
    fn check_words(&self, given: impl Fn(&str) -> bool) -> Result<(), Error> {
        match WORD_SETTINGS.iter().find(|setting| given(setting)) {
            Some(setting) if self.features == Features::Letters => {
                let problem = message![
                    "applies to words only, and features are letters; set ",
                    Setting::with("features", "words"),
                    ", or leave it out"
                ];
                Err(Error::usage(*setting, problem))
            }
            _ => Ok(()),
        }
    }

    /// Where `recall` is set, the distances are the run's to choose.
    fn leave_to_the_run(&mut self, given: impl Fn(&str) -> bool) -> Result<(), Error> {
        if self.recall.is_none() {
            return Ok(());
        }
        let chosen = |setting: &str, bits: u32| {
            let recall = Setting::named("recall");
            let problem = message![
                bits,
                " contradicts ",
                recall,
                ", which chooses it; leave one of them out"
            ];
            Err(Error::usage(setting, problem))
        };
        match self.max_distance {
            MaxDistance::Bits(bits) if given("max-distance") => {
                return chosen("max-distance", bits);
            }
            MaxDistance::Bits(_) => self.max_distance = MaxDistance::Auto,
            MaxDistance::Auto | MaxDistance::Off => {}
        }
        match self.complete_distance {
            Some(bits) if given("complete-distance") => chosen("complete-distance", bits),
            _ => {
                self.complete_distance = None;
                Ok(())
            }
        }
    }

    /// The names of all settings, those among them that may be absent.
    ///
    /// ```
    /// let names = nearprint::Config::names();
    /// assert!(names.contains(&"bits") && names.contains(&"stats"));
    /// ```
    pub fn names() -> &'static [&'static str] {
        &NAMES
    }

    /// The settings that are in force, as TOML, which [`from_layers`](Self::from_layers) takes
    /// back.
    ///
    /// Not in force are settings about words where features are letters, those that have no value,
    /// and the length of word n-grams (`shingle`) where it is the default and only `compare` looks
    /// at it.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("settings are TOML values")
    }

    /// The preset, the settings that differ from it and those that are `wanted`, as TOML, which
    /// [`from_layers`](Self::from_layers) takes back.
    ///
    /// ```
    /// use nearprint::Config;
    /// let config = Config { min_features: 20, ..Config::preset("google")? };
    /// assert_eq!(config.to_short_toml(&["bits"]), "preset = \"google\"\nbits = 64\nmin-features = 20\n");
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn to_short_toml(&self, wanted: &[&str]) -> String {
        let mut table = self.in_force();
        // Values that follow from these settings are left out.
        let bringing = ["preset", "features", "bits", "recall"];
        let layer: Table = bringing
            .iter()
            .filter_map(|name| Some((name.to_string(), table.get(*name)?.clone())))
            .collect();
        let usual = Config::from_layers(&[layer]).unwrap_or_default().to_table();
        let preset = Config::preset(&self.preset).unwrap_or_default().to_table();
        table.retain(|name, value| {
            let usual = if bringing.contains(&name) { &preset } else { &usual };
            name != "preset" && (wanted.contains(&name) || usual.get(name) != Some(value))
        });
        let mut shown = format!("preset = {}\n", Value::from(self.preset.as_str()));
        shown += &toml::to_string(&InOrder(&table)).expect("settings are TOML values");
        shown
    }

    /// All settings as a table, those that are not in force as well.
    pub(super) fn to_table(&self) -> Table {
        Table::try_from(Flat::of(self)).expect("settings are TOML values")
    }

    /// The settings that are in force.
    fn in_force(&self) -> Table {
        let mut table = self.to_table();
        if self.features == Features::Letters {
            table.retain(|name, _| !WORD_SETTINGS.contains(&name));
        }
        if !self.verify.needs_terms() && self.shingle == Config::default().shingle {
            table.remove("shingle");
        }
        table
    }

    /// Settings from a table that has them all.
    pub(super) fn of_table(mut table: Table) -> Result<Config, Error> {
        // Lists may be written as one word or with commas, as on the command line; steps of
        // normalization as a list too.
        for name in ["text-field", "against-text-field", "stop-words", "same", "differ"] {
            if let Some(Value::String(list)) = table.get(name) {
                let items = list
                    .split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty() && *item != "none");
                let items = items.map(Value::from).collect();
                table.insert(name.to_string(), Value::Array(items));
            }
        }
        if let Some(Value::Array(steps)) = table.get("normalize")
            && let Some(steps) = steps.iter().map(Value::as_str).collect::<Option<Vec<&str>>>()
        {
            let steps = if steps.is_empty() { "none".to_string() } else { steps.join(",") };
            table.insert("normalize".to_string(), steps.into());
        }
        // One setting after the other on top of valid ones, so that a bad value is reported with
        // its name.
        let known = Config::default().to_table();
        for (name, value) in &table {
            let mut single = known.clone();
            single.insert(name.clone(), value.clone());
            if let Err(error) = single.try_into::<Flat>() {
                let problem = match name.as_str() {
                    "lines" => message!["is a format: set ", Setting::with("format", "lines")],
                    "similarity" => {
                        message![
                            "was replaced: set ",
                            Setting::named("min-similarity"),
                            " and ",
                            Setting::named("recall")
                        ]
                    }
                    name if !NAMES.contains(&name) => {
                        let nearest = NAMES.iter().min_by_key(|known| distance(name, known));
                        let near =
                            nearest.filter(|known| 3 * distance(name, known) <= name.len().max(3));
                        match near {
                            Some(known) => message![
                                "is not a setting; did you mean ",
                                Setting::named(*known),
                                "?"
                            ],
                            None => error.message().trim().into(),
                        }
                    }
                    name if SHARES.contains(&name) => {
                        let says = error.message().trim();
                        let remedy = value.as_str().and_then(|text| share(text).err());
                        remedy.map_or(says.into(), |remedy| format!("{says}; {remedy}").into())
                    }
                    _ => error.message().trim().into(),
                };
                return Err(Error::usage(name.clone(), problem));
            }
        }
        let flat: Result<Flat, toml::de::Error> = table.try_into();
        flat.map(Flat::config)
            .map_err(|error| Error::Config { file: None, problem: error.message().into() })
    }
}

/// A table in the order of the settings.
struct InOrder<'t>(&'t Table);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(self.0.len()))?;
        for name in NAMES {
            if let Some(value) = self.0.get(name) {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

/// The settings that are in force, by their names.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        InOrder(&self.in_force()).serialize(out)
    }
}

#[cfg(test)]
mod tests;
