//! A few marks, or marks of one kind -> one sentence about what follows from them.
//!
//! A proposal of a bound needs many marks of both kinds ([`proposal`](super::proposal)). Fewer of
//! them still tell the direction. No bound is named whose precision on the marks is less than that
//! of the run's bound.

use std::collections::{BTreeMap, BTreeSet};

use super::proposal::{Bound, Mark, accepted, best};
use super::run::Fields;
use crate::message;
use crate::message::{Message, Setting};
use crate::write::reports::{JUST_MISSED, REMOVED};

/// A field that would keep wrong pairs apart, and the number of those that differ in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guard {
    pub field: String,
    pub wrong: u64,
}

/// The sentence, for a run with the least similarity `today`; `None` without marks.
pub(super) fn advice(marks: &[Mark], today: f64, guard: Option<&Guard>) -> Option<Message> {
    let now = accepted(marks, today);
    let right = marks.iter().filter(|mark| mark.right).count() as u64;
    let (all, wrong) = (marks.len() as u64, now.taken - now.hits);
    if all == 0 {
        return None;
    }
    if now.taken == 0 {
        return Some(message![format!(
            "all marks are on pairs below the bound; mark some of {REMOVED} too"
        )]);
    }
    let removals = match now.taken {
        1 => "the marked removal is right".to_string(),
        taken => format!("all {taken} marked removals are right"),
    };
    if wrong == 0 {
        let below = all - now.taken;
        let lower = best(marks, right, |bound| bound.bound < today && bound.hits == bound.taken);
        return Some(match (below, lower) {
            (0, _) => {
                let are = match all {
                    1 => "the only mark is".to_string(),
                    _ => format!("all {all} marks are"),
                };
                let rest = "right: the bound could be lower; mark pairs of";
                message![format!("{are} {rest} {JUST_MISSED}")]
            }
            (_, Some(Bound { bound, .. })) => message![format!(
                "{removals}, and {} of {below} marked pairs below the bound are: lower the bound \
                 to {bound}",
                right - now.hits
            )],
            (_, None) => message![format!(
                "{removals}, and the nearest marked pair below the bound is wrong: the bound fits \
                 the marks"
            )],
        });
    }
    let removals = if now.taken == 1 { "removal" } else { "removals" };
    let are = if wrong == 1 { "is" } else { "are" };
    let mut sentence = format!("{wrong} of {} marked {removals} {are} wrong: ", now.taken);
    // A bound that accepts a larger share of right pairs.
    let is_better =
        |bound: &Bound| bound.bound > today && bound.hits * now.taken > now.hits * bound.taken;
    let raised = best(marks, right, is_better);
    let in_words = |Guard { field, wrong }: &Guard| {
        let differ = if *wrong == 1 { "wrong pair differs" } else { "of the wrong pairs differ" };
        (field.clone(), format!(" ({wrong} {differ} in it)"))
    };
    Some(match (raised, guard.map(in_words)) {
        (Some(bound), None) => message![sentence + "raise the bound to ", bound.bound.to_string()],
        (Some(bound), Some((field, count))) => message![
            sentence + "raise the bound to ",
            bound.bound.to_string(),
            ", or guard by the field with ",
            Setting::with("same", field),
            count
        ],
        (None, Some((field, count))) => {
            message![sentence + "guard by the field with ", Setting::with("same", field), count]
        }
        (None, None) => {
            sentence += "no higher bound is more precise on the marks; use ";
            message![
                sentence,
                Setting::named("marks"),
                " to keep these apart, or guard by a field with ",
                Setting::named("same")
            ]
        }
    })
}

