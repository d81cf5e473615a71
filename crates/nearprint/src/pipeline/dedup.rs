//! The main job: input files -> an output folder with the clean corpus and the reasons.

use std::io::Write;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::against::check_standard_input;
use super::checkpoint::{self, Checkpoints};
use super::corpus::stop_if_asked;
use super::summary::{Summary, Timed};
use super::{Corpus, Decisions, Pipeline, Purpose, Reason};
use crate::config::{Config, OnError};
use crate::error::Error;
use crate::read::{self, Source};
use crate::watch::{Evenly, Stage, Watch};
use crate::write::{self, Annotation, Folder, Report, RowFate, distance, similarity};

/// What is written, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The folder.
    pub folder: PathBuf,
    /// Whether a folder that holds something is replaced.
    pub force: bool,
    /// Whether `pairs.jsonl` is written.
    pub pairs: bool,
    /// Whether all rows are written, with `duplicate_of` and `cluster` added, instead of the kept ones.
    pub annotate: bool,
    /// Whether only the reports are written.
    pub dry_run: bool,
    /// Whether an unfinished run with the same settings, input and output goes on after its last finished stage.
    pub resume: bool,
    /// Files beside the input that must not be replaced, such as the one that the settings come from.
    pub spare: Vec<PathBuf>,
}

impl Output {
    /// The kept files and the reports, in a new folder.
    pub fn new(folder: impl Into<PathBuf>) -> Output {
        Output {
            folder: folder.into(),
            force: false,
            pairs: false,
            annotate: false,
            dry_run: false,
            resume: false,
            spare: vec![],
        }
    }

    /// The folder that an unfinished run with this output has left, if it can go on with `resume`.
    pub fn unfinished(&self, config: &Config) -> Option<PathBuf> {
        let folder = checkpoint::folder_of(&self.folder, config.tmp_dir.as_deref()).ok()?;
        checkpoint::holds_a_stage(&folder).then_some(folder)
    }
}

/// Deduplicates files: reads `inputs` (files, folders, globs, `-`), decides, and writes the output folder.
///
/// ```
/// use nearprint::{Config, Output, Pipeline, Silent, dedup};
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("news.jsonl");
/// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft";
/// std::fs::write(&input, format!("{{\"id\":1,\"text\":\"{text}\"}}\n{{\"id\":2,\"text\":\"{text}!\"}}\n{{\"id\":3,\"text\":\"{text}.\"}}\n"))?;
/// let pipeline = Pipeline::new(Config::default())?;
/// let output = Output::new(folder.path().join("clean"));
/// let summary = dedup(&pipeline, &[input.display().to_string()], &output, &Silent)?;
/// assert_eq!((summary.counts.read, summary.counts.kept), (3, 1));
/// assert_eq!(std::fs::read_to_string(output.folder.join("kept/news.jsonl"))?.lines().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Every variant of [`Error`]; in each case nothing is left where the output folder would be. What finished stages made is
/// kept in a folder of its own ([`Output::unfinished`]), and with `resume` the next run goes on from there.
pub fn dedup(pipeline: &Pipeline, inputs: &[String], output: &Output, watch: &dyn Watch) -> Result<Summary, Error> {
    dedup_all(pipeline, &[], inputs, output, watch)
}

/// Leaves out of `inputs` what is a duplicate of something in `against` (files, folders, globs, or `-` where the inputs lack
/// it), and writes the output folder. Documents of `against` are only compared with the inputs and never written; those of
/// the inputs are not compared with each other. Ids need only be unique on each side.
///
/// ```
/// use nearprint::{Config, Output, Pipeline, Silent, dedup_against};
/// let folder = tempfile::tempdir()?;
/// let [test, train] = ["test.jsonl", "train.jsonl"].map(|name| folder.path().join(name));
/// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft";
/// std::fs::write(&test, format!("{{\"id\":1,\"text\":\"{text}\"}}\n"))?;
/// std::fs::write(&train, format!("{{\"id\":1,\"text\":\"{text}!\"}}\n{{\"id\":2,\"text\":\"Half price\"}}\n{{\"id\":3,\"text\":\"Half price\"}}\n"))?;
/// let pipeline = Pipeline::new(Config::default())?;
/// let output = Output::new(folder.path().join("clean"));
/// let [test, train] = [test, train].map(|path| [path.display().to_string()]);
/// let summary = dedup_against(&pipeline, &test, &train, &output, &Silent)?;
/// assert_eq!((summary.counts.against, summary.counts.read, summary.counts.kept), (Some(1), 3, 2));
/// assert_eq!(std::fs::read_to_string(output.folder.join("kept/train.jsonl"))?.lines().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`dedup`]; [`Error::Usage`] also where `against` is empty or names one of the input files.
pub fn dedup_against(
    pipeline: &Pipeline,
    against: &[String],
    inputs: &[String],
    output: &Output,
    watch: &dyn Watch,
) -> Result<Summary, Error> {
    if against.is_empty() {
        return Err(Error::usage("against", "there is nothing to compare with; name files, folders, globs, or -"));
    }
    check_standard_input(inputs.iter().chain(against).map(String::as_str))?;
    dedup_all(pipeline, against, inputs, output, watch)
}

