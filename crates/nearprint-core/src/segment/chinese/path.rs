//! Codes of blocks -> their most probable cut into words of the dictionary.
//!
//! A path's probability is the product of its words' frequencies over the dictionary's total;
//! logarithms make it a sum. A character at which no word of the dictionary begins counts as a word
//! of frequency 1. From the block's end backward, the best path from a character is the best of its
//! words followed by the best path after it. No graph of the words is kept. Among equal paths the
//! one with the longer first word wins.
//!
//! Nearly all words have one to three characters. Such words are looked up first, for all blocks:
//! no look-up waits for another one or for a mispredicted branch. Longer words are looked up as
//! they are needed.
//!
//! The order of the additions is part of the result: the logarithm of a word's probability,
//! computed once, plus the sum of the rest.

use std::hint::select_unpredictable;

use super::characters::FIRST;
use super::dictionary::Dictionary;
use super::trie::{LEAF, Node};

/// The number of codes after the last one, so that no look-up goes beyond the end.
pub(super) const BEHIND: usize = 2;

/// For each character the length of the word that the best path takes there.
#[derive(Debug, Default)]
pub(super) struct Path {
    /// Lengths in characters; 0 outside blocks.
    lengths: Vec<u32>,
    /// The logarithm of the probability of the best path from each character to the end of its
    /// block.
    rests: Vec<f64>,
    /// The nodes of two and of three characters from each character.
    twos: Vec<Node>,
    threes: Vec<Node>,
}

impl Path {
    /// Finds the best path of each block. Codes below [`FIRST`] lie between blocks, and [`BEHIND`]
    /// of them after all. Returns the lengths of the words.
    pub(super) fn find(&mut self, codes: &[u16], dictionary: &Dictionary) -> &[u32] {
        let count = codes.len() - BEHIND;
        let trie = dictionary.trie.view();
        let pairs = codes[..count].iter().zip(&codes[1..]);
        self.twos.clear();
        self.twos.extend(pairs.map(|(code, next)| trie.step(trie.first(*code).base(), *next)));
        self.threes.clear();
        self.threes.extend(
            self.twos.iter().zip(&codes[2..]).map(|(two, next)| trie.step(two.base(), *next)),
        );

        let (twos, threes) = (&self.twos[..count], &self.threes[..count]);
        if self.lengths.len() < count {
            self.lengths.resize(count, 0);
            self.rests.resize(count, 0.0);
        }
        let (lengths, rests) = (&mut self.lengths[..count], &mut self.rests[..count]);
        let [mut after_one, mut after_two, mut after_three] = [0.0; 3];
        for at in (0..count).rev() {
            let mut best =
                Best::new(dictionary.logarithm(trie.first(codes[at]).word()) + after_one);
            best.consider(dictionary.logarithm(twos[at].word()) + after_two, 2);
            best.consider(dictionary.logarithm(threes[at].word()) + after_three, 3);
            let mut base = threes[at].base();
            let mut length = 3;
            while base != LEAF {
                let node = trie.step(base, codes[at + length]);
                length += 1;
                let after = rests.get(at + length).copied().unwrap_or(0.0);
                best.consider(dictionary.logarithm(node.word()) + after, length as u32);
                base = node.base();
            }
            if best.length == 0 {
                best = match codes[at] < FIRST {
                    true => Best { path: 0.0, length: 0 },
                    false => Best { path: dictionary.unknown() + after_one, length: 1 },
                };
            }
            (lengths[at], rests[at]) = (best.length, best.path);
            (after_three, after_two, after_one) = (after_two, after_one, best.path);
        }
        lengths
    }
}

/// The best known path from a character.
#[derive(Debug, Clone, Copy)]
struct Best {
    /// The logarithm of its probability.
    path: f64,
    /// The length of its first word.
    length: u32,
}

impl Best {
    /// The path that begins with the character alone, if that is a word.
    #[inline]
    fn new(path: f64) -> Best {
        Best {
            path: if path > f64::NEG_INFINITY { path } else { f64::NEG_INFINITY },
            length: u32::from(!path.is_nan()),
        }
    }

    /// Considers another path, whose first word is longer. A path that is not a number is none.
    #[inline]
    fn consider(&mut self, path: f64, length: u32) {
        self.length = select_unpredictable(path >= self.path, length, self.length);
        // This takes one instruction, unlike `f64::max`.
        self.path = if path > self.path { path } else { self.path };
    }
}
