"""Documents in, the passages that many of them share and the documents without them."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from nearprint._nearprint import Config, Passages
from nearprint.deduplication import check_columns, names_ids, needed_fields, settings_of
from nearprint.frames import Frame, frame_of
from nearprint.messages import tell
from nearprint.progress import Progress
from nearprint.signatures import with_settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from nearprint.settings import Settings

__all__ = ["PassageResult", "passages"]

Rows = TypeVar("Rows")


@with_settings
def passages(
    documents: Rows,
    *,
    text: str | list[str] | None = None,
    id: str | None = None,
    min_length: int = 100,
    min_documents: int = 2,
    within: str | list[str] | None = None,
    action: Literal["list", "mask", "cut"] = "list",
    keep_copy: Literal["first", "best", "none"] | None = None,
    max_edits: float = 0.05,
    approved: str | os.PathLike[str] | None = None,
    progress: Progress = False,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> PassageResult[Rows]:
    """Finds the passages that documents share, as ``nearprint passages`` does.

    Parameters
    ----------
    documents, text, id, progress, config
        As in :func:`nearprint.dedup`.
    min_length
        The least length of a passage in letters, 20 to 10,000; a Chinese character counts as two.
    min_documents
        The least number of documents that share a passage. With 1, passages that are repeated in
        one document are found as well.
    within
        A column, or several: only documents with the same value are compared, such as a site.
    action
        ``"list"``: no text changes; ``"mask"``: ``[masked]`` replaces each place that goes;
        ``"cut"``: it is left out, with the white space that it would leave.
    keep_copy
        The copy of a passage that stays: ``"first"``, ``"best"`` (in the document that ``keep``
        prefers) or ``"none"``. By default the first; no copy of an approved passage stays.
    max_edits
        The largest share of the letters of a passage in which an edited copy of it differs, 0 to
        0.06; 0 for exact copies only.
    approved
        A file with verdicts on passages: the columns ``text`` and ``verdict``, right or wrong. If
        some are right, only these passages are looked for, and all copies go; else the sentences
        of wrong ones stay.
    **settings
        Further settings: ``max_lost=0.9`` (the largest share of its letters that a document may
        lose, 0 to 1, by default 0.5; one that would lose more stays as it is),
        ``keep="newest:date"``, ``on_error="skip"``, ``threads=4``, …

    Returns
    -------
    PassageResult
        The documents without the places that go, and tables of places and passages.

    Raises
    ------
    UsageError, RejectedError, IncompatibleError, FileError
        As in :func:`nearprint.dedup`.

    Examples
    --------
    >>> import nearprint as nr
    >>> footer = (
    ...     "All rights reserved. No part of this page may be copied or sold without the written "
    ...     "consent of the publisher and its heirs in Hamburg."
    ... )
    >>> result = nr.passages(
    ...     [f"The ferry is back. {footer}", f"Bakeries close before noon. {footer}"],
    ...     action="cut", keep_copy="none", max_lost=0.9,
    ... )
    >>> result.documents
    ['The ferry is back.', 'Bakeries close before noon.']
    >>> [(row["id"], row["passage"], row["start"], row["stays"]) for row in result.places]
    [(0, 1, 19, False), (1, 1, 28, False)]
    """
    frame = frame_of(documents)
    named = settings_of(settings, text, id)
    if within is not None:
        named["same"] = [within] if isinstance(within, str) else within
    own = Config(config, **named)
    with_ids = names_ids(own, settings, id)
    if action in ("mask", "cut"):
        check_columns(frame, own, "action", action)
    run = Passages.find(
        frame.columns(own.columns, needed_fields(frame, own.text_field, own.id_field, with_ids)),
        progress,
        own,
        with_ids,
        frame.names(),
        min_length=min_length,
        min_documents=min_documents,
        action=action,
        keep_copy=keep_copy,
        max_lost=settings.get("max_lost"),
        max_edits=max_edits,
        approved=approved,
    )
    result: PassageResult[Rows] = PassageResult(frame, run)
    tell(run.warnings(), result)
    return result


class PassageResult(Generic[Rows]):
    """The result of :func:`passages`. Tables are of the library of the documents, as those of
    :class:`nearprint.Result`."""

    def __init__(self, frame: Frame, run: Passages) -> None:
        self._frame = frame
        self._run = run

    @cached_property
    def documents(self) -> Rows:
        """All documents, in order, of the input type. With ``action="mask"`` or ``"cut"`` their
        texts lack the places that go. The first use takes them from the input, so use it before you
        change that."""
        rows: Rows = self._frame.keep(self._run.all())
        places, texts = self._run.changes()
        return self._frame.with_texts(rows, places, texts) if places else rows

    @cached_property
    def places(self) -> Any:
        """The places of passages: ``id`` of the document, number of the ``passage``; ``start`` and
        ``end`` in characters, ``start_byte`` and ``end_byte`` in bytes of UTF-8; ``documents`` that
        share the passage; ``edits``, the letters in which an edited copy differs; ``stays``, and
        ``why``: ``copy`` (the copy that stays), ``inside`` (inside a sentence), ``max-lost`` (the
        document would lose too much), ``short`` (what would go there has fewer letters than
        ``min_length``), ``refused`` (a person refused it or approved only others); ``copy``, the id
        of the document where a copy of its rarest sentence stays, null for ``copy``, ``inside`` and
        ``refused``, for an edited copy of several passages, and if no copy stays."""
        return self._frame.table(self._run.places())

    @cached_property
    def passages(self) -> Any:
        """The passages, the one in most documents first, at most 10,000: ``passage``,
        ``documents``, ``places``, ``edited`` (places that are edited copies), ``letters``,
        ``text``."""
        return self._frame.table(self._run.texts())

    @cached_property
    def counts(self) -> dict[str, int]:
        """The numbers of documents, passages and places, as in ``summary.json``."""
        counts: dict[str, int] = json.loads(self._run.counts())
        return counts

    def __repr__(self) -> str:
        counts = self.counts
        places = f"{counts['passages']} passages at {counts['places']} places"
        documents = f"{counts['documents']} of {counts['read']} documents"
        return f"<nearprint.PassageResult: {places}, in {documents}>"
