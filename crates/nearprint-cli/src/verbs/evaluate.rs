//! `nearprint evaluate`

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use nearprint::document::Id;
use nearprint::evaluate::{
    Columns, EvaluatedFile, EvaluationReport, Figure, LEAST_MARKS, MEASURES, Options, Proposal,
    Question, Worst, run_of,
};
use nearprint::shares::Similarity;
use nearprint::{Deduplicator, Error};

use super::{counted, print, show, spell, tell_rejections};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::values::whole;
use crate::visible::visible;

/// Maximum number of marked pairs to name whose documents are not in the run.
const UNKNOWN: usize = 3;

/// Measures how well found pairs or clusters agree with labelled ones: precision, recall, F1,
/// B-cubed, adjusted Rand index, accuracy by document, each with its interval, and the worst misses
/// and false alarms.
///
/// FOUND and TRUTH are JSON Lines, CSV, TSV or Parquet, or an output folder of dedup; one of them
/// may be standard input (-). If the name tells no format, --format does [default: JSON Lines].
/// Pairs have the columns left and right. Clusters have id and cluster (none for a document on its
/// own), members, or id and keeper. An integer and its digits as a string are one id.
///
/// If FOUND is the output folder of a run, the settings and the documents are those of the run.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint evaluate clean labels.csv
  nearprint evaluate clean marks.jsonl
  other-tool | nearprint evaluate - labels.csv --format csv
  nearprint evaluate pairs.parquet labels.jsonl --left-field a --right-field b --judged-only
  nearprint evaluate clean/clusters.jsonl groups.csv --cluster-field group --json")]
pub struct Arguments {
    /// The result to evaluate: a file of pairs or clusters, or an output folder of dedup; - for
    /// standard input.
    #[arg(value_name = "FOUND")]
    found: String,
    /// Labelled pairs or clusters; - for standard input. A pair is a duplicate if its column label
    /// is above 0, no duplicate if it is 0, and does not count without a label. A column verdict
    /// (right or wrong) works likewise, and with a column similarity it also gives a proposal for
    /// --min-similarity [default: the marks of the run, if FOUND is its output folder].
    #[arg(value_name = "TRUTH")]
    truth: Option<String>,
    /// The corpus: files, folders or globs. Documents without duplicates then count too, and the
    /// texts of the worst pairs are compared and shown [default: the inputs of the run, if FOUND is
    /// its output folder].
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    documents: Vec<String>,
    /// Ignore pairs that TRUTH does not list, or documents that its clusters do not name. A column
    /// verdict in TRUTH implies it.
    #[arg(long)]
    judged_only: bool,
    /// Misses and false alarms to show, each with the first passage in which its texts differ; 0:
    /// none.
    #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value_t = 10)]
    worst: usize,
    /// Bootstrap replicates for 95 % intervals, up to 1,000,000; 0: no intervals.
    #[arg(long, value_name = "N", value_parser = whole::<u32>, default_value_t = 1000)]
    bootstrap: u32,
    /// Seed of the bootstrap's random numbers.
    #[arg(long, value_name = "N", value_parser = whole::<u64>, default_value_t = 0)]
    seed: u64,
    /// Show the result as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress.
    #[arg(long, short)]
    quiet: bool,
    /// Column with the first document of a pair [default: left].
    #[arg(long, value_name = "FIELD", help_heading = "Columns of FOUND and TRUTH")]
    left_field: Option<String>,
    /// Column with the second document of a pair [default: right].
    #[arg(long, value_name = "FIELD", help_heading = "Columns of FOUND and TRUTH")]
    right_field: Option<String>,
    /// Column with the name of a document's cluster [default: cluster]. The column of --id-field
    /// has the documents.
    #[arg(long, value_name = "FIELD", help_heading = "Columns of FOUND and TRUTH")]
    cluster_field: Option<String>,
    /// Column with the label of a pair: duplicate or not [default: label].
    #[arg(long, value_name = "FIELD", help_heading = "Columns of FOUND and TRUTH")]
    label_field: Option<String>,
    #[command(flatten)]
    settings: Settings,
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    let run = run_of(&arguments.found)?;
    let config = match &run {
        Some(run) => arguments.settings.config_over(&run.config)?,
        None => arguments.settings.config_without_search()?,
    };
    let marks = config.decide.marks.as_ref().map(|marks| marks.display().to_string());
    let truth = arguments.truth.or(marks).ok_or_else(|| {
        let problem = "name labelled pairs or clusters, or the marks that a report's page saves";
        Error::usage("truth", problem)
    })?;
    // Marks are the truth here, and no part of a run.
    let deduplicator = Deduplicator::new(config.marks(None))?;
    let folders =
        [&arguments.found, &truth].map(|name| Path::new(name).is_dir().then(|| name.clone()));
    let question = Question {
        found: arguments.found.into(),
        truth: truth.into(),
        run,
        documents: arguments.documents.into_iter().map(Into::into).collect(),
        columns: Columns {
            left: arguments.left_field,
            right: arguments.right_field,
            id: deduplicator.config().read.id_field.name().map(str::to_string),
            cluster: arguments.cluster_field,
            label: arguments.label_field,
        },
        judged_only: arguments.judged_only,
        worst: arguments.worst,
        options: Options { replicates: arguments.bootstrap, seed: arguments.seed },
    };
    // Progress only as bars, which disappear: lines would stand above the table.
    let progress = Progress::new(arguments.quiet || !std::io::stderr().is_terminal());
    let mut report = deduplicator.evaluate(&question, &progress)?;
    spell(&mut report.notes);
    if let Some(advice) = report.proposal.as_mut().and_then(|proposal| proposal.advice.as_mut()) {
        spell(std::slice::from_mut(advice));
    }
    progress.finish();
    let code = tell_rejections(&report.rejections);
    match arguments.json {
        true => print(&format!(
            "{}\n",
            serde_json::to_string_pretty(&report).expect("a report is JSON")
        )),
        false => show(&shown(&report, &folders)),
    }
    .map(|()| code)
}

