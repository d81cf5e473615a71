//! Keys and MinHash objects -> an index of bands, whose tables can be looked into.

mod held;

use std::sync::RwLock;

use nearprint::run::on_threads;
use pyo3::exceptions::PyKeyError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::RwLockExt;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use super::MANY;
use crate::errors::{OrException, usage};
use held::{Held, Rows};

/// An index of MinHash objects by bands of their hash values.
///
/// Keys are held as they are given. A bucket of a table has as its name the bytes of its hash
/// values, from the highest on, or what ``hashfunc`` makes of these bytes.
#[pyclass(frozen, module = "nearprint._nearprint")]
#[derive(Debug)]
pub(crate) struct BandIndex {
    num_perm: usize,
    bands: usize,
    /// The hash values of a band.
    length: usize,
    hashfunc: Option<Py<PyAny>>,
    /// The slot of each key, of several the first one.
    slots: Py<PyDict>,
    /// For each band the numbers of the names that `hashfunc` gave; rows consist of these numbers.
    numbers: Vec<Py<PyDict>>,
    held: RwLock<Held>,
}

const UNBROKEN: &str = "no call fails while it changes something";

/// What a pickle holds: the scheme, the width, keys and their rows, and the names of each band.
type State<'py> = (Option<String>, usize, Vec<Py<PyAny>>, Bound<'py, PyBytes>, Vec<Vec<Py<PyAny>>>);

impl BandIndex {
    /// Adds the row of a MinHash to others, after a check of its length and its scheme. Only what
    /// is inserted teaches the index a scheme and names.
    fn read(&self, minhash: &Bound<'_, PyAny>, insert: bool, rows: &mut Rows) -> PyResult<()> {
        let py = minhash.py();
        let Some(values) = minhash.getattr_opt(intern!(py, "hashvalues"))? else {
            return Err(usage(
                py,
                "minhash",
                format!("{} is no MinHash; make one from its items by MinHash", minhash.repr()?),
            ));
        };
        let count = values.len()?;
        if count != self.num_perm {
            let expected = self.num_perm;
            let problem = format!("a MinHash of {count} hash values, where num_perm is {expected}");
            return Err(usage(py, "minhash", problem));
        }
        self.check_scheme(minhash, insert)?;
        let bytes = values.call_method0(intern!(py, "tobytes"))?;
        let bytes = bytes.cast::<PyBytes>()?.as_bytes();
        let width = bytes.len() / count;
        let row = &bytes[..self.bands * self.length * width];
        let own_width = if self.hashfunc.is_none() { width } else { size_of::<u64>() };
        if rows.width != own_width && rows.width != 0 {
            return Err(usage(py, "minhash", "hash values of several widths"));
        }
        rows.width = own_width;
        let Some(hashfunc) = &self.hashfunc else {
            rows.bytes.extend_from_slice(row);
            return Ok(());
        };
        for (band, values) in row.chunks_exact(self.length * width).enumerate() {
            let name = hashfunc.bind(py).call1((name_of(py, values, width),))?;
            rows.bytes.extend(self.number_of(band, &name, insert)?.to_ne_bytes());
        }
        Ok(())
    }

    /// Hash values do not show how they were made, so two schemes in one index would give wrong
    /// answers.
    fn check_scheme(&self, minhash: &Bound<'_, PyAny>, insert: bool) -> PyResult<()> {
        let py = minhash.py();
        let Some(scheme) = minhash.getattr_opt(intern!(py, "scheme"))? else { return Ok(()) };
        let scheme = scheme.cast::<PyString>()?.to_str()?;
        let other = {
            let held = self.held.read_py_attached(py).expect(UNBROKEN);
            match held.scheme.as_deref() {
                Some(known) if known == scheme => return Ok(()),
                known => known.map(str::to_string),
            }
        };
        if let Some(other) = other {
            let problem =
                format!("a MinHash of scheme {scheme}, where the first one here had {other}");
            return Err(usage(py, "scheme", problem));
        }
        if insert {
            let mut held = self.held.write_py_attached(py).expect(UNBROKEN);
            held.scheme.get_or_insert_with(|| scheme.to_string());
        }
        Ok(())
    }

