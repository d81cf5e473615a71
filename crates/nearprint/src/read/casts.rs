//! Columns -> columns of the few types that this room reads: integers, numbers, times in microseconds, strings.
//!
//! Arrow's own library of conversions knows every pair of types and takes as long to compile as the rest of this program. What
//! is here gives the same values, and the tests hold it against that library. A column of another type gives `None`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, Float64Array, Int64Array, PrimitiveArray, RunArray, StringArray, StringViewArray,
};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use arrow_select::take::take;
use num_traits::ToPrimitive;

/// Integers of up to 64 bits, without those of 64 bits that have no sign.
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

/// Numbers of every kind, decimals, and counts of time units as they stand, as the nearest of 64 bits with a fraction.
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
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(column, *scale, |units| units.into()),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(column, *scale, |units| units as f64),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(column, *scale, |units| units as f64),
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

fn decimals<T: DecimalType>(column: &dyn Array, scale: i8, units: impl Fn(T::Native) -> f64) -> Float64Array {
    column.as_primitive::<T>().unary(|number| units(number) / 10_f64.powi(scale.into()))
}

/// The counts of a column of points or spans of time, in whatever unit it has.
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

/// A column with each value as often as it repeats.
fn decoded<T: RunEndIndexType>(column: &dyn Array) -> Option<ArrayRef> {
    let runs = column.as_any().downcast_ref::<RunArray<T>>()?;
    let places: Vec<u32> =
        (0..runs.len()).map(|row| u32::try_from(runs.get_physical_index(row))).collect::<Result<_, _>>().ok()?;
    take(runs.values(), &PrimitiveArray::<UInt32Type>::from(places), None).ok()
}