/// The proposal of marks for the minimum similarity, in three lines, and the ignored marks.
fn proposed(proposal: &Proposal) -> String {
    let (marks, wrong) = (proposal.marks, proposal.marks - proposal.right);
    let pairs = counted(marks, "marked pair", "marked pairs");
    let of = format!("{pairs}, {} right and {wrong} wrong", proposal.right);
    let mut out = match (proposal.min_similarity, &proposal.precision, &proposal.recall) {
        (Some(bound), Some(precision), Some(recall)) => {
            let figure = |name: &str, figure: &Figure| {
                let [value, low, high] = [figure.value, figure.low, figure.high].map(number);
                format!("{name} {value} ({low} to {high})")
            };
            format!(
                "Proposed: --min-similarity {bound}, with the best F1 over {of}.\n{}, {}.\nThis \
                 recall counts marked pairs only, not duplicates that nobody marked.\n",
                figure("precision", precision),
                figure("recall", recall)
            )
        }
        _ if proposal.all_pairs == Some(0) => {
            "No bound is proposed: --min-similarity decides about no pair of the run.\n".to_string()
        }
        _ if proposal.missing == 0 => {
            let kind = if wrong == 0 { "right" } else { "wrong" };
            format!(
                "No bound is proposed: it needs right and wrong pairs, and all {marks} pairs of \
                 the run are marked {kind}.\n"
            )
        }
        _ => {
            let missing = proposal.missing;
            let are = if missing == 1 { "is" } else { "are" };
            let least = match proposal.all_pairs {
                Some(1) => "a mark on the only pair of the run".to_string(),
                Some(pairs) => format!("marks on all {pairs} pairs of the run"),
                None => format!("at least {LEAST_MARKS} marks"),
            };
            format!(
                "No bound is proposed yet: it needs {least}, right and wrong ones; {missing} {are} \
                 missing. So far: {of}.\n"
            )
        }
    };
    if let Some(advice) = &proposal.advice {
        let advice = advice.to_string();
        let mut letters = advice.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        let _ = writeln!(out, "{}{}.", first.unwrap_or_default(), letters.as_str());
    }
    if let (Some(pairs), Some(_)) = (proposal.all_pairs, proposal.min_similarity) {
        let _ = writeln!(
            out,
            "Warning: the proposal rests on only {}, all that this run has; more documents may \
             change it much.",
            counted(pairs, "pair", "pairs")
        );
    }
    if proposal.without_similarity > 0 {
        let _ = writeln!(
            out,
            "{} ignored.",
            counted(
                proposal.without_similarity,
                "mark without a similarity is",
                "marks without a similarity are"
            )
        );
    }
    if !proposal.unknown.is_empty() {
        let pairs = proposal
            .unknown
            .iter()
            .take(UNKNOWN)
            .map(|[left, right]| format!("{} and {}", id(left), id(right)));
        let mut pairs = pairs.collect::<Vec<_>>().join("; ");
        let more = proposal.unknown.len().saturating_sub(UNKNOWN);
        if more > 0 {
            let _ = write!(pairs, "; and {more} more");
        }
        let count = counted(proposal.unknown.len() as u64, "mark is", "marks are");
        let _ = writeln!(out, "{count} of documents that are not in the run: {pairs}.");
    }
    out.push('\n');
    out
}

