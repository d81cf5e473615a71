//! Decisions and the leaks of a corpus -> the leaks as reports list them, and the passages that are
//! left out of texts.

use std::iter::Peekable;

use super::{Passages, Treatment};
use crate::config::LeakAction;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::leak::Leak;
use crate::outcome::{Decisions, Reason, Removal};

/// A document that is a duplicate of an item, or a passage of it that is an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListedLeak {
    /// The document.
    pub document: u32,
    /// The reference document that it was compared with.
    pub item: u32,
    /// The reason; [`Reason::Contains`] for a passage.
    pub reason: Reason,
    /// The similarity of the two, or of the passage and the item, 0 to 1.
    pub similarity: f64,
    /// The first and the last character of a passage, counted from 0; `None` for the whole
    /// document.
    pub place: Option<[u32; 2]>,
    /// The action in a word: `removed`, `masked`, `cut` or `listed`.
    pub action: &'static str,
}

/// The leaks of a run in input order, those of a document by item and place; none if documents were
/// compared among themselves.
///
/// # Errors
/// Each item may be an [`Error::Io`] instead, if the disk cannot be read.
pub fn listed_leaks<'r>(
    corpus: &'r Corpus,
    decisions: &'r Decisions,
    action: LeakAction,
) -> impl Iterator<Item = Result<ListedLeak, Error>> + 'r {
    let of_whole = |removal: &Removal, action| ListedLeak {
        document: removal.document,
        item: removal.keeper,
        reason: removal.reason,
        similarity: removal.similarity,
        place: None,
        action,
    };
    let of_passage = move |leak: Leak| ListedLeak {
        document: leak.document,
        item: leak.item,
        reason: Reason::Contains,
        similarity: leak.similarity,
        place: Some([leak.first, leak.last]),
        action: match action {
            _ if decisions.removal(leak.document).is_some() => "removed",
            LeakAction::Mask => "masked",
            LeakAction::Cut => "cut",
            LeakAction::Remove | LeakAction::List => "listed",
        },
    };
    let removals = if corpus.origins.has_sides() { &decisions.removals[..] } else { &[] };
    let removed = removals.iter().filter(|removal| removal.reason != Reason::Contains);
    let removed = removed.map(move |removal| of_whole(removal, "removed"));
    let listed = decisions.listed.iter().map(move |removal| of_whole(removal, "listed"));
    let mut whole = removed.chain(listed).peekable();
    let mut passages = corpus.leaks().peekable();
    // A leak of the whole document is not listed again for its passages.
    let mut last_whole = None;
    std::iter::from_fn(move || {
        while passages
            .next_if(|leak| {
                leak.as_ref().is_ok_and(|leak| last_whole == Some((leak.document, leak.item)))
            })
            .is_some()
        {}
        let next = match passages.peek() {
            Some(Ok(leak)) => leak.document,
            Some(Err(_)) => 0,
            None => u32::MAX,
        };
        match whole.next_if(|leak| leak.document <= next) {
            Some(leak) => {
                last_whole = Some((leak.document, leak.item));
                Some(Ok(leak))
            }
            None => passages.next().map(|leak| leak.map(of_passage)),
        }
    })
}

/// The passages to be left out of documents, in the order of documents.
pub struct LeakPassages<'c> {
    leaks: Peekable<Box<dyn Iterator<Item = Result<Leak, Error>> + 'c>>,
    /// The treatment of the passages.
    pub treatment: Treatment,
}

impl<'c> LeakPassages<'c> {
    /// The passages of a corpus; none if documents with leaks are removed, or listed alone.
    pub fn new(corpus: &'c Corpus, action: LeakAction) -> LeakPassages<'c> {
        let (leaks, treatment): (Box<dyn Iterator<Item = _>>, _) = match action {
            LeakAction::Mask => (Box::new(corpus.leaks()), Treatment::Mask),
            LeakAction::Cut => (Box::new(corpus.leaks()), Treatment::Cut),
            LeakAction::Remove | LeakAction::List => (Box::new(std::iter::empty()), Treatment::Cut),
        };
        LeakPassages { leaks: leaks.peekable(), treatment }
    }

    /// The passages of a document, which must come after the document of the previous call: ranges
    /// of characters, sorted. Overlapping passages of several items are one.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk cannot be read.
    pub fn of(&mut self, document: u32) -> Result<Passages, Error> {
        let mut passages = Passages::new();
        while let Some(leak) =
            self.leaks.next_if(|leak| leak.as_ref().map_or(true, |leak| leak.document <= document))
        {
            let leak = leak?;
            if leak.document == document {
                passages.push(leak.first as usize..leak.last as usize + 1);
            }
        }
        passages.sort_unstable_by_key(|passage| passage.start);
        passages.dedup_by(|next, last| {
            let meets = next.start <= last.end;
            if meets {
                last.end = last.end.max(next.end);
            }
            meets
        });
        Ok(passages)
    }
}
