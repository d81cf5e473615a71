//! A column of ids -> the ids of its rows. Values that are no strings and no integers are ids by
//! their text.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, Int64Array, PrimitiveArray, UInt64Array};
use arrow_schema::{DataType, TimeUnit};

use super::casts::integers;
use super::documents::{Strings, holds_texts, is_integer, strings};
use crate::document::Id;
use crate::error::Problem;

/// The ids in a column.
pub(super) enum Ids {
    Strings(Strings),
    Integers(Int64Array),
    Unsigned(UInt64Array),
    Scalars(ArrayRef),
}

/// Returns true if a column of this type can hold ids.
pub(super) fn holds_ids(data_type: &DataType) -> bool {
    use DataType::*;
    match data_type {
        Boolean | Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..) => true,
        // UUIDs are such bytes.
        FixedSizeBinary(16) => true,
        Dictionary(_, values) => holds_ids(values),
        other => holds_texts(other) || other.is_numeric(),
    }
}

impl Ids {
    pub fn new(column: &ArrayRef) -> Ids {
        match column.data_type() {
            DataType::UInt64 => Ids::Unsigned(column.as_primitive::<UInt64Type>().clone()),
            data_type if holds_texts(data_type) => Ids::Strings(strings(column)),
            data_type if is_integer(data_type) => match integers(column) {
                Some(integers) => Ids::Integers(integers),
                None => Ids::Scalars(column.clone()),
            },
            _ => Ids::Scalars(column.clone()),
        }
    }

    /// The id at a place; `None` if it is null or empty.
    pub fn get(&self, place: usize) -> Result<Option<Id>, Problem> {
        Ok(match self {
            Ids::Strings(column) => {
                let id = column.get(place)?.filter(|id| !id.is_empty());
                id.map(|id| Id::Text(id.to_string()))
            }
            Ids::Integers(column) => {
                column.is_valid(place).then(|| Id::Integer(column.value(place)))
            }
            Ids::Unsigned(column) => column.is_valid(place).then(|| {
                let id = column.value(place);
                i64::try_from(id).map_or(Id::Unsigned(id), Id::Integer)
            }),
            Ids::Scalars(column) if column.is_null(place) => None,
            Ids::Scalars(column) => text_of(column, place).map(Id::Text),
        })
    }
}

/// The text of a value that is not null; `None` for NaN, and for types that hold no ids. Dates and
/// times are written as in ISO 8601, those with a time zone in UTC.
fn text_of(column: &ArrayRef, place: usize) -> Option<String> {
    use DataType::*;
    Some(match column.data_type() {
        Boolean => column.as_boolean().value(place).to_string(),
        Float16 => return number(column.as_primitive::<Float16Type>().value(place).to_f32()),
        Float32 => return number(column.as_primitive::<Float32Type>().value(place)),
        Float64 => {
            let number = column.as_primitive::<Float64Type>().value(place);
            return (!number.is_nan()).then(|| format!("{number:?}"));
        }
        Decimal32(..) => column.as_primitive::<Decimal32Type>().value_as_string(place),
        Decimal64(..) => column.as_primitive::<Decimal64Type>().value_as_string(place),
        Decimal128(..) => column.as_primitive::<Decimal128Type>().value_as_string(place),
        Decimal256(..) => column.as_primitive::<Decimal256Type>().value_as_string(place),
        Date32 => date::<Date32Type>(column, place),
        Date64 => date::<Date64Type>(column, place),
        Time32(TimeUnit::Second) => time::<Time32SecondType>(column, place),
        Time32(_) => time::<Time32MillisecondType>(column, place),
        Time64(TimeUnit::Microsecond) => time::<Time64MicrosecondType>(column, place),
        Time64(_) => time::<Time64NanosecondType>(column, place),
        Timestamp(unit, zone) => {
            let time = match unit {
                TimeUnit::Second => moment::<TimestampSecondType>(column, place),
                TimeUnit::Millisecond => moment::<TimestampMillisecondType>(column, place),
                TimeUnit::Microsecond => moment::<TimestampMicrosecondType>(column, place),
                TimeUnit::Nanosecond => moment::<TimestampNanosecondType>(column, place),
            };
            if zone.is_some() { time + "Z" } else { time }
        }
        FixedSizeBinary(16) => uuid(column.as_fixed_size_binary().value(place)),
        _ => return None,
    })
}

fn number(number: f32) -> Option<String> {
    (!number.is_nan()).then(|| format!("{number:?}"))
}

/// The text of a value, or its count of units if it lies outside of the calendar.
fn or_count<T: ArrowPrimitiveType>(
    column: &ArrayRef,
    place: usize,
    text: impl Fn(&PrimitiveArray<T>) -> Option<String>,
) -> String {
    let column = column.as_primitive::<T>();
    text(column).unwrap_or_else(|| format!("{:?}", column.value(place)))
}

fn date<T: ArrowTemporalType>(column: &ArrayRef, place: usize) -> String
where
    i64: From<T::Native>,
{
    or_count::<T>(column, place, |own| Some(own.value_as_date(place)?.to_string()))
}

fn time<T: ArrowTemporalType>(column: &ArrayRef, place: usize) -> String
where
    i64: From<T::Native>,
{
    or_count::<T>(column, place, |own| Some(own.value_as_time(place)?.to_string()))
}

fn moment<T: ArrowTemporalType>(column: &ArrayRef, place: usize) -> String
where
    i64: From<T::Native>,
{
    or_count::<T>(column, place, |own| Some(format!("{:?}", own.value_as_datetime(place)?)))
}

/// Sixteen bytes in the usual form of a UUID.
fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (place, byte) in bytes.iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::*;

    use super::*;

    #[test]
    fn scalars_of_every_kind_are_ids_by_their_text() {
        let decimal = Decimal128Array::from(vec![Some(-1050), None]);
        let decimal = decimal.with_precision_and_scale(20, 2).unwrap();
        let seconds = TimestampSecondArray::from(vec![Some(1_795_521_600), None]);
        let bytes = [Some((0..16).collect::<Vec<u8>>()), None];
        let bytes = FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes.into_iter(), 16);
        let columns: [(ArrayRef, &str); 10] = [
            (Arc::new(BooleanArray::from(vec![Some(true), None])), "true"),
            (Arc::new(Float32Array::from(vec![Some(0.1), Some(f32::NAN)])), "0.1"),
            (Arc::new(Float64Array::from(vec![Some(7.0), None])), "7.0"),
            (Arc::new(decimal), "-10.50"),
            (Arc::new(Date32Array::from(vec![Some(1), None])), "1970-01-02"),
            (Arc::new(Time64MicrosecondArray::from(vec![Some(1_500_000), None])), "00:00:01.500"),
            (Arc::new(seconds.clone()), "2026-11-24T12:00:00"),
            (Arc::new(seconds.with_timezone("+08:00")), "2026-11-24T12:00:00Z"),
            (
                Arc::new(TimestampSecondArray::from(vec![Some(i64::MAX), None])),
                "9223372036854775807",
            ),
            (Arc::new(bytes.unwrap()), "00010203-0405-0607-0809-0a0b0c0d0e0f"),
        ];
        for (column, text) in columns {
            assert!(holds_ids(column.data_type()));
            let ids = Ids::new(&column);
            assert_eq!(ids.get(0), Ok(Some(Id::Text(text.into()))), "{}", column.data_type());
            assert_eq!(ids.get(1), Ok(None), "{}", column.data_type());
        }
        assert!(!holds_ids(&DataType::FixedSizeBinary(8)));
    }
}
