//! A text that is asked about, among the documents of an index -> its duplicates among these.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use nearprint_core::compare::judge::{Parts, PreparedText, Preparer, Rules};
use nearprint_core::near::Asking;
use nearprint_core::near::Record;
use nearprint_core::recipe::Prepared;

use super::prepare::ASKED;
use super::record::Text;
use super::store::Store;
use super::view::{Met, View};
use crate::corpus::DocumentStore;
use crate::error::Error;
use crate::find::{self, Candidates, Near};

/// Documents of which the neighbors are kept at most.
const MOST_COUNTED: usize = 1 << 16;

/// Bytes of texts that are kept at most, and one more text.
const MOST_TEXTS: usize = 1 << 20;

/// The documents of an index, among which duplicates are looked for.
pub struct Among<'v> {
    view: &'v View,
    rules: &'v Rules,
    record: Record,
    /// What is near the text that is asked about, once that was looked for.
    met: Option<Vec<Met>>,
    /// The neighbors of documents that were asked for: texts of one family have the same
    /// candidates.
    neighbors: HashMap<u32, u8>,
    asking: Asking,
}

impl<'v> Among<'v> {
    /// Those of a view, for the text of a record.
    pub fn new(view: &'v View, rules: &'v Rules, record: Record) -> Among<'v> {
        Among {
            view,
            rules,
            record,
            met: None,
            neighbors: HashMap::new(),
            asking: Asking::default(),
        }
    }

    /// Asks about another text.
    pub fn ask(&mut self, record: Record) {
        (self.record, self.met) = (record, None);
    }

    /// What the tables find near the text that is asked about; where only equal texts are
    /// duplicates, what stands at no distance.
    fn met(&mut self) -> &[Met] {
        let Among { view, rules, record, met, asking, .. } = self;
        met.get_or_insert_with(|| {
            let most = if record.kind.is_searched() { rules.max_distance.unwrap_or(0) } else { 0 };
            view.near(&record.words, most, asking)
        })
    }
}

/// Those of other texts that are searched by their fingerprints.
fn searched(met: &[Met], text_hash: u128) -> Vec<Near> {
    let others = met.iter().filter(|met| met.kind.is_searched() && met.text_hash != text_hash);
    others.map(|met| (met.number, met.distance)).collect()
}

impl Candidates for Among<'_> {
    fn equal(&mut self, _: u32) -> Result<Vec<u32>, Error> {
        let Record { text_hash, kind, .. } = self.record;
        let equal = self.met().iter().filter(|met| met.text_hash == text_hash && !kind.is_empty());
        Ok(equal.map(|met| met.number).collect())
    }

    fn near(&mut self, of: u32) -> Result<Vec<Near>, Error> {
        let Some(most) = self.rules.max_distance else { return Ok(Vec::new()) };
        if of == ASKED {
            let Record { text_hash, kind, .. } = self.record;
            return Ok(if kind.is_searched() {
                searched(self.met(), text_hash)
            } else {
                Vec::new()
            });
        }
        let Some(record) = self.view.record(of).filter(|record| record.kind.is_searched()) else {
            return Ok(Vec::new());
        };
        Ok(searched(&self.view.near(&record.words, most, &mut self.asking), record.text_hash))
    }

    fn short(&mut self, _: u32) -> Result<Vec<u32>, Error> {
        let Record { text_hash, kind, short, .. } = self.record;
        let (Some((length, signature)), Some(_)) = (short, self.rules.max_distance) else {
            return Ok(Vec::new());
        };
        let met = self.view.short(length, &signature, self.rules.min_similarity);
        let others = met
            .iter()
            .filter(|met| met.text_hash != text_hash && (kind.is_short() || met.kind.is_short()));
        Ok(others.map(|met| met.number).collect())
    }

    fn neighbors(&mut self, document: u32) -> Result<u8, Error> {
        if let Some(neighbors) = self.neighbors.get(&document) {
            return Ok(*neighbors);
        }
        let near = self.near(document)?;
        let neighbors = find::others(self, document, &near).len() as u8;
        if self.neighbors.len() == MOST_COUNTED {
            self.neighbors.clear();
        }
        self.neighbors.insert(document, neighbors);
        Ok(neighbors)
    }

    fn text_hash(&self, document: u32) -> u128 {
        match document {
            ASKED => self.record.text_hash,
            document => self.view.record(document).map_or(0, |record| record.text_hash),
        }
    }
}

/// The documents of an index and the text that is asked about, prepared again for the judge.
pub struct Kept<'s> {
    texts: Texts<'s>,
    preparer: Preparer,
    /// Whether texts are kept as they were read.
    as_read: bool,
    asked: PreparedText,
}

/// The texts of a store, those that were read last in memory: one that was judged is often near the
/// next.
struct Texts<'s> {
    store: &'s Store,
    read: HashMap<u32, Text>,
    bytes: usize,
}

impl Texts<'_> {
    fn get(&mut self, document: u32) -> Result<&Text, Error> {
        let Texts { store, read, bytes } = self;
        if *bytes > MOST_TEXTS {
            read.clear();
            *bytes = 0;
        }
        Ok(match read.entry(document) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let text =
                    store.text(document)?.ok_or_else(|| store.damaged("the text", document))?;
                *bytes += text.text.len() + size_of::<(u32, Text)>();
                entry.insert(text)
            }
        })
    }
}

impl<'s> Kept<'s> {
    /// Those of a store.
    pub fn new(store: &'s Store, preparer: Preparer, as_read: bool) -> Kept<'s> {
        let texts = Texts { store, read: HashMap::new(), bytes: 0 };
        Kept { texts, preparer, as_read, asked: PreparedText::default() }
    }

    /// Asks about another text, and gives the one before.
    pub fn ask(&mut self, asked: PreparedText) -> PreparedText {
        std::mem::replace(&mut self.asked, asked)
    }
}

impl DocumentStore for Kept<'_> {
    fn load(&mut self, document: u32, parts: Parts, out: &mut Prepared) -> Result<(), Error> {
        match document {
            ASKED => out.copy(&self.asked.prepared),
            document => {
                let Text { text, features, .. } = self.texts.get(document)?;
                self.preparer.load(text, self.as_read, *features, parts, out);
            }
        }
        Ok(())
    }

    fn characters(&mut self, document: u32) -> Result<u32, Error> {
        match document {
            ASKED => Ok(self.asked.characters),
            document => Ok(self.texts.get(document)?.characters),
        }
    }
}
