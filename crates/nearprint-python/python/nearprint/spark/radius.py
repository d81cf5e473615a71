"""Records -> the settings, with smaller distances if too many documents are near by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute

from nearprint import Config
from nearprint._nearprint import Worker
from nearprint.spark.batches import by_group, collected, of_table
from nearprint.spark.guards import columns_of_guards

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def within_radius(
    documents: DataFrame, searched: DataFrame, config: Config, count: int, against: int | None
) -> Config:
    """The settings of a search among records with fingerprints. `count` is their number, and
    `against` the number of reference documents among them, if any. The records of a sample come to
    the driver; if it has too many candidates, its texts go to one task."""
    from pyspark.sql import functions as f

    worker = Worker(config)
    most = worker.sampled(count, against)
    if most is None:
        return config
    guards = columns_of_guards(searched)

    def of_side(side: bool) -> pyarrow.Table:
        # The first half of a hash is that of the text.
        order = [f.substring("hash", 1, 8), "place", "id"] if guards else ["hash"]
        records = searched.where(f.col("against") == side).orderBy(*order).limit(most)
        return collected(records.select("id", "hash", "fingerprint", "sketch", *guards))

    sides = {side: of_side(side) for side in ([False] if against is None else [True, False])}
    if not worker.has_too_many(
        count, against, *[records.drop(["id"]) for records in sides.values()]
    ):
        return config

    def texts_of(side: bool) -> DataFrame:
        kind = documents.schema["id"].dataType.simpleString()
        ids = of_table(documents.sparkSession, sides[side].select(["id"]), f"id {kind}")
        return documents.where(f.col("against") == side).join(ids, "id", "left_semi")

    def lowered(worker: Worker, rows: pyarrow.Table) -> Any:
        own = rows.filter(pyarrow.compute.invert(rows["is_against"]))
        other = None if against is None else rows.filter(rows["is_against"])
        distances = worker.lowered(count, against, own, other)
        return pyarrow.table({"distance": pyarrow.array(distances or [], pyarrow.int32())})

    texts = texts_of(False) if against is None else texts_of(False).unionAll(texts_of(True))
    texts = texts.select(
        "text", *guards, "place", "id", f.col("against").alias("is_against"), f.lit(0).alias("task")
    )
    distances = by_group(
        texts, ["task"], 1, lambda: Worker(config), lowered, "distance int", ("place", "id")
    ).collect()
    if not distances:
        return config
    complete_distance, max_distance = sorted(row["distance"] for row in distances)
    return config.replace(max_distance=max_distance, complete_distance=complete_distance)
