"""Documents and the passages of items in them -> the same documents without the passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nearprint.spark.batches import column_of, new_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# The replacement of a passage, by action.
IN_PLACE = {"mask": "[masked]", "cut": ""}


def without_passages(
    documents: DataFrame, text: str, id: str, passages: DataFrame, action: str
) -> DataFrame:
    """The documents with their texts masked or cut. `passages` are rows (id, first, last), in
    characters from 0."""
    from pyspark.sql import functions as f

    of_id, of_ranges = new_name("_id", documents), new_name("_passages", documents)
    ranges = passages.groupBy(f.col("id").alias(of_id)).agg(
        f.array_sort(f.collect_set(f.struct("first", "last"))).alias(of_ranges)
    )
    joined = documents.join(ranges, column_of(documents, id) == ranges[of_id], "left")
    own, kind = (
        column_of(documents, text),
        documents.select(column_of(documents, text).alias("text")).schema["text"].dataType,
    )
    edited = f.when(f.col(of_ranges).isNull(), own).otherwise(
        without(own.cast("string"), f.col(of_ranges), IN_PLACE[action]).cast(kind)
    )
    return joined.select(
        *[
            edited.alias(name) if name == text else column_of(documents, name)
            for name in documents.columns
        ]
    )


def without(text: Column, ranges: Column, in_place: str) -> Column:
    """A text with sorted ranges (first, last) replaced; ranges that meet count as one."""
    from pyspark.sql import functions as f

    def between(start: Column, end: Column) -> Column:
        # Spark counts characters from 1.
        return text.substr(start + 1, end - start)

    def and_range(state: Column, own: Column) -> Column:
        is_part_of_last = state["begun"] & (own["first"] <= state["at"])
        more = f.when(is_part_of_last, "").otherwise(
            f.concat(between(state["at"], own["first"]), f.lit(in_place))
        )
        done, at = f.concat(state["done"], more), f.greatest(state["at"], own["last"] + 1)
        return f.struct(done.alias("done"), at.alias("at"), f.lit(True).alias("begun"))

    nothing = f.struct(f.lit("").alias("done"), f.lit(0).alias("at"), f.lit(False).alias("begun"))
    return f.aggregate(
        ranges,
        nothing,
        and_range,
        lambda state: f.concat(state["done"], between(state["at"], f.length(text))),
    )
