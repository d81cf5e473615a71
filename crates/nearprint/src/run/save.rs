//! A finished run in memory -> its output folder.

use std::collections::BTreeMap;
use std::path::Path;

use super::timed::Timed;
use super::{Deduplicator, Output};
use crate::corpus::Corpus;
use crate::error::Error;
use crate::outcome::{Decisions, Summary};
use crate::watch::{Progress, Stage, Watch, stop_if_asked};
use crate::write::{self, Folder, reports};

impl Deduplicator {
    /// Writes the output folder of a finished run. Kept rows of files are copied, as by
    /// [`dedup`](Self::dedup). Documents in memory have no bytes to copy: `write_kept` writes them
    /// into the folder and returns the number of bytes. Of such documents no fingerprints are
    /// written, since they cannot be read again.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Documents, Output, Silent};
    /// let deduplicator = Deduplicator::new(Config::default())?;
    /// let run = deduplicator.run(Documents::texts(["春眠不觉晓", "春眠不覺曉"]), &Silent)?;
    /// let folder = tempfile::tempdir()?;
    /// let output = Output::new(folder.path().join("clean"));
    /// let parts = (&run.corpus, &run.decisions, &run.summary);
    /// deduplicator.save(parts, &output, &mut |_| Ok(0), &Silent)?;
    /// assert!(std::fs::read_to_string(output.folder.join("removed.jsonl"))?.contains("exact"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutputTaken`], [`Error::Io`], [`Error::Changed`] for a file that has changed since
    /// the run, [`Error::Interrupted`]. After an error no folder is left.
    pub fn save(
        &self,
        (corpus, decisions, summary): (&Corpus, &Decisions, &Summary),
        output: &Output,
        write_kept: &mut (dyn FnMut(&Path) -> Result<u64, Error> + Send),
        watch: &dyn Watch,
    ) -> Result<Summary, Error> {
        let origins = &corpus.origins;
        let files = origins.sources.iter().filter(|source| source.memory.is_none());
        let files: Vec<&Path> = files.map(|source| source.path.as_path()).collect();
        let folder = Folder::create(
            &output.folder,
            output.force,
            files.iter().copied().chain(self.files()),
        )?;
        let place = folder.path();
        self.threads
            .install(|| {
                let watch = &Timed::new(watch);
                let are_files = files.len() == origins.sources.len();
                let mut written = match are_files {
                    true => self.save_fingerprints(corpus, &decisions.families, 0, place, watch)?,
                    false => 0,
                };
                let documents = corpus.len() - origins.against();
                let stage = Progress::begin(watch, Stage::Write, documents, corpus.text_bytes);
                written += match origins.sides()[1].iter().all(|source| source.memory.is_none()) {
                    true => write::documents(
                        corpus,
                        decisions,
                        self.config.keep.leak_action,
                        &self.options,
                        place,
                        output.annotate,
                        &stage,
                        watch,
                    )?,
                    false => write_kept(place)?,
                };
                written += self.write_reports(corpus, decisions, output, place)?;
                let input = origins.sources.iter().map(|source| source.bytes).sum();
                let mut bytes = summary.bytes.clone();
                bytes.extend(BTreeMap::from([("input", input), ("output", written)]));
                let summary = Summary { bytes, ..summary.clone() };
                reports::summary(&summary, place)?;
                stop_if_asked(watch)?;
                Ok::<Summary, Error>(summary)
            })
            .and_then(|summary| folder.commit().map(|()| summary))
    }
}
