//! jieba's own files -> the dictionary's file. This is slow, and only needed to make the file
//! again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::characters::{Characters, FIRST, FIRST_HAN, is_in_model};
use super::dictionary::{Content, NEVER_EMITTED};
use super::space::Space;
use super::trie::{NO_WORD, ROOT};

/// Makes the dictionary's file of a word list (lines of word, frequency and an optional tag) and of
/// a hidden Markov model in the format of jieba's `hmm.model`. Equal input gives equal bytes.
///
/// # Errors
/// The line that cannot be read.
pub fn prepare(words: &str, model: &str) -> Result<Vec<u8>, String> {
    let words = words
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(word)
        .collect::<Result<BTreeMap<_, _>, _>>()?;
    let model = Numbers::read(model)?;
    let order = by_frequency(&words, &model);
    let characters = Characters::new(order.iter().copied());

    let total = words.values().sum();
    let mut content = Content { total: vec![total, logarithm(total)], ..Content::default() };
    content.characters = order.iter().map(|c| u64::from(u32::from(*c))).collect();
    content.frequencies = frequencies(&words);
    content.logarithms =
        content.frequencies.iter().map(|frequency| logarithm(*frequency)).collect();
    content.model = model.fixed.iter().map(|number| number.to_bits()).collect();
    let emitted = order.iter().filter(|c| is_in_model(characters.code(**c)));
    for (at, c) in emitted.enumerate() {
        debug_assert_eq!(usize::from(characters.code(*c) - FIRST_HAN), at);
        let row = model.emissions.get(c).copied().unwrap_or([NEVER_EMITTED; 4]);
        content.emissions.iter_mut().zip(row).for_each(|(column, number)| column.push(number));
    }

    let number: HashMap<u64, u16> = content.frequencies.iter().copied().zip(0..).skip(1).collect();
    let mut coded: Vec<(Vec<u16>, u16)> = Vec::new();
    for (word, frequency) in &words {
        let codes: Vec<u16> = word.chars().map(|c| characters.code(c)).collect();
        // A word with a character that no block holds is never found; it only adds to the total.
        if codes.iter().all(|code| *code >= FIRST) {
            coded.push((codes, number[frequency]));
        }
    }
    coded.sort();
    build(&coded, &mut content);
    Ok(content.pack())
}

/// The bits of the natural logarithm.
fn logarithm(number: u64) -> u64 {
    (number as f64).ln().to_bits()
}

fn word(line: &str) -> Result<(&str, u64), String> {
    let mut fields = line.split_whitespace();
    let (word, frequency) = (fields.next(), fields.next().and_then(|number| number.parse().ok()));
    word.zip(frequency).ok_or_else(|| format!("not a word and its frequency: {line}"))
}

/// The Han characters of words and model, the most frequent ones in words first.
fn by_frequency(words: &BTreeMap<&str, u64>, model: &Numbers) -> Vec<char> {
    let nothing = Characters::new([]);
    let mut counts: BTreeMap<char, u64> = model.emissions.keys().map(|c| (*c, 0)).collect();
    for (word, frequency) in words {
        word.chars().for_each(|c| *counts.entry(c).or_default() += frequency);
    }
    let mut order: Vec<(char, u64)> =
        counts.into_iter().filter(|(c, _)| nothing.code(*c) >= FIRST_HAN).collect();
    order.sort_by_key(|(c, count)| (!is_in_model(nothing.code(*c)), std::cmp::Reverse(*count), *c));
    order.into_iter().map(|(c, _)| c).collect()
}

/// The distinct frequencies, those of most words first, after an entry for [`NO_WORD`].
fn frequencies(words: &BTreeMap<&str, u64>) -> Vec<u64> {
    let mut uses: BTreeMap<u64, u64> = BTreeMap::new();
    words.values().for_each(|frequency| *uses.entry(*frequency).or_default() += 1);
    let mut frequencies: Vec<u64> = uses.keys().copied().collect();
    frequencies.sort_by_key(|frequency| std::cmp::Reverse(uses[frequency]));
    assert!(frequencies.len() < 1 << 16, "more different frequencies than 16 bits can number");
    frequencies.insert(usize::from(NO_WORD), 0);
    frequencies
}

/// The trie of sorted words, level by level.
fn build(words: &[(Vec<u16>, u16)], content: &mut Content) {
    let mut families: Vec<Vec<u16>> = Vec::new();
    let mut level = vec![words];
    for depth in 0.. {
        let mut next = Vec::new();
        for prefix in level {
            // The prefix itself stands first, if it is a word; all others are longer.
            let longer = &prefix
                [usize::from(prefix.first().is_some_and(|(codes, _)| codes.len() == depth))..];
            let mut family = Vec::new();
            for child in longer.chunk_by(|(one, _), (other, _)| one[depth] == other[depth]) {
                let (codes, word) = &child[0];
                content.codes.push(u64::from(codes[depth] - family.last().unwrap_or(&0)));
                content.words.push(if codes.len() == depth + 1 {
                    u64::from(*word)
                } else {
                    u64::from(NO_WORD)
                });
                family.push(codes[depth]);
                next.push(child);
            }
            content.children.push(family.len() as u64);
            families.push(family);
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }

    // Large families come first, while there is room; single children fill the gaps.
    let mut space = Space::default();
    let mut bases = vec![0; families.len()];
    let mut order: Vec<usize> =
        (1..families.len()).filter(|at| !families[*at].is_empty()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(families[*at].len()));
    for at in &order {
        bases[*at] = u64::from(space.place(&families[*at]));
    }
    debug_assert_eq!(bases[0], u64::from(ROOT));
    order.sort();
    content.bases = order.into_iter().map(|at| bases[at]).collect();
    content.places = vec![space.places() as u64];
}

/// The numbers of the model's file.
struct Numbers {
    /// The initial logarithms and the transitions.
    fixed: Vec<f64>,
    /// The negative logarithms in millionths.
    emissions: BTreeMap<char, [u64; 4]>,
}

impl Numbers {
    fn read(text: &str) -> Result<Numbers, String> {
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let [fixed @ .., begin, end, middle, single] = lines.as_slice() else {
            return Err("a model of less than nine lines".to_string());
        };
        let numbers = fixed.iter().flat_map(|line| line.split_whitespace());
        let fixed: Result<Vec<f64>, _> = numbers.map(str::parse).collect();
        let fixed = fixed
            .ok()
            .filter(|numbers| numbers.len() == 20)
            .ok_or("initial and transition logarithms")?;
        let mut emissions: BTreeMap<char, [u64; 4]> = BTreeMap::new();
        for (state, line) in [begin, end, middle, single].into_iter().enumerate() {
            let mut seen = BTreeSet::new();
            for pair in line.split(',') {
                let (c, number) = emission(pair)
                    .ok_or_else(|| format!("not a character and its logarithm: {pair}"))?;
                if !seen.insert(c) {
                    return Err(format!("a character twice: {pair}"));
                }
                emissions.entry(c).or_insert([NEVER_EMITTED; 4])[state] = number;
            }
        }
        Ok(Numbers { fixed, emissions })
    }
}

/// `耀:-10.460283`: a character and its logarithm, always with six digits after the point.
fn emission(pair: &str) -> Option<(char, u64)> {
    let (c, number) = pair.split_once(":-")?;
    let (whole, millionths) = number.split_once('.').filter(|(_, digits)| digits.len() == 6)?;
    let c = Some(c.chars()).filter(|chars| chars.clone().count() == 1)?.next()?;
    Some((c, whole.parse::<u64>().ok()? * 1_000_000 + millionths.parse::<u64>().ok()?))
}
