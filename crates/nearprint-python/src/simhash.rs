//! Replacement for the Python package `simhash`: its two classes, over the library's fingerprints
//! and lookup.

mod index;
mod letters;

use nearprint_core::fingerprint::simhash::{
    MOST_BITS, MOST_BITS_OF_A_VOTE, Vote, Weight, of_letters,
};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyString, PyTuple};

use crate::errors::usage;
use crate::fingerprint::words_of;

pub(crate) use index::SimhashIndex;
use letters::letters_of;

/// A fingerprint of 64 or other bits, with the value that the package simhash 2.1.2 gives it.
///
/// ``value`` is a text, a number (a value that was stored), another Simhash, a dict of features
/// with their weights, or an iterable of features or of (feature, weight). ``f`` is the width in
/// bits, a multiple of 8: up to 128, or up to 256 for numbers and with a ``hashfunc``. ``reg`` is a
/// pattern of ``re`` for letters; None means ``[\w\u4e00-\u9fcc]+``. ``hashfunc`` takes bytes and
/// gives bytes or an int, of which the last ``f`` bits count; None means MD5, which is the fast
/// way. ``log`` is ignored.
///
/// Raises UsageError, a ValueError, for an invalid width or number, and TypeError for other types.
///
/// >>> from nearprint.simhash import Simhash
/// >>> one = Simhash("The ferry to the island returns on Monday after eleven weeks of repairs")
/// >>> other = Simhash("The ferry to the island returns on Monday, after nearly eleven weeks of repairs!")
/// >>> one.value, one.distance(other), one == Simhash(one.value)
/// (11830897145117161389, 9, True)
/// >>> Simhash([("能力", 2), ("学历", 0.5)]) == Simhash({"能力": 2, "学历": 0.5})
/// True
#[pyclass(frozen, module = "nearprint.simhash")]
#[derive(Debug, Clone)]
pub(crate) struct Simhash {
    bits: u32,
    /// The bits, from the highest bit of the first word.
    words: [u64; 4],
}

impl Simhash {
    fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_be_bytes()).take(self.bits as usize / 8).collect()
    }

    /// The value as a number of 256 bits, the highest word first.
    fn number(&self) -> [u64; 4] {
        let mut bytes = vec![0; 32 - self.bits as usize / 8];
        bytes.extend(self.bytes());
        words_of(&bytes)
    }

    fn check_alike(&self, py: Python<'_>, bits: u32) -> PyResult<()> {
        match self.bits == bits {
            true => Ok(()),
            false => Err(usage(py, "f", format!("cannot compare {} and {bits} bits", self.bits))),
        }
    }
}

#[pymethods]
impl Simhash {
    #[new]
    #[pyo3(signature = (value, f=64, reg=None, hashfunc=None, log=None))]
    fn new(
        value: &Bound<'_, PyAny>,
        f: i64,
        reg: Option<&Bound<'_, PyAny>>,
        hashfunc: Option<&Bound<'_, PyAny>>,
        log: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Simhash> {
        let _ = log;
        let py = value.py();
        if let Ok(text) = value.cast::<PyString>() {
            let bits = width(py, f, hashfunc.is_some())?;
            let letters = letters_of(text, reg)?;
            let words = match hashfunc {
                None => of_letters(&letters, bits),
                Some(hashfunc) => of_windows(&letters, bits, hashfunc)?,
            };
            return Ok(Simhash { bits, words });
        }
        if let Ok(other) = value.cast::<Simhash>() {
            let bits = width(py, f, true)?;
            return Ok(Simhash { bits, words: of_number(&other.get().value(py)?, bits)? });
        }
        if !value.is_instance_of::<PyInt>() {
            let features = match value.cast::<PyDict>() {
                Ok(features) => features.items().into_any(),
                Err(_) => value.clone(),
            };
            if let Ok(features) = features.try_iter() {
                let bits = width(py, f, hashfunc.is_some())?;
                return Ok(Simhash { bits, words: of_features(features, bits, hashfunc)? });
            }
        }
        let bits = width(py, f, true)?;
        Ok(Simhash { bits, words: of_number(value, bits)? })
    }

    /// The fingerprint as a number, from 0 to 2 ** f - 1.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.bits <= 64 {
            return Ok((self.words[0] >> (64 - self.bits)).into_pyobject(py)?.into_any());
        }
        py.get_type::<PyInt>().call_method1("from_bytes", (PyBytes::new(py, &self.bytes()), "big"))
    }

    /// Its width in bits.
    #[getter]
    fn f(&self) -> u32 {
        self.bits
    }

    /// The number of bits that differ. Raises UsageError for different widths.
    fn distance(&self, py: Python<'_>, another: &Simhash) -> PyResult<u32> {
        self.check_alike(py, another.bits)?;
        Ok(self
            .words
            .iter()
            .zip(&another.words)
            .map(|(left, right)| (left ^ right).count_ones())
            .sum())
    }

    fn __eq__(&self, other: &Simhash) -> bool {
        self.number() == other.number()
    }

    fn __hash__(&self) -> u64 {
        self.number().iter().fold(0, |hash, word| hash.rotate_left(1) ^ word)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Simhash({}, f={})", self.value(py)?, self.bits))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let arguments = (self.value(py)?, self.bits).into_pyobject(py)?;
        Ok((py.get_type::<Simhash>().into_any(), arguments))
    }
}

/// A width in bits; more than those of MD5 only with another source of bits.
fn width(py: Python<'_>, f: i64, other_hash: bool) -> PyResult<u32> {
    let (most, of) =
        if other_hash { (MOST_BITS_OF_A_VOTE, "here") } else { (MOST_BITS, "with MD5") };
    match u32::try_from(f) {
        _ if f % 8 != 0 => Err(usage(py, "f", format!("{f} is not a multiple of 8"))),
        Ok(bits) if (8..=most).contains(&bits) => Ok(bits),
        _ => Err(usage(py, "f", format!("{f} bits; possible are 8 to {most} {of}"))),
    }
}

