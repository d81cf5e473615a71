//! Fingerprints in Python: one, or a column of them.
//!
//! Both classes are in one file because each is made of the other, from the same words and the same
//! description.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::{DataType, Field};
use nearprint_core::fingerprint::{self, to_hex};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyInt, PyString, PyTuple};
use pyo3_arrow::PyArray;

use crate::documents::chunks_of;
use crate::errors::{exception, usage};

/// The fingerprint of one text: a value of 32, 64, 128 or 256 bits, which str(), bytes() and int()
/// turn into hexadecimal digits, bytes and an integer, bit 0 first and highest.
///
/// `Fingerprint(value)` makes one of hexadecimal digits or bytes, and with `bits=` of an integer.
/// ValueError for other widths and what is not hexadecimal.
///
/// >>> one = nr.Fingerprint("fd66ef2dfd66ef2d")
/// >>> one.bits, one.hex(), one == nr.Fingerprint(int(one), bits=64)
/// (64, 'fd66ef2dfd66ef2d', True)
#[pyclass(frozen, module = "nearprint")]
#[derive(Debug, Clone)]
pub(crate) struct Fingerprint {
    bits: u32,
    words: [u64; 4],
    /// How it was made; `None` where nobody said.
    made: Option<Arc<str>>,
}

impl Fingerprint {
    /// The same as a column.
    pub fn as_column(&self) -> Fingerprints {
        let each = self.bits.div_ceil(64) as usize;
        let column = fingerprint::Fingerprints::of_words(self.bits, self.words[..each].to_vec());
        Fingerprints::new(column, None, self.made.clone())
    }

    pub fn new(bits: u32, words: [u64; 4], made: Option<Arc<str>>) -> Fingerprint {
        Fingerprint { bits, words, made }
    }

    fn bytes(&self) -> Vec<u8> {
        let bytes = self.words.iter().flat_map(|word| word.to_be_bytes());
        bytes.take(self.bits as usize / 8).collect()
    }

    pub fn distance_to(&self, py: Python<'_>, other: &Fingerprint) -> PyResult<u32> {
        check_alike(py, (self.bits, &self.made), (other.bits, &other.made))?;
        Ok(self
            .words
            .iter()
            .zip(&other.words)
            .map(|(left, right)| (left ^ right).count_ones())
            .sum())
    }
}

