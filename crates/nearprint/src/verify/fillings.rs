//! A text and others of its form -> what fills the slots of the form.
//!
//! A notice, a ceremony or an order by mail is a form with slots. Two of them share the form, and are duplicates only if they
//! agree in what fills it. Two texts alone do not show where the slots are; others of the same form do. So every text has a
//! *company*, other documents that are near it:
//!
//! 1. Those in the company are of the same form that have one in [`SAME`] of the text's windows of [`LENGTH`] letters. A window
//!    is *form* that one in [`FORM`] of them has. What lies between is a gap.
//! 2. A gap beside the form is a *slot* if those that have the form there go on in [`OTHERS`] ways or more that are not the text's
//!    own, and no way is that of most of them. A slot is filled anew in most texts, while most versions of a text agree in most
//!    places.
//! 3. Two texts fill a slot in their own ways if [`FILLING`] letters of it or more are in no window that the other text has. These
//!    letters and those around them are not shared ([`coverage`](super::coverage())). Figures that both texts have are the same
//!    however they are written.
//!
//! Many texts of one form need not be compared at all, since their fillings alone tell them apart ([`Asked::may_reach`]).
//!
//! Cost: a text and its company are sorted by windows once, and merged.

use std::ops::Range;

use hashbrown::HashMap;

use super::contradictions::TOLERATED;
use super::coverage::AROUND;
use super::side::Side;
use super::windows::{Windows, hash};
use crate::normalize::size;

/// The letters of a window.
const LENGTH: u32 = 8;

/// One in this many of the windows of a text is in those of its form.
const SAME: usize = 3;

/// One in this many of those of a form has a window that is form.
const FORM: usize = 4;

/// The ways to go on at a slot, at least, beside that of the text.
const OTHERS: usize = 2;

/// The letters of a filling, at least, and those by which the ways to go on are told apart.
const FILLING: u32 = 4;

/// So many windows overlap that two texts that agree have two of them or more in common.
const MANY: usize = 8;

/// A window of a text, by its bytes.
#[derive(Debug, Clone, Copy)]
struct Window {
    hash: u32,
    start: u32,
    end: u32,
}

impl Window {
    fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A text and its windows.
#[derive(Debug, Default)]
pub struct Member {
    text: Vec<u8>,
    /// In order.
    windows: Vec<Window>,
    /// The hash of each window in the high half, its place in the low one; sorted.
    sorted: Vec<u64>,
}

impl Member {
    /// A text by its letters and digits.
    pub fn new(text: &[u8]) -> Member {
        let mut found = Vec::with_capacity(text.len());
        let mut windows = Windows::new(text, size(text), LENGTH);
        while let Some((start, end)) = windows.next() {
            found.push(Window { hash: (hash(&text[start..end]) >> 8) as u32, start: start as u32, end: end as u32 });
        }
        let mut sorted: Vec<u64> =
            found.iter().zip(0..).map(|(window, place)| u64::from(window.hash) << 32 | place).collect();
        sorted.sort_unstable();
        Member { text: text.to_vec(), windows: found, sorted }
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

    fn side(&self) -> Side<'_> {
        Side { text: &self.text, size: size(&self.text), passages: &[], figures: &[] }
    }

    /// The first window of a hash.
    fn window(&self, hash: u32) -> Option<&Window> {
        let place = self.sorted.partition_point(|window| *window < u64::from(hash) << 32);
        self.windows.get(*self.sorted.get(place)? as u32 as usize).filter(|window| window.hash == hash)
    }
}

/// What fills the slots of a text.
#[derive(Debug, Default)]
pub struct Fillings {
    /// The letters of the text.
    letters: u32,
    /// Its runs of digits.
    figures: u32,
    slots: Vec<Slot>,
    /// The hash of each window that touches a slot, slot after slot.
    hashes: Vec<u32>,
    /// Where these windows begin and end, in letters.
    places: Vec<(u32, u32)>,
}

/// Windows of a text of which duplicates have some.
#[derive(Debug, Default)]
pub struct Telling {
    /// None for a text that lacks such windows.
    pub windows: Vec<u32>,
    /// How many of them a duplicate has, at least: two where they overlap, since one comes about by chance.
    pub least: usize,
}

/// A slot of a text.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Its place in letters.
    start: u32,
    end: u32,
    /// The place past its last window.
    past: u32,
    kind: Kind,
}

/// The kinds of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Form is beside it.
    Filling,
    /// The same, and it is a figure of fewer letters than a filling has: single ones may differ.
    Figure,
    /// No form is beside it: the text is of no form.
    Free,
}

