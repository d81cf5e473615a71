//! All parts of a run, one after the other -> the decisions of a run on one machine.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::near::HUB_PAIRS;
use nearprint_core::random::Random;

use super::{Families, Group, Keys, Near, SHORT_HUB, ShortGroup, Worker, families};
use crate::cluster::Method;
use crate::config::{Config, Policy};
use crate::document::{Document, FieldValue, Id};
use crate::outcome::{DuplicatePair, Reason};
use crate::read::Source;
use crate::run::{Deduplicator, Documents};
use crate::watch::Silent;

/// A removed document, its keeper, and the evidence.
type Row = (u32, u32, Reason, Option<u32>, f64, Option<f64>);

/// A text, and the values of its guards.
type Text = (String, Vec<i64>);

/// Documents of some texts and values.
fn source<'t>(texts: impl Iterator<Item = &'t Text>) -> Source {
    let document = |(text, values): &Text| {
        let fields =
            values.iter().map(|number| Some(FieldValue::Integer((*number).into()))).collect();
        Document { row: 0, id: Id::Integer(0), text: text.clone(), fields }
    };
    let numbered = texts
        .map(document)
        .zip(0..)
        .map(|(document, id)| Document { id: Id::Integer(id), ..document });
    Source::documents("texts", numbered.collect())
}

/// The removed documents and the pairs of a run on one machine.
fn together(config: &Config, texts: &[Text]) -> (Vec<Row>, Vec<DuplicatePair>) {
    let run = Deduplicator::new(config.clone()).unwrap();
    let source = source(texts.iter());
    let decisions =
        run.run(Documents::new(vec![source]).with_pairs(true), &Silent).unwrap().decisions;
    let row = |removal: &crate::Removal| {
        let crate::Removal { document, keeper, reason, distance, similarity, lost, .. } = *removal;
        (document, keeper, reason, distance, similarity, lost)
    };
    (
        decisions.removals.iter().map(row).collect(),
        decisions.pairs.iter().collect::<Result<_, _>>().unwrap(),
    )
}

/// Takes the documents of one group or two, and the number of documents of the first of two groups.
type Take<'t> = &'t mut dyn FnMut(&[u32], Option<usize>);

