//! `nearprint stats`

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use comfy_table::{CellAlignment, Table, presets};
use nearprint::error::Rejections;
use nearprint::read::check_not_found_again;
use nearprint::recipe::{bad_statistics, open_statistics};
use nearprint::{Deduplicator, Error};
use nearprint_core::statistics::{Order, TopFeature, merge};

use super::output_file::OutputFile;
use super::{print, read_files, tell_rejections};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::values::whole;
use crate::visible::visible;

/// Counts corpus statistics (document frequencies and neighbors of features) for later runs; merges
/// and shows them.
///
/// Fingerprints are comparable only with weights from the same statistics: count once, then give
/// --features words --stats FILE to every run.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  nearprint stats news.jsonl --output news.stats
  nearprint stats merge monday.stats tuesday.stats --output week.stats
  nearprint stats show week.stats --top 20"
)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    count: Count,
}

#[derive(Debug, Args)]
struct Count {
    /// Files, folders or globs; - for standard input.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// File to write.
    #[arg(long, short, value_name = "FILE", required = true)]
    output: Option<PathBuf>,
    /// Replace the output file if it exists.
    #[arg(long)]
    force: bool,
    /// Show only errors and warnings.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Adds two files, as if both corpora had been counted together.
    #[command(
        after_help = "Example:\n  nearprint stats merge monday.stats tuesday.stats --output \
            week.stats"
    )]
    Merge {
        /// The first file.
        #[arg(value_name = "A")]
        left: PathBuf,
        /// The second file.
        #[arg(value_name = "B")]
        right: PathBuf,
        /// File to write.
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
        /// Replace the output file if it exists.
        #[arg(long)]
        force: bool,
    },
    /// Shows features with their document frequency and neighbor entropies.
    #[command(after_help = "Example:\n  nearprint stats show news.stats --top 20 --by frequency")]
    Show {
        /// The file.
        file: PathBuf,
        /// Features to show.
        #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value_t = 20)]
        top: usize,
        /// Order of features, the largest first.
        #[arg(long, value_name = "ORDER", default_value = "entropy", value_parser = ["entropy", "frequency"])]
        by: String,
        /// Show as JSON Lines.
        #[arg(long)]
        json: bool,
    },
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    match arguments.verb {
        None => count(arguments.count),
        Some(Verb::Merge { left, right, output, force }) => {
            let file = OutputFile { setting: "output", path: &output, force };
            file.check(&[left.clone(), right.clone()])?;
            file.write(&Progress::new(true), |part| {
                let out = BufWriter::new(File::create(part).map_err(Error::io("create", part))?);
                let (first, second) = (open_statistics(&left)?, open_statistics(&right)?);
                let both =
                    PathBuf::from(format!("merging {} and {}", left.display(), right.display()));
                merge(first, second, out).map_err(bad_statistics(&both))
            })
            .map(|()| 0)
        }
        Some(Verb::Show { file, top, by, json }) => show(&file, top, &by, json).map(|()| 0),
    }
}

fn count(arguments: Count) -> Result<u8, Error> {
    // Letter n-grams have no statistics.
    let deduplicator = Deduplicator::new(arguments.settings.config_about_words()?)?;
    let Some(output) = arguments.output else {
        return Err(Error::usage("output", "name the file to write"));
    };
    let progress = Progress::new(arguments.quiet);
    let spool = deduplicator.spool()?;
    let sources = deduplicator.find_files(&arguments.inputs, spool.path(), &progress)?;
    let file = OutputFile { setting: "output", path: &output, force: arguments.force };
    file.check(&read_files(&deduplicator, &arguments.settings, &sources))?;
    check_not_found_again("output", &output, std::slice::from_ref(&output), &arguments.inputs)?;
    let mut counted = (0, Rejections::default());
    file.write(&progress, |part| {
        let mut out = BufWriter::new(File::create(part).map_err(Error::io("create", part))?);
        counted = deduplicator.save_statistics(sources, &output, &mut out, &progress)?;
        out.flush().map_err(Error::io("write", &output))
    })?;
    progress.finish();
    let (documents, rejections) = counted;
    if !arguments.quiet {
        let documents = super::counted(documents, "document", "documents");
        crate::tell(&format!("Statistics of {documents} written to {}.", output.display()));
    }
    Ok(tell_rejections(&rejections))
}

fn show(path: &Path, top: usize, by: &str, json: bool) -> Result<(), Error> {
    let mut saved = open_statistics(path)?;
    let order = if by == "frequency" { Order::Frequency } else { Order::Entropy };
    let rows = saved.top(top, order).map_err(bad_statistics(path))?;
    if json {
        let line = |row: &TopFeature| {
            serde_json::to_string(row).map(|row| row + "\n").expect("a row is JSON")
        };
        return print(&rows.iter().map(line).collect::<String>());
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["feature", "documents", "E_L", "E_R", "H"]);
    for row in &rows {
        table.add_row(vec![
            visible(&row.feature).into_owned(),
            row.document_frequency.to_string(),
            format!("{:.3}", row.left_entropy),
            format!("{:.3}", row.right_entropy),
            format!("{:.3}", row.entropy),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    super::show(&format!(
        "{}, {}\nmade with {}\n\n{table}\n",
        super::counted(saved.documents, "document", "documents"),
        super::counted(saved.features.len() as u64, "feature", "features"),
        saved.description
    ))
}
