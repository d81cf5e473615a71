"""Two texts side by side."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from html import escape
from typing import Any

from nearprint import _nearprint
from nearprint._nearprint import Config, Fingerprint
from nearprint.notebook import table_of, table_of_html

__all__ = ["Comparison", "Difference", "Piece", "Side", "View", "Weighed", "compare"]


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
    edit_distance: int
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
            ["edit distance", self.edit_distance],
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


def compare(
    left: str,
    right: str,
    *,
    top: int = 10,
    config: Config | str | os.PathLike[str] | None = None,
    **settings: Any,
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
    found: dict[str, Any] = json.loads(_nearprint.compare(left, right, top, config, settings))
    found["left"], found["right"] = _side(found["left"]), _side(found["right"])
    found["view"] = _view(found["view"])
    found["differing"] = [Difference(**row) for row in found["differing"]]
    return Comparison(**found)


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
