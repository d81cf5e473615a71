//! Two documents, by their numbers in a corpus or another store -> the judge's verdict.

use nearprint_core::judge::{Judge, Parts, Rules, Verdict};
use nearprint_core::recipe::{Prepared, Recipe};

use super::{Corpus, DocumentStore, Reader};
use crate::error::Error;

/// Judges pairs of documents of a corpus.
pub type PairJudge<'c> = StoreJudge<Reader<'c>>;

/// Judges pairs of documents of a store. Each thread has its own. It remembers a document, since
/// pairs are sorted by one of their documents.
pub struct StoreJudge<S> {
    reader: S,
    judge: Judge,
    left: Option<(u32, Parts)>,
    right: Option<(u32, Parts)>,
    document: Prepared,
}

impl<'c> PairJudge<'c> {
    /// A judge of documents of this corpus, which was read by this recipe.
    pub fn new(corpus: &'c Corpus, recipe: &Recipe, rules: Rules) -> PairJudge<'c> {
        StoreJudge::of(Reader::new(corpus, recipe), rules)
    }

    /// The verdict on any two documents ([`Judge::verdict`]). `in_family` is true if one of them is
    /// in a family.
    ///
    /// # Errors
    /// The errors of [`DocumentStore::load`].
    pub fn verdict_among(
        &mut self,
        [left, right]: [u32; 2],
        in_family: bool,
    ) -> Result<Verdict, Error> {
        let verdict = self.verdict(left, right)?;
        Ok(if in_family { verdict.of_family(self.judge.rules()) } else { verdict })
    }

    /// The verdict on any two documents ([`Judge::verdict`]).
    ///
    /// # Errors
    /// The errors of [`DocumentStore::load`].
    pub fn verdict(&mut self, left: u32, right: u32) -> Result<Verdict, Error> {
        let (corpus, rules) = (self.reader.corpus(), self.judge.rules());
        let is_short = |document| rules.is_short(corpus.features(document));
        let parts = match corpus.text_hash(left) == corpus.text_hash(right) {
            true => Parts::default(),
            false if is_short(left) || is_short(right) => Parts {
                // If one is too long for a comparison of characters, the gathered column is
                // compared.
                text: corpus.texts.is_some(),
                terms: corpus.texts.is_none() && corpus.terms.is_some(),
                short: true,
                ..Parts::default()
            },
            false => Parts { fingerprint: true, ..Parts::compared(rules) },
        };
        self.load(left, right, parts)?;
        Ok(self.judge.verdict(&self.document, None))
    }
}

impl<S: DocumentStore> StoreJudge<S> {
    /// A judge of documents of this store.
    pub fn of(reader: S, rules: Rules) -> StoreJudge<S> {
        StoreJudge {
            reader,
            judge: Judge::new(rules),
            left: None,
            right: None,
            document: Prepared::default(),
        }
    }

    /// The store.
    pub fn store(&mut self) -> &mut S {
        &mut self.reader
    }

    /// Forgets the documents, since their numbers now belong to others.
    pub fn forget(&mut self) {
        (self.left, self.right) = (None, None);
    }

    /// The similarity of two documents by the measure, if it is at least `least`
    /// ([`Judge::at_least`]). `distance` is that of their fingerprints, for a measure without a
    /// comparison.
    ///
    /// # Errors
    /// The errors of [`DocumentStore::load`].
    pub fn at_least(
        &mut self,
        left: u32,
        right: u32,
        distance: u32,
        least: f64,
    ) -> Result<Option<f64>, Error> {
        self.load(left, right, Parts::compared(self.judge.rules()))?;
        Ok(self.judge.at_least(&self.document, Some(distance), least))
    }

    /// The share of two documents that stands in the other one, whatever else differs.
    ///
    /// # Errors
    /// The errors of [`DocumentStore::load`].
    pub fn share(&mut self, left: u32, right: u32) -> Result<f64, Error> {
        self.load(left, right, Parts { text: true, ..Parts::default() })?;
        Ok(self.judge.share(&self.document))
    }

    /// The verdict on a candidate pair if the two are duplicates ([`Judge::duplicate`]), with the
    /// largest `min_similarity` at which they would be. The fingerprints of the two are `distance`
    /// apart; without a distance the two are compared by their characters. `in_family` is true if
    /// one of the two is in a family.
    ///
    /// # Errors
    /// The errors of [`DocumentStore::load`].
    pub fn candidate(
        &mut self,
        [left, right]: [u32; 2],
        distance: Option<u32>,
        in_family: bool,
    ) -> Result<Option<(Verdict, f64)>, Error> {
        let parts = match distance {
            Some(_) => Parts::compared(self.judge.rules()),
            None => Parts { short: true, ..Parts::default() },
        };
        // A document that comes again is prepared once.
        let again = [self.left, self.right].contains(&Some((right, parts)));
        let swapped = again && self.left != Some((left, parts));
        let [left, right] = if swapped { [right, left] } else { [left, right] };
        self.load(left, right, parts)?;
        let Some(verdict) = self.judge.duplicate(&self.document, distance, in_family) else {
            return Ok(None);
        };
        let bound = self.judge.largest_bound(&self.document, &verdict);
        Ok(Some((if swapped { verdict.swapped() } else { verdict }, bound)))
    }

    /// Judges a candidate pair whose family is costly to find: `in_family` is called only if the
    /// texts are similar enough without a family.
    ///
    /// # Errors
    /// The errors of [`DocumentStore::load`], and those of `in_family`.
    pub fn candidate_asking(
        &mut self,
        pair: [u32; 2],
        distance: Option<u32>,
        in_family: impl FnOnce() -> Result<bool, Error>,
    ) -> Result<Option<Verdict>, Error> {
        let Some((verdict, _)) = self.candidate(pair, distance, false)? else { return Ok(None) };
        let matters = verdict.difference.is_some() && in_family()?;
        let verdict = if matters { verdict.of_family(self.judge.rules()) } else { verdict };
        Ok(Some(verdict).filter(|verdict| verdict.duplicates))
    }

    /// The verdict on any two documents ([`Judge::verdict`]), with these parts of them and those
    /// that the measure compares.
    ///
    /// # Errors
    /// The errors of [`DocumentStore::load`].
    pub fn verdict_of(&mut self, [left, right]: [u32; 2], parts: Parts) -> Result<Verdict, Error> {
        let Parts { text, terms, weights, .. } = Parts::compared(self.judge.rules());
        self.load(left, right, Parts { text, terms, weights, ..parts })?;
        Ok(self.judge.verdict(&self.document, None))
    }

    /// Prepares both documents: the left one in the judge, the right one here.
    fn load(&mut self, left: u32, right: u32, parts: Parts) -> Result<(), Error> {
        self.right = Some((right, parts));
        if self.left != Some((left, parts)) {
            self.left = None;
            self.reader.load(left, parts, &mut self.document)?;
            self.judge.set_left(&self.document);
            self.left = Some((left, parts));
        }
        self.reader.load(right, parts, &mut self.document)
    }
}
