//! Two documents of a finished run, with the judge's verdict on them -> the reasons why they were
//! merged or not, in sentences.

use nearprint_core::compare::Measure;
use nearprint_core::judge::{Reason, Rules};
use nearprint_core::view::{Shown, only_unseen_differ};
use serde::Serialize;

use crate::compare::{
    Comparison, in_a_family, measure_name as name, verdict_in_words, what_counts, why_different,
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
    /// The least similarity of duplicates in the run.
    pub min_similarity: f64,
    /// The Hamming distance of their fingerprints in bits; `None` if one of the two is short.
    pub distance: Option<u32>,
    /// The largest distance of candidates; `None` if there was no search.
    pub max_distance: Option<u32>,
    /// The distance to which every pair was found; `None` if there was no search.
    pub complete_distance: Option<u32>,
    /// The share of each that stands nowhere in the other one, 0 to 1, if the texts were compared.
    pub lost: Option<[f64; 2]>,
    /// The reasons, in sentences.
    pub why: Vec<Message>,
    /// The two texts, piece by piece.
    pub view: Shown,
}

impl Pair {
    /// Explains a pair of documents with their removals, if they were removed, and with the run's
    /// report on the pair, if they just missed each other.
    pub(super) fn new(
        finished: &Finished,
        rules: &Rules,
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
        let mut why = match (one_for_other, for_third) {
            (Some((one, removed)), _) => merged(finished, rules, removed, found[1 - one]),
            (None, Some(keeper)) => {
                vec![
                    message![format!("both were removed for the same keeper, {keeper}")],
                    verdict_in_words(rules, &compared.judged, compared.in_family),
                ]
            }
            (None, None) => not_merged(finished, rules, found, removals, missed, &compared),
        };
        let difference =
            compared.view.difference.filter(|_| compared.judged.reason != Reason::Exact);
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
            min_similarity: rules.min_similarity,
            distance: reported.map_or(compared.judged.distance, |(_, distance)| distance),
            max_distance: finished.max_distance,
            complete_distance: finished.complete_distance,
            lost: compared.lost,
            why,
            view: compared.view,
        }
    }
}

/// The reason why a document was removed for its keeper.
fn merged(
    finished: &Finished,
    rules: &Rules,
    removed: &Removed,
    keeper: &FoundDocument,
) -> Vec<Message> {
    let (id, similarity) = (&removed.id, Similarity(removed.similarity));
    let of = |removal: String| message![format!("{id} was removed for {}: ", keeper.id), removal];
    let (least, measure) = (rules.min_similarity, name(rules.measure));
    let by_distance_alone = rules.measure == Measure::None;
    let mut why = vec![match removed.reason {
        Reason::Near if by_distance_alone => message![
            format!("{id} was removed for {}: with ", keeper.id),
            Setting::with("verify", "none"),
            format!(
                " the distance of their fingerprints decides alone; their similarity is \
                 {similarity}"
            )
        ],
        Reason::Near | Reason::Contained | Reason::Short if removed.similarity < least => {
            of(format!(
                "other documents link them in a chain of duplicates (components); their own \
                 similarity is {similarity}"
            ))
        }
        Reason::Exact => of("their texts are equal after normalization".to_string()),
        Reason::Near => {
            of(format!("their similarity by {measure} is {similarity}, the minimum is {least}"))
        }
        Reason::Contained => of(format!(
            "one contains nearly all of the other; their similarity is {similarity}, the minimum \
             is {least}"
        )),
        Reason::Short => of(format!(
            "they are short; the similarity of their characters is {similarity}, the minimum is \
             {least}"
        )),
        Reason::Contains => match (removed.first, removed.last) {
            (Some(first), Some(last)) => of(format!(
                "it contains that document from character {first} to {last}, with similarity \
                 {similarity}"
            )),
            _ => of(format!("it contains that document, with similarity {similarity}")),
        },
    }];
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
        why.push(message![format!("{} of {id} is missing from {}", Percent(lost), keeper.id)]);
    }
    why
}

/// The reason why two documents were not merged.
fn not_merged(
    finished: &Finished,
    rules: &Rules,
    found: [&FoundDocument; 2],
    removals: [Option<&Removed>; 2],
    missed: Option<&Missed>,
    compared: &Comparison,
) -> Vec<Message> {
    let judged = &compared.judged;
    let mut why = Vec::new();
    if !finished.against.is_empty() && found[0].of_against == found[1].of_against {
        let against = Setting::named("against");
        why.push(message![
            "they were not merged, since ",
            against,
            " compares documents only with reference documents"
        ]);
    }
    let values = found.map(|found| &found.fields);
    if let Some((setting, field)) = guarding(&finished.config, values) {
        let value = |side: usize| values[side].get(field).map_or("no value".to_string(), in_words);
        let guard = Setting::with(setting, message::Value::Word(field.to_string().into()));
        why.push(message![
            "they were not merged, since ",
            guard,
            format!(" keeps them apart: {} and {}", value(0), value(1))
        ]);
    }
    if let Some(Missed { similarity, .. }) = missed {
        let (measure, similarity) = (name(rules.measure), Similarity(*similarity));
        let by = rules.min_similarity - similarity.thousandths();
        why.push(message![format!(
            "they were not merged: in the run their similarity by {measure} was {similarity}, which is {by:.3} less than {}",
            rules.min_similarity
        )]);
        return why;
    }
    if !judged.duplicates {
        why.push(message!["they were not merged: ", why_different(rules, judged)]);
        return why;
    }
    for (found, removed) in found.iter().zip(removals) {
        if let Some(removed) = removed {
            why.push(message![format!(
                "{} was removed for {}, which ranks higher; each document has one keeper",
                found.id, removed.keeper
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
                found[0].id,
                Percent(right),
                found[1].id,
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
