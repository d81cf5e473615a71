//! Input files -> an output folder with the clean corpus and the reasons, stage by stage, or the
//! same decisions in memory.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::against::{check_standard_input, find_against};
use super::checkpoint::{self, Checkpoints};
use super::fingerprints::changed;
use super::timed::Timed;
use super::{Deduplicator, Documents, Output, Run, summary};
use crate::config::{Config, LeakAction, OnError};
use crate::corpus::{Corpus, Known, KnownFile, Purpose, Reading};
use crate::decide::{self, Confirmed};
use crate::error::Error;
use crate::message;
use crate::message::Setting;
use crate::outcome::{Decisions, Recall, Search, Summary};
use crate::read::{self, Found, Source};
use crate::search::{self, Candidates, Input};
use crate::watch::{Progress, Stage, Watch, stop_if_asked};
use crate::write::{self, Differing, Folder, reports};

/// The file of a run's candidates, where it has a name.
const CANDIDATES: &str = "candidates";

/// Files to deduplicate, and where the result goes.
pub(super) struct Job<'o> {
    pub against: Vec<Source>,
    pub found: Found,
    /// Their fingerprints, where an earlier run has made them.
    pub known: Option<Known>,
    pub output: &'o Output,
    pub folder: Folder,
}

impl Deduplicator {
    /// Deduplicates files: reads `inputs` (files, folders, globs, `-`), decides, and writes the
    /// output folder.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Output, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("news.jsonl");
    /// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft";
    /// std::fs::write(&input, format!("{{\"id\":1,\"text\":\"{text}\"}}\n{{\"id\":2,\"text\":\"{text}!\"}}\n{{\"id\":3,\"text\":\"{text}.\"}}\n"))?;
    /// let deduplicator = Deduplicator::new(Config::default())?;
    /// let output = Output::new(folder.path().join("clean"));
    /// let summary = deduplicator.dedup(&[input.display().to_string()], &output, &Silent)?;
    /// assert_eq!((summary.counts.read, summary.counts.kept), (3, 1));
    /// assert_eq!(std::fs::read_to_string(output.folder.join("kept/news.jsonl"))?.lines().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Every variant of [`Error`]; in each case nothing is left where the output folder would be.
    /// What finished stages made is kept in a folder of its own ([`Output::unfinished`]), and with
    /// `resume` the next run goes on from there.
    pub fn dedup(
        &self,
        inputs: &[String],
        output: &Output,
        watch: &dyn Watch,
    ) -> Result<Summary, Error> {
        self.threads
            .install(|| self.dedup_files(&[], self.find_files(&[], watch), inputs, output, watch))
    }

    /// Leaves out of `inputs` the duplicates of documents in `against` (files, folders, globs, or
    /// `-` where the inputs lack it), and writes the output folder. Documents of `against` are only
    /// compared with the inputs and never written; those of the inputs are not compared with each
    /// other. Ids need only be unique on each side.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Output, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let [test, train] = ["test.jsonl", "train.jsonl"].map(|name| folder.path().join(name));
    /// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft";
    /// std::fs::write(&test, format!("{{\"id\":1,\"text\":\"{text}\"}}\n"))?;
    /// std::fs::write(&train, format!("{{\"id\":1,\"text\":\"{text}!\"}}\n{{\"id\":2,\"text\":\"Half price\"}}\n{{\"id\":3,\"text\":\"Half price\"}}\n"))?;
    /// let deduplicator = Deduplicator::new(Config::default())?;
    /// let output = Output::new(folder.path().join("clean"));
    /// let [test, train] = [test, train].map(|path| [path.display().to_string()]);
    /// let summary = deduplicator.dedup_against(&test, &train, &output, &Silent)?;
    /// assert_eq!((summary.counts.against, summary.counts.read, summary.counts.kept), (Some(1), 3, 2));
    /// assert_eq!(std::fs::read_to_string(output.folder.join("kept/train.jsonl"))?.lines().count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`dedup`](Self::dedup); [`Error::Usage`] also where `against` is empty or names one of
    /// the input files.
    pub fn dedup_against(
        &self,
        against: &[String],
        inputs: &[String],
        output: &Output,
        watch: &dyn Watch,
    ) -> Result<Summary, Error> {
        if against.is_empty() {
            return Err(Error::usage(
                "against",
                "no reference documents are named; name files, folders, globs, or -",
            ));
        }
        check_standard_input(inputs.iter().chain(against).map(String::as_str))?;
        #[cfg(feature = "index")]
        if let Some(index) = self.index_among(against)? {
            // An index has no search inside of documents.
            let other = Deduplicator::new(self.config.clone().min_leak_length(None))?;
            return other.threads.install(|| {
                let find =
                    |sources: &[Source], _: &Path| other.find_in_index(&index, sources, watch);
                other.dedup_files(against, find, inputs, output, watch)
            });
        }
        self.threads.install(|| {
            self.dedup_files(against, self.find_files(against, watch), inputs, output, watch)
        })
    }

