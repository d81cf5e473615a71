//! What the user asked for: one flat list of settings, each with the name that the command line, a TOML file and Python
//! use. Data only; the rooms give the values their meaning, and [`Pipeline`](crate::pipeline::Pipeline) checks them.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::error::Error;
use crate::fingerprint::{FeatureHash, Position};
pub use crate::size::Size;
use crate::{cluster, features, keep, normalize, read, segment, verify, weights};

/// All settings. [`Default`] is the preset `default`.
///
/// Settings come in layers: a preset, then TOML text, then single settings; a later layer wins.
/// ```
/// use nearprint::config::{Config, MaxDistance};
/// let file = "preset = 'google'\nmin-features = 20".parse()?;
/// let flags = toml::Table::from_iter([("max-distance".to_string(), toml::Value::Integer(4))]);
/// let config = Config::from_layers(&[file, flags])?;
/// assert_eq!((config.bits, config.min_features, config.max_distance), (64, 20, MaxDistance::Bits(4)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// The preset that the other settings start from.
    pub preset: String,

    /// Fields that hold the text; several are joined with a line feed.
    #[serde(rename = "text-field")]
    pub text_fields: Vec<String>,
    /// The field that holds the id.
    pub id_field: String,
    /// The format of all input files; by their names where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<read::Format>,
    /// Whether plain text files hold one document a line.
    pub lines: bool,
    /// Rows of more bytes are refused.
    pub max_document_bytes: u64,
    /// What happens to input that cannot be used.
    pub on_error: OnError,

    /// Steps of normalization.
    pub normalize: normalize::Options,
    /// What fingerprints are made of: grams of letters, or words. All settings from `segmenter` to `feature-hash` but `bits`
    /// are about words.
    pub features: features::Kind,
    /// How text is cut into tokens.
    pub segmenter: segment::Kind,
    /// Whether unknown Chinese words are guessed.
    pub hmm: bool,
    /// Names of built-in stop-word lists (`zh`, `en`, …) and files with one word a line.
    pub stop_words: Vec<String>,
    /// Tokens of fewer characters are dropped.
    pub min_token_length: u32,
    /// Whether only tokens that begin with a Chinese character are kept.
    pub han_only: bool,
    /// Terms in a feature.
    pub ngram: u32,

    /// The weight model.
    pub weights: weights::Model,
    /// The reading of term frequency.
    pub tf: weights::Tf,
    /// The reading of a negative idf.
    pub idf: weights::Idf,
    /// A feature weighs at least as much as one that occurs once with this share of the largest idf.
    pub least_idf: f64,
    /// The largest weight, or `none`.
    #[serde(with = "none_or_number")]
    pub weight_cap: Option<f64>,
    /// Whether a feature's place enters its hash.
    pub position: Position,
    /// Width of fingerprints: 32, 64, 128 or 256.
    pub bits: u32,
    /// The hash that gives features their bits.
    pub feature_hash: FeatureHash,
    /// Documents of fewer features are never matched by fingerprint.
    pub min_features: u32,

    /// The similarity of duplicates, above 0 to 1, for which the run chooses its distances. Sets `min-similarity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The share of pairs of that similarity that is to be found, for which the run chooses its distances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// Pairs farther apart (in bits) are never candidates.
    pub max_distance: MaxDistance,
    /// Every pair within this distance is found; `auto` chooses.
    #[serde(with = "auto_or_number")]
    pub complete_distance: Option<u32>,
    /// How candidates are confirmed.
    pub verify: verify::Measure,
    /// Terms in a shingle of the confirmation.
    pub shingle: u32,
    /// The least similarity of duplicates, above 0 to 1.
    pub min_similarity: f64,
    /// Documents whose duplicates are all looked for, to measure the recall; 0 for no measurement.
    pub recall_sample: u32,

    /// How duplicate pairs become clusters.
    pub cluster: cluster::Method,
    /// Which document of a cluster stays.
    pub keep: keep::Policy,

    /// Threads to use; 0 for as many as the machine has.
    pub threads: usize,
    /// The most memory a run may take; as much as it needs where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// Where temporary files go; where absent beside the output of `dedup`, and in the system's folder for other runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tmp_dir: Option<PathBuf>,
    /// Saved corpus statistics to weigh with, instead of the input's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<PathBuf>,
}

