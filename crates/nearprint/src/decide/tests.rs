//! Decisions against an oracle that compares all pairs of documents one by one, under every guard.

mod marks;

use std::collections::BTreeSet;

use nearprint_core::compare::Measure;
use nearprint_core::fingerprint::hamming_distance;
use nearprint_core::judge::Judge;
use nearprint_core::recipe::{Prepared, Wanted, Weigher};
use proptest::prelude::*;

use super::*;
use crate::cluster::Method;
use crate::config::MaxDistance;
use crate::document::{Document, FieldValue, Id};
use crate::keep::Policy;
use crate::outcome::{Decisions, Reason};
use crate::read::Source;
use crate::run::{Deduplicator, Documents};
use crate::search::{self, Candidates, HubDocuments};
use crate::watch::Silent;

/// The decisions of a run that compares every candidate pair and has no hubs; with true if the
/// search found hubs.
pub(super) fn decided_by_all_pairs(
    deduplicator: &Deduplicator,
    corpus: &Corpus,
) -> (Decisions, bool) {
    let input = deduplicator.input(corpus);
    let order = order(input.config, corpus);
    let (candidates, search) =
        search::search(&input, &order.ranks, &order.representatives, true, &Silent).unwrap();
    let is_hub = !candidates.hubs.ranks().is_empty();
    let candidates = Candidates { hubs: HubDocuments::default(), ..candidates };
    let confirmed = confirm(&input, &order, &candidates, &search, true, &Silent).unwrap();
    (explain(&input, &order, &candidates, confirmed, search, None, &Silent).unwrap(), is_hub)
}

/// The oracle: all duplicate pairs, with their similarity. It knows the texts and the number of
/// neighbors of each. It has no index, and no bound that rules out pairs.
fn oracle(config: &Config, texts: &[&str], max_distance: Option<u32>) -> Vec<(u32, u32, f64)> {
    let recipe = config.recipe().unwrap();
    let rules = config.rules(max_distance);
    let (mut weigher, hasher) = (Weigher::without_corpus(&recipe), recipe.hasher());
    let prepared = |text: &&str| {
        let mut document = Prepared::default();
        recipe.prepare(
            text,
            Wanted { terms: true, places: true, alphanumeric: true },
            &mut document,
        );
        weigher.add_fingerprint(&mut document, &hasher);
        document.keep_short(rules.compared_when_short_below());
        document
    };
    let documents: Vec<Prepared> = texts.iter().map(prepared).collect();
    let are_near = |one: &Prepared, other: &Prepared| {
        let are_long = ![one, other].iter().any(|own| rules.is_short(own.features) || own.is_empty);
        let distance = hamming_distance(&one.fingerprint.unwrap(), &other.fingerprint.unwrap());
        are_long
            && one.text_hash != other.text_hash
            && max_distance.is_some_and(|most| distance <= most)
    };
    let in_family = |own: &Prepared| {
        let near =
            documents.iter().filter(|other| are_near(own, other)).map(|other| other.text_hash);
        near.collect::<BTreeSet<u128>>().len() >= 3
    };
    let families: Vec<bool> = documents.iter().map(in_family).collect();
    let mut pairs = Vec::new();
    let mut judge = Judge::new(rules);
    for (left, one) in documents.iter().enumerate() {
        judge.set_left(one);
        for (right, other) in documents.iter().enumerate().skip(left + 1) {
            let alone = judge.verdict(other, None);
            let verdict =
                if families[left] || families[right] { alone.of_family(&rules) } else { alone };
            if verdict.duplicates {
                pairs.push((left as u32, right as u32, verdict.similarity));
            }
        }
    }
    pairs
}

/// A text and the values of two fields.
type Row = (String, [u8; 2]);

