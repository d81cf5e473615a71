//! Input files and texts -> the documents that are duplicates of each text. Nothing is written.

use std::collections::BTreeMap;

use super::Deduplicator;
use crate::config::{Config, JustMissed};
use crate::corpus::{Corpus, Purpose, Reading};
use crate::error::{Error, Rejections};
use crate::find::{self, Match, Matches};
use crate::read::{self, Source};
use crate::search::Input;
use crate::shown_fields::ShowFields;
use crate::watch::{Watch, stop_if_asked};

/// The name of the queried texts in messages.
const ASKED: &str = "the texts to look for";

/// The answers to queried texts.
#[derive(Debug)]
pub struct Asked {
    /// The number of documents of the input.
    pub documents: u64,
    /// The answer for each text.
    pub texts: Vec<Matches>,
    /// The rows and files that were left out of the input, if `on-error` is `skip`.
    pub rejections: Rejections,
}

/// Finds the documents of `inputs` (files, folders, globs, `-`) that are duplicates of each text,
/// the most similar first, at most `top` for each, with some of their fields. Only settings about
/// reading and comparing count.
///
/// ```
/// use nearprint::{Config, ShowFields, Silent, find};
/// let folder = tempfile::tempdir()?;
/// let news = folder.path().join("news.jsonl");
/// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft";
/// std::fs::write(&news, format!("{{\"id\":\"a\",\"text\":\"Half price\"}}\n{{\"id\":\"b\",\"text\":\"{text}, they say.\"}}\n"))?;
/// let (corpus, texts) = ([news.display().to_string()], vec![text.to_string()]);
/// let asked = find(&Config::default(), &corpus, texts, 10, &ShowFields::Usual, &Silent)?;
/// let found = &asked.texts[0].duplicates;
/// assert_eq!((asked.documents, found.len(), found[0].id.to_string()), (2, 1, "b".to_string()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for an empty text; else as [`Deduplicator::dedup`].
pub fn find(
    config: &Config,
    inputs: &[String],
    texts: Vec<String>,
    top: usize,
    shown: &ShowFields,
    watch: &dyn Watch,
) -> Result<Asked, Error> {
    if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) {
        return Err(Error::usage(
            "text",
            "an empty text has no duplicates; give a text with words",
        ));
    }
    let (texts, corpus) = among(config, inputs, texts, watch, |input, sources| {
        let mut found = find::find(input, top, watch)?;
        let all = found
            .iter_mut()
            .flat_map(|found| found.duplicates.iter_mut().chain(found.nearest.as_mut()));
        add_fields(all, sources, &config.reading(), shown, watch)?;
        Ok(found)
    })?;
    let documents = corpus.origins.against() as u64;
    Ok(Asked { documents, texts, rejections: corpus.origins.rejections })
}

/// Returns true if one of the texts is in a family: at least three other texts of `inputs` are near
/// it.
///
/// # Errors
/// As [`Deduplicator::dedup`].
pub fn in_family(
    config: &Config,
    inputs: &[String],
    texts: Vec<String>,
    watch: &dyn Watch,
) -> Result<bool, Error> {
    among(config, inputs, texts, watch, |input, _| find::in_family(input, watch))
        .map(|(found, _)| found)
}

/// Adds the shown fields to some matches. The files with the matches are read again, each up to its
/// last match. A file that cannot be read again leaves its matches without fields.
fn add_fields<'m>(
    matches: impl Iterator<Item = &'m mut Match>,
    sources: &[Source],
    options: &read::Options,
    shown: &ShowFields,
    watch: &dyn Watch,
) -> Result<(), Error> {
    let options =
        read::Options { kept_fields: shown.names(), tokens_field: None, ..options.clone() };
    if options.kept_fields.is_empty() {
        return Ok(());
    }
    let mut by_file: BTreeMap<String, BTreeMap<u64, Vec<&mut Match>>> = BTreeMap::new();
    for found in matches {
        by_file.entry(found.file.clone()).or_default().entry(found.row).or_default().push(found);
    }
    for source in sources {
        let Some(mut rows) = by_file.remove(&source.label) else { continue };
        let Ok(documents) = read::read(source, &options) else { continue };
        for document in documents.flatten() {
            stop_if_asked(watch)?;
            if let Some(found) = rows.remove(&document.row) {
                let place = |name: &str| options.kept_fields.iter().position(|own| own == name);
                let fields = shown.of(|name| document.fields.get(place(name)?)?.as_ref());
                found.into_iter().for_each(|found| found.fields = fields.clone());
            }
            if rows.is_empty() {
                break;
            }
        }
    }
    Ok(())
}

/// Answers a query with texts among the documents of `inputs`: `ask` gets the sources of these
/// documents as well. Returns the answer and the corpus.
fn among<T: Send>(
    config: &Config,
    inputs: &[String],
    texts: Vec<String>,
    watch: &dyn Watch,
    ask: impl FnOnce(&Input<'_>, &[Source]) -> Result<T, Error> + Send,
) -> Result<(T, Corpus), Error> {
    // A text has no fields, and nothing is removed, measured, or looked for inside other texts.
    let config = config
        .clone()
        .same(Vec::new())
        .differ(Vec::new())
        .just_missed(JustMissed::Off)
        .min_leak_length(None)
        .recall_sample(0);
    let deduplicator = Deduplicator::new(config)?;
    deduplicator.threads.install(|| {
        let spool = deduplicator.spool()?;
        let sources = read::find(inputs, &deduplicator.options, spool.path(), watch)?;
        let asked = Source::texts(ASKED, texts);
        let reading = deduplicator.reading(sources.clone(), vec![asked], None);
        let reading = Reading { for_queries: true, ..reading };
        let corpus = reading.read(Purpose::Dedup, watch).map_err(|error| match &error {
            Error::Usage { setting, .. } if setting == "against" => error.of_setting("input"),
            _ => error,
        })?;
        corpus.check(Purpose::Dedup, &deduplicator.config, &deduplicator.recipe)?;
        let found = ask(&deduplicator.input(&corpus), &sources)?;
        Ok((found, corpus))
    })
}
