//! The answer of a prefilter for a text: the windows that may be shared, and the letters outside of them, block by block.

/// The letters of every block of a text, from its beginning to its end, and those of them that are known to lie outside all
/// passages.
#[derive(Debug, Default)]
pub struct Uncovered {
    blocks: Vec<(u32, u32)>,
    /// A bit for each window that the prefilter has.
    present: Vec<u64>,
    /// The letters that are known to lie outside, in all.
    pub total: u32,
}

impl Uncovered {
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.present.clear();
        self.total = 0;
    }

    /// Notes which of the next 64 windows the prefilter has.
    #[inline]
    pub fn push_present(&mut self, windows: u64) {
        self.present.push(windows);
    }

    /// Notes that the prefilter has a window, after which no earlier one is noted.
    #[inline]
    pub fn set_present(&mut self, number: usize) {
        if self.present.len() <= number / 64 {
            self.present.resize(number / 64 + 1, 0);
        }
        self.present[number / 64] |= 1 << (number % 64);
    }

    /// Whether the prefilter has the window with this number, from 0.
    #[cfg(test)]
    pub fn is_present(&self, number: usize) -> bool {
        self.present.get(number / 64).is_some_and(|windows| windows >> (number % 64) & 1 == 1)
    }

    /// Adds the next block.
    #[inline]
    pub fn push(&mut self, letters: u32, uncovered: u32) {
        self.blocks.push((letters, uncovered));
        self.total += uncovered;
    }
}
