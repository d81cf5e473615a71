//! Verdicts on pairs of texts, against the table of rules.

use proptest::prelude::*;

use super::*;
use crate::recipe::{Options, Recipe, Weigher};

/// A judge by these rules with the first text on the left, and both texts with all their parts.
fn prepared(rules: Rules, texts: [&str; 2]) -> (Judge, [Prepared; 2]) {
    let recipe = Recipe::new(Options::default()).unwrap();
    let (mut weigher, mut hasher) = (Weigher::without_corpus(&recipe), recipe.hasher());
    let documents = texts.map(|text| {
        let mut document = Prepared::default();
        let all = crate::recipe::Wanted { terms: true, places: true, alphanumeric: true };
        recipe.prepare(text, all, &mut document);
        document.teach(recipe.ngram(), &mut hasher);
        weigher.add_fingerprint(&mut document, &hasher);
        weigher.add_weights(&mut document);
        document.keep_short(rules.compared_when_short_below());
        document
    });
    let mut judge = Judge::new(rules);
    judge.set_left(&documents[0]);
    (judge, documents)
}

fn verdict(rules: Rules, texts: [&str; 2]) -> Verdict {
    let (mut judge, documents) = prepared(rules, texts);
    judge.verdict(&documents[1], None)
}

const LONG: &str =
    "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft";

#[test]
fn the_first_rule_that_applies_decides() {
    let rules = Rules::default();
    let other = "Half price on all garden chairs until the end of the month, while stocks last, in every shop";
    let near = format!("{LONG}, the harbour says");
    for (texts, name, basis) in [
        (["能力比学历重要", "能力比學歷重要"], "exact", Basis::Equality),
        ([" ", ""], "different", Basis::Nothing),
        (["twelve boxes", "twelve boxer"], "short", Basis::Characters),
        (["twelve boxes", "eleven chairs"], "different", Basis::Characters),
        (["twelve boxes", LONG], "different", Basis::Measure(Measure::Coverage)),
        ([LONG, &near], "contained", Basis::Measure(Measure::Coverage)),
        ([LONG, other], "different", Basis::Measure(Measure::Coverage)),
    ] {
        let verdict = verdict(rules, texts);
        assert_eq!((verdict.name(), verdict.basis), (name, basis), "{texts:?}: {verdict:?}");
    }
}

#[test]
fn bounds_are_inclusive() {
    let near = LONG.replace("cracked", "crooked");
    let found = verdict(Rules::default(), [LONG, &near]);
    let (distance, similarity) = (found.distance.unwrap(), found.similarity);
    let duplicates = |max_distance, min_similarity| {
        let rules = Rules { max_distance: Some(max_distance), min_similarity, ..Rules::default() };
        verdict(rules, [LONG, &near]).duplicates
    };
    assert!(distance > 0 && similarity < 1.0);
    assert!(duplicates(distance, similarity));
    assert!(!duplicates(distance - 1, similarity));
    assert!(!duplicates(distance, similarity + 1e-9));
}

#[test]
fn the_bound_of_short_documents_allows_for_rounding() {
    // 14 of 200 pairs of characters are broken. As a floating-point number 1 - 14 / 200 is a little
    // less than 0.93.
    let left: String = ('一'..).take(99).collect();
    let right: String = left.chars().take(93).chain("zzzzzz".chars()).collect();
    let rules = Rules { min_similarity: 0.93, min_features: 200, ..Rules::default() };
    let found = verdict(rules, [&left, &right]);
    assert!(found.duplicates && found.reason == Reason::Short, "{found:?}");
    let rules = Rules { min_similarity: 0.94, ..rules };
    assert!(!verdict(rules, [&left, &right]).duplicates);
}

#[test]
fn absent_parts_give_no_similarity() {
    let rules = Rules::default();
    let (mut judge, mut documents) =
        prepared(rules, [LONG, "The ferry returns on Sunday after nine weeks of repairs"]);
    documents[1].alphanumeric.forget();
    assert_eq!(judge.at_least(&documents[1], Some(0), 0.0), None);
    let verdict = judge.verdict(&documents[1], Some(0));
    assert_eq!((verdict.duplicates, verdict.basis), (false, Basis::Nothing));
}

#[test]
fn without_a_measure_the_distance_alone_decides() {
    let rules = Rules { measure: Measure::None, min_similarity: 1.0, ..Rules::default() };
    let found = verdict(rules, [LONG, &format!("{LONG}, the harbour says")]);
    assert!(found.duplicates && found.similarity < 1.0, "{found:?}");
}

proptest! {
    #[test]
    fn a_quick_verdict_is_the_whole_one(
        left in "(一|two|three|四|ferry|[a-d]{1,3})( (one|two|三|4|boat|[a-d]{1,2})){0,40}",
        edits in proptest::collection::vec((0usize..40, "[a-d]{1,3}"), 0..6),
        measure in 0usize..6,
        min_similarity in 0.3f64..1.0,
    ) {
        let mut words: Vec<&str> = left.split(' ').collect();
        for (place, word) in &edits {
            let place = place % words.len();
            words[place] = word;
        }
        let right = words.join(" ");
        let measures =
            [Measure::Coverage, Measure::Jaccard, Measure::Containment, Measure::Cosine, Measure::Minhash, Measure::None];
        let rules = Rules { measure: measures[measure], min_similarity, ..Rules::default() };
        let (mut judge, documents) = prepared(rules, [&left, &right]);
        let whole = judge.verdict(&documents[1], None);
        // The second comparison of a document looks at its windows first.
        for in_family in [false, false, true] {
            let quick = judge.duplicate(&documents[1], None, in_family);
            let whole = if in_family { whole.of_family(judge.rules()) } else { whole };
            prop_assert_eq!(quick, Some(whole).filter(|verdict| verdict.duplicates));
        }
        // The other order gives the same verdict.
        let (mut judge, documents) = prepared(rules, [&right, &left]);
        prop_assert_eq!(judge.verdict(&documents[1], None).swapped(), whole);
    }
}
