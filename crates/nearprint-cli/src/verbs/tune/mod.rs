//! `nearprint tune`

mod bounds;
mod plot;

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use nearprint::corpus::Purpose;
use nearprint::estimate::{Choice, Row, SAMPLE};
use nearprint::run::BoundsTable;
use nearprint::search::Tuning;
use nearprint::{Deduplicator, Error};

use super::output_file::{OutputFile, folder_of};
use super::{counted, print, read_files, show, tell_rejections};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::spelling::spelled;
use crate::values::whole;

/// Shows how many documents would go at other minimum similarities, with pairs just above and just
/// below each. It runs a deduplication that writes nothing.
///
/// With --distances it measures on a sample which duplicates each distance finds. Compares the
/// sample with itself and with edited copies, and shows the recall of each distance, the candidate
/// pairs by chance, and the settings that follow, as TOML for --config. The chosen distances find
/// the share --recall [default: 0.95] of the pairs of similarity --min-similarity. Settings that
/// find less than the default distances are not written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint tune news.jsonl
  nearprint tune news.jsonl --distances
  nearprint tune news.jsonl --recall 0.9999 --output news.toml --plot news.svg
  nearprint dedup news.jsonl --output clean --config news.toml")]
pub struct Arguments {
    /// Files, folders or globs; - for standard input.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// Show the distances of the search, and what each finds. --recall, --sample, --output and
    /// --plot imply it.
    #[arg(long)]
    distances: bool,
    /// Documents to sample for the distances [default: 2000].
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    sample: Option<usize>,
    /// File for the settings; -: write only the settings to standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// SVG file for a plot of the distributions and the recall.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Replace these files if they exist.
    #[arg(long)]
    force: bool,
    /// Show both results as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: Settings,
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    let to_standard_output = |path: &PathBuf| path.as_os_str() == "-";
    let only_settings = arguments.output.as_ref().is_some_and(to_standard_output);
    let output = arguments.output.clone().filter(|_| !only_settings);
    if only_settings && arguments.json {
        return Err(Error::usage(
            "output",
            "- and --json both write to standard output; name a file",
        ));
    }
    if arguments.plot.as_ref().is_some_and(to_standard_output) {
        return Err(Error::usage(
            "plot",
            "the plot cannot be written to standard output; name a file",
        ));
    }
    if let (Some(output), Some(plot)) = (&output, &arguments.plot)
        && is_one_file(output, plot)
    {
        return Err(Error::usage("plot", "--output names the same file; name another one"));
    }
    let deduplicator = Deduplicator::new(arguments.settings.config_without_distances()?)?;
    let progress = Progress::new(arguments.quiet || !std::io::stderr().is_terminal());
    let spool = deduplicator.spool()?;
    let sources = deduplicator.find_files(&arguments.inputs, spool.path(), &progress)?;
    let read = read_files(&deduplicator, &arguments.settings, &sources);
    let force = arguments.force;
    let output = output.as_deref().map(|path| OutputFile { setting: "output", path, force });
    let plot = arguments.plot.as_deref();
    let plot = plot.map(|path| OutputFile { setting: "plot", path, force });
    output.iter().chain(&plot).try_for_each(|file| file.check(&read))?;
    let tuning = match arguments.wants_distances(&deduplicator) {
        true => {
            let corpus = deduplicator.read(sources.clone(), Purpose::Tune, &progress)?;
            Some(deduplicator.tune(&corpus, arguments.sample.unwrap_or(SAMPLE), &progress)?)
        }
        false => None,
    };
    let bounds = deduplicator.bounds(sources, &progress)?;
    progress.finish();
    let code = tell_rejections(&bounds.rejections);
    let Some(tuning) = tuning else { return show(&bounds::shown(&bounds)).map(|()| code) };
    // Without documents to search there is nothing to miss.
    let finds_less = tuning.choice.documents > 0
        && tuning.choice.finds_less_than(bounds.max_distance, bounds.complete_distance);
    let toml = toml(&tuning);
    if let Some(file) = output.as_ref().filter(|_| !finds_less) {
        file.write(&progress, |part| {
            std::fs::write(part, &toml).map_err(Error::io("write", file.path))
        })?;
    }
    if let Some(file) = &plot {
        let svg = plot::svg(&tuning);
        file.write(&progress, |part| {
            std::fs::write(part, svg).map_err(Error::io("write", file.path))
        })?;
    }
    let less = format!(
        "they find less than the default distances, {} (complete to {}), which dedup has without \
         settings; set a larger --recall",
        bounds.max_distance, bounds.complete_distance
    );
    match arguments.json {
        true => {
            let both = Both { tuning: &tuning, bounds: &bounds };
            print(&format!("{}\n", serde_json::to_string_pretty(&both).expect("it is JSON")))?;
        }
        false if only_settings && finds_less => {}
        false if only_settings => print(&toml)?,
        false if tuning.choice.documents == 0 => show(&shown(&tuning, ""))?,
        false if finds_less => {
            show(&shown(&tuning, &format!("\nThere are no settings of them: {less}.")))?
        }
        false => {
            let place = match &output {
                Some(file) => format!(" The settings are in {}.", file.path.display()),
                None => " The settings for --config are at the end.".to_string(),
            };
            show(&format!("{}\n{toml}", shown(&tuning, &place)))?
        }
    }
    match (finds_less, &arguments.output) {
        (true, Some(_)) => {
            Err(Error::usage("output", format!("no settings are written, since {less}")))
        }
        _ => Ok(code),
    }
}

