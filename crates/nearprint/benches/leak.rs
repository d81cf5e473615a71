//! Items and documents -> the items that stand in the documents: sentences, one of which stands in every tenth document.

mod common;

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint::leak::{Finder, Items};
use nearprint::normalize::append_alphanumeric;

const LEAST: f64 = 0.75;

/// Letters and digits of a text.
fn letters(text: &str) -> String {
    let mut letters = String::new();
    append_alphanumeric(text, &mut letters);
    letters
}

fn finding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("leak");
    for language in Language::BOTH {
        let mut texts = language.alphanumeric_texts(1_000);
        for number in [1_000, 10_000] {
            let sentences = language.sentences(number);
            let mut items = Items::new(LEAST, 15);
            (0..).zip(&sentences).for_each(|(number, text)| items.add(number, text, letters(text).as_bytes()));
            let index = items.index();
            for (text, sentence) in texts.iter_mut().zip(&sentences).step_by(10) {
                *text = format!("{text}{}", letters(sentence));
            }
            let (mut finder, mut found) = (Finder::new(&index), Vec::new());
            texts.iter().for_each(|text| finder.find(text, text.as_bytes(), &mut found));
            assert!(found.len() >= texts.len() / 10, "{} found", found.len());
            group.throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
            group.bench_function(format!("{}/{number} items", language.name()), |bencher| {
                bencher.iter(|| {
                    found.clear();
                    texts.iter().for_each(|text| finder.find(text, text.as_bytes(), &mut found));
                    found.len()
                });
            });
        }
    }
}

criterion_group! { name = benches; config = common::criterion(); targets = finding }
criterion_main!(benches);
