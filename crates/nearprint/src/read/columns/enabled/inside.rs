//! The path of a field -> the column that holds its values, which may lie inside of structs and
//! lists.
//!
//! A path is resolved once, by the types of the columns. The values of a batch are then those of a
//! column inside, and each row has places among them.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeListArray, LargeListArray, ListArray, StructArray};
use arrow_schema::{ArrowError, DataType, Fields, Schema};

use crate::field::behind;

/// A column, or one inside of a column.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    /// The path.
    pub path: String,
    /// The place of the outermost column, and its name.
    pub root: usize,
    pub root_name: String,
    /// The way from that column to the values.
    steps: Vec<Step>,
    /// The type of the values.
    pub data_type: DataType,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// To the field of a struct at this place.
    Field(usize),
    /// To the values of lists.
    Values,
}

impl Leaf {
    /// The column that a path names; `None` if there is none. A column with the whole name comes
    /// first, then the one inside of the fewest others.
    pub fn of(schema: &Schema, path: &str) -> Option<Leaf> {
        let (mut steps, data_type) = steps_in(schema.fields(), path)?;
        let Step::Field(root) = steps.remove(0) else { return None };
        let root_name = schema.field(root).name().clone();
        Some(Leaf { path: path.to_string(), root, root_name, steps, data_type: data_type.clone() })
    }

    /// True if the values lie inside of a column.
    pub fn is_inside(&self) -> bool {
        !self.steps.is_empty()
    }

    /// True if a row may have several values.
    pub fn has_lists(&self) -> bool {
        self.steps.contains(&Step::Values)
    }

    /// The values, and their places in the rows of the outermost column, which is `column`.
    pub fn values(&self, column: &ArrayRef) -> (ArrayRef, Places) {
        let mut values = column.clone();
        let mut places = Places::of_rows(column.len());
        for step in &self.steps {
            let is_list = *step == Step::Values;
            if is_list || values.null_count() > 0 {
                places = places.led_on(|place| match values.is_valid(place) {
                    true if is_list => range_of(&values, place),
                    true => place..place + 1,
                    false => 0..0,
                });
            }
            values = match step {
                Step::Field(place) => values.as_struct().column(*place).clone(),
                Step::Values => values_of(&values),
            };
        }
        (values, places)
    }

    /// The outermost column with other values, as many as [`values`](Self::values) gives.
    ///
    /// # Errors
    /// The errors of Arrow, for values of another type or number.
    pub fn with_values(&self, column: &ArrayRef, values: ArrayRef) -> Result<ArrayRef, ArrowError> {
        with_values(column, &self.steps, values)
    }
}

/// The places of values, row by row.
#[derive(Debug)]
pub(crate) struct Places {
    places: Vec<usize>,
    /// For each row the end of its places.
    ends: Vec<usize>,
}

impl Places {
    /// One value in each row.
    fn of_rows(count: usize) -> Places {
        Places { places: (0..count).collect(), ends: (1..=count).collect() }
    }

    /// The places in a row.
    pub fn of(&self, row: usize) -> &[usize] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.places[start..self.ends[row]]
    }

    /// The places in each row, in order.
    pub fn rows(&self) -> impl Iterator<Item = &[usize]> {
        (0..self.ends.len()).map(|row| self.of(row))
    }

    /// The places that these places lead to.
    fn led_on(&self, to: impl Fn(usize) -> Range<usize>) -> Places {
        let (mut places, mut ends) = (Vec::new(), Vec::with_capacity(self.ends.len()));
        for row in self.rows() {
            row.iter().for_each(|place| places.extend(to(*place)));
            ends.push(places.len());
        }
        Places { places, ends }
    }
}

fn with_values(
    column: &ArrayRef,
    steps: &[Step],
    values: ArrayRef,
) -> Result<ArrayRef, ArrowError> {
    let Some((step, steps)) = steps.split_first() else { return Ok(values) };
    if let Step::Field(place) = step {
        let own = column.as_struct();
        let mut columns = own.columns().to_vec();
        columns[*place] = with_values(&columns[*place], steps, values)?;
        let nulls = own.nulls().cloned();
        return Ok(Arc::new(StructArray::try_new(own.fields().clone(), columns, nulls)?));
    }
    let values = with_values(&values_of(column), steps, values)?;
    let nulls = column.nulls().cloned();
    Ok(match column.data_type() {
        DataType::List(item) => {
            let offsets = column.as_list::<i32>().offsets().clone();
            Arc::new(ListArray::try_new(item.clone(), offsets, values, nulls)?)
        }
        DataType::LargeList(item) => {
            let offsets = column.as_list::<i64>().offsets().clone();
            Arc::new(LargeListArray::try_new(item.clone(), offsets, values, nulls)?)
        }
        DataType::FixedSizeList(item, size) => {
            Arc::new(FixedSizeListArray::try_new(item.clone(), *size, values, nulls)?)
        }
        _ => column.clone(),
    })
}

/// The steps to a field of these, and its type.
fn steps_in<'s>(fields: &'s Fields, path: &str) -> Option<(Vec<Step>, &'s DataType)> {
    if let Some((place, field)) = fields.find(path) {
        return Some((vec![Step::Field(place)], field.data_type()));
    }
    let inside = fields.iter().enumerate().filter_map(|(place, field)| {
        let (steps, data_type) = steps_behind(field.data_type(), behind(path, field.name())?)?;
        Some(([vec![Step::Field(place)], steps].concat(), data_type))
    });
    inside.min_by_key(|(steps, _)| steps.len())
}

