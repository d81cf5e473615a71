//! Items -> the rare seeds of each, which are indexed.
//!
//! Seeds that many items have say little and cost much. So the index has only the rarest seeds of
//! an item, as many as guard enough of it: a byte is *guarded* if all seeds of all windows that
//! cover it are in the index. Suppose that g bytes of an item are guarded, and that a run may lack
//! u of its bytes. Then the run shares g - u or more of the guarded ones, and the passages with
//! seeds of the index must be as long ([`Item::needed`]).

use super::items::Item;
use super::windows::{SEED, STEP, Seed};

/// The least share of an item by which its guarded bytes exceed those that a run may lack.
const MORE: f64 = 0.2;

/// The numbers of seeds by the first bits of their hash; too high where hashes share these bits.
pub(super) struct Frequencies {
    counts: Vec<u8>,
    shift: u32,
}

impl Frequencies {
    /// Counts the seeds of all items.
    pub fn new(items: &[Item], letters: &[u8]) -> Frequencies {
        let places = (8 * letters.len()).next_power_of_two().max(2);
        let mut frequencies = Frequencies { counts: vec![0; places], shift: 64 - places.ilog2() };
        for item in items {
            for start in 0..Seed::count(item.range.len()) {
                let place = frequencies.place(&letters[item.range.clone()], start);
                frequencies.counts[place] = frequencies.counts[place].saturating_add(1);
            }
        }
        frequencies
    }

    fn place(&self, letters: &[u8], start: usize) -> usize {
        (Seed::at(letters, start).hash() >> self.shift) as usize
    }

    /// Marks the beginnings of an item's seeds to index, and sets the bytes that a run must share
    /// around them.
    pub fn choose(&self, item: &mut Item, letters: &[u8], is_chosen: &mut [bool]) {
        let (bytes, seeds) = (letters.len(), Seed::count(letters.len()));
        let frequencies: Vec<u8> =
            (0..seeds).map(|start| self.counts[self.place(letters, start)]).collect();
        let may_lack = bytes - item.least;
        let enough = (may_lack + 1 + (MORE * bytes as f64) as usize).min(bytes);
        // The bound on the frequency is the least power of two that guards enough, or else none.
        let guarded = |most: u8| bytes - covered(bytes, |start| frequencies[start] > most);
        let most =
            (2..8).map(|power| 1 << power).find(|most| guarded(*most) >= enough).unwrap_or(u8::MAX);
        for (is_chosen, frequency) in is_chosen.iter_mut().zip(&frequencies) {
            *is_chosen = *frequency <= most;
        }
        item.needed = (guarded(most) - may_lack).max(1) as u32;
    }
}

/// The number of bytes of a text in windows that have one of these of its seeds.
fn covered(bytes: usize, is_in: impl Fn(usize) -> bool) -> usize {
    let (mut covered, mut end) = (0, 0);
    for start in (0..Seed::count(bytes)).filter(|start| is_in(*start)) {
        let around = end.max((start + 1).saturating_sub(STEP))..bytes.min(start + SEED + STEP - 1);
        covered += around.len();
        end = around.end;
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::super::windows::WINDOW;
    use super::*;

    #[test]
    fn a_byte_is_covered_by_the_windows_of_a_seed() {
        let windows_of = |byte: usize, bytes: usize| {
            (0..bytes + 1 - WINDOW).filter(move |window| (*window..window + WINDOW).contains(&byte))
        };
        let holds = |window: usize, starts: &[usize]| {
            starts.iter().any(|start| (window..window + STEP).contains(start))
        };
        let brute = |bytes: usize, starts: &[usize]| {
            (0..bytes)
                .filter(|byte| windows_of(*byte, bytes).any(|window| holds(window, starts)))
                .count()
        };
        for starts in [&[][..], &[0], &[3, 4, 5], &[0, 15], &[0, 14, 40], &[25, 26, 45], &[48]] {
            assert_eq!(
                covered(60, |start| starts.contains(&start)),
                brute(60, starts),
                "{starts:?}"
            );
        }
    }
}
