//! Rows of pairs -> duplicates, pairs judged to be different, and pairs without a judgment.

use hashbrown::HashMap;

use super::super::Pair;
use super::{AnswerReader, json};
use crate::cluster::{self, Method};
use crate::error::{Error, Problem, Rejection};
use crate::read::json::Value;
use crate::read::table::Table;
use crate::read::values::{distance, id, judgment, number};
use crate::read::{Format, Source};

/// The reason that `dedup` gives for a pair of equal texts.
const EXACT: &str = "exact";

/// The column with a person's marks.
const VERDICT: &str = "verdict";

/// The most pairs that are made of equal texts; more would take more than 1 GB.
const MOST_IMPLIED: u64 = 1 << 27;

impl AnswerReader<'_> {
    pub(super) fn pairs(&mut self, source: &Source, left: &str, right: &str) -> Result<(), Error> {
        let any_row_may = source.format == Format::JsonLines;
        let label = self.columns.label.clone();
        let label = label.filter(|name| self.has(name) || any_row_may && !self.has("label"));
        let usual = if !self.has("label") && self.has(VERDICT) { VERDICT } else { "label" };
        let label = label.unwrap_or_else(|| usual.to_string());
        let mut marked = (label == VERDICT).then(HashMap::new);
        let mut labelled = self.has(&label);
        let mut wanted = vec![left.to_string(), right.to_string()];
        for name in [&label, "distance", "similarity", "reason"] {
            if any_row_may || self.has(name) {
                wanted.push(name.to_string());
            }
        }
        let place = |name: &str| wanted.iter().position(|column| column == name);
        let (label_place, distance_place) = (place(&label), place("distance"));
        let (similarity_place, reason_place) = (place("similarity"), place("reason"));
        let mut rows: Vec<(Pair, Option<bool>, u64)> = Vec::new();
        let mut equal = Vec::new();
        let mut table = Table::open(source, &wanted)?;
        loop {
            let names = &mut *self.names;
            let row = table.next(|row, values| {
                let ends = [id(values[0].as_ref(), left)?, id(values[1].as_ref(), right)?];
                let label_value = label_place.and_then(|place| values[place].as_ref());
                let judged = judgment(label_value, &label)?;
                let value = |place: Option<usize>| place.and_then(|place| values[place].as_ref());
                let [left, right] = ends.map(|(id, integer)| names.number(&id, integer));
                let evidence = (
                    value(distance_place).and_then(distance),
                    value(similarity_place).and_then(number),
                );
                if let (true, Some(similarity)) = (label == VERDICT, evidence.1)
                    && !(0.0..=1.0).contains(&similarity)
                {
                    let (field, wanted) = ("similarity".into(), "a number from 0 to 1".into());
                    return Err(Problem::WrongType {
                        field,
                        wanted,
                        found: similarity.to_string(),
                    });
                }
                let exact =
                    matches!(value(reason_place), Some(Value::Text(reason)) if reason == EXACT);
                Ok((
                    (left.min(right), left.max(right)),
                    label_value.is_some(),
                    judged,
                    evidence,
                    exact,
                    row,
                ))
            });
            let Some(row) = row else { break };
            let Some((pair, has_label, judged, (distance, similarity), exact, row)) =
                self.take(row)?
            else {
                continue;
            };
            labelled |= has_label;
            if pair.0 == pair.1 {
                self.answer.self_pairs += 1;
                continue;
            }
            if self.evidence && (distance.is_some() || similarity.is_some()) {
                self.answer.evidence.push((pair, (distance, similarity)));
            }
            if let (Some(marked), Some(similarity)) = (&mut marked, similarity) {
                marked.entry(pair).or_insert(similarity);
            }
            if exact {
                equal.push(pair);
            }
            rows.push((pair, judged, row));
        }
        if labelled
            && self.columns.label.as_ref() == Some(&label)
            && !self.answer.has.contains(&label)
        {
            self.answer.has.push(label);
        }
        self.answer.marked = marked;
        self.judge(source, rows, labelled)?;
        // Labels are set pair by pair.
        if labelled { Ok(()) } else { self.imply(source, equal) }
    }

    /// Sorts pairs by their labels. A pair with two different labels is refused where it comes
    /// again.
    fn judge(
        &mut self,
        source: &Source,
        mut rows: Vec<(Pair, Option<bool>, u64)>,
        labelled: bool,
    ) -> Result<(), Error> {
        rows.sort_by_key(|(pair, _, row)| (*pair, *row));
        let mut first: Option<(Pair, Option<bool>, u64)> = None;
        for (pair, judged, row) in rows {
            match first {
                Some((before, before_judged, before_row)) if before == pair => {
                    if before_judged == judged {
                        self.answer.repeated_pairs += 1;
                        continue;
                    }
                    let ids = [pair.0, pair.1].map(|number| json(self.names, number));
                    let problem = Problem::Contradiction {
                        pair: ids.join(" and "),
                        first: format!("{}, row {before_row}", source.label),
                    };
                    self.answer.rows -= 1;
                    self.take::<()>(Err(Rejection {
                        file: source.label.clone(),
                        row: Some(row),
                        problem,
                    }))?;
                    continue;
                }
                _ => first = Some((pair, judged, row)),
            }
            match judged {
                _ if !labelled => self.answer.duplicates.push(pair),
                Some(true) => self.answer.duplicates.push(pair),
                Some(false) => self.answer.different.push(pair),
                None => self.answer.left_out.push(pair),
            }
        }
        Ok(())
    }

    /// Adds the pairs of equal texts that `dedup` does not list. It lists each copy of an equal
    /// text with one representative only, whose pairs stand for the pairs of all copies. Only the
    /// reason `exact` marks equal texts, since different texts may have distance 0 and similarity
    /// 1.
    fn imply(&mut self, source: &Source, equal: Vec<Pair>) -> Result<(), Error> {
        if equal.is_empty() {
            return Ok(());
        }
        let ranks: Vec<u32> = (0..self.names.len() as u32).collect();
        let representatives = cluster::keepers(Method::Components, &ranks, &equal);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); representatives.len()];
        for (document, representative) in (0..).zip(&representatives) {
            members[*representative as usize].push(document);
        }
        let of = |document: u32| representatives[document as usize];
        let listed = &self.answer.duplicates;
        let mut texts: Vec<Pair> =
            listed.iter().map(|(left, right)| (of(*left), of(*right))).collect();
        texts.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
        texts.sort_unstable();
        texts.dedup();
        let size = |text: u32| members[text as usize].len() as u64;
        let pairs_of = |(left, right): &Pair| match left == right {
            true => size(*left) * (size(*left) - 1) / 2,
            false => size(*left) * size(*right),
        };
        let count: u64 = texts.iter().map(pairs_of).sum();
        if count > MOST_IMPLIED {
            let problem = format!(
                "its equal texts make {count} pairs, which are too many; evaluate clusters.jsonl \
                 of the same run instead"
            );
            return Err(Error::Incompatible {
                path: source.label.clone().into(),
                problem: problem.into(),
            });
        }
        let mut all = Vec::with_capacity(count as usize);
        for (left, right) in texts {
            for one in &members[left as usize] {
                let others =
                    members[right as usize].iter().filter(|other| left != right || *other > one);
                all.extend(others.map(|other| (*one.min(other), *one.max(other))));
            }
        }
        all.sort_unstable();
        self.answer.implied_pairs = (all.len() - listed.len()) as u64;
        self.answer.duplicates = all;
        Ok(())
    }
}