    /// The number of a name of a bucket; of an unknown one `u64::MAX`, or a new one to `insert` it.
    fn number_of(&self, band: usize, name: &Bound<'_, PyAny>, insert: bool) -> PyResult<u64> {
        let py = name.py();
        let numbers = self.numbers[band].bind(py);
        if let Some(number) = numbers.get_item(name)? {
            return number.extract();
        }
        if !insert {
            return Ok(u64::MAX);
        }
        let number = {
            let mut held = self.held.write_py_attached(py).expect(UNBROKEN);
            held.names[band].push(name.clone().unbind());
            held.names[band].len() - 1
        };
        // Another thread may have given it a number in the meantime, which then counts.
        numbers.call_method1(intern!(py, "setdefault"), (name, number))?.extract()
    }

    /// The values of a band in a row.
    fn length_of_row(&self) -> usize {
        if self.hashfunc.is_none() { self.length } else { 1 }
    }

    /// Adds rows with their keys, all or none.
    fn add(&self, keys: &[Bound<'_, PyAny>], rows: &Rows, check: bool) -> PyResult<()> {
        let Some(py) = keys.first().map(|key| key.py()) else { return Ok(()) };
        let owned: Vec<Py<PyAny>> = keys.iter().map(|key| key.clone().unbind()).collect();
        let put = |held: &mut Held| {
            held.expect(self.bands, self.length_of_row(), rows.width)?;
            Ok(held.take_slots(owned))
        };
        // No code of the user runs under the lock, as it might ask the same index.
        let slots: Result<Vec<u32>, String> = if keys.len() < MANY {
            let mut held = self.held.write_py_attached(py).expect(UNBROKEN);
            put(&mut held).inspect(|slots| {
                let bands = held.bands.as_mut().expect("they are made");
                let rows = rows.bytes.chunks_exact(bands.length());
                slots.iter().zip(rows).for_each(|(slot, row)| bands.insert(*slot, row));
            })
        } else {
            let insert = || {
                let mut held = self.held.write().expect(UNBROKEN);
                let slots = put(&mut held);
                if let Ok(slots) = &slots {
                    held.bands.as_mut().expect("they are made").insert_all(slots, &rows.bytes);
                }
                slots
            };
            py.detach(|| on_threads(0, insert)).or_exception(py)?
        };
        let slots = slots.map_err(|problem| usage(py, "minhash", problem))?;
        // A dict does one thing at a time, so it decides which of two equal keys is the first.
        let known = self.slots.bind(py);
        let mut firsts: Vec<u32> = Vec::with_capacity(keys.len());
        for (key, slot) in keys.iter().zip(&slots) {
            let first = known.call_method1(intern!(py, "setdefault"), (key, *slot));
            match first.and_then(|first| first.extract()) {
                Ok(first) if first == *slot || !check => firsts.push(first),
                other => {
                    let added = keys.iter().zip(&slots).zip(&firsts);
                    let own = added.filter(|((_, slot), first)| slot == first);
                    own.into_iter().try_for_each(|((key, _), _)| known.del_item(key))?;
                    let mut held = self.held.write_py_attached(py).expect(UNBROKEN);
                    let removed = held.remove(&slots);
                    drop(held);
                    drop(removed);
                    return Err(match other {
                        Ok(_) => {
                            usage(py, "key", format!("{} is in the index already", key.repr()?))
                        }
                        Err(error) => error,
                    });
                }
            }
        }
        if slots != firsts {
            let mut held = self.held.write_py_attached(py).expect(UNBROKEN);
            let repeated = slots.iter().zip(&firsts).filter(|(slot, first)| slot != first);
            repeated.for_each(|(slot, first)| held.connect(*slot, *first));
        }
        Ok(())
    }

    /// The keys of the rows that share one of the first `bands` bands with that of a MinHash.
    fn met(&self, minhash: &Bound<'_, PyAny>, bands: usize) -> PyResult<Vec<Py<PyAny>>> {
        let mut rows = Rows::default();
        self.read(minhash, false, &mut rows)?;
        let held = self.held.read_py_attached(minhash.py()).expect(UNBROKEN);
        let mut found = Vec::new();
        if let Some(own) = held.bands.as_ref().filter(|own| own.length() == rows.bytes.len()) {
            own.find(&rows.bytes, bands, &mut found);
        }
        Ok(held.keys(minhash.py(), &found))
    }

    /// The name of the bucket of a band that has this row.
    fn name<'py>(
        &self,
        py: Python<'py>,
        held: &Held,
        band: usize,
        row: &[u8],
    ) -> Bound<'py, PyAny> {
        let width = row.len() / self.bands;
        let values = &row[band * width..][..width];
        match values.as_array() {
            Some(number) if self.hashfunc.is_some() => {
                held.names[band][u64::from_ne_bytes(*number) as usize].bind(py).clone()
            }
            _ => name_of(py, values, width / self.length).into_any(),
        }
    }

    /// All keys with their rows, in the order in which the keys were inserted.
    fn contents(&self, py: Python<'_>) -> PyResult<(Vec<Py<PyAny>>, Rows)> {
        let known: Vec<(Py<PyAny>, u32)> = self.slots.bind(py).items().extract()?;
        let held = self.held.read_py_attached(py).expect(UNBROKEN);
        let (mut keys, mut rows) = (Vec::new(), Rows::default());
        let Some(bands) = &held.bands else { return Ok((keys, rows)) };
        for (key, first) in known {
            for slot in held.slots_from(first) {
                keys.push(key.clone_ref(py));
                rows.bytes.extend_from_slice(bands.row(slot));
            }
        }
        rows.width = bands.length() / (self.bands * self.length_of_row());
        Ok((keys, rows))
    }
}

