//! Settings -> TOML, in the order of their names.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use toml::{Table, Value};

use super::flat::Flat;
use super::names::{NAMES, WORD_SETTINGS};
use super::{Config, Features};

impl Config {
    /// The settings in force, as TOML that [`from_layers`](Self::from_layers) reads.
    ///
    /// A setting is not in force if it is about words and features are letters, or if it has no
    /// value. The length of word n-grams (`shingle`) is not in force if it is the default and only
    /// `compare` uses it.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("settings are TOML values")
    }

    /// The preset, the settings that differ from it and the `wanted` ones, as TOML that
    /// [`from_layers`](Self::from_layers) reads.
    ///
    /// ```
    /// use nearprint::Config;
    /// let config = Config::preset("google")?.min_features(20);
    /// let toml = "preset = \"google\"\nbits = 64\nmin-features = 20\n";
    /// assert_eq!(config.to_short_toml(&["bits"]), toml);
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

    /// All settings as a table, including those that are not in force.
    pub(super) fn to_table(&self) -> Table {
        Table::try_from(Flat::of(self)).expect("settings are TOML values")
    }

    /// The settings in force.
    fn in_force(&self) -> Table {
        let mut table = self.to_table();
        if self.fingerprint.features == Features::Letters {
            table.retain(|name, _| !WORD_SETTINGS.contains(&name));
        }
        if !self.decide.verify.needs_terms()
            && self.decide.shingle == Config::default().decide.shingle
        {
            table.remove("shingle");
        }
        table
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

/// Writes the settings in force by their names.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        InOrder(&self.in_force()).serialize(out)
    }
}
