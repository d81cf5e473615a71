//! TOML tables -> settings. A later table overrides an earlier one.
//!
//! A table is flat: settings about words stand beside the others, and are allowed only if the
//! features are words.

use toml::{Table, Value};

use super::flat::Flat;
use super::names::{NAMES, WORD_SETTINGS};
use super::values::{SHARES, share};
use super::{Config, FEWEST_NGRAMS, FEWEST_WORDS, Features, MaxDistance};
use crate::error::{Error, distance};
use crate::message;
use crate::message::Setting;

impl Config {
    /// Settings from layers, each a table of settings by name; a later layer wins. The preset lies
    /// below them all; the last layer that names one decides. If layers set `bits` and no distance,
    /// the preset's distances are scaled with the bits. If layers set `features` and not
    /// `min-features`, that is the default for these features.
    ///
    /// If a layer sets `recall`, the run chooses the distances, and the preset's are ignored.
    ///
    /// ```
    /// use nearprint::Config;
    /// let error = Config::from_layers(&["ngram = 2".parse()?]).unwrap_err();
    /// assert_eq!(error.subject(), Some("ngram"));
    /// let config = Config::from_layers(&["features = 'words'\nngram = 2".parse()?])?;
    /// assert_eq!(config.words().ngram, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown name, a value of the wrong kind, a setting about words if
    /// features are letters, or `recall` together with the distances that it chooses.
    /// [`Config::check`] checks the ranges.
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
        // Distances are shares of the bits, so a distance that is not set is scaled from the
        // preset's bits.
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

    /// Refuses settings about words if the features are no words.
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

    /// With `recall` the run chooses the distances.
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

    /// Settings from a table with all of them.
    pub(super) fn of_table(mut table: Table) -> Result<Config, Error> {
        // Lists may be written as one word or with commas, as on the command line. Steps of
        // normalization may also be a list.
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
        // Each setting is tried alone on top of valid ones, so that a bad value is reported with
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

#[cfg(test)]
mod tests;
