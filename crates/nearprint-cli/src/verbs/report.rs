//! `nearprint report`

use std::path::PathBuf;

use clap::Args;
use nearprint::{Error, ReportOptions};

use crate::progress::Progress;
use crate::spelling::spelled;

/// Writes a page to look at a finished run: DIR/report.html.
///
/// The page is one file that opens in any browser, without a network: what was removed and why,
/// sources that lost much, each removed document beside its keeper with their differences marked,
/// and how many documents another bound would remove. It reads the input files of the run again,
/// under the names that they had then, to show their texts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint report clean
  nearprint report clean --source-field host")]
pub struct Arguments {
    /// The output folder of nearprint dedup.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Tell sources apart by this field of the input, such as host or publisher, not by file.
    #[arg(long, value_name = "FIELD")]
    source_field: Option<String>,
    /// Show nothing but errors and warnings.
    #[arg(long, short)]
    quiet: bool,
}

pub fn run(arguments: Arguments) -> Result<(), Error> {
    let progress = Progress::new(arguments.quiet);
    let options = ReportOptions { source_field: arguments.source_field };
    let reported = nearprint::report(&arguments.folder, &options, &progress)?;
    progress.finish();
    for warning in &reported.warnings {
        crate::tell(&format!("nearprint: warning: {}", spelled(warning)));
    }
    if !arguments.quiet {
        crate::tell(&format!("Written to {}; open it in a browser.", reported.path.display()));
    }
    Ok(())
}
