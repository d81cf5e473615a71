//! The documents of a run in memory.

use super::{Deduplicator, Run};
use crate::config::Config;
use crate::error::Error;
use crate::outcome::Removal;
use crate::read::Source;
use crate::watch::Silent;

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
    pub(super) sources: Vec<Source>,
    pub(super) against: Vec<Source>,
    pub(super) pairs: bool,
}

impl Documents {
    /// The documents of sources: files, texts, tables in memory.
    pub fn new(sources: Vec<Source>) -> Documents {
        Documents { sources, ..Documents::default() }
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
        Documents { against: reference.sources, ..self }
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
