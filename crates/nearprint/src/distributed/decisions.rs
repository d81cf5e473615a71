//! The texts of some families and the candidate pairs of their documents -> the decisions on these.

use super::Worker;
use crate::error::Error;
use crate::judge::Reason;
use crate::outcome::DuplicatePair;
use crate::search::Given;

/// What was decided on some families, by the numbers of their documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The removed documents, in order.
    pub links: Vec<Link>,
    /// The duplicate pairs; of two documents that both have very many candidates only those that remove one.
    pub pairs: Vec<DuplicatePair>,
}

/// A removed document and the one that it goes for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The document.
    pub document: u32,
    /// The document that stays in its place.
    pub keeper: u32,
    /// Why.
    pub reason: Reason,
    /// Hamming distance of the fingerprints in bits; `None` where one is short.
    pub distance: Option<u32>,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// The share of the document that stands nowhere in its keeper, 0 to 1, where the texts were compared.
    pub lost: Option<f64>,
}

impl Worker {
    /// Decides on the documents of whole families, as a run among all documents does. `texts` are those that the others are only compared
    /// with, and the others, each side from the best rank to the worst; they are numbered in this order. Besides the documents of the families
    /// there are all that are in candidate pairs with these; what is said of those must not be used. `documents` and `against`
    /// are as in [`candidates`](Self::candidates). `pairs` are all candidate pairs of the documents of the families, with their distances, `None`
    /// where one is short, and `crowd` the documents that are in more than [`CROWDED`](crate::join::CROWDED) of the pairs of all documents, in
    /// order, where [`has_crowds`](Self::has_crowds).
    ///
    /// ```
    /// use nearprint::{Config, distributed::Worker};
    /// let text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft, the harbour office said";
    /// let texts = [text.to_string(), format!("{text} today.")];
    /// let decided = Worker::new(&Config::default())?.decide(2, 0, [vec![], texts.into()], &[(0, 1, Some(20))], &[])?;
    /// assert_eq!((decided.links[0].document, decided.links[0].keeper, decided.pairs.len()), (1, 0, 1));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`] where temporary files cannot be written or read; [`Error::Rejected`] for a text of more than `max-document-bytes`;
    /// [`Error::OverMemory`].
    pub fn decide(
        &self,
        documents: usize,
        against: usize,
        texts: [Vec<String>; 2],
        pairs: &[(u32, u32, Option<u32>)],
        crowd: &[u32],
    ) -> Result<Decided, Error> {
        let given = Given { documents: (documents, against), pairs, crowd };
        let (_, decisions) = self.run.decide_given(texts, &given)?;
        let link = |removal: &crate::Removal| Link {
            document: removal.document,
            keeper: removal.keeper,
            reason: removal.reason,
            distance: removal.distance,
            similarity: removal.similarity,
            lost: removal.lost,
        };
        let links = decisions.removals.iter().map(link).collect();
        let pairs = decisions.pairs.iter().collect::<Result<_, Error>>()?;
        Ok(Decided { links, pairs })
    }
}