#[pymethods]
impl BandIndex {
    #[new]
    fn new(
        py: Python<'_>,
        num_perm: usize,
        bands: usize,
        length: usize,
        hashfunc: Option<Py<PyAny>>,
    ) -> PyResult<BandIndex> {
        if length == 0 || bands.checked_mul(length).is_none_or(|all| all > num_perm) {
            let problem = format!("{bands} bands of {length} hash values, of {num_perm} in all");
            return Err(usage(py, "params", problem));
        }
        let named = if hashfunc.is_some() { bands } else { 0 };
        Ok(BandIndex {
            num_perm,
            bands,
            length,
            hashfunc,
            slots: PyDict::new(py).unbind(),
            numbers: (0..named).map(|_| PyDict::new(py).unbind()).collect(),
            held: RwLock::new(Held::with_names_of(named)),
        })
    }

    /// Inserts a MinHash under a key.
    fn insert(
        &self,
        key: &Bound<'_, PyAny>,
        minhash: &Bound<'_, PyAny>,
        check: bool,
    ) -> PyResult<()> {
        let mut rows = Rows::default();
        self.read(minhash, true, &mut rows)?;
        self.add(std::slice::from_ref(key), &rows, check)
    }

    /// Inserts MinHash objects under as many keys, all or none.
    fn insert_all(
        &self,
        keys: Vec<Bound<'_, PyAny>>,
        minhashes: &Bound<'_, PyAny>,
        check: bool,
    ) -> PyResult<()> {
        let mut rows = Rows::default();
        let mut count = 0;
        for minhash in minhashes.try_iter()? {
            self.read(&minhash?, true, &mut rows)?;
            count += 1;
        }
        if count != keys.len() {
            let problem = format!("{} keys for {count} MinHash objects", keys.len());
            return Err(usage(minhashes.py(), "keys", problem));
        }
        self.add(&keys, &rows, check)
    }

