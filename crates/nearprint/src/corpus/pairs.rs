//! Two documents, by their numbers in a corpus or another store -> the judge's verdict.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashMap;

use super::{Corpus, DocumentStore, Parts, Reader};
use crate::error::Error;
use crate::judge::{Basis, Judge, Rules, Verdict};
use crate::recipe::{Prepared, Recipe};
use crate::verify::{self, Agreement, Fillings, Measure, Member};

/// Asks the judge about documents of a corpus.
pub type PairJudge<'c> = StoreJudge<Reader<'c>>;

/// Asks the judge about documents of a store. One a thread; it remembers the left document, since pairs come sorted.
pub struct StoreJudge<S> {
    reader: S,
    judge: Judge,
    left: Option<(u32, Parts)>,
    document: Prepared,
    forms: Forms,
}

/// Characters of a text, at most, of which slots are looked for: 16 of its company take some 40 bytes each for every character.
const MOST_CHARACTERS: u32 = 1 << 18;

/// The fillings of documents, and the documents in their companies: pairs that follow one another have many in common.
#[derive(Default)]
pub struct Forms {
    members: Held<Member>,
    fillings: Held<Fillings>,
    document: Prepared,
}

/// Data of documents, as far as there is room.
struct Held<T> {
    by_document: HashMap<u32, Arc<T>>,
    /// With the bytes that each takes, in the order in which they came.
    order: VecDeque<(u32, usize)>,
    bytes: usize,
}

impl<T> Default for Held<T> {
    fn default() -> Held<T> {
        Held { by_document: HashMap::new(), order: VecDeque::new(), bytes: 0 }
    }
}

impl<T> Held<T> {
    /// Bytes that are held.
    const MOST: usize = 16 << 20;

    fn forget(&mut self, document: u32) {
        self.by_document.remove(&document);
    }

    fn put(&mut self, document: u32, data: T, bytes: usize) -> Arc<T> {
        self.bytes += bytes;
        while self.bytes > Self::MOST
            && let Some((oldest, bytes)) = self.order.pop_front()
        {
            self.by_document.remove(&oldest);
            self.bytes -= bytes;
        }
        let data = Arc::new(data);
        self.by_document.insert(document, Arc::clone(&data));
        self.order.push_back((document, bytes));
        data
    }
}

/// Whether a text is too long to have a form.
fn is_long(document: u32, reader: &mut impl DocumentStore) -> Result<bool, Error> {
    Ok(reader.characters(document)? > MOST_CHARACTERS)
}

impl Forms {
    /// The windows of a document; none if it is too long.
    ///
    /// # Errors
    /// As [`DocumentStore::load`].
    pub fn member(&mut self, document: u32, reader: &mut impl DocumentStore) -> Result<Arc<Member>, Error> {
        if let Some(member) = self.members.by_document.get(&document) {
            return Ok(Arc::clone(member));
        }
        if is_long(document, reader)? {
            return Ok(Arc::default());
        }
        reader.load(document, Parts { text: true, ..Parts::default() }, &mut self.document)?;
        let text = self.document.alphanumeric.get().map_or(&[][..], Vec::as_slice);
        let member = Member::new(text);
        let bytes = member.bytes();
        Ok(self.members.put(document, member, bytes))
    }

    /// Whether a document may have slots in this company.
    ///
    /// # Errors
    /// As [`DocumentStore::load`].
    fn has_form(&mut self, document: u32, company: &[u32], reader: &mut impl DocumentStore) -> Result<bool, Error> {
        // One other document that is near goes on in one way.
        if company.len() < 2 {
            return Ok(false);
        }
        let company = self.members(company, reader)?;
        Ok(self.member(document, reader)?.has_form(company.iter().map(Arc::as_ref)))
    }

    /// The windows of these documents.
    fn members(&mut self, documents: &[u32], reader: &mut impl DocumentStore) -> Result<Vec<Arc<Member>>, Error> {
        documents.iter().map(|document| self.member(*document, reader)).collect()
    }

    /// What fills the slots of a document in this company.
    ///
    /// # Errors
    /// As [`DocumentStore::load`].
    pub fn fillings(
        &mut self,
        document: u32,
        company: &[u32],
        reader: &mut impl DocumentStore,
    ) -> Result<Arc<Fillings>, Error> {
        if let Some(fillings) = self.fillings.by_document.get(&document) {
            return Ok(Arc::clone(fillings));
        }
        if is_long(document, reader)? {
            return Ok(Arc::default());
        }
        let company = self.members(company, reader)?;
        let company: Vec<&Member> = company.iter().map(Arc::as_ref).collect();
        let own = self.member(document, reader)?;
        reader.load(document, Parts { text: true, ..Parts::default() }, &mut self.document)?;
        let mut figures = Vec::new();
        verify::figures(self.document.text.get().map_or("", |text| text), &mut figures);
        let fillings = Fillings::new(&own, &figures, &company);
        let bytes = fillings.bytes();
        Ok(self.fillings.put(document, fillings, bytes))
    }

    /// How far a document and its keeper agree in what fills the form of these others, if they show one.
    ///
    /// # Errors
    /// As [`DocumentStore::load`].
    pub fn agreement(
        &mut self,
        [document, keeper]: [u32; 2],
        company: &[u32],
        reader: &mut impl DocumentStore,
    ) -> Result<Option<Agreement>, Error> {
        if !self.has_form(document, company, reader)? {
            return Ok(None);
        }
        let company = self.members(company, reader)?;
        let company: Vec<&Member> = company.iter().map(Arc::as_ref).collect();
        let own = self.member(document, reader)?;
        let mut text = |document| {
            reader.load(document, Parts { text: true, ..Parts::default() }, &mut self.document)?;
            Ok::<String, Error>(self.document.text.get().cloned().unwrap_or_default())
        };
        let [text, keeper] = [text(document)?, text(keeper)?];
        Ok(Agreement::new(&own, [&text, &keeper], &company))
    }
}

