//! Fingerprints in Python: a column of them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::{DataType, Field};
use nearprint_core::fingerprint::{self, to_hex};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyTuple};
use pyo3_arrow::PyArray;

use crate::documents::chunks_of;
use crate::errors::usage;
use crate::fingerprint::{Fingerprint, words_of};

/// A column of n fingerprints of one width. Arrow takes it as fixed-size binary of bits / 8 bytes
/// (`pyarrow.array(column)`), NumPy as an array of shape (n, bits / 64) of unsigned 64-bit integers
/// (`numpy.asarray(column)`); `column[0]` is a Fingerprint, or None.
///
/// `Fingerprints(column)` takes either, without copying Python objects; `bits=32` if words are half
/// used. UsageError for other columns.
///
/// >>> import numpy
/// >>> column = nr.Fingerprints(numpy.array([[1], [2]], dtype=numpy.uint64))
/// >>> len(column), column.bits, column.to_hex()
/// (2, 64, ['0000000000000001', '0000000000000002'])
#[pyclass(frozen, module = "nearprint")]
#[derive(Debug)]
pub(crate) struct Fingerprints {
    column: Arc<fingerprint::Fingerprints>,
    /// The fingerprints that are not null; `None` for all.
    valid: Option<NullBuffer>,
    made: Option<Arc<str>>,
}

impl Fingerprints {
    /// The words of all fingerprints, null ones included.
    pub fn column(&self) -> &fingerprint::Fingerprints {
        &self.column
    }

    /// The width and the recipe.
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
                    format!("a column of type {} does not hold fingerprints", chunk.data_type()),
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
                    format!("a column of type {} does not hold fingerprints", chunk.data_type()),
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

    /// The recipe that made them, in words; None if unknown.
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
                "the column cannot become a NumPy array without a copy",
            ));
        }
        let array = self.to_numpy(py)?;
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    /// The hexadecimal digits of each; None for a null one.
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

    /// The fingerprints in order; None for a null one.
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
            return Err(PyIndexError::new_err(format!(
                "index {place} is out of range for {length} fingerprints"
            )));
        }
        let mut words = [0; 4];
        let own = own as usize;
        words[..self.column.words_each()].copy_from_slice(self.column.get(own));
        let made = || Fingerprint::new(self.column.bits(), words, self.made.clone());
        Ok(self.is_valid(own).then(made))
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
    // Words in the byte order of the machine.
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
            "fingerprints of 32 bits must be in the upper halves of their words, with 0 in the \
             lower halves",
        ));
    }
    Ok(Fingerprints::new(fingerprint::Fingerprints::of_words(bits, words), None, None))
}
