"""The columns of guards (`same`, `differ`) -> numbers, equal for equal values."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from nearprint import Config, UsageError
from nearprint.spark.batches import column_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def guards_of(config: Config) -> list[tuple[str, str]]:
    """The settings and columns of the guards: of `same`, then of `differ`."""
    return [
        (setting, field)
        for setting in ("same", "differ")
        for field in getattr(config, setting) or []
    ]


def columns_of_guards(frame: DataFrame) -> list[str]:
    """The column with the values of guards, if there is one."""
    return [name for name in frame.columns if name == "guards"]


def values_of(documents: DataFrame, config: Config) -> list[Column]:
    """The values of a document in these columns, equal in Spark if they are equal here; null
    without a value."""
    return [_comparable(documents, setting, field) for setting, field in guards_of(config)]


def numbers_of(values: list[Column]) -> Column:
    """Values of a document as an array of 64-bit numbers; null has its own number."""
    from pyspark.sql import functions as f

    return f.array(*[f.xxhash64(value) for value in values])


def may_pair(one: Column, other: Column, config: Config) -> Column:
    """True if the guards let two documents with these arrays of values be a pair."""
    from pyspark.sql import functions as f

    conditions = [
        (one[place] == other[place]) == f.lit(setting == "same")
        for place, (setting, _) in enumerate(guards_of(config))
    ]
    return reduce(lambda one, other: one & other, conditions)


def _comparable(documents: DataFrame, setting: str, field: str) -> Column:
    from pyspark.sql import functions as f
    from pyspark.sql import types as t

    value = column_of(documents, field)
    kind = documents.select(value.alias("field")).schema["field"].dataType
    if isinstance(kind, (t.FloatType, t.DoubleType)):
        # Minus zero equals zero, and NaN is no value.
        return f.nanvl(value.cast("double"), f.lit(None).cast("double")) + 0.0
    if isinstance(kind, t.IntegralType):
        return value.cast("long")
    if isinstance(
        kind,
        (
            t.DecimalType,
            t.StringType,
            t.BooleanType,
            t.DateType,
            t.TimestampType,
            t.TimestampNTZType,
        ),
    ):
        return value
    raise UsageError(
        f"{setting}: the column {field} is of type {kind.simpleString()}; make it a string, a "
        "number, a date or a boolean"
    )
