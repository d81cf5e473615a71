//! Items -> an index of windows, from which every item that stands in a document can be seen.
//!
//! Windows that many items have say little and cost much. So of each item only those are indexed that the fewest items have,
//! as long as what they guard is enough: a byte is *guarded* if all windows that reach over it are in the index. Of an item of n
//! bytes, of which all but u must be shared, a run shares g - u or more of g guarded ones, all of them in windows of the
//! index. So many bytes of the item ([`Item::needed`]) these windows must cover.

use hashbrown::HashTable;

use super::windows::{Filter, WINDOW, Window, count};
use crate::normalize::size;

/// The part of the least similarity that must be reached in windows.
const IN_WINDOWS: f64 = 2.0 / 3.0;

/// The share of an item by which the guarded bytes exceed those that a run may lack, at least.
const MORE: f64 = 0.2;

/// The bytes that the making of an index takes for each window of the items: at most 16 for how many have it, or 20 for the
/// index, and up to 32 for its postings while their list grows.
const BYTES: u64 = 52;

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
    /// The bytes that the windows in the index which a run has must cover at least.
    pub needed: u32,
    /// The bytes that a window covers which the item has more than once, at most.
    pub repeated: u32,
}

/// An item that has a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    pub item: u32,
    /// Where; [`SEVERAL`] for more than one place.
    pub place: u32,
}

/// Stands for several places of a window in an item.
pub(super) const SEVERAL: u32 = u32::MAX;

impl Items {
    /// None yet. `min_similarity` is the least similarity of an item and a run, above 0 to 1; items of fewer letters than
    /// `min_length` are only counted. Items of fewer than [`WINDOW`] bytes cannot be looked for.
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

    /// The windows of all items. An index has numbers for as many as `u32` has.
    pub fn windows(&self) -> u64 {
        self.list.iter().map(|item| count(item.letters.len()) as u64).sum()
    }

    /// The memory that [`index`](Self::index) takes, in bytes, at most.
    pub fn index_bytes(&self) -> u64 {
        self.windows() * BYTES
    }

    /// The index of them, which may have [`windows`](Self::windows) up to [`u32::MAX`].
    pub fn index(mut self) -> Index {
        let frequencies = Frequencies::new(&self.list);
        let (mut postings, mut chosen) = (Vec::new(), Vec::new());
        for (number, item) in self.list.iter_mut().enumerate() {
            frequencies.choose(item, &mut chosen);
            postings.extend(chosen.iter().map(|start| {
                let hash = Window::at(&item.letters, *start).hash();
                (hash, Posting { item: number as u32, place: *start as u32 })
            }));
        }
        drop(frequencies);
        postings.sort_unstable();
        let mut times = 1;
        postings.dedup_by(|next, last| {
            let is_same = (next.0, next.1.item) == (last.0, last.1.item);
            times = if is_same { times + 1 } else { 1 };
            if is_same {
                last.1.place = SEVERAL;
                let item = &mut self.list[last.1.item as usize];
                item.repeated = item.repeated.max(times * WINDOW as u32);
            }
            is_same
        });
        Index::new(self, &postings)
    }
}

/// How many windows have a hash, by its first bits: a little too many where hashes share them.
struct Frequencies {
    counts: Vec<u16>,
    shift: u32,
}

impl Frequencies {
    fn new(items: &[Item]) -> Frequencies {
        let windows: usize = items.iter().map(|item| count(item.letters.len())).sum();
        let places = (4 * windows).next_power_of_two().max(2);
        let mut frequencies = Frequencies { counts: vec![0; places], shift: 64 - places.ilog2() };
        for item in items {
            for start in 0..count(item.letters.len()) {
                let place = frequencies.place(&item.letters, start);
                frequencies.counts[place] = frequencies.counts[place].saturating_add(1);
            }
        }
        frequencies
    }

    fn place(&self, letters: &[u8], start: usize) -> usize {
        (Window::at(letters, start).hash() >> self.shift) as usize
    }

    /// Chooses the windows of an item to index, and how much of it they must cover.
    fn choose(&self, item: &mut Item, chosen: &mut Vec<usize>) {
        let (bytes, windows) = (item.letters.len(), count(item.letters.len()));
        let frequencies: Vec<u16> = (0..windows).map(|start| self.counts[self.place(&item.letters, start)]).collect();
        let may_lack = bytes - item.least;
        let enough = (may_lack + 1 + (MORE * bytes as f64) as usize).min(bytes);
        // The least bound on the frequency, of its powers of two, that leaves enough; the last one leaves all.
        let guarded = |most: u16| bytes - covered(bytes, |start| frequencies[start] > most);
        let most = (2..16).map(|power| 1 << power).find(|most| guarded(*most) >= enough).unwrap_or(u16::MAX);
        chosen.clear();
        chosen.extend((0..windows).filter(|start| frequencies[*start] <= most));
        item.needed = (guarded(most) - may_lack).max(1) as u32;
    }
}

