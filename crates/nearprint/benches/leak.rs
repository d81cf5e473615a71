//! Items and documents -> the items that stand in the documents.
//!
//! The items are sentences. Every tenth document has one of them at its end.

#[path = "../../nearprint-core/benches/common/mod.rs"]
mod common;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint::leak::{Finder, Items};
use nearprint_core::normalize::{Normalizer, append_alphanumeric};

use common::Language;

const LEAST: f64 = 0.75;

/// The number of letters of the shortest items.
const SHORTEST: u32 = 15;

/// The letters and digits of a text.
fn letters(text: &str) -> String {
    let mut letters = String::new();
    append_alphanumeric(text, &mut letters);
    letters
}

fn finding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("leak");
    let normalizer = Normalizer::new(Default::default());
    for language in Language::BOTH {
        let clean = language.alphanumeric_texts(1_000);
        for number in [1_000, 10_000] {
            let sentences = language.sentences(number);
            let sentences: Vec<_> =
                sentences.iter().map(|sentence| normalizer.normalize(sentence)).collect();
            let mut items = Items::new(LEAST, SHORTEST);
            (0..)
                .zip(&sentences)
                .for_each(|(number, text)| items.add(number, text, letters(text).as_bytes()));
            let index = items.index();
            let mut texts = clean.clone();
            for (text, sentence) in texts.iter_mut().zip(&sentences).step_by(10) {
                text.push_str(&letters(sentence));
            }
            let (mut finder, mut found) = (Finder::new(&index), Vec::new());
            for (number, text) in texts.iter().enumerate().step_by(10) {
                found.clear();
                finder.find(text, text.as_bytes(), &mut found);
                let is_there = found.iter().any(|found| found.item as usize == number);
                assert!(
                    is_there || letters(&sentences[number]).chars().count() < SHORTEST as usize,
                    "{number}"
                );
            }
            group.throughput(Throughput::Bytes(common::bytes(&texts)));
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
