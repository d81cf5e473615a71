//! Keyword arguments, TOML -> layers of settings -> the library's settings. Every keyword has the
//! name of its setting, `_` for `-`.

use std::path::PathBuf;
use std::sync::Arc;

use nearprint::Error;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::{Table, Value};

use crate::errors::{OrException, exception, usage};
use crate::stats::{Stats, Temporary};

/// Settings, named like the flags of the command line with `_` for `-`: those of a preset, and
/// single ones. They are attributes, None for a setting without a value or not in force.
///
/// `Config(config, **settings)` starts from another Config, or from the path of a TOML file.
/// UsageError for an unknown name or a value of the wrong kind; ranges are checked when a Config is
/// used.
///
/// >>> config = nr.Config(preset="google", min_features=20)
/// >>> config.bits, config.max_distance, nr.Config.from_toml(config.to_toml()) == config
/// (64, 3, True)
#[pyclass(frozen, eq, from_py_object, module = "nearprint")]
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The given settings.
    given: Table,
    settings: nearprint::Config,
    /// The temporary file of statistics that it names.
    stats: Option<Arc<Temporary>>,
}

/// Settings, or their TOML file.
#[derive(Debug, FromPyObject)]
#[expect(clippy::large_enum_variant, reason = "there is one, for a moment")]
pub(crate) enum ConfigOrPath {
    Config(Config),
    Path(PathBuf),
    Other(Py<PyAny>),
}

impl PartialEq for Config {
    fn eq(&self, other: &Config) -> bool {
        self.settings == other.settings
    }
}

#[pymethods]
impl Config {
    /// Settings of a preset, changed by keywords.
    #[new]
    #[pyo3(signature = (config=None, /, **settings))]
    fn new(
        py: Python<'_>,
        config: Option<ConfigOrPath>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Config> {
        Config::of_layers(py, config, settings)
    }

    /// Settings from TOML text, named as on the command line. UsageError with the line for invalid
    /// TOML.
    ///
    /// >>> nr.Config.from_toml("min-similarity = 0.9").min_similarity
    /// 0.9
    #[staticmethod]
    fn from_toml(py: Python<'_>, text: &str) -> PyResult<Config> {
        Config::of_text(text).or_exception(py)
    }

    /// Settings from a TOML file. UsageError with the path if it cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Config> {
        let read = || {
            let in_file = |problem: String| Error::Config {
                file: Some(path.clone()),
                problem: problem.into(),
            };
            let text =
                std::fs::read_to_string(&path).map_err(|error| in_file(error.to_string()))?;
            let given =
                text.parse().map_err(|error: toml::de::Error| in_file(error.to_string()))?;
            Config::of_table(given).map_err(|error| in_file(error.to_string()))
        };
        read().or_exception(py)
    }

    /// All settings in force as TOML, for from_toml, load and the command line's --config.
    /// Statistics built here are in a file that is removed with the process: save them first to use
    /// the TOML elsewhere.
    fn to_toml(&self) -> String {
        self.settings.to_toml()
    }

    /// A copy with some settings changed.
    ///
    /// >>> nr.Config(preset="google").replace(bits=128).max_distance
    /// 6
    #[pyo3(signature = (**settings))]
    fn replace(&self, py: Python<'_>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Config> {
        Config::of_layers(py, Some(ConfigOrPath::Config(self.clone())), settings)
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let table = Table::try_from(&self.settings)
            .map_err(|error| PyTypeError::new_err(error.to_string()))?;
        match table.get(&name.replace('_', "-")) {
            Some(value) => object(py, value),
            None if nearprint::Config::names().contains(&&*name.replace('_', "-")) => {
                Ok(py.None().into_bound(py))
            }
            None => Err(PyAttributeError::new_err(format!("no setting {name}"))),
        }
    }

    fn __dir__(&self) -> Vec<String> {
        let names = nearprint::Config::names();
        let names = names.iter().map(|name| name.replace('-', "_"));
        names.chain(["from_toml", "load", "to_toml", "replace"].map(str::to_string)).collect()
    }