/// The steps from a column of this type to the rest of a path.
fn steps_behind<'s>(data_type: &'s DataType, rest: &str) -> Option<(Vec<Step>, &'s DataType)> {
    match data_type {
        _ if rest.is_empty() => Some((Vec::new(), data_type)),
        DataType::Struct(fields) => steps_in(fields, rest.strip_prefix('.')?),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            let (steps, data_type) = match (rest.strip_prefix("[]"), item.data_type()) {
                (Some(rest), item) => steps_behind(item, rest)?,
                (None, item @ DataType::Struct(_)) => steps_behind(item, rest)?,
                (None, _) => return None,
            };
            Some(([vec![Step::Values], steps].concat(), data_type))
        }
        _ => None,
    }
}

/// The places of the values of a list.
fn range_of(lists: &ArrayRef, list: usize) -> Range<usize> {
    match lists.data_type() {
        DataType::List(_) => {
            let offsets = lists.as_list::<i32>().value_offsets();
            offsets[list] as usize..offsets[list + 1] as usize
        }
        DataType::LargeList(_) => {
            let offsets = lists.as_list::<i64>().value_offsets();
            offsets[list] as usize..offsets[list + 1] as usize
        }
        _ => {
            let lists = lists.as_fixed_size_list();
            let start = lists.value_offset(list) as usize;
            start..start + lists.value_length() as usize
        }
    }
}

/// The values of all lists.
fn values_of(lists: &ArrayRef) -> ArrayRef {
    match lists.data_type() {
        DataType::List(_) => lists.as_list::<i32>().values().clone(),
        DataType::LargeList(_) => lists.as_list::<i64>().values().clone(),
        _ => lists.as_fixed_size_list().values().clone(),
    }
}

/// The names of all columns; a column of structs, or of lists with strings or structs, has the
/// names of the columns inside.
pub(crate) fn names_of(schema: &Schema) -> Vec<String> {
    let mut names = Vec::new();
    for field in schema.fields() {
        push_names(field.name().clone(), field.data_type(), &mut names);
    }
    names
}

fn push_names(name: String, data_type: &DataType, names: &mut Vec<String>) {
    match data_type {
        DataType::Struct(fields) if !fields.is_empty() => {
            for field in fields {
                push_names(format!("{name}.{}", field.name()), field.data_type(), names);
            }
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)
            if item.data_type().is_nested() || item.data_type().is_string() =>
        {
            push_names(format!("{name}[]"), item.data_type(), names);
        }
        _ => names.push(name),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{Int32Array, RecordBatch};
    use arrow_schema::Field;

    use super::*;

    fn of(columns: Vec<(&str, ArrayRef)>) -> StructArray {
        let field = |name: &str, column: &ArrayRef| {
            Arc::new(Field::new(name, column.data_type().clone(), true))
        };
        let columns = columns.into_iter().map(|(name, column)| (field(name, &column), column));
        StructArray::from(columns.collect::<Vec<_>>())
    }

    fn numbers(count: i32) -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(0..count))
    }

    /// The type of a path's values, and their places in the rows.
    fn found(columns: &StructArray, path: &str) -> Option<(DataType, Vec<Vec<usize>>)> {
        let batch = RecordBatch::from(columns);
        let leaf = Leaf::of(&batch.schema(), path)?;
        let (values, rows) = leaf.values(batch.column(leaf.root));
        assert_eq!(values.data_type(), &leaf.data_type);
        let same = leaf.with_values(batch.column(leaf.root), values).unwrap();
        assert_eq!(&same, batch.column(leaf.root));
        Some((leaf.data_type, rows.rows().map(<[usize]>::to_vec).collect()))
    }

    #[test]
    fn paths_lead_through_structs_and_lists_and_whole_names_come_first() {
        let lists = |rows: [Option<Vec<Option<i32>>>; 3]| {
            ListArray::from_iter_primitive::<Int32Type, _, _>(rows)
        };
        let tags = lists([Some(vec![Some(1), None]), None, Some(vec![Some(3)])]);
        let inner: ArrayRef = Arc::new(of(vec![("b", numbers(3)), ("b.c", numbers(3))]));
        let (_, offsets, _, nulls) = tags.clone().into_parts();
        let objects = of(vec![("day", numbers(3)), ("tags", Arc::new(tags.clone()))]);
        let messages = ListArray::new(
            Arc::new(Field::new("item", objects.data_type().clone(), true)),
            offsets,
            Arc::new(objects),
            nulls,
        );
        let columns = of(vec![
            ("tags", Arc::new(tags)),
            ("messages", Arc::new(messages)),
            ("a", inner),
            ("a.b.c", numbers(3)),
        ]);
        let each = |rows: &[&[usize]]| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
        let number = |rows| Some((DataType::Int32, each(rows)));
        assert_eq!(found(&columns, "tags[]"), number(&[&[0, 1], &[], &[2]]));
        assert_eq!(found(&columns, "messages[].day"), number(&[&[0, 1], &[], &[2]]));
        assert_eq!(found(&columns, "messages.day"), number(&[&[0, 1], &[], &[2]]));
        // The second of the messages has no tags.
        assert_eq!(found(&columns, "messages[].tags[]"), number(&[&[0, 1], &[], &[2]]));
        assert_eq!(found(&columns, "a.b"), number(&[&[0], &[1], &[2]]));
        let leaf = Leaf::of(RecordBatch::from(&columns).schema_ref(), "a.b.c").unwrap();
        assert_eq!((leaf.root_name.as_str(), leaf.is_inside()), ("a.b.c", false));
        for path in ["tags.day", "tags[].day", "messages[]day", "messages[].dya", "a.c", "a[].b"] {
            assert_eq!(found(&columns, path), None, "{path}");
        }
        let names = names_of(RecordBatch::from(&columns).schema_ref());
        assert_eq!(names, ["tags", "messages[].day", "messages[].tags", "a.b", "a.b.c", "a.b.c"]);
    }
}
