//! `nearprint report`

use std::path::PathBuf;

use clap::Args;
use nearprint::{Error, ReportOptions, ShowFields};

use crate::progress::Progress;
use crate::spelling::spelled;

/// Writes a page about a finished run: DIR/report.html.
///
/// The page opens in any browser, offline. It shows all removals and their reasons, the sources
/// that lost most, each removed document beside its keeper with the differences marked, and the
/// number of removals at other similarity bounds. More than some 20 MB of texts are in files in
/// DIR/report-data, which belongs to the page. To show texts, the input files of the run are read
/// again, from the same paths.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint report clean
  nearprint report clean --source-field host
  nearprint report clean --show-field headline --show-field published")]
pub struct Arguments {
    /// The output folder of nearprint dedup.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Field that names the source of a document, such as host or publisher [default: its file].
    #[arg(long, value_name = "FIELD")]
    source_field: Option<String>,
    /// Field to show beside the documents of a pair; repeat it for more. none: no field [default:
    /// title, date, address and source, by their usual names].
    #[arg(long, value_name = "FIELD")]
    show_field: Vec<String>,
    /// Show only errors and warnings.
    #[arg(long, short)]
    quiet: bool,
}

pub fn run(arguments: Arguments) -> Result<(), Error> {
    let progress = Progress::new(arguments.quiet);
    let options = ReportOptions {
        source_field: arguments.source_field,
        show_fields: ShowFields::new(arguments.show_field),
    };
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
