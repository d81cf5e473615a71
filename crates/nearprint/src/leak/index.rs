//! Items -> an index of seeds, by which every item that stands in a document is found.
//!
//! A window that an item and a run of a document share has a seed that is looked up ([`SEED`]). The
//! index has the [rare seeds](super::rare_seeds) of each item. Two filters answer most look-ups:
//! one of the indexed seeds, and one of the items' windows around them.
//!
//! [`SEED`]: super::windows::SEED

use std::ops::RangeInclusive;

use super::filter::Filter;
use super::items::{END, Item, Items};
use super::rare_seeds::Frequencies;
use super::table::{Posting, SEVERAL, Table, retain};
use super::windows::{AROUND, STEP, Seed, WINDOW, Window};

/// The most bytes that the making of an index takes for each byte of the items: 16 for the list of
/// their seeds, 1 for the marks of the chosen ones, and either 16 for their frequencies or 12 for
/// the filters and the table.
const BYTES: u64 = 33;

impl Items {
    /// The most memory that [`index`](Self::index) takes, in bytes.
    pub fn index_bytes(&self) -> u64 {
        self.bytes() * BYTES
    }

    /// The index of the items.
    ///
    /// # Panics
    /// If they have more than [`u32::MAX`] [`bytes`](Self::bytes).
    pub fn index(mut self) -> Index {
        assert!(self.bytes() <= u64::from(u32::MAX), "the places of items are numbers of 32 bits");
        let Items { list, letters, .. } = &mut self;
        let frequencies = Frequencies::new(list, letters);
        let mut is_chosen = vec![false; letters.len()];
        let mut postings = Vec::with_capacity(letters.len());
        for (number, item) in (0..).zip(list.iter_mut()) {
            let range = item.range.clone();
            frequencies.choose(item, &letters[range.clone()], &mut is_chosen[range.clone()]);
            let chosen = range.filter(|start| is_chosen[*start]);
            postings.extend(chosen.map(|start| {
                (Seed::at(letters, start).hash(), Posting { item: number, place: start as u32 })
            }));
        }
        drop(frequencies);
        postings.sort_unstable();
        let distinct = postings.chunk_by(|one, other| one.0 == other.0).count();
        // There are about as many distinct windows as distinct seeds.
        let mut windows = Filter::new(distinct);
        let holds_seed = |window: &usize| is_chosen[*window..*window + STEP].contains(&true);
        let is_of_one_item = |window: &usize| !letters[*window..*window + WINDOW].contains(&END);
        for start in (0..Window::count(letters.len())).filter(holds_seed).filter(is_of_one_item) {
            windows.insert(Window::at(letters, start).hash());
        }
        let mut times: u32 = 1;
        postings.dedup_by(|next, last| {
            let is_same = (next.0, next.1.item) == (last.0, last.1.item);
            times = if is_same { times + 1 } else { 1 };
            if is_same {
                last.1.place = SEVERAL;
                let item = &mut list[last.1.item as usize];
                item.repeated = item.repeated.max(times.saturating_mul(AROUND as u32));
            }
            is_same
        });
        let mut filter = Filter::new(distinct);
        postings.iter().for_each(|(hash, _)| filter.insert(*hash));
        Index { filter, table: Table::new(postings), windows, items: self }
    }
}

/// The beginnings of the windows that have this seed, in a text of so many bytes.
fn around(seed: usize, bytes: usize) -> RangeInclusive<usize> {
    (seed + 1).saturating_sub(STEP)..=seed.min(bytes - WINDOW)
}

/// The items by their rare seeds.
#[derive(Debug)]
pub struct Index {
    items: Items,
    /// The indexed seeds of the items.
    filter: Filter,
    /// The indexed seeds and their postings.
    table: Table,
    /// The windows of the items that have an indexed seed.
    windows: Filter,
}

/// The number of seeds that are looked up together, so that much of the index is on its way from
/// memory at a time.
const TOGETHER: usize = 256;

impl Index {
    /// True if there is no item to find.
    pub fn is_empty(&self) -> bool {
        self.items.list.is_empty()
    }

    /// The number of items that are too short to be found.
    pub fn too_short(&self) -> u64 {
        self.items.too_short()
    }

    /// The signs of an item before its first letter or digit and after its last one. The item is
    /// given by its document; signs of a document without an item are empty.
    pub fn signs(&self, document: u32) -> [&str; 2] {
        let list = &self.items.list;
        let Ok(place) = list.binary_search_by_key(&document, |item| item.document) else {
            return [""; 2];
        };
        let text = list[place].text.as_str();
        let is_letter = char::is_alphanumeric;
        let after = text
            .rfind(is_letter)
            .map_or(0, |last| last + text[last..].chars().next().map_or(0, char::len_utf8));
        [&text[..text.find(is_letter).unwrap_or(0)], &text[after..]]
    }

    pub(super) fn min_similarity(&self) -> f64 {
        self.items.min_similarity
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items.list
    }

    /// The letters and digits of all items, in which each item has its range.
    pub(super) fn letters(&self) -> &[u8] {
        &self.items.letters
    }

