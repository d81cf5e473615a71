"""Tables of other libraries -> their columns as Arrow, their kept rows, and tables of results of
the same kind.

One class per kind. Any other object that exports Arrow is taken as Arrow, and comes back as
``arro3.core.Table``.
"""

from __future__ import annotations

import copy
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from arro3.core import Array, DataType, Table

from nearprint._nearprint import (
    hold_rows,
    keep_rows,
    key,
    outermost,
    with_texts,
    write_parquet,
)
from nearprint.errors import RejectedError, UsageError

__all__ = ["Frame", "column_of", "frame_of"]


class Frame:
    """A table, or one column of texts, of some library."""

    #: False if tables of results are of arro3, which cannot be pickled.
    can_be_pickled = True

    #: The argument that holds it, for messages.
    argument = "documents"

    #: What must live as long as the rows, such as an index in a temporary folder.
    owner: Any = None

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def columns(self, names: Sequence[str], needed: Sequence[str] = ()) -> Any:
        """The existing columns in which fields of these names may be: an object that exports them
        as Arrow, perhaps with others, a list, or a dict of columns. If a needed field has no
        column, all columns without rows."""
        return self.rows

    def names(self) -> list[str]:
        """The names of all columns, for messages; empty if :meth:`columns` has them all."""
        return []

    def has_column(self, name: str) -> bool:
        """True if the texts of a field with this name are a column, whose rows may be changed."""
        names = _all_names(self.rows)
        return not names or name in names

    def is_column(self) -> bool:
        """True for texts alone, which have no column of ids."""
        return False

    def keep(self, kept: Array) -> Any:
        """The rows for which the column of booleans is true, in the type of the input."""
        raise NotImplementedError

    def write(self, kept: Any, folder: str, id: str) -> int:
        """Writes rows of :meth:`keep`, with ids in a field, into a folder. Returns the number of
        bytes."""
        os.mkdir(folder)
        return write_parquet(_arrow(kept), os.path.join(folder, "documents.parquet"))

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        """The rows of :meth:`keep`, with other texts in these places: ``texts`` has a column for
        each changed column, by name; a single column takes the first one. The input is not
        changed."""
        raise NotImplementedError

    def mask(self, kept: Array) -> Any:
        """The column of booleans as a filter of this library."""
        return kept

    def table(self, table: Table) -> Any:
        """A table of results as a table of this library."""
        return table

    def aligned(self, table: Table) -> Any:
        """A table of results that has a row for each row, as a table of this library."""
        return self.table(table)

    def values(self, values: Array) -> Any:
        """A column of results, a value for each row, as a column of this library."""
        return values


class _Arrow(Frame):
    """An object that exports Arrow, of no kind below; a stream is read once and held."""

    can_be_pickled = False

    def __init__(self, rows: Any) -> None:
        super().__init__(hold_rows(rows))

    def is_column(self) -> bool:
        return not hasattr(self.rows, "column_names")

    def keep(self, kept: Array) -> Any:
        return keep_rows(self.rows, kept)

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        return with_texts(rows, places, texts)


