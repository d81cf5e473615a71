//! Columns in memory -> batches of columns, without copying their texts.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};

use super::batches::Batches;
use super::documents::ColumnsReader;
use super::inside::names_of;
use super::wanted::WantedColumns;
use crate::error::Problem;
use crate::read::memory::InMemory;
use crate::read::{Format, Options, Source};

impl Source {
    /// Rows in memory, as Arrow's columns. `name` stands for the file in messages and in the ids of
    /// rows without one. Texts may be strings or bytes of every kind that Arrow has, or
    /// dictionaries of them; ids may be of any scalar type.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, RecordBatch, StringViewArray};
    /// use nearprint::read::{Source, read, Options};
    /// let text: ArrayRef = Arc::new(StringViewArray::from(vec!["床前明月光", "疑是地上霜"]));
    /// let batch = RecordBatch::try_from_iter([("text", text)])?;
    /// let source = Source::in_memory("poems", vec![batch]);
    /// let documents: Vec<_> = read(&source, &Options::default())?.collect::<Result<_, _>>()?;
    /// assert_eq!((documents[1].row, documents[1].text.as_str()), (2, "疑是地上霜"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_memory(name: impl Into<String>, batches: Vec<RecordBatch>) -> Source {
        Source::in_memory_of(name, batches, Vec::new())
    }

    /// Rows in memory, of which only some columns are at hand: as [`in_memory`](Self::in_memory).
    /// `fields` are the names of all columns, for messages about a field that is missing.
    pub fn in_memory_of(
        name: impl Into<String>,
        batches: Vec<RecordBatch>,
        fields: Vec<String>,
    ) -> Source {
        let columns = Columns { batches: batches.into(), fields: fields.into() };
        Source::of_memory(name.into(), Format::Parquet, InMemory::Columns(columns))
    }
}

/// Columns in memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Columns {
    batches: Arc<[RecordBatch]>,
    /// The names of all fields; empty if they are those of the batches.
    fields: Arc<[String]>,
}

impl Columns {
    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }

    /// The batches.
    pub fn batches(&self) -> Arc<[RecordBatch]> {
        self.batches.clone()
    }

    /// The names and types of the columns; an empty schema without a batch.
    pub fn schema(&self) -> SchemaRef {
        self.batches.first().map_or_else(|| Schema::empty().into(), RecordBatch::schema)
    }

    /// The names of all fields, those inside of others as well.
    pub fn fields(&self) -> Vec<String> {
        match self.fields.is_empty() {
            true => names_of(&self.schema()),
            false => self.fields.to_vec(),
        }
    }
}

