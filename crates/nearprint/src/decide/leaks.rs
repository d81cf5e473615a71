//! Documents that contain items of the other side -> the item for which each is removed.

use hashbrown::{HashMap, HashSet};

use crate::config::LeakAction;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::leak::Leak;
use crate::outcome::{LeakCounts, Reason, Removal};
use crate::search::Input;

/// For each document that is removed for an item inside: the item that is most similar to its place
/// in the document, of several the first. Equal items count as one. No document is removed under
/// another action than `remove`, or if more of it than `max-lost` stands beside each item.
pub(super) fn holders(
    input: &Input<'_>,
    representatives: &[u32],
) -> Result<HashMap<u32, Leak>, Error> {
    let mut holders: HashMap<u32, Leak> = HashMap::new();
    if input.config.keep.leak_action != LeakAction::Remove {
        return Ok(holders);
    }
    for leak in input.corpus.leaks() {
        let leak = leak?;
        if input.config.decide.max_lost.is_some_and(|most| beside(&leak, input.corpus) > most) {
            continue;
        }
        let best = holders.entry(leak.document).or_insert(leak);
        if leak.similarity > best.similarity {
            *best = leak;
        }
    }
    holders.values_mut().for_each(|leak| leak.item = representatives[leak.item as usize]);
    Ok(holders)
}

/// The share of a document's characters that stand beside the item.
pub(super) fn beside(leak: &Leak, corpus: &Corpus) -> f64 {
    let inside = f64::from(leak.last - leak.first + 1);
    (1.0 - inside / f64::from(corpus.lengths()[leak.document as usize])).max(0.0)
}

/// The number of reference documents that were found: those that the removed and the listed
/// documents are compared with, those inside of documents, and those with the same
/// representative. `None` if there is one side.
pub(super) fn found(
    corpus: &Corpus,
    representatives: &[u32],
    removals: &[Removal],
    listed: &[Removal],
) -> Result<Option<u64>, Error> {
    if !corpus.origins.has_sides() {
        return Ok(None);
    }
    let representative = |item: u32| representatives[item as usize];
    let mut found: HashSet<u32> =
        removals.iter().chain(listed).map(|removal| representative(removal.keeper)).collect();
    for leak in corpus.leaks() {
        found.insert(representative(leak?.item));
    }
    let items = 0..corpus.origins.against() as u32;
    Ok(Some(items.filter(|item| found.contains(&representative(*item))).count() as u64))
}

/// The numbers of documents and passages that hold items; `None` if no items were looked for.
/// `removals` and `listed` are the documents that are duplicates.
pub(super) fn leak_counts(
    corpus: &Corpus,
    removals: &[Removal],
    listed: &[Removal],
) -> Result<Option<LeakCounts>, Error> {
    let Some(too_short) = corpus.too_short_items() else { return Ok(None) };
    let of_whole =
        removals.iter().filter(|removal| removal.reason != Reason::Contains).chain(listed);
    let whole: HashMap<u32, u32> =
        of_whole.map(|removal| (removal.document, removal.keeper)).collect();
    let mut counts = LeakCounts {
        documents: whole.len() as u64,
        whole: whole.len() as u64,
        passages: 0,
        too_short,
    };
    let mut last = None;
    for leak in corpus.leaks() {
        let Leak { document, item, .. } = leak?;
        let duplicate_of = whole.get(&document);
        counts.passages += u64::from(duplicate_of != Some(&item));
        counts.documents +=
            u64::from(last.replace(document) != Some(document) && duplicate_of.is_none());
    }
    Ok(Some(counts))
}
