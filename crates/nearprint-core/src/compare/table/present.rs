//! The answer of a table for another text: the windows that may stand in the table's text, and the
//! number of letters outside of them.

/// The windows of a text that a table may have, by their first bytes.
#[derive(Debug, Default)]
pub struct Present {
    /// A bit for each byte.
    bits: Vec<u64>,
    /// The number of letters that are known to lie in none of them.
    pub uncovered: u32,
}

impl Present {
    /// Becomes the answer without windows for a text of this number of bytes.
    pub fn clear(&mut self, bytes: usize) {
        self.bits.clear();
        self.bits.resize(bytes.div_ceil(64), 0);
        self.uncovered = 0;
    }

    /// Sets the windows that begin at the 64 bytes from `first` on.
    #[inline]
    pub fn set_block(&mut self, first: usize, windows: u64) {
        self.bits[first / 64] = windows;
    }

    /// Sets the window that begins at a byte.
    #[inline]
    pub fn set(&mut self, byte: usize) {
        self.bits[byte / 64] |= 1 << (byte % 64);
    }

    /// Returns true if the window that begins at a byte is set.
    pub fn has(&self, byte: usize) -> bool {
        self.bits.get(byte / 64).is_some_and(|windows| windows >> (byte % 64) & 1 == 1)
    }

    /// The first byte of the next window, from a byte on.
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
