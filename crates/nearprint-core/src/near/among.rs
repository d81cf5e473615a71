//! The record of a query, and the records of documents -> the documents of equal text, those with
//! near fingerprints, and those to be compared by characters.
//!
//! A [`Collection`] has the records of documents, in one part or several, with or without tables.
//! [`Among`] searches it, both for a run over a corpus and for an index.

use hashbrown::HashMap;

use super::short::Signature;
use super::{Asking, Kind, Neighbor, Record, Records, RecordsIn, Tables};
use crate::fingerprint::Distance;
use crate::judge::{FAMILY, Rules};

/// The number of the query, which is no document of the collection.
pub const QUERY: u32 = u32::MAX;

/// The most documents whose numbers of neighbors are kept.
const MOST_COUNTED: usize = 1 << 16;

/// A document that a query found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Met {
    /// Its number.
    pub number: u32,
    /// The distance of its fingerprint from the query, in bits or edits.
    pub distance: u32,
    /// The XXH3-128 hash of its normalized text.
    pub text_hash: u128,
    /// The ways in which it is searched.
    pub kind: Kind,
}

/// Documents by their records. It is a trait because a run has its records in memory, and an index
/// has them in files and in memory.
pub trait Collection {
    /// The parts of the records, each with its tables if it has some. Each number is in one part.
    fn parts(&self) -> impl Iterator<Item = (RecordsIn<'_>, Option<Tables<'_>>)>;

    /// Returns true if the document with a number was not removed.
    fn has(&self, number: u32) -> bool;

    /// The record of the document with a number, if it is there.
    fn record(&self, number: u32) -> Option<Record> {
        let place = |(part, _): (RecordsIn<'_>, _)| part.place(number).map(|at| part.record(at));
        self.has(number).then(|| self.parts().find_map(place)).flatten()
    }

    /// The documents whose words are within `most` bits of these words, if the tables see them.
    fn near(&self, words: &[u64; 4], most: u32, asking: &mut Asking) -> Vec<Met> {
        self.meet(|part, tables, out| part.near(tables, words, most, asking, out))
    }

    /// All documents whose fingerprints are within `most` bits of these words.
    fn near_by_scan(&self, words: &[u64; 4], most: u32) -> Vec<Met> {
        self.meet(|part, _, out| part.near(None, words, most, &mut Asking::default(), out))
    }

    /// All documents whose fingerprints of `bits` bits are within `most` edits of these words.
    fn near_by_edits(&self, words: &[u64; 4], bits: u32, most: u32) -> Vec<Met> {
        self.meet(|part, _, out| part.near_by_edits(words, bits, most, out))
    }

    /// The documents whose characters may have a similarity of `least` or more to a text of this
    /// length in characters and signature. Their distances are 0.
    fn short(&self, length: u32, signature: &Signature, least: f64) -> Vec<Met> {
        let mut places = Vec::new();
        self.meet(|part, _, out| {
            places.clear();
            part.short(length, signature, least, &mut places);
            out.extend(places.iter().map(|place| Neighbor { slot: *place, distance: 0 }));
        })
    }

    /// The documents at the places that `look` adds for each part.
    fn meet(
        &self,
        mut look: impl FnMut(&RecordsIn<'_>, Option<&Tables<'_>>, &mut Vec<Neighbor>),
    ) -> Vec<Met> {
        let (mut near, mut met) = (Vec::new(), Vec::new());
        for (part, tables) in self.parts() {
            near.clear();
            look(&part, tables.as_ref(), &mut near);
            for Neighbor { slot, distance } in &near {
                let (place, number) = (*slot as usize, part.numbers[*slot as usize]);
                if self.has(number) {
                    let (text_hash, kind) = (part.text_hash(place), part.kind(place));
                    met.push(Met { number, distance: *distance, text_hash, kind });
                }
            }
        }
        met
    }
}

impl Collection for Records {
    fn parts(&self) -> impl Iterator<Item = (RecordsIn<'_>, Option<Tables<'_>>)> {
        [(self.view(), None)].into_iter()
    }

    fn has(&self, _: u32) -> bool {
        true
    }
}

/// A query among the documents of a collection, in buffers of its own, one a thread.
///
/// ```
/// use nearprint_core::judge::{Preparer, Rules};
/// use nearprint_core::near::{Among, Record, Records};
/// use nearprint_core::recipe::{Options, Recipe};
/// let rules = Rules::default();
/// let mut preparer = Preparer::new(&Recipe::new(Options::default())?, rules);
/// let (mut records, mut text) = (Records::new(4), Default::default());
/// let texts = [
///     "The ferry to Hiddensee returns on Monday, after eleven weeks of repairs.",
///     "Half of the bakeries in the old town now close before noon.",
///     "The ferry to Hiddensee returns on Monday, after eleven weeks of repairs!",
/// ];
/// for (number, own) in (0..).zip(&texts[..2]) {
///     preparer.prepare(own, &mut text);
///     records.push(number, &Record::new(&text, &rules));
/// }
/// preparer.prepare(texts[2], &mut text);
/// let mut among = Among::new(&records, &rules, Record::new(&text, &rules));
/// assert_eq!(among.near().iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0]);
/// # Ok::<(), nearprint_core::recipe::Error>(())
/// ```
#[derive(Debug)]
pub struct Among<'c, C> {
    collection: &'c C,
    rules: &'c Rules,
    record: Record,
    /// The documents near the query, if they were searched already.
    met: Option<Vec<Met>>,
    /// The numbers of neighbors of documents, kept since texts of one family have the same
    /// candidates.
    neighbors: HashMap<u32, u8>,
    asking: Asking,
}

