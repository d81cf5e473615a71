//! Input files -> corpus: every text is read, normalized and cut once; what later stages need of it goes to disk, and of
//! each document only its id, place, length, fingerprint, a hash of its text and a few numbers stay in memory.

use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bytemuck::Pod;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use super::Pipeline;
use super::corpus::{CONTENTS, Corpus, Origins, SAMPLED, TERMS, Terms, stop_if_asked};
use super::feed::Feed;
use super::sampled::SampledTexts;
use super::shard::Shard;
use super::weigher::Weigher;
use crate::config::MaxDistance;
use crate::document::Document;
use crate::error::{Error, Rejection};
use crate::features::{self, Counter, Feature, Kind, features_of};
use crate::fingerprint::{Fingerprints, Hasher};
use crate::message;
use crate::message::Setting;
use crate::normalize;
use crate::read::{self, Source};
use crate::short;
use crate::spill::Spill;
use crate::statistics::{Counts, Entropies, SHARDS, Statistics, count_pairs};
use crate::verify::Measure;
use crate::watch::{Evenly, Stage, Watch};

/// Longer texts are never compared by their edits, however few their features: some 340 Han characters or 160
/// English words, far more than 8 features usually take.
pub(super) const MOST_SHORT_BYTES: usize = 1024;

/// Documents that a thread prepares at a time: so few that no other one waits for it at the end of a batch.
const TOGETHER: usize = 16;

/// What a corpus is read for; it decides what must be gathered on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To find duplicates.
    Dedup,
    /// To choose the distances with which duplicates are found.
    Tune,
    /// To print fingerprints.
    Fingerprint,
    /// To compare pairs that were found elsewhere, whether or not this run would look for them.
    Evaluate,
}

/// What the parallel part makes of a document.
struct Prepared {
    terms: Vec<u64>,
    /// The fingerprint, where it needs no more than the text.
    fingerprint: Option<[u64; 4]>,
    /// The normalized text and where its terms are in it, where somebody asks for them.
    shown: Option<(String, Vec<(u32, u32)>)>,
    text: u128,
    length: u32,
    features: u32,
    /// The distinct features, and the place among them of each occurrence, where they are counted.
    counted: Option<(Vec<Feature>, Vec<u32>)>,
    empty: bool,
    /// What the confirmation compares.
    content: String,
    /// The normalized text, where it may be one of the sample.
    text_to_edit: Option<String>,
    /// Its characters, if it is short or only somewhat longer.
    brief: Option<Vec<char>>,
}

impl Pipeline {
    /// Reads the input and prepares it for fingerprints. The inputs are files, folders, globs, or `-`; `spool` is a
    /// folder for standard input, which must live as long as the sources are read.
    ///
    /// # Errors
    /// [`Error::Rejected`] for input that cannot be used (where `on-error` is `fail`), [`Error::Usage`], [`Error::Io`],
    /// [`Error::Interrupted`].
    pub fn read(&self, sources: Vec<Source>, purpose: Purpose, watch: &dyn Watch) -> Result<Corpus, Error> {
        self.read_into(None, Vec::new(), sources, purpose, watch)
    }

    /// The same, where documents of `against` are those that the others are only compared with; what is on disk has names in
    /// `folder`, if there is one.
    pub(super) fn read_into(
        &self,
        folder: Option<&Path>,
        against: Vec<Source>,
        sources: Vec<Source>,
        purpose: Purpose,
        watch: &dyn Watch,
    ) -> Result<Corpus, Error> {
        let (corpus, gathering) = self.gather(folder, against, sources, purpose, false, watch)?;
        self.settle(corpus, gathering, watch)
    }

    /// Finds the input files.
    ///
    /// # Errors
    /// [`Error::Usage`] for inputs that name nothing or the same file twice, [`Error::Io`] for files that are not there,
    /// [`Error::Interrupted`].
    pub fn find(&self, inputs: &[String], spool: &std::path::Path, watch: &dyn Watch) -> Result<Vec<Source>, Error> {
        read::find(inputs, &self.read, spool, watch)
    }

