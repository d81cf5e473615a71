//! The output folder that a user asks for.

use std::path::PathBuf;

use super::{ReportOptions, checkpoint};
use crate::config::Config;
use crate::message::Message;

/// The files that a run writes, and the folder they go to.
#[derive(Debug, Clone)]
pub struct Output {
    /// The folder.
    pub folder: PathBuf,
    /// True to replace a folder that is not empty.
    pub force: bool,
    /// True to write `pairs.jsonl`.
    pub pairs: bool,
    /// True to write all rows with `duplicate_of` and `cluster`, instead of the kept rows.
    pub annotate: bool,
    /// True to write the reports alone.
    pub dry_run: bool,
    /// The largest number of characters that `removed.jsonl` shows of the first passages in which a
    /// removed document and its keeper differ; 0 for none.
    pub show_text: usize,
    /// An unfinished run with the same settings, input and output goes on after its last finished
    /// stage. True makes it an error if the unfinished run had others; else that run is discarded.
    pub resume: bool,
    /// The contents of `report.html`; `None` to write no such report.
    pub report: Option<ReportOptions>,
    /// Files beside the input that must not be replaced, such as the file of the settings.
    pub spare: Vec<PathBuf>,
    /// The spelling of settings in the messages of `rejected.jsonl`; by default as in TOML.
    pub spelled: fn(&Message) -> String,
}

impl Output {
    /// The kept files and the reports, in a new or empty folder.
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
            spelled: Message::to_string,
        }
    }

    /// The folder of an unfinished run with this output, if it can go on.
    pub fn unfinished(&self, config: &Config) -> Option<PathBuf> {
        let folder = checkpoint::folder_of(&self.folder, config.run.tmp_dir.as_deref()).ok()?;
        checkpoint::holds_a_stage(&folder).then_some(folder)
    }
}
