//! Removals -> how far each removed document agrees with its keeper in what fills their form, where others show one.
//!
//! The others are the company of the removed document without the keeper, as it stays in the end.
//!
//! Cost: for each text that was removed as near or contained a comparison of its windows with those of its company, and the words of
//! both texts.

use std::sync::Arc;

use rayon::prelude::*;

use super::Order;
use super::company::Companies;
use crate::corpus::{Forms, Reader};
use crate::error::Error;
use crate::judge::Reason;
use crate::outcome::Removal;
use crate::search::{COMPANY, Input};
use crate::verify::Agreement;
use crate::watch::Progress;

/// Texts that a thread takes at a time.
const CHUNK: usize = 64;

/// Tells of removals, where it can, what fills the form of their documents.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`] where a part was not gathered, [`Error::Interrupted`].
pub(super) fn add_forms(
    input: &Input<'_>,
    order: &Order,
    companies: &Companies<'_>,
    removals: &mut [Removal],
    stage: &Progress<'_>,
) -> Result<(), Error> {
    // Of equal texts one represents all.
    let pair = |removal: &Removal| [order.representatives[removal.document as usize], removal.keeper];
    let is_near = |removal: &&Removal| matches!(removal.reason, Reason::Near | Reason::Contained);
    let mut pairs: Vec<[u32; 2]> = removals.iter().filter(is_near).map(pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let agreement = |(forms, reader): &mut (Forms, Reader<'_>), pairs: &[[u32; 2]]| {
        let agreement = |[document, keeper]: &[u32; 2]| {
            if stage.stopped() {
                return Err(Error::Interrupted);
            }
            let company = companies.of(*document);
            let others: Vec<u32> = company.iter().copied().filter(|other| other != keeper).collect();
            let agreement = forms.agreement([*document, *keeper], &others, reader)?;
            Ok(agreement.map(|agreement| if company.len() == COMPANY { agreement.or_more() } else { agreement }))
        };
        pairs.iter().map(agreement).collect::<Result<Vec<_>, Error>>()
    };
    let forms = || (Forms::default(), Reader::new(input.corpus, input.recipe));
    let told: Vec<Vec<Option<Agreement>>> =
        pairs.par_chunks(CHUNK).map_init(forms, agreement).collect::<Result<_, Error>>()?;
    let told: Vec<Option<Arc<Agreement>>> = told.into_iter().flatten().map(|told| told.map(Arc::new)).collect();
    for removal in removals {
        removal.form = match is_near(&&*removal) {
            true => pairs.binary_search(&pair(removal)).ok().and_then(|place| told[place].clone()),
            false => None,
        };
    }
    Ok(())
}
