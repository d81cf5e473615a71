//! Short texts, and a query -> the texts that are similar to the query and no longer.
//!
//! Each text is cut into segments ([`segments`](super::segments)). At least one segment is whole in
//! every longer text that is similar. So a query looks up its runs of characters. Two texts that
//! both have figures of their own are not similar, so one of two similar texts has all figures of
//! the other one. Each segment is stored together with a figure, in two ways:
//!
//! - for a query that has all figures of the text: with the rarest figure of the text;
//! - for a query whose figures the text all has: with each figure of the text, since one of them is
//!   the rarest figure of the query.
//!
//! So a million messages that differ in a code alone do not meet. Texts too short for segments meet
//! every query. Texts that meet are first tested by a signature, and then compared.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::Pool;
use super::rolling::Rolling;
use super::segments::{lengths_of_segments, segment, segments, shortest};
use crate::compare::{ShortText, most_broken};
use crate::random::mix;

/// The binary logarithm of the most filter bits for each post.
const MORE_BITS: u32 = 4;

/// A bit for each pair of adjacent characters of a text. A pair that only one of two texts has
/// changes at most one bit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signature([u64; 2]);

impl Signature {
    /// The signature of a text.
    pub fn new(characters: &[char]) -> Signature {
        let mut signature = Signature::default();
        let mut before = 0;
        for character in characters.iter().map(|c| u64::from(u32::from(*c))).chain([0]) {
            let bit = (before << 32 | character).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57;
            signature.0[bit as usize / 64] |= 1 << (bit % 64);
            before = character;
        }
        signature
    }

    /// The bits of the signature.
    pub fn words(&self) -> [u64; 2] {
        self.0
    }

    /// The signature with these bits.
    pub fn of_words(words: [u64; 2]) -> Signature {
        Signature(words)
    }

    /// Returns true if two texts of these lengths in characters and signatures may have a
    /// similarity of `least` or more.
    pub fn may_be_similar(
        (one, own): (u32, &Signature),
        (other, others): (u32, &Signature),
        least: f64,
    ) -> bool {
        let broken = most_broken((one + other + 2) as usize, least);
        one.abs_diff(other) + 2 * u32::from(one != other) <= broken && own.broken(others) <= broken
    }

    /// A lower bound on the number of pairs that are broken between two texts of these signatures.
    pub fn broken(&self, other: &Signature) -> u32 {
        (self.0[0] ^ other.0[0]).count_ones() + (self.0[1] ^ other.0[1]).count_ones()
    }
}

/// Some texts of a pool, by their segments.
pub(super) struct Index<'p> {
    pool: &'p Pool,
    /// The least similarity that is found, inclusive.
    least: f64,
    /// The place of each text in the pool, the shortest texts first.
    places: Vec<u32>,
    /// The length of each text in characters.
    lengths: Vec<u16>,
    /// The signature of each text.
    signatures: Vec<Signature>,
    /// The posts, sorted: the hash of a segment and a figure in the high half, and the number of
    /// the text that has them in the low half.
    posts: Vec<u64>,
    /// The start of the posts for each value of the first bits of a hash.
    starts: Vec<u32>,
    /// A filter with a bit for each value of more first bits of a hash, since most runs of
    /// characters are no segment of any text.
    bits: Vec<u64>,
    /// The numbers of the texts without segments.
    plain: Vec<u32>,
    /// The number of texts with each figure.
    figures: HashMap<u64, u32>,
    /// For each length of a query the length of the shortest similar text, and the lengths of the
    /// segments of similar texts.
    windows: Vec<Option<(usize, Vec<usize>)>>,
}

/// The figure with which a segment is stored and looked up, if there is one.
#[derive(Clone, Copy)]
enum Tag {
    /// The rarest figure of the stored text. The query has all figures of that text.
    Rarest(Option<u64>),
    /// A figure of the stored text, which has all figures of the query.
    OneOfAll(Option<u64>),
}

impl Tag {
    /// The hash of a segment with this figure.
    fn hash(self, segment: u64) -> u32 {
        let (kind, figure) = match self {
            Tag::Rarest(figure) => (1, figure),
            Tag::OneOfAll(figure) => (2, figure),
        };
        (mix(segment ^ mix(figure.map_or(kind, |figure| mix(figure) ^ kind))) >> 32) as u32
    }
}

