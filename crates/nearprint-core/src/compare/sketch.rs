//! A text -> its sketch of a few bytes, which rules out most texts that are not similar to it
//! without reading them.
//!
//! The sketch of a text has one byte for each of 256 bins, of the least hash of its windows of 8
//! letters in the bin: a MinHash of one permutation (Li, Owen, Zhang 2012) with one byte a minimum
//! (Li, König 2010). In a bin that at least one of two texts fills, their bytes are equal with a
//! probability of at least their resemblance J, the share of all their windows that both have. A
//! pair is ruled out if a pair of the least similarity has so few equal bins in only one of a
//! million cases.
//!
//! A pair of coverage S has a share S of its letters in passages, or 7/9 S if the frame of a site
//! around each text counts least. A share of at least 0.56 S of the windows of 8 letters is assumed
//! to lie within passages. The assumption holds if passages have 16 letters on average, or 25 in
//! texts with such frames. Then J is at least 0.56 S / (2 - 0.56 S), 0.27 for a coverage of 0.75. A
//! pair that differs in every third word may be ruled out, though it is similar enough.
//!
//! All pairs of the labeled corpora with a coverage of 0.75 or more, of texts of 200 windows, have
//! a J of 0.31 or more: such a pair is ruled out in one of ten thousand million cases. Two random
//! texts have a J of 0.01, and all such pairs are ruled out. Two texts that share a fifth have a J
//! of 0.11, and nine of ten such pairs are ruled out.
//!
//! Texts that are shorter, or repeat themselves, have no sketch: they may be similar to any text.
//! To measure a recall ([`Sketches`]), short texts have a sketch of their windows of 4 letters, and
//! a pair of the least similarity is ruled out in one of a thousand cases.

use super::difference::least_letters;
use super::windows::{Windows, hash, is_ascii};
use crate::normalize::{Cursor, size_of};

/// The number of bins, and of bytes of a sketch.
pub const BINS: usize = 256;

/// The bins that are compared together, before a pair may be ruled out.
const PART: usize = 64;

/// The letters in a window, and in one of a short text.
const WINDOW: u32 = 8;
const SHORT_WINDOW: u32 = 4;

/// The fewest letters of a text with a sketch: passages of shorter texts may be shorter than a
/// window.
const LEAST_LETTERS: u32 = 400;

/// Texts of fewer letters have a sketch of their shorter windows as well: no pair of
/// `min-similarity` 0.75 has one text of fewer than [`LEAST_LETTERS`] letters and one of this
/// number or more.
const MOST_SHORT: u32 = 608;

/// The least share of distinct windows of a text with a sketch.
const DISTINCT: f64 = 0.75;

/// The least share of the windows that lie within passages, for a coverage of 1.
const WITHIN: f64 = 0.56;

/// The largest probability that a pair of the least similarity is ruled out, and that in the
/// measurement of a recall, whose sample is far less exact.
const MISS: f64 = 1e-6;
const MISS_OF_RECALL: f64 = 1e-3;

/// The sketch of a text; 0 in a bin without a window.
pub type Sketch = [u8; BINS];

/// The letters and digits of a text
/// ([`append_alphanumeric`](crate::normalize::append_alphanumeric)) -> its sketch, if it has one.
///
/// ```
/// use nearprint_core::compare::sketch;
/// assert!(sketch("thesame".repeat(100)).is_none() && sketch("short").is_none());
/// ```
pub fn sketch(alphanumeric: impl AsRef<[u8]>) -> Option<Sketch> {
    let text = alphanumeric.as_ref();
    let size = size_of(text, text.is_ascii());
    if size.letters < LEAST_LETTERS {
        return None;
    }
    // A bit for each distinct window; some windows share one by chance.
    let mut seen = vec![0u64; (text.len() / 16).next_power_of_two()];
    let bits = seen.len() as u64 * 64;
    let mut count = 0u32;
    let sketch = of_windows(text, size, WINDOW, |hash| {
        let bit = hash & (bits - 1);
        seen[bit as usize / 64] |= 1 << (bit % 64);
        count += 1;
    });
    let unset = 1.0 - seen.iter().map(|word| word.count_ones()).sum::<u32>() as f64 / bits as f64;
    // Linear counting: Whang, Vander-Zanden, Taylor 1990.
    let distinct = -(bits as f64) * unset.ln();
    (distinct >= DISTINCT * f64::from(count)).then_some(sketch)
}

