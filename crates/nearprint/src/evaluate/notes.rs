//! Two answers -> notes that help to read the figures.

use super::answers::AnswerFile;
use super::names::{DOCUMENTS, FOUND, Names, TRUTH};
use super::question::Question;
use crate::message;
use crate::message::{Message, Setting};

/// The argument that names the answer.
pub(super) fn found() -> Setting {
    Setting::named("found")
}

/// The argument that names the truth.
pub(super) fn truth() -> Setting {
    Setting::named("truth")
}

/// The notes of a report. `has_texts` is true if the documents were read.
pub(super) fn notes(
    question: &Question,
    has_texts: bool,
    names: &Names,
    found_answer: &AnswerFile,
    truth_answer: &AnswerFile,
) -> Vec<Message> {
    let mut notes = Vec::new();
    if names.met_in(&[FOUND]) > 0
        && names.met_in(&[TRUTH]) > 0
        && names.met_in_both(FOUND, TRUTH) == 0
    {
        notes.push(message![
            found(),
            " and ",
            truth(),
            " have no document in common; check whether their ids agree"
        ]);
    }
    let marked = truth_answer.marked.is_some();
    if marked && !question.judged_only {
        notes.push(message![
            truth(),
            " has marks (verdict), so pairs without a mark are ignored, as with ",
            Setting::named("judged-only")
        ]);
    }
    let judged_only = question.judged_only || marked;
    match has_texts {
        false if !judged_only => notes.push(message![
            "documents in neither ",
            found(),
            " nor ",
            truth(),
            " are not counted; name the corpus with ",
            Setting::named("documents")
        ]),
        false => {}
        true => {
            let of_run = question.run.is_some() && question.documents.is_empty();
            let absent = names.met_in(&[FOUND, TRUTH, DOCUMENTS]) - names.met_in(&[DOCUMENTS]);
            if absent > 0 {
                notes.push(message![
                    absent,
                    " of the documents in ",
                    found(),
                    " and ",
                    truth(),
                    if of_run {
                        " were not read by the run, so they do not count"
                    } else {
                        " are not in the corpus"
                    }
                ]);
            }
        }
    }
    if judged_only && !truth_answer.clusters && truth_answer.different.is_empty() {
        notes.push(message![
            truth(),
            " labels no pair as different, so no judged pair can be a false alarm: with ",
            Setting::named("judged-only"),
            " the precision has no meaning"
        ]);
    }
    for (name, answer) in [(found(), found_answer), (truth(), truth_answer)] {
        if answer.implied_pairs > 0 {
            notes.push(message![
                name.clone(),
                " lists pairs of equal texts (reason exact); ",
                answer.implied_pairs,
                " more pairs follow from them"
            ]);
        }
        if answer.self_pairs > 0 {
            notes.push(message![
                name,
                " has ",
                answer.self_pairs,
                " pairs of a document with itself, which are ignored"
            ]);
        }
    }
    notes
}
