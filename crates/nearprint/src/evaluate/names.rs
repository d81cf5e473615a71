//! Ids of documents <-> numbers from 0, in the order in which the ids appear.
//!
//! CSV has strings only, so an integer and its decimal digits as a string are one id here. Each is
//! shown in the form in which it appeared first.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use crate::document::Id;

/// The sources of ids.
pub(super) const TRUTH: u8 = 0;
pub(super) const FOUND: u8 = 1;
pub(super) const DOCUMENTS: u8 = 2;

/// Ids by number and numbers by id.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
    integer: Vec<bool>,
    /// The sources in which each id appears, as bits.
    met: Vec<u8>,
    source: u8,
    numbers: HashTable<u32>,
}

impl Names {
    /// Records from now on that ids appear in this source, one of 0..8.
    pub(super) fn begin(&mut self, source: u8) {
        self.source = 1 << source;
    }

    /// The number of ids that appear in any of these sources.
    pub(super) fn met_in(&self, sources: &[u8]) -> u64 {
        let wanted = sources.iter().fold(0, |bits, source| bits | 1 << source);
        self.met.iter().filter(|met| *met & wanted != 0).count() as u64
    }

    /// The number of ids that appear in both of two sources.
    pub(super) fn met_in_both(&self, one: u8, other: u8) -> u64 {
        self.met_in(&[one]) + self.met_in(&[other]) - self.met_in(&[one, other])
    }

    /// The number of ids.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of an id; a new number for a new id. `integer` is true for an integer, false for
    /// a string.
    pub(super) fn number(&mut self, id: &str, integer: bool) -> u32 {
        if let Some(number) = self.find(id) {
            self.met[number as usize] |= self.source;
            return number;
        }
        let number = self.len() as u32;
        self.text.push_str(id);
        self.ends.push(self.text.len());
        self.integer.push(integer);
        self.met.push(self.source);
        let (text, ends) = (&self.text, &self.ends);
        self.numbers.insert_unique(hash(id), number, |number| hash(get(text, ends, *number)));
        number
    }

    /// The number of a known id.
    pub(super) fn find(&self, id: &str) -> Option<u32> {
        self.numbers.find(hash(id), |number| get(&self.text, &self.ends, *number) == id).copied()
    }

    /// The id of a number as text.
    pub(super) fn text(&self, number: u32) -> &str {
        get(&self.text, &self.ends, number)
    }

    /// Returns true if the id of a number appears in this source.
    pub(super) fn is_met(&self, number: u32, source: u8) -> bool {
        self.met[number as usize] & 1 << source != 0
    }

    /// The id of a number.
    pub(super) fn id(&self, number: u32) -> Id {
        let text = get(&self.text, &self.ends, number);
        match (self.integer[number as usize], text.parse(), text.parse()) {
            (true, Ok(integer), _) => Id::Integer(integer),
            (true, _, Ok(unsigned)) => Id::Unsigned(unsigned),
            _ => Id::Text(text.to_string()),
        }
    }
}

fn hash(id: &str) -> u64 {
    xxh3_64(id.as_bytes())
}

fn get<'a>(text: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &text[start..ends[number]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_know_where_they_were_met() {
        let mut names = Names::default();
        for (source, ids) in [(0, ["a", "b"]), (1, ["b", "c"]), (2, ["c", "d"])] {
            names.begin(source);
            ids.into_iter().for_each(|id| _ = names.number(id, false));
        }
        assert_eq!(
            (
                names.met_in(&[0]),
                names.met_in(&[0, 1]),
                names.met_in_both(0, 1),
                names.met_in_both(0, 2)
            ),
            (2, 3, 1, 0)
        );
    }

    #[test]
    fn an_integer_and_its_digits_are_one_id() {
        let mut names = Names::default();
        assert_eq!(
            [("5", true), ("五", false), ("5", false), ("05", false)]
                .map(|(id, i)| names.number(id, i)),
            [0, 1, 0, 2]
        );
        let large = u64::MAX.to_string();
        let number = names.number(&large, true);
        let ids: Vec<Id> = (0..=number).map(|number| names.id(number)).collect();
        assert_eq!(
            ids,
            [Id::Integer(5), Id::Text("五".into()), Id::Text("05".into()), Id::Unsigned(u64::MAX)]
        );
        assert_eq!((names.find("五"), names.find("六")), (Some(1), None));
    }
}
