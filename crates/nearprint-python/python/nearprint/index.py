"""Documents that come and go, kept on disk: seen before?"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Any, SupportsIndex, Union, overload

from nearprint._nearprint import Config, IndexFolder, after_fork, before_fork
from nearprint.deduplication import names_ids, settings_of
from nearprint.errors import NearprintWarning
from nearprint.frames import frame_of
from nearprint.progress import Progress

__all__ = ["Index", "Match"]

#: An id of a document: a string, or an integer of 64 bits, with a sign or without.
Id = Union[str, SupportsIndex]


@dataclass(frozen=True)
class Match:
    """A document of an index that is a duplicate of a text."""

    id: str | int
    """Its id."""
    similarity: float
    """The similarity of the two, 0 to 1."""
    reason: str
    """Why they are duplicates: ``exact``, ``near``, ``contained`` or ``short``."""
    distance: int | None
    """The distance of their fingerprints in bits; ``None`` where one of them is short."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Its stored fields."""
    text: str | None = None
    """Its text as it was read, where the index stores that."""


class Index:
    """A persistent index of documents in a folder: made by :meth:`create`, opened by :meth:`open`.

    The settings that decide about duplicates stay with it. Every answer is compared on the texts,
    as in :func:`nearprint.dedup`.

    Several threads may use one object: its calls are carried out one after the other. For questions
    side by side open the folder several times; several processes may do so, too. One writes at a
    time; another one that would write waits for ten seconds and then raises
    :class:`~nearprint.TakenError`. Calls release Python's lock. An object that is pickled or copied
    opens its folder again, and so does one in a process that was forked. It is a context manager
    that closes itself.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> index = Index.create(folder.name)
    >>> text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft"
    >>> index.add([{"id": "a", "text": text}, {"id": "b", "text": "Half price"}])
    [{'id': 'a', 'outcome': 'new'}, {'id': 'b', 'outcome': 'new'}]
    >>> index.query(text + ", they say.")
    [Match(id='a', similarity=0.938185, reason='near', distance=25, fields={}, text=None)]
    >>> "b" in index, index.remove("b"), len(index)
    (True, 1, 1)
    >>> index.close()
    >>> folder.cleanup()
    """

    _folder: IndexFolder

    def __init__(self) -> None:
        raise TypeError("an index is made by Index.create, or opened by Index.open")

    @classmethod
    def _of(cls, folder: IndexFolder) -> Index:
        index = cls.__new__(cls)
        index._folder = folder
        return index

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        text: str | list[str] | None = None,
        id: str | None = None,
        store_fields: str | Sequence[str] = (),
        store_text: bool = False,
        ttl: str | timedelta | None = None,
        date_field: str | None = None,
        config: Config | str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> Index:
        """Makes an empty index, as ``nearprint index create`` does.

        Parameters
        ----------
        path
            A folder that is empty or not there yet.
        text, id
            The columns of the text and of the ids, of tables that are added; ``"text"`` and
            ``"id"`` by default.
        store_fields
            Columns whose values are kept, and come with answers as JSON has them; dates and times
            of columns as microseconds since 1970.
        store_text
            Whether texts are kept as they were read, and come with answers. Else they are kept
            normalized, to be compared.
        ttl
            How long a document stays: ``"90s"``, ``"30m"``, ``"12h"``, ``"365d"``, ``"2w"``, or a
            ``timedelta``; from its date, or else from when it is added. What has expired is no
            answer any more, and goes with the next change.
        date_field
            The column with that date: dates and times, strings as ISO 8601 or feeds have them, or
            seconds since 1970.
        config, **settings
            As in :func:`nearprint.dedup`: ``min_similarity=0.9``, … They stay with the index.

        Raises
        ------
        UsageError
            For settings that an index cannot have, and a folder that is not empty.
        FileError
            Where the system refuses the folder.
        """
        if isinstance(ttl, timedelta):
            ttl = f"{int(ttl.total_seconds())}s"
        fields = [store_fields] if isinstance(store_fields, str) else list(store_fields)
        own = Config(config, **settings_of(settings, text, id))
        return cls._of(IndexFolder.create(path, fields, store_text, ttl, date_field, own))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Index:
        """Opens the index of a folder. Where the folder cannot be written, it can be asked.

        IncompatibleError where there is none, it is damaged, or this version makes other
        fingerprints than it holds; FileError.
        """
        return cls._of(IndexFolder.open(path))

    @property
    def path(self) -> str:
        """Its folder, as an absolute path."""
        return os.fspath(self._folder.path)

    @property
    def config(self) -> Config:
        """The settings that stay with it."""
        return self._folder.config()

    def add(
        self,
        documents: Any,
        *,
        text: str | list[str] | None = None,
        id: str | None = None,
        if_new: bool = False,
        progress: Progress = False,
        **settings: Any,
    ) -> Any:
        """Puts documents in, a thousand in a transaction. One whose id is there already replaces
        the one before.

        Parameters
        ----------
        documents
            A table of any kind that :func:`nearprint.dedup` takes, with a column of ids, strings or
            integers.
        text, id
            The columns of the text and of the ids, where they are others than those that the index
            was made with.
        if_new
            Whether those stay out that have a duplicate in the index. They are asked about one
            after the other: of two copies the first is new.
        progress
            As in :func:`nearprint.dedup`.
        **settings
            Settings of how documents are read: ``on_error="skip"``, ``threads=2``. What the index
            was made with need not be said again, and what decides about duplicates cannot be
            changed.

        Returns
        -------
        table
            Of the same kind, a row for each document: ``id``, ``outcome`` (``new``, ``replaced``,
            ``unchanged``, ``expired``, ``duplicate``). With ``if_new`` also ``new`` (whether it was
            put in), and of the most similar document that it is a duplicate of ``duplicate`` (its
            id), ``similarity``, ``reason``, ``distance``; null where it is none. Ids of the index
            are a column of strings where they are not all integers. With ``on_error="skip"`` rows
            that cannot be used are left out, with a warning.

        Raises
        ------
        UsageError
            For settings of another index.
        RejectedError
            For a row that cannot be used (null, without an id or a needed date), or a missing
            column.
        TakenError
            Where another process is writing all the time.
        FileError
            Where the disk is full, or the folder cannot be written.

        Where it ends by an exception, the transactions before stay.
        """
        frame, own = frame_of(documents), self._config(settings, text, id)
        columns = [*own.columns, *self._folder.fields()]
        needed = [*own.text_field, *([own.id_field] if own.id_field != "off" else [])]
        table, told = self._folder.add(
            frame.columns(columns, needed), columns, if_new, progress, own
        )
        _warn(told)
        return frame.table(table)

    @overload
    def query(self, documents: str, *, top: int = 10, **settings: Any) -> list[Match]: ...
    @overload
    def query(
        self,
        documents: Any,
        *,
        top: int = 10,
        text: str | list[str] | None = None,
        id: str | None = None,
        progress: Progress = False,
        **settings: Any,
    ) -> Any: ...
    def query(
        self,
        documents: Any,
        *,
        top: int = 10,
        text: str | list[str] | None = None,
        id: str | None = None,
        progress: Progress = False,
        **settings: Any,
    ) -> Any:
        """Finds the duplicates of a text, or of each document of a table; ``top`` of each at most.

        Parameters
        ----------
        documents
            One text, or a table or column of any kind that :func:`nearprint.dedup` takes. The id of
            a document of a table is that of its column of ids, where there is one, else its row,
            counted from 0.
        text, id, progress, **settings
            As in :meth:`add`.

        Returns
        -------
        list of Match, or a table
            Of one text its duplicates: the most similar first, of these equal texts, of these the
            nearest, of these the one that was added first. Of a table one of the same kind, a row
            for each duplicate: ``id`` (of the document that was asked about), ``rank`` (from 1),
            ``match`` (the id of the duplicate), ``similarity``, ``reason``, ``distance``, ``more``
            (how many others the document has). A document without duplicates has no row.

        Raises
        ------
        IncompatibleError
            Where something that the answer needs is damaged.
        UsageError, RejectedError
            As in :meth:`add`.
        """
        if isinstance(documents, str):
            own = self._config(settings, text, id) if settings else None
            return [
                Match(**match) for match in json.loads(self._folder.query_text(documents, top, own))
            ]
        frame, own = frame_of(documents), self._config(settings, text, id)
        with_ids = names_ids(own, settings, id)
        needed = [*own.text_field, *([own.id_field] if with_ids else [])]
        table, told = self._folder.query_table(
            frame.columns(own.columns, needed), with_ids, top, progress, own
        )
        _warn(told)
        return frame.table(table)

    def remove(self, ids: Id | Iterable[Id]) -> int:
        """Removes the documents of these ids, or of one id, in one transaction; gives the number of
        those that were there.

        TypeError for what is no id; TakenError and FileError as in :meth:`add`.
        """
        several = isinstance(ids, Iterable) and not isinstance(ids, (str, bytes))
        own: list[Any] = list(ids) if several else [ids]  # type: ignore[arg-type]
        return self._folder.remove(own)

    def compact(self) -> None:
        """Removes what has expired, and gives the space of removed documents back to the disk.
        Others go on asking meanwhile.

        TakenError and FileError as in :meth:`add`.
        """
        self._folder.compact()

    def verify(self) -> list[str]:
        """Reads every record and every file, and says what is wrong: a sentence for each problem,
        the first hundred."""
        return self._folder.verify()

    def info(self, *, recall_sample: int = 100) -> dict[str, Any]:
        """What it holds: ``documents``, ``generation`` (changes since it was made), ``removed``,
        bytes, distances, ``recipe``, ``settings``, ``options``, … as ``nearprint index info
        --json`` says it. Where the search finds less than all, ``recall`` says how many of the
        duplicates of ``recall_sample`` documents it finds.
        """
        info: dict[str, Any] = json.loads(self._folder.info(recall_sample))
        return info

    def export(self) -> Iterator[dict[str, Any]]:
        """Its documents, in the order in which they were added: ``id``, ``text`` (normalized, where
        texts are not stored as they were read), and the stored fields.

        They are those of the time of the call; until the last one is taken they lie in a temporary
        file.
        """
        rows = _exported(self._folder)
        # What comes before the first row is done now; a generator that was begun closes its file,
        # however far one reads.
        next(rows)
        return rows

    def close(self) -> None:
        """Closes it; other calls raise UsageError then. What was added is on disk without that."""
        self._folder.close()

    def __len__(self) -> int:
        return len(self._folder)

    def __bool__(self) -> bool:
        # An empty one is one.
        return True

    def __contains__(self, id: Id) -> bool:
        return id in self._folder

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Index: {self.path}{', closed' if self._folder.closed else ''}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Index.open, (self.path,)

    def _config(
        self, settings: dict[str, Any], text: str | list[str] | None, id: str | None
    ) -> Config:
        return self._folder.config().replace(**settings_of(settings, text, id))


def _exported(folder: IndexFolder) -> Iterator[dict[str, Any]]:
    with tempfile.NamedTemporaryFile(
        mode="r", prefix="nearprint-", suffix=".jsonl", encoding="utf-8"
    ) as file:
        folder.export(file.name)
        yield {}
        for line in file:
            yield json.loads(line)


def _warn(told: list[str]) -> None:
    """Says that rows were left out."""
    if told:
        others = f", and {len(told) - 1} others" if len(told) > 1 else ""
        warnings.warn(f"left out: {told[0]}{others}", NearprintWarning, stacklevel=3)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=after_fork)