/// The largest distance of candidates. As text `auto`, `off` or a number of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MaxDistance {
    /// A share of the bits that finds what confirmation would confirm.
    #[default]
    Auto,
    /// None: only equal texts match.
    Off,
    /// So many bits.
    Bits(u32),
}

impl Serialize for MaxDistance {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            MaxDistance::Auto => out.serialize_str("auto"),
            MaxDistance::Off => out.serialize_str("off"),
            MaxDistance::Bits(bits) => bits.serialize(out),
        }
    }
}

impl<'de> Deserialize<'de> for MaxDistance {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<MaxDistance, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(u32),
            Word(String),
        }
        match Either::deserialize(input) {
            Ok(Either::Number(bits)) => Ok(MaxDistance::Bits(bits)),
            Ok(Either::Word(word)) if word == "auto" => Ok(MaxDistance::Auto),
            Ok(Either::Word(word)) if word == "off" => Ok(MaxDistance::Off),
            _ => Err(de::Error::custom("expected a number that is not negative, auto, or off")),
        }
    }
}

/// What happens to a file or row that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// The run stops without output.
    #[default]
    Fail,
    /// It is listed and left out.
    Skip,
}

impl Default for Config {
    fn default() -> Config {
        let read = read::Options::default();
        let weights = weights::Options::default();
        let segment = segment::Options::default();
        Config {
            preset: "default".to_string(),
            text_fields: read.text_fields,
            id_field: read.id_field,
            format: None,
            lines: false,
            max_document_bytes: read.max_document_bytes,
            on_error: OnError::Fail,
            normalize: normalize::Options::default(),
            features: features::Kind::Letters,
            segmenter: segment.kind,
            hmm: segment.hmm,
            stop_words: Vec::new(),
            min_token_length: 1,
            han_only: false,
            ngram: 1,
            weights: weights.model,
            tf: weights::Tf::Log,
            idf: weights.idf,
            least_idf: weights.least_idf,
            weight_cap: weights.cap,
            position: Position::Off,
            bits: 256,
            feature_hash: FeatureHash::Xxh3,
            min_features: FEWEST_GRAMS,
            similarity: None,
            recall: None,
            max_distance: MaxDistance::Auto,
            complete_distance: None,
            verify: verify::Measure::Coverage,
            shingle: 3,
            min_similarity: 0.8,
            recall_sample: 128,
            cluster: cluster::Method::Star,
            keep: keep::Policy::First,
            threads: 0,
            memory: None,
            tmp_dir: None,
            stats: None,
        }
    }
}

/// What `min-features` is where features are grams, and where they are words (docs/quality.md).
const FEWEST_GRAMS: u32 = 32;
const FEWEST_WORDS: u32 = 16;

/// The settings that are about words alone. Where one of them is given, features are words.
const WORD_SETTINGS: [&str; 14] = [
    "segmenter",
    "hmm",
    "stop-words",
    "min-token-length",
    "han-only",
    "ngram",
    "weights",
    "tf",
    "idf",
    "least-idf",
    "weight-cap",
    "position",
    "feature-hash",
    "stats",
];

/// The presets: name, what it is for, and how it differs from `default`, as TOML.
pub const PRESETS: [(&str, &str, &str); 6] = [
    ("default", "near-duplicates of articles and web pages, confirmed by their texts", ""),
    (
        "paper",
        "E-SimHash as printed (Zhang Hang et al. 2020)",
        "features = 'words'\nmin-features = 16\ntf = 'raw'\nidf = 'signed'\nleast-idf = 0.0\nposition = 'rank'\nbits = 128\nmax-distance = 10\nverify = 'none'\nmin-similarity = 0.8",
    ),
    (
        "simhash",
        "the plain SimHash that paper compares with",
        "features = 'words'\nmin-features = 16\nweights = 'one'\nbits = 128\nmax-distance = 10\nverify = 'none'\nmin-similarity = 0.8",
    ),
    (
        "google",
        "64 bits within 3 (Manku, Jain and Das Sarma 2007)",
        "features = 'words'\nmin-features = 16\nweights = 'tfidf'\ntf = 'raw'\nbits = 64\nmax-distance = 3\nverify = 'none'\nmin-similarity = 0.8",
    ),
    (
        "md5-32",
        "a published 32-bit variant: MD5 of jieba's Chinese words",
        "features = 'words'\nmin-features = 16\nnormalize = 'none'\nsegmenter = 'chinese'\nhan-only = true\nweights = 'tf'\ntf = 'relative'\nweight-cap = 'none'\n\
         bits = 32\nfeature-hash = 'md5'\nmax-distance = 3\nverify = 'none'\nmin-similarity = 0.8",
    ),
    ("exact", "equal texts only, after normalization", "max-distance = 'off'\nverify = 'none'\nmin-similarity = 1.0"),
];

