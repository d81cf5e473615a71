//! Fingerprints of the package with ids, added and deleted at any time -> those near a fingerprint.

use std::sync::RwLock;

use hashbrown::{HashSet, HashTable};
use nearprint_core::near::{Lookup, Neighbor};
use pyo3::prelude::*;
use pyo3::sync::RwLockExt;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use super::{Simhash, width};
use crate::errors::usage;

/// Fingerprints with ids, and the search for those near a fingerprint: within ``k`` bits,
/// inclusive.
///
/// ``objs`` is an iterable of (obj_id, Simhash), each of ``f`` bits; ``k`` is from 0 to f - 1. Ids
/// are kept as ``str(obj_id)``. The same id may have several fingerprints; the same id with an
/// equal one twice counts once. ``log`` is ignored.
///
/// Answers are complete, in the order in which the fingerprints were added. Many threads may search
/// at once.
///
/// Raises UsageError, a ValueError, for an invalid ``k`` or width.
///
/// >>> from nearprint.simhash import Simhash, SimhashIndex
/// >>> index = SimhashIndex([("a", Simhash(0b0000)), ("b", Simhash(0b0011)), (3, Simhash(0b0111))], k=2)
/// >>> index.get_near_dups(Simhash(0b0001)), len(index)
/// (['a', 'b', '3'], 3)
/// >>> index.delete("a", Simhash(0b0000))
/// >>> index.get_near_dups(Simhash(0b0000))
/// ['b']
#[pyclass(frozen, module = "nearprint.simhash")]
#[derive(Debug)]
pub(crate) struct SimhashIndex {
    bits: u32,
    held: RwLock<Held>,
}

#[derive(Debug)]
struct Held {
    /// The fingerprints, padded with zeros to a width of the lookup.
    lookup: Lookup,
    /// The entries by slot; a deleted one stays until its slot is used again.
    entries: Vec<Entry>,
    /// Slots by id and fingerprint.
    slots: HashTable<u32>,
    /// Number of added fingerprints.
    added: u64,
}

#[derive(Debug)]
struct Entry {
    id: Py<PyString>,
    /// The hash of the id and the fingerprint.
    hash: u64,
    /// Its number in the order of addition.
    number: u64,
}

/// An id with a fingerprint, to add, delete or search. All code of the caller for it has run.
struct Wanted<'py> {
    id: Bound<'py, PyString>,
    words: [u64; 4],
    hash: u64,
}

impl SimhashIndex {
    fn words(&self, py: Python<'_>, simhash: &Simhash) -> PyResult<[u64; 4]> {
        simhash.check_alike(py, self.bits)?;
        Ok(simhash.words)
    }

    fn wanted<'py>(&self, id: &Bound<'py, PyAny>, simhash: &Simhash) -> PyResult<Wanted<'py>> {
        let words = self.words(id.py(), simhash)?;
        let id = match id.cast_exact::<PyString>() {
            Ok(id) => id.clone(),
            Err(_) => id.str()?,
        };
        // Both numbers are well mixed; the product brings every bit of them to the top, which the
        // table uses first.
        let mixed = words.iter().fold(id.hash()? as u64, |hash, word| hash.rotate_left(7) ^ word);
        let hash = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Ok(Wanted { id, words, hash: hash ^ hash >> 32 })
    }
}

impl Held {
    fn words_each(&self) -> usize {
        self.lookup.bits().div_ceil(64) as usize
    }

    /// The slot of an id with a fingerprint.
    fn find(&self, wanted: &Wanted<'_>) -> Option<u32> {
        let words = &wanted.words[..self.words_each()];
        let same = |slot: &u32| {
            let entry = &self.entries[*slot as usize];
            entry.hash == wanted.hash
                && self.lookup.get(*slot) == Some(words)
                && (entry.id.is(&wanted.id) || wanted.id.as_any().eq(&entry.id).unwrap_or(false))
        };
        self.slots.find(wanted.hash, same).copied()
    }

    fn add(&mut self, wanted: Wanted<'_>) {
        if self.find(&wanted).is_some() {
            return;
        }
        let slot = self.lookup.insert(&wanted.words[..self.words_each()]);
        let entry = Entry { id: wanted.id.unbind(), hash: wanted.hash, number: self.added };
        match self.entries.get_mut(slot as usize) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
        self.slots.insert_unique(wanted.hash, slot, |slot| self.entries[*slot as usize].hash);
        self.added += 1;
    }

    fn delete(&mut self, wanted: &Wanted<'_>) {
        if let Some(slot) = self.find(wanted) {
            self.lookup.remove(slot);
            let place = self.slots.find_entry(wanted.hash, |other| *other == slot);
            place.expect("it was found").remove();
        }
    }

    /// Slots in the order in which their fingerprints were added.
    fn in_order(&self) -> Vec<u32> {
        let mut slots: Vec<u32> = self.slots.iter().copied().collect();
        slots.sort_unstable_by_key(|slot| self.entries[*slot as usize].number);
        slots
    }

    /// The ids near a fingerprint, in the order of addition.
    fn near(&self, py: Python<'_>, words: [u64; 4]) -> Vec<Py<PyString>> {
        let mut near: Vec<Neighbor> = Vec::new();
        self.lookup.near(&words[..self.words_each()], &mut near);
        if near.len() > 1 {
            near.sort_unstable_by_key(|neighbor| self.entries[neighbor.slot as usize].number);
        }
        near.iter().map(|neighbor| self.entries[neighbor.slot as usize].id.clone_ref(py)).collect()
    }
}

