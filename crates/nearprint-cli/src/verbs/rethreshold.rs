//! `nearprint rethreshold`

use std::path::PathBuf;

use clap::Args;
use nearprint::config::share;
use nearprint::{Deduplicator, Error, Output, ReportOptions, Summary};

use super::dedup;
use crate::progress::Progress;

/// Writes the output folder that dedup would write with another --min-similarity, without making
/// fingerprints again.
///
/// Settings and inputs are those of the run that wrote DIR: its files must be where they were, as
/// they were. What it writes is what a fresh run of dedup with that bound writes. A higher bound
/// makes other clusters, and may even remove a document that stayed before: one that no longer goes
/// for its keeper may become a keeper itself.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint rethreshold clean --min-similarity 0.9 --output stricter
  nearprint rethreshold clean --min-similarity 0.65 --output looser --pairs")]
pub struct Arguments {
    /// The output folder of a run of dedup.
    #[arg(value_name = "DIR")]
    run: PathBuf,
    /// The least similarity of duplicates, above 0 to 1.
    #[arg(long, value_name = "S", value_parser = share)]
    min_similarity: f64,
    /// Folder to write; it must be new or empty.
    #[arg(long, short, value_name = "DIR2")]
    output: PathBuf,
    /// Replace the output folder and all it holds, if an earlier run has made it.
    #[arg(long)]
    force: bool,
    /// Write pairs.jsonl too: every confirmed duplicate pair.
    #[arg(long)]
    pairs: bool,
    /// Write report.html too: a page to look at what was removed and why.
    #[arg(long)]
    report: bool,
    /// In the report, tell sources apart by this field, such as host or publisher, not by file.
    #[arg(long, value_name = "FIELD", requires = "report")]
    source_field: Option<String>,
    /// Write all rows, with duplicate_of and cluster added, to annotated/ instead of the kept ones
    /// to kept/.
    #[arg(long)]
    annotate: bool,
    /// Write the reports only.
    #[arg(long)]
    dry_run: bool,
    /// Show nothing but errors and warnings.
    #[arg(long, short)]
    quiet: bool,
}

pub fn run(arguments: Arguments) -> Result<(), Error> {
    let Arguments {
        run,
        min_similarity,
        output,
        force,
        pairs,
        report,
        source_field,
        annotate,
        dry_run,
        quiet,
    } = arguments;
    if output.as_os_str() == "-" {
        let problem = "- would be a folder here; name one, or give this least similarity to dedup, which streams kept rows";
        return Err(Error::usage("output", problem));
    }
    let report = report.then_some(ReportOptions { source_field });
    let output = Output { force, pairs, report, annotate, dry_run, ..Output::new(output) };
    let progress = Progress::new(quiet);
    let summary = Deduplicator::rethreshold(&run, min_similarity, &output, &progress)?;
    progress.finish();
    // The texts are those of the run; another field is a matter of a new one.
    let summary = Summary { text_and_title: None, ..summary };
    dedup::tell(&summary, true, quiet);
    dedup::tell_folder(&output, quiet);
    Ok(())
}
