//! Two documents of a finished run, with the judge's verdict on them -> a sentence that says whether
//! and why they are merged, and the details.

use nearprint_core::compare::Measure;
use nearprint_core::judge::{Basis, Reason, Rules};
use nearprint_core::recipe::Recipe;
use nearprint_core::view::{Shown, View, only_unseen_differ};
use serde::Serialize;

use super::marks::{UsedMark, mark_of};
use super::ranked::why_higher;
use crate::compare::{
    self, Comparison, ignored_in_words, in_a_family, measure_name as name, verdict_in_words,
    what_counts, why_different, without_a_family,
};
use crate::corpus::guarding;
use crate::document::{FieldValue, Id};
use crate::finished::{Finished, FoundDocument, Missed, Removed};
use crate::message;
use crate::message::{Message, Setting};
use crate::shares::{Percent, Similarity};
use crate::shown_fields::{ShowFields, ShownFields};

/// Two documents of a run, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The id of the first one.
    pub left: Id,
    /// The id of the second one.
    pub right: Id,
    /// The names of the two in `why`: their ids, with their files and rows if the ids are equal.
    pub names: [String; 2],
    /// The fields to show beside the first one.
    pub left_fields: ShownFields,
    /// The fields to show beside the second one.
    pub right_fields: ShownFields,
    /// True if one of them was removed for the other, or both for a third one.
    pub merged: bool,
    /// The judge's verdict on the two: `exact`, `near`, `contained`, `short`, or `different`.
    pub verdict: &'static str,
    /// The measure of the run: `coverage`, `jaccard`, …; short documents are compared by their
    /// characters.
    pub measure: Measure,
    /// The similarity that the verdict compares with the bound, 0 to 1.
    pub similarity: f64,
    /// The share of both texts that stands in the other one, 0 to 1, if coverage compares them. It
    /// is more than the similarity if a rule keeps the two apart.
    pub share: Option<f64>,
    /// The least similarity of duplicates in the run; `None` if the distance of the fingerprints
    /// decides alone.
    pub min_similarity: Option<f64>,
    /// The Hamming distance of their fingerprints in bits; `None` if one of the two is short.
    pub distance: Option<u32>,
    /// The largest distance of candidates; `None` if there was no search.
    pub max_distance: Option<u32>,
    /// The distance to which every pair was found; `None` if there was no search.
    pub complete_distance: Option<u32>,
    /// The share of each that stands nowhere in the other one, 0 to 1, if the texts were compared.
    pub lost: Option<[f64; 2]>,
    /// The verdict of the run with its reason, in a sentence; then details.
    pub why: Vec<Message>,
    /// If one was removed since it contains the other: the first and the last character of that
    /// place, counted from 0.
    pub place: Option<[u32; 2]>,
    /// The two texts, piece by piece; of a text with a `place` only that.
    pub view: Shown,
}

