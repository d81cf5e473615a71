"""Documents and the passages of items in them -> the same documents without the passages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow

from nearprint.spark.batches import column_of, new_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# What stands in place of a passage, by what is done with it.
IN_PLACE = {"mask": "[masked]", "cut": ""}


def without_passages(documents: DataFrame, text: str, id: str, passages: DataFrame, action: str) -> DataFrame:
    """The documents with their texts masked or cut. `passages` are rows (id, first, last), in characters from 0."""
    from pyspark.sql import functions as f

    in_place, columns = IN_PLACE[action], documents.columns
    of_id, of_ranges = new_name("_id", documents), new_name("_passages", documents)
    ranges = passages.groupBy(f.col("id").alias(of_id)).agg(f.array_sort(f.collect_set(f.struct("first", "last"))).alias(of_ranges))
    joined = documents.join(ranges, column_of(documents, id) == ranges[of_id], "left").drop(of_id)

    def edited(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            place = batch.schema.get_field_index(text)
            rows = zip(batch.column(place).to_pylist(), batch.column(batch.schema.get_field_index(of_ranges)).to_pylist())
            texts = [beside(own, ranges, in_place) if ranges else own for own, ranges in rows]
            kind = batch.schema.field(place).type
            arrays = [pyarrow.array(texts, kind) if name == text else batch.column(number) for number, name in enumerate(columns)]
            yield pyarrow.RecordBatch.from_arrays(arrays, columns)

    return joined.mapInArrow(edited, documents.schema)


def beside(text: str | bytes, passages: list[dict[str, Any]], in_place: str) -> str | bytes:
    """A text, of which something else stands in place of passages, which are sorted; of those that meet as one."""
    if isinstance(text, bytes):
        edited = beside(text.decode(), passages, in_place)
        return edited.encode() if isinstance(edited, str) else edited
    parts: list[str] = []
    at = 0
    for number, passage in enumerate(passages):
        if number == 0 or passage["first"] > at:
            parts += [text[at : passage["first"]], in_place]
        at = max(at, passage["last"] + 1)
    return "".join([*parts, text[at:]])
