//! The stages of a run, in order: read, search, decide, and write the output folder. A stage that
//! an earlier run has finished is loaded from its checkpoint.

use std::path::Path;

use super::checkpoint::Checkpoints;
use super::fingerprints::changed;
use super::timed::Timed;
use super::{Deduplicator, Output, summary};
use crate::config::OnError;
use crate::corpus::{Corpus, Known, KnownFile, Purpose, Reading};
use crate::decide::{self, Confirmed};
use crate::error::Error;
use crate::outcome::{Decisions, Recall, Search, Summary};
use crate::read::{Found, Source};
use crate::search::{self, Candidates, Input};
use crate::watch::{Progress, Stage, Watch, stop_if_asked};
use crate::write::{self, Differing, Folder, reports};

/// The file name of a run's candidates.
const CANDIDATES: &str = "candidates";

/// Files to deduplicate, and the place of the result.
pub(super) struct Job<'o> {
    /// The reference files.
    pub against: Vec<Source>,
    /// The input files.
    pub found: Found,
    /// The fingerprints of both, if an earlier run has made them.
    pub known: Option<Known>,
    pub output: &'o Output,
    /// The output folder in the making.
    pub folder: Folder,
}

/// Writes kept documents that are in memory into a folder, and returns the number of bytes.
pub type WriteKept<'w> = dyn FnMut(&Path) -> Result<u64, Error> + Send + 'w;

impl Deduplicator {
    /// Runs all stages, and puts the output folder in its place.
    ///
    /// # Errors
    /// As [`dedup`](Self::dedup).
    pub(super) fn dedup_stages(
        &self,
        checkpoints: &mut Checkpoints,
        job: Job<'_>,
        watch: &Timed<'_>,
    ) -> Result<Summary, Error> {
        let Job { against, found: Found { sources, passed_over, .. }, known, output, folder } = job;
        if let Some(options) = &output.report {
            self.check_fields_of_report([&against, &sources], options, watch)?;
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
        // A file may have changed between the check of its hash and its reading.
        if let Some((file, _)) = files
            .iter()
            .zip(&corpus.origins.hashes)
            .find(|(file, hash)| **hash != 0 && file.hash != **hash)
        {
            return Err(changed(&file.label));
        }
        let decisions = self.decide_with(checkpoints, &corpus, output.pairs, watch)?;
        let place = folder.path();
        let written =
            self.write_folder((&corpus, &decisions, passed_over), output, place, None, watch)?;
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

    /// Writes an output folder, all but the summary and the page, of a run for which so many files
    /// were left out. `write_kept` writes documents that are in memory; files are copied. Returns
    /// the number of bytes.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Changed`] for a file that differs when it is read again;
    /// [`Error::Interrupted`].
    pub(super) fn write_folder(
        &self,
        (corpus, decisions, passed_over): (&Corpus, &Decisions, u64),
        output: &Output,
        place: &Path,
        write_kept: Option<&mut WriteKept<'_>>,
        watch: &Timed<'_>,
    ) -> Result<u64, Error> {
        let origins = &corpus.origins;
        let families = &decisions.families;
        let mut written = self.save_fingerprints(corpus, families, passed_over, place, watch)?;
        let documents = corpus.len() - origins.against();
        let stage = Progress::begin(watch, Stage::Write, documents, corpus.text_bytes);
        let is_in_memory = origins.sides()[1].iter().any(|source| source.memory.is_some());
        match write_kept.filter(|_| is_in_memory) {
            _ if output.dry_run => {}
            Some(write_kept) => written += write_kept(place)?,
            None => {
                written += write::documents(
                    corpus,
                    decisions,
                    self.config.keep.leak_action,
                    &self.options,
                    place,
                    output.annotate,
                    &stage,
                    watch,
                )?;
            }
        }
        let differing = Differing {
            config: &self.config,
            recipe: &self.recipe,
            corpus,
            characters: output.show_text,
        };
        written += reports::removed(
            corpus,
            decisions,
            Some(differing).filter(|_| output.show_text > 0),
            place,
        )?;
        written += reports::clusters(origins, decisions, place)?;
        if output.pairs || self.config.wants_all_pairs() {
            written += reports::pairs(origins, decisions, place)?;
        }
        if let Some(pairs) = &decisions.just_missed {
            written += reports::just_missed(corpus, pairs, place)?;
        }
        if origins.has_sides() {
            written += reports::leaks(corpus, decisions, self.config.keep.leak_action, place)?;
        }
        if self.config.read.on_error == OnError::Skip {
            written += reports::rejected(&origins.rejections, output.spelled, place)?;
        }
        Ok(written)
    }

    /// The input of a search: a corpus and the settings.
    pub(crate) fn input<'c>(&'c self, corpus: &'c Corpus) -> Input<'c> {
        Input { config: &self.config, recipe: &self.recipe, corpus, memory: self.memory }
    }

    /// Searches a corpus and decides which documents stay, with checkpoints.
    ///
    /// # Errors
    /// As [`decide`](Self::decide).
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
