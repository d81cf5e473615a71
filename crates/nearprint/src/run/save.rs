//! A finished run in memory -> its output folder.

use super::dedup::check_is_no_input;
use super::stages::WriteKept;
use super::timed::Timed;
use super::{Deduplicator, Output};
use crate::corpus::Corpus;
use crate::error::Error;
use crate::outcome::{Decisions, Summary};
use crate::watch::{Watch, stop_if_asked};
use crate::write::{Folder, reports};

impl Deduplicator {
    /// Writes the output folder of a finished run, without a page. Kept rows of files are copied, as
    /// by [`dedup`](Self::dedup); `inputs` are the names that the user gave for these. Documents in
    /// memory have no bytes to copy: `write_kept` writes them into the folder. Of such documents no
    /// fingerprints are written, since they cannot be read again.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Documents, Output, Silent};
    /// let deduplicator = Deduplicator::new(Config::default())?;
    /// let run = deduplicator.run(Documents::texts(["春眠不觉晓", "春眠不覺曉"]), &Silent)?;
    /// let folder = tempfile::tempdir()?;
    /// let output = Output::new(folder.path().join("clean"));
    /// let parts = (&run.corpus, &run.decisions, &run.summary);
    /// deduplicator.save(parts, &[], &output, &mut |_| Ok(0), &Silent)?;
    /// assert!(std::fs::read_to_string(output.folder.join("removed.jsonl"))?.contains("exact"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutputTaken`], [`Error::Usage`] for a folder that a run over the same inputs would
    /// read, [`Error::Io`], [`Error::Changed`] for a file that has changed since the run,
    /// [`Error::Interrupted`]. After an error no folder is left.
    pub fn save(
        &self,
        (corpus, decisions, summary): (&Corpus, &Decisions, &Summary),
        inputs: &[String],
        output: &Output,
        write_kept: &mut WriteKept<'_>,
        watch: &dyn Watch,
    ) -> Result<Summary, Error> {
        let sources = &corpus.origins.sources;
        let files = sources.iter().filter(|source| source.memory.is_none());
        check_is_no_input(&output.folder, corpus.origins.sides()[1], inputs)?;
        let files = files.map(|source| source.path.as_path());
        let folder = Folder::create(&output.folder, output.force, files.chain(self.files()))?;
        let place = folder.path();
        let summary = self.threads.install(|| {
            let watch = &Timed::new(watch);
            let parts = (corpus, decisions, summary.passed_over);
            let written = self.write_folder(parts, output, place, Some(write_kept), watch)?;
            let mut summary = summary.clone();
            summary.bytes.insert("input", sources.iter().map(|source| source.bytes).sum());
            summary.bytes.insert("output", written);
            reports::summary(&summary, place)?;
            stop_if_asked(watch)?;
            Ok::<Summary, Error>(summary)
        })?;
        folder.commit()?;
        Ok(summary)
    }
}