impl Arguments {
    /// True if the distances are to be measured.
    fn wants_distances(&self, deduplicator: &Deduplicator) -> bool {
        self.distances
            || self.json
            || self.sample.is_some()
            || self.output.is_some()
            || self.plot.is_some()
            || deduplicator.config().search.recall.is_some()
    }
}

/// Both results, as JSON.
#[derive(serde::Serialize)]
struct Both<'b> {
    #[serde(flatten)]
    tuning: &'b Tuning,
    bounds: &'b BoundsTable,
}

/// True if two paths lead to one file, which may not exist yet.
fn is_one_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        Some((folder_of(path).canonicalize().ok()?, path.file_name()?.to_os_string()))
    };
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// The settings as TOML, with a comment about their origin.
fn toml(tuning: &Tuning) -> String {
    let choice = &tuning.choice;
    format!(
        "# nearprint tune: similarity {}, recall {}; {}, {} of them sampled\n{}",
        choice.similarity,
        choice.recall,
        counted(choice.documents as u64, "document", "documents"),
        choice.sample,
        tuning.to_toml()
    )
}

/// The choice, its expected recall, and the obstacle if there is one.
pub(super) fn in_words(choice: &Choice) -> String {
    let not_reached = not_reached(choice).map_or(String::new(), |obstacle| format!("\n{obstacle}"));
    answer(choice) + &not_reached
}

/// The choice in three lines.
fn answer(choice: &Choice) -> String {
    if choice.documents == 0 {
        return NOTHING_SEARCHED.to_string();
    }
    let source = match choice.copies {
        0 => "estimated by the angle formula, since no text could be edited to it".to_string(),
        1 => "measured on 1 copy edited to it".to_string(),
        copies => format!("measured on {copies} copies edited to it"),
    };
    format!(
        "Distance {} (complete to {}) finds {} of the pairs of similarity {},\n\
         {source}. About {} candidate pairs arise by chance.\n\
         The search compares about {} pairs of fingerprints.",
        choice.max_distance,
        choice.complete_distance,
        percent(choice.expected_recall),
        choice.similarity,
        rounded(choice.expected_candidates),
        rounded(choice.compared_fingerprints),
    )
}

/// The reason why the target recall is not reached, if it is not.
fn not_reached(choice: &Choice) -> Option<String> {
    let obstacle = choice.obstacle.filter(|_| choice.documents > 0)?;
    Some(format!(
        "The recall of {} is not reached: {}",
        choice.recall,
        spelled(&obstacle.message())
    ))
}

const NOTHING_SEARCHED: &str = "\
No document is searched by fingerprint, so there is no distance to choose: there is no document,
or all are empty or have fewer distinct features than --min-features. Short documents are compared
by their characters, without a search by distance.";

