//! `nearprint dedup`

use std::io::BufWriter;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use nearprint::error::Taken;
use nearprint::outcome::{LeakCounts, Recall};
use nearprint::{Deduplicator, Error, Output, ReportOptions, ShowFields, Summary};

use super::{counted, tell_loss};
use crate::progress::{MEASURABLE, Progress};
use crate::settings::Settings;
use crate::spelling::spelled;
use crate::values::whole;

/// The user's name for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Writes a corpus without near-duplicates, with the reason for each removal.
///
/// Reads files, folders, globs or standard input (-): JSON Lines, Parquet, CSV, TSV, plain text;
/// .gz, .zst, .bz2 and .xz of each text format. Writes into a new folder: kept/ (the input files
/// without the removed documents), removed.jsonl (each removed document with its keeper, distance,
/// similarity and reason), clusters.jsonl and summary.json.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint dedup news.jsonl --output clean
  nearprint dedup train/ --output clean --against test.jsonl
  nearprint dedup crawl/ --output clean --text-field content --id-field url --threads 8
  nearprint dedup news.jsonl --output clean --min-similarity 0.9 --recall 0.99
  zcat part-*.jsonl.gz | nearprint dedup - --output clean --min-similarity 0.8 --pairs
  zcat part-*.jsonl.gz | nearprint dedup - --output - | gzip > clean.jsonl.gz")]
pub struct Arguments {
    /// Files, folders or globs; - for standard input.
    #[arg(required = true, value_name = "INPUT")]
    pub(super) inputs: Vec<String>,
    /// Folder to write; it must be new or empty. -: write the kept rows of all inputs to standard
    /// output, without reports; all inputs must have one format (JSON Lines, CSV, TSV, lines).
    #[arg(long, short, value_name = "DIR", required_unless_present = "check")]
    output: Option<PathBuf>,
    /// Only check the input: list unusable files and rows, and write nothing. Exit code 1 if there
    /// are any.
    #[arg(long, hide_short_help = true)]
    check: bool,
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
    #[arg(long, value_name = "FIELD", requires = "report", hide_short_help = true)]
    source_field: Option<String>,
    /// Field to show beside the documents of a pair in the report; repeat it for more. none: no
    /// field [default: title, date, address and source, by their usual names].
    #[arg(long, value_name = "FIELD", requires = "report", hide_short_help = true)]
    show_field: Vec<String>,
    /// Write all rows, with the fields duplicate_of and cluster, to annotated/, instead of the kept
    /// rows to kept/.
    #[arg(long, hide_short_help = true)]
    annotate: bool,
    /// Write the reports only.
    #[arg(long, hide_short_help = true)]
    dry_run: bool,
    /// Add text and keeper_text to removed.jsonl: the first passage in which a removed document and
    /// its keeper differ, at most N characters of each. The inputs are read once more.
    #[arg(long, value_name = "N", value_parser = whole::<usize>, hide_short_help = true)]
    show_text: Option<usize>,
    /// Refuse to discard an unfinished run to this output that had other settings or input. A run
    /// with the same ones goes on in any case.
    #[arg(long)]
    resume: bool,
    /// Show only errors and warnings.
    #[arg(long, short)]
    pub(super) quiet: bool,
    #[command(flatten)]
    pub(super) settings: Settings,
    /// Reference documents, such as a test set: a file, folder or glob, or - for standard input;
    /// repeat it for more. Only documents that are near a reference document, or contain one, are
    /// removed. Reference documents are not written, and inputs are not compared with each other.
    #[arg(long, value_name = "INPUT", action = clap::ArgAction::Append)]
    pub(super) against: Vec<String>,
}

