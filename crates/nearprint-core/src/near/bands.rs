//! Rows of equal length, cut into bands -> the rows that have a band in common.
//!
//! Two rows of MinHash values meet if all values of one band are equal, so rows of sets with a high
//! Jaccard similarity are likely to meet (Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets",
//! section 3.4). Each band has a hash table of its buckets, whose rows are linked in both
//! directions: a row is added, looked for and removed in constant time for a band, but for the rows
//! that it meets. A row takes 20 bytes for a band, and those of its values.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

/// Rows in slots that the caller numbers, and their buckets in each band.
///
/// ```
/// use nearprint_core::near::Bands;
/// let mut bands = Bands::new(2, 3);
/// bands.insert(0, b"abcdef");
/// bands.insert(1, b"abcxyz");
/// let mut found = Vec::new();
/// bands.find(b"123xyz", 2, &mut found);
/// assert_eq!(found, [1]);
/// bands.find(b"abcdef", 2, &mut found);
/// assert_eq!(found, [0, 1]);
/// ```
#[derive(Debug)]
pub struct Bands {
    bands: Vec<Band>,
    rows: Rows,
}

/// The values of all rows.
#[derive(Debug)]
struct Rows {
    /// The bytes of a band.
    width: usize,
    /// The bytes of a row.
    length: usize,
    bytes: Vec<u8>,
}

impl Rows {
    fn get(&self, slot: u32) -> &[u8] {
        &self.bytes[slot as usize * self.length..][..self.length]
    }

    fn band(&self, slot: u32, band: usize) -> &[u8] {
        &self.get(slot)[band * self.width..][..self.width]
    }

    fn set(&mut self, slot: u32, row: &[u8]) {
        let start = slot as usize * self.length;
        if self.bytes.len() < start + self.length {
            self.bytes.resize(start + self.length, 0);
        }
        self.bytes[start..][..self.length].copy_from_slice(row);
    }
}

#[derive(Debug, Default)]
struct Band {
    /// One entry for each bucket.
    buckets: HashTable<Bucket>,
    /// The neighbors of each slot in its bucket.
    links: Vec<Link>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// A half of the hash of its values. A whole one would double the table, and two buckets with
    /// equal halves are told apart by their values.
    hash: u32,
    first: u32,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    before: u32,
    after: u32,
}

/// The end of a list of slots.
const NONE: u32 = u32::MAX;

fn hash_of(values: &[u8]) -> u32 {
    xxh3_64(values) as u32
}

/// The bits that the table takes are the first and the last ones.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Band {
    /// The first slot of the bucket with these values.
    fn find(&self, rows: &Rows, band: usize, values: &[u8]) -> Option<u32> {
        let hash = hash_of(values);
        let same = |bucket: &Bucket| bucket.hash == hash && rows.band(bucket.first, band) == values;
        self.buckets.find(spread(hash), same).map(|bucket| bucket.first)
    }

    fn insert(&mut self, rows: &Rows, band: usize, slot: u32) {
        if self.links.len() <= slot as usize {
            self.links.resize(slot as usize + 1, Link { before: NONE, after: NONE });
        }
        let values = rows.band(slot, band);
        let hash = hash_of(values);
        let same = |bucket: &Bucket| bucket.hash == hash && rows.band(bucket.first, band) == values;
        let after = match self.buckets.entry(spread(hash), same, |bucket| spread(bucket.hash)) {
            Entry::Occupied(mut bucket) => std::mem::replace(&mut bucket.get_mut().first, slot),
            Entry::Vacant(bucket) => {
                bucket.insert(Bucket { hash, first: slot });
                NONE
            }
        };
        self.links[slot as usize] = Link { before: NONE, after };
        if after != NONE {
            self.links[after as usize].before = slot;
        }
    }

    fn remove(&mut self, rows: &Rows, band: usize, slot: u32) {
        let Link { before, after } = self.links[slot as usize];
        if after != NONE {
            self.links[after as usize].before = before;
        }
        if before != NONE {
            self.links[before as usize].after = after;
            return;
        }
        let hash = spread(hash_of(rows.band(slot, band)));
        let bucket = self.buckets.find_entry(hash, |bucket| bucket.first == slot);
        let mut bucket = bucket.expect("a row without one before it is the first of a bucket");
        match after {
            NONE => _ = bucket.remove(),
            after => bucket.get_mut().first = after,
        }
    }

    /// The slots of a bucket, from this one on.
    fn from(&self, first: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(first, |slot| {
            Some(self.links[*slot as usize].after).filter(|after| *after != NONE)
        })
    }
}

impl Bands {
    /// No rows, of this number of bands with `width` bytes each.
    pub fn new(bands: usize, width: usize) -> Bands {
        let rows = Rows { width, length: bands * width, bytes: Vec::new() };
        Bands { bands: (0..bands).map(|_| Band::default()).collect(), rows }
    }

    /// The bytes of a row.
    pub fn length(&self) -> usize {
        self.rows.length
    }

