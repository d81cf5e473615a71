//! Logarithms of weights -> samples, as NumPy has them in memory.

use nearprint::run::on_threads;
use nearprint_core::fingerprint::minhash::{Row, Samples};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use super::MANY;
use crate::errors::{OrException, usage};

/// The random numbers of weighted MinHash objects, and what they sample.
///
/// All numbers go in and out as the bytes of arrays: floating-point numbers of 32 bits, members as
/// unsigned integers of 32 bits, samples as pairs of integers of 64 bits.
#[pyclass(frozen, module = "nearprint._nearprint")]
#[derive(Debug)]
pub(crate) struct WeightedSamples(Samples);

#[pymethods]
impl WeightedSamples {
    #[new]
    fn new(
        py: Python<'_>,
        dimensions: usize,
        rs: &[u8],
        ln_cs: &[u8],
        betas: &[u8],
    ) -> PyResult<WeightedSamples> {
        let samples =
            Samples { dimensions, rs: floats(rs), ln_cs: floats(ln_cs), betas: floats(betas) };
        let whole = dimensions > 0 && samples.rs.len().is_multiple_of(dimensions);
        if !whole
            || [&samples.ln_cs, &samples.betas].iter().any(|own| own.len() != samples.rs.len())
        {
            return Err(usage(
                py,
                "dim",
                format!("{dimensions} dimensions do not fit the numbers"),
            ));
        }
        Ok(WeightedSamples(samples))
    }

    /// The three arrays of random numbers.
    fn numbers<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 3] {
        let Samples { rs, ln_cs, betas, .. } = &self.0;
        [rs, ln_cs, betas].map(|own| PyBytes::new(py, bytemuck::cast_slice(own)))
    }

    /// The samples of each of several sets; None for an empty one. `ends` has the end of each set
    /// among the members.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        ends: Vec<usize>,
        members: &[u8],
        logarithms: &[u8],
        many: bool,
    ) -> PyResult<Vec<Option<Bound<'py, PyByteArray>>>> {
        let members: Vec<u32> =
            members.as_chunks().0.iter().map(|own| u32::from_ne_bytes(*own)).collect();
        let logarithms = floats(logarithms);
        let sorted = ends.is_sorted() && ends.last().is_none_or(|last| *last == members.len());
        let known = members.iter().all(|member| (*member as usize) < self.0.dimensions);
        if !sorted || !known || members.len() != logarithms.len() {
            return Err(usage(py, "dim", "the members do not fit the dimensions"));
        }
        let starts = [0].into_iter().chain(ends.iter().copied());
        let rows: Vec<Row<'_>> = starts
            .zip(&ends)
            .map(|(start, end)| Row {
                members: &members[start..*end],
                logarithms: &logarithms[start..*end],
            })
            .collect();
        let samples = py.detach(|| {
            // A set of weights takes as long as many sets of items.
            if rows.len() * self.0.count() >= 64 * MANY {
                return on_threads(0, || self.0.sample_all(&rows, many));
            }
            Ok(rows.iter().map(|row| self.0.sample(*row, many)).collect())
        });
        let bytes = |samples: Vec<[i64; 2]>| PyByteArray::new(py, bytemuck::cast_slice(&samples));
        Ok(samples.or_exception(py)?.into_iter().map(|own| own.map(bytes)).collect())
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|own| f32::from_ne_bytes(*own)).collect()
}