/// Refuses to compare what was made in different ways.
pub(crate) fn check_alike(
    py: Python<'_>,
    left: (u32, &Option<Arc<str>>),
    right: (u32, &Option<Arc<str>>),
) -> PyResult<()> {
    if left.0 != right.0 {
        return Err(usage(
            py,
            "bits",
            format!("fingerprints of {} and of {} bits do not compare", left.0, right.0),
        ));
    }
    match (left.1, right.1) {
        (Some(left), Some(right)) if left != right => {
            let path = "fingerprints".into();
            let problem = format!(
                "made under other settings ({left}) than the others ({right}); make both alike"
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
    fn from_value(value: &Bound<'_, PyAny>, bits: Option<u32>) -> PyResult<Fingerprint> {
        let bytes: Vec<u8> = if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_str()?;
            // A sign would be taken, too.
            let hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let pair = |place: usize| text.get(place..place + 2).filter(|_| hexadecimal);
            let digit =
                |place: usize| pair(place).and_then(|pair| u8::from_str_radix(pair, 16).ok());
            let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(digit).collect();
            bytes.ok_or_else(|| PyValueError::new_err(format!("{text:?} is not hexadecimal")))?
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            bytes.as_bytes().to_vec()
        } else if let Ok(number) = value.call_method0("__index__") {
            let bits =
                bits.ok_or_else(|| PyValueError::new_err("an integer needs bits=, the width"))?;
            let bytes = number.call_method1("to_bytes", (bits.div_ceil(8), "big"));
            let wrong = |_| {
                PyValueError::new_err(format!(
                    "{number} is no integer of {bits} bits without a sign"
                ))
            };
            bytes.map_err(wrong)?.extract()?
        } else {
            return Err(PyTypeError::new_err("give hexadecimal digits, bytes, or an integer"));
        };
        let found = bytes.len() as u32 * 8;
        if !matches!(found, 32 | 64 | 128 | 256) || bits.is_some_and(|bits| bits != found) {
            return Err(PyValueError::new_err(format!(
                "{found} bits; a fingerprint has 32, 64, 128 or 256"
            )));
        }
        Ok(Fingerprint { bits: found, words: words_of(&bytes), made: None })
    }

    /// Width in bits.
    #[getter]
    fn bits(&self) -> u32 {
        self.bits
    }

    /// How it was made, in words; None where nobody said.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.made.as_deref()
    }

    /// Its hexadecimal digits, as the command line writes them.
    fn hex(&self) -> String {
        to_hex(&self.words, self.bits)
    }

    /// Hamming distance in bits, 0 to the width. IncompatibleError for a fingerprint made under
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

/// The words that bytes are, the first bit the highest of the first word.
pub(crate) fn words_of(bytes: &[u8]) -> [u64; 4] {
    let mut words = [0; 4];
    for (place, byte) in bytes.iter().enumerate() {
        words[place / 8] |= u64::from(*byte) << (56 - 8 * (place % 8));
    }
    words
}

/// A column of n fingerprints of one width. Arrow takes it as fixed-size binary of bits / 8 bytes
/// (`pyarrow.array(column)`), NumPy as an array of shape (n, bits / 64) of unsigned 64-bit integers
/// (`numpy.asarray(column)`); `column[0]` is a Fingerprint, or None.
///
/// `Fingerprints(column)` makes one of either, without copying Python objects; `bits=32` where
/// words are half used. UsageError for other columns.
///
/// >>> import numpy
/// >>> column = nr.Fingerprints(numpy.array([[1], [2]], dtype=numpy.uint64))
/// >>> len(column), column.bits, column.to_hex()
/// (2, 64, ['0000000000000001', '0000000000000002'])
#[pyclass(frozen, module = "nearprint")]
#[derive(Debug)]
pub(crate) struct Fingerprints {
    column: Arc<fingerprint::Fingerprints>,
    /// Which are there; `None` for all.
    valid: Option<NullBuffer>,
    made: Option<Arc<str>>,
}

impl Fingerprints {
    /// The words of all, those of null ones as well.
    pub fn column(&self) -> &fingerprint::Fingerprints {
        &self.column
    }

    /// Width, and how they were made.
    pub fn kind(&self) -> (u32, &Option<Arc<str>>) {
        (self.column.bits(), &self.made)
    }

    pub fn new(
        column: fingerprint::Fingerprints,
        valid: Option<NullBuffer>,
        made: Option<Arc<str>>,
    ) -> Fingerprints {
        Fingerprints { column: Arc::new(column), valid, made }
    }

    fn array(&self) -> PyResult<ArrayRef> {
        let bits = self.column.bits();
        let each = self.column.words_each();
        let mut bytes = Vec::with_capacity(self.column.len() * bits as usize / 8);
        for words in self.column.words().chunks_exact(each) {
            let start = bytes.len();
            words.iter().for_each(|word| bytes.extend_from_slice(&word.to_be_bytes()));
            bytes.truncate(start + bits as usize / 8);
        }
        let array = FixedSizeBinaryArray::try_new(
            bits as i32 / 8,
            Buffer::from_vec(bytes),
            self.valid.clone(),
        );
        Ok(Arc::new(array.map_err(|error| PyValueError::new_err(error.to_string()))?))
    }

    pub fn is_valid(&self, place: usize) -> bool {
        self.valid.as_ref().is_none_or(|valid| valid.is_valid(place))
    }

    /// The column, if no fingerprint in it is null.
    pub fn whole(&self, py: Python<'_>) -> PyResult<Arc<fingerprint::Fingerprints>> {
        match self.valid.as_ref().map_or(0, NullBuffer::null_count) {
            0 => Ok(self.column.clone()),
            count => Err(usage(
                py,
                "input",
                format!("{count} of the fingerprints are null; leave them out"),
            )),
        }
    }

    /// Any column of fingerprints: this class, Arrow's fixed-size binary, NumPy's unsigned 64-bit
    /// integers.
    pub fn of_any(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Py<Fingerprints>> {
        match value.cast::<Fingerprints>() {
            Ok(own) => Ok(own.clone().unbind()),
            Err(_) => Py::new(py, Fingerprints::from_column(py, value, None)?),
        }
    }
}

#[pymethods]
impl Fingerprints {
    /// Fingerprints from a column: Arrow's binary of one size, or a NumPy array of (n, words)
    /// unsigned 64-bit integers.
    #[new]
    #[pyo3(signature = (column, bits=None))]
    fn from_column(
        py: Python<'_>,
        column: &Bound<'_, PyAny>,
        bits: Option<u32>,
    ) -> PyResult<Fingerprints> {
        if let Some(bits) = bits.filter(|bits| !matches!(bits, 32 | 64 | 128 | 256)) {
            return Err(usage(py, "bits", format!("{bits} is not 32, 64, 128 or 256")));
        }
        if let Ok(own) = column.cast::<Fingerprints>() {
            let own = own.get();
            if bits.is_some_and(|bits| bits != own.column.bits()) {
                return Err(usage(
                    py,
                    "bits",
                    format!("the column has {} bits", own.column.bits()),
                ));
            }
            return Ok(Fingerprints {
                column: own.column.clone(),
                valid: own.valid.clone(),
                made: own.made.clone(),
            });
        }
        if column.hasattr("dtype")? && column.hasattr("tobytes")? {
            return of_numpy(py, column, bits);
        }
        let (chunks, field) = chunks_of(column)?;
        let mut words = Vec::new();
        let mut valid = Vec::new();
        let mut found = match field.data_type() {
            DataType::FixedSizeBinary(bytes @ (4 | 8 | 16 | 32)) => Some(*bytes as u32 * 8),
            _ => None,
        };
        for chunk in &chunks {
            let of_chunk = arrow_cast::cast(chunk, &DataType::BinaryView).map_err(|_| {
                usage(
                    py,
                    "input",
                    format!("a column of type {} holds no fingerprints", chunk.data_type()),
                )
            })?;
            if !matches!(
                chunk.data_type(),
                DataType::FixedSizeBinary(_)
                    | DataType::Binary
                    | DataType::LargeBinary
                    | DataType::BinaryView
            ) {
                return Err(usage(
                    py,
                    "input",
                    format!("a column of type {} holds no fingerprints", chunk.data_type()),
                ));
            }
            for bytes in of_chunk.as_binary_view().iter() {
                valid.push(bytes.is_some());
                let Some(bytes) = bytes else {
                    words.push([0; 4]);
                    continue;
                };
                let own = bytes.len() as u32 * 8;
                if !matches!(own, 32 | 64 | 128 | 256) || *found.get_or_insert(own) != own {
                    return Err(usage(
                        py,
                        "bits",
                        format!(
                            "row {} has {own} bits; all must have 32, 64, 128 or 256",
                            valid.len()
                        ),
                    ));
                }
                words.push(words_of(bytes));
            }
        }
        let bits = bits.or(found).unwrap_or(256);
        if found.is_some_and(|found| found != bits) {
            return Err(usage(
                py,
                "bits",
                format!("the column has {} bits, not {bits}", found.unwrap_or_default()),
            ));
        }
        let each = bits.div_ceil(64) as usize;
        let flat = words.iter().flat_map(|words| words[..each].iter().copied()).collect();
        let valid = valid.contains(&false).then(|| NullBuffer::from(valid));
        Ok(Fingerprints::new(fingerprint::Fingerprints::of_words(bits, flat), valid, None))
    }

    /// Width in bits.
    #[getter]
    fn bits(&self) -> u32 {
        self.column.bits()
    }

    /// How they were made, in words; None where nobody said.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.made.as_deref()
    }

    /// An array of shape (n, bits / 64, at least 1) of unsigned 64-bit integers: the words of each
    /// fingerprint, the first bit the highest of the first word. 32 bits fill the upper half of
    /// their word.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let column = self.whole(py)?;
        let bytes: &[u8] = as_bytes(column.words());
        let numpy = py.import("numpy")?;
        let flat = numpy
            .call_method1("frombuffer", (pyo3::types::PyByteArray::new(py, bytes), "uint64"))?;
        flat.call_method1("reshape", (column.len(), column.words_each()))
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err(
                "the bytes of a column are not NumPy's integers; they are copied",
            ));
        }
        let array = self.to_numpy(py)?;
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    /// The hexadecimal digits of each, None where it is null.
    fn to_hex(&self) -> Vec<Option<String>> {
        let hex = |place| {
            self.is_valid(place).then(|| to_hex(self.column.get(place), self.column.bits()))
        };
        (0..self.column.len()).map(hex).collect()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let array = self.array()?;
        let field = Field::new("fingerprint", array.data_type().clone(), true);
        PyArray::new(array, Arc::new(field))
            .into_pyobject(py)?
            .call_method1("__arrow_c_array__", (requested_schema,))?
            .cast_into()
            .map_err(Into::into)
    }

    fn __len__(&self) -> usize {
        self.column.len()
    }

    /// One after the other, None where it is null.
    fn __iter__<'py>(own: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let count = own.get().column.len();
        let each = (0..count)
            .map(|place| own.get().__getitem__(place as isize))
            .collect::<PyResult<Vec<_>>>()?;
        Ok(each.into_pyobject(own.py())?.try_iter()?.into_any())
    }

    fn __getitem__(&self, place: isize) -> PyResult<Option<Fingerprint>> {
        let length = self.column.len() as isize;
        let own = if place < 0 { place + length } else { place };
        if !(0..length).contains(&own) {
            return Err(PyIndexError::new_err(format!("{place} is none of {length} places")));
        }
        let mut words = [0; 4];
        let own = own as usize;
        words[..self.column.words_each()].copy_from_slice(self.column.get(own));
        Ok(self.is_valid(own).then(|| Fingerprint {
            bits: self.column.bits(),
            words,
            made: self.made.clone(),
        }))
    }

    fn __repr__(&self) -> String {
        format!("<Fingerprints: {} of {} bits>", self.column.len(), self.column.bits())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let of = py.get_type::<Fingerprints>().getattr("_restore")?;
        let valid: Option<Vec<bool>> = self.valid.as_ref().map(|valid| valid.iter().collect());
        let words = PyBytes::new(py, as_bytes(self.column.words()));
        Ok((of, (words, self.column.bits(), valid, self.made.as_deref()).into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(
        words: &[u8],
        bits: u32,
        valid: Option<Vec<bool>>,
        description: Option<&str>,
    ) -> Fingerprints {
        let words = words
            .chunks_exact(8)
            .map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")))
            .collect();
        let column = fingerprint::Fingerprints::of_words(bits, words);
        Fingerprints::new(column, valid.map(NullBuffer::from), description.map(Arc::from))
    }
}

fn as_bytes(words: &[u64]) -> &[u8] {
    bytemuck::cast_slice(words)
}

fn of_numpy(py: Python<'_>, array: &Bound<'_, PyAny>, bits: Option<u32>) -> PyResult<Fingerprints> {
    let wrong = || {
        usage(
            py,
            "input",
            "a NumPy array of fingerprints has the shape (n, words) and the type uint64",
        )
    };
    let shape: Vec<usize> = array.getattr("shape")?.extract().map_err(|_| wrong())?;
    let kind: (String, usize) = {
        let data_type = array.getattr("dtype")?;
        (data_type.getattr("kind")?.extract()?, data_type.getattr("itemsize")?.extract()?)
    };
    let each = match shape[..] {
        [_] => 1,
        [_, each @ (1 | 2 | 4)] => each,
        _ => return Err(wrong()),
    };
    if kind != ("u".to_string(), 8) {
        return Err(wrong());
    }
    // In the machine's order of bytes.
    let bytes = array.call_method1("astype", ("uint64",))?.call_method0("tobytes")?;
    let words: &[u8] = bytes.extract()?;
    let words: Vec<u64> = words
        .chunks_exact(8)
        .map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")))
        .collect();
    let bits = bits.unwrap_or(64 * each as u32);
    if bits.div_ceil(64) as usize != each {
        return Err(usage(py, "bits", format!("{bits} bits are not {each} words of 64")));
    }
    if bits == 32 && words.iter().any(|word| *word as u32 != 0) {
        return Err(usage(
            py,
            "bits",
            "fingerprints of 32 bits are in the upper halves of their words; the lower ones are 0",
        ));
    }
    Ok(Fingerprints::new(fingerprint::Fingerprints::of_words(bits, words), None, None))
}
