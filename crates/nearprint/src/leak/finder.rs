//! A document and the index -> the items that stand in it.

use std::ops::Range;

use super::index::{Index, Item};
use super::place::in_text;
use super::runs::{Run, Runs};
use crate::verify::Coverage;

/// One figure in this many may contradict a figure of the item: an edited item has some other ones, an item of the same template has hardly
/// any of them.
pub(super) const TOLERATED: usize = 2;

/// An item that was found in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The document that is the item.
    pub item: u32,
    /// Where it stands among the letters and digits of the document, in bytes.
    pub place: Range<usize>,
    /// The coverage of the item and the run that is most like it.
    pub similarity: f64,
}

/// Looks for items in one document after the other, in buffers of its own. One a thread.
///
/// ```
/// use nearprint::leak::{Finder, Items};
/// let mut items = Items::new(0.75, 20);
/// items.add(0, "how many eggs does she sell every day", b"howmanyeggsdoessheselleveryday");
/// let index = items.index();
/// let mut found = Vec::new();
/// let text = "please tell me how many eggs does she sell every day of the week";
/// let letters: String = text.split(' ').collect();
/// Finder::new(&index).find(text, letters.as_bytes(), &mut found);
/// assert_eq!((found[0].item, &letters[found[0].place.clone()]), (0, "howmanyeggsdoessheselleveryday"));
/// assert_eq!(found[0].similarity, 1.0);
/// ```
#[derive(Debug)]
pub struct Finder<'i> {
    index: &'i Index,
    /// What is known of each item in the document at hand.
    hits: Vec<Hits>,
    /// The items of which something is known.
    touched: Vec<u32>,
    /// Items that may stand in a part of the document.
    suspects: Vec<(u32, Range<usize>)>,
    runs: Runs,
    found: Vec<Run>,
    coverage: Coverage,
}

/// What is known of an item in the document at hand.
#[derive(Debug, Clone, Copy, Default)]
struct Hits {
    /// The bytes of the item, and the windows that a run needs.
    length: u32,
    needed: u32,
    /// Windows from `start` on, for the length of the item, and in that length before it.
    count: u32,
    before: u32,
    start: u32,
    /// The part of the document where it may stand; none where it ends at 0.
    part: [u32; 2],
}

impl Hits {
    /// Takes in a window that is in the document here; whether there are enough of them within the length of the item, or twice
    /// that.
    #[inline]
    fn add(&mut self, at: u32) -> bool {
        match at.wrapping_sub(self.start) {
            since if self.count > 0 && since < self.length => self.count += 1,
            since if self.count > 0 && since < 2 * self.length => {
                (self.before, self.count, self.start) = (self.count, 1, self.start + self.length);
            }
            _ => (self.before, self.count, self.start) = (0, 1, at),
        }
        self.before + self.count >= self.needed
    }
}

