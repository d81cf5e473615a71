"""Found pairs and true pairs -> measures of their agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nearprint
from nearprint.spark.batches import collected

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def evaluate(found: DataFrame, truth: DataFrame, **settings: Any) -> Any:
    """The result of `nearprint.evaluate` for two DataFrames of pairs or clusters. Both come to the
    driver, with some tens of bytes per pair."""
    return nearprint.evaluate(collected(found), collected(truth), **settings)
