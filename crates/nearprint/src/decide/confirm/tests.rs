//! The texts that may be lost with removed documents, and copies of texts in frames of their own.

use nearprint_core::random::Random;
use proptest::prelude::*;

use super::*;
use crate::config::Config;
use crate::corpus::Purpose;
use crate::decide::ranks;
use crate::keep::Policy;
use crate::read::Source;
use crate::run::Deduplicator;
use crate::watch::Silent;

/// Texts that are runs of sentences of a few articles, some with a replaced passage.
fn cuts(seed: u64) -> Vec<String> {
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
        let keep = if longest { Policy::Longest } else { Policy::First };
        let config = Config::default().max_lost(most).keep(keep).min_similarity(0.5).recall_sample(0).threads(1);
        let rules = config.rules(Some(80));
        let deduplicator = Deduplicator::new(config).unwrap();
        let corpus = deduplicator.read(vec![Source::texts("texts", cuts(seed))], Purpose::Dedup, &Silent).unwrap();
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
        // If two duplicates stay, too much of the worse-ranked one would be lost.
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

/// A name of a person and a name of a newspaper, in English or Chinese.
fn names(random: &mut Random, english: bool) -> [String; 2] {
    let mut one = |of: &[&str]| of[random.below(of.len() as u64) as usize].to_string();
    if english {
        let first = one(&[
            "Anna", "Bruno", "Carla", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Iris", "Jonas",
            "Kira", "Leon",
        ]);
        let last = one(&[
            "Bellini", "Castle", "Dupont", "Eriksen", "Farkas", "Greene", "Hansen", "Ivanov",
            "Jensen", "Keller",
        ]);
        let place = one(&[
            "Ashford", "Brighton", "Carlisle", "Dover", "Exeter", "Frome", "Girton", "Hexham",
            "Ilkley", "Jarrow",
        ]);
        return [
            first + " " + &last,
            place + " " + &one(&["Gazette", "Herald", "Courier", "Tribune", "Post", "Times"]),
        ];
    }
    let last = one(&["王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴"])
        + &one(&["伟", "芳", "娜", "敏", "静", "丽", "强", "磊"]);
    let place =
        one(&["北京", "上海", "广州", "成都", "武汉", "南京", "西安", "杭州", "长沙", "沈阳"]);
    [
        last + &one(&["明", "华", "国", "文"]),
        place + &one(&["晨报", "晚报", "日报", "时报", "商报", "青年报"]),
    ]
}

/// A copy of an item with a byline, a header, a credit or a footer of its own.
fn framed(item: &str, random: &mut Random, english: bool) -> String {
    let [name, paper] = names(random, english);
    match (random.below(4), english) {
        (0, true) => format!("By {name}, {paper}\n{item}"),
        (1, true) => format!("{paper}, the morning edition\n{item}"),
        (2, true) => format!("{item}\nPhoto: {name} / {paper}"),
        (_, true) => format!("{item}\n{name} writes for the {paper}"),
        (0, _) => format!("{paper}记者{name}报道\n{item}"),
        (1, _) => format!("{paper}讯\n{item}"),
        (2, _) => format!("{item}\n（摄影：{name}）"),
        (..) => format!("{item}\n来源：{paper}"),
    }
}

#[test]
fn of_any_number_of_copies_each_with_a_frame_of_its_own_one_stays() {
    let sample = include_str!("../../../../../examples/articles.jsonl");
    let of_sample = |id: &str| -> String {
        let row = sample.lines().find(|line| line.contains(&format!("\"{id}\""))).unwrap();
        serde_json::from_str::<serde_json::Value>(row).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_string()
    };
    let items: Vec<(String, bool)> = ["en-001", "en-002", "zh-001", "zh-002"]
        .iter()
        .map(|id| {
            let (text, english) = (of_sample(id), id.starts_with("en"));
            let mut left = if english { 251 } else { 101 };
            let is_left = |c: &char| {
                left -= usize::from(c.is_alphanumeric());
                left > 0
            };
            (text.chars().take_while(is_left).collect(), english)
        })
        .collect();
    let deduplicator = Deduplicator::new(Config::default().recall_sample(0)).unwrap();
    for count in 2..=50 {
        let mut random = Random::new(count as u64);
        let mut copies: Vec<Vec<String>> = vec![Vec::new(); items.len()];
        for (copies, (item, english)) in copies.iter_mut().zip(&items) {
            while copies.len() < count {
                let copy = framed(item, &mut random, *english);
                if !copies.contains(&copy) {
                    copies.push(copy);
                }
            }
        }
        let texts = (0..count)
            .flat_map(|number| copies.iter().map(move |copies| copies[number].clone()))
            .collect();
        let corpus = deduplicator
            .read(vec![Source::texts("texts", texts)], Purpose::Dedup, &Silent)
            .unwrap();
        let decisions = deduplicator.decide(&corpus, false, &Silent).unwrap();
        let mut gone = vec![0; items.len()];
        for removal in &decisions.removals {
            let [item, other] =
                [removal.document, removal.keeper].map(|document| document as usize % items.len());
            assert_eq!(item, other, "{count}");
            gone[item] += 1;
        }
        assert_eq!(gone, vec![count - 1; items.len()], "{count}");
    }
}
