//! A text -> its fingerprint, where that needs no corpus: one text after the other, on any thread.

use rayon::prelude::*;

use super::Pipeline;
use super::weigher::Weigher;
use crate::error::Error;
use crate::features::{self, Kind};
use crate::fingerprint::{EqualVote, FeatureHash, Fingerprints, Hasher, Position};
use crate::message;
use crate::message::Verb;
use crate::normalize;
use crate::watch::{Evenly, Stage, Watch};
use crate::weights::{Model, Tf};

/// Texts that a thread takes at a time.
const TOGETHER: usize = 64;

/// Makes fingerprints of texts as [`dedup`](super::dedup) does, in buffers of its own. One a thread; see
/// [`Pipeline::fingerprinter`] for an example.
#[derive(Debug)]
pub struct Fingerprinter<'p> {
    pipeline: &'p Pipeline,
    weigher: Weigher<'p>,
    hasher: Hasher,
    equal_vote: EqualVote,
    content: String,
    terms: Vec<u64>,
    occurrences: Vec<u64>,
}

impl Pipeline {
    /// What makes fingerprints of single texts under these settings.
    ///
    /// # Errors
    /// [`Error::Usage`] where the weights need corpus statistics and no file of them was given: they are the input's own then.
    ///
    /// ```
    /// use nearprint::{Config, Pipeline};
    /// let pipeline = Pipeline::new(Config::default())?;
    /// let mut fingerprinter = pipeline.fingerprinter()?;
    /// assert_eq!(fingerprinter.fingerprint("能力比学历重要"), fingerprinter.fingerprint("能力比學歷重要"));
    /// assert!(Pipeline::new(Config::preset("paper")?)?.fingerprinter().is_err());
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn fingerprinter(&self) -> Result<Fingerprinter<'_>, Error> {
        if !self.needs_no_corpus() {
            let problem =
                message!["the weights need the statistics of a corpus; name a file that ", Verb::Stats, " made"];
            return Err(Error::usage("stats", problem));
        }
        let config = &self.config;
        Ok(Fingerprinter {
            pipeline: self,
            weigher: Weigher::without_corpus(self),
            hasher: Hasher::new(config.words().feature_hash, config.bits),
            equal_vote: EqualVote::new(config.bits),
            content: String::new(),
            terms: Vec::new(),
            occurrences: Vec::new(),
        })
    }

    /// The fingerprints of many texts, by number, made on all threads.
    ///
    /// ```
    /// use nearprint::{Config, Pipeline, Silent};
    /// let pipeline = Pipeline::new(Config::default())?;
    /// let texts = ["能力比学历重要", "能力比學歷重要", "The ferry returns on Monday"];
    /// let fingerprints = pipeline.fingerprint_all(texts.len(), |number| texts[number], &Silent)?;
    /// assert_eq!((fingerprints.len(), fingerprints.distance(0, 1)), (3, 0));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Pipeline::fingerprinter`], and [`Error::Interrupted`].
    pub fn fingerprint_all<'t>(
        &self,
        count: usize,
        text: impl Fn(usize) -> &'t str + Sync,
        watch: &dyn Watch,
    ) -> Result<Fingerprints, Error> {
        self.fingerprinter()?;
        let stage = Evenly::begin(watch, Stage::Fingerprint, count, 0);
        let bits = self.config.bits;
        let each = Fingerprints::new(bits).words_each();
        let mut words = vec![0; count * each];
        let part = |fingerprinter: &mut Fingerprinter<'_>, (number, words): (usize, &mut [u64])| {
            for (place, words) in words.chunks_exact_mut(each).enumerate() {
                words.copy_from_slice(&fingerprinter.fingerprint(text(number * TOGETHER + place))[..each]);
            }
            stage.advance(words.len() / each);
            if stage.stopped() { Err(Error::Interrupted) } else { Ok(()) }
        };
        self.threads.install(|| {
            let parts = words.par_chunks_mut(TOGETHER * each).enumerate();
            parts.map_init(|| self.fingerprinter().expect("checked above"), part).collect::<Result<(), Error>>()
        })?;
        Ok(Fingerprints::of_words(bits, words))
    }

    /// The tokens of a text as its features see them: normalized, cut, and without those that the settings drop.
    ///
    /// ```
    /// use nearprint::{Config, Pipeline};
    /// let pipeline = Pipeline::new(Config::default())?;
    /// assert_eq!(pipeline.tokens("能力比學歷重要"), ["能力", "比", "学历", "重要"]);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let text = self.normalizer.normalize(text);
        let mut tokens = Vec::new();
        self.segmenter.tokens(&text, &mut |token| {
            if self.features.keeps(token) {
                tokens.push(token.to_string());
            }
        });
        tokens
    }

    /// Whether a fingerprint depends on the text and the settings alone.
    pub(super) fn needs_no_corpus(&self) -> bool {
        self.config.features.kind() == Kind::Letters || !self.weights.model.needs_statistics() || self.saved.is_some()
    }
}

