//! The place of the large lists of a corpus: the first part in memory, the rest in files.

use std::path::Path;

use bytemuck::Pod;

use crate::error::Error;
use crate::memory::MemoryBound;
use crate::spill::Spill;

/// The place of the large lists of a corpus.
#[derive(Debug, Clone, Copy)]
pub struct Storage<'a> {
    /// The folder for files without a name.
    pub tmp_dir: &'a Path,
    /// The folder in which lists have names, so that a later run can open them again; `None` for a
    /// run that cannot be resumed.
    pub named_in: Option<&'a Path>,
    /// The memory that the run may take.
    pub memory: MemoryBound,
}

impl Storage<'_> {
    /// The folder of all files.
    pub(super) fn folder(&self) -> &Path {
        self.named_in.unwrap_or(self.tmp_dir)
    }

    /// A list. It has a name if lists have names, and its beginning stays in memory.
    pub(super) fn spill<N: Pod>(&self, name: &str) -> Result<Spill<N>, Error> {
        let spill = match self.named_in {
            Some(folder) => Spill::create(&folder.join(name)),
            None => Spill::new(self.tmp_dir),
        };
        Ok(spill?.holding(self.memory.held()))
    }
}