impl Held {
    /// The number of different keys of the block of bits from `start` to `end`, counted from the
    /// lowest bit of `bits`.
    fn keys(&self, start: u32, end: u32, bits: u32) -> usize {
        let mut mask = [0; 4];
        (bits - end..bits - start).for_each(|bit| mask[bit as usize / 64] |= 1 << (63 - bit % 64));
        let words = self.slots.iter().filter_map(|slot| self.lookup.get(*slot));
        let keys = words.map(|words| {
            let mut key = [0; 4];
            key.iter_mut()
                .zip(words.iter().zip(mask))
                .for_each(|(key, (word, mask))| *key = word & mask);
            key
        });
        keys.collect::<HashSet<[u64; 4]>>().len()
    }
}

const UNBROKEN: &str = "no call fails while it changes something";

#[pymethods]
impl SimhashIndex {
    #[new]
    #[pyo3(signature = (objs, f=64, k=2, log=None))]
    fn new(
        objs: &Bound<'_, PyAny>,
        f: i64,
        k: i64,
        log: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<SimhashIndex> {
        let _ = log;
        let py = objs.py();
        let bits = width(py, f, true)?;
        let max_distance = u32::try_from(k).ok().filter(|k| *k < bits);
        let max_distance = max_distance.ok_or_else(|| {
            usage(py, "k", format!("{k} is not between 0 and f - 1, {}", bits - 1))
        })?;
        let widths = [32, 64, 128, 256];
        let wide =
            widths.into_iter().find(|wide| *wide >= bits).expect("no width is above the last");
        let lookup = Lookup::new(wide, max_distance);
        let held = Held { lookup, entries: Vec::new(), slots: HashTable::new(), added: 0 };
        let mut index = SimhashIndex { bits, held: RwLock::new(held) };
        for pair in objs.try_iter()? {
            let (id, simhash): (Bound<'_, PyAny>, PyRef<'_, Simhash>) = pair?.extract()?;
            let wanted = index.wanted(&id, &simhash)?;
            index.held.get_mut().expect(UNBROKEN).add(wanted);
        }
        Ok(index)
    }

    /// Adds a fingerprint with an id. An equal one with the same id is not added again.
    fn add(&self, obj_id: &Bound<'_, PyAny>, simhash: &Simhash) -> PyResult<()> {
        let wanted = self.wanted(obj_id, simhash)?;
        self.held.write_py_attached(obj_id.py()).expect(UNBROKEN).add(wanted);
        Ok(())
    }

    /// Deletes the fingerprint of an id, if it is there.
    fn delete(&self, obj_id: &Bound<'_, PyAny>, simhash: &Simhash) -> PyResult<()> {
        let wanted = self.wanted(obj_id, simhash)?;
        self.held.write_py_attached(obj_id.py()).expect(UNBROKEN).delete(&wanted);
        Ok(())
    }

    /// The ids with a fingerprint within ``k`` bits of this one, each once, in the order of
    /// addition.
    fn get_near_dups<'py>(
        &self,
        py: Python<'py>,
        simhash: &Simhash,
    ) -> PyResult<Bound<'py, PyList>> {
        let words = self.words(py, simhash)?;
        // The list is made after the lock is released, since making it may run code of the caller.
        let ids = self.held.read_py_attached(py).expect(UNBROKEN).near(py, words);
        if ids.len() <= 1 {
            return PyList::new(py, ids);
        }
        let once = PyDict::new(py);
        ids.iter().try_for_each(|id| once.set_item(id, ()))?;
        Ok(once.keys())
    }

    /// The number of buckets that the package would have for this index: the different values of
    /// each of k + 1 blocks of bits. nearprint has other tables.
    fn bucket_size(&self, py: Python<'_>) -> usize {
        let held = self.held.read_py_attached(py).expect(UNBROKEN);
        let blocks = held.lookup.max_distance() + 1;
        let each = self.bits / blocks;
        let end = |block: u32| if block + 1 == blocks { self.bits } else { (block + 1) * each };
        (0..blocks).map(|block| held.keys(block * each, end(block), self.bits)).sum()
    }

    /// The width of its fingerprints in bits.
    #[getter]
    fn f(&self) -> u32 {
        self.bits
    }

    /// The maximum number of differing bits.
    #[getter]
    fn k(&self, py: Python<'_>) -> u32 {
        self.held.read_py_attached(py).expect(UNBROKEN).lookup.max_distance()
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.held.read_py_attached(py).expect(UNBROKEN).lookup.len()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let held = self.held.read_py_attached(py).expect(UNBROKEN);
        let entry = |slot: u32| {
            let mut words = [0; 4];
            let own = held.lookup.get(slot).expect("it is in the table");
            words[..own.len()].copy_from_slice(own);
            (held.entries[slot as usize].id.clone_ref(py), Simhash { bits: self.bits, words })
        };
        let entries: Vec<(Py<PyString>, Simhash)> =
            held.in_order().into_iter().map(entry).collect();
        let max_distance = held.lookup.max_distance();
        drop(held);
        let arguments = (entries, self.bits, max_distance).into_pyobject(py)?;
        Ok((py.get_type::<SimhashIndex>().into_any(), arguments))
    }
}
