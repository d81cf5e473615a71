//! The command line of nearprint: flags become settings, the library does the work.
//!
//! Exit codes: 0 done, 1 input or system failed, 2 usage, 3 done but for input that was left out,
//! 130 interrupted.

mod aligned;
mod help;
mod no_memory;
mod options_page;
mod other_tools;
mod progress;
mod python_settings;
mod settings;
mod spelling;
mod values;
mod verbs;
mod visible;

use std::ffi::OsString;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use nearprint::Error;
pub use no_memory::Allocator;
pub use other_tools::answer_in_python;
use spelling::spelled;
use visible::{visible, visible_lines};

/// Finds near-duplicate texts and removes them, with the reason for every removal.
#[derive(Debug, Parser)]
#[command(name = "nearprint", version, max_term_width = 110, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Writes a corpus without near-duplicates, with the reason for each removal.
    Dedup(verbs::dedup::Arguments),
    /// Repeats a finished run of dedup with another minimum similarity, without new fingerprints.
    Rethreshold(verbs::rethreshold::Arguments),
    /// Finds the passages that many documents share, such as footers, and cuts them.
    Passages(verbs::passages::Arguments),
    /// Finds the documents of a corpus that are duplicates of a text, the most similar first.
    Find(verbs::find::Arguments),
    /// Keeps documents on disk, and finds the duplicates of any text among them.
    Index(verbs::index::Arguments),
    /// Serves an index over HTTP.
    Serve(verbs::serve::Arguments),
    /// Makes a token for a server.
    Token(verbs::token::Arguments),
    /// Writes the fingerprint of every document.
    Fingerprint(verbs::fingerprint::Arguments),
    /// Explains why a document of a finished run was kept or removed, and shows both texts aligned.
    Explain(verbs::explain::Arguments),
    /// Compares two texts: similarities, the verdict, and both texts aligned.
    Compare(verbs::compare::Arguments),
    /// Counts corpus statistics for later runs; merges and shows them.
    Stats(verbs::stats::Arguments),
    /// Measures on a sample of a corpus which duplicates each distance finds, and at what cost.
    Tune(verbs::tune::Arguments),
    /// Measures how well found pairs or clusters agree with labelled ones.
    Evaluate(verbs::evaluate::Arguments),
    /// Writes a page about a finished run: the removals, their reasons, and the similarity bound.
    Report(verbs::report::Arguments),
    /// Shows the settings of each preset.
    Presets(verbs::presets::Arguments),
    /// Writes a script for shell completion of verbs, options and values.
    Completions(verbs::completions::Arguments),
    /// Writes the manual pages.
    Man(verbs::man::Arguments),
}

/// Set by Ctrl-C or a termination signal.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// The exit code of mistakes in the arguments.
const USAGE: u8 = 2;

/// The exit code of a job that is done, but has left out some of its input.
const LEFT_OUT: u8 = 3;

/// Signals within this time count as one: a tool that stops a group of processes often stops each
/// process as well.
const ONE_WISH: Duration = Duration::from_millis(500);

/// The command with its verbs and flags.
fn command() -> Command {
    values::with_negative_numbers(help::with_help(Arguments::command()))
}

/// Every option of every verb in Markdown, as `docs/options.md` has it.
pub fn options_page() -> String {
    options_page::page(command())
}

/// The settings as keyword arguments of Python, as `settings.py` of the package has them.
pub fn python_settings() -> String {
    python_settings::file()
}

