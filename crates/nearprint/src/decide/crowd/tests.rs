//! Families of texts: documents that settle by their fillings against all pairs compared.

use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, RngSeed};

use crate::config::{Config, JustMissed};
use crate::corpus::Purpose;
use crate::decide::tests::decided_by_all_pairs;
use crate::document::{Document, FieldValue, Id};
use crate::outcome::{Decisions, Removal};
use crate::random::Random;
use crate::read::Source;
use crate::run::Deduplicator;
use crate::watch::Silent;

const FORMS: [&str; 7] = [
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
    "Prices of the market of @ today: wheat # dollars, barley # dollars, oats # dollars, rye # dollars, maize # dollars, rice # dollars, \
     beans # dollars and peas # dollars a ton. The next market of @ is on monday.",
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

/// Texts of some forms, of which one in `repeats` is an edited copy of an earlier one, perhaps with a figure in another writing. Their
/// values stay as they are: those of a scan may differ between all pairs, and not in a crowd (docs/algorithms.md, Crowds).
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
        let mut text: String = letters.into_iter().collect();
        if below(3) == 0
            && let Some(figure) = text.split(|c: char| !c.is_ascii_digit()).find(|figure| figure.len() > 4)
            && let (thousands, rest) = figure.split_at(figure.len() - 3)
        {
            let other =
                if below(2) == 0 { format!("{thousands},{rest}") } else { format!("{thousands}.{rest} thousand") };
            text = text.replacen(figure, &other, 1);
        }
        texts.push(text);
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
    let (all, is_crowd) = decided_by_all_pairs(&deduplicator, &corpus);
    let [listed, settled] = [true, false].map(|pairs| deduplicator.decide(&corpus, pairs, &Silent).unwrap());
    assert_eq!(listed.removals, settled.removals, "a list of pairs changes what is removed");
    let pairs = |of: &Decisions| of.pairs.iter().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(pairs(&listed), pairs(&all), "tables that see everything list everything");
    let counts = |of: &Decisions| [of.counts.compared_pairs, of.counts.confirmed_pairs];
    assert_eq!(counts(&listed), counts(&all), "a pair is counted twice, or not at all");
    let text = |document: u32| texts[document as usize].as_str();
    let only = |these: &[Removal], others: &[Removal]| -> Vec<String> {
        let keeper = |r: &Removal| (r.document, r.keeper, r.similarity.to_bits(), r.form.clone());
        let others: Vec<_> = others.iter().map(keeper).collect();
        let only = these.iter().filter(|removal| !others.contains(&keeper(removal)));
        only.map(|r| format!("{} {}\n  {}\n  {}", r.document, r.similarity, text(r.keeper), text(r.document))).collect()
    };
    let differences = [only(&all.removals, &settled.removals), only(&settled.removals, &all.removals)].concat();
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
            "At least 16 other documents share this form. They differ in 2 places, where this text and its keeper agree: \
             \"1234567 of greta garbo\", \"4321\". Elsewhere the two differ: \"soon\" here, \"within some days\" there."
        )
    );
}

#[test]
fn a_sample_sees_pairs_within_a_crowd() {
    let texts = family(4, &[0], 400, 4);
    let run = |min_similarity, just_missed| {
        let config = Config { min_similarity, just_missed, recall_sample: 0, ..Config::default() };
        let deduplicator = Deduplicator::new(config).unwrap();
        let sources = vec![Source::texts("texts", texts.clone())];
        deduplicator.run(vec![], sources, false, &Silent).unwrap().decisions
    };
    let (sampled, all) = (run(0.97, JustMissed::Auto), run(0.97, JustMissed::Down(0.82)));
    assert_eq!(sampled.removals, all.removals, "a list of pairs changes what is removed");
    let [missed, listed] = [sampled.just_missed, all.just_missed]
        .map(|pairs| pairs.unwrap().iter().collect::<Result<Vec<_>, _>>().unwrap());
    assert!(!missed.is_empty() && missed.iter().all(|pair| listed.contains(pair)));
    let (sampled, all) = (sampled.bounds.unwrap(), all.bounds.unwrap());
    assert!(sampled.estimated && all.estimated && all.intervals.is_empty());
    let fresh = run(0.82, JustMissed::Off).removals.len() as u64;
    assert!(fresh > all.removed.iter().find(|(bound, _)| *bound == 0.97).unwrap().1);
    let (bound, low, high) = sampled.intervals[0];
    assert!(bound == 0.82 && (low..=high).contains(&fresh), "{low} {fresh} {high}");
    assert_eq!(sampled.removed[0].0, 0.82);
    assert!(
        sampled.removed.iter().zip(&sampled.intervals).all(|(at, of)| at.0 == of.0 && (of.1..=of.2).contains(&at.1))
    );
}

