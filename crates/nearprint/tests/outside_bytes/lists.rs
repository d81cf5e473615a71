//! Lists of words, and texts. A list is taken or refused, and any text is normalized and cut as the
//! plain tables of Unicode do it.

use nearprint::Config;
use nearprint::config::{Features, Words};
use nearprint_core::normalize::{self, Normalizer};
use nearprint_core::segment::{self, Kind, Segmenter};
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::bytes::{Bytes, damaged, made_up};
use crate::target;

const PIECES: &[&[u8]] = &[
    "葫芦娃".as_bytes(),
    "的".as_bytes(),
    b"the",
    b" ",
    b" 100 ",
    b"-1",
    b"4294967296",
    b" n",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    "\u{3000}".as_bytes(),
    b"99999999999999999999",
];

#[test]
fn stop_words() {
    target(
        prop_oneof![damaged("the\n的\nand\n".into(), PIECES), made_up(PIECES)],
        |Bytes(bytes)| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("words.txt");
            std::fs::write(&path, &bytes).unwrap();
            let words = Words { stop_words: vec![path.display().to_string()], ..Words::default() };
            match (Config::default().features(Features::Words(words))).recipe() {
                Ok(recipe) => {
                    prop_assert!(std::str::from_utf8(&bytes).is_ok());
                    let text = String::from_utf8_lossy(&bytes);
                    let stopped = text.lines().map(|line| {
                        Normalizer::new(normalize::Options::default()).normalize(line.trim())
                    });
                    let stopped: Vec<String> = stopped.collect();
                    prop_assert!(
                        recipe
                            .tokens("the 的 and one")
                            .iter()
                            .all(|token| !stopped.contains(&token.to_string()))
                    );
                }
                Err(error) => prop_assert_eq!(error.subject(), Some("stop-words")),
            }
            Ok(())
        },
    );
}

#[test]
fn dictionaries() {
    target(
        prop_oneof![damaged("葫芦娃娃 100 n\n一根藤上\n".into(), PIECES), made_up(PIECES)],
        |Bytes(bytes)| {
            let list = String::from_utf8_lossy(&bytes);
            match Segmenter::with_words(segment::Options::default(), &list) {
                Ok(segmenter) => {
                    let text = format!("一根藤上葫芦娃娃{list}");
                    prop_assert!(tokens_lie_in_order(&segmenter, &text));
                }
                // The named line is the first unusable one, and its frequency is no number.
                Err(bad) => {
                    let lines: Vec<&str> = list.lines().collect();
                    prop_assert_eq!(lines[bad.line - 1], &bad.text);
                    let before = lines[..bad.line - 1].join("\n");
                    prop_assert!(
                        Segmenter::with_words(segment::Options::default(), &before).is_ok()
                    );
                    let frequency = bad.text.split_whitespace().nth(1);
                    let is_none =
                        |field: &str| field.starts_with('+') || field.parse::<u32>().is_err();
                    prop_assert!(frequency.is_some_and(is_none), "{bad}");
                }
            }
            Ok(())
        },
    );
}

#[test]
fn texts() {
    let folding =
        normalize::Options { addresses: false, simplified: false, ..normalize::Options::default() };
    let (folding, usual) =
        (Normalizer::new(folding), Normalizer::new(normalize::Options::default()));
    let words = Segmenter::new(segment::Options { kind: Kind::Words, hmm: false });
    let segmenter = Segmenter::new(segment::Options::default());
    let pieces = prop::collection::vec(
        prop_oneof![
            "[a-zA-Z0-9 .,'_-]{0,12}",
            "[\u{4e00}-\u{9fff}]{0,6}",
            "\\PC{0,8}",
            any::<char>().prop_map(String::from)
        ],
        0..12,
    );
    target(pieces.prop_map(|pieces| pieces.concat()), |text| {
        let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
        let folded: Vec<&str> =
            folded.split(char::is_whitespace).filter(|word| !word.is_empty()).collect();
        prop_assert_eq!(folding.normalize(&text), folded.join(" "));
        let mut cut = Vec::new();
        words.tokens(&text, &mut |word| cut.push(word));
        prop_assert!(cut.into_iter().eq(text.unicode_words()));
        prop_assert!(tokens_lie_in_order(&segmenter, &usual.normalize(&text)));
        Ok(())
    });
}

/// True if the tokens of a text are parts of it, in order and not empty.
fn tokens_lie_in_order(segmenter: &Segmenter, text: &str) -> bool {
    let (mut end, mut in_order) = (text.as_ptr() as usize, true);
    segmenter.tokens(text, &mut |token| {
        let start = token.as_ptr() as usize;
        in_order &= start >= end && !token.is_empty();
        end = start + token.len();
    });
    in_order && end <= text.as_ptr() as usize + text.len()
}
