//! The fingerprints of the Python package `simhash`, so that its saved values stay comparable.
//!
//! ```text
//! text      -> letters                  lower case; letters, digits and the underscore, joined
//! letters   -> windows                  four characters each; all of it where there are fewer
//! windows   -> MD5 -> the last bits     md5.rs: sixteen at a time
//! those     -> fingerprint              a bit is 1 where more than half of the windows have a 1
//! ```
//!
//! A window that occurs several times votes several times. Features of the caller's own are weighed
//! by integers or by 64-bit floating-point numbers. They are summed in the order of the package, so
//! that the sums are rounded as there. No other vote has floating-point sums.
//!
//! In text beyond ASCII the letters depend on the version of Unicode of the caller's Python, so the
//! caller finds them; [`ascii_letters`] is for ASCII.
//!
//! Cost, through the Python package and with all that Python adds: 5.5 µs for 461 characters of
//! English, 10 µs for 416 of Chinese, one thread of a virtual Zen 4 with AVX-512.
//!
//! Source: `simhash` 2.1.2 (<https://github.com/1e0n/simhash>), `Simhash` with `f` bits under its
//! default `hashfunc`. The golden values of the tests are values of the package.

mod md5;

use ::md5::{Digest, Md5};

use self::md5::{LANES, LONGEST, Lanes, Messages, digests};
use super::bit_sliced::BitSlicedCounters;

/// Characters in a window.
const WIDTH: usize = 4;

/// The most bits, those of an MD5.
pub const MOST_BITS: u32 = 128;

/// Adds the letters that the package takes of an ASCII text to `out`: a-z, 0-9 and `_`, in lower
/// case. Returns false if the text is not ASCII, and leaves `out` unchanged.
///
/// ```
/// let mut letters = String::new();
/// assert!(nearprint_core::fingerprint::simhash::ascii_letters("Snake_Case, no. 7", &mut letters));
/// assert_eq!(letters, "snake_caseno7");
/// assert!(!nearprint_core::fingerprint::simhash::ascii_letters("Größe", &mut letters));
/// ```
pub fn ascii_letters(text: &str, out: &mut String) -> bool {
    /// The letter of each byte; 0 if it has none.
    const LETTERS: [u8; 128] = {
        let mut letters = [0; 128];
        let mut byte = 0u8;
        while byte < 128 {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                letters[byte as usize] = byte.to_ascii_lowercase();
            }
            byte += 1;
        }
        letters
    };
    if !text.is_ascii() {
        return false;
    }
    // Every byte is written, and the next one over it if it is no letter.
    let mut letters = vec![0; text.len()];
    let mut length = 0;
    for byte in text.bytes() {
        let letter = LETTERS[usize::from(byte & 0x7f)];
        letters[length] = letter;
        length += usize::from(letter != 0);
    }
    out.push_str(std::str::from_utf8(&letters[..length]).expect("ASCII"));
    true
}

/// The fingerprint of the text with these letters: `bits` bits from the highest of the first word
/// on.
///
/// # Panics
///
/// If `bits` is not a multiple of 8 from 8 to [`MOST_BITS`].
///
/// # Examples
///
/// ```
/// // Python: Simhash(text).value
/// let text = "The ferry to the island returns on Monday after eleven weeks of repairs";
/// let mut letters = String::new();
/// nearprint_core::fingerprint::simhash::ascii_letters(text, &mut letters);
/// let [value, ..] = nearprint_core::fingerprint::simhash::of_letters(&letters, 64);
/// assert_eq!(value, 11830897145117161389);
/// ```
pub fn of_letters(letters: &str, bits: u32) -> [u64; 4] {
    check(bits);
    let mut counts = Counts::new(bits);
    // A load of sixteen bytes may go beyond the end.
    let mut bytes = Vec::with_capacity(letters.len() + LONGEST);
    bytes.extend_from_slice(letters.as_bytes());
    bytes.resize(letters.len() + LONGEST, 0);
    let windows = if letters.is_ascii() && letters.len() >= WIDTH {
        counts.ascii_windows(&bytes, letters.len() + 1 - WIDTH)
    } else {
        counts.windows(&bytes, letters)
    };
    last_bits(counts.finish().greater_than(windows as u64 / 2), bits)
}

fn check(bits: u32) {
    assert!(
        bits.is_multiple_of(8) && (8..=MOST_BITS).contains(&bits),
        "MD5 gives 8, 16, ... 128 bits, not {bits}"
    );
}

/// The last bits of a digest, moved to the front.
fn last_bits(digest: [u64; 4], bits: u32) -> [u64; 4] {
    let all = u128::from(digest[0]) << 64 | u128::from(digest[1]);
    let last = all << (MOST_BITS - bits);
    [(last >> 64) as u64, last as u64, 0, 0]
}

/// The bits of a digest, as the first 128 of a slice.
fn bits_of(digest: [u32; 4]) -> [u64; 4] {
    // The bytes of a word of MD5 count from the lowest on.
    let [a, b, c, d] = digest.map(|word| u64::from(word.swap_bytes()));
    [a << 32 | b, c << 32 | d, 0, 0]
}

