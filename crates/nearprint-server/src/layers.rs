//! A file, the environment and flags -> what a server is told. A later layer overrides an earlier
//! one.
//!
//! [`SETTINGS`] lists each setting once. The layers, the help and the checks go by it.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nearprint::Error;
use nearprint::config::Size;
use nearprint::index::{IndexOptions, Ttl};
use toml::Value;
use tracing::level_filters::LevelFilter;

use crate::settings::Settings;

/// The beginning of the names of settings in the environment.
const PREFIX: &str = "NEARPRINT_SERVE_";

/// What a server is told when it starts.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// The address and the limits.
    pub settings: Settings,
    /// What a new index keeps.
    pub kept: IndexOptions,
    /// True if the server may listen beyond this machine without access control.
    pub insecure: bool,
}

/// The values that a setting takes, with their name in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// One value.
    One(&'static str),
    /// Any number of values. In the environment they are separated by commas.
    Many(&'static str),
    /// `true` or `false`; a flag takes none and means `true`.
    Switch,
}

/// A setting of a server.
#[derive(Debug)]
pub struct Setting {
    /// Its name as a flag and in a file. In the environment it is in capitals, with underscores.
    pub name: &'static str,
    /// The values that it takes.
    pub takes: Takes,
    /// What it does.
    pub help: &'static str,
    set: fn(&mut Told, &[String]) -> Result<(), String>,
    shown: fn(&Told) -> Option<String>,
}

impl Setting {
    /// The default, if it has one.
    pub fn default(&self) -> Option<String> {
        (self.shown)(&Told::default())
    }
}

/// A setting with one value: how it is read, and how it is shown.
macro_rules! one {
    ($name:literal, $value:literal, $($field:ident).+, $read:expr, $show:expr, $help:literal) => {
        Setting {
            name: $name,
            takes: Takes::One($value),
            help: $help,
            set: |told, values| {
                told.$($field).+ = $read(only(values)?)?;
                Ok(())
            },
            shown: |told| Some($show(&told.$($field).+)),
        }
    };
}

/// All settings, in the order in which the help shows them.
pub const SETTINGS: &[Setting] = &[
    one!(
        "listen",
        "ADDRESS",
        settings.listen,
        address,
        shown,
        "Address to listen to; port 0 takes a free one"
    ),
    Setting {
        name: "insecure",
        takes: Takes::Switch,
        help: "Listen beyond this machine without tokens, although anybody who reaches the address may \
               read and change the index",
        set: |told, values| switch(values).map(|value| told.insecure = value),
        shown: |_| None,
    },
    Setting {
        name: "tokens",
        takes: Takes::One("FILE"),
        help: "File of the tokens that may ask, as nearprint token writes it",
        set: |told, values| {
            told.settings.tokens = Some(only(values)?.into());
            Ok(())
        },
        shown: |_| None,
    },
    Setting {
        name: "host",
        takes: Takes::Many("NAME"),
        help: "Name under which a proxy or another machine asks a server without tokens; repeat it for \
               more",
        set: |told, values| {
            told.settings.hosts = values.to_vec();
            Ok(())
        },
        shown: |_| None,
    },
    Setting {
        name: "rate",
        takes: Takes::One("ROWS"),
        help: "Rows a second of each token, or without tokens of each address; 20:100 allows 100 at \
               once after a pause [default: no bound]",
        set: |told, values| {
            told.settings.rate = Some(only(values)?.parse()?);
            Ok(())
        },
        shown: |_| None,
    },
    Setting {
        name: "collection",
        takes: Takes::Many("NAME=DIR"),
        help: "Further collection: its name and the folder of its index; repeat it for more. The \
               index of DIR is the collection default",
        set: |told, values| {
            let folders: Result<_, _> = values.iter().map(|value| named_folder(value)).collect();
            told.settings.collections = folders?;
            Ok(())
        },
        shown: |_| None,
    },
    Setting {
        name: "jobs-folder",
        takes: Takes::Many("NAME=DIR"),
        help: "Folder that jobs may read and write, with the name that requests call it by; repeat it \
               for more. Without one there are no jobs",
        set: |told, values| {
            let folders: Result<_, _> = values.iter().map(|value| named_folder(value)).collect();
            told.settings.jobs_folders = folders?;
            Ok(())
        },
        shown: |_| None,
    },
    Setting {
        name: "store-field",
        takes: Takes::Many("FIELD"),
        help: "Field to store and to show in answers, of a new index; repeat it for more",
        set: |told, values| {
            told.kept.store_fields = values.to_vec();
            Ok(())
        },
        shown: |_| None,
    },
    Setting {
        name: "store-text",
        takes: Takes::Switch,
        help: "Store texts as read, and show them in answers, of a new index",
        set: |told, values| switch(values).map(|value| told.kept.store_text = value),
        shown: |_| None,
    },
    Setting {
        name: "ttl",
        takes: Takes::One("TIME"),
        help: "Lifetime of a document, of a new index: 90s, 30m, 12h, 365d, 2w",
        set: |told, values| only(values)?.parse::<Ttl>().map(|ttl| told.kept.ttl = Some(ttl)),
        shown: |_| None,
    },
    Setting {
        name: "date-field",
        takes: Takes::One("FIELD"),
        help: "Field with the date at which the lifetime begins, of a new index",
        set: |told, values| {
            told.kept.date_field = Some(only(values)?.to_string());
            Ok(())
        },
        shown: |_| None,
    },
    one!("readers", "N", settings.readers, count, shown, "Requests that read the index at a time"),
    one!(
        "max-body",
        "SIZE",
        settings.max_body,
        size,
        in_size,
        "Largest body of a request; in JSON Lines, largest row"
    ),
    one!(
        "max-bodies",
        "SIZE",
        settings.max_bodies,
        size,
        in_size,
        "Most bytes of bodies that are held at a time; requests beyond are refused"
    ),
    one!(
        "max-rows",
        "N",
        settings.max_rows,
        count,
        shown,
        "Most rows of a request; in JSON Lines there is no bound"
    ),
    one!(
        "max-requests",
        "N",
        settings.max_requests,
        count,
        shown,
        "Most requests that wait or are answered at a time; others are refused"
    ),
    one!(
        "max-token-requests",
        "N",
        settings.max_token_requests,
        count,
        shown,
        "Most requests of one token that are answered at a time; others are refused"
    ),
    one!(
        "max-connections",
        "N",
        settings.max_connections,
        count,
        shown,
        "Most connections; others are refused"
    ),
    one!(
        "timeout",
        "TIME",
        settings.timeout,
        time,
        in_time,
        "Longest time of a request after its body was read; in JSON Lines, of a part"
    ),
    one!(
        "client-timeout",
        "TIME",
        settings.client_timeout,
        time,
        in_time,
        "Longest time in which a client sends a body and takes an answer; in JSON Lines, longest pause"
    ),
    one!(
        "idle-timeout",
        "TIME",
        settings.idle_timeout,
        time,
        in_time,
        "Longest wait for the head of a request, on a new or an idle connection"
    ),
    one!(
        "log",
        "LEVEL",
        settings.log,
        level,
        shown,
        "Least important lines of the log: error, warn, info, debug, trace, or off"
    ),
    one!(
        "log-format",
        "text|json",
        settings.log_format,
        str::parse,
        shown,
        "Form of the lines of the log on standard error"
    ),
    one!(
        "stop-timeout",
        "TIME",
        settings.stop_timeout,
        time,
        in_time,
        "Longest time for requests that have begun when the server is stopped"
    ),
];

impl Told {
    /// Reads the table `[serve]` of a file, then the variables of the environment, then flags with
    /// their values.
    ///
    /// # Errors
    /// [`Error::Usage`] for a flag, [`Error::Config`] for the file and the environment: an unknown
    /// name, a value that the setting cannot have, or values that contradict each other.
    pub fn from_layers(
        file: Option<(&Path, &Value)>,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: impl IntoIterator<Item = (&'static Setting, Vec<String>)>,
    ) -> Result<Told, Error> {
        let mut told = Told::default();
        if let Some((path, table)) = file {
            let in_file = |problem| Error::Config {
                file: Some(path.to_path_buf()),
                problem: format!("[serve]: {problem}").into(),
            };
            told.set_all(table).map_err(in_file)?;
        }
        for (variable, value) in environment {
            let Some(name) = variable.strip_prefix(PREFIX) else { continue };
            let wrong = |problem| Error::Config {
                file: None,
                problem: format!("{variable} {problem}").into(),
            };
            let setting =
                find(&name.to_lowercase().replace('_', "-"), variable_of).map_err(wrong)?;
            let values: Vec<String> = match setting.takes {
                Takes::Many(_) => value.split(',').map(|value| value.trim().to_string()).collect(),
                _ => vec![value],
            };
            (setting.set)(&mut told, &values)
                .map_err(|problem| wrong(format!("is wrong: {problem}")))?;
        }
        for (setting, values) in flags {
            let set = (setting.set)(&mut told, &values);
            set.map_err(|problem| Error::usage(setting.name, problem))?;
        }
        let Settings { max_body, max_bodies, .. } = told.settings;
        if max_bodies < max_body {
            let problem = format!(
                "{max_bodies} bytes do not hold a body of {max_body} bytes; raise it, or lower max-body"
            );
            return Err(Error::usage("max-bodies", problem));
        }
        Ok(told)
    }

    /// Reads a table of a file.
    fn set_all(&mut self, table: &Value) -> Result<(), String> {
        let Value::Table(table) = table else { return Err("it is not a table".to_string()) };
        for (name, value) in table {
            let setting =
                find(name, str::to_string).map_err(|problem| format!("{name} {problem}"))?;
            let values: Vec<String> = match value {
                Value::Array(values) => values.iter().map(in_words).collect(),
                value => vec![in_words(value)],
            };
            (setting.set)(self, &values).map_err(|problem| format!("{name}: {problem}"))?;
        }
        Ok(())
    }
}

/// The setting of a name. `spelled` writes the names of settings where there is none.
fn find(name: &str, spelled: fn(&str) -> String) -> Result<&'static Setting, String> {
    if let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) {
        return Ok(setting);
    }
    let names = || SETTINGS.iter().map(|setting| setting.name);
    let distance = |known: &&str| strsim::osa_distance(name, known);
    Err(
        match names().min_by_key(distance).filter(|known| 3 * distance(known) <= name.len().max(3))
        {
            Some(known) => format!("is not a setting; did you mean {}?", spelled(known)),
            None => {
                let all: Vec<String> = names().map(spelled).collect();
                format!("is not a setting; there are: {}", all.join(", "))
            }
        },
    )
}

