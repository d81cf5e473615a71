//! Text -> letters -> the fingerprint of its windows.

use super::super::bit_sliced::BitSlicedCounters;
use super::md5::{LANES, LONGEST, Lanes, Messages, digests};
use super::{MOST_BITS, bits_of, check};

/// Characters in a window.
pub(super) const WIDTH: usize = 4;

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
/// Panics if `bits` is not a multiple of 8 from 8 to [`MOST_BITS`].
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
    let mut counts = BitCounts::new(bits);
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

/// The last bits of a digest, moved to the front.
fn last_bits(digest: [u64; 4], bits: u32) -> [u64; 4] {
    let all = u128::from(digest[0]) << 64 | u128::from(digest[1]);
    let last = all << (MOST_BITS - bits);
    [(last >> 64) as u64, last as u64, 0, 0]
}

/// The slices of the counts of a lane.
const PLACES: usize = 8;

/// The number of digests with a 1 in each bit, in bit slices (`bit_sliced.rs`) in which sixteen
/// lanes count separately.
struct BitCounts {
    /// The slices of each word of the digests, from the first wanted one on.
    lanes: [[Lanes; 4]; PLACES],
    /// The first word of a digest that holds bits of the fingerprint.
    first: usize,
    /// The number of additions to the lanes so far, below 2^PLACES.
    added: usize,
    all: BitSlicedCounters,
}

impl BitCounts {
    fn new(bits: u32) -> BitCounts {
        let first = 4 - bits.div_ceil(32) as usize;
        BitCounts {
            lanes: [[[0; LANES]; 4]; PLACES],
            first,
            added: 0,
            all: BitSlicedCounters::zero(),
        }
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
