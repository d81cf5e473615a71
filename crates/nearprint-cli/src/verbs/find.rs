//! `nearprint find`

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use nearprint::find::{Match, Matches};
use nearprint::shares::Similarity;
use nearprint::{Deduplicator, Error, ShowFields, find};

use super::{counted, print, show, tell_rejections};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::values::whole;

/// Finds the documents of a corpus that are duplicates of a text, the most similar first, by the
/// rules of dedup. Nothing is written.
///
/// Each call reads the whole corpus, so name all texts in one call.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint find news.jsonl --file draft.txt
  nearprint find news/ --text 'The ferry returns on Monday' --json --top 3")]
pub struct Arguments {
    /// Files, folders or globs of the corpus; - for standard input.
    #[arg(required = true, value_name = "CORPUS")]
    inputs: Vec<String>,
    /// A text to look for; repeat it for more.
    #[arg(long, value_name = "TEXT", required_unless_present = "file")]
    text: Vec<String>,
    /// A file with one text to look for; repeat it for more.
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Maximum number of documents to list for each text.
    #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value_t = 10)]
    top: usize,
    /// Field to show of each document; repeat it for more. none: no field [default: title, date,
    /// address and source, by their usual names].
    #[arg(long, value_name = "FIELD")]
    show_field: Vec<String>,
    /// Show the result as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: Settings,
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    let config = arguments.settings.config_without_search()?;
    let progress = Progress::new(arguments.quiet || !std::io::stderr().is_terminal());
    let reader = Deduplicator::new(config.clone())?;
    let mut names: Vec<String> = Vec::new();
    let mut texts = arguments.text;
    names.extend(
        (1..=texts.len()).map(|number| {
            if texts.len() == 1 { "the text".into() } else { format!("text {number}") }
        }),
    );
    for path in &arguments.file {
        names.push(path.display().to_string());
        texts.push(reader.read_text(path, &progress)?);
    }
    let shown = ShowFields::new(arguments.show_field);
    let asked = find(&config, &arguments.inputs, texts, arguments.top, &shown, &progress)?;
    progress.finish();
    let code = tell_rejections(&asked.rejections);
    if arguments.json {
        let found: Vec<_> = names
            .iter()
            .zip(&asked.texts)
            .map(|(name, Matches { duplicates, more, nearest })| {
                serde_json::json!({"text": name, "duplicates": duplicates, "more": more, "nearest": nearest})
            })
            .collect();
        let all = serde_json::json!({"documents": asked.documents, "texts": found});
        let json = serde_json::to_string_pretty(&all).expect("matches are JSON");
        return print(&format!("{json}\n")).map(|()| code);
    }
    let mut out = String::new();
    names
        .iter()
        .zip(&asked.texts)
        .for_each(|(name, matches)| tell(name, asked.documents, matches, &mut out));
    show(&out).map(|()| code)
}

/// Prints the documents found for one text.
fn tell(name: &str, documents: u64, matches: &Matches, out: &mut String) {
    let Matches { duplicates, more, nearest } = matches;
    let mut line = |text: String| {
        let _ = writeln!(out, "{text}");
    };
    let count = duplicates.len() as u64 + more;
    let of = counted(documents, "document", "documents");
    match count {
        0 => line(format!("None of {of} is a duplicate of {name}.")),
        1 => line(format!("1 of {of} is a duplicate of {name}:")),
        _ => line(format!("{count} of {of} are duplicates of {name}, the most similar first:")),
    }
    duplicates.iter().for_each(|found| line(format!("  {}", evidence(found))));
    if *more > 0 && !duplicates.is_empty() {
        line(format!("  and {more} more"));
    }
    if let Some(found) = nearest {
        line(format!("  The nearest one by fingerprint is not a duplicate: {}", evidence(found)));
    }
}

/// A document and its measurements.
fn evidence(found: &Match) -> String {
    let Match { id, file, row, similarity, reason, distance, fields } = found;
    let reason = reason.map(|reason| format!(", {}", reason.name())).unwrap_or_default();
    let bits = distance.map(|bits| format!(", {bits} bits apart")).unwrap_or_default();
    let fields = if fields.is_empty() { String::new() } else { format!("; {fields}") };
    format!("{} {id} ({file}, row {row}){reason}{bits}{fields}", Similarity(*similarity))
}
