//! Coverage held against its definition, character by character.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn letters(c: char) -> u32 {
    if c >= '\u{2e80}' { 2 } else { 1 }
}

fn letters_of(text: &[char]) -> u32 {
    text.iter().map(|c| letters(*c)).sum()
}

/// The letters and digits of a text, and its figures.
fn parts(text: &str) -> (String, Vec<Figure>) {
    let (mut kept, mut found) = (String::new(), Vec::new());
    append_alphanumeric(text, &mut kept);
    figures(text, &mut found);
    (kept, found)
}

/// The characters of a text that lie in windows that the other one has as well.
fn marks(text: &[char], other: &[char], length: u32) -> Vec<bool> {
    let windows = |text: &[char]| -> Vec<(usize, Vec<char>)> {
        let long_enough = |window: &[char]| letters_of(window) >= length.min(letters_of(text));
        (0..text.len())
            .filter_map(|start| {
                let end = (start..=text.len()).find(|end| long_enough(&text[start..*end]))?;
                Some((start, text[start..end].to_vec()))
            })
            .collect()
    };
    let mut others: BTreeMap<Vec<char>, u32> = BTreeMap::new();
    for (_, window) in windows(other) {
        *others.entry(window).or_default() += 1;
    }
    let mut marks = vec![false; text.len()];
    for (start, window) in windows(text) {
        if let Some(left @ 1..) = others.get_mut(&window) {
            *left -= 1;
            marks[start..start + window.len()].fill(true);
        }
    }
    marks
}

fn covered(text: &[char], marks: &[bool], length: u32) -> Covered {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (place, marked) in marks.iter().enumerate() {
        match runs.last_mut() {
            Some((_, end)) if *marked && *end == place => *end += 1,
            _ if *marked => runs.push((place, place + 1)),
            _ => {}
        }
    }
    let solid: Vec<&(usize, usize)> =
        runs.iter().filter(|(start, end)| letters_of(&text[*start..*end]) >= SOLID * length).collect();
    let own = |range: std::ops::Range<usize>| -> u32 {
        range.filter(|place| !marks[*place]).map(|place| letters(text[place])).sum()
    };
    let (start, end, own_ends) = match (solid.first(), solid.last()) {
        (Some(first), Some(last)) => {
            let own_ends = own(0..first.0) + own(last.1..text.len());
            (letters_of(&text[..first.0]), letters_of(&text[last.1..]), own_ends)
        }
        _ => (0, 0, 0),
    };
    Covered {
        letters: letters_of(text),
        covered: letters_of(text) - own(0..text.len()),
        ends: start + end,
        own_ends,
        has_both_ends: start.min(end) > 0,
    }
}

/// The bytes of the characters that are marked.
fn passages(text: &str, marks: &[bool]) -> Vec<(usize, usize)> {
    let mut passages: Vec<(usize, usize)> = Vec::new();
    for ((start, c), _) in text.char_indices().zip(marks).filter(|(_, marked)| **marked) {
        match passages.last_mut() {
            Some((_, end)) if *end == start => *end += c.len_utf8(),
            _ => passages.push((start, start + c.len_utf8())),
        }
    }
    passages
}

/// The letters of each text that lie in windows that the other one has as well.
pub(in crate::verify) fn letters_in_passages(left: &str, right: &str) -> [u32; 2] {
    let texts = [left, right].map(|text| parts(text).0.chars().collect::<Vec<char>>());
    let length = passage_length(letters_of(&texts[0]).min(letters_of(&texts[1])));
    [0, 1].map(|side| {
        let (text, other) = (&texts[side], &texts[1 - side]);
        let marks = marks(text, other, length);
        text.iter().zip(marks).filter(|(_, marked)| *marked).map(|(c, _)| letters(*c)).sum()
    })
}

/// The definition, character by character.
fn plain(left: &str, right: &str) -> f64 {
    let parts = [parts(left), parts(right)];
    let texts = [0, 1].map(|side| parts[side].0.chars().collect::<Vec<char>>());
    if texts.iter().any(Vec::is_empty) {
        return 0.0;
    }
    let length = passage_length(letters_of(&texts[0]).min(letters_of(&texts[1])));
    let marks = [marks(&texts[0], &texts[1], length), marks(&texts[1], &texts[0], length)];
    let passages = [0, 1].map(|side| passages(&parts[side].0, &marks[side]));
    let with = |side: usize| {
        let (kept, figures) = &parts[side];
        let text = kept.as_bytes();
        Side { text, size: size_of(text, false), passages: &passages[side], figures }
    };
    let contradictions = contradictions(with(0), with(1), length, TOLERATED);
    let contradicted = lost(with(0), with(1), &contradictions);
    let covered = [0, 1].map(|side| covered(&texts[side], &marks[side], length));
    similarity(&covered[0], &covered[1], contradicted)
}

/// Two texts that share some pieces.
fn pair() -> impl Strategy<Value = (String, String)> {
    let piece = prop_oneof![
        "[a-c]{0,9}",
        "[a-z]{1,60}",
        "[天地人]{0,5}",
        "[éЖⰀ⺀𠀀]{0,8}",
        "[一-十]{1,30}",
        "[0-9]{1,9}",
        "[aé0天]{5,20}"
    ];
    let pieces = proptest::collection::vec((piece, any::<bool>(), any::<bool>()), 0..8);
    pieces.prop_map(|pieces| {
        let left = pieces.iter().filter(|piece| piece.1).map(|piece| piece.0.as_str()).collect();
        let right = pieces.iter().rev().filter(|piece| piece.2).map(|piece| piece.0.as_str()).collect();
        (left, right)
    })
}

