"""Decisions on hashes -> removed documents, clusters and pairs, by the ids of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


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
    may_go = several.select(f.col("_hash").alias("hash")).unionAll(
        links.select(f.col("other").alias("hash"))
    )
    links = (
        links.drop("removed")
        .join(best.select(f.col("hash").alias("better"), f.col("id").alias("keeper")), "better")
        .drop("better")
    )
    rows = (
        records.where("not empty and not against")
        .select("id", "place", "hash")
        .join(may_go, "hash", "left_semi")
    )
    of_hash = best.select(
        "hash", f.col("id").alias("stays"), f.col("against").alias("stays_against")
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

    evidence = [of("similarity", 1.0), of("reason", "exact"), of("distance", 0), of("lost", 0.0)]
    return rows.select("id", f.coalesce("keeper", "stays").alias("keeper"), *evidence, "place")


def clusters_of(records: DataFrame, removed: DataFrame, with_against: bool) -> DataFrame:
    from pyspark.sql import functions as f
    from pyspark.sql.window import Window

    members = removed.select(
        "keeper", f.struct(f.lit(1).alias("side"), "place", "id").alias("member")
    )
    keepers = records.where("against" if with_against else "not against").select(
        f.col("id").alias("keeper"), "place"
    )
    side = f.lit(0 if with_against else 1).alias("side")
    keepers = keepers.join(removed.select("keeper").distinct(), "keeper", "left_semi")
    members = members.unionAll(
        keepers.select(
            "keeper", f.struct(side, "place", f.col("keeper").alias("id")).alias("member")
        )
    )
    clusters = members.groupBy("keeper").agg(f.array_sort(f.collect_list("member")).alias("listed"))
    # One task numbers the clusters, so it gets no lists.
    first = members.groupBy("keeper").agg(f.min("member").alias("first"))
    numbers = first.select("keeper", f.row_number().over(Window.orderBy("first")).alias("cluster"))
    return clusters.join(numbers, "keeper").select(
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
        left["id"].alias("left"), right["id"].alias("right"), "distance", "similarity", "reason"
    )
