//! N-grams with repetitions -> each of them once.
//!
//! This is a hash set with open addressing. A processor cannot predict whether an n-gram is new,
//! and a wrong prediction costs more than all other work. So the first pass has no branch: it looks
//! at one slot for each n-gram, writes the n-gram to the list of new ones and to the list of
//! unclear ones, and moves on in one of the lists at most. An n-gram is unclear if its slot holds
//! another one, which is rare. The second pass probes the table for unclear n-grams only.

/// Distinct n-grams, in no particular order.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    /// The distinct n-grams are the first `count` values.
    values: Vec<u64>,
    count: usize,
    /// Open addressing: each n-gram is in the first free slot from its own slot on. The length is a
    /// power of two, or 0.
    slots: Vec<u64>,
    unclear: Vec<u64>,
}

/// A free slot. The number of an n-gram is UTF-8, which never has the byte 0xff, or a hash, which
/// is hardly ever this one.
const FREE: u64 = u64::MAX;

impl Distinct {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.slots.clear();
    }

    pub(super) fn values(&self) -> &[u64] {
        &self.values[..self.count]
    }

    /// Inserts the n-grams that are not in it.
    pub(super) fn insert(&mut self, ngrams: &[u64]) {
        self.make_room(ngrams.len());
        let Distinct { values, count, slots, unclear } = self;
        let new = &mut values[*count..*count + ngrams.len()];
        let unclear = &mut unclear[..ngrams.len()];
        let (mut news, mut unclears) = (0, 0);
        for &ngram in ngrams {
            let place = own_slot(ngram, slots.len());
            let found = slots[place];
            let owner = if found == FREE { ngram } else { found };
            slots[place] = owner;
            new[news] = ngram;
            news += usize::from(found == FREE);
            unclear[unclears] = ngram;
            unclears += usize::from(owner != ngram);
        }
        for &ngram in &unclear[..unclears] {
            let slot = slot_of(slots, ngram);
            if slots[slot] == FREE {
                slots[slot] = ngram;
                new[news] = ngram;
                news += 1;
            }
        }
        *count += news;
    }

    /// Makes room for `more` n-grams, with two thirds of the slots free.
    fn make_room(&mut self, more: usize) {
        let most = self.count + more;
        if self.values.len() < most {
            self.values.resize(most, 0);
        }
        if self.unclear.len() < more {
            self.unclear.resize(more, 0);
        }
        if self.slots.len() < 3 * most {
            self.slots.clear();
            self.slots.resize((3 * most).next_power_of_two(), FREE);
            for &value in &self.values[..self.count] {
                let slot = slot_of(&self.slots, value);
                self.slots[slot] = value;
            }
        }
    }
}

/// The slot of an n-gram, or the free slot where it would be.
#[inline]
fn slot_of(slots: &[u64], ngram: u64) -> usize {
    let mut slot = own_slot(ngram, slots.len());
    while slots[slot] != FREE && slots[slot] != ngram {
        slot = (slot + 1) & (slots.len() - 1);
    }
    slot
}

/// The slot from which an n-gram is searched for: upper bits of its product with 2^64 divided by
/// the golden ratio, which depend on all its bits.
#[inline]
fn own_slot(ngram: u64, slots: usize) -> usize {
    (ngram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (slots - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_value_is_in_it_once(parts in proptest::collection::vec(proptest::collection::vec(0u64..300, 0..200), 0..5)) {
            let mut distinct = Distinct::default();
            for factor in [1, 0x0100_0000_0000_0001] {
                distinct.clear();
                let mut set = BTreeSet::new();
                for part in &parts {
                    let part: Vec<u64> = part.iter().map(|value| value.wrapping_mul(factor)).collect();
                    distinct.insert(&part);
                    set.extend(part);
                    prop_assert_eq!(distinct.values().len(), set.len());
                    prop_assert_eq!(&distinct.values().iter().copied().collect::<BTreeSet<_>>(), &set);
                }
            }
        }
    }
}
