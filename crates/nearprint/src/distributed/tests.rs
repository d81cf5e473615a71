//! All parts of a run, one after the other -> the decisions of a run on one machine.

use std::collections::{BTreeMap, BTreeSet};

use super::{Families, Group, Side, Worker, families};
use crate::config::Config;
use crate::fingerprint::Fingerprints;
use crate::join::CROWDED;
use crate::outcome::{DuplicatePair, Reason};
use crate::random::Random;
use crate::read::Source;
use crate::run::Deduplicator;
use crate::watch::Silent;

/// A removed document, the one that stays, and the evidence.
type Row = (u32, u32, Reason, Option<u32>, f64, Option<f64>);

/// The removed documents and the pairs of these texts by a run on one machine.
fn together(config: &Config, texts: &[String]) -> (Vec<Row>, Vec<DuplicatePair>) {
    let run = Deduplicator::new(config.clone()).unwrap();
    let source = Source::texts("texts", texts.to_vec());
    let decisions = run.run(vec![], vec![source], true, &Silent).unwrap().decisions;
    let row = |removal: &crate::Removal| {
        let crate::Removal { document, keeper, reason, distance, similarity, lost, .. } = *removal;
        (document, keeper, reason, distance, similarity, lost)
    };
    (decisions.removals.iter().map(row).collect(), decisions.pairs.iter().collect::<Result<_, _>>().unwrap())
}

/// Takes the documents of a group, or of two, and their prints.
type Take<'t> = &'t mut dyn FnMut(&[u32], &Group, Option<&Group>);

/// The same in parts, of groups of prints and of tasks.
fn in_parts(config: &Config, texts: &[String], groups: usize, tasks: u32) -> (Vec<Row>, Vec<DuplicatePair>) {
    let worker = Worker::new(config).unwrap();
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let prints = worker.prints(&all);
    let number: BTreeMap<u128, u32> = prints.iter().zip(0..).map(|(print, number)| (print.text_hash, number)).collect();
    assert_eq!(number.len(), texts.len(), "all texts are different");
    let searched: Vec<u32> =
        (0..).zip(&prints).filter(|(_, print)| print.fingerprint.is_some()).map(|own| own.0).collect();
    let group = |wanted: &dyn Fn(u32) -> bool| -> (Vec<u32>, Group) {
        let numbers: Vec<u32> = searched.iter().copied().filter(|number| wanted(*number)).collect();
        let mut fingerprints = Fingerprints::new(config.bits);
        let words = fingerprints.words_each();
        let print = |number: &u32| &prints[*number as usize];
        numbers.iter().for_each(|number| fingerprints.push(&print(number).fingerprint.unwrap()[..words]));
        let sketches = numbers.iter().map(|number| print(number).sketch).collect();
        (numbers, Group { fingerprints, sketches })
    };
    let (mut pairs, mut edges) = (Vec::new(), Vec::new());
    let each_two = |wanted: &dyn Fn(u32) -> bool, take: Take<'_>| {
        let parts: Vec<_> =
            (0..groups).map(|part| group(&|number| wanted(number) && number as usize % groups == part)).collect();
        for (place, (own, one)) in parts.iter().enumerate() {
            take(own, one, None);
            parts[place + 1..].iter().for_each(|(other, group)| take(&[&own[..], other].concat(), one, Some(group)));
        }
    };
    each_two(&|_| true, &mut |numbers, one, other| {
        for near in worker.candidates(searched.len(), None, one, other.map_or(Side::Same, Side::Other)) {
            let [left, right] = [near.pair.left, near.pair.right].map(|place| numbers[place as usize]);
            pairs.push((left, right, Some(near.pair.distance)));
            if near.is_possible {
                edges.push((left, right));
            }
        }
    });
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    pairs.iter().flat_map(|(one, other, _)| [*one, *other]).for_each(|own| *counts.entry(own).or_default() += 1);
    let crowd: BTreeSet<u32> = counts
        .into_iter()
        .filter(|(_, count)| worker.has_crowds(false) && *count > u32::from(CROWDED))
        .map(|(own, _)| own)
        .collect();
    assert_eq!(crowd.is_empty(), !worker.has_crowds(false));
    each_two(&|number| crowd.contains(&number), &mut |numbers, one, other| {
        for (left, right) in
            worker.connections(searched.len(), &one.fingerprints, other.map(|other| &other.fingerprints))
        {
            edges.push((numbers[left as usize], numbers[right as usize]));
        }
    });
    let few: Vec<u32> = (0..).zip(&prints).filter(|(_, print)| print.short.is_some()).map(|(own, _)| own).collect();
    let short: Vec<_> = few
        .iter()
        .map(|own| &prints[*own as usize])
        .map(|print| (print.short.clone().unwrap(), print.is_short))
        .collect();
    for (one, other) in worker.short_candidates(None, &short) {
        pairs.push((few[one as usize], few[other as usize], None));
        edges.push((few[one as usize], few[other as usize]));
    }
    let hash = |number: u32| prints[number as usize].text_hash;
    let edges: Vec<(u128, u128)> = edges.into_iter().map(|(one, other)| (hash(one), hash(other))).collect();
    // Families are spread over tasks in another way than the usual one.
    let family_of: BTreeMap<u32, u32> =
        families(&edges).into_iter().map(|place| (number[&place.text_hash], place.family)).collect();
    let (mut removed, mut found) = (Vec::new(), Vec::new());
    for task in 0..tasks {
        let is_of_task = |own: u32| family_of.get(&own).is_some_and(|family| family % tasks == task);
        let pairs: Vec<_> = pairs.iter().filter(|(one, other, _)| is_of_task(*one) || is_of_task(*other)).collect();
        let documents: BTreeSet<u32> = pairs.iter().flat_map(|(one, other, _)| [*one, *other]).collect();
        let documents: Vec<u32> = documents.into_iter().collect();
        let place = |own: u32| documents.binary_search(&own).unwrap() as u32;
        let own_texts = documents.iter().map(|own| texts[*own as usize].clone()).collect();
        let of_places: Vec<_> =
            pairs.iter().map(|(one, other, distance)| (place(*one), place(*other), *distance)).collect();
        let is_of_crowd = |own: &&u32| crowd.contains(own) && is_of_task(**own);
        let families = Families {
            texts: [vec![], own_texts],
            families: documents.iter().map(|own| family_of.get(own).copied().filter(|_| is_of_task(*own))).collect(),
            pairs: of_places,
            crowd: documents.iter().filter(is_of_crowd).map(|own| place(*own)).collect(),
        };
        let decided = worker.decide(searched.len(), None, families).unwrap();
        for link in decided.links {
            let [document, keeper] = [link.document, link.keeper].map(|place| documents[place as usize]);
            removed.push((document, keeper, link.reason, link.distance, link.similarity, link.lost));
        }
        found.extend(decided.pairs.into_iter().map(|pair| {
            let [left, right] = [pair.left, pair.right].map(|place| documents[place as usize]);
            DuplicatePair { left, right, ..pair }
        }));
    }
    removed.sort_unstable_by_key(|row| row.0);
    found.sort_unstable_by_key(|pair| (pair.left, pair.right));
    (removed, found)
}

