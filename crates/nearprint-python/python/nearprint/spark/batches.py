"""Functions over Arrow batches -> Spark's DataFrames. All of them run in Python's workers and take what they need along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

# Texts of one call, so that a batch of large documents does not take several times its size.
ROWS = 1_024


def by_batch(frame: DataFrame, function: Callable[[pyarrow.Table], Any], schema: str | StructType) -> DataFrame:
    """What `function` makes of the rows of each batch: a table with a row for each."""

    def batches(parts: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for part in parts:
            for start in range(0, part.num_rows, ROWS):
                rows = pyarrow.Table.from_batches([part.slice(start, ROWS)])
                yield from pyarrow.table(function(rows)).combine_chunks().to_batches()

    return frame.mapInArrow(batches, schema)


def by_group(frame: DataFrame, keys: list[str], parts: int, function: Callable[[pyarrow.Table], Any], schema: str) -> DataFrame:
    """What `function` makes of all rows that are equal in `keys`. They are brought together and sorted, by their hash within a group, so that
    a worker holds one group at a time, and another attempt makes the same of it."""

    def groups(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        key, held = None, []
        for batch in batches:
            values = list(zip(*(batch.column(name).to_pylist() for name in keys)))
            start = 0
            for place in range(len(values) + 1):
                if place < len(values) and values[place] == key:
                    continue
                if place > start:
                    held.append(batch.slice(start, place - start))
                if place < len(values):
                    if held:
                        yield from made(held)
                    key, held, start = values[place], [], place
        if held:
            yield from made(held)

    def made(held: list[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return iter(pyarrow.table(function(pyarrow.Table.from_batches(held))).combine_chunks().to_batches())

    return frame.repartition(parts, *keys).sortWithinPartitions(*keys, "hash").mapInArrow(groups, schema)


def beside(one: pyarrow.Table, other: pyarrow.Table) -> pyarrow.Table:
    """The columns of two tables of as many rows."""
    return pyarrow.table([*one.columns, *other.columns], [*one.column_names, *other.column_names])