class _Pandas(Frame):
    """pandas. The index is not a column, whatever its name."""

    def __init__(self, rows: Any) -> None:
        # What is changed in the table afterwards does not change what was read.
        super().__init__(rows.copy(deep=False))

    def is_column(self) -> bool:
        return not hasattr(self.rows, "columns")

    def values(self, values: Array) -> Any:
        import pandas

        data_type: Any = "boolean" if DataType.is_boolean(values.type) else "object"
        data_type = "float64" if DataType.is_floating(values.type) else data_type
        return pandas.Series(values.to_pylist(), index=self.rows.index, dtype=data_type)

    def aligned(self, table: Table) -> Any:
        return self.table(table).set_index(self.rows.index)

    def columns(self, names: Sequence[str], needed: Sequence[str] = ()) -> Any:
        import pandas

        if isinstance(self.rows, pandas.Series):
            return self.rows.tolist() if _goes_by_value(self.rows) else self.rows
        available = list(self.rows.columns)
        own = outermost(list(names), self.names())
        indexed = [name for name in needed if name in self.rows.index.names and name not in own]
        if indexed:
            raise UsageError(
                f"{self.argument}: {indexed[0]!r} is the name of the index, which is no column; make it one "
                "by df.reset_index()",
                setting=self.argument,
            )
        repeated = [name for name in own if available.count(name) > 1]
        if repeated:
            raise UsageError(
                f"{self.argument}: several columns have the name {repeated[0]!r}; "
                "give each column its own name",
                setting=self.argument,
            )
        if not own or _lacks(needed, own):
            return {name: [] for name in self.names()}
        columns = {name: self.rows[name] for name in own}
        if len(self.rows) == 0 or any(map(_goes_by_value, columns.values())):
            is_list = len(self.rows) == 0
            return {
                name: column.tolist() if is_list or _goes_by_value(column) else column
                for name, column in columns.items()
            }
        return self.rows[own].reset_index(drop=True)

    def names(self) -> list[str]:
        return _all_names(self.rows)

    def mask(self, kept: Array) -> Any:
        return kept.to_numpy()

    def keep(self, kept: Array) -> Any:
        return self.rows[self.mask(kept)]

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        import pandas

        def changed(series: Any, texts: list[str | None]) -> Any:
            values = series.astype(object)
            for place, text in zip(places, texts):
                values.iloc[place] = _like(values.iloc[place], text)
            # The categories have changed.
            return values.astype(
                "category" if isinstance(series.dtype, pandas.CategoricalDtype) else series.dtype
            )

        if isinstance(rows, pandas.Series):
            return changed(rows, _lists(texts)[0][1])
        return rows.assign(**{name: changed(rows[name], own) for name, own in _lists(texts)})

    def table(self, table: Table) -> Any:
        import pandas
        import pyarrow

        # Integers with gaps stay integers. Signed ones are ids, which without gaps are NumPy's.
        types = {
            pyarrow.int64(): pandas.Int64Dtype(),
            pyarrow.uint32(): pandas.UInt32Dtype(),
            pyarrow.uint64(): pandas.UInt64Dtype(),
        }
        rows = pyarrow.table(table)
        full = [
            name
            for name, column in zip(rows.column_names, rows.columns)
            if column.type == pyarrow.int64() and column.null_count == 0
        ]
        return rows.to_pandas(types_mapper=types.get).astype(dict.fromkeys(full, "int64"))


def _lists(texts: Table) -> list[tuple[str, Any]]:
    """The columns of a table of texts as lists, by name."""
    return [(name, texts.column(name).to_pylist()) for name in texts.column_names]


def _like(value: Any, text: str | None) -> Any:
    """A text in place of a value: as bytes if the value is bytes."""
    return text.encode() if isinstance(value, bytes) and text is not None else text


def _goes_by_value(series: Any) -> bool:
    """True for Python's own objects, so that messages name the row of a value that is not a string
    or not Unicode, and for a column of floats without a value, as pandas makes one of an empty
    column of a file: it may be one of texts."""
    return bool(series.dtype == object or series.dtype.kind == "f" and series.isna().all())


