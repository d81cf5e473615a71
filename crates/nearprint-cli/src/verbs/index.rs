//! `nearprint index`

use std::fs::File;
use std::io::{BufRead, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use nearprint::document::Id;
use nearprint::index::{
    Added, Answer, Index, IndexMatch, IndexOptions, Info, Outcome, Recall, Ttl,
};
use nearprint::read::Source;
use nearprint::shares::Percent;
use nearprint::{Config, Deduplicator, Error};
use serde::Serialize;
use serde_json::json;

use super::{print, show, tell_rejections};
use crate::progress::Progress;
use crate::settings::Settings;

/// Keeps documents on disk, and says for any text whether a duplicate of it was seen before.
///
/// An index is a folder. Documents are added, replaced by their ids, removed and expire, while
/// other processes ask. Every answer is compared on the texts, as in dedup.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint index create seen archive.jsonl --ttl 365d --date-field published
  nearprint index add seen today.jsonl --if-new
  nearprint index query seen draft.jsonl --top 3")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Makes an index, and adds documents to it. The settings that decide about duplicates stay
    /// with it.
    #[command(
        after_help = "Example:\n  nearprint index create seen archive.jsonl --store-field title --store-field url"
    )]
    Create {
        /// Folder of the index, which is empty or not there yet.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// Files, folders or globs; - for standard input.
        #[arg(value_name = "INPUT")]
        inputs: Vec<String>,
        /// Field to keep, which answers show; repeat it for more.
        #[arg(long, value_name = "FIELD")]
        store_field: Vec<String>,
        /// Keep texts as they were read, which answers show.
        #[arg(long)]
        store_text: bool,
        /// How long a document stays: 90s, 30m, 12h, 365d, 2w; from its date, or else from when it
        /// is added.
        #[arg(long, value_name = "TIME")]
        ttl: Option<Ttl>,
        /// Field with the date from which the time counts: ISO 8601, as in feeds, or seconds since
        /// 1970.
        #[arg(long, value_name = "FIELD", requires = "ttl")]
        date_field: Option<String>,
        /// Show no progress and no summary.
        #[arg(long, short)]
        quiet: bool,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Adds documents. One whose id is there replaces the one before.
    #[command(
        after_help = "Example:\n  nearprint index add seen today.jsonl --if-new > answers.jsonl"
    )]
    Add {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// Files, folders or globs; - for standard input.
        #[arg(required = true, value_name = "INPUT")]
        inputs: Vec<String>,
        /// Add only documents without a duplicate in the index, and write one answer for each as
        /// JSON Lines: of two copies one is new.
        #[arg(long)]
        if_new: bool,
        /// Show no progress and no summary.
        #[arg(long, short)]
        quiet: bool,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Removes documents by their ids.
    #[command(after_help = "Example:\n  nearprint index remove seen story-17 story-18")]
    Remove {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// Ids; - for those of standard input, one a line. An id is looked for as a string, and
        /// where none is there as an integer.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Show no summary.
        #[arg(long, short)]
        quiet: bool,
    },
    /// Says of each document which ones of the index are duplicates of it, the most similar first,
    /// as JSON Lines.
    #[command(after_help = "Examples:
  nearprint index query seen drafts.jsonl --top 3
  nearprint index query seen --text 'The ferry returns on Monday'")]
    Query {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// Files, folders or globs; - for standard input.
        #[arg(value_name = "INPUT", required_unless_present = "text")]
        inputs: Vec<String>,
        /// A text to ask about; repeat it for more.
        #[arg(long, value_name = "TEXT", conflicts_with = "inputs")]
        text: Vec<String>,
        /// Duplicates to name for each at most.
        #[arg(long, value_name = "N", default_value_t = 10)]
        top: usize,
        /// Show no progress.
        #[arg(long, short)]
        quiet: bool,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Says what an index holds, how large it is, and which share of the duplicates its search
    /// finds.
    Info {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// Documents whose duplicates are all looked for, to measure the share that the search
        /// finds; 0 for none.
        #[arg(long, value_name = "N", default_value_t = 100)]
        recall_sample: u32,
        /// Show it as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Reads every record and every file of an index, and says what is wrong; with exit code 1 if
    /// anything is.
    Verify {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// Show it as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Removes what has expired, and gives the space of removed documents back to the disk.
    Compact {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
    },
    /// Writes the documents of an index as JSON Lines: id, text, stored fields. Texts are
    /// normalized where they were not stored as read.
    Export {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// File to write; standard output if left out.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    match ask(arguments) {
        Err(Error::Interrupted) => {
            crate::tell(
                "nearprint: interrupted; what was added and answered stays, so run it again for the rest",
            );
            Ok(INTERRUPTED)
        }
        result => result,
    }
}

/// The exit code of what was interrupted.
const INTERRUPTED: u8 = 130;

fn ask(arguments: Arguments) -> Result<u8, Error> {
    match arguments.verb {
        Verb::Create {
            index,
            inputs,
            store_field,
            store_text,
            ttl,
            date_field,
            quiet,
            settings,
        } => {
            let config = settings.config()?;
            let options = IndexOptions { store_fields: store_field, store_text, ttl, date_field };
            let reader = Deduplicator::new(config.clone())?;
            let spool = reader.spool()?;
            let progress = Progress::new(quiet);
            // A mistake in the names leaves no index.
            let sources = match inputs.is_empty() {
                true => Vec::new(),
                false => reader.find(&inputs, spool.path(), &progress)?,
            };
            let mut index = Index::create(&index, &config, &options)?;
            add(&mut index, &reader, &sources, false, quiet, &progress).inspect_err(|_| {
                let folder = index.folder().display().to_string();
                crate::tell(&format!(
                    "nearprint: the index {folder} is made; go on with nearprint index add {folder}"
                ));
            })?;
        }
        Verb::Add { index, inputs, if_new, quiet, settings } => {
            let (mut index, reader) = open(&index, &settings)?;
            let spool = reader.spool()?;
            let progress = Progress::new(quiet);
            let sources = reader.find(&inputs, spool.path(), &progress)?;
            add(&mut index, &reader, &sources, if_new, quiet, &progress)?;
        }
        Verb::Remove { index, ids, quiet } => remove(&mut Index::open(&index)?, ids, quiet)?,
        Verb::Query { index, inputs, text, top, quiet, settings } => {
            let (mut index, reader) = open(&index, &settings)?;
            let spool = reader.spool()?;
            let progress = Progress::new(quiet || !std::io::stderr().is_terminal());
            let sources = match text.is_empty() {
                true => reader.find(&inputs, spool.path(), &progress)?,
                false => vec![Source::texts("text", text)],
            };
            query(&mut index, &reader, &sources, top, &progress)?;
        }
        Verb::Info { index, recall_sample, json } => {
            let mut index = Index::open(&index)?;
            let info = index.info(recall_sample, &Progress::new(true))?;
            match json {
                true => print(&format!(
                    "{}\n",
                    serde_json::to_string_pretty(&info).expect("numbers are JSON")
                ))?,
                false => show(&in_words(&info, index.folder()))?,
            }
        }
        Verb::Verify { index, json } => {
            let verified = Index::open(&index)?.verify(&Progress::new(true))?;
            match json {
                true => print(&format!(
                    "{}\n",
                    serde_json::to_string_pretty(&verified).expect("texts are JSON")
                ))?,
                false if verified.problems.is_empty() => {
                    let (documents, files) = (verified.documents, verified.files);
                    show(&format!(
                        "{documents} documents and {files} files of tables: all is as it was written\n"
                    ))?;
                }
                false => show(
                    &verified
                        .problems
                        .iter()
                        .map(|problem| format!("{problem}\n"))
                        .collect::<String>(),
                )?,
            }
            return Ok(u8::from(!verified.problems.is_empty()));
        }
        Verb::Compact { index } => Index::open(&index)?.compact()?,
        Verb::Export { index, output } => export(&index, output.as_deref())?,
    }
    Ok(0)
}

/// An index, and what reads documents for it.
fn open(folder: &Path, settings: &Settings) -> Result<(Index, Deduplicator), Error> {
    let mut index = Index::open(folder)?;
    let config: Config = settings.config_over(index.config())?;
    index.read_by(config.clone())?;
    Ok((index, Deduplicator::new(config)?))
}

/// A line for a row that was offered.
#[derive(Serialize)]
struct Offered<'a> {
    id: &'a Id,
    new: bool,
    outcome: &'static str,
    duplicate: Option<&'a IndexMatch>,
}

/// A line for a row that was asked about.
#[derive(Serialize)]
struct Answered<'a> {
    id: &'a Id,
    matches: Vec<IndexMatch>,
    more: u64,
}

/// Writes a line to standard output.
fn line(out: &mut impl Write, value: &impl Serialize) -> Result<(), Error> {
    let value = serde_json::to_string(value).expect("ids and numbers are JSON");
    writeln!(out, "{value}").map_err(Error::io("write", "standard output"))
}

fn flush(out: &mut impl Write) -> Result<(), Error> {
    out.flush().map_err(Error::io("write", "standard output"))
}

/// Adds documents, and tells the answers or how many there were of each.
fn add(
    index: &mut Index,
    reader: &Deduplicator,
    sources: &[Source],
    if_new: bool,
    quiet: bool,
    progress: &Progress,
) -> Result<(), Error> {
    let (mut new, mut replaced, mut unchanged, mut duplicates, mut expired) =
        (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut out = BufWriter::new(std::io::stdout());
    let rejections = reader.add(index, sources, if_new, progress, |added| {
        for Added { id, outcome } in &added {
            match outcome {
                Outcome::New => new += 1,
                Outcome::Replaced => replaced += 1,
                Outcome::Unchanged => unchanged += 1,
                Outcome::Expired => expired += 1,
                Outcome::Duplicate { .. } => duplicates += 1,
            }
            if if_new {
                let duplicate =
                    if let Outcome::Duplicate { of } = outcome { Some(&**of) } else { None };
                let new = matches!(outcome, Outcome::New | Outcome::Replaced);
                line(&mut out, &Offered { id, new, outcome: outcome.name(), duplicate })?;
            }
        }
        // What was told is on the disk.
        flush(&mut out)
    });
    drop(out);
    let rejections = rejections?;
    progress.finish();
    tell_rejections(&rejections);
    if !quiet {
        let mut parts = vec![format!("{new} new")];
        for (count, name) in [
            (replaced, "replaced"),
            (unchanged, "unchanged"),
            (duplicates, "duplicates left out"),
            (expired, "expired"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {name}"));
            }
        }
        crate::tell(&format!(
            "{}: {}; {} documents in all",
            index.folder().display(),
            parts.join(", "),
            index.len()?
        ));
    }
    Ok(())
}

fn query(
    index: &mut Index,
    reader: &Deduplicator,
    sources: &[Source],
    top: usize,
    progress: &Progress,
) -> Result<(), Error> {
    let mut out = BufWriter::new(std::io::stdout());
    let rejections =
        reader.query(index, sources, top, progress, |document, Answer { matches, more }| {
            line(&mut out, &Answered { id: &document.id, matches, more })
        })?;
    flush(&mut out)?;
    progress.finish();
    tell_rejections(&rejections);
    Ok(())
}

fn remove(index: &mut Index, given: Vec<String>, quiet: bool) -> Result<(), Error> {
    let mut named = Vec::new();
    for id in given {
        match id.as_str() {
            "-" => {
                for line in std::io::stdin().lock().lines() {
                    let line = line.map_err(Error::io("read", "standard input"))?;
                    named.extend(Some(line.trim().to_string()).filter(|id| !id.is_empty()));
                }
            }
            _ => named.push(id),
        }
    }
    let mut ids = Vec::new();
    let mut absent = Vec::new();
    for name in named {
        let text = Id::Text(name.clone());
        let integer =
            name.parse().map(Id::Integer).or_else(|_| name.parse().map(Id::Unsigned)).ok();
        match (index.contains(&text)?, integer) {
            (true, Some(integer)) if index.contains(&integer)? => {
                let problem = format!(
                    "{name} is the id of two documents, a string and an integer; give \"{name}\" in quotation marks of JSON for the \
                     string, remove that first, and then the integer"
                );
                return Err(Error::usage("id", problem));
            }
            (true, _) => ids.push(text),
            (false, Some(integer)) if index.contains(&integer)? => ids.push(integer),
            _ => match serde_json::from_str::<String>(&name).map(Id::Text) {
                Ok(id) if index.contains(&id)? => ids.push(id),
                _ => absent.push(name),
            },
        }
    }
    let removed = index.remove(&ids)?.into_iter().filter(|removed| *removed).count();
    if !quiet {
        let absent = match absent.len() {
            0 => String::new(),
            1 => format!("; no document has the id {}", absent[0]),
            count => format!("; no document has {count} other ids, {} among them", absent[0]),
        };
        crate::tell(&format!("{removed} removed{absent}; {} documents in all", index.len()?));
    }
    Ok(())
}

fn export(index: &Path, output: Option<&Path>) -> Result<(), Error> {
    let write = |out: &mut dyn Write, name: &Path| -> Result<(), Error> {
        nearprint::index::export(index, |document| {
            let mut row = serde_json::Map::from_iter([
                ("id".to_string(), json!(document.id)),
                ("text".to_string(), json!(document.text)),
            ]);
            for (name, value) in document.fields {
                row.entry(name).or_insert(value);
            }
            writeln!(out, "{}", serde_json::Value::Object(row)).map_err(Error::io("write", name))
        })?;
        out.flush().map_err(Error::io("write", name))
    };
    match output {
        None => write(&mut BufWriter::new(std::io::stdout()), Path::new("standard output")),
        Some(path) => {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            let [folder, own] = [folder, index].map(std::fs::canonicalize);
            if folder.is_ok_and(|folder| own.is_ok_and(|own| folder.starts_with(own))) {
                let problem = format!(
                    "{} lies in the folder of the index; name a file elsewhere",
                    path.display()
                );
                return Err(Error::usage("output", problem));
            }
            let part = path.with_extension("part");
            let mut file = BufWriter::new(File::create(&part).map_err(Error::io("create", &part))?);
            let written = write(&mut file, path);
            let written = written
                .and_then(|()| std::fs::rename(&part, path).map_err(Error::io("write", path)));
            if written.is_err() {
                let _ = std::fs::remove_file(&part);
            }
            written
        }
    }
}

/// What an index is, for a person.
fn in_words(info: &Info, folder: &Path) -> String {
    let mut lines = Vec::new();
    let Info {
        documents, generation, removed, files, remade, store_bytes, table_bytes, tail, ..
    } = info;
    lines.push(format!("{}: {documents} documents, generation {generation}", folder.display()));
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    let (store, tables) = (megabytes(*store_bytes), megabytes(*table_bytes));
    lines.push(format!("  store     {store}, and {tables} in {files} files of tables; {tail} documents have none yet"));
    if *removed > 0 {
        lines
            .push(format!("  removed   {removed} documents, whose space index compact gives back"));
    }
    if *remade > 0 {
        lines.push(format!("  remade    {remade} files of tables that were damaged or gone; the next change writes them, and index verify names them"));
    }
    match (info.complete_distance, info.max_distance) {
        (Some(complete), Some(most)) if complete < most => {
            lines.push(format!(
                "  search    finds all duplicates up to {complete} bits apart, and of those farther apart, up to {most}, a share:"
            ));
            let expected = info
                .expected
                .iter()
                .map(|(distance, share)| format!("{distance} bits {}", Percent(*share)));
            lines.push(format!(
                "            expected at {}",
                expected.collect::<Vec<_>>().join(", ")
            ));
        }
        (_, Some(most)) => {
            lines.push(format!("  search    finds all duplicates up to {most} bits apart"))
        }
        (_, None) => lines.push("  search    finds equal texts only".to_string()),
    }
    match &info.recall {
        Some(Recall { sample, pairs: 0, .. }) => {
            lines.push(format!(
                "            measured: {sample} documents have no duplicates to find"
            ));
        }
        Some(Recall { sample, pairs, found }) => {
            let share = Percent(*found as f64 / *pairs as f64);
            lines.push(format!(
                "            measured: {found} of {pairs} duplicates of {sample} documents are found ({share})"
            ));
        }
        None => {}
    }
    lines.push(format!("  recipe    {}", info.recipe));
    lines.push(format!("  settings  {}", info.settings.trim_end().replace('\n', ", ")));
    lines.push(format!("  keeps     {}", info.options.trim_end().replace('\n', ", ")));
    lines.join("\n") + "\n"
}
