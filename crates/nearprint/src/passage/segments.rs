//! A text as read -> its segments (placeholder until the real rule is in).

use std::ops::Range;

/// Appends the segments of a text.
pub(super) fn segments(text: &str, out: &mut Vec<Range<usize>>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if !trimmed.is_empty() {
            let start = at + (line.len() - line.trim_start().len());
            out.push(start..start + trimmed.len());
        }
        at += line.len();
    }
}
