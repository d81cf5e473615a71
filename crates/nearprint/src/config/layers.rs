//! TOML tables -> settings. A later table overrides an earlier one.
//!
//! A table is flat: settings about words stand beside the others, and are allowed only if the
//! features are words.

use serde::Serialize;
use toml::{Table, Value};

use super::flat::Flat;
use super::names::{NAMES, WORD_SETTINGS};
use super::values::{SHARES, share};
use super::{Config, FEWEST_NGRAMS, FEWEST_WORDS, Features, MaxDistance};
use crate::error::{Error, distance};
use crate::message;
use crate::message::{Message, Setting};

impl Config {
    /// Settings from TOML text: [`from_layers`](Self::from_layers) with one layer.
    ///
    /// ```
    /// use nearprint::Config;
    /// let error = Config::from_toml("ngram = 2").unwrap_err();
    /// assert_eq!(error.subject(), Some("ngram"));
    /// assert_eq!(Config::from_toml("features = 'words'\nngram = 2")?.words().ngram, 2);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for text that is not TOML; otherwise as `from_layers`.
    pub fn from_toml(text: &str) -> Result<Config, Error> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| Error::Config {
            file: None,
            problem: error.to_string().into(),
        })?;
        Config::from_layers(&[table])
    }

    /// Settings from layers, each a map or struct of settings by name; a later layer wins. The
    /// preset lies below them all; the last layer that names one decides. If layers set `bits` and
    /// no distance, the preset's distances are scaled with the bits. If layers set `features` and
    /// not `min-features`, that is the default for these features.
    ///
    /// If a layer sets `recall`, the run chooses the distances, and the preset's are ignored.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use nearprint::Config;
    /// let (file, flags) = (BTreeMap::from([("bits", 64)]), BTreeMap::from([("bits", 128)]));
    /// assert_eq!(Config::from_layers(&[file, flags])?.fingerprint.bits, 128);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown name, a value of the wrong kind, a setting about words if
    /// features are letters, or `recall` together with the distances that it chooses.
    /// [`Config::check`] checks the ranges.
    pub fn from_layers(layers: &[impl Serialize]) -> Result<Config, Error> {
        let layers: Result<Vec<Table>, _> = layers.iter().map(Table::try_from).collect();
        let layers = layers.map_err(|error| Error::Config {
            file: None,
            problem: format!("settings are not a table of TOML values: {error}").into(),
        })?;
        let preset = match layers.iter().rev().find_map(|layer| layer.get("preset")) {
            None => "default",
            Some(Value::String(name)) => name,
            Some(other) => return Err(Error::usage("preset", format!("{other} is not a name"))),
        };
        let preset = Config::preset(preset)?;
        let mut table = preset.to_table();
        for layer in &layers {
            table.extend(layer.clone());
        }
        let given = |name: &str| layers.iter().any(|layer| layer.contains_key(name));
        let mut config = Config::of_table(table)?;
        config.check_words(given)?;
        if !given("min-features")
            && config.fingerprint.features.kind() != preset.fingerprint.features.kind()
        {
            config.fingerprint.min_features = match config.fingerprint.features {
                Features::Letters => FEWEST_NGRAMS,
                Features::Words(_) => FEWEST_WORDS,
            };
        }
        // Distances are shares of the bits, so a distance that is not set is scaled from the
        // preset's bits.
        let share = f64::from(config.fingerprint.bits) / f64::from(preset.fingerprint.bits);
        let scaled = |distance: u32| (f64::from(distance) * share) as u32;
        if let (false, MaxDistance::Bits(distance)) =
            (given("max-distance"), preset.search.max_distance)
        {
            config.search.max_distance = MaxDistance::Bits(scaled(distance));
        }
        if !given("complete-distance") {
            config.search.complete_distance = preset.search.complete_distance.map(scaled);
        }
        config.leave_to_the_run(given)?;
        Ok(config)
    }

    /// Refuses settings about words if the features are no words.
    fn check_words(&self, given: impl Fn(&str) -> bool) -> Result<(), Error> {
        match WORD_SETTINGS.iter().find(|setting| given(setting)) {
            Some(setting) if self.fingerprint.features == Features::Letters => {
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

    /// With `recall` the run chooses the distances.
    fn leave_to_the_run(&mut self, given: impl Fn(&str) -> bool) -> Result<(), Error> {
        if self.search.recall.is_none() {
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
        match self.search.max_distance {
            MaxDistance::Bits(bits) if given("max-distance") => {
                return chosen("max-distance", bits);
            }
            MaxDistance::Bits(_) => self.search.max_distance = MaxDistance::Auto,
            MaxDistance::Auto | MaxDistance::Off | MaxDistance::Any => {}
        }
        match self.search.complete_distance {
            Some(bits) if given("complete-distance") => chosen("complete-distance", bits),
            _ => {
                self.search.complete_distance = None;
                Ok(())
            }
        }
    }

    /// Settings from a table with all of them.
    pub(super) fn of_table(mut table: Table) -> Result<Config, Error> {
        // Lists may be written as one word or with commas, as on the command line. Steps of
        // normalization may also be a list.
        for name in ["text-field", "against-text-field", "exclude", "stop-words", "same", "differ"]
        {
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
        // Each setting is tried alone on top of valid ones, so that a bad value is reported with
        // its name.
        let known = Config::default().to_table();
        for (name, value) in &table {
            let mut single = known.clone();
            single.insert(name.clone(), value.clone());
            let problem = match single.try_into::<Flat>() {
                _ if !NAMES.contains(&name.as_str()) => unknown(name),
                Ok(_) => continue,
                Err(error) => unfit(name, value, error.message().trim()),
            };
            return Err(Error::usage(name.clone(), problem));
        }
        let flat: Result<Flat, toml::de::Error> = table.try_into();
        flat.map(Flat::config)
            .map_err(|error| Error::Config { file: None, problem: error.message().into() })
    }
}

/// The problem of a name that no setting has.
fn unknown(name: &str) -> Message {
    let is_near = |known: &&&str| 3 * distance(name, known) <= name.len().max(3);
    // Functions take `text` and `id` for these two, and a Config does not.
    let is_its_field = |known: &&&str| {
        !matches!(name, "text" | "id")
            && known.strip_suffix("-field").is_some_and(|own| own == name)
    };
    let nearest = NAMES.iter().min_by_key(|known| distance(name, known)).filter(is_near);
    let nearest = NAMES.iter().find(is_its_field).or(nearest);
    match (name, nearest) {
        ("lines", _) => message!["is a format: set ", Setting::with("format", "lines")],
        ("similarity", _) => message![
            "was replaced: set ",
            Setting::named("min-similarity"),
            " and ",
            Setting::named("recall")
        ],
        (_, Some(known)) => {
            message!["is not a setting; did you mean ", Setting::named(*known), "?"]
        }
        (_, None) => {
            let mut problem = message!["is not a setting; there are: "];
            for (known, number) in NAMES.iter().zip(0..) {
                problem.push(if number > 0 { ", " } else { "" });
                problem.push(Setting::named(*known));
            }
            problem
        }
    }
}

/// The problem of a value that its setting cannot have, and what it may be. `says` is what serde
/// says.
fn unfit(name: &str, value: &Value, says: &str) -> Message {
    let problem = match expected(value, says) {
        Some(expected) => format!("{value} is not {expected}"),
        None => says.to_string(),
    };
    let remedy = value.as_str().and_then(|text| share(text).err());
    match remedy.filter(|_| SHARES.contains(&name)) {
        Some(remedy) => format!("{problem}; {remedy}").into(),
        None => problem.into(),
    }
}

/// The values that a setting takes, in plain words; `None` if serde has a whole sentence.
fn expected(value: &Value, says: &str) -> Option<String> {
    if let Some(expected) = says.strip_prefix("expected ") {
        return Some(expected.to_string());
    }
    let (wrong, kind) = says.rsplit_once(", expected ")?;
    if wrong.starts_with("unknown variant ") {
        let words = kind.trim_start_matches("one of ").replace('`', "").replace(" or ", ", ");
        return Some(format!("one of {words}"));
    }
    Some(match kind {
        _ if !wrong.starts_with("invalid ") => return None,
        "u32" if matches!(value, Value::Integer(1..)) => {
            format!("a whole number from 0 to {}", u32::MAX)
        }
        "u32" | "u64" | "usize" => "a whole number from 0 on".to_string(),
        "f64" => "a number".to_string(),
        "a boolean" => "true or false".to_string(),
        "a sequence" => "a list of texts".to_string(),
        _ if value.is_array() => "a list of texts".to_string(),
        _ => "a text".to_string(),
    })
}

#[cfg(test)]
mod tests;
