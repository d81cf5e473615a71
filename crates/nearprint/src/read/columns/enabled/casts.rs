//! Columns -> columns of the few types that this room reads: integers, numbers, times in
//! microseconds, strings.
//!
//! Arrow's own library of conversions knows every pair of types and takes as long to compile as the
//! rest of this program. The conversions here give the same values; a test of the command line,
//! whose crate may depend on that library, compares the two. A column of another type gives `None`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, Float64Array, Int64Array, PrimitiveArray, RunArray,
    StringArray, StringViewArray,
};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use arrow_select::take::take;
use num_traits::ToPrimitive;

/// Integers of up to 64 bits, except unsigned ones of 64 bits.
pub(super) fn integers(column: &dyn Array) -> Option<Int64Array> {
    Some(match column.data_type() {
        DataType::Int8 => widened::<Int8Type>(column),
        DataType::Int16 => widened::<Int16Type>(column),
        DataType::Int32 => widened::<Int32Type>(column),
        DataType::Int64 => column.as_primitive::<Int64Type>().clone(),
        DataType::UInt8 => widened::<UInt8Type>(column),
        DataType::UInt16 => widened::<UInt16Type>(column),
        DataType::UInt32 => widened::<UInt32Type>(column),
        _ => return None,
    })
}

fn widened<T: ArrowPrimitiveType<Native: Into<i64>>>(column: &dyn Array) -> Int64Array {
    column.as_primitive::<T>().unary(Into::into)
}

/// Numbers of every kind as the nearest 64-bit float. Decimals are numbers, and so are counts of
/// time units as they stand.
pub(super) fn numbers(column: &dyn Array) -> Option<Float64Array> {
    if let Some(integers) = integers(column).or_else(|| counts(column)) {
        return Some(integers.unary(|number| number as f64));
    }
    Some(match column.data_type() {
        DataType::Null => Float64Array::new_null(column.len()),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().unary(|number| number as f64),
        DataType::Float16 => column.as_primitive::<Float16Type>().unary(f64::from),
        DataType::Float32 => column.as_primitive::<Float32Type>().unary(f64::from),
        DataType::Float64 => column.as_primitive::<Float64Type>().clone(),
        DataType::Decimal32(_, scale) => {
            decimals::<Decimal32Type>(column, *scale, |units| units.into())
        }
        DataType::Decimal64(_, scale) => {
            decimals::<Decimal64Type>(column, *scale, |units| units as f64)
        }
        DataType::Decimal128(_, scale) => {
            decimals::<Decimal128Type>(column, *scale, |units| units as f64)
        }
        DataType::Decimal256(_, scale) => {
            decimals::<Decimal256Type>(column, *scale, |units| units.to_f64().unwrap_or(f64::NAN))
        }
        DataType::RunEndEncoded(ends, _) => {
            let decoded = match ends.data_type() {
                DataType::Int16 => decoded::<Int16Type>(column),
                DataType::Int32 => decoded::<Int32Type>(column),
                _ => decoded::<Int64Type>(column),
            };
            return numbers(&decoded?);
        }
        DataType::FixedSizeList(_, 1) => return numbers(column.as_fixed_size_list().values()),
        _ => return None,
    })
}

fn decimals<T: DecimalType>(
    column: &dyn Array,
    scale: i8,
    units: impl Fn(T::Native) -> f64,
) -> Float64Array {
    column.as_primitive::<T>().unary(|number| units(number) / 10_f64.powi(scale.into()))
}

/// The counts of a column of points or spans of time, in the unit of the column.
fn counts(column: &dyn Array) -> Option<Int64Array> {
    use DataType::{Duration, Timestamp};
    Some(match column.data_type() {
        Timestamp(TimeUnit::Second, _) => counted::<TimestampSecondType>(column),
        Timestamp(TimeUnit::Millisecond, _) => counted::<TimestampMillisecondType>(column),
        Timestamp(TimeUnit::Microsecond, _) => counted::<TimestampMicrosecondType>(column),
        Timestamp(TimeUnit::Nanosecond, _) => counted::<TimestampNanosecondType>(column),
        Duration(TimeUnit::Second) => counted::<DurationSecondType>(column),
        Duration(TimeUnit::Millisecond) => counted::<DurationMillisecondType>(column),
        Duration(TimeUnit::Microsecond) => counted::<DurationMicrosecondType>(column),
        Duration(TimeUnit::Nanosecond) => counted::<DurationNanosecondType>(column),
        _ => return None,
    })
}

fn counted<T: ArrowPrimitiveType<Native = i64>>(column: &dyn Array) -> Int64Array {
    column.as_primitive::<T>().reinterpret_cast()
}

/// A run-end encoded column with each value as often as it repeats.
fn decoded<T: RunEndIndexType>(column: &dyn Array) -> Option<ArrayRef> {
    let runs = column.as_any().downcast_ref::<RunArray<T>>()?;
    let places: Vec<u32> = (0..runs.len())
        .map(|row| u32::try_from(runs.get_physical_index(row)))
        .collect::<Result<_, _>>()
        .ok()?;
    take(runs.values(), &PrimitiveArray::<UInt32Type>::from(places), None).ok()
}