/// Reads columns in memory. Without a batch there is nothing to read, and no schema to check.
pub(crate) fn open(
    columns: &Columns,
    source: &Source,
    options: &Options,
) -> Result<ColumnsReader, Problem> {
    let wanted = match columns.batches.is_empty() {
        true => WantedColumns::default(),
        false => WantedColumns::of(&columns.schema(), options).map_err(|mut problem| {
            if let Problem::MissingColumn { available, .. } = &mut problem {
                *available = columns.fields().into();
            }
            problem
        })?,
    };
    let batches = Batches::in_memory(columns.batches(), wanted.roots());
    Ok(ColumnsReader::new(batches, wanted, columns.rows(), source, options))
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::*;

    use super::*;
    use crate::document::{Document, Id};
    use crate::error::Rejection;
    use crate::read::read;
    use crate::read::testing::{messages, options, rejection};

    fn documents(batches: Vec<RecordBatch>) -> Vec<Result<Document, Rejection>> {
        match read(&Source::in_memory("table", batches), &options()) {
            Ok(documents) => documents.collect(),
            Err(rejection) => vec![Err(rejection)],
        }
    }

    fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
        RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, column)| (name, column, true)),
        )
        .unwrap()
    }

    #[test]
    fn every_kind_of_string_is_text_and_id_in_chunks_and_slices() {
        let values = [
            Some("before"),
            Some("月"),
            Some("a\0b"),
            Some(""),
            Some("a text that is too long for a view alone"),
        ];
        let bytes: Vec<_> = values.iter().map(|value| value.map(str::as_bytes)).collect();
        let columns: [ArrayRef; 7] = [
            Arc::new(StringArray::from_iter(values)),
            Arc::new(LargeStringArray::from_iter(values)),
            Arc::new(StringViewArray::from_iter(values)),
            Arc::new(values.into_iter().collect::<DictionaryArray<Int32Type>>()),
            Arc::new(BinaryArray::from_iter(bytes.clone())),
            Arc::new(LargeBinaryArray::from_iter(bytes.clone())),
            Arc::new(BinaryViewArray::from_iter(bytes)),
        ];
        for column in columns {
            let data_type = column.data_type().clone();
            let whole =
                batch(vec![("other", column.clone()), ("text", column.clone()), ("id", column)]);
            let found = documents(vec![whole.slice(1, 2), whole.slice(0, 0), whole.slice(3, 2)]);
            for (place, value) in values[1..].iter().enumerate() {
                let document = found[place].as_ref().unwrap();
                assert_eq!(document.text, value.unwrap(), "{data_type}");
                // An empty id is none.
                let id = value.filter(|id| !id.is_empty()).unwrap_or("table:3");
                assert_eq!((document.row, &document.id), (place as u64 + 1, &Id::Text(id.into())));
            }
            assert_eq!(found.len(), 4);
        }
    }

    #[test]
    fn nulls_of_a_dictionary_are_nulls_whoever_has_them() {
        for values in [
            Arc::new(StringArray::from(vec![None, Some("a")])) as ArrayRef,
            Arc::new(LargeStringArray::from(vec![None, Some("a")])),
            Arc::new(StringViewArray::from(vec![None, Some("a")])),
            Arc::new(BinaryArray::from_iter([None, Some(b"a")])),
        ] {
            let keys = Int32Array::from(vec![Some(1), Some(0), None, Some(1)]);
            let text: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(keys, values));
            let found = documents(vec![batch(vec![("text", text)])]);
            for (place, document) in found.iter().enumerate() {
                match place {
                    0 | 3 => assert_eq!(document.as_ref().unwrap().text, "a"),
                    _ => assert_eq!(document.as_ref().unwrap_err().problem.name(), "null_field"),
                }
            }
        }
    }

    #[test]
    fn many_rows_come_in_order_with_their_own_ids() {
        let texts: Vec<String> = (0..5000).map(|n| format!("text {n}")).collect();
        let text: ArrayRef = Arc::new(StringArray::from_iter_values(&texts));
        let id: ArrayRef = Arc::new(Int64Array::from_iter_values(10..5010));
        let found = documents(vec![batch(vec![("text", text), ("id", id)])]);
        assert_eq!(found.len(), 5000);
        for (n, document) in found.into_iter().map(Result::unwrap).enumerate() {
            assert_eq!(
                (document.text, document.id),
                (format!("text {n}"), Id::Integer(n as i64 + 10))
            );
        }
    }

    #[test]
    fn bad_rows_and_columns_are_named() {
        let text: ArrayRef =
            Arc::new(BinaryArray::from_iter([None, Some(&b"a\xed\xa0\x80"[..]), Some(b"b")]));
        let found = documents(vec![batch(vec![("text", text.clone())])]);
        assert_eq!(
            found[0],
            rejection("table", Some(1), Problem::NullField { field: "text".into() })
        );
        assert_eq!(found[1], rejection("table", Some(2), Problem::NotUtf8 { offset: 1 }));
        assert_eq!(found[2].as_ref().unwrap().id, Id::Text("table:3".into()));
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
        let wrong = documents(vec![batch(vec![("text", numbers)])]);
        assert_eq!(
            messages(&wrong),
            [
                "table: field \"text\" is a column of type Float64, not a column of strings; name another field"
            ]
        );
        assert!(
            messages(&documents(vec![batch(vec![("body", text.clone())])]))[0]
                .contains("no column \"text\"; there are: body")
        );
        let twice = batch(vec![("text", text.clone()), ("id", text.clone()), ("text", text)]);
        assert!(
            messages(&documents(vec![twice]))[0].contains("several columns have the name \"text\"")
        );
        assert!(documents(vec![]).is_empty());
    }
}
