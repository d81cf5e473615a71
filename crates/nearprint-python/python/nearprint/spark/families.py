"""Candidate pairs -> the decisions on the families that they connect. One task decides each family
as one machine does."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute

from nearprint import Config
from nearprint._nearprint import Worker, families
from nearprint.spark.batches import by_group, collected, computed, of_table
from nearprint.spark.candidates import Candidates
from nearprint.spark.guards import guards_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Bytes of the rows of a task in memory; the texts of a large family may exceed it, in a file.
IN_MEMORY = 1 << 28

DECIDED = (
    "better binary, other binary, distance int, similarity double, reason string, lost double, "
    "removed boolean"
)


def decided(
    documents: DataFrame, best: DataFrame, candidates: Candidates, frames: ExitStack
) -> DataFrame:
    """The removed documents with their keepers, and the duplicate pairs: rows of DECIDED, by the
    hashes of documents. `frames` holds cached frames."""
    from pyspark.sql import functions as f

    spark, config = best.sparkSession, candidates.config
    pairs = candidates.pairs
    edges = pairs.where("kind in ('connects', 'short hub')").select("left", "right")
    of_hubs = candidates.of_hubs
    if of_hubs is not None:
        edges = edges.unionAll(of_hubs.select("left", "right"))
    if config.differ:
        # Documents of one text may be pairs. The first half of a hash is that of the text.
        of_text = best.select("hash", f.substring("hash", 1, 8).alias("text"), "guards", "against")
        # Documents of one side, or of one value in a field, are not pairs.
        fields = [
            f.col("guards")[place]
            for place, (setting, _) in enumerate(guards_of(config))
            if setting == "differ"
        ]
        both = [f.col("against")] if candidates.against is not None else []
        varies = [
            (f.min(column) != f.max(column)).alias(f"varies_{number}")
            for number, column in enumerate([*fields, *both])
        ]
        several = of_text.groupBy("text").agg(f.min("hash").alias("left"), *varies)
        several = several.where(
            " and ".join(f"varies_{number}" for number in range(len(varies)))
        ).select("text", "left")
        edges = edges.unionAll(
            of_text.join(several, "text").select("left", f.col("hash").alias("right"))
        )
    members = pyarrow.table(families(collected(edges)))
    if members.num_rows == 0:
        return spark.createDataFrame([], DECIDED)
    family_of = computed(of_table(spark, members, "hash binary, family int, task int"), frames)
    task_of = family_of.select("hash", "task")

    near = (
        pairs if candidates.within_against is None else pairs.unionByName(candidates.within_against)
    )

    def of_end(end: str) -> DataFrame:
        return near.join(task_of.withColumnRenamed("hash", end), end).select(
            "task", "left", "right", "distance", f.expr("kind = 'short hub'").alias("hub")
        )

    of_tasks = computed(of_end("left").unionAll(of_end("right")).distinct(), frames)
    needed = of_tasks.select("task", f.col("left").alias("hash")).unionAll(
        of_tasks.select("task", "right")
    )
    needed = needed.unionAll(family_of.select("task", "hash"))
    known = ["hash", "rank", "against", "id", *(name for name in best.columns if name == "guards")]
    needed = needed.distinct().join(best.select(*known), "hash")
    if candidates.hubs is None:
        needed = needed.withColumn("hub", f.lit(False))
    else:
        hubs = candidates.hubs.withColumn("hub", f.lit(True))
        needed = needed.join(hubs, "hash", "left").withColumn(
            "hub", f.coalesce("hub", f.lit(False))
        )
    needed = computed(needed.join(family_of, ["hash", "task"], "left"), frames)
    no_text, no_family = (
        f.lit(None).cast(documents.schema["text"].dataType),
        f.lit(None).cast("int"),
    )
    more = known[4:]
    nothing = {
        "text": no_text,
        "against": f.lit(False),
        "family": no_family,
        **{name: f.lit(None).cast(needed.schema[name].dataType) for name in more},
    }
    with_texts = needed.join(documents.select("against", "id", "text"), ["against", "id"])
    with_texts = with_texts.select(
        "task",
        "hash",
        f.lit(None).cast("binary").alias("other"),
        f.lit(None).cast("int").alias("distance"),
        "rank",
        "hub",
        *nothing,
    )
    no_rank = f.lit(None).cast(best.schema["rank"].dataType).alias("rank")
    of_pairs = of_tasks.select(
        "task",
        f.col("left").alias("hash"),
        f.col("right").alias("other"),
        "distance",
        no_rank,
        "hub",
    )
    of_pairs = of_pairs.select("*", *[value.alias(name) for name, value in nothing.items()])
    documents_searched, against = candidates.documents, candidates.against

    def of_families(worker: Worker, rows: pyarrow.Table) -> Any:
        return worker.decide(documents_searched, against, rows.drop(["task"]))

    used = pyarrow.compute.max(members["task"]).as_py() + 1
    rows = with_texts.unionAll(of_pairs)
    return by_group(
        rows, ["task"], used, lambda: Worker(config), of_families, DECIDED, ("rank",), IN_MEMORY
    )
