//! Hubs: fingerprints in very many pairs. Their pairs with each other are not handed on.
//!
//! A family of n texts of one template has n² / 2 pairs. A fingerprint is a *hub* if it is in more
//! than [`HUB_PAIRS`] pairs, and a pair of two hubs may be dropped. All other pairs are handed on.
//! So a fingerprint is a hub by the pairs alone: until it is known to be one, all of its pairs
//! count. A family of n then has at most n · [`HUB_PAIRS`] pairs, and two known hubs are no longer
//! compared. A caller with all pairs takes them in one by one, which gives the same hubs.

use std::sync::atomic::{AtomicU8, Ordering};

use super::CandidatePair;

/// The most pairs of a fingerprint that is no hub.
pub const HUB_PAIRS: u8 = 64;

/// The number of pairs of each fingerprint that were handed on, up to [`HUB_PAIRS`] + 1.
#[derive(Debug)]
pub struct Hubs(Vec<AtomicU8>);

impl Hubs {
    /// This number of fingerprints without pairs.
    pub fn new(fingerprints: usize) -> Hubs {
        Hubs((0..fingerprints).map(|_| AtomicU8::new(0)).collect())
    }

    /// Returns true if there are no fingerprints.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a fingerprint is known to be a hub.
    pub fn has(&self, position: u32) -> bool {
        self.pairs(position) > HUB_PAIRS
    }

    /// The number of pairs of a fingerprint, up to [`HUB_PAIRS`] + 1.
    pub(super) fn pairs(&self, position: u32) -> u8 {
        self.0[position as usize].load(Ordering::Relaxed)
    }

    /// Takes in a pair, and returns true if it is handed on. Only one thread may take pairs in.
    pub fn take(&self, pair: &CandidatePair) -> bool {
        let ends = [pair.left, pair.right];
        let wanted = !ends.iter().all(|end| self.has(*end));
        if wanted {
            ends.iter().for_each(|end| {
                self.0[*end as usize].store(more(self.pairs(*end)), Ordering::Relaxed)
            });
        }
        wanted
    }
}

/// The number of pairs with another pair, up to [`HUB_PAIRS`] + 1.
pub(super) fn more(pairs: u8) -> u8 {
    (pairs + 1).min(HUB_PAIRS + 1)
}
