//! Items, hash functions of the caller -> minima, as NumPy has them in memory.

use std::collections::BTreeMap;
use std::sync::Mutex;

use memchr::memchr_iter;
use nearprint::run::pool;
use nearprint_core::fingerprint::minhash::{self, sha1_64, sha1_all};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyIterator, PyList, PyString, PyTuple};

use crate::errors::{OrException, usage};

/// Bytes of what is read and made of the documents that are hashed together, on one thread. They
/// stay in its cache.
const PART: usize = 512 << 10;

/// The most such bytes of one call.
const MOST: usize = 32 << 20;

/// Stands after each item that has been read. No text in UTF-8 has this byte.
const BETWEEN: u8 = 0xff;

/// The permutations of a MinHash, and what they make of items.
///
/// ``a`` and ``b`` are the bytes of arrays of numbers, of 32 bits for ``affine32``, else of 64.
/// Minima go in and out as bytes, too. ``hashfunc`` is None for SHA-1.
#[pyclass(frozen, module = "nearprint._nearprint")]
#[derive(Debug)]
pub(crate) struct Permutations(minhash::Permutations);

/// How items become hash values.
enum Hashing<'h, 'py> {
    /// The first bytes of SHA-1.
    Sha1,
    /// A function of the caller, and the largest value that it may give.
    Function(&'h Bound<'py, PyAny>, u64),
}

/// What has been read of a document, or of several.
#[derive(Default)]
struct Part {
    /// The items, each with `BETWEEN` after it.
    bytes: Vec<u8>,
    /// The end of each item.
    ends: Vec<usize>,
    /// Hash values instead of items, under a function of the caller.
    hashes: Vec<u64>,
    /// The number of items, or of hash values, up to the end of each document.
    documents: Vec<usize>,
}

impl Part {
    fn add(&mut self, item: &Bound<'_, PyAny>, hashing: &Hashing<'_, '_>) -> PyResult<()> {
        match hashing {
            Hashing::Sha1 => {
                with_bytes(item, |bytes| self.bytes.extend_from_slice(bytes))?;
                self.ends.push(self.bytes.len());
                self.bytes.push(BETWEEN);
            }
            Hashing::Function(function, largest) => {
                self.hashes.push(called(function, item, *largest)?);
            }
        }
        Ok(())
    }

    /// Adds all items of a list or tuple of bytes in one call, as calls for each would take more
    /// time than hashing. False if there are none, or other items, or one has `BETWEEN` in it.
    fn add_joined(&mut self, items: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = items.py();
        if !items.is_exact_instance_of::<PyList>() && !items.is_exact_instance_of::<PyTuple>() {
            return Ok(false);
        }
        let count = items.len()?;
        let between = PyBytes::new(py, &[BETWEEN]);
        let Ok(joined) = between.call_method1(intern!(py, "join"), (items,)) else {
            return Ok(false);
        };
        let (start, items_before) = (self.bytes.len(), self.ends.len());
        self.bytes.extend_from_slice(joined.cast::<PyBytes>()?.as_bytes());
        self.bytes.push(BETWEEN);
        self.ends.extend(memchr_iter(BETWEEN, &self.bytes[start..]).map(|end| start + end));
        let alone = self.ends.len() == items_before + count;
        if !alone {
            self.bytes.truncate(start);
            self.ends.truncate(items_before);
        }
        Ok(alone)
    }

    fn add_document(
        &mut self,
        items: &Bound<'_, PyAny>,
        hashing: &Hashing<'_, '_>,
    ) -> PyResult<()> {
        if !(matches!(hashing, Hashing::Sha1) && self.add_joined(items)?) {
            items.try_iter()?.try_for_each(|item| self.add(&item?, hashing))?;
        }
        self.documents.push(self.ends.len() + self.hashes.len());
        Ok(())
    }

    /// The hash values of all items.
    fn into_hashes(self, wide: bool) -> Vec<u64> {
        if self.ends.is_empty() {
            return self.hashes;
        }
        let mut hashes = sha1_all(&self.bytes, &self.ends);
        if !wide {
            hashes.iter_mut().for_each(|hash| *hash &= u64::from(u32::MAX));
        }
        hashes
    }
}

