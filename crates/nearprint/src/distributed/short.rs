//! Records of short texts, of one group or two -> the pairs to be compared by their characters.

use nearprint_core::compare::ShortText;
use nearprint_core::near::short::Pool;

use super::families::Sets;
use super::{Keys, Worker};
use crate::cluster::Method;

pub use crate::search::SHORT_HUB;

/// Short texts and the texts that may be compared with them, of one group or of two groups. A place
/// is an index into them.
#[derive(Debug, Clone, Default)]
pub struct ShortGroup {
    /// The keys and the values of guards of the documents.
    pub documents: Keys,
    /// The characters of each document; with true if it is short. A text without characters is in
    /// no pair. The texts are in the order of their keys, also those of two groups.
    pub texts: Vec<(ShortText, bool)>,
    /// True for each text of the first of two groups; then only pairs across the two groups are
    /// looked for. `None` for all pairs of one group.
    pub sides: Option<Vec<bool>>,
}

/// The pairs and the hubs among short texts, by their places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShortPairs {
    /// The pairs, without those of two hubs. The longer text comes first, of two of equal length
    /// the later one. The pair has true if neither earlier pairs nor the hubs connect the two.
    pub pairs: Vec<(u32, u32, bool)>,
    /// The texts that come first in more than [`SHORT_HUB`] pairs here, in order.
    pub hubs: Vec<u32>,
}

impl Worker {
    /// Returns true if the run has short hubs: short documents with so many duplicates that they
    /// are not all listed. `with_against` is true for a run with reference documents.
    pub fn has_short_hubs(&self, with_against: bool) -> bool {
        self.config().keep.cluster == Method::Star && !with_against
    }

    /// The pairs of a short text and any text that are to be compared by their characters.
    /// `with_against` is true for a run with reference documents. Without, a text is a short hub of
    /// the run if it is among the [`hubs`](ShortPairs::hubs) of some call, or comes first in more
    /// than [`SHORT_HUB`] pairs of all calls.
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