/// Both; with nothing in `against` an ordinary run.
fn dedup_all(
    pipeline: &Pipeline,
    against: &[String],
    inputs: &[String],
    output: &Output,
    watch: &dyn Watch,
) -> Result<Summary, Error> {
    let watch = &Timed::new(watch);
    let spool = tempfile::tempdir_in(&pipeline.tmp_dir).map_err(Error::io("create a folder in", &pipeline.tmp_dir))?;
    let sources = pipeline.find(inputs, spool.path(), watch)?;
    if output.annotate {
        sources.iter().try_for_each(write::check_annotatable)?;
    }
    let against = pipeline.find_against(against, &sources, spool.path(), watch)?;
    let files = sources.iter().chain(&against).map(|source| source.path.as_path());
    let folder = Folder::create(
        &output.folder,
        output.force,
        files.chain(pipeline.files()).chain(output.spare.iter().map(PathBuf::as_path)),
    )?;

    let mut checkpoints = checkpoints(pipeline, &against, &sources, output)?;
    let result = dedup_with(&mut checkpoints, pipeline, against, sources, output, folder, watch);
    if !result.as_ref().is_err_and(Error::can_resume) {
        checkpoints.discard();
    }
    result
}

fn dedup_with(
    checkpoints: &mut Checkpoints,
    pipeline: &Pipeline,
    against: Vec<Source>,
    sources: Vec<Source>,
    output: &Output,
    folder: Folder,
    watch: &Timed<'_>,
) -> Result<Summary, Error> {
    let all = [&against[..], &sources[..]].concat();
    let corpus = checkpoints.stage(
        Stage::Read,
        |corpus: &mut Corpus, folder| corpus.reopen(folder, all),
        |folder| pipeline.read_into(folder, against, sources, Purpose::Dedup, watch),
    )?;
    let decisions = pipeline.decide_with(checkpoints, &corpus, output.pairs, watch)?;
    let stage = Evenly::begin(watch, Stage::Write, corpus.len() - corpus.against(), corpus.text_bytes);
    let mut written = 0;
    if !output.dry_run {
        let write = || write_rows(pipeline, &corpus, &decisions, folder.path(), output.annotate, &stage, watch);
        written += pipeline.threads.install(write)?;
    }
    written += write_reports(pipeline, &corpus, &decisions, folder.path(), output.pairs)?;

    let summary =
        Summary { resumed: checkpoints.resumed.clone(), ..pipeline.summary(&corpus, &decisions, Some(written), watch) };
    let path = folder.path().join("summary.json");
    let mut json = serde_json::to_string_pretty(&summary).expect("a summary is JSON");
    json.push('\n');
    std::fs::write(&path, json).map_err(Error::io("write", &path))?;
    stop_if_asked(watch)?;
    folder.commit()?;
    Ok(summary)
}

/// The checkpoints of a run; none for standard input, which cannot be read again, and where no folder can be made for them.
fn checkpoints(
    pipeline: &Pipeline,
    against: &[Source],
    sources: &[Source],
    output: &Output,
) -> Result<Checkpoints, Error> {
    if against.iter().chain(sources).any(|source| source.label == read::STANDARD_INPUT) {
        let problem = "standard input cannot be read a second time; save it to a file, and name that";
        return if output.resume { Err(Error::usage("resume", problem)) } else { Ok(Checkpoints::none()) };
    }
    let config = pipeline.config();
    let folder = checkpoint::folder_of(&output.folder, config.tmp_dir.as_deref());
    let folder = folder.map_err(Error::io("find", &output.folder))?;
    match Checkpoints::open(&folder, &described(pipeline, against, sources, output), output.resume) {
        Err(Error::Io { .. }) if !output.resume => Ok(Checkpoints::none()),
        checkpoints => checkpoints,
    }
}

/// All that the output of a run depends on, and of `summary.json` all but the size of the recall's sample where memory is
/// short.
fn described(pipeline: &Pipeline, against: &[Source], sources: &[Source], output: &Output) -> serde_json::Value {
    let mut run = serde_json::to_value(pipeline.config()).expect("settings are JSON values");
    let settings = run.as_object_mut().expect("settings have names");
    for setting in ["threads", "memory", "tmp-dir"] {
        settings.remove(setting);
    }
    let modified = |source: &Source| {
        source.modified.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos()).to_string()
    };
    for (name, sources) in [("input", sources), ("against", against)] {
        let file =
            |source: &Source| (source.label.clone(), source.path.display().to_string(), source.bytes, modified(source));
        settings.insert(name.to_string(), serde_json::json!(sources.iter().map(file).collect::<Vec<_>>()));
    }
    let stop_words: Vec<&str> = pipeline.features.stop_words.iter().map(String::as_str).collect();
    settings
        .insert("list of stop words".to_string(), format!("{:016x}", xxh3_64(stop_words.join("\n").as_bytes())).into());
    settings.insert("pairs".to_string(), output.pairs.into());
    settings.insert("fingerprint".to_string(), pipeline.fingerprint_description().into());
    settings.insert("version of nearprint".to_string(), env!("CARGO_PKG_VERSION").into());
    run
}