/// The documents that go, with the defaults.
fn removed(texts: Vec<String>) -> Vec<u32> {
    let deduplicator = Deduplicator::new(Config { recall_sample: 0, ..Config::default() }).unwrap();
    let run = deduplicator.run(vec![], vec![Source::texts("texts", texts)], false, &Silent).unwrap();
    run.decisions.removals.iter().map(|removal| removal.document).collect()
}

const ORDER: &str = "In the superior court of the state: @ @, plaintiff, versus @ @, defendant. This matter came before the court upon the \
    motion of the defendant to dismiss the complaint for failure to state a claim upon which relief may be granted. The court, having \
    considered the motion, the arguments of counsel and the entire record herein, finds that the complaint alleges facts of the kind \
    required by the rules. Accordingly, it is hereby ordered that the motion is denied. So ordered by the honorable @ @, judge.";

#[test]
fn orders_that_name_other_people_stay_and_their_copies_go() {
    let named = |number: usize| {
        let mut names = (0..6).map(|place| name(1 + 4 * (number * 37 + place * 101)));
        ORDER.split('@').map(|part| format!("{part}{}", names.next().unwrap_or_default())).collect::<String>()
    };
    let mut texts: Vec<String> = (0..30).map(named).collect();
    texts.extend([3, 8, 21].map(|copied| texts[copied].replace("motion is denied", "said motion is denied")));
    assert_eq!(removed(texts), [30, 31, 32]);
}

#[test]
fn notices_with_another_number_stay_however_many_numbers_they_share() {
    let notice = |number: usize| {
        format!(
            "Parking services, 14 Market Street, telephone 01279 446655, open from 9:00 to 17:00. Under section 82 of the act of 2004 a \
             penalty charge is payable because the vehicle with the plate {} was seen parked without a valid ticket. If you pay \
             within 14 days the charge is reduced by 50 percent. If nothing is paid within 28 days a notice to the owner may be served \
             under regulation 19 of 2007. Payments may be made by telephone on 0300 123 4567 or by post to box 1180. Form 7, revision 3.",
            100_003 + number * 7919
        )
    };
    let texts: Vec<String> = (0..12).chain([5]).map(notice).collect();
    assert_eq!(removed(texts), [12]);
}

#[test]
fn reprints_of_one_story_go_whatever_stands_around_it() {
    let story: String = (0..300).map(|word| name(1 + 4 * (word * word * 7 + word)) + " ").collect();
    let page = |number: usize| {
        let line = |place: usize| {
            (0..3).map(|word| name(1 + 4 * (number * 311 + place * 17 + word)) + " ").collect::<String>()
        };
        let (first, second) = story.split_at(story.len() / 2);
        format!("{}{first}{}{second}{}", line(1), line(2), line(3))
    };
    assert_eq!(removed((0..8).map(page).collect()), (1..8).collect::<Vec<_>>());
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
    #![proptest_config(Cases { cases: 24, rng_seed: RngSeed::Fixed(14), ..Cases::default() })]
    #[test]
    fn mixed_families_do_so_too(seed in any::<u64>(), forms in proptest::collection::vec(0..FORMS.len(), 1..4), repeats in 2u64..9) {
        let (differences, _) = differences(family(seed, &forms, 200, repeats), Config::default());
        prop_assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}
