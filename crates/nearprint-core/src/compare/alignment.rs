//! Two short texts -> the cheapest alignment of their characters (affine gaps; Gotoh 1982): its
//! weight, or the characters that it matches. It is the one with the largest similarity
//! ([`short_text`](super::short_text)).
//!
//! Cost: the product of the lengths of the parts between the common beginning and the common end,
//! in steps; for the matched characters in bytes as well.

/// The most characters of a short text.
pub(super) const LONGEST: usize = 4000;

/// The weight of a differing character. Places are counted in the bits below it.
pub(super) const CHARACTER: u32 = 1 << 12;

/// The weight of a place where texts differ.
pub(super) const PLACE: u32 = 2 * CHARACTER + 1;

/// The weight of no alignment, with room for the weight of some more characters.
const FAR: u32 = u32::MAX / 2;

/// The weight of the cheapest alignment of two texts, if it breaks `most` pairs or fewer.
pub(super) fn cheapest(left: &[char], right: &[char], most: u32) -> Option<u32> {
    let (_, [left, right]) = differing(left, right);
    let most = most.saturating_mul(CHARACTER).saturating_add(CHARACTER - 1);
    let within = |weight: u32| (weight <= most).then_some(weight);
    if left.is_empty() || right.is_empty() {
        let characters = (left.len() + right.len()) as u32;
        return if characters == 0 { Some(0) } else { within(characters * CHARACTER + PLACE) };
    }
    if left.len().abs_diff(right.len()) as u32 * CHARACTER + PLACE > most {
        return None;
    }
    let mut row = Row::new(right);
    for (place, own) in (1..).zip(left) {
        let mut least = PLACE + place * CHARACTER;
        row.advance(place, *own, right, |_, [.., here]| {
            least = least.min(here.matched).min(here.differs);
        });
        if least > most {
            return None;
        }
    }
    let Ends { matched, differs } = row.0[right.len()];
    within(matched.min(differs))
}

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
    let (first, parts) = differing(left, right);
    let last = left.len() - first - parts[0].len();
    let mut runs = Vec::new();
    add(&mut runs, (first + parts[0].len(), first + parts[1].len(), last));
    let mut back = Back::new(parts);
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

/// The length of the common beginning of two texts, and the parts between it and the common end.
/// Common characters at both ends are matched at no cost.
fn differing<'t>(left: &'t [char], right: &'t [char]) -> (usize, [&'t [char]; 2]) {
    let first = left.iter().zip(right).take_while(|(l, r)| l == r).count();
    let (left, right) = (&left[first..], &right[first..]);
    let last = left.iter().rev().zip(right.iter().rev()).take_while(|(l, r)| l == r).count();
    (first, [&left[..left.len() - last], &right[..right.len() - last]])
}

/// The weights of the cheapest alignments of two beginnings.
#[derive(Debug, Clone, Copy)]
struct Ends {
    /// The weight of the one that ends in a match.
    matched: u32,
    /// The weight of the one that ends in a difference.
    differs: u32,
}

/// The weights for one beginning of the left text and every beginning of the right one.
struct Row(Vec<Ends>);

impl Row {
    /// The row of the empty beginning.
    fn new(right: &[char]) -> Row {
        let differs = |r: u32| Ends { matched: FAR, differs: PLACE + r * CHARACTER };
        let mut row: Vec<Ends> = (0..=right.len() as u32).map(differs).collect();
        row[0] = Ends { matched: 0, differs: FAR };
        Row(row)
    }

    /// Becomes the row of the next beginning, of `place` characters with `own` as the last one.
    /// `each` gets the length of each beginning of the right text but the empty one, and the
    /// weights without `own`, without the last right character, and with both.
    #[inline(always)]
    fn advance(
        &mut self,
        place: u32,
        own: char,
        right: &[char],
        mut each: impl FnMut(usize, [Ends; 3]),
    ) {
        let mut diagonal = self.0[0];
        let mut before = Ends { matched: FAR, differs: PLACE + place * CHARACTER };
        self.0[0] = before;
        for (r, (other, cell)) in (1..).zip(right.iter().zip(&mut self.0[1..])) {
            let above = *cell;
            let matched = if own == *other { diagonal.matched.min(diagonal.differs) } else { FAR };
            let opened = above.matched.min(before.matched) + PLACE;
            let differs = above.differs.min(before.differs).min(opened) + CHARACTER;
            *cell = Ends { matched, differs };
            each(r, [above, before, *cell]);
            (diagonal, before) = (above, *cell);
        }
    }
}

/// The bits of a cell, which tell how the cheapest alignment of two beginnings ends.
const MATCHED: u8 = 1;
const DIFFERS_AFTER_MATCH: u8 = 2;
const LEFT: u8 = 4;

/// The bits of the cell with these weights without its left character, without its right one, and
/// with both.
fn bits([above, before, here]: [Ends; 3]) -> u8 {
    let with = |ends: Ends| ends.differs.min(ends.matched + PLACE);
    let is_left = with(above) <= with(before);
    let after = if is_left { above } else { before };
    let is_opened = after.matched + PLACE < after.differs;
    let is_matched = here.matched <= here.differs;
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    bit(is_matched, MATCHED) | bit(is_opened, DIFFERS_AFTER_MATCH) | bit(is_left, LEFT)
}

/// The cheapest alignment, from its end to its beginning.
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
    fn new([left, right]: [&[char]; 2]) -> Back {
        let width = right.len() + 1;
        let mut cells = vec![0; (left.len() + 1) * width];
        cells[0] = MATCHED;
        let mut row = Row::new(right);
        for (place, own) in (1..).zip(left) {
            let cells = &mut cells[place as usize * width..][..width];
            cells[0] = LEFT;
            row.advance(place, *own, right, |r, ends| cells[r] = bits(ends));
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
