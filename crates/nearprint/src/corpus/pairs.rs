//! Two documents of a corpus, by their numbers -> the judge's verdict.

use super::{Corpus, Parts, Reader};
use crate::error::Error;
use crate::judge::{Judge, Rules, Verdict};
use crate::recipe::{Prepared, Recipe};

/// Asks the judge about documents of a corpus. One a thread; it remembers the left document, since pairs come sorted.
pub struct PairJudge<'c> {
    reader: Reader<'c>,
    judge: Judge,
    left: Option<(u32, Parts)>,
    document: Prepared,
}

impl<'c> PairJudge<'c> {
    /// A judge of documents of this corpus, which was read by this recipe.
    pub fn new(corpus: &'c Corpus, recipe: &Recipe, rules: Rules) -> PairJudge<'c> {
        PairJudge {
            reader: Reader::new(corpus, recipe),
            judge: Judge::new(rules),
            left: None,
            document: Prepared::default(),
        }
    }

    /// The similarity of two documents under the measure, if it is `least` or more ([`Judge::at_least`]). `distance` is that of
    /// their fingerprints, which a measure without a comparison needs.
    ///
    /// # Errors
    /// As [`Reader::load`].
    pub fn at_least(&mut self, left: u32, right: u32, distance: u32, least: f64) -> Result<Option<f64>, Error> {
        self.load(left, right, Parts::compared(self.judge.rules()))?;
        Ok(self.judge.at_least(&self.document, Some(distance), least))
    }

    /// The verdict on a candidate pair where the two are duplicates ([`Judge::duplicate`]): two documents whose fingerprints are
    /// this far apart, or without a distance two that are compared by their characters.
    ///
    /// # Errors
    /// As [`Reader::load`].
    pub fn candidate(&mut self, left: u32, right: u32, distance: Option<u32>) -> Result<Option<Verdict>, Error> {
        let parts = match distance {
            Some(_) => Parts::compared(self.judge.rules()),
            None => Parts { characters: true, ..Parts::default() },
        };
        self.load(left, right, parts)?;
        Ok(self.judge.duplicate(&self.document, distance))
    }

    /// The verdict on any two documents ([`Judge::verdict`]).
    ///
    /// # Errors
    /// As [`Reader::load`].
    pub fn verdict(&mut self, left: u32, right: u32) -> Result<Verdict, Error> {
        let (corpus, rules) = (self.reader.corpus(), self.judge.rules());
        let is_short = |document| rules.is_short(corpus.features(document));
        let parts = match corpus.text_hash(left) == corpus.text_hash(right) {
            true => Parts::default(),
            false if is_short(left) || is_short(right) => Parts {
                // Where one is too long to be compared by its characters, by the column that there is.
                alphanumeric: corpus.alphanumeric.is_some(),
                terms: corpus.alphanumeric.is_none() && corpus.terms.is_some(),
                characters: true,
                ..Parts::default()
            },
            false => Parts { fingerprint: true, ..Parts::compared(rules) },
        };
        self.load(left, right, parts)?;
        Ok(self.judge.verdict(&self.document, None))
    }

    /// Prepares both documents: the left one in the judge, the right one here.
    fn load(&mut self, left: u32, right: u32, parts: Parts) -> Result<(), Error> {
        if self.left != Some((left, parts)) {
            self.left = None;
            self.reader.load(left, parts, &mut self.document)?;
            self.judge.set_left(&self.document);
            self.left = Some((left, parts));
        }
        self.reader.load(right, parts, &mut self.document)
    }
}