impl<'p> Index<'p> {
    /// An index of the texts at `places`, for queries at `queries` and a similarity of `least` or
    /// more.
    pub fn new(pool: &'p Pool, places: &[u32], queries: &[u32], least: f64) -> Index<'p> {
        let texts: Vec<(u32, u16, Signature)> = places
            .par_iter()
            .map_init(ShortText::default, |text, place| {
                pool.read(*place, text);
                (*place, text.characters.len() as u16, Signature::new(&text.characters))
            })
            .collect();
        let mut order: Vec<u32> = (0..texts.len() as u32).collect();
        order.par_sort_unstable_by_key(|text| (texts[*text as usize].1, texts[*text as usize].0));
        let texts: Vec<(u32, u16, Signature)> =
            order.into_iter().map(|text| texts[text as usize]).collect();
        let mut windows = Vec::new();
        for length in queries.iter().map(|place| pool.characters_of(*place).chars().count()) {
            if windows.len() <= length {
                windows.resize(length + 1, None);
            }
            windows[length].get_or_insert_with(|| {
                let shortest = shortest(length, least);
                (shortest, lengths_of_segments(shortest..length + 1, least))
            });
        }
        let mut figures = HashMap::new();
        pool.figures.iter().for_each(|figure| *figures.entry(*figure).or_default() += 1);
        let plain = |text: &u32| segments(usize::from(texts[*text as usize].1), least).is_none();
        let mut index = Index {
            pool,
            least,
            places: texts.iter().map(|text| text.0).collect(),
            lengths: texts.iter().map(|text| text.1).collect(),
            signatures: texts.iter().map(|text| text.2).collect(),
            posts: Vec::new(),
            starts: Vec::new(),
            bits: Vec::new(),
            plain: (0..texts.len() as u32).filter(plain).collect(),
            figures,
            windows,
        };
        let mut posts: Vec<u64> = (0..texts.len() as u32)
            .into_par_iter()
            .map_init(Buffers::default, |buffers, text| index.posts_of(text, buffers))
            .flatten_iter()
            .collect();
        posts.par_sort_unstable();
        let bits = posts.len().max(2).ilog2();
        let mut starts = vec![0; (1 << bits) + 1];
        posts.iter().for_each(|post| starts[(post >> (64 - bits)) as usize + 1] += 1);
        for beginning in 1..starts.len() {
            starts[beginning] += starts[beginning - 1];
        }
        index.bits = vec![0; ((1 << (bits + MORE_BITS).min(32)) / 64).max(1)];
        for post in &posts {
            let bit = index.bit((post >> 32) as u32);
            index.bits[bit / 64] |= 1 << (bit % 64);
        }
        (index.posts, index.starts) = (posts, starts);
        index
    }

    /// The posts of a text.
    fn posts_of(&self, text: u32, buffers: &mut Buffers) -> Vec<u64> {
        let Buffers { text: own, rolling, .. } = buffers;
        self.pool.read(self.places[text as usize], own);
        let length = own.characters.len();
        let Some(count) = segments(length, self.least) else { return Vec::new() };
        rolling.set(own.characters.iter().copied());
        let mut tags = vec![Tag::Rarest(self.rarest(own))];
        if !own.figures.is_empty() {
            own.figures.dedup();
            tags.extend(own.figures.iter().map(|figure| Tag::OneOfAll(Some(*figure))));
            tags.push(Tag::OneOfAll(None));
        }
        let segments = (0..count).map(|number| segment(length, count, number));
        let hashes = segments.map(|segment| rolling.hash(segment.start, segment.end));
        hashes
            .flat_map(|hash| {
                tags.iter().map(move |tag| u64::from(tag.hash(hash)) << 32 | u64::from(text))
            })
            .collect()
    }

    /// The figure of a text that the fewest texts have; `None` if it has no figures.
    fn rarest(&self, text: &ShortText) -> Option<u64> {
        text.figures.iter().copied().min_by_key(|figure| (self.figures[figure], *figure))
    }

    /// The number of the filter bit of a hash.
    fn bit(&self, hash: u32) -> usize {
        ((u64::from(hash) * (64 * self.bits.len() as u64)) >> 32) as usize
    }

    /// The posts of a hash of texts from number `first` up to `past`, exclusive.
    fn posts(&self, hash: u32, first: u32, past: u32) -> &[u64] {
        let bit = self.bit(hash);
        if self.bits[bit / 64] >> (bit % 64) & 1 == 0 {
            return &[];
        }
        let bits = (self.starts.len() - 1).ilog2();
        let start = (u64::from(hash) << 32 >> (64 - bits)) as usize;
        let bucket = &self.posts[self.starts[start] as usize..self.starts[start + 1] as usize];
        let place = |text: u32| {
            bucket.partition_point(|post| *post < (u64::from(hash) << 32 | u64::from(text)))
        };
        match bucket.is_empty() {
            true => bucket,
            false => &bucket[place(first)..place(past)],
        }
    }

    /// Fills `found` with the places of texts that are similar to the query at `place`, `wanted`,
    /// and before it in the order of lengths and places. They come in no order. Returns false as
    /// soon as there are more than `most` of them.
    pub fn find(
        &self,
        place: u32,
        most: usize,
        wanted: impl Fn(u32) -> bool,
        buffers: &mut Buffers,
        found: &mut Vec<u32>,
    ) -> bool {
        let Buffers { text, rolling, other, seen, slices } = buffers;
        found.clear();
        self.pool.read(place, text);
        let length = text.characters.len();
        let (shortest, windows) = self.windows[length].as_ref().expect("it is one of the queries");
        let first = self.lengths.partition_point(|length| usize::from(*length) < *shortest) as u32;
        let (from, to) = (
            self.lengths.partition_point(|other| usize::from(*other) < length),
            self.lengths.partition_point(|other| usize::from(*other) <= length),
        );
        let past = (from + self.places[from..to].partition_point(|other| *other < place)) as u32;
        let signature = Signature::new(&text.characters);
        seen.clear();
        let mut look_at = |number: u32| {
            let shorter = usize::from(self.lengths[number as usize]);
            let broken = most_broken(length + shorter + 2, self.least);
            let place = self.places[number as usize];
            if signature.broken(&self.signatures[number as usize]) > broken
                || !wanted(place)
                || !seen.insert(number)
            {
                return true;
            }
            self.pool.read(place, other);
            if text.similarity(other, self.least).is_some() {
                found.push(place);
            }
            found.len() <= most
        };
        let from = self.plain.partition_point(|text| *text < first);
        let to = self.plain.partition_point(|text| *text < past);
        if !self.plain[from..to].iter().all(|number| look_at(*number)) {
            return false;
        }
        rolling.set(text.characters.iter().copied());
        let rarest = self.rarest(text);
        let mut tags = vec![Tag::OneOfAll(rarest), Tag::Rarest(None)];
        tags.extend(text.figures.iter().map(|figure| Tag::Rarest(Some(*figure))));
        slices.clear();
        for window in windows {
            for start in 0..(length + 1).saturating_sub(*window) {
                let hash = rolling.hash(start, start + window);
                for tag in &tags {
                    let posts = self.posts(tag.hash(hash), first, past);
                    if !posts.is_empty() {
                        let start = posts.as_ptr() as usize - self.posts.as_ptr() as usize;
                        slices.push((posts.len() as u32, (start / size_of::<u64>()) as u32));
                    }
                }
            }
        }
        // The shortest slices come first, since they reach `most` with the fewest comparisons.
        slices.sort_unstable();
        slices.dedup();
        if slices.iter().map(|(count, _)| *count).sum::<u32>() > past - first {
            return (first..past).all(look_at);
        }
        let each = slices
            .iter()
            .flat_map(|(count, start)| &self.posts[*start as usize..(start + count) as usize]);
        each.map(|post| *post as u32).all(look_at)
    }
}

/// The buffers of a query, one a thread.
#[derive(Default)]
pub(super) struct Buffers {
    text: ShortText,
    rolling: Rolling,
    other: ShortText,
    seen: hashbrown::HashSet<u32>,
    slices: Vec<(u32, u32)>,
}
