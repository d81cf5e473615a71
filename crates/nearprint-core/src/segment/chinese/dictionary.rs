//! The dictionary's file -> words with their probabilities, codes of characters, and the hidden
//! Markov model.
//!
//! A file is [`MAGIC`], a version (32 bits, little-endian like every number here), the XXH3 (64
//! bits) of the rest, the length (64 bits) of the content, and the content as one zstd stream. The
//! content is a list of columns; [`Content`] names them in their order. A column is a count (32
//! bits) and the lowest bytes of all its numbers, then the next ones, and so on, because so they
//! compress best. The nodes of the trie stand level by level, with their bases, so that loading is
//! one pass without search: 20 to 30 ms.

use xxhash_rust::xxh3::xxh3_64;

use super::characters::Characters;
use super::hidden_markov::{Model, NEVER};
use super::trie::{LEAF, NO_WORD, ROOT, Trie};

pub(super) const MAGIC: &[u8] = b"nearprint dictionary\n";
pub(super) const VERSION: u32 = 1;
/// The emission of a character that never occurred in a state.
pub(super) const NEVER_EMITTED: u64 = 0xffff_ffff;

/// Words, characters and model.
#[derive(Debug, Clone)]
pub(super) struct Dictionary {
    pub(super) characters: Characters,
    pub(super) trie: Trie,
    pub(super) model: Model,
    /// The distinct frequencies of words by their numbers, and their logarithms.
    pub(super) frequencies: Vec<u64>,
    pub(super) naturals: Vec<f64>,
    /// The sum of all frequencies.
    pub(super) total: u64,
    /// For each number of a frequency the logarithm of frequency over total. There is room for all
    /// numbers of 16 bits, so that no look-up is checked.
    logarithms: Box<[f64; 1 << 16]>,
    /// The logarithm of the probability of a character with which no word begins. It counts as a
    /// word of frequency 1.
    unknown: f64,
}

impl Dictionary {
    /// Reads a file.
    ///
    /// # Errors
    /// The reason why a file is refused: it is no dictionary, of another version, or damaged.
    pub(super) fn read(file: &[u8]) -> Result<Dictionary, &'static str> {
        Ok(Dictionary::new(&Content::unpack(file)?))
    }

    fn new(content: &Content) -> Dictionary {
        let character =
            |code: &u64| char::from_u32(*code as u32).expect("characters are code points");
        let [first, second, third, fourth] = &content.emissions;
        let emission = |at: usize| {
            [first[at], second[at], third[at], fourth[at]].map(|millionths| match millionths {
                NEVER_EMITTED => NEVER,
                _ => -(millionths as f64) / 1e6,
            })
        };
        let number = |at: usize| f64::from_bits(content.model[at]);
        let mut dictionary = Dictionary {
            characters: Characters::new(content.characters.iter().map(character)),
            trie: content.trie(),
            model: Model {
                initial: std::array::from_fn(number),
                transition: std::array::from_fn(|from| {
                    std::array::from_fn(|to| number(4 + 4 * from + to))
                }),
                emission: (0..first.len()).map(emission).collect(),
            },
            frequencies: content.frequencies.clone(),
            naturals: content.logarithms.iter().copied().map(f64::from_bits).collect(),
            total: content.total[0],
            logarithms: vec![f64::NAN; 1 << 16].try_into().expect("as long"),
            unknown: 0.0,
        };
        dictionary.weigh_over(f64::from_bits(content.total[1]));
        dictionary
    }

    /// Computes the logarithms of probabilities again, after frequencies and total have changed.
    pub(super) fn weigh(&mut self) {
        self.weigh_over(libm::log(self.total as f64));
    }

    fn weigh_over(&mut self, total: f64) {
        self.unknown = 0.0 - total;
        for (place, natural) in
            self.logarithms.iter_mut().zip(&self.naturals).skip(usize::from(NO_WORD) + 1)
        {
            *place = natural - total;
        }
    }

    /// The logarithm of a word's probability, by the number of its frequency; not a number for
    /// [`NO_WORD`].
    #[inline]
    pub(super) fn logarithm(&self, word: u16) -> f64 {
        self.logarithms[usize::from(word)]
    }

    /// The logarithm of the probability of a character with which no word begins.
    #[inline]
    pub(super) fn unknown(&self) -> f64 {
        self.unknown
    }
}

