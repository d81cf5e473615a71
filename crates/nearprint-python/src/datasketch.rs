//! What is fast in the replacement for the Python package `datasketch`; `nearprint.datasketch` has
//! its classes.
//!
//! | file | translation |
//! | --- | --- |
//! | `permutations` | items, hash functions of the caller -> minima, as NumPy has them in memory |
//! | `bands` | keys and MinHash objects -> an index of bands |
//! | `weighted` | logarithms of weights -> samples |
//! | `parameters` | a threshold -> the number of bands and their length |

mod bands;
mod parameters;
mod permutations;
mod weighted;

pub(crate) use bands::BandIndex;
pub(crate) use parameters::{bands_for_containment, bands_for_jaccard};
pub(crate) use permutations::Permutations;
pub(crate) use weighted::WeightedSamples;

/// Documents from which on threads of their own are worth their start.
const MANY: usize = 256;
