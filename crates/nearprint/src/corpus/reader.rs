//! A document of a corpus -> its parts, prepared again from the columns.

use nearprint_core::features::Kind;
use nearprint_core::judge::Parts;
use nearprint_core::recipe::{Prepared, Recipe, Wanted, Weighed, Weigher};

use super::Corpus;
use super::terms::Terms;
use crate::error::Error;

/// Documents that are prepared again by their numbers.
pub trait DocumentStore {
    /// Fills `out` with these parts of a document.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk cannot be read, [`Error::Unfit`] if a part was not gathered,
    /// [`Error::Incompatible`] if it is damaged.
    fn load(&mut self, document: u32, parts: Parts, out: &mut Prepared) -> Result<(), Error>;

    /// The number of characters of its text as read.
    ///
    /// # Errors
    /// The errors of [`load`](Self::load).
    fn characters(&mut self, document: u32) -> Result<u32, Error>;
}

/// Prepares documents of a corpus again, one by one. Each thread has its own.
pub struct Reader<'c> {
    corpus: &'c Corpus,
    kind: Kind,
    weigher: Weigher,
    terms: Vec<u64>,
    numbers: Vec<u32>,
    text: Vec<u8>,
}

impl<'c> Reader<'c> {
    /// A reader of this corpus, which was read by this recipe.
    pub fn new(corpus: &'c Corpus, recipe: &Recipe) -> Reader<'c> {
        let weigher = Weigher::of_corpus(recipe, &corpus.statistics);
        Reader {
            corpus,
            kind: recipe.kind(),
            weigher,
            terms: Vec::new(),
            numbers: Vec::new(),
            text: Vec::new(),
        }
    }

    /// The corpus.
    pub fn corpus(&self) -> &'c Corpus {
        self.corpus
    }

    /// The fingerprint of a document, in the first bits of the words.
    ///
    /// # Errors
    /// The errors of [`DocumentStore::load`].
    pub fn fingerprint(&mut self, document: u32) -> Result<[u64; 4], Error> {
        if let Some(fingerprints) = &self.corpus.fingerprints {
            let mut words = [0; 4];
            let own = fingerprints.get(document as usize);
            words[..own.len()].copy_from_slice(own);
            return Ok(words);
        }
        self.count(document)?;
        Ok(self.weigher.vote(&self.corpus.hasher))
    }

    /// The `top` words that weigh most in a document. `buffer` holds the document meanwhile.
    ///
    /// # Errors
    /// The errors of [`DocumentStore::load`].
    pub fn heaviest_words(
        &mut self,
        recipe: &Recipe,
        document: u32,
        top: usize,
        buffer: &mut Prepared,
    ) -> Result<Vec<Weighed>, Error> {
        let mut text = String::new();
        self.corpus.texts.as_ref().ok_or_else(|| absent("texts"))?.read(
            document,
            &mut self.text,
            &mut text,
        )?;
        let wanted = Wanted { terms: true, places: true, alphanumeric: false };
        match recipe.takes_tokens() {
            true => recipe.prepare_own_tokens(&text, wanted, buffer),
            false => recipe.prepare_normalized(&text, wanted, buffer),
        }
        Ok(self.weigher.heaviest_words(buffer, top))
    }

    /// Counts the features of a document of words.
    fn count(&mut self, document: u32) -> Result<(), Error> {
        match &self.corpus.terms {
            None => return Err(absent("terms")),
            Some(Terms::Numbers(spill)) => {
                spill.read(document as usize, &mut self.numbers)?;
                self.weigher.count_numbers(&self.numbers);
            }
            Some(terms) => {
                terms.read(
                    document,
                    &self.corpus.statistics,
                    &mut self.numbers,
                    &mut self.terms,
                )?;
                self.weigher.count_terms(&self.terms);
            }
        }
        Ok(())
    }
}

impl DocumentStore for Reader<'_> {
    fn load(&mut self, document: u32, parts: Parts, out: &mut Prepared) -> Result<(), Error> {
        let corpus = self.corpus;
        out.clear();
        out.text_hash = corpus.text_hash(document);
        out.is_empty = corpus.is_empty_text(document);
        out.features = corpus.features(document);
        if parts.text || parts.weights && self.kind == Kind::Letters {
            let column = corpus.texts.as_ref().ok_or_else(|| absent("texts"))?;
            column.read(document, &mut self.text, out.text.fill())?;
            out.strip();
        }
        if parts.terms {
            let column = corpus.terms.as_ref().ok_or_else(|| absent("terms"))?;
            column.read(document, &corpus.statistics, &mut self.numbers, out.terms.fill())?;
        }
        if parts.weights {
            match self.kind {
                Kind::Letters => self.weigher.add_weights(out),
                Kind::Words => {
                    self.count(document)?;
                    self.weigher.weigh(out.weights.fill());
                }
            }
        }
        if parts.fingerprint {
            out.fingerprint = Some(self.fingerprint(document)?);
        }
        if let (true, Some(place)) = (parts.short, corpus.short.place(document)) {
            corpus.short.read(place, out.short.fill());
        }
        Ok(())
    }

    fn characters(&mut self, document: u32) -> Result<u32, Error> {
        Ok(self.corpus.lengths()[document as usize])
    }
}

/// The error of a part that was not gathered.
fn absent(part: &str) -> Error {
    Error::Unfit(format!("its {part} were not gathered").into())
}
