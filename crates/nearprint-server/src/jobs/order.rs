//! What a request asks for -> settings and paths of the library -> a run.

use std::io::Write;
use std::path::{Path, PathBuf};

use nearprint::recipe::is_stop_word_list;
use nearprint::{Config, Deduplicator, Error, Output, ReportOptions, ShowFields, Watch, find};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::places::Places;

/// The kind of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Writes the input without its near-duplicates, or, with `against`, without those of reference
    /// documents.
    Dedup,
    /// Writes the documents of the input that are duplicates of some texts.
    Find,
    /// Writes where reference documents stand in the input, and leaves the input as it is.
    Leaks,
}

/// A job as it is asked for. Paths are written as `NAME/below`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// The kind of the job.
    job: Kind,
    /// Files and folders.
    input: Vec<String>,
    /// Files and folders with reference documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    against: Vec<String>,
    /// The texts that `find` looks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    texts: Vec<String>,
    /// The folder to write; of `find`, the file.
    output: String,
    /// Settings by their names, as in a TOML file.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    settings: Map<String, Value>,
    /// True to write `pairs.jsonl` as well.
    #[serde(default, skip_serializing_if = "is_false")]
    pairs: bool,
    /// True to write `report.html` as well.
    #[serde(default, skip_serializing_if = "is_false")]
    report: bool,
}

/// Returns true for false, for serde.
fn is_false(value: &bool) -> bool {
    !value
}

/// The most bytes of the texts of a job, which are kept with it.
const TEXTS: usize = 1 << 20;

/// The most documents that `find` lists for a text.
const TOP: usize = 10;

/// A job with the paths of its files, and its settings checked.
pub(super) struct Run {
    job: Kind,
    config: Config,
    input: Vec<String>,
    against: Vec<String>,
    texts: Vec<String>,
    output: Output,
}

impl Order {
    /// Checks all that can be checked before the run.
    ///
    /// # Errors
    /// [`Error::Usage`] for a setting or path that cannot be used; as [`Deduplicator::new`].
    pub fn check(&self, places: &Places) -> Result<(), Error> {
        let run = self.run(places)?;
        if run.job == Kind::Find && run.output.folder.exists() {
            let folder = run.output.folder;
            return Err(Error::usage("output", format!("{} exists", folder.display())));
        }
        Deduplicator::new(run.config).map(drop)
    }

    /// The run that is asked for.
    pub(super) fn run(&self, places: &Places) -> Result<Run, Error> {
        let refused = |member, problem: &str| Err(Error::usage(member, problem.to_string()));
        match self.job {
            _ if self.input.is_empty() => return refused("input", "names no file; name some"),
            Kind::Leaks if self.against.is_empty() => {
                return refused("against", "names no reference documents; name some");
            }
            Kind::Find if !self.against.is_empty() => {
                return refused("against", "is not a part of find; leave it out");
            }
            Kind::Find if self.texts.is_empty() => {
                return refused("texts", "has no text to look for; give some");
            }
            Kind::Dedup | Kind::Leaks if !self.texts.is_empty() => {
                return refused("texts", "is only for find; leave it out");
            }
            Kind::Find if self.texts.iter().map(String::len).sum::<usize>() > TEXTS => {
                return refused("texts", "have more than 1 MB; send several jobs");
            }
            Kind::Find if self.pairs || self.report => {
                return refused("output", "find has neither pairs nor report; leave them out");
            }
            _ => {}
        }
        let paths = |setting, names: &[String]| -> Result<Vec<String>, Error> {
            names.iter().map(|name| places.existing(setting, name)).collect()
        };
        let report = ReportOptions { source_field: None, show_fields: ShowFields::Usual };
        let output = Output {
            pairs: self.pairs,
            report: self.report.then_some(report),
            dry_run: self.job == Kind::Leaks,
            ..Output::new(places.output(&self.output)?)
        };
        Ok(Run {
            job: self.job,
            config: self.config(places)?,
            input: paths("input", &self.input)?,
            against: paths("against", &self.against)?,
            texts: self.texts.clone(),
            output,
        })
    }

    /// The settings. Those that name files name them as `NAME/below`.
    fn config(&self, places: &Places) -> Result<Config, Error> {
        let mut settings = self.settings.clone();
        for name in ["ignore-passages", "marks", "stats"] {
            if let Some(Value::String(path)) = settings.get_mut(name) {
                *path = places.existing(name, path)?;
            }
        }
        if settings.contains_key("tmp-dir") {
            let problem = "the server chooses it; leave it out";
            return Err(Error::usage("tmp-dir", problem));
        }
        let config = Config::from_layers(&[settings])?;
        // What is no list would be read as a file, wherever it lies.
        if let Some(other) = config.words().stop_words.iter().find(|own| !is_stop_word_list(own)) {
            let problem =
                format!("{other} is not a list of the program; name some, as in zh or en");
            return Err(Error::usage("stop-words", problem));
        }
        Ok(config)
    }
}

impl Run {
    /// Does the job. Returns its result: what `summary.json` has, or the numbers of `find`.
    ///
    /// # Errors
    /// As [`Deduplicator::dedup`] and [`find()`].
    pub fn run(self, watch: &dyn Watch) -> Result<Value, Error> {
        let Run { job, config, input, against, texts, output } = self;
        if job == Kind::Find {
            let asked = find(&config, &input, texts, TOP, &ShowFields::Usual, watch)?;
            let found: Vec<Value> = asked
                .texts
                .iter()
                .zip(1..)
                .map(|(found, number)| {
                    json!({
                        "text": number,
                        "duplicates": found.duplicates,
                        "more": found.more,
                        "nearest": found.nearest,
                    })
                })
                .collect();
            let duplicates = asked.texts.iter().filter(|found| !found.duplicates.is_empty());
            let told = json!({
                "documents": asked.documents,
                "texts": asked.texts.len(),
                "found": duplicates.count(),
            });
            write_new(output.folder, &json!({"documents": asked.documents, "texts": found}))?;
            return Ok(told);
        }
        let deduplicator = Deduplicator::new(config)?;
        let summary = match against.is_empty() {
            true => deduplicator.dedup(&input, &output, watch)?,
            false => deduplicator.dedup_against(&against, &input, &output, watch)?,
        };
        Ok(serde_json::to_value(summary).unwrap_or_default())
    }
}

/// Writes a file that is complete or absent. A file that is there stays.
fn write_new(path: PathBuf, value: &Value) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        writeln!(file, "{value:#}")?;
        file.as_file().sync_all()?;
        file.persist_noclobber(&path).map(drop).map_err(|error| error.error)
    };
    write().map_err(Error::io("write", path.clone()))
}
