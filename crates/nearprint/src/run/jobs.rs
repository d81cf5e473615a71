//! The jobs beside deduplication: fingerprints of files, corpus statistics, tuning, evaluation.

use std::io::Write;
use std::path::Path;

use nearprint_core::features::Kind;

use super::Deduplicator;
use crate::compare::{Comparison, compare_by};
use crate::config::OnError;
use crate::corpus::{Corpus, Purpose};
use crate::decide;
use crate::error::{Error, Rejections};
use crate::evaluate::{self, EvaluationReport, Question};
use crate::finished::{Names, each_document};
use crate::message;
use crate::message::Setting;
use crate::read::{self, Source};
use crate::search::{self, FingerprintTable, Tuning, largest_distance};
use crate::watch::Watch;

impl Deduplicator {
    /// Reads documents for a purpose.
    ///
    /// # Errors
    /// [`Error::Rejected`] for input that cannot be used (if `on-error` is `fail`),
    /// [`Error::TooManyRejected`], [`Error::NoSuchField`], [`Error::TooManyDocuments`],
    /// [`Error::OverMemory`], [`Error::Usage`], [`Error::Io`], [`Error::Interrupted`].
    pub fn read(
        &self,
        sources: Vec<Source>,
        purpose: Purpose,
        watch: &dyn Watch,
    ) -> Result<Corpus, Error> {
        if purpose == Purpose::HeaviestWords && self.recipe.kind() != Kind::Words {
            return Err(Error::usage(
                "top",
                message!["lists words; set ", Setting::with("features", "words")],
            ));
        }
        if purpose == Purpose::Tune && self.recipe.takes_tokens() {
            let problem =
                "this needs edited copies of texts, which have no tokens field; leave it out";
            return Err(Error::usage("tokens-field", problem));
        }
        self.threads.install(|| self.reading(Vec::new(), sources, None).read(purpose, watch))
    }

    /// Finds the input files. Standard input is saved in `spool`, which must exist as long as the
    /// sources are read.
    ///
    /// # Errors
    /// [`Error::Usage`] for inputs that name nothing or a file twice, [`Error::Io`] for missing
    /// files, [`Error::Interrupted`].
    pub fn find_files(
        &self,
        inputs: &[String],
        spool: &Path,
        watch: &dyn Watch,
    ) -> Result<Vec<Source>, Error> {
        read::find(inputs, &self.options, spool, watch)
    }

    /// Finds the input files for an index, which reads them once: standard input is read while its
    /// rows come. Only Parquet is saved in `spool` before.
    ///
    /// # Errors
    /// As [`find_files`](Self::find_files).
    pub fn find_files_once(
        &self,
        inputs: &[String],
        spool: &Path,
        watch: &dyn Watch,
    ) -> Result<Vec<Source>, Error> {
        read::find_once(inputs, &self.options, spool, watch)
    }

    /// The text of one file, to be compared with another.
    ///
    /// # Errors
    /// [`Error::Usage`] for a folder, and for a file whose name tells that it holds many documents;
    /// [`Error::Io`] for a missing file; [`Error::Unusable`] for a file that cannot be read or is
    /// no text; [`Error::Interrupted`].
    pub fn read_text(&self, path: &Path, watch: &dyn Watch) -> Result<String, Error> {
        if path.is_dir() {
            return Err(Error::usage(
                "input",
                format!("{} is a folder; name a file", path.display()),
            ));
        }
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let has_rows = || {
            let documents = message![
                path.display(),
                " has rows, and is not one text; name two of its documents by their ids with ",
                Setting::with("in", message::Value::Word(path.display().to_string().into()))
            ];
            Err(Error::usage("input", documents))
        };
        if read::of_name(&name).0.is_some_and(read::Format::has_fields) {
            return has_rows();
        }
        let options = read::Options { format: Some(read::Format::Text), ..self.options.clone() };
        let spool = self.spool()?;
        let sources = read::find(&[path.display().to_string()], &options, spool.path(), watch)?;
        if sources[0].format.has_fields() {
            return has_rows();
        }
        let text =
            read::read(&sources[0], &options).and_then(|mut documents| match documents.next() {
                None => Ok(String::new()),
                Some(document) => Ok(document?.text),
            });
        text.map_err(|rejection| Error::Unusable {
            path: path.to_path_buf(),
            problem: rejection.problem,
        })
    }

