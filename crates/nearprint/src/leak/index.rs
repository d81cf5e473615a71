//! Items -> an index of seeds, from which every item that stands in a document can be seen.
//!
//! A window that an item and a run of a document share holds a seed that is looked up ([`SEED`]).
//! Seeds that many items have say little and cost much. So of each item only those are indexed that
//! the fewest items have, as long as what they guard is enough: a byte is *guarded* if all seeds of
//! all windows that reach over it are in the index. Of an item of n bytes, of which all but u must
//! be shared, a run shares g - u or more of g guarded ones. So long ([`Item::needed`]) must the
//! passages be that hold seeds of the index.

use std::ops::{Range, RangeInclusive};

use nearprint_core::normalize::size;

use super::table::{Posting, SEVERAL, Table, retain};
use super::windows::{Filter, SEED, STEP, Seed, WINDOW, Window};
use crate::error::Error;
use crate::message;
use crate::message::Setting;

/// The part of the least similarity that must be reached in windows.
const IN_WINDOWS: f64 = 2.0 / 3.0;

/// The share of an item by which the guarded bytes exceed those that a run may lack, at least.
const MORE: f64 = 0.2;

/// The bytes that the making of an index takes for each byte of the items, at most: 16 for the list
/// of their seeds, 1 for which of them are chosen, and either 16 for how many items have each or 12
/// for the filters and the table.
const BYTES: u64 = 33;

/// Which items are looked for.
#[derive(Debug, Default)]
pub struct Items {
    pub(super) min_similarity: f64,
    min_length: u32,
    list: Vec<Item>,
    /// The letters and digits of one item after the other, [`END`] behind each.
    letters: Vec<u8>,
    too_short: u64,
}

/// A byte that no text has: what two texts share ends there.
const END: u8 = 0xff;

/// A test item.
#[derive(Debug)]
pub(super) struct Item {
    /// The number of the document.
    pub document: u32,
    /// Its normalized text.
    pub text: String,
    /// Where its letters and digits are among those of all items.
    pub range: Range<usize>,
    /// The bytes that it and a run must share in windows, and those that are enough without any
    /// other ones.
    pub least: usize,
    pub enough: usize,
    /// The bytes that passages with seeds of the index share with the item in a run that shares
    /// enough, at least.
    pub needed: u32,
    /// The bytes of the windows that hold a seed which the item has more than once, at most.
    pub repeated: u32,
}

/// The bytes of the windows that hold a seed, from `STEP - 1` before it.
const REACH: usize = SEED + 2 * (STEP - 1);

impl Items {
    /// None yet. `min_similarity` is the least similarity of an item and a run, above 0 to 1; items
    /// of fewer letters than `min_length` are only counted. Items of fewer than 15 bytes cannot be
    /// looked for.
    pub fn new(min_similarity: f64, min_length: u32) -> Items {
        Items { min_similarity, min_length, ..Items::default() }
    }

    /// Takes in the normalized text of a document, and its letters and digits.
    pub fn add(&mut self, document: u32, text: &str, letters: &[u8]) {
        if size(letters).letters < self.min_length || letters.len() < WINDOW {
            self.too_short += 1;
            return;
        }
        let bytes = |share: f64| ((letters.len() as f64 * share - 1e-6).ceil() as usize).max(1);
        let (least, enough) = (bytes(self.min_similarity * IN_WINDOWS), bytes(self.min_similarity));
        let (text, range) =
            (text.to_string(), self.letters.len()..self.letters.len() + letters.len());
        self.letters.extend_from_slice(letters);
        self.letters.push(END);
        self.list.push(Item { document, text, range, least, enough, needed: 0, repeated: 0 });
    }

    /// Items that are too short to be looked for.
    pub fn too_short(&self) -> u64 {
        self.too_short
    }

    /// The bytes of the letters and digits of all items, and one for each item.
    /// [`index`](Self::index) takes at most [`u32::MAX`].
    pub fn bytes(&self) -> u64 {
        self.letters.len() as u64
    }

    /// Refuses more bytes than an index has room for.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.bytes() <= u64::from(u32::MAX) {
            return Ok(());
        }
        let problem = message![
            "the documents of ",
            Setting::named("against"),
            format!(
                " have {} bytes of letters and digits, and the maximum is {}; compare with them in \
                 several runs",
                self.bytes(),
                u32::MAX
            )
        ];
        Err(Error::usage("min-leak-length", problem))
    }

    /// The memory that [`index`](Self::index) takes, in bytes, at most.
    pub fn index_bytes(&self) -> u64 {
        self.bytes() * BYTES
    }

    /// The index of them.
    ///
    /// # Panics
    /// Where they have more than [`u32::MAX`] [`bytes`](Self::bytes).
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
        // There are about as many different windows as seeds.
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
                item.repeated = item.repeated.max(times.saturating_mul(REACH as u32));
            }
            is_same
        });
        let mut filter = Filter::new(distinct);
        postings.iter().for_each(|(hash, _)| filter.insert(*hash));
        Index { filter, table: Table::new(postings), windows, items: self }
    }
}

/// How many seeds have a hash, by its first bits: a little too many where hashes share them.
struct Frequencies {
    counts: Vec<u8>,
    shift: u32,
}

