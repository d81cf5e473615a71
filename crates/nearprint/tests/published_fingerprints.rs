//! Published fingerprints come out number for number. `data/published_fingerprints.jsonl` has them,
//! each with its source.

use nearprint::Config;
use nearprint::config::{Features, Words};
use nearprint_core::fingerprint::simhash::{Vote, Weight};
use serde_json::Value;

fn published() -> Vec<Value> {
    let lines = include_str!("data/published_fingerprints.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|item| item.as_str().expect("a string")).collect()
}

#[test]
fn words_of_equal_weight_have_the_printed_fingerprint() {
    let recipe = (Config::default().features(Features::Words(Words::default()))).recipe().unwrap();
    for case in published() {
        let expected: u64 = case["fingerprint"].as_str().unwrap().parse().unwrap();
        let words: Vec<Vec<&str>> = case["words"].as_array().unwrap().iter().map(strings).collect();
        assert_eq!(words.len(), 2, "both texts of the figure");
        for (text, words) in strings(&case["texts"]).into_iter().zip(words) {
            assert_eq!(recipe.tokens(text), words, "{text}");
            let mut vote = Vote::new(case["bits"].as_u64().unwrap() as u32);
            words.iter().for_each(|word| vote.add_feature(word, Weight::Integer(1)));
            assert_eq!(vote.finish()[0], expected, "{text}");
        }
    }
}

#[test]
fn the_presets_of_the_paper_drop_stop_words_which_the_printed_fingerprint_holds() {
    for preset in ["paper", "simhash"] {
        let recipe = (Config::preset(preset).unwrap()).recipe().unwrap();
        assert_eq!(
            recipe.tokens("能力比学历重要性高"),
            ["能力", "学历", "重要性", "高"],
            "{preset}"
        );
        assert_eq!(recipe.tokens("It is the ferry of the year"), ["ferry"], "{preset}");
    }
}

#[test]
fn what_is_no_text_counts_in_published_variants_alone() {
    let identity =
        |preset: &str| (Config::preset(preset).unwrap()).recipe().unwrap().identity().to_string();
    for preset in ["paper", "simhash", "google"] {
        assert_eq!(
            Config::preset(preset).unwrap().fingerprint.normalize.to_string(),
            "nfkc,simplified,case,space",
            "{preset}"
        );
    }
    assert_eq!(Config::preset("md5-32").unwrap().fingerprint.normalize.to_string(), "none");
    assert!(
        identity("simhash").starts_with("normalize=nfkc,simplified,case,space (1); "),
        "{}",
        identity("simhash")
    );
    for preset in ["default", "exact"] {
        assert!(
            identity(preset).starts_with("normalize=addresses-2,nfkc,simplified,case,space (1); "),
            "{preset}"
        );
    }
}
