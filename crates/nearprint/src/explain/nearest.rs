//! A kept document -> the most similar of the documents with the nearest fingerprints.
//!
//! The reports of a run do not mention a document that has no duplicate and just missed none. The
//! most similar documents have the nearest fingerprints, as far as fingerprints tell. A few of them
//! are read again and compared as in a run. There is no result without fingerprints: for short
//! documents, if only equal texts were searched for, if documents were compared across two sides,
//! and if fingerprints need statistics of the corpus.
//!
//! Cost: a scan of all fingerprints, and reading the inputs up to the last document that is
//! compared.

use nearprint_core::fingerprint::hamming_distance;
use nearprint_core::judge::Rules;
use nearprint_core::recipe::{Prepared, Recipe, Weigher};
use serde::Serialize;

use crate::compare::compare_by;
use crate::corpus::{FINGERPRINTS, FINGERPRINTS_FORMAT, Known, guarding};
use crate::document::Id;
use crate::error::Error;
use crate::finished::{Finished, FoundDocument};
use crate::sealed;
use crate::watch::Watch;

/// The number of documents that are compared.
const COMPARED: usize = 3;

/// The most similar of the documents with the nearest fingerprints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nearest {
    /// The id.
    pub id: Id,
    /// The file.
    pub file: String,
    /// The row, from 1.
    pub row: u64,
    /// The similarity of the two texts, 0 to 1.
    pub similarity: f64,
    /// The share of both texts that stands in the other one, 0 to 1, if coverage compares them. It
    /// is more than the similarity if a rule keeps the two apart.
    pub share: Option<f64>,
    /// The Hamming distance of their fingerprints in bits.
    pub distance: u32,
    /// True if the two texts would be duplicates, but another rule has kept them apart.
    pub would_be_duplicates: bool,
}

/// The document that is most similar to a kept one of a run, as far as fingerprints tell.
pub(super) fn nearest(
    finished: &Finished,
    recipe: &Recipe,
    rules: Rules,
    own: &FoundDocument,
    watch: &dyn Watch,
) -> Result<Option<Nearest>, Error> {
    if finished.max_distance.is_none()
        || !finished.against.is_empty()
        || recipe.needs_own_statistics()
    {
        return Ok(None);
    }
    let Some(known) = known(finished, recipe)? else { return Ok(None) };
    let mut maker =
        Maker { recipe, weigher: Weigher::without_corpus(recipe), document: Prepared::default() };
    let (features, words) = maker.fingerprint(&own.text);
    if rules.is_short(features) {
        return Ok(None);
    }
    // One more than is compared, since the document itself is among them.
    let mut near: Vec<(u32, usize)> = Vec::with_capacity(COMPARED + 2);
    for number in 0..known.len() {
        let (features, other) = known.of(number);
        let distance = hamming_distance(&words, &other);
        if !rules.is_short(features) && near.get(COMPARED).is_none_or(|(most, _)| distance < *most)
        {
            let place = near.partition_point(|(nearer, _)| *nearer <= distance);
            near.insert(place, (distance, number));
            near.truncate(COMPARED + 1);
        }
    }
    let last = near.iter().map(|(_, number)| *number).max();
    let (mut number, mut best) = (0, None::<Nearest>);
    let read = finished.each(watch, |other| {
        if let Some((distance, _)) = near.iter().find(|(_, near)| *near == number)
            && other.place != own.place
            && guarding(&finished.config, [&own.fields, &other.fields]).is_none()
            // If the inputs have changed since the run, this may be another document.
            && maker.fingerprint(&other.text).1 == known.of(number).1
        {
            let in_family =
                [words, known.of(number).1].iter().any(|own| known.in_family(own) == Some(true));
            let compared = compare_by(recipe, rules, [&own.text, &other.text], Some(in_family), 0);
            let share = compared.judged.share();
            let likeness =
                |similarity: f64, share: Option<f64>| similarity.max(share.unwrap_or(0.0));
            let own = likeness(compared.similarity, share);
            if best.as_ref().is_none_or(|best| own > likeness(best.similarity, best.share)) {
                best = Some(Nearest {
                    id: other.id,
                    file: other.place.file,
                    row: other.place.row,
                    similarity: compared.similarity,
                    share,
                    distance: *distance,
                    would_be_duplicates: compared.judged.duplicates,
                });
            }
        }
        number += 1;
        last.is_some_and(|last| number <= last)
    });
    match read {
        // A file that is gone may hold the most similar document, so there is no result.
        Err(Error::Incompatible { .. } | Error::Rejected(_)) => Ok(None),
        read => read.map(|()| best),
    }
}

/// Returns true if one of two texts is in a family by the fingerprints of a run; `None` if the
/// fingerprints are missing, or need statistics of the corpus.
pub(super) fn in_family(
    finished: &Finished,
    recipe: &Recipe,
    texts: [&str; 2],
) -> Result<Option<bool>, Error> {
    if recipe.needs_own_statistics() {
        return Ok(None);
    }
    let Some(known) = known(finished, recipe)? else { return Ok(None) };
    let mut maker =
        Maker { recipe, weigher: Weigher::without_corpus(recipe), document: Prepared::default() };
    let [left, right] = texts.map(|text| known.in_family(&maker.fingerprint(text).1));
    Ok(left.zip(right).map(|(left, right)| left || right))
}

/// The fingerprints of a run; `None` if they are gone or another recipe made them.
fn known(finished: &Finished, recipe: &Recipe) -> Result<Option<Known>, Error> {
    let known: Option<Known> =
        sealed::load(&finished.folder.join(FINGERPRINTS), FINGERPRINTS_FORMAT)?;
    let files = || finished.against.iter().chain(&finished.inputs);
    let is_of_run = |known: &Known| {
        known.recipe == recipe.identity() && known.files.iter().map(|file| &file.label).eq(files())
    };
    Ok(known.filter(is_of_run))
}

/// Makes fingerprints and counts features.
struct Maker<'r> {
    recipe: &'r Recipe,
    weigher: Weigher,
    document: Prepared,
}

impl Maker<'_> {
    /// The number of features of a text, and its fingerprint.
    fn fingerprint(&mut self, text: &str) -> (u32, [u64; 4]) {
        let Maker { recipe, weigher, document } = self;
        let mut hasher = recipe.hasher();
        recipe.prepare(text, recipe.parts_of_fingerprints(), document);
        document.teach(recipe.ngram(), &mut hasher);
        weigher.add_fingerprint(document, &hasher);
        (document.features, document.fingerprint.unwrap_or_default())
    }
}