    fn __repr__(&self) -> String {
        let preset = format!("preset={:?}", self.settings.preset);
        let given = self.given.iter().filter(|(name, _)| *name != "preset");
        let given =
            given.map(|(name, value)| format!("{}={}", name.replace('-', "_"), python(value)));
        format!("Config({})", std::iter::once(preset).chain(given).collect::<Vec<_>>().join(", "))
    }

    /// True if the weights need corpus statistics and none are given; the run then counts those of
    /// the input.
    #[getter]
    fn needs_statistics(&self) -> bool {
        self.settings.needs_statistics()
    }

    /// The columns that a run reads: of the text, of the id, and of keep, same and differ.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.settings.columns()
    }

    /// The columns that a run reads of reference documents.
    #[getter]
    fn against_columns(&self) -> Vec<String> {
        self.settings.of_against().columns()
    }

    /// The parts to pickle, with the statistics themselves if their file is removed with the
    /// process.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let text = toml::to_string(&self.given)
            .map_err(|error| PyTypeError::new_err(error.to_string()))?;
        let stats = self
            .stats
            .as_ref()
            .map(|file| Stats::of_file(file.clone()))
            .transpose()
            .or_exception(py)?;
        Ok((py.get_type::<Config>().getattr("_restore")?, (text, stats)))
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, text: &str, stats: Option<&Bound<'_, Stats>>) -> PyResult<Config> {
        let mut given = parse(text).or_exception(py)?;
        if let Some(stats) = stats {
            given.insert("stats".to_string(), stats.get().path().display().to_string().into());
        }
        let stats = stats.and_then(|stats| stats.get().temporary());
        Ok(Config { stats, ..Config::of_table(given).or_exception(py)? })
    }
}

/// The parts to restore a Config from: the given settings as TOML, and statistics in a temporary
/// file.
type Parts = (String, Option<Stats>);

