//! The command with its verbs -> `docs/options.md`: every option of every verb, in the words of
//! `--help`.
//!
//! A test of the command line compares the page with this. A setting that several verbs show with
//! the same words is explained once, at the first verb.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::{Arg, ArgAction, Args, Command};

use crate::settings::Settings;

const TITLE: &str = "\
# Options

Every option of every verb, as `nearprint VERB --help` shows it; `-h` shows the options used most,
on one screen. The program writes this page, and a test compares the page with the program. To
update it: `NEARPRINT_WRITE_PAGES=1 cargo test -p nearprint-cli --test cli pages`.

A setting has one name everywhere: `--min-similarity` as an option, `min-similarity` in a file for
`--config`, `min_similarity` in Python. [Settings](settings.md) explains the settings that need more
than a sentence. All verbs take all settings, so that scripts may share them; each verb lists those
that it obeys.
";

/// The text above the settings that no help shows.
const OF_VARIANTS: &str = "\
**For published variants.** Only published variants of SimHash need these settings, and no help
shows them. `nearprint presets paper` lists them as `--config` takes them.";

/// The page, in Markdown.
pub fn page(command: Command) -> String {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let settings = Settings::augment_args(Command::new("settings"));
    let settings = settings.get_arguments().map(|flag| (flag.get_id().to_string(), None)).collect();
    let mut page = Page { text: TITLE.to_string(), settings };
    for verb in command.get_subcommands_mut() {
        page.verb(verb);
    }
    page.text
}

struct Page {
    text: String,
    /// Each setting by the name of its flag, with the verb and the row that explained it.
    settings: BTreeMap<String, Option<(String, String)>>,
}

impl Page {
    /// The sections of a verb and of its own verbs.
    fn verb(&mut self, verb: &mut Command) {
        let name = verb.get_bin_name().unwrap_or_else(|| verb.get_name()).to_string();
        let about =
            verb.get_long_about().or(verb.get_about()).map(ToString::to_string).unwrap_or_default();
        let usage = verb.render_usage().to_string();
        let usage = usage
            .trim_start_matches("Usage:")
            .lines()
            .map(str::trim)
            .collect::<Vec<_>>()
            .join("\n");
        self.say(&format!("\n## {name}\n\n{}\n\n```text\n{usage}\n```", escaped(&about)));
        self.options(&name, verb);
        if name.ends_with(" dedup") {
            self.table(
                OF_VARIANTS,
                &verb
                    .get_arguments()
                    .filter(|flag| flag.is_hide_set())
                    .map(row)
                    .collect::<String>(),
            );
        }
        self.examples(verb);
        for verb in verb.get_subcommands_mut() {
            self.verb(verb);
        }
    }

    /// The options that a verb shows, one table per heading, and the names of the settings that an
    /// earlier verb explained.
    fn options(&mut self, name: &str, verb: &Command) {
        let mut as_before: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (heading, flags) in by_heading(verb) {
            let mut rows = String::new();
            for flag in flags {
                let row = row(flag);
                match self.settings.get_mut(flag.get_id().as_str()) {
                    Some(Some((of, explained))) if *explained == row => {
                        let name = flag.get_long().unwrap_or(flag.get_id().as_str());
                        as_before.entry(of.clone()).or_default().push(format!("`--{name}`"));
                        continue;
                    }
                    Some(setting @ None) => *setting = Some((name.to_string(), row.clone())),
                    _ => (),
                }
                rows += &row;
            }
            self.table(&format!("**{heading}**"), &rows);
        }
        for (of, flags) in as_before {
            self.say(&format!(
                "\n**Settings**, as of [{of}](#{}): {}.",
                of.replace(' ', "-"),
                flags.join(", ")
            ));
        }
    }

    /// A table with the text above it, if it has rows.
    fn table(&mut self, above: &str, rows: &str) {
        if !rows.is_empty() {
            self.say(&format!(
                "\n{above}\n\n| option | meaning |\n| --- | --- |\n{}",
                rows.trim_end()
            ));
        }
    }

    /// The examples below the help of a verb, without the lines after them.
    fn examples(&mut self, verb: &Command) {
        let examples =
            verb.get_after_long_help().or(verb.get_after_help()).map(ToString::to_string);
        let examples = examples.unwrap_or_default();
        let examples: Vec<&str> =
            examples.lines().skip(1).map(str::trim).take_while(|line| !line.is_empty()).collect();
        if !examples.is_empty() {
            self.say(&format!("\n```sh\n{}\n```", examples.join("\n")));
        }
    }

    fn say(&mut self, text: &str) {
        writeln!(self.text, "{text}").expect("memory takes what is written");
    }
}

/// The options that help shows, by their headings, in the order of help.
fn by_heading(verb: &Command) -> Vec<(String, Vec<&Arg>)> {
    let mut headings: Vec<(String, Vec<&Arg>)> = vec![];
    let is_help = |flag: &Arg| {
        matches!(flag.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong)
    };
    for flag in verb.get_arguments().filter(|flag| !flag.is_hide_set() && !is_help(flag)) {
        let usual = if flag.is_positional() { "Arguments" } else { "Options" };
        let heading = flag.get_help_heading().unwrap_or(usual);
        match headings.iter_mut().find(|(name, _)| name == heading) {
            Some((_, flags)) => flags.push(flag),
            None => headings.push((heading.to_string(), vec![flag])),
        }
    }
    for (_, flags) in &mut headings {
        flags.sort_by_key(|flag| flag.get_display_order());
    }
    headings
}

/// The row of an option: its spelling, its meaning, its default.
fn row(flag: &Arg) -> String {
    let help =
        flag.get_long_help().or(flag.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut meaning = escaped(&help.split_whitespace().collect::<Vec<_>>().join(" "));
    let takes_values = flag.get_num_args().is_some_and(|count| count.takes_values());
    let defaults: Vec<_> =
        flag.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_values && !defaults.is_empty() && !flag.is_hide_default_value_set() {
        meaning += &format!(" [default: {}]", defaults.join(", "));
    }
    let values = flag.get_possible_values();
    let values: Vec<&str> =
        values.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name()).collect();
    if takes_values && !values.is_empty() {
        meaning += &format!(" [possible values: {}]", values.join(", "));
    }
    format!("| {} | {meaning} |\n", spelling(flag))
}

/// The spelling of an option: `--output DIR`, `-o DIR`.
fn spelling(flag: &Arg) -> String {
    let count = flag.get_num_args().unwrap_or_default();
    let names = flag
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(|name| name.as_str())
        .collect::<Vec<_>>();
    let mut value = if count.takes_values() { names.join(" ") } else { String::new() };
    if value.is_empty() && count.takes_values() {
        value = flag.get_id().as_str().to_uppercase();
    }
    if count.max_values() > names.len().max(1) {
        value += "...";
    }
    if flag.is_positional() {
        let value = if flag.is_required_set() { value } else { format!("[{value}]") };
        return code(&value);
    }
    let value = match (value.is_empty(), count.min_values()) {
        (true, _) => value,
        (false, 0) => format!("[={value}]"),
        (false, _) => format!(" {value}"),
    };
    let long = flag.get_long().map(|long| code(&format!("--{long}{value}")));
    let short = flag.get_short().map(|short| code(&format!("-{short}")));
    long.into_iter().chain(short).collect::<Vec<_>>().join(", ")
}

/// Code in a cell of a table.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// Text without characters that Markdown interprets.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "\\<").replace('*', "\\*")
}