/// The field in which most wrong pairs differ and no right one does. A field with more values than
/// half of the documents is none: it would keep nearly all pairs apart. `pairs` are the ids of
/// marked pairs, with true for right.
pub(super) fn guard(
    pairs: &[([String; 2], bool)],
    fields: &BTreeMap<String, Fields>,
) -> Option<Guard> {
    let known: Vec<(&Fields, &Fields, bool)> = pairs
        .iter()
        .filter_map(|([left, right], verdict)| {
            Some((fields.get(left)?, fields.get(right)?, *verdict))
        })
        .collect();
    let wrong = known.iter().filter(|(_, _, right)| !right).count() as u64;
    let names: BTreeSet<&String> = fields.values().flat_map(BTreeMap::keys).collect();
    let guard = |field: &String| {
        let values: BTreeSet<Option<String>> =
            fields.values().map(|own| own.get(field).map(|value| format!("{value:?}"))).collect();
        let differs =
            |(left, right, _): &&(&Fields, &Fields, bool)| left.get(field) != right.get(field);
        let (mut wrong, mut right) = (0, 0);
        for pair in known.iter().filter(differs) {
            *if pair.2 { &mut right } else { &mut wrong } += 1;
        }
        let recurs = 2 * values.len() <= fields.len();
        (recurs && right == 0).then(|| Guard { field: field.clone(), wrong })
    };
    let mut guards: Vec<Guard> = names.into_iter().filter_map(guard).collect();
    guards.retain(|guard| 2 * guard.wrong >= wrong && guard.wrong > 0);
    // Of several the first by name.
    guards.into_iter().min_by_key(|guard| std::cmp::Reverse(guard.wrong))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::FieldValue;

    fn marks(list: &[(u32, bool)]) -> Vec<Mark> {
        let mark = |(hundredths, right): &(u32, bool)| Mark {
            similarity: f64::from(*hundredths) / 100.0,
            right: *right,
        };
        list.iter().map(mark).collect()
    }

    fn said(list: &[(u32, bool)], guard: Option<&Guard>) -> String {
        advice(&marks(list), 0.75, guard).map_or(String::new(), |advice| advice.to_string())
    }

    #[test]
    fn each_kind_of_marks_has_its_sentence() {
        let wrong: Vec<(u32, bool)> = (75..86).map(|at| (at, false)).chain([(86, true)]).collect();
        let guard = Guard { field: "source".into(), wrong: 10 };
        assert_eq!(
            said(&wrong, Some(&guard)),
            "11 of 12 marked removals are wrong: raise the bound to 0.86, or \
             guard by the field with same = \"source\" (10 of the wrong pairs differ in it)"
        );
        let all_wrong: Vec<(u32, bool)> = (75..80).map(|at| (at, false)).collect();
        assert!(said(&all_wrong, None).starts_with("5 of 5 marked removals are wrong: no higher"));
        let right: Vec<(u32, bool)> = (80..92).map(|at| (at, true)).collect();
        assert_eq!(
            said(&right, None),
            "all 12 marks are right: the bound could be lower; mark pairs of just_missed.jsonl"
        );
        let below = [(80, true), (74, true), (70, true), (69, false)];
        assert_eq!(
            said(&below, None),
            "the marked removal is right, and 2 of 3 marked pairs below the bound are: lower the \
             bound to 0.7"
        );
        assert!(said(&[(80, true), (74, false)], None).ends_with("the bound fits the marks"));
        assert!(said(&[(70, true)], None).starts_with("all marks are on pairs below"));
        assert_eq!(said(&[], None), "");
    }

    #[test]
    fn a_guard_keeps_wrong_pairs_apart_and_right_ones_together() {
        let fields = |source: &str, url: &str| -> Fields {
            let text = |text: &str| FieldValue::Text(text.to_string());
            [("source".to_string(), text(source)), ("url".to_string(), text(url))].into()
        };
        let documents: BTreeMap<String, Fields> = [
            ("a".to_string(), fields("x", "1")),
            ("b".to_string(), fields("y", "2")),
            ("c".to_string(), fields("x", "3")),
            ("d".to_string(), fields("y", "3")),
        ]
        .into();
        let pair = |left: &str, right: &str, is| ([left.to_string(), right.to_string()], is);
        let found = guard(&[pair("a", "b", false)], &documents);
        assert_eq!(found, Some(Guard { field: "source".into(), wrong: 1 }));
        let found = guard(&[pair("a", "b", false), pair("b", "c", true)], &documents);
        assert_eq!(found, None);
    }

    proptest! {
        #[test]
        fn no_named_bound_is_less_precise_than_the_bound_of_the_run(
            list in proptest::collection::vec((40u32..100, any::<bool>()), 0..40),
        ) {
            let sentence = said(&list, None);
            let named = sentence.split(" the bound to ").nth(1);
            if let Some(bound) = named.and_then(|rest| rest.split(',').next()) {
                let [now, then] =
                    [0.75, bound.parse().unwrap()].map(|bound| accepted(&marks(&list), bound));
                prop_assert!(then.hits * now.taken >= now.hits * then.taken, "{}", sentence);
            }
        }
    }
}
