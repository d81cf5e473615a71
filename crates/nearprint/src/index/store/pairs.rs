//! Pairs of a copy and the document that was its keeper when it was found, with a person's verdict.

use nearprint_core::judge::Reason;
use rusqlite::{Row, params};

use super::failure::failed;
use super::{Store, id_of, value};
use crate::document::Id;
use crate::error::Error;
use crate::index::pair::{Pair, PairOrder, PairStatus};

/// The columns of a pair, in the order in which they are read.
const COLUMNS: &str = "pair, copy, keeper, story, at, similarity, reason, distance, copy_text, \
    keeper_text, verdict";

impl Store {
    /// Inserts a pair, which gets a new number unless there is a pair of these ids. Returns its
    /// number. The verdict of an earlier pair stays if both texts are the same.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn insert_pair(&self, found: &Pair) -> Result<i64, Error> {
        let Pair { copy, keeper, story, at, similarity, reason, distance, texts, .. } = found;
        let texts = texts.map(|hash| hash.map(|hash| hash as i64));
        let statement = "INSERT INTO pairs (copy, keeper, story, at, similarity, reason, distance, \
                copy_text, keeper_text, verdict) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) \
            ON CONFLICT (copy, keeper) DO UPDATE SET story = ?3, at = ?4, similarity = ?5, \
                reason = ?6, distance = ?7, copy_text = ?8, keeper_text = ?9, \
                verdict = CASE WHEN copy_text IS ?8 AND keeper_text IS ?9 THEN verdict ELSE ?10 END \
            RETURNING pair";
        let parameters = params![
            value(copy),
            value(keeper),
            story,
            at,
            similarity,
            reason.name(),
            distance,
            texts[0],
            texts[1],
            found.status.number()
        ];
        let pair = self.one(statement, parameters, |row| row.get(0))?;
        pair.ok_or_else(|| self.unfit("is damaged: a pair has no number"))
    }

    /// Gives the open pair of a copy, if there is one, another keeper, so that its number stays. A pair
    /// with this keeper that is there already stays as well.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn move_open_pair(&self, copy: &Id, keeper: &Id) -> Result<(), Error> {
        let statement = "UPDATE OR IGNORE pairs SET keeper = ?2 WHERE pair = \
            (SELECT max(pair) FROM pairs WHERE copy = ?1 AND verdict IN (0, 3))";
        self.execute(statement, params![value(copy), value(keeper)]).map(|_| ())
    }

    /// Removes the pairs of a copy beside this one unless a person has found them right or wrong.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove_other_open_pairs(&self, copy: &Id, pair: i64) -> Result<(), Error> {
        let statement = "DELETE FROM pairs WHERE copy = ?1 AND pair <> ?2 AND verdict IN (0, 3)";
        self.execute(statement, params![value(copy), pair]).map(|_| ())
    }

    /// Removes all pairs of a document.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove_pairs_of(&self, id: &Id) -> Result<(), Error> {
        let statement = "DELETE FROM pairs WHERE copy = ?1 OR keeper = ?1";
        self.execute(statement, [value(id)]).map(|_| ())
    }

    /// Turns a pair around: its keeper is the copy now. A pair that has this direction already is
    /// removed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn turn_pair(&self, copy: &Id, keeper: &Id) -> Result<(), Error> {
        let other = "DELETE FROM pairs WHERE copy = ?2 AND keeper = ?1 \
            AND EXISTS (SELECT 1 FROM pairs WHERE copy = ?1 AND keeper = ?2)";
        self.execute(other, params![value(copy), value(keeper)])?;
        let turned = "UPDATE pairs SET copy = keeper, keeper = copy, copy_text = keeper_text, \
            keeper_text = copy_text WHERE copy = ?1 AND keeper = ?2";
        self.execute(turned, params![value(copy), value(keeper)]).map(|_| ())
    }

    /// The pair of a number.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`] if it is damaged.
    pub fn pair(&self, pair: i64) -> Result<Option<Pair>, Error> {
        Ok(self.pairs(&format!("SELECT {COLUMNS} FROM pairs WHERE pair = ?1"), [pair])?.pop())
    }

    /// The pair of these documents, in this order.
    ///
    /// # Errors
    /// As [`pair`](Self::pair).
    pub fn pair_of(&self, copy: &Id, keeper: &Id) -> Result<Option<Pair>, Error> {
        let statement = format!("SELECT {COLUMNS} FROM pairs WHERE copy = ?1 AND keeper = ?2");
        Ok(self.pairs(&statement, params![value(copy), value(keeper)])?.pop())
    }

    /// The pair that was found last of a copy.
    ///
    /// # Errors
    /// As [`pair`](Self::pair).
    pub fn last_pair_of(&self, copy: &Id) -> Result<Option<Pair>, Error> {
        let statement = format!(
            "SELECT {COLUMNS} FROM pairs WHERE copy = ?1 ORDER BY at DESC, pair DESC LIMIT 1"
        );
        Ok(self.pairs(&statement, [value(copy)])?.pop())
    }

    /// The pairs of a document that a person has found right or wrong.
    ///
    /// # Errors
    /// As [`pair`](Self::pair).
    pub fn marked_pairs(&self, id: &Id) -> Result<Vec<Pair>, Error> {
        let is_marked = "verdict IN (1, 2)";
        let statement = format!(
            "SELECT {COLUMNS} FROM pairs WHERE copy = ?1 AND {is_marked} UNION \
             SELECT {COLUMNS} FROM pairs WHERE keeper = ?1 AND {is_marked} ORDER BY pair"
        );
        self.pairs(&statement, [value(id)])
    }

    /// The next pairs with a verdict after a pair, in this order.
    ///
    /// # Errors
    /// As [`pair`](Self::pair).
    pub fn pairs_with(
        &self,
        status: PairStatus,
        order: PairOrder,
        after: Option<i64>,
        most: usize,
    ) -> Result<Vec<Pair>, Error> {
        let (behind, order) = match order {
            PairOrder::Newest => ("pair < ?2", "pair DESC"),
            PairOrder::Oldest => ("pair > ?2", "pair"),
            PairOrder::LeastSimilar => (
                "(similarity, pair) > (SELECT similarity, pair FROM pairs WHERE pair = ?2)",
                "similarity, pair",
            ),
        };
        let statement = format!(
            "SELECT {COLUMNS} FROM pairs WHERE verdict = ?1 AND (?2 IS NULL OR {behind}) \
             ORDER BY {order} LIMIT ?3"
        );
        self.pairs(&statement, params![status.number(), after, most as i64])
    }

    /// The next pairs after a pair, in the order of their numbers.
    ///
    /// # Errors
    /// As [`pair`](Self::pair).
    pub fn pairs_after(&self, after: i64, most: usize) -> Result<Vec<Pair>, Error> {
        let statement =
            format!("SELECT {COLUMNS} FROM pairs WHERE pair > ?1 ORDER BY pair LIMIT ?2");
        self.pairs(&statement, [after, most as i64])
    }

    /// The number of pairs with a verdict.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn count_pairs(&self, status: PairStatus) -> Result<u64, Error> {
        let statement = "SELECT count(*) FROM pairs WHERE verdict = ?1";
        let count = self.one(statement, [status.number()], |row| row.get::<_, i64>(0))?;
        Ok(count.unwrap_or(0) as u64)
    }

    /// Sets the verdict of a pair at a time, in seconds since 1970.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn set_verdict(&self, pair: i64, status: PairStatus, now: i64) -> Result<(), Error> {
        let statement = "UPDATE pairs SET verdict = ?2, judged = ?3 WHERE pair = ?1";
        self.execute(statement, params![pair, status.number(), now]).map(|_| ())
    }

    fn pairs(
        &self,
        statement: &str,
        parameters: impl rusqlite::Params,
    ) -> Result<Vec<Pair>, Error> {
        let mut pairs = Vec::new();
        self.all(statement, parameters, |row| {
            let pair = pair(row).map_err(failed(&self.path, "read"))?;
            pairs.push(pair.ok_or_else(|| self.unfit("is damaged: a pair cannot be read"))?);
            Ok(())
        })?;
        Ok(pairs)
    }
}

/// The pair of a row; `None` if it is damaged.
fn pair(row: &Row<'_>) -> rusqlite::Result<Option<Pair>> {
    let hash = |place| row.get::<_, Option<i64>>(place);
    let texts = [hash(8)?, hash(9)?].map(|hash| hash.map(|hash| hash as u64));
    let ids = id_of(row.get_ref(1)?).zip(id_of(row.get_ref(2)?));
    let name: String = row.get(6)?;
    let reason = Reason::ALL.into_iter().find(|reason| reason.name() == name);
    let status = PairStatus::of_number(row.get(10)?);
    let (Some((copy, keeper)), Some(reason), Some(status)) = (ids, reason, status) else {
        return Ok(None);
    };
    Ok(Some(Pair {
        pair: row.get(0)?,
        copy,
        keeper,
        story: row.get(3)?,
        at: row.get(4)?,
        similarity: row.get(5)?,
        reason,
        distance: row.get(7)?,
        texts,
        status,
    }))
}
