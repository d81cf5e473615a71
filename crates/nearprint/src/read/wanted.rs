//! The names of wanted fields -> the paths to look for, and which of them each field may take.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Options;
use crate::field::alternatives;

/// The wanted fields. Each is a list of places among the paths: those of its alternatives, in
/// order.
pub(super) struct Wanted {
    /// The paths, each once.
    pub paths: Vec<String>,
    pub text: Vec<Vec<usize>>,
    pub id: Vec<usize>,
    pub kept: Vec<Vec<usize>>,
}

impl Wanted {
    pub fn new(options: &Options) -> Wanted {
        let mut paths: Vec<String> = Vec::new();
        let mut place = |path: String| match paths.iter().position(|known| *known == path) {
            Some(place) => place,
            None => {
                paths.push(path);
                paths.len() - 1
            }
        };
        let mut places =
            |name: &String| alternatives(name).into_iter().map(&mut place).collect::<Vec<_>>();
        let text = options.text_fields.iter().map(&mut places).collect();
        let id = options.id_field.iter().flat_map(&mut places).collect();
        let kept = options.kept_fields.iter().map(&mut places).collect();
        Wanted { paths, text, id, kept }
    }
}

/// For each text field true if a row had it, with a value or null. Threads add to it in any order.
pub(super) struct TextsFound(Vec<AtomicBool>);

impl TextsFound {
    /// The fields, none of them found.
    pub fn none(count: usize) -> TextsFound {
        TextsFound((0..count).map(|_| AtomicBool::new(false)).collect())
    }

    /// Records a field that a row has.
    pub fn add(&self, field: usize) {
        // A write for every row would slow down the other threads.
        if !self.0[field].load(Ordering::Relaxed) {
            self.0[field].store(true, Ordering::Relaxed);
        }
    }

    pub fn get(&self) -> Vec<bool> {
        self.0.iter().map(|found| found.load(Ordering::Relaxed)).collect()
    }
}

/// Adds the text fields found in a source to those of others. A source without fields adds none.
pub(crate) fn add_found(all: &mut Vec<bool>, found: Option<Vec<bool>>) {
    let found = found.unwrap_or_default();
    all.resize(all.len().max(found.len()), false);
    all.iter_mut().zip(found).for_each(|(all, own)| *all |= own);
}

/// The first text field that no row had, if rows had others. Rows without any are rejected one by
/// one.
pub(crate) fn not_found(found: &[bool]) -> Option<usize> {
    found.iter().position(|found| !found).filter(|_| found.contains(&true))
}
