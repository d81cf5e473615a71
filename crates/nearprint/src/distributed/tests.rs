//! All parts of a run, one after the other -> the decisions of a run on one machine.

use std::collections::{BTreeMap, BTreeSet};

use super::{COMPANY, Families, Group, Near, SHORT_CROWD, ShortGroup, Worker, families};
use crate::cluster::Method;
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

/// Takes the documents of a group, or of two, and the number of those of the first one.
type Take<'t> = &'t mut dyn FnMut(&[u32], Option<usize>);

/// The same in parts, of groups of prints and of tasks.
fn in_parts(config: &Config, texts: &[String], groups: usize, tasks: u32) -> (Vec<Row>, Vec<DuplicatePair>) {
    let worker = Worker::new(config).unwrap();
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let prints = worker.prints(&all);
    let number: BTreeMap<u128, u32> = prints.iter().zip(0..).map(|(print, number)| (print.text_hash, number)).collect();
    assert_eq!(number.len(), texts.len(), "all texts are different");
    let searched: Vec<u32> =
        (0..).zip(&prints).filter(|(_, print)| print.fingerprint.is_some()).map(|own| own.0).collect();
    let hash = |number: u32| prints[number as usize].text_hash;
    let group = |numbers: &[u32], first| -> Group {
        let mut fingerprints = Fingerprints::new(config.bits);
        let words = fingerprints.words_each();
        let print = |number: &u32| &prints[*number as usize];
        numbers.iter().for_each(|number| fingerprints.push(&print(number).fingerprint.unwrap()[..words]));
        let sketches = numbers.iter().map(|number| print(number).sketch).collect();
        let text_hashes = numbers.iter().map(|number| hash(*number)).collect();
        Group { text_hashes, fingerprints, sketches, first }
    };
    let each_two = |of: &[u32], take: Take<'_>| {
        let part = |part| of.iter().copied().filter(|number| *number as usize % groups == part).collect();
        let parts: Vec<Vec<u32>> = (0..groups).map(part).collect();
        for (place, one) in parts.iter().enumerate() {
            take(one, None);
            parts[place + 1..].iter().for_each(|other| take(&[&one[..], other].concat(), Some(one.len())));
        }
    };
    let (mut pairs, mut edges, mut crowd) = (Vec::new(), Vec::new(), BTreeSet::new());
    each_two(&searched, &mut |numbers, first| {
        let found = worker.candidates(searched.len(), None, &group(numbers, first));
        for Near { pair, connects } in found.pairs {
            let [left, right] = [pair.left, pair.right].map(|place| numbers[place as usize]);
            pairs.push((left, right, Some(pair.distance)));
            if connects {
                edges.push((left, right));
            }
        }
        crowd.extend(found.crowd.iter().map(|place| numbers[*place as usize]));
    });
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    pairs.iter().flat_map(|(one, other, _)| [*one, *other]).for_each(|own| *counts.entry(own).or_default() += 1);
    let crowded = |count: u32| worker.has_crowds(false) && count > u32::from(CROWDED);
    crowd.extend(counts.into_iter().filter(|(_, count)| crowded(*count)).map(|(own, _)| own));
    assert_eq!(crowd.is_empty(), !worker.has_crowds(false));
    let crowded: Vec<u32> = crowd.iter().copied().collect();
    let mut companies: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    each_two(&crowded, &mut |numbers, first| {
        let found = worker.crowd(searched.len(), &group(numbers, first));
        edges.extend(found.connections.iter().map(|(one, other)| (numbers[*one as usize], numbers[*other as usize])));
        for (own, other) in found.company {
            companies.entry(numbers[own as usize]).or_default().insert(numbers[other as usize]);
        }
    });
    let few: Vec<u32> = (0..).zip(&prints).filter(|(_, print)| print.short.is_some()).map(|(own, _)| own).collect();
    let (mut short_crowd, mut longer) = (BTreeSet::new(), BTreeMap::<u32, usize>::new());
    each_two(&few, &mut |numbers, first| {
        let mut numbers: Vec<(u32, bool)> =
            (0..).zip(numbers).map(|(place, own)| (*own, first.is_none_or(|first| place < first))).collect();
        numbers.sort_unstable_by_key(|(own, _)| hash(*own));
        let print = |(own, _): &(u32, bool)| &prints[*own as usize];
        let texts = numbers.iter().map(print).map(|print| (print.short.clone().unwrap(), print.is_short)).collect();
        let sides = first.map(|_| numbers.iter().map(|(_, is_first)| *is_first).collect());
        let found = worker.short_candidates(false, &ShortGroup { texts, sides });
        let number = |place: u32| numbers[place as usize].0;
        for (one, other, connects) in found.pairs {
            pairs.push((number(one), number(other), None));
            *longer.entry(number(one)).or_default() += 1;
            if connects {
                edges.push((number(one), number(other)));
            }
        }
        for own in &found.crowd {
            edges.push((number(found.crowd[0]), number(*own)));
            short_crowd.insert(number(*own));
        }
    });
    if worker.has_short_crowds(false) {
        short_crowd.extend(longer.into_iter().filter(|(_, count)| *count > SHORT_CROWD).map(|(own, _)| own));
    }
    assert_eq!(short_crowd.is_empty(), config.cluster != Method::Star);
    let edges: Vec<(u128, u128)> = edges.into_iter().map(|(one, other)| (hash(one), hash(other))).collect();
    // Families are spread over tasks in another way than the usual one.
    let family_of: BTreeMap<u32, u32> =
        families(&edges).into_iter().map(|place| (number[&place.text_hash], place.family)).collect();
    let (mut removed, mut found) = (Vec::new(), Vec::new());
    for task in 0..tasks {
        let is_of_task = |own: u32| family_of.get(&own).is_some_and(|family| family % tasks == task);
        let pairs: BTreeSet<_> =
            pairs.iter().filter(|(one, other, _)| is_of_task(*one) || is_of_task(*other)).collect();
        let mut documents: BTreeSet<u32> = pairs.iter().flat_map(|(one, other, _)| [*one, *other]).collect();
        for own in family_of.keys().copied().filter(|own| is_of_task(*own)) {
            documents.insert(own);
            let mut company: Vec<u32> = companies.get(&own).into_iter().flatten().copied().collect();
            company.sort_unstable_by_key(|other| hash(*other));
            documents.extend(company.into_iter().take(COMPANY));
        }
        let documents: Vec<u32> = documents.into_iter().collect();
        let place = |own: u32| documents.binary_search(&own).unwrap() as u32;
        let own_texts = documents.iter().map(|own| texts[*own as usize].clone()).collect();
        let of_places: Vec<_> =
            pairs.iter().map(|(one, other, distance)| (place(*one), place(*other), *distance)).collect();
        let families = Families {
            texts: [vec![], vec![Source::texts("texts", own_texts)]],
            families: documents.iter().map(|own| family_of.get(own).copied().filter(|_| is_of_task(*own))).collect(),
            pairs: of_places,
            crowd: documents.iter().filter(|own| crowd.contains(own)).map(|own| place(*own)).collect(),
            short_crowd: documents.iter().filter(|own| short_crowd.contains(own)).map(|own| place(*own)).collect(),
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
    // Many that are alike.
    texts.extend((0..120).map(|_| format!("the train is late once more {}", &words(&mut random, 1)[0][..3])));
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
        (300, 200, Config { cluster: Method::Components, ..Config::default() }),
        (300, 200, Config { verify: crate::verify::Measure::Jaccard, min_similarity: 0.6, ..Config::default() }),
        (300, 200, Config { bits: 64, ..Config::default() }),
    ] {
        let config = Config { recall_sample: 0, ..config };
        let texts = texts(count, family);
        let (removed, pairs) = together(&config, &texts);
        let (removed_in_parts, pairs_in_parts) = in_parts(&config, &texts, 3, 4);
        assert!(in_parts(&config, &texts, 2, 1) == (removed_in_parts.clone(), pairs_in_parts.clone()));
        let differ = removed_in_parts.iter().zip(&removed).find(|(one, other)| one != other);
        assert!(differ.is_none() && removed_in_parts.len() == removed.len(), "{differ:?}");
        assert!(removed.len() > count / 100 + family / 10, "{}", removed.len());
        // Of two documents of a crowd the pairs that remove none are not listed.
        let links: BTreeSet<_> = removed.iter().map(|row| (row.0.min(row.1), row.0.max(row.1))).collect();
        let ends = |pairs: &[DuplicatePair]| pairs.iter().map(|pair| (pair.left, pair.right)).collect::<BTreeSet<_>>();
        let (found, all) = (ends(&pairs_in_parts), ends(&pairs));
        assert!(found.is_subset(&all) && (config.cluster != Method::Star || links.is_subset(&found)));
        let is_listed = |pair: &&DuplicatePair| {
            let worker = Worker::new(&config).unwrap();
            if pair.distance.is_some() { !worker.has_crowds(false) } else { !worker.has_short_crowds(false) }
        };
        assert!(pairs_in_parts.iter().filter(is_listed).eq(pairs.iter().filter(is_listed)));
    }
}
