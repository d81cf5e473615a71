//! The passages to find, and what becomes of them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::edited::KnownPassages;
use super::verdicts::Verdicts;
use crate::error::Error;

/// The action on the places of passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PassageAction {
    /// Places are listed, and no files are written.
    #[default]
    List,
    /// Each row gets a field `passages` with the places in its document.
    Annotate,
    /// A mark replaces each place that goes.
    Mask,
    /// Places that go are left out, with the white space that they would leave.
    Cut,
}

/// The copy of a passage that stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeepCopy {
    /// The first in the input.
    #[default]
    First,
    /// That in the document which the setting `keep` prefers.
    Best,
    /// No copy stays.
    None,
}

/// The passages to find, and what becomes of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PassageOptions {
    /// The least length of a passage in letters; wide characters count as two.
    pub min_length: u32,
    /// The least number of documents in which a passage stands. With 1, passages that are repeated
    /// in one document are found as well.
    pub min_documents: u32,
    /// The action.
    pub action: PassageAction,
    /// The copy that stays; without a choice the first one. No copy of an approved passage stays.
    pub keep_copy: Option<KeepCopy>,
    /// The largest share of its letters that a document may lose, 0 to 1. A document that would
    /// lose more stays as it is.
    pub max_lost: f64,
    /// The largest share of the letters of a passage that an edited copy may differ in, 0 to 0.06; 0
    /// for exact copies only.
    pub max_edits: f64,
    /// A file with a person's verdicts on passages ([`Verdicts`]). If it approves some, only these
    /// go, wherever they stand; those that it refuses stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<PathBuf>,
}

impl Default for PassageOptions {
    fn default() -> PassageOptions {
        PassageOptions {
            min_length: 100,
            min_documents: 2,
            action: PassageAction::List,
            keep_copy: None,
            max_lost: 0.5,
            max_edits: 0.05,
            approved: None,
        }
    }
}

/// The bounds of `min_length`: shorter runs of letters are common phrases, and longer windows take
/// memory for each document.
const LENGTHS: std::ops::RangeInclusive<u32> = 20..=10_000;

impl PassageOptions {
    /// Checks the options, and reads the verdicts of a person, if a file is named. Returns also the
    /// options with the copy that stays.
    ///
    /// # Errors
    /// As [`check`](Self::check) and [`Verdicts::read`]; [`Error::Usage`] if a copy of approved
    /// passages is to stay.
    pub fn verdicts(&self) -> Result<(PassageOptions, Verdicts), Error> {
        self.check()?;
        let verdicts = match &self.approved {
            Some(path) => Verdicts::read(path, "approved")?,
            None => Verdicts::default(),
        };
        let keep_copy = match (self.keep_copy, verdicts.right.is_empty()) {
            (Some(KeepCopy::First | KeepCopy::Best), false) => {
                let problem = "approved passages go wherever they stand, so no copy stays; leave \
                               this out";
                return Err(Error::usage("keep-copy", problem));
            }
            (chosen, true) => chosen.unwrap_or(KeepCopy::First),
            (_, false) => KeepCopy::None,
        };
        Ok((PassageOptions { keep_copy: Some(keep_copy), ..self.clone() }, verdicts))
    }

    /// Refuses numbers out of their range.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check(&self) -> Result<(), Error> {
        let problem = |setting: &str, problem: String| Err(Error::usage(setting, problem));
        if !LENGTHS.contains(&self.min_length) {
            let bounds = format!("{} to {}", LENGTHS.start(), LENGTHS.end());
            return problem("min-length", format!("{} is not in {bounds}", self.min_length));
        }
        if self.min_documents == 0 {
            return problem("min-documents", "0 documents have no passage; use 1 or more".into());
        }
        let most = KnownPassages::MOST_EDITS;
        if !(0.0..=most).contains(&self.max_edits) {
            return problem("max-edits", format!("{} is not in 0 to {most}", self.max_edits));
        }
        if !(0.0..=1.0).contains(&self.max_lost) {
            return problem("max-lost", format!("{} is not in 0 to 1", self.max_lost));
        }
        Ok(())
    }
}
