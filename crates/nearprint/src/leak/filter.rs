//! Hashes -> a Bloom filter, which tells of most other hashes that they are not in the set.

/// A set of hashes, each as three bits of one word.
///
/// There is a word for five hashes, so that 1.5 % of other hashes seem to be in the set.
#[derive(Debug)]
pub(super) struct Filter {
    words: Vec<u64>,
}

impl Filter {
    /// An empty filter for this number of hashes.
    pub fn new(hashes: usize) -> Filter {
        Filter { words: vec![0; hashes / 5 + 1] }
    }

    #[inline(always)]
    fn place(&self, hash: u64) -> (usize, u64) {
        let word = (u128::from(hash) * self.words.len() as u128) >> 64;
        (word as usize, 1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63))
    }

    /// Adds a hash.
    pub fn insert(&mut self, hash: u64) {
        let (word, bits) = self.place(hash);
        self.words[word] |= bits;
    }

    /// False only for a hash that was not added.
    #[inline(always)]
    pub fn may_hold(&self, hash: u64) -> bool {
        let (word, bits) = self.place(hash);
        self.words[word] & bits == bits
    }
}

#[cfg(test)]
mod tests {
    use super::super::windows::Window;
    use super::*;

    #[test]
    fn the_filter_holds_what_was_put_in_and_little_else() {
        let text: Vec<u8> = (0..40_000u32)
            .flat_map(|number| format!("{:x}", number.wrapping_mul(2_654_435_761)).into_bytes())
            .collect();
        let half = text.len() / 2;
        let hashes =
            |range: std::ops::Range<usize>| range.map(|start| Window::at(&text, start).hash());
        let mut filter = Filter::new(half);
        hashes(0..half).for_each(|hash| filter.insert(hash));
        assert!(hashes(0..half).all(|hash| filter.may_hold(hash)));
        let wrong =
            hashes(half..Window::count(text.len())).filter(|hash| filter.may_hold(*hash)).count();
        assert!(wrong * 50 < half, "{wrong} of {half}");
    }
}
