//! `nearprint compare`

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use nearprint::compare::{Comparison, Side};
use nearprint::shares::{Percent, Similarity};
use nearprint::{Deduplicator, Error, in_family};
use nearprint_core::features::Kind;

use super::{print, spell};
use crate::aligned::aligned;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::spelling::spelled;
use crate::values::whole;
use crate::visible::{visible, visible_lines};

/// Compares two texts: the verdict of dedup, both texts aligned, and the measurements. Marks show
/// moved passages, passages of one text only, and differing figures.
///
/// With --features words, also lists the heaviest words and the votes on each bit. Weights of words
/// come from the two texts alone, or with --stats from the statistics of a corpus, as in dedup.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint compare draft.txt published.txt
  nearprint compare --in news.jsonl 17 42
  nearprint compare --text '能力比学历重要性高' --text '学历比能力重要性高' --preset paper")]
pub struct Arguments {
    /// Two text files; - for standard input. With --in: two ids, or FILE:ROW.
    #[arg(
        value_name = "FILE",
        num_args = 2,
        conflicts_with = "text",
        required_unless_present = "text"
    )]
    files: Vec<PathBuf>,
    /// File, folder or glob that holds the two documents; repeat it for more. They are judged as
    /// dedup judges them among all documents.
    #[arg(long = "in", value_name = "INPUT", conflicts_with = "text", action = clap::ArgAction::Append)]
    inputs: Vec<String>,
    /// A text; give it twice.
    #[arg(long, value_name = "TEXT")]
    text: Vec<String>,
    /// Features to list.
    #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value_t = 10)]
    top: usize,
    /// Show the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Settings,
}

pub fn run(arguments: Arguments) -> Result<(), Error> {
    let deduplicator = Deduplicator::new(arguments.settings.config_without_search()?)?;
    let names: Vec<String> =
        arguments.files.iter().map(|name| name.display().to_string()).collect();
    if arguments.inputs.is_empty()
        && arguments.files.iter().filter(|path| path.as_os_str() == "-").count() > 1
    {
        return Err(Error::usage("input", "standard input is one text; name a file for the other"));
    }
    let watch = Progress::new(true);
    let texts = match arguments.files.is_empty() {
        true => arguments.text,
        false if !arguments.inputs.is_empty() => {
            deduplicator.texts_of(&arguments.inputs, &names, &watch)?
        }
        false => arguments
            .files
            .iter()
            .map(|path| deduplicator.read_text(path, &watch))
            .collect::<Result<_, _>>()?,
    };
    let [left, right] = &texts[..] else {
        return Err(Error::usage(
            "text",
            format!("give two texts to compare, not {}", texts.len()),
        ));
    };
    let in_words = deduplicator.config().fingerprint.features.kind() == Kind::Words;
    // Letter n-grams are listed in JSON only.
    let top = if in_words || arguments.json { arguments.top } else { 0 };
    let in_family = match arguments.inputs.is_empty() {
        true => None,
        false => Some(in_family(
            deduplicator.config(),
            &arguments.inputs,
            vec![left.clone(), right.clone()],
            &watch,
        )?),
    };
    let mut comparison = deduplicator.compare([left, right], in_family, top)?;
    match arguments.json {
        true => {
            spell(&mut comparison.why);
            let json = serde_json::to_string_pretty(&comparison).expect("a comparison is JSON");
            print(&format!("{json}\n"))
        }
        false => {
            let tables = if in_words { tables(&comparison) } else { String::new() };
            let sides = match &names[..] {
                [left, right] if left != right => [left.as_str(), right],
                _ => ["the left text", "the right text"],
            };
            // The aligned texts are safe for a terminal, and may be colored.
            let mut why = comparison.why.iter().map(|why| format!("{}\n", spelled(why)));
            let verdict = why.next().unwrap_or_default();
            let details: String = why.chain(["\n".to_string()]).collect();
            let texts = aligned(&comparison.view, sides);
            let measured = format!("{}{tables}", measures(&comparison));
            let told = [&verdict, &details, &measured].map(|lines| visible_lines(lines));
            print(&format!("{}\n{texts}\n{}{}", told[0], told[1].trim_start(), told[2]))
        }
    }
}

/// The measures.
fn measures(comparison: &Comparison) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<22}{value}");
    };
    let side = |side: &Side| {
        format!("{}  ({} terms, {} features)", side.fingerprint, side.terms, side.features)
    };
    line("left", side(&comparison.left));
    line("right", side(&comparison.right));
    line("Hamming distance", format!("{} of {} bits", comparison.distance, comparison.bits));
    line("bit edit distance", comparison.bit_edit_distance.to_string());
    line("estimated cosine", Similarity(comparison.estimated_cosine).to_string());
    line("cosine", Similarity(comparison.cosine).to_string());
    line("coverage", Similarity(comparison.coverage).to_string());
    line("Jaccard", Similarity(comparison.jaccard).to_string());
    line("containment", Similarity(comparison.containment).to_string());
    line("similarity", Similarity(comparison.similarity).to_string());
    if let Some([left, right]) = comparison.lost {
        line("only on the left", Percent(left).to_string());
        line("only on the right", Percent(right).to_string());
    }
    out
}

/// The heaviest features, those that differ most, and the votes.
fn tables(comparison: &Comparison) -> String {
    let mut out = String::new();
    for (name, side) in
        [("Heaviest on the left", &comparison.left), ("Heaviest on the right", &comparison.right)]
    {
        let mut table = new_table(&["feature", "count", "weight"]);
        for feature in &side.heaviest {
            table.add_row(vec![
                visible(&feature.feature).into_owned(),
                feature.count.to_string(),
                format!("{:.3}", feature.weight),
            ]);
        }
        let _ = write!(out, "\n{name}\n{}\n", right_aligned(table));
    }
    let mut table = new_table(&["feature", "left", "right"]);
    for feature in &comparison.differing {
        table.add_row(vec![
            visible(&feature.feature).into_owned(),
            format!("{:.3}", feature.left),
            format!("{:.3}", feature.right),
        ]);
    }
    let _ = write!(out, "\nDiffering most\n{}\n", right_aligned(table));
    for (name, side) in
        [("Votes on the left", &comparison.left), ("Votes on the right", &comparison.right)]
    {
        let _ = write!(out, "\n{name}: by bit, above 0 gives 1\n{}\n", right_aligned(votes(side)));
    }
    out
}

/// Eight votes a line, after the number of the first one's bit.
fn votes(side: &Side) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for (line, votes) in side.votes.chunks(8).enumerate() {
        let cells = votes.iter().map(|vote| format!("{vote:.3}"));
        table.add_row(std::iter::once(format!("{}", 8 * line)).chain(cells));
    }
    table
}

fn new_table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table
}

fn right_aligned(mut table: Table) -> Table {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
