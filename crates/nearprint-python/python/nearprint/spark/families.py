"""Candidate pairs -> the decisions on the families that they connect, each made by one task as on one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute

from nearprint import Config
from nearprint._nearprint import COMPANY, Worker, families
from nearprint.spark.batches import by_group, collected, held, of_table
from nearprint.spark.candidates import Candidates

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DECIDED = "better binary, other binary, distance int, similarity double, reason string, lost double, removed boolean"


def decided(documents: DataFrame, best: DataFrame, candidates: Candidates, config: Config) -> DataFrame:
    """The removed documents and those that stay in their place, and the duplicate pairs: rows of DECIDED, by the hashes of their texts."""
    from pyspark.sql import functions as f

    spark = best.sparkSession
    pairs = candidates.pairs
    edges = pairs.where("connects").select("left", "right")
    of_crowd = candidates.of_crowd
    if of_crowd is not None:
        edges = edges.unionAll(of_crowd.where("connects").select("left", "right"))
    members = pyarrow.table(families(collected(edges)))
    if members.num_rows == 0:
        return spark.createDataFrame([], DECIDED)
    family_of = held(of_table(spark, members, "hash binary, family int, task int"))
    task_of = family_of.select("hash", "task")

    def of_end(end: str) -> DataFrame:
        return pairs.join(task_of.withColumnRenamed("hash", end), end).select("task", "left", "right", "distance", "crowd")

    of_tasks = held(of_end("left").unionAll(of_end("right")).distinct())
    needed = of_tasks.select("task", f.col("left").alias("hash")).unionAll(of_tasks.select("task", "right"))
    needed = needed.unionAll(family_of.select("task", "hash"))
    if of_crowd is not None:
        # Each two groups tell the first ones of theirs.
        first = f.slice(f.array_sort(f.collect_set("right")), 1, COMPANY).alias("first")
        company = of_crowd.where("not connects").groupBy("left").agg(first)
        company = company.join(task_of.withColumnRenamed("hash", "left"), "left")
        needed = needed.unionAll(company.select("task", f.explode("first")))
    needed = needed.distinct().join(best.select("hash", "rank", "against", "id"), "hash")
    if candidates.crowd is None:
        needed = needed.withColumn("crowd", f.lit(False))
    else:
        crowd = candidates.crowd.withColumn("crowd", f.lit(True))
        needed = needed.join(crowd, "hash", "left").withColumn("crowd", f.coalesce("crowd", f.lit(False)))
    needed = held(needed.join(family_of, ["hash", "task"], "left"))
    no_text, no_family = f.lit(None).cast(documents.schema["text"].dataType), f.lit(None).cast("int")
    nothing = {"text": no_text, "against": f.lit(False), "family": no_family}
    with_texts = needed.join(documents.select("against", "id", "text"), ["against", "id"])
    with_texts = with_texts.select("task", "hash", f.lit(None).cast("binary").alias("other"), f.lit(None).cast("int").alias("distance"), "rank", "crowd", *nothing)
    no_rank = f.lit(None).cast(best.schema["rank"].dataType).alias("rank")
    of_pairs = of_tasks.select("task", f.col("left").alias("hash"), f.col("right").alias("other"), "distance", no_rank, "crowd")
    of_pairs = of_pairs.select("*", *[value.alias(name) for name, value in nothing.items()])
    documents_searched, against = candidates.documents, candidates.against

    def of_families(worker: Worker, rows: pyarrow.Table) -> Any:
        return worker.decide(documents_searched, against, rows.drop(["task"]))

    used = pyarrow.compute.max(members["task"]).as_py() + 1
    found = held(by_group(with_texts.unionAll(of_pairs), ["task"], used, lambda: Worker(config), of_families, DECIDED, ("rank",)))
    # What the decisions were made of is given back once they are.
    for frame in (family_of, of_tasks, needed):
        frame.unpersist()
    return found