/// The answer in three lines: pairs, measures, files.
fn answer(report: &EvaluationReport, folders: &[Option<String>; 2]) -> String {
    let counts = &report.counts;
    let (labelled, alarms) = (counts.labelled_pairs, counts.false_alarms);
    let were = |count: u64| counted(count, "was", "were");
    let labelled = counted(labelled, "labelled pair", "labelled pairs");
    let (found, missed) = (counts.true_positives, were(counts.misses));
    let verb = if found == 1 { "was" } else { "were" };
    let mut out = format!("{found} of {labelled} {verb} found, {missed} missed. ");
    let alarms = counted(alarms, "found pair is not", "found pairs are not");
    let _ = writeln!(out, "{alarms} labelled as duplicates.");
    let measures = ["precision", "recall", "f1"].map(|name| {
        let figure = &report.measures[name];
        let interval =
            figure.low.zip(figure.high).map(|(low, high)| format!(" ({low:.4} to {high:.4})"));
        format!("{} {}{}", in_words(name), number(figure.value), interval.unwrap_or_default())
    });
    let _ = writeln!(out, "{}", measures.join(", "));
    let sides = [("FOUND", &report.found, &folders[0]), ("TRUTH", &report.truth, &folders[1])];
    let files = sides.map(|(name, side, folder)| match folder {
        None => format!("{name} is {}", visible(&side.file)),
        Some(folder) => {
            let file = Path::new(&side.file)
                .file_name()
                .map_or(side.file.clone(), |file| file.display().to_string());
            let why = if file == "pairs.jsonl" {
                ""
            } else {
                ", which has no pairs.jsonl (see dedup --pairs)"
            };
            format!("{name} is {} of the folder {}{why}", visible(&file), visible(folder))
        }
    });
    let _ = writeln!(out, "{}.", files.join("; "));
    out
}

fn number(value: Option<f64>) -> String {
    value.map_or("-".to_string(), |value| format!("{value:.4}"))
}

