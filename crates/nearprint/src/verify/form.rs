//! A text and others that are near it -> the form that they have in common, and its slots.
//!
//! A notice, a ceremony or an order by mail is a form with slots. Two texts alone do not show where the slots are; others of the
//! same form do. So every text has a *company*, other documents that are near it:
//!
//! 1. Those in the company are of the same form that have one in [`SAME`] of the text's windows of [`LENGTH`] letters. A window
//!    is *form* that half of them have ([`FORM`]). What lies between is a gap.
//! 2. A gap beside the form is a *slot* if those that have the form there go on in [`OTHERS`] ways or more that are not the text's
//!    own, and no way is that of most of them. A slot is filled anew in most texts, while most versions of a text agree in most
//!    places.
//! 3. A gap with no form beside it is *free*: the text is of no form.
//!
//! Cost: the windows of a text and its company. A text has a table of its windows once some are looked up among them.

use std::ops::Range;
use std::sync::OnceLock;

use super::side::Side;
use super::windows::{Windows, hash};
use crate::normalize::{Cursor, size};

/// The letters of a window.
pub(super) const LENGTH: u32 = 8;

/// One in this many of the windows of a text is in those of its form.
const SAME: usize = 3;

/// One in this many of those of a form, at least, has a window that is form.
const FORM: usize = 2;

/// The ways to go on at a slot, at least, beside that of the text.
const OTHERS: usize = 2;

/// The letters by which the ways to go on are told apart.
const WAY: u32 = 4;

/// A window of a text, by its bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub hash: u32,
    pub start: u32,
    pub end: u32,
}

impl Window {
    pub fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A text and its windows.
#[derive(Debug, Default)]
pub struct Member {
    text: Vec<u8>,
    size: Cursor,
    /// In order.
    windows: Vec<Window>,
    /// Made when it is asked for: most others of a company only have their windows looked up.
    table: OnceLock<Table>,
}

/// The first place of each window, by its hash: open addressing.
#[derive(Debug)]
struct Table {
    /// A hash in the high half, a place and 1 in the low one; 0 if empty. A power of two of them, at most half of them taken.
    entries: Vec<u64>,
    /// Bits of hashes, by which most others are known not to be there.
    bits: Vec<u64>,
    /// How many windows are the same as the one at a place, where it is the first.
    counts: Vec<u32>,
}

impl Table {
    fn new(windows: &[Window]) -> Table {
        let size = Table::size(windows.len());
        let mut table =
            Table { entries: vec![0; size], bits: vec![0; Table::words(size)], counts: vec![0; windows.len()] };
        for (window, place) in windows.iter().zip(1..) {
            let (word, bit) = table.bit(window.hash);
            table.bits[word] |= bit;
            let entry = table.entry(window.hash);
            if table.entries[entry] == 0 {
                table.entries[entry] = u64::from(window.hash) << 32 | place;
            }
            table.counts[table.entries[entry] as u32 as usize - 1] += 1;
        }
        table
    }

    /// The entries for this many windows.
    fn size(windows: usize) -> usize {
        (2 * windows + 1).next_power_of_two()
    }

    /// The words of bits for this many entries.
    fn words(size: usize) -> usize {
        size.div_ceil(4)
    }

    /// The place of the bit of a hash: a word, a power of two of which there are, and the bit in it.
    #[inline]
    fn bit(&self, hash: u32) -> (usize, u64) {
        ((hash >> 6) as usize & (self.bits.len() - 1), 1 << (hash & 63))
    }

    /// The entry of a hash, or the empty one where it is not there.
    #[inline]
    fn entry(&self, hash: u32) -> usize {
        let last = self.entries.len() - 1;
        let mut entry = hash as usize & last;
        while self.entries[entry] != 0 && (self.entries[entry] >> 32) as u32 != hash {
            entry = (entry + 1) & last;
        }
        entry
    }

    /// The first place of a window.
    #[inline]
    fn place(&self, hash: u32) -> Option<usize> {
        let (word, bit) = self.bit(hash);
        if self.bits[word] & bit == 0 {
            return None;
        }
        let found = self.entries[self.entry(hash)] as u32;
        (found as usize).checked_sub(1)
    }
}

impl Member {
    /// A text by its letters and digits.
    pub fn new(text: &[u8]) -> Member {
        let mut found = Vec::with_capacity(text.len());
        let size = size(text);
        let mut windows = Windows::new(text, size, LENGTH);
        while let Some((start, end)) = windows.next() {
            found.push(Window { hash: (hash(&text[start..end]) >> 8) as u32, start: start as u32, end: end as u32 });
        }
        Member { text: text.to_vec(), size, windows: found, table: OnceLock::new() }
    }

    fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::new(&self.windows))
    }

    /// The bytes that it takes with its table.
    pub fn bytes(&self) -> usize {
        let windows = self.windows.len();
        let size = Table::size(windows);
        let table = (size + Table::words(size)) * size_of::<u64>() + windows * size_of::<u32>();
        self.text.capacity() + self.windows.capacity() * size_of::<Window>() + table
    }

    /// Whether the other text is of the form of this one.
    pub fn is_of_form(&self, other: &Member) -> bool {
        let table = self.table();
        let (mut is_met, mut common) = (vec![false; self.windows.len()], 0);
        other.windows.iter().any(|window| {
            if let Some(place) = table.place(window.hash).filter(|place| !is_met[*place]) {
                is_met[place] = true;
                common += table.counts[place] as usize;
            }
            common > 0 && common * SAME >= self.windows.len()
        })
    }

    /// Whether enough of these others are of the form of the text that it may have slots.
    pub fn has_form<'m>(&self, others: impl IntoIterator<Item = &'m Member>) -> bool {
        others.into_iter().filter(|other| self.is_of_form(other)).nth(OTHERS - 1).is_some()
    }

    /// Of each window whether the other text has it as well.
    fn common(&self, other: &Member) -> impl Iterator<Item = bool> {
        self.windows.iter().map(|window| other.has(window.hash))
    }

    /// The text without passages and figures.
    pub(super) fn side(&self) -> Side<'_> {
        Side { text: &self.text, size: self.size, passages: &[], figures: &[] }
    }

    /// Parts of the text in bytes, of these in letters, which are in order.
    pub(super) fn bytes_of(&self, parts: &[(u32, u32)]) -> Vec<Range<usize>> {
        let (side, mut byte, mut letters) = (self.side(), 0, 0);
        let mut after = |place: u32| {
            byte = side.after(byte, place - letters);
            letters = place;
            byte
        };
        parts.iter().map(|(start, end)| after(*start)..after(*end)).collect()
    }

    /// In order.
    pub(super) fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// Whether the text has a window of this hash.
    pub(super) fn has(&self, hash: u32) -> bool {
        self.table().place(hash).is_some()
    }

    /// The first window of a hash.
    fn window(&self, hash: u32) -> Option<&Window> {
        self.table().place(hash).map(|place| &self.windows[place])
    }
}

/// A part of a text that is not form, in bytes.
#[derive(Debug)]
pub(super) struct Slot {
    pub bytes: Range<usize>,
    /// Whether no form is beside it.
    pub is_free: bool,
}

/// The slots and the free gaps of a text in the company of others, in order.
pub(super) fn slots(own: &Member, company: &[&Member]) -> Vec<Slot> {
    let (company, form) = form(own, company);
    let side = Side { passages: &form, ..own.side() };
    let slot = |gap: Range<usize>| {
        let before = own.windows.binary_search_by_key(&gap.start, |window| window.end as usize).ok();
        let after = own.windows.binary_search_by_key(&gap.end, |window| window.start as usize).ok();
        let is_free = before.is_none() && after.is_none();
        let agree = |window: Option<usize>, follows: bool| {
            window.is_none_or(|window| agree(own, &own.windows[window], &company, follows))
        };
        let is_slot = is_free || !agree(before, true) || !agree(after, false);
        is_slot.then_some(Slot { bytes: gap, is_free })
    };
    side.gaps().filter_map(slot).collect()
}

/// Those in the company that are of the same form, and the parts of the text that are form.
fn form<'m>(own: &Member, company: &[&'m Member]) -> (Vec<&'m Member>, Vec<(usize, usize)>) {
    let mut shares = vec![0; own.windows.len()];
    let mut common = Vec::with_capacity(own.windows.len());
    let is_same = |member: &&&Member| {
        common.clear();
        common.extend(own.common(member));
        let is_same = common.iter().filter(|is_common| **is_common).count() * SAME >= own.windows.len();
        if is_same {
            shares.iter_mut().zip(&common).for_each(|(share, is_common)| *share += usize::from(*is_common));
        }
        is_same
    };
    let company: Vec<&Member> = company.iter().filter(is_same).copied().collect();
    let mut form: Vec<(usize, usize)> = Vec::new();
    for (window, share) in own.windows.iter().zip(shares) {
        if share == 0 || share * FORM < company.len() {
            continue;
        }
        let Range { start, end } = window.bytes();
        match form.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => form.push((start, end)),
        }
    }
    (company, form)
}

/// Whether those of a company that have a window of the form agree in how to go on after it, or before it.
fn agree(own: &Member, window: &Window, company: &[&Member], follows: bool) -> bool {
    let own = way(own, window, follows);
    let mut ways: Vec<(u64, usize)> = Vec::new();
    for member in company {
        let Some(found) = member.window(window.hash) else { continue };
        let way = way(member, found, follows);
        match ways.iter_mut().find(|known| known.0 == way) {
            Some(known) => known.1 += 1,
            None => ways.push((way, 1)),
        }
    }
    let asked: usize = ways.iter().map(|way| way.1).sum();
    ways.iter().filter(|way| way.0 != own).count() < OTHERS || ways.iter().any(|way| 2 * way.1 > asked)
}

/// A hash of the letters that follow a window, or of those before it.
fn way(of: &Member, window: &Window, follows: bool) -> u64 {
    let (side, Range { start, end }) = (of.side(), window.bytes());
    let letters = if follows { end..side.after(end, WAY) } else { side.before(start, WAY)..start };
    hash(&of.text[letters])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_is_of_a_form_if_enough_windows_are_common(own in "[ab]{0,60}", other in "[ab]{0,60}", shared in "[abc]{0,30}") {
            let [own, other] = [own, other].map(|text| Member::new(format!("{shared}{text}").as_bytes()));
            let common = own.common(&other).filter(|is_common| *is_common).count();
            prop_assert_eq!(own.is_of_form(&other), common > 0 && common * SAME >= own.windows.len());
        }
    }
}