impl Pair {
    /// Explains a pair of documents with their removals, if they were removed, and with the run's
    /// report on the pair, if they just missed each other.
    pub(super) fn new(
        finished: &Finished,
        (recipe, rules): (&Recipe, &Rules),
        found: [&FoundDocument; 2],
        removals: [Option<&Removed>; 2],
        missed: Option<&Missed>,
        compared: Comparison,
        show: &ShowFields,
    ) -> Pair {
        let one_for_other = [(0, 1), (1, 0)].into_iter().find_map(|(one, other)| {
            let removed = removals[one]?;
            let keeper = (&removed.keeper_file, removed.keeper_row);
            (keeper == (&found[other].place.file, found[other].place.row)).then_some((one, removed))
        });
        let for_third = match removals {
            [Some(left), Some(right)] if left.cluster == right.cluster => Some(&left.keeper),
            _ => None,
        };
        // The report of the run is valid for the pair that it names.
        let reported = one_for_other.map(|(_, removed)| (removed.similarity, removed.distance));
        let reported = reported.or(missed.map(|missed| (missed.similarity, missed.distance)));
        let similarity = reported.map_or(compared.similarity, |(similarity, _)| similarity);
        let by_distance_alone = match one_for_other {
            Some((_, removed)) => is_by_distance_alone(rules, removed),
            None => compared.judged.basis == Basis::Measure(Measure::None),
        };
        let mark = mark_of(finished, found.map(|found| &found.id));
        let wrong = mark.as_ref().filter(|mark| !mark.right);
        let names = names(found);
        let mut why = match (one_for_other, for_third) {
            (Some((one, removed)), _) => {
                let names = [&*names[one], &*names[1 - one]];
                let mut why = merged(finished, rules, removed, names, mark.as_ref());
                let pair = [found[one], found[1 - one]];
                why.extend(why_higher(&finished.config.keep.policy, recipe, pair, names));
                why
            }
            (None, Some(keeper)) => {
                vec![
                    message![format!(
                        "{} and {} are both removed for {keeper}",
                        names[0], names[1]
                    )],
                    verdict_in_words(rules, &compared.judged, compared.in_family),
                ]
            }
            (None, None) => {
                let mut why = match wrong {
                    Some(UsedMark { place, .. }) => vec![
                        message![format!("marked as wrong by a person, in {place}")],
                        verdict_in_words(rules, &compared.judged, compared.in_family),
                    ],
                    None => {
                        not_merged(finished, rules, (found, &names), removals, missed, &compared)
                    }
                };
                let but =
                    if why.len() == 1 && compared.judged.duplicates { ", but " } else { ": " };
                let first = why.remove(0);
                let pair = format!("{} and {} are not merged{but}", names[0], names[1]);
                why.insert(0, message![pair, first]);
                why
            }
        };
        let place =
            one_for_other.and_then(|(one, removed)| Some((one, [removed.first?, removed.last?])));
        // An item is looked for in the whole text.
        if place.is_none() {
            why.extend(ignored_in_words(compared.ignored, names.each_ref().map(String::as_str)));
        }
        let view = match place {
            Some((one, place)) => passage(recipe, found, one, place),
            None => compared.view,
        };
        let difference = view.difference.filter(|_| compared.judged.reason != Reason::Exact);
        why.extend(
            difference
                .and_then(|difference| what_counts(&difference))
                .map(|counts| message![counts]),
        );
        why.extend(
            only_unseen_differ(&found[0].text, &found[1].text).map(|unseen| message![unseen]),
        );
        Pair {
            left: found[0].id.clone(),
            right: found[1].id.clone(),
            names: names.clone(),
            left_fields: show.of(|name| found[0].fields.get(name)),
            right_fields: show.of(|name| found[1].fields.get(name)),
            merged: one_for_other.is_some() || for_third.is_some(),
            verdict: match (one_for_other, missed) {
                (Some((_, removed)), _) => removed.reason.name(),
                (None, Some(_)) => "different",
                (None, None) => compared.verdict,
            },
            measure: rules.measure,
            similarity,
            share: reported.is_none().then(|| compared.judged.share()).flatten(),
            min_similarity: (!by_distance_alone).then_some(rules.min_similarity),
            distance: reported.map_or(compared.judged.distance, |(_, distance)| distance),
            max_distance: finished.max_distance,
            complete_distance: finished.complete_distance,
            lost: compared.lost,
            why,
            place: place.map(|(_, place)| place),
            view,
        }
    }
}

/// The names of two documents in sentences: their ids, with their places if the ids are equal.
fn names(found: [&FoundDocument; 2]) -> [String; 2] {
    let are_equal = found[0].id.to_string() == found[1].id.to_string();
    found.map(|found| match are_equal {
        true => format!("{} ({})", found.id, found.place),
        false => found.id.to_string(),
    })
}

/// The view of an item and of its place in one of the two documents.
fn passage(recipe: &Recipe, found: [&FoundDocument; 2], one: usize, place: [u32; 2]) -> Shown {
    let mut texts = found.map(|found| &found.text[..]);
    texts[one] = characters(texts[one], place);
    // For an item inside of a document all shared text counts.
    View::new(texts, recipe.normalizer(), Basis::Measure(Measure::None)).with_texts(texts)
}

/// The characters of a text from the first to the last of a place.
pub(super) fn characters(text: &str, [first, last]: [u32; 2]) -> &str {
    let byte = |character: u32| {
        text.char_indices().nth(character as usize).map_or(text.len(), |(byte, _)| byte)
    };
    &text[byte(first)..byte(last.saturating_add(1)).max(byte(first))]
}

/// Returns true if the distance of their fingerprints alone decides about a document and its
/// keeper.
fn is_by_distance_alone(rules: &Rules, removed: &Removed) -> bool {
    rules.measure == Measure::None && removed.reason == Reason::Near
}

/// Returns true if a document is no duplicate of its keeper, and only other documents link the two.
fn is_in_chain(finished: &Finished, rules: &Rules, removed: &Removed) -> bool {
    let distances = removed.distance.zip(finished.max_distance);
    let is_too_far = distances.is_some_and(|(distance, most)| distance > most);
    let is_unlike =
        !is_by_distance_alone(rules, removed) && removed.similarity < rules.min_similarity;
    removed.reason.has_bound() && (is_too_far || is_unlike)
}

