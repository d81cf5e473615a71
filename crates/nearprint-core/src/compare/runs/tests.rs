//! The runs against a plain search, and their properties.

use proptest::prelude::*;

use super::super::windows::Windows;
use super::*;
use crate::normalize::size;

fn found(read: &str, other: &str, length: u32) -> Runs {
    let texts = [read.as_bytes(), other.as_bytes()];
    let (mut table, mut runs) = (WindowTable::default(), Runs::default());
    table.hold(texts[1], size(other), length);
    let between = Between::of(texts, size(read), length);
    let held = Held { table: &mut table, text: texts[1], size: size(texts[1]), from: 0 };
    assert!(runs.find(texts, between, held, u32::MAX));
    let (chain, moved) = (runs.chain.clone(), runs.moved.clone());
    // A table of the part between alone gives the same runs.
    let part = between.part(texts[1]);
    table.hold(part, size(part), length);
    let held = Held { table: &mut table, text: part, size: size(part), from: between.first() };
    assert!(runs.find(texts, between, held, u32::MAX));
    assert_eq!((&runs.chain, &runs.moved), (&chain, &moved));
    runs
}

/// The runs between equal ends, by a search over all places of all windows.
fn plainly(read: &str, other: &str, length: u32) -> Vec<Run> {
    let (size, [read, other]) = (size(read), [read.as_bytes(), other.as_bytes()]);
    let Between { ends: [first, last], size } = Between::of([read, other], size, length);
    let [read, other] = [read, other].map(|text| &text[first..text.len() - last]);
    let mut taken = vec![false; other.len()];
    let (mut ends, mut found) = ([0, 0], Vec::new());
    let mut windows = Windows::new(read, size, length);
    let windows: Vec<(usize, usize)> =
        std::iter::from_fn(|| windows.next()).filter(|_| size.letters >= length).collect();
    let best = |start: usize, past: usize, taken: &[bool], ends: [usize; 2]| {
        let goes_on = ends[1] + start - ends[0];
        let places = (0..other.len())
            .filter(|at| other[*at..].starts_with(&read[start..past]) && is_boundary(other, *at));
        let places = places
            .clone()
            .filter(|at| *at == goes_on)
            .chain(places.filter(|at| *at != goes_on).take(TRIED));
        let runs = places.filter_map(|at| {
            let pairs = read[start..].iter().zip(other[at..].iter().zip(&taken[at..]));
            let mut bytes =
                pairs.take_while(|(read, (other, taken))| read == other && !**taken).count();
            while !is_boundary(&read[start..], bytes) {
                bytes -= 1;
            }
            let order = if at == goes_on { GOES_ON } else { usize::from(at >= ends[1]) * LATER };
            let nearness = usize::MAX - at.abs_diff(ends[1]).min(FAR);
            (bytes >= past - start).then_some((
                bytes + order,
                nearness,
                usize::from(at == goes_on),
                usize::MAX - at,
                bytes,
            ))
        });
        let goes_on_for_long =
            |run: &(usize, usize, usize, usize, usize)| run.2 == 1 && run.4 >= GOES_ON;
        let runs: Vec<_> = runs.collect();
        let best = runs.iter().copied().find(goes_on_for_long).or_else(|| runs.into_iter().max());
        best.map(|run| (usize::MAX - run.3, run.4))
    };
    for (start, past) in &windows {
        let Some((mut at, mut bytes)) =
            best(*start, *past, &taken, ends).filter(|_| *start >= ends[0])
        else {
            continue;
        };
        let mut later = windows.iter().filter(|(later, _)| start < later && *later < start + bytes);
        let is_longer = |(start, past): &(usize, usize)| {
            best(*start, *past, &taken, ends).is_some_and(|(_, own)| own > 2 * bytes)
        };
        if bytes < SHORT * (past - start) && later.any(is_longer) {
            continue;
        }
        let mut own = *start;
        while own > ends[0] && at > 0 && read[own - 1] == other[at - 1] && !taken[at - 1] {
            (own, at, bytes) = (own - 1, at - 1, bytes + 1);
        }
        while !is_boundary(read, own) {
            (own, at, bytes) = (own + 1, at + 1, bytes - 1);
        }
        taken[at..at + bytes].fill(true);
        found
            .push(Run { starts: [(first + own) as u32, (first + at) as u32], bytes: bytes as u32 });
        ends = [own + bytes, at + bytes];
    }
    found
}

