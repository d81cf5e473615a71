//! A fingerprint in Python.

use std::sync::Arc;

use nearprint_core::fingerprint::{self, to_hex};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString, PyTuple};

use crate::errors::{exception, usage};
use crate::fingerprints::Fingerprints;

/// The fingerprint of one text: a value of 32, 64, 128 or 256 bits, which str(), bytes() and int()
/// turn into hexadecimal digits, bytes and an integer, bit 0 first and highest.
///
/// `Fingerprint(value)` takes hexadecimal digits, bytes or, with `bits=`, an integer. ValueError
/// for other widths and other digits.
///
/// >>> one = nr.Fingerprint("fd66ef2dfd66ef2d")
/// >>> one.bits, one.hex(), one == nr.Fingerprint(int(one), bits=64)
/// (64, 'fd66ef2dfd66ef2d', True)
#[pyclass(frozen, module = "nearprint")]
#[derive(Debug, Clone)]
pub(crate) struct Fingerprint {
    bits: u32,
    words: [u64; 4],
    /// The recipe that made it; `None` if unknown.
    made: Option<Arc<str>>,
}

impl Fingerprint {
    /// The fingerprint as a column.
    pub fn as_column(&self) -> Fingerprints {
        let each = self.bits.div_ceil(64) as usize;
        let column = fingerprint::Fingerprints::of_words(self.bits, self.words[..each].to_vec());
        Fingerprints::new(column, None, self.made.clone())
    }

    /// A fingerprint as an object, bytes or hexadecimal digits; `None` for other values.
    pub fn of_one(value: &Bound<'_, PyAny>) -> PyResult<Option<Fingerprint>> {
        if let Ok(own) = value.cast::<Fingerprint>() {
            return Ok(Some(own.get().clone()));
        }
        let is_one = value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyString>();
        is_one.then(|| Fingerprint::from_value(value, None)).transpose()
    }

    /// Its words, those beyond its bits 0.
    pub fn words(&self) -> &[u64; 4] {
        &self.words
    }

    /// The width and the recipe.
    pub fn kind(&self) -> (u32, &Option<Arc<str>>) {
        (self.bits, &self.made)
    }

    pub fn new(bits: u32, words: [u64; 4], made: Option<Arc<str>>) -> Fingerprint {
        Fingerprint { bits, words, made }
    }

    fn bytes(&self) -> Vec<u8> {
        let bytes = self.words.iter().flat_map(|word| word.to_be_bytes());
        bytes.take(self.bits as usize / 8).collect()
    }

    pub fn distance_to(&self, py: Python<'_>, other: &Fingerprint) -> PyResult<u32> {
        check_alike(py, self.kind(), other.kind())?;
        Ok(self
            .words
            .iter()
            .zip(&other.words)
            .map(|(left, right)| (left ^ right).count_ones())
            .sum())
    }
}

/// Refuses to compare fingerprints of different widths or recipes.
pub(crate) fn check_alike(
    py: Python<'_>,
    left: (u32, &Option<Arc<str>>),
    right: (u32, &Option<Arc<str>>),
) -> PyResult<()> {
    if left.0 != right.0 {
        return Err(usage(
            py,
            "bits",
            format!("cannot compare fingerprints of {} and of {} bits", left.0, right.0),
        ));
    }
    match (left.1, right.1) {
        (Some(left), Some(right)) if left != right => {
            let path = "fingerprints".into();
            let problem = format!(
                "made with other settings ({left}) than the others ({right}); make both with the \
                 same settings"
            )
            .into();
            Err(exception(py, &nearprint::Error::Incompatible { path, problem }))
        }
        _ => Ok(()),
    }
}

#[pymethods]
impl Fingerprint {
    /// A fingerprint from its hexadecimal digits, bytes, or an integer with its width.
    #[new]
    #[pyo3(signature = (value, bits=None))]
    pub fn from_value(value: &Bound<'_, PyAny>, bits: Option<u32>) -> PyResult<Fingerprint> {
        let wrong = |problem: String| usage(value.py(), "fingerprint", problem);
        let bytes: Vec<u8> = if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_str()?;
            // The parser of integers would accept a sign.
            let hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let pair = |place: usize| text.get(place..place + 2).filter(|_| hexadecimal);
            let digit =
                |place: usize| pair(place).and_then(|pair| u8::from_str_radix(pair, 16).ok());
            let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(digit).collect();
            bytes.ok_or_else(|| {
                wrong(format!(
                    "{text:?} is not hexadecimal; make the fingerprint of a text with a \
                     Fingerprinter"
                ))
            })?
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            bytes.as_bytes().to_vec()
        } else if let Ok(number) = value.call_method0("__index__") {
            let bits =
                bits.ok_or_else(|| wrong("an integer needs bits=, the width".to_string()))?;
            let bytes = number.call_method1("to_bytes", (bits.div_ceil(8), "big"));
            let too_large =
                |_| wrong(format!("{number} is not an unsigned integer of {bits} bits"));
            bytes.map_err(too_large)?.extract()?
        } else {
            return Err(PyTypeError::new_err("give hexadecimal digits, bytes, or an integer"));
        };
        let found = bytes.len() as u32 * 8;
        if !matches!(found, 32 | 64 | 128 | 256) || bits.is_some_and(|bits| bits != found) {
            return Err(wrong(format!("{found} bits; a fingerprint has 32, 64, 128 or 256")));
        }
        Ok(Fingerprint { bits: found, words: words_of(&bytes), made: None })
    }

    /// Width in bits.
    #[getter]
    fn bits(&self) -> u32 {
        self.bits
    }

    /// The recipe that made it, in words; None if unknown.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.made.as_deref()
    }

    /// Its hexadecimal digits, as the command line writes them.
    fn hex(&self) -> String {
        to_hex(&self.words, self.bits)
    }

    /// Hamming distance in bits, 0 to the width. IncompatibleError for a fingerprint made with
    /// other settings, UsageError for one of another width.
    ///
    /// >>> nr.Fingerprint("00000000").distance(nr.Fingerprint("0000000f"))
    /// 4
    fn distance(&self, py: Python<'_>, other: &Fingerprint) -> PyResult<u32> {
        self.distance_to(py, other)
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes())
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyInt>().call_method1("from_bytes", (PyBytes::new(py, &self.bytes()), "big"))
    }

    fn __str__(&self) -> String {
        self.hex()
    }

    fn __repr__(&self) -> String {
        format!("Fingerprint('{}')", self.hex())
    }

    fn __hash__(&self) -> u64 {
        self.words[0] ^ self.words[1].rotate_left(1)
    }

    fn __richcmp__(&self, other: &Fingerprint, how: CompareOp) -> PyResult<bool> {
        let same = self.bits == other.bits && self.words == other.words;
        match how {
            CompareOp::Eq => Ok(same),
            CompareOp::Ne => Ok(!same),
            _ => Err(PyTypeError::new_err("fingerprints have no order")),
        }
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let of = py.get_type::<Fingerprint>().getattr("_restore")?;
        Ok((of, (PyBytes::new(py, &self.bytes()), self.made.as_deref()).into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(bytes: &[u8], description: Option<&str>) -> Fingerprint {
        Fingerprint {
            bits: bytes.len() as u32 * 8,
            words: words_of(bytes),
            made: description.map(Arc::from),
        }
    }
}

/// The words of bytes, with the first bit as the highest of the first word.
pub(crate) fn words_of(bytes: &[u8]) -> [u64; 4] {
    let mut words = [0; 4];
    for (place, byte) in bytes.iter().enumerate() {
        words[place / 8] |= u64::from(*byte) << (56 - 8 * (place % 8));
    }
    words
}
