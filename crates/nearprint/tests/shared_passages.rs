//! Passages planted in real texts: exact ones against brute force, and copies with a twentieth of
//! their letters edited.
//!
//! The texts are those of a folder of corpora, `NEARPRINT_CORPORA`, or of the folder beside the
//! checkout. Without them the tests are skipped. `NEARPRINT_DOCUMENTS` is the number of documents.

mod corpora;

use std::collections::HashMap;
use std::io::Write;

use nearprint::passage::{Chooser, Gathered, Letters, Part, PassageOptions, Stretch, coverage};
use nearprint::{Config, Deduplicator, Documents, Silent};
use nearprint_core::normalize::{Normalizer, Options, size_of};
use xxhash_rust::xxh3::xxh3_64;

use corpora::texts;

/// The least length of a passage in letters.
const LENGTH: u32 = 100;

/// Pseudo-random numbers (SplitMix64), the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

fn normalizer() -> Normalizer {
    Normalizer::new(Options { addresses: false, ..Options::default() })
}

/// The windows of letters: their bytes.
fn windows(letters: &str) -> Vec<[usize; 2]> {
    let mut ends = vec![(0, 0)];
    for c in letters.chars() {
        let (byte, size) = ends[ends.len() - 1];
        ends.push((byte + c.len_utf8(), size + 1 + u32::from(c >= '\u{2e80}')));
    }
    let window = |start: &(usize, u32)| {
        let end = ends.partition_point(|(_, size)| *size < start.1 + LENGTH);
        Some([start.0, ends.get(end)?.0])
    };
    ends.iter().map_while(window).collect()
}

/// The coverage of each document, by counting all windows of all documents.
fn oracle(letters: &[String]) -> Vec<Vec<Part>> {
    let all: Vec<Vec<[usize; 2]>> = letters.iter().map(|letters| windows(letters)).collect();
    let mut hashed: Vec<(u64, u32)> = Vec::new();
    let hash = |document: usize, [start, end]: [usize; 2]| {
        xxh3_64(&letters[document].as_bytes()[start..end])
    };
    for (document, windows) in all.iter().enumerate() {
        hashed.extend(windows.iter().map(|window| (hash(document, *window), document as u32)));
    }
    hashed.sort_unstable();
    hashed.dedup();
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for equal in hashed.chunk_by(|one, other| one.0 == other.0).filter(|equal| equal.len() > 1) {
        counts.insert(equal[0].0, equal.len() as u32);
    }
    let covered = |(document, windows): (usize, &Vec<[usize; 2]>)| {
        let stretch = |[start, end]: &[usize; 2]| {
            let documents = *counts.get(&hash(document, [*start, *end]))?;
            Some(Stretch { document: 0, start: *start as u32, end: *end as u32, documents })
        };
        coverage(&windows.iter().filter_map(stretch).collect::<Vec<_>>())
    };
    all.iter().enumerate().map(covered).collect()
}

fn number_of_documents(usual: usize) -> usize {
    std::env::var("NEARPRINT_DOCUMENTS").map_or(usual, |number| number.parse().unwrap())
}

/// A part of a text that begins and ends between characters.
fn part_of<'t>(text: &'t str, characters: usize, numbers: &mut Numbers) -> &'t str {
    let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let first = numbers.below(bounds.len().saturating_sub(characters).max(1));
    &text[bounds[first]..bounds[(first + characters).min(bounds.len() - 1)]]
}

fn skip() {
    std::io::stderr().write_all(b"SKIPPED: there are no corpora\n").unwrap();
}

