//! The letters of an item and of a document beside their shared part -> the end of the item there.
//!
//! The shared part ends where a window does. An edit near the end of an item leaves letters that
//! are in no shared window, such as `Whicj of the` before a long passage. An alignment decides how
//! many letters of the document belong to the item: an equal letter scores 1, and a replaced,
//! inserted or deleted one -1. A score of 1 in all is chance.
//!
//! The alignment of `nearprint-core` ([`aligned`](nearprint_core::compare::aligned)) spans two
//! whole texts and has other costs; this one may end anywhere.

/// The least score of an alignment.
const LEAST: i32 = 2;

/// The most letters of the item beside a passage that are aligned.
const FARTHEST: usize = 256;

/// The most bytes beside a passage that are aligned, enough for all letters of the document.
const FARTHEST_BYTES: usize = 4 * (FARTHEST + FARTHEST / 2 + 1);

/// The number of bytes of a document after a shared part that belong to the item. Both texts are
/// those after the shared part.
pub(super) fn behind(item: &[u8], document: &[u8]) -> usize {
    let beside =
        |text: &[u8]| String::from_utf8_lossy(&text[..text.len().min(FARTHEST_BYTES)]).into_owned();
    extent(beside(item).chars(), beside(document).chars())
}

/// The number of bytes of a document before a shared part that belong to the item. Both texts are
/// those before the shared part.
pub(super) fn before(item: &[u8], document: &[u8]) -> usize {
    let beside = |text: &[u8]| {
        String::from_utf8_lossy(&text[text.len().saturating_sub(FARTHEST_BYTES)..]).into_owned()
    };
    extent(beside(item).chars().rev(), beside(document).chars().rev())
}

/// The number of bytes of the document in the best alignment of a beginning of the item with a
/// beginning of the document; of several, in the shortest one.
fn extent(item: impl Iterator<Item = char>, document: impl Iterator<Item = char>) -> usize {
    let item: Vec<char> = item.take(FARTHEST).collect();
    let farthest = item.len() + item.len() / 2;
    // The best score of the letters of the document so far with each beginning of the item.
    let mut scores: Vec<i32> = (0..=item.len() as i32).map(|letters| -letters).collect();
    let (mut bytes, mut extent, mut most) = (0, 0, LEAST - 1);
    for c in document.take(farthest) {
        bytes += c.len_utf8();
        let mut diagonal = scores[0];
        scores[0] -= 1;
        for (at, own) in item.iter().enumerate() {
            let aligned = diagonal + if *own == c { 1 } else { -1 };
            diagonal = scores[at + 1];
            scores[at + 1] = aligned.max(diagonal - 1).max(scores[at] - 1);
            if scores[at + 1] > most {
                (most, extent) = (scores[at + 1], bytes);
            }
        }
    }
    extent
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The score of two texts, letter by letter.
    fn score(item: &[char], document: &[char]) -> i32 {
        match (item, document) {
            ([], rest) | (rest, []) => -(rest.len() as i32),
            ([own, item_rest @ ..], [c, document_rest @ ..]) => {
                let aligned = score(item_rest, document_rest) + if own == c { 1 } else { -1 };
                aligned.max(score(item_rest, document) - 1).max(score(item, document_rest) - 1)
            }
        }
    }

    proptest! {
        #[test]
        fn the_shortest_of_the_best_alignments_is_taken(item in "[ab天]{0,5}", document in "[ab天]{0,7}") {
            let (own, other): (Vec<char>, Vec<char>) = (item.chars().collect(), document.chars().collect());
            let farthest = other.len().min(own.len() + own.len() / 2);
            let most = |end: usize| (1..=own.len()).map(|length| score(&own[..length], &other[..end])).max().unwrap_or(0);
            let best = (1..=farthest).map(most).max().unwrap_or(0);
            let end = (1..=farthest).find(|end| best >= LEAST && most(*end) == best).unwrap_or(0);
            prop_assert_eq!(behind(item.as_bytes(), document.as_bytes()), other[..end].iter().map(|c| c.len_utf8()).sum::<usize>());
            let backwards = |text: &str| text.chars().rev().collect::<String>();
            prop_assert_eq!(before(backwards(&item).as_bytes(), backwards(&document).as_bytes()), behind(item.as_bytes(), document.as_bytes()));
        }
    }

    #[test]
    fn edited_ends_belong_to_the_item_and_its_neighbors_do_not() {
        assert_eq!(
            before("whichofthesehormones".as_bytes(), "askedwhichoftheesehormoneees".as_bytes()),
            "whichoftheesehormoneees".len()
        );
        assert_eq!(
            behind("inthemorning".as_bytes(), "inthemorneingandthenhewent".as_bytes()),
            "inthemorneing".len()
        );
        assert_eq!(behind("quick".as_bytes(), "zzyyxxww".as_bytes()), 0);
        assert_eq!(behind("".as_bytes(), "zzyyxxww".as_bytes()), 0);
        assert_eq!(behind("天地玄黄".as_bytes(), "天地玄洪宇宙".as_bytes()), "天地玄".len());
    }
}
