"""Deduplication on Apache Spark: DataFrames in, DataFrames out, with the decisions of a run on one
machine.

>>> from nearprint.spark import dedup  # doctest: +SKIP
>>> result = dedup(spark.read.parquet("news/"), text="text", id="id")  # doctest: +SKIP
>>> result.kept.write.parquet("clean/")  # doctest: +SKIP
"""

from nearprint.spark.deduplication import Deduplication, dedup
from nearprint.spark.evaluation import evaluate
from nearprint.spark.fingerprints import fingerprint

__all__ = ["Deduplication", "dedup", "evaluate", "fingerprint"]