/// The content of a file, column by column.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Content {
    /// The sum of all frequencies, and the bits of its logarithm.
    pub(super) total: Vec<u64>,
    /// The Han characters in the order of their codes.
    pub(super) characters: Vec<u64>,
    /// The distinct frequencies by their numbers.
    pub(super) frequencies: Vec<u64>,
    /// The bits of the logarithms of the frequencies: other machines might compute others.
    pub(super) logarithms: Vec<u64>,
    /// The bits of the model's initial logarithms and of its transitions, row by row.
    pub(super) model: Vec<u64>,
    /// For each state the negative logarithms of the model's characters in millionths, or
    /// [`NEVER_EMITTED`].
    pub(super) emissions: [Vec<u64>; 4],
    /// The number of places of the double array, as the only one.
    pub(super) places: Vec<u64>,
    /// For each node its code, less that of its elder sibling.
    pub(super) codes: Vec<u64>,
    /// For each node the number of its word's frequency.
    pub(super) words: Vec<u64>,
    /// For the root and each node the number of children.
    pub(super) children: Vec<u64>,
    /// For each node with children its base.
    pub(super) bases: Vec<u64>,
}

impl Content {
    /// The columns with the bytes that their numbers take.
    fn columns(&mut self) -> [(&mut Vec<u64>, usize); 14] {
        let [first, second, third, fourth] = &mut self.emissions;
        [
            (&mut self.total, 8),
            (&mut self.characters, 4),
            (&mut self.frequencies, 8),
            (&mut self.logarithms, 8),
            (&mut self.model, 8),
            (first, 4),
            (second, 4),
            (third, 4),
            (fourth, 4),
            (&mut self.places, 4),
            (&mut self.codes, 2),
            (&mut self.words, 2),
            (&mut self.children, 2),
            (&mut self.bases, 3),
        ]
    }

    /// The file.
    pub(super) fn pack(&mut self) -> Vec<u8> {
        let mut content = Vec::new();
        for (numbers, width) in self.columns() {
            content.extend((numbers.len() as u32).to_le_bytes());
            for byte in 0..width {
                content.extend(numbers.iter().map(|number| (number >> (8 * byte)) as u8));
            }
        }
        let packed =
            zstd::bulk::compress(&content, 22).expect("compression into memory cannot fail");
        let rest = [&(content.len() as u64).to_le_bytes(), packed.as_slice()].concat();
        [MAGIC, &VERSION.to_le_bytes(), &xxh3_64(&rest).to_le_bytes(), &rest].concat()
    }

    /// Reads a file of [`Content::pack`].
    pub(super) fn unpack(file: &[u8]) -> Result<Content, &'static str> {
        let rest = file.strip_prefix(MAGIC).ok_or("not a dictionary prepared by nearprint")?;
        let (version, rest) = rest.split_first_chunk().ok_or("an incomplete dictionary")?;
        if u32::from_le_bytes(*version) != VERSION {
            return Err("a dictionary of another version");
        }
        let (hash, rest) = rest.split_first_chunk().ok_or("an incomplete dictionary")?;
        if xxh3_64(rest) != u64::from_le_bytes(*hash) {
            return Err("a damaged dictionary");
        }
        let (length, packed) = rest.split_first_chunk().ok_or("an incomplete dictionary")?;
        let content = zstd::bulk::decompress(packed, u64::from_le_bytes(*length) as usize);
        content.ok().and_then(|content| Content::columns_of(&content)).ok_or("a damaged dictionary")
    }

    fn columns_of(mut rest: &[u8]) -> Option<Content> {
        let mut content = Content::default();
        for (numbers, width) in content.columns() {
            let (count, after) = rest.split_first_chunk()?;
            let count = u32::from_le_bytes(*count) as usize;
            let (bytes, after) = after.split_at_checked(count.checked_mul(width)?)?;
            numbers.resize(count, 0);
            for (byte, plane) in bytes.chunks_exact(count.max(1)).enumerate() {
                for (number, part) in numbers.iter_mut().zip(plane) {
                    *number |= u64::from(*part) << (8 * byte);
                }
            }
            rest = after;
        }
        rest.is_empty().then_some(content)
    }

    fn trie(&self) -> Trie {
        let mut trie = Trie::with_places(self.places[0] as usize);
        let mut nodes = self.codes.iter().zip(&self.words).zip(&self.children[1..]);
        let mut bases = self.bases.iter();
        // Nodes whose children come next, in order.
        let mut parents = std::collections::VecDeque::from([(ROOT, self.children[0])]);
        while let Some((parent, children)) = parents.pop_front() {
            let mut code = 0;
            for ((step, word), grandchildren) in nodes.by_ref().take(children as usize) {
                code += step;
                let base = match grandchildren {
                    0 => LEAF,
                    _ => *bases.next().expect("a base for every node with children") as u32,
                };
                trie.set(parent, code as u16, base, *word as u16);
                if *grandchildren > 0 {
                    parents.push_back((base, *grandchildren));
                }
            }
        }
        trie
    }
}
