//! `nearprint serve`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use nearprint::Error;
use nearprint::index::{Index, IndexOptions};
use nearprint_server::{Log, LogFormat, SETTINGS, Server, Setting, Takes, Told};

use crate::settings::Settings;

/// The pause between two looks whether a signal has come.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Serves an index over HTTP: programs ask whether a text was seen before, and add documents.
///
/// A folder without an index gets one. The settings that decide about duplicates are then fixed for
/// the index. The other ones can also be variables (NEARPRINT_SERVE_MAX_BODY for --max-body), or stand
/// in the table [serve] of the file that --config names. Flags override variables, and these the file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint serve seen
  nearprint serve seen --listen 127.0.0.1:9000 --store-field title --store-field url --ttl 365d
  nearprint serve seen --collection news=seen-news --tokens tokens.toml")]
pub struct Arguments {
    /// Folder of the index.
    #[arg(value_name = "DIR")]
    index: PathBuf,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    settings: Box<Settings>,
}

/// The settings of the server that the short help shows.
const COMMON: [&str; 7] =
    ["listen", "insecure", "collection", "store-field", "store-text", "ttl", "date-field"];

/// The settings of the server that were given as flags, with their values.
#[derive(Debug)]
struct Flags(Vec<(&'static Setting, Vec<String>)>);

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        command.args(SETTINGS.iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Flags, clap::Error> {
        let given = |setting: &'static Setting| {
            let id = id(setting);
            let values = match setting.takes {
                Takes::Switch => matches.get_flag(&id).then(Vec::new),
                _ => matches.get_many(&id).map(|values| values.cloned().collect()),
            };
            Some((setting, values?))
        };
        Ok(Flags(SETTINGS.iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Flags::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag of a setting.
fn flag(setting: &Setting) -> Arg {
    let flag = Arg::new(id(setting)).long(setting.name);
    let flag = match setting.takes {
        Takes::One(value) => flag.value_name(value).allow_hyphen_values(true),
        Takes::Many(value) => flag.value_name(value).action(ArgAction::Append),
        Takes::Switch => flag.action(ArgAction::SetTrue),
    };
    let flag = flag.hide_short_help(!COMMON.contains(&setting.name));
    match setting.default() {
        Some(default) => flag.help(format!("{} [default: {default}]", setting.help)),
        None => flag.help(setting.help),
    }
}

/// The name of a flag among the arguments.
fn id(setting: &Setting) -> String {
    setting.name.replace('-', "_")
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    let Arguments { index, flags, settings } = arguments;
    let file = settings.table("serve")?;
    let file = file.as_ref().map(|(path, table)| (path.as_path(), table));
    let environment = std::env::vars_os().filter_map(|(name, value)| {
        Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
    });
    let Told { settings: limits, kept, insecure } = Told::from_layers(file, environment, flags.0)?;
    let listen = limits.listen;
    if !listen.ip().is_loopback() && limits.tokens.is_none() && !insecure {
        let problem = format!(
            "{listen} can be reached from other machines, and anybody there could change the \
             index; add --tokens and a file that nearprint token writes, listen to 127.0.0.1 \
             behind a proxy that checks who asks, or add --insecure"
        );
        return Err(Error::usage("listen", problem));
    }
    let _log = Log::start(&limits);
    let format = limits.log_format;
    let config = match Index::is_there(&index) {
        true => {
            let own = Index::open(&index)?;
            refuse_others(&kept, own.options())?;
            settings.config_over(own.config())?
        }
        false => settings.config()?,
    };
    let server = Server::open(&index, &config, &kept, limits)?;
    server.serve(stopped(), |address| {
        if format == LogFormat::Text {
            crate::tell(&format!("nearprint: {} is served at http://{address}", index.display()));
        }
    })?;
    Ok(0)
}

/// Refuses options of a new index that an existing one does not have.
fn refuse_others(given: &IndexOptions, own: &IndexOptions) -> Result<(), Error> {
    let is_stored = |name: &String| own.store_fields.contains(name);
    let other = [
        ("store-field", !given.store_fields.iter().all(is_stored)),
        ("store-text", given.store_text && !own.store_text),
        ("ttl", given.ttl.is_some() && given.ttl != own.ttl),
        ("date-field", given.date_field.is_some() && given.date_field != own.date_field),
    ];
    match other.into_iter().find(|(_, is_other)| *is_other) {
        None => Ok(()),
        Some((name, _)) => {
            let problem = "the index was made with another one, which is fixed; leave it out, or \
                           serve a new index";
            Err(Error::usage(name, problem))
        }
    }
}

/// Ends when a signal asks the program to stop.
async fn stopped() {
    while !crate::stopped() {
        tokio::time::sleep(LOOK_UP).await;
    }
}
