//! A few texts and another one -> the texts of the few to which it may be similar under a measure
//! of word n-grams, without a comparison with each.
//!
//! An inverted index holds the word n-grams of the few texts, and for each n-gram the texts that
//! have it. Another text is looked up in it once. A text is ruled out only if it shares too few
//! n-grams with the other one:
//!
//! | measure | a text is possible as long as | because |
//! | --- | --- | --- |
//! | `jaccard` | they share S / (1 + S) of the sum of their word n-grams | \|A ∩ B\| = J (\|A\| + \|B\|) / (1 + J) |
//! | `containment` | they share S of the word n-grams of the smaller one | by definition |
//! | `minhash` | as under `jaccard`, with S less five standard errors | an estimate is farther off in at most one of 250,000 pairs (Hoeffding 1963) |
//!
//! Under `coverage` [sketches](super::Sketches) rule texts out.

use super::{Measure, PERMUTATIONS};

/// Buffers for one text after the other, one a thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The number of word n-grams that each of the few shares with the text.
    shared: Vec<u32>,
    /// The texts of the few that share an n-gram with the text.
    met: Vec<u32>,
}

/// The texts that may be similar to another one under a measure of word n-grams.
///
/// ```
/// use nearprint_core::compare::{Measure, Scratch, WordNgramIndex};
/// let ngrams = WordNgramIndex::new(Measure::Jaccard, &[vec![1, 2, 3], vec![7, 8, 9]], 0.5);
/// let mut possible = Vec::new();
/// ngrams.possible(&[2, 3, 4], &mut Scratch::default(), &mut possible);
/// assert_eq!(possible, [0]);
/// ```
#[derive(Debug)]
pub struct WordNgramIndex {
    measure: Measure,
    least: f64,
    sizes: Vec<usize>,
    index: InvertedIndex,
}

impl WordNgramIndex {
    /// The table of the few texts, each as [`word_ngrams`](super::word_ngrams()) gives it, for
    /// similarities of `least` or more under `jaccard`, `containment` or `minhash`.
    pub fn new(measure: Measure, texts: &[Vec<u64>], least: f64) -> WordNgramIndex {
        let mut index = InvertedIndex::new(texts.iter().map(Vec::len).sum());
        for (number, ngrams) in texts.iter().enumerate() {
            ngrams.iter().for_each(|ngram| index.add(*ngram, number as u32));
        }
        WordNgramIndex { measure, least, sizes: texts.iter().map(Vec::len).collect(), index }
    }

    /// Fills `out` with the numbers of the texts that may be similar to the one of these word
    /// n-grams.
    pub fn possible(&self, ngrams: &[u64], scratch: &mut Scratch, out: &mut Vec<u32>) {
        let Scratch { shared, met } = scratch;
        out.clear();
        met.clear();
        shared.resize(self.sizes.len(), 0);
        for ngram in ngrams {
            self.index.each(*ngram, |number| {
                if shared[number as usize] == 0 {
                    met.push(number);
                }
                shared[number as usize] += 1;
            });
        }
        for number in met.iter() {
            let shared = std::mem::take(&mut shared[*number as usize]);
            if f64::from(shared) + 1e-6 >= self.fewest(self.sizes[*number as usize], ngrams.len()) {
                out.push(*number);
            }
        }
    }

    /// The fewest word n-grams that two sets of these sizes share if they are similar.
    fn fewest(&self, left: usize, right: usize) -> f64 {
        let jaccard = |least: f64| least / (1.0 + least) * (left + right) as f64;
        match self.measure {
            Measure::Containment => self.least * left.min(right) as f64,
            // The standard error is at most 1/2 over the root of the number of minima.
            Measure::Minhash => jaccard((self.least - 2.5 / (PERMUTATIONS as f64).sqrt()).max(0.0)),
            Measure::Jaccard | Measure::Coverage | Measure::Cosine | Measure::None => {
                jaccard(self.least)
            }
        }
    }
}

/// Hash -> the numbers of the texts that have it.
#[derive(Debug)]
struct InvertedIndex {
    /// A bit for some bits of every hash. It rules out most hashes that no text has.
    seen: Vec<u64>,
    /// Open addressing; a power of two long, and never full.
    slots: Vec<Slot>,
    /// The texts that have a hash, but for the last one, which is in its slot: each with the place,
    /// from 1, of the text before it; 0 for none.
    before: Vec<(u32, u32)>,
}

/// A hash, the last text that has it, and the place of the text before that.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// 0 in an empty slot.
    hash: u64,
    text: u32,
    before: u32,
}

impl InvertedIndex {
    /// An index with room for this number of hashes.
    fn new(hashes: usize) -> InvertedIndex {
        let slots = (hashes * 3 / 2).next_power_of_two().max(64);
        InvertedIndex {
            seen: vec![0; slots / 4],
            slots: vec![Slot::default(); slots],
            before: Vec::new(),
        }
    }

    /// Notes that a text has a hash. Texts come in order.
    fn add(&mut self, hash: u64, text: u32) {
        let hash = hash | 1 << 63;
        let word = self.word(hash);
        self.seen[word] |= 1 << (hash & 63);
        let place = self.place(hash);
        let slot = &mut self.slots[place];
        if slot.hash == 0 {
            *slot = Slot { hash, text, before: 0 };
        } else if slot.text != text {
            self.before.push((slot.text, slot.before));
            (slot.text, slot.before) = (text, self.before.len() as u32);
        }
    }

    /// Calls `each` with every text that has the hash.
    #[inline]
    fn each(&self, hash: u64, mut each: impl FnMut(u32)) {
        let hash = hash | 1 << 63;
        if self.seen[self.word(hash)] >> (hash & 63) & 1 == 0 {
            return;
        }
        let slot = self.slots[self.place(hash)];
        if slot.hash == 0 {
            return;
        }
        each(slot.text);
        let mut next = slot.before;
        while next != 0 {
            let (text, before) = self.before[next as usize - 1];
            each(text);
            next = before;
        }
    }

    #[inline]
    fn word(&self, hash: u64) -> usize {
        (hash >> 6) as usize & (self.seen.len() - 1)
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = (hash >> 24) as usize & mask;
        while self.slots[place].hash != 0 && self.slots[place].hash != hash {
            place = (place + 1) & mask;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compare;

    proptest! {
        #[test]
        fn no_text_of_enough_ngrams_is_ruled_out(
            sets in proptest::collection::vec(proptest::collection::btree_set(0u64..40, 0..30), 1..9),
            least in prop_oneof![Just(0.5), Just(1.0), 0.01..1.0],
        ) {
            let lists: Vec<Vec<u64>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
            let (mut scratch, mut possible) = (Scratch::default(), Vec::new());
            let measures = [
                (Measure::Jaccard, compare::jaccard as fn(&[u64], &[u64]) -> f64),
                (Measure::Containment, compare::containment),
                (Measure::Minhash, |a, b| compare::minhash_similarity(&compare::signature(a), &compare::signature(b))),
            ];
            for (measure, similarity) in measures {
                let ngrams = WordNgramIndex::new(measure, &lists, least);
                for list in &lists {
                    ngrams.possible(list, &mut scratch, &mut possible);
                    for (number, other) in lists.iter().enumerate() {
                        let alike = !list.is_empty() && !other.is_empty() && similarity(list, other) >= least;
                        let count = possible.iter().filter(|possible| **possible == number as u32).count();
                        prop_assert!(count <= 1 && count >= usize::from(alike), "{measure:?}: {list:?} {other:?}");
                    }
                }
            }
        }
    }
}
