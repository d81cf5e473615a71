//! Flags and a TOML file -> the library's settings. Every flag has the name of its setting; flags
//! override the file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args;
use nearprint::config::{Features, share};
use nearprint::message::Setting;
use nearprint::{Config, Error, message};
use serde::Serialize;
use toml::Table;

/// The headings of the flags, in the order in which help shows them.
pub const INPUT: &str = "Input";
const DUPLICATES: &str = "Duplicates";
pub const TEST_SETS: &str = "Test sets";
const SEARCH: &str = "Search";
const FEATURES: &str = "Features";
pub const WORDS: &str = "Words, with --features words";
pub const SPEED: &str = "Speed and memory";
pub const SETTINGS: &str = "Settings";

/// The flag that chooses the distances of a search.
pub const CHOOSER: &str = "recall";

/// Flags that all verbs but `presets` share. A flag that is left out keeps the value of the file or
/// the preset.
#[derive(Debug, Clone, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// Field that holds the text; repeat it to join several with a line feed. As in all names of
    /// fields, 'content|body' takes the first that a row has, doc.text is a field of an object, and
    /// messages[].content that of all objects in a list [default: text].
    #[arg(long, value_name = "FIELD", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    text_field: Vec<String>,
    /// Field that holds the id, any single value. A document without it gets the id FILE:ROW;
    /// off: all documents do [default: id].
    #[arg(long, value_name = "FIELD", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Option::is_none")]
    id_field: Option<String>,
    /// Source of ids: field (--id-field), or file-row (every id is FILE:ROW, for shards that repeat
    /// ids) [default: field].
    #[arg(long, value_name = "field|file-row", help_heading = "Input")]
    #[serde(skip_serializing_if = "Option::is_none")]
    ids: Option<String>,
    /// Format of all input files, whatever their names: json-lines (or jsonl), parquet, csv, tsv,
    /// text, lines. A Parquet file is read as Parquet in any case. A file of --against has it only
    /// if its name tells no format, or plain text.
    #[arg(long, value_name = "FORMAT", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    /// Separator of fields in CSV and TSV files: one character, or tab [default: a comma in CSV, a
    /// tab in TSV].
    #[arg(long, value_name = "CHARACTER", help_heading = "Input")]
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<String>,
    /// Quote of fields in CSV and TSV files: one character, or none if quotes are letters [default:
    /// ", or none in a file whose first megabyte shows that quotes are letters].
    #[arg(long, value_name = "CHARACTER|none", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
    /// Character that makes a quote after it a letter in quoted fields of CSV and TSV files, such as
    /// \; a doubled quote is a letter in any case [default: none].
    #[arg(long, value_name = "CHARACTER", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Option::is_none")]
    escape: Option<String>,
    /// Character encoding of all text files: utf-8, gb18030, big5, shift_jis, euc-kr, utf-16le,
    /// windows-1252 or another name, or auto (detected for each file) [default: utf-8].
    #[arg(long, value_name = "NAME|auto", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// Pass over the files of folders and globs whose name, or path below the folder, matches this
    /// pattern, such as meta.json or 'cache/**'; repeat it for several. The folders of reference
    /// documents count, too. A file that is named by itself is read.
    #[arg(long, value_name = "GLOB", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exclude: Vec<String>,
    /// Short for --format lines.
    #[arg(long, conflicts_with = "format", help_heading = INPUT)]
    #[serde(skip)]
    lines: bool,
    /// Largest size of a row, such as 200M; longer rows are rejected [default: 64M].
    #[arg(long, value_name = "SIZE", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_document_bytes: Option<Scalar>,
    /// Action on an unusable file or row. fail: stop; no output is written, but an index keeps the
    /// documents before it. skip: leave it out and list it, in rejected.jsonl or without an output
    /// folder on standard error; the exit code is 3 then [default: fail].
    #[arg(long, value_name = "fail|skip", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Option::is_none")]
    on_error: Option<String>,
    /// Maximum number of rows, or share of all rows, that --on-error skip may leave out of the
    /// input, and of --against. A file that is left out whole or is damaged is an error, unless
    /// this is 100% [default: 10%].
    #[arg(long, value_name = "N|N%", help_heading = INPUT)]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_rejected: Option<Scalar>,

    /// Minimum similarity of duplicates, inclusive, above 0 to 1: at 0.75 two texts share three
    /// quarters of their letters [default: 0.75].
    #[arg(long, value_name = "S", value_parser = share, help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    min_similarity: Option<f64>,
    /// Compare every candidate and write all pairs of at least this similarity: duplicates to
    /// pairs.jsonl, the others to just_missed.jsonl. auto: only pairs of kept documents, down to
    /// 0.15 below --min-similarity, from a sample if there are many candidates. off: none [default:
    /// auto].
    #[arg(long, value_name = "S", help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    just_missed: Option<Scalar>,
    /// Document to keep in each cluster: longest (most letters and digits), first, newest:FIELD,
    /// oldest:FIELD (by their dates), highest:FIELD.
    #[arg(long, value_name = "POLICY", help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<String>,
    /// Merge documents only if this field has the same value in both, such as a language; repeat it
    /// for several.
    #[arg(long, value_name = "FIELD", help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    same: Vec<String>,
    /// Merge documents only if this field has different values, such as a source; repeat it for
    /// several.
    #[arg(long, value_name = "FIELD", help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differ: Vec<String>,
    /// Remove a document only if at most this share of it, 0 to 1, is missing from its keeper
    /// [default: no limit].
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_lost: Option<f64>,
    /// Marks of a person on pairs of an earlier run, as the report page saves them: pairs marked
    /// right are merged whatever their similarity, and pairs marked wrong never.
    #[arg(long, value_name = "FILE", help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    marks: Option<PathBuf>,
    /// star: each removed document is similar to its keeper; components: other documents may link
    /// the two [default: star].
    #[arg(long, value_name = "star|components", help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<String>,
    /// Similarity measure that confirms candidates by their texts: coverage, jaccard, containment,
    /// cosine, none [default: coverage].
    #[arg(long, value_name = "MEASURE", help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    verify: Option<String>,
    /// Terms in an n-gram for jaccard and containment [default: 3].
    #[arg(long, value_name = "N", help_heading = DUPLICATES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    shingle: Option<Scalar>,

    /// Field that holds the text of reference documents; repeat it to join several [default: that
    /// of --text-field].
    #[arg(long, value_name = "FIELD", help_heading = TEST_SETS)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against_text_field: Vec<String>,
    /// Field that holds the id of reference documents, or off [default: that of --id-field].
    #[arg(long, value_name = "FIELD", help_heading = TEST_SETS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    against_id_field: Option<String>,
    /// Action on a document that contains a reference document: remove (leave the document out),
    /// mask (replace the passage by [masked]), cut (delete the passage), list (keep every document,
    /// also duplicates of reference documents, and list them in leaks.jsonl) [default: remove].
    #[arg(long, value_name = "ACTION", help_heading = TEST_SETS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    leak_action: Option<String>,
    /// Minimum length of a reference document to look for inside longer documents. A Chinese
    /// character counts as two letters; off: look for none [default: 60].
    #[arg(long, value_name = "LETTERS", help_heading = TEST_SETS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    min_leak_length: Option<Scalar>,

    /// Choose the distances from a sample of the input, to find this share, between 0 and 1, of the
    /// pairs of similarity --min-similarity.
    #[arg(long, value_name = "R", value_parser = share, help_heading = SEARCH)]
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    /// Size of the sample that measures the recall of the search: as many pairs as N documents have
    /// with all others; off: no measurement; narrow: enlarged until the 95 % interval is at most 0.1
    /// wide, at any cost [default: 128].
    #[arg(long, value_name = "N|off|narrow", help_heading = SEARCH)]
    #[serde(skip_serializing_if = "Option::is_none")]
    recall_sample: Option<Scalar>,
    /// Distance of two fingerprints: hamming (differing bits) or edit (bits to insert, delete and
    /// replace; compares all pairs, of at most 20,000 documents) [default: hamming].
    #[arg(long, value_name = "hamming|edit", help_heading = SEARCH, hide = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<String>,
    /// Maximum number of bits in which the fingerprints of a candidate pair differ; auto: 80 of 256
    /// bits; off: match equal texts only; any: find all pairs by their word n-grams instead, with
    /// --verify jaccard or containment [default: auto].
    #[arg(long, value_name = "BITS", help_heading = SEARCH)]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_distance: Option<Scalar>,
    /// The search finds every pair within this distance, and a part of the pairs beyond it. auto:
    /// max-distance for up to 20,000 documents, else at most 32 of 256 bits [default: auto].
    #[arg(long, value_name = "BITS", help_heading = SEARCH)]
    #[serde(skip_serializing_if = "Option::is_none")]
    complete_distance: Option<Scalar>,

    /// Normalization steps: none, or a list of addresses, nfkc, simplified, case, digits, space
    /// [default: addresses,nfkc,simplified,case,space].
    #[arg(long, value_name = "STEPS", help_heading = FEATURES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    normalize: Option<String>,
    /// Passages to leave out of texts before they are compared, such as footers: those with the
    /// verdict right in a file of the columns text and verdict, like passage_texts.jsonl of
    /// `nearprint passages`. Outputs keep the whole texts.
    #[arg(long, value_name = "FILE", help_heading = FEATURES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore_passages: Option<PathBuf>,
    /// Features of a fingerprint: letters (n-grams of four letters or two Chinese characters) or
    /// words [default: letters].
    #[arg(long, value_name = "letters|words", help_heading = FEATURES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<String>,
    /// Minimum number of distinct features for a fingerprint; shorter documents are compared by
    /// their characters [default: 32 n-grams, 16 words].
    #[arg(long, value_name = "N", help_heading = FEATURES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    min_features: Option<Scalar>,
    /// Bits of a fingerprint: 32, 64, 128, 256; default distances scale with it [default: 256].
    #[arg(long, value_name = "N", help_heading = FEATURES)]
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<Scalar>,

    /// Method that cuts text into tokens: auto, chinese, words, characters [default: auto].
    #[arg(long, value_name = "NAME", help_heading = WORDS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    segmenter: Option<String>,
    /// Field that holds the tokens of each document, in place of the segmenter: a list of strings,
    /// or a string of tokens separated by spaces.
    #[arg(long, value_name = "FIELD", help_heading = WORDS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_field: Option<String>,
    /// Tokens to drop: built-in lists (zh, en, …) and files with one word per line, separated by
    /// commas.
    #[arg(long, value_name = "zh,en|FILE", help_heading = WORDS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_words: Option<String>,
    /// Minimum length of a token in characters; shorter ones are dropped [default: 1].
    #[arg(long, value_name = "N", help_heading = WORDS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    min_token_length: Option<Scalar>,
    /// Terms in a feature [default: 1].
    #[arg(long, value_name = "N", help_heading = WORDS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    ngram: Option<Scalar>,
    /// Weights of features: one, tf, tfidf, entropy [default: entropy].
    #[arg(long, value_name = "MODEL", help_heading = WORDS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<String>,
    /// Corpus statistics made by `nearprint stats` [default: the input's own].
    #[arg(long, value_name = "FILE", help_heading = WORDS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<PathBuf>,
    /// Guess Chinese words that are not in the dictionary [default: true].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = WORDS, hide = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    hmm: Option<bool>,
    /// Keep only tokens that begin with a Chinese character.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = WORDS, hide = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    han_only: Option<bool>,
    /// Form of the term frequency: raw, relative, log.
    #[arg(long, value_name = "raw|relative|log", help_heading = WORDS, hide = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    tf: Option<String>,
    /// A negative idf counts as 0 (clamped) or stays (signed).
    #[arg(long, value_name = "clamped|signed", help_heading = WORDS, hide = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    idf: Option<String>,
    /// Minimum weight of a feature: that of one occurrence with this share of the largest idf
    /// [default: 0.5].
    #[arg(long, value_name = "SHARE", help_heading = WORDS, hide = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    least_idf: Option<Scalar>,
    /// Maximum weight, or none [default: 90].
    #[arg(long, value_name = "WEIGHT", help_heading = WORDS, hide = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_cap: Option<Scalar>,
    /// Position of a feature as part of its hash: off, rank, bucket:N.
    #[arg(long, value_name = "POSITION", help_heading = WORDS, hide = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    /// Hash function of features: xxh3, md5.
    #[arg(long, value_name = "NAME", help_heading = WORDS, hide = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    feature_hash: Option<String>,

    /// Threads to use; 0: one per processor. The result does not depend on it [default: 0].
    #[arg(long, value_name = "N", help_heading = SPEED)]
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<Scalar>,
    /// Maximum memory of the run, such as 4G, at least 128M. Work that needs more is done in parts;
    /// if that does not help, the run ends with an error [default: three quarters of the
    /// container's limit, or no limit].
    #[arg(long, value_name = "SIZE", help_heading = SPEED)]
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    /// Folder for temporary files, which take about the size of the uncompressed texts, more with
    /// words as features [default: beside the output of dedup, else the system's].
    #[arg(long, value_name = "FOLDER", help_heading = SPEED)]
    #[serde(skip_serializing_if = "Option::is_none")]
    tmp_dir: Option<PathBuf>,

    /// Preset to start from: default, strict, loose, paper, simhash, google, md5-32, jaccard, exact
    /// [default: default].
    #[arg(long, value_name = "NAME", help_heading = SETTINGS)]
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<String>,
    /// TOML file with settings, named like the flags; flags override it.
    #[arg(long, value_name = "FILE", help_heading = SETTINGS)]
    #[serde(skip)]
    config: Option<PathBuf>,
}