/// The slices of the counts of a lane.
const PLACES: usize = 8;

/// The number of digests with a 1 in each bit, in bit slices (`bit_sliced.rs`) in which sixteen
/// lanes count separately.
struct Counts {
    /// The slices of each word of the digests, from the first wanted one on.
    lanes: [[Lanes; 4]; PLACES],
    /// The first word of a digest that holds bits of the fingerprint.
    first: usize,
    /// The number of additions to the lanes so far, below 2^PLACES.
    added: usize,
    all: BitSlicedCounters,
}

impl Counts {
    fn new(bits: u32) -> Counts {
        let first = 4 - bits.div_ceil(32) as usize;
        Counts { lanes: [[[0; LANES]; 4]; PLACES], first, added: 0, all: BitSlicedCounters::zero() }
    }

    /// Counts the windows of ASCII letters that begin at the first `count` bytes. Returns `count`.
    fn ascii_windows(&mut self, bytes: &[u8], count: usize) -> usize {
        let mut messages = Messages::empty();
        for start in (0..count).step_by(LANES) {
            let bytes = &bytes[start..start + LANES + WIDTH - 1];
            messages.set_fours(&std::array::from_fn(|lane| {
                u32::from_le_bytes([bytes[lane], bytes[lane + 1], bytes[lane + 2], bytes[lane + 3]])
            }));
            self.add(digests(&messages), (count - start).min(LANES));
        }
        count
    }

    /// Counts the windows of any letters, with which `bytes` begins. Returns their number, at least
    /// one.
    fn windows(&mut self, bytes: &[u8], letters: &str) -> usize {
        let mut messages = Messages::empty();
        let (mut lane, mut windows) = (0, 0);
        let starts = letters.char_indices().map(|(start, _)| start);
        let ends = letters.char_indices().skip(WIDTH).map(|(end, _)| end).chain([letters.len()]);
        // If there are fewer characters than a window has, there is one end. An empty text has the
        // start 0 alone.
        for (start, end) in starts.chain(letters.is_empty().then_some(0)).zip(ends) {
            let sixteen = bytes[start..].first_chunk().expect("zeros follow the letters");
            messages.set(lane, sixteen, end - start);
            (lane, windows) = (lane + 1, windows + 1);
            if lane == LANES {
                self.add(digests(&messages), LANES);
                lane = 0;
            }
        }
        if lane > 0 {
            self.add(digests(&messages), lane);
        }
        windows
    }

    /// Adds the digests of the first lanes.
    fn add(&mut self, mut digests: [Lanes; 4], lanes: usize) {
        digests.iter_mut().for_each(|word| word[lanes..].fill(0));
        if self.added + 1 == 1 << PLACES {
            self.gather();
        }
        self.added += 1;
        // The number of additions has as many binary digits as slices can hold a bit.
        let used = self.added.ilog2() as usize + 1;
        for word in self.first..4 {
            let mut carry = digests[word];
            for slice in &mut self.lanes[..used] {
                let slice = &mut slice[word];
                for (slice, carry) in slice.iter_mut().zip(&mut carry) {
                    (*slice, *carry) = (*slice ^ *carry, *slice & *carry);
                }
            }
        }
    }

    /// Adds the counts of the lanes to the counts of all.
    fn gather(&mut self) {
        if self.added == 0 {
            return;
        }
        let used = self.added.ilog2() as usize + 1;
        for (place, slice) in self.lanes[..used].iter_mut().enumerate() {
            let words: [[u64; 4]; LANES] =
                std::array::from_fn(|lane| bits_of(slice.map(|word| word[lane])));
            let (eights, _) = words.as_chunks::<8>();
            eights.iter().for_each(|eight| self.all.add_eight(place, eight));
            *slice = [[0; LANES]; 4];
        }
        self.added = 0;
    }

    fn finish(mut self) -> BitSlicedCounters {
        self.gather();
        self.all
    }
}

/// The weight of the vote of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weight {
    /// An integer. As in the package, one below 1 adds only to the sum of weights, of which half is
    /// needed.
    Integer(i64),
    /// A finite number.
    Float(f64),
}

/// The vote of weighted features.
///
/// Sums are 64-bit floating-point numbers, made in the order of the package. Integers up to 50 are
/// gathered, and added after every two hundred of them and at the end; other weights are added at
/// once. Sums of integers below 2^53 are exact.
///
/// # Examples
///
/// ```
/// use nearprint_core::fingerprint::simhash::{Vote, Weight};
/// // Simhash({"能力": 2, "学历": 0.5}).value in Python
/// let mut vote = Vote::new(64);
/// vote.add_feature("能力", Weight::Integer(2));
/// vote.add_feature("学历", Weight::Float(0.5));
/// assert_eq!(vote.finish()[0], 17070311681196811875);
/// ```
#[derive(Debug, Clone)]
pub struct Vote {
    bits: u32,
    sums: Vec<f64>,
    /// The sums of small integer weights that are not in `sums` yet.
    gathered: Vec<i64>,
    /// The number of features in `gathered`.
    features: usize,
    total: f64,
    /// Features whose digests are not made yet.
    waiting: Waiting,
}

