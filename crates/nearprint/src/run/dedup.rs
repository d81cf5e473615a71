//! Input files -> an output folder with the clean corpus and the reason for each removal; documents
//! in memory -> the decisions. Settings and inputs that do not fit together are refused here.

use std::path::{Path, PathBuf};

use super::against::{check_standard_input, find_against};
use super::checkpoint::Checkpoints;
#[cfg(feature = "index")]
use super::documents::names;
use super::identity::checkpoints;
use super::stages::Job;
use super::timed::Timed;
use super::{Deduplicator, Documents, Output, Run, summary};
use crate::config::{Config, LeakAction};
use crate::corpus::{Corpus, Purpose};
use crate::error::Error;
use crate::message;
use crate::message::Setting;
use crate::outcome::{Decisions, Summary};
use crate::read::{self, Found, Source};
use crate::watch::Watch;
use crate::write::{self, Annotation, Folder, reports};

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
    /// Every variant of [`Error`]. After an error, no output folder is left. The results of
    /// finished stages are kept in a folder of their own ([`Output::unfinished`]), and with
    /// `resume` the next run goes on from there.
    pub fn dedup(
        &self,
        inputs: &[String],
        output: &Output,
        watch: &dyn Watch,
    ) -> Result<Summary, Error> {
        self.threads.install(|| {
            self.dedup_files(&[], self.find_reference_files(&[], watch), inputs, output, watch)
        })
    }

    /// Removes from `inputs` the duplicates of documents in `against`, and writes the output
    /// folder. `against` may name files, folders and globs, or `-` if the inputs do not. Its
    /// documents are compared with the inputs and never written. The inputs are not compared with
    /// each other. Ids need to be unique on each side only.
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
    /// As [`dedup`](Self::dedup); also [`Error::Usage`] if `against` is empty or names an input
    /// file.
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
                let find = |found: &Found, _: &Path| {
                    found.warn_of_idle_patterns(watch);
                    other.find_in_index(&index, &found.sources, watch)
                };
                other.dedup_files(against, find, inputs, output, watch)
            });
        }
        self.threads.install(|| {
            self.dedup_files(
                against,
                self.find_reference_files(against, watch),
                inputs,
                output,
                watch,
            )
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
    /// [`Error::Rejected`] for input that cannot be used (if `on-error` is `fail`),
    /// [`Error::TooManyRejected`], [`Error::NoSuchField`], [`Error::TooManyDocuments`],
    /// [`Error::OverMemory`], [`Error::Usage`], [`Error::Io`], [`Error::Interrupted`].
    pub fn run(&self, documents: Documents, watch: &dyn Watch) -> Result<Run, Error> {
        let Documents { inputs, against, pairs } = documents;
        self.check_about_against(!against.is_empty())?;
        #[cfg(feature = "index")]
        if self.config.keep.min_leak_length.is_some()
            && self.index_among(&names(&against))?.is_some()
        {
            // An index has no search inside of documents.
            let other = Deduplicator::new(self.config.clone().min_leak_length(None))?;
            return other.run(Documents { inputs, against, pairs }, watch);
        }
        self.threads.install(|| {
            let watch = &Timed::new(watch);
            let (Found { sources, passed_over, .. }, against) =
                self.find_sources(inputs, against, watch)?;
            let corpus = self.reading(against, sources, None).read(Purpose::Dedup, watch)?;
            self.decided(corpus, pairs, passed_over, watch)
        })
    }

    /// Decides on the documents of a corpus, for which so many files were left out.
    pub(super) fn decided(
        &self,
        corpus: Corpus,
        pairs: bool,
        passed_over: u64,
        watch: &Timed<'_>,
    ) -> Result<Run, Error> {
        let decisions = self.decide_with(&mut Checkpoints::none(), &corpus, pairs, watch)?;
        let summary = summary::of(self, &corpus, &decisions, None, watch);
        let summary = Summary { passed_over, ..summary };
        Ok(Run { corpus, decisions, summary })
    }

    /// Finds the duplicates of a corpus and decides which documents stay. With `pairs`, all
    /// duplicate pairs are listed. Without, only pairs that may remove a document are compared.
    ///
    /// # Errors
    /// [`Error::Unfit`] for a corpus that was read for another purpose; [`Error::Io`] if temporary
    /// files cannot be written or read; [`Error::OverMemory`]; [`Error::Interrupted`].
    pub fn decide(
        &self,
        corpus: &Corpus,
        pairs: bool,
        watch: &dyn Watch,
    ) -> Result<Decisions, Error> {
        self.threads.install(|| self.decide_with(&mut Checkpoints::none(), corpus, pairs, watch))
    }

    /// A function that finds the reference files, from the input files and a folder for temporary
    /// files.
    fn find_reference_files<'a>(
        &'a self,
        against: &'a [String],
        watch: &'a dyn Watch,
    ) -> impl FnOnce(&Found, &Path) -> Result<Vec<Source>, Error> + 'a {
        move |found, spool| find_against(&self.config, &self.options, against, found, spool, watch)
    }

    /// Deduplicates files. If `against` is empty, this is an ordinary run. `find` finds the
    /// reference files, from the input files and a folder for temporary files.
    fn dedup_files(
        &self,
        against: &[String],
        find: impl FnOnce(&Found, &Path) -> Result<Vec<Source>, Error>,
        inputs: &[String],
        output: &Output,
        watch: &dyn Watch,
    ) -> Result<Summary, Error> {
        let watch = &Timed::new(watch);
        self.check_about_against(!against.is_empty())?;
        self.check_leak_action(output.annotate)?;
        let spool = self.spool()?;
        let found = read::find_all(inputs, &self.options, spool.path(), watch)?;
        let sources = &found.sources;
        if output.annotate {
            sources.iter().try_for_each(write::check_annotatable::<Annotation>)?;
        }
        check_is_no_input(&output.folder, sources, &[inputs, against].concat())?;
        let against = find(&found, spool.path())?;
        let files = sources.iter().chain(&against).map(|source| source.path.as_path());
        let others = self.files().chain(output.spare.iter().map(PathBuf::as_path));
        let folder = Folder::create(&output.folder, output.force, files.chain(others))?;
        let mut checkpoints = checkpoints(self, &against, sources, output)?;
        if let Some(discarded) = checkpoints.discarded.take() {
            watch.begin_anew(&discarded);
        }
        let job = Job { against, found, known: None, output, folder };
        let result = self.dedup_stages(&mut checkpoints, job, watch);
        if !result.as_ref().is_err_and(Error::can_resume) {
            checkpoints.discard();
        }
        result
    }

    /// Refuses settings about reference documents if there are none.
    pub(super) fn check_about_against(&self, has_against: bool) -> Result<(), Error> {
        match set_about_against(&self.config) {
            Some(setting) if !has_against => {
                let against = Setting::named("against");
                let problem = message!["applies to reference documents; name them with ", against];
                Err(Error::usage(setting, problem))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a `leak-action` that changes texts together with `annotate`, which writes rows
    /// unchanged.
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
}

/// The first setting about reference documents that differs from its default. A `min-leak-length`
/// of `off` counts as the default, since it asks for nothing.
pub(super) fn set_about_against(config: &Config) -> Option<&'static str> {
    let (own, usual) = (config, Config::default());
    let are_set = [
        ("against-text-field", own.read.against_text_fields != usual.read.against_text_fields),
        ("against-id-field", own.read.against_id_field != usual.read.against_id_field),
        ("leak-action", own.keep.leak_action != usual.keep.leak_action),
        (
            "min-leak-length",
            own.keep.min_leak_length.is_some()
                && own.keep.min_leak_length != usual.keep.min_leak_length,
        ),
    ];
    are_set.into_iter().find_map(|(setting, is_set)| is_set.then_some(setting))
}

/// Refuses an output folder that a later run over the same inputs would read. An output that is
/// itself an input is left to [`Folder::create`], which does not replace inputs.
pub(super) fn check_is_no_input(
    output: &Path,
    sources: &[Source],
    inputs: &[String],
) -> Result<(), Error> {
    let place = output.canonicalize().ok();
    let is_other =
        |input: &&String| place.is_none() || Path::new(input).canonicalize().ok() != place;
    let inputs: Vec<String> = inputs.iter().filter(is_other).cloned().collect();
    let kept = sources.first().map(|source| output.join(write::KEPT).join(&source.name));
    let written: Vec<PathBuf> = [output.join(reports::REMOVED)].into_iter().chain(kept).collect();
    read::check_not_found_again("output", output, &written, &inputs)
}
