//! Pairs of a copy and its keeper, and verdicts, as plain data.

use nearprint_core::judge::Reason;
use serde::{Deserialize, Serialize};

use super::IndexDocument;
use super::answer::utc;
use crate::document::Id;
use crate::shares::serialize_rounded;

/// The verdict of a person on a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairStatus {
    /// None yet.
    Open,
    /// The two are duplicates.
    Right,
    /// The two are no duplicates.
    Wrong,
    /// To be decided later.
    Later,
}

impl PairStatus {
    /// All of them, in the order of their numbers.
    pub const ALL: [PairStatus; 4] =
        [PairStatus::Open, PairStatus::Right, PairStatus::Wrong, PairStatus::Later];

    /// The verdict in one word.
    pub fn name(self) -> &'static str {
        ["open", "right", "wrong", "later"][self as usize]
    }

    pub(super) fn number(self) -> i64 {
        self as i64
    }

    pub(super) fn of_number(number: i64) -> Option<PairStatus> {
        PairStatus::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// The order of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairOrder {
    /// The last one that was found comes first.
    #[default]
    Newest,
    /// The first one that was found comes first.
    Oldest,
    /// The least similar comes first.
    LeastSimilar,
}

/// A copy, and the document that was its keeper when it was found, without their texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// Its number.
    pub pair: i64,
    /// The id of the copy.
    #[serde(skip)]
    pub copy: Id,
    /// The id of the keeper.
    #[serde(skip)]
    pub keeper: Id,
    /// The story of the keeper.
    pub story: u32,
    /// The verdict of a person.
    pub status: PairStatus,
    /// Their similarity, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    pub similarity: f64,
    /// The reason why they are duplicates.
    pub reason: Reason,
    /// The distance of their fingerprints in bits; `None` if one of them is short.
    pub distance: Option<u32>,
    /// The time at which it was found, in seconds since 1970.
    #[serde(serialize_with = "utc")]
    pub at: i64,
    /// The hashes of the texts of both as read, by which marks know them; `None` if the index does not
    /// keep a text as read.
    #[serde(skip)]
    pub texts: [Option<u64>; 2],
}

/// A pair with its documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairDocuments {
    /// The pair.
    #[serde(flatten)]
    pub pair: Pair,
    /// The copy.
    pub left: PairDocument,
    /// The keeper.
    pub right: PairDocument,
}

/// A document of a pair.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum PairDocument {
    /// The document as it is now.
    There(IndexDocument),
    /// The index no longer has it.
    Gone {
        /// Its id.
        id: Id,
    },
}

/// A verdict on a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The number of the pair.
    pub pair: i64,
    /// The verdict.
    pub status: PairStatus,
    /// The document of the two that is to be the keeper, if the verdict is right; `None` to leave it.
    pub keeper: Option<Id>,
}
