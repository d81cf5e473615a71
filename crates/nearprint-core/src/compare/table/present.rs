//! The answer of a table for another text: which of its windows may stand in the table's text, and
//! how many of its letters lie in none.

/// The windows of a text that a table may have, by their first bytes.
#[derive(Debug, Default)]
pub struct Present {
    /// A bit for each byte.
    bits: Vec<u64>,
    /// The letters that are known to lie in none of them.
    pub uncovered: u32,
}

impl Present {
    /// None of a text of so many bytes.
    pub fn clear(&mut self, bytes: usize) {
        self.bits.clear();
        self.bits.resize(bytes.div_ceil(64), 0);
        self.uncovered = 0;
    }

    /// Notes which windows there are among those that begin at these 64 bytes.
    #[inline]
    pub fn set_block(&mut self, first: usize, windows: u64) {
        self.bits[first / 64] = windows;
    }

    /// Notes that the window is there which begins at a byte.
    #[inline]
    pub fn set(&mut self, byte: usize) {
        self.bits[byte / 64] |= 1 << (byte % 64);
    }

    /// Whether the window is there which begins at a byte.
    pub fn has(&self, byte: usize) -> bool {
        self.bits.get(byte / 64).is_some_and(|windows| windows >> (byte % 64) & 1 == 1)
    }

    /// Where the next one begins, from a byte on.
    #[inline]
    pub fn next(&self, from: usize) -> Option<usize> {
        let mut block = from / 64;
        let mut windows = self.bits.get(block)? >> (from % 64) << (from % 64);
        while windows == 0 {
            block += 1;
            windows = *self.bits.get(block)?;
        }
        Some(64 * block + windows.trailing_zeros() as usize)
    }
}
