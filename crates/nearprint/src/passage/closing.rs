//! Places that go -> the characters that go, with the white space that they would leave.
//!
//! The white space before a place and behind it becomes one: that with more line ends stays, so a
//! paragraph stays apart from the next one. At the beginning of a text all of it goes, and at the
//! end that behind the place stays, such as the end of the last line.

use std::ops::Range;

use super::places::Gap;

/// The ranges of characters that go if these places go. Places are in order, each with the white
/// space before and behind it.
pub fn without(places: impl IntoIterator<Item = (Range<usize>, [Gap; 2])>) -> Vec<Range<usize>> {
    let mut going: Vec<(Range<usize>, [Gap; 2])> = Vec::new();
    for (place, gaps) in places {
        match going.last_mut() {
            // Only white space stands between two places that both go.
            Some((last, own)) if last.end + own[1].characters as usize == place.start => {
                (last.end, own[1]) = (place.end, gaps[1]);
            }
            _ => going.push((place, gaps)),
        }
    }
    let close = |(place, [before, behind]): (Range<usize>, [Gap; 2])| {
        let start = place.start - before.characters as usize;
        let end = place.end + behind.characters as usize;
        match (before.is_outer, behind.is_outer) {
            (true, _) => start..end,
            (_, true) => start..place.end,
            _ if before.lines > behind.lines || behind.characters == 0 => place.start..end,
            _ => start..place.end,
        }
    };
    going.into_iter().map(close).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text without the parts in brackets.
    fn closed(marked: &str) -> String {
        let (mut text, mut places) = (String::new(), Vec::new());
        for c in marked.chars() {
            match c {
                '[' => places.push(text.chars().count()..0),
                ']' => places.last_mut().unwrap().end = text.chars().count(),
                c => text.push(c),
            }
        }
        let characters: Vec<char> = text.chars().collect();
        let gap = |space: Vec<&char>, rest: usize| Gap {
            characters: space.len() as u32,
            lines: space.iter().filter(|c| ***c == '\n').count() as u32,
            is_outer: rest == space.len(),
        };
        let with_gaps = places.into_iter().map(|place| {
            let before =
                characters[..place.start].iter().rev().take_while(|c| c.is_whitespace()).collect();
            let behind = characters[place.end..].iter().take_while(|c| c.is_whitespace()).collect();
            let gaps = [gap(before, place.start), gap(behind, characters.len() - place.end)];
            (place, gaps)
        });
        let ranges = without(with_gaps);
        let goes = |at: usize| ranges.iter().any(|range| range.contains(&at));
        characters.iter().enumerate().filter(|(at, _)| !goes(*at)).map(|(_, c)| c).collect()
    }

    #[test]
    fn the_white_space_with_more_line_ends_stays() {
        for (marked, expected) in [
            ("One. [Two.] Three.", "One. Three."),
            ("One.\n\n[Two.] Three.", "One.\n\nThree."),
            ("One. [Two.]\n\nThree.", "One.\n\nThree."),
            ("One.\n[Two.]\nThree.\n", "One.\nThree.\n"),
            ("[One.]\n\nTwo.", "Two."),
            ("  [One.]", ""),
            ("One.\n\n[Two.]\n", "One.\n"),
            ("One. [Two.]", "One."),
            ("[One.]\n", ""),
            ("一。[二。]三。", "一。三。"),
            ("一。[二。] 三。", "一。 三。"),
            ("一。 [二。]三。", "一。 三。"),
            ("One. [Two.] [Three.]\n\nFour.", "One.\n\nFour."),
            ("One.\n\n[Two.] [Three.]", "One."),
        ] {
            assert_eq!(closed(marked), expected, "{marked:?}");
        }
    }
}
