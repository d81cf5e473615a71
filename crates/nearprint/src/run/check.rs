//! Input files -> their problems, without deduplicating.

use super::Deduplicator;
use super::against::{check_standard_input, find_against};
use crate::corpus::Checked;
use crate::error::Error;
use crate::read::{self, Found};
use crate::watch::Watch;

impl Deduplicator {
    /// Reads all input and the reference documents, and lists the problems that a run would have.
    /// Problems are grouped by kind. At most `most` kinds are listed, and others are counted.
    /// Nothing is written.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("poems.jsonl");
    /// std::fs::write(&input, "{\"text\":\"春眠不觉晓\"}\n{\"text\":null}\n床前明月光\n{\"text\":null}\n")?;
    /// let inputs = [input.display().to_string()];
    /// let checked = Deduplicator::new(Config::default())?.check(&[], &inputs, 1, &Silent)?;
    /// assert_eq!((checked.documents, checked.problems()), (1, 3));
    /// assert_eq!((checked.kinds[0].first.row, checked.kinds[0].places[0].1, checked.more), (Some(2), Some(4), 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] and [`Error::Io`] for inputs that name no files, or a file twice;
    /// [`Error::TooManyDocuments`]; [`Error::Interrupted`].
    pub fn check(
        &self,
        against: &[String],
        inputs: &[String],
        most: usize,
        watch: &dyn Watch,
    ) -> Result<Checked, Error> {
        self.check_about_against(!against.is_empty())?;
        check_standard_input(inputs.iter().chain(against).map(String::as_str))?;
        let spool = self.spool()?;
        let found = read::find_all(inputs, &self.options, spool.path(), watch)?;
        let against =
            find_against(&self.config, &self.options, against, &found, spool.path(), watch)?;
        let Found { sources, passed_over, some_passed_over, .. } = found;
        let mut checked =
            self.threads.install(|| self.reading(against, sources, None).check(most, watch))?;
        checked.passed_over = passed_over;
        checked.some_passed_over = some_passed_over.into_iter().collect();
        Ok(checked)
    }
}
