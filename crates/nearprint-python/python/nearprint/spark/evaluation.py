"""Pairs that were found, and those that are true -> how good they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nearprint
from nearprint.spark.batches import collected

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def evaluate(found: DataFrame, truth: DataFrame, **settings: Any) -> Any:
    """What `nearprint.evaluate` says of two DataFrames of pairs or clusters, which are brought to
    the driver: some tens of bytes a pair."""
    return nearprint.evaluate(collected(found), collected(truth), **settings)
