//! A text and others of its form -> what fills the slots of the form.
//!
//! Two texts of one form are duplicates only if they agree in what fills its slots ([`form`](super::form)). Their similarity
//! ([`Form`](super::coverage::Form)) says how far they do:
//!
//! - Two texts fill a slot in their own ways if [`FILLING`] letters of it or more are in no window that the other text has; or if it
//!   has a figure that the other text lacks, where that one has such a figure, too ([`differing`]). These parts and the letters around
//!   them are not shared. Figures that both texts have are the same however they are written.
//!
//! Fillings alone often tell that two texts of a form cannot be similar, so that a family of many need not be compared pair by pair
//! ([`Asked::may_reach`], [`Fillings::telling`]). There two texts have other figures if each has one in a slot that the other one
//! lacks, and more than one in [`TOLERATED`] of all are such ones.

use std::ops::Range;

use hashbrown::HashMap;

use super::contradictions::TOLERATED;
use super::coverage::{AROUND, SOLID, largest_uncovered_share};
use super::figures::{Figure, Value};
use super::form::{LENGTH, Member, slots};
use super::windows::LONGEST;

/// The letters of a filling, at least.
const FILLING: u32 = 4;

/// What fills the slots of a text.
#[derive(Debug, Default)]
pub struct Fillings {
    /// The letters of the text.
    letters: u32,
    /// The hashes of its windows, in order.
    windows: Vec<u32>,
    slots: Vec<Slot>,
    /// Where the windows that touch a slot lie, slot after slot.
    places: Vec<Place>,
    /// The figures of the text, in order.
    figures: Vec<SlotFigure>,
    /// Hashes with which they [answer](Value::answering); sorted.
    values: Vec<u32>,
}

/// A slot of a text.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Its place in letters.
    start: u32,
    end: u32,
    /// Its first window and the one past its last one.
    first: u32,
    past: u32,
    /// Where the places of its windows begin.
    places: u32,
    /// Whether no form is beside it.
    is_free: bool,
}

impl Slot {
    /// The letters on either side that are not shared where it is filled in another way.
    fn around(&self) -> u32 {
        if self.is_free { 0 } else { AROUND }
    }

    fn windows(&self) -> Range<usize> {
        self.first as usize..self.past as usize
    }
}

/// The letters of a window: the first one, and whether there is one more than [`LENGTH`].
#[derive(Debug, Clone, Copy)]
struct Place(u32);

impl Place {
    fn new(start: u32, letters: u32) -> Place {
        Place(start << 1 | u32::from(letters > LENGTH))
    }

    fn start(self) -> u32 {
        self.0 >> 1
    }

    fn end(self) -> u32 {
        self.start() + LENGTH + (self.0 & 1)
    }
}

/// A figure of a text.
#[derive(Debug, Clone, Copy)]
struct SlotFigure {
    /// Its place in letters.
    start: u32,
    end: u32,
    value: Value,
    /// Whether it is in a slot.
    in_slot: bool,
}

/// Parts of a text, of which duplicates of it have one at least.
#[derive(Debug, Default)]
pub struct Telling {
    /// The hashes of windows.
    pub windows: Vec<u32>,
    /// Figures, by the hashes with which they ask for one that is the same ([`Fillings::values`]).
    pub values: Vec<u32>,
}

impl Telling {
    /// Whether nothing tells the text from others.
    pub fn is_empty(&self) -> bool {
        self.windows.is_empty() && self.values.is_empty()
    }
}

impl Fillings {
    /// Those of a text with these figures in the company of others.
    pub fn new(own: &Member, figures: &[Figure], company: &[&Member]) -> Fillings {
        let (windows, side) = (own.windows(), own.side());
        let mut letters = side.letters_of();
        let mut fillings = Fillings {
            letters: side.size.letters,
            windows: windows.iter().map(|w| w.hash).collect(),
            ..Fillings::default()
        };
        for figure in figures {
            let (start, end) = (letters(figure.start as usize), letters(figure.end as usize));
            fillings.figures.push(SlotFigure { start, end, value: figure.value, in_slot: false });
            fillings.values.extend(figure.value.answering());
        }
        fillings.values.sort_unstable();
        fillings.values.dedup();
        let (mut letters, mut letters_before) = (side.letters_of(), side.letters_of());
        for slot in slots(own, company) {
            let (start, end) = (letters(slot.bytes.start), letters(slot.bytes.end));
            let within = fillings.figures_within((start, end));
            let has_figure = !within.is_empty();
            fillings.figures[within].iter_mut().for_each(|figure| figure.in_slot |= !slot.is_free);
            if end - start < FILLING && !has_figure && !slot.is_free {
                continue;
            }
            let first = windows.partition_point(|window| window.end as usize <= slot.bytes.start);
            let past = windows.partition_point(|window| (window.start as usize) < slot.bytes.end);
            let places = fillings.places.len() as u32;
            let mut place = windows.get(first).map_or(0, |window| letters_before(window.start as usize));
            for window in &windows[first..past] {
                fillings.places.push(Place::new(place, side.letters(window.bytes())));
                place = side.letters_from(window.start as usize, place);
            }
            let (first, past) = (first as u32, past as u32);
            fillings.slots.push(Slot { start, end, first, past, places, is_free: slot.is_free });
        }
        fillings.values.shrink_to_fit();
        fillings.figures.shrink_to_fit();
        fillings.slots.shrink_to_fit();
        fillings.places.shrink_to_fit();
        fillings
    }

