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
                    "{} exists, holds {}, and is not an output folder of nearprint",
                    folder.display(),
                    some_of(names)
                );
                let force = Setting::named("force");
                let remedy = " does not replace it; name another folder, or remove it by hand";
                message![holds, ", so ", force, remedy]
            }
            Taken::Others(names) => {
                let holds = format!("{} holds {}", folder.display(), some_of(names));
                let force = Setting::named("force");
                message![
                    holds,
                    ", which no run wrote and ",
                    force,
                    " would delete; move it elsewhere, or name another folder"
                ]
            }
            Taken::Appeared => {
                message![folder.display(), " appeared during the run; name another folder"]
            }
            Taken::AnotherRun => {
                message!["another run is writing to ", folder.display(), "; wait until it ends"]
            }
            Taken::NotOurs => {
                message![
                    folder.display(),
                    " exists and is not an unfinished run of yours; move it away"
                ]
            }
        }
    }
}
