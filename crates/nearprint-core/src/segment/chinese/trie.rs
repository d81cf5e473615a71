//! Codes of characters, one after the other -> the words that begin there: a double array [Aoe
//! 1989].
//!
//! Every prefix of a word is a node and has a place in one array. A node with longer prefixes has a
//! *base*; the node for the next code is at `base ^ code`, and it is there only if the node at this
//! place is for this code. No two nodes share a base, so place and code determine whose child it
//! is.
//!
//! Most steps lead nowhere. So each place has a tag of one byte besides, the lower half of the code
//! of the node there, and only where the tag is right the node is looked at. The tags of the
//! default dictionary are half a megabyte and stay in a core's own cache; its nodes, of 8 bytes,
//! are 4 megabytes, of which a text touches those of its own words.
//!
//! Reference: J. Aoe, "An efficient digital search algorithm by using a double-array structure",
//! IEEE Transactions on Software Engineering 15(9), 1989.

use std::hint::select_unpredictable;

use super::characters::CODES;

/// The base of the root. Its children fill the first block, which belongs to them alone.
pub(super) const ROOT: u32 = 0;
/// The base of a node without children: no place is `LEAF ^ code`.
pub(super) const LEAF: u32 = u32::MAX;
/// The number of the frequency of a node that is no word.
pub(super) const NO_WORD: u16 = 0;

/// A prefix of words: base (32 bits), number of its word's frequency (16 bits), code (16 bits).
#[derive(Debug, Clone, Copy)]
pub(super) struct Node(u64);

impl Node {
    /// A leaf that is no word, for no code.
    const NOTHING: Node = Node(LEAF as u64);

    #[inline]
    pub(super) fn base(self) -> u32 {
        self.0 as u32
    }

    /// The number of the frequency of the word that ends here, or [`NO_WORD`].
    #[inline]
    pub(super) fn word(self) -> u16 {
        (self.0 >> 32) as u16
    }

    #[inline]
    fn code(self) -> u16 {
        (self.0 >> 48) as u16
    }
}

/// All prefixes of all words.
#[derive(Debug, Clone)]
pub(super) struct Trie {
    tags: Vec<u8>,
    nodes: Vec<Node>,
}

impl Trie {
    /// An empty one with that many places, and one more that stays free.
    pub(super) fn with_places(places: usize) -> Trie {
        assert!(places <= LEAF as usize - CODES, "the dictionary is too large for 32 bits");
        Trie { tags: vec![0; places + 1], nodes: vec![Node::NOTHING; places + 1] }
    }

    /// The data that walks need.
    #[inline]
    pub(super) fn view(&self) -> View<'_> {
        let nodes = self.nodes.as_slice();
        View { tags: &self.tags[..nodes.len()], nodes }
    }

    /// The number of the frequency of a word, or [`NO_WORD`].
    pub(super) fn word(&self, codes: &[u16]) -> u16 {
        let (mut base, mut word) = (ROOT, NO_WORD);
        for code in codes {
            if base == LEAF {
                return NO_WORD;
            }
            let node = self.view().step(base, *code);
            (base, word) = (node.base(), node.word());
        }
        word
    }

    /// The base of the node at a place.
    pub(super) fn base(&self, place: usize) -> u32 {
        self.nodes[place].base()
    }

    /// Where the node for `code` under the node with this base is.
    pub(super) fn child(&self, base: u32, code: u16) -> Option<usize> {
        let place = (base ^ u32::from(code)) as usize;
        (base != LEAF && self.nodes[place].code() == code).then_some(place)
    }

    /// Makes room for `places` places.
    pub(super) fn widen(&mut self, places: usize) {
        self.tags.resize(places + 1, 0);
        self.nodes.resize(places + 1, Node::NOTHING);
    }

    /// Puts a leaf in its place, which is free.
    pub(super) fn put(&mut self, base: u32, code: u16) -> usize {
        self.set(base, code, LEAF, NO_WORD);
        (base ^ u32::from(code)) as usize
    }

    /// Moves a child to the place that it has under another base.
    pub(super) fn move_child(&mut self, from: u32, to: u32, code: u16) {
        let old = (from ^ u32::from(code)) as usize;
        let node = self.nodes[old];
        self.set(to, code, node.base(), node.word());
        (self.tags[old], self.nodes[old]) = (0, Node::NOTHING);
    }

    /// Gives the node at a place another base.
    pub(super) fn set_base(&mut self, place: usize, base: u32) {
        self.nodes[place].0 = self.nodes[place].0 & !u64::from(u32::MAX) | u64::from(base);
    }

    /// Gives the node at a place another number.
    pub(super) fn set_word(&mut self, place: usize, word: u16) {
        self.nodes[place].0 = self.nodes[place].0 & !(0xffff << 32) | u64::from(word) << 32;
    }

    /// The places that are taken with the bases of their nodes.
    pub(super) fn taken(&self) -> impl Iterator<Item = (usize, u32)> {
        self.nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.code() != 0)
            .map(|(place, node)| (place, node.base()))
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Puts a node in its place.
    pub(super) fn set(&mut self, parent: u32, code: u16, base: u32, word: u16) {
        let place = (parent ^ u32::from(code)) as usize;
        self.tags[place] = code as u8;
        self.nodes[place] = Node(u64::from(base) | u64::from(word) << 32 | u64::from(code) << 48);
    }
}

/// A trie with its two columns seen to be of one length.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    tags: &'a [u8],
    nodes: &'a [Node],
}

impl View<'_> {
    /// The node for `code` under the root; where there is none, a leaf that is no word.
    #[inline]
    pub(super) fn first(self, code: u16) -> Node {
        self.nodes[usize::from(code)]
    }

    /// The node for `code` under the node with this base; where there is none, a leaf that is no
    /// word.
    ///
    /// Whether there is one cannot be guessed, so there must be no branch on it: a wrong guess
    /// costs more than all else.
    #[inline]
    pub(super) fn step(self, base: u32, code: u16) -> Node {
        // Under a leaf is the last place, which is free.
        let place = (base ^ u32::from(code)) as usize;
        let place = select_unpredictable(base == LEAF, self.tags.len() - 1, place);
        // Place 0 would be that of the root's child for code 0, which no character of a word has.
        let place = select_unpredictable(self.tags[place] == code as u8, place, 0);
        let node = self.nodes[place];
        select_unpredictable(node.code() == code, node, Node::NOTHING)
    }
}