    /// The bytes that they take.
    pub fn bytes(&self) -> usize {
        size_of::<u32>() * (self.windows.capacity() + self.places.capacity() + self.values.capacity())
            + size_of::<Slot>() * self.slots.capacity()
            + size_of::<SlotFigure>() * self.figures.capacity()
    }

    /// The hashes of the windows of the text.
    pub fn windows(&self) -> &[u32] {
        &self.windows
    }

    /// The slots of a form, in order: where they begin and end, in letters.
    pub fn slots(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.slots.iter().filter(|slot| !slot.is_free).map(|slot| (slot.start, slot.end))
    }

    /// Hashes of the figures of the text: one that is the same as one of them asks with one of these.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// The numbers of the figures that have letters in this part of the text.
    fn figures_within(&self, (start, end): (u32, u32)) -> Range<usize> {
        let first = self.figures.partition_point(|figure| figure.end <= start);
        first..self.figures.partition_point(|figure| figure.start < end).max(first)
    }

    /// What a text has in common with one of the same form that it may be `least` similar to, as far as its own letters go: the rarest
    /// parts of its slots, of so many that not all may be lost. None if there are not so many. `frequency` is that of a window or of a
    /// value.
    pub fn telling(&self, least: f64, frequency: impl Fn(u32) -> u32) -> Telling {
        let mut parts = Vec::new();
        for slot in &self.slots {
            let windows = slot.windows();
            for start in windows.clone().step_by(2 * AROUND as usize) {
                let part = |first: usize| {
                    let is_filling = |past: &usize| {
                        let (start, end) = self.uncovered(slot, first..*past);
                        end.saturating_sub(start) >= FILLING
                    };
                    let past = (first + 1..=windows.end).find(is_filling)?;
                    let hashes = &self.windows[first..past];
                    let place = self.uncovered(slot, first..past);
                    // A figure that the other text has is the same in other windows.
                    let values =
                        self.figures[self.figures_within(place)].iter().flat_map(|figure| figure.value.asking());
                    let frequency =
                        hashes.iter().copied().chain(values).map(|hash| u64::from(frequency(hash))).sum::<u64>();
                    Some((frequency, place, slot.around(), first..past))
                };
                let parts_of = (start..windows.end.min(start + 2 * AROUND as usize)).filter_map(part);
                let values = |place: (u32, u32)| self.figures_within(place);
                parts.extend(parts_of.min_by_key(|part| (part.0, part.1)).map(|part| (part.clone(), values(part.1))));
            }
        }
        if self.figures.len() < TOLERATED {
            for (figure, number) in self.figures.iter().zip(0..).filter(|(figure, _)| figure.in_slot) {
                let frequency = figure.value.asking().map(|hash| u64::from(frequency(hash))).sum();
                parts.push(((frequency, (figure.start, figure.end), AROUND, 0..0), number..number + 1));
            }
        }
        parts.sort_unstable_by_key(|((frequency, place, _, windows), _)| (*frequency, *place, !windows.is_empty()));
        let most = self.most_lost(least);
        let (mut telling, mut lost) = (Telling::default(), Vec::new());
        for ((_, (start, end), around, windows), figures) in parts {
            telling.values.extend(self.figures[figures].iter().flat_map(|figure| figure.value.asking()));
            telling.windows.extend_from_slice(&self.windows[windows]);
            lost.push((start.saturating_sub(around), end + around));
            if self.letters_in(&mut lost) > most {
                return telling;
            }
        }
        Telling::default()
    }

    /// The letters that need not be shared.
    fn most_lost(&self, least: f64) -> u32 {
        let share = match self.may_be_framed() {
            true => largest_uncovered_share(least),
            false => 1.0 - least,
        };
        (share * f64::from(self.letters) + 1e-6) as u32
    }

