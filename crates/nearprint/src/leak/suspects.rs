//! A document and the index -> the parts of the document in which items may stand.
//!
//! The seeds of an item come one by one, in the order of the document. Each seed belongs to a
//! passage that both texts have. An item may stand in a part of the document where such passages
//! have enough of its bytes ([`Item::needed`]) within twice its length.

use std::ops::Range;

use nearprint_core::compare::{common_prefix, common_suffix};

use super::index::Index;
use super::items::Item;
use super::table::{Posting, SEVERAL};
use super::windows::{SEED, Seed, WINDOW};

/// Finds the suspects of one document after the other, in buffers of its own.
#[derive(Debug)]
pub(super) struct Suspects<'i> {
    index: &'i Index,
    /// The hits of each item in the document at hand.
    hits: Vec<Hits>,
    /// The items with hits.
    touched: Vec<u32>,
    /// The items that may stand in the document, each with a part of the document.
    pub found: Vec<(u32, Range<usize>)>,
}

impl<'i> Suspects<'i> {
    /// Suspects among the items of this index.
    pub fn new(index: &'i Index) -> Suspects<'i> {
        let hits = index.items().iter().map(Hits::new).collect();
        Suspects { index, hits, touched: Vec::new(), found: Vec::new() }
    }

    /// Adds the suspects of a document with these letters and digits.
    pub fn find(&mut self, letters: &[u8]) {
        let Suspects { index, hits, touched, found } = self;
        let (items, item_letters) = (index.items(), index.letters());
        index.each_hit(letters, |at, postings| {
            let at = at as u32;
            for (_, Posting { item, place }) in postings {
                let own = &mut hits[*item as usize];
                if own.shared == 0 {
                    touched.push(*item);
                }
                if !own.add(letters, at, item_letters, *place) {
                    continue;
                }
                // A run with this window lies within the item's length on both sides, or beyond by
                // the bytes of the item that it may lack.
                let far = own.length.saturating_mul(2) - items[*item as usize].least as u32;
                let (start, end) =
                    (at.saturating_sub(far), at.saturating_add(far).min(letters.len() as u32));
                if start > own.part[1] && own.part[1] > 0 {
                    found.push((*item, own.part[0] as usize..own.part[1] as usize));
                    own.part[1] = 0;
                }
                own.part = [if own.part[1] > 0 { own.part[0] } else { start }, end];
            }
        });
        for number in touched.drain(..) {
            let own = &mut hits[number as usize];
            if own.part[1] > 0 {
                found.push((number, own.part[0] as usize..own.part[1] as usize));
            }
            (own.shared, own.part) = (0, [0, 0]);
        }
    }
}

/// The passages of an item in the document at hand.
#[derive(Debug, Clone, Copy, Default)]
struct Hits {
    /// The bytes of the item.
    length: u32,
    /// The bytes of passages that suffice ([`Item::needed`]).
    needed: u32,
    /// The bytes that a seed counts if the item has it more than once ([`Item::repeated`]).
    repeated: u32,
    /// The item's bytes in passages that begin in the document within the item's length from
    /// `start` on. 0 before the first hit.
    shared: u32,
    /// The item's bytes in passages within the item's length before `start`.
    before: u32,
    start: u32,
    /// The end of the last passage in the document.
    end: u32,
    /// The place of the last passage in the document minus its place among the items.
    shift: u32,
    /// The part of the document in which the item may stand; none if it ends at 0.
    part: [u32; 2],
}

impl Hits {
    fn new(item: &Item) -> Hits {
        Hits {
            length: item.range.len() as u32,
            needed: item.needed,
            repeated: item.repeated,
            ..Hits::default()
        }
    }

    /// Takes a seed that begins at `at` in the document and at `place` among the letters of the
    /// items. True if the passages within twice the item's length suffice.
    #[inline]
    fn add(&mut self, document: &[u8], at: u32, items: &[u8], place: u32) -> bool {
        let shift = at.wrapping_sub(place);
        let since_start = at.wrapping_sub(self.start);
        let is_in_stretch = self.shared > 0 && since_start < self.length;
        if is_in_stretch && place != SEVERAL && shift == self.shift && at + SEED as u32 <= self.end
        {
            return self.is_enough();
        }
        let share = match place {
            SEVERAL => {
                self.end = 0;
                self.repeated
            }
            _ => {
                let (passage, end) = passage(document, at as usize, items, place as usize);
                (self.end, self.shift) = (end as u32, shift);
                passage as u32
            }
        };
        if share < WINDOW as u32 {
            return false;
        }
        match since_start {
            _ if is_in_stretch => self.shared = self.shared.saturating_add(share),
            since if self.shared > 0 && since / 2 < self.length => {
                (self.before, self.shared, self.start) =
                    (self.shared, share, self.start + self.length);
            }
            _ => (self.before, self.shared, self.start) = (0, share, at),
        }
        self.is_enough()
    }

    fn is_enough(&self) -> bool {
        self.before.saturating_add(self.shared) >= self.needed
    }
}

/// The length of the longest passage around a seed, and its end in the document. The seed begins at
/// `at` in the document and at `place` among the letters of the items. The length is 0 if the two
/// seeds differ and only their hashes agree.
#[inline]
fn passage(document: &[u8], at: usize, items: &[u8], place: usize) -> (usize, usize) {
    if Seed::at(document, at) != Seed::at(items, place) {
        return (0, at);
    }
    let end = at + SEED + common_prefix(&document[at + SEED..], &items[place + SEED..]);
    let before = common_suffix(&document[..at], &items[..place]);
    (before + end - at, end)
}

#[cfg(test)]
mod tests {
    use super::super::items::Items;
    use super::*;

    #[test]
    fn a_passage_ends_where_its_item_does() {
        let [first, second] =
            ["thenightferrysailsatdawnfromtheharbor", "andthecookbakescardamombunsforthecrew"];
        let mut items = Items::new(0.75, 20);
        (0..).zip([first, second]).for_each(|(number, text)| {
            items.add(number, text, text.as_bytes());
        });
        let document = format!("{first}{second}");
        let (document, items) = (document.as_bytes(), &items.letters[..]);
        assert_eq!(passage(document, 8, items, 8), (first.len(), first.len()));
        let (at, place) = (first.len() + 4, first.len() + 1 + 4);
        assert_eq!(passage(document, at, items, place), (second.len(), document.len()));
        assert_eq!(passage(document, at, items, 8), (0, at));
    }
}
