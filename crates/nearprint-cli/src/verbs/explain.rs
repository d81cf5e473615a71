//! `nearprint explain`

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use nearprint::explain::{Evidence, Explained, Fate, Nearest, Pair, explain};
use nearprint::finished::Finished;
use nearprint::shares::{Percent, Similarity};
use nearprint::{Error, ShowFields};
use nearprint_core::view::beginning;

use super::{print, spell};
use crate::aligned::aligned;
use crate::progress::Progress;
use crate::spelling::spelled;
use crate::visible::visible;

/// The characters shown of a passage.
const PASSAGE: usize = 160;

/// Explains why a document of a finished run was kept or removed: the verdict in a line, then its
/// text and that of its keeper aligned, then the details.
///
/// With two documents, explains why they were merged or not. For a kept document, lists the
/// documents removed for it, the least similar first. Of a leak it shows the passage. Texts are
/// read from the inputs again, so run it in the folder in which dedup ran.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint explain clean 17
  nearprint explain clean 17 42
  nearprint explain clean news.jsonl:3 --json")]
pub struct Arguments {
    /// The output folder of nearprint dedup.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The id of a document, or FILE:ROW; '"1"' is the string 1, and FILE a file left out whole.
    /// With a second one, explains why the two were merged or not.
    #[arg(value_name = "ID", required = true, num_args = 1..=2)]
    ids: Vec<String>,
    /// Field to show of both documents of a pair; repeat it for more. none: no field [default:
    /// title, date, address and source, by their usual names].
    #[arg(long, value_name = "FIELD")]
    show_field: Vec<String>,
    /// Show the result as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let finished = Finished::open(&arguments.folder)?;
    let show = ShowFields::new(arguments.show_field.clone());
    let mut explanation = explain(&finished, &arguments.ids, &show, &Progress::new(true))?;
    for warning in &explanation.warnings {
        crate::tell(&visible(&format!("nearprint: warning: {}", spelled(warning))));
    }
    if arguments.json {
        spell(&mut explanation.warnings);
        explanation.pairs.iter_mut().for_each(|pair| spell(&mut pair.why));
        return print(&format!(
            "{}\n",
            serde_json::to_string_pretty(&explanation).expect("an explanation is JSON")
        ));
    }
    let mut out = String::new();
    let pairs = &explanation.pairs;
    for pair in pairs {
        tell_pair(pair, &mut out);
        out.push('\n');
    }
    for document in &explanation.documents {
        match document.removal.as_ref().filter(|removal| tells(pairs, document, removal)) {
            Some(removal) => tell_places(document, removal, &mut out),
            None => tell(document, &mut out),
        }
    }
    print(&out)
}

/// Returns true if one of the pairs is a document and its keeper.
fn tells(pairs: &[Pair], document: &Explained, removal: &Evidence) -> bool {
    let ends = [&document.id, &removal.id];
    pairs.iter().any(|pair| [&pair.left, &pair.right] == ends || [&pair.right, &pair.left] == ends)
}

/// Prints the places of a removed document and its keeper, whose verdict was printed before.
fn tell_places(document: &Explained, removal: &Evidence, out: &mut String) {
    let cluster = removal.cluster.map_or(String::new(), |cluster| format!(", cluster {cluster}"));
    let Explained { id, file, row, .. } = document;
    let row = row.map_or(String::new(), |row| format!(", row {row}"));
    let _ = writeln!(out, "{}", visible(&format!("{id} ({file}{row}): removed{cluster}")));
    let Evidence { id, file, row, .. } = removal;
    let _ = writeln!(out, "{}", visible(&format!("  keeper: {id} ({file}, row {row})")));
}

