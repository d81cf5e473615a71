//! The texts of some families, and the candidate pairs of their documents -> the decisions.

use nearprint_core::judge::Reason;

use super::Worker;
use crate::error::Error;
use crate::outcome::{DuplicatePair, Removal};
use crate::read::Source;
use crate::search::Imported;

/// Whole families, and the documents in candidate pairs with them.
#[derive(Debug, Clone, Default)]
pub struct Families {
    /// The texts of the reference documents, then the texts of the documents, each side from the
    /// best rank to the worst. They are texts or Arrow columns named `text`, with guards also their
    /// [fields](Worker::guard_fields). Documents are numbered in this order.
    pub texts: [Vec<Source>; 2],
    /// The family of each document; `None` if the document only takes part in pairs of others.
    pub families: Vec<Option<u32>>,
    /// All candidate pairs of the documents of families, and those of
    /// [`neighbors`](Worker::neighbors), with their distances in bits; `None` if one document is
    /// short. Pairs of two hubs and pairs of short hubs are left out.
    pub pairs: Vec<(u32, u32, Option<u32>)>,
    /// The hubs: the documents in more than [`HUB_PAIRS`](nearprint_core::near::HUB_PAIRS)
    /// candidate pairs of all documents, in order. Empty unless [`has_hubs`](Worker::has_hubs).
    pub hubs: Vec<u32>,
    /// The short hubs: the short documents of families that have more than
    /// [`SHORT_HUB`](super::SHORT_HUB) duplicates no longer than themselves, in order.
    pub short_hubs: Vec<u32>,
}

/// The decisions on some families, by the numbers of their documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The removed documents, in order.
    pub links: Vec<Link>,
    /// The duplicate pairs. A pair of two hubs is listed only if it removes one.
    pub pairs: Vec<DuplicatePair>,
}

/// A removed document and its keeper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The document.
    pub document: u32,
    /// The document that stays in its place.
    pub keeper: u32,
    /// The rule that applied.
    pub reason: Reason,
    /// The Hamming distance of the fingerprints in bits; `None` if one document is short.
    pub distance: Option<u32>,
    /// The similarity of the two texts, 0 to 1.
    pub similarity: f64,
    /// The share of the document that stands nowhere in its keeper, 0 to 1, if the texts were
    /// compared.
    pub lost: Option<f64>,
}

impl Worker {
    /// Decides on the documents of whole families, as a run among all documents does. `documents`
    /// and `against` are as in [`candidates`](Self::candidates).
    ///
    /// ```
    /// use nearprint::{Config, distributed::{Families, Worker}, read::Source};
    /// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft, the harbour office said";
    /// let texts = [vec![], vec![Source::texts("texts", vec![text.to_string(), format!("{text} today.")])]];
    /// let pairs = vec![(0, 1, Some(20))];
    /// let families = Families { texts, families: vec![Some(7); 2], pairs, ..Families::default() };
    /// let decided = Worker::new(&Config::default())?.decide(2, None, families)?;
    /// assert_eq!((decided.links[0].document, decided.links[0].keeper, decided.pairs.len()), (1, 0, 1));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`] if temporary files cannot be written or read; [`Error::Rejected`] for a
    /// text of more than `max-document-bytes`; [`Error::OverMemory`].
    pub fn decide(
        &self,
        documents: usize,
        against: Option<usize>,
        families: Families,
    ) -> Result<Decided, Error> {
        let Families { mut texts, families, pairs, hubs, short_hubs } = families;
        if against.is_some() {
            // An empty source marks a run of two sides, even if one is empty.
            texts[0].push(Source::texts("against", Vec::new()));
        }
        let documents = (documents, against);
        let imported = Imported {
            documents,
            pairs: &pairs,
            hubs: &hubs,
            short_hubs: &short_hubs,
            families: &families,
        };
        let (_, decisions) = self.run.decide_imported(texts, &imported)?;
        let link = |removal: &Removal| Link {
            document: removal.document,
            keeper: removal.keeper,
            reason: removal.reason,
            distance: removal.distance,
            similarity: removal.similarity,
            lost: removal.lost,
        };
        let links: Vec<Link> = decisions.removals.iter().map(link).collect();
        // The other compared pairs of hubs depend on the families in the task, so they are left
        // out.
        let is_hub = |pair: &DuplicatePair| {
            let hubs = if pair.distance.is_some() { &hubs } else { &short_hubs };
            let both = [pair.left, pair.right].iter().all(|own| hubs.binary_search(own).is_ok());
            both && pair.reason != Reason::Exact
        };
        let goes_for = |document: u32, keeper: u32| {
            let link = links.binary_search_by_key(&document, |link| link.document);
            link.is_ok_and(|link| links[link].keeper == keeper)
        };
        let removes = |pair: &DuplicatePair| {
            goes_for(pair.right, pair.left) || goes_for(pair.left, pair.right)
        };
        let is_listed = |pair: &Result<DuplicatePair, _>| {
            pair.as_ref().map_or(true, |pair| !is_hub(pair) || removes(pair))
        };
        let pairs = decisions.pairs.iter().filter(is_listed).collect::<Result<_, _>>()?;
        Ok(Decided { links, pairs })
    }
}
