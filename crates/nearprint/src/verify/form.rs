//! A text and others that are near it -> the form that they have in common, and its slots.
//!
//! A notice, a ceremony or an order by mail is a form with slots. Two texts alone do not show where the slots are; others of the
//! same form do. So every text has a *company*, other documents that are near it:
//!
//! 1. Those in the company are of the same form that have one in [`SAME`] of the text's windows of [`LENGTH`] letters. A window
//!    is *form* that one in [`FORM`] of them has. What lies between is a gap.
//! 2. A gap beside the form is a *slot* if those that have the form there go on in [`OTHERS`] ways or more that are not the text's
//!    own, and no way is that of most of them. A slot is filled anew in most texts, while most versions of a text agree in most
//!    places.
//! 3. A gap with no form beside it is *free*: the text is of no form.
//!
//! Cost: a text and its company are sorted by windows once, and merged.

use std::ops::Range;

use super::side::Side;
use super::windows::{Windows, hash};
use crate::normalize::{Cursor, size};

/// The letters of a window.
pub(super) const LENGTH: u32 = 8;

/// One in this many of the windows of a text is in those of its form.
const SAME: usize = 3;

/// One in this many of those of a form has a window that is form.
const FORM: usize = 4;

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
    /// The hash of each window in the high half, its place in the low one; sorted.
    sorted: Vec<u64>,
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
        let mut sorted: Vec<u64> =
            found.iter().zip(0..).map(|(window, place)| u64::from(window.hash) << 32 | place).collect();
        sorted.sort_unstable();
        Member { text: text.to_vec(), size, windows: found, sorted }
    }

    /// Whether the other text is of the form of this one.
    pub fn is_of_form(&self, other: &Member) -> bool {
        let mut common = vec![0; self.sorted.len() + 1];
        self.common(other, &mut common).len() * SAME >= self.windows.len()
    }

    /// The places of the windows that the other text has as well. There must be room for one place more than there are windows.
    fn common<'p>(&self, other: &Member, places: &'p mut [u32]) -> &'p [u32] {
        // Without branches, which could not be foreseen.
        let (mut count, mut own, mut others) = (0, 0, 0);
        while own < self.sorted.len() && others < other.sorted.len() {
            let (window, hash) = (self.sorted[own], other.sorted[others] >> 32);
            places[count] = window as u32;
            count += usize::from(window >> 32 == hash);
            others += usize::from(window >> 32 > hash);
            own += usize::from(window >> 32 <= hash);
        }
        &places[..count]
    }

    /// The text without passages and figures.
    pub(super) fn side(&self) -> Side<'_> {
        Side { text: &self.text, size: self.size, passages: &[], figures: &[] }
    }

    /// In order.
    pub(super) fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// Whether the text has a window of this hash.
    pub(super) fn has(&self, hash: u32) -> bool {
        self.window(hash).is_some()
    }

    /// The first window of a hash.
    fn window(&self, hash: u32) -> Option<&Window> {
        let place = self.sorted.partition_point(|window| *window < u64::from(hash) << 32);
        self.windows.get(*self.sorted.get(place)? as u32 as usize).filter(|window| window.hash == hash)
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
    let mut common = vec![0; own.sorted.len() + 1];
    let is_same = |member: &&&Member| {
        let common = own.common(member, &mut common);
        let is_same = common.len() * SAME >= own.windows.len();
        if is_same {
            common.iter().for_each(|place| shares[*place as usize] += 1);
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
