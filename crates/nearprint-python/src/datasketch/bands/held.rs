//! What an index of bands holds under its lock: rows, and the keys that they belong to.

use nearprint_core::near::Bands;
use pyo3::prelude::*;

/// The rows of MinHash objects, one after the other.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) bytes: Vec<u8>,
    /// The bytes of a hash value, 0 without rows.
    pub(super) width: usize,
}

#[derive(Debug, Default)]
pub(super) struct Held {
    /// The rows; none before the first MinHash, which tells the width of a hash value.
    pub(super) bands: Option<Bands>,
    /// The permutation scheme of the first MinHash that has one.
    pub(super) scheme: Option<String>,
    /// The names of the buckets of each band by number, under a hash function of the caller.
    pub(super) names: Vec<Vec<Py<PyAny>>>,
    /// The entries by slot; an empty slot is used again.
    entries: Vec<Option<Entry>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Entry {
    key: Py<PyAny>,
    /// The first slot of this key.
    first: u32,
    /// The next slot of a key that was inserted several times.
    next: Option<u32>,
}

impl Held {
    /// No rows, and no names of this number of bands.
    pub(super) fn with_names_of(bands: usize) -> Held {
        Held { names: (0..bands).map(|_| Vec::new()).collect(), ..Held::default() }
    }

    /// Checks the width of the rows of `bands` bands, and makes tables for the first ones.
    pub(super) fn expect(
        &mut self,
        bands: usize,
        length: usize,
        width: usize,
    ) -> Result<(), String> {
        let own = self.bands.get_or_insert_with(|| Bands::new(bands, length * width));
        match own.length() == bands * length * width {
            true => Ok(()),
            false => {
                Err(format!("hash values of {width} bytes, where those of the index have others"))
            }
        }
    }

    /// Slots for keys, which are their first ones for now.
    pub(super) fn take_slots(&mut self, keys: Vec<Py<PyAny>>) -> Vec<u32> {
        let mut slots = self.free.split_off(self.free.len().saturating_sub(keys.len()));
        let fresh = self.entries.len()..self.entries.len() + keys.len() - slots.len();
        self.entries.resize_with(fresh.end, || None);
        slots.extend(fresh.map(|slot| slot as u32));
        for (slot, key) in slots.iter().zip(keys) {
            self.entries[*slot as usize] = Some(Entry { key, first: *slot, next: None });
        }
        slots
    }

    /// Tells that a slot has the same key as another one.
    pub(super) fn connect(&mut self, slot: u32, first: u32) {
        // Another thread may have removed the key in the meantime.
        let Some(own) = &mut self.entries[first as usize] else { return };
        let next = own.next.replace(slot);
        if let Some(entry) = &mut self.entries[slot as usize] {
            (entry.first, entry.next) = (first, next);
        }
    }

    /// The slots of a key.
    pub(super) fn slots_from(&self, first: u32) -> Vec<u32> {
        let next = |slot: &u32| self.entries[*slot as usize].as_ref()?.next;
        std::iter::successors(Some(first), next).collect()
    }

    /// Removes the rows in these slots, and gives their keys back. The caller drops them after the
    /// lock, as this may run code of the user.
    pub(super) fn remove(&mut self, slots: &[u32]) -> Vec<Py<PyAny>> {
        let bands = self.bands.as_mut().expect("there are rows");
        slots.iter().for_each(|slot| bands.remove(*slot));
        self.free.extend(slots);
        let entries = slots.iter().filter_map(|slot| self.entries[*slot as usize].take());
        entries.map(|entry| entry.key).collect()
    }

    /// The keys of slots, which are in order, each once.
    pub(super) fn keys(&self, py: Python<'_>, slots: &[u32]) -> Vec<Py<PyAny>> {
        let entries = slots.iter().map(|slot| (slot, self.entries[*slot as usize].as_ref()));
        entries
            .filter_map(|(slot, entry)| {
                let Entry { key, first, .. } = entry?;
                let once = first == slot || slots.binary_search(first).is_err();
                once.then(|| key.clone_ref(py))
            })
            .collect()
    }
}
