//! Documents too short for a fingerprint -> duplicate pairs, by comparing their characters.
//!
//! A set of a few features has no meaningful fingerprint: one changed word flips most bits. So short documents are compared
//! with each other, and with documents that are only somewhat longer, by their edit similarity
//! ([`crate::verify::edit_similarity`]). White space does not count, and all other characters do: "C++" is not "C#".
//!
//! The search is complete without comparing all pairs (Pass-Join; Li, Deng, Wang and Feng 2011). Texts are grouped by
//! length and by the number of edits that the least similarity allows them. Say that two groups together allow e edits. If
//! a text is cut into e + 1 segments, e edits leave at least one of them whole, in its place or nearly so. So the texts of
//! the shorter group are indexed by their segments, and the runs of characters of the longer texts are looked up. A pair
//! that shares a segment is first tested by its counts of bigrams, and then compared. Cost: for each text about e² lookups
//! in each group of about its length, and memory for the index of one group. Under a similarity of 0.5 or less no segment
//! is long enough to look up, and all texts of two groups are compared.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use rayon::prelude::*;

use crate::verify::rolling::Rolling;
use crate::verify::{edit_similarity, weight};
use crate::watch::Watch;

/// Fills `out` with the characters of a normalized text that are compared: all but white space.
///
/// ```
/// let mut characters = Vec::new();
/// nearprint::short::characters("你好 吗?", &mut characters);
/// assert_eq!(characters, ['你', '好', '吗', '?']);
/// ```
pub fn characters(text: &str, out: &mut Vec<char>) {
    out.clear();
    out.extend(text.chars().filter(|c| !c.is_whitespace()));
}

/// Documents to be compared, each with its characters.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Pool {
    /// The caller's number of each document.
    documents: Vec<u32>,
    /// Whether it is short itself, or only short enough to be compared with one that is.
    short: Vec<bool>,
    characters: Vec<char>,
    ends: Vec<usize>,
}

impl Pool {
    /// Puts in a document. `characters` as [`characters`] gives them; one without any is never similar to anything.
    pub fn add(&mut self, document: u32, short: bool, characters: &[char]) {
        self.documents.push(document);
        self.short.push(short);
        self.characters.extend_from_slice(characters);
        self.ends.push(self.characters.len());
    }

    /// Documents in the pool.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The characters of the document with the caller's number, if it is here. Documents must have been added in the order
    /// of their numbers.
    pub fn characters_of(&self, document: u32) -> Option<&[char]> {
        self.documents.binary_search(&document).ok().map(|place| self.get(place))
    }

    fn get(&self, place: usize) -> &[char] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.characters[start..self.ends[place]]
    }

    /// Calls `each` with every pair of `chosen` documents of which at least one is short, that is `wanted`, and whose edit
    /// similarity is `min_similarity` (above 0) or more: the two documents in the order in which they were added, and the
    /// similarity. Ends early where the caller wants to stop.
    pub fn duplicates(
        &self,
        min_similarity: f64,
        chosen: impl Fn(u32) -> bool,
        wanted: impl Fn(u32, u32) -> bool + Sync,
        watch: &dyn Watch,
        mut each: impl FnMut(u32, u32, f64),
    ) {
        let mut groups: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
        for place in (0..self.len()).filter(|place| chosen(self.documents[*place]) && !self.get(*place).is_empty()) {
            let text = self.get(place);
            let weight = text.iter().map(|c| weight(*c)).sum::<u32>();
            let edits = ((1.0 - min_similarity) * f64::from(weight) + 1e-9) as usize;
            // Rounded up, so that long texts make few groups.
            let edits = edits.next_multiple_of((text.len() / 32).max(1));
            groups.entry((text.len(), edits)).or_default().push(place as u32);
        }
        for ((length, edits), longer) in &groups {
            for ((other_length, other_edits), shorter) in groups.range(..=(*length, *edits)) {
                let edits = *edits.max(other_edits);
                if length - other_length > edits {
                    continue;
                }
                if watch.stopped() {
                    return;
                }
                let index = Index::new(self, *other_length, edits, shorter, longer.len());
                let found: Vec<Vec<(u32, u32, f64)>> = longer
                    .par_chunks(64)
                    .map_init(Query::default, |query, places| {
                        let mut found = Vec::new();
                        if watch.stopped() {
                            return found;
                        }
                        places
                            .iter()
                            .for_each(|place| query.find(self, *place, &index, min_similarity, &wanted, &mut found));
                        found
                    })
                    .collect();
                for (one, other, similarity) in found.into_iter().flatten() {
                    let (left, right) = (one.min(other) as usize, one.max(other) as usize);
                    each(self.documents[left], self.documents[right], similarity);
                }
            }
        }
    }
}

