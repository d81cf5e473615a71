//! Documents -> corpus: every text is read, normalized and cut once. The parts that later stages
//! need go to disk. Of each document only its id, place, length, fingerprint, a hash of its text
//! and a few numbers stay in memory.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::judge::Rules;
use nearprint_core::near::short;
use nearprint_core::recipe::Recipe;

use super::counting::Counting;
use super::feed::{Batch, Feed};
use super::guards::Guards;
use super::known::Known;
use super::leaks;
use super::mark_file::MarkFile;
use super::marks::Marking;
use super::needs::{Needs, Purpose};
use super::origins::Origins;
use super::prepare::{Gathered, Preparer, prepare_all};
use super::sampled::SampledTexts;
use super::terms::Terms;
use super::texts::Texts;
use super::{Corpus, Marks, Storage};
use crate::config::Config;
use crate::error::{Error, Rejections};
use crate::memory::MemoryBound;
use crate::read::{self, Source};
use crate::watch::{Progress, Stage, Watch};

/// The settings, files and places with which a corpus is read.
pub struct Reading<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The recipe that turns texts into features.
    pub recipe: &'a Recipe,
    /// The fields and formats.
    pub options: &'a read::Options,
    /// The files of reference documents, before the input files.
    pub against: Vec<Source>,
    /// The input files.
    pub sources: Vec<Source>,
    /// The fingerprints of these documents, if an earlier run has made them.
    pub known: Option<Known>,
    /// The marks of a person, if there are some.
    pub marks: Option<&'a MarkFile>,
    /// The place of lists on disk.
    pub storage: Storage<'a>,
    /// True if `sources` are texts to look for in the files of `against`, which users name as the
    /// input.
    pub for_queries: bool,
}

impl Reading<'_> {
    /// Reads the documents for a purpose.
    ///
    /// # Errors
    /// [`Error::Rejected`] for input that cannot be used (if `on-error` is `fail`),
    /// [`Error::TooManyRejected`], [`Error::NoSuchField`], [`Error::TooManyDocuments`],
    /// [`Error::OverMemory`], [`Error::Usage`], [`Error::Io`], [`Error::Interrupted`].
    pub fn read(self, purpose: Purpose, watch: &dyn Watch) -> Result<Corpus, Error> {
        let (mut corpus, counting, needs) = self.gather(purpose, watch)?;
        if needs.statistics {
            corpus.statistics = counting.finish((corpus.len(), corpus.text_bytes), watch)?;
        }
        Ok(corpus)
    }

    /// Counts corpus statistics of the documents and writes them to `out`, with the text of every
    /// feature; `path` is the file of `out`, for messages. Returns the number of documents and the
    /// rejections.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read).
    pub fn save_statistics(
        self,
        out: impl Write,
        path: &Path,
        watch: &dyn Watch,
    ) -> Result<(u64, Rejections), Error> {
        let recipe = self.recipe;
        let (corpus, counting, _) = self.gather(Purpose::Statistics, watch)?;
        let stage = Progress::begin(watch, Stage::Statistics, corpus.len(), corpus.text_bytes);
        let documents = counting.save(recipe.features_identity(), out, path, &stage)?;
        Ok((documents, corpus.origins.rejections))
    }

    fn gather(
        self,
        purpose: Purpose,
        watch: &dyn Watch,
    ) -> Result<(Corpus, Counting, Needs), Error> {
        let Reading {
            config,
            recipe,
            options,
            against,
            sources,
            known,
            marks,
            storage,
            for_queries,
        } = self;
        let known = known.as_ref().filter(|_| Needs::may_know(config));
        let needs = Needs::new(config, recipe, purpose);
        let needs = if known.is_some() { needs.with_fingerprints(config) } else { needs };
        let first = against.len();
        let sources = [against, sources].concat();
        let against_as_read = sources[..first].iter().all(Source::has_texts_as_read);
        // Before reading only the bytes of files are known, and only the number of rows in memory.
        let rows: Option<u64> = sources.iter().map(Source::rows_in_memory).sum();
        let bytes = rows.is_none().then(|| sources.iter().map(|source| source.bytes).sum());
        watch.begin(Stage::Read, rows, bytes);
        let mut feed = Feed::new(sources, first, purpose == Purpose::Dedup, options, config);
        feed.for_queries = for_queries;
        let min_features = config.fingerprint.min_features;
        let mut gathering = Gathering::new(config, recipe, needs, purpose, &storage)?;
        gathering.marking = marks.filter(|_| purpose == Purpose::Dedup).map(Marking::new);
        gathering.against_as_read = against_as_read;
        if purpose == Purpose::Dedup && first > 0 {
            gathering.leaks = leaks::Gathering::new(config, &storage)?;
        }
        let (looks_for_items, items) = (gathering.leaks.is_some(), OnceLock::new());
        let preparer = |_| {
            let items = looks_for_items.then_some(&items);
            Mutex::new(Preparer::new(recipe, needs, min_features, items, known))
        };
        let preparers: Vec<Mutex<Preparer<'_>>> =
            (0..rayon::current_num_threads()).map(preparer).collect();
        let mut batch = feed.next_batch(watch)?;
        let mut before: Option<(Batch, Vec<Gathered>)> = None;
        let mut first_of_batch = 0;
        while !batch.documents.is_empty() {
            if !batch.of_against && items.get().is_none() {
                gathering.take_batch(before.take())?;
                if let Some(leaks) = &mut gathering.leaks {
                    let index = leaks.index(gathering.corpus.len(), storage.memory)?;
                    items.get_or_init(|| index);
                }
            }
            // While one batch is prepared, the previous one is added and the next one is read.
            let take_and_read =
                || rayon::join(|| gathering.take_batch(before.take()), || feed.next_batch(watch));
            let ((taken, next), prepared) = rayon::join(take_and_read, || {
                prepare_all(&batch, first_of_batch, &preparers, watch)
            });
            taken?;
            first_of_batch += batch.documents.len();
            before = Some((batch, prepared?));
            batch = match next {
                Ok(next) => next,
                // Problems of earlier documents are reported first.
                Err(error) => return gathering.take_batch(before).and(Err(error)),
            };
        }
        gathering.take_batch(before)?;
        let (corpus, counting) = gathering.finish(feed.finish()?, storage.named_in)?;
        Ok((corpus, counting, needs))
    }
}