impl Arguments {
    /// True if the input is only checked.
    pub fn is_check(&self) -> bool {
        self.check
    }
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    let folder = arguments.output.clone().expect("it is required but for a check");
    if folder.as_os_str() == STANDARD_OUTPUT {
        return stream(&arguments);
    }
    let deduplicator = Deduplicator::new(arguments.settings.config()?)?;
    let output = Output {
        folder,
        force: arguments.force,
        pairs: arguments.pairs,
        annotate: arguments.annotate,
        dry_run: arguments.dry_run,
        show_text: arguments.show_text.unwrap_or(0),
        resume: arguments.resume,
        report: arguments.report.then(|| ReportOptions {
            source_field: arguments.source_field.clone(),
            show_fields: ShowFields::new(arguments.show_field.clone()),
        }),
        spare: arguments.settings.file().into_iter().collect(),
        spelled,
    };
    if !arguments.inputs.iter().chain(&arguments.against).any(|input| input == "-") {
        crate::no_memory::can_resume();
    }
    tell_bound(&deduplicator, arguments.quiet);
    let progress = Progress::new(arguments.quiet);
    let result = match arguments.against.as_slice() {
        [] => deduplicator.dedup(&arguments.inputs, &output, &progress),
        against => deduplicator.dedup_against(against, &arguments.inputs, &output, &progress),
    };
    let summary = result.inspect_err(|error| {
        if let (Some(folder), true) = (output.unfinished(deduplicator.config()), error.can_resume())
        {
            progress.finish();
            let remedy = match error {
                Error::OutputTaken { by: Taken::NotEmpty, .. } => {
                    "run the same command with --force"
                }
                Error::OutputTaken { .. } => "remove the output folder, and run the same command",
                _ => "run the same command",
            };
            let kept = folder.display();
            crate::tell(&format!(
                "nearprint: finished stages are kept in {kept}; to continue, {remedy}"
            ));
        }
    })?;
    progress.finish();
    let stages: Vec<&str> = summary.resumed.iter().map(|stage| stage.name()).collect();
    if !arguments.quiet && !stages.is_empty() {
        crate::tell(&format!("Resumed: the earlier run had finished {}.", stages.join(", ")));
    } else if !arguments.quiet && arguments.resume {
        crate::tell("Nothing to resume: there is no unfinished run with a finished stage.");
    }
    tell(&summary, true, arguments.quiet);
    tell_folder(&output, arguments.quiet);
    Ok(tell_loss(summary.loss.as_ref(), LISTED))
}

/// The place where the files and rows that were left out are listed.
pub(super) const LISTED: &str = ": see rejected.jsonl";

/// Names the output folder and a file to look at.
pub(super) fn tell_folder(output: &Output, quiet: bool) {
    if !quiet {
        let folder = output.folder.display();
        let shows = if output.report.is_some() {
            "open report.html in a browser"
        } else {
            "removed.jsonl says why each document was removed"
        };
        crate::tell(&format!("Written to {folder}; {shows}."));
    }
}

/// Writes the kept rows to standard output.
fn stream(arguments: &Arguments) -> Result<u8, Error> {
    let of_folder = [
        ("pairs", arguments.pairs),
        ("annotate", arguments.annotate),
        ("dry-run", arguments.dry_run),
        ("report", arguments.report),
        ("show-text", arguments.show_text.is_some()),
        ("resume", arguments.resume),
        ("force", arguments.force),
    ];
    if let Some((flag, _)) = of_folder.iter().find(|(_, is_given)| *is_given) {
        let problem = "needs an output folder, and --output - writes only the kept rows; leave it \
            out, or name a folder";
        return Err(Error::usage(*flag, problem));
    }
    let deduplicator = Deduplicator::new(arguments.settings.config()?)?;
    tell_bound(&deduplicator, arguments.quiet);
    let progress = Progress::new(arguments.quiet);
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout());
    let summary =
        deduplicator.dedup_to(&arguments.against, &arguments.inputs, &mut out, &progress)?;
    progress.finish();
    tell(&summary, false, arguments.quiet);
    if !arguments.quiet {
        crate::tell(
            "Written to standard output. With a folder for --output, reports say why each document \
             was removed.",
        );
    }
    let first = summary.loss.as_ref().map(|loss| spelled(&loss.first.message()));
    let first = first.map_or(String::new(), |first| format!("; the first: {first}"));
    Ok(tell_loss(summary.loss.as_ref(), &first))
}

fn tell_bound(deduplicator: &Deduplicator, quiet: bool) {
    if let (Some((most, container)), false) = (deduplicator.memory_of_container(), quiet) {
        let limit = format!("{most} of the container's {container}");
        crate::tell(&format!("nearprint: memory limit of the run: {limit}; --memory sets another"));
    }
}

/// Prints the result of a run; `reports` is true if it has written reports.
pub(super) fn tell(summary: &Summary, reports: bool, quiet: bool) {
    if summary.counts.read == 0 && summary.counts.rejected > 0 {
        let why = if reports { "; rejected.jsonl says why" } else { "" };
        crate::tell(&format!("nearprint: no row is usable{why}"));
    }
    for warning in summary.warnings() {
        crate::tell(&format!("nearprint: warning: {}", spelled(&warning)));
    }
    if quiet {
        return;
    }
    if let Some(found) = summary.counts.found_in_words() {
        crate::tell(&format!("{found}."));
    }
    crate::tell(&format!("{}", table(summary, reports)));
    if summary.recall.is_some() {
        crate::tell(RECALL);
    }
    if let Some(choice) = &summary.estimate {
        crate::tell(&super::tune::in_words(choice));
    }
    for suggestion in summary.suggestions() {
        crate::tell(&format!("nearprint: {}", spelled(&suggestion)));
    }
}

