//! The items that are found in a document, against the shares of every run.

use nearprint_core::compare;
use proptest::prelude::*;

use super::super::shares::tests::shares;
use super::super::{Index, Items};
use super::*;

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn index(texts: &[String], min_similarity: f64) -> Index {
    let mut items = Items::new(min_similarity, 20);
    texts
        .iter()
        .enumerate()
        .for_each(|(number, text)| items.add(number as u32, text, letters(text).as_bytes()));
    items.index()
}

fn find(index: &Index, text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    Finder::new(index).find(text, letters(text).as_bytes(), &mut found);
    found
}

/// Words without figures. A sentence has each at most once, so the coverage is no less
/// than the share.
const WORDS: [&str; 16] = [
    "harbor", "window", "copper", "lantern", "meadow", "quartz", "velvet", "timber", "signal",
    "barley", "cobalt", "orchid", "puzzle", "fjords", "glimpse", "whisky",
];

fn sentence(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    (Just(WORDS.to_vec()).prop_shuffle(), words).prop_map(|(words, count)| words[..count].join(" "))
}

/// Beginnings of many items, which share no word with the sentences.
const BEGINNINGS: [&str; 3] = [
    "",
    "choose among these answers that best one",
    "which following statement about europe says more",
];

/// True if a text has some four letters twice.
fn repeats(run: &[u8]) -> bool {
    let (mut seen, mut letters) = (std::collections::HashSet::new(), run.windows(4));
    !letters.all(|four| seen.insert(four))
}

proptest! {
    #[test]
    fn every_item_is_found_of_which_a_run_shares_enough(
        items in prop::collection::vec((0..BEGINNINGS.len(), sentence(4..12)), 1..60),
        parts in prop::collection::vec((sentence(0..8), 0usize..60, prop::collection::vec((0usize..20, sentence(0..2)), 0..4)), 0..4),
        tenths in 5u32..=10,
    ) {
        let min_similarity = f64::from(tenths) / 10.0;
        let items: Vec<String> = items.iter().map(|(from, own)| format!("{} {own}", BEGINNINGS[*from])).collect();
        let index = index(&items, min_similarity);
        let mut text = String::new();
        for (before, item, edits) in &parts {
            let mut words: Vec<&str> = items[item % items.len()].split_whitespace().collect();
            for (place, own) in edits {
                let place = place % words.len();
                words[place] = own;
            }
            text = format!("{text} {before} {}", words.join(" "));
        }
        let found = find(&index, &text);
        let document = letters(&text);
        let mut suspects = Suspects::new(&index);
        suspects.find(document.as_bytes());
        let suspected: Vec<u32> = suspects.found.iter().map(|(item, _)| *item).collect();
        // The items that stand in the text, and some others.
        let looked_at: std::collections::BTreeSet<usize> =
            parts.iter().map(|(_, item, ..)| item % items.len()).chain(0..items.len().min(3)).collect();
        for number in looked_at {
            let item = &items[number];
            let own = letters(item);
            let share = |of: f64| (own.len() as f64 * of - 1e-6).ceil() as usize;
            let shares = shares(own.as_bytes(), document.as_bytes());
            let most = shares.iter().copied().max().unwrap_or(0);
            // Other items that share more may fill a place.
            let is_full = found.len() >= usize::from(FOUND_AT_A_PLACE);
            let is_found = found.iter().any(|found| found.item == number as u32);
            let is_suspected = suspected.contains(&(number as u32));
            prop_assert!(most < index.items()[number].least || is_suspected, "{item}: {most} of {}", own.len());
            // The coverage counts repeated letters once, and no run of few letters.
            let counts_less = shares.iter().position(|share| *share == most).is_some_and(|start| {
                let run = &document[start..document.len().min(start + own.len())];
                repeats(run.as_bytes()) || compare::coverage(&own, run) < min_similarity
            });
            prop_assert!(most < share(min_similarity) || is_found || is_full || counts_less, "{item}: {most} of {}", own.len());
            prop_assert!(!is_found || most >= share(min_similarity * 2.0 / 3.0), "{item}: {most} of {}", own.len());
        }
        prop_assert!(found.is_sorted_by_key(|found| (found.item, found.place.start)));
    }
}

#[test]
fn one_letter_all_through_overflows_nothing() {
    let item = "a".repeat(40_000);
    let found = find(&index(std::slice::from_ref(&item), 0.75), &item.repeat(2));
    assert!(found.iter().all(|found| found.item == 0 && found.place.len() >= 30_000), "{found:?}");
}

#[test]
fn an_item_is_found_in_the_middle_whole_and_edited() {
    let item = "Janet's ducks lay sixteen eggs per day, and she eats three of them for breakfast every morning"
        .to_lowercase();
    let index = index(std::slice::from_ref(&item), 0.75);
    let edited = item.replace("lay", "produce").replace("morning", "dawn");
    for (item, least) in [(&item, 1.0), (&edited, 0.8)] {
        let text = format!("a puzzle {item} can you solve it");
        let found = find(&index, &text);
        assert_eq!(found.len(), 1, "{text}");
        assert!(found[0].similarity >= least, "{found:?}");
        assert!(letters(&text)[found[0].place.clone()].starts_with("janet"), "{found:?}");
    }
    assert_eq!(
        find(
            &index,
            "ducks lay eggs every morning, and three of them are for breakfast each day of the week"
        ),
        []
    );
}

