//! Documents of a corpus -> their fingerprints.

use nearprint_core::fingerprint::{Fingerprints, to_hex};
use nearprint_core::recipe::{Prepared, Recipe};
use rayon::prelude::*;

use crate::corpus::{Corpus, Reader};
use crate::document::Id;
use crate::error::Error;
use crate::outcome::FingerprintRow;
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The number of documents whose terms are read and weighted together.
const CHUNK: usize = 256;

/// The fingerprints of some documents of a corpus, in the order of `documents`.
///
/// # Errors
/// [`Error::Io`] if the columns cannot be read, [`Error::Unfit`] if the corpus lacks a needed part,
/// [`Error::Interrupted`].
pub fn fingerprints(
    corpus: &Corpus,
    recipe: &Recipe,
    documents: &[u32],
    watch: &dyn Watch,
) -> Result<Fingerprints, Error> {
    let stage = Progress::begin(watch, Stage::Fingerprint, documents.len(), corpus.text_bytes);
    let mut fingerprints = Fingerprints::new(recipe.bits());
    if let Some(all) = corpus.fingerprints() {
        documents.iter().for_each(|document| fingerprints.push(all.get(*document as usize)));
        stage.advance(documents.len());
        return Ok(fingerprints);
    }
    let each = fingerprints.words_each();
    let of_chunk = |reader: &mut Reader<'_>, documents: &[u32]| {
        let mut words = Vec::with_capacity(documents.len() * each);
        for document in documents {
            words.extend_from_slice(&reader.fingerprint(*document)?[..each]);
        }
        stage.advance(documents.len());
        Ok(words)
    };
    // Each thread has several chunks to work on. Only the words of one part are in memory twice.
    for part in documents.chunks(CHUNK * 64) {
        let words: Vec<Vec<u64>> = part
            .par_chunks(CHUNK)
            .map_init(|| Reader::new(corpus, recipe), of_chunk)
            .collect::<Result<_, Error>>()?;
        words
            .iter()
            .flat_map(|words| words.chunks_exact(each))
            .for_each(|words| fingerprints.push(words));
        stop_if_asked(watch)?;
    }
    Ok(fingerprints)
}

/// The fingerprints of all documents of a corpus, ready to be written.
#[derive(Debug)]
pub struct FingerprintTable<'c> {
    corpus: &'c Corpus,
    fingerprints: Fingerprints,
    recipe: Recipe,
    /// The number of words that are shown of each document, the heaviest first; 0 for none.
    top: usize,
}

impl<'c> FingerprintTable<'c> {
    /// Computes the fingerprints. With `top` above 0, rows have the `top` heaviest words of each
    /// document.
    ///
    /// # Errors
    /// As [`fingerprints`].
    pub fn new(
        corpus: &'c Corpus,
        recipe: &Recipe,
        top: usize,
        watch: &dyn Watch,
    ) -> Result<FingerprintTable<'c>, Error> {
        let all: Vec<u32> = (0..corpus.len() as u32).collect();
        let fingerprints = fingerprints(corpus, recipe, &all, watch)?;
        Ok(FingerprintTable { corpus, fingerprints, recipe: recipe.clone(), top })
    }

    /// A row for each document, in input order. Words are weighted when a row is read; an item is
    /// an error if the disk cannot be read.
    pub fn rows(&self) -> impl Iterator<Item = Result<FingerprintRow, Error>> + '_ {
        let (mut reader, mut buffer) =
            (Reader::new(self.corpus, &self.recipe), Prepared::default());
        (0..self.corpus.len() as u32).map(move |document| {
            let heaviest = match self.top {
                0 => None,
                top => Some(reader.heaviest_words(&self.recipe, document, top, &mut buffer)?),
            };
            Ok(FingerprintRow {
                id: self.corpus.origins.id(document),
                fingerprint: to_hex(
                    self.fingerprints.get(document as usize),
                    self.fingerprints.bits(),
                ),
                features: self.corpus.features(document),
                heaviest,
            })
        })
    }

    /// Returns true if rows have words.
    pub fn shows_words(&self) -> bool {
        self.top > 0
    }

    /// The recipe of the fingerprints.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Returns true if every id is a signed 64-bit integer.
    pub fn integer_ids(&self) -> bool {
        (0..self.corpus.len() as u32)
            .all(|document| matches!(self.corpus.origins.id(document), Id::Integer(_)))
    }
}