/// The command line's arguments. Mistakes in them, help and versions end the process.
fn arguments(given: impl IntoIterator<Item = OsString>) -> Arguments {
    let (command, given) = (command(), given.into_iter().collect::<Vec<OsString>>());
    let verb = given.get(1).and_then(|verb| command.find_subcommand(verb).cloned());
    let matches = command.try_get_matches_from(given).unwrap_or_else(|mut error| {
        let Some(answer) = verb.and_then(|verb| other_tools::answer(&error, &verb)) else {
            other_tools::drop_useless_tips(&mut error);
            error.exit()
        };
        tell(&format!("nearprint: {answer}"));
        std::process::exit(USAGE.into());
    });
    Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Runs the command line with these arguments, the program's name first, and returns the exit code
/// of the process. Help, versions and mistakes in the arguments end the process at once. Call it
/// once per process: it takes over the signals.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    no_memory::end_process();
    let arguments = self::arguments(arguments);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !nearprint::read::expects_panics() {
            hook(panic);
        }
    }));
    // The rows that dedup rejects are listed by `--check`.
    let lists_rejected = !matches!(&arguments.verb, Verb::Dedup(_));
    let first = OnceLock::new();
    let handler = move || {
        // The first signal ends the run in order, a later one at once.
        let since_first = first.get_or_init(Instant::now).elapsed();
        if STOPPED.swap(true, Ordering::SeqCst) && since_first >= ONE_WISH {
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        let error = match error {
            ctrlc::Error::System(error) => error.to_string(),
            error => error.to_string(),
        };
        tell(&format!("nearprint: cannot listen for Ctrl-C: {error}"));
        return 1;
    }
    let result = match arguments.verb {
        Verb::Dedup(arguments) if arguments.is_check() => verbs::check::run(&arguments),
        Verb::Dedup(arguments) => verbs::dedup::run(arguments),
        Verb::Rethreshold(arguments) => verbs::rethreshold::run(arguments),
        Verb::Passages(arguments) => verbs::passages::run(arguments),
        Verb::Find(arguments) => verbs::find::run(arguments),
        Verb::Index(arguments) => verbs::index::run(arguments),
        Verb::Serve(arguments) => verbs::serve::run(arguments),
        Verb::Token(arguments) => verbs::token::run(arguments).map(|()| 0),
        Verb::Fingerprint(arguments) => verbs::fingerprint::run(arguments),
        Verb::Explain(arguments) => verbs::explain::run(&arguments).map(|()| 0),
        Verb::Compare(arguments) => verbs::compare::run(arguments).map(|()| 0),
        Verb::Stats(arguments) => verbs::stats::run(arguments),
        Verb::Tune(arguments) => verbs::tune::run(arguments),
        Verb::Evaluate(arguments) => verbs::evaluate::run(arguments),
        Verb::Report(arguments) => verbs::report::run(arguments).map(|()| 0),
        Verb::Presets(arguments) => verbs::presets::run(arguments).map(|()| 0),
        Verb::Completions(arguments) => verbs::completions::run(&arguments, &command()).map(|()| 0),
        Verb::Man(arguments) => verbs::man::run(&arguments, command()).map(|()| 0),
    };
    match result {
        Ok(code) => code,
        // A reader that closes the pipe early (`nearprint … | head`) is no failure.
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::BrokenPipe => 0,
        Err(error) if lists_rejected => tell_failure(&error),
        Err(error) => tell_error(&error),
    }
}

/// Prints an error, and before it the files and rows that were left out if they are too many.
/// Returns the exit code.
fn tell_failure(error: &Error) -> u8 {
    if let Error::TooManyRejected { rejections, .. } = error {
        verbs::list_rejected(rejections);
    }
    tell_error(error)
}

/// Prints an error, and returns its exit code.
fn tell_error(error: &Error) -> u8 {
    let message = format!("nearprint: {}", spelled(&error.message()));
    // A mistake in a file of settings is shown with its line; any other message is one line.
    match error {
        Error::Config { .. } => tell(&message),
        _ => tell(&visible(&message)),
    }
    exit_code(error)
}

/// The exit code of an error. An error that another setting cures is a mistake of usage, except a
/// run that exceeds its memory.
fn exit_code(error: &Error) -> u8 {
    match error {
        Error::Interrupted => 130,
        Error::OverMemory { .. } => 1,
        error if error.subject().is_some() => USAGE,
        _ => 1,
    }
}

/// Writes a message of one or more lines to standard error. Work goes on if standard error is
/// closed.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible_lines(text));
}

fn stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
}
