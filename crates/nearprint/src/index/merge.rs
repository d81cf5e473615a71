//! The answers of several indexes to one question -> one answer.

use nearprint_core::judge::Reason;

use super::{Answer, IndexMatch};

/// The duplicates of a text in several indexes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    /// The first duplicates, each with the place of its index in the question: by similarity, then
    /// by distance, then by index, then in the order in which they were added.
    pub matches: Vec<(usize, IndexMatch)>,
    /// The number of other duplicates.
    pub more: u64,
}

impl Merged {
    /// The first `top` duplicates among the answers of several indexes, in the order of the indexes.
    /// Each answer has as many duplicates itself.
    ///
    /// ```
    /// use nearprint::index::{Answer, Merged};
    /// assert_eq!(Merged::of([Answer::default(), Answer { more: 2, ..Answer::default() }], 10).more, 2);
    /// ```
    pub fn of(answers: impl IntoIterator<Item = Answer>, top: usize) -> Merged {
        let mut merged = Merged::default();
        for (place, Answer { matches, more }) in answers.into_iter().enumerate() {
            merged.matches.extend(matches.into_iter().map(|found| (place, found)));
            merged.more += more;
        }
        let nearness = |found: &IndexMatch| {
            (found.reason != Reason::Exact, found.distance.is_none(), found.distance)
        };
        merged.matches.sort_by(|(_, one), (_, other)| {
            let by_similarity = other.similarity.total_cmp(&one.similarity);
            by_similarity.then(nearness(one).cmp(&nearness(other)))
        });
        merged.more += merged.matches.len().saturating_sub(top) as u64;
        merged.matches.truncate(top);
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Id;

    #[test]
    fn the_best_of_all_indexes_comes_first_and_the_others_are_counted() {
        let found = |id: &str, similarity, distance| IndexMatch {
            id: Id::Text(id.into()),
            similarity,
            reason: Reason::Near,
            distance,
            fields: Default::default(),
            text: None,
        };
        let first = vec![found("a", 0.9, Some(4)), found("b", 0.8, None)];
        let second =
            vec![found("c", 1.0, Some(2)), found("d", 0.9, Some(3)), found("e", 0.9, Some(4))];
        let answers = [first, second].map(|matches| Answer { matches, more: 1 });
        let Merged { matches, more } = Merged::of(answers, 4);
        let ids: Vec<_> =
            matches.iter().map(|(place, found)| (*place, found.id.to_string())).collect();
        let wanted = [(1, "c"), (1, "d"), (0, "a"), (1, "e")];
        assert_eq!(ids, wanted.map(|(place, id)| (place, id.to_string())));
        assert_eq!(more, 3);
    }
}
