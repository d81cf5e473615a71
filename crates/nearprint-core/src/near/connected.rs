//! Near pairs -> the sets of fingerprints that they connect. Two fingerprints of one set need not
//! be compared.
//!
//! A family of n texts of one template has n² / 2 pairs, and n - 1 of them connect it. The first
//! fingerprints of a bucket are compared with all others there, which shows the sets. A part of a
//! tile in which all fingerprints are of one set is not compared; any other part is compared as a
//! whole.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::CandidatePair;

/// Sets of fingerprints that grow together.
pub struct Connected<'c> {
    /// The number of the set of each fingerprint.
    sets: Vec<AtomicU32>,
    /// The fingerprints of each set.
    members: Mutex<Vec<Vec<u32>>>,
    /// Returns true if a near pair connects its two fingerprints.
    connects: &'c (dyn Fn(u32, u32) -> bool + Sync),
}

impl<'c> Connected<'c> {
    /// A set for each of this number of fingerprints. `connects` returns true if a near pair at
    /// these positions connects its two fingerprints.
    pub fn new(
        fingerprints: usize,
        connects: &'c (dyn Fn(u32, u32) -> bool + Sync),
    ) -> Connected<'c> {
        let each = || 0..fingerprints as u32;
        Connected {
            sets: each().map(AtomicU32::new).collect(),
            members: Mutex::new(each().map(|own| vec![own]).collect()),
            connects,
        }
    }

    fn set_of(&self, position: u32) -> u32 {
        self.sets[position as usize].load(Ordering::Relaxed)
    }

    /// Returns true if all of these positions are known to be of one set.
    pub(super) fn are_one<'p>(&self, positions: &mut impl Iterator<Item = &'p u32>) -> bool {
        let Some(first) = positions.next().map(|position| self.set_of(*position)) else {
            return true;
        };
        positions.all(|position| self.set_of(*position) == first)
    }

    /// Takes in a near pair, and returns true if it connects two sets. Only one thread may take
    /// pairs in, while no other thread reads the sets.
    pub(super) fn take(&self, pair: &CandidatePair) -> bool {
        let sets = [pair.left, pair.right].map(|end| self.set_of(end));
        if sets[0] == sets[1] || !(self.connects)(pair.left, pair.right) {
            return false;
        }
        let mut members = self.members.lock().expect("no thread panics with it");
        let size = |set: u32| members[set as usize].len();
        let [into, from] = if size(sets[0]) < size(sets[1]) { [sets[1], sets[0]] } else { sets };
        let moved = std::mem::take(&mut members[from as usize]);
        moved.iter().for_each(|own| self.sets[*own as usize].store(into, Ordering::Relaxed));
        members[into as usize].extend(moved);
        true
    }
}

impl fmt::Debug for Connected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connected").field("fingerprints", &self.sets.len()).finish_non_exhaustive()
    }
}
