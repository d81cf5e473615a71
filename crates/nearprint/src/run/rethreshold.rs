//! The output folder of a finished run, another least similarity or a person's marks -> the output
//! folder of a run with these.
//!
//! Fingerprints do not depend on either, so they are taken from the folder
//! ([`Known`](crate::corpus::Known)). All else is a fresh run over the same files, which must not
//! have changed. The result is that of a fresh run, byte for byte.
//!
//! Normalized texts are not kept, although they would save time too. They would take as much disk
//! as the texts, in every output folder, and few folders are used again. Fingerprints take 36 bytes
//! a document.

use std::path::{Path, PathBuf};

use super::checkpoint::Checkpoints;
use super::fingerprints::{changed, load};
use super::stages::Job;
use super::timed::Timed;
use super::{Deduplicator, Output, Run};
use crate::config::{Config, JustMissed, MaxDistance};
use crate::corpus::{Corpus, FINGERPRINTS, KnownFile, Purpose, Reading};
use crate::error::Error;
use crate::finished::Finished;
use crate::message;
use crate::message::{Setting, Verb};
use crate::outcome::{Decisions, Summary};
use crate::read::{self, Found, STANDARD_INPUT, Source, content};
use crate::watch::{Silent, Watch};
use crate::write::{self, Annotation, Folder};

/// The settings in which a run differs from the finished run that it repeats.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// The least similarity of duplicates; `None` for that of the finished run.
    pub min_similarity: Option<f64>,
    /// The marks of a person; `None` for those of the finished run, if it had some.
    pub marks: Option<PathBuf>,
}

impl Changes {
    /// The settings of a finished run, changed. If the new least similarity is at most the number of
    /// `just-missed`, all pairs that it asks for are duplicates, so pairs that just missed are
    /// sampled as by default.
    pub fn of(&self, config: Config) -> Config {
        let min_similarity = self.min_similarity.unwrap_or(config.decide.min_similarity);
        let just_missed = match config.decide.just_missed {
            JustMissed::Down(least) if least >= min_similarity => JustMissed::Auto,
            other => other,
        };
        let marks = self.marks.clone().or(config.decide.marks.clone());
        config.min_similarity(min_similarity).just_missed(just_missed).marks(marks)
    }
}

impl Deduplicator {
    /// Deduplicates the inputs of a finished run again with another least similarity, with other
    /// marks of a person, or with both, and writes the output folder that a fresh run would write.
    /// All else is as in the run in `folder`: settings, inputs and reference documents. Relative
    /// paths start in the folder in which that run was started. [`Changes::of`] says which settings
    /// change.
    ///
    /// ```
    /// use nearprint::{Changes, Config, Deduplicator, Output, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("news.jsonl");
    /// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft";
    /// std::fs::write(&input, format!("{{\"text\":\"{text}\"}}\n{{\"text\":\"{text}, the harbour says\"}}\n"))?;
    /// let [one, other] = ["one", "other"].map(|name| Output::new(folder.path().join(name)));
    /// let inputs = [input.display().to_string()];
    /// let summary = Deduplicator::new(Config::default())?.dedup(&inputs, &one, &Silent)?;
    /// let changes = Changes { min_similarity: Some(0.95), marks: None };
    /// let stricter = Deduplicator::rethreshold(&one.folder, &changes, &other, &Silent)?;
    /// assert_eq!((summary.counts.removed, stricter.counts.removed), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Incompatible`] for a folder without fingerprints or of another version, or if a
    /// file has changed since; [`Error::Usage`] for a least similarity out of its range, or at odds
    /// with another setting; else as [`dedup`](Self::dedup).
    pub fn rethreshold(
        folder: &Path,
        changes: &Changes,
        output: &Output,
        watch: &dyn Watch,
    ) -> Result<Summary, Error> {
        let finished = Finished::open(folder)?;
        check_can_be_read_again(&finished, changes)?;
        check_is_outside(&output.folder, folder)?;
        let run = Deduplicator::new(changes.of(finished.config))?;
        let watch = &Timed::new(watch);
        run.threads.install(|| run.again(folder, output, watch))
    }

