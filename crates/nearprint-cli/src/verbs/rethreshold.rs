//! `nearprint rethreshold`

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use nearprint::config::share;
use nearprint::{Changes, Deduplicator, Error, Output, ReportOptions, ShowFields, Summary};

use super::{dedup, tell_loss};
use crate::progress::Progress;
use crate::spelling::spelled;

/// Repeats a finished run of dedup with another --min-similarity or with --marks, without new
/// fingerprints.
///
/// Settings and inputs are those of the run that wrote DIR; its input files must be unchanged, in
/// the same place. The output is that of a new run of dedup with this minimum. A higher minimum
/// changes clusters and may even remove a document that was kept before: a document that is no
/// longer removed for its keeper may become a keeper itself.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("changes").required(true).multiple(true)))]
#[command(after_help = "Examples:
  nearprint rethreshold clean --min-similarity 0.9 --output stricter
  nearprint rethreshold clean --min-similarity 0.65 --output looser --pairs
  nearprint rethreshold clean --marks marks.jsonl --output corrected")]
pub struct Arguments {
    /// The output folder of a run of dedup.
    #[arg(value_name = "DIR")]
    run: PathBuf,
    /// Minimum similarity of duplicates, above 0 to 1.
    #[arg(long, value_name = "S", value_parser = share, group = "changes")]
    min_similarity: Option<f64>,
    /// Marks of a person on pairs of the run, as its report page saves them: pairs marked right are
    /// merged whatever their similarity, and pairs marked wrong never.
    #[arg(long, value_name = "FILE", group = "changes")]
    marks: Option<PathBuf>,
    /// Folder to write; it must be new or empty.
    #[arg(long, short, value_name = "DIR2")]
    output: PathBuf,
    /// Replace the output folder and its contents, if an earlier run made it.
    #[arg(long)]
    force: bool,
    /// Also write pairs.jsonl: every confirmed duplicate pair.
    #[arg(long)]
    pairs: bool,
    /// Also write report.html: a page that shows the removals and their reasons.
    #[arg(long)]
    report: bool,
    /// Field that names the source of a document in the report, such as host or publisher [default:
    /// its file].
    #[arg(long, value_name = "FIELD", requires = "report")]
    source_field: Option<String>,
    /// Field to show beside the documents of a pair in the report; repeat it for more. none: no
    /// field [default: title, date, address and source, by their usual names].
    #[arg(long, value_name = "FIELD", requires = "report")]
    show_field: Vec<String>,
    /// Write all rows, with the fields duplicate_of and cluster, to annotated/, instead of the kept
    /// rows to kept/.
    #[arg(long)]
    annotate: bool,
    /// Write the reports only.
    #[arg(long)]
    dry_run: bool,
    /// Show only errors and warnings.
    #[arg(long, short)]
    quiet: bool,
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    let Arguments {
        run,
        min_similarity,
        marks,
        output,
        force,
        pairs,
        report,
        source_field,
        show_field,
        annotate,
        dry_run,
        quiet,
    } = arguments;
    if output.as_os_str() == "-" {
        let problem = "rethreshold cannot write to standard output; name a folder, or run dedup \
            with this --min-similarity";
        return Err(Error::usage("output", problem));
    }
    let show_fields = ShowFields::new(show_field);
    let report = report.then_some(ReportOptions { source_field, show_fields });
    let output = Output { force, pairs, report, annotate, dry_run, spelled, ..Output::new(output) };
    let progress = Progress::new(quiet);
    let changes = Changes { min_similarity, marks };
    let summary = Deduplicator::rethreshold(&run, &changes, &output, &progress)?;
    progress.finish();
    // A suggestion of other text fields is for a new run, not for this one.
    let summary = Summary { text_and_title: None, ..summary };
    dedup::tell(&summary, true, quiet);
    dedup::tell_folder(&output, quiet);
    Ok(tell_loss(summary.loss.as_ref(), dedup::LISTED))
}
