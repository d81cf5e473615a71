//! The fingerprints of a run <-> a file in its output folder.

use std::path::Path;

use nearprint_core::recipe::Recipe;

use super::Deduplicator;
use crate::config::MaxDistance;
use crate::corpus::{Corpus, FINGERPRINTS, FINGERPRINTS_FORMAT, Known};
use crate::error::Error;
use crate::message;
use crate::message::Verb;
use crate::read::{STANDARD_INPUT, Source};
use crate::watch::Watch;
use crate::{sealed, search};

impl Deduplicator {
    /// Saves the fingerprints of a run that searched, with true for each document in a family.
    /// Returns the number of bytes.
    pub(super) fn save_fingerprints(
        &self,
        corpus: &Corpus,
        families: &[bool],
        passed_over: u64,
        folder: &Path,
        watch: &dyn Watch,
    ) -> Result<u64, Error> {
        // An index stays, too.
        let can_be_read_again = |source: &Source| match source.rows_in_memory() {
            None => source.label != STANDARD_INPUT,
            Some(_) => source.searched().is_some(),
        };
        if self.config.search.max_distance == MaxDistance::Off
            || !corpus.origins.sources.iter().all(can_be_read_again)
        {
            return Ok(0);
        }
        let known = self.known_of(corpus, families, passed_over, watch)?;
        let path = folder.join(FINGERPRINTS);
        sealed::save(&path, FINGERPRINTS_FORMAT, &known)?;
        Ok(path.metadata().map_err(Error::io("read", &path))?.len())
    }

    /// The fingerprints of a run, for another run over the same documents.
    pub(super) fn known_of(
        &self,
        corpus: &Corpus,
        families: &[bool],
        passed_over: u64,
        watch: &dyn Watch,
    ) -> Result<Known, Error> {
        if let Some(fingerprints) = corpus.fingerprints() {
            return Ok(Known::new(corpus, fingerprints, families, passed_over));
        }
        let all: Vec<u32> = (0..corpus.len() as u32).collect();
        let fingerprints = search::fingerprints(corpus, &self.recipe, &all, watch)?;
        Ok(Known::new(corpus, &fingerprints, families, passed_over))
    }
}

/// Loads the fingerprints of an output folder. Refuses fingerprints of another recipe.
pub(super) fn load(folder: &Path, recipe: &Recipe) -> Result<Known, Error> {
    let path = folder.join(FINGERPRINTS);
    let Some(known) = sealed::load::<Known>(&path, FINGERPRINTS_FORMAT)? else {
        let problem = message!["is missing or damaged; run ", Verb::Dedup, " again"];
        return Err(Error::Incompatible { path, problem });
    };
    if known.recipe != recipe.identity() {
        let problem = message![
            "was made by another version, or with other files of settings; run ",
            Verb::Dedup,
            " again"
        ];
        return Err(Error::Incompatible { path, problem });
    }
    Ok(known)
}

/// The error of a file that has changed since the run.
pub(super) fn changed(label: &str) -> Error {
    let problem = message!["has changed since the run; run ", Verb::Dedup, " again"];
    Error::Incompatible { path: label.into(), problem }
}
