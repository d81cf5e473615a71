//! A text -> its fingerprint, where that needs no corpus: one text after the other, on any thread.

use rayon::prelude::*;

use super::{Prepared, Recipe, Weigher};
use crate::config::Config;
use crate::error::Error;
use crate::fingerprint::{Fingerprints, Hasher};
use crate::watch::{Progress, Stage, Watch};

/// Texts that a thread takes at a time.
const TOGETHER: usize = 64;

/// Makes fingerprints of texts, as a deduplication does, in buffers of its own. It needs no threads, no folder and no
/// corpus: keep one in a service, or one a thread. A clone shares the recipe and has buffers of its own.
///
/// ```
/// use nearprint::{Config, Fingerprinter};
/// let mut fingerprinter = Fingerprinter::new(&Config { bits: 64, ..Config::default() })?;
/// let [left, right] = ["能力比学历重要", "能力比學歷重要"].map(|text| fingerprinter.fingerprint(text));
/// assert_eq!(left, right);
/// assert!(Fingerprinter::new(&Config::preset("paper")?).is_err()); // Its weights need the statistics of a corpus.
/// # Ok::<(), nearprint::Error>(())
/// ```
#[derive(Debug)]
pub struct Fingerprinter {
    recipe: Recipe,
    weigher: Weigher,
    hasher: Hasher,
    document: Prepared,
}

impl Clone for Fingerprinter {
    fn clone(&self) -> Fingerprinter {
        Fingerprinter::with(&self.recipe)
    }
}

impl Fingerprinter {
    /// Checks the settings and reads the files that they name.
    ///
    /// # Errors
    /// [`Error::Usage`] for a setting out of its range, and where the weights need corpus statistics and no file of them is
    /// named; [`Error::Incompatible`] for a file of statistics made under other settings.
    pub fn new(config: &Config) -> Result<Fingerprinter, Error> {
        Fingerprinter::of(&Recipe::new(config)?)
    }

    /// Makes fingerprints by a recipe.
    ///
    /// # Errors
    /// [`Error::Usage`] where the weights need the statistics of the corpus that is read, or documents their own tokens.
    pub fn of(recipe: &Recipe) -> Result<Fingerprinter, Error> {
        recipe.check_texts_alone()?;
        recipe.check_statistics()?;
        Ok(Fingerprinter::with(recipe))
    }

    fn with(recipe: &Recipe) -> Fingerprinter {
        Fingerprinter {
            weigher: Weigher::without_corpus(recipe),
            hasher: recipe.hasher(),
            document: Prepared::default(),
            recipe: recipe.clone(),
        }
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The fingerprint of a text in the first bits of the words, bit 0 the highest of the first one. A text without features
    /// has 0.
    ///
    /// ```
    /// use nearprint::{Config, Fingerprinter};
    /// let mut fingerprinter = Fingerprinter::new(&Config { bits: 64, ..Config::default() })?;
    /// let [left, right] = ["The ferry returns on Monday", "the ferry returns on Monday!"].map(|text| fingerprinter.fingerprint(text)[0]);
    /// assert_eq!((left ^ right).count_ones(), 0);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn fingerprint(&mut self, text: &str) -> [u64; 4] {
        let Fingerprinter { recipe, weigher, hasher, document } = self;
        recipe.prepare(text, recipe.parts_of_fingerprints(), document);
        document.teach(recipe.ngram(), hasher);
        weigher.fingerprint(document, hasher)
    }

    /// The fingerprints of `count` texts, by number, made on all threads of rayon's current pool.
    ///
    /// ```
    /// use nearprint::{Config, Fingerprinter, Silent};
    /// let texts = ["能力比学历重要", "能力比學歷重要", "The ferry returns on Monday"];
    /// let fingerprinter = Fingerprinter::new(&Config::default())?;
    /// let fingerprints = fingerprinter.fingerprint_all(texts.len(), |number| texts[number], &Silent)?;
    /// assert_eq!((fingerprints.len(), fingerprints.distance(0, 1)), (3, 0));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn fingerprint_all<'t>(
        &self,
        count: usize,
        text: impl Fn(usize) -> &'t str + Sync,
        watch: &dyn Watch,
    ) -> Result<Fingerprints, Error> {
        let stage = Progress::begin(watch, Stage::Fingerprint, count, 0);
        let bits = self.recipe.bits();
        let each = Fingerprints::new(bits).words_each();
        let mut words = vec![0; count * each];
        let part = |fingerprinter: &mut Fingerprinter, (number, words): (usize, &mut [u64])| {
            for (place, words) in words.chunks_exact_mut(each).enumerate() {
                words.copy_from_slice(&fingerprinter.fingerprint(text(number * TOGETHER + place))[..each]);
            }
            stage.advance(words.len() / each);
            if stage.stopped() { Err(Error::Interrupted) } else { Ok(()) }
        };
        let parts = words.par_chunks_mut(TOGETHER * each).enumerate();
        parts.map_init(|| Fingerprinter::with(&self.recipe), part).collect::<Result<(), Error>>()?;
        Ok(Fingerprints::of_words(bits, words))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::compare::compare_by;
    use crate::config::Config;
    use crate::corpus::Purpose;
    use crate::fingerprint::to_hex;
    use crate::judge::Rules;
    use crate::run::Deduplicator;
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

    /// With their recipes, which take a while to make.
    static CONFIGS: LazyLock<Vec<(Config, Recipe)>> = LazyLock::new(|| {
        let config = |settings: &&str| {
            let config = Config::from_layers(&[settings.parse().unwrap()]).unwrap();
            let recipe = Recipe::new(&config).unwrap();
            (config, recipe)
        };
        SETTINGS.iter().map(config).collect()
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
        for (config, recipe) in CONFIGS.iter() {
            let deduplicator = Deduplicator::new(config.clone()).unwrap();
            let sources = deduplicator.find(&[path.display().to_string()], folder.path(), &Silent).unwrap();
            let corpus = deduplicator.read(sources, Purpose::Fingerprint, &Silent).unwrap();
            let table = deduplicator.fingerprint_table(&corpus, 0, &Silent).unwrap();
            let mut fingerprinter = Fingerprinter::of(recipe).unwrap();
            let all = fingerprinter.fingerprint_all(texts.len(), |number| texts[number], &Silent).unwrap();
            for (number, (text, row)) in texts.iter().zip(table.rows()).enumerate() {
                let (alone, row) = (to_hex(&fingerprinter.fingerprint(text), config.bits), row.unwrap());
                assert_eq!(alone, row.fingerprint, "{}", fingerprinter.recipe().identity());
                assert_eq!(alone, to_hex(all.get(number), all.bits()));
                assert!(row.features > 0 || *text == "x" || config.words().han_only, "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_text_alone_has_the_fingerprint_that_it_has_in_a_comparison(
            text in "(one|two|The|don’t|3.14|café|能力|学历|比|學|Ａ|葫芦娃|[a-e]{1,4})?( (one|two|the|é|能力比|葫芦娃|[a-c]{1,2})){0,30}"
        ) {
            for (config, recipe) in CONFIGS.iter() {
                let compared = compare_by(recipe, Rules::new(config, Some(0)), [&text, "another"], None, 0);
                let mut fingerprinter = Fingerprinter::of(recipe).unwrap();
                fingerprinter.fingerprint("one before");
                let alone = to_hex(&fingerprinter.fingerprint(&text), config.bits);
                prop_assert_eq!(alone, compared.left.fingerprint, "{}", fingerprinter.recipe().identity());
            }
        }
    }
}
