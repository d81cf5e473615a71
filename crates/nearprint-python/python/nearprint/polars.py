"""Expressions of Polars: ``import nearprint.polars``, then
``pl.col("text").nearprint.fingerprint()``.

>>> import nearprint.polars
>>> import polars as pl
>>> frame = pl.DataFrame({"text": ["能力比学历重要", "能力比學歷重要", None]})
>>> frame = frame.with_columns(pl.col("text").nearprint.fingerprint(bits=64).alias("fingerprint"))
>>> frame["fingerprint"].bin.size().to_list(), frame["fingerprint"][0] == frame["fingerprint"][1]
([8, 8, None], True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars

from nearprint import Fingerprinter

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from nearprint.settings import Settings

__all__ = ["NearprintExpression"]


@polars.api.register_expr_namespace("nearprint")
class NearprintExpression:
    """The methods of nearprint for a column of texts."""

    def __init__(self, expression: polars.Expr) -> None:
        self._expression = expression

    def fingerprint(self, **settings: Unpack[Settings]) -> polars.Expr:
        """The fingerprint of each text as ``Binary`` of bits / 8 bytes, null for a null text.
        ``settings`` and exceptions are those of :class:`nearprint.Fingerprinter`."""
        fingerprinter = Fingerprinter(**settings)

        def fingerprints(texts: polars.Series) -> polars.Series:
            return polars.Series(texts.name, fingerprinter.fingerprints(texts), dtype=polars.Binary)

        return self._expression.map_batches(
            fingerprints, return_dtype=polars.Binary, is_elementwise=True
        )
