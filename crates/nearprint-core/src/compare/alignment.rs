//! Two short texts -> the characters that both have in the same order, by an alignment with the
//! largest similarity ([`short_text`](super::short_text)).
//!
//! Cost: the product of the lengths of the parts between the common beginning and the common end,
//! in steps and in bytes.

use super::short_text::{CHARACTER, LONGEST, PLACE};

/// The bits of a cell, which tell how the cheapest alignment of two beginnings ends.
const MATCHED: u8 = 1;
const DIFFERS_AFTER_MATCH: u8 = 2;
const LEFT: u8 = 4;

/// The cost of no alignment, with room for the weight of some more characters.
const FAR: u32 = u32::MAX / 2;

/// The runs of characters that two short texts share: the place of each in the left text and in the
/// right one, and its length. They are in the order of both texts. `None` if a text has too many
/// characters to be short.
///
/// ```
/// use nearprint_core::compare::aligned;
/// let of = |text: &str| text.chars().collect::<Vec<_>>();
/// assert_eq!(aligned(&of("今天天气很好"), &of("今天天气真好")), Some(vec![(0, 0, 4), (5, 5, 1)]));
/// ```
pub fn aligned(left: &[char], right: &[char]) -> Option<Vec<(usize, usize, usize)>> {
    if left.len().max(right.len()) > LONGEST {
        return None;
    }
    let first = left.iter().zip(right).take_while(|(l, r)| l == r).count();
    let (left, right) = (&left[first..], &right[first..]);
    let last = left.iter().rev().zip(right.iter().rev()).take_while(|(l, r)| l == r).count();
    let (left, right) = (&left[..left.len() - last], &right[..right.len() - last]);
    let mut runs = Vec::new();
    add(&mut runs, (first + left.len(), first + right.len(), last));
    let mut back = Back::new(left, right);
    while let Some((l, r)) = back.next_match() {
        add(&mut runs, (first + l, first + r, 1));
    }
    add(&mut runs, (0, 0, first));
    runs.reverse();
    Some(runs)
}

/// Adds a run before the last one, or joins it with the last one if nothing lies between them.
fn add(runs: &mut Vec<(usize, usize, usize)>, run: (usize, usize, usize)) {
    match runs.last_mut() {
        _ if run.2 == 0 => (),
        Some(next) if (run.0 + run.2, run.1 + run.2) == (next.0, next.1) => {
            *next = (run.0, run.1, run.2 + next.2)
        }
        _ => runs.push(run),
    }
}

/// The cheapest alignment, from its end to its beginning (affine gaps; Gotoh 1982).
struct Back {
    /// For each two beginnings the bits of the cheapest alignment, and of the cheapest one that
    /// ends in a difference.
    cells: Vec<u8>,
    width: usize,
    place: (usize, usize),
    /// True if the alignment differs after this place, so that more of the difference costs less.
    differs: bool,
}

impl Back {
    fn new(left: &[char], right: &[char]) -> Back {
        let width = right.len() + 1;
        let mut cells = vec![0; (left.len() + 1) * width];
        // The costs of the alignments of two beginnings that end in a match, and of those that end
        // in a difference.
        let mut rows: Vec<(u32, u32)> =
            (0..width as u32).map(|r| (FAR, PLACE + r * CHARACTER)).collect();
        rows[0] = (0, FAR);
        cells[0] = MATCHED;
        for (place, l) in (1..).zip(left) {
            let (mut diagonal, mut before) = (rows[0], (FAR, PLACE + place as u32 * CHARACTER));
            rows[0] = before;
            cells[place * width] = LEFT;
            for (r, (other, row)) in (1..).zip(right.iter().zip(&mut rows[1..])) {
                let above = *row;
                let matched = if l == other { diagonal.0.min(diagonal.1) } else { FAR };
                // The costs of a character that only the left text has, or only the right one.
                let (from_left, from_right) =
                    (above.1.min(above.0 + PLACE), before.1.min(before.0 + PLACE));
                let differs = from_left.min(from_right) + CHARACTER;
                let cell = &mut cells[place * width + r];
                if matched <= differs {
                    *cell |= MATCHED;
                }
                let opened = if from_left <= from_right {
                    *cell |= LEFT;
                    above.0.saturating_add(PLACE) < above.1
                } else {
                    before.0.saturating_add(PLACE) < before.1
                };
                if opened {
                    *cell |= DIFFERS_AFTER_MATCH;
                }
                (diagonal, before) = (above, (matched, differs));
                *row = before;
            }
        }
        Back { cells, width, place: (left.len(), right.len()), differs: false }
    }

    /// The place of the matched characters before the last one.
    fn next_match(&mut self) -> Option<(usize, usize)> {
        while self.place != (0, 0) {
            let (l, r) = self.place;
            let cell = self.cells[l * self.width + r];
            if !self.differs && cell & MATCHED != 0 {
                self.place = (l - 1, r - 1);
                return Some(self.place);
            }
            // The difference goes on until the place where it began.
            self.differs = cell & DIFFERS_AFTER_MATCH == 0;
            self.place = if cell & LEFT != 0 { (l - 1, r) } else { (l, r - 1) };
            if !self.differs {
                // The alignment before the difference ends in a match, though one that ends in a
                // difference may cost as much.
                let (l, r) = self.place;
                if (l, r) == (0, 0) {
                    return None;
                }
                self.place = (l - 1, r - 1);
                return Some(self.place);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::short_text::cheapest;
    use super::*;

    /// The weight of an alignment with these runs.
    fn weight(runs: &[(usize, usize, usize)], left: usize, right: usize) -> u32 {
        let (mut end, mut weight) = ((0, 0), 0);
        for (l, r, length) in runs.iter().copied().chain([(left, right, 0)]) {
            let characters = (l - end.0 + r - end.1) as u32;
            weight += if characters > 0 { PLACE + characters * CHARACTER } else { 0 };
            end = (l + length, r + length);
        }
        weight
    }

    proptest! {
        #[test]
        fn the_alignment_is_a_cheapest_one(left in "[abc天]{0,14}", right in "[abc天]{0,14}") {
            let [left, right] = [left, right].map(|text| text.chars().collect::<Vec<_>>());
            let runs = aligned(&left, &right).unwrap();
            for (l, r, length) in &runs {
                prop_assert!(*length > 0);
                prop_assert_eq!(&left[*l..l + length], &right[*r..r + length]);
            }
            let apart = |pair: &[(usize, usize, usize)]| {
                let ((l, r, length), next) = (pair[0], pair[1]);
                l + length <= next.0 && r + length <= next.1 && (l + length, r + length) != (next.0, next.1)
            };
            prop_assert!(runs.windows(2).all(apart));
            prop_assert_eq!(Some(weight(&runs, left.len(), right.len())), cheapest(&left, &right, u32::MAX));
        }
    }
}
