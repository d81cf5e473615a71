//! Confirmed pairs, in as little memory as their use allows.
//!
//! Documents that are all duplicates of each other are n² / 2 pairs. A pair with its evidence takes 24 bytes. Unless all are
//! to be written, evidence is kept of the first million pairs only; beyond that a pair is 8 bytes, and what a removed
//! document has in common with its keeper is computed anew.

use super::DuplicatePair;

/// Pairs whose evidence is kept in any case.
const WITH_EVIDENCE: usize = 1 << 20;

/// The confirmed pairs of a run.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Whether all of them are wanted with their evidence.
    wanted: bool,
    /// All pairs, while there are few or they are wanted.
    pairs: Vec<DuplicatePair>,
    /// All pairs without their evidence, once there are too many.
    bare: Vec<(u32, u32)>,
}

impl Pairs {
    /// None yet.
    pub(super) fn new(wanted: bool) -> Pairs {
        Pairs { wanted, ..Pairs::default() }
    }

    /// Takes in a pair.
    pub(super) fn push(&mut self, pair: DuplicatePair) {
        if !self.wanted && (self.pairs.len() == WITH_EVIDENCE || !self.bare.is_empty()) {
            let ends = std::mem::take(&mut self.pairs).into_iter().map(|pair| (pair.left, pair.right));
            self.bare.extend(ends);
            self.bare.push((pair.left, pair.right));
        } else {
            self.pairs.push(pair);
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.pairs.len() + self.bare.len()
    }

    /// Puts the pairs in order, so that they can be found.
    pub(super) fn sort(&mut self) {
        self.pairs.sort_unstable_by_key(|pair| (pair.left, pair.right));
    }

    /// Whether [`find`](Self::find) knows all of them.
    pub(super) fn all_known(&self) -> bool {
        self.bare.is_empty()
    }

    /// All pairs without their evidence, and no longer held here where it is not known.
    pub(super) fn take_edges(&mut self) -> Vec<(u32, u32)> {
        match self.bare.is_empty() {
            true => self.pairs.iter().map(|pair| (pair.left, pair.right)).collect(),
            false => std::mem::take(&mut self.bare),
        }
    }

    /// The pair of two documents, if it is known with its evidence. [`sort`](Self::sort) comes first.
    pub(super) fn find(&self, one: u32, other: u32) -> Option<&DuplicatePair> {
        let ends = (one.min(other), one.max(other));
        let place = self.pairs.binary_search_by_key(&ends, |pair| (pair.left, pair.right));
        place.ok().map(|place| &self.pairs[place])
    }

    /// All pairs in order, where they were wanted.
    pub(super) fn into_wanted(self) -> Vec<DuplicatePair> {
        if self.wanted { self.pairs } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(number: u32) -> DuplicatePair {
        DuplicatePair { left: number % 7, right: number + 10, distance: Some(number), similarity: 0.5 }
    }

    #[test]
    fn no_pair_is_lost_when_evidence_is() {
        let count = WITH_EVIDENCE as u32 + 3;
        let (mut wanted, mut others) = (Pairs::new(true), Pairs::new(false));
        for number in 0..count {
            wanted.push(pair(number));
            others.push(pair(number));
        }
        wanted.sort();
        others.sort();
        assert_eq!((wanted.len(), others.len()), (count as usize, count as usize));
        assert_eq!((wanted.find(11, 1), others.find(1, 11)), (Some(&pair(1)), None));
        assert!(wanted.all_known() && !others.all_known());
        let (mut one, mut other) = (wanted.take_edges(), others.take_edges());
        one.sort_unstable();
        other.sort_unstable();
        assert_eq!(one, other);
        assert_eq!((wanted.into_wanted().len(), others.into_wanted().len()), (count as usize, 0));
    }
}