/// Dates and times as microseconds since 1970 or midnight, whatever their unit. A time that 64 bits
/// cannot count is null.
pub(super) fn microseconds(column: &dyn Array) -> Option<Int64Array> {
    const DAY: i64 = 86_400_000_000;
    Some(match column.data_type() {
        DataType::Date32 => {
            column.as_primitive::<Date32Type>().unary_opt(|days| i64::from(days).checked_mul(DAY))
        }
        DataType::Date64 => {
            column.as_primitive::<Date64Type>().unary(|count| count.wrapping_mul(1000))
        }
        DataType::Time32(TimeUnit::Second) => {
            column.as_primitive::<Time32SecondType>().unary(|count| i64::from(count) * 1_000_000)
        }
        DataType::Time32(_) => {
            column.as_primitive::<Time32MillisecondType>().unary(|count| i64::from(count) * 1000)
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            column.as_primitive::<Time64MicrosecondType>().reinterpret_cast()
        }
        DataType::Time64(_) => {
            column.as_primitive::<Time64NanosecondType>().unary(|count| count / 1000)
        }
        DataType::Timestamp(unit, _) => {
            let counts = counts(column)?;
            match unit {
                TimeUnit::Second => counts.unary_opt(|count| count.checked_mul(1_000_000)),
                TimeUnit::Millisecond => counts.unary_opt(|count| count.checked_mul(1000)),
                TimeUnit::Microsecond => counts,
                TimeUnit::Nanosecond => counts.unary(|count| count / 1000),
            }
        }
        _ => return None,
    })
}

/// Strings, or bytes, as views into the column.
pub(super) fn views(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Utf8 => Arc::new(StringViewArray::from(column.as_string::<i32>())),
        DataType::LargeUtf8 => Arc::new(StringViewArray::from(column.as_string::<i64>())),
        DataType::Binary => Arc::new(BinaryViewArray::from(column.as_binary::<i32>())),
        DataType::LargeBinary => Arc::new(BinaryViewArray::from(column.as_binary::<i64>())),
        _ => column.clone(),
    }
}

/// Strings and bytes, or views of them, as strings.
///
/// # Errors
/// An error of Arrow where bytes are not Unicode.
pub(super) fn strings(column: &dyn Array) -> Option<Result<StringArray, ArrowError>> {
    Some(match column.data_type() {
        DataType::Utf8 => Ok(column.as_string().clone()),
        DataType::Utf8View => Ok(column.as_string_view().iter().collect()),
        DataType::Binary => StringArray::try_from_binary(column.as_binary().clone()),
        DataType::BinaryView => {
            StringArray::try_from_binary(column.as_binary_view().iter().collect())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::*;

    use super::*;

    #[test]
    fn strings_and_bytes_of_every_kind_are_views_and_strings() {
        let texts = [
            Some("月"),
            None,
            Some(""),
            Some("a\0b"),
            Some("a text that is too long for a view alone"),
        ];
        let bytes: Vec<_> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
        let all: [ArrayRef; 6] = [
            Arc::new(StringArray::from_iter(texts)),
            Arc::new(LargeStringArray::from_iter(texts)),
            Arc::new(StringViewArray::from_iter(texts)),
            Arc::new(BinaryArray::from_iter(bytes.clone())),
            Arc::new(LargeBinaryArray::from_iter(bytes.clone())),
            Arc::new(BinaryViewArray::from_iter(bytes)),
        ];
        for start in [0, 1, 4] {
            for column in all.iter().map(|column| column.slice(start, texts.len() - start)) {
                let data_type = column.data_type();
                let view = views(&column);
                let found: Vec<Option<&[u8]>> = match view.data_type() {
                    DataType::Utf8View => {
                        view.as_string_view().iter().map(|text| text.map(str::as_bytes)).collect()
                    }
                    _ => view.as_binary_view().iter().collect(),
                };
                let expected: Vec<_> =
                    texts[start..].iter().map(|text| text.map(str::as_bytes)).collect();
                assert_eq!(found, expected, "{data_type}");
                let found = strings(&view).unwrap().unwrap();
                assert_eq!(found.iter().collect::<Vec<_>>(), texts[start..], "{data_type}");
            }
        }
    }

    #[test]
    fn bytes_that_are_not_unicode_are_no_strings() {
        let bytes = [Some(&b"a\xff"[..]), None];
        for column in [
            Arc::new(BinaryArray::from_iter(bytes)) as ArrayRef,
            Arc::new(BinaryViewArray::from_iter(bytes)),
        ] {
            assert!(strings(&column).unwrap().unwrap_err().to_string().contains("UTF"));
        }
        assert!(strings(&BooleanArray::from(vec![true])).is_none());
    }
}