class _Polars(Frame):
    def is_column(self) -> bool:
        return not hasattr(self.rows, "columns")

    def __init__(self, rows: Any) -> None:
        import polars

        self.is_lazy = isinstance(rows, polars.LazyFrame)
        super().__init__(rows.collect() if self.is_lazy else rows)

    def columns(self, names: Sequence[str], needed: Sequence[str] = ()) -> Any:
        import polars

        if isinstance(self.rows, polars.Series):
            return self.rows.cast(polars.String) if self.rows.dtype == polars.Null else self.rows
        own = outermost(list(names), self.names())
        rows = self.rows.clear() if not own or _lacks(needed, own) else self.rows.select(own)
        # Other libraries cannot read a column of type Null.
        return rows.with_columns(polars.col(polars.Null).cast(polars.String))

    def names(self) -> list[str]:
        return _all_names(self.rows)

    def mask(self, kept: Array) -> Any:
        import polars

        return polars.Series(kept)

    def keep(self, kept: Array) -> Any:
        rows = self.rows.filter(self.mask(kept))
        return rows.lazy() if self.is_lazy else rows

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        import polars

        def changed(series: Any, texts: list[str | None]) -> Any:
            # An Enum lists its values, and the new texts are not among them.
            data_type = (
                polars.Categorical() if isinstance(series.dtype, polars.Enum) else series.dtype
            )
            return series.cast(polars.String).scatter(places, texts).cast(data_type)

        if isinstance(rows, polars.Series):
            return changed(rows, _lists(texts)[0][1])
        rows = rows.collect() if self.is_lazy else rows
        rows = rows.with_columns([changed(rows[name], own) for name, own in _lists(texts)])
        return rows.lazy() if self.is_lazy else rows

    def table(self, table: Table) -> Any:
        import polars

        return polars.DataFrame(table)

    def values(self, values: Array) -> Any:
        import polars

        return polars.Series(values)


class _PyArrow(Frame):
    def is_column(self) -> bool:
        return not hasattr(self.rows, "column_names") and not hasattr(self.rows, "schema")

    def mask(self, kept: Array) -> Any:
        return self.values(kept)

    def values(self, values: Array) -> Any:
        import pyarrow

        return pyarrow.array(values)

    def keep(self, kept: Array) -> Any:
        import pyarrow

        try:
            return self.rows.filter(self.mask(kept))
        except pyarrow.ArrowNotImplementedError:
            # pyarrow has no filter for some types, such as views of strings.
            return self._of(keep_rows(self.rows, kept))

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        return self._of(with_texts(rows, places, texts))

    def _of(self, rows: Any) -> Any:
        """An object that exports Arrow, in the type of the input."""
        import pyarrow

        if isinstance(self.rows, pyarrow.Table):
            return pyarrow.table(rows)
        if isinstance(self.rows, pyarrow.RecordBatch):
            batches = pyarrow.table(rows).combine_chunks().to_batches()
            return batches[0] if batches else self.rows.slice(0, 0)
        chunked = pyarrow.chunked_array(rows)
        return chunked if isinstance(self.rows, pyarrow.ChunkedArray) else chunked.combine_chunks()

    def table(self, table: Table) -> Any:
        import pyarrow

        return pyarrow.table(table)


class _DuckDB(Frame):
    """A relation runs once, into Arrow: a second run might give its rows in another order. Types
    that Arrow lacks (UUID, ENUM, HUGEINT, BIT) come back as Arrow types."""

    def __init__(self, rows: Any) -> None:
        import pyarrow

        self.relation = rows
        super().__init__(pyarrow.table(rows))

    def keep(self, kept: Array) -> Any:
        import pyarrow

        return self._relation(pyarrow.table(keep_rows(self.rows, kept)))

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        import pyarrow

        return self._relation(pyarrow.table(with_texts(pyarrow.table(rows), places, texts)))

    def table(self, table: Table) -> Any:
        import pyarrow

        return self._relation(pyarrow.table(table))

    def _relation(self, arrow: Any) -> Any:
        import duckdb

        # The query runs on the connection of the input, which finds the variable by its name. A
        # table of that name would come first, hence a name that no table has.
        nearprint_rows_8c1f6e0b2d = arrow
        try:
            return self.relation.query(
                "nearprint_input_8c1f6e0b2d", "SELECT * FROM nearprint_rows_8c1f6e0b2d"
            )
        except duckdb.CatalogException:
            # Connections may be configured not to look at variables.
            return duckdb.from_arrow(nearprint_rows_8c1f6e0b2d)