impl Frequencies {
    fn new(items: &[Item], letters: &[u8]) -> Frequencies {
        let places = (8 * letters.len()).next_power_of_two().max(2);
        let mut frequencies = Frequencies { counts: vec![0; places], shift: 64 - places.ilog2() };
        for item in items {
            for start in 0..Seed::count(item.range.len()) {
                let place = frequencies.place(&letters[item.range.clone()], start);
                frequencies.counts[place] = frequencies.counts[place].saturating_add(1);
            }
        }
        frequencies
    }

    fn place(&self, letters: &[u8], start: usize) -> usize {
        (Seed::at(letters, start).hash() >> self.shift) as usize
    }

    /// Marks where the seeds of an item begin that are to be indexed, and sets how much of it they
    /// must reach.
    fn choose(&self, item: &mut Item, letters: &[u8], is_chosen: &mut [bool]) {
        let (bytes, seeds) = (letters.len(), Seed::count(letters.len()));
        let frequencies: Vec<u8> =
            (0..seeds).map(|start| self.counts[self.place(letters, start)]).collect();
        let may_lack = bytes - item.least;
        let enough = (may_lack + 1 + (MORE * bytes as f64) as usize).min(bytes);
        // The least bound on the frequency, of its powers of two, that leaves enough; the last one
        // leaves all.
        let guarded = |most: u8| bytes - reached(bytes, |start| frequencies[start] > most);
        let most =
            (2..8).map(|power| 1 << power).find(|most| guarded(*most) >= enough).unwrap_or(u8::MAX);
        for (is_chosen, frequency) in is_chosen.iter_mut().zip(&frequencies) {
            *is_chosen = *frequency <= most;
        }
        item.needed = (guarded(most) - may_lack).max(1) as u32;
    }
}

/// The bytes of a text that these of its seeds reach.
fn reached(bytes: usize, is_in: impl Fn(usize) -> bool) -> usize {
    let (mut reached, mut end) = (0, 0);
    for start in (0..Seed::count(bytes)).filter(|start| is_in(*start)) {
        let reach = end.max((start + 1).saturating_sub(STEP))..bytes.min(start + SEED + STEP - 1);
        reached += reach.len();
        end = reach.end;
    }
    reached
}

/// Where the windows begin that hold the seed here in a text of so many bytes.
fn around(seed: usize, bytes: usize) -> RangeInclusive<usize> {
    (seed + 1).saturating_sub(STEP)..=seed.min(bytes - WINDOW)
}

/// The items by their seeds.
#[derive(Debug)]
pub struct Index {
    items: Items,
    /// The chosen seeds of the items, and their postings.
    filter: Filter,
    table: Table,
    /// The windows of the items that hold a chosen seed.
    windows: Filter,
}

/// Seeds that are looked up together, so that much of the index is on its way from memory at a
/// time.
const TOGETHER: usize = 256;

impl Index {
    /// Whether there is no item to look for.
    pub fn is_empty(&self) -> bool {
        self.items.list.is_empty()
    }

    /// Items that are too short to be looked for.
    pub fn too_short(&self) -> u64 {
        self.items.too_short()
    }

    /// The signs of an item, a document in the index, before its first letter or digit and after
    /// its last one.
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

    /// The letters and digits of all items, in which each has its place.
    pub(super) fn letters(&self) -> &[u8] {
        &self.items.letters
    }

    /// Calls `each` with the beginning of every seed that is looked up and lies in a window of an
    /// item which holds a chosen seed, in order, and with the seed's postings. A few others come
    /// too, some of them without any posting.
    #[inline]
    pub(super) fn each_hit(&self, letters: &[u8], mut each: impl FnMut(usize, &[(u64, Posting)])) {
        // Where there is no window, no seed is looked up.
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
    fn items_of_few_letters_are_counted_apart() {
        let index = index(
            &[
                "seventeenletters1",
                "twentylettersareenough",
                "一二三四五六七八九",
                "一二三四五六七八九十",
            ],
            0.75,
        );
        assert_eq!((index.items().len(), index.too_short(), index.is_empty()), (2, 2, false));
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
                && hits.len() * STEP + REACH > index.items()[1].needed as usize,
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
            // The table has exactly the chosen seeds.
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
    fn a_byte_is_reached_by_the_seeds_of_its_windows() {
        let windows_of = |byte: usize, bytes: usize| {
            (0..bytes + 1 - WINDOW).filter(move |window| (*window..window + WINDOW).contains(&byte))
        };
        let holds = |window: usize, starts: &[usize]| {
            starts.iter().any(|start| (window..window + STEP).contains(start))
        };
        let brute = |bytes: usize, starts: &[usize]| {
            (0..bytes)
                .filter(|byte| windows_of(*byte, bytes).any(|window| holds(window, starts)))
                .count()
        };
        for starts in [&[][..], &[0], &[3, 4, 5], &[0, 15], &[0, 14, 40], &[25, 26, 45], &[48]] {
            assert_eq!(
                reached(60, |start| starts.contains(&start)),
                brute(60, starts),
                "{starts:?}"
            );
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
        // The other item begins behind the 120 letters of the first one and their end.
        assert_eq!(
            places[..2],
            [[Posting { item: other, place: 121 }], [Posting { item: other, place: 125 }]]
        );
        assert!(
            places[2..].iter().all(|postings| *postings == [Posting { item, place: SEVERAL }]),
            "{places:?}"
        );
        assert_eq!(places.len(), 2 + 2);
        // The three distinct seeds of the first item are there 37 times, 36 and 36.
        assert_eq!(
            index.items().iter().map(|item| item.repeated).collect::<Vec<_>>(),
            [37 * REACH as u32, 0]
        );
    }
}