    /// The keys that a MinHash meets in one of the first `bands` bands, or in any.
    #[pyo3(signature = (minhash, bands=None))]
    fn query(&self, minhash: &Bound<'_, PyAny>, bands: Option<usize>) -> PyResult<Vec<Py<PyAny>>> {
        self.met(minhash, bands.unwrap_or(self.bands))
    }

    /// The keys that each MinHash meets.
    fn query_all<'py>(&self, minhashes: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = minhashes.py();
        let (mut rows, mut count) = (Rows::default(), 0);
        for minhash in minhashes.try_iter()? {
            self.read(&minhash?, false, &mut rows)?;
            count += 1;
        }
        let find = || {
            let held = self.held.read().expect(UNBROKEN);
            let bands = held.bands.as_ref().filter(|own| own.length() * count == rows.bytes.len());
            bands.map_or_else(|| vec![vec![]; count], |own| own.find_all(&rows.bytes))
        };
        let found = py.detach(|| on_threads(0, find)).or_exception(py)?;
        let keys: Vec<Vec<Py<PyAny>>> = {
            let held = self.held.read_py_attached(py).expect(UNBROKEN);
            found.iter().map(|slots| held.keys(py, slots)).collect()
        };
        PyList::new(py, keys)
    }

    /// Removes a key. KeyError if it is not there.
    fn remove(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = key.py();
        let slots = self.slots.bind(py);
        let first: u32 = slots.call_method1(intern!(py, "pop"), (key,))?.extract()?;
        let removed = {
            let mut held = self.held.write_py_attached(py).expect(UNBROKEN);
            let slots = held.slots_from(first);
            held.remove(&slots)
        };
        drop(removed);
        Ok(())
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.slots.bind(key.py()).contains(key)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.slots.bind(py).len()
    }

    /// The keys, in the order in which they were inserted.
    fn keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.slots.bind(py).keys()
    }

    /// The names of the buckets of a key, one for each table; KeyError if it is not there.
    fn names<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = key.py();
        let Some(first) = self.slots.bind(py).get_item(key)? else {
            return Err(PyKeyError::new_err((key.clone().unbind(),)));
        };
        let first = first.extract()?;
        let held = self.held.read_py_attached(py).expect(UNBROKEN);
        let rows = held
            .slots_from(first)
            .into_iter()
            .filter_map(|slot| Some((held.bands.as_ref()?, slot)));
        let names = rows.flat_map(|(bands, slot)| {
            (0..self.bands)
                .map(|band| self.name(py, &held, band, bands.row(slot)))
                .collect::<Vec<_>>()
        });
        Ok(names.collect())
    }

    /// The number of buckets of a table.
    fn size(&self, py: Python<'_>, table: usize) -> usize {
        let held = self.held.read_py_attached(py).expect(UNBROKEN);
        held.bands.as_ref().map_or(0, |bands| bands.buckets(table))
    }

    /// The name of each bucket of a table, with the number of its keys.
    fn counts<'py>(&self, py: Python<'py>, table: usize) -> Vec<(Bound<'py, PyAny>, usize)> {
        let held = self.held.read_py_attached(py).expect(UNBROKEN);
        let Some(bands) = &held.bands else { return vec![] };
        let counted = bands.firsts(table).map(|first| {
            let mut slots: Vec<u32> = bands.bucket_of(table, first).collect();
            slots.sort_unstable();
            (self.name(py, &held, table, bands.row(first)), held.keys(py, &slots).len())
        });
        counted.collect()
    }

    /// The keys of the bucket of a table with this name.
    fn bucket(&self, table: usize, name: &Bound<'_, PyAny>) -> PyResult<Vec<Py<PyAny>>> {
        let py = name.py();
        let number = match self.hashfunc {
            Some(_) => Some(self.number_of(table, name, false)?),
            None => None,
        };
        let held = self.held.read_py_attached(py).expect(UNBROKEN);
        let Some(bands) = &held.bands else { return Ok(vec![]) };
        let width = bands.length() / self.bands;
        let values = match (number, name.cast::<PyBytes>()) {
            (Some(number), _) => number.to_ne_bytes().to_vec(),
            (None, Ok(name)) => swapped(name.as_bytes(), width / self.length),
            (None, Err(_)) => return Ok(vec![]),
        };
        let mut slots: Vec<u32> = bands.bucket(table, &values).collect();
        slots.sort_unstable();
        Ok(held.keys(py, &slots))
    }

    /// Inserts what another index of the same form holds.
    fn merge(&self, py: Python<'_>, other: &BandIndex) -> PyResult<()> {
        let (keys, mut rows) = other.contents(py)?;
        if other.hashfunc.is_some() != self.hashfunc.is_some() {
            return Err(usage(py, "hashfunc", "one index has a hash function, the other has none"));
        }
        if let Some(scheme) = other.held.read_py_attached(py).expect(UNBROKEN).scheme.clone() {
            let mut held = self.held.write_py_attached(py).expect(UNBROKEN);
            let own = held.scheme.get_or_insert_with(|| scheme.clone()).clone();
            drop(held);
            if own != scheme {
                let problem =
                    format!("MinHash objects of scheme {scheme} cannot join those of {own}");
                return Err(usage(py, "scheme", problem));
            }
        }
        if self.hashfunc.is_some() {
            // Each index numbers its names by itself.
            for (place, number) in rows.bytes.as_chunks_mut().0.iter_mut().enumerate() {
                let band = place % self.bands;
                let name = {
                    let held = other.held.read_py_attached(py).expect(UNBROKEN);
                    held.names[band][u64::from_ne_bytes(*number) as usize].clone_ref(py)
                };
                *number = self.number_of(band, name.bind(py), true)?.to_ne_bytes();
            }
        }
        let keys: Vec<Bound<'_, PyAny>> = keys.into_iter().map(|key| key.into_bound(py)).collect();
        self.add(&keys, &rows, false)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>, State<'py>)> {
        let (keys, rows) = self.contents(py)?;
        let held = self.held.read_py_attached(py).expect(UNBROKEN);
        let names = |of: &Vec<Py<PyAny>>| of.iter().map(|name| name.clone_ref(py)).collect();
        let state = (
            held.scheme.clone(),
            rows.width,
            keys,
            PyBytes::new(py, &rows.bytes),
            held.names.iter().map(names).collect(),
        );
        drop(held);
        let hashfunc = self.hashfunc.as_ref().map(|function| function.clone_ref(py));
        let arguments = (self.num_perm, self.bands, self.length, hashfunc).into_pyobject(py)?;
        Ok((py.get_type::<BandIndex>().into_any(), arguments, state))
    }

    fn __setstate__(&self, py: Python<'_>, state: State<'_>) -> PyResult<()> {
        let (scheme, width, keys, bytes, names) = state;
        for (numbers, names) in self.numbers.iter().zip(&names) {
            names
                .iter()
                .enumerate()
                .try_for_each(|(number, name)| numbers.bind(py).set_item(name, number))?;
        }
        {
            let mut held = self.held.write_py_attached(py).expect(UNBROKEN);
            (held.scheme, held.names) = (scheme, names);
        }
        let keys: Vec<Bound<'_, PyAny>> = keys.into_iter().map(|key| key.into_bound(py)).collect();
        self.add(&keys, &Rows { bytes: bytes.as_bytes().to_vec(), width }, false)
    }
}

/// Bytes of hash values from the highest on, and back.
fn swapped(values: &[u8], width: usize) -> Vec<u8> {
    let mut bytes = values.to_vec();
    // A hash value of a weighted MinHash has two numbers of 8 bytes.
    bytes.chunks_exact_mut(width.clamp(1, 8)).for_each(<[u8]>::reverse);
    bytes
}

fn name_of<'py>(py: Python<'py>, values: &[u8], width: usize) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &swapped(values, width))
}