/// Dates and times as microseconds, since 1970 or midnight, whatever their unit. One that 64 bits cannot count is null.
pub(super) fn microseconds(column: &dyn Array) -> Option<Int64Array> {
    const DAY: i64 = 86_400_000_000;
    Some(match column.data_type() {
        DataType::Date32 => column.as_primitive::<Date32Type>().unary_opt(|days| i64::from(days).checked_mul(DAY)),
        DataType::Date64 => column.as_primitive::<Date64Type>().unary(|count| count.wrapping_mul(1000)),
        DataType::Time32(TimeUnit::Second) => {
            column.as_primitive::<Time32SecondType>().unary(|count| i64::from(count) * 1_000_000)
        }
        DataType::Time32(_) => column.as_primitive::<Time32MillisecondType>().unary(|count| i64::from(count) * 1000),
        DataType::Time64(TimeUnit::Microsecond) => column.as_primitive::<Time64MicrosecondType>().reinterpret_cast(),
        DataType::Time64(_) => column.as_primitive::<Time64NanosecondType>().unary(|count| count / 1000),
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

/// Strings and bytes, views of them too, as strings.
///
/// # Errors
/// Where bytes are not Unicode.
pub(super) fn strings(column: &dyn Array) -> Option<Result<StringArray, ArrowError>> {
    Some(match column.data_type() {
        DataType::Utf8 => Ok(column.as_string().clone()),
        DataType::Utf8View => Ok(column.as_string_view().iter().collect()),
        DataType::Binary => StringArray::try_from_binary(column.as_binary().clone()),
        DataType::BinaryView => StringArray::try_from_binary(column.as_binary_view().iter().collect()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::*;
    use arrow_buffer::i256;
    use arrow_cast::{CastOptions, cast, cast_with_options};

    use super::*;

    /// Columns of every type that has numbers, the extremes of each and a null among them.
    fn columns() -> Vec<ArrayRef> {
        let wide = [Some(i64::MIN), Some(i64::MAX), Some(-1_999), Some(0), None, Some(1 << 53 | 1)];
        let narrow = [Some(i32::MIN), Some(i32::MAX), Some(-1), Some(0), None, Some(86_399)];
        let fractions = [f64::MIN, f64::NAN, -0.0, 0.1, f64::INFINITY, 1e-300];
        let huge = [Some(i128::MIN), Some(i128::MAX), None, Some(-1), Some(10_i128.pow(37) + 1), Some(150)];
        let larger =
            huge.map(|number| number.map(|number| i256::from_i128(number).wrapping_mul(i256::from(1_000_003))));
        let whole = |count: i64| (0..6).map(move |number| (number != 4).then_some(number * count));
        let midnight = Arc::new(Time64NanosecondArray::from_iter(whole(14_399_999_999_999)));
        vec![
            Arc::new(Int8Array::from(vec![Some(i8::MIN), Some(i8::MAX), None])),
            Arc::new(Int16Array::from(vec![Some(i16::MIN), Some(i16::MAX), None])),
            Arc::new(Int32Array::from(narrow.to_vec())),
            Arc::new(Int64Array::from(wide.to_vec())),
            Arc::new(UInt8Array::from(vec![Some(u8::MIN), Some(u8::MAX), None])),
            Arc::new(UInt16Array::from(vec![Some(u16::MIN), Some(u16::MAX), None])),
            Arc::new(UInt32Array::from(vec![Some(u32::MIN), Some(u32::MAX), None])),
            Arc::new(UInt64Array::from(vec![Some(u64::MIN), Some(u64::MAX), None])),
            Arc::new(PrimitiveArray::<Float16Type>::from_iter(
                [0x7bff, 0x0001, 0x8000, 0x3555]
                    .map(|bits| Some(<Float16Type as ArrowPrimitiveType>::Native::from_bits(bits))),
            )),
            Arc::new(Float32Array::from(vec![Some(f32::MIN), Some(0.1), Some(f32::NEG_INFINITY), None])),
            Arc::new(Float64Array::from(fractions.to_vec())),
            Arc::new(Decimal32Array::from(vec![Some(-1_999), None, Some(7)]).with_precision_and_scale(9, 3).unwrap()),
            Arc::new(Decimal64Array::from(wide.to_vec()).with_precision_and_scale(18, 17).unwrap()),
            Arc::new(Decimal128Array::from(huge.to_vec()).with_precision_and_scale(38, 2).unwrap()),
            Arc::new(Decimal128Array::from(huge.to_vec()).with_precision_and_scale(38, -5).unwrap()),
            Arc::new(Decimal256Array::from(larger.to_vec()).with_precision_and_scale(76, 40).unwrap()),
            Arc::new(Date32Array::from(narrow.to_vec())),
            Arc::new(Date64Array::from_iter(whole(86_400_000))),
            Arc::new(Time32SecondArray::from_iter(whole(17_279).map(|count| count.map(|count| count as i32)))),
            Arc::new(Time32MillisecondArray::from_iter(whole(17_279_999).map(|count| count.map(|count| count as i32)))),
            Arc::new(Time64MicrosecondArray::from_iter(whole(14_399_999_999))),
            midnight,
            Arc::new(TimestampSecondArray::from(wide.to_vec())),
            Arc::new(TimestampMillisecondArray::from(wide.to_vec()).with_timezone("+08:00")),
            Arc::new(TimestampMicrosecondArray::from(wide.to_vec()).with_timezone("UTC")),
            Arc::new(TimestampNanosecondArray::from(wide.to_vec())),
            Arc::new(DurationSecondArray::from(wide.to_vec())),
            Arc::new(DurationNanosecondArray::from(wide.to_vec())),
            Arc::new(NullArray::new(3)),
            Arc::new(
                RunArray::<Int32Type>::try_new(
                    &Int32Array::from(vec![2, 3, 7]),
                    &Int64Array::from(vec![Some(5), None, Some(-3)]),
                )
                .unwrap(),
            ),
            Arc::new(FixedSizeListArray::from_iter_primitive::<Int16Type, _, _>(
                [Some([Some(5)]), Some([None]), Some([Some(-7)])],
                1,
            )),
        ]
    }

    /// The columns, and slices of them that begin elsewhere.
    fn sliced() -> impl Iterator<Item = ArrayRef> {
        columns().into_iter().flat_map(|column| [column.slice(1, column.len() - 1), column.clone()])
    }

    /// Whether all values are equal, those with a fraction bit by bit.
    fn same<T: ArrowPrimitiveType>(own: &PrimitiveArray<T>, other: &ArrayRef) -> bool {
        let other = other.as_primitive::<T>();
        let bits =
            |array: &PrimitiveArray<T>| array.iter().map(|value| value.map(|v| format!("{v:?}"))).collect::<Vec<_>>();
        own.len() == other.len() && bits(own) == bits(other)
    }

    #[test]
    fn integers_and_numbers_are_those_of_arrow() {
        for column in sliced() {
            let data_type = column.data_type();
            let numbers = numbers(&column);
            assert_eq!(numbers.is_some(), arrow_cast::can_cast_types(data_type, &DataType::Float64), "{data_type}");
            if let Some(numbers) = numbers {
                assert!(same(&numbers, &cast(&column, &DataType::Float64).unwrap()), "{data_type}");
            }
            let integers = integers(&column);
            assert_eq!(integers.is_some(), data_type.is_integer() && *data_type != DataType::UInt64, "{data_type}");
            if let Some(integers) = integers {
                assert!(same(&integers, &cast(&column, &DataType::Int64).unwrap()), "{data_type}");
            }
        }
    }

    #[test]
    fn times_are_those_of_arrow() {
        let through = |column: &ArrayRef, types: &[DataType]| {
            types.iter().fold(column.clone(), |column, data_type| cast(&column, data_type).unwrap())
        };
        let nanoseconds = DataType::Time64(TimeUnit::Nanosecond);
        let microseconds_of_day = DataType::Time64(TimeUnit::Microsecond);
        let since_1970 = DataType::Timestamp(TimeUnit::Microsecond, None);
        for column in sliced() {
            let expected = match column.data_type() {
                DataType::Timestamp(_, _) | DataType::Date32 | DataType::Date64 => {
                    through(&column, &[since_1970.clone(), DataType::Int64])
                }
                DataType::Time32(_) | DataType::Time64(_) => {
                    through(&column, &[nanoseconds.clone(), microseconds_of_day.clone(), DataType::Int64])
                }
                data_type => {
                    assert!(microseconds(&column).is_none(), "{data_type}");
                    continue;
                }
            };
            assert!(same(&microseconds(&column).unwrap(), &expected), "{}", column.data_type());
        }
    }

    #[test]
    fn strings_and_views_are_those_of_arrow() {
        let texts = [Some("月"), None, Some(""), Some("a\0b"), Some("a text that is too long for a view alone")];
        let bytes: Vec<_> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
        let strict = CastOptions { safe: false, ..CastOptions::default() };
        let all: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter(texts)),
            Arc::new(LargeStringArray::from_iter(texts)),
            Arc::new(StringViewArray::from_iter(texts)),
            Arc::new(BinaryArray::from_iter(bytes.clone())),
            Arc::new(LargeBinaryArray::from_iter(bytes.clone())),
            Arc::new(BinaryViewArray::from_iter(bytes)),
            Arc::new(BinaryArray::from_iter([Some(&b"a\xff"[..]), None])),
            Arc::new(BinaryViewArray::from_iter([Some(&b"a\xff"[..]), None])),
        ];
        for column in all.iter().flat_map(|column| [column.clone(), column.slice(1, column.len() - 1)]) {
            let data_type = column.data_type();
            let as_view = match data_type {
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8View,
                _ => DataType::BinaryView,
            };
            assert_eq!(&views(&column), &cast(&column, &as_view).unwrap(), "{data_type}");
            let view = views(&column);
            for column in [&column, &view] {
                let expected = cast_with_options(column, &DataType::Utf8, &strict);
                match strings(column) {
                    Some(Ok(strings)) => assert_eq!(&strings, expected.unwrap().as_string::<i32>(), "{data_type}"),
                    Some(Err(error)) => assert_eq!(error.to_string(), expected.unwrap_err().to_string()),
                    None => assert!(matches!(data_type, DataType::LargeUtf8 | DataType::LargeBinary)),
                }
            }
        }
    }
}
