//! Families of texts: documents that settle by their fillings against all pairs compared.

use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, RngSeed};

use crate::config::Config;
use crate::corpus::Purpose;
use crate::document::{Document, FieldValue, Id};
use crate::outcome::Removal;
use crate::random::Random;
use crate::read::Source;
use crate::run::Deduplicator;
use crate::watch::Silent;

const FORMS: [&str; 6] = [
    "Dear customer, your order number # of @ has been shipped and will arrive within some days. The total of # euros was charged \
     to your account. Thank you for shopping with us again soon.",
    "Dear @, your order of the @ has been shipped and will arrive within some days. The total was charged to the account of @ @. \
     Thank you for shopping with us again soon, and do not forget our offers.",
    "@同志多年来勤勤恳恳，任劳任怨，得到领导和同事们的一致好评。经研究决定，授予@、@等同志先进工作者称号，希望全体职工向他们学习，\
     为单位的发展作出新的贡献。",
    "worker # finished job # of queue @ with status @ and handed the result of # items to the store for later use by the report",
    "pub fn get_@(&self) -> Result<&@, Error> { let guard = self.inner.read().map_err(|_| Error::Poisoned)?; \
     guard.@.as_ref().ok_or_else(|| Error::Missing) }",
    "Nothing in this notice is ever filled in: the office stays open on all days from nine to five, the door to the yard is closed, \
     and whoever comes late has to ring the bell twice.",
];

/// A name of three syllables or three Chinese characters.
fn name(number: usize) -> String {
    let syllables = [
        "bar", "ko", "tiv", "lun", "ser", "oma", "wick", "gor", "mi", "fel", "stan", "qua", "eno", "hy", "pot", "ura",
        "zed",
    ];
    let characters: Vec<char> = "王李张刘陈杨赵黄周吴徐孙胡朱高林何".chars().collect();
    let places = [number % 17, number / 17 % 17, number / 289 % 17];
    match number % 4 {
        0 => places.map(|place| characters[place]).iter().collect(),
        _ => places.map(|place| syllables[place]).concat(),
    }
}

/// Texts of some forms, of which one in `repeats` is an edited copy of an earlier one. Figures stay as they are: those of a scan may differ
/// between all pairs, and not in a crowd (docs/algorithms.md, Crowds).
fn family(seed: u64, forms: &[usize], count: usize, repeats: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut below = |bound: usize| (random.next() % bound as u64) as usize;
    let mut texts: Vec<String> = Vec::new();
    for _ in 0..count {
        let text = match below(repeats as usize) {
            0 if !texts.is_empty() => texts[below(texts.len())].clone(),
            _ => FORMS[forms[below(forms.len())]]
                .chars()
                .map(|c| match c {
                    '#' => below(1_000_000).to_string(),
                    '@' => name(below(5000)),
                    c => c.to_string(),
                })
                .collect(),
        };
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..below(3) {
            let place = below(letters.len());
            let (near, letter) = (place.saturating_sub(1)..letters.len().min(place + 2), below(26));
            if !letters[near].iter().any(char::is_ascii_digit) {
                letters[place] = char::from(b'a' + letter as u8);
            }
        }
        texts.push(letters.into_iter().collect());
    }
    texts
}

/// Where all candidate pairs are compared, and where crowds settle: the removals that only one of the two has, with both texts;
/// and how many both have, if there is a crowd.
fn differences(texts: Vec<String>, settings: Config) -> (Vec<String>, Option<usize>) {
    let deduplicator = Deduplicator::new(Config { recall_sample: 0, ..settings }).unwrap();
    // One of three values each, in no order.
    let value = |number: usize| Some(FieldValue::Integer((number * number / 3 % 3) as i128));
    let document = |(number, text): (usize, &String)| Document {
        row: 0,
        id: Id::Integer(number as i64),
        text: text.clone(),
        fields: vec![value(number)],
    };
    let documents = Source::documents("texts", texts.iter().enumerate().map(document).collect());
    let corpus = deduplicator.read(vec![documents], Purpose::Dedup, &Silent).unwrap();
    let [all, settled] = [true, false].map(|pairs| deduplicator.decide(&corpus, pairs, &Silent).unwrap());
    let text = |document: u32| texts[document as usize].as_str();
    let only = |these: &[Removal], others: &[Removal]| -> Vec<String> {
        let keeper = |r: &Removal| (r.document, r.keeper, r.similarity.to_bits(), r.form.clone());
        let others: Vec<_> = others.iter().map(keeper).collect();
        let only = these.iter().filter(|removal| !others.contains(&keeper(removal)));
        only.map(|r| format!("{} {}\n  {}\n  {}", r.document, r.similarity, text(r.keeper), text(r.document))).collect()
    };
    let differences = [only(&all.removals, &settled.removals), only(&settled.removals, &all.removals)].concat();
    let is_crowd = settled.search.candidates < all.search.candidates;
    (differences, is_crowd.then_some(settled.removals.len()))
}

#[test]
fn what_fills_the_form_is_told_in_a_crowd() {
    let mut texts = family(1, &[0], 250, u64::MAX);
    let parts: Vec<&str> = FORMS[0].split(['#', '@']).collect();
    let own = [parts[0], "1234567", parts[1], "Greta Garbo", parts[2], "4321", parts[3]].concat();
    texts.extend([own.clone(), own.replace("within some days", "soon")]);
    let deduplicator = Deduplicator::new(Config { recall_sample: 0, ..Config::default() }).unwrap();
    let run = deduplicator.run(vec![], vec![Source::texts("texts", texts)], false, &Silent).unwrap();
    let removal = run.decisions.removal(251).unwrap();
    assert_eq!(
        (removal.keeper, removal.form.as_ref().unwrap().to_string().as_str()),
        (
            250,
            "At least 32 other documents share this form. They differ in 2 places, where this text and its keeper agree: \
             \"1234567 of greta garbo\", \"4321\"."
        )
    );
}

#[test]
fn crowds_settle_as_if_all_pairs_were_compared() {
    for form in 0..FORMS.len() {
        let (differences, settled) = differences(family(form as u64, &[form], 250, 6), Config::default());
        assert!(settled > Some(0), "{form}");
        assert!(differences.is_empty(), "{form}: {}", differences.join("\n"));
    }
}

#[test]
fn crowds_settle_so_under_guards_and_bounds_too() {
    let field = || vec!["field".to_string()];
    for form in [1, 3, 5] {
        for settings in [
            Config { same: field(), ..Config::default() },
            Config { differ: field(), ..Config::default() },
            Config { max_lost: Some(0.01), ..Config::default() },
        ] {
            let shown = format!("{form} {settings:?}");
            let (differences, settled) = differences(family(form as u64, &[form], 250, 4), settings);
            assert!(settled > Some(0), "{shown}");
            assert!(differences.is_empty(), "{shown}: {}", differences.join("\n"));
        }
    }
}

proptest! {
    #![proptest_config(Cases { cases: 12, rng_seed: RngSeed::Fixed(15), ..Cases::default() })]
    #[test]
    fn mixed_families_do_so_too(seed in any::<u64>(), forms in proptest::collection::vec(0..FORMS.len(), 1..4), repeats in 2u64..9) {
        let (differences, _) = differences(family(seed, &forms, 200, repeats), Config::default());
        prop_assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}
