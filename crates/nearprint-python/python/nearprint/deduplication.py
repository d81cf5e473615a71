"""Documents in, groups of near-duplicates and a clean corpus out."""

from __future__ import annotations

import json
import os
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from nearprint._nearprint import Config, Deduplication
from nearprint.errors import NearprintWarning
from nearprint.frames import Frame, frame_of
from nearprint.notebook import table_of
from nearprint.progress import Progress

__all__ = ["Result", "dedup", "names_ids", "settings_of"]

Rows = TypeVar("Rows")


def settings_of(
    settings: dict[str, Any], text: str | list[str] | None = None, id: str | None = None
) -> dict[str, Any]:
    """Settings with the two that have a shorter name in Python."""
    own = {"text_field": [text] if isinstance(text, str) else text, "id_field": id}
    return {**{name: value for name, value in own.items() if value is not None}, **settings}


def dedup(
    documents: Rows,
    *,
    text: str | list[str] | None = None,
    id: str | None = None,
    against: Any = None,
    pairs: bool = False,
    progress: Progress = False,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Any,
) -> Result[Rows]:
    """Finds near-duplicates and decides which documents stay, as ``nearprint dedup`` does.

    Parameters
    ----------
    documents
        One document a row: a pandas, Polars or pyarrow table, a DuckDB relation, a
        ``datasets.Dataset``, whatever else exports Arrow (``__arrow_c_stream__``,
        ``__arrow_c_array__``), or a list of dicts. A column by itself, or a list of strings, are
        the texts alone. Up to 2³² − 2 documents. The texts of Arrow columns are not copied.
    text
        The column with the text, or several, which are joined with a line feed; ``"text"`` by
        default.
    id
        The column with the ids, strings or integers, each once and none null. By default ``"id"``,
        if there is one; else the id of a document is its row, counted from 0, and so it is with
        ``"off"``.
    against
        Other documents, of any of these types, with the same names of columns;
        ``against_text_field="question"``, or a list of columns, says where their text is, if that
        is elsewhere, and ``against_id_field`` where their ids are (``"off"``: nowhere). Then only
        those documents are removed that are near one of these, or in which one of these stands with
        other text around it: training documents that hold an item of a test set. ``documents`` is
        not deduplicated within itself, ids need to be unique in either, and ``keeper`` is the id of
        one of these. ``leak_action`` says what becomes of documents that hold an item:
        ``"remove"``, ``"mask"`` (``[masked]`` in place of the passage), ``"cut"`` (the passage is
        left out), or ``"list"``, which removes no document at all and lists all in
        :attr:`Result.leaks`. Items of fewer letters than ``min_leak_length`` are not looked for
        inside of documents (60 by default, a Chinese character is two; ``"off"`` to look for none).
    pairs
        Whether all duplicate pairs are compared at once; without it only those that may remove a
        document are, and :attr:`Result.pairs` compares the others when it is asked for.
    progress
        ``True`` for a bar on standard error or in a notebook, or a function that is called with the
        stage, the documents done and all documents (None where that is not known), up to twenty
        times a second, in the calling thread.
    config
        Settings to start from: a :class:`Config`, or the path of a TOML file.
    **settings
        Single settings, named as the flags of the command line with ``_`` for ``-``:
        ``min_similarity=0.9``, ``keep="first"``, ``same="lang"``, ``differ=["source"]``,
        ``recall=0.95``, ``on_error="skip"``, ``threads=4``, ``memory="4G"``, …

    Returns
    -------
    Result
        The kept documents as the type that came in, and tables of the removed ones, of clusters and
        of pairs.

    Raises
    ------
    UsageError
        For settings that cannot be carried out, or documents of a type that cannot be taken.
    RejectedError
        For a row that cannot be used (null, not Unicode, an id twice), or a column that is missing
        or holds no text.
    IncompatibleError
        For corpus statistics made under other settings.
    FileError
        Where temporary files cannot be written.

    Notes ----- What of the texts is compared is held as long as the result is: in memory up to 192
    MB (less under a small ``memory``), more in temporary files (``tmp_dir``), about as large as the
    texts. Python's lock is released, and Ctrl-C ends the run within a second. What is computed is
    in docs/algorithms.md.

    Examples
    --------
    >>> import nearprint as nr
    >>> text = "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft"
    >>> result = nr.dedup([text, "Another text, of other words", text + "!"])
    >>> result.kept == [text, "Another text, of other words"]
    True
    >>> result.removed
    [{'id': 2, 'keeper': 0, 'cluster': 1, 'distance': 0, 'similarity': 1.0, 'reason': 'near',
    'lost': 0.0, 'share': 1.0, 'first': None, 'last': None, 'length': 89, 'keeper_length': 88}]
    """
    frame = frame_of(documents)
    other = None if against is None else frame_of(against)
    own = Config(config, **settings_of(settings, text, id))
    with_ids = names_ids(own, settings, id)
    field: str | None = own.against_id_field
    with_other_ids = with_ids if field is None else field != "off"
    run = Deduplication.run(
        frame.columns(own.columns, [*own.text_field, *([own.id_field] if with_ids else [])]),
        None
        if other is None
        else other.columns(
            own.against_columns,
            [
                *(own.against_text_field or own.text_field),
                *([field or own.id_field] if with_other_ids else []),
            ],
        ),
        pairs,
        progress,
        own,
        (with_ids, with_other_ids),
    )
    for message in run.warnings():
        warnings.warn(message, NearprintWarning, stacklevel=2)
    return Result(frame, run, other)


