//! Input files -> one stream of the kept rows, instead of an output folder.

use std::io::Write;

use super::Deduplicator;
use super::against::{check_standard_input, find_against};
use super::checkpoint::Checkpoints;
use super::summary;
use super::timed::Timed;
use crate::corpus::Purpose;
use crate::error::Error;
use crate::outcome::Summary;
use crate::read::{self, Found};
use crate::watch::{Progress, Stage, Watch, stop_if_asked};
use crate::write;

impl Deduplicator {
    /// Deduplicates files and writes all kept rows to `out`, in input order and uncompressed. The
    /// header of CSV and TSV is written once. With reference documents in `against`, it decides as
    /// [`dedup_against`](Self::dedup_against). There are no reports. Nothing is written before all
    /// is decided and every row is copied to the folder for temporary files.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("poems.jsonl");
    /// std::fs::write(&input, "{\"text\":\"春眠不觉晓\"}\n{\"text\":\"床前明月光\"}\n{\"text\":\"春眠不覺曉\"}\n")?;
    /// let mut out = Vec::new();
    /// let deduplicator = Deduplicator::new(Config::default())?;
    /// let summary = deduplicator.dedup_to(&[], &[input.display().to_string()], &mut out, &Silent)?;
    /// assert_eq!((summary.counts.read, summary.counts.kept), (3, 2));
    /// assert_eq!(String::from_utf8(out)?, "{\"text\":\"春眠不觉晓\"}\n{\"text\":\"床前明月光\"}\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Every variant of [`Error`]; also [`Error::Usage`] if the inputs cannot form one stream:
    /// Parquet, whole files of text, files of several formats or headers. If `out` fails, some rows
    /// may be written.
    pub fn dedup_to(
        &self,
        against: &[String],
        inputs: &[String],
        out: &mut (dyn Write + Send),
        watch: &dyn Watch,
    ) -> Result<Summary, Error> {
        self.check_about_against(!against.is_empty())?;
        check_standard_input(inputs.iter().chain(against).map(String::as_str))?;
        self.threads.install(|| {
            let watch = &Timed::new(watch);
            let spool = self.spool()?;
            let found = read::find_all(inputs, &self.options, spool.path(), watch)?;
            write::check_streamable(&found.sources, &self.options)?;
            let against =
                find_against(&self.config, &self.options, against, &found, spool.path(), watch)?;
            let Found { sources, passed_over, .. } = found;
            let corpus = self.reading(against, sources, None).read(Purpose::Dedup, watch)?;
            let decisions = self.decide_with(&mut Checkpoints::none(), &corpus, false, watch)?;
            let origins = &corpus.origins;
            let stage = Progress::begin(
                watch,
                Stage::Write,
                corpus.len() - origins.against(),
                corpus.text_bytes,
            );
            let (action, folder) = (self.config.keep.leak_action, spool.path());
            write::documents(
                &corpus,
                &decisions,
                action,
                &self.options,
                folder,
                false,
                &stage,
                watch,
            )?;
            stop_if_asked(watch)?;
            let written =
                write::stream(&origins.sources[origins.against..], &folder.join(write::KEPT), out)?;
            Ok(Summary {
                passed_over,
                ..summary::of(self, &corpus, &decisions, Some(written), watch)
            })
        })
    }
}