#[test]
fn exact_passages_in_real_texts_are_found_as_by_brute_force() {
    let half = number_of_documents(20_000) / 2;
    let (Some(english), Some(chinese), Some(other), Some(other_chinese)) = (
        texts("en_reuters21578", half),
        texts("zh_xwlb", half),
        texts("en_tos", 300),
        texts("zh_lctt", 300),
    ) else {
        return skip();
    };
    let mut documents = [english, chinese].concat();
    let mut numbers = Numbers(1);
    let mut planted: Vec<(usize, String)> = Vec::new();
    for _ in 0..200 {
        let of = if numbers.below(2) == 0 { &other } else { &other_chinese };
        let length = 100 + numbers.below(200);
        let passage = part_of(&of[numbers.below(of.len())], length, &mut numbers).to_string();
        for _ in 0..2 + numbers.below(4) {
            let document = numbers.below(documents.len());
            let text = &mut documents[document];
            let at = text.floor_char_boundary(numbers.below(text.len() + 1));
            text.insert_str(at, &passage);
            planted.push((document, passage.clone()));
        }
    }
    let normalizer = normalizer();
    let letters: Vec<String> =
        documents.iter().map(|text| Letters::new(text, &normalizer).letters).collect();
    let folder = std::env::temp_dir();
    let mut gathered = Gathered::new(LENGTH, &folder, false).unwrap();
    let mut chooser = Chooser::new(LENGTH);
    for (own, number) in letters.iter().zip(0..) {
        let mut chosen = Vec::new();
        chooser.choose(own.as_bytes(), 0, &mut chosen);
        gathered.push(number, own.as_bytes(), &chosen).unwrap();
    }
    gathered.finish().unwrap();
    let stretches = gathered.stretches(2, u64::MAX, &folder, false, |_| Ok(())).unwrap();
    let mut by_document: Vec<Vec<Stretch>> = vec![Vec::new(); documents.len()];
    for stretch in stretches.iter() {
        let stretch = stretch.unwrap();
        by_document[stretch.document as usize].push(stretch);
    }
    let found: Vec<Vec<Part>> = by_document.iter().map(|own| coverage(own)).collect();
    let expected = oracle(&letters);
    let differing = found.iter().zip(&expected).filter(|(found, expected)| found != expected);
    assert_eq!(differing.count(), 0, "of {} documents", documents.len());
    // Every planted passage that is long enough, and that no later one was planted into, is covered.
    let mut long = 0;
    for (document, passage) in &planted {
        let own = Letters::new(passage, &normalizer).letters;
        let Some(start) = letters[*document].find(&own) else { continue };
        if windows(&own).is_empty()
            || planted.iter().filter(|(_, other)| other == passage).count() < 2
        {
            continue;
        }
        let others = planted
            .iter()
            .filter(|(other, text)| text == passage && letters[*other].contains(&own));
        let mut others: Vec<usize> = others.map(|(other, _)| *other).collect();
        others.sort_unstable();
        others.dedup();
        if others.len() < 2 {
            continue;
        }
        long += 1;
        let parts = &found[*document];
        let is_covered = |byte: usize| parts.iter().any(|part| part.bytes.contains(&byte));
        // A window begins at each letter, so the last narrow one may lie behind all windows.
        assert!((start..start + own.len() - 1).all(is_covered), "{passage}");
    }
    assert!(long > 300, "{long} passages were planted");
}

#[test]
fn copies_with_a_twentieth_of_their_letters_edited_are_found() {
    let half = number_of_documents(20_000) / 2;
    let (Some(english), Some(chinese), Some(other), Some(other_chinese)) = (
        texts("en_reuters21578", half),
        texts("zh_xwlb", half),
        texts("en_tos", 300),
        texts("zh_lctt", 300),
    ) else {
        return skip();
    };
    let mut documents = [english, chinese].concat();
    let normalizer = normalizer();
    let mut numbers = Numbers(2);
    let mut edited: Vec<(usize, usize)> = Vec::new();
    let is_long = |paragraph: &&str| {
        let letters = Letters::new(paragraph, &normalizer).letters;
        (LENGTH..900).contains(&size_of(letters.as_bytes(), false).letters)
    };
    for number in 0..300.min(half / 10) {
        let of = if number % 2 == 0 { &other } else { &other_chinese };
        let text = &of[numbers.below(of.len())];
        let paragraphs: Vec<&str> = text.split("\n").filter(is_long).collect();
        if paragraphs.is_empty() {
            continue;
        }
        let passage = paragraphs[numbers.below(paragraphs.len())].trim();
        for copy in 0..4 {
            let document = numbers.below(documents.len());
            let own = if copy < 2 { passage.to_string() } else { edit(passage, &mut numbers) };
            if copy >= 2 {
                edited.push((document, documents[document].chars().count() + 2));
            }
            documents[document] += &format!("\n\n{own}");
        }
    }
    let options = PassageOptions { max_lost: 1.0, ..PassageOptions::default() };
    let finder = Deduplicator::new(Config::default()).unwrap();
    let shared = finder.shared_passages(Documents::texts(documents), &options, &Silent).unwrap();
    let mut places: HashMap<usize, Vec<[u32; 2]>> = HashMap::new();
    for place in shared.found.places.iter() {
        let place = place.unwrap();
        places.entry(place.document as usize).or_default().push(place.characters);
    }
    let is_found = |(document, start): &&(usize, usize)| {
        let start = *start as u32;
        places
            .get(document)
            .into_iter()
            .flatten()
            .any(|[first, end]| *first <= start && start < *end)
    };
    let found = edited.iter().filter(is_found).count();
    let line = format!("{found} of {} edited copies found\n", edited.len());
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    // A copy may have more edits in one of its passages than a twentieth.
    assert!(found * 100 >= edited.len() * 98, "{line}");
}

/// A copy of a passage with a twentieth of its letters replaced, inserted or left out.
fn edit(passage: &str, numbers: &mut Numbers) -> String {
    let mut characters: Vec<char> = passage.chars().collect();
    let letters = Letters::new(passage, &normalizer()).letters.chars().count();
    for _ in 0..letters / 20 {
        let at = loop {
            let at = numbers.below(characters.len());
            // The last letter stays, so that a copy ends where its passage does.
            if characters[at].is_alphanumeric() && at + 3 < characters.len() {
                break at;
            }
        };
        let letter = match characters[at].is_ascii() {
            true => char::from(b'a' + numbers.below(26) as u8),
            false => char::from_u32(0x4e00 + numbers.below(5_000) as u32).unwrap(),
        };
        match numbers.below(3) {
            0 => characters[at] = letter,
            1 => characters.insert(at, letter),
            _ => _ = characters.remove(at),
        }
    }
    characters.into_iter().collect()
}
