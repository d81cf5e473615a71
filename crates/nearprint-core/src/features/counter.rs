//! The features of a document with repetitions -> its distinct features, counted.

/// A distinct feature of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// Its hash.
    pub hash: u64,
    /// The number of its occurrences in the document.
    pub count: u32,
    /// Its place at its first occurrence, from 0.
    pub first: u32,
}

/// Counts the distinct features of one document after the other, in buffers of its own.
///
/// ```
/// use nearprint_core::features::Counter;
/// let mut counter = Counter::default();
/// let features = counter.count(&[7, 9, 7]);
/// assert_eq!((features[0].hash, features[0].count, features[0].first), (7, 2, 0));
/// assert_eq!((features[1].hash, features[1].count, features[1].first), (9, 1, 1));
/// ```
#[derive(Debug, Default)]
pub struct Counter {
    features: Vec<Feature>,
    /// The place in `features` of the feature of each occurrence.
    places: Vec<u32>,
    /// Open addressing over `features`: index + 1, or 0 for an empty slot; a power of two long.
    slots: Vec<u32>,
}

impl Counter {
    /// The result of the last call of [`count`](Self::count).
    pub fn last(&self) -> &[Feature] {
        &self.features
    }

    /// The place in the result of the feature of each occurrence given to the last call of
    /// [`count`](Self::count).
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// The distinct features in the order of their first occurrence.
    pub fn count(&mut self, occurrences: &[u64]) -> &[Feature] {
        let needed = (occurrences.len() * 2).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(needed, 0);
        self.features.clear();
        self.places.clear();
        let mask = needed - 1;
        for (place, hash) in occurrences.iter().enumerate() {
            let mut slot = *hash as usize & mask;
            loop {
                match self.slots[slot] {
                    0 => {
                        self.features.push(Feature { hash: *hash, count: 1, first: place as u32 });
                        self.slots[slot] = self.features.len() as u32;
                        self.places.push(self.features.len() as u32 - 1);
                        break;
                    }
                    index if self.features[index as usize - 1].hash == *hash => {
                        self.features[index as usize - 1].count += 1;
                        self.places.push(index - 1);
                        break;
                    }
                    _ => slot = (slot + 1) & mask,
                }
            }
        }
        &self.features
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counting_equals_a_plain_scan(occurrences in proptest::collection::vec(0u64..20, 0..200)) {
            let mut counter = Counter::default();
            counter.count(&[1, 2, 3]);
            let mut plain: Vec<Feature> = Vec::new();
            for (place, hash) in occurrences.iter().enumerate() {
                match plain.iter_mut().find(|f| f.hash == *hash) {
                    Some(feature) => feature.count += 1,
                    None => plain.push(Feature { hash: *hash, count: 1, first: place as u32 }),
                }
            }
            prop_assert_eq!(counter.count(&occurrences), &plain[..]);
            let back: Vec<u64> = counter.places().iter().map(|place| counter.last()[*place as usize].hash).collect();
            prop_assert_eq!(back, occurrences);
        }
    }
}
