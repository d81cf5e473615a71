//! `nearprint passages`

use std::path::PathBuf;

use clap::Args;
use nearprint::outcome::PassageSummary;
use nearprint::passage::{KeepCopy, PassageAction, PassageOptions};
use nearprint::{Deduplicator, Error, Output, ReportOptions};

use super::{counted, dedup, tell_loss};
use crate::progress::{MEASURABLE, Progress};
use crate::settings::Settings;
use crate::spelling::spelled;
use crate::values::whole;

/// Finds the passages that many documents share, such as footers and disclaimers, and cuts them.
///
/// A passage is a run of letters that stands in several documents; case, punctuation and white space
/// do not count. Every passage of the minimum length is found. Writes into a new folder:
/// passages.jsonl (each place of each passage), passage_texts.jsonl (the text of each passage, the
/// one in most documents first), summary.json and, with --action mask or cut, kept/ (the input files
/// without the places that go), with annotate annotated/ (the input files with a field passages).
/// Places are cut at ends of sentences, lines or paragraphs only.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint passages crawl.jsonl --output shared --report
  nearprint passages crawl.jsonl --output clean --action cut --min-documents 20 --keep-copy none
  nearprint passages crawl/ --output clean --action cut --within host
  nearprint passages answers.jsonl --output loops --min-documents 1")]
pub struct Arguments {
    /// Files, folders or globs; - for standard input.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// Folder to write; it must be new or empty.
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// Replace the output folder and its contents, if an earlier run made it.
    #[arg(long)]
    force: bool,
    /// Action on the places of passages. list: list them, and write no files. annotate: write all
    /// rows with their places in a field passages. mask: replace each place that goes by [masked].
    /// cut: leave it out, with the white space that it would leave.
    #[arg(long, value_name = "ACTION", value_parser = ["list", "annotate", "mask", "cut"], default_value = "list")]
    action: String,
    /// Minimum length of a passage in letters, 20 to 10000. A Chinese character counts as two.
    #[arg(long, value_name = "LETTERS", value_parser = whole::<u32>, default_value_t = 100)]
    min_length: u32,
    /// Minimum number of documents that share a passage. 1: also find passages that are repeated
    /// inside one document.
    #[arg(long, value_name = "N", value_parser = whole::<u32>, default_value_t = 2)]
    min_documents: u32,
    /// Find passages only among the documents that have the same value of this field, such as a
    /// site; repeat it for several. In messages and files of settings its name is same.
    #[arg(long, value_name = "FIELD")]
    within: Vec<String>,
    /// Copy of a passage that stays: first (in the input), best (in the document that --keep
    /// prefers), none [default: first; none of approved passages].
    #[arg(long, value_name = "COPY", value_parser = ["first", "best", "none"])]
    keep_copy: Option<String>,
    /// Maximum share of the letters of a passage in which an edited copy of it differs, 0 to 0.06. 0:
    /// find exact copies only.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    max_edits: f64,
    /// File with verdicts on passages: rows of passage_texts.jsonl with a field verdict, right or
    /// wrong. If some are right, only these passages are looked for, and all copies go; else wrong
    /// ones stay.
    #[arg(long, value_name = "FILE")]
    approved: Option<PathBuf>,
    /// Also write report.html: a page that shows the passages in most documents, on which a person
    /// says which may go.
    #[arg(long)]
    report: bool,
    /// Write the reports only.
    #[arg(long, hide_short_help = true)]
    dry_run: bool,
    /// Refuse to discard an unfinished run to this output that had other settings or input. A run
    /// with the same ones goes on in any case.
    #[arg(long)]
    resume: bool,
    /// Show only errors and warnings.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: Settings,
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    let Arguments { inputs, output, quiet, settings, within, .. } = arguments;
    if output.as_os_str() == "-" {
        let problem = "passages are written to a folder; name one";
        return Err(Error::usage("output", problem));
    }
    let mut config = settings.config_without_search()?;
    if !within.is_empty() {
        config = config.same(within);
    }
    let usual = PassageOptions::default();
    let options = PassageOptions {
        min_length: arguments.min_length,
        min_documents: arguments.min_documents,
        action: match arguments.action.as_str() {
            "annotate" => PassageAction::Annotate,
            "mask" => PassageAction::Mask,
            "cut" => PassageAction::Cut,
            _ => PassageAction::List,
        },
        keep_copy: arguments.keep_copy.map(|copy| match copy.as_str() {
            "best" => KeepCopy::Best,
            "none" => KeepCopy::None,
            _ => KeepCopy::First,
        }),
        max_lost: config.decide.max_lost.unwrap_or(usual.max_lost),
        max_edits: arguments.max_edits,
        approved: arguments.approved,
    };
    let finder = Deduplicator::new(config)?;
    let output = Output {
        force: arguments.force,
        dry_run: arguments.dry_run,
        resume: arguments.resume,
        report: arguments.report.then(ReportOptions::default),
        spare: settings.file().into_iter().collect(),
        spelled,
        ..Output::new(output)
    };
    let progress = Progress::new(quiet);
    let summary = finder.passages(&inputs, &options, &output, &progress)?;
    progress.finish();
    if !quiet {
        tell(&summary, &output);
    }
    Ok(tell_loss(summary.loss.as_ref(), dedup::LISTED))
}

fn tell(summary: &PassageSummary, output: &Output) {
    let counts = &summary.counts;
    let passages = counted(counts.passages, "passage", "passages");
    let places = counted(counts.places, "place", "places");
    let documents = counted(counts.read, "document", "documents");
    let with = counts.documents;
    crate::tell(&format!("{passages} at {places}, in {with} of {documents}."));
    let go = counted(counts.going, "place", "places");
    let characters = counted(counts.characters, "character", "characters");
    let changed = counted(counts.changed, "document", "documents");
    let verb = match summary.settings.action {
        PassageAction::List | PassageAction::Annotate => "would go",
        PassageAction::Mask => "masked",
        PassageAction::Cut => "cut",
    };
    crate::tell(&format!("{go} {verb}: {characters} of {changed}."));
    if counts.absent > 0 {
        let absent = counted(counts.absent, "approved passage stands", "approved passages stand");
        crate::tell(&format!("{absent} nowhere, or only inside others."));
    }
    if counts.left > 0 {
        let left = counted(counts.left, "document", "documents");
        crate::tell(&format!("{left} left unchanged, since more than --max-lost would go."));
    }
    let seconds = summary.seconds.get("all").copied().unwrap_or(0.0);
    if seconds >= MEASURABLE {
        let speed = summary.bytes["text"] as f64 / 1e6 / seconds;
        let memory = summary.peak_memory_bytes.unwrap_or(0) / 1_000_000;
        crate::tell(&format!(
            "{seconds:.2} seconds, {speed:.1} MB/s of text, {memory} MB of memory."
        ));
    }
    let folder = output.folder.display();
    let shows = if output.report.is_some() {
        "open report.html in a browser"
    } else {
        "passage_texts.jsonl has the texts of passages"
    };
    crate::tell(&format!("Written to {folder}; {shows}."));
}
