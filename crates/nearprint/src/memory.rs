//! The memory that a run may take, and the memory that the process has.
//!
//! Large lists go to disk in any case, or when they exceed some megabytes. With a bound, tables of the join that do not fit
//! are searched in parts, and the recall is measured on a smaller sample. A run whose process exceeds the bound all the
//! same, because of the numbers that it must keep for each document, ends with [`Error::OverMemory`]. The memory of the
//! process is read from the system on Linux only; elsewhere there is no such check.

use crate::error::Error;
use crate::size::Size;

/// Memory that is left free beside a large table, for buffers.
const SLACK: u64 = 32 << 20;

/// The bytes of terms, and of letters and digits, that stay in memory in a run without checkpoints: 20,000 articles or so
/// need no disk.
const HELD: u64 = 64 << 20;

/// Lists may hold 1 / `HELD_SHARE` of the bytes that a run may take.
const HELD_SHARE: u64 = 16;

/// The most memory that a run may take; none for as much as it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryBound(pub Option<Size>);

impl MemoryBound {
    /// Ends a run that has more memory than it may, after this number of documents.
    ///
    /// # Errors
    /// [`Error::OverMemory`].
    pub fn check(self, documents: usize) -> Result<(), Error> {
        match (self.0, resident_bytes()) {
            (Some(most), Some(bytes)) if bytes > most.0 => {
                Err(Error::OverMemory { documents: documents as u64, bytes, most })
            }
            _ => Ok(()),
        }
    }

    /// The bytes that a large table may take.
    pub fn left(self) -> u64 {
        match self.0 {
            None => u64::MAX,
            Some(most) => most.0.saturating_sub(resident_bytes().unwrap_or(most.0 / 2) + SLACK),
        }
    }

    /// The bytes of a list that stay in memory before they go to disk.
    pub fn held(self) -> usize {
        self.0.map_or(HELD, |most| HELD.min(most.0 / HELD_SHARE)) as usize
    }

    /// A part of the bound, one in `parts`, where there is one, and no more than `most`.
    pub fn part(self, parts: u64, most: u64) -> u64 {
        self.0.map_or(most, |bound| most.min(bound.0 / parts))
    }
}

/// The resident set of this process, where the system tells (Linux).
fn resident_bytes() -> Option<u64> {
    status("VmRSS:")
}

/// The largest that it ever was.
pub fn peak_memory_bytes() -> Option<u64> {
    status("VmHWM:")
}

fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
