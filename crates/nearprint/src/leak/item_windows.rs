//! The letters of an item -> a table of its windows and of their places.
//!
//! The table is small, compares windows by their bytes, and is made anew for each item. The tables
//! of [`super::table`] and of `nearprint-core` are large ones or tell windows apart by hashes
//! alone.

use super::windows::{WINDOW, Window};

/// Stands for no window.
pub(super) const NONE: u32 = u32::MAX;

/// The windows of one item.
#[derive(Debug, Default)]
pub(super) struct ItemWindows {
    item: Vec<u8>,
    /// The first place of each distinct window, in a hash table with linear probing.
    slots: Vec<u32>,
    /// For each place of a window, the next place of an equal window.
    next: Vec<u32>,
}

impl ItemWindows {
    /// Takes the windows of an item with these letters and digits, and forgets all others.
    pub fn set(&mut self, letters: &[u8]) {
        let ItemWindows { item, slots, next } = self;
        item.clear();
        item.extend_from_slice(letters);
        let windows = Window::count(letters.len());
        next.clear();
        next.resize(windows, NONE);
        slots.clear();
        slots.resize((2 * windows).next_power_of_two().max(2), NONE);
        // From the last to the first, so that the places of a window are in order.
        for start in (0..windows).rev() {
            let slot = self.slot(Window::at(&self.item, start));
            self.next[start] = self.slots[slot];
            self.slots[slot] = start as u32;
        }
    }

    /// The letters and digits of the item.
    pub fn letters(&self) -> &[u8] {
        &self.item
    }

    /// The first place of each window of a text in the item, [`NONE`] for a window that the item
    /// lacks.
    pub fn first_places<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = u32> + 't {
        (0..Window::count(text.len())).map(|start| self.slots[self.slot(Window::at(text, start))])
    }

    /// The places of the window whose first place is given, in order; none for [`NONE`].
    #[inline]
    pub fn places(&self, first: u32) -> impl Iterator<Item = usize> {
        let mut place = first;
        std::iter::from_fn(move || {
            let found = (place != NONE).then_some(place as usize)?;
            place = self.next[found];
            Some(found)
        })
    }

    /// The end of the last window in the item that equals the one whose first place is given.
    pub fn last_end(&self, first: u32) -> usize {
        self.places(first).last().unwrap_or(0) + WINDOW
    }

    /// The slot that has a window, or is free for it.
    fn slot(&self, window: Window) -> usize {
        let ItemWindows { item, slots, .. } = self;
        let mut slot = (window.hash() >> (64 - slots.len().ilog2())) as usize;
        while slots[slot] != NONE && Window::at(item, slots[slot] as usize) != window {
            slot = (slot + 1) & (slots.len() - 1);
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_window_is_at_all_places_where_its_bytes_are(item in "([ab]{1,30}|天地){0,6}", other in "([ab]{1,30}|天地){0,6}") {
            let mut windows = ItemWindows::default();
            windows.set(b"anotheritemthatcamebeforethisone");
            windows.set(item.as_bytes());
            for text in [item.as_bytes(), other.as_bytes()] {
                let firsts: Vec<u32> = windows.first_places(text).collect();
                prop_assert_eq!(firsts.len(), Window::count(text.len()));
                for (first, window) in firsts.into_iter().zip(text.windows(WINDOW)) {
                    let all = item.as_bytes().windows(WINDOW).enumerate();
                    let places: Vec<usize> = all.filter(|(_, own)| *own == window).map(|(at, _)| at).collect();
                    prop_assert_eq!(&windows.places(first).collect::<Vec<_>>(), &places);
                    prop_assert!(places.is_empty() || windows.last_end(first) == places[places.len() - 1] + WINDOW);
                }
            }
        }
    }
}
