//! With fewer duplicate pairs, by a guard or by a higher least similarity, removals change in one
//! way only (docs/algorithms.md, "Clusters").

use std::collections::BTreeMap;

use nearprint::config::Cluster;
use nearprint::document::{Document, FieldValue, Id};
use nearprint::read::Source;
use nearprint::{Config, Deduplicator, Documents, Silent};
use proptest::prelude::*;

/// The number of families of texts; the last one is of short texts.
const FAMILIES: usize = 4;

/// A document: its family, its edits (place, kind, word), and the values of two fields.
type Made = (usize, Vec<(usize, u8, usize)>, [u8; 2]);

/// A word of a vocabulary.
fn word(number: usize) -> String {
    let syllable = |number: usize| {
        ["ba", "den", "ki", "lor", "mu", "sta", "ven", "zo", "phi", "ter"][number % 10]
    };
    [number, number / 10, number * 7 + 3].map(syllable).concat()
}

/// The text of a document: the words of its family, edited.
fn text((family, edits, _): &Made) -> String {
    let length = if *family + 1 == FAMILIES { 6 } else { 30 + 8 * family };
    let mut words: Vec<usize> =
        (0..length).map(|place| (family * 31 + place * 17 + place * place) % 100).collect();
    for (place, kind, word) in edits {
        let place = place % words.len();
        match kind {
            0 if words.len() > 3 => {
                words.remove(place);
            }
            1 => words.insert(place, *word),
            _ => words[place] = *word,
        }
    }
    words.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Each removed document with its keeper.
fn removed(config: Config, made: &[Made]) -> BTreeMap<u32, u32> {
    let config = config.threads(1).recall_sample(0u32);
    let fields = config.kept_fields();
    let value = |name: &String, made: &Made| {
        let place = usize::from(name == "language");
        Some(FieldValue::Integer(made.2[place].into()))
    };
    let document = |(id, made): (i64, &Made)| Document {
        row: 0,
        id: Id::Integer(id),
        text: text(made),
        fields: fields.iter().map(|name| value(name, made)).collect(),
    };
    let documents = (0..).zip(made).map(document).collect();
    let documents = Documents::new(vec![Source::documents("made", documents)]);
    let run = Deduplicator::new(config).unwrap().run(documents, &Silent).unwrap();
    run.removed().iter().map(|removal| (removal.document, removal.keeper)).collect()
}

/// Checks the removals of a run with fewer pairs against those of a run with more.
fn check(cluster: Cluster, fewer: &BTreeMap<u32, u32>, more: &BTreeMap<u32, u32>, what: &str) {
    for (document, keeper) in fewer {
        let goes = |document: &u32| more.contains_key(document);
        match cluster {
            Cluster::Components => assert!(goes(document), "{what}: {document}"),
            Cluster::Star => {
                assert!(goes(document) || goes(keeper), "{what}: {document}, {keeper}")
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn fewer_pairs_add_no_removal_but_for_a_keeper_that_went(
        made in prop::collection::vec(
            (
                0..FAMILIES,
                prop::collection::vec((0..80usize, 0..3u8, 0..100usize), 0..7),
                prop::array::uniform2(0..3u8),
            ),
            2..40,
        )
    ) {
        for cluster in [Cluster::Star, Cluster::Components] {
            let config = || Config::default().cluster(cluster);
            let (host, language) = (vec!["host".to_string()], vec!["language".to_string()]);
            let all = removed(config(), &made);
            let guarded = [
                ("same", config().same(host.clone())),
                ("differ", config().differ(language.clone())),
                ("both", config().same(host).differ(language)),
            ];
            for (name, guarded) in guarded {
                check(cluster, &removed(guarded, &made), &all, name);
            }
            let bounds = [0.6, 0.7, 0.75, 0.85, 0.95];
            let runs = bounds.map(|bound| removed(config().min_similarity(bound), &made));
            for (number, run) in runs.iter().enumerate() {
                for lower in &runs[..number] {
                    check(cluster, run, lower, &format!("min-similarity {}", bounds[number]));
                }
            }
        }
    }
}