impl Fingerprinter<'_> {
    /// The fingerprint of a text in the first bits of the words, bit 0 the highest of the first one. A text without features
    /// has 0.
    ///
    /// ```
    /// use nearprint::{Config, Pipeline};
    /// let pipeline = Pipeline::new(Config { bits: 64, ..Config::default() })?;
    /// let mut fingerprinter = pipeline.fingerprinter()?;
    /// let [left, right] = ["The ferry returns on Monday", "the ferry returns on Monday!"].map(|text| fingerprinter.fingerprint(text)[0]);
    /// assert_eq!((left ^ right).count_ones(), 0);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn fingerprint(&mut self, text: &str) -> [u64; 4] {
        let text = self.pipeline.normalizer.normalize(text);
        if self.pipeline.config.features.kind() == Kind::Letters {
            self.content.clear();
            normalize::append_content(&text, &mut self.content);
            return self.weigher.fingerprint_of(&[], &self.content, &self.hasher);
        }
        let Fingerprinter { pipeline, weigher, hasher, equal_vote, terms, occurrences, .. } = self;
        terms.clear();
        let mut tokens = Vec::new();
        pipeline.segmenter.tokens(&text, &mut |token| {
            if pipeline.features.keeps(token) {
                terms.push(features::term(token));
                if hasher.needs_text() {
                    tokens.push(token);
                }
            }
        });
        let ngram = pipeline.features.ngram;
        if hasher.needs_text() {
            hasher.forget();
            features::each_feature(terms, ngram, |feature, range| hasher.learn(feature, &tokens[range].join(" ")));
        }
        if pipeline.votes_are_equal(terms.len()) {
            return equal_vote.fingerprint(features::features_of(terms, ngram, occurrences));
        }
        weigher.fingerprint_of(terms, "", hasher)
    }
}

impl Pipeline {
    /// Whether every occurrence of a feature in a text of so many terms adds the same to the votes: then none need be
    /// counted.
    fn votes_are_equal(&self, terms: usize) -> bool {
        let words = self.config.words();
        let linear = words.weights == Model::Tf && words.tf != Tf::Log;
        let capped = words.weight_cap.is_some_and(|cap| terms as f64 > cap);
        linear && !capped && words.position == Position::Off && words.feature_hash == FeatureHash::Xxh3
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::config::Config;
    use crate::fingerprint::to_hex;
    use crate::pipeline::Purpose;
    use crate::watch::Silent;

    /// Settings, each of which takes another way.
    const SETTINGS: [&str; 10] = [
        "",
        "features = 'letters'\nbits = 128",
        "bits = 32",
        "preset = 'simhash'",
        "preset = 'md5-32'",
        "preset = 'md5-32'\nngram = 2",
        "features = 'words'\nweights = 'tf'\ntf = 'raw'\nbits = 128",
        "features = 'words'\nweights = 'tf'\ntf = 'relative'\nweight-cap = 3.0\nbits = 64",
        "features = 'words'\nweights = 'tf'\ntf = 'raw'\nngram = 3\nstop-words = ['en']\nmin-token-length = 2",
        "features = 'words'\nweights = 'tf'\ntf = 'raw'\nsegmenter = 'characters'\nngram = 2\nposition = 'rank'",
    ];

    static PIPELINES: LazyLock<Vec<Pipeline>> = LazyLock::new(|| {
        let config = |settings: &&str| Config::from_layers(&[settings.parse().unwrap()]).unwrap();
        SETTINGS.iter().map(|settings| Pipeline::new(config(settings)).unwrap()).collect()
    });

    #[test]
    fn a_text_alone_has_the_fingerprint_that_it_has_in_a_corpus() {
        let folder = tempfile::tempdir().unwrap();
        let texts = [
            "The ferry returns on Monday, don’t you think?",
            "能力比学历重要，一根藤上七朵花",
            "葫芦娃 one two one",
            "x",
        ];
        let lines = texts.map(|text| serde_json::json!({ "text": text }).to_string());
        let path = folder.path().join("texts.jsonl");
        std::fs::write(&path, lines.join("\n")).unwrap();
        for pipeline in PIPELINES.iter() {
            let sources = pipeline.find(&[path.display().to_string()], folder.path(), &Silent).unwrap();
            let corpus = pipeline.read(sources, Purpose::Fingerprint, &Silent).unwrap();
            let table = pipeline.fingerprint_table(&corpus, &Silent).unwrap();
            let all = pipeline.fingerprint_all(texts.len(), |number| texts[number], &Silent).unwrap();
            let mut fingerprinter = pipeline.fingerprinter().unwrap();
            for (number, (text, row)) in texts.iter().zip(table.rows()).enumerate() {
                let alone = to_hex(&fingerprinter.fingerprint(text), pipeline.config.bits);
                assert_eq!(alone, row.fingerprint, "{}", pipeline.fingerprint_description());
                assert_eq!(alone, to_hex(all.get(number), all.bits()));
                assert!(row.features > 0 || *text == "x" || pipeline.features.han_only, "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_text_alone_has_the_fingerprint_that_it_has_in_a_comparison(
            text in "(one|two|The|don’t|3.14|café|能力|学历|比|學|Ａ|葫芦娃|[a-e]{1,4})?( (one|two|the|é|能力比|葫芦娃|[a-c]{1,2})){0,30}"
        ) {
            for pipeline in PIPELINES.iter() {
                let compared = pipeline.compare(&text, "another", 0);
                let mut fingerprinter = pipeline.fingerprinter().unwrap();
                fingerprinter.fingerprint("one before");
                let alone = to_hex(&fingerprinter.fingerprint(&text), pipeline.config.bits);
                prop_assert_eq!(alone, compared.left.fingerprint, "{}", pipeline.fingerprint_description());
            }
        }
    }
}