impl Slot {
    /// The letters on either side that are not shared where it is filled in another way.
    fn around(&self) -> u32 {
        if self.kind == Kind::Free { 0 } else { AROUND }
    }
}

impl Fillings {
    /// Those of a text in the company of others.
    pub fn new(own: &Member, company: &[&Member]) -> Fillings {
        let (text, windows, side) = (&own.text, &own.windows, own.side());
        let (company, form) = form(own, company);
        let figures = text.split(|byte| !byte.is_ascii_digit()).filter(|run| !run.is_empty()).count() as u32;
        let mut fillings = Fillings { letters: side.size.letters, figures, ..Fillings::default() };
        let form = Side { passages: &form, ..side };
        for gap in form.gaps() {
            let start = side.letters(0..gap.start);
            let end = start + side.letters(gap.clone());
            let kind = match kind(own, &company, &gap) {
                Some(Kind::Filling) if end - start >= FILLING => Kind::Filling,
                Some(Kind::Filling) if text[gap.clone()].iter().any(u8::is_ascii_digit) => Kind::Figure,
                Some(Kind::Free) => Kind::Free,
                _ => continue,
            };
            let first = windows.partition_point(|window| window.end as usize <= gap.start);
            let past = windows.partition_point(|window| (window.start as usize) < gap.end);
            let mut place = side.letters(0..windows.get(first).map_or(0, |window| window.start as usize));
            for window in &windows[first..past] {
                fillings.hashes.push(window.hash);
                fillings.places.push((place, place + side.letters(window.bytes())));
                place = side.letters_from(window.start as usize, place);
            }
            let past = fillings.hashes.len() as u32;
            fillings.slots.push(Slot { start, end, past, kind });
        }
        fillings
    }

    /// The hashes of the windows that touch slots.
    pub fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// The windows of the rarest parts of slots, of so many that the text is less similar than `least`, as far as its own letters
    /// go, to one that has none of them. None if there are not so many. `frequency` is that of a window.
    pub fn telling(&self, least: f64, frequency: impl Fn(u32) -> u32) -> Telling {
        let few_figures = self.figures < TOLERATED as u32;
        let mut parts = Vec::new();
        for (slot, windows) in self.each_slot().filter(|(slot, _)| slot.kind != Kind::Figure || few_figures) {
            for start in windows.clone().step_by(2 * AROUND as usize) {
                let part = |first: usize| {
                    let enough = |past: &usize| {
                        let (start, end) = self.uncovered(slot, &windows, first..*past);
                        end.saturating_sub(start) >= FILLING.min(slot.end - slot.start)
                    };
                    let past = (first + 1..=windows.end).find(enough)?;
                    let hashes = &self.hashes[first..past];
                    let frequency: u64 = hashes.iter().map(|hash| u64::from(frequency(*hash))).sum();
                    Some((frequency, self.uncovered(slot, &windows, first..past), slot.around(), hashes))
                };
                parts.extend((start..windows.end.min(start + 2 * AROUND as usize)).filter_map(part).min());
            }
        }
        parts.sort_unstable();
        let most = self.most_lost(least);
        let (mut telling, mut lost) = (Telling { windows: Vec::new(), least: 2 }, Vec::new());
        for (_, (start, end), around, windows) in parts {
            telling.windows.extend_from_slice(windows);
            if windows.len() < MANY {
                telling.least = 1;
            }
            lost.push((start.saturating_sub(around), end + around));
            if self.letters_in(&mut lost) > most {
                return telling;
            }
        }
        Telling::default()
    }

    /// The letters that need not be shared.
    fn most_lost(&self, least: f64) -> u32 {
        ((1.0 - least) * f64::from(self.letters) + 1e-6) as u32
    }

    /// The slots and the places of their windows.
    fn each_slot(&self) -> impl Iterator<Item = (&Slot, Range<usize>)> {
        let firsts = std::iter::once(0).chain(self.slots.iter().map(|slot| slot.past));
        self.slots.iter().zip(firsts).map(|(slot, first)| (slot, first as usize..slot.past as usize))
    }

    /// The letters of a slot with these windows that are in none but some of them, if the others are shared.
    fn uncovered(&self, slot: &Slot, windows: &Range<usize>, some: Range<usize>) -> (u32, u32) {
        let start = if some.start == windows.start { slot.start } else { self.places[some.start - 1].1 };
        let end = if some.end == windows.end { slot.end } else { self.places[some.end].0 };
        (start.max(slot.start), end.min(slot.end))
    }