impl Config {
    /// The settings of a preset.
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown name; it lists the known ones.
    pub fn preset(name: &str) -> Result<Config, Error> {
        let Some((_, _, changes)) = PRESETS.iter().find(|preset| preset.0 == name) else {
            let names: Vec<&str> = PRESETS.iter().map(|preset| preset.0).collect();
            return Err(Error::usage("preset", format!("there is no \"{name}\"; there are: {}", names.join(", "))));
        };
        let mut table = table_of(&Config::default());
        table.extend(changes.parse::<toml::Table>().expect("presets are TOML"));
        table.insert("preset".to_string(), name.into());
        from_table(table)
    }

    /// Settings from layers, each a table of settings by name; a later layer wins. The preset that the last layer with
    /// one names lies below them all. Where a layer says how words are cut or weighed and none sets `features`, they are
    /// words. Where layers set `bits` and no distance, the preset's distances are scaled with it.
    ///
    /// Where a layer sets `similarity` or `recall`, the run chooses the distances, and the preset's are left aside.
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown name, a value of the wrong kind, or `similarity` or `recall` beside what they choose.
    pub fn from_layers(layers: &[toml::Table]) -> Result<Config, Error> {
        let preset = match layers.iter().rev().find_map(|layer| layer.get("preset")) {
            None => "default",
            Some(toml::Value::String(name)) => name,
            Some(other) => return Err(Error::usage("preset", format!("{other} is no name"))),
        };
        let preset = Config::preset(preset)?;
        let mut table = table_of(&preset);
        for layer in layers {
            table.extend(layer.clone());
        }
        let given = |name: &str| layers.iter().any(|layer| layer.contains_key(name));
        let mut config = from_table(table)?;
        config.choose_features(given);
        // Distances mean a share of the bits: one that is not given is the preset's share of other bits.
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

    /// Who says how words are cut or weighed wants words, and who wants words or letters wants the usual bound on few of them.
    fn choose_features(&mut self, given: impl Fn(&str) -> bool) {
        let before = self.features;
        if !given("features") && WORD_SETTINGS.iter().any(|setting| given(setting)) {
            self.features = features::Kind::Words;
        }
        let preset = Config::preset(&self.preset).map_or(before, |preset| preset.features);
        if !given("min-features") && self.features != preset {
            self.min_features = match self.features {
                features::Kind::Letters => FEWEST_GRAMS,
                features::Kind::Words => FEWEST_WORDS,
            };
        }
    }

    /// Where `similarity` or `recall` is set, the distances are the run's to choose, and the similarity is the least one.
    fn leave_to_the_run(&mut self, given: impl Fn(&str) -> bool) -> Result<(), Error> {
        let Some(chooser) = self.chooser() else { return Ok(()) };
        let chosen = |setting: &str, value: String| {
            Err(Error::usage(
                setting,
                format!("{value} is at odds with {chooser}, which chooses it; leave one of them out"),
            ))
        };
        match self.max_distance {
            MaxDistance::Bits(bits) if given("max-distance") => return chosen("max-distance", bits.to_string()),
            MaxDistance::Bits(_) => self.max_distance = MaxDistance::Auto,
            MaxDistance::Auto | MaxDistance::Off => {}
        }
        match self.complete_distance {
            Some(bits) if given("complete-distance") => return chosen("complete-distance", bits.to_string()),
            _ => self.complete_distance = None,
        }
        if let Some(similarity) = self.similarity {
            if given("min-similarity") && self.min_similarity != similarity {
                let problem = format!(
                    "{} is at odds with a similarity of {similarity}; leave one of them out",
                    self.min_similarity
                );
                return Err(Error::usage("min-similarity", problem));
            }
            self.min_similarity = similarity;
        }
        Ok(())
    }

    /// The names of all settings, those among them that may be absent.
    ///
    /// ```
    /// let names = nearprint::Config::names();
    /// assert!(names.contains(&"bits".to_string()) && names.contains(&"stats".to_string()));
    /// ```
    pub fn names() -> Vec<String> {
        let all = Config {
            format: Some(read::Format::JsonLines),
            similarity: Some(1.0),
            recall: Some(0.5),
            memory: Some(Size(0)),
            tmp_dir: Some(PathBuf::new()),
            stats: Some(PathBuf::new()),
            ..Config::default()
        };
        table_of(&all).keys().cloned().collect()
    }

    /// Whether the weights need corpus statistics and no file of them is named: they are the input's own then.
    pub fn needs_statistics(&self) -> bool {
        self.features == features::Kind::Words && self.weights.needs_statistics() && self.stats.is_none()
    }

    /// The columns that a run looks at: of the text, of the id, and of what `keep` asks for.
    pub fn columns(&self) -> Vec<String> {
        let own = self.text_fields.iter().chain([&self.id_field]).cloned();
        own.chain(self.keep.field().map(str::to_string)).collect()
    }

    /// Which setting has the run choose its distances, if one does.
    pub fn chooser(&self) -> Option<&'static str> {
        self.recall.map(|_| "recall").or(self.similarity.map(|_| "similarity"))
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
        let preset = Config::preset(&self.preset).unwrap_or_default();
        let usual = table_of(&preset);
        let mut table = table_of(self);
        table.remove("preset");
        table.retain(|name, value| wanted.contains(&name) || usual.get(name) != Some(value));
        let settings = toml::to_string(&table).expect("settings are TOML values");
        format!("preset = {}\n{settings}", toml::Value::from(self.preset.as_str()))
    }