/// The sketch of the windows of this number of letters. `see` gets the hash of each window.
#[inline(always)]
fn of_windows(text: &[u8], size: Cursor, window: u32, mut see: impl FnMut(u64)) -> Sketch {
    let mut least = [u64::MAX; BINS];
    let mut take = |hash: u64| {
        // The highest bit is equal in all hashes.
        let bin = &mut least[(hash >> 55) as usize % BINS];
        *bin = (*bin).min(hash << 9);
        see(hash);
    };
    let ascii = is_ascii(text, size);
    match window {
        // The hash of a window of this number of bytes takes one step.
        WINDOW if ascii => {
            text.array_windows::<{ WINDOW as usize }>().for_each(|window| take(hash(window)))
        }
        SHORT_WINDOW if ascii => {
            text.array_windows::<{ SHORT_WINDOW as usize }>().for_each(|window| take(hash(window)))
        }
        _ => {
            let mut windows = Windows::new(text, size, window);
            while let Some((start, end)) = windows.next() {
                take(hash(&text[start..end]));
            }
        }
    }
    least.map(|least| if least == u64::MAX { 0 } else { ((least >> 9) as u8).max(1) })
}

/// The bound on the sketches of two texts that may be duplicates.
#[derive(Debug, Clone)]
pub struct SketchBound {
    /// For each number of bins that at least one text fills, the fewest equal ones.
    fewest: Vec<u16>,
    /// The least similarity.
    least: f64,
}

impl SketchBound {
    /// The bound for similarities of `least` or more under `coverage`.
    pub fn new(least: f64) -> SketchBound {
        SketchBound::of(least, MISS)
    }

    /// The bound for similarities of `least` or more in the measurement of a recall.
    pub fn of_recall(least: f64) -> SketchBound {
        SketchBound::of(least, MISS_OF_RECALL)
    }

    fn of(least: f64, miss: f64) -> SketchBound {
        let within = WITHIN * least;
        let resemblance = within / (2.0 - within);
        let miss = miss * PART as f64 / BINS as f64;
        let fewest = (0..=BINS).map(|bins| fewest_equal(bins, resemblance, miss)).collect();
        SketchBound { fewest, least }
    }

    /// Returns true if texts with these sketches may be duplicates.
    pub fn may_reach(&self, one: &Sketch, other: &Sketch) -> bool {
        let (mut equal, mut filled) = (0u16, 0u16);
        // The first bins rule out most pairs. Counts of a part fit into a byte.
        one.as_chunks::<PART>().0.iter().zip(other.as_chunks::<PART>().0).all(|(one, other)| {
            let some = |(one, other): (&u8, &u8)| u8::from(one | other != 0);
            let same = |(one, other): (&u8, &u8)| u8::from((one == other) & (one | other != 0));
            filled += u16::from(one.iter().zip(other).map(some).sum::<u8>());
            equal += u16::from(one.iter().zip(other).map(same).sum::<u8>());
            equal >= self.fewest[filled as usize]
        })
    }
}

/// The sketches of a text of any length, to find the pairs of a sample that may be similar. Pairs
/// of texts that repeat themselves are wrongly ruled out more often.
///
/// ```
/// use nearprint_core::compare::{SketchBound, Sketches};
/// let [one, other] = ["the ferry returns on monday", "half of the bakeries close before noon"]
///     .map(|text| Sketches::new(text.repeat(3)));
/// let bound = SketchBound::of_recall(0.75);
/// assert!(one.may_reach(&one, &bound) && !one.may_reach(&other, &bound));
/// ```
#[derive(Debug, Clone)]
pub struct Sketches {
    letters: u32,
    long: Option<Box<Sketch>>,
    short: Option<Box<Sketch>>,
}