impl<'c, C: Collection> Among<'c, C> {
    /// A query by the record of its text.
    pub fn new(collection: &'c C, rules: &'c Rules, record: Record) -> Among<'c, C> {
        let (neighbors, asking) = (HashMap::new(), Asking::default());
        Among { collection, rules, record, met: None, neighbors, asking }
    }

    /// Takes another query.
    pub fn query(&mut self, record: Record) {
        (self.record, self.met) = (record, None);
    }

    /// The documents near the query, or those at distance 0 if only equal texts are duplicates.
    fn met(&mut self) -> &[Met] {
        if self.met.is_none() {
            let Record { kind, words, .. } = self.record;
            let most = if kind.is_searched() { self.rules.max_distance.unwrap_or(0) } else { 0 };
            self.met = Some(self.within(&words, most));
        }
        self.met.as_deref().unwrap_or_default()
    }

    fn within(&mut self, words: &[u64; 4], most: u32) -> Vec<Met> {
        match self.rules.distance {
            Distance::Hamming => self.collection.near(words, most, &mut self.asking),
            Distance::Edit => self.collection.near_by_edits(words, self.rules.bits, most),
        }
    }

    /// The documents of equal normalized text.
    pub fn equal(&mut self) -> Vec<u32> {
        let Record { text_hash, kind, .. } = self.record;
        let is_equal = |met: &&Met| met.text_hash == text_hash && !kind.is_empty();
        self.met().iter().filter(is_equal).map(|met| met.number).collect()
    }

    /// The documents of other texts whose fingerprints are near, with their distances.
    pub fn near(&mut self) -> Vec<(u32, u32)> {
        let Record { text_hash, kind, .. } = self.record;
        match kind.is_searched() && self.rules.max_distance.is_some() {
            true => searched(self.met(), text_hash),
            false => Vec::new(),
        }
    }

    /// The documents of other texts whose fingerprints are near that of a document.
    pub fn near_document(&mut self, number: u32) -> Vec<(u32, u32)> {
        let record = self.collection.record(number).filter(|record| record.kind.is_searched());
        match (record, self.rules.max_distance) {
            (Some(Record { words, text_hash, .. }), Some(most)) => {
                searched(&self.within(&words, most), text_hash)
            }
            _ => Vec::new(),
        }
    }

    /// The `count` documents of other texts with the nearest fingerprints, at any distance. At
    /// equal distances the smaller numbers win.
    pub fn nearest(&mut self, count: usize) -> Vec<(u32, u32)> {
        let Record { text_hash, kind, words, .. } = self.record;
        if !kind.is_searched() || self.rules.max_distance.is_none() {
            return Vec::new();
        }
        let mut near = match self.rules.distance {
            Distance::Hamming => {
                searched(&self.collection.near_by_scan(&words, self.rules.bits), text_hash)
            }
            Distance::Edit => searched(&self.within(&words, self.rules.bits), text_hash),
        };
        let nearness = |(number, distance): &(u32, u32)| (*distance, *number);
        if near.len() > count {
            near.select_nth_unstable_by_key(count, nearness);
            near.truncate(count);
        }
        near
    }

    /// The documents of other texts with which the query is compared by characters.
    pub fn short(&mut self) -> Vec<u32> {
        let Record { text_hash, kind, short, .. } = self.record;
        let (Some((length, signature)), Some(_)) = (short, self.rules.max_distance) else {
            return Vec::new();
        };
        let met = self.collection.short(length, &signature, self.rules.min_similarity);
        let may_pair =
            |met: &&Met| met.text_hash != text_hash && (kind.is_short() || met.kind.is_short());
        met.iter().filter(may_pair).map(|met| met.number).collect()
    }

    /// Returns true if the query or one of the documents near it, `document`, is in a family. A
    /// query whose text no document has (`is_new`) counts as a neighbor of the document, too.
    pub fn are_in_family(&mut self, near: &[(u32, u32)], document: u32, is_new: bool) -> bool {
        self.others(QUERY, near).len() >= FAMILY as usize
            || self.neighbors(document) + u8::from(is_new) >= FAMILY
    }

    /// The number of other texts near a document, up to [`FAMILY`].
    pub fn neighbors(&mut self, document: u32) -> u8 {
        if let Some(neighbors) = self.neighbors.get(&document) {
            return *neighbors;
        }
        let near = self.near_document(document);
        let neighbors = self.others(document, &near).len() as u8;
        if self.neighbors.len() == MOST_COUNTED {
            self.neighbors.clear();
        }
        self.neighbors.insert(document, neighbors);
        neighbors
    }

    /// The first of the documents near a document, or near the [`QUERY`], one for each other text,
    /// up to [`FAMILY`].
    pub fn others(&self, of: u32, near: &[(u32, u32)]) -> Vec<u32> {
        let mut met = vec![self.text_hash(of)];
        let is_new = |document: &u32| {
            let hash = self.text_hash(*document);
            let is_new = !met.contains(&hash);
            if is_new {
                met.push(hash);
            }
            is_new
        };
        near.iter().map(|(document, _)| *document).filter(is_new).take(FAMILY as usize).collect()
    }

    fn text_hash(&self, document: u32) -> u128 {
        match document {
            QUERY => self.record.text_hash,
            document => self.collection.record(document).map_or(0, |record| record.text_hash),
        }
    }
}

/// The documents of other texts that are searched by their fingerprints.
fn searched(met: &[Met], text_hash: u128) -> Vec<(u32, u32)> {
    let others = met.iter().filter(|met| met.kind.is_searched() && met.text_hash != text_hash);
    others.map(|met| (met.number, met.distance)).collect()
}