class _Datasets(Frame):
    def columns(self, names: Sequence[str], needed: Sequence[str] = ()) -> Any:
        own = outermost(list(names), self.names())
        if not own or _lacks(needed, own):
            return {name: [] for name in self.names()}
        return self.rows.select_columns(own).with_format("arrow")[:]

    def names(self) -> list[str]:
        return list(self.rows.column_names)

    def mask(self, kept: Array) -> Any:
        return kept.to_numpy()

    def keep(self, kept: Array) -> Any:
        import numpy

        return self.rows.select(numpy.flatnonzero(kept.to_numpy()))

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        import datasets
        import pyarrow

        shape = rows.format
        plain = with_texts(rows.with_format("arrow")[:], places, texts)
        made = datasets.Dataset(pyarrow.table(plain), info=rows.info, split=rows.split)
        return made.with_format(
            shape["type"], shape["columns"], shape["output_all_columns"], **shape["format_kwargs"]
        )

    def table(self, table: Table) -> Any:
        import datasets
        import pyarrow

        return datasets.Dataset(pyarrow.table(table))


def _type_of(split: Any, column: str, table: Any) -> str:
    """The type of a column of a split. Strings of both widths are of one type, as are integers."""
    feature = split.features[column]
    if getattr(feature, "names", None) is not None:
        return f"ClassLabel({', '.join(feature.names)})"
    kind = str(table.schema.field(column).type).removeprefix("large_")
    return re.sub(r"\bu?int(8|16|32|64)\b", "integer", kind)


class _Splits(_Datasets):
    """The splits of a ``DatasetDict``, one after the other. Only the columns that are read need the
    same types in all of them."""

    def names(self) -> list[str]:
        return list(dict.fromkeys(name for split in self._filled() for name in split.column_names))

    def has_column(self, name: str) -> bool:
        return name in self.names()

    def _filled(self) -> list[Any]:
        """The splits that have rows; all, if none has."""
        splits = list(self.rows.values())
        return [split for split in splits if len(split)] or splits

    def columns(self, names: Sequence[str], needed: Sequence[str] = ()) -> Any:
        import pyarrow

        read = outermost(list(names), self.names())
        if not read or _lacks(needed, read):
            return {name: [] for name in self.names()}
        tables, filled = {}, self._filled()
        for name, split in self.rows.items():
            if not any(split is one for one in filled):
                continue
            own = outermost(list(names), list(split.column_names))
            lacking = [field for field in needed if not outermost([field], own)]
            if len(split) and lacking:
                there = ", ".join(split.column_names)
                raise RejectedError(
                    f'split {name} has no column "{lacking[0]}"; there are: {there}; give all '
                    "splits one name for it by rename_column, or leave this split out",
                    field=lacking[0],
                    problem="missing_column",
                )
            if own:
                tables[name] = split.select_columns(own).with_format("arrow")[:]
            elif len(split):
                tables[name] = pyarrow.table({read[0]: pyarrow.nulls(len(split))})
        for column in read:
            having = [name for name in tables if column in tables[name].column_names]
            types = {name: _type_of(self.rows[name], column, tables[name]) for name in having}
            for name in having[1:]:
                if types[name] != types[having[0]]:
                    raise UsageError(
                        f"{self.argument}: the column {column} has the type {types[having[0]]} in the split "
                        f"{having[0]} and {types[name]} in {name}; give it one type by cast_column",
                        setting=self.argument,
                    )
        return pyarrow.concat_tables(tables.values(), promote_options="permissive")

    def keep(self, kept: Array) -> Any:
        import numpy

        mask, start, parts = kept.to_numpy(), 0, {}
        for name, split in self.rows.items():
            parts[name] = split.select(numpy.flatnonzero(mask[start : start + len(split)]))
            start += len(split)
        return type(self.rows)(parts)

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        import pyarrow

        table, parts, start = pyarrow.table(texts), {}, 0
        for name, split in rows.items():
            end = start + len(split)
            inside = [number for number, place in enumerate(places) if start <= place < end]
            if inside:
                own = [column for column in table.column_names if column in split.column_names]
                changed = table.select(own).take(pyarrow.array(inside))
                own_places = [places[number] - start for number in inside]
                split = super().with_texts(split, own_places, Table.from_arrow(changed))
            parts[name] = split
            start = end
        return type(self.rows)(parts)

    def aligned(self, table: Table) -> Any:
        import pyarrow

        splits = [name for name, split in self.rows.items() for _ in range(len(split))]
        rows = pyarrow.table(table)
        return self.table(rows.append_column("split", pyarrow.array(splits, pyarrow.string())))

    def write(self, kept: Any, folder: str, id: str) -> int:
        os.mkdir(folder)
        paths = {name: os.path.join(folder, f"{name}.parquet") for name in kept}
        return sum(write_parquet(_arrow(split), paths[name]) for name, split in kept.items())


