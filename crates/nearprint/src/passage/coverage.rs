//! The stretches of a document -> its parts, each with the number of documents that share its
//! letters.
//!
//! A letter stands in several windows. The largest number of documents counts: that of the most
//! common window around the letter.

use std::collections::BinaryHeap;
use std::ops::Range;

use super::gathered::Stretch;

/// A part of the letters of a document, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The bytes of the part.
    pub bytes: Range<usize>,
    /// The number of documents that share each of its letters.
    pub documents: u32,
}

/// The parts of one document that are shared, in order. Parts that touch have other numbers of
/// documents. The stretches are sorted by their starts.
pub fn coverage(stretches: &[Stretch]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut push = |start: u32, end: u32, documents: u32| {
        let (start, end) = (start as usize, end as usize);
        match parts.last_mut() {
            Some(last) if last.documents == documents && last.bytes.end == start => {
                last.bytes.end = end
            }
            _ => parts.push(Part { bytes: start..end, documents }),
        }
    };
    // The stretches that have begun, by the number of documents and the end.
    let mut open: BinaryHeap<(u32, u32)> = BinaryHeap::new();
    let (mut at, mut next) = (0, 0);
    loop {
        while open.peek().is_some_and(|(_, end)| *end <= at) {
            open.pop();
        }
        let coming = stretches.get(next);
        match (open.peek().copied(), coming) {
            (Some((documents, end)), coming) if coming.is_none_or(|coming| coming.start > at) => {
                let until = coming.map_or(end, |coming| end.min(coming.start));
                push(at, until, documents);
                at = until;
            }
            (_, Some(coming)) => {
                at = at.max(coming.start);
                open.push((coming.documents, coming.end));
                next += 1;
            }
            (_, None) => return parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_byte_has_the_most_documents_of_its_stretches(
            mut bounds in prop::collection::vec((0u32..50, 1u32..20, 1u32..6), 0..12),
        ) {
            bounds.sort_unstable();
            let stretches: Vec<Stretch> = bounds.iter().map(|(start, length, documents)| {
                Stretch { document: 0, start: *start, end: start + length, documents: *documents }
            }).collect();
            let parts = coverage(&stretches);
            for byte in 0..80u32 {
                let most = stretches.iter().filter(|s| (s.start..s.end).contains(&byte)).map(|s| s.documents).max();
                let found = parts.iter().find(|part| part.bytes.contains(&(byte as usize)));
                prop_assert_eq!(found.map(|part| part.documents), most);
            }
            for pair in parts.windows(2) {
                let [one, next] = pair else { unreachable!() };
                prop_assert!(one.bytes.end < next.bytes.start || one.bytes.end == next.bytes.start && one.documents != next.documents);
            }
        }
    }
}
