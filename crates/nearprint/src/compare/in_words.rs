//! A verdict -> a sentence with its reason.

use nearprint_core::compare::{Difference, Fact, Measure};
use nearprint_core::judge::{Basis, Rules, Verdict};

use super::counted::in_words;
use crate::message;
use crate::message::{Message, Setting};
use crate::shares::{Percent, Similarity};

/// The verdict on two texts, in a sentence. `in_family` is `None` without a corpus.
pub(crate) fn verdict_in_words(
    rules: &Rules,
    judged: &Verdict,
    in_family: Option<bool>,
) -> Message {
    let similarity = Similarity(judged.similarity);
    let texts =
        if in_family.is_none() { "without a corpus, the two texts" } else { "the two texts" };
    if !judged.duplicates {
        return message![format!("{texts} are not duplicates: "), why_different(rules, judged)];
    }
    let why = match judged.basis {
        Basis::Measure(Measure::None) => by_distance_alone(similarity),
        _ => message![format!(
            "their similarity is {similarity}, the minimum is {}",
            rules.min_similarity
        )],
    };
    message![format!("{texts} are duplicates ({}): ", judged.name()), why]
}

/// The reason why two texts of this similarity are duplicates without a measure.
pub(crate) fn by_distance_alone(similarity: Similarity) -> Message {
    message![
        "with ",
        Setting::with("verify", "none"),
        format!(
            " the distance of their fingerprints decides alone; their similarity is {similarity}"
        )
    ]
}

/// A note that passages of the texts of these names were left out; `None` if nothing was.
pub(crate) fn ignored_in_words(ignored: [bool; 2], names: [&str; 2]) -> Option<Message> {
    let within = match ignored {
        [true, true] => names.join(" and "),
        [true, false] => names[0].to_string(),
        [false, true] => names[1].to_string(),
        [false, false] => return None,
    };
    let setting = Setting::named("ignore-passages");
    Some(message!["passages of ", setting, format!(" do not count in {within}")])
}

/// A note that two texts, which are duplicates by themselves, would be none in a family; `None` if
/// a family changes nothing.
pub(crate) fn in_a_family(rules: &Rules, alone: &Verdict) -> Option<Message> {
    let judged = alone.of_family(rules);
    (alone.duplicates && !judged.duplicates).then(|| {
        message![
            "in a corpus with similar texts they would not be duplicates: ",
            why_different(rules, &judged)
        ]
    })
}

/// A note that two texts, which are no duplicates in a family, would be duplicates without other
/// texts; `None` if a family changes nothing.
pub(crate) fn without_a_family(rules: &Rules, judged: &Verdict) -> Option<Message> {
    let similarity = judged.difference?.largest_bound(false);
    let is_near = judged.distance.zip(rules.max_distance).is_some_and(|(own, most)| own <= most);
    (judged.in_family && is_near && similarity >= rules.min_similarity).then(|| {
        message![
            format!(
                "without other near neighbors they would be duplicates: their similarity would be \
                 {}; ",
                Similarity(similarity)
            ),
            Setting::with("verify", "jaccard"),
            " judges each pair by its texts alone"
        ]
    })
}

/// The reason why two documents are no duplicates.
pub(crate) fn why_different(rules: &Rules, judged: &Verdict) -> Message {
    let Some(most) = rules.max_distance else {
        return message![
            "only equal texts are duplicates with ",
            Setting::with("max-distance", "off")
        ];
    };
    let similarity = judged.similarity;
    let is_too_far = judged.distance.is_some_and(|distance| distance > most);
    // Short texts are compared by their characters under every measure.
    let is_compared = rules.measure != Measure::None || judged.basis == Basis::Characters;
    let is_unlike = is_compared && similarity < rules.min_similarity;
    let far = |distance: u32| {
        format!(
            "their fingerprints differ in {distance} bits, and the maximum for candidates is {most}"
        )
    };
    let unlike = match judged.basis {
        Basis::Measure(Measure::Coverage) if fact(judged).is_some() => {
            let (difference, fact) = fact(judged).expect("there is one");
            match difference.similarity() {
                // This holds whatever else differs.
                share if share < rules.min_similarity => format!(
                    "the two texts share only {} of their letters, and the minimum is {}",
                    Percent(share),
                    Percent(rules.min_similarity)
                ),
                _ => in_words(fact, &difference),
            }
        }
        Basis::Nothing => "one of them has no text to compare".to_string(),
        Basis::Characters
            if similarity == 0.0 && judged.lost.is_some_and(|lost| lost[0].min(lost[1]) < 1.0) =>
        {
            "each has a figure that the other lacks, and one of them is short".to_string()
        }
        basis => {
            let what = match basis {
                Basis::Characters => "the similarity of their characters".to_string(),
                Basis::Measure(measure) => format!("their similarity by {}", measure_name(measure)),
                Basis::Equality | Basis::Nothing => "their similarity".to_string(),
            };
            let by = rules.min_similarity - Similarity(similarity).thousandths();
            let similarity = Similarity(similarity);
            // Outside of a family their similarity would be higher.
            let is_asked_more = judged
                .difference
                .is_some_and(|difference| difference.largest_bound(false) > judged.similarity);
            let among = match judged.in_family && is_asked_more {
                true => {
                    "one of the two has three or more near neighbors, which limits what a removal \
                     may lose: "
                }
                false => "",
            };
            format!(
                "{among}{what} is {similarity}, which is {by:.3} less than {}",
                rules.min_similarity
            )
        }
    };
    match (judged.distance.filter(|_| is_too_far), is_unlike || judged.basis == Basis::Nothing) {
        (Some(distance), true) => message![far(distance), "; and ", unlike],
        (Some(distance), false) if judged.basis == Basis::Measure(Measure::None) => {
            message![far(distance)]
        }
        (Some(distance), false) => {
            message![
                far(distance),
                format!("; their similarity of {} would be high enough", Similarity(similarity))
            ]
        }
        (None, true) => message![unlike],
        (None, false) => {
            message!["one is short, and the other is too long to compare by characters"]
        }
    }
}

/// The fact that keeps two texts of sufficient similarity apart.
fn fact(judged: &Verdict) -> Option<(Difference, Fact)> {
    let difference = judged.difference?;
    Some((difference, difference.fact(judged.in_family)?))
}

/// The name of a measure in the setting.
pub(crate) fn measure_name(measure: Measure) -> String {
    format!("{measure:?}").to_lowercase()
}