    /// The text of one file, whatever its name, for comparing it with another.
    ///
    /// # Errors
    /// [`Error::Usage`] for a folder, [`Error::Io`] where it is not there, [`Error::Unusable`] where it cannot be read or is no
    /// text, [`Error::Interrupted`].
    pub fn read_text(&self, path: &std::path::Path, watch: &dyn Watch) -> Result<String, Error> {
        if path.is_dir() {
            return Err(Error::usage("input", format!("{} is a folder; name a file", path.display())));
        }
        let options = read::Options { format: Some(read::Format::Text), ..self.read.clone() };
        let spool = tempfile::tempdir_in(&self.tmp_dir).map_err(Error::io("create a folder in", &self.tmp_dir))?;
        let sources = read::find(&[path.display().to_string()], &options, spool.path(), watch)?;
        let text = read::read(&sources[0], &options).and_then(|mut documents| match documents.next() {
            None => Ok(String::new()),
            Some(document) => Ok(document?.text),
        });
        text.map_err(|rejection| Error::Unusable { path: path.to_path_buf(), problem: rejection.problem })
    }

    /// Counts corpus statistics of the input and writes them to `out`, with the text of every feature. Gives the number
    /// of documents and the rejections.
    ///
    /// # Errors
    /// As [`Pipeline::read`].
    pub fn save_statistics(
        &self,
        sources: Vec<Source>,
        path: &std::path::Path,
        out: impl Write,
        watch: &dyn Watch,
    ) -> Result<(u64, Vec<Rejection>), Error> {
        if self.config.features.kind() != Kind::Words {
            return Err(Error::usage(
                "features",
                message!["statistics are about words; set ", Setting::with("features", "words")],
            ));
        }
        let (corpus, gathering) = self.gather(None, Vec::new(), sources, Purpose::Fingerprint, true, watch)?;
        let stage = Evenly::begin(watch, Stage::Statistics, corpus.len(), corpus.text_bytes);
        let Gathering { counts, mut pairs, texts } = gathering;
        let mut failure = None;
        let mut shard = |shard: usize| {
            stage.reach(shard as f64 / SHARDS as f64);
            stop_if_asked(watch).and_then(|()| pairs[shard].take()).map_err(|error| {
                failure = Some(error);
                std::io::Error::other("there is no shard")
            })
        };
        let description = self.features_description();
        let saved = counts.save(&description, |number| texts[number as usize].clone(), out, &mut shard);
        stage.reach(1.0);
        match (saved, failure) {
            (_, Some(error)) => Err(error),
            (Err(error), None) => Err(Error::io("write", path)(error)),
            (Ok(()), None) => Ok((counts.documents(), corpus.origins.rejections)),
        }
    }

    fn gather(
        &self,
        folder: Option<&Path>,
        against: Vec<Source>,
        sources: Vec<Source>,
        purpose: Purpose,
        save: bool,
        watch: &dyn Watch,
    ) -> Result<(Corpus, Gathering), Error> {
        let first = against.len();
        let sources = [against, sources].concat();
        // Of files only the bytes are known before they are read, of rows in memory only their number.
        let rows: Option<u64> = sources.iter().map(Source::rows_in_memory).sum();
        let bytes = rows.is_none().then(|| sources.iter().map(|source| source.bytes).sum());
        watch.begin(Stage::Read, rows, bytes);
        let mut reading = Reading::new(self, folder, purpose, save)?;
        let mut feed = Feed::new(sources, first, &self.read, self.config.on_error);
        let wanted = reading.wanted;
        let benches: Vec<Mutex<Bench<'_>>> =
            (0..self.threads.current_num_threads()).map(|_| Mutex::new(Bench::new(self))).collect();
        let mut batch = feed.next_batch(watch)?;
        let mut before = None;
        while !batch.is_empty() {
            // While one batch is being prepared, the one before it is taken in and the next one is read.
            let ((taken, next), prepared) = self.threads.install(|| {
                let take_and_read = || (reading.take_batch(before.take()), feed.next_batch(watch));
                rayon::join(take_and_read, || self.prepare_all(&batch, wanted, &benches))
            });
            taken?;
            before = Some((batch, prepared));
            batch = match next {
                Ok(next) => next,
                // What goes wrong with an earlier document is told first.
                Err(error) => return reading.take_batch(before).and(Err(error)),
            };
        }
        reading.take_batch(before)?;
        reading.finish(feed.finish()?)
    }

