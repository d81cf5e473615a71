//! Events -> lines on standard error, one an event.

use std::fmt;
use std::io::Write;
use std::str::FromStr;

use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};

use crate::settings::Settings;

/// The form of a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// Words for people.
    #[default]
    Text,
    /// A JSON object.
    Json,
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<LogFormat, String> {
        match text {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            other => Err(format!("{other} is not text or json")),
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        })
    }
}

/// Writes the log until it is dropped. A reader of the log that is slow does not hold up answers:
/// lines are left out if 128,000 wait.
pub struct Log {
    _guard: WorkerGuard,
}

impl Log {
    /// Starts the log of this process on standard error. A process has one log: a second one stays
    /// empty.
    pub fn start(settings: &Settings) -> Log {
        Log::to(settings, std::io::stderr())
    }

    /// Starts the log of this process, as [`Log::start`], on another output.
    pub fn to(settings: &Settings, output: impl Write + Send + 'static) -> Log {
        let (lines, guard) = NonBlocking::new(output);
        let log = tracing_subscriber::fmt()
            .with_max_level(settings.log)
            .with_writer(lines)
            .with_ansi(false)
            .with_target(false)
            .log_internal_errors(false);
        let _ = match settings.log_format {
            LogFormat::Text => log.try_init(),
            LogFormat::Json => {
                let log = log.json().flatten_event(true);
                log.with_current_span(false).with_span_list(false).try_init()
            }
        };
        Log { _guard: guard }
    }
}
