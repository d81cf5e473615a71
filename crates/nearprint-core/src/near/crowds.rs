//! Fingerprints that are in very many pairs: their pairs with each other are not handed on.
//!
//! A family of n texts of one template has n² / 2 pairs. A fingerprint is *crowded* if it is in more than [`CROWDED`] pairs, and
//! a pair of two crowded ones may be dropped. All others are handed on, so whether a fingerprint is crowded depends on the pairs
//! alone: as long as it is not known to be, all of its pairs count. A family of n then is at most n · [`CROWDED`] pairs, and
//! what is known to be crowded is no longer compared. Who wants all pairs takes them in one by one, and the same fingerprints are
//! crowded.

use std::sync::atomic::{AtomicU8, Ordering};

use super::CandidatePair;

/// The most pairs that a fingerprint has that is not crowded.
pub const CROWDED: u8 = 64;

/// The pairs of each fingerprint that were handed on, up to one more than [`CROWDED`].
#[derive(Debug)]
pub struct Crowds(Vec<AtomicU8>);

impl Crowds {
    /// Nothing is known yet of this number of fingerprints.
    pub fn new(fingerprints: usize) -> Crowds {
        Crowds((0..fingerprints).map(|_| AtomicU8::new(0)).collect())
    }

    /// Whether they are of no fingerprints.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a fingerprint is known to be crowded.
    pub fn has(&self, position: u32) -> bool {
        self.pairs(position) > CROWDED
    }

    pub(super) fn pairs(&self, position: u32) -> u8 {
        self.0[position as usize].load(Ordering::Relaxed)
    }

    /// Takes in a pair, and says whether it is to be handed on. Only one thread may take pairs in.
    pub fn take(&self, pair: &CandidatePair) -> bool {
        let ends = [pair.left, pair.right];
        let wanted = !ends.iter().all(|end| self.has(*end));
        if wanted {
            ends.iter().for_each(|end| self.0[*end as usize].store(more(self.pairs(*end)), Ordering::Relaxed));
        }
        wanted
    }
}

/// One more pair.
pub(super) fn more(pairs: u8) -> u8 {
    (pairs + 1).min(CROWDED + 1)
}
