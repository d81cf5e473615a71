"""Reference documents -> the items inside documents, the keepers of these documents, and the list
of leaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow

from nearprint import Config, UsageError
from nearprint.spark.batches import collected
from nearprint.spark.guards import columns_of_guards, may_pair
from nearprint.spark.results import rounded, rounded_down

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Maximum size of items in bytes. Every task builds an index of them, of up to 33 times that size.
MOST_ITEMS = 1 << 27


def items_of(against: DataFrame, config: Config) -> pyarrow.Table | None:
    """The items (id, text) to search inside documents, in their order; None if the settings search
    none."""
    from pyspark.sql import functions as f

    if config.min_leak_length in (None, "off"):
        return None
    size = against.agg(f.sum(f.octet_length("text"))).first()
    if size is not None and (size[0] or 0) > MOST_ITEMS:
        problem = (
            f"the documents of against have {size[0]} bytes, and the maximum to search inside "
            f"documents on Spark is {MOST_ITEMS}"
        )
        raise UsageError(
            f'min_leak_length: {problem}; set it to "off", or compare with them in several runs'
        )
    return collected(
        against.orderBy("place", "id").select("id", f.col("text").cast("string").alias("text"))
    )


def passages_of(
    records: DataFrame, items: pyarrow.Table | None, config: Config
) -> DataFrame | None:
    """The places of items in documents: id, item (its id), number (of the item), first, last,
    similarity; None without items. Guards must let the two be a pair."""
    from pyspark.sql import functions as f

    if items is None or items.num_rows == 0:
        return None
    spark = records.sparkSession
    kind = records.schema["id"].dataType.simpleString()
    named = spark.createDataFrame(
        list(enumerate(items["id"].to_pylist())), f"number int, item {kind}"
    )
    guards = columns_of_guards(records)
    leaks = records.where("not against").select("id", f.explode("leaks").alias("leak"), *guards)
    leaks = leaks.select(
        "id",
        f.col("leak.item").alias("number"),
        "leak.first",
        "leak.last",
        "leak.similarity",
        *guards,
    )
    passages = leaks.join(named, "number")
    if guards:
        of_item = records.where("against").select(
            f.col("id").alias("item"), f.col("guards").alias("of_item")
        )
        passages = (
            passages.join(of_item, "item")
            .where(may_pair(f.col("guards"), f.col("of_item"), config))
            .drop("guards", "of_item")
        )
    return passages


def holders_of(
    records: DataFrame, best: DataFrame, removed: DataFrame, passages: DataFrame, config: Config
) -> DataFrame:
    """Documents that are removed because they contain an item: the item most similar to its
    passage, of several the first; equal items are one. A document is not removed if too much of it
    is outside of each item."""
    from pyspark.sql import functions as f

    leak = f.struct((-f.col("similarity")).alias("unlike"), "number", "first", "last", "item")
    outside = 1.0 - (f.col("last") - f.col("first") + 1) / f.col("characters")
    if config.max_lost is not None:
        passages = passages.join(
            records.where("not against").select("id", "characters"), "id"
        ).where(outside <= config.max_lost)
    holders = (
        passages.groupBy("id")
        .agg(f.min(leak).alias("leak"))
        .join(removed.select("id"), "id", "left_anti")
    )
    hash_of_item = records.where("against and not empty").select(f.col("id").alias("item"), "hash")
    best_item = hash_of_item.join(
        best.where("against").select(
            "hash", f.col("id").alias("keeper"), f.col("characters").alias("keeper_length")
        ),
        "hash",
    ).drop("hash")
    own = records.where("not against").select("id", "place", "characters")
    rows = holders.select("id", "leak.*").join(best_item, "item").join(own, "id")
    return rows.select(
        "id",
        "place",
        "keeper",
        "keeper_length",
        f.lit(None).cast("int").alias("distance"),
        rounded_down(-f.col("unlike")).alias("similarity"),
        f.lit("contains").alias("reason"),
        rounded(f.greatest(f.lit(0.0), outside)).alias("lost"),
        "first",
        "last",
        f.col("characters").alias("length"),
    )


# The action on a passage of a kept document.
ACTIONS = {"remove": "listed", "mask": "masked", "cut": "cut", "list": "listed"}


def leaks_of(clustered: DataFrame, passages: DataFrame | None, action: str) -> DataFrame:
    """Documents that are duplicates of an item, and passages of other documents."""
    from pyspark.sql import functions as f

    goes = f.lit("listed" if action == "list" else "removed")
    whole = clustered.where("reason != 'contains'")
    nowhere = [f.lit(None).cast("int").alias(name) for name in ("first", "last")]
    listed = whole.select(
        "id", f.col("keeper").alias("item"), "reason", "similarity", *nowhere, goes.alias("action")
    )
    if passages is None:
        return listed
    gone = clustered.select("id", "keeper", f.col("reason").alias("why"), goes.alias("gone"))
    # An item that is listed for the whole document is not listed again for a passage.
    others = passages.join(gone, "id", "left").where(
        "gone is null or why = 'contains' or keeper != item"
    )
    return listed.unionByName(
        others.select(
            "id",
            "item",
            f.lit("contains").alias("reason"),
            rounded_down(f.col("similarity")).alias("similarity"),
            "first",
            "last",
            f.coalesce("gone", f.lit(ACTIONS[action])).alias("action"),
        )
    )