/// Width of the table in columns of a terminal.
const WIDTH: u16 = 60;

/// Explanation of the recall in the table.
const RECALL: &str = "\
Recall is the share of the similar pairs of a sample that the search found.
It does not say whether the removals are right.";

fn table(summary: &Summary, reports: bool) -> Table {
    let see = |report: &str| if reports { format!("see {report}") } else { String::new() };
    let counts = &summary.counts;
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    let mut row = |name: &str, count: Option<u64>, note: String| {
        let count = count.map_or("-".to_string(), |count| count.to_string());
        table.add_row(vec![name.to_string(), count, note]);
    };
    if let Some(against) = counts.against {
        row(
            "against",
            Some(against),
            match &summary.against[..] {
                [one] => format!("reference documents from {one}"),
                files => format!("reference documents from {} files", files.len()),
            },
        );
    }
    row("read", Some(counts.read), format!("{} empty, {} short", counts.empty, counts.short));
    if summary.passed_over > 0 {
        row("passed over", Some(summary.passed_over), "files of unknown format".to_string());
    }
    row("kept", Some(counts.kept), String::new());
    row(
        "removed",
        Some(counts.removed),
        format!(
            "{} exact, {} near, {} contained, {} short{}{}",
            counts.exact,
            counts.near,
            counts.contained,
            counts.near_short,
            if counts.leaks.is_some() {
                format!(", {} contain an item", counts.contains)
            } else {
                String::new()
            },
            counts.marked.map_or(String::new(), |marked| format!(", {marked} marked"))
        ),
    );
    if let Some(LeakCounts { documents, whole, passages, too_short }) = counts.leaks {
        let inside = format!(
            "{}, {} in others",
            counted(whole, "whole document", "whole documents"),
            counted(passages, "passage", "passages")
        );
        row(
            "leaks",
            Some(documents),
            if reports { format!("{inside}, see leaks.jsonl") } else { inside },
        );
        if too_short > 0 {
            row("too short", Some(too_short), "items not searched inside documents".to_string());
        }
    }
    let lost = match counts.lost_characters {
        Some(_) => "characters missing from all keepers".to_string(),
        None => "not measured by this --verify".to_string(),
    };
    row("lost", counts.lost_characters, lost);
    row(
        "clusters",
        Some(counts.clusters),
        format!("largest {}", counted(counts.largest_cluster, "document", "documents")),
    );
    let candidates = counted(counts.candidate_pairs, "pair", "pairs");
    row(
        "pairs",
        Some(counts.confirmed_pairs),
        format!("of duplicates, with equal and short ones; {candidates} with near fingerprints"),
    );
    if counts.rejected > 0 {
        row("rejected", Some(counts.rejected), see("rejected.jsonl"));
    }
    if let Some(measured) = summary.recall {
        let Recall { recall, found, pairs, sampled, .. } = measured;
        let sample = counted(sampled, "sampled document", "sampled documents");
        let pairs_found = format!(
            "{found} of the {} of {sample} found",
            counted(pairs, "similar pair", "similar pairs")
        );
        let (share, of) = match (recall, measured.narrow()) {
            (Some(recall), Some((low, high))) => {
                (format!("{recall:.3}"), format!("{low:.3} to {high:.3}: {pairs_found}"))
            }
            _ => ("-".to_string(), format!("too few to tell: {pairs_found}")),
        };
        table.add_row(vec!["recall".to_string(), share, of]);
    }
    let seconds = summary.seconds.get("all").copied().unwrap_or(0.0);
    let speed = summary.bytes.get("text").filter(|_| seconds >= MEASURABLE);
    let speed = speed.map(|bytes| format!("{:.1} MB/s of text", *bytes as f64 / 1e6 / seconds));
    let memory =
        summary.peak_memory_bytes.map(|bytes| format!("{} MB of memory", bytes / 1_000_000));
    let said: Vec<String> = speed.into_iter().chain(memory).collect();
    table.add_row(vec!["seconds".to_string(), format!("{seconds:.2}"), said.join(", ")]);
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for column in table.column_iter_mut().take(2) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    table
}
