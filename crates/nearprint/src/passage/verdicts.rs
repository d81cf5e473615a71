//! A file of passages with a person's verdicts -> the passages that are approved and refused.
//!
//! The rows of `passage_texts.jsonl` with a column `verdict` will do: right for a passage that may
//! go, wrong for one that stays. Rows with the verdict `later`, or without one, do not count.

use std::path::Path;

use hashbrown::HashSet;
use nearprint_core::normalize::Normalizer;
use xxhash_rust::xxh3::xxh3_64;

use super::places::Letters;
use super::segments::segments;
use crate::error::{Error, Problem, Rejection};
use crate::message;
use crate::read::json::Value;
use crate::read::table::{self, Table};
use crate::read::{self, STANDARD_INPUT, content, values};
use crate::watch::Silent;

/// The most characters of a passage in a message.
pub(super) const SHOWN: usize = 40;

/// The columns that a file must have.
const COLUMNS: [&str; 2] = ["text", "verdict"];

/// The verdicts of a person on passages.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    /// XXH3-128 of the bytes of the file.
    pub hash: u128,
    /// The texts of the passages that may go.
    pub right: Vec<String>,
    /// The texts of the passages that stay.
    pub wrong: Vec<String>,
}

impl Verdicts {
    /// Reads a file: JSON Lines, CSV, TSV or Parquet. `setting` names it.
    ///
    /// # Errors
    /// [`Error::Usage`] for standard input, a file of plain text and a missing file, [`Error::Io`],
    /// [`Error::Incompatible`] for a file without these columns or without a verdict, and for a
    /// damaged row.
    pub fn read(path: &Path, setting: &'static str) -> Result<Verdicts, Error> {
        let name = path.display().to_string();
        if name == STANDARD_INPUT {
            let problem = "verdicts cannot come from standard input; save them to a file";
            return Err(Error::usage(setting, problem));
        }
        let source =
            read::find_table(&name, None, None, Path::new("."), &Silent).map_err(|error| {
                match error {
                    Error::Io { path, source, .. } => Error::setting(setting, path)(source),
                    error => error.of_setting(setting),
                }
            })?;
        let hash = content::hash_of(&source.path).map_err(Error::io("read", &source.path))?;
        let mut verdicts = Verdicts { hash, ..Verdicts::default() };
        // Every verdict counts, so no row is skipped.
        let unusable = |rejection: Rejection| Error::Incompatible {
            path: path.to_path_buf(),
            problem: rejection.message(),
        };
        let has_all =
            |names: &[String]| COLUMNS.iter().all(|column| names.iter().any(|own| own == column));
        let available = match table::columns(&source, has_all) {
            Err(Rejection { problem: Problem::EmptyFile, .. }) => {
                return Err(without_verdict(path));
            }
            available => available.map_err(unusable)?,
        };
        if !has_all(&available) {
            let problem = message![format!(
                "has no verdicts on passages, which need the columns text and verdict; there are: \
                 {}; give rows of passage_texts.jsonl the verdict right or wrong",
                available.iter().take(30).cloned().collect::<Vec<_>>().join(", ")
            )];
            return Err(Error::Incompatible { path: path.to_path_buf(), problem });
        }
        let wanted = COLUMNS.map(str::to_string);
        let mut table = Table::open(&source, &wanted).map_err(unusable)?;
        while let Some(row) = table.next(|_, values| {
            let [text, verdict] = [0, 1].map(|column| values[column].as_ref());
            let Some(right) = values::judgment(verdict, "verdict")? else { return Ok(None) };
            match text {
                Some(Value::Text(text)) => Ok(Some((text.to_string(), right))),
                other => Err(values::wrong("text", "a text", other)),
            }
        }) {
            match row.map_err(unusable)? {
                Some((text, true)) if verdicts.right.contains(&text) => {}
                Some((text, true)) => verdicts.right.push(text),
                Some((text, false)) => verdicts.wrong.push(text),
                None => {}
            }
        }
        if verdicts.right.is_empty() && verdicts.wrong.is_empty() {
            return Err(without_verdict(path));
        }
        if let Some(both) = verdicts.right.iter().find(|text| verdicts.wrong.contains(text)) {
            let shown: String = both.chars().take(SHOWN).collect();
            let problem =
                format!("gives \"{shown}\" both verdicts, right and wrong; keep one of them");
            return Err(Error::Incompatible { path: path.to_path_buf(), problem: problem.into() });
        }
        Ok(verdicts)
    }

    /// The sentences of the refused passages.
    pub fn refused(&self, normalizer: &Normalizer) -> HashSet<u64> {
        self.wrong.iter().flat_map(|text| sentences(text, normalizer)).collect()
    }
}

fn without_verdict(path: &Path) -> Error {
    let problem = message!["has no row with the verdict right or wrong"];
    Error::Incompatible { path: path.to_path_buf(), problem }
}

/// The hashes of the sentences of a text.
pub fn sentences(text: &str, normalizer: &Normalizer) -> Vec<u64> {
    let mut all = Vec::new();
    segments(text, &mut all);
    let letters = all.into_iter().map(|part| Letters::new(&text[part], normalizer).letters);
    letters.filter(|own| !own.is_empty()).map(|own| xxh3_64(own.as_bytes())).collect()
}
