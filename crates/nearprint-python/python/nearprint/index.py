"""Documents on disk, added and removed at any time -> the duplicates of a text among them."""

from __future__ import annotations

import json
import os
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, SupportsIndex, Union, overload
from uuid import UUID

from nearprint._nearprint import Config, IndexFolder, after_fork, before_fork
from nearprint.deduplication import names_ids, needed_fields, settings_of
from nearprint.errors import NearprintWarning, UsageError
from nearprint.frames import frame_of
from nearprint.progress import Progress
from nearprint.settings import Settings
from nearprint.signatures import with_settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Index", "Match"]

#: An id of a document: a string, a signed or unsigned integer of 64 bits, or another value that
#: :meth:`Index.add` takes as an id, such as ``1.5`` for ``"1.5"`` and ``True`` for ``"true"``.
Id = Union[str, SupportsIndex, float, date, time, UUID, tuple["Id", ...]]


@dataclass(frozen=True)
class Match:
    """A document of an index that is a duplicate of a text."""

    id: str | int
    """Its id."""
    similarity: float
    """The similarity of the two, 0 to 1."""
    reason: str
    """The reason: ``exact``, ``near``, ``contained`` or ``short``."""
    distance: int | None
    """The distance of their fingerprints in bits; ``None`` if one of them is short."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Its stored fields."""
    text: str | None = None
    """Its text as read, if the index stores texts."""