/// A number or a word, as TOML has them.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
struct Scalar(toml::Value);

impl std::str::FromStr for Scalar {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Scalar, Self::Err> {
        let number = text.parse::<i64>().map(toml::Value::from);
        let number = number.or_else(|_| text.parse::<f64>().map(toml::Value::from));
        Ok(Scalar(number.unwrap_or_else(|_| text.into())))
    }
}

impl Settings {
    /// The file that the settings come from, if one was named.
    pub fn file(&self) -> Option<PathBuf> {
        self.config.clone()
    }

    /// The settings of the preset, the file and the flags together.
    pub fn config(&self) -> Result<Config, Error> {
        Config::from_layers(&self.layers(&Table::new())?)
    }

    /// The settings of an index with the file and the flags over them.
    pub fn config_over(&self, index: &Config) -> Result<Config, Error> {
        let below = index.to_toml().parse().expect("settings are TOML");
        self.refuse_chooser()?;
        Config::from_layers(&self.layers(&below)?)
    }

    /// The settings for a verb that does not search. It refuses the flag that chooses the distances
    /// of a search, but not that setting in a file, which verbs may share.
    pub fn config_without_search(&self) -> Result<Config, Error> {
        self.refuse_chooser()?;
        self.config()
    }

    /// The settings for a verb about words, which are its default features.
    pub fn config_about_words(&self) -> Result<Config, Error> {
        self.refuse_chooser()?;
        let words = Table::from_iter([("features".to_string(), "words".into())]);
        let config = Config::from_layers(&self.layers(&words)?)?;
        match config.fingerprint.features {
            Features::Words(_) => Ok(config),
            Features::Letters => {
                let problem =
                    message!["statistics count words; set ", Setting::with("features", "words")];
                Err(Error::usage("features", problem))
            }
        }
    }

