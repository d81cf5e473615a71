//! Types of a Parquet file -> the same types with changed leaves, or with required keys of maps.

use std::sync::Arc;

use ::parquet::basic::{ConvertedType, LogicalType, Repetition};
use ::parquet::errors::ParquetError;
use ::parquet::schema::types::{
    BasicTypeInfo, GroupTypeBuilder, PrimitiveTypeBuilder, SchemaDescriptor, Type, TypePtr,
};

/// A leaf without its logical type.
pub(super) fn bare(leaf: &Type) -> PrimitiveTypeBuilder<'_> {
    let length = if let Type::PrimitiveType { type_length, .. } = leaf { *type_length } else { -1 };
    let info = leaf.get_basic_info();
    Type::primitive_type_builder(leaf.name(), leaf.get_physical_type())
        .with_repetition(info.repetition())
        .with_id(id(info))
        .with_length(length)
}

/// The schema with each leaf as `change` returns it, or unchanged.
pub(super) fn map_leaves(
    types: &SchemaDescriptor,
    change: &Change<'_>,
) -> Result<SchemaDescriptor, ParquetError> {
    Ok(SchemaDescriptor::new(map_type(&types.root_schema_ptr(), change)?))
}

type Change<'a> = dyn Fn(&Type) -> Option<Result<Type, ParquetError>> + 'a;

fn map_type(node: &TypePtr, change: &Change<'_>) -> Result<TypePtr, ParquetError> {
    if node.is_primitive() {
        return change(node).map_or(Ok(node.clone()), |changed| changed.map(Arc::new));
    }
    let fields =
        node.get_fields().iter().map(|field| map_type(field, change)).collect::<Result<_, _>>()?;
    with_fields(node, fields)
}

/// The schema with all keys of maps required, since the library reads them as required.
pub(super) fn with_required_keys(node: &TypePtr) -> Result<TypePtr, ParquetError> {
    if node.is_primitive() {
        return Ok(node.clone());
    }
    let mut fields =
        node.get_fields().iter().map(with_required_keys).collect::<Result<Vec<_>, _>>()?;
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

/// A field as a required one.
fn required(node: &Type) -> Result<TypePtr, ParquetError> {
    let info = node.get_basic_info();
    let same = match node {
        Type::GroupType { fields, .. } => {
            group(node, fields.clone()).with_repetition(Repetition::REQUIRED).build()
        }
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

pub(super) fn id(info: &BasicTypeInfo) -> Option<i32> {
    info.has_id().then(|| info.id())
}
