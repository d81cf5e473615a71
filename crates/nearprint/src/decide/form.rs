//! Removals -> how far each removed document agrees with its keeper in what fills their form, where others show one.
//!
//! The others are the company of the removed document ([`Company`]) without the keeper, as it stays in the end.
//!
//! Cost: two passes over the candidates; for each text that was removed as near or contained a comparison of its windows with those
//! of its company, and the words of both texts.

use rayon::prelude::*;

use super::Order;
use super::company::Company;
use crate::cluster;
use crate::corpus::{Forms, Reader};
use crate::error::Error;
use crate::judge::Reason;
use crate::outcome::Removal;
use crate::search::{COMPANY, Candidates, Input};
use crate::verify::{Agreement, Measure};
use crate::watch::Progress;

/// Removals that a thread takes at a time.
const CHUNK: usize = 64;

/// Tells of removals, where it can, what fills the form of their documents.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`] where a part was not gathered, [`Error::Interrupted`].
pub(super) fn add_forms(
    input: &Input<'_>,
    order: &Order,
    candidates: &Candidates,
    removals: &mut [Removal],
    stage: &Progress<'_>,
) -> Result<(), Error> {
    let is_near = |removal: &Removal| matches!(removal.reason, Reason::Near | Reason::Contained);
    if input.config.verify != Measure::Coverage || !removals.iter().any(is_near) {
        return Ok(());
    }
    let rank = |removal: &Removal| order.ranks[order.representatives[removal.document as usize] as usize];
    let documents = cluster::by_rank(&order.ranks);
    let company = Company::of_corpus(input.corpus, &documents, candidates)?;
    let forms = || (Forms::default(), Reader::new(input.corpus, input.recipe));
    let add = |(forms, reader): &mut (Forms, Reader<'_>), removals: &mut [Removal]| {
        for removal in removals.iter_mut().filter(|removal| is_near(removal)) {
            if stage.stopped() {
                return Err(Error::Interrupted);
            }
            let rank = rank(removal);
            let near = company.of(rank);
            let others = near.iter().map(|rank| documents[*rank as usize]).filter(|other| *other != removal.keeper);
            let pair = [documents[rank as usize], removal.keeper];
            let agreement = forms.agreement(pair, &others.collect::<Vec<_>>(), reader)?;
            let agreement = if near.len() == COMPANY { agreement.map(Agreement::or_more) } else { agreement };
            removal.form = agreement.map(Box::new);
        }
        Ok(())
    };
    removals.par_chunks_mut(CHUNK).map_init(forms, add).collect()
}