/// The bytes of a text that lie in these of its windows.
fn covered(bytes: usize, is_in: impl Fn(usize) -> bool) -> usize {
    let (mut covered, mut end) = (0, 0);
    for start in (0..count(bytes)).filter(|start| is_in(*start)) {
        covered += start + WINDOW - end.max(start);
        end = start + WINDOW;
    }
    covered
}

/// The items by their windows.
#[derive(Debug)]
pub struct Index {
    items: Items,
    filter: Filter,
    table: HashTable<Entry>,
    /// The items of one window after the other, of those that several items have.
    postings: Vec<Posting>,
}

/// A window in the index, by its hash.
#[derive(Debug, Clone, Copy)]
struct Entry {
    hash: u64,
    /// The item that has it; of several their number in place of an item, and where they begin in the postings in place of a
    /// place.
    posting: Posting,
    has_several: bool,
}

/// Windows that are looked up in the filter before the first of them is looked up in the table, so that many words of the
/// filter are on their way from memory at a time.
const TOGETHER: usize = 256;

impl Index {
    /// The postings are sorted.
    fn new(items: Items, sorted: &[(u64, Posting)]) -> Index {
        let windows = || sorted.chunk_by(|one, other| one.0 == other.0);
        let distinct = windows().count();
        let (mut filter, mut table) = (Filter::new(distinct), HashTable::with_capacity(distinct));
        let mut postings = Vec::new();
        for window in windows() {
            let (hash, mut posting) = window[0];
            let has_several = window.len() > 1;
            if has_several {
                posting = Posting { item: window.len() as u32, place: postings.len() as u32 };
                postings.extend(window.iter().map(|(_, posting)| *posting));
            }
            filter.insert(hash);
            table.insert_unique(hash, Entry { hash, posting, has_several }, |entry| entry.hash);
        }
        Index { items, filter, table, postings }
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

    /// Calls `each` with the places of the windows that are in the index, in order, and the items that have them.
    #[inline]
    pub(super) fn each_hit(&self, letters: &[u8], mut each: impl FnMut(usize, &[Posting])) {
        let windows = count(letters.len());
        let mut may_be_in = [(0, 0); TOGETHER];
        for from in (0..windows).step_by(TOGETHER) {
            let mut number = 0;
            for start in from..windows.min(from + TOGETHER) {
                let hash = Window::at(letters, start).hash();
                may_be_in[number] = (hash, start);
                number += usize::from(self.filter.may_hold(hash));
            }
            for (hash, start) in &may_be_in[..number] {
                let Some(entry) = self.table.find(*hash, |entry| entry.hash == *hash) else { continue };
                let Posting { item, place } = entry.posting;
                match entry.has_several {
                    false => each(*start, std::slice::from_ref(&entry.posting)),
                    true => each(*start, &self.postings[place as usize..][..item as usize]),
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
        let index = index(&texts.iter().map(String::as_str).collect::<Vec<_>>(), 0.75);
        let mut hits = Vec::new();
        index.each_hit(same.as_bytes(), |start, _| hits.push(start));
        assert!(hits.is_empty(), "{hits:?}");
        index.each_hit(texts[1].as_bytes(), |_, items| hits.extend(items.iter().map(|posting| posting.item as usize)));
        assert!(
            hits.iter().all(|item| *item == 1) && hits.len() + WINDOW > index.items()[1].needed as usize,
            "{hits:?}"
        );
    }

    #[test]
    fn bytes_in_windows_are_counted_once() {
        let brute = |bytes: usize, starts: &[usize]| {
            (0..bytes).filter(|byte| starts.iter().any(|start| (*start..start + WINDOW).contains(byte))).count()
        };
        for starts in [&[][..], &[0], &[3, 4, 5], &[0, 15], &[0, 14, 40], &[25, 26, 45]] {
            assert_eq!(covered(60, |start| starts.contains(&start)), brute(60, starts), "{starts:?}");
        }
    }

    #[test]
    fn windows_that_an_item_repeats_have_no_place() {
        let index = index(&[&"abc".repeat(40), "thequickbrownfoxjumpsoverthelazydog"], 0.75);
        let mut places = Vec::new();
        index.each_hit("thequickbrownfoxabcabcabcabcabcabc".as_bytes(), |_, postings| places.push(postings.to_vec()));
        let (item, other) = (0, 1);
        assert_eq!(places[0], [Posting { item: other, place: 0 }]);
        assert!(places[2..].iter().all(|postings| *postings == [Posting { item, place: SEVERAL }]), "{places:?}");
        // The three distinct windows of the first item are there 36 times, 35 and 35.
        assert_eq!(index.items().iter().map(|item| item.repeated).collect::<Vec<_>>(), [36 * WINDOW as u32, 0]);
    }
}
