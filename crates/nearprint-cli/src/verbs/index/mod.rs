//! `nearprint index`

mod add;
mod export;
mod in_words;
mod remove;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use nearprint::document::Id;
use nearprint::index::{
    Adding, Answer, Filter, Index, IndexMatch, IndexOptions, Mode, Question, Ttl, Wanted,
};
use nearprint::read::Source;
use nearprint::{Config, Deduplicator, Error, ShowFields};
use serde::Serialize;

use add::{Outcomes, add, tell_stopped};
use export::export;
use in_words::in_words;
use remove::remove;

use super::{counted, print, show, tell_rejections};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::spelling::spelled;
use crate::values::whole;

/// Keeps documents on disk, and finds the duplicates of any text among them.
///
/// An index is a folder. Documents are added, replaced by id, removed, and expire, while other
/// processes query. Every match is confirmed by the texts, as in dedup.
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
    /// Creates an index, and adds documents to it. The settings that decide about duplicates are
    /// fixed for the index.
    #[command(
        after_help = "Example:\n  nearprint index create seen archive.jsonl --store-field title \
            --store-field url"
    )]
    Create {
        /// Folder of the index; it must be new or empty.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// Files, folders or globs; - for standard input.
        #[arg(value_name = "INPUT")]
        inputs: Vec<String>,
        /// Field to store and to show in answers; repeat it for more.
        #[arg(long, value_name = "FIELD")]
        store_field: Vec<String>,
        /// Store texts as read, and show them in answers.
        #[arg(long)]
        store_text: bool,
        /// Lifetime of a document: 90s, 30m, 12h, 365d, 2w; it begins at the date of the document,
        /// or else when it is added.
        #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
        ttl: Option<Ttl>,
        /// Field with the date at which the lifetime begins: ISO 8601, as in feeds, 2024年2月1日, or
        /// a number since 1970. query and add compare it under --within.
        #[arg(long, value_name = "FIELD")]
        date_field: Option<String>,
        /// Show no progress and no summary.
        #[arg(long, short)]
        quiet: bool,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Adds documents. A document replaces an earlier one of the same id.
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
        /// Add only documents without a duplicate in the index, and write one answer per document
        /// as JSON Lines. Of two copies in the input, one is new.
        #[arg(long)]
        if_new: bool,
        #[command(flatten)]
        filter: FilterFlags,
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
        /// Ids; - for ids on standard input, one per line. 12 names the document with this string or
        /// with this integer as its id. If there are both, '"12"' names the string.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Show no summary.
        #[arg(long, short)]
        quiet: bool,
    },
    /// Finds for each document its duplicates in the index, the most similar first, as JSON Lines.
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
        /// A text to look for; repeat it for more.
        #[arg(long, value_name = "TEXT", conflicts_with = "inputs")]
        text: Vec<String>,
        /// Maximum number of duplicates to list for each.
        #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value_t = 10)]
        top: usize,
        /// Stored field to show of each duplicate; repeat it for more. none: no field [default: all
        /// stored fields].
        #[arg(long, value_name = "FIELD")]
        show_field: Vec<String>,
        #[command(flatten)]
        filter: FilterFlags,
        /// Show no progress.
        #[arg(long, short)]
        quiet: bool,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Shows the contents of an index, its size, and the recall of its search.
    Info {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// Documents that are compared with all others to measure the recall; 0: no measurement.
        /// In dedup, N stands for as many pairs of a larger sample.
        #[arg(long, value_name = "N", value_parser = whole::<u32>, default_value_t = 100)]
        recall_sample: u32,
        /// Show the result as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Checks every record and every file of an index, and lists the problems. Exit code 1 if there
    /// are any.
    Verify {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// Show the result as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Removes expired documents, and frees the disk space of removed documents.
    Compact {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
    },
    /// Writes the documents of an index as JSON Lines: id, text, stored fields. Texts are
    /// normalized if they were not stored as read.
    Export {
        /// Folder of the index.
        #[arg(value_name = "DIR")]
        index: PathBuf,
        /// File to write [default: standard output, also -].
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Replace the file if it exists.
        #[arg(long, requires = "output")]
        force: bool,
    },
}

/// The documents of an index that a question is about.
#[derive(Debug, Args)]
struct FilterFlags {
    /// Longest time between the dates of a row and of a duplicate: 12h, 7d. A row without a date has
    /// the current time.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    within: Option<Ttl>,
    /// Value that a stored field of duplicates has; repeat it for more fields, or for other values of
    /// one field.
    #[arg(long = "where", value_name = "FIELD:VALUE")]
    wanted: Vec<Wanted>,
}

impl FilterFlags {
    fn filter(self) -> Filter {
        Filter { within: self.within, wanted: self.wanted, ..Filter::default() }
    }
}

pub fn run(arguments: Arguments) -> Result<u8, Error> {
    match ask(arguments) {
        Err(Error::Interrupted) => {
            crate::tell(
                "nearprint: interrupted; finished documents stay in the index, run the same \
                 command again for the rest",
            );
            Ok(INTERRUPTED)
        }
        result => result,
    }
}

/// The exit code of an interrupted command.
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
            let sources = match inputs.is_empty() {
                true => Vec::new(),
                false => reader.find_files(&inputs, spool.path(), &progress)?,
            };
            let mut code = 0;
            let fill = |index: &mut Index| {
                let mut outcomes = Outcomes::default();
                let adding = Adding::default();
                code = add(index, &reader, &sources, &adding, quiet, &progress, &mut outcomes)?;
                Ok(())
            };
            let created = Index::create_with(&index, &config, &options, fill);
            if matches!(created, Err(Error::Interrupted)) {
                let folder = index.display();
                crate::tell(&format!(
                    "nearprint: interrupted; finished documents stay in the index, add the rest \
                     with nearprint index add {folder}"
                ));
                return Ok(INTERRUPTED);
            }
            created?;
            return Ok(code);
        }
        Verb::Add { index, inputs, if_new, filter, quiet, settings } => {
            let mode = if if_new { Mode::Skip } else { Mode::All };
            let adding = Adding { mode, filter: filter.filter(), top: 1 };
            let (mut index, reader) = open(&index, &settings)?;
            reader.check_lasting_ids(&inputs)?;
            let spool = reader.spool()?;
            let progress = Progress::new(quiet);
            let sources = reader.find_files_once(&inputs, spool.path(), &progress)?;
            let mut outcomes = Outcomes::default();
            let added =
                add(&mut index, &reader, &sources, &adding, quiet, &progress, &mut outcomes);
            return added.or_else(|error| tell_stopped(error, &index, &outcomes));
        }
        Verb::Remove { index, ids, quiet } => remove(&mut Index::open(&index)?, ids, quiet)?,
        Verb::Query { index, inputs, text, top, show_field, filter, quiet, settings } => {
            let question = Question { top, filter: filter.filter() };
            let (mut index, reader) = open(&index, &settings)?;
            let shown = ShowFields::new(show_field);
            index.check_stored(&shown)?;
            let spool = reader.spool()?;
            let progress = Progress::new(quiet || !std::io::stderr().is_terminal());
            let sources = match text.is_empty() {
                true => reader.find_files_once(&inputs, spool.path(), &progress)?,
                false => vec![Source::texts("text", text)],
            };
            return query(&mut index, &reader, &sources, &question, &shown, &progress);
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
                    let documents = counted(verified.documents, "document", "documents");
                    let files = counted(verified.files, "file", "files");
                    show(&format!("{documents} and {files} of tables: no problems\n"))?;
                }
                false => show(
                    &verified
                        .problems
                        .iter()
                        .map(|problem| format!("{}\n", spelled(problem)))
                        .collect::<String>(),
                )?,
            }
            return Ok(u8::from(!verified.problems.is_empty()));
        }
        Verb::Compact { index } => Index::open(&index)?.compact()?,
        Verb::Export { index, output, force } => export(&index, output.as_deref(), force)?,
    }
    Ok(0)
}

/// An index, and a reader of documents for it.
fn open(folder: &Path, settings: &Settings) -> Result<(Index, Deduplicator), Error> {
    let mut index = Index::open(folder)?;
    let config: Config = settings.config_over(index.config())?;
    index.read_by(config.clone())?;
    Ok((index, Deduplicator::new(config)?))
}

/// The answer to a query.
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

fn query(
    index: &mut Index,
    reader: &Deduplicator,
    sources: &[Source],
    question: &Question,
    shown: &ShowFields,
    progress: &Progress,
) -> Result<u8, Error> {
    // Each answer is written at once: the program that asks may wait for it.
    let mut out = std::io::stdout();
    let rejections = reader.query(
        index,
        sources,
        question,
        progress,
        |document, Answer { mut matches, more }| {
            matches.iter_mut().for_each(|found| found.show(shown));
            line(&mut out, &Answered { id: &document.id, matches, more })?;
            flush(&mut out)
        },
    )?;
    progress.finish();
    Ok(tell_rejections(&rejections))
}