    /// Deduplicates documents in memory or in files, and writes nothing. Reference documents come
    /// first in the corpus.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Documents, Silent};
    /// let poems = Documents::texts(["春眠不觉晓", "床前明月光", "春眠不覺曉"]);
    /// let run = Deduplicator::new(Config::default())?.run(poems, &Silent)?;
    /// assert_eq!((run.decisions.removals[0].document, run.decisions.removals[0].keeper), (2, 0));
    /// assert_eq!((run.corpus.origins.row(2), run.summary.counts.kept), (3, 2));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Rejected`] for input that cannot be used (where `on-error` is `fail`),
    /// [`Error::NoSuchField`], [`Error::TooManyDocuments`], [`Error::OverMemory`],
    /// [`Error::Usage`], [`Error::Io`], [`Error::Interrupted`].
    pub fn run(&self, documents: Documents, watch: &dyn Watch) -> Result<Run, Error> {
        let Documents { sources, against, pairs } = documents;
        self.check_about_against(!against.is_empty())?;
        self.threads.install(|| {
            let watch = &Timed::new(watch);
            let corpus = self.reading(against, sources, None).read(Purpose::Dedup, watch)?;
            let decisions = self.decide_with(&mut Checkpoints::none(), &corpus, pairs, watch)?;
            let summary = summary::of(self, &corpus, &decisions, None, watch);
            Ok(Run { corpus, decisions, summary })
        })
    }

    /// Finds the duplicates of a corpus and decides which documents stay. `pairs` says whether all
    /// duplicate pairs are wanted; without that only pairs are compared that may remove a document.
    ///
    /// # Errors
    /// [`Error::Unfit`] for a corpus that was read for something else; [`Error::Io`] where
    /// temporary files cannot be written or read; [`Error::OverMemory`]; [`Error::Interrupted`].
    pub fn decide(
        &self,
        corpus: &Corpus,
        pairs: bool,
        watch: &dyn Watch,
    ) -> Result<Decisions, Error> {
        self.threads.install(|| self.decide_with(&mut Checkpoints::none(), corpus, pairs, watch))
    }

