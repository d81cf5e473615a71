//! Fingerprints in Python: a column of them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field};
use nearprint_core::fingerprint::{self, to_hex};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PySlice, PyString, PyTuple};
use pyo3_arrow::PyArray;

use crate::documents::chunks_of;
use crate::errors::usage;
use crate::fingerprint::{Fingerprint, check_alike, words_of};

/// The name of Arrow's extension type. The type of its storage is fixed-size binary, and its metadata
/// is the description of the recipe, empty if it is unknown.
const EXTENSION: &str = "nearprint.fingerprint";

/// A column of n fingerprints of one width. Arrow takes it as fixed-size binary of bits / 8 bytes
/// (`pyarrow.array(column)`), NumPy as an array of shape (n, bits / 64) of unsigned 64-bit integers
/// (`numpy.asarray(column)`); `column[0]` is a Fingerprint, or None, and `column[:10]` a column.
///
/// `Fingerprints(column)` takes either, without copying Python objects; `bits=32` if words are half
/// used. It also takes NumPy's packed bytes (`to_packed`), and a list of Fingerprint, bytes,
/// hexadecimal digits, None or, with `bits=`, integers. UsageError for other columns.
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

    /// The bytes of all fingerprints, each with bit 0 the highest of its first byte.
    fn bytes(&self) -> Vec<u8> {
        let bits = self.column.bits();
        let each = self.column.words_each();
        let mut bytes = Vec::with_capacity(self.column.len() * bits as usize / 8);
        for words in self.column.words().chunks_exact(each) {
            let start = bytes.len();
            words.iter().for_each(|word| bytes.extend_from_slice(&word.to_be_bytes()));
            bytes.truncate(start + bits as usize / 8);
        }
        bytes
    }

    /// The fingerprint at a place; `None` for a null one.
    fn at(&self, place: usize) -> Option<Fingerprint> {
        let mut words = [0; 4];
        words[..self.column.words_each()].copy_from_slice(self.column.get(place));
        let made = || Fingerprint::new(self.column.bits(), words, self.made.clone());
        self.is_valid(place).then(made)
    }

    fn of_places(&self, places: impl Iterator<Item = usize> + Clone) -> Fingerprints {
        let words = places.clone().flat_map(|place| self.column.get(place).iter().copied());
        let column = fingerprint::Fingerprints::of_words(self.column.bits(), words.collect());
        let valid = self.valid.as_ref().map(|valid| {
            NullBuffer::from(places.map(|place| valid.is_valid(place)).collect::<Vec<bool>>())
        });
        Fingerprints::new(column, valid, self.made.clone())
    }

    fn array(&self) -> PyResult<ArrayRef> {
        let array = FixedSizeBinaryArray::try_new(
            self.column.bits() as i32 / 8,
            Buffer::from_vec(self.bytes()),
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
                "fingerprints",
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
        if column.is_instance_of::<PyList>() || column.is_instance_of::<PyTuple>() {
            return of_list(py, column, bits);
        }
        let (chunks, field) = chunks_of(column)?;
        let mut words = Vec::new();
        let mut valid = Vec::new();
        let mut found = match field.data_type() {
            DataType::FixedSizeBinary(bytes @ (4 | 8 | 16 | 32)) => Some(*bytes as u32 * 8),
            _ => None,
        };
        for chunk in &chunks {
            if !matches!(
                chunk.data_type(),
                DataType::FixedSizeBinary(_)
                    | DataType::Binary
                    | DataType::LargeBinary
                    | DataType::BinaryView
            ) {
                return Err(usage(
                    py,
                    "fingerprints",
                    format!(
                        "a column of type {} does not hold fingerprints; make them by \
                         Fingerprinter().fingerprints(column)",
                        chunk.data_type()
                    ),
                ));
            }
            let of_chunk = arrow_cast::cast(chunk, &DataType::BinaryView)
                .map_err(|error| usage(py, "fingerprints", error.to_string()))?;
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
        let made = match field.extension_type_name() {
            Some(EXTENSION) => field.extension_type_metadata().filter(|made| !made.is_empty()),
            _ => None,
        };
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
        let column = fingerprint::Fingerprints::of_words(bits, flat);
        Ok(Fingerprints::new(column, valid, made.map(Arc::from)))
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

    /// An array of shape (n, bits / 8) of unsigned bytes, bit 0 the highest of the first byte: as
    /// the binary indexes of FAISS and usearch take it. UsageError for null fingerprints.
    ///
    /// >>> nr.Fingerprints([nr.Fingerprint("8000000f")]).to_packed().tolist()
    /// [[128, 0, 0, 15]]
    fn to_packed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let column = self.whole(py)?;
        let bytes = pyo3::types::PyByteArray::new(py, &self.bytes());
        let flat = py.import("numpy")?.call_method1("frombuffer", (bytes, "uint8"))?;
        flat.call_method1("reshape", (column.len(), column.bits() as usize / 8))
    }

    /// The fingerprints as a list; None for a null one.
    fn to_list<'py>(own: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = own.py();
        let each = (0..own.get().column.len()).map(|place| own.get().at(place));
        PyList::new(py, each.map(|own| own.into_pyobject(py)).collect::<PyResult<Vec<_>>>()?)
    }

    /// One column of all columns in order. IncompatibleError for fingerprints made with other
    /// settings, UsageError for other widths, and for no column.
    ///
    /// >>> column = nr.Fingerprinter(bits=64).fingerprints(["one", "two"])
    /// >>> nr.Fingerprints.concat([column[1:], column[:1]])[1] == column[0]
    /// True
    #[staticmethod]
    fn concat(py: Python<'_>, columns: Vec<Bound<'_, PyAny>>) -> PyResult<Fingerprints> {
        let columns: Vec<Py<Fingerprints>> = columns
            .iter()
            .map(|column| Fingerprints::of_any(py, column))
            .collect::<PyResult<_>>()?;
        let Some(first) = columns.first().map(|first| first.get()) else {
            return Err(usage(py, "columns", "there is no column; give one or more"));
        };
        let mut made = first.made.clone();
        for column in &columns {
            check_alike(py, (first.column.bits(), &made), column.get().kind())?;
            made = made.or_else(|| column.get().made.clone());
        }
        let words = columns.iter().flat_map(|column| column.get().column.words()).copied();
        let all = fingerprint::Fingerprints::of_words(first.column.bits(), words.collect());
        let has_null = columns.iter().any(|column| column.get().valid.is_some());
        let valid = columns.iter().flat_map(|column| {
            let own = column.get();
            (0..own.column.len()).map(|place| own.is_valid(place))
        });
        let valid = has_null.then(|| NullBuffer::from(valid.collect::<Vec<bool>>()));
        Ok(Fingerprints::new(all, valid, made))
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
        let made = self.made.as_deref().unwrap_or_default();
        let metadata = [(EXTENSION_TYPE_NAME_KEY, EXTENSION), (EXTENSION_TYPE_METADATA_KEY, made)];
        let metadata = metadata.map(|(key, value)| (key.to_string(), value.to_string()));
        let field = field.with_metadata(metadata.into());
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
        Ok(Fingerprints::to_list(own)?.try_iter()?.into_any())
    }

    /// The fingerprint at a place, or a column of those of a slice, or at several places: an array or
    /// a list of numbers, or of booleans, one for each fingerprint.
    ///
    /// >>> column = nr.Fingerprints([1, 2, 3], bits=64)
    /// >>> [len(column[[0, -1]]), len(column[[True, False, False]])]
    /// [2, 1]
    fn __getitem__<'py>(&self, py: Python<'py>, place: Place<'py>) -> PyResult<Bound<'py, PyAny>> {
        let length = self.column.len() as isize;
        let place = match place {
            Place::One(place) => place,
            Place::Several(places) => {
                let places = places_in(&places, length)?;
                return Ok(Bound::new(py, self.of_places(places.into_iter()))?.into_any());
            }
            Place::Slice(slice) => {
                let indices = slice.indices(length)?;
                let places = (0..indices.slicelength as isize)
                    .map(|number| (indices.start + number * indices.step) as usize);
                return Ok(Bound::new(py, self.of_places(places))?.into_any());
            }
        };
        self.at(place_in(place, length)?).into_bound_py_any(py)
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

/// A place in a column, or several.
#[derive(FromPyObject)]
enum Place<'py> {
    One(isize),
    Slice(Bound<'py, PySlice>),
    Several(Bound<'py, PyAny>),
}

/// A place in a column of this length; a negative one counts from its end.
fn place_in(place: isize, length: isize) -> PyResult<usize> {
    let own = if place < 0 { place + length } else { place };
    match (0..length).contains(&own) {
        true => Ok(own as usize),
        false => Err(PyIndexError::new_err(format!(
            "index {place} is out of range for {length} fingerprints"
        ))),
    }
}

/// The places that a list or an array of numbers or booleans names.
fn places_in(several: &Bound<'_, PyAny>, length: isize) -> PyResult<Vec<usize>> {
    let py = several.py();
    if several.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("a place is a number, a slice or an array of numbers"));
    }
    let array = py.import("numpy")?.call_method1("asarray", (several,))?;
    let (kind, shape): (String, Vec<isize>) =
        (array.getattr("dtype")?.getattr("kind")?.extract()?, array.getattr("shape")?.extract()?);
    let places = match (&*kind, &shape[..]) {
        ("b", &[own]) if own == length => array.call_method0("nonzero")?.get_item(0)?,
        ("b", &[own]) => {
            return Err(PyIndexError::new_err(format!(
                "{own} booleans do not fit {length} fingerprints"
            )));
        }
        // An empty list has numbers of no kind.
        ("i" | "u", &[_]) | (_, &[0]) => array,
        _ => {
            let problem = "places are numbers, or booleans, one for each fingerprint";
            return Err(PyTypeError::new_err(problem));
        }
    };
    let places: Vec<isize> = places.call_method0("tolist")?.extract()?;
    places.into_iter().map(|place| place_in(place, length)).collect()
}

/// Fingerprints of a list: objects, bytes, hexadecimal digits, integers with their width, None.
fn of_list(py: Python<'_>, list: &Bound<'_, PyAny>, bits: Option<u32>) -> PyResult<Fingerprints> {
    let one = |value: PyResult<Bound<'_, PyAny>>| {
        let value = value?;
        if value.is_none() {
            return Ok(None);
        }
        match Fingerprint::of_one(&value)? {
            Some(one) => Ok(Some(one)),
            None => Fingerprint::from_value(&value, bits).map(Some),
        }
    };
    let all = list.try_iter()?.map(one).collect::<PyResult<Vec<Option<Fingerprint>>>>()?;
    let width = bits.or_else(|| all.iter().flatten().next().map(|first| first.kind().0));
    let width = width.unwrap_or(256);
    let mut made: Option<Arc<str>> = None;
    let mut words = Vec::new();
    let each = width.div_ceil(64) as usize;
    for own in &all {
        if let Some(own) = own {
            check_alike(py, (width, &made), own.kind())?;
            made = made.or_else(|| own.kind().1.clone());
        }
        words.extend_from_slice(&own.as_ref().map_or(&[0; 4], Fingerprint::words)[..each]);
    }
    let valid = all.iter().any(Option::is_none).then(|| all.iter().map(Option::is_some));
    let valid = valid.map(|valid| NullBuffer::from(valid.collect::<Vec<bool>>()));
    Ok(Fingerprints::new(fingerprint::Fingerprints::of_words(width, words), valid, made))
}

