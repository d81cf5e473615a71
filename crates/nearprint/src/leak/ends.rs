//! The letters of an item beside what it shares with a document, and those of the document there ->
//! how far the item reaches.
//!
//! What the two share ends where a window does. An edit near the end of an item leaves letters
//! behind that are no window any more, such as `Whicj of the` before a long passage. They belong to
//! the item as far as an alignment earns: a letter that agrees counts 1, one that is replaced,
//! inserted or left out -1. What earns 1 in all is chance.

/// What an alignment must earn, at least.
const LEAST: i32 = 2;

/// Letters beside a passage that are looked at, at most.
const FARTHEST: usize = 256;

/// Bytes beside a passage that hold as many of the document.
const FARTHEST_BYTES: usize = 4 * (FARTHEST + FARTHEST / 2 + 1);

/// How many bytes of the document behind a shared part belong to the item, of which this is what
/// comes behind that part.
pub(super) fn behind(item: &[u8], document: &[u8]) -> usize {
    let beside =
        |text: &[u8]| String::from_utf8_lossy(&text[..text.len().min(FARTHEST_BYTES)]).into_owned();
    reach(beside(item).chars(), beside(document).chars())
}

/// The same of what comes before.
pub(super) fn before(item: &[u8], document: &[u8]) -> usize {
    let beside = |text: &[u8]| {
        String::from_utf8_lossy(&text[text.len().saturating_sub(FARTHEST_BYTES)..]).into_owned()
    };
    reach(beside(item).chars().rev(), beside(document).chars().rev())
}

/// The bytes of the document in the alignment of a beginning of the item with a beginning of the
/// document that earns most; of several the shortest.
fn reach(item: impl Iterator<Item = char>, document: impl Iterator<Item = char>) -> usize {
    let item: Vec<char> = item.take(FARTHEST).collect();
    let farthest = item.len() + item.len() / 2;
    // What the letters of the document so far earn with each beginning of the item.
    let mut earned: Vec<i32> = (0..=item.len() as i32).map(|letters| -letters).collect();
    let (mut bytes, mut reach, mut most) = (0, 0, LEAST - 1);
    for c in document.take(farthest) {
        bytes += c.len_utf8();
        let mut diagonal = earned[0];
        earned[0] -= 1;
        for (at, own) in item.iter().enumerate() {
            let aligned = diagonal + if *own == c { 1 } else { -1 };
            diagonal = earned[at + 1];
            earned[at + 1] = aligned.max(diagonal - 1).max(earned[at] - 1);
            if earned[at + 1] > most {
                (most, reach) = (earned[at + 1], bytes);
            }
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What two texts earn, letter by letter.
    fn earns(item: &[char], document: &[char]) -> i32 {
        match (item, document) {
            ([], rest) | (rest, []) => -(rest.len() as i32),
            ([own, item_rest @ ..], [c, document_rest @ ..]) => {
                let aligned = earns(item_rest, document_rest) + if own == c { 1 } else { -1 };
                aligned.max(earns(item_rest, document) - 1).max(earns(item, document_rest) - 1)
            }
        }
    }

    proptest! {
        #[test]
        fn the_shortest_of_those_that_earn_most_is_taken(item in "[ab天]{0,5}", document in "[ab天]{0,7}") {
            let (own, other): (Vec<char>, Vec<char>) = (item.chars().collect(), document.chars().collect());
            let farthest = other.len().min(own.len() + own.len() / 2);
            let most = |end: usize| (1..=own.len()).map(|length| earns(&own[..length], &other[..end])).max().unwrap_or(0);
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