    /// The letters in these parts. Sorts them.
    fn letters_in(&self, parts: &mut [(u32, u32)]) -> u32 {
        parts.sort_unstable();
        let (mut letters, mut past) = (0, 0);
        for (start, end) in parts.iter() {
            let (start, end) = ((*start).max(past), (*end).min(self.letters));
            letters += end.saturating_sub(start);
            past = past.max(end);
        }
        letters
    }

    /// The parts of slots that are filled in another way in a text that has these windows: `has` is asked for one after the
    /// other. By kinds.
    fn lost(&self, mut has: impl FnMut(u32) -> bool, lost: &mut [Parts; 3]) {
        lost.iter_mut().for_each(Parts::clear);
        for (slot, windows) in self.each_slot() {
            let lost = &mut lost[slot.kind as usize];
            let mut first = windows.start;
            for place in windows.start..=windows.end {
                if place < windows.end && !has(self.hashes[place]) {
                    continue;
                }
                let part = self.uncovered(slot, &windows, first..place);
                let is_lost = match slot.kind {
                    Kind::Figure => windows == (first..place),
                    Kind::Filling | Kind::Free => place > first && part.1.saturating_sub(part.0) >= FILLING,
                };
                if is_lost {
                    lost.push(part);
                }
                first = place + 1;
            }
        }
    }
}

/// Parts of a text in letters.
type Parts = Vec<(u32, u32)>;

/// The fillings of a text, to be held against those of many others.
#[derive(Debug)]
pub struct Asked<'f> {
    own: &'f Fillings,
    /// The place of the last window of each hash.
    places: HashMap<u32, u32>,
    /// The place before it of a window of the same hash.
    earlier: Vec<Option<u32>>,
    /// A bit for some bits of each hash: most windows of others are in none.
    bits: [u64; 32],
    seen: Vec<bool>,
    lost: [[Parts; 3]; 2],
}

