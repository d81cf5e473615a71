//! `nearprint fingerprint`

use std::fs::File;
use std::io::{BufWriter, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use nearprint::corpus::Purpose;
use nearprint::read::check_not_found_again;
use nearprint::temporary::{self, Temporary};
use nearprint::{Deduplicator, Error, Watch, write};

use super::{read_files, tell_rejections};
use crate::progress::Progress;
use crate::settings::Settings;

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
    /// Write the N heaviest words of each document; needs --features words.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
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
    if let Some(output) = &arguments.output {
        check_output("output", output, &read_files(&deduplicator, &arguments.settings, &sources))?;
        check_not_found_again("output", output, std::slice::from_ref(output), &arguments.inputs)?;
    }
    let purpose = if arguments.top > 0 { Purpose::HeaviestWords } else { Purpose::Fingerprint };
    let corpus = deduplicator.read(sources, purpose, &progress)?;
    let table = deduplicator.fingerprint_table(&corpus, arguments.top, &progress)?;
    let code = tell_rejections(&corpus.origins.rejections);
    let recipe = table.recipe().identity();
    match &arguments.output {
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            write::fingerprints_as_json_lines(
                table.rows(),
                recipe,
                Path::new("standard output"),
                &mut out,
            )?;
        }
        Some(path) => whole_file(path, &progress, |part| {
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

/// Refuses to overwrite an input, a link or a device. `setting` is the flag that names the file.
pub(super) fn check_output(setting: &str, path: &Path, read: &[PathBuf]) -> Result<(), Error> {
    let problem =
        |problem: &str| Err(Error::usage(setting, format!("{} {problem}", path.display())));
    if path.extension().is_some_and(|end| end == "gz" || end == "zst") {
        return problem("would not be compressed; name it without that ending");
    }
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    if !metadata.is_file() {
        return problem("is not a regular file; name another file");
    }
    let place = path.canonicalize().ok();
    match read.iter().any(|input| place.is_some() && input.canonicalize().ok() == place) {
        true => problem("is an input and would be replaced; name another file"),
        false => Ok(()),
    }
}

/// Writes a temporary file in the same folder and renames it at the end. Errors name the final
/// file.
pub(super) fn whole_file(
    path: &Path,
    watch: &dyn Watch,
    write: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<(), Error> {
    let parent = folder_of(path);
    temporary::remove_abandoned(parent, ".");
    let folder = Temporary::create(parent, ".", false)
        .map_err(without_path)
        .map_err(Error::io("create", path))?;
    let part = folder.path().join("part");
    write(&part).map_err(|error| match error {
        Error::Io { doing, path: of, source } if of == part => {
            Error::Io { doing, path: path.to_path_buf(), source }
        }
        error => error,
    })?;
    if watch.stopped() {
        return Err(Error::Interrupted);
    }
    std::fs::rename(&part, path).map_err(Error::io("create", path))
}

/// The folder that a file lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The system's reason without the temporary path, which tells a user nothing.
fn without_path(error: std::io::Error) -> std::io::Error {
    let words = error.to_string();
    let reason = words.split_once(" at path ").map_or(&*words, |(reason, _)| reason);
    std::io::Error::new(error.kind(), reason)
}