impl Permutations {
    fn hashing<'h, 'py>(&self, hashfunc: Option<&'h Bound<'py, PyAny>>) -> Hashing<'h, 'py> {
        let largest = match self.0 {
            minhash::Permutations::Affine32 { .. } => u64::from(u32::MAX),
            _ => u64::MAX,
        };
        hashfunc.map_or(Hashing::Sha1, |function| Hashing::Function(function, largest))
    }

    fn is_wide(&self) -> bool {
        matches!(self.0, minhash::Permutations::Affine64 { .. })
    }

    /// Reads documents until they have the bytes of a part.
    fn read(
        &self,
        documents: &Bound<'_, PyIterator>,
        hashfunc: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Part> {
        let hashing = self.hashing(hashfunc);
        let mut part = Part::default();
        for document in documents {
            part.add_document(&document?, &hashing)?;
            if self.size(&part) >= PART {
                break;
            }
        }
        Ok(part)
    }

    /// The bytes of a part and its minima.
    fn size(&self, part: &Part) -> usize {
        let items = part.bytes.len() + 8 * (part.ends.len() + part.hashes.len());
        items + self.0.width() * part.documents.len()
    }

    /// The minima of each document of a part, which begin with `start`.
    fn minima(&self, mut part: Part, start: &[u8]) -> Vec<u8> {
        let documents = std::mem::take(&mut part.documents);
        let mut hashes = part.into_hashes(self.is_wide());
        let mut lowered = start.repeat(documents.len());
        let mut begin = 0;
        for (minima, end) in lowered.chunks_exact_mut(self.0.width()).zip(documents) {
            self.0.lower(minima, &mut hashes[begin..end]);
            begin = end;
        }
        lowered
    }

    fn check(&self, py: Python<'_>, minima: &[u8]) -> PyResult<()> {
        let (found, expected) = (minima.len(), self.0.width());
        if found == expected {
            return Ok(());
        }
        let problem =
            format!("{found} bytes of hash values, where the permutations make {expected}");
        Err(usage(py, "hashvalues", problem))
    }
}

#[pymethods]
impl Permutations {
    #[new]
    fn new(py: Python<'_>, scheme: &str, a: &[u8], b: &[u8]) -> PyResult<Permutations> {
        if a.len() != b.len() {
            let problem = format!("{} bytes of factors and {} of summands", a.len(), b.len());
            return Err(usage(py, "permutations", problem));
        }
        let short =
            |bytes: &[u8]| bytes.as_chunks().0.iter().map(|x| u32::from_ne_bytes(*x)).collect();
        let long =
            |bytes: &[u8]| bytes.as_chunks().0.iter().map(|x| u64::from_ne_bytes(*x)).collect();
        Ok(Permutations(match scheme {
            "affine32" => minhash::Permutations::Affine32 { a: short(a), b: short(b) },
            "affine64" => minhash::Permutations::Affine64 { a: long(a), b: long(b) },
            _ => minhash::Permutations::Legacy { a: long(a), b: long(b) },
        }))
    }

    /// The minima with one more item.
    #[pyo3(signature = (minima, item, hashfunc))]
    fn update<'py>(
        &self,
        minima: &Bound<'py, PyBytes>,
        item: &Bound<'py, PyAny>,
        hashfunc: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let py = minima.py();
        self.check(py, minima.as_bytes())?;
        let hash = match self.hashing(hashfunc) {
            Hashing::Sha1 if self.is_wide() => with_bytes(item, sha1_64)?,
            Hashing::Sha1 => u64::from(with_bytes(item, sha1_64)? as u32),
            Hashing::Function(function, largest) => called(function, item, largest)?,
        };
        PyByteArray::new_with(py, self.0.width(), |lowered| {
            lowered.copy_from_slice(minima.as_bytes());
            self.0.lower(lowered, &mut [hash]);
            Ok(())
        })
    }

