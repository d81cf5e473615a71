"""Prints -> the settings, with smaller distances where too many documents are near one another by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow

from nearprint import Config
from nearprint._nearprint import Worker
from nearprint.spark.batches import collected, of_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def within_reach(documents: DataFrame, searched: DataFrame, config: Config, count: int, against: int | None) -> Config:
    """The settings of a search among prints that have fingerprints. `count` is the number of these, and `against` how many of them the others are only
    compared with, if they are. The sample comes to the driver, and its texts where it has too many candidates."""
    from pyspark.sql import functions as f

    worker = Worker(config)
    most = worker.sampled(count, against)
    if most is None:
        return config

    def of_side(side: bool) -> pyarrow.Table:
        return collected(searched.where(f.col("against") == side).orderBy("hash").limit(most))

    own, other = of_side(False), of_side(True) if against is not None else None
    sides = [own] if other is None else [other, own]
    columns = [name for name in ("hash", "fingerprint", "sketch", "guards") if name in own.column_names]
    if not worker.has_too_many(count, against, *[side.select(columns) for side in sides]):
        return config

    def texts_of(side: pyarrow.Table | None) -> pyarrow.Table | None:
        if side is None or side.num_rows == 0:
            return None
        ids = of_table(documents.sparkSession, side.select(["id"]), f"id {documents.schema['id'].dataType.simpleString()}")
        of_side = documents.where(f.col("against") == (side is other)).join(ids, "id", "left_semi")
        guards = [name for name in ("guards",) if name in documents.columns]
        return collected(of_side.orderBy("place", "id").select("text", *guards))

    distances = worker.lowered(count, against, texts_of(own), texts_of(other))
    if distances is None:
        return config
    max_distance, complete_distance = distances
    return config.replace(max_distance=max_distance, complete_distance=complete_distance)
