//! Families of a query against their definition, and the work of a query.

use std::cell::Cell;

use super::*;
use crate::random::Random;

/// Records that count the searches and the records that are read one by one.
struct Counted {
    records: Records,
    searches: Cell<usize>,
    reads: Cell<usize>,
}

impl Counted {
    fn new(records: &[Record]) -> Counted {
        let mut own = Records::new(4);
        (0..).zip(records).for_each(|(number, record)| own.push(number, record));
        Counted { records: own, searches: Cell::new(0), reads: Cell::new(0) }
    }
}

impl Collection for Counted {
    fn parts(&self) -> impl Iterator<Item = (RecordsIn<'_>, Option<Tables<'_>>)> {
        self.records.parts()
    }

    fn has(&self, _: u32) -> bool {
        true
    }

    fn record(&self, number: u32) -> Option<Record> {
        self.reads.set(self.reads.get() + 1);
        self.records.record(number)
    }

    fn near(&self, words: &[u64; 4], most: u32, asking: &mut Asking) -> Vec<Met> {
        self.searches.set(self.searches.get() + 1);
        self.records.near(words, most, asking)
    }
}

/// The record of a long text with this hash and one word of a fingerprint.
fn record(text_hash: u128, word: u64) -> Record {
    let words = Some([word, 0, 0, 0]);
    Record::of(text_hash, Kind::new(true, false, false), None, words, 256)
}

/// Asks for the family of each document near a query: the numbers of searches and of records read.
fn work(records: &[Record], query: Record) -> (usize, usize) {
    let (rules, collection) = (Rules::default(), Counted::new(records));
    let mut among = Among::new(&collection, &rules, query);
    let near = among.near();
    assert_eq!(near.len(), records.len());
    for met in &near {
        let _ = among.are_in_family(met.number, true);
    }
    (collection.searches.get(), collection.reads.get())
}

#[test]
fn a_query_counts_neighbors_without_a_square_of_its_near_copies() {
    for copies in [100, 200, 400] {
        let each_its_own: Vec<Record> =
            (1..=copies).map(|text| record(text, text as u64)).collect();
        assert_eq!(work(&each_its_own, record(0, 0)), (1, 0), "{copies} texts");
        // A text that has many copies is near, and one more.
        for texts in [1, 2] {
            let copies: Vec<Record> = (0..copies).map(|copy| record(1 + copy % texts, 7)).collect();
            let expected = (1 + texts as usize, copies.len());
            assert_eq!(work(&copies, record(0, 0)), expected, "copies of {texts} texts");
        }
    }
}

#[test]
fn families_are_those_of_the_definition() {
    let mut random = Random::new(11);
    let rules = Rules { max_distance: Some(6), ..Rules::default() };
    for _ in 0..300 {
        let texts: Vec<u64> = (0..8).map(|_| random.next() & random.next() & 0xfff).collect();
        let count = random.below(14) as usize;
        let of_text = |text: usize| record(text as u128, texts[text]);
        let all: Vec<Record> = (0..count).map(|_| of_text(random.below(8) as usize)).collect();
        let query = of_text(random.below(8) as usize);
        let distance = |one: &Record, other: &Record| (one.words[0] ^ other.words[0]).count_ones();
        let neighbors = |of: &Record| {
            let is_neighbor =
                |other: &&Record| other.text_hash != of.text_hash && distance(of, other) <= 6;
            let mut found: Vec<u128> =
                all.iter().filter(is_neighbor).map(|other| other.text_hash).collect();
            found.sort_unstable();
            found.dedup();
            found.len() as u8
        };
        let collection = Counted::new(&all);
        let mut among = Among::new(&collection, &rules, query);
        assert_eq!(among.is_in_family(), neighbors(&query) >= FAMILY);
        for (number, own) in (0..).zip(&all) {
            assert_eq!(among.neighbors(number), neighbors(own).min(FAMILY));
            for is_new in [false, true] {
                let expected =
                    neighbors(&query) >= FAMILY || neighbors(own) + u8::from(is_new) >= FAMILY;
                assert_eq!(among.are_in_family(number, is_new), expected);
            }
            let others = among.others(number);
            let is_neighbor = |other: &u32| distance(own, &all[*other as usize]) <= 6;
            assert!(others.iter().all(is_neighbor));
            assert_eq!(others.len() as u8, neighbors(own).min(FAMILY));
        }
    }
}
