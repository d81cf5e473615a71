//! Files of pairs and clusters for `evaluate`. A file is counted, or refused with its name.

use nearprint::evaluate::Question;
use nearprint::{Config, Deduplicator, Silent};
use proptest::prelude::*;

use crate::bytes::{Bytes, damaged, made_up};
use crate::target;

const PIECES: &[&[u8]] = &[
    b"left,right\n",
    b"id,cluster\n",
    b"left,right,label\n",
    b"a,b\n",
    b"1,2\n",
    b",",
    b"\n",
    b"\"",
    b"{",
    b"}",
    b"{\"left\":1,\"right\":2}\n",
    b"{\"id\":\"a\",\"cluster\":[1]}\n",
    b"{\"members\":[1,2,\"a\"]}\n",
    b"{\"left\":1,\"left\":2,\"right\":1}\n",
    b"null",
    b"[",
    b"]",
    b"-1",
    b"0.5",
    b"\0",
    b"\xff",
];

const WHOLE: [(&str, &str); 4] = [
    ("found.jsonl", "{\"left\":1,\"right\":2,\"distance\":3}\n{\"left\":\"a\",\"right\":\"b\"}\n"),
    ("found.csv", "left,right,label\n1,2,1\n2,3,0\na,b,\n"),
    ("found.tsv", "id\tcluster\n1\tx\n2\tx\na\ty\n"),
    ("found.jsonl", "{\"cluster\":1,\"keeper\":1,\"size\":2,\"members\":[1,2]}\n"),
];

#[test]
fn pairs_and_clusters() {
    let deduplicator = Deduplicator::new(Config::default().threads(1)).unwrap();
    let inputs = prop::sample::select(WHOLE.to_vec()).prop_flat_map(|(name, whole)| {
        (Just(name), prop_oneof![damaged(whole.into(), PIECES), made_up(PIECES)])
    });
    target(inputs, |(name, Bytes(bytes))| {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path(name), bytes).unwrap();
        std::fs::write(path("truth.csv"), "left,right\n1,2\na,b\n").unwrap();
        let mut question = Question {
            found: path(name).into(),
            truth: path("truth.csv").into(),
            ..Question::default()
        };
        question.options.replicates = 3;
        match deduplicator.evaluate(&question, &Silent) {
            Ok(report) => {
                let counts = report.counts;
                prop_assert!(
                    report
                        .measures
                        .values()
                        .flat_map(|own| own.value)
                        .all(|value| value.is_finite() && value <= 1.0)
                );
                prop_assert!(counts.false_alarms < 1 << 40);
            }
            Err(error) => prop_assert!(
                error.to_string().contains(name) || error.subject().is_some(),
                "{}",
                error
            ),
        }
        Ok(())
    });
}