/// Up to sixteen features, in their order.
#[derive(Debug, Clone)]
struct Waiting {
    messages: Messages,
    count: usize,
    weights: [Weight; LANES],
}

/// The largest integer weight that is gathered, and the most features that are gathered.
const SMALL: i64 = 50;
const TOGETHER: usize = 200;

/// The widest fingerprint that hashes of the caller's own may vote on.
pub const MOST_BITS_OF_A_VOTE: u32 = 256;

impl Vote {
    /// A vote on fingerprints of `bits` bits.
    ///
    /// # Panics
    ///
    /// If `bits` is not a multiple of 8 from 8 to [`MOST_BITS_OF_A_VOTE`].
    pub fn new(bits: u32) -> Vote {
        let possible = bits.is_multiple_of(8) && (8..=MOST_BITS_OF_A_VOTE).contains(&bits);
        assert!(possible, "a fingerprint has 8, 16, ... {MOST_BITS_OF_A_VOTE} bits, not {bits}");
        let waiting =
            Waiting { messages: Messages::empty(), count: 0, weights: [Weight::Integer(0); LANES] };
        let (sums, gathered) = (vec![0.0; bits as usize], vec![0; bits as usize]);
        Vote { bits, sums, gathered, features: 0, total: 0.0, waiting }
    }

    /// Lets a feature vote with its MD5.
    ///
    /// # Panics
    ///
    /// If the fingerprint has more than [`MOST_BITS`].
    pub fn add_feature(&mut self, feature: &str, weight: Weight) {
        check(self.bits);
        if feature.len() > LONGEST {
            self.hash_waiting();
            self.add_bits(u128::from_be_bytes(Md5::digest(feature).into()), weight);
            return;
        }
        let mut bytes = [0; LONGEST];
        bytes[..feature.len()].copy_from_slice(feature.as_bytes());
        let Waiting { messages, count, weights } = &mut self.waiting;
        messages.set(*count, &bytes, feature.len());
        weights[*count] = weight;
        *count += 1;
        if *count == LANES {
            self.hash_waiting();
        }
    }

    /// Lets a feature vote with a hash of the caller's own, of `bits` bits.
    ///
    /// # Panics
    ///
    /// If the hash has another length.
    pub fn add_hash(&mut self, hash: &[u8], weight: Weight) {
        assert_eq!(hash.len(), self.bits as usize / 8, "not a hash of {} bits", self.bits);
        self.hash_waiting();
        self.add(weight, |bit| hash[bit / 8] >> (7 - bit % 8) & 1 == 1);
    }

    /// The fingerprint, its bits from the highest of the first word on. A bit is 1 if the weights
    /// of the features whose bit is 1 are more than half of all.
    pub fn finish(mut self) -> [u64; 4] {
        self.hash_waiting();
        self.take_in_gathered();
        let mut words = [0; 4];
        for (bit, sum) in self.sums.iter().enumerate() {
            words[bit / 64] |= u64::from(*sum > self.total / 2.0) << (63 - bit % 64);
        }
        words
    }

    fn hash_waiting(&mut self) {
        let Waiting { messages, count, weights } = self.waiting.clone();
        if count == 0 {
            return;
        }
        let digests = digests(&messages);
        for (lane, weight) in weights.into_iter().enumerate().take(count) {
            let [high, low, ..] = bits_of(digests.map(|word| word[lane]));
            self.add_bits(u128::from(high) << 64 | u128::from(low), weight);
        }
        self.waiting.count = 0;
    }

    /// Lets the last bits of a digest vote.
    fn add_bits(&mut self, digest: u128, weight: Weight) {
        let last = digest << (MOST_BITS - self.bits);
        self.add(weight, |bit| last << bit >> (MOST_BITS - 1) == 1);
    }

    #[inline(always)]
    fn add(&mut self, weight: Weight, is_one: impl Fn(usize) -> bool) {
        match weight {
            Weight::Integer(weight) if weight <= SMALL => {
                self.total += weight as f64;
                for (bit, sum) in self.gathered.iter_mut().enumerate() {
                    *sum += i64::from(is_one(bit)) * weight.max(0);
                }
                self.features += 1;
                if self.features == TOGETHER {
                    self.take_in_gathered();
                }
            }
            Weight::Integer(_) | Weight::Float(_) => {
                let weight = match weight {
                    Weight::Integer(weight) => weight as f64,
                    Weight::Float(weight) => weight,
                };
                self.total += weight;
                for (bit, sum) in self.sums.iter_mut().enumerate() {
                    *sum += if is_one(bit) { weight } else { 0.0 };
                }
            }
        }
    }

    fn take_in_gathered(&mut self) {
        for (sum, gathered) in self.sums.iter_mut().zip(&mut self.gathered) {
            *sum += std::mem::take(gathered) as f64;
        }
        self.features = 0;
    }
}

#[cfg(test)]
mod tests;