    /// Turns what was gathered into statistics.
    fn settle(&self, mut corpus: Corpus, gathering: Gathering, watch: &dyn Watch) -> Result<Corpus, Error> {
        let Gathering { counts, mut pairs, .. } = gathering;
        if self.config.features.kind() == Kind::Words && self.weights.model.needs_statistics() && self.saved.is_none() {
            let stage = Evenly::begin(watch, Stage::Statistics, corpus.len(), corpus.text_bytes);
            let mut entropies = Entropies::new(counts.hashes().len());
            for (number, shard) in pairs.iter_mut().enumerate() {
                stage.reach(number as f64 / SHARDS as f64);
                let mut shard = shard.take()?;
                count_pairs(&mut shard, |pair, count| entropies.add(pair, count));
                stop_if_asked(watch)?;
                self.check_memory(corpus.len())?;
            }
            corpus.statistics = counts.finish(&entropies);
            stage.reach(1.0);
        }
        Ok(corpus)
    }

    /// Documents of fewer features are compared with short ones. Texts of similarity t differ in length by the factor 1 / t
    /// at most, and features go with length.
    pub(super) fn compared_when_short_below(&self) -> u32 {
        (f64::from(self.config.min_features) / self.config.min_similarity).ceil() as u32
    }

    /// Prepares documents on all threads, of which each has its own bench.
    fn prepare_all(&self, documents: &[Document], wanted: Wanted, benches: &[Mutex<Bench<'_>>]) -> Vec<Prepared> {
        let prepare = |document| {
            let own = rayon::current_thread_index().expect("a thread of the pool prepares");
            self.prepare(document, wanted, &mut benches[own].lock().unwrap_or_else(PoisonError::into_inner))
        };
        documents.par_iter().with_max_len(TOGETHER).map(prepare).collect()
    }

    /// Normalizes one text, and makes of it what is wanted. Runs on any thread.
    fn prepare(&self, document: &Document, wanted: Wanted, bench: &mut Bench<'_>) -> Prepared {
        let text = self.normalizer.normalize(&document.text);
        let (mut terms, mut places) = (Vec::new(), Vec::new());
        if wanted.terms {
            terms.reserve(text.len() / 5);
            self.segmenter.tokens(&text, &mut |token| {
                if self.features.keeps(token) {
                    terms.push(features::term(token));
                    if wanted.shown {
                        let start = token.as_ptr() as usize - text.as_ptr() as usize;
                        places.push((start as u32, (start + token.len()) as u32));
                    }
                }
            });
        }
        let mut content = String::new();
        if wanted.contents || self.config.features.kind() == Kind::Letters {
            content.reserve(text.len());
            normalize::append_content(&text, &mut content);
        }
        let Bench { counter, weigher, hasher } = bench;
        let fingerprint = wanted.fingerprint.then(|| weigher.fingerprint_of(&terms, &content, hasher));
        let features = match fingerprint {
            Some(_) => weigher.distinct(),
            None => {
                let mut occurrences = Vec::new();
                counter.count(features_of(&terms, self.features.ngram, &mut occurrences)).len() as u32
            }
        };
        // A long text whose tokens were filtered away is not short.
        let is_brief = text.len() <= MOST_SHORT_BYTES;
        let brief = (features < wanted.short_below && is_brief).then(|| {
            let mut characters = Vec::new();
            short::characters(&text, &mut characters);
            characters
        });
        if !wanted.contents {
            content = String::new();
        }
        let may_be_edited = wanted.texts && features >= self.config.min_features && SampledTexts::takes(&text);
        Prepared {
            text_to_edit: may_be_edited.then(|| text.clone()),
            terms,
            fingerprint,
            text: xxh3_128(text.as_bytes()),
            length: u32::try_from(document.text.chars().count()).unwrap_or(u32::MAX),
            features,
            counted: wanted.counted.then(|| (counter.last().to_vec(), counter.places().to_vec())),
            empty: text.trim().is_empty(),
            content,
            brief,
            shown: wanted.shown.then_some((text, places)),
        }
    }
}

/// What a thread makes features and fingerprints with.
struct Bench<'p> {
    counter: Counter,
    weigher: Weigher<'p>,
    hasher: Hasher,
}

