//! A page of an SQLite log -> whether it is the page that was written there.
//!
//! A log is a head and frames. A frame is a head and a page. The checksums in the head of a frame
//! continue those of the head before, over the first eight bytes of their own head and over the
//! page. SQLite checks them after a crash. Within a transaction it may write a page again, and the
//! heads from there on only at the end of the transaction. Until then the connection that writes
//! does not check these pages.
//!
//! Source: <https://sqlite.org/fileformat2.html>, sections 4.1 and 4.2.

/// The bytes of a page.
pub const PAGE: usize = 4096;

/// The bytes of the head of a log, and of the head of a frame.
const LOG_HEAD: i64 = 32;
const FRAME_HEAD: i64 = 24;

/// The state of a log that one connection writes.
#[derive(Debug)]
pub struct Log {
    /// The offset after the head of a frame, if it was written last; else 0.
    head_end: i64,
    /// From this offset on pages may be newer than the heads of their frames. A transaction that is
    /// rolled back leaves the offset until a head before it is written.
    stale: i64,
}

impl Default for Log {
    fn default() -> Log {
        Log { head_end: 0, stale: i64::MAX }
    }
}

impl Log {
    /// Follows a write of `amount` bytes at an offset.
    pub fn written(&mut self, amount: usize, offset: i64) {
        if amount == FRAME_HEAD as usize {
            self.head_end = offset + FRAME_HEAD;
            // Heads are written in order, so all later heads are up to date.
            if self.head_end <= self.stale {
                self.stale = i64::MAX;
            }
        } else if amount == PAGE {
            if self.head_end != offset {
                self.stale = self.stale.min(offset);
            }
            self.head_end = 0;
        }
    }

    /// Returns true if a read of `amount` bytes at an offset is a page whose head is up to date.
    pub fn compares(&self, amount: usize, offset: i64) -> bool {
        let is_page = (offset - LOG_HEAD) % (FRAME_HEAD + PAGE as i64) == FRAME_HEAD;
        amount == PAGE && is_page && offset < self.stale
    }
}

/// The checksums of a log, continued over these bytes.
fn sums(before: [u32; 2], bytes: &[u8], is_big_endian: bool) -> [u32; 2] {
    let word = |bytes: [u8; 4]| {
        if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    bytes.as_chunks::<4>().0.as_chunks::<2>().0.iter().fold(
        before,
        |[first, second], [one, other]| {
            let first = first.wrapping_add(word(*one)).wrapping_add(second);
            [first, second.wrapping_add(word(*other)).wrapping_add(first)]
        },
    )
}

/// The checksums at the end of a head.
fn sums_of(head: &[u8]) -> Option<[u32; 2]> {
    let (rest, second) = head.split_last_chunk::<4>()?;
    Some([u32::from_be_bytes(*rest.last_chunk::<4>()?), u32::from_be_bytes(*second)])
}

/// Returns true if a page at an offset of the log is the page that was written there: the checksums
/// of its frame continue those of the frame before. `None` if the log cannot be read. `head` reads
/// bytes of the log at an offset, and returns true if it succeeds.
pub fn is_of_frame(
    page: &[u8],
    offset: i64,
    head: impl Fn(i64, &mut [u8]) -> bool,
) -> Option<bool> {
    let (mut log, mut own, mut before) =
        ([0; LOG_HEAD as usize], [0; FRAME_HEAD as usize], [0; FRAME_HEAD as usize]);
    if !head(0, &mut log) || !head(offset - FRAME_HEAD, &mut own) {
        return None;
    }
    let is_first = offset == LOG_HEAD + FRAME_HEAD;
    if !is_first && !head(offset - 2 * FRAME_HEAD - PAGE as i64, &mut before) {
        return None;
    }
    let is_big_endian = log[3] & 1 == 1;
    let sums_before = if is_first { sums_of(&log) } else { sums_of(&before) }?;
    let found = sums(sums(sums_before, &own[..8], is_big_endian), page, is_big_endian);
    Some(own[8..16] == log[16..24] && sums_of(&own) == Some(found))
}