    /// All settings as TOML, which [`from_layers`](Self::from_layers) takes back.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("settings are TOML values")
    }
}

fn table_of(config: &Config) -> toml::Table {
    toml::Table::try_from(config).expect("settings are TOML values")
}

fn from_table(mut table: toml::Table) -> Result<Config, Error> {
    // Lists may be written as one word or with commas, as on the command line; steps of normalization as a list too.
    for name in ["text-field", "stop-words"] {
        if let Some(toml::Value::String(list)) = table.get(name) {
            let items = list.split(',').map(str::trim).filter(|item| !item.is_empty() && *item != "none");
            let items = items.map(toml::Value::from).collect();
            table.insert(name.to_string(), toml::Value::Array(items));
        }
    }
    if let Some(toml::Value::Array(steps)) = table.get("normalize")
        && let Some(steps) = steps.iter().map(toml::Value::as_str).collect::<Option<Vec<&str>>>()
    {
        let steps = if steps.is_empty() { "none".to_string() } else { steps.join(",") };
        table.insert("normalize".to_string(), steps.into());
    }
    // One setting after the other on top of valid ones, so that a bad value is reported with its name.
    let known = table_of(&Config::default());
    for (name, value) in &table {
        let mut single = known.clone();
        single.insert(name.clone(), value.clone());
        if let Err(error) = single.try_into::<Config>() {
            return Err(Error::usage(name.clone(), error.message().trim().to_string()));
        }
    }
    table.try_into().map_err(|error: toml::de::Error| Error::usage("config", error.message().to_string()))
}