    /// The settings for a verb that chooses the distances itself, and refuses given ones.
    pub fn config_without_distances(&self) -> Result<Config, Error> {
        let layers = self.layers(&Table::new())?;
        let config = Config::from_layers(&layers)?;
        for setting in ["max-distance", "complete-distance"] {
            let given = layers.iter().rev().find_map(|layer| layer.get(setting));
            if let Some(bits @ toml::Value::Integer(_)) = given {
                let problem = format!(
                    "this verb chooses it and would ignore {bits}; leave it out, or give it to \
                     dedup instead of the proposed value"
                );
                return Err(Error::usage(setting, problem));
            }
        }
        Ok(config)
    }

    fn refuse_chooser(&self) -> Result<(), Error> {
        let problem = "it chooses the distances of a search, and this verb does not search; give \
            it to dedup or tune";
        if self.recall.is_some() { Err(Error::usage(CHOOSER, problem)) } else { Ok(()) }
    }

    /// A table of the file of settings with the settings of one verb, and the file.
    pub fn table(&self, name: &str) -> Result<Option<(PathBuf, toml::Value)>, Error> {
        let Some(path) = &self.config else { return Ok(None) };
        Ok(read(path)?.remove(name).map(|table| (path.clone(), table)))
    }

    /// The layers of settings as tables: the given one below, the file, the flags.
    fn layers(&self, below: &Table) -> Result<Vec<Table>, Error> {
        let mut flags = Table::try_from(self).expect("flags are TOML values");
        if self.lines {
            flags.insert("format".to_string(), "lines".into());
        }
        let Some(path) = &self.config else { return Ok(vec![below.clone(), flags]) };
        let in_file =
            |problem: String| Error::Config { file: Some(path.clone()), problem: problem.into() };
        let mut file = read(path)?;
        // Only the server has settings of its own, which it reads itself.
        file.remove("serve");
        let settings = file.keys().filter(|name| !flags.contains_key(*name)).cloned().collect();
        let _ = OF_FILE.set(OfFile { path: path.clone(), settings });
        // The file is checked alone first, so that a mistake in it is reported for the file, with
        // the library's spelling of settings. A flag may still say that features are words.
        let features =
            flags.get("features").map(|features| ("features".to_string(), features.clone()));
        Config::from_layers(&[below.clone(), file.clone(), Table::from_iter(features)])
            .map_err(|error| in_file(error.to_string()))?;
        Ok(vec![below.clone(), file, flags])
    }
}

/// The settings of a file.
fn read(path: &Path) -> Result<Table, Error> {
    let in_file =
        |problem: String| Error::Config { file: Some(path.to_path_buf()), problem: problem.into() };
    let text = std::fs::read_to_string(path).map_err(|error| in_file(error.to_string()))?;
    text.parse().map_err(|error: toml::de::Error| in_file(error.to_string()))
}

/// The file of settings, and its settings that no flag overrides.
static OF_FILE: OnceLock<OfFile> = OnceLock::new();

struct OfFile {
    path: PathBuf,
    settings: BTreeSet<String>,
}

/// The file of settings, if it has this setting and no flag overrides it.
pub fn only_in_file(setting: &str) -> Option<&'static Path> {
    OF_FILE.get().filter(|file| file.settings.contains(setting)).map(|file| file.path.as_path())
}
