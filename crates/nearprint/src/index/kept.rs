//! The documents of an index, and a query -> prepared documents for the judge.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use nearprint_core::judge::{Parts, PreparedText, Preparer};
use nearprint_core::near::QUERY;
use nearprint_core::recipe::Prepared;

use super::record::Text;
use super::store::Store;
use crate::corpus::DocumentStore;
use crate::error::Error;

/// The bytes of texts that are kept in memory. The last text may exceed them.
const MOST_TEXTS: usize = 1 << 20;

/// The documents of an index, and the text of a query, prepared again for the judge.
pub struct Kept<'s> {
    texts: Texts<'s>,
    preparer: Preparer,
    /// True if the store has texts as read.
    as_read: bool,
    query: PreparedText,
}

/// The texts of a store, with the last ones in memory: a text that was judged is often a candidate
/// of the next query.
struct Texts<'s> {
    store: &'s Store,
    read: HashMap<u32, (Text, Option<Vec<String>>)>,
    bytes: usize,
    /// True if documents have their own tokens.
    with_tokens: bool,
}

impl Texts<'_> {
    /// A text, and the own tokens of its document.
    fn get(&mut self, document: u32) -> Result<&(Text, Option<Vec<String>>), Error> {
        let Texts { store, read, bytes, with_tokens } = self;
        if *bytes > MOST_TEXTS {
            read.clear();
            *bytes = 0;
        }
        Ok(match read.entry(document) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let text =
                    store.text(document)?.ok_or_else(|| store.damaged("the text", document))?;
                let tokens = match with_tokens {
                    true => {
                        let own = store.document(document)?;
                        let own = own.and_then(|own| own.tokens().map(<[_]>::to_vec));
                        Some(own.ok_or_else(|| store.damaged("the tokens", document))?)
                    }
                    false => None,
                };
                let own = tokens.iter().flatten();
                *bytes += own.map(|token| token.len() + size_of::<String>()).sum::<usize>();
                *bytes += text.text.len() + size_of::<(u32, Text)>();
                entry.insert((text, tokens))
            }
        })
    }
}

impl<'s> Kept<'s> {
    /// The documents of a store, and an empty query.
    pub fn new(store: &'s Store, preparer: Preparer, as_read: bool, with_tokens: bool) -> Kept<'s> {
        let texts = Texts { store, read: HashMap::new(), bytes: 0, with_tokens };
        Kept { texts, preparer, as_read, query: PreparedText::default() }
    }

    /// Sets the text of the query, and returns the one before.
    pub fn query(&mut self, query: PreparedText) -> PreparedText {
        std::mem::replace(&mut self.query, query)
    }
}

impl DocumentStore for Kept<'_> {
    fn load(&mut self, document: u32, parts: Parts, out: &mut Prepared) -> Result<(), Error> {
        match document {
            QUERY => out.copy(&self.query.prepared),
            document => {
                let (Text { text, features, .. }, tokens) = self.texts.get(document)?;
                let tokens = tokens.as_deref();
                self.preparer.load(text, tokens, self.as_read, *features, parts, out);
            }
        }
        Ok(())
    }

    fn characters(&mut self, document: u32) -> Result<u32, Error> {
        match document {
            QUERY => Ok(self.query.characters),
            document => Ok(self.texts.get(document)?.0.characters),
        }
    }
}
