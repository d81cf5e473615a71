//! Documents too short for a fingerprint -> duplicate pairs, by comparing them exactly.
//!
//! A bag of a few features has no meaningful fingerprint: one word changed turns most bits. So short documents are held
//! against each other, and against documents that are only somewhat longer, by the Jaccard similarity of their character
//! bigrams. White space counts for nothing and everything else counts: "C++" is not "C#". The search is complete without
//! comparing all pairs: with bigrams in one order, rarest first, two sets of similarity t or more share one of the first
//! |A| - ⌈t |A|⌉ + 1 bigrams of each (prefix filter; Chaudhuri, Ganti and Kaushik 2006), so an index of those first
//! bigrams leads to every pair.

use crate::statistics::HashIndex;
use crate::verify::jaccard;
use crate::watch::Watch;

/// A character bigram of a text and how many times it came before in that text: "banana" has an..an as two.
pub type Bigram = u64;

/// Bits of a character.
const CHARACTER: u32 = 21;

/// Fills `out` with the character bigrams of a normalized text, white space left out, sorted: two code points and, so that
/// each occurrence counts, the number of those before. Beyond 2²² occurrences of one bigram all are one. A text with one
/// character has that one as its only "bigram".
///
/// ```
/// let mut bigrams = Vec::new();
/// nearprint::short::bigrams("你好 吗", &mut bigrams);
/// assert_eq!(bigrams.len(), 2); // 你好, 好吗
/// ```
pub fn bigrams(text: &str, out: &mut Vec<Bigram>) {
    out.clear();
    let mut last: Option<char> = None;
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        out.extend(last.map(|last| u64::from(u32::from(last)) << CHARACTER | u64::from(u32::from(c))));
        last = Some(c);
    }
    if out.is_empty() {
        out.extend(last.map(|c| u64::from(u32::from(c))));
    }
    out.sort_unstable();
    let (mut before, mut occurrence) = (None, 0);
    for bigram in out.iter_mut() {
        occurrence = if before == Some(*bigram) { (occurrence + 1).min((1 << 22) - 1) } else { 0 };
        before = Some(*bigram);
        *bigram |= occurrence << (2 * CHARACTER);
    }
    out.sort_unstable();
    out.dedup();
}

/// Documents to be compared, each with its bigrams.
#[derive(Debug, Default)]
pub struct Pool {
    /// The caller's number of each document.
    documents: Vec<u32>,
    /// Whether it is short itself, or only short enough to be compared with one that is.
    short: Vec<bool>,
    bigrams: Vec<u64>,
    ends: Vec<usize>,
}

impl Pool {
    /// Puts in a document. `bigrams` as [`bigrams`] gives them; one without any is never similar to anything.
    pub fn add(&mut self, document: u32, short: bool, bigrams: &[u64]) {
        self.documents.push(document);
        self.short.push(short);
        self.bigrams.extend_from_slice(bigrams);
        self.ends.push(self.bigrams.len());
    }

    /// Documents in the pool.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The bigrams of the document with the caller's number, if it is here. Documents must have been added in the order
    /// of their numbers.
    pub fn bigrams_of(&self, document: u32) -> Option<&[u64]> {
        self.documents.binary_search(&document).ok().map(|place| self.get(place))
    }

