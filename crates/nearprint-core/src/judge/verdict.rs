//! The decision on a pair of documents, with its evidence.

use super::Rules;
use crate::compare::{Difference, Measure};

/// The rule by which two documents are compared, which is the reason if they are duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Their normalized texts are equal.
    Exact,
    /// Their fingerprints are near, and their similarity is confirmed by the run's measure.
    Near,
    /// One of them is too short for a fingerprint, and their characters are similar.
    Short,
    /// Their fingerprints are near, and nearly all of one stands in the other one, which has more.
    Contained,
    /// The other document stands inside of this one, whole or edited.
    Contains,
    /// A person says so. The judge never gives this reason.
    Marked,
}

impl Reason {
    /// All of them, in the order of their numbers.
    pub const ALL: [Reason; 6] = [
        Reason::Exact,
        Reason::Near,
        Reason::Short,
        Reason::Contained,
        Reason::Contains,
        Reason::Marked,
    ];

    /// Returns true if a least similarity decides. Equal texts and pairs that a person marked are
    /// duplicates at any, and a document inside of another one is no part of both.
    pub fn has_bound(self) -> bool {
        !matches!(self, Reason::Exact | Reason::Contains | Reason::Marked)
    }

    /// The reason as one word.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Exact => "exact",
            Reason::Near => "near",
            Reason::Short => "short",
            Reason::Contained => "contained",
            Reason::Contains => "contains",
            Reason::Marked => "marked",
        }
    }
}

/// The kind of comparison that gave a similarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The texts are equal.
    Equality,
    /// Characters and figures of short texts.
    Characters,
    /// A measure of [`compare`](crate::compare).
    Measure(Measure),
    /// Nothing: the documents lack the parts to compare, or one is empty.
    Nothing,
}

/// The decision on a pair, with its evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// True if they are duplicates.
    pub duplicates: bool,
    /// The rule that applied, also if it found the texts different: see [`name`](Verdict::name).
    pub reason: Reason,
    /// The distance of the fingerprints as the rules count it, in bits or edits; 0 for equal texts,
    /// `None` if a document is short or a fingerprint is missing.
    pub distance: Option<u32>,
    /// Their similarity, 0 to 1: the highest `min-similarity` at which they are duplicates. Under
    /// coverage it is the share that the texts have in common, or less in a family, and 0 if a fact
    /// tells them apart.
    pub similarity: f64,
    /// The comparison that gave the similarity.
    pub basis: Basis,
    /// The share of the left document and of the right one that stands nowhere in the other one, 0
    /// to 1, if the texts were compared.
    pub lost: Option<[f64; 2]>,
    /// The difference of the texts, if their coverage was compared.
    pub difference: Option<Difference>,
    /// True if one of them is known to be in a family.
    pub in_family: bool,
}

impl Verdict {
    /// The verdict on two documents of which nothing was compared: one of them is short, and they
    /// are no duplicates.
    pub(super) const NOTHING_COMPARED: Verdict = Verdict {
        duplicates: false,
        reason: Reason::Short,
        distance: None,
        similarity: 0.0,
        basis: Basis::Nothing,
        lost: None,
        difference: None,
        in_family: false,
    };

    /// The verdict on two documents of equal normalized text.
    pub fn of_equal_texts() -> Verdict {
        Verdict {
            duplicates: true,
            reason: Reason::Exact,
            distance: Some(0),
            similarity: 1.0,
            basis: Basis::Equality,
            lost: Some([0.0; 2]),
            ..Verdict::NOTHING_COMPARED
        }
    }

    /// The verdict if one of the two documents is in a family.
    pub fn of_family(self, rules: &Rules) -> Verdict {
        let Some(difference) = self.difference else { return self };
        let similarity = difference.largest_bound(true);
        let duplicates = self.duplicates && similarity >= rules.min_similarity;
        Verdict { in_family: true, duplicates, similarity, ..self }
    }

    /// The verdict on the two documents in the other order.
    pub fn swapped(self) -> Verdict {
        let lost = self.lost.map(|[left, right]| [right, left]);
        Verdict { lost, difference: self.difference.map(Difference::swapped), ..self }
    }

    /// The share of both texts that stand in the other one, if coverage decides.
    pub fn share(&self) -> Option<f64> {
        self.difference.map(|difference| difference.similarity())
    }

    /// The name of the reason, or `different`.
    pub fn name(&self) -> &'static str {
        if self.duplicates { self.reason.name() } else { "different" }
    }
}