#[test]
fn an_item_is_found_in_a_document_that_is_a_little_shorter() {
    let item = "the harbor window is of copper and the lantern in the meadow burns all the night"
        .to_string();
    let index = index(std::slice::from_ref(&item), 0.75);
    let found = find(&index, &item.replace("is of", "of"));
    assert!(found[0].similarity > 0.9 && found[0].similarity < 1.0, "{found:?}");
    assert_eq!(found[0].place, 0..letters(&item).len() - 2);
    assert_eq!(find(&index, "the harbor window is of copper and the lantern"), []);
}

#[test]
fn edited_letters_at_its_ends_belong_to_the_item() {
    let item =
        "which of these hormones is secreted by the gland that lies below the brain of a mouse"
            .to_string();
    let index = index(std::slice::from_ref(&item), 0.75);
    let text = "they asked whicj of theese hormones is secreted by the gland that lies below the braain of a mouse and left";
    let found = find(&index, text);
    let own = letters(
        "whicj of theese hormones is secreted by the gland that lies below the braain of a mouse",
    );
    assert_eq!(letters(text)[found[0].place.clone()], own);
}

#[test]
fn of_items_that_differ_in_a_word_those_that_share_most_are_found() {
    let item = |number: usize| {
        let own = WORDS[number % 16].repeat(1 + number / 16);
        format!(
            "in the following passage choose the option that best describes the meaning of {own}"
        )
    };
    let items: Vec<String> = (0..200).map(item).collect();
    let index = index(&items, 0.75);
    for number in [0, 77, 199] {
        let found = find(&index, &format!("so {} or not", items[number]));
        assert!(found.len() <= 2 * usize::from(FOUND_AT_A_PLACE), "{}", found.len());
        assert!(
            found.iter().any(|found| found.item == number as u32 && found.similarity == 1.0),
            "{found:?}"
        );
    }
}

#[test]
fn copies_one_after_the_other_are_found_each_for_itself() {
    let item = "a bakery sells loaves in the morning and twice as many in the afternoon. how many loaves does it sell a day?";
    let index = index(&[item.to_string()], 0.75);
    let places = |text: &str| -> Vec<String> {
        let found = find(&index, text);
        found.into_iter().map(|found| letters(text)[found.place].to_string()).collect()
    };
    let (start, later, end) = (&item[..90], &item[12..], &item[22..]);
    for between in
        ["", "keep it", "keep this sentence for me", "and keep this one until the last bun is old"]
    {
        for (one, other) in [(later, item), (item, later), (start, item), (item, end), (end, item)]
        {
            let text = format!(
                "exercises for the third week: {one} {between} {other} after that measure the sides of your desk"
            );
            assert_eq!(places(&text), [letters(one), letters(other)], "{text}");
        }
    }
}

#[test]
fn a_remark_between_items_of_one_template_belongs_to_neither() {
    let item = |[who, what]: [&str; 2]| {
        format!(
            "for which of these two scenarios is the action of the main character clearly wrong by the standards of \
            today? scenario one: i {who} before the meeting began. scenario two: i {what} and told nobody about it"
        )
    };
    let all = [
        ["sold my car", "found a purse"],
        ["ate an apple", "kept a secret"],
        ["sold my car", "kept a secret"],
    ];
    let all = all.map(item);
    let index = index(&all, 0.75);
    let remark = "keep this remark of the teacher about the two questions, please.";
    let text = format!("exercises: {} {remark} {} and now rest", all[0], all[1]);
    let (document, remark) = (letters(&text), letters(remark));
    let there = document.find(&remark).unwrap();
    let remark = there..there + remark.len();
    let found = find(&index, &text);
    assert_eq!(found.iter().filter(|found| found.similarity == 1.0).count(), 2, "{found:?}");
    for Found { place, .. } in found {
        assert!(place.end <= remark.start || place.start >= remark.end, "{}", &document[place]);
    }
}

#[test]
fn other_figures_make_another_item() {
    let item = "the shares of the company rose by 12 percent to 340 on monday in heavy trading"
        .to_string();
    let index = index(std::slice::from_ref(&item), 0.75);
    let text =
        |item: &str| format!("markets were mixed this week and {item} while others fell a little");
    assert_eq!(find(&index, &text(&item)).len(), 1);
    assert_eq!(find(&index, &text(&item.replace("12", "17").replace("340", "266"))), []);
}

#[test]
fn figures_before_the_run_of_a_passage_count() {
    let item = "it takes 3 helpers 92 minutes to sort pencils at the saturday market the baker \
        wants the work done in 31 minutes how many more helpers does the baker need if all work at \
        one speed"
        .to_string();
    let index = index(std::slice::from_ref(&item), 0.75);
    // The passage is longer than the item, so the run begins behind the first figures.
    let passage = item.replace("pencils", "loaves of rye bread and butter");
    let text = |passage: &str| {
        format!("to be handed in on paper before noon {passage} after that find a ruler")
    };
    assert_eq!(find(&index, &text(&passage)).len(), 1);
    let other = passage.replace("3 h", "2 h").replace("92", "67").replace("31", "39");
    assert_eq!(find(&index, &text(&other)), []);
}