/// The name of a setting in the environment.
fn variable_of(name: &str) -> String {
    format!("{PREFIX}{}", name.to_uppercase().replace('-', "_"))
}

/// A value of a file, as a flag has it.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn only(values: &[String]) -> Result<&str, String> {
    match values {
        [value] => Ok(value),
        _ => Err("it takes one value".to_string()),
    }
}

fn switch(values: &[String]) -> Result<bool, String> {
    match values {
        [] => Ok(true),
        [value] => value.parse().map_err(|_| format!("{value} is not true or false")),
        _ => Err("it takes one value".to_string()),
    }
}

/// A folder with its name.
fn named_folder(value: &str) -> Result<(String, PathBuf), String> {
    let parts =
        value.split_once('=').filter(|(name, folder)| !name.is_empty() && !folder.is_empty());
    let (name, folder) = parts.ok_or("write NAME=DIR, as in news=/data/news")?;
    Ok((name.to_string(), folder.into()))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| format!("{text} is not an address with a port, such as 127.0.0.1:8080"))
}

fn count(text: &str) -> Result<usize, String> {
    let count: Option<NonZeroUsize> = text.parse().ok();
    count.map(usize::from).ok_or_else(|| format!("{text} is not a whole number from 1 on"))
}

fn size(text: &str) -> Result<usize, String> {
    match text.parse::<Size>()? {
        Size(0) => Err("0 bytes are too few".to_string()),
        Size(bytes) => usize::try_from(bytes).map_err(|_| format!("{text} is too large")),
    }
}