class Index:
    """A persistent index of documents in a folder: :meth:`create` makes one, :meth:`open` opens
    one.

    The settings that decide about duplicates are fixed for the index. Every match is confirmed by
    the texts, as in :func:`nearprint.dedup`.

    Several threads may use one object; its calls run one after the other. For parallel queries open
    the folder several times, also from several processes. One process writes at a time; another
    writer waits for ten seconds and then raises :class:`~nearprint.TakenError`. Calls release
    Python's lock. A pickled or copied object opens its folder again, and so does an object in a
    forked process. As a context manager, an index closes itself.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> index = Index.create(folder.name)
    >>> text = "The ferry returns on Monday after eleven weeks of repairs to its cracked "
    >>> text += "propeller shaft"
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
    #: Removes the folder of a temporary index.
    _removal: weakref.finalize[..., Index] | None = None

    def __init__(self) -> None:
        raise TypeError("create an index with Index.create, or open one with Index.open")

    @classmethod
    def _of(cls, folder: IndexFolder) -> Index:
        index = cls.__new__(cls)
        index._folder = folder
        return index

    @classmethod
    @with_settings
    def create(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        text: str | list[str] | None = None,
        id: str | None = None,
        store_fields: str | Sequence[str] = (),
        store_text: bool = False,
        ttl: str | timedelta | None = None,
        date_field: str | None = None,
        config: Config | str | os.PathLike[str] | None = None,
        **settings: Unpack[Settings],
    ) -> Index:
        """Creates an empty index, as ``nearprint index create`` does.

        Parameters
        ----------
        path
            An empty or new folder. By default a temporary one, which is removed when the index is
            closed or no longer used.
        text, id
            The columns of the text and of the ids in added tables; ``"text"`` and ``"id"`` by
            default.
        store_fields
            Columns whose values are stored, and given with answers as JSON values; dates and times
            of columns as microseconds since 1970.
        store_text
            If True, texts are stored as read, and given with answers. Otherwise they are stored
            normalized, for comparison.
        ttl
            The lifetime of a document: ``"90s"``, ``"30m"``, ``"12h"``, ``"365d"``, ``"2w"``, or a
            ``timedelta``; it begins at the date of the document, or else when it is added. Expired
            documents are not found, and the next change removes them.
        date_field
            The column with that date, which ``within`` of :meth:`query` compares: dates and times, or
            strings and numbers in any form that ``keep="newest:COLUMN"`` takes.
        config, **settings
            As in :func:`nearprint.dedup`: ``min_similarity=0.9``, … They are fixed for the index.

        Raises
        ------
        UsageError
            For settings that an index does not support, and a folder that is not empty.
        FileError
            If the system refuses the folder.
        """
        ttl = _duration(ttl)
        fields = [store_fields] if isinstance(store_fields, str) else list(store_fields)
        own = Config(config, **settings_of(settings, text, id))
        if path is not None:
            return cls._of(IndexFolder.create(path, fields, store_text, ttl, date_field, own))
        import tempfile

        folder = tempfile.mkdtemp(prefix="nearprint-", dir=own.tmp_dir)
        try:
            index = cls._of(IndexFolder.create(folder, fields, store_text, ttl, date_field, own))
        except BaseException:
            _remove(folder, os.getpid())
            raise
        index._removal = weakref.finalize(index, _remove, folder, os.getpid())
        return index

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Index:
        """Opens the index in a folder. An index in a read-only folder can be queried.

        IncompatibleError if there is no index, it is damaged, or this version makes other
        fingerprints; FileError.
        """
        return cls._of(IndexFolder.open(path))

    @classmethod
    @with_settings
    def open_or_create(
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
        **settings: Unpack[Settings],
    ) -> Index:
        """Opens the index in a folder, or creates one there if the folder is empty or new.

        Arguments and exceptions are those of :meth:`create` and :meth:`open`. UsageError also if
        the index that is there has other settings than ``text``, ``id`` and ``**settings`` name.
        """
        folder = os.fspath(path)
        if not os.path.isdir(folder) or not os.listdir(folder):
            return cls.create(
                path,
                text=text,
                id=id,
                store_fields=store_fields,
                store_text=store_text,
                ttl=ttl,
                date_field=date_field,
                config=config,
                **settings,
            )
        index = cls.open(path)
        wanted = index.config.replace(**settings_of(settings, text, id))
        for name in Settings.__annotations__:
            there = getattr(index.config, name)
            if there != getattr(wanted, name):
                index.close()
                raise UsageError(
                    f"{name}: the index in {folder} has {there!r}; leave it out, or name another "
                    "folder",
                    setting=name,
                )
        return index

    @property
    def path(self) -> str:
        """Its folder, as an absolute path."""
        return os.fspath(self._folder.path)

    @property
    def config(self) -> Config:
        """The settings of the index."""
        return self._folder.config()

    @overload
    def add(
        self,
        documents: str,
        *,
        id: Id,
        text: str | list[str] | None = None,
        if_new: bool = False,
        within: str | timedelta | None = None,
        where: Mapping[str, Any] | None = None,
        progress: Progress = False,
        **settings: Unpack[Settings],
    ) -> Any: ...
    @overload
    def add(
        self,
        documents: Any,
        *,
        text: str | list[str] | None = None,
        id: str | None = None,
        if_new: bool = False,
        within: str | timedelta | None = None,
        where: Mapping[str, Any] | None = None,
        progress: Progress = False,
        **settings: Unpack[Settings],
    ) -> Any: ...
    @with_settings
    def add(
        self,
        documents: Any,
        *,
        text: str | list[str] | None = None,
        id: Any = None,
        if_new: bool = False,
        within: str | timedelta | None = None,
        where: Mapping[str, Any] | None = None,
        progress: Progress = False,
        **settings: Unpack[Settings],
    ) -> Any:
        """Adds documents, a thousand per transaction. A document replaces an earlier one of the
        same id.

        Parameters
        ----------
        documents
            A table of any kind that :func:`nearprint.dedup` takes, with a column of ids. Ids that
            are neither strings nor integers are strings in the index: ``"2026-01-31"``, ``"true"``,
            ``'["wire", 7]'`` for a tuple.
            Or one text, with its id in ``id``; the result is then its row.
        text, id
            The columns of the text and of the ids, if they differ from those of :meth:`create`.
        if_new
            If True, documents with a duplicate in the index are not added. They are checked one
            after the other: of two copies the first is new.
        within, where
            The documents of the index that count as duplicates, as in :meth:`query`.
        progress
            As in :func:`nearprint.dedup`.
        **settings
            Settings for reading documents: ``on_error="skip"``, ``max_rejected="100%"``,
            ``threads=2``. Settings of the index need not be repeated; those that decide about
            duplicates cannot be changed. ``same`` and ``differ`` name stored fields in which a
            document and its duplicates agree, or differ.

        Returns
        -------
        table
            Of the same kind, a row for each document: ``id``, ``outcome`` (``new``, ``replaced``,
            ``unchanged``, ``expired``, ``duplicate``). With ``if_new`` also ``new`` (True if it was
            added), and for its most similar duplicate ``duplicate`` (the id), ``similarity``,
            ``reason``, ``distance``; null without a duplicate. Ids of the index are a column of
            strings if they are not all integers. With ``on_error="skip"`` unusable rows are left
            out, with a warning.

        Raises
        ------
        UsageError
            For settings that differ from those of the index.
            If the index is empty, and no row has one of its ``store_fields`` or its ``date_field``.
        RejectedError
            For an unusable row (null, without an id or a needed date), or a missing column. With
            ``on_error="skip"``, if more than a tenth of the rows of this call are unusable, or than
            ``max_rejected`` allows; the usable ones are in the index then.
        TakenError
            If another process is writing during the whole wait.
        FileError
            If the disk is full, or the folder cannot be written.

        After an exception, earlier transactions stay; its text says how many rows they have.
        """
        if isinstance(documents, str):
            if id is None:
                raise UsageError("id: name the id of the text", setting="id")
            own = self._config(settings, text, None)
            row = {own.id_field: id, own.text_field[0].split("|")[0]: documents}
            rows = self.add(
                [row],
                text=text,
                if_new=if_new,
                within=within,
                where=where,
                progress=progress,
                **settings,
            )
            return rows[0] if rows else None
        frame, own = frame_of(documents), self._config(settings, text, id)
        columns = [*own.columns, *self._folder.fields()]
        needed = needed_fields(frame, own.text_field, own.id_field, own.id_field != "off")
        table, told = self._folder.add(
            frame.columns(columns, needed),
            columns,
            if_new,
            _duration(within),
            _wanted(where),
            progress,
            own,
            frame.names(),
        )
        _warn(told)
        return frame.table(table)

    @overload
    def query(
        self,
        documents: str,
        *,
        top: int = 10,
        within: str | timedelta | None = None,
        where: Mapping[str, Any] | None = None,
        **settings: Unpack[Settings],
    ) -> list[Match]: ...
    @overload
    def query(
        self,
        documents: Any,
        *,
        top: int = 10,
        within: str | timedelta | None = None,
        where: Mapping[str, Any] | None = None,
        text: str | list[str] | None = None,
        id: str | None = None,
        progress: Progress = False,
        **settings: Unpack[Settings],
    ) -> Any: ...
    @with_settings
    def query(
        self,
        documents: Any,
        *,
        top: int = 10,
        within: str | timedelta | None = None,
        where: Mapping[str, Any] | None = None,
        text: str | list[str] | None = None,
        id: str | None = None,
        progress: Progress = False,
        **settings: Unpack[Settings],
    ) -> Any:
        """Finds the duplicates of a text, or of each document of a table; ``top`` of each at most.

        Parameters
        ----------
        documents
            One text, or a table or column of any kind that :func:`nearprint.dedup` takes. The id of
            a document in a table comes from the column of ids, if there is one, else it is the row,
            counted from 0.
        within
            The longest time between the dates of a document and of its duplicate: ``"12h"``,
            ``"7d"``, or a ``timedelta``. A document without a date has the current time.
        where
            Values that stored fields of duplicates have: ``{"source": "wire"}``, or one of
            several values: ``{"source": ["wire", "post"]}``.
        text, id, progress, **settings
            As in :meth:`add`.

        Returns
        -------
        list of Match, or a table
            For a text, its duplicates: the most similar first, then equal texts, then the nearest,
            then the first added. For a table, a table of the same kind with a row for each
            duplicate: ``id`` (of the query), ``rank`` (from 1), ``match`` (the id of the
            duplicate), ``similarity``, ``reason``, ``distance``, ``more`` (the number of further
            duplicates). A document without duplicates has no row.

        Raises
        ------
        IncompatibleError
            If a part of the index that the answer needs is damaged.
        UsageError, RejectedError
            As in :meth:`add`.
        """
        if isinstance(documents, str):
            own = self._config(settings, text, id) if settings else None
            return [
                Match(**match)
                for match in json.loads(
                    self._folder.query_text(documents, top, _duration(within), _wanted(where), own)
                )
            ]
        frame, own = frame_of(documents), self._config(settings, text, id)
        with_ids = names_ids(own, settings, id)
        needed = needed_fields(frame, own.text_field, own.id_field, with_ids)
        columns = [*own.columns, *(self._folder.fields() if within else [])]
        table, told = self._folder.query_table(
            frame.columns(columns, needed),
            columns,
            with_ids,
            top,
            _duration(within),
            _wanted(where),
            progress,
            own,
            frame.names(),
        )
        _warn(told)
        return frame.table(table)

    def remove(self, ids: Id | Iterable[Id]) -> int:
        """Removes the documents of these ids, or of one id, in one transaction; returns the number
        of removed ones. A tuple is one id, as in pandas; several ids are a list.

        TypeError for a value that is not an id; TakenError and FileError as in :meth:`add`.
        """
        several = isinstance(ids, Iterable) and not isinstance(ids, (str, bytes, tuple))
        own: list[Any] = list(ids) if several else [ids]  # type: ignore[arg-type]
        return self._folder.remove(own)

    def compact(self) -> None:
        """Removes expired documents, and frees the disk space of removed documents. Queries can go
        on meanwhile.

        TakenError and FileError as in :meth:`add`.
        """
        self._folder.compact()

    def verify(self) -> list[str]:
        """Checks every record and every file; returns a sentence for each problem, up to a
        hundred."""
        return self._folder.verify()

    def info(self, *, recall_sample: int = 100) -> dict[str, Any]:
        """The contents: ``documents``, ``generation`` (changes since the creation), ``removed``,
        bytes, distances, ``recipe``, ``settings``, ``options``, … as in ``nearprint index info
        --json``. If the search may miss duplicates, ``recall`` has the number of duplicates of
        ``recall_sample`` documents that it finds; these are compared with all others. UsageError
        for a ``recall_sample`` below 0.
        """
        info: dict[str, Any] = json.loads(self._folder.info(recall_sample))
        return info

    def export(self) -> Iterator[dict[str, Any]]:
        """Its documents, in the order in which they were added: ``id``, ``text`` (normalized unless
        texts are stored as read), the stored fields, and the ``date_field``.

        The documents are those at the time of the call; a temporary file holds them until the last
        one is taken.
        """
        rows = _exported(self._folder)
        # The export runs now, before the first row. A generator that has begun closes its file,
        # even if it is not read to the end.
        next(rows)
        return rows

    def close(self) -> None:
        """Closes the index; later calls raise UsageError. Added documents are on disk in any
        case, unless the folder is a temporary one."""
        self._folder.close()
        if self._removal is not None:
            self._removal()

    def __len__(self) -> int:
        return len(self._folder)

    def __bool__(self) -> bool:
        # An empty index is true.
        return True

    def __contains__(self, id: Id) -> bool:
        return id in self._folder

    def __getitem__(self, id: Id) -> dict[str, Any]:
        """The document of an id, as a row of :meth:`export`. KeyError if there is none."""
        found = self._folder.document(id)
        if found is None:
            raise KeyError(id)
        document: dict[str, Any] = json.loads(found)
        return {"id": document["id"], "text": document["text"], **document["fields"]}

    def __iter__(self) -> Iterator[Any]:
        """The ids of its documents, as :meth:`export` gives them."""
        return (row["id"] for row in self.export())

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
        self, settings: Mapping[str, Any], text: str | list[str] | None, id: str | None
    ) -> Config:
        return self._folder.config().replace(**settings_of(settings, text, id))


def _remove(folder: str, process: int) -> None:
    """Removes a temporary folder, in the process that made it only."""
    if os.getpid() == process:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def _duration(time: str | timedelta | None) -> str | None:
    """A duration as text."""
    if isinstance(time, timedelta):
        days, rest = divmod(int(time.total_seconds()), 86_400)
        return f"{days * 86_400 + rest}s" if rest else f"{days}d"
    return time


def _wanted(where: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Each field with each of its values in words."""
    wanted = []
    for name, values in (where or {}).items():
        several = isinstance(values, Iterable) and not isinstance(values, (str, bytes))
        for value in values if several else [values]:
            word = str(value).lower() if isinstance(value, bool) else str(value)
            wanted.append((name, word))
    return wanted


def _exported(folder: IndexFolder) -> Iterator[dict[str, Any]]:
    import tempfile

    with tempfile.NamedTemporaryFile(
        mode="r", prefix="nearprint-", suffix=".jsonl", encoding="utf-8"
    ) as file:
        folder.export(file.name)
        yield {}
        for line in file:
            yield json.loads(line)


def _warn(told: list[str]) -> None:
    """Warns of rows that were left out."""
    if told:
        others = f", and {len(told) - 1} others" if len(told) > 1 else ""
        warnings.warn(f"left out: {told[0]}{others}", NearprintWarning, stacklevel=3)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=after_fork)
