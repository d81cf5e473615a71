"""Prints -> the pairs of documents of different text that are near, and the documents that are in very many of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute

from nearprint import Config
from nearprint._nearprint import CROWDED, Worker
from nearprint.spark.batches import by_group

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PAIR = "left binary, right binary, distance int, possible boolean"


@dataclass
class Candidates:
    """The pairs (left, right, distance, possible), by the hashes of their texts; `possible` is false where the sketches rule a pair out."""

    pairs: DataFrame
    #: The documents (hash) of which not all pairs are listed, if there are any, and pairs that connect these.
    crowd: DataFrame | None
    connections: DataFrame | None
    #: The documents that were searched by their fingerprints, and how many of them the others are only compared with, if they are.
    documents: int
    against: int | None

    def unpersist(self) -> None:
        self.pairs.unpersist()
        if self.crowd is not None:
            self.crowd.unpersist()


def candidates_of(best: DataFrame, config: Config, group: int, with_against: bool) -> Candidates:
    """The candidate pairs of prints; of two sides, across these alone."""
    from pyspark.sql import functions as f

    searched = best.where("fingerprint is not null")
    counts = {row["against"]: row["count"] for row in searched.groupBy("against").count().collect()}
    documents, against = sum(counts.values()), counts.get(True, 0) if with_against else None

    def make() -> Worker:
        return Worker(config)

    def near(worker: Worker, *groups: pyarrow.Table) -> Any:
        return worker.candidates(documents, against, *groups)

    pairs = _near(searched, counts, group, with_against, make, near)
    few = best.where("letters is not null").select("hash", "short", "letters", "figures", "against", f.lit(0).alias("one"))
    short = by_group(few, ["one"], 1, make, lambda worker, rows: worker.short_candidates(with_against, rows), PAIR)
    pairs = pairs.unionByName(short).persist()
    crowd = connections = None
    if Worker(config).has_crowds(with_against):
        of_each = pairs.where("distance is not null")
        of_each = of_each.select(f.col("left").alias("hash")).unionAll(of_each.select("right"))
        crowd = of_each.groupBy("hash").count().where(f"count > {CROWDED}").select("hash").persist()
        if crowd.count() == 0:
            crowd.unpersist()
            crowd = None
    if crowd is not None:

        def connected(worker: Worker, *groups: pyarrow.Table) -> Any:
            return worker.connections(documents, *groups)

        crowded = searched.join(crowd, "hash", "left_semi")
        connections = _near(crowded, {False: crowd.count()}, group, False, make, connected).select("left", "right")
    return Candidates(pairs, crowd, connections, documents, against)


def _near(searched: DataFrame, counts: dict[bool, int], group: int, with_against: bool, make: Any, near: Any) -> DataFrame:
    """What `near` makes of each two groups of prints: each side is spread over groups of about this size by the hashes, and with `against` groups of
    the two sides meet."""
    from pyspark.sql import functions as f

    groups = {side: max(1, math.ceil(counts.get(side, 0) / group)) for side in (True, False)}

    def of_groups(worker: Worker, rows: pyarrow.Table) -> Any:
        first = rows["one"][0].as_py()
        is_first = pyarrow.compute.equal(rows["group"], first)
        sides = [rows.filter(is_first), rows.filter(pyarrow.compute.invert(is_first))]
        columns = ["hash", "fingerprint", "sketch"]
        if with_against or rows["other"][0].as_py() != first:
            return near(worker, *[side.select(columns) for side in sides])
        return near(worker, sides[0].select(columns))

    def of_side(side: bool) -> DataFrame:
        # Groups of the other side have negative numbers.
        number = f.pmod(f.xxhash64("hash"), f.lit(groups[side])).cast("int")
        own = (-number - 1 if side else number).alias("group")
        spread = searched.where(f.col("against") == side).select("hash", "fingerprint", "sketch", own)
        with_groups = range(-groups[True], 0) if with_against and not side else range(groups[False])
        return spread.withColumn("with", f.explode(f.array(*[f.lit(number) for number in with_groups])))

    spread = of_side(False).unionAll(of_side(True)) if with_against else of_side(False)
    ends = [f.least("group", "with").alias("one"), f.greatest("group", "with").alias("other")]
    spread = spread.select("hash", "fingerprint", "sketch", "group", *ends)
    parts = groups[True] * groups[False] if with_against else groups[False] * (groups[False] + 1) // 2
    return by_group(spread, ["one", "other"], parts, make, of_groups, PAIR)