/// The removed documents and the pairs of a run in parts, by numbers of groups and tasks.
fn in_parts(
    config: &Config,
    texts: &[Text],
    groups: usize,
    tasks: u32,
) -> (Vec<Row>, Vec<DuplicatePair>) {
    let worker = Worker::new(config).unwrap();
    let all: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
    let records = worker.records(&all, false);
    let keys: Vec<u128> = records
        .iter()
        .zip(texts)
        .map(|(record, (_, values))| worker.key(record.text_hash, values, false))
        .collect();
    let number: BTreeMap<u128, u32> = keys.iter().copied().zip(0..).collect();
    assert_eq!(number.len(), texts.len(), "none stands for another one");
    let searched: Vec<u32> = (0..)
        .zip(&records)
        .filter(|(_, record)| record.fingerprint.is_some())
        .map(|own| own.0)
        .collect();
    let key = |number: u32| keys[number as usize];
    let documents_of = |numbers: &[u32]| Keys {
        keys: numbers.iter().map(|number| key(*number)).collect(),
        values: match config.guards().next() {
            Some(_) => numbers.iter().map(|number| texts[*number as usize].1.clone()).collect(),
            None => Vec::new(),
        },
    };
    let group = |numbers: &[u32], first| -> Group {
        let mut fingerprints = Fingerprints::new(config.fingerprint.bits);
        let words = fingerprints.words_each();
        let record = |number: &u32| &records[*number as usize];
        numbers
            .iter()
            .for_each(|number| fingerprints.push(&record(number).fingerprint.unwrap()[..words]));
        let sketches = numbers.iter().map(|number| record(number).sketch).collect();
        Group { documents: documents_of(numbers), fingerprints, sketches, first }
    };
    let each_two = |of: &[u32], take: Take<'_>| {
        let part =
            |part| of.iter().copied().filter(|number| *number as usize % groups == part).collect();
        let parts: Vec<Vec<u32>> = (0..groups).map(part).collect();
        for (place, one) in parts.iter().enumerate() {
            take(one, None);
            parts[place + 1..]
                .iter()
                .for_each(|other| take(&[&one[..], other].concat(), Some(one.len())));
        }
    };
    let (mut pairs, mut near, mut edges, mut hubs) =
        (Vec::new(), Vec::new(), Vec::new(), BTreeSet::new());
    each_two(&searched, &mut |numbers, first| {
        let found = worker.candidates(searched.len(), None, &group(numbers, first));
        for Near { pair, connects, .. } in found.pairs {
            let [left, right] = [pair.left, pair.right].map(|place| numbers[place as usize]);
            near.extend([left, right]);
            pairs.push((left, right, Some(pair.distance)));
            if connects {
                edges.push((left, right));
            }
        }
        hubs.extend(found.hubs.iter().map(|place| numbers[*place as usize]));
    });
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    near.iter().for_each(|own| *counts.entry(*own).or_default() += 1);
    let is_hub = |count: u32| worker.has_hubs(false) && count > u32::from(HUB_PAIRS);
    hubs.extend(counts.into_iter().filter(|(_, count)| is_hub(*count)).map(|(own, _)| own));
    assert_eq!(hubs.is_empty(), !worker.has_hubs(false));
    let hub_list: Vec<u32> = hubs.iter().copied().collect();
    each_two(&hub_list, &mut |numbers, first| {
        let found = worker.hubs(searched.len(), &group(numbers, first));
        edges.extend(
            found.iter().map(|(one, other)| (numbers[*one as usize], numbers[*other as usize])),
        );
    });
    let few: Vec<u32> = (0..)
        .zip(&records)
        .filter(|(_, record)| record.short.is_some())
        .map(|(own, _)| own)
        .collect();
    let (mut short_hubs, mut longer) = (BTreeSet::new(), BTreeMap::<u32, usize>::new());
    each_two(&few, &mut |numbers, first| {
        let mut numbers: Vec<(u32, bool)> = (0..)
            .zip(numbers)
            .map(|(place, own)| (*own, first.is_none_or(|first| place < first)))
            .collect();
        numbers.sort_unstable_by_key(|(own, _)| key(*own));
        let record = |(own, _): &(u32, bool)| &records[*own as usize];
        let texts = numbers
            .iter()
            .map(record)
            .map(|record| (record.short.clone().unwrap(), record.is_short))
            .collect();
        let sides = first.map(|_| numbers.iter().map(|(_, is_first)| *is_first).collect());
        let documents = documents_of(&numbers.iter().map(|(own, _)| *own).collect::<Vec<_>>());
        let found = worker.short_candidates(false, &ShortGroup { documents, texts, sides });
        let number = |place: u32| numbers[place as usize].0;
        for (one, other, connects) in found.pairs {
            pairs.push((number(one), number(other), None));
            *longer.entry(number(one)).or_default() += 1;
            if connects {
                edges.push((number(one), number(other)));
            }
        }
        for own in &found.hubs {
            edges.push((number(found.hubs[0]), number(*own)));
            short_hubs.insert(number(*own));
        }
    });
    if worker.has_short_hubs(false) {
        short_hubs
            .extend(longer.into_iter().filter(|(_, count)| *count > SHORT_HUB).map(|(own, _)| own));
    }
    assert_eq!(short_hubs.is_empty(), config.keep.cluster != Method::Star);
    if !config.decide.differ.is_empty() {
        // Documents of one text may be pairs.
        let mut of_text: BTreeMap<u128, u32> = BTreeMap::new();
        (0..)
            .zip(&keys)
            .for_each(|(own, key)| edges.push((own, *of_text.entry(key >> 64).or_insert(own))));
    }
    let edges: Vec<(u128, u128)> =
        edges.into_iter().map(|(one, other)| (key(one), key(other))).collect();
    // Families are spread over tasks by their numbers, unlike in a real run.
    let family_of: BTreeMap<u32, u32> =
        families(&edges).into_iter().map(|place| (number[&place.key], place.family)).collect();
    let (mut removed, mut found) = (Vec::new(), Vec::new());
    for task in 0..tasks {
        let is_of_task =
            |own: u32| family_of.get(&own).is_some_and(|family| family % tasks == task);
        let pairs: BTreeSet<_> =
            pairs.iter().filter(|(one, other, _)| is_of_task(*one) || is_of_task(*other)).collect();
        let mut documents: BTreeSet<u32> =
            pairs.iter().flat_map(|(one, other, _)| [*one, *other]).collect();
        documents.extend(family_of.keys().copied().filter(|own| is_of_task(*own)));
        let mut documents: Vec<u32> = documents.into_iter().collect();
        if config.keep.policy == Policy::Longest {
            documents.sort_by_key(|own| Reverse(records[*own as usize].letter_bytes));
        }
        let places: BTreeMap<u32, u32> = documents.iter().copied().zip(0..).collect();
        let place = |own: u32| places[&own];
        let own_texts = documents.iter().map(|own| &texts[*own as usize]);
        let of = |chosen: &BTreeSet<u32>| -> Vec<u32> {
            (0..)
                .zip(&documents)
                .filter(|(_, own)| chosen.contains(own))
                .map(|(place, _)| place)
                .collect()
        };
        let of_places: Vec<_> = pairs
            .iter()
            .map(|(one, other, distance)| (place(*one), place(*other), *distance))
            .collect();
        let families = Families {
            texts: [vec![], vec![source(own_texts)]],
            families: documents
                .iter()
                .map(|own| family_of.get(own).copied().filter(|_| is_of_task(*own)))
                .collect(),
            pairs: of_places,
            hubs: of(&hubs),
            short_hubs: of(&short_hubs),
        };
        let decided = worker.decide(searched.len(), None, families).unwrap();
        for link in decided.links {
            let [document, keeper] =
                [link.document, link.keeper].map(|place| documents[place as usize]);
            removed.push((
                document,
                keeper,
                link.reason,
                link.distance,
                link.similarity,
                link.lost,
            ));
        }
        found.extend(decided.pairs.into_iter().map(|pair| {
            let [left, right] = [pair.left, pair.right].map(|place| documents[place as usize]);
            DuplicatePair { left: left.min(right), right: left.max(right), ..pair }
        }));
    }
    removed.sort_unstable_by_key(|row| row.0);
    found.sort_unstable_by_key(|pair| (pair.left, pair.right));
    (removed, found)
}