impl<'p> Bench<'p> {
    fn new(pipeline: &'p Pipeline) -> Bench<'p> {
        Bench {
            counter: Counter::default(),
            weigher: Weigher::without_corpus(pipeline),
            hasher: Hasher::new(pipeline.config.words().feature_hash, pipeline.config.bits),
        }
    }
}

/// What of a document is wanted.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    /// Its terms.
    terms: bool,
    /// Its fingerprint, which needs no more than the text.
    fingerprint: bool,
    /// The distinct features, for statistics or for a hash that needs their text.
    counted: bool,
    /// The text of each feature.
    shown: bool,
    /// What the confirmation compares.
    contents: bool,
    /// The normalized text.
    texts: bool,
    /// The characters of documents of fewer features.
    short_below: u32,
}

/// What is gathered for statistics while documents are read.
struct Gathering {
    counts: Counts,
    /// Pairs of neighbors by shard; empty where no entropies are needed.
    pairs: Vec<Shard>,
    /// The text of each feature by number; empty unless statistics are saved.
    texts: Vec<String>,
}

/// Bytes of terms, and of contents, that stay in memory in a run without checkpoints: 20,000 articles or so need no disk.
const HELD: u64 = 64 << 20;

/// Of the bytes that a run may take, one in so many is held.
const HELD_SHARE: u64 = 16;

/// Lists on disk: with a name in `folder`, if there is one; else only where they are many.
fn spill<N: Pod>(pipeline: &Pipeline, folder: Option<&Path>, name: &str) -> Result<Spill<N>, Error> {
    let held = pipeline.config.memory.map_or(HELD, |most| HELD.min(most.0 / HELD_SHARE));
    folder.map_or_else(|| Spill::holding(&pipeline.tmp_dir, held as usize), |folder| Spill::create(&folder.join(name)))
}

/// A corpus in the making.
struct Reading<'p> {
    pipeline: &'p Pipeline,
    corpus: Corpus,
    gathering: Gathering,
    wanted: Wanted,
    /// Whether the text of every feature is gathered for a statistics file.
    save: bool,
}