/// Prints the fate of a document.
fn tell(document: &Explained, out: &mut String) {
    let Explained {
        id,
        file,
        row,
        fate,
        rejection,
        removal,
        stands_for,
        more,
        just_missed,
        nearest,
        is_empty,
        leaks,
    } = document;
    let mut line = |text: String| {
        let _ = writeln!(out, "{}", visible(&text));
    };
    let fate = match fate {
        Fate::Kept => "kept",
        Fate::Removed => "removed",
        Fate::Rejected => "rejected",
        Fate::Reference => "reference document, neither kept nor removed",
    };
    match row {
        Some(row) => line(format!("{id} ({file}, row {row}): {fate}")),
        None => line(format!("{file}: {fate}")),
    }
    if let Some(rejection) = rejection {
        let whole = if rejection.row.is_none() { "the whole file: " } else { "" };
        line(format!("  {whole}{}", rejection.message));
    }
    if *is_empty {
        line("  it is empty; empty documents are kept, and are duplicates of nothing".to_string());
    }
    if let Some(removal) = removal {
        line(format!("  keeper: {}", evidence(removal)));
    }
    if !stands_for.is_empty() {
        let all = stands_for.len() + more;
        let documents = if all == 1 {
            "document".to_string()
        } else {
            "documents, the least similar first".to_string()
        };
        line(format!("  keeper of {all} removed {documents}:"));
        stands_for.iter().for_each(|removed| line(format!("    {}", evidence(removed))));
    }
    if *more > 0 {
        line(format!("    and {more} more"));
    }
    if !just_missed.is_empty() {
        line("  just below the minimum similarity, so both were kept:".to_string());
        just_missed.iter().for_each(|missed| line(format!("    {}", evidence(missed))));
    }
    if let Some(nearest) = nearest {
        let Nearest { id, file, row, similarity, share, distance, would_be_duplicates } = nearest;
        let apart = share.filter(|_| *similarity == 0.0);
        let what = match *would_be_duplicates || apart.is_some() {
            true => {
                "most similar of the nearest fingerprints, not merged (name both ids to see why)"
            }
            false => "most similar of the nearest fingerprints, below the minimum similarity",
        };
        line(format!("  {what}:"));
        line(format!(
            "    {id} ({file}, row {row}): {}, {distance} bits",
            likeness(*similarity, *share)
        ));
    }
    for leak in leaks {
        let place = leak
            .place
            .map_or(String::new(), |[first, last]| format!(", characters {first} to {last}"));
        line(format!(
            "  leak of {}: {}, similarity {}{place}, {}",
            leak.item,
            leak.reason.name(),
            Similarity(leak.similarity),
            leak.action
        ));
        if let Some(passage) = &leak.passage {
            line(format!("    {}", beginning(passage, PASSAGE)));
        }
    }
}

/// The other document of a removal, and the measurements.
fn evidence(of: &Evidence) -> String {
    let mut said: Vec<String> = of.reason.iter().map(|reason| reason.name().to_string()).collect();
    said.push(format!("similarity {}", Similarity(of.similarity)));
    said.extend(of.cluster.map(|cluster| format!("cluster {cluster}")));
    said.extend(of.distance.map(|distance| format!("{distance} bits")));
    said.extend(of.lost.map(|lost| format!("{} lost", Percent(lost))));
    said.extend(of.place.map(|[first, last]| format!("characters {first} to {last}")));
    format!("{} ({}, row {}): {}", of.id, of.file, of.row, said.join(", "))
}

/// Prints the verdict on two documents, both texts, and the details.
fn tell_pair(pair: &Pair, out: &mut String) {
    let [left, right] = pair.names.each_ref().map(String::as_str);
    let mut why = pair.why.iter().map(spelled);
    let verdict = why.next().unwrap_or_default();
    let texts = aligned(&pair.view, [left, right]);
    let _ = writeln!(out, "{}\n\n{texts}", visible(&verdict));
    for (id, fields) in [(left, &pair.left_fields), (right, &pair.right_fields)] {
        if !fields.is_empty() {
            let _ = writeln!(out, "{}", visible(&format!("{id}: {fields}")));
        }
    }
    for why in why.chain((!pair.merged).then(|| measured(pair))) {
        let _ = writeln!(out, "{}", visible(&why));
    }
}

/// The measurements of two documents that were not merged.
fn measured(pair: &Pair) -> String {
    let bits = match (pair.distance, pair.max_distance) {
        (Some(distance), Some(most)) => format!(", {distance} bits (maximum: {most})"),
        (Some(distance), None) => format!(", {distance} bits"),
        (None, _) => String::new(),
    };
    let minimum = pair.min_similarity.map_or(String::new(), |least| format!(" (minimum: {least})"));
    format!("{}{minimum}{bits}", likeness(pair.similarity, pair.share))
}

/// The similarity of two texts; if a rule keeps them apart whatever it is, the share of both texts
/// that stands in the other one.
fn likeness(similarity: f64, share: Option<f64>) -> String {
    match share.filter(|_| similarity == 0.0) {
        Some(share) => format!("share of letters in both {}", Similarity(share)),
        None => format!("similarity {}", Similarity(similarity)),
    }
}