/// Random words.
fn words(random: &mut Random, count: usize) -> Vec<String> {
    let mut word = || (0..7).map(|_| char::from(b'a' + random.below(26) as u8)).collect();
    (0..count).map(|_| word()).collect()
}

/// Random texts, edited copies of some of them, a large family of one template, and short texts.
fn texts(count: usize, family: usize) -> Vec<String> {
    let mut random = Random::new(18);
    let mut texts: Vec<String> = Vec::new();
    for number in 0..count {
        let mut own = words(&mut random, 60 + number % 100);
        if number % 50 == 49 {
            own =
                texts[random.below(number as u64) as usize].split(' ').map(String::from).collect();
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
                format!(
                    "{} {}",
                    of_form[random.below(number as u64) as usize],
                    words(&mut random, 1)[0]
                )
            }
            _ => {
                format!(
                    "{} {} {}",
                    words(&mut random, 3).join(" "),
                    forms[number % 2],
                    words(&mut random, 4).join(" ")
                )
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
    // Many similar short texts.
    texts.extend(
        (0..120).map(|_| format!("the train is late once more {}", &words(&mut random, 1)[0][..3])),
    );
    let mut seen = BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

/// Texts with values of guards. Some texts occur several times with other values.
fn with_values(texts: Vec<String>, guards: usize) -> Vec<Text> {
    let mut random = Random::new(19);
    let mut rows: Vec<Text> = Vec::new();
    let mut seen = BTreeSet::new();
    for text in texts {
        let times = if guards > 0 && random.below(3) == 0 { 1 + random.below(4) } else { 1 };
        for _ in 0..times {
            let values: Vec<i64> = (0..guards).map(|_| random.below(3) as i64).collect();
            if seen.insert((text.clone(), values.clone())) {
                rows.push((text.clone(), values));
            }
        }
    }
    rows
}

#[test]
fn the_parts_decide_as_one_machine() {
    let guards = |same: &[&str], differ: &[&str]| {
        let named =
            |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<String>>();
        Config::default().same(named(same)).differ(named(differ))
    };
    for (count, family, config) in [
        // All pairs are compared.
        (2_000, 300, Config::default()),
        // Above 20,000 documents, pairs are found by tables.
        (20_200, 300, Config::default()),
        (300, 200, Config::default().cluster(Method::Components)),
        (
            300,
            200,
            Config::default().verify(nearprint_core::compare::Measure::Jaccard).min_similarity(0.6),
        ),
        (300, 200, Config::default().bits(64)),
        (600, 300, guards(&["lang"], &[])),
        (600, 300, guards(&[], &["source"])),
        (600, 300, guards(&[], &["source"]).max_lost(0.1)),
        (600, 300, Config::default().keep(Policy::First)),
        (600, 300, guards(&["lang"], &["source", "day"])),
        (300, 200, guards(&["lang"], &[]).cluster(Method::Components)),
        (600, 300, Config::default().max_lost(0.1)),
        (600, 300, guards(&["lang"], &[]).max_lost(0.02)),
    ] {
        let config = config.recall_sample(0);
        let texts = with_values(texts(count, family), config.guards().count());
        let (removed, pairs) = together(&config, &texts);
        let (removed_in_parts, pairs_in_parts) = in_parts(&config, &texts, 3, 4);
        let again = in_parts(&config, &texts, 2, 1);
        assert!(
            again == (removed_in_parts.clone(), pairs_in_parts.clone()),
            "groups or tasks show"
        );
        let differ = removed_in_parts.iter().zip(&removed).find(|(one, other)| one != other);
        assert!(differ.is_none() && removed_in_parts.len() == removed.len(), "{differ:?}");
        assert!(removed.len() > count / 100 + family / 10, "{}", removed.len());
        // A pair of two hubs that removes none is not listed.
        let ends = |pairs: &[DuplicatePair]| {
            pairs.iter().map(|pair| (pair.left, pair.right)).collect::<BTreeSet<_>>()
        };
        let (found, all) = (ends(&pairs_in_parts), ends(&pairs));
        let links = removed.iter().map(|row| (row.0.min(row.1), row.0.max(row.1)));
        let lacking: Vec<_> = links.filter(|pair| !found.contains(pair)).collect();
        let lists_links = config.keep.cluster == Method::Star;
        assert!(!lists_links || lacking.is_empty(), "{config:?} {lacking:?}");
        let more: Vec<_> = found.difference(&all).collect();
        assert!(more.is_empty(), "{config:?} {more:?}");
        let worker = Worker::new(&config).unwrap();
        let is_listed = |pair: &&DuplicatePair| {
            let is_hub = if pair.distance.is_some() {
                worker.has_hubs(false)
            } else {
                worker.has_short_hubs(false)
            };
            !is_hub || pair.reason == Reason::Exact
        };
        assert!(pairs_in_parts.iter().filter(is_listed).eq(pairs.iter().filter(is_listed)));
    }
}
