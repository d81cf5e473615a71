//! Two texts -> the runs of words in which they differ.
//!
//! Runs of words that both texts have equally often are aligned: the longest series of them that is in the same order in both (Bram
//! Cohen's patience diff, here with runs in place of lines). Between two of them, the words that are not equal at the beginning
//! and the end are a difference. Words that stand in another place of the other text are none, if nothing else stands in theirs.
//!
//! Cost: the words of both texts times the logarithm of the aligned runs.

use std::ops::Range;

use super::words::Text;

/// The runs of words of each text in which it differs from the other one, in order.
pub fn differences(own: &Text<'_>, other: &Text<'_>) -> Vec<[Range<usize>; 2]> {
    let mut found = Vec::new();
    let (mut here, mut there) = (0, 0);
    let end = (own.len(), other.len(), 0);
    for (word, place, words) in aligned(own, other).into_iter().chain([end]) {
        // A run that begins within the last one.
        if word < here || place < there {
            continue;
        }
        if let Some(difference) = trimmed(own, other, [here..word, there..place]) {
            add_without_moved(own, other, difference, &mut found);
        }
        (here, there) = (word + words, place + words);
    }
    found
}

/// Adds a difference. Of words that one text has and the other one does not have there, only those that it has nowhere.
fn add_without_moved(
    own: &Text<'_>,
    other: &Text<'_>,
    [here, there]: [Range<usize>; 2],
    found: &mut Vec<[Range<usize>; 2]>,
) {
    match (here.is_empty(), there.is_empty()) {
        (false, true) => found.extend(own.not_in(here, other).into_iter().map(|run| [run, there.clone()])),
        (true, false) => found.extend(other.not_in(there, own).into_iter().map(|run| [here.clone(), run])),
        _ => found.push([here, there]),
    }
}

/// The longest series of runs that are in the same order in both texts: the first word in each, and the words of the run.
fn aligned(own: &Text<'_>, other: &Text<'_>) -> Vec<(usize, usize, usize)> {
    let runs: Vec<(usize, usize, usize)> = (0..own.len())
        .filter_map(|word| own.place_in(word, other).map(|(place, words)| (word, place, words)))
        .collect();
    // The run that ends the best series of each length, and the run before each in its series.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::with_capacity(runs.len()));
    for (number, (_, place, _)) in runs.iter().enumerate() {
        let length = ends.partition_point(|end| runs[*end].1 < *place);
        before.push(length.checked_sub(1).map(|last| ends[last]));
        match ends.get_mut(length) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let mut series: Vec<_> = std::iter::successors(ends.last().copied(), |run| before[*run]).collect();
    series.reverse();
    series.into_iter().map(|run| runs[run]).collect()
}

/// These runs of words without those that are equal at the beginning and at the end. None if nothing remains.
fn trimmed(own: &Text<'_>, other: &Text<'_>, [here, there]: [Range<usize>; 2]) -> Option<[Range<usize>; 2]> {
    let equal = |(one, two): &(usize, usize)| own.says_the_same(*one, other, *two);
    let first = here.clone().zip(there.clone()).take_while(equal).count();
    let (here, there) = (here.start + first..here.end, there.start + first..there.end);
    let last = here.clone().rev().zip(there.clone().rev()).take_while(equal).count();
    let rest = [here.start..here.end - last, there.start..there.end - last];
    rest.iter().any(|run| !run.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What differs, as `here|there`.
    fn of(own: &str, other: &str) -> Vec<String> {
        let texts = [own, other].map(Text::new);
        let shown = |[here, there]: [Range<usize>; 2]| format!("{}|{}", texts[0].shown(here), texts[1].shown(there));
        differences(&texts[0], &texts[1]).into_iter().map(shown).collect()
    }

    #[test]
    fn words_that_were_exchanged_added_or_taken_away_are_differences() {
        let text = "the committee of the house has granted the permit to the owner of the site at the river";
        assert!(of(text, text).is_empty());
        assert_eq!(of(text, &text.replace("granted", "refused")), ["granted|refused"]);
        assert_eq!(of(text, &text.replace(" at the river", "")), ["at the river|"]);
        assert_eq!(of(text, &text.replace("granted", "not granted")), ["|not"]);
        assert_eq!(of("检测结果为阳性，请于三日内到本院复诊。", "检测结果为阴性，请于三日内到本院复诊。"), ["阳|阴"]);
        assert_eq!(of("a b", "c d"), ["a b|c d"]);
        let may = "relief may be granted or denied by the court, and here it is hereby granted to the plaintiff";
        assert_eq!(of(may, &may.replace("hereby granted", "hereby denied")), ["granted|denied"]);
        assert_eq!(of("", ""), [""; 0]);
    }

    #[test]
    fn a_figure_in_other_writing_and_another_order_are_none() {
        let [first, last] = ["all shops of the town close at three", "the market of the village opens in the morning"];
        let text = format!("{first}, {last}");
        assert_eq!(of(&text, &text.replace("three", "3")), [""; 0]);
        assert_eq!(of(&text, &format!("{last}, {first}")), [""; 0]);
        assert_eq!(of(&text, &format!("{last}, but {first}")), ["|but"]);
    }

    #[test]
    fn signs_differ_and_punctuation_does_not() {
        let text = "the price of the ticket is $40 for a day, at -5° and with 3 + 4 guests";
        let other = text.replace('$', "€").replace("-5", "5").replace('+', "×");
        assert_eq!(of(text, &other), ["$|€", "-|", "+|×"]);
        assert_eq!(of(text, &text.replace(',', ";").replace(" for", " - for")), [""; 0]);
    }
}
