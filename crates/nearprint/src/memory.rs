//! The memory that a run may take, and the memory that the process has.
//!
//! The beginning of a large list stays in memory, and the rest is on disk. With a bound, tables of
//! the join that do not fit are searched in parts. A run whose process exceeds the bound
//! nevertheless, because of the numbers that it must keep for each document, ends with
//! [`Error::OverMemory`]. The memory of the process is read from the system on Linux only;
//! elsewhere there is no such check.
//!
//! Without a bound in the settings, the limit of the container is one, if there is a limit: the
//! kernel would end the process at the limit without a message. A quarter of it is left for memory
//! that the check does not see: between two checks, in other processes of the container, and in the
//! system's buffers of files. A limit of the address space (`ulimit -v`) bounds the tables of the
//! join alone, since a process has addresses that it never uses.

mod container;

use crate::error::Error;
use crate::size::Size;

/// The memory that is left free beside a large table, for buffers.
const SLACK: u64 = 32 << 20;

/// The bytes of a list, of texts or of terms, that stay in memory: those of about 90,000 articles.
const HELD: u64 = 192 << 20;

/// Lists may hold 1 / `HELD_SHARE` of the memory that a run may take.
const HELD_SHARE: u64 = 64;

/// The memory that other threads may take until the next check: the next documents are read, and
/// others prepared.
const MEANWHILE: u64 = 8 << 20;

/// The most quarters of its container's memory that a run takes.
const CONTAINER_QUARTERS: u64 = 3;

/// The most memory that a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryBound {
    /// The bound; `None` without a bound.
    most: Option<Size>,
    /// The limit of the container, if the bound comes from it.
    container: Option<Size>,
}

impl MemoryBound {
    /// The bound in the settings, else the bound of the container.
    pub fn new(given: Option<Size>) -> MemoryBound {
        match given {
            Some(most) => MemoryBound { most: Some(most), container: None },
            None => MemoryBound::of_container(container::limit()),
        }
    }

    fn of_container(limit: Option<u64>) -> MemoryBound {
        let whole_megabytes = |bytes: u64| Size(bytes >> 20 << 20);
        let most = limit.map(|limit| whole_megabytes(limit / 4 * CONTAINER_QUARTERS));
        MemoryBound { most, container: limit.map(whole_megabytes) }
    }

    /// The bound and the limit of the container, if the bound comes from it.
    pub fn container_bound(self) -> Option<(Size, Size)> {
        self.most.zip(self.container)
    }

    /// Ends a run whose process would exceed the bound after this number of documents, before the
    /// next ones are taken.
    ///
    /// # Errors
    /// [`Error::OverMemory`].
    pub fn check(self, documents: usize) -> Result<(), Error> {
        self.check_more(documents, 0)
    }

    /// Ends a run that would exceed the bound with this number of additional bytes, before they are
    /// taken.
    ///
    /// # Errors
    /// [`Error::OverMemory`].
    pub fn check_more(self, documents: usize, more: u64) -> Result<(), Error> {
        let Some(most) = self.most else { return Ok(()) };
        let more = more.saturating_add(MEANWHILE);
        match resident_bytes().map(|bytes| bytes.saturating_add(more)) {
            Some(bytes) if bytes > most.0 => Err(Error::OverMemory {
                documents: documents as u64,
                bytes,
                most,
                container: self.container,
                for_index: false,
            }),
            _ => Ok(()),
        }
    }

    /// The bytes that a large table may take.
    pub fn left(self) -> u64 {
        let bound = match self.most {
            None => u64::MAX,
            Some(most) => most.0.saturating_sub(resident_bytes().unwrap_or(most.0 / 2) + SLACK),
        };
        addresses_left().map_or(bound, |addresses| bound.min(addresses.saturating_sub(SLACK)))
    }

    /// The number of bytes of a list that stay in memory.
    pub fn held(self) -> usize {
        self.most.map_or(HELD, |most| HELD.min(most.0 / HELD_SHARE)) as usize
    }

    /// The bound; the largest number without one.
    pub fn most(self) -> u64 {
        self.most.map_or(u64::MAX, |bound| bound.0)
    }
}

/// The resident set of this process, if the system reports it (Linux).
fn resident_bytes() -> Option<u64> {
    status("VmRSS:")
}

/// The largest resident set of this process so far.
pub fn peak_memory_bytes() -> Option<u64> {
    status("VmHWM:")
}

/// The number of addresses that the process may still take, if there is a limit.
fn addresses_left() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(most.saturating_sub(status("VmSize:")?))
}

fn status(name: &str) -> Option<u64> {
    kilobytes(&std::fs::read_to_string("/proc/self/status").ok()?, name)
}

/// The bytes of the entry with this name in one of the system's lists of kilobytes.
fn kilobytes(list: &str, name: &str) -> Option<u64> {
    let line = list.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_quarters_of_a_container_are_for_the_run() {
        let bound = MemoryBound::of_container(Some((2 << 30) + 5));
        assert_eq!(bound.container_bound(), Some((Size(1536 << 20), Size(2 << 30))));
        assert_eq!((bound.held(), bound.most()), (24 << 20, 1536 << 20));
        assert_eq!(MemoryBound::of_container(None), MemoryBound::default());
        assert_eq!(MemoryBound::new(Some(Size(1))).container_bound(), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_beyond_its_bound_is_told_in_the_units_of_the_bound() {
        let bound = MemoryBound { most: Some(Size(1 << 20)), container: None };
        let says = |bound: MemoryBound, documents| bound.check(documents).unwrap_err().to_string();
        let given = says(bound, 12);
        assert!(
            given.starts_with("memory: 12 documents need ")
                && given.contains("M, more than the limit of 1M;"),
            "{given}"
        );
        let container = says(MemoryBound { container: Some(Size(2 << 20)), ..bound }, 0);
        assert!(
            container.contains(
                "before the first document, more than the limit of 1M of the container's 2M;"
            ),
            "{container}"
        );
        assert_eq!(bound.left(), 0);
        assert!(MemoryBound::default().check(1).is_ok());
    }
}
