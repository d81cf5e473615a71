//! A number of documents -> the spans of document numbers that have a file of tables each.
//!
//! Documents are numbered in the order in which they were added. A file has [`BLOCK`] documents.
//! Eight files of one size become one file of the next size:
//!
//! ```text
//! 0 ................ 7 * 8 * BLOCK | ... 3 * BLOCK | fewer than BLOCK, without a file
//! ```
//!
//! A document is written about four times for each size, and a query reads at most one file of each
//! size. The spans depend on the number of documents alone, and not on how many were added at a
//! time.

use std::ops::Range;

/// The number of documents of the smallest file. A query is compared with each document after the
/// last file.
pub const BLOCK: u32 = 4096;

/// The number of files of one size that become one file of the next.
const TOGETHER: u32 = 8;

/// The spans of `documents` documents, the largest first. Documents after the last span have no
/// file.
pub fn spans(documents: u32) -> Vec<Range<u32>> {
    let mut sizes: Vec<u32> =
        std::iter::successors(Some(BLOCK), |size: &u32| size.checked_mul(TOGETHER))
            .take_while(|size| *size <= documents)
            .collect();
    sizes.reverse();
    let mut start = 0;
    let mut spans = Vec::new();
    for size in sizes {
        let end = documents / size * size;
        if end > start {
            spans.push(start..end);
            start = end;
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_follow_one_another_and_there_are_few() {
        for documents in
            (0..3_000_000).step_by(1013).chain([4095, 4096, 32768, 36864, 1 << 20, u32::MAX])
        {
            let spans = spans(documents);
            let mut start = 0;
            for span in &spans {
                assert!(
                    span.start == start
                        && span.end > start
                        && (span.end - span.start).is_multiple_of(BLOCK)
                );
                start = span.end;
            }
            assert!(documents - start < BLOCK && spans.len() <= 7, "{documents}: {spans:?}");
            assert!(
                spans.windows(2).all(|pair| pair[0].len() >= pair[1].len()),
                "{documents}: {spans:?}"
            );
        }
        assert_eq!(spans(8 * BLOCK * 2 + 3 * BLOCK + 5), [0..16 * BLOCK, 16 * BLOCK..19 * BLOCK]);
    }

    #[test]
    fn a_document_is_written_a_few_times() {
        let (mut written, mut known) = (0u64, Vec::new());
        let documents = 4_000_000;
        for count in (0..=documents).step_by(BLOCK as usize) {
            let now = spans(count);
            written += now
                .iter()
                .filter(|span| !known.contains(*span))
                .map(|span| span.len() as u64)
                .sum::<u64>();
            known = now;
        }
        assert!(written < 16 * u64::from(documents), "{written}");
    }
}
