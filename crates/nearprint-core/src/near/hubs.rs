//! Fingerprints that are in very many pairs: their pairs with each other are not handed on.
//!
//! A family of n texts of one template has n² / 2 pairs. A fingerprint is a *hub* if it is in more
//! than [`HUB_PAIRS`] pairs, and a pair of two hubs may be dropped. All others are handed on, so
//! whether a fingerprint is a hub depends on the pairs alone: as long as it is not known to be, all
//! of its pairs count. A family of n then is at most n · [`HUB_PAIRS`] pairs, and what is known to
//! be a hub is no longer compared with another one. Who wants all pairs takes them in one by one,
//! and the same fingerprints are hubs.

use std::sync::atomic::{AtomicU8, Ordering};

use super::CandidatePair;

/// The most pairs of a fingerprint that is no hub.
pub const HUB_PAIRS: u8 = 64;

/// The pairs of each fingerprint that were handed on, up to one more than [`HUB_PAIRS`].
#[derive(Debug)]
pub struct Hubs(Vec<AtomicU8>);

impl Hubs {
    /// Nothing is known yet of this number of fingerprints.
    pub fn new(fingerprints: usize) -> Hubs {
        Hubs((0..fingerprints).map(|_| AtomicU8::new(0)).collect())
    }

    /// Whether they are of no fingerprints.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a fingerprint is known to be a hub.
    pub fn has(&self, position: u32) -> bool {
        self.pairs(position) > HUB_PAIRS
    }

    pub(super) fn pairs(&self, position: u32) -> u8 {
        self.0[position as usize].load(Ordering::Relaxed)
    }

    /// Takes in a pair, and says whether it is to be handed on. Only one thread may take pairs in.
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

/// One more pair.
pub(super) fn more(pairs: u8) -> u8 {
    (pairs + 1).min(HUB_PAIRS + 1)
}
