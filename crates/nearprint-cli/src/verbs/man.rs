//! `nearprint man`

use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use nearprint::Error;

use super::output_file::OutputFile;
use super::print_bytes;
use crate::progress::Progress;

/// Writes the manual pages: all of them to a folder, or one to standard output.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint man --output ~/.local/share/man/man1    # then: man nearprint-dedup
  nearprint man dedup | man -l -
  nearprint man stats show")]
pub struct Arguments {
    /// Verb whose page to write to standard output; left out: the page of the command.
    #[arg(value_name = "VERB")]
    verb: Vec<String>,
    /// Folder for all pages; it is created if missing, and existing pages are replaced.
    #[arg(long, short, value_name = "DIR", conflicts_with = "verb")]
    output: Option<PathBuf>,
}

/// Writes the pages of this command.
pub fn run(arguments: &Arguments, command: Command) -> Result<(), Error> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let Some(folder) = &arguments.output else {
        let mut verb = &command;
        for name in &arguments.verb {
            verb = verb.find_subcommand(name).ok_or_else(|| {
                let known: Vec<&str> = verb.get_subcommands().map(Command::get_name).collect();
                let problem = match known.is_empty() {
                    true => {
                        format!("{name} is not a verb of {}, which has no verbs", verb.get_name())
                    }
                    false => format!("{name} is not a verb; choose one of {}", known.join(", ")),
                };
                Error::usage("verb", problem)
            })?;
        }
        return print_bytes(&page(verb));
    };
    std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    for verb in with_verbs(&command) {
        let path = folder.join(format!("{}.1", name(verb)));
        let file = OutputFile { setting: "output", path: &path, force: true };
        file.write(&Progress::new(true), |part| {
            std::fs::write(part, page(verb)).map_err(Error::io("write", &path))
        })?;
    }
    Ok(())
}

/// A command with its verbs and the verbs of these.
fn with_verbs(command: &Command) -> Vec<&Command> {
    std::iter::once(command).chain(command.get_subcommands().flat_map(with_verbs)).collect()
}

/// The name of a page: `nearprint-stats-show`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// A page in roff.
fn page(command: &Command) -> Vec<u8> {
    let (mut page, source) = (Vec::new(), format!("nearprint {}", env!("CARGO_PKG_VERSION")));
    let man = Man::new(command.clone()).source(source);
    let mut written = man
        .render_title(&mut page)
        .and_then(|()| man.render_name_section(&mut page))
        .and_then(|()| man.render_synopsis_section(&mut page))
        .and_then(|()| man.render_description_section(&mut page))
        .and_then(|()| man.render_options_section(&mut page));
    if command.has_subcommands() {
        written = written.and_then(|()| man.render_subcommands_section(&mut page));
    }
    let examples =
        command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    if let Some(examples) = examples {
        // Line by line, as the help has them.
        let mut section = Roff::default();
        section.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples.lines().skip(1) {
            section.text([roman(line)]);
        }
        section.control("fi", []);
        written = written.and_then(|()| section.to_writer(&mut page));
    }
    written.expect("memory takes what is written");
    page
}