    fn get(&self, place: usize) -> &[u64] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bigrams[start..self.ends[place]]
    }

    /// Calls `each` with every pair of `chosen` documents of which at least one is short and whose Jaccard similarity is
    /// `min_similarity` (above 0) or more: the two documents in the order in which they were added, and the similarity.
    /// Ends early where the caller wants to stop.
    pub fn duplicates(
        &self,
        min_similarity: f64,
        chosen: impl Fn(u32) -> bool,
        watch: &dyn Watch,
        mut each: impl FnMut(u32, u32, f64),
    ) {
        let mut frequency: HashIndex<u32> = HashIndex::default();
        let places = (0..self.len()).filter(|place| chosen(self.documents[*place]));
        for bigram in places.clone().flat_map(|place| self.get(place)) {
            *frequency.entry(spread(*bigram)).or_default() += 1;
        }
        // Two documents that are not short are never compared, so they never meet: those look for short ones only.
        let (mut of_short, mut of_others) = (HashIndex::<Vec<u32>>::default(), HashIndex::<Vec<u32>>::default());
        let mut ordered = Vec::new();
        let mut met: Vec<u32> = Vec::new();
        for place in places.take_while(|_| !watch.stopped()) {
            let own = self.get(place);
            ordered.clear();
            ordered.extend_from_slice(own);
            ordered.sort_unstable_by_key(|bigram| (frequency[&spread(*bigram)], *bigram));
            // Rounding must not ask for more than the bound does.
            let wanted = (min_similarity * own.len() as f64 - 1e-9).ceil() as usize;
            ordered.truncate((own.len() + 1).saturating_sub(wanted.max(1)));
            met.clear();
            met.extend(ordered.iter().filter_map(|bigram| of_short.get(&spread(*bigram))).flatten());
            if self.short[place] {
                met.extend(ordered.iter().filter_map(|bigram| of_others.get(&spread(*bigram))).flatten());
            }
            met.sort_unstable();
            met.dedup();
            for earlier in met.drain(..) {
                let other = self.get(earlier as usize);
                let (small, large) = (own.len().min(other.len()), own.len().max(other.len()));
                if (small as f64 / large as f64) < min_similarity {
                    continue;
                }
                let similarity = jaccard(own, other);
                if similarity >= min_similarity {
                    each(self.documents[earlier as usize], self.documents[place], similarity);
                }
            }
            let index = if self.short[place] { &mut of_short } else { &mut of_others };
            for bigram in &ordered {
                index.entry(spread(*bigram)).or_default().push(place as u32);
            }
        }
    }
}

/// Spreads a bigram over all 64 bits, one to one, for maps that hash nothing themselves.
fn spread(bigram: u64) -> u64 {
    bigram.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::watch::Silent;

    #[test]
    fn bigrams_are_of_all_but_white_space_and_each_counts() {
        let of = |text: &str| {
            let mut out = Vec::new();
            bigrams(text, &mut out);
            out
        };
        let similarity = |a: &str, b: &str| jaccard(&of(a), &of(b));
        assert_eq!(of("ab, ab!"), of("a b,\n ab!"));
        assert_eq!((of("ab").len(), of("a").len(), of(" ").len()), (1, 1, 0));
        assert_eq!(similarity("c++", "c#"), 0.0);
        // an, na, an, na, ... : five and seven, of which five are shared.
        assert_eq!(similarity("banana", "bananana"), 5.0 / 7.0);
        assert!(similarity("2024-01-01", "2024-01-02") < 1.0);
    }

    #[test]
    fn the_bound_is_inclusive_whatever_its_product_rounds_to() {
        // 0.55 * 100 is a little more than 55 in floating point.
        let mut pool = Pool::default();
        pool.add(0, true, &(0..55).collect::<Vec<_>>());
        pool.add(1, true, &(0..100).collect::<Vec<_>>());
        let mut found = Vec::new();
        pool.duplicates(0.55, |_| true, &Silent, |a, b, s| found.push((a, b, s)));
        assert_eq!(found, [(0, 1, 0.55)]);
    }

    proptest! {
        #[test]
        fn the_index_finds_what_comparing_all_pairs_finds(
            texts in proptest::collection::vec(("[abc天地人]{0,9}", any::<bool>()), 0..40),
            min_similarity in prop_oneof![Just(0.2), Just(0.5), Just(0.8), Just(1.0), 0.01f64..1.0],
        ) {
            let mut pool = Pool::default();
            let mut sets = Vec::new();
            for (number, (text, short)) in texts.iter().enumerate() {
                let mut set = Vec::new();
                bigrams(text, &mut set);
                pool.add(number as u32, *short, &set);
                sets.push(set);
            }
            let mut found = Vec::new();
            pool.duplicates(min_similarity, |_| true, &Silent, |a, b, s| found.push((a, b, s)));
            found.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let mut plain = Vec::new();
            for b in 0..texts.len() {
                for a in 0..b {
                    let similarity = jaccard(&sets[a], &sets[b]);
                    if (texts[a].1 || texts[b].1) && similarity >= min_similarity && !sets[a].is_empty() {
                        plain.push((a as u32, b as u32, similarity));
                    }
                }
            }
            plain.sort_by(|a, b| a.partial_cmp(b).unwrap());
            prop_assert_eq!(found, plain);
        }
    }
}
