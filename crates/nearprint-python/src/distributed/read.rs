//! Arrow columns -> the documents, records and texts of a part.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use nearprint::Fingerprints;
use nearprint::distributed::{Families, Group, Keys, ShortGroup};
use nearprint::read::Source;
use nearprint_core::compare::{BINS, ShortText};
use pyo3_arrow::PyTable;

use super::of_columns;

/// The batches of a table; columns are read by name and type.
pub(super) struct Rows(pub(super) Vec<RecordBatch>);

impl Rows {
    pub(super) fn new(rows: PyTable) -> Rows {
        Rows(rows.into_inner().0)
    }

    /// The columns of these names, cast to these types, of each batch.
    pub(super) fn columns<const N: usize>(
        &self,
        of: [(&str, DataType); N],
    ) -> Result<Vec<[ArrayRef; N]>, ArrowError> {
        let columns = |batch: &RecordBatch| {
            let column = |(name, kind): &(&str, DataType)| {
                let column = batch.column_by_name(name);
                cast(
                    column.ok_or_else(|| ArrowError::SchemaError(format!("no column {name}")))?,
                    kind,
                )
            };
            let columns: Vec<ArrayRef> = of.iter().map(column).collect::<Result<_, _>>()?;
            Ok(columns.try_into().expect("there are as many"))
        };
        self.0.iter().map(columns).collect()
    }

    /// The values of guards of each row of each batch; empty without guards.
    pub(super) fn values(&self) -> Result<Vec<Vec<Vec<i64>>>, ArrowError> {
        let of_batch = |batch: &RecordBatch| {
            let Some(column) = batch.column_by_name("guards") else {
                return Ok(vec![Vec::new(); batch.num_rows()]);
            };
            let lists = cast(column, &DataType::new_list(DataType::Int64, true))?;
            let list = |values: Option<ArrayRef>| {
                values.map_or_else(Vec::new, |values| {
                    values.as_primitive::<Int64Type>().values().to_vec()
                })
            };
            Ok(lists.as_list::<i32>().iter().map(list).collect())
        };
        self.0.iter().map(of_batch).collect()
    }
}

/// A document by the bytes of its hash.
pub(super) fn hash_of(bytes: &[u8]) -> Result<u128, ArrowError> {
    let hash = bytes.try_into().map(u128::from_be_bytes);
    hash.map_err(|_| ArrowError::SchemaError("a hash is not of 16 bytes".to_string()))
}

/// A column of texts; null for a text that is not UTF-8, which Spark does not check.
pub(super) fn texts_of(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    cast(&cast(column, &DataType::LargeBinary)?, &DataType::LargeUtf8)
}

/// The rows of a group, or of two that meet.
pub(super) struct Groups(Vec<Rows>);

impl Groups {
    pub(super) fn new(group: PyTable, other: Option<PyTable>) -> Groups {
        Groups([Some(group), other].into_iter().flatten().map(Rows::new).collect())
    }
}

/// The records of a group, sorted by hash, so that equal rows give equal pairs.
pub(super) fn group_of(Groups(groups): Groups, bits: u32) -> Result<Group, ArrowError> {
    let fingerprints = Fingerprints::new(bits);
    let mut read =
        Group { documents: Keys::default(), fingerprints, sketches: Vec::new(), first: None };
    let columns = ["hash", "fingerprint", "sketch"].map(|name| (name, DataType::LargeBinary));
    for (number, rows) in groups.iter().enumerate() {
        if number > 0 {
            read.first = Some(read.documents.keys.len());
        }
        let (batches, mut values) = (rows.columns(columns.clone())?, rows.values()?);
        let mut order: Vec<(u128, usize, usize)> = Vec::new();
        for (batch, [own, ..]) in batches.iter().enumerate() {
            let own = own.as_binary::<i64>();
            for row in 0..own.len() {
                order.push((hash_of(own.value(row))?, batch, row));
            }
        }
        order.sort_unstable();
        for (hash, batch, row) in order {
            let [_, fingerprints, sketches] =
                batches[batch].each_ref().map(|column| column.as_binary::<i64>());
            read.documents.keys.push(hash);
            read.documents.values.push(std::mem::take(&mut values[batch][row]));
            read.fingerprints.push(&words_of(fingerprints.value(row)));
            read.sketches.push(sketches.value(row).first_chunk::<BINS>().copied());
        }
    }
    Ok(read)
}

/// A text to compare by its characters.
pub(super) struct Short {
    hash: u128,
    /// True if it is of the first group.
    is_first: bool,
    values: Vec<i64>,
    text: ShortText,
    is_short: bool,
}

/// Short texts, in the order of their hashes.
pub(super) fn short_group_of(Groups(groups): Groups) -> Result<ShortGroup, ArrowError> {
    let mut own: Vec<Short> = Vec::new();
    let columns = ["hash", "letters", "figures"].map(|name| (name, DataType::LargeBinary));
    for (number, rows) in groups.iter().enumerate() {
        let flags = rows.columns([("short", DataType::Boolean)])?;
        let columns = rows.columns(columns.clone())?.into_iter().zip(flags).zip(rows.values()?);
        for (([hash, letters, figures], [short]), mut values) in columns {
            let letters = texts_of(&letters)?;
            for row in 0..hash.len() {
                let characters = letters.as_string::<i64>().value(row).chars().collect();
                let text = ShortText {
                    characters,
                    figures: words_of(figures.as_binary::<i64>().value(row)),
                };
                let hash = hash_of(hash.as_binary::<i64>().value(row))?;
                let values = std::mem::take(&mut values[row]);
                own.push(Short {
                    hash,
                    is_first: number == 0,
                    values,
                    text,
                    is_short: short.as_boolean().value(row),
                });
            }
        }
    }
    own.sort_unstable_by_key(|short| short.hash);
    let mut group =
        ShortGroup { sides: (groups.len() > 1).then(Vec::new), ..ShortGroup::default() };
    for Short { hash, is_first, values, text, is_short } in own {
        group.documents.keys.push(hash);
        group.documents.values.push(values);
        group.texts.push((text, is_short));
        group.sides.iter_mut().for_each(|sides| sides.push(is_first));
    }
    Ok(group)
}

