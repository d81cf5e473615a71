"""Documents of a DataFrame -> their fingerprints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow

from nearprint import Config, Fingerprinter, UsageError
from nearprint.spark.batches import by_batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

    from nearprint.settings import Settings


def fingerprint(
    frame: DataFrame,
    text: str = "text",
    *,
    config: Config | str | None = None,
    **settings: Unpack[Settings],
) -> DataFrame:
    """The rows with a column `fingerprint`: binary, of 4 to 32 bytes, bit 0 first; null for a null
    text.

    Settings are those of `nearprint.Fingerprinter`; UsageError for invalid ones, before Spark does
    anything. The fingerprint of a text is the same as everywhere else.
    """
    from pyspark.sql.types import BinaryType, StructField, StructType

    made = Config(config, **settings)
    Fingerprinter(config=made)
    if text not in frame.columns:
        raise UsageError(f"no column {text}; there are {', '.join(frame.columns)}")
    if "fingerprint" in frame.columns:
        raise UsageError("the DataFrame already has a column fingerprint; drop or rename it")

    def with_fingerprints(fingerprinter: Fingerprinter, rows: pyarrow.Table) -> pyarrow.Table:
        column = fingerprinter.fingerprints(rows.column(text))
        return rows.append_column(
            "fingerprint", pyarrow.chunked_array(column).cast(pyarrow.binary())
        )

    columns = [*frame.schema.fields, StructField("fingerprint", BinaryType())]
    return by_batch(
        frame, lambda: Fingerprinter(config=made), with_fingerprints, StructType(columns)
    )