/// The number of bigrams of a text for each of some hash values. An edit takes two away and brings two.
#[derive(Debug, Clone, Copy)]
struct Bigrams([u8; 128]);

impl Bigrams {
    fn of(text: &[char]) -> Bigrams {
        let mut counts = [0u8; 128];
        for pair in text.windows(2) {
            let bigram = u64::from(u32::from(pair[0])) << 32 | u64::from(u32::from(pair[1]));
            let count = &mut counts[(bigram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize];
            *count = count.saturating_add(1);
        }
        Bigrams(counts)
    }

    /// No more than the edits between two texts, whichever they are.
    fn edits(&self, other: &Bigrams) -> usize {
        let lost: u32 = self.0.iter().zip(&other.0).map(|(a, b)| u32::from(a.saturating_sub(*b))).sum();
        lost.div_ceil(2) as usize
    }
}

/// The texts of one group, by segments of which a number of edits leaves one whole.
struct Index<'p> {
    length: usize,
    edits: usize,
    places: &'p [u32],
    /// The bigrams of each.
    bigrams: Vec<Bigrams>,
    /// Which of `places` have a segment, by a hash of it and of its number, sorted.
    sorted: Vec<(u64, u32)>,
    /// For each beginning of a hash where in `sorted` it starts; a power of two long, and one. Empty where all texts are to
    /// be met, because the edits leave no segment whole, or because so few texts ask that an index is not worth its making.
    starts: Vec<u32>,
}

impl<'p> Index<'p> {
    fn new(pool: &Pool, length: usize, edits: usize, places: &'p [u32], queries: usize) -> Index<'p> {
        let bigrams = places.par_iter().map(|place| Bigrams::of(pool.get(*place as usize))).collect();
        let mut index = Index { length, edits, places, bigrams, sorted: Vec::new(), starts: Vec::new() };
        if edits >= length || queries <= edits + 1 {
            return index;
        }
        let mut sorted: Vec<(u64, u32)> = places
            .par_iter()
            .enumerate()
            .map_init(Rolling::default, |rolling, (text, place)| {
                rolling.set(pool.get(*place as usize).iter().copied());
                let key = |number| {
                    let (start, end) = index.segment(number);
                    (key(rolling.hash(start, end), number), text as u32)
                };
                (0..=edits).map(key).collect::<Vec<_>>()
            })
            .flatten_iter()
            .collect();
        sorted.par_sort_unstable();
        let bits = sorted.len().max(2).ilog2();
        index.starts.resize((1 << bits) + 1, 0);
        for (key, _) in &sorted {
            index.starts[(key >> (64 - bits)) as usize + 1] += 1;
        }
        for beginning in 1..index.starts.len() {
            index.starts[beginning] += index.starts[beginning - 1];
        }
        index.sorted = sorted;
        index
    }

    /// Where a segment begins and ends: as equal in length as can be, the longer ones last.
    fn segment(&self, number: usize) -> (usize, usize) {
        let count = self.edits + 1;
        let (length, longer) = (self.length / count, self.length % count);
        let shorter = count - longer;
        let start = number * length + number.saturating_sub(shorter);
        (start, start + length + usize::from(number >= shorter))
    }

    /// Where a segment can begin in a text of `length` that is within the edits, if no segment before it was left whole or
    /// none after it (multi-match-aware substring selection).
    fn beginnings(&self, number: usize, length: usize) -> RangeInclusive<usize> {
        let (start, end) = self.segment(number);
        let (start, more) = (start as i64, length as i64 - self.length as i64);
        let (before, after) = (number as i64, (self.edits - number) as i64);
        let first = (start - before).max(start + more - after).max(0);
        let last = (start + before).min(start + more + after).min(length as i64 - (end as i64 - start));
        if last < first { RangeInclusive::new(1, 0) } else { first as usize..=last as usize }
    }

    /// Which of the texts have a segment.
    fn with(&self, key: u64) -> impl Iterator<Item = u32> + '_ {
        let bits = (self.starts.len() - 1).ilog2();
        let beginning = (key >> (64 - bits)) as usize;
        let bucket = &self.sorted[self.starts[beginning] as usize..self.starts[beginning + 1] as usize];
        bucket.iter().filter(move |entry| entry.0 == key).map(|entry| entry.1)
    }
}