    /// Decides again on the documents of a finished run, with the given changes. Documents are read
    /// again, but fingerprints are not made again.
    ///
    /// ```
    /// use nearprint::{Changes, Config, Deduplicator, Documents, Silent};
    /// let poems = Documents::texts(["床前明月光，疑是地上霜", "床前明月光，疑是地上雪"]);
    /// let deduplicator = Deduplicator::new(Config::default())?;
    /// let run = deduplicator.run(poems, &Silent)?;
    /// let changes = Changes { min_similarity: Some(1.0), marks: None };
    /// let parts = (&run.corpus, &run.decisions, &run.summary);
    /// let (_, strict) = deduplicator.run_again(parts, &changes, false, &Silent)?;
    /// assert_eq!((run.removed().len(), strict.removed().len()), (1, 0));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Usage`] also for a run against an index, and for another
    /// least similarity of a run that finds equal texts only;
    /// [`Error::Incompatible`] for a file that has changed since.
    pub fn run_again(
        &self,
        (corpus, decisions, summary): (&Corpus, &Decisions, &Summary),
        changes: &Changes,
        pairs: bool,
        watch: &dyn Watch,
    ) -> Result<(Deduplicator, Run), Error> {
        let [against, sources] = corpus.origins.sides().map(<[_]>::to_vec);
        if against.iter().any(|source| source.searched().is_some()) {
            let problem = "an index was asked with this bound; run again with another index";
            return Err(Error::usage("against", problem));
        }
        if changes.min_similarity.is_some() && self.config.search.max_distance == MaxDistance::Off {
            let problem = "off matches equal texts only, so there is no similarity bound to change";
            return Err(Error::usage("max-distance", problem));
        }
        let run = Deduplicator::new(changes.of(self.config.clone()))?;
        let watch = &Timed::new(watch);
        let again = run.threads.install(|| {
            let known = match self.config.search.max_distance {
                MaxDistance::Off => None,
                _ => {
                    let (families, passed_over) = (&decisions.families, summary.passed_over);
                    Some(self.known_of(corpus, families, passed_over, watch)?)
                }
            };
            let reading = Reading { known, ..run.reading(against, sources, None) };
            let again = reading.read(Purpose::Dedup, watch)?;
            let (earlier, own) = (&corpus.origins, &again.origins);
            let mut hashes = earlier.hashes.iter().zip(&own.hashes).zip(&own.sources);
            if let Some((_, source)) = hashes.find(|((earlier, own), _)| earlier != own) {
                return Err(changed(&source.label));
            }
            run.decided(again, pairs, summary.passed_over, watch)
        })?;
        Ok((run, again))
    }

    /// Runs again over the files of the run in `folder`, with its fingerprints.
    fn again(&self, folder: &Path, output: &Output, watch: &Timed<'_>) -> Result<Summary, Error> {
        let known = load(folder, &self.recipe)?;
        let spool = self.spool()?;
        let mut found = known.files.iter().map(|file| self.find_again(file, spool.path()));
        let mut all: Vec<Source> = found.by_ref().collect::<Result<_, Error>>()?;
        let sources = all.split_off(known.against as usize);
        if output.annotate {
            sources.iter().try_for_each(write::check_annotatable::<Annotation>)?;
        }
        let files = sources.iter().chain(&all).map(|source| source.path.as_path());
        let own = folder.join(FINGERPRINTS);
        let others =
            self.files().chain(output.spare.iter().map(PathBuf::as_path)).chain([own.as_path()]);
        let target = Folder::create(&output.folder, output.force, files.chain(others))?;
        let found = Found { sources, passed_over: known.passed_over, ..Found::default() };
        let job = Job { against: all, found, known: Some(known), output, folder: target };
        self.dedup_stages(&mut Checkpoints::none(), job, watch)
    }

    /// Finds a file of the run again, with its name in the output. Refuses a changed file.
    fn find_again(&self, file: &KnownFile, spool: &Path) -> Result<Source, Error> {
        let found = read::find(std::slice::from_ref(&file.label), &self.options, spool, &Silent);
        let found = match found {
            // The run could not read it either, and left it out.
            Err(Error::Io { .. }) if file.hash == 0 => {
                return Ok(read::unreadable(Path::new(&file.label), file.name.clone()));
            }
            found => found?,
        };
        let [source] = &found[..] else { return Err(changed(&file.label)) };
        let hash = content::hash_of(&source.path).unwrap_or_default();
        match hash == file.hash {
            true => Ok(Source { name: file.name.clone(), ..source.clone() }),
            false => Err(changed(&file.label)),
        }
    }
}

/// Refuses an output inside the folder of the run. It would be lost when that folder is replaced.
fn check_is_outside(output: &Path, folder: &Path) -> Result<(), Error> {
    match read::resolved(output).zip(folder.canonicalize().ok()) {
        Some((place, folder)) if place != folder && place.starts_with(&folder) => {
            let lies = format!(
                "{} is inside the folder of the run; name a folder outside",
                output.display()
            );
            Err(Error::usage("output", lies))
        }
        _ => Ok(()),
    }
}

/// Refuses a run that does not depend on the least similarity, or that read standard input.
fn check_can_be_read_again(finished: &Finished, changes: &Changes) -> Result<(), Error> {
    let path = finished.folder.clone();
    if changes.min_similarity.is_some() && finished.config.search.max_distance == MaxDistance::Off {
        let max_distance = Setting::with("max-distance", "off");
        let problem =
            message!["was made with ", max_distance, ", so it has no similarity bound to change"];
        return Err(Error::Incompatible { path, problem });
    }
    if finished.inputs.iter().chain(&finished.against).any(|label| label == STANDARD_INPUT) {
        let problem = message![
            "was made from standard input, which cannot be read again; run ",
            Verb::Dedup,
            " again with the new bound"
        ];
        return Err(Error::Incompatible { path, problem });
    }
    Ok(())
}
