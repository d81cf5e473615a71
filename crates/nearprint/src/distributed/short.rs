//! Records of short texts, of one group or two -> the pairs that are to be compared by their
//! characters.

use nearprint_core::compare::ShortText;
use nearprint_core::near::short::Pool;

use super::families::Sets;
use super::{Keys, Worker};
use crate::cluster::Method;

pub use crate::search::SHORT_HUB;

/// Short texts, and those that may be compared with them, of a group, or of two that meet.
#[derive(Debug, Clone, Default)]
pub struct ShortGroup {
    /// What guards know of each.
    pub documents: Keys,
    /// The characters of each, and whether it is short. One without characters is in no pair. They
    /// are in the order of their keys, of two groups, too.
    pub texts: Vec<(ShortText, bool)>,
    /// Where two groups meet, whether each is of the first one: then pairs across the two are
    /// meant, otherwise all.
    pub sides: Option<Vec<bool>>,
}

/// What was found among short texts, by their places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShortPairs {
    /// The pairs, but for those of two hubs: the longer text first, of two of equal length the
    /// later one; and whether they are two that neither the pairs before nor the hubs connect.
    pub pairs: Vec<(u32, u32, bool)>,
    /// The texts that have more than [`SHORT_HUB`] duplicates here that come after them in such
    /// pairs, in order.
    pub hubs: Vec<u32>,
}

impl Worker {
    /// Whether short documents with very many duplicates are decided without a list of all of
    /// these.
    pub fn has_short_hubs(&self, with_against: bool) -> bool {
        self.config().keep.cluster == Method::Star && !with_against
    }

    /// The pairs of texts of which one is short that are to be compared by their characters.
    /// `with_against` says whether documents are only compared with those of another side; where
    /// they are not, there may be hubs: the texts that are of it here, and those that come first in
    /// more than [`SHORT_HUB`] pairs of all groups.
    ///
    /// ```
    /// use nearprint::distributed::{Keys, ShortGroup, Worker};
    /// use nearprint::Config;
    /// use nearprint_core::compare::ShortText;
    /// let text = |text| (ShortText::new(text), true);
    /// let texts = vec![text("the train is late"), text("a letter for you"), text("the train is late!")];
    /// let documents = Keys { keys: vec![1, 2, 3], values: vec![] };
    /// let found = Worker::new(&Config::default())?.short_candidates(false, &ShortGroup { documents, texts, sides: None });
    /// assert_eq!(found.pairs, [(2, 0, true)]);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn short_candidates(&self, with_against: bool, group: &ShortGroup) -> ShortPairs {
        if self.max_distance().is_none() {
            return ShortPairs::default();
        }
        let mut pool = Pool::default();
        for ((text, is_short), place) in group.texts.iter().zip(0..) {
            pool.add(place, *is_short, text);
        }
        let wanted = |one: u32, other: u32| {
            let is_across = |sides: &Vec<bool>| sides[one as usize] != sides[other as usize];
            group.sides.as_ref().is_none_or(is_across)
                && self.may_be_near(&group.documents, one, other)
        };
        let most = self.has_short_hubs(with_against).then_some(SHORT_HUB);
        let mut pairs = Vec::new();
        let length = |place: u32| (group.texts[place as usize].0.characters.len(), place);
        let push = |one: u32, other: u32| {
            pairs.push(if length(one) > length(other) { (one, other) } else { (other, one) })
        };
        let least = self.config().decide.min_similarity;
        let hubs =
            self.run.install(|| pool.duplicates(least, |_| true, wanted, most, &|| false, push));
        pairs.sort_unstable();
        let mut sets = Sets::new(group.texts.len());
        hubs.iter().for_each(|own| {
            sets.join(hubs[0], *own);
        });
        let pairs =
            pairs.into_iter().map(|(one, other)| (one, other, sets.join(one, other))).collect();
        ShortPairs { pairs, hubs }
    }
}
