"""Two texts side by side."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from arro3.core import Array, ChunkedArray, DataType, Table

from nearprint import _nearprint
from nearprint._nearprint import Config, Fingerprint
from nearprint.errors import UsageError
from nearprint.frames import Frame, column_of, frame_of
from nearprint.notebook import table_of, table_of_html
from nearprint.signatures import with_settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from nearprint.settings import Settings

__all__ = [
    "Comparison",
    "Difference",
    "Piece",
    "Side",
    "View",
    "Weighed",
    "compare",
    "is_duplicate",
    "nearest",
    "segment",
    "similarity",
]


@dataclass(frozen=True)
class Weighed:
    """A feature of a text with its weight."""

    feature: str
    """Its text."""
    count: int
    """The number of its occurrences."""
    weight: float
    """Its weight, 0 or more."""


@dataclass(frozen=True)
class Difference:
    """A feature with different weights in two texts; 0 if it is absent."""

    feature: str
    left: float
    right: float


@dataclass(frozen=True)
class Side:
    """One of two texts."""

    fingerprint: Fingerprint
    terms: int
    """Its terms, counted with repetition."""
    features: int
    """Its distinct features."""
    heaviest: list[Weighed]
    """The features of the largest weights, the heaviest first."""
    votes: list[float]
    """The votes on each bit of the fingerprint, bit 0 first: a bit is 1 if its votes are above
    0."""


@dataclass(frozen=True)
class Piece:
    """A piece of a text."""

    kind: str
    """``shared``: the other text has it in the same order; ``moved``: the other text has it at
    another place; ``own``: only this text has it; ``figure``: a number, date or code that only this
    text has there."""
    text: str
    """The piece as read."""
    partner: int | None = None
    """The number of its partner among the pieces of the other text, from 0; ``None`` if only this
    text has it."""


@dataclass(frozen=True)
class Counts:
    """The numbers that decide whether two texts are duplicates. A wide character counts as two
    letters."""

    letters: list[int]
    """The letters of each text."""
    own: list[int]
    """The letters of each text that are missing from the other."""
    framed: list[int]
    """The letters of these in the beginning and the end that only one text has. They count a third,
    at most 50 more than those of the other text; 0 without such parts."""
    places: int
    """The places that differ."""
    exchanged: int
    """The places where words are exchanged."""
    repeated: int
    """The places of the most frequent exchange of one word for another, if neither text has both
    words."""
    figures: int
    """The figures of the text that has fewer of them."""
    contradicting: int
    """The figures of one text that the other lacks, of the text with fewer of them."""


@dataclass(frozen=True)
class View:
    """Two texts in pieces. The pieces of each text, in order, make up the whole text."""

    left: list[Piece]
    right: list[Piece]
    difference: Counts | None
    """The counts; ``None`` if another measure or the characters were compared."""

    def _repr_html_(self) -> str:
        return table_of_html(
            ["left", "right"], [[_marked(self.left, "#fdd"), _marked(self.right, "#dfd")]]
        )


def _marked(pieces: list[Piece], color: str) -> str:
    """A text as HTML. Pieces that the other text lacks have a colored background, moved pieces are
    underlined, figures bold."""
    ground = f"background:{color};color:#111"
    styles = {
        "own": ground,
        "moved": f"{ground};text-decoration:underline",
        "figure": f"{ground};font-weight:bold",
    }
    marked = []
    for piece in pieces:
        style = styles.get(piece.kind)
        text = escape(piece.text)
        marked.append(text if style is None else f'<mark style="{style}">{text}</mark>')
    return f'<div style="white-space:pre-wrap;text-align:left">{"".join(marked)}</div>'


@dataclass(frozen=True)
class Comparison:
    """The comparison of two texts. Similarities and cosines are 0 to 1 (the estimated cosine −1 to
    1), distances in bits."""

    left: Side
    right: Side
    distance: int
    """Hamming distance of the fingerprints."""
    bit_edit_distance: int
    """Edit distance of the fingerprints as bit strings."""
    bits: int
    """Bits of a fingerprint."""
    estimated_cosine: float
    """The cosine estimated from the Hamming distance: cos(π distance / bits) (Charikar 2002)."""
    cosine: float
    """Exact cosine of the weighted features."""
    coverage: float
    """The share of letters that both texts have in common."""
    jaccard: float
    """Exact Jaccard similarity of the sets of word n-grams (Broder 1997)."""
    containment: float
    """Exact containment of the smaller set of word n-grams in the other (Broder 1997)."""
    similarity: float
    """The similarity that is compared with ``min_similarity``: 1 for equal texts, the similarity of
    characters for short texts, else the measure of ``verify``."""
    verdict: str
    """The verdict of :func:`nearprint.dedup`: ``exact``, ``near``, ``contained`` or ``short`` for
    duplicates, else ``different``."""
    why: list[str]
    """The verdict with its reason, in a sentence; then details."""
    lost: list[float] | None
    """The share of the first text that is missing from the second, and of the second that is
    missing from the first; ``None`` if neither letters, characters nor word n-grams were
    compared."""
    in_family: bool | None
    """True if one of the two is in a family of its corpus; ``None`` if the corpus is not known."""
    view: View
    """Both texts in pieces: shared, moved and own."""
    differing: list[Difference]
    """The features that differ most in weight, the most first."""

    def __repr__(self) -> str:
        return (
            f"<Comparison: {self.verdict}; {self.distance} of {self.bits} bits, coverage "
            f"{_shown(self.coverage)}, "
            f"Jaccard {_shown(self.jaccard)}, containment {_shown(self.containment)}, cosine "
            f"{_shown(self.cosine)}>"
        )

    def _repr_html_(self) -> str:
        figures: list[list[object]] = [
            ["distance", f"{self.distance} of {self.bits} bits"],
            ["bit edit distance", self.bit_edit_distance],
            ["estimated cosine", _shown(self.estimated_cosine)],
            ["cosine", _shown(self.cosine)],
            ["coverage", _shown(self.coverage)],
            ["Jaccard", _shown(self.jaccard)],
            ["containment", _shown(self.containment)],
            ["similarity", _shown(self.similarity)],
            ["left", self.left.fingerprint],
            ["right", self.right.fingerprint],
        ]
        verdict, *details = [f"<p>{escape(why)}</p>" for why in self.why]
        html = verdict + self.view._repr_html_() + "".join(details)
        html += table_of(["measure", "value"], figures, caption=self.verdict)
        if self.differing:
            rows = [[row.feature, f"{row.left:.3f}", f"{row.right:.3f}"] for row in self.differing]
            html += table_of(["feature", "left", "right"], rows, caption="largest differences")
        return html


def _shown(similarity: float) -> str:
    """Three decimals, rounded down, so that a similarity below a bound is shown below it."""
    return f"{math.floor(similarity * 1e3 + 1e-7) / 1e3:.3f}"


@with_settings
def compare(
    left: str,
    right: str,
    *,
    top: int = 10,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> Comparison:
    """Compares two texts, as ``nearprint compare`` does.

    Lists show ``top`` features each. Weights of words come from ``stats``, if given, else from the
    two texts. ``config`` and ``**settings`` are those of :func:`nearprint.dedup`. Raises
    :class:`~nearprint.UsageError` for invalid settings, and ``UnicodeEncodeError`` for a text that
    is not Unicode.

    >>> compare("葫芦娃葫芦娃，一根藤上七朵花", "葫蘆娃葫蘆娃,一根藤上七朵花").verdict
    'exact'
    >>> view = compare("12 boxes of tea came", "12 boxes of tea left").view
    >>> [piece.text for piece in view.right if piece.kind == "own"]
    ['left']
    """
    for name, text in (("left", left), ("right", right)):
        if not isinstance(text, str):
            raise UsageError(
                f"{name}: {type(text).__qualname__} is not a text; nr.similarity and "
                "nr.is_duplicate compare two columns row by row, and take None",
                setting=name,
            )
    found: dict[str, Any] = json.loads(_nearprint.compare(left, right, top, config, dict(settings)))
    found["left"], found["right"] = _side(found["left"]), _side(found["right"])
    found["view"] = _view(found["view"])
    found["differing"] = [Difference(**row) for row in found["differing"]]
    return Comparison(**found)


@with_settings
def similarity(
    left: Any,
    right: Any,
    *,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> Any:
    """The similarity of two texts, or of the texts of each row of two columns, 0 to 1: the one that
    :func:`nearprint.dedup` compares with ``min_similarity``, by the measure of ``verify`` or, for
    short texts, by their characters.

    Columns are lists of strings, or columns of any library that :func:`nearprint.dedup` takes. Rows
    are paired by their position; the index of pandas is not aligned. The result is a column of the
    library of the left one, null where a text is (NaN in NumPy and pandas), with six decimals.
    Columns are compared on all threads. UsageError for invalid settings and columns of two lengths,
    RejectedError, with the row, for values that are no texts.

    >>> similarity("12 boxes of tea came", "12 boxes of tea left") < 1
    True
    >>> similarity(["one text", "a"], ["One text!", None])
    [1.0, None]
    """
    table, frame = _pairwise(left, right, config, settings)
    values = table.column("similarity")
    return values[0].as_py() if frame is None else frame.values(values.combine_chunks())


@with_settings
def is_duplicate(
    left: Any,
    right: Any,
    *,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> Any:
    """Whether two texts are duplicates, or the texts of each row of two columns, by the verdict of
    :func:`compare`. Arguments, columns and exceptions are those of :func:`similarity`. A column of
    pandas has the type ``boolean``, which has NA; one of NumPy with nulls has Python's objects.

    >>> is_duplicate("葫芦娃，一根藤上七朵花", "葫蘆娃一根藤上七朵花")
    True
    """
    table, frame = _pairwise(left, right, config, settings)
    are = _are_duplicates(table)
    return are[0] if frame is None else frame.values(Array(are, DataType.bool()))


@with_settings
def nearest(
    queries: Any,
    fingerprints: Any,
    k: int = 10,
    *,
    texts: tuple[Any, Any] | None = None,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> Table:
    """The k nearest fingerprints of a column for each of some fingerprints, by Hamming distance: a
    table of ``query`` and ``row`` (from 0), ``rank`` (from 1) and ``distance`` in bits, of equal
    distances the first row first.

    A small distance is no verdict. ``texts``, the texts of the queries and those of the column, adds
    ``similarity`` and ``is_duplicate``, as :func:`similarity` and :func:`is_duplicate` give them
    under these settings.

    ``queries`` is a fingerprint or a column of them. Each is compared with all, on all threads:
    100,000 fingerprints of 256 bits take a millisecond. Null fingerprints are left out.
    IncompatibleError for fingerprints made with other settings, UsageError for other widths, and for
    a row that was found without a text for it.

    >>> import numpy
    >>> from nearprint import Fingerprints
    >>> column = Fingerprints(numpy.array([[0], [7], [15]], dtype=numpy.uint64))
    >>> nearest(column[2], column, k=2).to_struct_array().to_pylist()
    [{'query': 0, 'rank': 1, 'row': 2, 'distance': 0}, {'query': 0, 'rank': 2, 'row': 1, 'distance': 1}]
    """
    table: Table = _nearprint.nearest(queries, fingerprints, k)
    if texts is None:
        if config is not None or settings:
            raise UsageError("texts: settings are about texts; give them, too", setting="texts")
        return table
    asked, own = ([text] if isinstance(text, str) else column_of(text, "texts") for text in texts)
    columns = (table.column(name).to_pylist() for name in ("query", "row"))
    verdicts = _nearprint.pairwise(asked, own, config, dict(settings), list(zip(*columns)))
    are = _are_duplicates(verdicts)
    table = table.append_column("similarity", verdicts.column("similarity"))
    return table.append_column("is_duplicate", ChunkedArray([Array(are, DataType.bool())]))


def _are_duplicates(verdicts: Table) -> list[bool | None]:
    names = verdicts.column("verdict").to_pylist()
    return [None if verdict is None else verdict != "different" for verdict in names]


def _pairwise(
    left: Any,
    right: Any,
    config: Config | str | os.PathLike[str] | None,
    settings: Mapping[str, Any],
) -> tuple[Table, Frame | None]:
    """The verdicts on the texts of each row, and the frame of the left column, if it is one."""
    if isinstance(left, str) or isinstance(right, str):
        left, right = ([text] if isinstance(text, str) else text for text in (left, right))
        if not isinstance(left, list) or not isinstance(right, list):
            raise UsageError("right: give two texts, or two columns of texts", setting="right")
        return _nearprint.pairwise(left, right, config, dict(settings)), None
    columns = (column_of(left, "left"), column_of(right, "right"))
    return _nearprint.pairwise(*columns, config, dict(settings)), frame_of(left)


@with_settings
def segment(
    text: Any,
    *,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Unpack[Settings],
) -> Any:
    """The tokens of a text, or of each text of a column: normalized, cut, and without tokens that
    the settings drop (``stop_words``, ``min_token_length``, ``han_only``). Chinese by jieba's
    dictionary, other scripts by Unicode words (UAX 29).

    A column is one of any library that :func:`nearprint.dedup` takes; the result is a column of
    lists of that library, null for a null text, made on all threads.

    >>> segment("能力比学历重要"), segment("The Ferry", stop_words="en")
    (['能力', '比', '学历', '重要'], ['ferry'])
    >>> segment(["One text", None])
    [['one', 'text'], None]
    """
    if isinstance(text, str):
        return _nearprint.segment(text, config=config, **settings)
    return frame_of(text, "text").values(
        _nearprint.segments(column_of(text, "text"), config, dict(settings))
    )


def _view(view: dict[str, Any]) -> View:
    """The view of its JSON."""
    left, right = ([Piece(**piece) for piece in view[side]] for side in ("left", "right"))
    return View(left, right, view["difference"] and Counts(**view["difference"]))


def _side(found: dict[str, Any]) -> Side:
    return Side(
        fingerprint=Fingerprint(found["fingerprint"]),
        terms=found["terms"],
        features=found["features"],
        heaviest=[Weighed(**row) for row in found["heaviest"]],
        votes=found["votes"],
    )
