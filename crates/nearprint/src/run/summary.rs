//! A finished run -> its summary.

use std::collections::BTreeMap;
use std::path::Path;

use super::Deduplicator;
use super::timed::Timed;
use crate::corpus::Corpus;
use crate::date::{is_no_date, moment};
use crate::document::FieldValue;
use crate::field::alternatives;
use crate::keep::{Policy, ranks_as_meant};
use crate::memory::peak_memory_bytes;
use crate::outcome::{Decisions, Misranked, NoDate, SHOWN, Summary, Undated};
use crate::read::{self, Format, Source};

/// The summary of a run. `written` is the number of bytes of its output, if it has one.
pub(super) fn of(
    run: &Deduplicator,
    corpus: &Corpus,
    decisions: &Decisions,
    written: Option<u64>,
    watch: &Timed<'_>,
) -> Summary {
    let sources = &corpus.origins.sources;
    let (against, inputs) = sources.split_at(corpus.origins.against);
    let labels = |sources: &[Source]| sources.iter().map(|source| source.label.clone()).collect();
    let mut bytes = BTreeMap::from([("text", corpus.text_bytes)]);
    if let Some(written) = written {
        bytes.extend([
            ("input", sources.iter().map(|source| source.bytes).sum()),
            ("output", written),
        ]);
    }
    let search = decisions.search.clone();
    // Of an index only the documents near the input are read.
    let mut counts = decisions.counts;
    if let [index] = against {
        counts.against = index.searched().or(counts.against);
    }
    Summary {
        nearprint: env!("CARGO_PKG_VERSION"),
        fingerprint: run.recipe.identity().to_string(),
        settings: run.config.clone(),
        inputs: labels(inputs),
        names: names(inputs),
        against: labels(against),
        hashes: hashes(&corpus.origins.hashes),
        mixed_ids: corpus.origins.has_mixed_ids(),
        passed_over: 0,
        max_distance: search.max_distance,
        max_distance_lowered_from: search.lowered_from,
        complete_distance: search.complete_distance,
        plan: search.plan,
        seen_at_max_distance: search.seen_at_max_distance,
        estimate: search.estimate,
        similarity: run.config.rules(search.max_distance).in_words(),
        counts,
        marks: corpus.marks().used().cloned(),
        recall: decisions.recall,
        bounds: decisions.bounds.clone(),
        bytes,
        resumed: Vec::new(),
        seconds: watch.seconds(),
        peak_memory_bytes: peak_memory_bytes(),
        container_memory_bytes: run.memory_of_container().map(|(_, container)| container.0),
        text_and_title: text_and_title(&run.config.read.text_fields, inputs),
        undated: undated(&run.config.keep.policy, corpus),
        misranked: misranked(&run.config.keep.policy, corpus),
        loss: corpus.origins.rejections.loss(),
    }
}

/// The names of files in the output. Empty if each name is the last part of the file's own path.
fn names(inputs: &[Source]) -> Vec<String> {
    let is_last = |source: &Source| {
        Path::new(&source.label).file_name().is_some_and(|last| *last == *source.name)
    };
    match inputs.iter().all(is_last) {
        true => Vec::new(),
        false => inputs.iter().map(|source| source.name.clone()).collect(),
    }
}

/// The most values that are no dates in a summary.
const UNDATED: usize = 3;

/// The values of the field of `keep newest` or `oldest` that are no dates, and the number of
/// documents without a value, among those that may be kept. A blank text is no value.
fn undated(policy: &Policy, corpus: &Corpus) -> Option<Undated> {
    let field = policy.date_field()?.to_string();
    let mut undated = Undated { field, documents: 0, first: Vec::new(), missing: 0 };
    for (value, document) in corpus.fields().iter().zip(0..).skip(corpus.origins.against()) {
        match value {
            Some(value) if is_no_date(value) => {
                undated.documents += 1;
                if undated.first.len() < UNDATED {
                    undated.first.push(NoDate {
                        file: corpus.origins.file(document).to_string(),
                        row: corpus.origins.row_in_words(document),
                        value: value.to_string().chars().take(SHOWN).collect(),
                    });
                }
            }
            Some(value) if moment(value).is_some() => {}
            _ => undated.missing += 1,
        }
    }
    (undated.documents + undated.missing > 0).then_some(undated)
}

/// The first value of the field of `keep highest` that hardly ranks as meant, among the documents
/// that may be kept.
fn misranked(policy: &Policy, corpus: &Corpus) -> Option<Misranked> {
    let Policy::Highest(field) = policy else { return None };
    let values = corpus.fields().iter().enumerate().skip(corpus.origins.against());
    let (document, value) = values.into_iter().find_map(|(document, value)| match value {
        Some(value @ FieldValue::Text(text)) if !ranks_as_meant(value) => {
            Some((document, text.clone()))
        }
        _ => None,
    })?;
    Some(Misranked { field: field.clone(), value, place: corpus.origins.place(document as u32) })
}

/// The hashes of files in hexadecimal. Empty if no hash is known.
fn hashes(hashes: &[u128]) -> Vec<Option<String>> {
    let is_known = |hash: &u128| *hash != 0;
    match hashes.iter().any(is_known) {
        true => hashes.iter().map(|hash| is_known(hash).then(|| format!("{hash:032x}"))).collect(),
        false => Vec::new(),
    }
}

/// Names of fields that hold titles.
const TITLES: [&str; 7] =
    ["title", "headline", "subject", "标题", "doc.title", "meta.title", "metadata.title"];

/// The most files in which a title is looked for.
const TITLED: usize = 100;

/// The text field, and the fields whose names say that they hold titles, as alternatives, for a
/// warning. A title is looked for in the first row of each of the first files. `None` if there is
/// none, or if there are several text fields.
fn text_and_title(text_fields: &[String], inputs: &[Source]) -> Option<[String; 2]> {
    let is_title = |name: &String| TITLES.contains(&name.to_lowercase().as_str());
    let [text] = text_fields else { return None };
    if alternatives(text).iter().any(is_title) {
        return None;
    }
    let has_fields = |source: &&Source| !matches!(source.format, Format::Text | Format::Lines);
    let mut titles: Vec<String> = Vec::new();
    for source in inputs.iter().filter(has_fields).take(TITLED) {
        let of_row = read::table::columns(source, |_| true).unwrap_or_default();
        let inside = || read::table::fields(source).unwrap_or_default();
        let mut own: Vec<String> = of_row.into_iter().filter(is_title).collect();
        if own.is_empty() {
            own = inside().into_iter().filter(is_title).collect();
        }
        if !own.iter().any(|name| titles.contains(name)) {
            titles.extend(own.into_iter().next());
        }
    }
    (!titles.is_empty()).then(|| [text.clone(), titles.join("|")])
}
