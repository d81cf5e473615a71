"""Decisions on hashes -> removed documents, clusters and pairs, by the ids of documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# The columns of removed documents after their ids and those of their keepers.
EVIDENCE = {
    "cluster": "int",
    "distance": "int",
    "similarity": "double",
    "reason": "string",
    "lost": "double",
    "first": "int",
    "last": "int",
    "length": "int",
    "keeper_length": "int",
}


@dataclass
class Decisions:
    """The decisions of a run, by the ids of documents."""

    removed: DataFrame
    leaks: DataFrame
    clusters: DataFrame
    #: Makes the DataFrame of pairs, on first use.
    pairs: Callable[[], DataFrame]
    #: The passages (id, first, last) to take out of kept documents, if any.
    passages: DataFrame | None
    #: The number of removals for each reason.
    reasons: dict[str, int]
    #: The largest distance of candidates in bits, if any were searched.
    max_distance: int | None


def rounded(share: Column) -> Column:
    """A share with six decimals, as in all outputs; more than 0 stays so."""
    from pyspark.sql import functions as f

    short = f.round(share * 1e6) / 1e6
    return f.when((share > 0) & (short == 0), 1e-6).otherwise(short)


def rounded_down(similarity: Column) -> Column:
    """A similarity with six decimals, rounded down, as in all outputs; more than 0 stays so."""
    from pyspark.sql import functions as f

    millionths = f.round(similarity * 1e6)
    down = f.when(millionths / 1e6 > similarity, millionths - 1).otherwise(millionths) / 1e6
    return f.when((similarity > 0) & (down <= 0), 1e-6).otherwise(down)


def removed_of(
    records: DataFrame,
    best: DataFrame,
    several: DataFrame,
    links: DataFrame,
    with_against: bool,
    copies_go: bool,
) -> DataFrame:
    """The removed documents: each is removed like the others of its hash, or for the `best` of
    them. `several` has the hashes of several documents."""
    from pyspark.sql import functions as f

    # The only document of a text is removed only by a link.

    def keeper_of(name: str) -> list[Column]:
        return [f.col("id").alias(name), f.col("characters").alias(f"{name}_length")]

    may_go = several.select(f.col("_hash").alias("hash")).unionAll(
        links.select(f.col("other").alias("hash"))
    )
    links = (
        links.drop("removed")
        .join(best.select(f.col("hash").alias("better"), *keeper_of("keeper")), "better")
        .drop("better")
    )
    rows = (
        records.where("not empty and not against")
        .select("id", "place", "hash", f.col("characters").alias("length"))
        .join(may_go, "hash", "left_semi")
    )
    of_hash = best.select(
        "hash", *keeper_of("stays"), f.col("against").alias("stays_against")
    ).join(may_go, "hash", "left_semi")
    rows = rows.join(of_hash, "hash").join(links.withColumnRenamed("other", "hash"), "hash", "left")
    is_linked = f.col("keeper").isNotNull()
    # With two sides, documents of one side are not compared.
    is_copy = f.lit(copies_go) & (
        f.col("stays_against") if with_against else f.col("id") != f.col("stays")
    )
    rows = rows.where(is_linked | is_copy)

    def of(link: str, otherwise: Any) -> Column:
        return f.when(is_linked, f.col(link)).otherwise(f.lit(otherwise)).alias(link)

    return rows.select(
        "id",
        "place",
        *[
            f.coalesce(f"keeper{part}", f"stays{part}").alias(f"keeper{part}")
            for part in ("", "_length")
        ],
        of("distance", 0),
        rounded_down(of("similarity", 1.0)).alias("similarity"),
        of("reason", "exact"),
        rounded(of("lost", 0.0)).alias("lost"),
        *[f.lit(None).cast("int").alias(name) for name in ("first", "last")],
        "length",
    )


def clustered_of(records: DataFrame, removed: DataFrame, with_against: bool) -> DataFrame:
    """The removed documents with their clusters, numbered in the order of their first documents;
    also `member` and `keeper_member`, which order the documents of a cluster."""
    from pyspark.sql import functions as f
    from pyspark.sql.window import Window

    # Keepers of the other side come first.
    side = f.lit(0 if with_against else 1).alias("side")
    keepers = records.where("against" if with_against else "not against").select(
        f.col("id").alias("keeper"), f.struct(side, "place", "id").alias("keeper_member")
    )
    rows = removed.withColumn("member", f.struct(f.lit(1).alias("side"), "place", "id"))
    first = rows.groupBy("keeper").agg(f.min("member").alias("member")).join(keepers, "keeper")
    # One task numbers the clusters, so it gets no members.
    order = Window.orderBy(f.least("member", "keeper_member"))
    numbers = first.select("keeper", "keeper_member", f.row_number().over(order).alias("cluster"))
    return rows.drop("place").join(numbers, "keeper")


def clusters_of(clustered: DataFrame) -> DataFrame:
    """The clusters: their keepers and members, in the order of the documents."""
    from pyspark.sql import functions as f

    others = clustered.groupBy("cluster").agg(
        f.first("keeper").alias("keeper"),
        f.first("keeper_member").alias("first"),
        f.collect_list("member").alias("others"),
    )
    members = f.array_sort(f.concat(f.array("first"), "others"))
    return others.withColumn("listed", members).select(
        "cluster", "keeper", f.size("listed").alias("size"), f.col("listed.id").alias("members")
    )


def pairs_of(
    records: DataFrame, best: DataFrame, pairs: DataFrame, with_against: bool, copies_go: bool
) -> DataFrame:
    from pyspark.sql import functions as f

    end = f.struct((~f.col("against")).alias("own"), "place", "id")
    ids = best.select("hash", end.alias("end"))
    near = pairs.join(ids.toDF("better", "one"), "better").join(ids.toDF("other", "two"), "other")
    near = near.select("one", "two", "distance", "similarity", "reason")
    if not copies_go:
        records = records.limit(0)
    copies = records.where("not empty").select("hash", "id", "against", end.alias("two"))
    copies = copies.join(ids.toDF("hash", "one"), "hash")
    copies = copies.where("not one.own and not against" if with_against else "id != one.id")
    exact = [
        f.lit(0).alias("distance"),
        f.lit(1.0).alias("similarity"),
        f.lit("exact").alias("reason"),
    ]
    all_pairs = near.unionByName(copies.select("one", "two", *exact))
    left, right = f.least("one", "two").alias("left"), f.greatest("one", "two").alias("right")
    return all_pairs.select(
        left["id"].alias("left"),
        right["id"].alias("right"),
        "distance",
        rounded_down(f.col("similarity")).alias("similarity"),
        "reason",
    )
