//! The types of a Parquet file -> how to read its rows, the types of the copy, and the Arrow schema left in it.
//!
//! A copy is to have the types of its source, though the library reads and writes by Arrow's types, which are others:
//! some Parquet types have none (decimals as bytes, intervals, JSON), and an Arrow schema left in the file (`ARROW:schema`)
//! may name types that Parquet stores in another way (64-bit dates as 32 bits, seconds as milliseconds). So the values are
//! read as they are stored, by their physical types only, and are written under the source's own schema.
//!
//! Two things cannot be written: 96-bit timestamps become 64-bit microseconds, without a time zone as they have none,
//! and map keys declared as optional become required, which they are by definition.

use std::sync::Arc;

use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, encode_arrow_schema, parquet_to_arrow_schema};
use ::parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit as ParquetTimeUnit, Type as PhysicalType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData};
use ::parquet::schema::types::{
    BasicTypeInfo, GroupTypeBuilder, PrimitiveTypeBuilder, SchemaDescriptor, Type, TypePtr,
};
use arrow_schema::{DataType, FieldRef, Schema, TimeUnit};

use crate::read::columns::batches::guarded;

/// How to read the values as they are stored: numbers, and views of bytes, which a value that a dictionary page holds once
/// is not copied for. 96-bit timestamps are read as microseconds: as nanoseconds, the default, every date after 2262 would
/// silently become another one, and Spark, which writes them, reads no nanoseconds.
pub(super) fn physical(metadata: &ParquetMetaData) -> Result<ArrowReaderMetadata, ParquetError> {
    let file = metadata.file_metadata();
    let types = map_leaves(file.schema_descr(), &|leaf| Some(bare(leaf).build()))?;
    let file = FileMetaData::new(file.version(), file.num_rows(), None, None, Arc::new(types), None);
    let metadata = Arc::new(ParquetMetaData::new(file, metadata.row_groups().to_vec()));
    let plain = ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::new())?;
    let fields: Vec<_> = plain.schema().fields().iter().map(as_stored).collect();
    ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields))))
}

/// The field with views and microseconds, at any depth.
fn as_stored(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Binary => DataType::BinaryView,
        // Only a 96-bit one is a timestamp when logical types are ignored.
        DataType::Timestamp(_, _) => DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::List(item) => DataType::List(as_stored(item)),
        DataType::Map(entry, sorted) => DataType::Map(as_stored(entry), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(as_stored).collect()),
        _ => return field.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

/// The Parquet types of a copy, the source's own and those of the columns that follow them. `schema` has the Arrow types
/// that are written. Should the library have read a column with other levels than the source's type has, then the type
/// that fits them stands in: values first.
pub(super) fn of_copy(original: &SchemaDescriptor, schema: &Schema) -> Result<SchemaDescriptor, ParquetError> {
    let written = ArrowSchemaConverter::new().convert(schema)?;
    let own = map_leaves(original, &|leaf| {
        (leaf.get_physical_type() == PhysicalType::INT96).then(|| {
            let info = leaf.get_basic_info();
            Type::primitive_type_builder(leaf.name(), PhysicalType::INT64)
                .with_repetition(info.repetition())
                .with_id(id(info))
                .with_logical_type(Some(LogicalType::timestamp(false, ParquetTimeUnit::MICROS)))
                .build()
        })
    })?;
    let own = SchemaDescriptor::new(with_required_keys(&own.root_schema_ptr())?);
    let fields = written.root_schema().get_fields().iter().enumerate().map(|(place, field)| {
        match own.root_schema().get_fields().get(place) {
            Some(same) if storage(&own, place) == storage(&written, place) => same.clone(),
            _ => field.clone(),
        }
    });
    let root = Type::group_type_builder(original.root_schema().name()).with_fields(fields.collect()).build()?;
    Ok(SchemaDescriptor::new(Arc::new(root)))
}

/// How the leaves of a column are stored: type, width, and the levels that say what is null or repeated.
fn storage(schema: &SchemaDescriptor, root: usize) -> Vec<(PhysicalType, i32, i16, i16)> {
    let leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == root);
    leaves
        .map(|leaf| schema.column(leaf))
        .map(|leaf| (leaf.physical_type(), leaf.type_length(), leaf.max_def_level(), leaf.max_rep_level()))
        .collect()
}

/// The file's key-value metadata with its Arrow schema as it is.
pub(super) fn key_values(metadata: &ParquetMetaData) -> Vec<KeyValue> {
    metadata.file_metadata().key_value_metadata().cloned().unwrap_or_default()
}

