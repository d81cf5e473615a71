//! Fingerprints -> the documents whose fingerprints are near, without a comparison of texts.

use nearprint_core::fingerprint::{Distance, from_hex};
use nearprint_core::near::{Asking, Collection};
use serde::Serialize;

use super::{Index, now};
use crate::document::Id;
use crate::error::Error;
use crate::watch::{Watch, stop_if_asked};

/// The documents near a fingerprint.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct NearFingerprint {
    /// The first documents: by distance, then in the order in which they were added.
    pub near: Vec<NearDocument>,
    /// The number of other ones.
    pub more: u64,
}

/// A document whose fingerprint is near another one. Their texts were not compared, so it may be no
/// duplicate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NearDocument {
    /// The id of the document.
    pub id: Id,
    /// The distance of the fingerprints, in bits or edits.
    pub distance: u32,
}

impl Index {
    /// For each fingerprint at most `top` documents within the index's largest distance of
    /// duplicates, inclusive. A fingerprint is given by its hexadecimal digits. It must be made with
    /// the settings of the index. Short and empty documents have no fingerprints and are not found.
    ///
    /// ```
    /// use nearprint::document::{Document, Id};
    /// use nearprint::index::{Index, IndexOptions};
    /// use nearprint::{Config, Silent, compare};
    /// let folder = tempfile::tempdir()?;
    /// let mut index = Index::create(&folder.path().join("seen"), &Config::default(), &IndexOptions::default())?;
    /// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft";
    /// let document = Document { row: 1, id: Id::Integer(7), text: text.into(), fields: vec![] };
    /// index.add(vec![document], false, &Silent)?;
    /// let other = format!("{text}, they say.");
    /// let fingerprint = compare(index.config(), text, &other, 0)?.right.fingerprint;
    /// let found = index.near_fingerprints(&[fingerprint.as_str()], 10, &Silent)?;
    /// assert_eq!(found[0].near[0].id, Id::Integer(7));
    /// assert!(index.near_fingerprints(&["abc"], 10, &Silent).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for a text that is no fingerprint of the index's number of bits;
    /// [`Error::Io`], [`Error::Incompatible`], [`Error::Interrupted`].
    pub fn near_fingerprints(
        &mut self,
        fingerprints: &[&str],
        top: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<NearFingerprint>, Error> {
        let bits = self.rules.bits;
        let words = |(number, hex): (usize, &&str)| {
            from_hex(hex, bits).ok_or_else(|| {
                let problem = format!(
                    "fingerprint number {number} is not {} hexadecimal digits; make it with the settings of \
                     the index, whose fingerprints have {bits} bits",
                    bits / 4
                );
                Error::usage("index", problem)
            })
        };
        let asked: Vec<[u64; 4]> = (1..).zip(fingerprints).map(words).collect::<Result<_, _>>()?;
        self.read(|index| {
            let now = now();
            let mut asking = Asking::default();
            let near = |words| {
                stop_if_asked(watch)?;
                index.near_fingerprint(words, top, now, &mut asking)
            };
            asked.iter().map(near).collect()
        })
    }

    fn near_fingerprint(
        &self,
        words: &[u64; 4],
        top: usize,
        now: i64,
        asking: &mut Asking,
    ) -> Result<NearFingerprint, Error> {
        let most = self.rules.max_distance.unwrap_or(0);
        let mut met = match self.rules.distance {
            Distance::Hamming => self.view.near(words, most, asking),
            Distance::Edit => self.view.near_by_edits(words, self.rules.bits, most),
        };
        met.retain(|met| met.kind.is_searched());
        met.sort_unstable_by_key(|met| (met.distance, met.number));
        let mut found = NearFingerprint::default();
        for met in met {
            if found.near.len() == top && self.options.ttl.is_none() {
                found.more += 1;
                continue;
            }
            let document = self.store.document(met.number)?;
            let document = document.ok_or_else(|| self.store.damaged("the row", met.number))?;
            match document.is_there(now) {
                true if found.near.len() < top => {
                    found.near.push(NearDocument { id: document.id, distance: met.distance });
                }
                true => found.more += 1,
                false => {}
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::compare;
    use crate::config::{Config, MaxDistance};
    use crate::document::{Document, Id};
    use crate::index::{Index, IndexOptions};
    use crate::watch::Silent;

    #[test]
    fn the_bound_of_the_distance_is_inclusive_and_short_documents_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::default().max_distance(MaxDistance::Bits(20));
        let mut index =
            Index::create(&folder.path().join("seen"), &config, &IndexOptions::default()).unwrap();
        let text =
            "The ferry returns on Monday after eleven weeks of repairs to its propeller shaft";
        let documents = [(1, text), (2, text), (3, "Half price")].map(|(id, text)| Document {
            row: 0,
            id: Id::Integer(id),
            text: text.to_string(),
            fields: Vec::new(),
        });
        index.add(documents.to_vec(), false, &Silent).unwrap();
        let own = compare(&config, text, "Half price", 0).unwrap();
        let mut ask = |hex: &str, top| {
            let mut found = index.near_fingerprints(&[hex], top, &Silent).unwrap();
            let found = found.pop().unwrap();
            let near = found.near.into_iter().map(|near| (near.id.to_string(), near.distance));
            (near.collect::<Vec<_>>(), found.more)
        };
        assert_eq!(ask(&own.left.fingerprint, 1), (vec![("1".to_string(), 0)], 1));
        assert_eq!(ask(&own.right.fingerprint, 9), (vec![], 0));
        // Five digits with all their bits turned are 20 bits.
        let turned = |count: usize| -> String {
            let digit = |(place, digit): (usize, char)| match place < count {
                true => char::from_digit(15 - digit.to_digit(16).unwrap(), 16).unwrap(),
                false => digit,
            };
            own.left.fingerprint.chars().enumerate().map(digit).collect()
        };
        assert_eq!(ask(&turned(5), 1), (vec![("1".to_string(), 20)], 1));
        assert_eq!(ask(&turned(6), 9), (vec![], 0));
    }
}