proptest! {
    #[test]
    fn the_tables_follow_the_definition((left, right) in pair(), least in prop_oneof![Just(0.5), Just(0.8), Just(1.0), 0.0..1.0]) {
        let expected = plain(&left, &right);
        prop_assert_eq!(coverage(&left, &right), expected);
        prop_assert_eq!(coverage(&right, &left), expected);
        // With the left text in the table, and with the shorter one.
        for large in [LARGE, 0] {
            let mut coverage = Coverage { large, ..Coverage::default() };
            coverage.set_left(&left, parts(&left).0);
            for text in [&left, &right, &right, &left] {
                let expected = plain(&left, text);
                let found = coverage.at_least(text, parts(text).0, least);
                prop_assert_eq!(found, (expected >= least).then_some(expected));
            }
        }
    }
}

/// Two texts with beginnings and ends of their own around nearly the same.
fn framed() -> impl Strategy<Value = (String, String)> {
    let end = || prop_oneof!["[a-z]{0,90}", "[a-z0-9]{0,40}", "[天地人和你我他]{0,40}", "[éЖ0-9天a-z]{0,60}"];
    let body = prop_oneof!["[a-z ]{120,400}", "[一-十0-9]{60,200}"];
    (body, [end(), end(), end(), end()], 0usize..60).prop_map(|(body, ends, lost)| {
        let other: String = body.chars().enumerate().filter(|(at, _)| *at != lost).map(|(_, c)| c).collect();
        (format!("{}{body}{}", ends[0], ends[1]), format!("{}{other}{}", ends[2], ends[3]))
    })
}

proptest! {
    #[test]
    fn no_least_similarity_is_missed_by_a_hair((left, right) in framed()) {
        let expected = plain(&left, &right);
        let mut coverage = Coverage::default();
        coverage.set_left(&left, parts(&left).0);
        for least in [expected, expected.next_down(), expected.next_up(), 0.8] {
            let answer = coverage.at_least(&right, parts(&right).0, least);
            prop_assert_eq!(answer, (expected >= least).then_some(expected));
        }
    }
}

/// A text of this number of letters that has no passage in common with one of another seed.
fn words(seed: u64, letters: usize) -> String {
    let mut state = seed;
    let mut letter = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        char::from(b'a' + ((state >> 33) % 26) as u8)
    };
    (0..letters).map(|_| letter()).collect()
}

#[test]
fn the_table_of_a_huge_text_is_not_kept_nor_made_for_a_small_one() {
    let (huge, small) = (words(1, LARGE + 1), words(2, 1000));
    let mut coverage = Coverage::default();
    coverage.set_left(&huge, &huge);
    assert_eq!(coverage.at_least(&small, &small, 0.8), None);
    assert!(coverage.table.capacity() <= 4096);
    assert_eq!(coverage.at_least(&huge, &huge, 0.8), Some(1.0));
    assert!(coverage.table.capacity() > LARGE);
    coverage.set_left(&small, &small);
    assert_eq!((coverage.at_least(&small, &small, 0.8), coverage.table.capacity() <= 4096), (Some(1.0), true));
    assert!(coverage.left.capacity() <= MOST_KEPT);
}

#[test]
fn order_costs_nothing_and_half_a_text_a_half() {
    let (a, b) = (words(1, 1000), words(2, 1000));
    assert_eq!(coverage(&format!("{a}{b}"), &format!("{b}{a}")), 1.0);
    assert_eq!(coverage(&a, &format!("{a}{b}")), 0.5);
    assert_eq!(coverage(&a, &format!("{a}{}", words(3, 500))), 0.75);
    assert_eq!(coverage(&a, &b), 0.0);
}

#[test]
fn what_stands_once_covers_one_occurrence() {
    let a = words(1, 1000);
    assert_eq!(coverage(&a, &format!("{a}{a}")), 0.5);
}

#[test]
fn a_table_with_other_figures_is_another_table() {
    let table = |seed: u64| -> String {
        let rows = (0..20u64).map(|row| format!("{} {:05}\n", words(row, 10), (seed + row) * 7919 % 99_999));
        rows.collect()
    };
    assert!(coverage(&table(100), &table(200)) < 0.1);
    assert_eq!(coverage(&table(100), &table(100)), 1.0);
}

#[test]
fn beginnings_and_ends_count_a_third_where_both_texts_have_their_own() {
    let site = |seed: u64, text: &str| format!("{}{text}{}", words(seed, 200), words(seed + 1, 100));
    let (body, form) = (words(9, 700), words(10, 300));
    assert!((coverage(&site(1, &body), &site(3, &body)) - 0.875).abs() < 1e-12);
    // Where one of them has none, or none at one end, that is not the frame of a site, but more or other text.
    assert_eq!(coverage(&body, &site(3, &body)), 2.0 - 1700.0 / 1400.0);
    assert_eq!(coverage(&format!("{}{body}", words(1, 300)), &format!("{}{body}", words(2, 300))), 0.7);
    // A form filled in anew differs in the middle.
    let filled = |seed: u64| format!("{form}{}{form}{}{form}", words(seed, 150), words(seed + 1, 150));
    assert_eq!(coverage(&filled(20), &filled(30)), 0.75);
}
