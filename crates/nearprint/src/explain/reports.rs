//! The reports of a finished run -> the rows about some of its documents.

use super::pair::characters;
use super::{Evidence, Explained, Fate, LeakOf};
use crate::document::Id;
use crate::error::Error;
use crate::finished::{Finished, FoundDocument, Leak, Missed, Place, Removed};

/// The most removed documents of a keeper that are listed.
const LISTED: usize = 10;

/// The rows of the reports about some documents.
pub(super) struct Reports {
    /// The removals of the documents, and the removals for which they stay.
    removed: Vec<Removed>,
    leaks: Vec<Leak>,
    /// The pairs with one of them that just missed the least similarity, the most similar first.
    missed: Vec<Missed>,
    has_sides: bool,
}

impl Reports {
    pub(super) fn read(
        finished: &Finished,
        documents: &[&FoundDocument],
    ) -> Result<Reports, Error> {
        let is_of = |file: &str, row: u64| documents.iter().any(|found| is_at(found, file, row));
        let mut removed = Vec::new();
        for row in finished.removed()? {
            let row = row?;
            if is_of(&row.file, row.row) || is_of(&row.keeper_file, row.keeper_row) {
                removed.push(row);
            }
        }
        let mut leaks = Vec::new();
        for row in finished.leaks()? {
            let row = row?;
            if documents.iter().any(|found| !found.of_against && found.id == row.id) {
                leaks.push(row);
            }
        }
        let mut missed = Vec::new();
        for row in finished.just_missed()? {
            let row = row?;
            if is_of(&row.left_file, row.left_row) || is_of(&row.right_file, row.right_row) {
                missed.push(row);
            }
        }
        missed.sort_by(|one: &Missed, other: &Missed| other.similarity.total_cmp(&one.similarity));
        Ok(Reports { removed, leaks, missed, has_sides: !finished.against.is_empty() })
    }

    /// The pair of these two, if it just missed the least similarity.
    pub(super) fn missed(&self, [one, other]: [&FoundDocument; 2]) -> Option<&Missed> {
        let is = |missed: &&Missed, left: &FoundDocument, right: &FoundDocument| {
            is_at(left, &missed.left_file, missed.left_row)
                && is_at(right, &missed.right_file, missed.right_row)
        };
        self.missed.iter().find(|missed| is(missed, one, other) || is(missed, other, one))
    }

    pub(super) fn removal_of(&self, found: &FoundDocument) -> Option<&Removed> {
        self.removed.iter().find(|removed| is_at(found, &removed.file, removed.row))
    }

    pub(super) fn explained(&self, found: &FoundDocument) -> Explained {
        let removal = self.removal_of(found);
        let mut stands_for: Vec<&Removed> = self
            .removed
            .iter()
            .filter(|removed| is_at(found, &removed.keeper_file, removed.keeper_row))
            .collect();
        stands_for.sort_by(|one, other| one.similarity.total_cmp(&other.similarity));
        let more = stands_for.len().saturating_sub(LISTED);
        stands_for.truncate(LISTED);
        let removed = |removed: &Removed| {
            Evidence::new(
                &removed.id,
                &Place { file: removed.file.clone(), row: removed.row },
                removed,
            )
        };
        let leaks = self
            .leaks
            .iter()
            .filter(|leak| self.has_sides && !found.of_against && leak.id == found.id);
        let leak = |leak: &Leak| LeakOf {
            item: leak.item.clone(),
            reason: leak.reason,
            similarity: leak.similarity,
            place: place(leak.first, leak.last),
            passage: place(leak.first, leak.last)
                .map(|place| characters(&found.text, place).to_string()),
            action: leak.action.clone(),
        };
        let missed = self.missed.iter().filter_map(|missed| {
            let is_left = is_at(found, &missed.left_file, missed.left_row);
            let is_right = is_at(found, &missed.right_file, missed.right_row);
            let (id, file, row) = match (is_left, is_right) {
                (true, _) => (&missed.right, &missed.right_file, missed.right_row),
                (_, true) => (&missed.left, &missed.left_file, missed.left_row),
                _ => return None,
            };
            let place = Place { file: file.clone(), row };
            Some(Evidence::missed(id, &place, missed))
        });
        Explained {
            id: found.id.clone(),
            file: found.place.file.clone(),
            row: Some(found.place.row),
            fate: match removal {
                _ if found.of_against => Fate::Reference,
                Some(_) => Fate::Removed,
                None => Fate::Kept,
            },
            rejection: None,
            removal: removal.map(|removed| {
                let keeper = Place { file: removed.keeper_file.clone(), row: removed.keeper_row };
                Evidence::new(&removed.keeper, &keeper, removed)
            }),
            stands_for: stands_for.into_iter().map(removed).collect(),
            more,
            just_missed: missed.take(LISTED).collect(),
            nearest: None,
            is_empty: false,
            leaks: leaks.map(leak).collect(),
        }
    }
}

impl Evidence {
    fn new(id: &Id, other: &Place, removed: &Removed) -> Evidence {
        Evidence {
            id: id.clone(),
            file: other.file.clone(),
            row: other.row,
            cluster: Some(removed.cluster),
            reason: Some(removed.reason),
            similarity: removed.similarity,
            distance: removed.distance,
            lost: removed.lost,
            share: removed.share,
            place: place(removed.first, removed.last),
        }
    }

    fn missed(id: &Id, other: &Place, missed: &Missed) -> Evidence {
        Evidence {
            id: id.clone(),
            file: other.file.clone(),
            row: other.row,
            cluster: None,
            reason: None,
            similarity: missed.similarity,
            distance: missed.distance,
            lost: None,
            share: None,
            place: None,
        }
    }
}

fn is_at(found: &FoundDocument, file: &str, row: u64) -> bool {
    found.place.row == row && found.place.file == file
}

fn place(first: Option<u32>, last: Option<u32>) -> Option<[u32; 2]> {
    Some([first?, last?])
}