    /// The row in a slot.
    pub fn row(&self, slot: u32) -> &[u8] {
        self.rows.get(slot)
    }

    /// Puts a row into a slot, which must be empty.
    ///
    /// # Panics
    /// Panics if the row has another length.
    pub fn insert(&mut self, slot: u32, row: &[u8]) {
        self.rows.set(slot, row);
        for (number, band) in self.bands.iter_mut().enumerate() {
            band.insert(&self.rows, number, slot);
        }
    }

    /// Puts rows into as many different slots, which must be empty.
    pub fn insert_all(&mut self, slots: &[u32], rows: &[u8]) {
        for (slot, row) in slots.iter().zip(rows.chunks_exact(self.rows.length)) {
            self.rows.set(*slot, row);
        }
        self.bands.par_iter_mut().enumerate().for_each(|(number, band)| {
            band.buckets.reserve(slots.len(), |bucket| spread(bucket.hash));
            slots.iter().for_each(|slot| band.insert(&self.rows, number, *slot));
        });
    }

    /// Empties a slot, which must have a row.
    pub fn remove(&mut self, slot: u32) {
        for (number, band) in self.bands.iter_mut().enumerate() {
            band.remove(&self.rows, number, slot);
        }
    }

    /// The slots of the rows that have one of the first `bands` bands in common with this row, in
    /// their order.
    pub fn find(&self, row: &[u8], bands: usize, found: &mut Vec<u32>) {
        found.clear();
        let values = row.chunks_exact(self.rows.width);
        for (number, (band, values)) in self.bands.iter().zip(values).take(bands).enumerate() {
            found.extend(band.from(band.find(&self.rows, number, values)));
        }
        found.sort_unstable();
        found.dedup();
    }

    /// [`find`](Self::find) for each of several rows, under all bands.
    pub fn find_all(&self, rows: &[u8]) -> Vec<Vec<u32>> {
        let find = |row| {
            let mut found = Vec::new();
            self.find(row, self.bands.len(), &mut found);
            found
        };
        rows.par_chunks_exact(self.rows.length).map(find).collect()
    }

    /// The number of buckets of a band.
    pub fn buckets(&self, band: usize) -> usize {
        self.bands[band].buckets.len()
    }

    /// The first slot of each bucket of a band, in no order.
    pub fn firsts(&self, band: usize) -> impl Iterator<Item = u32> {
        self.bands[band].buckets.iter().map(|bucket| bucket.first)
    }

    /// The slots of the bucket of a band that this slot is the first of.
    pub fn bucket_of(&self, band: usize, first: u32) -> impl Iterator<Item = u32> {
        self.bands[band].from(Some(first))
    }

    /// The slots of the bucket of a band with these values.
    pub fn bucket(&self, band: usize, values: &[u8]) -> impl Iterator<Item = u32> {
        self.bands[band].from(self.bands[band].find(&self.rows, band, values))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_are_found_as_by_comparing_each(
            rows in proptest::collection::vec(proptest::collection::vec(0u8..3, 6), 1..60),
            steps in proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..120),
            at_once in 0usize..20,
        ) {
            let at_once = at_once.min(rows.len());
            let mut bands = Bands::new(3, 2);
            let mut there = vec![false; rows.len()];
            let slots: Vec<u32> = (0..at_once as u32).collect();
            bands.insert_all(&slots, &rows[..at_once].concat());
            there[..at_once].fill(true);
            for (index, remove) in steps {
                let slot = index.index(rows.len());
                match (there[slot], remove) {
                    (true, true) => bands.remove(slot as u32),
                    (false, false) => bands.insert(slot as u32, &rows[slot]),
                    _ => continue,
                }
                there[slot] = !there[slot];
            }
            let meets = |left: &[u8], right: &[u8], count: usize| {
                left.chunks(2).zip(right.chunks(2)).take(count).any(|(left, right)| left == right)
            };
            let mut found = Vec::new();
            for row in &rows {
                for count in 1..=3 {
                    bands.find(row, count, &mut found);
                    let expected: Vec<u32> = (0..rows.len())
                        .filter(|slot| there[*slot] && meets(row, &rows[*slot], count))
                        .map(|slot| slot as u32)
                        .collect();
                    prop_assert_eq!(&found, &expected);
                }
            }
            prop_assert_eq!(bands.find_all(&rows[0]), [{ bands.find(&rows[0], 3, &mut found); found }]);
            for band in 0..3 {
                let mut members: Vec<u32> = bands
                    .firsts(band)
                    .flat_map(|first| bands.bucket_of(band, first).collect::<Vec<u32>>())
                    .collect();
                members.sort_unstable();
                let all: Vec<u32> = (0..rows.len() as u32).filter(|slot| there[*slot as usize]).collect();
                prop_assert_eq!(members, all);
                prop_assert_eq!(bands.firsts(band).count(), bands.buckets(band));
            }
        }
    }
}
