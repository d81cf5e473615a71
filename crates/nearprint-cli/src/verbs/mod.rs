//! One file a verb: its flags, and how its result is shown.

pub mod check;
pub mod compare;
pub mod completions;
pub mod dedup;
pub mod evaluate;
pub mod explain;
pub mod find;
pub mod fingerprint;
pub mod index;
pub mod man;
mod output_file;
pub mod passages;
pub mod presets;
pub mod report;
pub mod rethreshold;
pub mod serve;
pub mod stats;
pub mod token;
pub mod tune;

use std::io::Write;
use std::path::PathBuf;

use nearprint::error::{Loss, Rejections};
use nearprint::read::Source;
use nearprint::{Deduplicator, Error, Message};

use crate::settings::Settings;
use crate::spelling::spelled;
use crate::visible::{visible, visible_lines};

/// Writes text for people to standard output.
fn show(text: &str) -> Result<(), Error> {
    print(&visible_lines(text))
}

/// Writes text to standard output; a failure (a full disk, a closed pipe) ends the run.
fn print(text: &str) -> Result<(), Error> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output.
fn print_bytes(bytes: &[u8]) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Error::io("write", "standard output"))
}

/// The files that a verb reads, the inputs and those of settings. Its output may replace none of
/// them.
fn read_files(
    deduplicator: &Deduplicator,
    settings: &Settings,
    sources: &[Source],
) -> Vec<PathBuf> {
    let inputs = sources.iter().map(|source| source.path.clone());
    inputs.chain(settings.file()).chain(deduplicator.files().map(PathBuf::from)).collect()
}

/// Prints rejected files and rows to standard error, for verbs without reports, and their number.
/// It ignores `--quiet`, since nothing else reports them. Returns the exit code.
fn tell_rejections(rejections: &Rejections) -> u8 {
    list_rejected(rejections);
    tell_loss(rejections.loss().as_ref(), "")
}

/// Prints rejected files and rows to standard error.
pub fn list_rejected(rejections: &Rejections) {
    for rejection in rejections.iter() {
        crate::tell(&visible(&format!("nearprint: left out: {}", spelled(&rejection.message()))));
    }
}

/// Prints the number of files and rows that were left out, and where to look. Returns the exit
/// code.
fn tell_loss(loss: Option<&Loss>, look: &str) -> u8 {
    let Some(loss) = loss else { return 0 };
    crate::tell(&visible(&format!("nearprint: {}{look}", spelled(&loss.message()))));
    crate::LEFT_OUT
}

/// Spells the settings in messages that JSON shows.
fn spell(messages: &mut [Message]) {
    messages.iter_mut().for_each(|message| *message = spelled(message).into());
}

/// A number with its noun.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
