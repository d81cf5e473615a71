//! Documents of files -> added to an index, with an answer for each or the number of each outcome.

use std::io::{BufWriter, ErrorKind};

use nearprint::document::Id;
use nearprint::index::{Added, Adding, Index, IndexMatch, Mode, Outcome};
use nearprint::read::Source;
use nearprint::{Deduplicator, Error};
use serde::Serialize;

use super::super::{counted, tell_rejections};
use super::{flush, line};
use crate::progress::Progress;

/// Adds documents, and prints an answer for each or the number of each outcome.
pub fn add(
    index: &mut Index,
    reader: &Deduplicator,
    sources: &[Source],
    adding: &Adding,
    quiet: bool,
    progress: &Progress,
    outcomes: &mut Outcomes,
) -> Result<u8, Error> {
    let mut out = BufWriter::new(std::io::stdout());
    let rejections = reader.add(index, sources, adding, progress, |added| {
        for Added { id, outcome, duplicates, .. } in &added {
            outcomes.count(*outcome);
            if adding.mode != Mode::All {
                let duplicate = duplicates.matches.first();
                let new = matches!(outcome, Outcome::New | Outcome::Replaced);
                line(&mut out, &Offered { id, new, outcome: outcome.name(), duplicate })?;
            }
        }
        // Printed answers are on disk.
        flush(&mut out)
    });
    drop(out);
    if matches!(rejections, Ok(_) | Err(Error::TooManyRejected { .. })) {
        progress.finish();
    }
    let rejections = rejections?;
    if !quiet {
        crate::tell(&format!(
            "{}: {}; {} in all",
            index.folder().display(),
            outcomes.in_words(),
            counted(index.len()?, "document", "documents")
        ));
    }
    Ok(tell_rejections(&rejections))
}

/// Prints the error of an addition, and the number of rows that were added before it. Returns the
/// exit code.
///
/// # Errors
/// The error itself, if the user or a reader of the answers has ended the verb.
pub fn tell_stopped(error: Error, index: &Index, outcomes: &Outcomes) -> Result<u8, Error> {
    let before = match &error {
        Error::Interrupted => return Err(error),
        Error::Io { source, .. } if source.kind() == ErrorKind::BrokenPipe => return Err(error),
        Error::TooManyRejected { .. } => "the other documents are in the index".to_string(),
        _ => {
            let done = match outcomes.all() {
                0 => "nothing was added".to_string(),
                all => {
                    let rows = counted(all, "row before the error is", "rows before the error are");
                    format!("{rows} done: {}", outcomes.in_words())
                }
            };
            match index.len() {
                Ok(count) => format!("{done}; {} in all", counted(count, "document", "documents")),
                // The index itself is at fault.
                Err(_) => done,
            }
        }
    };
    let code = crate::tell_failure(&error);
    crate::tell(&format!("nearprint: {before}"));
    Ok(code)
}

/// The number of documents with each outcome.
#[derive(Default)]
pub struct Outcomes {
    new: u64,
    replaced: u64,
    unchanged: u64,
    duplicates: u64,
    expired: u64,
}

impl Outcomes {
    fn count(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::New => &mut self.new,
            Outcome::Replaced => &mut self.replaced,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::Duplicate => &mut self.duplicates,
            Outcome::Expired => &mut self.expired,
        };
        *count += 1;
    }

    /// The number of all documents.
    fn all(&self) -> u64 {
        self.new + self.replaced + self.unchanged + self.duplicates + self.expired
    }

    fn in_words(&self) -> String {
        let left_out = match self.duplicates {
            1 => "duplicate left out",
            _ => "duplicates left out",
        };
        let mut parts = vec![format!("{} new", self.new)];
        for (count, name) in [
            (self.replaced, "replaced"),
            (self.unchanged, "unchanged"),
            (self.duplicates, left_out),
            (self.expired, "expired"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {name}"));
            }
        }
        parts.join(", ")
    }
}

/// The answer to a row that `add --if-new` reads.
#[derive(Serialize)]
struct Offered<'a> {
    id: &'a Id,
    new: bool,
    outcome: &'static str,
    duplicate: Option<&'a IndexMatch>,
}
