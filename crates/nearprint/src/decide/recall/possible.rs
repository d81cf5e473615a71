//! A block of the sample -> its pairs that may be similar enough, by sketches of the texts or by an
//! index of their word n-grams.

use std::ops::Range;

use nearprint_core::compare::{NgramSets, SketchBound, Sketches};
use nearprint_core::judge::{Compared, Parts, Rules};
use nearprint_core::recipe::Prepared;
use rayon::prelude::*;

use super::CHUNK;
use super::sample::Sample;
use crate::corpus::{DocumentStore, Reader};
use crate::error::Error;
use crate::search::{Input, NgramReader, may_be_near};
use crate::watch::Progress;

/// The possible pairs of a sample, block by block. A pair is two places in the sample, the later
/// one first.
pub(super) struct PossiblePairs<'a> {
    input: &'a Input<'a>,
    rules: Rules,
    sample: &'a Sample,
    stage: &'a Progress<'a>,
    /// The sketches of the columns. Without columns, those of all documents up to the end of the
    /// last block.
    sketches: Vec<Sketches>,
    /// The index of the columns, or of the last block without columns, with its places.
    ngrams: Option<(Range<usize>, NgramSets)>,
}

impl<'a> PossiblePairs<'a> {
    pub fn new(
        input: &'a Input<'a>,
        rules: Rules,
        sample: &'a Sample,
        stage: &'a Progress<'a>,
    ) -> PossiblePairs<'a> {
        PossiblePairs { input, rules, sample, stage, sketches: Vec::new(), ngrams: None }
    }

    /// The possible pairs of a block, sorted: of each document with the columns, or without columns
    /// with the documents before it.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Unfit`] if a part was not gathered, [`Error::Interrupted`].
    pub fn pairs(&mut self, block: Range<usize>) -> Result<Vec<[u32; 2]>, Error> {
        let pairs = match self.rules.compared() {
            Compared::Text => self.by_sketches(block)?,
            _ => self.by_ngrams(block)?,
        };
        let documents = |pair: &[u32; 2]| pair.map(|place| self.document(place as usize));
        let mut pairs = pairs.concat();
        pairs.retain(|pair| may_be_near(self.input.corpus, documents(pair)[0], documents(pair)[1]));
        pairs.sort_unstable();
        Ok(pairs)
    }

    fn document(&self, place: usize) -> u32 {
        self.sample.documents[place]
    }

    fn by_sketches(&mut self, block: Range<usize>) -> Result<Vec<Vec<[u32; 2]>>, Error> {
        let held = if self.sample.columns == 0 { block.end } else { self.sample.columns };
        let sketches = |reader: &mut PartReader<'_>, place: usize| {
            reader.alphanumeric(self.document(place)).map(Sketches::new)
        };
        let new = self.of_all(self.sketches.len()..held, sketches)?;
        self.sketches.extend(new);
        let bound = SketchBound::of_recall(self.rules.min_similarity);
        self.of_all(block, |reader, place| {
            let own = match self.sketches.get(place) {
                Some(own) => own,
                None => &Sketches::new(reader.alphanumeric(self.document(place))?),
            };
            let others = self.sketches.iter().take(place).enumerate();
            let near = others.filter(|(_, other)| own.may_reach(other, &bound));
            Ok(near.map(|(other, _)| [place as u32, other as u32]).collect())
        })
    }

    fn by_ngrams(&mut self, block: Range<usize>) -> Result<Vec<Vec<[u32; 2]>>, Error> {
        let columns = self.sample.columns;
        // Without columns the block is indexed, and its documents and all before it look there.
        let (held, looking) =
            if columns == 0 { (block.clone(), 0..block.end) } else { (0..columns, block) };
        if self.ngrams.as_ref().is_none_or(|(places, _)| *places != held) {
            self.ngrams = None;
            let own = |reader: &mut PartReader<'_>, place: usize| {
                reader.ngrams.ngrams(self.document(place)).map(<[u64]>::to_vec)
            };
            let own = self.of_all(held.clone(), own)?;
            let index = NgramSets::new(self.rules.measure, own, self.rules.min_similarity);
            self.ngrams = Some((held, index));
        }
        let (held, index) = self.ngrams.as_ref().expect("just made");
        self.of_all(looking, |reader, place| {
            let found = reader
                .possible(self.document(place), index)?
                .iter()
                .map(|number| held.start + *number as usize);
            let others = found.filter(|other| *other > place || columns > 0);
            Ok(others.map(|other| [place.max(other) as u32, place.min(other) as u32]).collect())
        })
    }

    /// Makes a value from each place, on all threads.
    fn of_all<T: Send>(
        &self,
        places: Range<usize>,
        make: impl Fn(&mut PartReader<'_>, usize) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let of_one = |reader: &mut PartReader<'_>, place| {
            if self.stage.stopped() { Err(Error::Interrupted) } else { make(reader, place) }
        };
        let reader = || PartReader::new(self.input, self.rules);
        places.into_par_iter().with_min_len(CHUNK).map_init(reader, of_one).collect()
    }
}

/// Reads the part of each document that the measure compares.
struct PartReader<'c> {
    reader: Reader<'c>,
    document: Prepared,
    ngrams: NgramReader<'c>,
    possible: Vec<u32>,
}

impl<'c> PartReader<'c> {
    fn new(input: &Input<'c>, rules: Rules) -> PartReader<'c> {
        PartReader {
            reader: Reader::new(input.corpus, input.recipe),
            document: Prepared::default(),
            ngrams: NgramReader::new(input, rules.shingle),
            possible: Vec::new(),
        }
    }

    /// The letters and digits of a document.
    fn alphanumeric(&mut self, document: u32) -> Result<&[u8], Error> {
        self.reader.load(document, Parts { text: true, ..Parts::default() }, &mut self.document)?;
        Ok(self.document.alphanumeric.get().expect("just loaded"))
    }

    /// The numbers of the texts in an index to which a document may be similar.
    fn possible(&mut self, document: u32, sets: &NgramSets) -> Result<&[u32], Error> {
        sets.similar(self.ngrams.ngrams(document)?, None, &mut self.possible);
        Ok(&self.possible)
    }
}
