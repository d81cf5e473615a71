//! Work on an index that may panic -> its result, or an error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use nearprint::index::Index;
use nearprint::{Error, Watch};

/// Asks work to stop when its time is over.
pub(crate) struct Until(Instant);

impl Until {
    /// Stops work when this time has passed.
    pub fn after(time: Duration) -> Until {
        Until(Instant::now() + time)
    }
}

impl Watch for Until {
    fn stopped(&self) -> bool {
        Instant::now() >= self.0
    }
}

/// The result of some work. A panic is a fault of the program: this request fails, and the index is
/// opened anew, as after a crash. If that fails, the process ends, so that whoever started it sees
/// that it cannot go on.
pub(crate) fn attempt<T>(
    index: &mut Index,
    work: impl FnOnce(&mut Index) -> Result<T, Error>,
) -> Result<T, Error> {
    // What a panic leaves half-done in memory is dropped; the files change in transactions.
    if let Ok(result) = catch_unwind(AssertUnwindSafe(|| work(index))) {
        return result;
    }
    match Index::open(index.folder()) {
        Ok(anew) => *index = anew,
        Err(error) => {
            tracing::error!(error = %error, "the index cannot be opened after a panic");
            std::process::exit(1);
        }
    }
    let fault = std::io::Error::other("a panic, whose message is in the log; please report it");
    Err(Error::io("finish work on", index.folder())(fault))
}

#[cfg(test)]
mod tests {
    use nearprint::document::{Document, Id};
    use nearprint::index::IndexOptions;
    use nearprint::{Config, Silent};

    use super::*;

    #[test]
    fn after_a_panic_the_index_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seen");
        let mut index = Index::create(&path, &Config::default(), &IndexOptions::default()).unwrap();
        let document = |id| Document {
            row: 1,
            id: Id::Integer(id),
            text: "The ferry bell rings twice.".to_string(),
            fields: Vec::new(),
        };
        let failed = attempt(&mut index, |index| -> Result<(), Error> {
            index.add(vec![document(1)], false, &Silent)?;
            panic!("on purpose");
        });
        assert!(failed.unwrap_err().to_string().contains("a panic"));
        attempt(&mut index, |index| index.add(vec![document(2)], false, &Silent)).unwrap();
        assert_eq!(attempt(&mut index, |index| index.len()).unwrap(), 2);
    }
}
