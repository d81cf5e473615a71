//! How much memory a run may take, and what it has.
//!
//! Texts, terms and pairs are on disk in any case. What a bound changes: tables of the join that would not fit are searched
//! in parts, the recall is measured with less of its sample, and a run that would go beyond the bound all the same, because
//! of what it must know of each document, ends and says so. What the process has is asked of the system (Linux); elsewhere
//! only the former two hold.

use super::Pipeline;
use crate::error::Error;

/// What is left free for what comes and goes beside a large table.
const SLACK: u64 = 32 << 20;

impl Pipeline {
    /// Ends a run that has more memory than it may.
    pub(super) fn check_memory(&self, documents: usize) -> Result<(), Error> {
        match (self.config.memory, resident_bytes()) {
            (Some(most), Some(bytes)) if bytes > most.0 => {
                Err(Error::OverMemory { documents: documents as u64, bytes, most })
            }
            _ => Ok(()),
        }
    }

    /// What a large table may take, in bytes.
    pub(super) fn memory_left(&self) -> u64 {
        match self.config.memory {
            None => u64::MAX,
            Some(most) => most.0.saturating_sub(resident_bytes().unwrap_or(most.0 / 2) + SLACK),
        }
    }
}

/// The resident set of this process, where the system tells (Linux).
fn resident_bytes() -> Option<u64> {
    status("VmRSS:")
}

/// The largest that it ever was.
pub(super) fn peak_memory_bytes() -> Option<u64> {
    status("VmHWM:")
}

fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
