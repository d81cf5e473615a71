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
    #[inline]
    pub fn is_present(&self, number: usize) -> bool {
        self.present.get(number / 64).is_some_and(|windows| windows >> (number % 64) & 1 == 1)
    }

    /// The first such window from this one on.
    #[inline]
    pub fn next_present(&self, number: usize) -> Option<usize> {
        let mut word = number / 64;
        let mut windows = self.present.get(word)? >> (number % 64) << (number % 64);
        while windows == 0 {
            word += 1;
            windows = *self.present.get(word)?;
        }
        Some(word * 64 + windows.trailing_zeros() as usize)
    }

    /// Adds the next block.
    #[inline]
    pub fn push(&mut self, letters: u32, uncovered: u32) {
        self.blocks.push((letters, uncovered));
        self.total += uncovered;
    }

    /// The letters of all blocks.
    pub fn letters(&self) -> u32 {
        self.blocks.iter().map(|(letters, _)| letters).sum()
    }

    /// The fewest letters that lie outside between a beginning and an end of no more than `ends` letters together, wherever
    /// they are cut.
    pub fn between(&self, ends: u32) -> u32 {
        let blocks = &self.blocks;
        // The beginning is the blocks before `first`, the end those from `end` on. A cut may lie within a block, so that the
        // last block of the beginning and the first one of the end need not have any.
        let mut least = self.total;
        let (mut before, mut uncovered_before) = (0, 0);
        let mut end = 0;
        let mut after = blocks.iter().skip(1).map(|block| block.0).sum::<u32>();
        let mut uncovered_after = self.total;
        for first in 0..=blocks.len() {
            if before > ends {
                break;
            }
            while end < blocks.len() && (end < first || before + after > ends) {
                uncovered_after -= blocks[end].1;
                end += 1;
                after -= blocks.get(end).map_or(0, |block| block.0);
            }
            least = least.min(self.total - uncovered_before - uncovered_after);
            if first == blocks.len() {
                break;
            }
            uncovered_before += blocks[first].1;
            before += first.checked_sub(1).map_or(0, |last| blocks[last].0);
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn between_is_the_least_of_all_cuts(blocks in proptest::collection::vec((0u32..9, 0u32..9), 0..12), ends in 0u32..60) {
            let mut uncovered = Uncovered::default();
            blocks.iter().for_each(|(letters, part)| uncovered.push(letters + part, *part));
            let mut least = uncovered.total;
            for end in 0..=blocks.len() {
                for first in 0..=end {
                    let letters = |blocks: &[(u32, u32)]| blocks.iter().map(|(letters, part)| letters + part).sum::<u32>();
                    let own = letters(&blocks[..first.saturating_sub(1)]) + letters(&blocks[(end + 1).min(blocks.len())..]);
                    if own <= ends {
                        least = least.min(blocks[first..end].iter().map(|block| block.1).sum());
                    }
                }
            }
            prop_assert_eq!(uncovered.between(ends), least);
        }
    }
}