    /// Whether the text may have a beginning and an end of its own, which count less: both are in slots, as far as that can be known.
    fn may_be_framed(&self) -> bool {
        let near = SOLID * LONGEST;
        let first = self.slots.iter().any(|slot| slot.start <= near);
        first && self.slots.iter().any(|slot| slot.end + near >= self.letters)
    }

    /// The letters of a slot that are in none but these of its windows, if the others are shared.
    fn uncovered(&self, slot: &Slot, windows: Range<usize>) -> (u32, u32) {
        let all = slot.windows();
        let place = |window: usize| self.places[slot.places as usize + window - all.start];
        let start = if windows.start == all.start { slot.start } else { place(windows.start - 1).end() };
        let end = if windows.end == all.end { slot.end } else { place(windows.end).start() };
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

    /// Calls `each` with the parts of slots that are filled in another way in a text that has some windows and some figures, and whether
    /// they are free.
    fn lost(
        &self,
        has: impl Fn(usize) -> bool,
        has_figure: impl Fn(&SlotFigure) -> bool,
        mut each: impl FnMut((u32, u32), bool),
    ) {
        for slot in self.slots.iter().filter(|slot| slot.end - slot.start >= FILLING) {
            let windows = slot.windows();
            let mut first = windows.start;
            for place in windows.start..=windows.end {
                if place < windows.end && !has(place) {
                    continue;
                }
                let (start, end) = self.uncovered(slot, first..place);
                if place > first && end.saturating_sub(start) >= FILLING {
                    let common = |figure: &SlotFigure| figure.end.min(end).saturating_sub(figure.start.max(start));
                    let figures =
                        self.figures[self.figures_within((start, end))].iter().filter(|figure| has_figure(figure));
                    if end - start >= FILLING + figures.map(common).sum::<u32>() {
                        each((start, end), slot.is_free);
                    }
                }
                first = place + 1;
            }
        }
    }

    /// The figures in slots of the text that the other one lacks.
    fn lacking(&self, other: &Fillings) -> Parts {
        let lacking = self.figures.iter().filter(|figure| figure.in_slot && !other.has(figure));
        lacking.map(|figure| (figure.start, figure.end)).collect()
    }

    /// Whether the text has a figure that is the same as this one.
    fn has(&self, figure: &SlotFigure) -> bool {
        figure.value.asking().any(|hash| self.values.binary_search(&hash).is_ok())
    }
}

/// Parts of a text in letters.
type Parts = Vec<(u32, u32)>;

/// These parts in order, as far as they overlap in one.
fn merged(mut parts: Parts) -> Parts {
    parts.sort_unstable();
    let mut merged = Parts::new();
    for (start, end) in parts {
        match merged.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// What one of two texts has in the slots that both fill in their own ways.
#[derive(Debug, Default)]
pub(super) struct Differing {
    /// The parts of slots that the other text lacks, in bytes.
    pub parts: Vec<Range<usize>>,
    /// The letters that the slots that they are in cost at least: [`AROUND`] for each side on which a slot has form.
    pub least: u32,
}

/// What each of two texts has in slots that both fill in their own ways. `may_be_misread` says of a number of figures whether all
/// may have been.
pub(super) fn differing(texts: [(&Member, &Fillings); 2], may_be_misread: impl Fn(usize) -> bool) -> [Differing; 2] {
    let lacking = [0, 1].map(|text| texts[text].1.lacking(texts[1 - text].1));
    let contradict = !lacking.iter().any(Vec::is_empty) && !may_be_misread(lacking.iter().map(Vec::len).sum());
    [0, 1].map(|text| {
        let ((member, own), (others, other)) = (texts[text], texts[1 - text]);
        let mut parts = if contradict { lacking[text].clone() } else { Parts::new() };
        let has = |window: usize| others.has(own.windows[window]);
        own.lost(has, |figure| other.has(figure), |part, is_free| parts.extend((!is_free).then_some(part)));
        let parts = merged(parts);
        let is_in = |slot: &(u32, u32)| {
            parts.get(parts.partition_point(|part| part.1 <= slot.0)).is_some_and(|part| part.0 < slot.1)
        };
        let sides = |(start, end): (u32, u32)| u32::from(start > 0) + u32::from(end < own.letters);
        let least = own.slots().filter(is_in).map(|slot| sides(slot) * AROUND).sum();
        Differing { least, parts: member.bytes_of(&parts) }
    })
}

/// The fillings of a text, to be held against those of many others.
#[derive(Debug)]
pub struct Asked<'f> {
    own: &'f Fillings,
    /// The place of the last window of each hash.
    places: HashMap<u32, u32>,
    /// The place before it of a window of the same hash.
    earlier: Vec<Option<u32>>,
    /// A bit for some bits of each hash: most windows of others are in none.
    bits: Box<[u64; 256]>,
    /// The windows of this text that the other one has, and those of the other one that this one has.
    common: [Vec<bool>; 2],
}

impl<'f> Asked<'f> {
    /// Those of one text.
    pub fn new(own: &'f Fillings) -> Asked<'f> {
        let mut places = HashMap::with_capacity(own.windows.len());
        let earlier = own.windows.iter().zip(0..).map(|(hash, place)| places.insert(*hash, place)).collect();
        let mut bits = Box::new([0; 256]);
        own.windows.iter().for_each(|hash| bits[*hash as usize / 64 % 256] |= 1 << (hash % 64));
        Asked { own, places, earlier, bits, common: Default::default() }
    }

    /// Whether the two texts may be as similar as `least`: of one of them at least, that large a share is not lost.
    pub fn may_reach(&mut self, other: &Fillings, least: f64) -> bool {
        if self.own.slots.is_empty() || other.slots.is_empty() {
            return true;
        }
        let texts = [self.own, other];
        let lacking = [0, 1].map(|text| texts[text].lacking(texts[1 - text]));
        let [count, figures] = [&lacking.each_ref().map(Vec::len), &texts.map(|text| text.figures.len())];
        let contradict =
            !lacking.iter().any(Vec::is_empty) && count.iter().sum::<usize>() * TOLERATED > figures.iter().sum();
        let around = |(start, end): &(u32, u32)| (start.saturating_sub(AROUND), end + AROUND);
        let figures = lacking.map(|parts| if contradict { parts.iter().map(around).collect() } else { Vec::new() });
        let reach = |text: usize, lost: &mut Parts| texts[text].letters_in(lost) <= texts[text].most_lost(least);
        // Often the figures alone say no.
        if contradict && ![0, 1].into_iter().any(|text| reach(text, &mut figures[text].clone())) {
            return false;
        }
        self.find_common(other);
        [0, 1].into_iter().any(|text| {
            let (own, other, common) = (texts[text], texts[1 - text], &self.common[text]);
            let mut lost = figures[text].clone();
            let each = |part, is_free| lost.push(if is_free { part } else { around(&part) });
            own.lost(|window| common[window], |figure| other.has(figure), each);
            reach(text, &mut lost)
        })
    }

    /// Marks the windows that both texts have.
    fn find_common(&mut self, other: &Fillings) {
        let [own, others] = &mut self.common;
        own.clear();
        own.resize(self.own.windows.len(), false);
        others.clear();
        others.extend(other.windows.iter().map(|hash| {
            if self.bits[*hash as usize / 64 % 256] >> (hash % 64) & 1 == 0 {
                return false;
            }
            let mut next = self.places.get(hash).copied();
            let is_common = next.is_some();
            while let Some(place) = next.filter(|place| !own[*place as usize]) {
                own[place as usize] = true;
                next = self.earlier[place as usize];
            }
            is_common
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::figures;

    fn order(name: &str, number: u32) -> Vec<u8> {
        format!("dearcustomeryourorder{number}hasbeenshippedtothehouseof{name}andwillarrivewithinsomedaysthankyouforshopping")
            .into_bytes()
    }

    fn in_company(text: &[u8], company: &[Member]) -> Fillings {
        let mut found = Vec::new();
        figures(std::str::from_utf8(text).unwrap(), &mut found);
        Fillings::new(&Member::new(text), &found, &company.iter().collect::<Vec<_>>())
    }

    fn fillings(text: &[u8]) -> Fillings {
        let names = ["annameyer", "bobross", "carlbenz", "doraexplorer", "emilnolde", "fritzlang"];
        let company: Vec<Member> =
            (0..).zip(names).map(|(number, name)| Member::new(&order(name, 1_000_003 * (number + 2)))).collect();
        in_company(text, &company)
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
        let edited = in_company(&order("annameier", 1_000_003), &company);
        assert!(edited.slots.is_empty() && edited.telling(0.75, |_| 1).windows.is_empty());
    }

    #[test]
    fn the_rarest_slots_tell() {
        let own = fillings(&order("gretagarbo", 9_876_543));
        let [number, name] = [0, 1].map(|slot: usize| &own.windows[own.slots[slot].windows()]);
        let telling = own.telling(0.75, |hash| if name.contains(&hash) { 9 } else { 1 });
        assert!(!telling.values.is_empty() && telling.windows.iter().all(|hash| number.contains(hash)));
        let telling = own.telling(0.75, |hash| if name.contains(&hash) { 1 } else { 99 });
        assert!(telling.values.is_empty() && telling.windows.len() == 11);
        assert!(telling.windows.iter().all(|hash| name.contains(hash)));
        assert!(own.telling(0.0, |_| 1).is_empty());
    }
}
