//! Codes of characters, one after the other -> the words that begin there: a double array (Aoe
//! 1989).
//!
//! Every prefix of a word is a node and has a place in one array. A node with longer prefixes has a
//! *base*. The node for the next code is at `base ^ code`, if the node at this place is for this
//! code. No two nodes share a base, so place and code determine the parent.
//!
//! Most steps lead nowhere. So each place has a tag of one byte as well, the lower half of the code
//! of its node, and the node is read only if the tag is right. The tags of the default dictionary
//! take half a megabyte and stay in a core's own cache. Its nodes, of 8 bytes, take 4 megabytes,
//! and a text touches only the nodes of its own words.
//!
//! Reference: J. Aoe, "An efficient digital search algorithm by using a double-array structure",
//! IEEE Transactions on Software Engineering 15(9), 1989.

use std::hint::select_unpredictable;

use super::characters::CODES;

/// The base of the root. Its children fill the first block, which belongs to them alone.
pub(super) const ROOT: u32 = 0;
/// The base of a node without children: no place is `LEAF ^ code`.
pub(super) const LEAF: u32 = u32::MAX;
/// The number that stands for no word in place of a frequency.
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
    /// An empty trie with this number of places, and one more that stays free.
    pub(super) fn with_places(places: usize) -> Trie {
        assert!(places <= LEAF as usize - CODES, "the dictionary is too large for 32 bits");
        Trie { tags: vec![0; places + 1], nodes: vec![Node::NOTHING; places + 1] }
    }

    /// The columns that walks read.
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

    /// The place of the node for `code` under the node with this base.
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

    /// The taken places with the bases of their nodes.
    pub(super) fn taken(&self) -> impl Iterator<Item = (usize, u32)> {
        self.nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.code() != 0)
            .map(|(place, node)| (place, node.base()))
    }

    /// The number of places.
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

/// A trie whose two columns are known to have equal lengths.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    tags: &'a [u8],
    nodes: &'a [Node],
}

impl View<'_> {
    /// The node for `code` under the root; a leaf that is no word if there is none.
    #[inline]
    pub(super) fn first(self, code: u16) -> Node {
        self.nodes[usize::from(code)]
    }

    /// The node for `code` under the node with this base; a leaf that is no word if there is none.
    ///
    /// The processor cannot predict whether there is a node, and a misprediction costs more than
    /// all else, so there must be no branch on it.
    #[inline]
    pub(super) fn step(self, base: u32, code: u16) -> Node {
        // A step from a leaf leads to the last place, which is free.
        let place = (base ^ u32::from(code)) as usize;
        let place = select_unpredictable(base == LEAF, self.tags.len() - 1, place);
        // Place 0 would be that of the root's child for code 0, which no character of a word has.
        let place = select_unpredictable(self.tags[place] == code as u8, place, 0);
        let node = self.nodes[place];
        select_unpredictable(node.code() == code, node, Node::NOTHING)
    }
}