class _Numpy(Frame):
    def is_column(self) -> bool:
        return True

    def values(self, values: Array) -> Any:
        import numpy

        data_type: Any = object
        if DataType.is_floating(values.type):
            data_type = float  # NaN for a null
        elif DataType.is_boolean(values.type) and not values.null_count:
            data_type = bool
        return numpy.fromiter(values.to_pylist(), dtype=data_type, count=len(values))

    def columns(self, names: Sequence[str], needed: Sequence[str] = ()) -> Any:
        return self.rows.tolist()

    def mask(self, kept: Array) -> Any:
        return kept.to_numpy()

    def keep(self, kept: Array) -> Any:
        return self.rows[self.mask(kept)]

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        import numpy

        values = rows.tolist()
        for place, text in zip(places, _lists(texts)[0][1]):
            values[place] = _like(values[place], text)
        # A text may now be longer than the fixed width of strings.
        return numpy.array(values, dtype=None if rows.dtype.kind in "US" else rows.dtype)


class _Files(Frame):
    """Paths of files, folders and globs."""

    can_be_pickled = False

    def has_column(self, name: str) -> bool:
        return True


class _List(Frame):
    """A list or tuple of strings or of dicts."""

    def __init__(self, rows: Any) -> None:
        # A list that is changed afterwards does not change what was read.
        super().__init__(copy.copy(rows))

    def is_column(self) -> bool:
        return not any(isinstance(row, dict) for row in self.rows)

    def mask(self, kept: Array) -> Any:
        return kept.to_pylist()

    def values(self, values: Array) -> Any:
        return values.to_pylist()

    def keep(self, kept: Array) -> Any:
        return type(self.rows)(row for row, is_kept in zip(self.rows, self.mask(kept)) if is_kept)

    def write(self, kept: Any, folder: str, id: str) -> int:
        os.mkdir(folder)
        path = os.path.join(folder, "documents.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for number, row in enumerate(kept):
                fields = row if isinstance(row, dict) else {"text": row}
                if isinstance(fields.get(id), tuple):
                    fields = {**fields, id: key(fields[id])}
                try:
                    line = json.dumps(fields, ensure_ascii=False, default=_plain, allow_nan=False)
                    file.write(line + "\n")
                except (TypeError, ValueError) as error:
                    raise UsageError(
                        f"{self.argument}: kept row {number} cannot be written as JSON ({error}); give plain "
                        "values, or a table, which is written as Parquet",
                        setting=self.argument,
                    ) from error
        return os.path.getsize(path)

    def with_texts(self, rows: Any, places: list[int], texts: Table) -> Any:
        changed = list(rows)
        for name, own in _lists(texts):
            for place, text in zip(places, own):
                row = changed[place]
                if not isinstance(row, dict):
                    changed[place] = _like(row, text)
                elif name in row:
                    changed[place] = {**row, name: _like(row[name], text)}
        return type(self.rows)(changed)

    def has_column(self, name: str) -> bool:
        rows = [row for row in self.rows if isinstance(row, dict)]
        return not rows or any(name in row for row in rows)

    def table(self, table: Table) -> Any:
        rows: list[dict[str, Any]] = []
        for batch in table.to_batches():
            rows.extend(batch.to_struct_array().to_pylist())
        return rows


def _plain(value: Any) -> Any:
    """A value that JSON lacks in words, or as the value of Python."""
    if isinstance(value, bytes):
        return value.decode()
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _arrow(rows: Any) -> Any:
    """Kept rows as an object that exports Arrow."""
    if hasattr(rows, "collect"):  # a LazyFrame
        rows = rows.collect()
    if hasattr(rows, "iloc"):  # pandas, whose index is no column
        rows = rows.reset_index(drop=True)
    if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__"):
        return rows
    import pyarrow

    if hasattr(rows, "with_format"):  # datasets
        return rows.with_format("arrow")[:]
    if hasattr(rows, "arrow"):  # DuckDB
        return rows.arrow()
    return pyarrow.array(rows.tolist())


def frame_of(rows: Any, argument: str = "documents") -> Frame:
    """The frame for the rows of an argument.

    Raises :class:`~nearprint.UsageError` for an object that cannot be documents.
    """
    frame = _frame_of(rows, argument)
    frame.argument = argument
    return frame


def _frame_of(rows: Any, argument: str) -> Frame:
    if isinstance(rows, (str, os.PathLike)):
        return _Files(rows)
    if (
        isinstance(rows, (list, tuple))
        and rows
        and all(isinstance(row, os.PathLike) for row in rows)
    ):
        return _Files(rows)
    if isinstance(rows, (list, tuple)):
        return _List(rows)
    if type(rows).__module__ == "nearprint.index":
        raise UsageError(
            f"{argument}: an index is no table; give its documents, index.export()",
            setting=argument,
        )
    if type(rows).__module__.startswith("pyspark."):
        raise UsageError(
            f"{argument}: a DataFrame of Spark is deduplicated by nearprint.spark.dedup(frame, id=...); "
            "to have it in this process, give frame.toPandas()",
            setting=argument,
        )
    kinds: list[tuple[str, tuple[str, ...], type[Frame]]] = [
        ("pandas", ("DataFrame", "Series"), _Pandas),
        ("polars", ("DataFrame", "LazyFrame", "Series"), _Polars),
        ("pyarrow", ("Table", "RecordBatch", "Array", "ChunkedArray"), _PyArrow),
        ("duckdb", ("DuckDBPyRelation",), _DuckDB),
        ("datasets", ("Dataset",), _Datasets),
        ("datasets", ("DatasetDict",), _Splits),
        ("numpy", ("ndarray",), _Numpy),
    ]
    for module, names, kind in kinds:
        # An object cannot come from a library that was never imported.
        library = sys.modules.get(module)
        types = tuple(getattr(library, name) for name in names if hasattr(library, name))
        if types and isinstance(rows, types):
            return kind(rows)
    if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__"):
        return _Arrow(rows)
    if hasattr(rows, "to_table") and type(rows).__module__.startswith("pyarrow."):
        # A dataset of files.
        return _PyArrow(rows.to_table())
    if isinstance(rows, Iterable) and not isinstance(rows, (bytes, Mapping, Set)):
        # A generator, an IterableDataset and their like are read once.
        return _List(list(rows))
    if isinstance(rows, Mapping):
        raise UsageError(
            f'{argument}: a dict is no table; put a row in a list, [{{"text": "One text"}}], and columns '
            "in a table, such as pandas.DataFrame(columns)",
            setting=argument,
        )
    raise UsageError(
        f"{argument}: {type(rows).__qualname__} is not supported; give a table or column of pandas, "
        "Polars, pyarrow, DuckDB or datasets, another object that exports Arrow, a list or "
        "generator of strings or dicts, or the path of a file",
        setting=argument,
    )


def column_of(rows: Any, argument: str = "documents") -> Any:
    """A column of texts: an object that exports Arrow, or a list.

    Raises :class:`~nearprint.UsageError` for an object that cannot be a column.
    """
    if type(rows).__module__.startswith("datasets.") and not hasattr(rows, "column_names"):
        # A column of a Dataset.
        return list(rows)
    frame = frame_of(rows, argument)
    return frame.columns(frame.names())


def _lacks(needed: Sequence[str], columns: list[str]) -> bool:
    """True if a needed field is in none of the columns."""
    return any(not outermost([name], columns) for name in needed)


def _all_names(rows: Any) -> list[str]:
    names = getattr(rows, "column_names", getattr(rows, "columns", []))
    return [] if callable(names) else [name for name in names if isinstance(name, str)]
