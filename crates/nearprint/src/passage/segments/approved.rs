//! The segments of a text and the copy of an approved passage in it -> segments that also end where
//! the copy does.
//!
//! A person has said that the passage is whole. So its copy may begin where a line begins or behind
//! the mark of a sentence, and end at a line end or with a mark, even if these are not sure to end a
//! sentence: a footer below a line that seems to run on.

use std::ops::Range;

use super::characters::mark;

/// Divides the segments at both ends of a copy, which stands in this part of the text.
pub(in crate::passage) fn divide(
    text: &str,
    segments: &mut Vec<Range<usize>>,
    copy: &Range<usize>,
) {
    for at in [begins(text, copy.start), ends(text, copy.end)].into_iter().flatten() {
        let inside = segments.partition_point(|segment| segment.end <= at);
        let Some(Range { start, end }) = segments.get(inside).cloned() else { continue };
        let (first, rest) =
            (text[start..at.max(start)].trim_end(), text[at.max(start)..end].trim_start());
        if !first.is_empty() && !rest.is_empty() {
            segments.splice(inside..=inside, [start..start + first.len(), end - rest.len()..end]);
        }
    }
}

/// Where a sentence begins whose first letter is here, if it may.
fn begins(text: &str, at: usize) -> Option<usize> {
    let signs = |c: char| !c.is_alphanumeric() && mark(c).is_none() && !is_line_end(c);
    let before = text[..at].trim_end_matches(signs);
    let last = before.chars().next_back();
    last.is_none_or(|c| is_line_end(c) || mark(c).is_some()).then_some(before.len())
}

/// Where a sentence ends whose last letter is before this place, if it may.
fn ends(text: &str, at: usize) -> Option<usize> {
    let behind = &text[at..];
    let signs =
        behind.find(|c: char| c.is_alphanumeric() || is_line_end(c)).unwrap_or(behind.len());
    let is_last = behind[signs..].chars().next().is_none_or(is_line_end);
    let marked = behind[..signs].find(char::is_whitespace).unwrap_or(signs);
    // A dot inside a number or a name, such as 12.8. or example.org.
    if marked == signs && !is_last && behind[..signs].ends_with('.') {
        return None;
    }
    match behind[..marked].contains(|c| mark(c).is_some()) {
        _ if is_last => Some(at + signs),
        true => Some(at + marked),
        false => None,
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(text: &str, copy: &str) -> Vec<String> {
        let start = text.find(copy).unwrap();
        let mut segments = Vec::new();
        super::super::segments(text, &mut segments);
        divide(text, &mut segments, &(start..start + copy.len()));
        segments.into_iter().map(|segment| text[segment].to_string()).collect()
    }

    #[test]
    fn a_copy_may_begin_behind_a_line_that_seems_to_run_on() {
        assert_eq!(
            divided("He went to the\n© All rights reserved\nby us", "All rights reserved"),
            ["He went to the", "© All rights reserved", "by us"]
        );
        assert_eq!(
            divided("See Inc. All rights. go on", "All rights"),
            ["See Inc.", "All rights.", "go on"]
        );
        assert_eq!(divided("On 12.8.2019 it rained", "On 12"), ["On 12.8.2019 it rained"]);
        assert_eq!(divided("他说：“版权所有。我们", "版权所有"), ["他说：“版权所有。", "我们"]);
        assert_eq!(divided("We hold all rights to it", "all rights"), ["We hold all rights to it"]);
    }
}