/// The answer, the place of its settings, and the measurements behind it.
fn shown(tuning: &Tuning, settings: &str) -> String {
    let choice = &tuning.choice;
    let mut out = format!("{}{settings}\n", answer(choice));
    if let Some(obstacle) = not_reached(choice) {
        let _ = writeln!(out, "{obstacle}");
    }
    out.push('\n');
    line(
        &mut out,
        "documents",
        &format!("{}  (distinct texts, none of them short)", choice.documents),
    );
    let pairs = choice.sample as u64 * (choice.sample as u64).saturating_sub(1) / 2;
    let sample = counted(choice.sample as u64, "document", "documents");
    let pairs = counted(pairs, "pair", "pairs");
    let copies = counted(choice.copies as u64, "edited copy", "edited copies");
    line(&mut out, "sample", &format!("{sample}, {pairs}; {copies}"));
    line(
        &mut out,
        "target",
        &format!("recall {} of pairs of similarity {}", choice.recall, choice.similarity),
    );
    if choice.documents == 0 {
        return out;
    }
    line(&mut out, "plan", &shortened(&tuning.plan));
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "",
        "distance",
        "chance pairs",
        "comparisons",
        "unrelated",
        "similar",
        "copies within",
        "copies found",
        "formula",
    ]);
    for row in rows(tuning) {
        let share = |share: Option<f64>| share.map_or("-".to_string(), percent);
        table.add_row([
            if row.distance == choice.max_distance { ">".to_string() } else { String::new() },
            row.distance.to_string(),
            format!(
                "{}{}",
                if row.extrapolated { "~" } else { "" },
                rounded(row.expected_candidates)
            ),
            rounded(row.compared_fingerprints),
            row.unrelated_pairs.to_string(),
            row.related_pairs.to_string(),
            share(row.copies_within),
            share(row.copies_found),
            percent(row.formula_within),
        ]);
    }
    let (table, by_similarity) = (aligned(table), by_similarity(tuning));
    format!("{out}\n{table}\n\n{LEGEND}\n\n{by_similarity}")
}

fn line(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "{name:<22}{value}");
}

/// The share of the copies of each similarity that each distance finds; nothing where there are no
/// copies.
fn by_similarity(tuning: &Tuning) -> String {
    let choice = &tuning.choice;
    if choice.copies == 0 {
        return String::new();
    }
    let found = |row: &Row| row.copies_found.unwrap_or(0.0);
    let asked_for = tuning.distances.iter().map(found).collect::<Vec<f64>>();
    let others = tuning.other_similarities.iter().filter(|other| other.copies > 0);
    let mut columns: Vec<(f64, &[f64])> =
        others.map(|other| (other.similarity, &*other.copies_found)).collect();
    columns.push((choice.similarity, &asked_for));
    columns.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let similarities = columns.iter().map(|(similarity, _)| similarity.to_string());
    table.set_header(["".to_string(), "distance".to_string()].into_iter().chain(similarities));
    for row in rows(tuning) {
        let mark = if row.distance == choice.max_distance { ">" } else { "" };
        let shares = columns.iter().map(|(_, found)| percent(found[row.distance as usize]));
        table.add_row([mark.to_string(), row.distance.to_string()].into_iter().chain(shares));
    }
    format!("share of copies found, by similarity:\n{}\n", aligned(table))
}

fn aligned(mut table: Table) -> Table {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

const LEGEND: &str = "\
chance pairs: unrelated pairs within the distance in the whole corpus (~ extrapolated)
comparisons: pairs of fingerprints compared by a search that finds every pair within the distance
unrelated, similar: pairs of the sample at exactly this distance
copies within, copies found: share of the edited copies within the distance; share that the plan \
finds
formula: share of the copies within the distance, by the angle between the weighted features";

/// The distances worth showing: from the first copy or pair to a little beyond the choice.
fn rows(tuning: &Tuning) -> impl Iterator<Item = &Row> {
    let chosen = tuning.choice.max_distance;
    let beyond = chosen + (tuning.settings.fingerprint.bits / 16).max(2);
    let begins = |row: &&Row| {
        row.formula_within >= 0.005 || row.copies_within.is_some_and(|share| share > 0.0)
    };
    let first = tuning.distances.iter().find(begins).map_or(chosen, |row| row.distance.min(chosen));
    tuning.distances.iter().filter(move |row| (first..=beyond).contains(&row.distance))
}

/// A plan of many tables by its first ones.
fn shortened(plan: &str) -> String {
    const TABLES: usize = 3;
    let tables: Vec<&str> = plan.split(", ").collect();
    match tables.len() {
        0..=TABLES => plan.to_string(),
        count => format!("{}, and {} more tables", tables[..TABLES].join(", "), count - TABLES),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A number rounded to few digits.
fn rounded(number: f64) -> String {
    match number {
        ..0.05 => "0".to_string(),
        ..10.0 => format!("{number:.1}"),
        ..1e6 => format!("{number:.0}"),
        _ => format!("{number:.1e}"),
    }
}
