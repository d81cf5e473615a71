//! Many fingerprints of one width in one flat column.

/// Fingerprints of one width, in order. Bit 0 is the highest bit of a fingerprint's first 64-bit
/// word, so that reading the words as hex in order gives the fingerprint; a 32-bit fingerprint
/// fills the upper half of its one word and the lower half is zero.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Fingerprints {
    bits: u32,
    words: Vec<u64>,
}

impl Fingerprints {
    /// An empty column. `bits` is 32, 64, 128 or 256.
    ///
    /// # Panics
    /// For another number of bits.
    pub fn new(bits: u32) -> Fingerprints {
        assert!(
            matches!(bits, 32 | 64 | 128 | 256),
            "a fingerprint has 32, 64, 128 or 256 bits, not {bits}"
        );
        Fingerprints { bits, words: Vec::new() }
    }

    /// A column of these words, [`words_each`](Self::words_each) a fingerprint. `bits` is 32, 64,
    /// 128 or 256.
    ///
    /// # Panics
    /// For another number of bits, or words that end within a fingerprint.
    pub fn of_words(bits: u32, words: Vec<u64>) -> Fingerprints {
        let mut fingerprints = Fingerprints::new(bits);
        assert!(
            words.len().is_multiple_of(fingerprints.words_each()),
            "the words end within a fingerprint"
        );
        fingerprints.words = words;
        fingerprints
    }

    /// The width of each fingerprint in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The number of 64-bit words of a fingerprint.
    pub fn words_each(&self) -> usize {
        self.bits.div_ceil(64) as usize
    }

    /// The number of fingerprints.
    pub fn len(&self) -> usize {
        self.words.len() / self.words_each()
    }

    /// Returns true if the column has no fingerprint.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Appends one; `words` holds [`words_each`](Self::words_each) words.
    ///
    /// # Panics
    /// For another number of words.
    pub fn push(&mut self, words: &[u64]) {
        assert_eq!(words.len(), self.words_each());
        self.words.extend_from_slice(words);
    }

    /// The words of fingerprint `index`.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> &[u64] {
        let each = self.words_each();
        &self.words[index * each..(index + 1) * each]
    }

    /// All words, fingerprint after fingerprint.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The Hamming distance of two of them, in bits.
    pub fn distance(&self, left: usize, right: usize) -> u32 {
        hamming_distance(self.get(left), self.get(right))
    }
}

/// The bits in which two fingerprints of equally many words differ.
pub fn hamming_distance(left: &[u64], right: &[u64]) -> u32 {
    left.iter().zip(right).map(|(left, right)| (left ^ right).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_the_bits_that_differ_in_all_words() {
        let mut column = Fingerprints::new(256);
        column.push(&[0b00110, 0, 0, 0]);
        column.push(&[0b01110, 0, 0, 0]);
        column.push(&[!0b00110, u64::MAX, 1, u64::MAX]);
        assert_eq!(
            (column.distance(0, 0), column.distance(0, 1), column.distance(1, 0)),
            (0, 1, 1)
        );
        assert_eq!(column.distance(0, 2), 64 + 64 + 1 + 64);
    }
}