/// A text of a family, with a word of its own for each bit of `edits`. One family is empty, another
/// short.
fn text(family: usize, edits: usize) -> String {
    let words = [0, 4, 30, 60][family % 4];
    let word = |n: usize| {
        [n, n / 7, n / 49].map(|n| ["ka", "mo", "rit", "te", "su", "lan", "dor"][n % 7]).concat()
    };
    let words = (0..words).map(|place| match edits >> (place % 16) & 1 {
        1 if place % 3 == 0 => word(place * 31 + edits + 500),
        _ => word(place * place * 3 + family * 71),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let edits = prop_oneof![3 => Just(0usize), 1 => Just(1), 2 => (0u32..16).prop_map(|bit| 1 << bit), 1 => 0usize..1 << 16];
    let row =
        ((0usize..6, edits).prop_map(|(family, edits)| text(family, edits)), [0u8..4, 0u8..3]);
    proptest::collection::vec(row, 0..30)
}

fn fields() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let cases = [("", "a"), ("a", ""), ("ab", ""), ("", "ab"), ("a", "b"), ("b", "a")];
    let names = |list: &str| list.chars().map(String::from).collect();
    (0..cases.len()).prop_map(move |case| (names(cases[case].0), names(cases[case].1)))
}

/// Documents with a number in the field `a`, and a boolean or nothing in the field `b`.
fn source(config: &Config, rows: &[Row]) -> Source {
    let value = |values: &[u8; 2], field: &str| match (field, values[1]) {
        ("a", _) => Some(FieldValue::Integer(values[0].into())),
        (_, 2) => None,
        (_, value) => Some(FieldValue::Boolean(value == 1)),
    };
    let fields = config.kept_fields();
    let document = |(number, (text, values)): (usize, &Row)| Document {
        row: 0,
        id: Id::Integer(number as i64),
        text: text.clone(),
        fields: fields.iter().map(|field| value(values, field)).collect(),
    };
    Source::documents("rows", rows.iter().enumerate().map(document).collect())
}

/// Decides documents of two sides in memory. A side may be empty.
fn run(config: &Config, against: &[Row], rows: &[Row], pairs: bool) -> (Corpus, Decisions) {
    let source = |rows: &[Row]| if rows.is_empty() { vec![] } else { vec![source(config, rows)] };
    let run = Deduplicator::new(config.clone())
        .unwrap()
        .run(
            Documents::new(source(rows)).against(Documents::new(source(against))).with_pairs(pairs),
            &Silent,
        )
        .unwrap();
    (run.corpus, run.decisions)
}

/// The plain rule: of two duplicates that may be a pair, the better-ranked one stays.
struct Plain {
    rows: Vec<Row>,
    /// The number of reference documents.
    against: usize,
    ranks: Vec<u32>,
    /// For each document the best-ranked one of equal text.
    folded: Vec<u32>,
    /// The duplicates of different texts.
    pairs: BTreeSet<(u32, u32)>,
    empty: Vec<bool>,
    config: Config,
}

impl Plain {
    fn equal(&self, one: u32, other: u32) -> bool {
        self.folded[one as usize] == self.folded[other as usize]
    }

    fn are_pair(&self, one: u32, other: u32) -> bool {
        let [left, right] = [one, other].map(|document| self.folded[document as usize]);
        let duplicates =
            self.equal(one, other) || self.pairs.contains(&(left.min(right), left.max(right)));
        let [left, right] = [one, other].map(|document| self.rows[document as usize].1);
        let agree =
            |field: &String| left[usize::from(field == "b")] == right[usize::from(field == "b")];
        let is_against = |document: u32| (document as usize) < self.against;
        one != other
            && duplicates
            && !self.empty[one as usize]
            && self.config.decide.same.iter().all(agree)
            && !self.config.decide.differ.iter().any(agree)
            && (self.against == 0 || is_against(one) != is_against(other))
    }

    fn keepers(&self) -> Vec<u32> {
        let order = cluster::by_rank(&self.ranks);
        let mut keepers: Vec<u32> = (0..order.len() as u32).collect();
        // Across two sides, a document goes for one of equal text first, unless `differ` is set.
        let rounds = if self.against > 0 && self.config.decide.differ.is_empty() {
            &[true, false][..]
        } else {
            &[false]
        };
        for (equal, (place, keeper)) in
            rounds.iter().flat_map(|equal| order.iter().enumerate().map(move |own| (equal, own)))
        {
            if keepers[*keeper as usize] != *keeper {
                continue;
            }
            let mut reached = vec![*keeper];
            while let Some(from) = reached.pop() {
                for other in &order[place + 1..] {
                    let wanted = !equal || self.equal(from, *other);
                    if keepers[*other as usize] == *other && wanted && self.are_pair(from, *other) {
                        keepers[*other as usize] = *keeper;
                        if self.config.keep.cluster == Method::Components {
                            reached.push(*other);
                        }
                    }
                }
            }
        }
        keepers
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn a_run_decides_as_the_oracle_under_every_guard(
        rows in rows(),
        (same, differ) in fields(),
        sides in any::<bool>(),
        longest in any::<bool>(),
        off in any::<bool>(),
        components in any::<bool>(),
        pairs in any::<bool>(),
        verify in prop_oneof![Just(Measure::Coverage), Just(Measure::Jaccard), Just(Measure::Containment)],
        min_similarity in prop_oneof![Just(0.6), Just(0.75), Just(0.9)],
    ) {
        // A text of both sides has the neighbors of its representative's side alone, so its family
        // may differ from the oracle's.
        let verify = if sides && verify == Measure::Coverage { Measure::Jaccard } else { verify };
        let open = Config::default()
            .verify(verify)
            .min_similarity(min_similarity)
            .recall_sample(0)
            // A document inside another one is no pair.
            .min_leak_length(None)
            .threads(1)
            .keep(if longest { Policy::Longest } else { Policy::First })
            .max_distance(if off { MaxDistance::Off } else { MaxDistance::Auto })
            .cluster(if components && !sides { Method::Components } else { Method::Star });
        // A side needs a row with a value of the field `b`.
        let against = if sides { rows.len() / 3 } else { 0 };
        let config = open.clone().same(same).differ(differ);
        let has = |rows: &[Row]| rows.is_empty() || rows.iter().any(|(_, values)| values[1] < 2);
        prop_assume!(has(&rows[..against]) && has(&rows[against..]));
        let (all, ordinary) = run(&open, &[], &rows, true);
        let (corpus, guarded) = run(&config, &rows[..against], &rows[against..], pairs);
        let texts: Vec<&str> = rows.iter().map(|(text, _)| text.as_str()).collect();
        let folded = representatives(&open, &all, &ranks(&open, &all));
        let are_folded = |pair: &(u32, u32, f64)| [pair.0, pair.1].iter().all(|own| folded[*own as usize] == *own);
        let mut duplicates = oracle(&open, &texts, ordinary.search.max_distance);
        duplicates.retain(are_folded);
        let listed: Vec<(u32, u32, f64)> =
            ordinary.pairs.iter().map(|pair| pair.map(|pair| (pair.left, pair.right, pair.similarity)).unwrap()).collect();
        prop_assert_eq!(&listed, &duplicates);
        let plain = Plain {
            ranks: ranks(&config, &corpus),
            folded,
            pairs: duplicates.iter().map(|(left, right, _)| (*left, *right)).collect(),
            empty: (0..rows.len() as u32).map(|document| all.is_empty_text(document)).collect(),
            against,
            rows,
            config,
        };
        let keepers = plain.keepers();
        let expected: Vec<(u32, u32, bool)> = (0..)
            .zip(keepers)
            .filter(|(document, keeper)| document != keeper)
            .map(|(document, keeper)| (document, keeper, plain.equal(document, keeper)))
            .collect();
        let removed: Vec<(u32, u32, bool)> =
            guarded.removals.iter().map(|r| (r.document, r.keeper, r.reason == Reason::Exact)).collect();
        prop_assert_eq!(removed, expected);
        if pairs {
            let representatives = representatives(&plain.config, &corpus, &plain.ranks);
            let found: BTreeSet<(u32, u32)> =
                guarded.all_pairs().map(|pair| pair.map(|pair| (pair.left, pair.right)).unwrap()).collect();
            prop_assert!(found.iter().all(|(left, right)| plain.are_pair(*left, *right)));
            for right in 0..plain.rows.len() as u32 {
                for left in (0..right).filter(|left| plain.are_pair(*left, right)) {
                    let [one, other] = [left, right].map(|document| representatives[document as usize]);
                    let ends = if one == other { (left, right) } else { (one.min(other), one.max(other)) };
                    let stands = one == other && left != one && right != one;
                    // A copy of a text on the other side is in no other pair.
                    let is_against = |document: u32| (document as usize) < against;
                    let on_one_side = sides && is_against(one) == is_against(other);
                    prop_assert!(stands || on_one_side || found.contains(&ends), "{} {}", left, right);
                }
            }
        }
    }
}

#[test]
fn equal_texts_of_other_values_stay_or_go_by_the_guard() {
    let text = || text(2, 0);
    let rows: Vec<Row> =
        [[0, 0], [0, 0], [1, 0], [0, 1], [2, 1]].map(|values| (text(), values)).to_vec();
    let removed = |config: Config| -> Vec<(u32, u32)> {
        run(&config, &[], &rows, false)
            .1
            .removals
            .iter()
            .map(|removal| (removal.document, removal.keeper))
            .collect()
    };
    let fields = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    assert_eq!(removed(Config::default().same(fields(&["a"]))), [(1, 0), (3, 0)]);
    assert_eq!(removed(Config::default().differ(fields(&["a"]))), [(2, 0), (4, 0)]);
    assert_eq!(removed(Config::default().differ(fields(&["a", "b"]))), [(3, 2), (4, 0)]);
    assert_eq!(
        removed(Config::default().same(fields(&["b"])).differ(fields(&["a"]))),
        [(2, 0), (4, 3)]
    );
    // In a component, documents of one value are linked through a document of another value.
    let components = Config::default().cluster(Method::Components).differ(fields(&["a"]));
    assert_eq!(removed(components), [(1, 0), (2, 0), (3, 0), (4, 0)]);
}
