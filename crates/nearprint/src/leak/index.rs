//! Items -> an index of seeds, from which every item that stands in a document can be seen.
//!
//! A window that an item and a run of a document share holds a seed that is looked up ([`SEED`]). Seeds that many items have
//! say little and cost much. So of each item only those are indexed that the fewest items have, as long as what they guard is
//! enough: a byte is *guarded* if all seeds of all windows that reach over it are in the index. Of an item of n bytes, of which
//! all but u must be shared, a run shares g - u or more of g guarded ones. So long ([`Item::needed`]) must the passages be that
//! hold seeds of the index.

use std::ops::RangeInclusive;

use hashbrown::HashTable;

use super::windows::{Filter, SEED, STEP, Seed, WINDOW, Window};
use crate::normalize::size;

/// The part of the least similarity that must be reached in windows.
const IN_WINDOWS: f64 = 2.0 / 3.0;

/// The share of an item by which the guarded bytes exceed those that a run may lack, at least.
const MORE: f64 = 0.2;

/// The bytes that the making of an index takes for each seed of the items, at most: 32 for their sorted list, 39 for the table,
/// which may be filled to less than half, and 13 for the postings, where they begin, and the filters.
const BYTES: u64 = 84;

/// Which items are looked for.
#[derive(Debug, Default)]
pub struct Items {
    pub(super) min_similarity: f64,
    min_length: u32,
    list: Vec<Item>,
    too_short: u64,
}

/// A test item.
#[derive(Debug)]
pub(super) struct Item {
    /// The number of the document.
    pub document: u32,
    /// Its normalized text.
    pub text: String,
    /// Its letters and digits.
    pub letters: Vec<u8>,
    /// The bytes that it and a run must share in windows.
    pub least: usize,
    /// The bytes that passages with seeds of the index share with the item in a run that shares enough, at least.
    pub needed: u32,
    /// The bytes of the windows that hold a seed which the item has more than once, at most.
    pub repeated: u32,
}

/// The bytes of the windows that hold a seed, from `STEP - 1` before it.
const REACH: usize = SEED + 2 * (STEP - 1);

/// An item that has a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    pub item: u32,
    /// Where; [`SEVERAL`] for more than one place.
    pub place: u32,
}

/// Stands for several places of a seed in an item, or for several items.
pub(super) const SEVERAL: u32 = u32::MAX;

impl Items {
    /// None yet. `min_similarity` is the least similarity of an item and a run, above 0 to 1; items of fewer letters than
    /// `min_length` are only counted. Items of fewer than 15 bytes cannot be looked for.
    pub fn new(min_similarity: f64, min_length: u32) -> Items {
        Items { min_similarity, min_length, ..Items::default() }
    }

    /// Takes in the normalized text of a document, and its letters and digits. A text without any is none.
    pub fn add(&mut self, document: u32, text: &str, letters: &[u8]) {
        if letters.is_empty() {
            return;
        }
        if size(letters).letters < self.min_length || letters.len() < WINDOW {
            self.too_short += 1;
            return;
        }
        let least = letters.len() as f64 * self.min_similarity * IN_WINDOWS;
        let least = ((least - 1e-6).ceil() as usize).max(1);
        let (text, letters) = (text.to_string(), letters.to_vec());
        self.list.push(Item { document, text, letters, least, needed: 0, repeated: 0 });
    }

    /// Items that are too short to be looked for.
    pub fn too_short(&self) -> u64 {
        self.too_short
    }

    /// The seeds of all items, of which there may be [`u32::MAX`].
    pub fn seeds(&self) -> u64 {
        self.list.iter().map(|item| Seed::count(item.letters.len()) as u64).sum()
    }

    /// The memory that [`index`](Self::index) takes, in bytes, at most.
    pub fn index_bytes(&self) -> u64 {
        self.seeds() * BYTES
    }

    /// The index of them, which may have up to [`u32::MAX`] [`seeds`](Self::seeds).
    pub fn index(mut self) -> Index {
        let frequencies = Frequencies::new(&self.list);
        let (mut postings, mut chosen) = (Vec::new(), Vec::new());
        for (number, item) in self.list.iter_mut().enumerate() {
            frequencies.choose(item, &mut chosen);
            postings.extend(chosen.iter().map(|start| {
                let hash = Seed::at(&item.letters, *start).hash();
                (hash, Posting { item: number as u32, place: *start as u32 })
            }));
        }
        drop(frequencies);
        let mut windows = Filter::new(postings.len());
        for (_, Posting { item, place }) in &postings {
            let letters = &self.list[*item as usize].letters;
            around(*place as usize, letters.len()).for_each(|start| windows.insert(Window::at(letters, start).hash()));
        }
        postings.sort_unstable();
        let mut times = 1;
        postings.dedup_by(|next, last| {
            let is_same = (next.0, next.1.item) == (last.0, last.1.item);
            times = if is_same { times + 1 } else { 1 };
            if is_same {
                last.1.place = SEVERAL;
                let item = &mut self.list[last.1.item as usize];
                item.repeated = item.repeated.max(times * REACH as u32);
            }
            is_same
        });
        Index::new(self, windows, &postings)
    }
}

