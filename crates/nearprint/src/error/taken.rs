//! The holder of an output folder, and the message about it.

use std::path::Path;

use super::names::some_of;
use crate::message;
use crate::message::{Message, Setting};

/// The holder of an output folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Taken {
    /// An earlier run has made it.
    NotEmpty,
    /// The folder existed before the run and was not made by a run. It has these names in it and is
    /// never replaced.
    NoOutput(Vec<String>),
    /// The folder is the output of an earlier run, with these names added by somebody else.
    Others(Vec<String>),
    /// The folder has appeared during the run.
    Appeared,
    /// Another run is using the folder.
    AnotherRun,
    /// The folder of the unfinished run exists and was not made by nearprint.
    NotOurs,
}

impl Taken {
    /// The message about this folder.
    pub(super) fn message(&self, folder: &Path) -> Message {
        match self {
            Taken::NotEmpty => {
                let force = Setting::named("force");
                message![
                    folder.display(),
                    " exists and is not empty; name another folder, or replace it with ",
                    force
                ]
            }
            Taken::NoOutput(names) => {
                let holds = format!(
                    "{} exists and is not empty; it holds {}",
                    folder.display(),
                    some_of(names)
                );
                let force = Setting::named("force");
                let remedy = " would replace; name another folder, or remove it by hand";
                message![holds, ", and is no output of nearprint, which ", force, remedy]
            }
            Taken::Others(names) => {
                let holds = format!("{} holds {}", folder.display(), some_of(names));
                let force = Setting::named("force");
                message![
                    holds,
                    ", which no run has written and ",
                    force,
                    " would delete; move it elsewhere, or name another folder"
                ]
            }
            Taken::Appeared => {
                message![folder.display(), " has appeared during the run; name another folder"]
            }
            Taken::AnotherRun => {
                message![
                    "another run is at work on it, in ",
                    folder.display(),
                    "; wait for its end"
                ]
            }
            Taken::NotOurs => {
                message![
                    folder.display(),
                    " is there and not of an unfinished run of yours; move it away"
                ]
            }
        }
    }
}
