//! `nearprint fingerprint`

use std::fs::File;
use std::io::{BufWriter, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use nearprint::corpus::Purpose;
use nearprint::read::check_not_found_again;
use nearprint::{Deduplicator, Error, write};

use super::output_file::OutputFile;
use super::{read_files, tell_rejections};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::values::whole;

/// Writes the fingerprint of every document: id, fingerprint (hex), features (the number of
/// distinct features), and the recipe, which Parquet has in the file's metadata. --top adds the
/// heaviest words with their counts and weights.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  nearprint fingerprint news.jsonl > fingerprints.jsonl
  nearprint fingerprint news.jsonl --preset paper --top 10    # with keywords
  nearprint fingerprint news.parquet --output fingerprints.parquet --features words --stats \
  news.stats")]
pub struct Arguments {
    /// Files, folders or globs; - for standard input.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// File to write: Parquet if its name ends in .parquet, else JSON Lines [default: standard
    /// output, also -].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
    /// Write the N heaviest words of each document; needs --features words.
    #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value_t = 0)]
    #[arg(hide_default_value = true)]
    top: usize,
    /// Show only errors and warnings.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: Settings,
}

pub fn run(mut arguments: Arguments) -> Result<u8, Error> {
    arguments.output.take_if(|path| path.as_os_str() == "-");
    let deduplicator = Deduplicator::new(arguments.settings.config_without_search()?)?;
    // If standard output goes to a program or a file, progress is shown as bars or not at all.
    let bars = std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
    let progress = Progress::new(arguments.quiet || arguments.output.is_none() && !bars);
    let spool = deduplicator.spool()?;
    let sources = deduplicator.find_files(&arguments.inputs, spool.path(), &progress)?;
    let output = arguments.output.as_deref();
    let file = output.map(|path| OutputFile { setting: "output", path, force: arguments.force });
    if let Some(file) = &file {
        file.check(&read_files(&deduplicator, &arguments.settings, &sources))?;
        check_not_found_again("output", file.path, &[file.path.into()], &arguments.inputs)?;
    }
    let purpose = if arguments.top > 0 { Purpose::HeaviestWords } else { Purpose::Fingerprint };
    let corpus = deduplicator.read(sources, purpose, &progress)?;
    let table = deduplicator.fingerprint_table(&corpus, arguments.top, &progress)?;
    let code = tell_rejections(&corpus.origins.rejections);
    let recipe = table.recipe().identity();
    match file {
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            write::fingerprints_as_json_lines(
                table.rows(),
                recipe,
                Path::new("standard output"),
                &mut out,
            )?;
        }
        Some(file) => file.write(&progress, |part| {
            let path = file.path;
            match path.extension().is_some_and(|end| end == "parquet") {
                true => write::fingerprints_as_parquet(
                    table.rows(),
                    table.integer_ids(),
                    table.shows_words(),
                    recipe,
                    part,
                ),
                false => {
                    let mut out =
                        BufWriter::new(File::create(part).map_err(Error::io("create", path))?);
                    write::fingerprints_as_json_lines(table.rows(), recipe, path, &mut out)
                }
            }
        })?,
    }
    progress.finish();
    Ok(code)
}