impl<'i> Finder<'i> {
    /// A finder of the items in this index.
    pub fn new(index: &'i Index) -> Finder<'i> {
        let hits = |item: &Item| Hits { length: item.letters.len() as u32, needed: item.needed, ..Hits::default() };
        Finder {
            index,
            hits: index.items().iter().map(hits).collect(),
            touched: Vec::new(),
            suspects: Vec::new(),
            runs: Runs::default(),
            found: Vec::new(),
            coverage: Coverage::tolerating(TOLERATED),
        }
    }

    /// Appends every item that stands in the document of this normalized text and these letters and digits, as often as it
    /// does, by item and place.
    pub fn find(&mut self, text: &str, letters: &[u8], out: &mut Vec<Found>) {
        self.suspect(letters);
        self.suspects.sort_unstable_by_key(|(item, part)| (*item, part.start));
        for (number, part) in std::mem::take(&mut self.suspects) {
            let item = &self.index.items()[number as usize];
            self.runs.set_item(&item.letters);
            self.found.clear();
            self.runs.find(letters, part, item.least, &mut self.found);
            self.confirm(item, text, letters, out);
        }
    }

    /// Notes the items of which enough windows are in the document, and where.
    fn suspect(&mut self, letters: &[u8]) {
        let Finder { index, hits, touched, suspects, .. } = self;
        let items = index.items();
        index.each_hit(letters, |at, numbers| {
            let at = at as u32;
            for number in numbers {
                let own = &mut hits[*number as usize];
                if own.count == 0 {
                    touched.push(*number);
                }
                if !own.add(at) {
                    continue;
                }
                // A run that has this window lies within its own length on both sides, and what it lacks of the item beside it.
                let far = 2 * own.length - items[*number as usize].least as u32;
                let (start, end) = (at.saturating_sub(far), (at + far).min(letters.len() as u32));
                if start > own.part[1] && own.part[1] > 0 {
                    suspects.push((*number, own.part[0] as usize..own.part[1] as usize));
                    own.part[1] = 0;
                }
                own.part = [if own.part[1] > 0 { own.part[0] } else { start }, end];
            }
        });
        for number in touched.drain(..) {
            let own = &mut hits[number as usize];
            if own.part[1] > 0 {
                suspects.push((number, own.part[0] as usize..own.part[1] as usize));
            }
            (own.count, own.part) = (0, [0, 0]);
        }
    }

    /// Keeps the runs that the coverage confirms.
    fn confirm(&mut self, item: &Item, text: &str, letters: &[u8], out: &mut Vec<Found>) {
        if self.found.is_empty() {
            return;
        }
        self.coverage.set_left(&item.text, &item.letters);
        let texts = in_text(text, self.found.iter().map(|run| run.whole.clone()));
        for (run, range) in self.found.iter().zip(texts) {
            let own = &letters[run.whole.clone()];
            if let Some(similarity) = self.coverage.at_least(&text[range], own, self.index.min_similarity()) {
                out.push(Found { item: item.document, place: run.shared.clone(), similarity });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::runs::tests::shares;
    use super::super::{Index, Items};
    use super::*;

    fn letters(text: &str) -> String {
        text.chars().filter(|c| c.is_alphanumeric()).collect()
    }

    fn index(texts: &[String], min_similarity: f64) -> Index {
        let mut items = Items::new(min_similarity, 20);
        texts.iter().enumerate().for_each(|(number, text)| items.add(number as u32, text, letters(text).as_bytes()));
        items.index()
    }

    fn find(index: &Index, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        Finder::new(index).find(text, letters(text).as_bytes(), &mut found);
        found
    }

    /// Words without figures, none of which is in a sentence twice, so that the coverage is no less than the share.
    const WORDS: [&str; 16] = [
        "harbor", "window", "copper", "lantern", "meadow", "quartz", "velvet", "timber", "signal", "barley", "cobalt",
        "orchid", "puzzle", "fjords", "glimpse", "whisky",
    ];

    fn sentence(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
        (Just(WORDS.to_vec()).prop_shuffle(), words).prop_map(|(words, count)| words[..count].join(" "))
    }

    proptest! {
        #[test]
        fn every_item_is_found_of_which_a_run_shares_enough(
            items in prop::collection::vec(sentence(4..12), 1..6),
            parts in prop::collection::vec((sentence(0..8), 0usize..6, 0usize..12, sentence(0..2)), 0..4),
            tenths in 5u32..=10,
        ) {
            let min_similarity = f64::from(tenths) / 10.0;
            let index = index(&items, min_similarity);
            let mut text = String::new();
            for (before, item, place, own) in &parts {
                let mut words: Vec<&str> = items[item % items.len()].split(' ').collect();
                let place = place % words.len();
                words[place] = own;
                text = format!("{text} {before} {}", words.join(" "));
            }
            let found = find(&index, &text);
            let document = letters(&text);
            for (number, item) in items.iter().enumerate() {
                let own = letters(item);
                let share = |of: f64| (own.len() as f64 * of - 1e-6).ceil() as usize;
                let shares = if own.len() > document.len() { Vec::new() } else { shares(own.as_bytes(), document.as_bytes()) };
                let most = shares.iter().copied().max().unwrap_or(0);
                let is_found = found.iter().any(|found| found.item == number as u32);
                // What a run has twice covers the item once.
                let best = shares.iter().position(|share| *share == most).map(|start| &document.as_bytes()[start..start + own.len()]);
                let repeats = best.is_some_and(|run| (0..run.len() - 4).any(|at| run[at + 1..].windows(4).any(|other| *other == run[at..at + 4])));
                prop_assert!(most < share(min_similarity) || is_found || repeats, "{item}: {most} of {}", own.len());
                prop_assert!(!is_found || most >= share(min_similarity * 2.0 / 3.0), "{item}: {most} of {}", own.len());
            }
            prop_assert!(found.is_sorted_by_key(|found| (found.item, found.place.start)));
        }
    }

    #[test]
    fn an_item_is_found_in_the_middle_whole_and_edited() {
        let item = "Janet's ducks lay sixteen eggs per day, and she eats three of them for breakfast every morning"
            .to_lowercase();
        let index = index(std::slice::from_ref(&item), 0.75);
        let edited = item.replace("lay", "produce").replace("morning", "dawn");
        for (item, least, first) in [(&item, 1.0, "janet"), (&edited, 0.8, "sixteen")] {
            let text = format!("a puzzle {item} can you solve it");
            let found = find(&index, &text);
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].similarity >= least, "{found:?}");
            assert!(letters(&text)[found[0].place.clone()].starts_with(first), "{found:?}");
        }
        assert_eq!(
            find(&index, "ducks lay eggs every morning, and three of them are for breakfast each day of the week"),
            []
        );
    }

    #[test]
    fn other_figures_make_another_item() {
        let item = "the shares of the company rose by 12 percent to 340 on monday in heavy trading".to_string();
        let index = index(std::slice::from_ref(&item), 0.75);
        let text = |item: &str| format!("markets were mixed this week and {item} while others fell a little");
        assert_eq!(find(&index, &text(&item)).len(), 1);
        assert_eq!(find(&index, &text(&item.replace("12", "17").replace("340", "266"))), []);
    }
}