impl<'f> Asked<'f> {
    /// Those of one text.
    pub fn new(own: &'f Fillings) -> Asked<'f> {
        let mut places = HashMap::with_capacity(own.hashes.len());
        let earlier = own.hashes.iter().zip(0..).map(|(hash, place)| places.insert(*hash, place)).collect();
        let mut bits = [0; 32];
        own.hashes.iter().for_each(|hash| bits[*hash as usize / 64 % 32] |= 1 << (hash % 64));
        Asked { own, places, earlier, bits, seen: Vec::new(), lost: Default::default() }
    }

    /// Whether the two texts may be as similar as `least`: of one of them at least, that large a share is not lost.
    pub fn may_reach(&mut self, other: &Fillings, least: f64) -> bool {
        if self.own.slots.is_empty() || other.slots.is_empty() {
            return true;
        }
        let Asked { own, places, earlier, bits, seen, lost: [lost, others] } = self;
        seen.clear();
        seen.resize(own.hashes.len(), false);
        let has = |hash: u32| {
            if bits[hash as usize / 64 % 32] >> (hash % 64) & 1 == 0 {
                return false;
            }
            let mut next = places.get(&hash).copied();
            let has = next.is_some();
            while let Some(place) = next.filter(|place| !seen[*place as usize]) {
                seen[place as usize] = true;
                next = earlier[place as usize];
            }
            has
        };
        other.lost(has, others);
        let mut seen = seen.iter();
        own.lost(|_| *seen.next().expect("each window is asked for once"), lost);
        let [figures, other_figures] = [&lost[1], &others[1]].map(Vec::len);
        let contradict = figures.min(other_figures) > 0
            && (figures + other_figures) * TOLERATED > (own.figures + other.figures) as usize;
        [(*own, lost), (other, others)].into_iter().any(|(of, [lost, figures, free])| {
            if contradict {
                lost.append(figures);
            }
            lost.iter_mut().for_each(|part| *part = (part.0.saturating_sub(AROUND), part.1 + AROUND));
            lost.append(free);
            of.letters_in(lost) <= of.most_lost(least)
        })
    }
}

/// The parts of slots that each of two texts fills in its own way, in bytes. `same` are figures of each that the other one has, too.
pub(super) fn differing(texts: [(&Member, &Fillings); 2], same: [&[Range<usize>]; 2]) -> [Vec<Range<usize>>; 2] {
    [0, 1].map(|number| {
        let ((member, own), (other, _)) = (texts[number], texts[1 - number]);
        let (side, mut lost) = (member.side(), <[Parts; 3]>::default());
        own.lost(|hash| other.window(hash).is_some(), &mut lost);
        let bytes = lost[0].iter().map(|(start, end)| side.after(0, *start)..side.after(0, *end));
        let is_other = |part: &Range<usize>| {
            let within = |figure: &Range<usize>| figure.start.max(part.start)..figure.end.min(part.end);
            let figures = same[number].iter().map(within).filter(|figure| !figure.is_empty());
            side.letters(part.clone()) >= FILLING + figures.map(|figure| side.letters(figure)).sum::<u32>()
        };
        bytes.filter(is_other).collect()
    })
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

/// The kind of slot that a gap is in a company of the same form; `None` if those that have the form beside it agree, on both sides,
/// in how to go on there.
fn kind(own: &Member, company: &[&Member], gap: &Range<usize>) -> Option<Kind> {
    let before = own.windows.binary_search_by_key(&gap.start, |window| window.end as usize).ok();
    let after = own.windows.binary_search_by_key(&gap.end, |window| window.start as usize).ok();
    let agree = |place: usize, follows: bool| {
        let window = &own.windows[place];
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
    };
    if before.is_none() && after.is_none() {
        return Some(Kind::Free);
    }
    let agree = before.is_none_or(|place| agree(place, true)) && after.is_none_or(|place| agree(place, false));
    (!agree).then_some(Kind::Filling)
}

/// A hash of the letters that follow a window, or of those before it.
fn way(of: &Member, window: &Window, follows: bool) -> u64 {
    let (side, Range { start, end }) = (of.side(), window.bytes());
    let letters = if follows { end..side.after(end, FILLING) } else { side.before(start, FILLING)..start };
    hash(&of.text[letters])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(name: &str, number: u32) -> Vec<u8> {
        format!("dearcustomeryourorder{number}hasbeenshippedtothehouseof{name}andwillarrivewithinsomedaysthankyouforshopping")
            .into_bytes()
    }

    fn fillings(text: &[u8]) -> Fillings {
        let names = ["annameyer", "bobross", "carlbenz", "doraexplorer", "emilnolde", "fritzlang"];
        let company: Vec<Member> =
            (0..).zip(names).map(|(number, name)| Member::new(&order(name, 1_000_003 * (number + 2)))).collect();
        Fillings::new(&Member::new(text), &company.iter().collect::<Vec<_>>())
    }

    fn may_reach(one: &[u8], other: &[u8], least: f64) -> bool {
        let [one, other] = [one, other].map(fillings);
        let reached = Asked::new(&one).may_reach(&other, least);
        assert_eq!(reached, Asked::new(&other).may_reach(&one, least));
        reached
    }

    #[test]
    fn a_text_has_the_slots_that_its_company_fills_in_other_ways() {
        let own = fillings(&order("gretagarbo", 9_876_543));
        let text = order("gretagarbo", 9_876_543);
        let parts: Vec<&[u8]> = own.slots.iter().map(|slot| &text[slot.start as usize..slot.end as usize]).collect();
        assert_eq!(parts, [&b"9876543"[..], b"gretagarbo"]);
    }

    #[test]
    fn those_that_fill_a_slot_in_another_way_cannot_be_similar() {
        let one = order("gretagarbo", 9_876_543);
        assert!(may_reach(&one, &one, 0.75));
        assert!(!may_reach(&one, &order("gretagarbo", 1_234_567), 0.75));
        assert!(!may_reach(&one, &order("hansalbers", 9_876_543), 0.75));
        assert!(may_reach(&one, &order("hansalbers", 9_876_543), 0.0));
        // A letter is an edit.
        assert!(may_reach(&one, &order("gretagarba", 9_876_543), 0.75));
        // Outside slots anything may differ here.
        assert!(may_reach(&one, &[&one[..], b"and do not forget our offers for the garden"].concat(), 0.75));
    }

    #[test]
    fn where_most_go_on_in_one_way_nothing_is_filled() {
        let company: Vec<Member> = (0..6).map(|_| Member::new(&order("annameyer", 1_000_003))).collect();
        let company: Vec<&Member> = company.iter().collect();
        let edited = Fillings::new(&Member::new(&order("annameier", 1_000_003)), &company);
        assert!(edited.slots.is_empty() && edited.telling(0.75, |_| 1).windows.is_empty());
    }

    #[test]
    fn the_rarest_slots_tell() {
        let own = fillings(&order("gretagarbo", 9_876_543));
        let number: Vec<u32> = own.hashes[..own.slots[0].past as usize].to_vec();
        let telling = own.telling(0.75, |hash| if number.contains(&hash) { 1 } else { 9 }).windows;
        assert!(telling.len() == 11 && telling.iter().all(|hash| number.contains(hash)));
        assert!(own.telling(0.0, |_| 1).windows.is_empty());
    }
}
