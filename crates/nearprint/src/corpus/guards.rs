//! The fields of `same` and `differ` -> which documents may be a pair.
//!
//! For each field a document has a number that stands for its value: equal values have equal
//! numbers. They take four bytes for each document and field, and some forty for each value while
//! documents are read.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::config::Config;
use crate::document::FieldValue;

/// The guards, which decide by the values of fields which documents may be a pair.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Guards {
    /// Fields in which a pair must agree.
    same: Vec<Field>,
    /// Fields in which a pair must differ.
    differ: Vec<Field>,
}

/// The values of a field.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Field {
    name: String,
    /// The place of the field among the kept fields.
    place: usize,
    /// For each document the number of its value, in the order of appearance.
    numbers: Vec<u32>,
    /// The number of each value, by its hash.
    #[serde(skip)]
    known: HashMap<u128, u32>,
}

impl Guards {
    /// The guards of the settings, without documents.
    pub(super) fn new(config: &Config) -> Guards {
        let field = |name: &String| {
            let place = config.guard_place(name).expect("the fields of guards are kept");
            Field { name: name.clone(), place, ..Field::default() }
        };
        Guards {
            same: config.decide.same.iter().map(field).collect(),
            differ: config.decide.differ.iter().map(field).collect(),
        }
    }

    /// Returns true if these are the guards of the settings.
    pub(super) fn are_of(&self, config: &Config) -> bool {
        let names =
            |fields: &[Field]| fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
        names(&self.same) == config.decide.same && names(&self.differ) == config.decide.differ
    }

    /// Adds a document by the values of its kept fields.
    pub(super) fn push(&mut self, values: &[Option<FieldValue>]) {
        for field in self.same.iter_mut().chain(&mut self.differ) {
            let value = hash(values.get(field.place).and_then(Option::as_ref));
            let next = field.known.len() as u32;
            field.numbers.push(*field.known.entry(value).or_insert(next));
        }
    }

    /// True if they let two documents be a pair.
    pub(super) fn allow(&self, one: u32, other: u32) -> bool {
        let values = |field: &Field| (field.numbers[one as usize], field.numbers[other as usize]);
        conflict(self.same.len(), self.same.iter().chain(&self.differ).map(values)).is_none()
    }

    /// Returns true if there are no guards.
    pub fn is_empty(&self) -> bool {
        self.same.is_empty() && self.differ.is_empty()
    }

    /// Returns true if there are fields in which a pair must differ.
    pub fn differ(&self) -> bool {
        !self.differ.is_empty()
    }

    /// The numbers of a document's values in the fields of `same`, then in those of `differ`.
    pub fn values(&self, document: u32) -> impl Iterator<Item = u32> + '_ {
        self.same.iter().chain(&self.differ).map(move |field| field.numbers[document as usize])
    }
}

/// The place of the first field that forbids the pair. The documents must agree in the first `same`
/// fields, and differ in the others. Each item is the two values of a field.
pub fn conflict<T: PartialEq>(
    same: usize,
    values: impl IntoIterator<Item = (T, T)>,
) -> Option<usize> {
    values
        .into_iter()
        .enumerate()
        .position(|(place, (one, other))| (one == other) != (place < same))
}

/// The setting and the field by which the guards of the settings keep two documents from being a
/// pair. Each document has its values by field.
pub fn guarding<'c>(
    config: &'c Config,
    documents: [&BTreeMap<String, FieldValue>; 2],
) -> Option<(&'static str, &'c str)> {
    let values = |(_, field): (_, &str)| {
        let [one, other] = documents.map(|values| hash(values.get(field)));
        (one, other)
    };
    let place = conflict(config.decide.same.len(), config.guards().map(values))?;
    config.guards().nth(place)
}

/// A hash of the values of the fields in which documents must agree, given the kept fields of a
/// document.
pub fn group(config: &Config, values: &[Option<FieldValue>]) -> u64 {
    let places = config.decide.same.iter().filter_map(|field| config.guard_place(field));
    places.fold(0, |group: u64, place| {
        let value = hash(values.get(place).and_then(Option::as_ref)) as u64;
        group.rotate_left(1) ^ value
    })
}