/// The reason why a document was removed for its keeper. `names` are those of the two.
fn merged(
    finished: &Finished,
    rules: &Rules,
    removed: &Removed,
    names: [&str; 2],
    mark: Option<&UsedMark>,
) -> Vec<Message> {
    let ([id, keeper], similarity) = (names, Similarity(removed.similarity));
    let of = |removal: Message| message![format!("{id} is removed for {keeper}: "), removal];
    let least = rules.min_similarity;
    let reached = format!("similarity {similarity}, the minimum is {least}");
    let by_distance_alone = is_by_distance_alone(rules, removed);
    let mut why = vec![of(match removed.reason {
        _ if is_in_chain(finished, rules, removed) => message![format!(
            "other documents link them in a chain of duplicates (components); their own similarity \
             is {similarity}"
        )],
        Reason::Near if by_distance_alone => compare::by_distance_alone(similarity),
        Reason::Exact => "exact, their texts are equal after normalization".into(),
        Reason::Marked => match mark {
            Some(UsedMark { place, .. }) => message![format!(
                "marked as right by a person, in {place}; their similarity is {similarity}"
            )],
            // Through other documents, or in a file that has changed.
            None => message![format!(
                "marks of a person link them; their own similarity is {similarity}"
            )],
        },
        Reason::Contains => message!["it contains that document, ", reached],
        reason => message![reason.name(), ", ", reached],
    })];
    match (removed.reason, removed.first, removed.last) {
        (Reason::Near, ..) if !by_distance_alone => {
            why.push(message![format!("their similarity is by {}", name(rules.measure))]);
        }
        (Reason::Contained, ..) => {
            why.push(message!["one contains nearly all of the other"]);
        }
        (Reason::Short, ..) => {
            why.push(message!["one of them is short, so their characters are compared"]);
        }
        (Reason::Contains, Some(first), Some(last)) => {
            why.push(message![format!("{id} contains {keeper} in characters {first} to {last}")]);
        }
        _ => {}
    }
    if let Some(share) =
        removed.share.filter(|share| Similarity(*share).thousandths() > similarity.thousandths())
    {
        // Outside of a family a text may lose more, so the similarity would be higher.
        let of_family = removed.similarity + 1e-5 < 2.0 * share - 1.0;
        let since = match of_family {
            true => {
                "one of the two has three or more near neighbors, which limits what a removal may \
                 lose"
            }
            false => "one of them has a part that the other lacks",
        };
        let share = Percent(share);
        why.push(message![format!(
            "the two texts share {share} of their letters; this counts as {similarity}, since \
             {since}"
        )]);
    }
    if let (Some(distance), Some(most), true) =
        (removed.distance, finished.max_distance, removed.reason != Reason::Exact)
    {
        why.push(message![format!(
            "their fingerprints differ in {distance} bits; the maximum for candidates is {most}"
        )]);
    }
    if let Some(lost) = removed.lost.filter(|_| removed.reason != Reason::Exact) {
        why.push(message![format!("{} of {id} is missing from {keeper}", Percent(lost))]);
    }
    why
}

/// The reasons why two documents were not merged, one or more.
fn not_merged(
    finished: &Finished,
    rules: &Rules,
    (found, names): ([&FoundDocument; 2], &[String; 2]),
    removals: [Option<&Removed>; 2],
    missed: Option<&Missed>,
    compared: &Comparison,
) -> Vec<Message> {
    let judged = &compared.judged;
    let mut why = Vec::new();
    if !finished.against.is_empty() && found[0].of_against == found[1].of_against {
        let against = Setting::named("against");
        why.push(message![against, " compares documents only with reference documents"]);
    }
    let values = found.map(|found| &found.fields);
    if let Some((setting, field)) = guarding(&finished.config, values) {
        let value = |side: usize| values[side].get(field).map_or("no value".to_string(), in_words);
        let guard = Setting::with(setting, message::Value::Word(field.to_string().into()));
        why.push(message![guard, format!(" keeps them apart: {} and {}", value(0), value(1))]);
    }
    if let Some(Missed { similarity, .. }) = missed {
        let (measure, similarity) = (name(rules.measure), Similarity(*similarity));
        let by = rules.min_similarity - similarity.thousandths();
        why.push(message![format!(
            "in the run their similarity by {measure} was {similarity}, which is {by:.3} less than {}",
            rules.min_similarity
        )]);
        return why;
    }
    if !judged.duplicates {
        why.push(why_different(rules, judged));
        why.extend(without_a_family(rules, judged));
        return why;
    }
    for (name, removed) in names.iter().zip(removals) {
        if let Some(removed) = removed {
            why.push(message![format!(
                "{name} was removed for {}, which ranks higher; each document has one keeper",
                removed.keeper
            )]);
        }
    }
    if let (Some(most), Some([left, right])) = (finished.config.decide.max_lost, judged.lost)
        && left.max(right) > most
    {
        let setting = Setting::named("max-lost");
        why.push(message![
            setting,
            format!(
                " may keep them apart: a removal would lose {} of {}, or {} of {}, and the limit \
                 is {}",
                Percent(left),
                names[0],
                Percent(right),
                names[1],
                Percent(most)
            )
        ]);
    }
    if let (Some(distance), Some(complete)) = (judged.distance, finished.complete_distance)
        && distance > complete
    {
        why.push(message![format!(
            "their fingerprints differ in {distance} bits; the search finds every pair within \
             {complete} bits, but only a part of the pairs beyond, so it may have missed this one"
        )]);
    }
    why.push(verdict_in_words(rules, judged, compared.in_family));
    if compared.in_family.is_none() {
        why.extend(in_a_family(rules, judged));
    }
    why
}

/// A value in words.
fn in_words(value: &FieldValue) -> String {
    match value {
        FieldValue::Text(text) => format!("\"{text}\""),
        FieldValue::Tokens(_) => "tokens".to_string(),
        value => value.to_string(),
    }
}