    /// The texts of named documents of the inputs. A name is an id or `FILE:ROW`.
    ///
    /// # Errors
    /// As [`find_files`](Self::find_files); [`Error::Incompatible`] for a name that no document has,
    /// [`Error::Rejected`] for a file that cannot be read.
    pub fn texts_of(
        &self,
        inputs: &[String],
        names: &[String],
        watch: &dyn Watch,
    ) -> Result<Vec<String>, Error> {
        let spool = self.spool()?;
        let sources = self.find_files(inputs, spool.path(), watch)?;
        let mut wanted =
            Names::new(names, true, sources.iter().map(|source| source.label.as_str()));
        for source in &sources {
            let read = each_document(source, false, &self.options, watch, |found| {
                wanted.look_at(found);
                !wanted.are_found()
            });
            match read {
                Err(Error::Rejected(left_out)) if self.config.read.on_error == OnError::Skip => {
                    watch.warn(&message!["left out: ", left_out.message()]);
                }
                read => read?,
            }
        }
        let found = wanted.documents(inputs.join(", "))?;
        Ok(found
            .into_iter()
            .filter_map(|named| named.found.into_iter().next())
            .map(|found| found.text)
            .collect())
    }

    /// The fingerprints of all documents of a corpus that was read for [`Purpose::Fingerprint`].
    /// With `top` above 0, each row has the `top` words with the largest weights, and the corpus
    /// must have been read for [`Purpose::HeaviestWords`].
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Silent, corpus::Purpose, read::Source};
    /// let deduplicator = Deduplicator::new(Config::preset("simhash")?.min_features(1))?;
    /// let texts = vec!["能力比学历重要性高，能力".to_string()];
    /// let corpus = deduplicator.read(vec![Source::texts("texts", texts)], Purpose::HeaviestWords, &Silent)?;
    /// let table = deduplicator.fingerprint_table(&corpus, 2, &Silent)?;
    /// let row = table.rows().next().unwrap()?;
    /// let words: Vec<String> = row.heaviest.unwrap().into_iter().map(|word| word.feature).collect();
    /// assert_eq!(words, ["能力", "学历"]); // All weigh 1, so the first ones come first.
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unfit`] for a corpus that was read for another purpose, [`Error::Io`],
    /// [`Error::Interrupted`].
    pub fn fingerprint_table<'c>(
        &self,
        corpus: &'c Corpus,
        top: usize,
        watch: &dyn Watch,
    ) -> Result<FingerprintTable<'c>, Error> {
        let purpose = if top > 0 { Purpose::HeaviestWords } else { Purpose::Fingerprint };
        corpus.check(purpose, &self.config, &self.recipe)?;
        self.threads.install(|| FingerprintTable::new(corpus, &self.recipe, top, watch))
    }

    /// Counts corpus statistics of the input and writes them to `out`, with the text of every
    /// feature. Messages name `path` as the place of `out`. Returns the number of documents and the
    /// rejections.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn save_statistics(
        &self,
        sources: Vec<Source>,
        path: &Path,
        out: impl Write + Send,
        watch: &dyn Watch,
    ) -> Result<(u64, Rejections), Error> {
        if self.recipe.kind() != Kind::Words {
            return Err(Error::usage(
                "features",
                message!["statistics count words; set ", Setting::with("features", "words")],
            ));
        }
        self.threads
            .install(|| self.reading(Vec::new(), sources, None).save_statistics(out, path, watch))
    }

    /// Compares two texts ([`compare`](crate::compare())). `in_family` is true if one of them is in
    /// a family ([`in_family`](crate::in_family)), and `None` if their corpus is unknown.
    ///
    /// # Errors
    /// [`Error::Usage`] with a `tokens-field`, since a text alone has no tokens.
    pub fn compare(
        &self,
        texts: [&str; 2],
        in_family: Option<bool>,
        top: usize,
    ) -> Result<Comparison, Error> {
        self.recipe.check_texts_alone()?;
        let rules = self.config.rules(largest_distance(&self.config));
        Ok(compare_by(&self.recipe, rules, texts, in_family, top))
    }

    /// Chooses the distances that find a share of `recall` (0.95 by default) of the pairs at the
    /// least similarity, by a sample of `sample` documents. The corpus must have been read for
    /// [`Purpose::Tune`].
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Silent, corpus::Purpose};
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("poems.jsonl");
    /// let text = |n: u32| (0..60).map(|word| format!("word{} ", n * 31 + word * word % 97)).collect::<String>();
    /// let rows = (0..40).map(|n| format!("{{\"id\":{n},\"text\":\"{}\"}}\n", text(n)));
    /// std::fs::write(&input, rows.collect::<String>())?;
    ///
    /// let deduplicator = Deduplicator::new(Config::default().recall(0.9))?;
    /// let sources = deduplicator.find_files(&[input.display().to_string()], folder.path(), &Silent)?;
    /// let corpus = deduplicator.read(sources, Purpose::Tune, &Silent)?;
    /// let tuning = deduplicator.tune(&corpus, 2000, &Silent)?;
    /// assert_eq!((tuning.choice.documents, tuning.choice.sample, tuning.choice.similarity), (40, 40, 0.75));
    /// assert!(tuning.choice.expected_recall >= 0.9);
    /// assert!(tuning.choice.compared_fingerprints == 780.0 && tuning.other_similarities.len() == 3);
    /// assert!(tuning.to_toml().contains("max-distance = "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for a sample of no document or of too many, or if only equal texts match;
    /// [`Error::Unfit`] for a corpus that was read for another purpose; [`Error::Io`];
    /// [`Error::Interrupted`].
    pub fn tune(&self, corpus: &Corpus, sample: usize, watch: &dyn Watch) -> Result<Tuning, Error> {
        corpus.check(Purpose::Tune, &self.config, &self.recipe)?;
        let input = self.input(corpus);
        self.threads.install(|| {
            let representatives =
                decide::representatives(&self.config, corpus, &decide::ranks(&self.config, corpus));
            search::tune(&input, &representatives, sample, watch)
        })
    }

    /// Compares found pairs or clusters with labelled ones.
    ///
    /// ```
    /// use nearprint::evaluate::Question;
    /// use nearprint::{Config, Deduplicator, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let file = |name: &str| folder.path().join(name).display().to_string();
    /// std::fs::write(file("found.csv"), "left,right\n1,2\n3,4\n")?;
    /// std::fs::write(file("truth.jsonl"), "{\"id\":1,\"cluster\":\"春\"}\n{\"id\":2,\"cluster\":\"春\"}\n{\"id\":3}\n{\"id\":4}\n")?;
    /// let question = Question { found: file("found.csv").into(), truth: file("truth.jsonl").into(), ..Question::default() };
    /// let report = Deduplicator::new(Config::default())?.evaluate(&question, &Silent)?;
    /// assert_eq!((report.documents.counted, report.counts.false_alarms), (4, 1));
    /// assert_eq!(report.measures["precision"].value, Some(0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`], [`Error::Io`] for missing inputs, [`Error::Incompatible`] for a file that
    /// holds neither pairs nor clusters, [`Error::Rejected`] for rows that cannot be used,
    /// [`Error::Interrupted`].
    pub fn evaluate(
        &self,
        question: &Question,
        watch: &dyn Watch,
    ) -> Result<EvaluationReport, Error> {
        let spool = self.spool()?;
        let read = |sources, watch: &dyn Watch| {
            self.reading(Vec::new(), sources, None).read(Purpose::Evaluate, watch)
        };
        let evaluator = evaluate::Evaluator {
            config: &self.config,
            recipe: &self.recipe,
            options: &self.options,
            spool: spool.path(),
            read: &read,
        };
        self.threads.install(|| evaluator.report(question, watch))
    }
}

