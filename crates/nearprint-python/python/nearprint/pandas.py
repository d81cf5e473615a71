"""Accessors of pandas: ``import nearprint.pandas``, then ``frame["text"].nearprint.fingerprint()``
and ``frame.nearprint.dedup()``.

>>> import nearprint.pandas
>>> import pandas as pd
>>> pd.Series(["能力比学历重要", "能力比學歷重要"]).nearprint.fingerprint(bits=64).nunique()
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas

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

__all__ = ["NearprintColumn", "NearprintTable"]


@pandas.api.extensions.register_series_accessor("nearprint")
class NearprintColumn:
    """The methods of nearprint for a column of texts."""

    def __init__(self, column: pandas.Series[Any]) -> None:
        self._column = column

    def fingerprint(self, **settings: Unpack[Settings]) -> pandas.Series[Any]:
        """The fingerprint of each text as ``bytes``, None without a text, with the column's index.
        ``settings`` and exceptions are those of :class:`nearprint.Fingerprinter`."""
        fingerprints = Fingerprinter(**settings).fingerprints(self._column)
        values = [None if each is None else bytes(each) for each in fingerprints]
        return pandas.Series(values, index=self._column.index, name=self._column.name, dtype=object)

    def segment(self, **settings: Unpack[Settings]) -> pandas.Series[Any]:
        """The tokens of each text, as :func:`nearprint.segment`."""
        tokens: pandas.Series[Any] = segment(self._column, **settings)
        return tokens

    def similarity(
        self, other: pandas.Series[Any], **settings: Unpack[Settings]
    ) -> pandas.Series[Any]:
        """The similarity of the texts of each row of two columns, as :func:`nearprint.similarity`:
        ``float64``. Rows are paired by their position, not by the index."""
        values: pandas.Series[Any] = similarity(self._column, other, **settings)
        return values

    def is_duplicate(
        self, other: pandas.Series[Any], **settings: Unpack[Settings]
    ) -> pandas.Series[Any]:
        """Whether the texts of each row of two columns are duplicates, as
        :func:`nearprint.is_duplicate`: ``boolean``. Rows are paired by their position, not by the
        index."""
        values: pandas.Series[Any] = is_duplicate(self._column, other, **settings)
        return values


@pandas.api.extensions.register_dataframe_accessor("nearprint")
class NearprintTable:
    """The methods of nearprint for a table of documents."""

    def __init__(self, table: pandas.DataFrame) -> None:
        self._table = table

    def dedup(self, **arguments: Any) -> Result[pandas.DataFrame]:
        """:func:`nearprint.dedup` of this table."""
        return dedup(self._table, **arguments)

    def passages(self, **arguments: Any) -> PassageResult[pandas.DataFrame]:
        """:func:`nearprint.passages` of this table."""
        return passages(self._table, **arguments)
