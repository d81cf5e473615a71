"""Namespaces of Polars: ``import nearprint.polars``, then
``pl.col("text").nearprint.fingerprint()`` and ``frame.nearprint.dedup()``.

>>> import nearprint.polars
>>> import polars as pl
>>> frame = pl.DataFrame({"text": ["能力比学历重要", "能力比學歷重要", None]})
>>> frame = frame.with_columns(pl.col("text").nearprint.fingerprint(bits=64).alias("fingerprint"))
>>> frame["fingerprint"].bin.size().to_list(), frame["fingerprint"][0] == frame["fingerprint"][1]
([8, 8, None], True)
>>> frame.drop_nulls().nearprint.dedup().kept.height
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars

from nearprint import (
    Fingerprinter,
    PassageResult,
    Result,
    dedup,
    is_duplicate,
    passages,
    segment,
    similarity,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from nearprint.settings import Settings

__all__ = ["NearprintExpression", "NearprintTable"]


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
            column = polars.Series(texts.name, fingerprinter.fingerprints(texts))
            # Versions that know extension types give one, whose bytes have no methods.
            return column if column.dtype == polars.Binary else column.ext.storage()

        return self._expression.map_batches(
            fingerprints, return_dtype=polars.Binary, is_elementwise=True
        )

    def segment(self, **settings: Unpack[Settings]) -> polars.Expr:
        """The tokens of each text as a list of strings, as :func:`nearprint.segment`."""
        return self._expression.map_batches(
            lambda texts: segment(texts, **settings).alias(texts.name),
            return_dtype=polars.List(polars.String),
            is_elementwise=True,
        )

    def similarity(self, other: polars.Expr, **settings: Unpack[Settings]) -> polars.Expr:
        """The similarity of the texts of each row of two columns, as :func:`nearprint.similarity`."""
        return polars.map_batches(
            [self._expression, other],
            lambda texts: similarity(*texts, **settings).alias(texts[0].name),
            return_dtype=polars.Float64,
        )

    def is_duplicate(self, other: polars.Expr, **settings: Unpack[Settings]) -> polars.Expr:
        """Whether the texts of each row of two columns are duplicates, as
        :func:`nearprint.is_duplicate`."""
        return polars.map_batches(
            [self._expression, other],
            lambda texts: is_duplicate(*texts, **settings).alias(texts[0].name),
            return_dtype=polars.Boolean,
        )


@polars.api.register_dataframe_namespace("nearprint")
class NearprintTable:
    """The methods of nearprint for a table of documents."""

    def __init__(self, table: polars.DataFrame) -> None:
        self._table = table

    def dedup(self, **arguments: Any) -> Result[polars.DataFrame]:
        """:func:`nearprint.dedup` of this table."""
        return dedup(self._table, **arguments)

    def passages(self, **arguments: Any) -> PassageResult[polars.DataFrame]:
        """:func:`nearprint.passages` of this table."""
        return passages(self._table, **arguments)
