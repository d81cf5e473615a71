//! What may be lost with removed documents (`max-lost`), over random cuts of a few texts.

use proptest::prelude::*;

use crate::config::{Config, Keep};
use crate::corpus::{PairJudge, Purpose};
use crate::decide::ranks;
use crate::judge::Rules;
use crate::random::Random;
use crate::read::Source;
use crate::run::Deduplicator;
use crate::watch::Silent;

/// Texts that are runs of the sentences of some articles, some of them with other words in places.
fn texts(seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let sentence = |article: u64, number: u64| -> String {
        let mut words = Random::new(article * 100 + number);
        let syllables = ["ka", "mo", "rit", "te", "su", "lan", "dor", "vik"];
        (0..12).map(|_| [0; 4].map(|_| syllables[words.below(8) as usize]).concat() + " ").collect()
    };
    let text = |_| {
        let (article, first) = (random.below(3), random.below(3));
        let last = first + 3 + random.below(8);
        let mut text: String = (first..last).map(|number| sentence(article, number)).collect();
        for _ in 0..random.below(3) {
            let place = random.below(text.len() as u64 - 9) as usize;
            text.replace_range(place..place + random.below(9) as usize, "xyzxy, ");
        }
        text
    };
    (0..20).map(text).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn no_removed_document_has_lost_more_than_it_may(seed in any::<u64>(), most in 0.0..0.4, longest in any::<bool>()) {
        let keep = if longest { Keep::Longest } else { Keep::First };
        let config = Config { max_lost: Some(most), keep, min_similarity: 0.5, recall_sample: 0, threads: 1, ..Config::default() };
        let rules = Rules::new(&config, Some(80));
        let deduplicator = Deduplicator::new(config).unwrap();
        let corpus = deduplicator.read(vec![Source::texts("texts", texts(seed))], Purpose::Dedup, &Silent).unwrap();
        let decisions = deduplicator.decide(&corpus, true, &Silent).unwrap();
        let mut judge = PairJudge::new(&corpus, deduplicator.recipe(), rules);
        for removal in &decisions.removals {
            prop_assert!(removal.lost.is_some_and(|lost| lost <= most), "{:?}", removal);
            prop_assert_eq!(judge.verdict(removal.document, removal.keeper).unwrap().lost.map(|[lost, _]| lost), removal.lost);
            prop_assert!(decisions.removal(removal.keeper).is_none(), "{:?}", removal);
            let (keeper, members) = &decisions.clusters[removal.cluster as usize - 1];
            prop_assert!(*keeper == removal.keeper && members.contains(&removal.document));
        }
        let members: usize = decisions.clusters.iter().map(|(_, members)| members.len() - 1).sum();
        prop_assert_eq!(members, decisions.removals.len());
        // Of two that stay the one that `keep` ranks lower would have lost too much, if they are duplicates.
        let ranks = ranks(deduplicator.config(), &corpus);
        for pair in decisions.pairs.iter().map(Result::unwrap) {
            let stays = |document| decisions.removal(document).is_none();
            if stays(pair.left) && stays(pair.right) {
                let lost = judge.verdict(pair.left, pair.right).unwrap().lost.unwrap();
                let lower = usize::from(ranks[pair.left as usize] < ranks[pair.right as usize]);
                prop_assert!(lost[lower] > most, "{:?} {:?}", pair, lost);
            }
        }
    }
}