def names_ids(config: Config, settings: dict[str, Any], id: str | None) -> bool:
    """Whether the user said which column has the ids, which must then be there."""
    field: str = config.id_field
    return field != "off" and (
        id is not None or settings.get("id_field") is not None or field != "id"
    )


class Result(Generic[Rows]):
    """The result of a run of :func:`dedup`. Tables are of the library that the documents came from:
    pandas, Polars, pyarrow, DuckDB, datasets, a list of dicts for a list, else
    ``arro3.core.Table``.

    Ids have the type of the documents' own column, as that library has it of Arrow. Rows are in the
    order of the documents.
    """

    def __init__(self, frame: Frame, run: Deduplication, against: Frame | None = None) -> None:
        self._frame = frame
        self._run = run
        self._against = against

    @cached_property
    def kept(self) -> Rows:
        """The kept documents: rows of the type that came in, whole and in order. With
        ``leak_action="mask"`` or ``"cut"`` their texts are without the passages that are items of
        ``against``. They are taken from the documents when this is first read, so read it before
        you change those."""
        kept: Rows = self._frame.keep(self._run.kept())
        places, texts = self._run.changes()
        return self._frame.with_texts(kept, places, texts) if places else kept

    @cached_property
    def is_kept(self) -> Any:
        """For each row of the documents whether it is kept, as their library filters by it: NumPy's
        booleans for pandas, datasets and NumPy, a Series for Polars, pyarrow's array for pyarrow, a
        list for lists, else an ``arro3.core.Array``. Rows that were rejected are not kept."""
        return self._frame.mask(self._run.kept())

    @cached_property
    def removed(self) -> Any:
        """A row for each removed document: ``id``, ``keeper`` (the id of the document that stays in
        its place), ``cluster`` (from 1), ``distance`` (of the fingerprints, in bits; null for short
        documents), ``similarity`` (0 to 1, six decimals; the summary says which), ``reason``
        (``exact``, ``near``, ``contained``, ``short``, or ``contains``: the keeper stands in it),
        ``lost``: the share of its letters and digits that stands nowhere in the keeper, 0 to 1, or
        of its word n-grams under measures of these, else None, ``share``: the share of both texts
        that stands in the other one, 0 to 1, None where coverage did not decide, ``first`` and
        ``last``: with the reason ``contains`` the first and the last character of the place where
        the keeper stands in its text, counted from 0, else None, ``length`` and ``keeper_length``:
        the characters of the two texts."""
        return self._frame.table(self._run.removed())

    @cached_property
    def leaks(self) -> Any:
        """With ``against`` a row for each document that is a duplicate of an item, a document of
        ``against``, and for each passage that is another item: ``id``, ``item`` (the id of the
        item), ``reason``, ``similarity`` (0 to 1, of the document or the passage), ``first`` and
        ``last`` (of a passage the first and the last character in the text, counted from 0; None
        for a whole document), ``action``: what became of it, ``removed``, ``masked``, ``cut`` or
        ``listed``. Characters are those of Python's strings, ``text[first:last + 1]``; several
        columns of text are joined with a line feed."""
        return self._frame.table(self._run.leaks())

    @cached_property
    def clusters(self) -> Any:
        """A row for each cluster of two or more: ``cluster`` (from 1), ``keeper``, ``size``,
        ``members`` (a list of ids). With ``against`` the keeper is one of those documents, counted
        in ``size`` and not listed in ``members``."""
        return self._frame.table(self._run.clusters())

    @cached_property
    def pairs(self) -> Any:
        """A row for each duplicate pair: ``left`` (the earlier one; with ``against`` one of those
        documents), ``right``, ``distance``, ``similarity``, ``reason``. Without ``pairs=True`` they
        are compared now; n documents that are all alike are n² / 2 pairs. Of equal texts each is
        paired with one of them, whose other pairs stand for all; with ``against`` only pairs across
        the two sides are listed, one for each text."""
        return self._frame.table(self._run.pairs())

    @cached_property
    def just_missed(self) -> Any:
        """A row for each pair that is a little less similar than ``min_similarity`` asks for:
        ``left`` (the earlier one; with ``against`` one of those documents), ``right``,
        ``distance``, ``similarity`` (the largest ``min_similarity`` at which the two would be
        duplicates), ``left_row``, ``right_row`` (from 1). By default they are those of kept
        documents, of a sample where candidates are many, down to 0.15 below ``min_similarity``;
        with ``just_missed=0.6`` all down to that, for which every candidate pair is compared; with
        ``"off"`` none. ``summary["bounds"]`` says how many documents would be removed at other
        values of ``min_similarity``."""
        return self._frame.table(self._run.just_missed())

    @cached_property
    def rejected(self) -> Any:
        """With ``on_error="skip"`` a row for each one that was left out: ``file`` (``documents`` or
        ``against``), ``row`` (from 1), ``field``, ``problem`` (a word), ``message``."""
        return self._frame.table(self._run.rejected())

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The figures of the run, as in ``summary.json`` of the command line: settings, counts, the
        recall measured on a sample, seconds, peak memory of the process in bytes."""
        summary: dict[str, Any] = json.loads(self._run.summary())
        return summary

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        source_field: str | None = None,
    ) -> None:
        """Writes a page to look at the run, one HTML file that opens in any browser without a
        network: what was removed and why, and each removed document beside its keeper with their
        differences marked. A file that is there already is replaced. ``title`` is the title of the
        page, by default the name of the file without its ending. ``source_field`` is the column of
        the documents by which sources are told apart, such as ``"host"``: how many documents each
        lost, and to which. It is taken from the documents as they are now, which must be those of
        the run."""
        path = Path(path)
        rows = None
        if source_field is not None:
            own, other = (
                None if frame is None else frame.columns([source_field], [source_field])
                for frame in (self._frame, self._against)
            )
            rows = (own, other)
        html = self._run.report(path.stem if title is None else title, source_field, rows)
        unfinished = path.with_name(f".{path.name}.part")
        unfinished.write_text(html, encoding="utf-8", newline="")
        unfinished.replace(path)

    def __repr__(self) -> str:
        counts = self.summary["counts"]
        holding = f", {counts['contains']} for what stands in them" if counts["contains"] else ""
        return (
            f"<Result: {counts['kept']} of {counts['read']} documents kept; {counts['exact']} removed as exact, "
            f"{counts['near']} as near, {counts['contained']} as contained, {counts['near_short']} as short copies{holding}; "
            f"{counts['clusters']} clusters>"
        )

    def _repr_html_(self) -> str:
        counts = self.summary["counts"]
        leaks = {f"leaks: {name}": count for name, count in counts.get("leaks", {}).items()}
        flat = {name: count for name, count in counts.items() if name != "leaks"} | leaks
        rows = [[name.replace("_", " "), f"{count:,}"] for name, count in flat.items()]
        recall = self.summary.get("recall")
        if recall and recall["recall"] is not None:
            rows.append(
                ["recall", f"{recall['recall']:.3f} ({recall['low']:.3f} to {recall['high']:.3f})"]
            )
        counted = table_of(["documents", "count"], rows, caption="nearprint")
        return f"{self._run.overview()}<details><summary>All counts</summary>{counted}</details>"