/// How many seeds have a hash, by its first bits: a little too many where hashes share them.
struct Frequencies {
    counts: Vec<u8>,
    shift: u32,
}

impl Frequencies {
    fn new(items: &[Item]) -> Frequencies {
        let seeds: usize = items.iter().map(|item| Seed::count(item.letters.len())).sum();
        let places = (8 * seeds).next_power_of_two().max(2);
        let mut frequencies = Frequencies { counts: vec![0; places], shift: 64 - places.ilog2() };
        for item in items {
            for start in 0..Seed::count(item.letters.len()) {
                let place = frequencies.place(&item.letters, start);
                frequencies.counts[place] = frequencies.counts[place].saturating_add(1);
            }
        }
        frequencies
    }

    fn place(&self, letters: &[u8], start: usize) -> usize {
        (Seed::at(letters, start).hash() >> self.shift) as usize
    }

    /// Chooses the seeds of an item to index, and how much of it they must reach.
    fn choose(&self, item: &mut Item, chosen: &mut Vec<usize>) {
        let (bytes, seeds) = (item.letters.len(), Seed::count(item.letters.len()));
        let frequencies: Vec<u8> = (0..seeds).map(|start| self.counts[self.place(&item.letters, start)]).collect();
        let may_lack = bytes - item.least;
        let enough = (may_lack + 1 + (MORE * bytes as f64) as usize).min(bytes);
        // The least bound on the frequency, of its powers of two, that leaves enough; the last one leaves all.
        let guarded = |most: u8| bytes - reached(bytes, |start| frequencies[start] > most);
        let most = (2..8).map(|power| 1 << power).find(|most| guarded(*most) >= enough).unwrap_or(u8::MAX);
        chosen.clear();
        chosen.extend((0..seeds).filter(|start| frequencies[*start] <= most));
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
    filter: Filter,
    table: HashTable<Entry>,
    /// The windows that hold these seeds.
    windows: Filter,
    /// The items of one seed after the other, of those that several items have.
    postings: Vec<Posting>,
    /// Where those of each of these seeds begin, and the end of the last.
    starts: Vec<u32>,
}

/// A seed in the index, by its hash.
#[derive(Debug, Clone, Copy)]
struct Entry {
    hash: u64,
    /// The item that has it. Where several have it, [`SEVERAL`] in place of an item, and in place of a place their number among
    /// the `starts`.
    posting: Posting,
}

/// Seeds that are looked up in the filter before the first of them is looked up in the table, so that many words of the
/// filter are on their way from memory at a time.
const TOGETHER: usize = 256;

impl Index {
    /// The postings are sorted.
    fn new(items: Items, windows: Filter, sorted: &[(u64, Posting)]) -> Index {
        let seeds = || sorted.chunk_by(|one, other| one.0 == other.0);
        let distinct = seeds().count();
        let (mut filter, mut table) = (Filter::new(distinct), HashTable::with_capacity(distinct));
        let (mut postings, mut starts) = (Vec::new(), Vec::new());
        for same in seeds() {
            let (hash, mut posting) = same[0];
            if same.len() > 1 {
                posting = Posting { item: SEVERAL, place: starts.len() as u32 };
                starts.push(postings.len() as u32);
                postings.extend(same.iter().map(|(_, posting)| *posting));
            }
            filter.insert(hash);
            table.insert_unique(hash, Entry { hash, posting }, |entry| entry.hash);
        }
        starts.push(postings.len() as u32);
        Index { items, filter, table, windows, postings, starts }
    }

    /// Whether there is no item to look for.
    pub fn is_empty(&self) -> bool {
        self.items.list.is_empty()
    }

    /// Items that are too short to be looked for.
    pub fn too_short(&self) -> u64 {
        self.items.too_short()
    }

    /// The signs of an item, a document in the index, before its first letter or digit and after its last one.
    pub fn signs(&self, document: u32) -> [&str; 2] {
        let list = &self.items.list;
        let Ok(place) = list.binary_search_by_key(&document, |item| item.document) else { return [""; 2] };
        let text = list[place].text.as_str();
        let is_letter = char::is_alphanumeric;
        let after =
            text.rfind(is_letter).map_or(0, |last| last + text[last..].chars().next().map_or(0, char::len_utf8));
        [&text[..text.find(is_letter).unwrap_or(0)], &text[after..]]
    }

