//! What a run finds -> the passages that its page shows.
//!
//! The places that are shown are chosen before the documents are read for the texts of passages, so
//! that they take no reading of their own.

use std::collections::BTreeMap;

use nearprint_core::normalize::Normalizer;

use crate::corpus::Origins;
use crate::document::Document;
use crate::error::Error;
use crate::passage::{Found, PlaceRow, Stay, Verdicts, sentences};
use crate::report::{Context, ShownPassage};
use crate::write::PassageText;

/// The most passages that the page shows.
const MOST_SHOWN: usize = 500;

/// The most places of a passage that the page shows, each in another document.
const MOST_PLACES: usize = 3;

/// Some places of the first passages.
#[derive(Debug, Default)]
pub(super) struct ShownPlaces {
    /// The passages, counted from 0, and the bytes of the places of each document.
    wanted: BTreeMap<u32, Vec<(usize, [u32; 2])>>,
    /// Those that were read, by passage and document, with their first bytes.
    read: BTreeMap<(usize, u32), (u32, Context)>,
}

impl ShownPlaces {
    /// The first places of the first passages.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn of(found: &Found) -> Result<ShownPlaces, Error> {
        let mut shown = ShownPlaces::default();
        let mut last = vec![(0, None); found.passages.len().min(MOST_SHOWN)];
        for place in found.places.iter() {
            let place = place?;
            let passage = place.passage as usize - 1;
            let Some((places, document)) = last.get_mut(passage) else { continue };
            if *places < MOST_PLACES && *document != Some(place.document) {
                (*places, *document) = (*places + 1, Some(place.document));
                shown.wanted.entry(place.document).or_default().push((passage, place.bytes));
            }
        }
        Ok(shown)
    }

    /// Takes a place in this text, if few of its passage were taken. Places come in order.
    pub fn offer(&mut self, text: &str, place: &PlaceRow) {
        let passage = place.passage as usize - 1;
        let own = self.read.range((passage, 0)..=(passage, u32::MAX)).count();
        let key = (passage, place.document);
        if passage < MOST_SHOWN && own < MOST_PLACES && !self.read.contains_key(&key) {
            self.read.insert(key, (place.bytes[0], Context::of(text, place.bytes)));
        }
    }

    /// Takes the places that stand in a batch of documents.
    pub fn read(&mut self, first: u32, batch: &[Document]) {
        for (document, places) in self.wanted.range(first..first + batch.len() as u32) {
            let text = &batch[(document - first) as usize].text;
            for (passage, bytes) in places {
                let context = Context::of(text, *bytes);
                self.read.insert((*passage, *document), (bytes[0], context));
            }
        }
    }

    /// The passages to show.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn passages(
        mut self,
        origins: &Origins,
        found: &Found,
        texts: &[PassageText],
        verdicts: &Verdicts,
        normalizer: &Normalizer,
    ) -> Result<Vec<ShownPassage>, Error> {
        let refused = verdicts.refused(normalizer);
        let all = found.passages.iter().zip(texts).zip(1..).take(MOST_SHOWN);
        let mut shown: Vec<ShownPassage> = all
            .map(|((passage, text), number)| {
                // A passage without an example is there because a person has approved it.
                let is_right = passage.example.is_none();
                let is_wrong = !is_right && refused.contains(&passage.sentence);
                ShownPassage {
                    passage: number,
                    documents: passage.documents,
                    places: passage.places,
                    edited: passage.edited,
                    letters: passage.letters,
                    text: text.text.clone(),
                    is_cut: text.is_cut,
                    verdict: (is_right || is_wrong).then_some(!is_wrong),
                    ..ShownPassage::default()
                }
            })
            .collect();
        for place in found.places.iter() {
            let place = place?;
            let passage = place.passage as usize - 1;
            let Some(own) = shown.get_mut(passage) else { continue };
            if place.stay == Stay::Goes {
                own.going += 1;
                own.characters += u64::from(place.characters[1] - place.characters[0]);
            }
            if let Some((start, context)) = self.read.get_mut(&(passage, place.document))
                && *start == place.bytes[0]
            {
                context.stay = place.stay;
            }
        }
        for ((passage, document), (_, context)) in self.read {
            shown[passage].examples.push(Context {
                id: origins.id(document).to_string(),
                file: origins.file(document).to_string(),
                row: origins.row(document),
                ..context
            });
        }
        Ok(shown)
    }
}

/// The texts of verdicts that none of the shown passages has.
pub(super) fn elsewhere<'v>(
    verdicts: &'v Verdicts,
    shown: &[ShownPassage],
    found: &Found,
    normalizer: &Normalizer,
) -> Vec<(&'v str, bool)> {
    let sides = [(&verdicts.right, true), (&verdicts.wrong, false)];
    let all =
        sides.into_iter().flat_map(|(texts, right)| texts.iter().map(move |text| (text, right)));
    all.filter(|(text, _)| {
        let sentences = sentences(text, normalizer);
        !shown.iter().zip(&found.passages).any(|(shown, passage)| match passage.example {
            Some(_) => sentences.contains(&passage.sentence),
            None => shown.text == **text,
        })
    })
    .map(|(text, right)| (text.as_str(), right))
    .collect()
}
