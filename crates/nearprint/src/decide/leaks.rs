//! Documents in which some of the other side stand -> the one that each goes for.

use hashbrown::HashMap;

use super::explain::beside;
use crate::config::LeakAction;
use crate::error::Error;
use crate::leak::Leak;
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
