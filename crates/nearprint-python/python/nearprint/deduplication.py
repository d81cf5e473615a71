"""Documents in, groups of near-duplicates and a clean corpus out."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import nearprint
from nearprint._nearprint import Config, Deduplication
from nearprint.errors import UsageError
from nearprint.frames import Frame, frame_of
from nearprint.messages import tell
from nearprint.notebook import table_of
from nearprint.progress import Progress
from nearprint.signatures import with_settings

if TYPE_CHECKING:
    from typing_extensions import Never, Unpack

    from nearprint.settings import Settings

__all__ = [
    "Result",
    "check_columns",
    "dedup",
    "names_ids",
    "needed_fields",
    "rethreshold",
    "settings_of",
]

Rows = TypeVar("Rows")


def settings_of(
    settings: Mapping[str, Any], text: str | list[str] | None = None, id: str | None = None
) -> dict[str, Any]:
    """Settings, with the two that have shorter names in Python."""
    own = {"text_field": [text] if isinstance(text, str) else text, "id_field": id}
    for name, value in own.items():
        if value is not None and settings.get(name) is not None:
            short = name.removesuffix("_field")
            raise UsageError(f"{short}: {name} names it, too; give one of the two", setting=short)
    return {**{name: value for name, value in own.items() if value is not None}, **settings}


@with_settings
def dedup(
    documents: Rows,
    *,
    text: str | list[str] | None = None,
    id: str | None = None,
    against: Any = None,
    pairs: bool = False,
    progress: Progress = False,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> Result[Rows]:
    """Finds near-duplicates and decides which documents to keep, as ``nearprint dedup`` does.

    Parameters
    ----------
    documents
        One document per row: a pandas, Polars or pyarrow table, a DuckDB relation, a
        ``datasets.Dataset``, any other object that exports Arrow (``__arrow_c_stream__``,
        ``__arrow_c_array__``), or a list of dicts. A single column or a list of strings holds texts
        only. Up to 2³² − 2 documents. Texts of Arrow columns are not copied. A path, a glob
        (``"crawl/*.jsonl.gz"``) or a list of ``pathlib.Path`` objects are files, as on the command
        line; they stay on disk.
    text
        The column with the text, or several, which are joined with a line feed; ``"text"`` by
        default. As in all names of columns, ``"content|body"`` takes the first of the two that a
        row has, ``"doc.text"`` is a field of a struct or dict, and ``"messages[].content"`` that of
        all structs or dicts of a list. ``"content|content[].text"`` takes a string, or the texts of
        a list in its place.
    id
        The column with the ids, unique, none null: strings, numbers, booleans, dates, UUIDs, in
        lists and dicts also tuples, which are strings in results: ``'["wire", 7]'``. By default
        ``"id"``, if there is one. Without a column, or with ``"off"``, the id of a document
        is its row, counted from 0.
    against
        Reference documents, such as a test set, of any of these types and with the same names of
        columns, or an :class:`Index`, whose settings must then be those of the run
        (``config=index.config``). ``against_text_field="question"``, or a list of columns, names
        another text column, and ``against_id_field`` another id column (``"off"``: none). Only
        documents that are near a reference document, or contain one, are removed. Of a list of
        strings or a single column the ids are the rows. Documents are not compared with each other,
        ids must be unique on each side, and ``keeper`` is the id of a reference document.
        ``leak_action`` is the action on documents that contain an item: ``"remove"``, ``"mask"``
        (``[masked]`` replaces the passage), ``"cut"`` (the passage is deleted), or ``"list"``,
        which removes no document and lists all in :attr:`Result.leaks`. Items of fewer letters than
        ``min_leak_length`` are not searched inside documents (60 by default, a Chinese character
        counts as two; ``"off"``: search none).
    pairs
        If True, all duplicate pairs are compared now. Otherwise only pairs that may remove a
        document are, and :attr:`Result.pairs` compares the others on first use.
    progress
        ``True`` for a bar on standard error or in a notebook, or a function that is called with the
        stage, the documents done and the total (None if unknown), up to twenty times a second, in
        the calling thread.
    config
        Settings to start from: a :class:`Config`, or the path of a TOML file.
    **settings
        Single settings, named like the flags of the command line with ``_`` for ``-``:
        ``min_similarity=0.9``, ``keep="first"``, ``same="lang"``, ``differ=["source"]``,
        ``recall=0.95``, ``marks="marks.jsonl"`` (pairs that a person marked), ``on_error="skip"``,
        ``threads=4``, ``memory="4G"``, …

    Returns
    -------
    Result
        The kept documents in the type of the input, and tables of removed documents, clusters and
        pairs.

    Raises
    ------
    UsageError
        For invalid settings, or documents of an unsupported type.
    RejectedError
        For an unusable row (null, not Unicode, an id twice), or a column that is missing or has no
        text. ``on_error="skip"`` leaves unusable rows out, with a warning; if they are more than a
        tenth, or than ``max_rejected=N`` or ``max_rejected="N%"`` (``"100%"``: any number), that is
        a RejectedError.
    IncompatibleError
        For corpus statistics made with other settings.
    FileError
        If temporary files cannot be written.

    Notes
    -----
    The result holds the parts of texts that were compared: up to 192 MB in memory (less under a
    small ``memory``), the rest in temporary files (``tmp_dir``) of about the size of the texts.
    Python's lock is released, and Ctrl-C ends the run within a second. The algorithms are in
    docs/algorithms.md.

    Examples
    --------
    >>> import nearprint as nr
    >>> text = (
    ...     "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller "
    ...     "shaft"
    ... )
    >>> result = nr.dedup([text, "Another text, of other words", text + "!"])
    >>> result.kept == [text, "Another text, of other words"]
    True
    >>> [(row["id"], row["keeper"], row["reason"]) for row in result.removed]
    [(2, 0, 'near')]
    """
    index = against
    if isinstance(against, nearprint.Index):
        against = Path(against.path)
    frame = frame_of(documents)
    other = None if against is None else frame_of(against, "against")
    if other is not None:
        other.owner = index
    own = Config(config, **settings_of(settings, text, id))
    with_ids = names_ids(own, settings, id)
    field: str | None = own.against_id_field
    with_other_ids = with_ids if field is None else field != "off"
    if field is None and other is not None and other.is_column():
        with_other_ids = False  # The id of a text is its row.
    if own.leak_action in ("mask", "cut"):
        check_columns(frame, own, "leak_action", own.leak_action)
    run = Deduplication.run(
        frame.columns(own.columns, needed_fields(frame, own.text_field, own.id_field, with_ids)),
        None
        if other is None
        else other.columns(
            own.against_columns,
            needed_fields(
                other,
                own.against_text_field or own.text_field,
                field or own.id_field,
                with_other_ids,
            ),
        ),
        pairs,
        progress,
        own,
        (with_ids, with_other_ids),
        (frame.names(), [] if other is None else other.names()),
    )
    result: Result[Rows] = Result(frame, run, other)
    tell(run.warnings(), result, run.suggestions())
    return result


def needed_fields(frame: Frame, text: list[str], id: str, with_ids: bool) -> list[str]:
    """The fields without which no document can be read: of several fields of the text, each may be
    missing. Ids that a part of the documents has are needed in all of them."""
    needs_id = with_ids or id != "off" and frame.has_column(id)
    return [*(text if len(text) == 1 else []), *([id] if needs_id else [])]


def check_columns(frame: Frame, config: Config, setting: str, action: str) -> None:
    """Refuses texts that are not columns of their own, whose rows cannot be changed."""
    for field in config.text_field:
        if not frame.has_column(field) and any(sign in field for sign in (".", "[]", "|")):
            raise UsageError(
                f"{setting}: {action} changes a column, and {field} is none; write the rows to a "
                "file of JSON Lines or Parquet for the command line (python -m nearprint), make it "
                "a column before, or choose an action that changes no texts",
                setting=setting,
            )


def names_ids(config: Config, settings: Mapping[str, Any], id: str | None) -> bool:
    """True if the user named the column of ids, which must then exist."""
    field: str = config.id_field
    return field != "off" and (
        id is not None or settings.get("id_field") is not None or field != "id"
    )


def rethreshold(
    run: Result[Rows],
    *,
    min_similarity: float | None = None,
    marks: str | os.PathLike[str] | None = None,
    pairs: bool = False,
    progress: Progress = False,
    **others: Never,
) -> Result[Rows]:
    """Decides again on the documents of a result, under another least similarity, the marks of a
    person, or both, as ``nearprint rethreshold`` does. Texts are read again, but fingerprints are
    not made again. The result is that of a new run.

    Parameters
    ----------
    run
        A result of :func:`dedup`, whose documents are unchanged.
    min_similarity
        The least similarity of duplicates, 0 to 1; by default that of the run.
    marks
        A file of marks, as a report page saves it.
    pairs, progress
        As in :func:`dedup`.

    Raises
    ------
    UsageError
        If neither of the two is given; for another setting; for a result against an index, or from a
        pickle.
    FileError, IncompatibleError
        If temporary files cannot be written; if a file of the documents has changed.

    Examples
    --------
    >>> import nearprint as nr
    >>> text = "The ferry returns on Monday after eleven weeks of repairs to its propeller shaft"
    >>> result = nr.dedup([text, text + ", they say."])
    >>> strict = nr.rethreshold(result, min_similarity=0.99)
    >>> len(result.removed), len(strict.removed)
    (1, 0)
    """
    if not isinstance(run, Result):
        raise UsageError(
            f"run: {type(run).__qualname__} is no result; give that of nr.dedup, as "
            "nr.rethreshold(nr.dedup(documents), min_similarity=0.9)",
            setting="run",
        )
    if others:
        Config(**others)  # It says which name is no setting.
        name = next(iter(others))
        raise UsageError(
            f"{name}: rethreshold changes min_similarity and marks; give it to nr.dedup",
            setting=name,
        )
    if min_similarity is None and marks is None:
        raise UsageError("min_similarity: name it, or marks", setting="min_similarity")
    again = run._run.again(min_similarity, marks, pairs, progress)
    result: Result[Rows] = Result(run._frame, again, run._against)
    tell(again.warnings(), result)
    return result


#: What became of passages that are items, by the action.
_DONE = {"mask": "masked", "cut": "cut", "list": "listed"}

#: The attributes of a result that belong to its run, and those that a pickle has.
_OF_RUN = ("_frame", "_run", "_against")
_TABLES = (
    "kept",
    "is_kept",
    "labels",
    "removed",
    "leaks",
    "clusters",
    "just_missed",
    "rejected",
    "summary",
    "_overview",
)


class Result(Generic[Rows]):
    """The result of :func:`dedup`. Tables are of the library of the documents: pandas, Polars,
    pyarrow, DuckDB, datasets, a list of dicts for a list, else ``arro3.core.Table``.

    Ids have the Arrow type of the documents' column, in that library. Rows are in the order of the
    documents.
    """

    def __init__(self, frame: Frame, run: Deduplication, against: Frame | None = None) -> None:
        self._frame = frame
        self._run = run
        self._against = against

    @cached_property
    def kept(self) -> Rows:
        """The kept documents: complete rows of the input type, in order. With
        ``leak_action="mask"`` or ``"cut"`` their texts lack the passages that are items of
        ``against``. The first use takes them from the documents, so use it before you change
        these. UsageError for files: :meth:`save` copies their rows."""
        kept: Rows = self._frame.keep(self._run.kept())
        places, texts = self._run.changes()
        return self._frame.with_texts(kept, places, texts) if places else kept

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the output folder of ``nearprint dedup``, as docs/output.md describes it, with
        ``pairs.jsonl`` if ``pairs=True``. ``kept/`` has the kept documents: copies of files with
        their kept rows, a table as ``documents.parquet``, the splits of a ``DatasetDict`` each as a
        file of its name, a list as ``documents.jsonl``. The folder is there as a whole, or not at
        all.

        UsageError for a folder that is not empty (an output of nearprint is replaced with
        ``force=True``) or that lies among the files of the documents, and for a row of a list that
        JSON cannot hold. FileError if it cannot be written, or if a file has changed since the run.
        """
        self._run.save(folder, force, self._write_kept)

    def _write_kept(self, folder: str) -> int:
        id = self.summary["settings"]["id-field"]
        return self._frame.write(self.kept, os.path.join(folder, "kept"), id)

    @cached_property
    def is_kept(self) -> Any:
        """True for each kept row of the documents, as a filter of their library: NumPy's booleans
        for pandas and NumPy, a Series for Polars, pyarrow's array for pyarrow, a list for lists,
        else an ``arro3.core.Array``. For datasets, whose ``select`` takes numbers of rows, NumPy's
        booleans: ``dataset.select(np.flatnonzero(result.is_kept))``. Rejected rows are not kept."""
        return self._frame.mask(self._run.kept())

    @cached_property
    def labels(self) -> Any:
        """A row for each row of the documents, in order, with the index of a pandas table: ``id``,
        ``is_kept``, ``keeper`` (the id of the document that is kept in its place, None for a kept
        one), ``keeper_row`` (its row, from 0), ``cluster`` (from 1, None for a document without
        duplicates), ``similarity`` and ``reason`` as in :attr:`removed`, None for a kept document.
        A rejected row has the reason ``rejected``. Rows of a ``DatasetDict`` are those of its
        splits, one after the other, with the name of the ``split``. Of files, a row for each
        document, with ``file`` and ``row`` (from 1)."""
        return self._frame.aligned(self._run.labels())

    @cached_property
    def removed(self) -> Any:
        """A row for each removed document: ``id``, ``keeper`` (the id of the kept document),
        ``cluster`` (from 1), ``distance`` (of the fingerprints, in bits; null for short documents),
        ``similarity`` (0 to 1, six decimals; the summary names the measure), ``reason`` (``exact``,
        ``near``, ``contained``, ``short``, ``contains``: it contains the keeper, or ``marked``: by
        a person, in the file ``marks``), ``lost`` (the share of its letters and digits that is
        missing from the keeper, 0 to 1; of its word n-grams
        under measures of these, else None), ``share`` (the share of letters that both texts have in
        common, 0 to 1; None if coverage did not decide), ``first`` and ``last`` (with the reason
        ``contains``, the first and the last character of the keeper in its text, counted from 0,
        else None), ``length`` and ``keeper_length`` (the characters of the two texts), ``row`` and
        ``keeper_row`` (their rows, from 0; with ``against``, the keeper's is one of these). Of files,
        rows are counted from 1 in their ``file`` and ``keeper_file``."""
        return self._frame.table(self._run.removed())

    @cached_property
    def leaks(self) -> Any:
        """With ``against``, a row for each document that is a duplicate of an item, and for each
        passage that is an item: ``id``, ``item`` (the id of the item), ``reason``, ``similarity``
        (0 to 1, of the document or the passage), ``first`` and ``last`` (the first and the last
        character of a passage in the text, counted from 0; None for a whole document), ``action``
        (``removed``, ``masked``, ``cut`` or ``listed``). Characters are those of Python's strings,
        ``text[first:last + 1]``; several columns of text are joined with a line feed."""
        return self._frame.table(self._run.leaks())

    @cached_property
    def clusters(self) -> Any:
        """A row for each cluster of two or more: ``cluster`` (from 1), ``keeper``, ``keeper_row``
        (from 0), ``size``, ``members`` (a list of ids), ``rows`` (of the members, from 0). With ``against``, the keeper is a reference document, counted
        in ``size`` and not listed in ``members``."""
        return self._frame.table(self._run.clusters())

    @cached_property
    def pairs(self) -> Any:
        """A row for each duplicate pair: ``left`` (the earlier one; with ``against``, a reference
        document), ``right``, ``distance``, ``similarity``, ``reason``. Without ``pairs=True`` they
        are compared now; n similar documents make n² / 2 pairs. Equal texts are each paired with
        one of them, whose other pairs represent all; with ``against``, only pairs across the two
        sides are listed, one for each text."""
        return self._frame.table(self._run.pairs())

    @cached_property
    def just_missed(self) -> Any:
        """A row for each pair just below ``min_similarity``: ``left`` (the earlier one; with
        ``against``, a reference document), ``right``, ``distance``, ``similarity`` (the largest
        ``min_similarity`` at which the two would be duplicates), ``left_row``, ``right_row`` (from
        0). By default only pairs of kept documents, down to 0.15 below ``min_similarity``, from a
        sample if there are many candidates. ``just_missed=0.6`` compares every candidate pair and
        gives all pairs down to that similarity; ``"off"`` gives none. ``summary["bounds"]`` has the
        number of removals at other values of ``min_similarity``."""
        return self._frame.table(self._run.just_missed())

    @cached_property
    def rejected(self) -> Any:
        """With ``on_error="skip"``, a row for each rejected one: ``file`` (``documents`` or
        ``against``), ``row`` (from 0), ``id`` (of a row of the documents, else None), ``field``,
        ``problem`` (a word), ``message``."""
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
        show_fields: str | Sequence[str] = (),
        force: bool = False,
    ) -> None:
        """Writes a page about the run, an HTML file that opens in any browser, offline. It shows
        all removals and their reasons, and each removed document beside its keeper with the
        differences marked. More than some 20 MB of texts are in files in a folder beside it,
        ``news-data`` for ``news.html``, which belongs to the page. An existing page is replaced
        with ``force=True``.
        ``title`` is the title of the page, by default the name of the file without its ending.
        ``source_field`` is the column that names the source of a document, such as ``"host"``; the
        page then counts the removals of each source. ``show_fields`` are the columns that are shown
        beside both documents of a pair, by default title, date, address and source by their usual
        names, and ``"none"`` for no column. Columns are read now, so the documents must be
        unchanged since the run. UsageError for a folder, and for an existing file without
        ``force``."""
        path = Path(path)
        if not path.name or path.is_dir():
            raise UsageError(
                f"path: {path} is a folder; name a file, such as report.html", setting="path"
            )
        if path.exists() and not force:
            raise UsageError(
                f"path: {path} exists; name another file, or replace it with force=True",
                setting="path",
            )
        shown = [show_fields] if isinstance(show_fields, str) else list(show_fields)
        named = [] if shown == ["none"] else shown
        needed = [*([] if source_field is None else [source_field]), *named]
        names = self._run.columns_of_report(source_field, shown)

        def columns(frame: Frame | None) -> Any:
            if frame is None:
                return None
            try:
                return frame.columns(names, needed)
            except UsageError:  # Two columns have one of the usual names.
                return frame.columns(needed, needed)

        rows = (columns(self._frame), columns(self._against))
        self._run.report(path, path.stem if title is None else title, source_field, shown, rows)

    def __getstate__(self) -> dict[str, Any]:
        """Its tables and figures; pairs only with ``pairs=True`` or if they were read before."""
        if "_frame" in vars(self) and not self._frame.can_be_pickled:
            raise UsageError(
                "tables of arro3 cannot be pickled, as a result of files or of other Arrow objects "
                "has them; write it with save(folder), or give a table of pandas, Polars or pyarrow",
                setting="documents",
            )
        run = vars(self).get("_run")
        for name in (*_TABLES, "pairs") if run and run.with_pairs else _TABLES:
            getattr(self, name)
        return {name: value for name, value in vars(self).items() if name not in _OF_RUN}

    def __getattr__(self, name: str) -> Any:
        if name in _OF_RUN:
            raise UsageError(
                "this result comes from a pickle, which has no texts; write the report, or read "
                "pairs, before it is pickled",
                setting="report",
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        counts = self.summary["counts"]
        if "leaks" in counts:
            action = self.summary["settings"]["leak-action"]
            done = [f"passages {_DONE[action]}"] if action in _DONE else []
            if counts["removed"] or not done:
                done.insert(0, f"{counts['removed']} removed")
            return (
                f"<Result: {counts['against_found']} of {counts['against']} items are in "
                f"{counts['leaks']['documents']} of {counts['read']} documents; "
                f"{', '.join(done)}>"
            )
        marked = f", {counts['marked']} as marked" if counts.get("marked") else ""
        return (
            f"<Result: {counts['kept']} of {counts['read']} documents kept; {counts['exact']} "
            "removed as exact, "
            f"{counts['near']} as near, {counts['contained']} as contained, "
            f"{counts['near_short']} as short copies{marked}; "
            f"{counts['clusters']} clusters>"
        )

    @cached_property
    def _overview(self) -> str:
        return self._run.overview()

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
        return f"{self._overview}<details><summary>All counts</summary>{counted}</details>"