/// The file's key-value metadata with the new columns in its Arrow schema, if it has one. One that cannot be read cannot
/// get new columns, and is left out.
pub(super) fn key_values_with(metadata: &ParquetMetaData, added: &[FieldRef]) -> Vec<KeyValue> {
    let (embedded, mut pairs): (Vec<_>, Vec<_>) =
        key_values(metadata).into_iter().partition(|pair| pair.key == ARROW_SCHEMA_META_KEY);
    if !embedded.is_empty()
        && let Ok(schema) = guarded(|| embedded_schema(metadata.file_metadata().schema_descr(), &embedded))
    {
        let fields: Vec<_> = schema.fields().iter().chain(added).cloned().collect();
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        pairs.push(KeyValue::new(ARROW_SCHEMA_META_KEY.to_string(), encode_arrow_schema(&schema)));
    }
    pairs
}

/// The Arrow schema left in the file. The library tells it only as far as it agrees with the Parquet types, and drops the
/// time zone with a unit that differs; times without their logical type agree with any unit and zone.
fn embedded_schema(types: &SchemaDescriptor, embedded: &Vec<KeyValue>) -> Result<Schema, ParquetError> {
    let integer_times = map_leaves(types, &|leaf| {
        let info = leaf.get_basic_info();
        let is_time = matches!(info.logical_type_ref(), Some(LogicalType::Timestamp(_) | LogicalType::Time(_)))
            || matches!(
                info.converted_type(),
                ConvertedType::TIMESTAMP_MILLIS
                    | ConvertedType::TIMESTAMP_MICROS
                    | ConvertedType::TIME_MILLIS
                    | ConvertedType::TIME_MICROS
            );
        is_time.then(|| bare(leaf).build())
    })?;
    parquet_to_arrow_schema(&integer_times, Some(embedded))
}

/// A leaf without its logical type.
fn bare(leaf: &Type) -> PrimitiveTypeBuilder<'_> {
    let length = if let Type::PrimitiveType { type_length, .. } = leaf { *type_length } else { -1 };
    let info = leaf.get_basic_info();
    Type::primitive_type_builder(leaf.name(), leaf.get_physical_type())
        .with_repetition(info.repetition())
        .with_id(id(info))
        .with_length(length)
}

/// The schema with each leaf as `change` makes it, or as it is.
fn map_leaves(types: &SchemaDescriptor, change: &Change<'_>) -> Result<SchemaDescriptor, ParquetError> {
    Ok(SchemaDescriptor::new(map_type(&types.root_schema_ptr(), change)?))
}

type Change<'a> = dyn Fn(&Type) -> Option<Result<Type, ParquetError>> + 'a;

fn map_type(node: &TypePtr, change: &Change<'_>) -> Result<TypePtr, ParquetError> {
    if node.is_primitive() {
        return change(node).map_or(Ok(node.clone()), |changed| changed.map(Arc::new));
    }
    let fields = node.get_fields().iter().map(|field| map_type(field, change)).collect::<Result<_, _>>()?;
    with_fields(node, fields)
}

/// The schema with all keys of maps required: the library reads them as such.
fn with_required_keys(node: &TypePtr) -> Result<TypePtr, ParquetError> {
    if node.is_primitive() {
        return Ok(node.clone());
    }
    let mut fields = node.get_fields().iter().map(with_required_keys).collect::<Result<Vec<_>, _>>()?;
    let info = node.get_basic_info();
    let is_map = info.logical_type_ref() == Some(&LogicalType::Map)
        || matches!(info.converted_type(), ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE);
    if is_map
        && let [entry] = &mut fields[..]
        && entry.is_group()
        && let [key, value] = entry.get_fields()
        && key.is_optional()
    {
        *entry = with_fields(entry, vec![required(key)?, value.clone()])?;
    }
    with_fields(node, fields)
}

/// The same field, of which every row has one.
fn required(node: &Type) -> Result<TypePtr, ParquetError> {
    let info = node.get_basic_info();
    let same = match node {
        Type::GroupType { fields, .. } => group(node, fields.clone()).with_repetition(Repetition::REQUIRED).build(),
        Type::PrimitiveType { scale, precision, .. } => bare(node)
            .with_converted_type(info.converted_type())
            .with_logical_type(info.logical_type_ref().cloned())
            .with_scale(*scale)
            .with_precision(*precision)
            .with_repetition(Repetition::REQUIRED)
            .build(),
    };
    same.map(Arc::new)
}

fn with_fields(node: &Type, fields: Vec<TypePtr>) -> Result<TypePtr, ParquetError> {
    group(node, fields).build().map(Arc::new)
}

fn group(node: &Type, fields: Vec<TypePtr>) -> GroupTypeBuilder<'_> {
    let info = node.get_basic_info();
    let group = Type::group_type_builder(node.name())
        .with_converted_type(info.converted_type())
        .with_logical_type(info.logical_type_ref().cloned())
        .with_id(id(info))
        .with_fields(fields);
    if info.has_repetition() { group.with_repetition(info.repetition()) } else { group }
}

fn id(info: &BasicTypeInfo) -> Option<i32> {
    info.has_id().then(|| info.id())
}
