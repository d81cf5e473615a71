//! Documents of two sides -> the reference documents that stand inside of the others.
//!
//! Reference documents are read first and become the items of an index. Every other document is
//! searched for items while its text is in memory, and only their places are stored.

use std::path::Path;
use std::sync::OnceLock;

use nearprint_core::recipe::{Prepared, Recipe, Wanted};

use super::Storage;
use crate::config::Config;
use crate::error::Error;
use crate::leak::{Characters, Finder, Found, Index, Items, Leak};
use crate::memory::MemoryBound;
use crate::spill::{Record, Sorted, Sorter};

/// The file of the leaks, if it has a name.
const FILE: &str = "leaks";

/// The row holds document, item, first and last character, and the two halves of the similarity's
/// bits.
impl Record for Leak {
    type Row = [u32; 6];

    fn to_row(self) -> [u32; 6] {
        let similarity = self.similarity.to_bits();
        [
            self.document,
            self.item,
            self.first,
            self.last,
            (similarity >> 32) as u32,
            similarity as u32,
        ]
    }

    fn from_row([document, item, first, last, high, low]: [u32; 6]) -> Leak {
        let similarity = f64::from_bits(u64::from(high) << 32 | u64::from(low));
        Leak { document, item, first, last, similarity }
    }
}

/// Collects the items, then the leaks.
pub(super) struct Gathering {
    /// `None` once they are in the index.
    items: Option<Items>,
    leaks: Sorter<Leak>,
    too_short: u64,
}

impl Gathering {
    /// Starts without items; `None` if the settings ask for no search.
    pub fn new(config: &Config, storage: &Storage<'_>) -> Result<Option<Gathering>, Error> {
        let Some(min_length) = config.keep.min_leak_length else { return Ok(None) };
        let items = Some(Items::new(config.decide.min_similarity, min_length));
        Ok(Some(Gathering { items, leaks: Sorter::new(storage.folder())?, too_short: 0 }))
    }

    /// Adds a document as an item.
    pub fn add_item(&mut self, document: u32, item: &Prepared) {
        if let (Some(items), Some(text), Some(letters)) =
            (&mut self.items, item.text.get(), item.alphanumeric.get())
        {
            items.add(document, text, letters);
        }
    }

    /// The index of all items, which have this number of documents. No item can be added later.
    ///
    /// # Errors
    /// [`Error::OverMemory`]; [`Error::Usage`] if the items have more than [`u32::MAX`] bytes of
    /// letters and digits.
    pub fn index(&mut self, documents: usize, memory: MemoryBound) -> Result<Index, Error> {
        let items = self.items.take().unwrap_or_default();
        items.check()?;
        memory.check_more(documents, items.index_bytes()).map_err(Error::for_index)?;
        let index = items.index();
        self.too_short = index.too_short();
        Ok(index)
    }

    /// Adds the leaks that were found in a document.
    pub fn push(&mut self, document: u32, leaks: &[Leak]) -> Result<(), Error> {
        leaks.iter().try_for_each(|leak| self.leaks.push(Leak { document, ..*leak }))
    }

    /// All leaks, and the number of items that are too short for the search.
    pub fn finish(self, named_in: Option<&Path>) -> Result<(Sorted<Leak>, u64), Error> {
        let leaks = self.leaks.finish()?;
        let leaks = match named_in {
            None => leaks,
            Some(folder) => leaks.in_file(&folder.join(FILE))?,
        };
        Ok((leaks, self.too_short))
    }
}

/// Opens the file of leaks that were loaded. Returns `false` if the file has changed.
pub(super) fn reopen(leaks: &mut Sorted<Leak>, folder: &Path) -> Result<bool, Error> {
    leaks.reopen(&folder.join(FILE))
}

/// Searches documents for items, once there is an index. Each thread has its own.
pub(crate) struct Search<'i> {
    index: &'i OnceLock<Index>,
    finder: Option<Finder<'i>>,
    found: Vec<Found>,
    /// The whole text of a document of which parts were left out.
    whole: Prepared,
}

impl<'i> Search<'i> {
    /// A search for the items of this index.
    pub fn new(index: &'i OnceLock<Index>) -> Search<'i> {
        Search { index, finder: None, found: Vec::new(), whole: Prepared::default() }
    }

    /// The items inside of a document with this text, still without the document's number; none
    /// while there is no index.
    pub fn leaks(&mut self, text: &str, document: &Prepared, recipe: &Recipe) -> Vec<Leak> {
        let Some(index) = self.index.get().filter(|index| !index.is_empty()) else {
            return Vec::new();
        };
        // Places are those of the text as read, so the text is searched whole.
        let document = match document.has_left_out {
            true => {
                let wanted = Wanted { alphanumeric: true, ..Wanted::default() };
                recipe.prepare_whole(text, wanted, &mut self.whole);
                &self.whole
            }
            false => document,
        };
        let (Some(normalized), Some(letters)) = (document.text.get(), document.alphanumeric.get())
        else {
            return Vec::new();
        };
        self.found.clear();
        self.finder.get_or_insert_with(|| Finder::new(index)).find(
            normalized,
            letters,
            &mut self.found,
        );
        if self.found.is_empty() {
            return Vec::new();
        }
        let characters = Characters::new(text, recipe.normalizer());
        let leak = |Found { item, place, similarity }: &Found| {
            let (first, last) = characters.of(place.clone(), index.signs(*item));
            Leak {
                document: 0,
                item: *item,
                first: first as u32,
                last: last as u32,
                similarity: *similarity,
            }
        };
        self.found.iter().map(leak).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Size;

    #[test]
    fn an_index_that_would_exceed_the_memory_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let gathering = |item: &str| {
            let mut items = Items::new(0.75, 15);
            items.add(0, item, item.as_bytes());
            Gathering {
                items: Some(items),
                leaks: Sorter::new(folder.path()).unwrap(),
                too_short: 0,
            }
        };
        // The tests take less than this bound, an index of 80 MB of letters takes more.
        let bound = || MemoryBound::new(Some(Size(2 << 30)));
        assert!(!gathering("howmanyeggsdoesshesell").index(1, bound()).unwrap().is_empty());
        // Only Linux reports the memory of the process.
        if cfg!(target_os = "linux") {
            let error = gathering(&"a".repeat(80 << 20)).index(1, bound()).unwrap_err();
            assert!(
                matches!(error, Error::OverMemory { for_index: true, bytes, .. } if bytes > 2 << 30),
                "{error}"
            );
            assert!(error.to_string().contains("min-leak-length = \"off\""), "{error}");
        }
    }
}