fn time(text: &str) -> Result<Duration, String> {
    text.parse::<Ttl>().map(|Ttl(seconds)| Duration::from_secs(seconds.into()))
}

fn level(text: &str) -> Result<LevelFilter, String> {
    text.parse().map_err(|_| format!("{text} is not error, warn, info, debug, trace or off"))
}

fn shown(value: &impl ToString) -> String {
    value.to_string()
}

fn in_size(bytes: &usize) -> String {
    Size(*bytes as u64).to_string()
}

fn in_time(time: &Duration) -> String {
    Ttl(u32::try_from(time.as_secs()).unwrap_or(u32::MAX)).to_string()
}

#[cfg(test)]
mod tests {
    use toml::Table;

    use super::*;

    fn told(
        file: &str,
        environment: &[(&str, &str)],
        flags: &[(&str, &[&str])],
    ) -> Result<Told, String> {
        let file: Table = file.parse().unwrap();
        let own = |text: &&str| text.to_string();
        Told::from_layers(
            file.get("serve").map(|table| (Path::new("own.toml"), table)),
            environment.iter().map(|(name, value)| (own(name), own(value))),
            flags.iter().map(|(name, values)| {
                (find(name, str::to_string).unwrap(), values.iter().map(own).collect())
            }),
        )
        .map_err(|error| error.to_string())
    }