proptest! {
    #[test]
    fn the_runs_are_those_of_the_plain_way(
        read in "([a-e]{1,9}|[a-c]{1,4}|[天地]{1,4}|abcabcabcabc){0,40}", cuts in proptest::collection::vec((0usize..200, 0usize..60, 0usize..200), 0..6),
        own in "[a-e天]{0,9}", length in 3u32..=10,
    ) {
        let mut other: Vec<char> = read.chars().collect();
        for (from, count, to) in cuts {
            let from = from.min(other.len());
            let part: Vec<char> = other.drain(from..(from + count).min(other.len())).collect();
            let to = to.min(other.len());
            other.splice(to..to, own.chars().chain(part));
        }
        let other: String = other.into_iter().collect();
        let (read, other) = if size(&other).letters < size(&read).letters { (other, read) } else { (read, other) };
        let length = length.min(size(&read).letters.max(1));
        let runs = found(&read, &other, length);
        let plain = plainly(&read, &other, length);
        let mut all: Vec<Run> = runs.chain.iter().chain(&runs.moved).copied().collect();
        all.sort_unstable_by_key(|run| run.starts[0]);
        let Between { ends: [first, last], .. } = Between::of([read.as_bytes(), other.as_bytes()], size(&read), length);
        all.retain(|run| !(first > 0 && run.starts == [0, 0] || last > 0 && run.range(0).end == read.len() && run.bytes as usize == last));
        prop_assert_eq!(all, plain);
    }

    #[test]
    fn every_letter_is_in_one_run_at_most(left in "[ab天]{0,60}", right in "[ab天]{0,60}", length in 2u32..6) {
        let runs = found(&left, &right, length);
        let mut taken = [vec![false; left.len()], vec![false; right.len()]];
        prop_assert!(runs.chain.is_sorted_by_key(|run| run.starts[0]) && runs.chain.is_sorted_by_key(|run| run.starts[1]));
        for run in runs.chain.iter().chain(&runs.moved) {
            prop_assert_eq!(&left[run.range(0)], &right[run.range(1)]);
            for (text, taken) in taken.iter_mut().enumerate() {
                prop_assert!(!taken[run.range(text)].contains(&true));
                taken[run.range(text)].fill(true);
            }
        }
    }

    #[test]
    fn a_run_within_other_text_is_found(before in "[a-d]{0,30}", run in "[w-z]{10,40}", after in "[e-h]{0,30}") {
        let (left, right) = (format!("{before}{run}"), format!("{run}{after}"));
        let runs = found(&left, &right, 10);
        prop_assert_eq!(&runs.chain, &vec![Run { starts: [before.len() as u32, 0], bytes: run.len() as u32 }]);
    }
}

#[test]
fn the_lighter_of_two_runs_in_another_order_was_moved() {
    let (long, short) = ("thisisthelongerofthetwo", "ashorterrun");
    let runs = found(&format!("{long}1{short}2"), &format!("3{short}45{long}"), 10);
    assert_eq!(runs.chain, [Run { starts: [0, 14], bytes: 23 }]);
    assert_eq!(runs.moved, [Run { starts: [24, 1], bytes: 11 }]);
}

#[test]
fn what_stands_often_in_the_equal_beginning_is_found_behind_it() {
    let phrase = "thesamewordsagain";
    let before = phrase.repeat(300);
    // Both tables of the other text have the phrase. An "i" before it is in no window of both
    // texts.
    let runs =
        found(&format!("{before}1i{phrase}2345"), &format!("{before}67890o{phrase}abcdefgh"), 10);
    assert_eq!(runs.chain.last().unwrap().bytes as usize, phrase.len());
}

#[test]
fn one_phrase_again_and_again_is_one_run() {
    let phrase = "thesamewordsagain";
    let runs = found(&phrase.repeat(100), &phrase.repeat(101), 10);
    assert_eq!(runs.chain.iter().map(|run| run.bytes).sum::<u32>(), 1700);
}
