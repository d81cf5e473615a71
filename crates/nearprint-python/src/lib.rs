//! The Python package: Arrow columns and keyword arguments in, tables and objects out. It only
//! translates.
//!
//! | file | translation |
//! | --- | --- |
//! | `errors` | the library's errors -> exceptions |
//! | `spelling` | settings that messages speak of -> keyword arguments |
//! | `settings` | keyword arguments, TOML -> settings |
//! | `watching` | a run on a thread of its own -> progress, and Ctrl-C |
//! | `documents` | Arrow columns, lists and dicts -> rows in memory |
//! | `side` | documents in memory, or files -> one side of a run |
//! | `values`, `inside` | lists and dicts -> Arrow columns; a field inside of them |
//! | `tables` | Arrow tables -> their kept rows, or other texts in them |
//! | `deduplication` | a corpus and its decisions -> tables |
//! | `passages` | passages that documents share -> tables |
//! | `fingerprint`, `fingerprints` | one fingerprint; a column of them |
//! | `distances` | fingerprints -> distances, near pairs |
//! | `fingerprinter` | texts -> fingerprints |
//! | `simhash` | the replacement for the Python package `simhash` |
//! | `datasketch` | what is fast in the replacement for the Python package `datasketch` |
//! | `stats` | corpus statistics |
//! | `tuning` | documents -> the removals at other bounds, and distances |
//! | `index` | a persistent index: tables, texts, ids -> tables; its folder in processes |
//! | `distributed` | the parts of a run on many machines: Arrow columns -> Arrow columns |
//! | `answers` | two texts compared, answers evaluated, a text cut into tokens |
//!
//! Python aligns objects to 16 bytes, and some types of the library need 64: classes hold them
//! behind a pointer.

mod answers;
mod counts;
mod datasketch;
mod deduplication;
mod distances;
mod distributed;
mod documents;
mod errors;
mod fingerprint;
mod fingerprinter;
mod fingerprints;
mod index;
mod inside;
mod numpy;
mod pairwise;
mod passages;
mod settings;
mod side;
mod simhash;
mod spelling;
mod stats;
mod tables;
mod tuning;
mod values;
mod watching;

use pyo3::prelude::*;

/// The allocator has an effect only in the command line, which Python may start.
#[global_allocator]
static ALLOCATOR: nearprint_cli::Allocator = nearprint_cli::Allocator;

/// The native half of nearprint.
#[pymodule(gil_used = false)]
mod _nearprint {
    use std::ffi::OsString;

    use pyo3::prelude::*;
    use pyo3::types::{IntoPyDict, PyDict};

    #[pymodule_export]
    use crate::answers::{compare, evaluate, segment};
    #[pymodule_export]
    use crate::datasketch::{
        BandIndex, Permutations, WeightedSamples, bands_for_containment, bands_for_jaccard,
    };
    #[pymodule_export]
    use crate::deduplication::Deduplication;
    #[pymodule_export]
    use crate::distances::{hamming, join, nearest};
    #[pymodule_export]
    use crate::distributed::{Worker, families, moments};
    #[pymodule_export]
    use crate::fingerprint::Fingerprint;
    #[pymodule_export]
    use crate::fingerprinter::Fingerprinter;
    #[pymodule_export]
    use crate::fingerprints::Fingerprints;
    #[pymodule_export]
    use crate::index::{IndexFolder, after_fork, before_fork};
    #[pymodule_export]
    use crate::pairwise::{pairwise, segments};
    #[pymodule_export]
    use crate::passages::Passages;
    #[pymodule_export]
    use crate::settings::Config;
    #[pymodule_export]
    use crate::simhash::{Simhash, SimhashIndex};
    #[pymodule_export]
    use crate::stats::Stats;
    #[pymodule_export]
    use crate::tables::{hold_rows, keep_rows, outermost, with_texts, write_parquet};
    #[pymodule_export]
    use crate::tuning::tune;
    #[pymodule_export]
    use crate::values::key;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("HUB_PAIRS", crate::distributed::HUB_PAIRS)?;
        module.add("SHORT_HUB", crate::distributed::SHORT_HUB)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// The name of each preset with its purpose.
    #[pyfunction]
    fn preset_purposes<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let presets = nearprint::config::PRESETS.iter().map(|(name, purpose, _)| (*name, *purpose));
        presets.collect::<Vec<_>>().into_py_dict(py)
    }

    /// Runs the command line with these arguments, the program's name first; returns the exit code.
    #[pyfunction]
    fn run_command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| nearprint_cli::run(arguments))
    }
}
