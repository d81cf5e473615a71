//! The numbers and the listed features of a comparison.

use nearprint_core::compare::Measure;

use super::*;
use crate::config::{Config, FeatureHash, Features, MaxDistance, Position, Tf, Weights, Words};

#[test]
fn exchanged_words_change_the_fingerprint_only_with_positions() {
    // The example is from Zhang Hang et al. 2020, figure 2.
    let (left, right) = ("能力比学历重要性高", "学历比能力重要性高");
    for bits in [32, 64, 128, 256] {
        for preset in ["paper", "simhash"] {
            let config =
                Config::preset(preset).unwrap().bits(bits).max_distance(MaxDistance::Bits(3));
            let distance = |position| {
                let words = Words { position, ..config.words().clone() };
                let config = config.clone().features(Features::Words(words));
                compare(&config, left, right, 0).unwrap().distance
            };
            assert_eq!(distance(Position::Off), 0, "{bits} bits, {preset}");
            assert_ne!(distance(Position::Rank), 0, "{bits} bits, {preset}");
        }
    }
    // According to docs/algorithms.md, the bits of MD5 that the ranks use happen to be equal,
    // except at 64 bits.
    for (bits, apart) in [(32, false), (64, true), (128, false)] {
        for stop_words in [vec![], vec!["zh".to_string()]] {
            let config =
                Config::preset("paper").unwrap().bits(bits).max_distance(MaxDistance::Bits(3));
            let words =
                Words { feature_hash: FeatureHash::Md5, stop_words, ..config.words().clone() };
            let config = config.features(Features::Words(words));
            assert_eq!(
                compare(&config, left, right, 0).unwrap().distance > 0,
                apart,
                "MD5, {bits} bits"
            );
        }
    }
}

#[test]
fn the_similarity_is_what_decides_and_says_so_of_short_texts() {
    let config = Config::default();
    let compared = |left: &str, right: &str| compare(&config, left, right, 0).unwrap();
    assert_eq!(compared("今天天气很好", "今天天氣很好").similarity, 1.0);
    let short = compared("今天天气很好", "昨天来了三个客人");
    assert!(short.verdict == "different" && short.similarity < config.decide.min_similarity);
    let text =
        "The ferry to the island left the harbor two hours late on Monday because of the fog. "
            .repeat(3);
    let near = compared(&text, &text.replacen("Monday", "account", 1));
    assert_eq!((near.verdict, near.similarity), ("near", near.coverage));
    let jaccard = config.clone().verify(Measure::Jaccard);
    let near = compare(&jaccard, &text, &text.replace("Monday", "account"), 0).unwrap();
    assert!(near.similarity == near.jaccard && near.similarity != near.coverage);
}

#[test]
fn the_votes_are_those_of_the_fingerprint() {
    let text =
        |seed: u32| (0..900).map(|i| format!("w{} ", (i * i * seed + i) % 211)).collect::<String>();
    let md5 =
        Words { feature_hash: FeatureHash::Md5, position: Position::Rank, ..Words::default() };
    let md5 = Config::default().features(Features::Words(md5)).bits(64);
    for config in
        [Config::default(), Config::default().bits(32), Config::preset("paper").unwrap(), md5]
    {
        let compared = compare(&config, &text(3), "能力比学历重要性高", usize::MAX).unwrap();
        for side in [&compared.left, &compared.right] {
            assert_eq!(side.votes.len(), config.fingerprint.bits as usize);
            let bits = side.fingerprint.chars().flat_map(|digit| {
                let digit = digit.to_digit(16).unwrap();
                (0..4).map(move |bit| digit >> (3 - bit) & 1 == 1)
            });
            assert!(side.votes.iter().map(|vote| *vote > 0.0).eq(bits), "{side:?}");
            // All features vote on every bit: V_i is the total, less twice the weight of the
            // votes for 0.
            let total: f64 = side.heaviest.iter().map(|feature| feature.weight).sum();
            assert!(side.votes.iter().all(|vote| vote.abs() <= total + 1e-9));
        }
    }
    // Two words that weigh 1: every bit has 2, 0 or -2.
    let words = Words { weights: Weights::One, ..Words::default() };
    let two =
        compare(&Config::default().features(Features::Words(words)), "one two", "", 0).unwrap();
    assert!(
        two.left.votes.iter().all(|vote| [2.0, 0.0, -2.0].contains(vote))
            && two.right.votes == [0.0; 256]
    );
}

#[test]
fn the_features_shown_are_the_first_of_all() {
    let text =
        |seed: u32| (0..400).map(|i| format!("w{} ", (i * i * seed + i) % 211)).collect::<String>();
    for config in [Config::default(), Config::preset("paper").unwrap()] {
        let of = |top| compare(&config, &text(3), &text(7), top).unwrap();
        let all = of(usize::MAX);
        for top in [0, 1, 7, 60] {
            let some = of(top);
            assert_eq!(some.differing, all.differing[..top]);
            assert_eq!(some.left.heaviest, all.left.heaviest[..top]);
        }
    }
}

#[test]
fn short_texts_are_told_apart_by_their_characters_under_every_measure() {
    for preset in ["default", "paper", "simhash", "google"] {
        let config = Config::preset(preset).unwrap();
        let found = compare(&config, "能力比学历重要性高", "学历比能力重要性高", 0).unwrap();
        let why = found.why[0].to_string();
        assert!(why.contains("the similarity of their characters is 0."), "{preset}: {why}");
    }
}

#[test]
fn without_a_measure_no_minimum_is_named_but_for_short_texts() {
    let config = Config::default().verify(Measure::None);
    let text = "The ferry to the island left the harbor two hours late on Monday because of fog. ";
    let why = |left: &str, right: &str| compare(&config, left, right, 0).unwrap().why[0].clone();
    let near = why(&text.repeat(3), &text.repeat(3).replacen("Monday", "Sunday", 1)).to_string();
    let says = "(near): with verify = \"none\" the distance of their fingerprints decides alone; \
                their similarity is 0.";
    assert!(near.contains(says) && !near.contains("minimum"), "{near}");
    let far = why(text, "Half of the bakeries in the old town now close before noon, says Anna.");
    assert!(far.to_string().ends_with(" bits, and the maximum for candidates is 80"), "{far}");
    assert!(why("Closed today", "Opened in May").to_string().ends_with(" less than 0.75"));
}

#[test]
fn one_dominant_feature_makes_the_fingerprint_its_hash() {
    // Eq. 11-15 on a whole text: one word outweighs all others together.
    let words = Words { weights: Weights::Tf, tf: Tf::Raw, ..Words::default() };
    let config = Config::default().features(Features::Words(words));
    let dominant = "nearprint ".repeat(50);
    let comparison =
        compare(&config, &format!("{dominant} one two three"), &format!("{dominant} four five"), 1)
            .unwrap();
    assert_eq!(
        (comparison.distance, comparison.left.heaviest[0].feature.as_str()),
        (0, "nearprint")
    );
}