impl Sketches {
    /// The sketches of the letters and digits of a text.
    pub fn new(alphanumeric: impl AsRef<[u8]>) -> Sketches {
        let text = alphanumeric.as_ref();
        let size = size_of(text, text.is_ascii());
        let long = (size.letters >= LEAST_LETTERS)
            .then(|| Box::new(of_windows(text, size, WINDOW, |_| {})));
        let short = (size.letters < MOST_SHORT)
            .then(|| Box::new(of_windows(text, size, SHORT_WINDOW, |_| {})));
        Sketches { letters: size.letters, long, short }
    }

    /// Returns true if the two texts may be similar, by their lengths and sketches. Texts without a
    /// common kind of sketch may.
    pub fn may_reach(&self, other: &Sketches, bound: &SketchBound) -> bool {
        let [shorter, longer] = [self.letters.min(other.letters), self.letters.max(other.letters)];
        let in_common = [(&self.long, &other.long), (&self.short, &other.short)];
        f64::from(shorter) >= least_letters(bound.least, longer)
            && match in_common.into_iter().find_map(|(one, other)| one.as_ref().zip(other.as_ref()))
            {
                Some((one, other)) => bound.may_reach(one, other),
                None => true,
            }
    }
}

/// The largest number n such that fewer than n of `bins` bins are equal with a probability of at
/// most `miss`.
fn fewest_equal(bins: usize, resemblance: f64, miss: f64) -> u16 {
    let mut probability = (1.0 - resemblance).powi(bins as i32);
    let (mut below, mut equal) = (0.0, 0);
    while equal < bins && below + probability <= miss {
        below += probability;
        probability *=
            (bins - equal) as f64 / (equal + 1) as f64 * resemblance / (1.0 - resemblance);
        equal += 1;
    }
    equal as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::coverage;
    use crate::random::Random;

    fn words(random: &mut Random, count: usize) -> Vec<String> {
        (0..count).map(|_| format!("{:x}", random.next() >> 40)).collect()
    }

    #[test]
    fn of_two_texts_that_are_similar_enough_none_is_ruled_out() {
        let (mut random, bound) = (Random::new(5), SketchBound::new(0.75));
        let mut far = 0;
        for _ in 0..300 {
            let own = words(&mut random, 300);
            let mut edited = own.clone();
            for _ in 0..random.below(100) {
                edited[random.below(300) as usize] = words(&mut random, 1).remove(0);
            }
            let texts = [own.concat(), edited.concat()];
            let sketches = texts.each_ref().map(|text| sketch(text).unwrap());
            if coverage(&texts[0], &texts[1]) >= 0.75 {
                assert!(bound.may_reach(&sketches[0], &sketches[1]));
            }
            let other = sketch(words(&mut random, 300).concat()).unwrap();
            far += usize::from(!bound.may_reach(&sketches[0], &other));
        }
        assert!(far >= 299, "{far}");
    }

    #[test]
    fn the_bound_is_the_tail_of_the_binomial_distribution() {
        // (1 - 0.5)^n is at most a millionth from 20 on.
        assert_eq!([0, 19, 20].map(|bins| fewest_equal(bins, 0.5, MISS)), [0, 0, 1]);
        let bound = SketchBound::new(0.75);
        assert!((30..40).contains(&bound.fewest[BINS]), "{}", bound.fewest[BINS]);
        assert!(bound.fewest.is_sorted());
    }

    #[test]
    fn all_bins_are_used() {
        let sketch = sketch(words(&mut Random::new(7), 3_000).concat()).unwrap();
        assert!(sketch.iter().all(|byte| *byte > 0));
    }

    #[test]
    fn a_chinese_text_has_a_sketch() {
        let mut random = Random::new(6);
        let mut text = |count| -> String {
            (0..count)
                .map(|_| char::from_u32(0x4e00 + random.below(20_000) as u32).unwrap())
                .collect()
        };
        let (own, other) = (text(400), text(400));
        let mixed = format!("{}{}", &own[..900], &other[..300]);
        let [own, other, mixed] = [own, other, mixed].map(|text| sketch(text).unwrap());
        let bound = SketchBound::new(0.75);
        assert!(!bound.may_reach(&own, &other) && bound.may_reach(&own, &mixed));
    }
}