/// The words of a number.
fn of_number(number: &Bound<'_, PyAny>, bits: u32) -> PyResult<[u64; 4]> {
    let py = number.py();
    let unsuitable = |_| {
        let name =
            number.get_type().name().map_or_else(|_| "that".to_string(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "a Simhash takes a str, an int, a Simhash, a dict or an iterable, not {name}"
        ))
    };
    let index = number.call_method0("__index__").map_err(unsuitable)?;
    let bytes = index.call_method1("to_bytes", (bits / 8, "big"));
    let bytes = bytes.map_err(|error| match error.is_instance_of::<PyOverflowError>(py) {
        true => usage(
            py,
            "value",
            format!(
                "{index} is not in 0 to 2 ** {bits} - 1; for a wider or negative number write \
                 value & (1 << f) - 1"
            ),
        ),
        false => error,
    })?;
    Ok(words_of(bytes.cast::<PyBytes>()?.as_bytes()))
}

/// The windows of four letters, each with its count, under a hash function of the caller.
fn of_windows(letters: &str, bits: u32, hashfunc: &Bound<'_, PyAny>) -> PyResult<[u64; 4]> {
    let places: Vec<usize> =
        letters.char_indices().map(|(place, _)| place).chain([letters.len()]).collect();
    let mut windows: Vec<&str> =
        places.windows(5).map(|places| &letters[places[0]..places[4]]).collect();
    if windows.is_empty() {
        windows.push(letters);
    }
    windows.sort_unstable();
    let mut vote = Vote::new(bits);
    let mut hasher = Hasher::new(hashfunc, bits)?;
    for equal in windows.chunk_by(|left, right| left == right) {
        hasher.vote(&mut vote, equal[0], Weight::Integer(equal.len() as i64))?;
    }
    Ok(vote.finish())
}

/// Features, or pairs of a feature and its weight. A feature without a weight takes the previous
/// weight, the first one 1.
fn of_features<'py>(
    features: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
    bits: u32,
    hashfunc: Option<&Bound<'py, PyAny>>,
) -> PyResult<[u64; 4]> {
    let mut vote = Vote::new(bits);
    let mut hasher = hashfunc.map(|hashfunc| Hasher::new(hashfunc, bits)).transpose()?;
    let mut weight = Weight::Integer(1);
    for item in features {
        let item = item?;
        let feature = match item.cast::<PyString>() {
            Ok(feature) => feature.clone(),
            Err(_) => {
                let wrong = |_| {
                    PyTypeError::new_err("a feature is a str, or a pair of a str and its weight")
                };
                let [feature, weighs] = item.extract::<[Bound<'py, PyAny>; 2]>().map_err(wrong)?;
                weight = weight_of(&weighs)?;
                feature.cast_into::<PyString>().map_err(|error| wrong(error.into()))?
            }
        };
        match &mut hasher {
            None => vote.add_feature(feature.to_str()?, weight),
            Some(hasher) => hasher.vote(&mut vote, feature.to_str()?, weight)?,
        }
    }
    Ok(vote.finish())
}

fn weight_of(weight: &Bound<'_, PyAny>) -> PyResult<Weight> {
    if weight.is_instance_of::<PyInt>() {
        return Ok(Weight::Integer(weight.extract()?));
    }
    let wrong = |_| PyTypeError::new_err("a weight is an int or a float");
    let number: f64 = match weight.cast::<PyFloat>() {
        Ok(weight) => weight.extract()?,
        Err(_) => {
            weight.call_method0("__float__").and_then(|number| number.extract()).map_err(wrong)?
        }
    };
    match number.is_finite() {
        true => Ok(Weight::Float(number)),
        false => Err(usage(weight.py(), "value", format!("the weight {number} cannot be summed"))),
    }
}

/// A hash function of the caller.
struct Hasher<'h, 'py> {
    function: &'h Bound<'py, PyAny>,
    bits: u32,
    /// 2 ** bits - 1.
    mask: Bound<'py, PyAny>,
}

impl<'h, 'py> Hasher<'h, 'py> {
    fn new(function: &'h Bound<'py, PyAny>, bits: u32) -> PyResult<Hasher<'h, 'py>> {
        let ones = PyBytes::new(function.py(), &vec![0xff; bits as usize / 8]);
        let mask = function.py().get_type::<PyInt>().call_method1("from_bytes", (ones, "big"))?;
        Ok(Hasher { function, bits, mask })
    }

    /// A feature votes with the last bits of its hash.
    fn vote(&mut self, vote: &mut Vote, feature: &str, weight: Weight) -> PyResult<()> {
        let py = self.function.py();
        let length = self.bits as usize / 8;
        let hash = self.function.call1((PyBytes::new(py, feature.as_bytes()),))?;
        let bytes: Vec<u8> =
            if hash.is_instance_of::<PyBytes>() || hash.is_instance_of::<PyByteArray>() {
                hash.extract()?
            } else {
                let wrong = |_| PyTypeError::new_err("hashfunc must return bytes or an int");
                let number = hash.call_method0("__index__").map_err(wrong)?;
                number.bitand(&self.mask)?.call_method1("to_bytes", (length, "big"))?.extract()?
            };
        let Some(last) = bytes.len().checked_sub(length) else {
            let problem = format!("{} bytes are too few for {} bits", bytes.len(), self.bits);
            return Err(usage(py, "hashfunc", problem));
        };
        vote.add_hash(&bytes[last..], weight);
        Ok(())
    }
}