/// A hash of a segment and its number, spread over all 64 bits.
fn key(hash: u64, number: usize) -> u64 {
    (hash ^ (number as u64) << 48)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(32)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Looks for the duplicates of one text after the other, in buffers of its own.
#[derive(Default)]
struct Query {
    rolling: Rolling,
    met: Vec<u32>,
}

impl Query {
    /// Appends the wanted pairs of a text with those of an index; of its own group with earlier ones only.
    fn find(
        &mut self,
        pool: &Pool,
        place: u32,
        index: &Index<'_>,
        min_similarity: f64,
        wanted: &impl Fn(u32, u32) -> bool,
        found: &mut Vec<(u32, u32, f64)>,
    ) {
        let text = pool.get(place as usize);
        self.met.clear();
        if index.starts.is_empty() {
            self.met.extend(0..index.places.len() as u32);
        } else {
            self.rolling.set(text.iter().copied());
            for number in 0..=index.edits {
                let (start, end) = index.segment(number);
                for beginning in index.beginnings(number, text.len()) {
                    let hash = self.rolling.hash(beginning, beginning + end - start);
                    self.met.extend(index.with(key(hash, number)));
                }
            }
            self.met.sort_unstable();
            self.met.dedup();
        }
        let bigrams = Bigrams::of(text);
        let own = index.places.binary_search(&place).is_ok();
        for met in &self.met {
            let other = index.places[*met as usize];
            let [one, two] = [other, place].map(|place| place as usize);
            let once = (!own || other < place) && (pool.short[one] || pool.short[two]);
            if once
                && wanted(pool.documents[one], pool.documents[two])
                && bigrams.edits(&index.bigrams[*met as usize]) <= index.edits
            {
                let similarity = edit_similarity(pool.get(other as usize), text, min_similarity);
                found.extend(similarity.map(|similarity| (other, place, similarity)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use proptest::prelude::*;

    use super::*;
    use crate::watch::Silent;

    /// Lets this number of questions pass before it wants to stop.
    struct Patience(AtomicU32);

    impl Watch for Patience {
        fn stopped(&self) -> bool {
            let more = |left: u32| left.checked_sub(1);
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err()
        }
    }

    #[test]
    fn one_large_group_is_left_early_too() {
        let mut pool = Pool::default();
        for number in 0..1000 {
            pool.add(number, true, &['春', '眠', '不', '觉', '晓']);
        }
        let mut pairs = 0u32;
        pool.duplicates(0.8, |_| true, |_, _| true, &Patience(AtomicU32::new(3)), |_, _, _| pairs += 1);
        // Of 16 parts of the group two were looked at.
        assert!((1..=125_000).contains(&pairs), "{pairs} pairs");
        pairs = 0;
        pool.duplicates(0.8, |_| true, |_, _| true, &Silent, |_, _, _| pairs += 1);
        assert_eq!(pairs, 499_500);
    }

    #[test]
    fn everything_counts_but_white_space() {
        let of = |text: &str| {
            let mut out = Vec::new();
            characters(text, &mut out);
            out
        };
        assert_eq!(of("ab, ab!"), of("a b,\n ab!"));
        assert!(of(" ").is_empty());
        assert_eq!(edit_similarity(&of("c++"), &of("c#"), 0.8), None);
        assert_eq!(edit_similarity(&of("北京 5 度"), &of("北京 7 度"), 0.8), None);
    }

    proptest! {
        #[test]
        fn the_index_finds_what_comparing_all_pairs_finds(
            texts in proptest::collection::vec(("[ab天1]{0,14}", any::<bool>()), 0..60),
            min_similarity in prop_oneof![Just(0.2), Just(0.5), Just(0.8), Just(0.9), Just(1.0), 0.01f64..1.0],
            // All pairs, or those of one of the first documents and one of the others.
            across in prop_oneof![Just(60), 0u32..60],
        ) {
            let mut pool = Pool::default();
            let mut lists = Vec::new();
            for (number, (text, short)) in texts.iter().enumerate() {
                let mut list = Vec::new();
                characters(text, &mut list);
                pool.add(number as u32, *short, &list);
                lists.push(list);
            }
            let mut found = Vec::new();
            let wanted = |a, b| u32::min(a, b) < across && u32::max(a, b) >= across || across == 60;
            pool.duplicates(min_similarity, |_| true, wanted, &Silent, |a, b, s| found.push((a, b, s)));
            found.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let mut plain = Vec::new();
            for b in 0..texts.len() {
                for a in 0..b {
                    if wanted(a as u32, b as u32) && (texts[a].1 || texts[b].1) && !lists[a].is_empty() && !lists[b].is_empty() {
                        let similarity = edit_similarity(&lists[a], &lists[b], min_similarity);
                        plain.extend(similarity.map(|similarity| (a as u32, b as u32, similarity)));
                    }
                }
            }
            plain.sort_by(|a, b| a.partial_cmp(b).unwrap());
            prop_assert_eq!(found, plain);
        }
    }
}