    #[test]
    fn a_flag_overrides_the_environment_and_that_a_file() {
        let file = "[serve]\nreaders = 3\nmax-rows = 5\ntimeout = '2m'\nstore-field = ['a', 'b']\ninsecure = true";
        let environment =
            [("NEARPRINT_SERVE_MAX_ROWS", "6"), ("NEARPRINT_SERVE_TIMEOUT", "3m"), ("HOME", "x")];
        let found =
            told(file, &environment, &[("timeout", &["4m"]), ("max-body", &["2M"])]).unwrap();
        let settings = &found.settings;
        assert_eq!((settings.readers, settings.max_rows, settings.max_body), (3, 6, 2 << 20));
        assert_eq!(settings.timeout, Duration::from_secs(240));
        assert_eq!(found.kept.store_fields, ["a", "b"]);
        assert!(found.insecure);
        let listed = told(file, &[("NEARPRINT_SERVE_STORE_FIELD", "c, d")], &[]).unwrap();
        assert_eq!(listed.kept.store_fields, ["c", "d"]);
    }

    #[test]
    fn a_fault_names_its_source_and_a_remedy() {
        let says = |file, environment: &[_], flags: &[_], says: &[&str]| {
            let error = told(file, environment, flags).unwrap_err();
            assert!(says.iter().all(|part| error.contains(part)), "{error}");
        };
        says("[serve]\nmax-bodi = 1", &[], &[], &["own.toml: [serve]: max-bodi", "mean max-body?"]);
        says("serve = 3", &[], &[], &["own.toml: [serve]: it is not a table"]);
        says(
            "[serve]\nreaders = 0",
            &[],
            &[],
            &["own.toml: [serve]: readers: 0 is not", "from 1 on"],
        );
        says(
            "",
            &[("NEARPRINT_SERVE_REDERS", "1")],
            &[],
            &["NEARPRINT_SERVE_REDERS is not", "mean NEARPRINT_SERVE_READERS?"],
        );
        says(
            "",
            &[("NEARPRINT_SERVE_TIMEOUT", "soon")],
            &[],
            &["NEARPRINT_SERVE_TIMEOUT is wrong: soon is not a duration"],
        );
        says("", &[], &[("listen", &["here"])], &["here is not an address", "127.0.0.1:8080"]);
        says(
            "",
            &[],
            &[("max-bodies", &["1K"])],
            &["1024 bytes do not hold a body of 16777216 bytes"],
        );
    }

    #[test]
    fn each_default_is_a_value_of_its_setting() {
        for setting in SETTINGS {
            let mut told = Told::default();
            if let Some(default) = setting.default() {
                (setting.set)(&mut told, std::slice::from_ref(&default)).unwrap();
                assert_eq!((setting.shown)(&told), Some(default));
            }
        }
    }
}
