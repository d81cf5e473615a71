//! Documents in which some of the other side stand -> the one that each goes for.

use hashbrown::HashMap;

use crate::config::LeakAction;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::leak::Leak;
use crate::outcome::LeakCounts;
use crate::search::Input;

/// For each document that is removed for an item in it: the item that is most like its run, of several the first. Equal items
/// are one. A document stays under another action, and where more of it than `max-lost` stands beside each item.
pub(super) fn holders(input: &Input<'_>, representatives: &[u32]) -> Result<HashMap<u32, Leak>, Error> {
    let mut holders: HashMap<u32, Leak> = HashMap::new();
    if input.config.leak_action != LeakAction::Remove {
        return Ok(holders);
    }
    for leak in input.corpus.leaks() {
        let leak = leak?;
        if input.config.max_lost.is_some_and(|most| beside(&leak, input.corpus) > most) {
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

/// The share of a document's characters beside the item that stands in it.
pub(super) fn beside(leak: &Leak, corpus: &Corpus) -> f64 {
    let inside = f64::from(leak.last - leak.first + 1);
    (1.0 - inside / f64::from(corpus.lengths()[leak.document as usize])).max(0.0)
}

/// The items that stand inside of documents, in numbers; `None` where none were looked for.
pub(super) fn leak_counts(corpus: &Corpus) -> Result<Option<LeakCounts>, Error> {
    let Some(too_short) = corpus.too_short_items() else { return Ok(None) };
    let (mut counts, mut last) = (LeakCounts { too_short, ..LeakCounts::default() }, None);
    for leak in corpus.leaks() {
        let document = leak?.document;
        counts.passages += 1;
        counts.documents += u64::from(last.replace(document) != Some(document));
    }
    Ok(Some(counts))
}
