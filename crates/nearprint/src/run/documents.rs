//! The documents of a run in memory.

use super::against::find_against;
use super::{Deduplicator, Run};
use crate::config::Config;
use crate::error::Error;
use crate::outcome::Removal;
use crate::read::{self, Found, Input, STANDARD_INPUT, Source};
use crate::watch::{Silent, Watch};

/// The documents of a run, and its reference documents, if it has some.
///
/// ```
/// use nearprint::{Config, Deduplicator, Documents, Silent};
/// let test = Documents::texts(["床前明月光"]);
/// let documents = Documents::texts(["春眠不觉晓", "床前明月光"]).against(test);
/// let run = Deduplicator::new(Config::default())?.run(documents, &Silent)?;
/// // Of three documents the first one is the reference document.
/// assert_eq!(run.kept().collect::<Vec<_>>(), [1]);
/// # Ok::<(), nearprint::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Documents {
    pub(super) inputs: Vec<Input>,
    pub(super) against: Vec<Input>,
    pub(super) pairs: bool,
}

impl Documents {
    /// The documents of sources: files, texts, tables in memory.
    pub fn new(sources: Vec<Source>) -> Documents {
        let inputs = sources.into_iter().map(Input::Found).collect();
        Documents { inputs, ..Documents::default() }
    }

    /// The documents of files, folders and globs; as reference documents also those of an index, by
    /// its folder.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Documents, Silent};
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("诗.jsonl"), "{\"text\":\"春眠不觉晓\"}\n{\"text\":\"春眠不覺曉\"}\n")?;
    /// let documents = Documents::files([folder.path().join("*.jsonl").display().to_string()]);
    /// let run = Deduplicator::new(Config::default())?.run(documents, &Silent)?;
    /// assert_eq!(run.summary.counts.kept, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn files(names: impl IntoIterator<Item = String>) -> Documents {
        let inputs = names.into_iter().map(Input::Named).collect();
        Documents { inputs, ..Documents::default() }
    }

    /// Texts in memory. The first one is document 0.
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Documents {
        let texts = texts.into_iter().map(Into::into).collect();
        Documents::new(vec![Source::texts("texts", texts)])
    }

    /// Compares the documents with reference documents, and not with each other. Reference
    /// documents are never removed. They have the first numbers.
    #[must_use]
    pub fn against(self, reference: Documents) -> Documents {
        Documents { against: reference.inputs, ..self }
    }

    /// With true, all duplicate pairs are listed. By default, only pairs that may remove a document
    /// are compared.
    #[must_use]
    pub fn with_pairs(self, pairs: bool) -> Documents {
        Documents { pairs, ..self }
    }
}

impl Run {
    /// The numbers of the documents that stay, in order, without the reference documents.
    pub fn kept(&self) -> impl Iterator<Item = u32> + '_ {
        let removed = &self.decisions.removals;
        let all = self.corpus.origins.against() as u32..self.corpus.len() as u32;
        all.filter(move |own| removed.binary_search_by_key(own, |r| r.document).is_err())
    }

    /// The removed documents in order, each with its keeper and the reason.
    pub fn removed(&self) -> &[Removal] {
        &self.decisions.removals
    }
}

/// The names of inputs that are files.
pub(super) fn names(inputs: &[Input]) -> Vec<String> {
    let name = |input: &Input| match input {
        Input::Named(name) => Some(name.clone()),
        Input::Found(_) => None,
    };
    inputs.iter().filter_map(name).collect()
}

/// The inputs in memory.
fn found(inputs: Vec<Input>) -> Vec<Source> {
    let source = |input| match input {
        Input::Found(source) => Some(source),
        Input::Named(_) => None,
    };
    inputs.into_iter().filter_map(source).collect()
}

impl Deduplicator {
    /// Finds the sources of documents: the files of each folder and glob, in order, before the
    /// sources in memory.
    ///
    /// # Errors
    /// As [`find_files`](Self::find_files); [`Error::Usage`] also for standard input.
    pub fn sources(&self, documents: Documents, watch: &dyn Watch) -> Result<Vec<Source>, Error> {
        Ok(self.find_sources(documents.inputs, Vec::new(), watch)?.0.sources)
    }

    /// Finds the inputs, and the sources of reference documents.
    pub(super) fn find_sources(
        &self,
        inputs: Vec<Input>,
        against: Vec<Input>,
        watch: &dyn Watch,
    ) -> Result<(Found, Vec<Source>), Error> {
        let (names, others) = (names(&inputs), names(&against));
        if names.iter().chain(&others).any(|name| name == STANDARD_INPUT) {
            let problem = "standard input (-) can be read only once; save it to a file";
            return Err(Error::usage("input", problem));
        }
        let mut all = match names.is_empty() {
            true => Found::default(),
            false => read::find_all(&names, &self.options, &self.tmp_dir, watch)?,
        };
        #[cfg(feature = "index")]
        if let Some(index) = self.index_among(&others)? {
            all.warn_of_idle_patterns(watch);
            all.sources.extend(found(inputs));
            let near = self.find_in_index(&index, &all.sources, watch)?;
            return Ok((all, near));
        }
        let mut of_against =
            find_against(&self.config, &self.options, &others, &all, &self.tmp_dir, watch)?;
        all.sources.extend(found(inputs));
        of_against.extend(found(against));
        Ok((all, of_against))
    }
}

/// Deduplicates texts in memory under the default settings.
///
/// ```
/// let run = nearprint::dedup(["春眠不觉晓", "床前明月光", "春眠不覺曉"])?;
/// assert_eq!(run.kept().collect::<Vec<_>>(), [0, 1]);
/// assert_eq!((run.removed()[0].document, run.removed()[0].keeper), (2, 0));
/// # Ok::<(), nearprint::Error>(())
/// ```
///
/// # Errors
/// As [`Deduplicator::run`].
pub fn dedup<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Result<Run, Error> {
    Deduplicator::new(Config::default())?.run(Documents::texts(texts), &Silent)
}