impl Config {
    /// The settings of a Config, changed by keywords.
    pub fn of_layers(
        py: Python<'_>,
        below: Option<ConfigOrPath>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Config> {
        let (given, stats) = Config::given(py, below, keywords)?;
        Ok(Config { stats, ..Config::of_table(given).or_exception(py)? })
    }

    /// The library's settings for functions about words, with words as default features.
    pub fn about_words(
        py: Python<'_>,
        below: Option<ConfigOrPath>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<nearprint::Config> {
        let (mut given, _) = Config::given(py, below, keywords)?;
        given.entry("features").or_insert_with(|| "words".into());
        Ok(Config::of_table(given).or_exception(py)?.settings.with_words())
    }

    /// The settings below, changed by keywords, and the temporary file of statistics that they
    /// name.
    fn given(
        py: Python<'_>,
        below: Option<ConfigOrPath>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(Table, Option<Arc<Temporary>>)> {
        let below = match below {
            Some(ConfigOrPath::Path(path)) => Some(Config::load(py, path)?),
            Some(ConfigOrPath::Config(config)) => Some(config),
            Some(ConfigOrPath::Other(other)) => {
                let kind = other.bind(py).get_type().qualname()?;
                let problem = format!(
                    "is of type {kind}; give a Config, such as nearprint.Config(**settings), or the path \
                     of a TOML file"
                );
                return Err(usage(py, "config", problem));
            }
            None => None,
        };
        let mut given = below.as_ref().map_or_else(Table::new, |config| config.given.clone());
        let mut stats = below.as_ref().and_then(|config| config.stats.clone());
        for (name, value) in keywords.iter().flat_map(|keywords| keywords.iter()) {
            let name: String = name.extract()?;
            let setting = name.replace('_', "-");
            if !value.is_none() {
                if setting == "stats" {
                    stats = value.cast::<Stats>().ok().and_then(|given| given.get().temporary());
                }
                let value = toml_value(&value).map_err(|problem| usage(py, &setting, problem))?;
                if !nearprint::Config::names().contains(&setting.as_str()) {
                    return Err(unknown(py, name, setting, value));
                }
                given.insert(setting, value);
            }
        }
        Ok((given, stats))
    }

    /// Settings from TOML text.
    pub fn of_text(text: &str) -> Result<Config, nearprint::Error> {
        Config::of_table(parse(text)?)
    }

    fn of_table(given: Table) -> Result<Config, nearprint::Error> {
        let settings = nearprint::Config::from_layers(std::slice::from_ref(&given))?;
        Ok(Config { given, settings, stats: None })
    }

    /// The library's settings.
    pub fn settings(&self) -> &nearprint::Config {
        &self.settings
    }

    /// The deduplicator of these settings.
    pub fn deduplicator(&self, py: Python<'_>) -> PyResult<nearprint::Deduplicator> {
        let settings = self.settings.clone();
        py.detach(|| nearprint::Deduplicator::new(settings)).or_exception(py)
    }
}

/// The exception for a keyword that is no setting, under the name that the user wrote.
fn unknown(py: Python<'_>, name: String, setting: String, value: Value) -> PyErr {
    if let Some(answer) = nearprint_cli::answer_in_python(&name) {
        return usage(py, &name, format!("is not a setting of nearprint; {answer}"));
    }
    let layer = Table::from_iter([(setting, value)]);
    match nearprint::Config::from_layers(&[layer]) {
        Err(Error::Usage { problem, .. }) => usage(py, &name, problem),
        Err(error) => exception(py, &error),
        Ok(_) => usage(py, &name, "is not a setting"),
    }
}

fn parse(text: &str) -> Result<Table, Error> {
    text.parse().map_err(|error: toml::de::Error| Error::Config {
        file: None,
        problem: error.to_string().into(),
    })
}

/// The TOML value of a keyword argument.
fn toml_value(value: &Bound<'_, PyAny>) -> Result<Value, String> {
    let failed = |error: PyErr| error.to_string();
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Value::Boolean(value.is_true()));
    }
    if let Ok(value) = value.cast::<PyInt>() {
        return value.extract().map(Value::Integer).map_err(failed);
    }
    if let Ok(value) = value.cast::<PyFloat>() {
        return Ok(Value::Float(value.value()));
    }
    if let Ok(value) = value.cast::<PyString>() {
        return Ok(Value::String(value.to_str().map_err(failed)?.to_string()));
    }
    if let Ok(stats) = value.cast::<Stats>() {
        return Ok(Value::String(stats.get().path().display().to_string()));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter().map_err(failed)?;
        let items = items.map(|item| item.map_err(failed).and_then(|item| toml_value(&item)));
        return items.collect::<Result<_, _>>().map(Value::Array);
    }
    if let Ok(path) = value.extract::<PathBuf>() {
        return Ok(Value::String(path.display().to_string()));
    }
    // Integers and fractions of other libraries, such as NumPy.
    if let Ok(number) = value.call_method0("__index__").and_then(|number| number.extract()) {
        return Ok(Value::Integer(number));
    }
    if let Ok(number) = value.call_method0("__float__").and_then(|number| number.extract()) {
        return Ok(Value::Float(number));
    }
    let kind =
        value.get_type().qualname().map_or_else(|_| "object".to_string(), |name| name.to_string());
    Err(format!(
        "a value of type {kind} cannot be a setting; give a string, a number, a bool or a list of \
         these"
    ))
}

fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Boolean(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Integer(value) => value.into_pyobject(py)?.into_any(),
        Value::Float(value) => value.into_pyobject(py)?.into_any(),
        Value::String(value) => value.into_pyobject(py)?.into_any(),
        Value::Array(values) => {
            let items =
                values.iter().map(|value| object(py, value)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        other => other.to_string().into_pyobject(py)?.into_any(),
    })
}

/// A TOML value as a Python value.
fn python(value: &Value) -> String {
    match value {
        Value::Boolean(true) => "True".to_string(),
        Value::Boolean(false) => "False".to_string(),
        other => other.to_string(),
    }
}
