//! Two documents of a corpus, by their numbers -> the judge's verdict.

use std::collections::VecDeque;

use super::{Corpus, Parts, Reader};
use crate::error::Error;
use crate::judge::{Basis, Judge, Rules, Verdict};
use crate::recipe::{Prepared, Recipe};
use crate::verify::Measure;

/// Asks the judge about documents of a corpus. One a thread; it remembers the left document, since pairs come sorted.
pub struct PairJudge<'c> {
    reader: Reader<'c>,
    judge: Judge,
    left: Option<(u32, Parts)>,
    document: Prepared,
    others: Others,
}

/// The letters and digits of documents that were read as the company of others: pairs that follow one another have many in
/// common.
#[derive(Default)]
struct Others {
    /// In the order in which they were read.
    texts: VecDeque<(u32, Vec<u8>)>,
    document: Prepared,
}

impl Others {
    /// Texts that are held.
    const MOST: usize = 64;

    /// Those of a document.
    fn text(&mut self, document: u32, reader: &mut Reader<'_>) -> Result<&[u8], Error> {
        if let Some(place) = self.texts.iter().position(|(held, _)| *held == document) {
            return Ok(&self.texts[place].1);
        }
        reader.load(document, Parts { text: true, ..Parts::default() }, &mut self.document)?;
        let mut text =
            if self.texts.len() < Others::MOST { Vec::new() } else { self.texts.pop_front().unwrap_or_default().1 };
        text.clear();
        text.extend_from_slice(self.document.alphanumeric.get().map_or(&[], Vec::as_slice));
        self.texts.push_back((document, text));
        Ok(&self.texts[self.texts.len() - 1].1)
    }
}

impl<'c> PairJudge<'c> {
    /// A judge of documents of this corpus, which was read by this recipe.
    pub fn new(corpus: &'c Corpus, recipe: &Recipe, rules: Rules) -> PairJudge<'c> {
        PairJudge {
            reader: Reader::new(corpus, recipe),
            judge: Judge::new(rules),
            left: None,
            document: Prepared::default(),
            others: Others::default(),
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
    /// this far apart, or without a distance two that are compared by their characters. `company` gives the documents
    /// nearest to each of the two, without these.
    ///
    /// # Errors
    /// As [`Reader::load`].
    pub fn candidate(
        &mut self,
        [left, right]: [u32; 2],
        distance: Option<u32>,
        company: impl FnOnce() -> [Vec<u32>; 2],
    ) -> Result<Option<Verdict>, Error> {
        let parts = match distance {
            Some(_) => Parts::compared(self.judge.rules()),
            None => Parts { characters: true, ..Parts::default() },
        };
        self.load(left, right, parts)?;
        let Some(verdict) = self.judge.duplicate(&self.document, distance) else { return Ok(None) };
        if verdict.basis != Basis::Measure(Measure::Coverage) {
            return Ok(Some(verdict));
        }
        let companies = company();
        if companies.iter().all(Vec::is_empty) {
            return Ok(Some(verdict));
        }
        let Some(mut form) = self.judge.form(&self.document, &verdict) else { return Ok(Some(verdict)) };
        for (side, company) in companies.into_iter().enumerate() {
            for document in company {
                form.see(side, self.others.text(document, &mut self.reader)?);
            }
        }
        let similarity = form.similarity();
        let is_similar = similarity >= self.judge.rules().min_similarity;
        Ok(is_similar.then_some(Verdict { similarity, ..verdict }))
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
                text: corpus.texts.is_some(),
                terms: corpus.texts.is_none() && corpus.terms.is_some(),
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
