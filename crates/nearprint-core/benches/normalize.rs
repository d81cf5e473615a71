//! Text as read -> text to compare -> its letters and digits. The results are compared with OpenCC
//! before they are measured.

mod common;

use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ferrous_opencc::OpenCC;
use ferrous_opencc::config::BuiltinConfig;
use nearprint_core::normalize::{Normalizer, append_alphanumeric};
use unicode_normalization::UnicodeNormalization;

fn normalizing(criterion: &mut Criterion) {
    let [to_simplified, to_traditional] = [BuiltinConfig::T2s, BuiltinConfig::S2t]
        .map(|config| OpenCC::from_config(config).expect("its dictionaries are in it"));
    let [english, chinese] = Language::BOTH.map(|language| language.documents(1_000));
    let traditional = chinese.iter().map(|text| to_traditional.convert(text)).collect();
    let normalizer = Normalizer::new(Default::default());
    for (name, texts) in [("english", english), ("chinese", chinese), ("traditional", traditional)]
    {
        let normalized: Vec<String> = texts.iter().map(|text| normalizer.normalize(text)).collect();
        for (text, normalized) in texts.iter().zip(&normalized) {
            let plain = to_simplified.convert(&text.nfkc().collect::<String>()).to_lowercase();
            let plain: Vec<&str> = plain.split_whitespace().collect();
            assert!(*normalized == plain.join(" "), "{text}");
            let letters: String = normalized.chars().filter(|c| c.is_alphanumeric()).collect();
            assert!(alphanumeric(normalized) == letters, "{text}");
        }
        let mut group = criterion.benchmark_group("normalize");
        group.throughput(Throughput::Bytes(common::bytes(&texts)));
        group.bench_function(name, |bencher| {
            bencher
                .iter(|| texts.iter().map(|text| normalizer.normalize(text).len()).sum::<usize>());
        });
        group.throughput(Throughput::Bytes(common::bytes(&normalized)));
        group.bench_function(format!("letters and digits of {name}"), |bencher| {
            let mut out = String::new();
            bencher.iter(|| {
                for text in &normalized {
                    out.clear();
                    append_alphanumeric(text, &mut out);
                }
                out.len()
            });
        });
    }
}

fn alphanumeric(text: &str) -> String {
    let mut out = String::new();
    append_alphanumeric(text, &mut out);
    out
}

criterion_group! { name = benches; config = common::criterion(); targets = normalizing }
criterion_main!(benches);