/// A setting that is a number or one word that stands for `None`.
macro_rules! word_or_number {
    ($module:ident, $word:literal, $number:ty) => {
        mod $module {
            use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

            pub(super) fn serialize<S: Serializer>(value: &Option<$number>, out: S) -> Result<S::Ok, S::Error> {
                match value {
                    Some(number) => number.serialize(out),
                    None => out.serialize_str($word),
                }
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Option<$number>, D::Error> {
                #[derive(Deserialize)]
                #[serde(untagged)]
                enum Either {
                    Number($number),
                    Word(String),
                }
                match Either::deserialize(input) {
                    Ok(Either::Number(number)) => Ok(Some(number)),
                    Ok(Either::Word(word)) if word == $word => Ok(None),
                    _ => Err(de::Error::custom(concat!("expected a number that is not negative, or ", $word))),
                }
            }
        }
    };
}

word_or_number!(none_or_number, "none", f64);
word_or_number!(auto_or_number, "auto", u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_round_trips_through_toml() {
        for (name, _, _) in PRESETS {
            let config = Config::preset(name).unwrap();
            assert_eq!(config.preset, name);
            let back = Config::from_layers(&[config.to_toml().parse().unwrap()]).unwrap();
            assert_eq!(back, config);
        }
    }

    #[test]
    fn later_layers_win_whatever_preset_a_layer_names() {
        let file = "max-distance = 5\npreset = 'google'".parse().unwrap();
        let flags = "preset = 'paper'".parse().unwrap();
        let config = Config::from_layers(&[file, flags]).unwrap();
        assert_eq!(
            (config.preset.as_str(), config.position, config.max_distance),
            ("paper", Position::Rank, MaxDistance::Bits(5))
        );
    }

    #[test]
    fn other_bits_alone_scale_the_distances() {
        let config = |toml: &str| Config::from_layers(&[toml.parse().unwrap()]).unwrap();
        let paper = |bits: &str| config(&format!("preset = 'paper'\n{bits}")).max_distance;
        assert_eq!(paper("bits = 64"), MaxDistance::Bits(5));
        assert_eq!(paper("bits = 32"), MaxDistance::Bits(2));
        assert_eq!(paper("bits = 256"), MaxDistance::Bits(20));
        assert_eq!(paper("bits = 64\nmax-distance = 7"), MaxDistance::Bits(7));
        assert_eq!(paper("bits = 64\ncomplete-distance = 'auto'"), MaxDistance::Bits(5));
        assert_eq!(paper("bits = 64\ncomplete-distance = 3"), MaxDistance::Bits(5));
        assert_eq!(config("bits = 64").max_distance, MaxDistance::Auto);
        assert_eq!(config("bits = 64\npreset = 'exact'").max_distance, MaxDistance::Off);
    }

    #[test]
    fn words_stand_for_absent_numbers() {
        let table = "max-distance = 'off'\ncomplete-distance = 'auto'\nweight-cap = 'none'".parse().unwrap();
        let config = Config::from_layers(&[table]).unwrap();
        assert_eq!((config.max_distance, config.complete_distance, config.weight_cap), (MaxDistance::Off, None, None));
    }

    #[test]
    fn a_bad_setting_is_named() {
        for (toml, name, part) in [
            ("max-distance = 'far'", "max-distance", "off"),
            ("max-distance = -1", "max-distance", "not negative"),
            ("colour = 1", "colour", "unknown field"),
            ("weights = 'heavy'", "weights", "entropy"),
            ("normalize = 'upper'", "normalize", "simplified"),
            ("preset = 'best'", "preset", "google"),
            ("keep = 'oldest'", "keep", "newest:FIELD"),
        ] {
            let error = Config::from_layers(&[toml.parse().unwrap()]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{name}: ")) && error.contains(part), "{toml}: {error}");
        }
    }

    #[test]
    fn lists_may_be_written_with_commas() {
        let config = Config::from_layers(&["stop-words = 'zh,en'\ntext-field = 'title'".parse().unwrap()]).unwrap();
        assert_eq!(config.stop_words, ["zh", "en"]);
        assert_eq!(config.text_fields, ["title"]);
        let lists = |toml: &str| Config::from_layers(&[toml.parse().unwrap()]).unwrap().normalize;
        assert_eq!(lists("normalize = ['nfkc', 'case']"), lists("normalize = 'nfkc,case'"));
        assert_eq!(lists("normalize = []"), lists("normalize = 'none'"));
    }
}