    /// Finds the files that the inputs are compared with, given these and a folder for temporary
    /// ones.
    fn find_files<'a>(
        &'a self,
        against: &'a [String],
        watch: &'a dyn Watch,
    ) -> impl FnOnce(&[Source], &Path) -> Result<Vec<Source>, Error> + 'a {
        move |sources, spool| {
            find_against(&self.config, &self.options, against, sources, spool, watch)
        }
    }

    /// Both; with nothing in `against` an ordinary run. `find` finds the files that the inputs are
    /// compared with, given these and a folder for temporary ones.
    fn dedup_files(
        &self,
        against: &[String],
        find: impl FnOnce(&[Source], &Path) -> Result<Vec<Source>, Error>,
        inputs: &[String],
        output: &Output,
        watch: &dyn Watch,
    ) -> Result<Summary, Error> {
        let watch = &Timed::new(watch);
        self.check_about_against(!against.is_empty())?;
        self.check_leak_action(output.annotate)?;
        let spool = self.spool()?;
        let Found { sources, passed_over, .. } =
            read::find_all(inputs, &self.options, spool.path(), watch)?;
        if output.annotate {
            sources.iter().try_for_each(write::check_annotatable)?;
        }
        check_is_no_input(&output.folder, &sources, &[inputs, against].concat())?;
        let against = find(&sources, spool.path())?;
        let files = sources.iter().chain(&against).map(|source| source.path.as_path());
        let others = self.files().chain(output.spare.iter().map(PathBuf::as_path));
        let folder = Folder::create(&output.folder, output.force, files.chain(others))?;
        let mut checkpoints = checkpoints(self, &against, &sources, output)?;
        if let Some((unfinished, fits)) = checkpoints.anew.take() {
            watch.begin_anew(&unfinished, fits);
        }
        let job = Job {
            against,
            found: Found { sources, passed_over, ..Found::default() },
            known: None,
            output,
            folder,
        };
        let result = self.dedup_stages(&mut checkpoints, job, watch);
        if !result.as_ref().is_err_and(Error::can_resume) {
            checkpoints.discard();
        }
        result
    }

    /// Refuses settings about what documents are compared with where there is nothing. To look for
    /// nothing asks for nothing.
    pub(super) fn check_about_against(&self, has_against: bool) -> Result<(), Error> {
        let (own, usual) = (&self.config, Config::default());
        let about_against = [
            ("against-text-field", own.read.against_text_fields != usual.read.against_text_fields),
            ("against-id-field", own.read.against_id_field != usual.read.against_id_field),
            ("leak-action", own.keep.leak_action != usual.keep.leak_action),
            (
                "min-leak-length",
                own.keep.min_leak_length.is_some()
                    && own.keep.min_leak_length != usual.keep.min_leak_length,
            ),
        ];
        match about_against.into_iter().find(|(_, is_set)| *is_set && !has_against) {
            None => Ok(()),
            Some((setting, _)) => {
                let against = Setting::named("against");
                let problem = message!["applies to reference documents; name them with ", against];
                Err(Error::usage(setting, problem))
            }
        }
    }

    /// Refuses a way to treat leaks that changes rows which are to be written as they are.
    fn check_leak_action(&self, annotates: bool) -> Result<(), Error> {
        if !annotates || !matches!(self.config.keep.leak_action, LeakAction::Mask | LeakAction::Cut)
        {
            return Ok(());
        }
        let annotate = Setting::named("annotate");
        let problem = message![
            "changes texts, but ",
            annotate,
            " writes them unchanged; leave one of them out"
        ];
        Err(Error::usage("leak-action", problem))
    }

    pub(super) fn dedup_stages(
        &self,
        checkpoints: &mut Checkpoints,
        job: Job<'_>,
        watch: &Timed<'_>,
    ) -> Result<Summary, Error> {
        let Job { against, found: Found { sources, passed_over, .. }, known, output, folder } = job;
        if let Some(options) = &output.report {
            self.check_source_field([&against, &sources], options, watch)?;
        }
        let files: Vec<KnownFile> = known.iter().flat_map(|known| known.files.clone()).collect();
        let all = [&against[..], &sources[..]].concat();
        let corpus = checkpoints.stage(
            Stage::Read,
            |corpus: &mut Corpus, folder| corpus.reopen(folder, all),
            |folder| {
                Reading { known, ..self.reading(against, sources, folder) }
                    .read(Purpose::Dedup, watch)
            },
        )?;
        // The files were looked at before they were read.
        if let Some((file, _)) = files
            .iter()
            .zip(&corpus.origins.hashes)
            .find(|(file, hash)| **hash != 0 && file.hash != **hash)
        {
            return Err(changed(&file.label));
        }
        let decisions = self.decide_with(checkpoints, &corpus, output.pairs, watch)?;
        let origins = &corpus.origins;
        let fingerprints = self.save_fingerprints(
            &corpus,
            &decisions.families,
            passed_over,
            folder.path(),
            watch,
        )?;
        let stage = Progress::begin(
            watch,
            Stage::Write,
            corpus.len() - origins.against(),
            corpus.text_bytes,
        );
        let place = folder.path();
        let mut written = fingerprints;
        if !output.dry_run {
            written += write::documents(
                &corpus,
                &decisions,
                self.config.keep.leak_action,
                &self.options,
                place,
                output.annotate,
                &stage,
                watch,
            )?;
        }
        let differing = Differing {
            config: &self.config,
            recipe: &self.recipe,
            corpus: &corpus,
            characters: output.show_text,
        };
        written += reports::removed(
            &corpus,
            &decisions,
            Some(differing).filter(|_| output.show_text > 0),
            place,
        )?;
        written += reports::clusters(origins, &decisions, place)?;
        if output.pairs || self.config.wants_all_pairs() {
            written += reports::pairs(origins, &decisions, place)?;
        }
        if let Some(pairs) = &decisions.just_missed {
            written += reports::just_missed(&corpus, pairs, place)?;
        }
        if origins.has_sides() {
            written += reports::leaks(&corpus, &decisions, self.config.keep.leak_action, place)?;
        }
        if self.config.read.on_error == OnError::Skip {
            written += reports::rejected(&origins.rejections, place)?;
        }
        let resumed = checkpoints.resumed.clone();
        let summary = Summary {
            resumed,
            passed_over,
            ..summary::of(self, &corpus, &decisions, Some(written), watch)
        };
        reports::summary(&summary, place)?;
        if let Some(options) = &output.report {
            self.write_report(place, &output.folder, &summary, &corpus, options, watch)?;
        }
        stop_if_asked(watch)?;
        folder.commit()?;
        Ok(summary)
    }

    /// A corpus and the settings, for a search.
    pub(crate) fn input<'c>(&'c self, corpus: &'c Corpus) -> Input<'c> {
        Input { config: &self.config, recipe: &self.recipe, corpus, memory: self.memory }
    }

    /// Decides with checkpoints.
    pub(super) fn decide_with(
        &self,
        checkpoints: &mut Checkpoints,
        corpus: &Corpus,
        pairs: bool,
        watch: &dyn Watch,
    ) -> Result<Decisions, Error> {
        let input = self.input(corpus);
        corpus.check(Purpose::Dedup, &self.config, &self.recipe)?;
        let order = decide::order(&self.config, corpus);
        let pairs = pairs || self.config.wants_all_pairs();
        let (candidates, search) = checkpoints.stage(
            Stage::Join,
            |(candidates, _): &mut (Candidates, Search), folder| {
                candidates.pairs.reopen(&folder.join(CANDIDATES))
            },
            |folder| {
                let (candidates, search) =
                    search::search(&input, &order.ranks, &order.representatives, pairs, watch)?;
                match folder {
                    Some(folder) => Ok((candidates.in_file(&folder.join(CANDIDATES))?, search)),
                    None => Ok((candidates, search)),
                }
            },
        )?;
        let (confirmed, recall) = checkpoints.stage(
            Stage::Verify,
            |(confirmed, _): &mut (Confirmed, Option<Recall>), folder| {
                confirmed.reopen(|name| folder.join(name))
            },
            |folder| {
                let mut confirmed =
                    decide::confirm(&input, &order, &candidates, &search, pairs, watch)?;
                if let Some(folder) = folder {
                    confirmed = confirmed.in_files(|name| folder.join(name))?;
                }
                let recall =
                    decide::recall(&input, &order, &candidates, &confirmed.keepers, watch)?;
                Ok((confirmed, recall))
            },
        )?;
        decide::explain(&input, &order, &candidates, confirmed, search, recall, watch)
    }
}

