//! A text -> its letters by Python's rules: lower case, the matches of a pattern, joined.
//!
//! Letters depend on Python's version of Unicode. A table is filled once from Python for every
//! character of the Unicode planes 0 to 3 (below U+40000). Python itself handles a text with a
//! character that depends on its neighbors (the capital sigma), becomes several characters (the
//! dotted capital I) or is not in the table, and every text if the caller gives a pattern.

use std::borrow::Cow;

use nearprint_core::fingerprint::simhash::ascii_letters;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// The package's pattern for runs of letters.
const PATTERN: &str = r"[\w\u4e00-\u9fcc]+";

/// The table has characters below this one.
const END: u32 = 0x4_0000;

/// Characters below [`END`] that the table leaves to Python.
const LEFT_TO_PYTHON: [char; 2] = ['Σ', 'İ'];

/// The letters of a text by a pattern; `None` for the package's own.
///
/// # Errors
///
/// Exceptions of Python: `re.error` for a bad pattern, `UnicodeEncodeError` for letters that are
/// not Unicode.
pub(super) fn letters_of<'t>(
    text: &'t Bound<'_, PyString>,
    pattern: Option<&Bound<'_, PyAny>>,
) -> PyResult<Cow<'t, str>> {
    let own = |pattern: &&Bound<'_, PyAny>| {
        !pattern
            .cast::<PyString>()
            .is_ok_and(|pattern| pattern.to_str().is_ok_and(|pattern| pattern == PATTERN))
    };
    if let Some(pattern) = pattern.filter(own) {
        return by_python(text, pattern).map(Cow::Owned);
    }
    let py = text.py();
    // A lone surrogate is neither a letter nor UTF-8.
    if let Ok(text) = text.to_str() {
        let mut letters = String::new();
        if ascii_letters(text, &mut letters)
            || Table::of_this_python(py)?.letters(text, &mut letters)
        {
            return Ok(Cow::Owned(letters));
        }
    }
    by_python(text, PyString::intern(py, PATTERN).as_any()).map(Cow::Owned)
}

/// The plain twin, in Python.
fn by_python(text: &Bound<'_, PyString>, pattern: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = text.py();
    let lower = text.call_method0("lower")?;
    let runs = py.import("re")?.call_method1("findall", (pattern, lower))?;
    PyString::new(py, "").call_method1("join", (runs,))?.extract()
}

/// The letter of each character.
#[derive(Debug)]
struct Table {
    /// The letter in lower case; 0 for none, `UNKNOWN` for characters that Python handles.
    letters: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl Table {
    /// The table, made on first use in 25 ms; 1 MB.
    fn of_this_python(py: Python<'_>) -> PyResult<&'static Table> {
        static TABLE: PyOnceLock<Table> = PyOnceLock::new();
        TABLE.get_or_try_init(py, || Table::new(py))
    }

    fn new(py: Python<'_>) -> PyResult<Table> {
        let mut letters = vec![UNKNOWN; END as usize];
        let asked: Vec<char> =
            (0..END).filter_map(char::from_u32).filter(|c| !LEFT_TO_PYTHON.contains(c)).collect();
        let text = PyString::new(py, &asked.iter().collect::<String>());
        let lower: String = text.call_method0("lower")?.extract()?;
        let matched = by_python(&text, PyString::new(py, PATTERN).as_any())?;
        let mut is_letter = vec![false; END as usize];
        matched.chars().filter(|c| u32::from(*c) < END).for_each(|c| is_letter[c as usize] = true);
        // Otherwise an unknown character became several.
        if lower.chars().count() == asked.len() {
            for (c, lower) in asked.into_iter().zip(lower.chars()) {
                letters[c as usize] = match is_letter.get(lower as usize) {
                    Some(true) => lower.into(),
                    Some(false) => 0,
                    None => UNKNOWN,
                };
            }
        }
        Ok(Table { letters })
    }

    /// Adds the letters of a text; true if the table has all of its characters.
    fn letters(&self, text: &str, out: &mut String) -> bool {
        out.reserve(text.len());
        for c in text.chars() {
            match self.letters.get(c as usize) {
                Some(0) => {}
                Some(letter) if *letter != UNKNOWN => {
                    out.push(char::from_u32(*letter).expect("a character"))
                }
                _ => return false,
            }
        }
        true
    }
}
