"""Functions over Arrow batches -> Spark's DataFrames. All of them run in Python's workers and take what they need along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

Made = TypeVar("Made")

# Texts of one call, so that a batch of large documents does not take several times its size.
ROWS = 1_024

# Partitions for each group, so that few groups meet in one by their hashes.
SPREAD = 4


def by_batch(
    frame: DataFrame, make: Callable[[], Made], function: Callable[[Made, pyarrow.Table], Any], schema: str | StructType
) -> DataFrame:
    """What `function` makes of the rows of each batch: a table with a row for each. `make` makes what it works with, once a task."""

    def batches(parts: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        made = make()
        for part in parts:
            for start in range(0, part.num_rows, ROWS):
                yield from of_rows(pyarrow.Table.from_batches([part.slice(start, ROWS)]), made)

    def of_rows(rows: pyarrow.Table, made: Made) -> list[pyarrow.RecordBatch]:
        batches: list[pyarrow.RecordBatch] = pyarrow.table(function(made, rows)).combine_chunks().to_batches()
        return batches

    return frame.mapInArrow(batches, schema)


def by_group(
    frame: DataFrame,
    keys: list[str],
    groups: int,
    make: Callable[[], Made],
    function: Callable[[Made, pyarrow.Table], Any],
    schema: str,
    order: tuple[str, ...] = (),
) -> DataFrame:
    """What `function` makes of all rows that are equal in `keys`, in this `order`, whose columns it does not get. They are brought together and
    sorted, so that a worker holds one group at a time; there are `groups` of them."""

    def of_groups(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        made = make()
        key: tuple[object, ...] | None = None
        held: list[pyarrow.RecordBatch] = []
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
                        yield from of_group(held, made)
                    key, held, start = values[place], [], place
        if held:
            yield from of_group(held, made)

    def of_group(held: list[pyarrow.RecordBatch], made: Made) -> list[pyarrow.RecordBatch]:
        batches: list[pyarrow.RecordBatch] = pyarrow.table(function(made, pyarrow.Table.from_batches(held))).to_batches()
        return batches

    together = frame.repartition(SPREAD * groups, *keys).sortWithinPartitions(*keys, *order)
    return together.drop(*order).mapInArrow(of_groups, schema)


def beside(one: pyarrow.Table, other: pyarrow.Table) -> pyarrow.Table:
    """The columns of two tables of as many rows."""
    return pyarrow.table([*one.columns, *other.columns], [*one.column_names, *other.column_names])


def collected(frame: DataFrame) -> pyarrow.Table:
    """All rows, on the driver."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    rows = [row.asDict() for row in frame.collect()]
    return pyarrow.Table.from_pylist(rows) if rows else pyarrow.table({name: [] for name in frame.columns})


def of_table(spark: SparkSession, table: pyarrow.Table, schema: str) -> DataFrame:
    """A table of the driver as a DataFrame."""
    from pyspark.sql import DataFrame

    if hasattr(DataFrame, "toArrow"):
        return spark.createDataFrame(table, schema)
    return spark.createDataFrame(list(zip(*(column.to_pylist() for column in table.columns))), schema)