/// Returns true if two documents agree in a field, given the values of both.
pub fn is_one_value([one, other]: [Option<&FieldValue>; 2]) -> bool {
    hash(one) == hash(other)
}

/// The hash of a value. Equal numbers have equal hashes in any notation; a missing value has a hash
/// of its own.
fn hash(value: Option<&FieldValue>) -> u128 {
    let of = |kind: u8, bytes: &[u8]| xxh3_128(&[&[kind], bytes].concat());
    match value {
        None => of(0, &[]),
        Some(FieldValue::Boolean(value)) => of(1, &[u8::from(*value)]),
        Some(FieldValue::Integer(number) | FieldValue::Time(number)) => {
            of(2, &number.to_le_bytes())
        }
        // Beyond 128 bits a number is no integer.
        Some(FieldValue::Number(number))
            if number.fract() == 0.0 && number.abs() < 2f64.powi(127) =>
        {
            of(2, &(*number as i128).to_le_bytes())
        }
        Some(FieldValue::Number(number)) => of(3, &number.to_bits().to_le_bytes()),
        Some(FieldValue::Text(text)) => of(4, text.as_bytes()),
        Some(FieldValue::Tokens(tokens)) => of(5, tokens.join("\n").as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guards(same: &[&str], differ: &[&str], rows: &[Vec<Option<FieldValue>>]) -> Guards {
        let names =
            |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<String>>();
        let mut guards = Guards::new(&Config::default().same(names(same)).differ(names(differ)));
        rows.iter().for_each(|row| guards.push(row));
        guards
    }

    #[test]
    fn values_are_equal_as_they_were_read() {
        let text = |text: &str| Some(FieldValue::Text(text.to_string()));
        let number = |number| Some(FieldValue::Number(number));
        let integer = |number| Some(FieldValue::Integer(number));
        let rows = [
            vec![None],
            vec![text("")],
            vec![text("5"), None],
            vec![integer(5)],
            vec![number(5.5)],
            vec![Some(FieldValue::Boolean(true))],
            vec![Some(FieldValue::Boolean(false))],
            vec![integer(0)],
            vec![number(f64::INFINITY)],
            vec![],
            vec![number(5.0)],
            vec![number(-0.0)],
        ];
        let same = guards(&["a"], &[], &rows);
        let equal = [(0, 9), (3, 10), (7, 11)];
        for one in 0..rows.len() as u32 {
            for other in 0..rows.len() as u32 {
                let expected = one == other || equal.contains(&(one.min(other), one.max(other)));
                assert_eq!(same.allow(one, other), expected, "{one} {other}");
                assert_eq!(
                    guards(&[], &["a"], &rows).allow(one, other),
                    !expected,
                    "{one} {other}"
                );
            }
        }
    }

    #[test]
    fn all_guards_must_allow_a_pair() {
        let row = |values: [i128; 3]| values.map(|value| Some(FieldValue::Integer(value))).to_vec();
        let rows = [row([1, 1, 1]), row([1, 2, 2]), row([1, 2, 1]), row([2, 2, 2])];
        let guards = guards(&["a"], &["b", "c"], &rows);
        let allowed: Vec<(u32, u32)> = (0..4)
            .flat_map(|one| (one + 1..4).map(move |other| (one, other)))
            .filter(|(a, b)| guards.allow(*a, *b))
            .collect();
        assert_eq!(allowed, [(0, 1)]);
        assert_eq!(guards.values(2).collect::<Vec<_>>(), [0, 1, 0]);
        assert!(guards.are_of(
            &Config::default().same(vec!["a".into()]).differ(vec!["b".into(), "c".into()])
        ));
        assert!(!guards.are_of(&Config::default().differ(vec!["b".into(), "c".into()])));
    }
}