impl<'c> PairJudge<'c> {
    /// A judge of documents of this corpus, which was read by this recipe.
    pub fn new(corpus: &'c Corpus, recipe: &Recipe, rules: Rules) -> PairJudge<'c> {
        StoreJudge::of(Reader::new(corpus, recipe), rules)
    }

    /// The verdict on any two documents ([`Judge::verdict`]), in the company of each.
    ///
    /// # Errors
    /// As [`DocumentStore::load`].
    pub fn verdict_among(
        &mut self,
        [left, right]: [u32; 2],
        company: impl FnOnce() -> Result<[Vec<u32>; 2], Error>,
    ) -> Result<Verdict, Error> {
        let verdict = self.verdict(left, right)?;
        self.in_company([left, right], verdict, company)
    }

    /// The verdict on any two documents ([`Judge::verdict`]).
    ///
    /// # Errors
    /// As [`DocumentStore::load`].
    pub fn verdict(&mut self, left: u32, right: u32) -> Result<Verdict, Error> {
        let (corpus, rules) = (self.reader.corpus(), self.judge.rules());
        let is_short = |document| rules.is_short(corpus.features(document));
        let parts = match corpus.text_hash(left) == corpus.text_hash(right) {
            true => Parts::default(),
            false if is_short(left) || is_short(right) => Parts {
                // Where one is too long to be compared by its characters, by the column that there is.
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
    /// A judge of the documents of this store.
    pub fn of(reader: S, rules: Rules) -> StoreJudge<S> {
        StoreJudge {
            reader,
            judge: Judge::new(rules),
            left: None,
            document: Prepared::default(),
            forms: Forms::default(),
        }
    }

    /// The store.
    pub fn store(&mut self) -> &mut S {
        &mut self.reader
    }

    /// Forgets all of a document whose number another one has now.
    pub fn forget(&mut self, document: u32) {
        self.left = None;
        self.forms.fillings.forget(document);
        self.forms.members.forget(document);
    }

    /// Forgets what it knows of the companies of documents, which may be others now.
    pub fn forget_companies(&mut self) {
        self.forms.fillings = Held::default();
    }

    /// The similarity of two documents under the measure, if it is `least` or more ([`Judge::at_least`]). `distance` is that of
    /// their fingerprints, which a measure without a comparison needs.
    ///
    /// # Errors
    /// As [`DocumentStore::load`].
    pub fn at_least(&mut self, left: u32, right: u32, distance: u32, least: f64) -> Result<Option<f64>, Error> {
        self.load(left, right, Parts::compared(self.judge.rules()))?;
        Ok(self.judge.at_least(&self.document, Some(distance), least))
    }

    /// The verdict on a candidate pair where the two are duplicates ([`Judge::duplicate`]): two documents whose fingerprints are
    /// this far apart, or without a distance two that are compared by their characters. `company` gives the
    /// company of each of the two. With the verdict comes the largest `min_similarity` at which the two would be duplicates.
    ///
    /// # Errors
    /// As [`DocumentStore::load`].
    pub fn candidate(
        &mut self,
        [left, right]: [u32; 2],
        distance: Option<u32>,
        company: impl FnOnce() -> Result<[Vec<u32>; 2], Error>,
    ) -> Result<Option<(Verdict, f64)>, Error> {
        let parts = match distance {
            Some(_) => Parts::compared(self.judge.rules()),
            None => Parts { short: true, ..Parts::default() },
        };
        self.load(left, right, parts)?;
        let Some(verdict) = self.judge.duplicate(&self.document, distance) else { return Ok(None) };
        let bound = self.judge.largest_bound(&self.document, &verdict);
        let verdict = self.in_company([left, right], verdict, company)?;
        // Both comparisons must reach the least similarity: that of the texts, and that in their form.
        let bound = match verdict.basis {
            Basis::Measure(Measure::Coverage) => bound.min(verdict.similarity),
            _ => bound,
        };
        Ok(verdict.duplicates.then_some((verdict, bound)))
    }

    /// A verdict on two documents that were just compared, in the company of each: two that are duplicates by themselves may fill a form
    /// in their own ways.
    fn in_company(
        &mut self,
        [left, right]: [u32; 2],
        verdict: Verdict,
        company: impl FnOnce() -> Result<[Vec<u32>; 2], Error>,
    ) -> Result<Verdict, Error> {
        if !verdict.duplicates || verdict.basis != Basis::Measure(Measure::Coverage) {
            return Ok(verdict);
        }
        if is_long(left, &mut self.reader)? || is_long(right, &mut self.reader)? {
            return Ok(verdict);
        }
        let companies = company()?;
        let (forms, reader) = (&mut self.forms, &mut self.reader);
        if !forms.has_form(left, &companies[0], reader)? && !forms.has_form(right, &companies[1], reader)? {
            return Ok(verdict);
        }
        let Some(form) = self.judge.form(&self.document, &verdict) else { return Ok(verdict) };
        let fillings = [forms.fillings(left, &companies[0], reader)?, forms.fillings(right, &companies[1], reader)?];
        let members = [forms.member(left, reader)?, forms.member(right, reader)?];
        let similarity = form.similarity([(&members[0], &fillings[0]), (&members[1], &fillings[1])]);
        Ok(Verdict { similarity, duplicates: similarity >= self.judge.rules().min_similarity, ..verdict })
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
