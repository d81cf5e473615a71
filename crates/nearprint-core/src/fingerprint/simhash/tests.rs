//! The fingerprints are compared with the definition, window by window, and with values of the
//! Python package.

use ::md5::{Digest, Md5};
use proptest::prelude::*;

use super::super::to_hex;
use super::letters::WIDTH;
use super::*;

/// The fingerprint by its definition.
fn plain(letters: &str, bits: u32) -> [u64; 4] {
    let letters: Vec<char> = letters.chars().collect();
    let windows = (letters.len() + 1).saturating_sub(WIDTH).max(1);
    let digest = |start: usize| {
        let window: String = letters.iter().skip(start).take(WIDTH).collect();
        u128::from_be_bytes(Md5::digest(window).into())
    };
    let digests: Vec<u128> = (0..windows).map(digest).collect();
    let mut words = [0; 4];
    for bit in 0..bits as usize {
        let ones =
            digests.iter().filter(|digest| **digest >> (bits as usize - 1 - bit) & 1 == 1).count();
        words[bit / 64] |= u64::from(2 * ones > windows) << (63 - bit % 64);
    }
    words
}

proptest! {
    #[test]
    fn letters_vote_as_the_definition_says(
        letters in prop_oneof!["[a-z0-9_]{0,40}", "[a-z0-9]{4000,4500}", "[a-zß一-龥😀]{0,90}", "[一-龥]{3,40}"],
        bits in (1u32..=16).prop_map(|bytes| 8 * bytes),
    ) {
        prop_assert_eq!(of_letters(&letters, bits), plain(&letters, bits));
        // The windows as features give the same fingerprint.
        let letters: Vec<char> = letters.chars().collect();
        let mut vote = Vote::new(bits);
        if letters.len() >= WIDTH {
            letters.windows(WIDTH).for_each(|window| vote.add_feature(&window.iter().collect::<String>(), Weight::Integer(1)));
            prop_assert_eq!(vote.finish(), of_letters(&letters.iter().collect::<String>(), bits));
        }
    }

    #[test]
    fn weights_count_as_often_as_they_say(
        features in proptest::collection::vec(("[a-z]{0,30}", 0i64..120), 0..500),
        bits in prop_oneof![Just(8u32), Just(64), Just(128)],
    ) {
        let (mut by_weight, mut by_float, mut by_hash) = (Vote::new(bits), Vote::new(bits), Vote::new(bits));
        let (mut sums, mut total) = (vec![0; bits as usize], 0);
        for (feature, weight) in &features {
            by_weight.add_feature(feature, Weight::Integer(*weight));
            by_float.add_feature(feature, Weight::Float(*weight as f64));
            let digest = Md5::digest(feature);
            let hash = &digest[16 - bits as usize / 8..];
            by_hash.add_hash(hash, Weight::Integer(*weight));
            sums.iter_mut().enumerate().for_each(|(bit, sum)| *sum += weight * i64::from(hash[bit / 8] >> (7 - bit % 8) & 1));
            total += weight;
        }
        let mut words = [0; 4];
        sums.iter().enumerate().for_each(|(bit, sum)| words[bit / 64] |= u64::from(2 * sum > total) << (63 - bit % 64));
        for vote in [by_weight, by_float, by_hash] {
            prop_assert_eq!(vote.finish(), words);
        }
    }

    #[test]
    fn letters_of_ascii_are_lower_case_and_joined(text in "[ -~\n\0]{0,60}") {
        let mut letters = "before".to_string();
        prop_assert!(ascii_letters(&text, &mut letters));
        let expected = text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_');
        prop_assert_eq!(letters, format!("before{}", expected.collect::<String>().to_ascii_lowercase()));
    }
}

#[test]
fn values_are_those_of_the_package() {
    // The file is made by make_golden_values.py.
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("simhash_2_1_2.json")).unwrap();
    let check = |case: &serde_json::Value, fingerprint: &dyn Fn(u32) -> [u64; 4]| {
        for (bits, value) in case["values"].as_object().unwrap() {
            let bits = bits.parse().unwrap();
            assert_eq!(to_hex(&fingerprint(bits), bits), value.as_str().unwrap(), "{bits}: {case}");
        }
    };
    for case in golden["letters"].as_array().unwrap() {
        check(case, &|bits| of_letters(case["letters"].as_str().unwrap(), bits));
    }
    for case in golden["features"].as_array().unwrap() {
        check(case, &|bits| {
            let mut vote = Vote::new(bits);
            for feature in case["features"].as_array().unwrap() {
                let weight = feature[1].as_i64().map(Weight::Integer);
                let weight = weight.unwrap_or_else(|| Weight::Float(feature[1].as_f64().unwrap()));
                vote.add_feature(feature[0].as_str().unwrap(), weight);
            }
            vote.finish()
        });
    }
}

#[test]
#[should_panic(expected = "not 136")]
fn more_bits_than_an_md5_has_are_refused() {
    of_letters("letters", 136);
}