/// Words that have nothing in common.
fn words(random: &mut Random, count: usize) -> Vec<String> {
    let mut word = || (0..7).map(|_| char::from(b'a' + random.below(26) as u8)).collect();
    (0..count).map(|_| word()).collect()
}

/// Texts without anything in common, edited copies of some of them, a large family of a form, and short texts.
fn texts(count: usize, family: usize) -> Vec<String> {
    let mut random = Random::new(18);
    let mut texts: Vec<String> = Vec::new();
    for number in 0..count {
        let mut own = words(&mut random, 60 + number % 100);
        if number % 50 == 49 {
            own = texts[random.below(number as u64) as usize].split(' ').map(String::from).collect();
            for _ in 0..=random.below(4) {
                let place = random.below(own.len() as u64) as usize;
                own[place] = words(&mut random, 1).remove(0);
            }
        }
        texts.push(own.join(" "));
    }
    let forms = [50, 60].map(|count| words(&mut random, count).join(" "));
    let mut of_form: Vec<String> = Vec::new();
    for number in 0..family {
        let text = match random.below(4) {
            0 if number > 0 => {
                format!("{} {}", of_form[random.below(number as u64) as usize], words(&mut random, 1)[0])
            }
            _ => {
                format!("{} {} {}", words(&mut random, 3).join(" "), forms[number % 2], words(&mut random, 4).join(" "))
            }
        };
        of_form.push(text);
    }
    let short = |number: usize| {
        format!(
            "the ferry number {} returns on monday morning",
            number / 2 * 2 + usize::from(number.is_multiple_of(2)) * 1000
        )
    };
    texts.extend(of_form);
    texts.extend((0..20).map(short));
    let mut seen = BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

#[test]
fn the_parts_decide_as_one_machine() {
    for (count, family, config) in [
        // All pairs are compared, ..
        (2_000, 300, Config::default()),
        // .. and above 20,000 documents those that tables bring together.
        (20_200, 300, Config::default()),
        (300, 200, Config { cluster: crate::cluster::Method::Components, ..Config::default() }),
        (300, 200, Config { verify: crate::verify::Measure::Jaccard, min_similarity: 0.6, ..Config::default() }),
        (300, 200, Config { bits: 64, ..Config::default() }),
    ] {
        let config = Config { recall_sample: 0, ..config };
        let texts = texts(count, family);
        let (removed, pairs) = together(&config, &texts);
        let (removed_in_parts, pairs_in_parts) = in_parts(&config, &texts, 3, 4);
        assert_eq!(in_parts(&config, &texts, 2, 1), (removed_in_parts.clone(), pairs_in_parts.clone()));
        let differ = removed_in_parts.iter().zip(&removed).find(|(one, other)| one != other);
        assert!(differ.is_none() && removed_in_parts.len() == removed.len(), "{differ:?}");
        assert!(removed.len() > count / 100 + family / 10, "{}", removed.len());
        // Of two documents of a crowd the pairs that remove none are not listed.
        let links: BTreeSet<_> = removed.iter().map(|row| (row.0.min(row.1), row.0.max(row.1))).collect();
        let ends = |pairs: &[DuplicatePair]| pairs.iter().map(|pair| (pair.left, pair.right)).collect::<BTreeSet<_>>();
        let (found, all) = (ends(&pairs_in_parts), ends(&pairs));
        assert!(found.is_subset(&all) && (config.cluster != crate::cluster::Method::Star || links.is_subset(&found)));
        if !Worker::new(&config).unwrap().has_crowds(false) {
            assert_eq!(pairs_in_parts, pairs);
        }
    }
}