/// Texts as documents.
pub(super) fn sources_of(rows: &Rows, guards: &[String]) -> Result<Vec<Source>, ArrowError> {
    let columns = rows.columns([("text", DataType::LargeBinary)])?.into_iter().zip(rows.values()?);
    let of_batch = |([texts], values): ([ArrayRef; 1], Vec<Vec<i64>>)| {
        let own = [("text", texts_of(&texts)?)];
        of_columns(own.into_iter().chain(fields_of(guards, &values)))
    };
    let batches: Vec<RecordBatch> = columns.map(of_batch).collect::<Result<_, _>>()?;
    Ok(if batches.is_empty() { Vec::new() } else { vec![Source::in_memory("texts", batches)] })
}

/// The values of documents as columns with the names of the fields of guards.
pub(super) fn fields_of<'g>(
    guards: &'g [String],
    values: &[Vec<i64>],
) -> impl Iterator<Item = (&'g str, ArrayRef)> {
    guards.iter().enumerate().map(|(place, name)| {
        let numbers: Int64Array = values.iter().map(|values| values.get(place).copied()).collect();
        (name.as_str(), Arc::new(numbers) as ArrayRef)
    })
}

/// The documents of a task: their hashes by number, and their families. `guards` has the names of
/// fields with their values.
pub(super) fn families_of(
    rows: &Rows,
    guards: &[String],
) -> Result<(Vec<u128>, Families), ArrowError> {
    let (mut hashes, mut families) = (Vec::new(), Families::default());
    let names = ["hash", "text", "other"].map(|name| (name, DataType::LargeBinary));
    let flags = ["against", "hub"].map(|name| (name, DataType::Boolean));
    let mut batches: Vec<_> = rows.columns(names)?.into_iter().zip(rows.columns(flags)?).collect();
    for ([_, texts, _], _) in &mut batches {
        *texts = texts_of(texts)?;
    }
    let numbers = rows.columns(["family", "distance"].map(|name| (name, DataType::Int32)))?;
    let values_of_all = rows.values()?;
    let mut numbers_of: HashMap<u128, u32> = HashMap::new();
    for is_against in [true, false] {
        let mut texts_of_side = Vec::new();
        for ((([own, texts, others], flags), [family, _]), values) in
            batches.iter().zip(&numbers).zip(&values_of_all)
        {
            let (own, others) = (own.as_binary::<i64>(), others.as_binary::<i64>());
            let family = family.as_primitive::<Int32Type>();
            let [against, hubs] = flags.each_ref().map(|flags| flags.as_boolean());
            let is_wanted = |row: &usize| others.is_null(*row) && against.value(*row) == is_against;
            let mut wanted = (0..own.len()).filter(is_wanted).peekable();
            while let Some(first) = wanted.peek().copied() {
                // Consecutive rows are slices, without a copy.
                let mut past = first;
                while wanted.next_if_eq(&past).is_some() {
                    let (hash, number) = (hash_of(own.value(past))?, hashes.len() as u32);
                    numbers_of.insert(hash, number);
                    if hubs.value(past) {
                        families.hubs.push(number);
                    }
                    hashes.push(hash);
                    families
                        .families
                        .push(family.is_valid(past).then(|| family.value(past) as u32));
                    past += 1;
                }
                let mut columns = vec![("text", texts.slice(first, past - first))];
                columns.extend(fields_of(guards, &values[first..past]));
                texts_of_side.push(of_columns(columns)?);
            }
        }
        if !texts_of_side.is_empty() {
            families.texts[usize::from(!is_against)]
                .push(Source::in_memory("texts", texts_of_side));
        }
    }
    let number = |hash: &[u8]| {
        let number = numbers_of.get(&hash_of(hash)?).copied();
        number.ok_or_else(|| {
            ArrowError::SchemaError("a pair has a document without a text".to_string())
        })
    };
    for (([own, _, others], [_, hubs]), [_, distances]) in batches.iter().zip(&numbers) {
        let (own, others) = (own.as_binary::<i64>(), others.as_binary::<i64>());
        let (distances, hubs) = (distances.as_primitive::<Int32Type>(), hubs.as_boolean());
        for row in (0..own.len()).filter(|row| others.is_valid(*row)) {
            let (one, other) = (number(own.value(row))?, number(others.value(row))?);
            if hubs.value(row) {
                families.short_hubs.extend([one, other]);
                continue;
            }
            let distance = distances.is_valid(row).then(|| distances.value(row) as u32);
            families.pairs.push((one, other, distance));
        }
    }
    families.short_hubs.sort_unstable();
    families.short_hubs.dedup();
    Ok((hashes, families))
}

pub(super) fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_be_bytes(*word)).collect()
}
