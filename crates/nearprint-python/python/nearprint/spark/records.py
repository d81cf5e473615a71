"""Documents -> the record of each for the search, and the best document of each text."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow

from nearprint import Config, NearprintWarning, Stats, UsageError
from nearprint._nearprint import Worker, moments
from nearprint.spark.batches import beside, by_batch, computed, held

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

RECORD = (
    "hash binary, characters int, size int, empty boolean, short boolean, fingerprint binary, "
    "sketch binary, letters string, figures binary, "
    "leaks array<struct<item: int, first: int, last: int, similarity: double>>"
)


# Number of parts of statistics that come to the driver.
STATISTICS = 8

# Values that are no dates in a warning, and the characters of each.
UNDATED, SHOWN = 3, 40


@dataclass
class Size:
    """The size of a run."""

    #: The documents without reference documents.
    own: int
    #: The documents of both sides, and the characters of their texts.
    documents: int
    characters: int


def records_of(
    documents: DataFrame, config: Config, items: pyarrow.Table | None, frames: ExitStack
) -> tuple[DataFrame, Size]:
    """Documents (against, id, place, text, perhaps field and guards) without their texts, each with
    its record, and the size of the run. The texts of `items` are searched inside them. `frames` holds the
    records.

    With `keep="newest:COLUMN"` or `"oldest:COLUMN"`, `field` becomes the moment of each document in
    nanoseconds since 1970, and `undated` the value that is no date."""
    of_dates = config.keep.startswith(("newest:", "oldest:"))

    def make() -> Worker:
        worker = Worker(config)
        if items is not None:
            worker.look_for(items.select(["text"]))
        return worker

    def records(worker: Worker, batch: pyarrow.Table) -> pyarrow.Table:
        known = [name for name in ("text", "against", "guards") if name in batch.column_names]
        own = batch.drop(["text"])
        if of_dates:
            own = beside(own.drop(["field"]), pyarrow.table(moments(batch.select(["field"]))))
        return beside(own, pyarrow.table(worker.records(batch.select(known))))

    replaced = ("text", "field") if of_dates else ("text",)
    own = [part for part in documents.schema.fields if part.name not in replaced]
    schema = ", ".join(f"`{part.name}` {part.dataType.simpleString()}" for part in own)
    if of_dates:
        schema += ", field decimal(38,0), undated string"
    records_of_all = held(by_batch(documents, make, records, f"{schema}, {RECORD}"), frames)
    return records_of_all, _checked(records_of_all, config.max_document_bytes)


def best_of(records: DataFrame, config: Config, frames: ExitStack) -> tuple[DataFrame, DataFrame]:
    """The record of the best document of each hash, with its rank; and the best of each hash that
    several documents have, which `frames` holds."""
    from pyspark.sql import functions as f

    there = records.where("not empty").withColumn("rank", f.struct(*rank_of(config, records)))
    several = (
        there.groupBy("hash")
        .agg(f.min("rank").alias("best"), f.count("*").alias("copies"))
        .where("copies > 1")
    )
    several = computed(several.select(f.col("hash").alias("_hash"), "best"), frames)
    joined = there.join(several.select("_hash", "best"), f.col("hash") == f.col("_hash"), "left")
    joined = joined.where("best is null or best.id = id and best.own != against")
    return joined.drop("_hash", "best", "empty", "size", "leaks"), several


def statistics_of(documents: DataFrame, config: Config) -> Stats:
    """The statistics of the words of all documents, counted in parts; only a few parts come to the
    driver."""
    # The settings for texts alone, without those that need other fields.
    of_texts = config.replace(same=[], differ=[], keep="first")

    def counted(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        parts = [
            Stats.build(batch.column(0), config=of_texts) for batch in batches if batch.num_rows > 0
        ]
        if parts:
            yield together(parts)

    def merged(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        parts = [pickle.loads(part) for batch in batches for part in batch.column(0).to_pylist()]
        if parts:
            yield together(parts)

    def together(parts: list[Stats]) -> pyarrow.RecordBatch:
        whole = reduce(lambda one, other: one.merge(other), parts)
        return pyarrow.RecordBatch.from_pydict({"stats": [pickle.dumps(whole)]})

    texts = documents.where("text is not null").select("text")
    few = (
        texts.mapInArrow(counted, "stats binary")
        .repartition(STATISTICS, "stats")
        .mapInArrow(merged, "stats binary")
    )
    parts = [pickle.loads(part["stats"]) for part in few.collect()]
    return (
        reduce(lambda one, other: one.merge(other), parts)
        if parts
        else Stats.build(pyarrow.array([], pyarrow.string()), config=of_texts)
    )


def undated_of(records: DataFrame, config: Config) -> dict[str, Any] | None:
    """The documents without dates, with a warning; None without any."""
    from pyspark.sql import functions as f

    if "undated" not in records.columns:
        return None
    own = records.where("not against")
    rows = own.where("undated is not null")
    counts = own.agg(
        f.count("undated").alias("documents"),
        f.count_if(f.col("undated").isNull() & f.col("field").isNull()).alias("missing"),
    ).collect()[0]
    count, missing = counts["documents"], counts["missing"]
    if not count and not missing:
        return None
    field = config.keep.partition(":")[2]
    first = [
        {"id": row["id"] if isinstance(row["id"], int) else str(row["id"]), "value": row["value"]}
        for row in rows.orderBy("place", "id")
        .select("id", f.substring("undated", 1, SHOWN).alias("value"))
        .take(UNDATED)
    ]
    told = f"the column {field}, which ranks documents,"
    if count:
        shown = ", ".join(f'"{row["value"]}" ({row["id"]})' for row in first)
        warnings.warn(
            f"{told} has a value that is no date in {count} of them, such as {shown}, which ranks "
            "below all dates; write dates like 2026-01-31T09:00:00Z, or rank numbers and text with "
            f'keep="highest:{field}"',
            NearprintWarning,
            stacklevel=4,
        )
    if missing:
        warnings.warn(
            f"{told} has no date in {missing} of them: it is null or empty there, which ranks "
            "below all dates",
            NearprintWarning,
            stacklevel=4,
        )
    return {"field": field, "documents": count, "first": first, "missing": missing}


def rank_of(config: Config, records: DataFrame) -> list[Column]:
    """The columns to order by; the document to keep has the smallest values."""
    from pyspark.sql import functions as f
    from pyspark.sql import types as t

    place = [(~f.col("against")).alias("own"), f.col("place"), f.col("id")]
    own, rest = place[:1], place[1:]
    if config.keep == "longest":
        return [*own, (-f.col("size")).alias("size"), *rest]
    field = config.keep.partition(":")[2]
    if not field:
        return place
    kind = records.schema["field"].dataType
    if isinstance(kind, (t.FloatType, t.DoubleType)):
        value = f.nanvl(f.col("field").cast("double"), f.lit(None).cast("double"))
        # Zero is more than minus zero.
        is_minus_zero = f.col("field").cast("string") == "-0.0"
        return [
            *own,
            value.isNull().alias("lacks"),
            (-value).alias("value"),
            is_minus_zero.alias("minus_zero"),
            *rest,
        ]
    elif isinstance(kind, t.BooleanType):
        value = f.col("field").cast("int")
    elif isinstance(kind, t.IntegralType):
        # The least integer has no negative of its own type.
        value = f.col("field").cast("decimal(38,0)")
    elif isinstance(kind, t.DecimalType):
        # The moments of dates among them: the earliest is the best of `oldest`.
        value = -f.col("field") if config.keep.startswith("oldest:") else f.col("field")
    elif isinstance(kind, (t.DateType, t.TimestampType)):
        value = f.unix_micros(f.col("field").cast("timestamp"))
    elif isinstance(kind, (t.StringType, t.TimestampNTZType)):
        # The largest text has the smallest complement; G sorts after all digits, so the longer of
        # two that begin alike comes first.
        complement = f.translate(
            f.hex(f.col("field").cast("string")), "0123456789ABCDEF", "FEDCBA9876543210"
        )
        return [
            *own,
            f.col("field").isNull().alias("lacks"),
            f.concat(complement, f.lit("G")).alias("value"),
            *rest,
        ]
    else:
        raise UsageError(
            f"keep: the column {field} is of type {kind.simpleString()}; make it a number, a "
            "boolean, a date, a timestamp or a string"
        )
    return [*own, value.isNull().alias("lacks"), (-value).alias("value"), *rest]


def _checked(records: DataFrame, most_bytes: int) -> Size:
    """The size of the run. Refuses documents without a text, null ids and repeated ids."""
    from pyspark.sql import functions as f

    lacking = f.count_if(f.col("hash").isNull()).alias("lacking")
    of_id = records.groupBy("against", "id").agg(
        f.count("*").alias("count"), lacking, f.sum("characters").alias("characters")
    )
    has_id, is_twice = f.col("id").isNotNull(), f.col("id").isNotNull() & (f.col("count") > 1)
    found = of_id.agg(
        f.sum("lacking").alias("lacking"),
        f.min(f.when(f.col("lacking") > 0, f.col("id"))).alias("lacking_one"),
        f.sum(f.when(~has_id, f.col("count"))).alias("unnamed"),
        f.count_if(is_twice).alias("twice"),
        f.min(f.when(is_twice, f.col("id"))).alias("twice_one"),
        f.sum(f.when(~f.col("against"), f.col("count"))).alias("own"),
        f.sum("count").alias("documents"),
        f.sum("characters").alias("characters"),
    ).collect()[0]
    if found["lacking"]:
        problem = (
            "documents without a text, or with one that is not UTF-8 or longer than "
            f"max_document_bytes={most_bytes}: {found['lacking']}"
        )
        remedy = "leave such rows out before, decode bytes that are not UTF-8, or allow more bytes"
        raise UsageError(f"text: {problem}, such as {found['lacking_one']}; {remedy}")
    if found["unnamed"]:
        raise UsageError(f"id: documents without an id: {found['unnamed']}; give each its own")
    if found["twice"]:
        raise UsageError(
            f"id: ids used by several documents: {found['twice']}, such as {found['twice_one']}; "
            "give each document its own"
        )
    return Size(*(int(found[name] or 0) for name in ("own", "documents", "characters")))
