//! The output folder that a user asks for.

use std::path::PathBuf;

use super::{ReportOptions, checkpoint};
use crate::config::Config;

/// The files that a run writes, and the folder they go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The folder.
    pub folder: PathBuf,
    /// Whether a folder that holds something is replaced.
    pub force: bool,
    /// Whether `pairs.jsonl` is written.
    pub pairs: bool,
    /// Whether all rows are written, with `duplicate_of` and `cluster` added, instead of the kept
    /// ones.
    pub annotate: bool,
    /// Whether only the reports are written.
    pub dry_run: bool,
    /// Characters of the first passages in which a removed document and its keeper differ, at most,
    /// that `removed.jsonl` shows; 0 for none.
    pub show_text: usize,
    /// Whether an unfinished run with the same settings, input and output goes on after its last
    /// finished stage.
    pub resume: bool,
    /// Whether `report.html` is written, and what it shows.
    pub report: Option<ReportOptions>,
    /// Files beside the input that must not be replaced, such as the one that the settings come
    /// from.
    pub spare: Vec<PathBuf>,
}

impl Output {
    /// The kept files and the reports, in a new folder.
    pub fn new(folder: impl Into<PathBuf>) -> Output {
        Output {
            folder: folder.into(),
            force: false,
            pairs: false,
            annotate: false,
            dry_run: false,
            show_text: 0,
            resume: false,
            report: None,
            spare: vec![],
        }
    }

    /// The folder that an unfinished run with this output has left, if it can go on with `resume`.
    pub fn unfinished(&self, config: &Config) -> Option<PathBuf> {
        let folder = checkpoint::folder_of(&self.folder, config.run.tmp_dir.as_deref()).ok()?;
        checkpoint::holds_a_stage(&folder).then_some(folder)
    }
}