fn as_bytes(words: &[u64]) -> &[u8] {
    bytemuck::cast_slice(words)
}

fn of_numpy(py: Python<'_>, array: &Bound<'_, PyAny>, bits: Option<u32>) -> PyResult<Fingerprints> {
    let wrong = || {
        usage(
            py,
            "fingerprints",
            "a NumPy array of fingerprints has the shape (n, words) and the type uint64, or the shape \
             (n, bits / 8) and the type uint8",
        )
    };
    let shape: Vec<usize> = array.getattr("shape")?.extract().map_err(|_| wrong())?;
    let kind: (String, usize) = {
        let data_type = array.getattr("dtype")?;
        (data_type.getattr("kind")?.extract()?, data_type.getattr("itemsize")?.extract()?)
    };
    if let ([rows, each @ (4 | 8 | 16 | 32)], true) = (&shape[..], kind == ("u".to_string(), 1)) {
        let packed = array.call_method0("tobytes")?;
        let packed: &[u8] = packed.extract()?;
        let own = *each as u32 * 8;
        if bits.is_some_and(|bits| bits != own) {
            return Err(usage(py, "bits", format!("the array has {own} bits")));
        }
        let words = (0..*rows).flat_map(|row| {
            words_of(&packed[row * each..(row + 1) * each])
                .into_iter()
                .take(own.div_ceil(64) as usize)
        });
        let words = fingerprint::Fingerprints::of_words(own, words.collect());
        return Ok(Fingerprints::new(words, None, None));
    }
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
