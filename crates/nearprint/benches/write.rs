//! A file of JSON Lines -> a copy without every tenth row.

#[path = "../../nearprint-core/benches/common/mod.rs"]
mod common;

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint::Silent;
use nearprint::read::{Options, find};
use nearprint::write::{RowFate, kept};

fn writing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("write");
    for language in Language::BOTH {
        let json = |text: &String| serde_json::json!({ "text": text }).to_string() + "\n";
        let rows: Vec<String> = language.documents(1_000).iter().map(json).collect();
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let [all, copy] = ["all.jsonl", "copy.jsonl"].map(|name| folder.path().join(name));
        std::fs::write(&all, rows.concat()).expect("there is room for temporary files");
        let options = Options::default();
        let sources = find(&[all.display().to_string()], &options, folder.path(), &Silent)
            .expect("it is there");
        let mut fate =
            |row: u64| if row.is_multiple_of(10) { RowFate::Drop } else { RowFate::Keep };
        let mut write =
            || kept(&sources[0], &copy, &options, &mut fate).expect("it can be copied").rows;
        assert_eq!(write(), 900);
        // The first row has the number 1.
        let expected: String = (1..)
            .zip(&rows)
            .filter(|(row, _)| row % 10 != 0)
            .map(|(_, row)| row.as_str())
            .collect();
        assert!(std::fs::read_to_string(&copy).expect("it is there") == expected, "another copy");
        group.throughput(Throughput::Bytes(common::bytes(&rows)));
        group.bench_function(language.name(), |bencher| bencher.iter(&mut write));
    }
}

criterion_group! { name = benches; config = common::criterion(); targets = writing }
criterion_main!(benches);