#[cfg(test)]
mod tests {
    use nearprint_core::judge::Parts;
    use nearprint_core::recipe::Prepared;

    use super::*;
    use crate::config::Config;
    use crate::corpus::{DocumentStore, PairJudge, Reader};
    use crate::watch::Silent;

    fn read(config: &Config, purpose: Purpose) -> Corpus {
        let texts = vec!["a text".to_string(), "another text".to_string()];
        let deduplicator = Deduplicator::new(config.clone()).unwrap();
        deduplicator.read(vec![Source::texts("texts", texts)], purpose, &Silent).unwrap()
    }

    #[test]
    fn a_corpus_that_was_read_for_something_else_is_refused() {
        let config = Config::default();
        let deduplicator = Deduplicator::new(config.clone()).unwrap();
        let refused =
            |corpus: &Corpus| deduplicator.decide(corpus, false, &Silent).unwrap_err().to_string();
        assert!(deduplicator.decide(&read(&config, Purpose::Dedup), false, &Silent).is_ok());
        assert!(
            refused(&read(&config, Purpose::Fingerprint))
                .contains("read for fingerprints, not for deduplication")
        );
        let narrow = config.clone().bits(64);
        assert!(refused(&read(&narrow, Purpose::Dedup)).contains("read by the recipe "));
        let longer = config.clone().min_features(40);
        assert!(
            refused(&read(&longer, Purpose::Dedup))
                .contains("under settings that keep other parts")
        );
        assert!(matches!(
            deduplicator.tune(&read(&config, Purpose::Dedup), 10, &Silent),
            Err(Error::Unfit(_))
        ));
        let table = read(&config, Purpose::Dedup);
        assert!(matches!(deduplicator.fingerprint_table(&table, 0, &Silent), Err(Error::Unfit(_))));
    }

    #[test]
    fn a_part_that_was_not_gathered_is_an_error_and_not_empty() {
        let config = Config::default();
        let recipe = config.recipe().unwrap();
        let corpus = read(&config, Purpose::Fingerprint);
        let parts = Parts { text: true, ..Default::default() };
        let loaded = Reader::new(&corpus, &recipe).load(0, parts, &mut Prepared::default());
        assert!(matches!(loaded, Err(Error::Unfit(_))));
        let mut judge = PairJudge::new(&corpus, &recipe, config.rules(Some(80)));
        assert!(matches!(judge.candidate([0, 1], Some(3), false), Err(Error::Unfit(_))));
    }
}