/// Writes the input files again, without the removed rows or with what became of each row; none of those that the others are
/// only compared with. Gives the bytes written.
fn write_rows(
    pipeline: &Pipeline,
    corpus: &Corpus,
    decisions: &Decisions,
    folder: &Path,
    annotate: bool,
    stage: &Evenly<'_>,
    watch: &dyn Watch,
) -> Result<u64, Error> {
    let mut cluster_of: Vec<Option<u32>> = Vec::new();
    if annotate {
        cluster_of.resize(corpus.len(), None);
        for (number, (_, members)) in decisions.clusters.iter().enumerate() {
            members.iter().for_each(|member| cluster_of[*member as usize] = Some(number as u32 + 1));
        }
    }
    let mut written = 0;
    for (number, source) in corpus.origins.sources.iter().enumerate().skip(corpus.origins.against) {
        let (first, end) = (corpus.origins.starts[number], corpus.origins.starts[number + 1]);
        if corpus.origins.failed[number] && first == end {
            continue;
        }
        // Rows come in the order of documents; rows between them were rejected.
        let mut next = first;
        let mut document_in = |row: u64| {
            if next == end || corpus.origins.rows[next] != row || watch.stopped() {
                return None;
            }
            next += 1;
            stage.advance(1);
            Some(next as u32 - 1)
        };
        let options = &pipeline.read;
        let rows = if annotate {
            write::annotated(source, &folder.join("annotated").join(&source.name), options, &mut |row| {
                document_in(row).map(|document| Annotation {
                    duplicate_of: decisions.removal(document).map(|removal| corpus.id(removal.keeper)),
                    cluster: cluster_of[document as usize].map(u64::from),
                })
            })?
        } else {
            write::kept(source, &folder.join("kept").join(&source.name), options, &mut |row| match document_in(row) {
                Some(document) if decisions.removal(document).is_none() => RowFate::Keep,
                _ => RowFate::Drop,
            })?
        };
        written += rows.bytes;
        stop_if_asked(watch)?;
        if next != end {
            return Err(Error::Io {
                doing: "read",
                path: source.path.clone(),
                source: std::io::Error::other("the file changed during the run; run again"),
            });
        }
    }
    Ok(written)
}

/// Writes the reports and gives their bytes.
fn write_reports(
    pipeline: &Pipeline,
    corpus: &Corpus,
    decisions: &Decisions,
    folder: &Path,
    pairs: bool,
) -> Result<u64, Error> {
    let id = |document: u32| corpus.id_json(document);
    let mut bytes = 0;

    let path = folder.join("removed.jsonl");
    let mut report = Report::create(&path)?;
    for removal in &decisions.removals {
        report.row(format_args!(
            "{{\"id\":{},\"keeper\":{},\"cluster\":{},\"distance\":{},\"similarity\":{},\"reason\":{}}}",
            id(removal.document),
            id(removal.keeper),
            removal.cluster,
            distance(removal.distance),
            similarity(removal.similarity),
            serde_json::json!(removal.reason),
        ))?;
    }
    bytes += report.finish()?;

    let path = folder.join("clusters.jsonl");
    let mut report = Report::create(&path)?;
    for (number, (keeper, members)) in decisions.clusters.iter().enumerate() {
        let list: Vec<&str> = members.iter().map(|member| id(*member)).collect();
        report.row(format_args!(
            "{{\"cluster\":{},\"keeper\":{},\"size\":{},\"members\":[{}]}}",
            number + 1,
            id(*keeper),
            members.len(),
            list.join(","),
        ))?;
    }
    bytes += report.finish()?;

    if pairs {
        let path = folder.join("pairs.jsonl");
        let mut report = Report::create(&path)?;
        let mut row = |left, right, apart, alike, reason: Reason| {
            report.row(format_args!(
                "{{\"left\":{},\"right\":{},\"distance\":{},\"similarity\":{},\"reason\":{}}}",
                id(left),
                id(right),
                distance(apart),
                similarity(alike),
                serde_json::json!(reason),
            ))
        };
        for pair in decisions.all_pairs(corpus) {
            let (pair, reason) = pair?;
            row(pair.left, pair.right, pair.distance, pair.similarity, reason)?;
        }
        bytes += report.finish()?;
    }

    if pipeline.config.on_error == OnError::Skip {
        let path = folder.join("rejected.jsonl");
        let mut rows = Vec::new();
        write::rejections(&corpus.origins.rejections, &mut rows).map_err(Error::io("write", &path))?;
        let mut file = std::fs::File::create(&path).map_err(Error::io("create", &path))?;
        file.write_all(&rows).map_err(Error::io("write", &path))?;
        bytes += rows.len() as u64;
    }
    Ok(bytes)
}
