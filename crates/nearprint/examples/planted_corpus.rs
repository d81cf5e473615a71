//! A corpus of any size with planted near-duplicates, to measure the growth of time and memory.
//!
//! ```sh
//! cargo run --release -p nearprint --example planted_corpus -- \
//!     100000 CORPUS.jsonl TRUTH.tsv [syllables]
//! ```
//!
//! Words are drawn from 200,000 by Zipf's law; a document has 150 to 450 words, some 2 KB. Letters
//! are as frequent as in English. With `syllables`, words are made of two dozen syllables instead,
//! so that all documents have nearly equal n-grams, which is hard for fingerprints. One in ten
//! documents is a copy of one of the last 1,000 originals, with 2 to 8 % of its words replaced, one
//! by one. TRUTH has the numbers of original and copy with a tab between them. Equal arguments give
//! equal bytes on one platform.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use nearprint_core::random::Random;

const VOCABULARY: u64 = 200_000;
const RECENT: usize = 1_000;
const SYLLABLES: [&str; 24] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va",
    "we", "xi", "yo", "zu", "an", "er", "in", "ol",
];

/// A hundred letters with about the frequencies of English text.
const LETTERS: &[u8; 100] =
    b"eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummwwffggyyppbvkjx";

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (count, corpus, truth, word): (_, _, _, fn(u64) -> String) = match &arguments[..] {
        [count, corpus, truth] => (count, corpus, truth, word_of_letters),
        [count, corpus, truth, kind] if kind == "syllables" => {
            (count, corpus, truth, word_of_syllables)
        }
        _ => {
            return Err(io::Error::other(
                "give a number of documents, the names of two files, and perhaps: syllables",
            ));
        }
    };
    let count: u64 = count.parse().map_err(io::Error::other)?;
    let (mut corpus, mut truth) = (
        BufWriter::with_capacity(1 << 20, File::create(corpus)?),
        BufWriter::new(File::create(truth)?),
    );
    let vocabulary: Vec<String> = (0..VOCABULARY).map(word).collect();
    let mut random = Random::new(1);
    let mut recent: Vec<(u64, Vec<u32>)> = Vec::new();
    for document in 0..count {
        let words = match (random.below(10), recent.is_empty()) {
            (0, false) => {
                let (original, mut words) =
                    recent[random.below(recent.len() as u64) as usize].clone();
                let replaced = words.len() as u64 * (2 + random.below(7)) / 100;
                for _ in 0..replaced {
                    let place = random.below(words.len() as u64) as usize;
                    words[place] = zipf(&mut random);
                }
                writeln!(truth, "{original}\t{document}")?;
                words
            }
            _ => {
                let words: Vec<u32> =
                    (0..150 + random.below(301)).map(|_| zipf(&mut random)).collect();
                let place = document as usize % RECENT;
                match recent.get_mut(place) {
                    Some(old) => *old = (document, words.clone()),
                    None => recent.push((document, words.clone())),
                }
                words
            }
        };
        write!(corpus, "{{\"id\":{document},\"text\":\"")?;
        for (place, word) in words.iter().enumerate() {
            let end = if place % 12 == 11 { ". " } else { " " };
            corpus.write_all(vocabulary[*word as usize].as_bytes())?;
            corpus.write_all(end.as_bytes())?;
        }
        corpus.write_all(b"\"}\n")?;
    }
    corpus.flush()?;
    truth.flush()
}

/// A word for each number. Frequent words have low numbers and are short.
fn word_of_letters(number: u64) -> String {
    let mut random = Random::new(number);
    let letters = if number < 500 { 2 + random.below(4) } else { 4 + random.below(8) };
    (0..letters).map(|_| char::from(LETTERS[random.below(LETTERS.len() as u64) as usize])).collect()
}

/// A word of syllables for each number. Frequent words have low numbers and are short.
fn word_of_syllables(number: u64) -> String {
    let mut random = Random::new(number);
    let syllables = if number < 500 { 1 + number % 2 } else { 2 + random.below(4) };
    (0..syllables.max(1))
        .map(|_| SYLLABLES[random.below(SYLLABLES.len() as u64) as usize])
        .collect()
}

/// The number of a random word; the n-th word has a share proportional to about 1 / n.
fn zipf(random: &mut Random) -> u32 {
    let uniform = random.next() as f64 / u64::MAX as f64;
    ((uniform * (VOCABULARY as f64).ln()).exp() as u32 - 1).min(VOCABULARY as u32 - 1)
}
