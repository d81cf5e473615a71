//! A sample of the documents -> the smaller distances of the search, if too many documents are near
//! by chance.

use super::{Group, Worker};
use crate::config::MaxDistance;
use crate::error::Error;
use crate::read::Source;
use crate::search::{self, Radius, plan_among};

/// The radius of a search, in bits, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distances {
    /// The largest distance of candidates.
    pub max_distance: u32,
    /// The distance up to which every pair is found.
    pub complete_distance: u32,
}

impl Worker {
    /// The number of documents of each side in the sample by which `max-distance auto` is lowered.
    /// The sample consists of the documents with the smallest keys that have a fingerprint. `None`
    /// if the distance is never lowered. `documents` and `against` are as in
    /// [`candidates`](Self::candidates).
    ///
    /// ```
    /// use nearprint::{Config, distributed::Worker};
    /// let worker = Worker::new(&Config::default())?;
    /// assert_eq!([50_000, 100_000, 1_000_000].map(|documents| worker.sampled(documents, None)), [None, Some(1_500), Some(2_000)]);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn sampled(&self, documents: usize, against: Option<usize>) -> Option<usize> {
        search::sampled((documents, against), self.has_hubs(against.is_some()))
            .filter(|_| self.config().search.max_distance == MaxDistance::Auto)
    }

    /// Returns true if the documents have too many candidates, by the sample. Then
    /// [`lowered`](Self::lowered) finds out if they come by chance. Of two sides, the reference
    /// documents come [first](Group::first).
    pub fn has_too_many(&self, documents: usize, against: Option<usize>, sample: &Group) -> bool {
        let Some(max_distance) = self.max_distance() else { return false };
        let Group { documents: own, fingerprints, first, .. } = sample;
        let plan = plan_among(self.config(), documents, against);
        let sides = (fingerprints.len(), *first);
        let mut found = 0u64;
        search::each_pair(sides, |left, right| {
            let is_near = fingerprints.distance(left, right) <= max_distance;
            let is_candidate = is_near
                && self.may_be_near(own, left as u32, right as u32)
                && plan.sees(fingerprints.get(left), fingerprints.get(right));
            found += u64::from(is_candidate);
        });
        found as f64 > search::most_candidates(sides, (documents, against))
    }

    /// The distances of the search if the sample [has too many](Self::has_too_many) candidates.
    /// `None` if the candidates do not come by chance, so that the usual distances are kept.
    /// `texts` are the texts of the sample as in [`Families`](super::Families), each side in the
    /// order of the documents. A search with lowered distances [lists
    /// all](Self::listing_all) candidates.
    ///
    /// # Errors
    /// As [`decide`](Self::decide).
    pub fn lowered(
        &self,
        documents: usize,
        against: Option<usize>,
        texts: [Vec<Source>; 2],
    ) -> Result<Option<Distances>, Error> {
        let Radius { max_distance, complete_distance, lowered_from, .. } =
            self.run.radius_among(texts, (documents, against))?;
        Ok(lowered_from.map(|_| Distances { max_distance, complete_distance }))
    }

    /// Makes the worker list all candidates, so that no document is a hub.
    pub fn listing_all(self) -> Worker {
        Worker { lists_all: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use nearprint_core::fingerprint::Fingerprints;
    use nearprint_core::random::Random;

    use super::*;
    use crate::config::{Cluster, Config, Measure};
    use crate::distributed::Keys;
    use crate::run::{Deduplicator, Documents};
    use crate::watch::Silent;

    /// Texts of a few syllables, whose fingerprints are near by chance, or texts of random words.
    fn texts(count: usize, of_syllables: bool) -> Vec<String> {
        let mut random = Random::new(18);
        let mut syllable = || match of_syllables {
            true => ["ka", "mo", "ri", "te", "su", "lan", "dor", "vik"][random.below(8) as usize]
                .to_string(),
            false => format!(" {:x}", random.below(1 << 40)),
        };
        (0..count).map(|_| (0..150).map(|_| syllable()).collect()).collect()
    }

    #[test]
    fn stars_of_many_documents_are_lowered_unless_these_are_of_one_template() {
        let worker = Worker::new(&Config::default()).unwrap();
        let random: Vec<String> = texts(1_600, true)
            .into_iter()
            .map(|text| text.replace("ka", "q").replace("mo", "zz"))
            .collect();
        let template = texts(1, false).remove(0);
        let of_template: Vec<String> =
            texts(1_600, true).iter().map(|text| format!("{template} {}", &text[..40])).collect();
        let lowered = |documents: usize, texts: &[String]| {
            worker.sampled(documents, None)?;
            worker
                .lowered(documents, None, [vec![], vec![Source::texts("texts", texts.to_vec())]])
                .unwrap()
        };
        assert_eq!([lowered(50_000, &random), lowered(60_000, &of_template)], [None, None]);
        assert!(lowered(60_000, &random).is_some_and(|distances| distances.max_distance < 80));
    }

    #[test]
    fn a_sample_tells_what_all_documents_tell() {
        sample_tells_what_all_tell(&[
            (true, 2_400, None, Measure::Jaccard),
            (true, 3_200, Some(100), Measure::Jaccard),
            (false, 2_400, None, Measure::Coverage),
        ]);
    }

    #[test]
    #[ignore = "nightly: takes minutes"]
    fn a_sample_tells_what_all_documents_tell_by_coverage() {
        sample_tells_what_all_tell(&[
            (true, 3_200, None, Measure::Coverage),
            (true, 3_200, Some(1_600), Measure::Coverage),
            (true, 3_200, Some(100), Measure::Coverage),
            (false, 3_200, None, Measure::Coverage),
        ]);
    }

    /// Texts of syllables or not, their number, that of reference documents among them if there are
    /// two sides, and the measure by which they are compared.
    fn sample_tells_what_all_tell(cases: &[(bool, usize, Option<usize>, Measure)]) {
        for &(of_syllables, count, first, measure) in cases {
            // With so few documents, stars never have too many candidates.
            let config =
                Config::default().cluster(Cluster::Components).recall_sample(0).verify(measure);
            let worker = Worker::new(&config).unwrap();
            let texts = texts(count, of_syllables);
            let (against, own) = texts.split_at(first.unwrap_or(0));
            let sources = |texts: &[String]| {
                if texts.is_empty() { vec![] } else { vec![Source::texts("texts", texts.to_vec())] }
            };
            let run = Deduplicator::new(config.clone()).unwrap();
            let search = run
                .run(
                    Documents::new(sources(own)).against(Documents::new(sources(against))),
                    &Silent,
                )
                .unwrap()
                .decisions
                .search;

            let lowered = worker.sampled(texts.len(), first).and_then(|most| {
                let records =
                    worker.records(&texts.iter().map(String::as_str).collect::<Vec<_>>(), false);
                let smallest = |side: std::ops::Range<usize>| -> Vec<usize> {
                    let mut numbers: Vec<usize> = side.collect();
                    numbers.sort_unstable_by_key(|number| records[*number].text_hash);
                    numbers.truncate(most);
                    numbers
                };
                let sides = [smallest(0..against.len()), smallest(against.len()..texts.len())];
                let (mut fingerprints, mut keys) = (Fingerprints::new(256), Vec::new());
                for number in sides.iter().flatten() {
                    fingerprints.push(&records[*number].fingerprint.unwrap());
                    keys.push(records[*number].text_hash);
                }
                let (sketches, documents) = (vec![None; keys.len()], Keys { keys, values: vec![] });
                let group = Group {
                    documents,
                    fingerprints,
                    sketches,
                    first: first.map(|_| sides[0].len()),
                };
                let of_sides = sides.map(|mut side| {
                    side.sort_unstable();
                    sources(
                        &side.into_iter().map(|number| texts[number].clone()).collect::<Vec<_>>(),
                    )
                });
                let is_too_much = worker.has_too_many(texts.len(), first, &group);
                is_too_much.then(|| worker.lowered(texts.len(), first, of_sides).unwrap()).flatten()
            });
            let expected = search.lowered_from.map(|_| Distances {
                max_distance: search.max_distance.unwrap(),
                complete_distance: search.complete_distance.unwrap(),
            });
            assert_eq!(lowered, expected, "{first:?}");
            assert_eq!(lowered.is_some(), of_syllables && first != Some(100), "{first:?}");
        }
    }
}
