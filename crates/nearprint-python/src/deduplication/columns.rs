//! A finished run -> the columns of its tables: removed documents, leaks, clusters, pairs, rejected
//! rows.

use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, ListArray, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use arrow_select::take::take;
use nearprint::outcome::{Decisions, DuplicatePair, Reason, Removal};
use nearprint::write::LeakPassages;
use nearprint::{Error, Rejection, write};

use super::Run;
use crate::documents::Documents;
use crate::errors::{counted_from_0, field, spelled};
use crate::side::Side;

impl Run {
    pub fn removed(&self) -> Result<RecordBatch, Error> {
        let removals = &self.decisions.removals;
        let [firsts, lasts] = places(removals.iter().map(|removal| removal.place));
        let lengths = |document: fn(&Removal) -> u32| -> ArrayRef {
            let lengths =
                removals.iter().map(|removal| self.corpus.lengths()[document(removal) as usize]);
            Arc::new(UInt32Array::from_iter_values(lengths))
        };
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("id", self.ids(removals.iter().map(|removal| removal.document))?),
            ("keeper", self.keeper_ids(removals.iter().map(|removal| removal.keeper))?),
            (
                "cluster",
                Arc::new(UInt32Array::from_iter_values(
                    removals.iter().map(|removal| removal.cluster),
                )),
            ),
            (
                "distance",
                Arc::new(UInt32Array::from_iter(removals.iter().map(|removal| removal.distance))),
            ),
            ("similarity", similarities(removals.iter().map(|removal| Some(removal.similarity)))),
            ("reason", reasons(removals.iter().map(|removal| Some(removal.reason)))),
            (
                "lost",
                Arc::new(Float64Array::from_iter(
                    removals.iter().map(|removal| removal.lost.map(nearprint::shares::rounded)),
                )),
            ),
            (
                "share",
                Arc::new(Float64Array::from_iter(
                    removals
                        .iter()
                        .map(|removal| removal.share.map(nearprint::shares::rounded_down)),
                )),
            ),
            ("first", firsts),
            ("last", lasts),
            ("length", lengths(|removal| removal.document)),
            ("keeper_length", lengths(|removal| removal.keeper)),
            ("row", self.rows(removals.iter().map(|removal| Some(removal.document)))),
            ("keeper_row", self.rows(removals.iter().map(|removal| Some(removal.keeper)))),
        ];
        if let Side::Files(_) = self.sides.documents {
            let documents = removals.iter().map(|removal| Some(removal.document));
            columns.push(("file", self.files(documents)));
        }
        if let Side::Files(_) = self.keepers() {
            let keepers = removals.iter().map(|removal| Some(removal.keeper));
            columns.push(("keeper_file", self.files(keepers)));
        }
        batch(columns)
    }

    /// A row for each row of the documents, also for the kept and the rejected ones; of files, a
    /// row for each document.
    pub fn labels(&self) -> Result<RecordBatch, Error> {
        let own = self.corpus.origins.against() as u32..self.corpus.len() as u32;
        let documents: Vec<Option<u32>> = match &self.sides.documents {
            Side::Files(_) => own.clone().map(Some).collect(),
            Side::Memory(rows) => {
                let mut documents = vec![None; rows.rows];
                own.clone().for_each(|document| documents[self.place(document)] = Some(document));
                documents
            }
        };
        let ids = match &self.sides.documents {
            Side::Files(_) => self.ids(own)?,
            Side::Memory(rows) => rows.ids_of(0..rows.rows)?,
        };
        let mut clusters = vec![None; self.corpus.len()];
        for ((keeper, members), number) in self.decisions.clusters.iter().zip(1..) {
            for document in members.iter().chain([keeper]) {
                clusters[*document as usize] = Some(number);
            }
        }
        let removal = |document: &Option<u32>| document.and_then(|own| self.decisions.removal(own));
        let removals: Vec<Option<&Removal>> = documents.iter().map(removal).collect();
        let removed = || removals.iter().copied();
        let keepers = removed().flatten().map(|removal| removal.keeper);
        let mut next = 0..;
        let places = removed().map(|removal| removal.and_then(|_| next.next()));
        let places = UInt32Array::from_iter(places);
        let keepers = take(&self.keeper_ids(keepers)?, &places, None)
            .map_err(|error| Error::usage("id", error.to_string()))?;
        let reason = |(document, removal): (&Option<u32>, &Option<&Removal>)| match document {
            None => Some("rejected"),
            Some(_) => removal.map(|removal| removal.reason.name()),
        };
        let is_kept = documents
            .iter()
            .zip(removed())
            .map(|(own, gone)| Some(own.is_some() && gone.is_none()));
        let of_cluster = documents.iter().map(|own| clusters[(*own)? as usize]);
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("id", ids),
            ("is_kept", Arc::new(BooleanArray::from_iter(is_kept))),
            ("keeper", keepers),
            ("keeper_row", self.rows(removed().map(|removal| Some(removal?.keeper)))),
            ("cluster", Arc::new(UInt32Array::from_iter(of_cluster))),
            ("similarity", similarities(removed().map(|removal| Some(removal?.similarity)))),
            (
                "reason",
                Arc::new(StringArray::from_iter(documents.iter().zip(&removals).map(reason))),
            ),
        ];
        if let Side::Files(_) = self.sides.documents {
            columns.push(("file", self.files(documents.iter().copied())));
            columns.push(("row", self.rows(documents.iter().copied())));
        }
        batch(columns)
    }

    /// The rows of documents; those in memory are counted from 0, those of a file from 1.
    fn rows(&self, documents: impl Iterator<Item = Option<u32>>) -> ArrayRef {
        let origins = &self.corpus.origins;
        let row = |document: u32| {
            let side = match (document as usize) < origins.against() {
                true => self.keepers(),
                false => &self.sides.documents,
            };
            origins.row(document) - u64::from(matches!(side, Side::Memory(_)))
        };
        Arc::new(UInt64Array::from_iter(documents.map(|document| document.map(row))))
    }

    /// The files of documents.
    fn files(&self, documents: impl Iterator<Item = Option<u32>>) -> ArrayRef {
        let file = |document: Option<u32>| Some(self.corpus.origins.file(document?));
        Arc::new(StringArray::from_iter(documents.map(file)))
    }

    /// Places of changed documents among the kept ones, and their new texts.
    pub fn changes(&self, documents: &Documents) -> Result<(Vec<usize>, RecordBatch), Error> {
        let mut passages =
            LeakPassages::new(&self.corpus, self.deduplicator.config().keep.leak_action);
        let (mut places, mut rows, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        let first = self.corpus.origins.against() as u32;
        let is_kept = |document: &u32| self.decisions.removal(*document).is_none();
        for (place, document) in (first..self.corpus.len() as u32).filter(is_kept).enumerate() {
            let own = passages.of(document)?;
            if !own.is_empty() {
                places.push(place);
                rows.push(self.place(document));
                left_out.push(own);
            }
        }
        let fields = &self.deduplicator.config().read.text_fields;
        let texts = fields.iter().map(|field| documents.texts_of(field, &rows));
        let texts = texts.collect::<Result<Vec<_>, Error>>()?;
        let mut changed: Vec<LargeStringBuilder> =
            fields.iter().map(|_| LargeStringBuilder::new()).collect();
        for (row, own) in left_out.iter().enumerate() {
            let values: Vec<_> =
                texts.iter().map(|texts| texts.is_valid(row).then(|| texts.value(row))).collect();
            let new = write::without_in_values(&values, own, passages.treatment);
            changed.iter_mut().zip(new).for_each(|(column, text)| column.append_option(text));
        }
        let changed = changed.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        Ok((places, batch(fields.iter().map(String::as_str).zip(changed).collect())?))
    }

    pub fn leaks(&self) -> Result<RecordBatch, Error> {
        let action = self.deduplicator.config().keep.leak_action;
        let leaks = write::listed_leaks(&self.corpus, &self.decisions, action)
            .collect::<Result<Vec<_>, Error>>()?;
        let [firsts, lasts] = places(leaks.iter().map(|leak| leak.place));
        batch(vec![
            ("id", self.ids(leaks.iter().map(|leak| leak.document))?),
            ("item", self.keeper_ids(leaks.iter().map(|leak| leak.item))?),
            ("reason", reasons(leaks.iter().map(|leak| Some(leak.reason)))),
            ("similarity", similarities(leaks.iter().map(|leak| Some(leak.similarity)))),
            ("first", firsts),
            ("last", lasts),
            (
                "action",
                Arc::new(StringArray::from_iter_values(leaks.iter().map(|leak| leak.action))),
            ),
        ])
    }

    pub fn clusters(&self) -> Result<RecordBatch, Error> {
        let clusters = &self.decisions.clusters;
        // With two sides, ids of keepers may have another type than ids of members. So members are
        // only of the deduplicated side, and the keeper has its own column.
        let own = |document: &u32| *document as usize >= self.corpus.origins.against();
        let members: Vec<Vec<u32>> = clusters
            .iter()
            .map(|(_, members)| members.iter().copied().filter(own).collect())
            .collect();
        let listed = |values: ArrayRef| -> Result<ArrayRef, Error> {
            let offsets = OffsetBuffer::from_lengths(members.iter().map(Vec::len));
            let item = Arc::new(Field::new("item", values.data_type().clone(), true));
            let list = ListArray::try_new(item, offsets, values, None);
            Ok(Arc::new(list.map_err(|error| Error::usage("id", error.to_string()))?))
        };
        let ids = listed(self.ids(members.iter().flatten().copied())?)?;
        let rows = listed(self.rows(members.iter().flatten().copied().map(Some)))?;
        let sizes = clusters.iter().map(|(_, members)| members.len() as u32);
        batch(vec![
            ("cluster", Arc::new(UInt32Array::from_iter_values(1..=clusters.len() as u32))),
            ("keeper", self.keeper_ids(clusters.iter().map(|(keeper, _)| *keeper))?),
            ("keeper_row", self.rows(clusters.iter().map(|(keeper, _)| Some(*keeper)))),
            ("size", Arc::new(UInt32Array::from_iter_values(sizes))),
            ("members", ids),
            ("rows", rows),
        ])
    }

    pub fn table_of_pairs(&self, decisions: &Decisions) -> Result<RecordBatch, Error> {
        let pairs = decisions.all_pairs().collect::<Result<Vec<_>, Error>>()?;
        batch(vec![
            ("left", self.keeper_ids(pairs.iter().map(|pair| pair.left))?),
            ("right", self.ids(pairs.iter().map(|pair| pair.right))?),
            ("distance", Arc::new(UInt32Array::from_iter(pairs.iter().map(|pair| pair.distance)))),
            ("similarity", similarities(pairs.iter().map(|pair| Some(pair.similarity)))),
            ("reason", reasons(pairs.iter().map(|pair| Some(pair.reason)))),
        ])
    }

    pub fn table_of_just_missed(&self) -> Result<RecordBatch, Error> {
        let pairs = self.decisions.just_missed.iter().flat_map(|pairs| pairs.iter());
        let pairs = pairs.collect::<Result<Vec<_>, Error>>()?;
        let rows = |document: fn(&DuplicatePair) -> u32| {
            self.rows(pairs.iter().map(|pair| Some(document(pair))))
        };
        batch(vec![
            ("left", self.keeper_ids(pairs.iter().map(|pair| pair.left))?),
            ("right", self.ids(pairs.iter().map(|pair| pair.right))?),
            ("distance", Arc::new(UInt32Array::from_iter(pairs.iter().map(|pair| pair.distance)))),
            ("similarity", similarities(pairs.iter().map(|pair| Some(pair.similarity)))),
            ("left_row", rows(|pair| pair.left)),
            ("right_row", rows(|pair| pair.right)),
        ])
    }

    pub fn rejected(&self) -> Result<RecordBatch, Error> {
        let rejections: Vec<Rejection> =
            self.corpus.origins.rejections.iter().map(counted_from_0).collect();
        let texts = |text: fn(&Rejection) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(rejections.iter().map(text)))
        };
        let rows: ArrayRef =
            Arc::new(UInt64Array::from_iter(rejections.iter().map(|rejection| rejection.row)));
        let fields: ArrayRef = Arc::new(StringArray::from_iter(
            rejections.iter().map(|rejection| field(&rejection.problem)),
        ));
        // Those of the documents have ids, if their column has them.
        let own = |rejection: &&Rejection| rejection.file == "documents" && rejection.row.is_some();
        let ids = rejections.iter().filter(own).filter_map(|rejection| rejection.row);
        let ids = match &self.sides.documents {
            Side::Memory(documents) => documents.ids_of(ids.map(|row| row as usize))?,
            Side::Files(_) => Arc::new(StringArray::new_null(0)),
        };
        let mut next = 0..;
        let places = rejections.iter().map(|rejection| own(&rejection).then(|| next.next())?);
        let ids = take(&ids, &UInt32Array::from_iter(places), None)
            .map_err(|error| Error::usage("id", error.to_string()))?;
        batch(vec![
            ("file", texts(|rejection| rejection.file.clone())),
            ("row", rows),
            ("id", ids),
            ("field", fields),
            ("problem", texts(|rejection| rejection.problem.name().to_string())),
            ("message", texts(|rejection| spelled(&rejection.problem.message()))),
        ])
    }
}

pub(crate) fn batch(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch, Error> {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns)
        .map_err(|error| Error::usage("input", error.to_string()))
}

/// Columns of the first and of the last characters of places.
fn places(places: impl Iterator<Item = Option<[u32; 2]>> + Clone) -> [ArrayRef; 2] {
    [0, 1].map(|end| {
        Arc::new(UInt32Array::from_iter(places.clone().map(|place| place.map(|place| place[end]))))
            as _
    })
}

/// A column of similarities, rounded down as in the output of the command line.
pub(crate) fn similarities(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(Float64Array::from_iter(
        values.map(|value| value.map(nearprint::shares::rounded_down)),
    ))
}

pub(crate) fn reasons(values: impl Iterator<Item = Option<Reason>>) -> ArrayRef {
    Arc::new(StringArray::from_iter(values.map(|value| value.map(Reason::name))))
}
