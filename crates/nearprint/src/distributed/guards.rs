//! Texts and the values of guards -> keys, which are equal for documents that fold; and the pairs
//! that guards allow.

use xxhash_rust::xxh3::xxh3_64;

use super::Worker;
use crate::corpus::conflict;

/// The keys and the values of guards of the documents of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// The [key](Worker::key) of each document.
    pub keys: Vec<u128>,
    /// The values of each document in the fields of `same`, then of `differ`. A value is a number;
    /// equal values have equal numbers. Empty without guards.
    pub values: Vec<Vec<i64>>,
}

impl Worker {
    /// The key of a document. Documents of equal keys stand for each other. The key is the hash of
    /// the text. With guards, its upper half is that of the hash, and its lower half also depends
    /// on the values. `values` are as in [`Keys`].
    ///
    /// ```
    /// use nearprint::{Config, distributed::Worker};
    /// let worker = Worker::new(&Config::default().same(vec!["lang".to_string()]))?;
    /// let text_hash = worker.records(&["春眠不觉晓"], false)[0].text_hash;
    /// let [one, other] = [7, 8].map(|value| worker.key(text_hash, &[value], false));
    /// assert!(one != other && one >> 64 == text_hash >> 64);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn key(&self, text_hash: u128, values: &[i64], is_against: bool) -> u128 {
        if values.is_empty() {
            return text_hash;
        }
        // Under `differ`, documents of equal values are no pair, so they fold. Documents of two
        // sides do not fold then, since their pairs are on different sides.
        let side = !self.config().decide.differ.is_empty() && is_against;
        let mut bytes = (text_hash as u64).to_le_bytes().to_vec();
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        bytes.push(u8::from(side));
        text_hash >> 64 << 64 | u128::from(xxh3_64(&bytes))
    }

    /// Returns true if guards allow two documents of a group to be a pair of different texts.
    pub(super) fn may_be_near(&self, documents: &Keys, one: u32, other: u32) -> bool {
        let [one, other] = [one as usize, other as usize];
        let Keys { keys, values } = documents;
        if values.is_empty() {
            return true;
        }
        let fields = values[one].iter().zip(&values[other]);
        let of_one_text = keys[one] >> 64 == keys[other] >> 64;
        conflict(self.config().decide.same.len(), fields).is_none()
            && (self.config().decide.differ.is_empty() || !of_one_text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn guards_say_what_those_of_one_machine_say() {
        let named =
            |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<String>>();
        let config = Config::default().same(named(&["a"])).differ(named(&["b", "c"]));
        let worker = Worker::new(&config).unwrap();
        let rows = [
            ([1, 1, 1], 7),
            ([1, 2, 2], 8),
            ([1, 2, 1], 9),
            ([2, 2, 2], 10),
            ([1, 3, 3], 7),
            ([1, 1, 1], 7),
        ];
        let key = |(values, text): &([i64; 3], u128)| worker.key(text << 64, values, false);
        let documents = Keys {
            keys: rows.iter().map(key).collect(),
            values: rows.iter().map(|row| row.0.to_vec()).collect(),
        };
        let each = || 0..rows.len() as u32;
        let near: Vec<(u32, u32)> = each()
            .flat_map(|one| (one + 1..rows.len() as u32).map(move |other| (one, other)))
            .filter(|(one, other)| worker.may_be_near(&documents, *one, *other))
            .collect();
        // The first and the fifth row have one text.
        assert_eq!(near, [(0, 1), (1, 4), (1, 5), (2, 4)]);
        assert_eq!(documents.keys[0], documents.keys[5]);
        assert_ne!(worker.key(7, &[1, 1, 1], true), worker.key(7, &[1, 1, 1], false));
        let same = Worker::new(&Config::default().same(named(&["a"]))).unwrap();
        assert_eq!(same.key(7, &[1], true), same.key(7, &[1], false));
    }
}
