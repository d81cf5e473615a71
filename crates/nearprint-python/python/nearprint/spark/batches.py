"""Functions over Arrow batches -> Spark's DataFrames. The functions run in Python's workers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow
import pyarrow.ipc

from nearprint import UsageError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

Made = TypeVar("Made")

# Texts per call, so that a batch of large documents does not take several times its size.
ROWS = 1_024

# Partitions per group, so that few groups share a partition by their hashes.
SPREAD = 4


class Gathered:
    """Rows that arrive in batches. They are held in memory or, beyond `most` bytes, in a mapped
    file."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self._clear()

    def _clear(self) -> None:
        self.batches: list[pyarrow.RecordBatch] = []
        self.bytes = 0
        self.file: Any = None
        self.writer: Any = None

    def add(self, batch: pyarrow.RecordBatch) -> None:
        self.batches.append(batch)
        self.bytes += batch.nbytes
        if self.most is not None and self.bytes > self.most:
            if self.writer is None:
                folder = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
                self.file = tempfile.NamedTemporaryFile(
                    dir=folder if os.path.isdir(folder) else None
                )
                self.writer = pyarrow.ipc.new_file(self.file, batch.schema)
            self._write()

    def _write(self) -> None:
        for batch in self.batches:
            self.writer.write_batch(batch)
        self.batches, self.bytes = [], 0

    def taken(self) -> pyarrow.Table | None:
        """All rows, which are no longer held here; None without rows."""
        rows: pyarrow.Table | None = None
        if self.writer is not None:
            self._write()
            self.writer.close()
            self.file.flush()
            rows = pyarrow.ipc.open_file(pyarrow.memory_map(self.file.name)).read_all()
            # The name of the file goes; the mapped rows stay as long as they are used.
            self.file.close()
        elif self.batches:
            rows = pyarrow.Table.from_batches(self.batches)
        self._clear()
        return rows


def by_batch(
    frame: DataFrame,
    make: Callable[[], Made],
    function: Callable[[Made, pyarrow.Table], Any],
    schema: str | StructType,
) -> DataFrame:
    """The results of `function` for the rows of each batch: a table with a row for each. `make`
    creates its first argument once per task."""

    def batches(parts: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        made = make()
        for part in parts:
            for start in range(0, part.num_rows, ROWS):
                yield from of_rows(pyarrow.Table.from_batches([part.slice(start, ROWS)]), made)

    def of_rows(rows: pyarrow.Table, made: Made) -> list[pyarrow.RecordBatch]:
        batches: list[pyarrow.RecordBatch] = (
            pyarrow.table(function(made, rows)).combine_chunks().to_batches()
        )
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
    in_memory: int | None = None,
) -> DataFrame:
    """The results of `function` for the rows of each group, equal in `keys` and sorted by `order`,
    without the columns of the order. A worker holds one of the `groups` at a time, with at most
    `in_memory` bytes in memory."""

    def of_groups(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        made = make()
        key: tuple[object, ...] | None = None
        gathered = Gathered(in_memory)
        for batch in batches:
            values = list(zip(*(batch.column(name).to_pylist() for name in keys)))
            start = 0
            for place in range(len(values) + 1):
                if place < len(values) and values[place] == key:
                    continue
                if place > start:
                    gathered.add(batch.slice(start, place - start))
                if place < len(values):
                    yield from of_group(gathered, made)
                    key, start = values[place], place
        yield from of_group(gathered, made)

    def of_group(gathered: Gathered, made: Made) -> list[pyarrow.RecordBatch]:
        rows = gathered.taken()
        batches: list[pyarrow.RecordBatch] = (
            pyarrow.table(function(made, rows)).to_batches() if rows is not None else []
        )
        return batches

    together = frame.repartition(SPREAD * groups, *keys).sortWithinPartitions(*keys, *order)
    return together.drop(*order).mapInArrow(of_groups, schema)


@contextmanager
def short_plans(spark: SparkSession) -> Iterator[None]:
    """Limits the length of Spark's descriptions of plans. Each plan describes the cached frames
    that it uses, in megabytes after some steps, and Spark keeps the last thousand descriptions in
    the driver's memory."""
    name = "spark.sql.maxPlanStringLength"
    before = spark.conf.get(name, None)
    spark.conf.set(name, "10000")
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, before)


def held(frame: DataFrame, frames: ExitStack) -> DataFrame:
    """A frame that is cached once it is computed, until `frames` ends."""
    frame = frame.persist()
    frames.callback(frame.unpersist)
    return frame


def computed(frame: DataFrame, frames: ExitStack) -> DataFrame:
    """A frame that is cached and computed now. Otherwise parallel uses would compute it several
    times, and Spark would not know its number of rows."""
    frame = held(frame, frames)
    frame.count()
    return frame


def column_of(frame: DataFrame, name: str) -> Column:
    """The column of this name, which may have dots and spaces; or the field of a struct."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as f

    quoted = name.replace("`", "``")
    column = f.col(f"`{quoted}`" if name in frame.columns else name)
    try:
        if name in frame.columns or name.partition(".")[0] in frame.columns:
            # The schema makes Spark resolve the column now.
            _ = frame.select(column).schema
            return column
    except AnalysisException:
        twins = [other for other in frame.columns if other.lower() == name.lower()]
        if len(twins) > 1:
            raise UsageError(
                f"the columns {' and '.join(twins)} have the same name; drop all but one, or set "
                "spark.sql.caseSensitive to true"
            ) from None
    raise UsageError(f"no column {name}; there are {', '.join(frame.columns)}")


def new_name(name: str, frame: DataFrame) -> str:
    """The name, or a longer one, which no column has in any case."""
    taken = {column.lower() for column in frame.columns}
    while name.lower() in taken:
        name += "_"
    return name


def beside(one: pyarrow.Table, other: pyarrow.Table) -> pyarrow.Table:
    """The columns of two tables with the same number of rows."""
    return pyarrow.table([*one.columns, *other.columns], [*one.column_names, *other.column_names])


def collected(frame: DataFrame) -> pyarrow.Table:
    """All rows, on the driver."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    rows = [row.asDict() for row in frame.collect()]
    return (
        pyarrow.Table.from_pylist(rows)
        if rows
        else pyarrow.table({name: [] for name in frame.columns})
    )


def of_table(spark: SparkSession, table: pyarrow.Table, schema: str) -> DataFrame:
    """A table of the driver as a DataFrame."""
    from pyspark.sql import DataFrame

    if hasattr(DataFrame, "toArrow"):
        return spark.createDataFrame(table, schema)
    return spark.createDataFrame(
        list(zip(*(column.to_pylist() for column in table.columns))), schema
    )
