//! Prints of short texts, of one group or two -> the pairs that are to be compared by their characters.

use super::Worker;
use crate::search::{SHORT_CROWD, largest_distance};
use crate::short::Pool;
use crate::verify::ShortText;
use crate::watch::Silent;

/// Short texts, and those that may be compared with them, of a group, or of two that meet.
#[derive(Debug, Clone, Default)]
pub struct ShortGroup {
    /// The characters of each, and whether it is short. One without characters is in no pair.
    pub texts: Vec<(ShortText, bool)>,
    /// As in [`Group`](super::Group).
    pub first: Option<usize>,
}

/// What was found among short texts, by their places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShortPairs {
    /// The pairs, but for those of two texts of the crowd.
    pub pairs: Vec<(u32, u32)>,
    /// The texts that have very many duplicates, in order.
    pub crowd: Vec<u32>,
}

impl Worker {
    /// The pairs of texts of which one is short that are to be compared by their characters. `with_against` says whether documents are only
    /// compared with those of another side; where they are not, there may be a crowd.
    ///
    /// ```
    /// use nearprint::distributed::{ShortGroup, Worker};
    /// use nearprint::{Config, verify::ShortText};
    /// let text = |text| (ShortText::new(text), true);
    /// let texts = vec![text("the train is late"), text("a letter for you"), text("the train is late!")];
    /// let found = Worker::new(&Config::default())?.short_candidates(false, &ShortGroup { texts, first: None });
    /// assert_eq!(found.pairs, [(0, 2)]);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn short_candidates(&self, with_against: bool, group: &ShortGroup) -> ShortPairs {
        if largest_distance(self.config()).is_none() {
            return ShortPairs::default();
        }
        let mut pool = Pool::default();
        for ((text, is_short), place) in group.texts.iter().zip(0..) {
            pool.add(place, *is_short, text);
        }
        let is_first = |place: u32| group.first.is_some_and(|first| (place as usize) < first);
        let wanted = |one: u32, other: u32| group.first.is_none() || is_first(one) != is_first(other);
        let most = self.has_short_crowds(with_against).then_some(SHORT_CROWD);
        let mut pairs = Vec::new();
        let push = |one: u32, other: u32| pairs.push((one.min(other), one.max(other)));
        let least = self.config().min_similarity;
        let crowd = self.run.install(|| pool.duplicates(least, |_| true, wanted, most, &Silent, push));
        pairs.sort_unstable();
        ShortPairs { pairs, crowd }
    }
}
