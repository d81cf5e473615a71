//! Any text: it is normalized and cut into words as by the plain tables of Unicode, and tokens of mixed text come in order, lie
//! in the text and do not overlap.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nearprint::normalize::{self, Normalizer};
use nearprint::segment::{self, Kind, Segmenter};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

fuzz_target!(|text: &str| {
    let folding = normalize::Options { simplified: false, ..normalize::Options::default() };
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let folded: Vec<&str> = folded.split(char::is_whitespace).filter(|word| !word.is_empty()).collect();
    assert_eq!(Normalizer::new(folding).normalize(text), folded.join(" "));

    let words = Segmenter::new(segment::Options { kind: Kind::Words, hmm: false });
    let mut cut = Vec::new();
    words.tokens(text, &mut |word| cut.push(word));
    assert!(cut.into_iter().eq(text.unicode_words()));

    let text = Normalizer::new(normalize::Options::default()).normalize(text);
    let segmenter = Segmenter::new(segment::Options::default());
    let mut end = text.as_ptr() as usize;
    segmenter.tokens(&text, &mut |token| {
        let start = token.as_ptr() as usize;
        assert!(start >= end && !token.is_empty());
        end = start + token.len();
    });
    assert!(end <= text.as_ptr() as usize + text.len());
});
