//! Items, hash functions of the caller -> minima, as NumPy has them in memory.

use nearprint::run::on_threads;
use nearprint_core::fingerprint::minhash::{self, sha1_32, sha1_64};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyIterator, PyString};

use super::MANY;
use crate::errors::{OrException, usage};

/// Bytes of items, or items, that are read before they are hashed. The work on them takes long
/// enough for the start of threads to be no matter.
const BLOCK: usize = 8 << 20;

/// The permutations of a MinHash, and what they make of items.
///
/// ``a`` and ``b`` are the bytes of arrays of numbers, of 32 bits for ``affine32``, else of 64.
/// Minima go in and out as bytes, too. ``hashfunc`` is None for SHA-1.
#[pyclass(frozen, module = "nearprint._nearprint")]
#[derive(Debug)]
pub(crate) struct Permutations(minhash::Permutations);

/// How items become hash values.
enum Hashing<'h, 'py> {
    /// The first 4 bytes of SHA-1, or the first 8.
    Sha1 { wide: bool },
    /// A function of the caller, and the largest value that it may give.
    Function(&'h Bound<'py, PyAny>, u64),
}

/// What has been read of several documents.
#[derive(Default)]
struct Block {
    /// The items, end to end.
    bytes: Vec<u8>,
    /// The end of each item.
    ends: Vec<usize>,
    /// Hash values instead of items, under a function of the caller.
    hashes: Vec<u64>,
    /// The number of items, or of hash values, up to the end of each document.
    documents: Vec<usize>,
}

impl Block {
    fn add(&mut self, item: &Bound<'_, PyAny>, hashing: &Hashing<'_, '_>) -> PyResult<()> {
        match hashing {
            Hashing::Sha1 { .. } => {
                with_bytes(item, |bytes| self.bytes.extend_from_slice(bytes))?;
                self.ends.push(self.bytes.len());
            }
            Hashing::Function(function, largest) => {
                self.hashes.push(called(function, item, *largest)?);
            }
        }
        Ok(())
    }

    fn add_document(
        &mut self,
        items: &Bound<'_, PyAny>,
        hashing: &Hashing<'_, '_>,
    ) -> PyResult<()> {
        items.try_iter()?.try_for_each(|item| self.add(&item?, hashing))?;
        self.documents.push(self.ends.len() + self.hashes.len());
        Ok(())
    }

    /// Adds the hash values of a document.
    fn hashes_of(&self, document: usize, wide: bool, hashes: &mut Vec<u64>) {
        let start = document.checked_sub(1).map_or(0, |before| self.documents[before]);
        let items = start..self.documents[document];
        if self.ends.is_empty() {
            return hashes.extend_from_slice(&self.hashes[items]);
        }
        let mut begin = start.checked_sub(1).map_or(0, |before| self.ends[before]);
        hashes.extend(self.ends[items].iter().map(|end| {
            let item = &self.bytes[begin..*end];
            begin = *end;
            if wide { sha1_64(item) } else { u64::from(sha1_32(item)) }
        }));
    }
}

impl Permutations {
    fn hashing<'h, 'py>(&self, hashfunc: Option<&'h Bound<'py, PyAny>>) -> Hashing<'h, 'py> {
        let largest = match self.0 {
            minhash::Permutations::Affine32 { .. } => u64::from(u32::MAX),
            _ => u64::MAX,
        };
        let wide = matches!(self.0, minhash::Permutations::Affine64 { .. });
        hashfunc.map_or(Hashing::Sha1 { wide }, |function| Hashing::Function(function, largest))
    }

    fn is_wide(&self) -> bool {
        matches!(self.0, minhash::Permutations::Affine64 { .. })
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
            Hashing::Sha1 { wide: true } => with_bytes(item, sha1_64)?,
            Hashing::Sha1 { wide: false } => u64::from(with_bytes(item, sha1_32)?),
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
        let mut block = Block::default();
        block.add_document(items, &self.hashing(hashfunc))?;
        if block.documents == [0] {
            return Ok(None);
        }
        let mut lowered = minima.as_bytes().to_vec();
        py.detach(|| {
            let mut hashes = Vec::new();
            block.hashes_of(0, self.is_wide(), &mut hashes);
            self.0.lower(&mut lowered, &mut hashes);
        });
        Ok(Some(PyByteArray::new(py, &lowered)))
    }

    /// The minima of the next documents, one row after the other, of which each begins with
    /// `minima`. No bytes if no document is left.
    #[pyo3(signature = (minima, documents, hashfunc))]
    fn bulk<'py>(
        &self,
        minima: &Bound<'py, PyBytes>,
        documents: &Bound<'py, PyIterator>,
        hashfunc: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let py = minima.py();
        self.check(py, minima.as_bytes())?;
        let hashing = self.hashing(hashfunc);
        let mut block = Block::default();
        for document in documents {
            block.add_document(&document?, &hashing)?;
            let size = block.bytes.len() + 8 * (block.ends.len() + block.hashes.len());
            if size + self.0.width() * block.documents.len() >= BLOCK {
                break;
            }
        }
        let mut lowered = minima.as_bytes().repeat(block.documents.len());
        let hashes_of =
            |document, hashes: &mut Vec<u64>| block.hashes_of(document, self.is_wide(), hashes);
        py.detach(|| {
            if block.documents.len() >= MANY {
                return on_threads(0, || self.0.lower_all(&mut lowered, hashes_of));
            }
            let mut hashes = Vec::new();
            for (document, minima) in lowered.chunks_exact_mut(self.0.width()).enumerate() {
                hashes.clear();
                hashes_of(document, &mut hashes);
                self.0.lower(minima, &mut hashes);
            }
            Ok(())
        })
        .or_exception(py)?;
        Ok(PyByteArray::new(py, &lowered))
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