/// The checkpoints of a run; none for standard input, which cannot be read again, and where no
/// folder can be made for them.
fn checkpoints(
    run: &Deduplicator,
    against: &[Source],
    sources: &[Source],
    output: &Output,
) -> Result<Checkpoints, Error> {
    if against.iter().chain(sources).any(|source| source.label == read::STANDARD_INPUT) {
        let problem =
            "standard input cannot be read a second time; save it to a file, and name the file";
        return if output.resume {
            Err(Error::usage("resume", problem))
        } else {
            Ok(Checkpoints::none())
        };
    }
    let config = &run.config;
    let folder = checkpoint::folder_of(&output.folder, config.run.tmp_dir.as_deref());
    let folder = folder.map_err(Error::io("find", &output.folder))?;
    match Checkpoints::open(&folder, &described(run, against, sources, output), output.resume) {
        Err(Error::Io { .. }) if !output.resume => Ok(Checkpoints::none()),
        checkpoints => checkpoints,
    }
}

/// All that the output of a run depends on, and of `summary.json` all but the size of the recall's
/// sample where memory is short.
fn described(
    of: &Deduplicator,
    against: &[Source],
    sources: &[Source],
    output: &Output,
) -> serde_json::Value {
    let mut run = serde_json::to_value(&of.config).expect("settings are JSON values");
    let settings = run.as_object_mut().expect("settings have names");
    for setting in ["threads", "memory", "tmp-dir"] {
        settings.remove(setting);
    }
    let modified = |source: &Source| {
        source
            .modified
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos())
            .to_string()
    };
    for (name, sources) in [("input", sources), ("against", against)] {
        let file = |source: &Source| {
            (
                source.label.clone(),
                source.path.display().to_string(),
                source.bytes,
                modified(source),
            )
        };
        settings.insert(
            name.to_string(),
            serde_json::json!(sources.iter().map(file).collect::<Vec<_>>()),
        );
    }
    let stop_words = xxh3_64(of.recipe.stop_words().as_bytes());
    settings.insert("list of stop words".to_string(), format!("{stop_words:016x}").into());
    settings.insert("pairs".to_string(), output.pairs.into());
    settings.insert("fingerprint".to_string(), of.recipe.identity().into());
    settings.insert("version of nearprint".to_string(), env!("CARGO_PKG_VERSION").into());
    run
}

/// Refuses an output folder that a later run over the same inputs would read. One that is an input
/// folder itself is refused as what would be replaced.
fn check_is_no_input(output: &Path, sources: &[Source], inputs: &[String]) -> Result<(), Error> {
    let place = output.canonicalize().ok();
    let is_other =
        |input: &&String| place.is_none() || Path::new(input).canonicalize().ok() != place;
    let inputs: Vec<String> = inputs.iter().filter(is_other).cloned().collect();
    let kept = sources.first().map(|source| output.join(write::KEPT).join(&source.name));
    let written: Vec<PathBuf> = [output.join(reports::REMOVED)].into_iter().chain(kept).collect();
    read::check_not_found_again("output", output, &written, &inputs)
}