    pub(super) fn min_similarity(&self) -> f64 {
        self.items.min_similarity
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items.list
    }

    /// Calls `each` with the places of the seeds that are looked up, in the index and in a window of it, in order, and the items
    /// that have them. A few of them are in no such window.
    #[inline]
    pub(super) fn each_hit(&self, letters: &[u8], mut each: impl FnMut(usize, &[Posting])) {
        // Where there is no window, no seed is looked up.
        let seeds = if letters.len() < WINDOW { 0 } else { Seed::count(letters.len()) };
        let mut may_be_in = [(0, 0); TOGETHER];
        for from in (0..seeds).step_by(TOGETHER * STEP) {
            let mut number = 0;
            for start in (from..seeds.min(from + TOGETHER * STEP)).step_by(STEP) {
                let hash = Seed::at(letters, start).hash();
                may_be_in[number] = (hash, start);
                number += usize::from(self.filter.may_hold(hash));
            }
            for (hash, start) in &may_be_in[..number] {
                let Some(entry) = self.table.find(*hash, |entry| entry.hash == *hash) else { continue };
                let may_be_in = |window| self.windows.may_hold(Window::at(letters, window).hash());
                if !around(*start, letters.len()).any(may_be_in) {
                    continue;
                }
                let place = entry.posting.place as usize;
                match entry.posting.item {
                    SEVERAL => {
                        each(*start, &self.postings[self.starts[place] as usize..self.starts[place + 1] as usize])
                    }
                    _ => each(*start, std::slice::from_ref(&entry.posting)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[&str], min_similarity: f64) -> Index {
        let mut items = Items::new(min_similarity, 20);
        texts.iter().enumerate().for_each(|(number, text)| items.add(number as u32, text, text.as_bytes()));
        items.index()
    }

    #[test]
    fn items_of_few_letters_are_counted_apart() {
        let index =
            index(&["seventeenletters1", "twentylettersareenough", "一二三四五六七八九", "一二三四五六七八九十"], 0.75);
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
        let texts: Vec<String> = (100..120).map(|number| format!("{same}{}", own(number).concat())).collect();
        let index = index(&texts.iter().map(String::as_str).collect::<Vec<_>>(), 1.0);
        let mut hits = Vec::new();
        index.each_hit(same.as_bytes(), |start, _| hits.push(start));
        assert!(hits.is_empty(), "{hits:?}");
        index.each_hit(texts[1].as_bytes(), |_, items| hits.extend(items.iter().map(|posting| posting.item as usize)));
        assert!(
            hits.iter().all(|item| *item == 1) && hits.len() * STEP + REACH > index.items()[1].needed as usize,
            "{hits:?}"
        );
    }

    #[test]
    fn a_byte_is_reached_by_the_seeds_of_its_windows() {
        let windows_of = |byte: usize, bytes: usize| {
            (0..bytes + 1 - WINDOW).filter(move |window| (*window..window + WINDOW).contains(&byte))
        };
        let holds =
            |window: usize, starts: &[usize]| starts.iter().any(|start| (window..window + STEP).contains(start));
        let brute = |bytes: usize, starts: &[usize]| {
            (0..bytes).filter(|byte| windows_of(*byte, bytes).any(|window| holds(window, starts))).count()
        };
        for starts in [&[][..], &[0], &[3, 4, 5], &[0, 15], &[0, 14, 40], &[25, 26, 45], &[48]] {
            assert_eq!(reached(60, |start| starts.contains(&start)), brute(60, starts), "{starts:?}");
        }
    }

    #[test]
    fn seeds_that_an_item_repeats_have_no_place() {
        let index = index(&[&"abc".repeat(40), "thequickbrownfoxjumpsoverthelazydog"], 0.75);
        let mut places = Vec::new();
        index.each_hit("thequickbrownfoxabcabcabcabcabcabc".as_bytes(), |_, postings| places.push(postings.to_vec()));
        let (item, other) = (0, 1);
        assert_eq!(places[..2], [[Posting { item: other, place: 0 }], [Posting { item: other, place: 4 }]]);
        assert!(places[2..].iter().all(|postings| *postings == [Posting { item, place: SEVERAL }]), "{places:?}");
        assert_eq!(places.len(), 2 + 2);
        // The three distinct seeds of the first item are there 37 times, 36 and 36.
        assert_eq!(index.items().iter().map(|item| item.repeated).collect::<Vec<_>>(), [37 * REACH as u32, 0]);
    }
}
