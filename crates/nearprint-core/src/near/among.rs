//! The record of a query, and the records of documents -> the documents of equal text, those with
//! near fingerprints, and those to be compared by characters.
//!
//! A [`Collection`] has the records of documents, in one part or several, with or without tables.
//! [`Among`] searches it, both for a run over a corpus and for an index.

use hashbrown::HashMap;

use super::short::Signature;
use super::{Asking, Kind, Neighbor, Query, Record, Records, RecordsIn, Tables};
use crate::fingerprint::Distance;
use crate::judge::{FAMILY, Rules};

/// The number of the query, which is no document of the collection.
pub const QUERY: u32 = u32::MAX;

/// The most texts whose numbers of neighbors are kept.
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
        let query = [Query::all(*words, most)];
        self.near_each(&query, asking).pop().flatten().unwrap_or_default()
    }

    /// The documents near each query, if the tables see them; `None` if a part has more than the
    /// limit of the query.
    fn near_each(&self, queries: &[Query], asking: &mut Asking) -> Vec<Option<Vec<Met>>> {
        let mut near = vec![Vec::new(); queries.len()];
        let mut all = vec![Some(Vec::new()); queries.len()];
        for (part, tables) in self.parts() {
            part.near(tables.as_ref(), queries, asking, &mut near);
            for ((query, near), all) in queries.iter().zip(&near).zip(&mut all) {
                if near.len() > query.limit {
                    *all = None;
                }
                all.iter_mut().for_each(|met| self.meet(&part, near, met));
            }
        }
        all
    }

    /// All documents whose fingerprints are within `most` bits of these words.
    fn near_by_scan(&self, words: &[u64; 4], most: u32) -> Vec<Met> {
        let query = [Query::all(*words, most)];
        self.look(|part, out| {
            part.near(None, &query, &mut Asking::default(), std::slice::from_mut(out));
        })
    }

    /// All documents whose fingerprints of `bits` bits are within `most` edits of these words.
    fn near_by_edits(&self, words: &[u64; 4], bits: u32, most: u32) -> Vec<Met> {
        self.look(|part, out| part.near_by_edits(words, bits, most, out))
    }

    /// The documents whose characters may have a similarity of `least` or more to a text of this
    /// length in characters and signature. Their distances are 0.
    fn short(&self, length: u32, signature: &Signature, least: f64) -> Vec<Met> {
        let mut places = Vec::new();
        self.look(|part, out| {
            places.clear();
            part.short(length, signature, least, &mut places);
            out.extend(places.iter().map(|place| Neighbor { slot: *place, distance: 0 }));
        })
    }

    /// The documents at the places that `look` adds for each part.
    fn look(&self, mut look: impl FnMut(&RecordsIn<'_>, &mut Vec<Neighbor>)) -> Vec<Met> {
        let (mut near, mut met) = (Vec::new(), Vec::new());
        for (part, _) in self.parts() {
            near.clear();
            look(&part, &mut near);
            self.meet(&part, &near, &mut met);
        }
        met
    }

    /// Adds the documents at these places of a part that were not removed.
    fn meet(&self, part: &RecordsIn<'_>, near: &[Neighbor], met: &mut Vec<Met>) {
        for Neighbor { slot, distance } in near {
            let (place, number) = (*slot as usize, part.numbers[*slot as usize]);
            if self.has(number) {
                let (text_hash, kind) = (part.text_hash(place), part.kind(place));
                met.push(Met { number, distance: *distance, text_hash, kind });
            }
        }
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
/// assert_eq!(among.near().iter().map(|met| met.number).collect::<Vec<_>>(), [0]);
/// # Ok::<(), nearprint_core::recipe::Error>(())
/// ```
#[derive(Debug)]
pub struct Among<'c, C> {
    collection: &'c C,
    rules: &'c Rules,
    record: Record,
    /// The documents near the query, if they were searched already.
    met: Option<Vec<Met>>,
    /// True if the query is in a family, if that was asked already.
    in_family: Option<bool>,
    /// The number of neighbors of each text by its hash: equal texts have the same ones, and texts
    /// of one family have the same candidates.
    neighbors: HashMap<u128, u8>,
    asking: Asking,
}

impl<'c, C: Collection> Among<'c, C> {
    /// A query by the record of its text.
    pub fn new(collection: &'c C, rules: &'c Rules, record: Record) -> Among<'c, C> {
        let (neighbors, asking) = (HashMap::new(), Asking::default());
        Among { collection, rules, record, met: None, in_family: None, neighbors, asking }
    }

    /// Takes another query. `met` are the documents near it, by [`Collection::near_each`] with
    /// [`query_of`], if they were searched already.
    pub fn query(&mut self, record: Record, met: Option<Vec<Met>>) {
        (self.record, self.met, self.in_family) = (record, met, None);
    }

    /// The documents near the query, or those at distance 0 if only equal texts are duplicates.
    fn met(&mut self) -> &[Met] {
        if self.met.is_none() {
            let Query { words, most, .. } = query_of(&self.record, self.rules);
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

    /// The documents of other texts whose fingerprints are near.
    pub fn near(&mut self) -> Vec<Met> {
        let Record { text_hash, kind, .. } = self.record;
        match kind.is_searched() && self.rules.max_distance.is_some() {
            true => searched(self.met(), text_hash).collect(),
            false => Vec::new(),
        }
    }

    /// The `count` documents of other texts with the nearest fingerprints, at any distance. At
    /// equal distances the smaller numbers win.
    pub fn nearest(&mut self, count: usize) -> Vec<Met> {
        let Record { text_hash, kind, words, .. } = self.record;
        if !kind.is_searched() || self.rules.max_distance.is_none() {
            return Vec::new();
        }
        let met = match self.rules.distance {
            Distance::Hamming => self.collection.near_by_scan(&words, self.rules.bits),
            Distance::Edit => self.within(&words, self.rules.bits),
        };
        let mut near: Vec<Met> = searched(&met, text_hash).collect();
        if near.len() > count {
            near.select_nth_unstable_by_key(count, |met| (met.distance, met.number));
            near.truncate(count);
        }
        near
    }

    /// The documents of other texts with which the query is compared by characters.
    pub fn short(&mut self) -> Vec<Met> {
        let Record { text_hash, kind, short, .. } = self.record;
        let (Some((length, signature)), Some(_)) = (short, self.rules.max_distance) else {
            return Vec::new();
        };
        let mut met = self.collection.short(length, &signature, self.rules.min_similarity);
        met.retain(|met| met.text_hash != text_hash && (kind.is_short() || met.kind.is_short()));
        met
    }

    /// Returns true if the query or a document is in a family. A query whose text no document has
    /// (`is_new`) counts as a neighbor of the document, too.
    pub fn are_in_family(&mut self, document: u32, is_new: bool) -> bool {
        self.is_in_family() || self.neighbors(document) + u8::from(is_new) >= FAMILY
    }

    /// Returns true if the query is in a family.
    pub fn is_in_family(&mut self) -> bool {
        match self.in_family {
            Some(in_family) => in_family,
            None => {
                let in_family = one_of_each_text(self.near()).len() >= FAMILY as usize;
                *self.in_family.insert(in_family)
            }
        }
    }

    /// The number of other texts near a document, up to [`FAMILY`].
    pub fn neighbors(&mut self, document: u32) -> u8 {
        let Some(record) = self.collection.record(document) else { return 0 };
        if let Some(neighbors) = self.neighbors.get(&record.text_hash) {
            return *neighbors;
        }
        let neighbors = self.others_near(&record).len() as u8;
        if self.neighbors.len() == MOST_COUNTED {
            self.neighbors.clear();
        }
        self.neighbors.insert(record.text_hash, neighbors);
        neighbors
    }

    /// The first documents near a document, one of each other text, up to [`FAMILY`].
    pub fn others(&mut self, document: u32) -> Vec<u32> {
        self.collection.record(document).map_or_else(Vec::new, |record| self.others_near(&record))
    }

    fn others_near(&mut self, record: &Record) -> Vec<u32> {
        match self.rules.max_distance {
            Some(most) if record.kind.is_searched() => {
                let met = self.within(&record.words, most);
                one_of_each_text(searched(&met, record.text_hash))
            }
            _ => Vec::new(),
        }
    }
}

/// The query for the documents near one, as [`Among`] searches them.
pub fn query_of(record: &Record, rules: &Rules) -> Query {
    let Record { kind, words, .. } = *record;
    Query::all(words, if kind.is_searched() { rules.max_distance.unwrap_or(0) } else { 0 })
}

/// The documents of other texts that are searched by their fingerprints.
fn searched(met: &[Met], text_hash: u128) -> impl Iterator<Item = Met> {
    let is_other = move |met: &Met| met.kind.is_searched() && met.text_hash != text_hash;
    met.iter().copied().filter(is_other)
}

/// The first document of each text, up to [`FAMILY`] of them.
fn one_of_each_text(documents: impl IntoIterator<Item = Met>) -> Vec<u32> {
    let mut texts = Vec::new();
    let is_new = |met: &Met| {
        let is_new = !texts.contains(&met.text_hash);
        if is_new {
            texts.push(met.text_hash);
        }
        is_new
    };
    let of_new_texts = documents.into_iter().filter(is_new);
    of_new_texts.map(|met| met.number).take(FAMILY as usize).collect()
}

#[cfg(test)]
mod tests;