fn shown(report: &EvaluationReport, folders: &[Option<String>; 2]) -> String {
    let (documents, counts) = (&report.documents, &report.counts);
    let mut out = report.proposal.as_ref().map(proposed).unwrap_or_default();
    out.push_str(&answer(report, folders));
    out.push('\n');
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<22}{value}");
    };
    let file = |side: &EvaluatedFile| {
        let rows = counted(side.rows, "row", "rows");
        format!("{}  ({}, {rows})", visible(&side.file), side.shape)
    };
    line("FOUND", file(&report.found));
    line("TRUTH", file(&report.truth));
    let read = documents.in_documents.map_or(String::new(), |count| format!(", {count} read"));
    let named = format!("FOUND names {}, TRUTH {}{read}", documents.in_found, documents.in_truth);
    line("documents counted", format!("{}  ({named})", documents.counted));
    line("found pairs", format!("{}  (false alarms: {})", counts.found_pairs, counts.false_alarms));
    line("labelled pairs", format!("{}  (misses: {})", counts.labelled_pairs, counts.misses));
    line("true positives", counts.true_positives.to_string());
    if counts.left_out_pairs > 0 {
        line("pairs left out", counts.left_out_pairs.to_string());
    }

    let mut table = new_table(&["measure", "value", "low", "high"]);
    for name in MEASURES {
        let figure = &report.measures[name];
        table.add_row(vec![
            in_words(name).to_string(),
            number(figure.value),
            number(figure.low),
            number(figure.high),
        ]);
    }
    let _ = write!(out, "\n{}\n", aligned(table, 1..4));
    if report.bootstrap.replicates > 0 {
        let (level, blocks) = (report.bootstrap.level * 100.0, counts.blocks);
        let _ = writeln!(
            out,
            "low and high: {level} % interval of {} bootstrap replicates over {blocks} blocks of \
             linked documents",
            report.bootstrap.replicates
        );
    }
    list(&mut out, "misses", "the most similar first", &report.misses);
    list(&mut out, "false alarms", "the least similar first", &report.false_alarms);
    if !report.notes.is_empty() {
        out.push('\n');
    }
    for note in &report.notes {
        let _ = writeln!(out, "Note: {note}.");
    }
    out
}

fn in_words(measure: &'static str) -> &'static str {
    match measure {
        "f1" => "F1",
        "bcubed_precision" => "B-cubed precision",
        "bcubed_recall" => "B-cubed recall",
        "bcubed_f1" => "B-cubed F1",
        "adjusted_rand_index" => "adjusted Rand index",
        "document_accuracy" => "document accuracy",
        other => other,
    }
}

fn id(id: &Id) -> String {
    match id {
        Id::Integer(number) => number.to_string(),
        Id::Unsigned(number) => number.to_string(),
        Id::Text(text) => visible(text).into_owned(),
    }
}

fn list(out: &mut String, name: &str, order: &str, worst: &Worst) {
    if worst.pairs.is_empty() {
        return;
    }
    let title = match worst.pairs.iter().any(|case| case.similarity.is_some()) {
        true => format!("Worst {name}, {order}"),
        false => format!("Some {name}, of unknown similarity"),
    };
    let part = match worst.compared < worst.of {
        true => format!(" ({} of {} compared, drawn at random)", worst.compared, worst.of),
        false => String::new(),
    };
    let mut table = new_table(&["left", "right", "distance", "similarity"]);
    for case in &worst.pairs {
        let cell = |value: Option<String>| value.unwrap_or("-".to_string());
        table.add_row(vec![
            id(&case.left),
            id(&case.right),
            cell(case.distance.map(|distance| distance.to_string())),
            cell(case.similarity.map(|similarity| Similarity(similarity).to_string())),
        ]);
    }
    let _ = write!(out, "\n{title}{part}\n");
    // The texts of each pair go below its row.
    for (place, row) in aligned(table, 2..4).to_string().lines().enumerate() {
        let _ = writeln!(out, "{}", row.trim_end());
        let case = place.checked_sub(1).and_then(|place| worst.pairs.get(place));
        for text in case.into_iter().flat_map(|case| [&case.left_text, &case.right_text]).flatten()
        {
            let _ = writeln!(out, "    {}", visible(text));
        }
    }
}

fn new_table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table
}

fn aligned(mut table: Table, numbers: std::ops::Range<usize>) -> Table {
    for column in numbers {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
