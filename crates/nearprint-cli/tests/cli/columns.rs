//! Columns in memory are read like Arrow's own conversions.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::i256;
use arrow_cast::{can_cast_types, cast};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use nearprint::document::{FieldValue, Id};
use nearprint::read::{Options, Source, read};

/// Columns of every numeric type, with its extremes and a null.
fn columns() -> Vec<ArrayRef> {
    let wide = [Some(i64::MIN), Some(i64::MAX), Some(-1_999), Some(0), None, Some(1 << 53 | 1)];
    let narrow = [Some(i32::MIN), Some(i32::MAX), Some(-1), Some(0), None, Some(86_399)];
    let fractions = [f64::MIN, f64::NAN, -0.0, 0.1, f64::INFINITY, 1e-300];
    let huge =
        [Some(i128::MIN), Some(i128::MAX), None, Some(-1), Some(10_i128.pow(37) + 1), Some(150)];
    let larger = huge.map(|number| {
        number.map(|number| i256::from_i128(number).wrapping_mul(i256::from(1_000_003)))
    });
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
        Arc::new(Float32Array::from(vec![
            Some(f32::MIN),
            Some(0.1),
            Some(f32::NEG_INFINITY),
            None,
        ])),
        Arc::new(Float64Array::from(fractions.to_vec())),
        Arc::new(
            Decimal32Array::from(vec![Some(-1_999), None, Some(7)])
                .with_precision_and_scale(9, 3)
                .unwrap(),
        ),
        Arc::new(Decimal64Array::from(wide.to_vec()).with_precision_and_scale(18, 17).unwrap()),
        Arc::new(Decimal128Array::from(huge.to_vec()).with_precision_and_scale(38, 2).unwrap()),
        Arc::new(Decimal128Array::from(huge.to_vec()).with_precision_and_scale(38, -5).unwrap()),
        Arc::new(Decimal256Array::from(larger.to_vec()).with_precision_and_scale(76, 40).unwrap()),
        Arc::new(Date32Array::from(narrow.to_vec())),
        Arc::new(Date64Array::from_iter(whole(86_400_000))),
        Arc::new(Time32SecondArray::from_iter(
            whole(17_279).map(|count| count.map(|count| count as i32)),
        )),
        Arc::new(Time32MillisecondArray::from_iter(
            whole(17_279_999).map(|count| count.map(|count| count as i32)),
        )),
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

/// The values of kept fields by Arrow's conversions: integers unchanged, times in microseconds,
/// else numbers.
fn expected(column: &ArrayRef) -> Vec<Option<FieldValue>> {
    let through = |types: &[DataType]| -> Result<ArrayRef, ArrowError> {
        types.iter().try_fold(column.clone(), |column, data_type| cast(&column, data_type))
    };
    let integers = match column.data_type() {
        DataType::UInt64 => {
            let values = column.as_primitive::<UInt64Type>();
            return values
                .iter()
                .map(|value| value.map(|value| FieldValue::Integer(value.into())))
                .collect();
        }
        DataType::Timestamp(_, _) | DataType::Date32 | DataType::Date64 => {
            let times =
                through(&[DataType::Timestamp(TimeUnit::Microsecond, None), DataType::Int64]);
            let time = |value: Option<i64>| value.map(|value| FieldValue::Time(value.into()));
            return times.unwrap().as_primitive::<Int64Type>().iter().map(time).collect();
        }
        DataType::Time32(_) | DataType::Time64(_) => through(&[
            DataType::Time64(TimeUnit::Nanosecond),
            DataType::Time64(TimeUnit::Microsecond),
            DataType::Int64,
        ]),
        data_type if data_type.is_integer() => through(&[DataType::Int64]),
        data_type => {
            assert!(can_cast_types(data_type, &DataType::Float64), "{data_type}");
            let numbers = through(&[DataType::Float64]).unwrap();
            let number =
                |value: Option<f64>| value.filter(|value| !value.is_nan()).map(FieldValue::Number);
            return numbers.as_primitive::<Float64Type>().iter().map(number).collect();
        }
    };
    let integer = |value: Option<i64>| value.map(|value| FieldValue::Integer(value.into()));
    integers.unwrap().as_primitive::<Int64Type>().iter().map(integer).collect()
}

/// Values by their bits, so that zeros of different sign differ.
fn exactly(field: &Option<FieldValue>) -> String {
    format!("{field:?}")
}

#[test]
fn values_to_keep_by_are_those_of_arrow() {
    let options = Options { kept_fields: vec!["when".to_string()], ..Options::default() };
    for column in
        columns().into_iter().flat_map(|column| [column.slice(1, column.len() - 1), column])
    {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["text"; column.len()]));
        let batch = [("text", texts, true), ("when", column.clone(), true)];
        let source = Source::in_memory(
            "table",
            vec![RecordBatch::try_from_iter_with_nullable(batch).unwrap()],
        );
        let found: Vec<String> = read(&source, &options)
            .unwrap()
            .map(|document| exactly(&document.unwrap().fields[0]))
            .collect();
        assert_eq!(
            found,
            expected(&column).iter().map(exactly).collect::<Vec<_>>(),
            "{}",
            column.data_type()
        );
    }
}

#[test]
fn ids_are_those_of_arrow() {
    for column in columns().into_iter().filter(|column| column.data_type().is_integer()) {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["text"; column.len()]));
        let batch = [("text", texts, true), ("id", column.clone(), true)];
        let source = Source::in_memory(
            "table",
            vec![RecordBatch::try_from_iter_with_nullable(batch).unwrap()],
        );
        let found =
            read(&source, &Options::default()).unwrap().map(|document| document.unwrap().id);
        let numbers = expected(&column);
        for (row, (id, number)) in found.zip(&numbers).enumerate() {
            match (id, number) {
                (Id::Integer(id), Some(FieldValue::Integer(number))) => {
                    assert_eq!(i128::from(id), *number)
                }
                (Id::Unsigned(id), Some(FieldValue::Integer(number))) => {
                    assert_eq!(i128::from(id), *number)
                }
                (id, number) => {
                    assert_eq!((id, number), (Id::Text(format!("table:{}", row + 1)), &None))
                }
            }
        }
    }
}