impl<'p> Reading<'p> {
    fn new(pipeline: &'p Pipeline, folder: Option<&Path>, purpose: Purpose, save: bool) -> Result<Reading<'p>, Error> {
        let config = &pipeline.config;
        let hasher = Hasher::new(config.words().feature_hash, config.bits);
        let fresh = pipeline.saved.is_none();
        let words = config.features.kind() == Kind::Words;
        let entropies = save || words && fresh && pipeline.weights.model.needs_entropies();
        let statistics = words && fresh && pipeline.weights.model.needs_statistics();
        let named = save || words && hasher.needs_text();
        let counted = named || statistics;
        let pairs = (0..if entropies { SHARDS } else { 0 })
            .map(|_| Shard::new(folder.unwrap_or(&pipeline.tmp_dir)))
            .collect::<Result<_, _>>()?;
        let short_below = match (purpose, config.max_distance) {
            (Purpose::Fingerprint, _) | (Purpose::Dedup | Purpose::Tune, MaxDistance::Off) => 0,
            _ => pipeline.compared_when_short_below(),
        };
        let texts = purpose == Purpose::Tune || purpose == Purpose::Dedup && config.recall.is_some();
        let compares = match purpose {
            Purpose::Evaluate => true,
            Purpose::Fingerprint => false,
            Purpose::Dedup | Purpose::Tune => config.max_distance != MaxDistance::Off,
        };
        let contents = compares && (config.verify == Measure::Coverage || config.verify == Measure::Cosine && !words);
        let searched = !words || compares || purpose == Purpose::Fingerprint;
        let fingerprint = pipeline.needs_no_corpus() && !counted && searched;
        let keeps_terms = words && (purpose != Purpose::Fingerprint || !fingerprint);
        let keeps_terms = keeps_terms || save || compares && config.verify.needs_terms();
        let terms = match statistics && config.words().ngram == 1 {
            _ if !keeps_terms => None,
            true => Some(Terms::Numbers(spill(pipeline, folder, TERMS)?)),
            false => Some(Terms::Hashes(spill(pipeline, folder, TERMS)?)),
        };
        Ok(Reading {
            pipeline,
            corpus: Corpus {
                origins: Origins::default(),
                lengths: Vec::new(),
                texts: Vec::new(),
                features: Vec::new(),
                empty: Vec::new(),
                fields: Vec::new(),
                terms,
                fingerprints: fingerprint.then(|| Fingerprints::new(config.bits)),
                contents: if contents { Some(spill(pipeline, folder, CONTENTS)?) } else { None },
                sampled: if texts { Some(SampledTexts::new(spill(pipeline, folder, SAMPLED)?)) } else { None },
                short: short::Pool::default(),
                statistics: Statistics::default(),
                hasher,
                text_bytes: 0,
                folder: folder.unwrap_or(&pipeline.tmp_dir).to_path_buf(),
            },
            gathering: Gathering { counts: Counts::default(), pairs, texts: Vec::new() },
            wanted: Wanted {
                terms: words || keeps_terms,
                fingerprint,
                counted,
                shown: named,
                contents,
                texts,
                short_below,
            },
            save,
        })
    }

    /// Takes a batch in, if there is one.
    fn take_batch(&mut self, batch: Option<(Vec<Document>, Vec<Prepared>)>) -> Result<(), Error> {
        let Some((documents, prepared)) = batch else { return Ok(()) };
        self.take_all(documents, prepared)?;
        self.pipeline.check_memory(self.corpus.lengths.len())
    }

    /// Takes documents in, one by one.
    fn take_all(&mut self, documents: Vec<Document>, prepared: Vec<Prepared>) -> Result<(), Error> {
        let keep_field = self.pipeline.read.keep_field.is_some();
        for (document, prepared) in documents.into_iter().zip(prepared) {
            self.corpus.text_bytes += document.text.len() as u64;
            if keep_field {
                self.corpus.fields.push(document.field);
            }
            self.take(prepared)?;
        }
        Ok(())
    }

    fn take(&mut self, prepared: Prepared) -> Result<(), Error> {
        let corpus = &mut self.corpus;
        let ngram = self.pipeline.features.ngram as usize;
        if let Some((features, feature_places)) = &prepared.counted {
            let Gathering { counts, pairs, texts } = &mut self.gathering;
            let mut written = Ok(());
            let pair = |shard: usize, pair| {
                if let (Some(shard), true) = (pairs.get_mut(shard), written.is_ok()) {
                    written = shard.append(pair);
                }
            };
            let new = |feature: &Feature| {
                let Some((text, places)) = &prepared.shown else { return };
                let first = feature.first as usize;
                let terms = &places[first..places.len().min(first + ngram)];
                let words: Vec<&str> = terms.iter().map(|(s, e)| &text[*s as usize..*e as usize]).collect();
                let words = words.join(" ");
                corpus.hasher.learn(feature.hash, &words);
                if self.save {
                    texts.push(words);
                }
            };
            counts.add(features, feature_places, pair, new);
            written?;
        }
        if let Some(characters) = &prepared.brief {
            let short = prepared.features < self.pipeline.config.min_features;
            corpus.short.add(corpus.lengths.len() as u32, short, characters);
        }
        match (&mut corpus.terms, &prepared.counted) {
            // Who saves statistics reads no terms again.
            _ if self.save => {}
            (None, _) => {}
            (Some(Terms::Numbers(spill)), Some((_, places))) => {
                spill.push(places.iter().map(|place| self.gathering.counts.number(*place)))?;
            }
            (Some(Terms::Hashes(spill)), _) => spill.push(prepared.terms)?,
            (Some(Terms::Numbers(_)), None) => unreachable!("terms have numbers where features are counted"),
        }
        if let (Some(fingerprints), Some(words)) = (&mut corpus.fingerprints, prepared.fingerprint) {
            fingerprints.push(&words[..fingerprints.words_each()]);
        }
        if let Some(contents) = &mut corpus.contents {
            contents.append(prepared.content.as_bytes())?;
            contents.end();
        }
        if let (Some(sampled), Some(text)) = (&mut corpus.sampled, &prepared.text_to_edit) {
            sampled.offer(prepared.text, text)?;
        }
        corpus.lengths.push(prepared.length);
        corpus.texts.push(prepared.text);
        corpus.features.push(prepared.features);
        corpus.empty.push(prepared.empty);
        Ok(())
    }

    fn finish(mut self, origins: Origins) -> Result<(Corpus, Gathering), Error> {
        self.corpus.origins = origins;
        match &mut self.corpus.terms {
            None => {}
            Some(Terms::Hashes(spill)) => spill.flush()?,
            Some(Terms::Numbers(spill)) => spill.flush()?,
        }
        if let Some(contents) = &mut self.corpus.contents {
            contents.flush()?;
        }
        if let Some(sampled) = &mut self.corpus.sampled {
            sampled.flush()?;
        }
        Ok((self.corpus, self.gathering))
    }
}