    /// Calls `each` with the beginning and the postings of every seed of a document that is looked
    /// up and lies in a window of an item with an indexed seed, in order. It may call `each` for a
    /// few other seeds, and for some without postings.
    #[inline]
    pub(super) fn each_hit(&self, letters: &[u8], mut each: impl FnMut(usize, &[(u64, Posting)])) {
        // A text without a window has no seed to look up.
        let seeds = if letters.len() < WINDOW { 0 } else { Seed::count(letters.len()) };
        let mut batch = [(0, 0); TOGETHER];
        for from in (0..seeds).step_by(TOGETHER * STEP) {
            let mut number = 0;
            for start in (from..seeds.min(from + TOGETHER * STEP)).step_by(STEP) {
                let hash = Seed::at(letters, start).hash();
                batch[number] = (hash, start);
                number += usize::from(self.filter.may_hold(hash));
            }
            let number = retain(&mut batch[..number], |_, start| {
                let may_hold = |window| self.windows.may_hold(Window::at(letters, window).hash());
                around(start, letters.len()).fold(false, |any, window| any | may_hold(window))
            });
            let number = self.table.retain(&mut batch[..number]);
            for (hash, start) in &batch[..number] {
                each(*start, self.table.get(*hash));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::windows::SEED;
    use super::*;

    fn index(texts: &[&str], min_similarity: f64) -> Index {
        let mut items = Items::new(min_similarity, 20);
        texts
            .iter()
            .enumerate()
            .for_each(|(number, text)| items.add(number as u32, text, text.as_bytes()));
        items.index()
    }

    #[test]
    fn what_many_items_begin_with_is_not_indexed() {
        let same = "whichofthefollowing";
        let own = |number: u64| {
            [
                0x9e37_79b9_7f4a_7c15,
                0xc2b2_ae3d_27d4_eb4f,
                0x1656_67b1_9e37_79f9,
                0x85eb_ca77_c2b2_ae63,
                0x27d4_eb2f_1656_67c5_u64,
            ]
            .map(|factor| format!("{:x}", number.wrapping_mul(factor)))
        };
        let texts: Vec<String> =
            (100..120).map(|number| format!("{same}{}", own(number).concat())).collect();
        let index = index(&texts.iter().map(String::as_str).collect::<Vec<_>>(), 1.0);
        let mut hits = Vec::new();
        index.each_hit(same.as_bytes(), |start, _| hits.push(start));
        assert!(hits.is_empty(), "{hits:?}");
        index.each_hit(texts[1].as_bytes(), |_, items| {
            hits.extend(items.iter().map(|(_, posting)| posting.item as usize))
        });
        assert!(
            hits.iter().all(|item| *item == 1)
                && hits.len() * STEP + AROUND > index.items()[1].needed as usize,
            "{hits:?}"
        );
    }

    proptest! {
        #[test]
        fn every_looked_up_seed_of_a_shared_window_is_told_with_its_postings(
            items in prop::collection::vec(prop::collection::vec("abc|[a-d]{3,9}|天地玄黄", 4..9), 1..6),
            order in prop::collection::vec((0usize..6, 0usize..9), 0..20),
        ) {
            let texts: Vec<String> = items.iter().map(|parts| parts.concat()).collect();
            let part = |(item, part): &(usize, usize)| &items[item % items.len()][part % items[item % items.len()].len()];
            let document: String = order.iter().map(part).map(String::as_str).collect();
            let index = index(&texts.iter().map(String::as_str).collect::<Vec<_>>(), 0.75);
            let (letters, of_items) = (document.as_bytes(), index.letters());
            let mut told = std::collections::BTreeMap::new();
            index.each_hit(letters, |start, postings| _ = told.insert(start, postings.to_vec()));
            // The table has exactly the indexed seeds.
            let of = |start: usize| index.table.get(Seed::at(letters, start).hash());
            let is_shared = |window: usize| of_items.windows(WINDOW).any(|own| *own == letters[window..window + WINDOW]);
            for start in (0..if letters.len() < WINDOW { 0 } else { Seed::count(letters.len()) }).step_by(STEP) {
                let expected = !of(start).is_empty() && around(start, letters.len()).any(is_shared);
                prop_assert!(!expected || told.contains_key(&start), "{start} of {document}");
            }
            for (start, postings) in told {
                prop_assert_eq!(&postings, of(start));
                prop_assert!(start % STEP == 0);
                let is_there = |place: u32| of_items[place as usize..].starts_with(&letters[start..start + SEED]);
                prop_assert!(postings.iter().all(|(_, posting)| posting.place == SEVERAL || is_there(posting.place)));
            }
        }
    }

    #[test]
    fn seeds_that_an_item_repeats_have_no_place() {
        let index = index(&[&"abc".repeat(40), "thequickbrownfoxjumpsoverthelazydog"], 0.75);
        let mut places = Vec::new();
        index.each_hit("thequickbrownfoxabcabcabcabcabcabc".as_bytes(), |_, postings| {
            places.push(postings.iter().map(|(_, posting)| *posting).collect::<Vec<_>>());
        });
        let (item, other) = (0, 1);
        // The second item begins after the 120 letters of the first one and its end.
        assert_eq!(
            places[..2],
            [[Posting { item: other, place: 121 }], [Posting { item: other, place: 125 }]]
        );
        assert!(
            places[2..].iter().all(|postings| *postings == [Posting { item, place: SEVERAL }]),
            "{places:?}"
        );
        assert_eq!(places.len(), 2 + 2);
        // The first item has its three distinct seeds 37, 36 and 36 times.
        assert_eq!(
            index.items().iter().map(|item| item.repeated).collect::<Vec<_>>(),
            [37 * AROUND as u32, 0]
        );
    }
}