/// A corpus under construction.
struct Gathering<'a> {
    corpus: Corpus,
    counting: Counting,
    /// The place of the field of `keep` among the kept fields.
    keep_place: Option<usize>,
    rules: Rules,
    memory: MemoryBound,
    /// `None` if there is no search for items.
    leaks: Option<leaks::Gathering>,
    /// `None` without marks.
    marking: Option<Marking<'a>>,
    /// True if the texts of reference documents are those that were read.
    against_as_read: bool,
}

impl Gathering<'_> {
    fn new(
        config: &Config,
        recipe: &Recipe,
        needs: Needs,
        purpose: Purpose,
        storage: &Storage<'_>,
    ) -> Result<Self, Error> {
        let optional = |wanted: bool| wanted.then_some(());
        let corpus = Corpus {
            purpose,
            recipe: recipe.identity().to_string(),
            needs,
            is_known: Needs::may_know(config)
                && needs == Needs::new(config, recipe, purpose).with_fingerprints(config),
            min_features: config.fingerprint.min_features,
            keep_field: config.keep.policy.field().map(str::to_string),
            guards: Guards::new(config),
            marks: Marks::default(),
            origins: Origins::default(),
            lengths: Vec::new(),
            letter_bytes: Vec::new(),
            text_hashes: Vec::new(),
            features: Vec::new(),
            empty: Vec::new(),
            fields: Vec::new(),
            terms: needs.terms.map(|form| Terms::new(form, storage)).transpose()?,
            fingerprints: optional(needs.fingerprints)
                .map(|()| Fingerprints::new(config.fingerprint.bits)),
            texts: optional(needs.texts).map(|()| Texts::new(storage)).transpose()?,
            sampled: optional(needs.sampled_texts)
                .map(|()| SampledTexts::new(storage))
                .transpose()?,
            short: short::Pool::default(),
            leaks: None,
            too_short_items: 0,
            statistics: Arc::default(),
            hasher: recipe.hasher(),
            text_bytes: 0,
            folder: storage.folder().to_path_buf(),
        };
        Ok(Gathering {
            corpus,
            counting: Counting::new(&needs, recipe.ngram(), storage.folder(), storage.memory)?,
            keep_place: config.keep.policy.field().map(|_| 0),
            rules: config.rules(None),
            memory: storage.memory,
            leaks: None,
            marking: None,
            against_as_read: true,
        })
    }

    /// Adds a batch, if there is one.
    fn take_batch(&mut self, batch: Option<(Batch, Vec<Gathered>)>) -> Result<(), Error> {
        let Some((batch, gathered)) = batch else { return Ok(()) };
        for (document, gathered) in batch.documents.into_iter().zip(gathered) {
            let number = self.corpus.lengths.len() as u32;
            match &mut self.leaks {
                Some(items) if batch.of_against => items.add_item(number, &gathered.document),
                Some(found) => found.push(number, &gathered.leaks)?,
                None => {}
            }
            self.corpus.text_bytes += document.text.len() as u64;
            self.corpus.guards.push(&document.fields);
            if let Some(marking) = &mut self.marking {
                let is_as_read = self.against_as_read || !batch.of_against;
                marking.push(number, &document.id, is_as_read.then_some(&*document.text));
            }
            if let Some(place) = self.keep_place {
                self.corpus.fields.push(document.fields.into_iter().nth(place).flatten());
            }
            self.take(gathered)?;
        }
        self.memory.check(self.corpus.lengths.len())
    }

    /// Adds a document, each part to its column.
    fn take(&mut self, gathered: Gathered) -> Result<(), Error> {
        let Gathering { corpus, counting, rules, .. } = self;
        let Gathered { mut document, length, letter_bytes, counted, may_be_sampled, .. } = gathered;
        if let Some(counted) = &counted {
            counting.add(counted, &document, &mut corpus.hasher)?;
        }
        if let Some(text) = document.short.get() {
            corpus.short.add(corpus.lengths.len() as u32, rules.is_short(document.features), text);
        }
        if let (Some(terms), Some(own)) = (&mut corpus.terms, document.terms.take()) {
            let places = counted.as_ref().map_or(&[][..], |(_, places)| places);
            terms.push(own, places, counting.counts())?;
        }
        if let (Some(fingerprints), Some(words)) = (&mut corpus.fingerprints, document.fingerprint)
        {
            fingerprints.push(&words[..fingerprints.words_each()]);
        }
        // The heaviest words come from the document's own tokens, if it has some.
        let tokens = document.own_tokens.get().filter(|_| corpus.purpose == Purpose::HeaviestWords);
        if let (Some(texts), Some(own)) = (&mut corpus.texts, tokens.or(document.text.get())) {
            texts.push(own)?;
        }
        if let (Some(sampled), Some(text), true) =
            (&mut corpus.sampled, document.text.get(), may_be_sampled)
        {
            sampled.offer(document.text_hash, text)?;
        }
        corpus.lengths.push(length);
        corpus.letter_bytes.push(letter_bytes);
        corpus.text_hashes.push(document.text_hash);
        corpus.features.push(document.features);
        corpus.empty.push(document.is_empty);
        Ok(())
    }

    fn finish(
        self,
        origins: Origins,
        named_in: Option<&Path>,
    ) -> Result<(Corpus, Counting), Error> {
        let mut corpus = self.corpus;
        if let Some(leaks) = self.leaks {
            let (found, too_short) = leaks.finish(named_in)?;
            (corpus.leaks, corpus.too_short_items) = (Some(found), too_short);
        }
        corpus.origins = origins;
        if let Some(marking) = self.marking {
            let Corpus { origins, guards, text_hashes, empty, .. } = &corpus;
            let text =
                |document: u32| (!empty[document as usize]).then(|| text_hashes[document as usize]);
            corpus.marks = marking.finish(origins, text, |one, other| guards.allow(one, other))?;
        }
        corpus.flush()?;
        Ok((corpus, self.counting))
    }
}
