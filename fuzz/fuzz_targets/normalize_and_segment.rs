//! Any text: tokens come in order, lie in the text and do not overlap.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nearprint::normalize::{self, Normalizer};
use nearprint::segment::{self, Segmenter};

fuzz_target!(|text: &str| {
    let normalizer = Normalizer::new(normalize::Options::default());
    let text = normalizer.normalize(text);
    let segmenter = Segmenter::new(segment::Options::default());
    let mut end = text.as_ptr() as usize;
    segmenter.tokens(&text, &mut |token| {
        let start = token.as_ptr() as usize;
        assert!(start >= end && !token.is_empty());
        end = start + token.len();
    });
    assert!(end <= text.as_ptr() as usize + text.len());
});
