//! Text -> tokens: Chinese beside jieba-rs, whose tokens must be equal, and words of both
//! languages.

mod common;

use std::hint::black_box;

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jieba_rs::Jieba;
use nearprint_core::segment::{Kind, Options, Segmenter};

fn segmenting(criterion: &mut Criterion) {
    let jieba = Jieba::new();
    for language in Language::BOTH {
        let texts = language.documents(1_000);
        let mut group = criterion.benchmark_group(format!("segment/{}", language.name()));
        group.throughput(Throughput::Bytes(common::bytes(&texts)));
        for hmm in [true, false] {
            let segmenter = Segmenter::new(Options { kind: Kind::Chinese, hmm });
            let words = |text| -> Vec<&str> {
                jieba.cut(text, hmm).into_iter().map(|token| token.word).collect()
            };
            for text in &texts {
                let mut theirs = words(text);
                theirs.retain(|word| word.chars().any(char::is_alphanumeric));
                assert!(tokens(&segmenter, text) == theirs, "other tokens than jieba-rs: {text}");
            }
            let hmm = if hmm { "with" } else { "without" };
            group.bench_function(format!("chinese {hmm} hmm"), |bencher| {
                bencher.iter(|| cut_all(&segmenter, &texts))
            });
            group.bench_function(format!("jieba-rs {hmm} hmm"), |bencher| {
                bencher.iter(|| texts.iter().map(|text| words(text).len()).sum::<usize>());
            });
        }
        let of_unicode = Segmenter::new(Options { kind: Kind::Auto, hmm: true });
        group.bench_function("auto", |bencher| bencher.iter(|| cut_all(&of_unicode, &texts)));
    }
}

fn tokens<'t>(segmenter: &Segmenter, text: &'t str) -> Vec<&'t str> {
    let mut tokens = Vec::new();
    segmenter.tokens(text, &mut |token| tokens.push(token));
    tokens
}

fn cut_all(segmenter: &Segmenter, texts: &[String]) {
    texts.iter().for_each(|text| segmenter.tokens(text, &mut |token| _ = black_box(token)));
}

criterion_group! { name = benches; config = common::criterion(); targets = segmenting }
criterion_main!(benches);