    /// The minima with more items; None if there are none.
    #[pyo3(signature = (minima, items, hashfunc))]
    fn update_batch<'py>(
        &self,
        minima: &Bound<'py, PyBytes>,
        items: &Bound<'py, PyAny>,
        hashfunc: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyByteArray>>> {
        let py = minima.py();
        self.check(py, minima.as_bytes())?;
        let mut part = Part::default();
        part.add_document(items, &self.hashing(hashfunc))?;
        if part.documents == [0] {
            return Ok(None);
        }
        let start = minima.as_bytes();
        Ok(Some(PyByteArray::new(py, &py.detach(|| self.minima(part, start)))))
    }

    /// The minima of the next documents, of which each begins with `minima`: of some at a time, one
    /// row after the other. An empty list if no document is left.
    #[pyo3(signature = (minima, documents, hashfunc))]
    fn bulk<'py>(
        &self,
        minima: &Bound<'py, PyBytes>,
        documents: Py<PyIterator>,
        hashfunc: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyByteArray>>> {
        let (py, start) = (minima.py(), minima.as_bytes());
        self.check(py, start)?;
        let read = |py: Python<'_>| {
            self.read(documents.bind(py), hashfunc.as_ref().map(|own| own.bind(py)))
        };
        let mut part = read(py)?;
        if part.documents.is_empty() {
            return Ok(vec![]);
        }
        if self.size(&part) < PART {
            return Ok(vec![PyByteArray::new(py, &py.detach(|| self.minima(part, start)))]);
        }
        let threads = pool(0).or_exception(py)?;
        let made = Mutex::new(BTreeMap::new());
        let unbroken = "no thread panics while it holds the lock";
        py.detach(|| {
            threads.in_place_scope(|scope| {
                let mut size = 0;
                for number in 0.. {
                    size += self.size(&part);
                    let (own, made) = (std::mem::take(&mut part), &made);
                    scope.spawn(move |_| {
                        let minima = self.minima(own, start);
                        made.lock().expect(unbroken).insert(number, minima);
                    });
                    if size >= MOST {
                        break;
                    }
                    part = Python::attach(read)?;
                    if part.documents.is_empty() {
                        break;
                    }
                }
                PyResult::Ok(())
            })
        })?;
        let made = made.into_inner().expect(unbroken);
        Ok(made.values().map(|minima| PyByteArray::new(py, minima)).collect())
    }
}

/// The hash value that a function of the caller gives.
fn called(function: &Bound<'_, PyAny>, item: &Bound<'_, PyAny>, largest: u64) -> PyResult<u64> {
    let py = item.py();
    let hash = function.call1((item,))?;
    let wrong = |_| PyTypeError::new_err("hashfunc must return an int");
    let integer = match hash.cast_exact::<PyInt>() {
        Ok(_) => hash.clone(),
        Err(_) => hash.call_method0("__index__").map_err(wrong)?,
    };
    match integer.extract::<u64>() {
        Ok(value) if value <= largest => Ok(value),
        _ => {
            let bits = 64 - largest.leading_zeros();
            let problem = format!(
                "{integer} is no hash value of {bits} bits; return a number from 0 to 2 ** {bits} - 1"
            );
            Err(usage(py, "hashfunc", problem))
        }
    }
}

/// Calls `work` with the bytes of an item: bytes, or what hashlib takes as well.
fn with_bytes<T>(item: &Bound<'_, PyAny>, work: impl FnOnce(&[u8]) -> T) -> PyResult<T> {
    if let Ok(bytes) = item.cast::<PyBytes>() {
        return Ok(work(bytes.as_bytes()));
    }
    let py = item.py();
    let wrong = |_| {
        let of = item.get_type().name().map_or_else(|_| "that".into(), |name| name.to_string());
        let remedy = match item.is_instance_of::<PyString>() {
            true => "write text.encode(\"utf-8\")",
            false => "give a hashfunc that takes others",
        };
        PyTypeError::new_err(format!("a MinHash takes bytes, not {of}; {remedy}"))
    };
    let view = py.import("builtins")?.getattr("memoryview")?.call1((item,)).map_err(wrong)?;
    let bytes = view.call_method0("tobytes")?;
    Ok(work(bytes.cast::<PyBytes>()?.as_bytes()))
}
