"""The counts of right and wrong answers of an algorithm on one corpus, at every bound.

The queries are all copies, heavy versions and unedited articles; the answers are the articles that
they duplicate. The original of a copy is a right answer. The original of a heavy version is a wrong
one, as is every other article.
"""

import math
from dataclasses import dataclass

import numpy

from .distances import all_pairs


@dataclass
class Verdicts:
    """Counts for each bound: copies and heavy versions near their own article, pairs with another
    article, and unedited articles without any pair."""

    bounds: list[float]
    edited: list[int]
    heavy: list[int]
    other: list[int]
    alone: list[int]

    def at(self, bound: float, edited: int, articles: int) -> dict[str, float]:
        """The scores at the nearest bound."""
        place = min(range(len(self.bounds)), key=lambda number: abs(self.bounds[number] - bound))
        right, heavy, other = self.edited[place], self.heavy[place], self.other[place]
        recall = right / edited
        scores = {
            "recall": recall,
            "rate": (right + self.alone[place]) / articles,
            "heavy": heavy / edited,
        }
        for name, wrong in ("others", other), ("all", other + heavy):
            precision = right / (right + wrong) if right + wrong else math.nan
            scores[f"precision_{name}"] = precision
            scores[f"f1_{name}"] = 2 * precision * recall / (precision + recall) if right else 0.0
        return scores


def by_distance(articles: numpy.ndarray, edited: numpy.ndarray, heavy: numpy.ndarray) -> Verdicts:
    """The verdicts of fingerprints; a bound is a largest distance.

    Row i of `edited` and `heavy` was made from article i; the articles after these are unedited.
    """
    bits = 64 * articles.shape[1]
    own, other = [], numpy.zeros(bits + 1, int)
    for versions in edited, heavy:
        own.append(
            numpy.bincount(
                numpy.bitwise_count(versions ^ articles[: len(versions)]).sum(1), minlength=bits + 1
            )
        )
        for first, distances in all_pairs(versions, articles):
            distances[range(len(distances)), range(first, first + len(distances))] = bits
            other += numpy.bincount(distances.ravel(), minlength=bits + 1)
    nearest = []
    for first, distances in all_pairs(articles[len(edited) :], articles):
        distances[
            range(len(distances)), range(len(edited) + first, len(edited) + first + len(distances))
        ] = bits
        other += numpy.bincount(distances.ravel(), minlength=bits + 1)
        nearest.append(distances.min(1))
    touched = numpy.bincount(numpy.concatenate(nearest), minlength=bits + 1)
    alone = len(articles) - len(edited) - touched.cumsum()
    return Verdicts(
        list(range(bits)),
        *(
            counts[:bits].tolist()
            for counts in (own[0].cumsum(), own[1].cumsum(), other.cumsum(), alone)
        ),
    )


def by_similarity(
    pairs: list[tuple[str, str, float]], bounds: list[float], articles: int, edited: int
) -> Verdicts:
    """The verdicts of pairs (id, id, similarity); a bound is a least similarity.

    An id is a letter, `a`, `e` or `h` for articles, edited copies and heavy versions, and the
    article's number.
    """
    verdicts = Verdicts(bounds, [], [], [], [])
    judged = []
    for left, right, similarity in pairs:
        if left[0] != "a":
            left, right = right, left
        if left[0] == "a":
            judged.append((left, right, similarity))
    for bound in bounds:
        counts, touched = {"e": 0, "h": 0, "other": 0}, set()
        for left, right, similarity in judged:
            if similarity < bound:
                continue
            if right[0] != "a" and left[1:] == right[1:]:
                counts[right[0]] += 1
                continue
            queries = [
                document
                for document in ((left, right) if right[0] == "a" else (right,))
                if document[0] != "a" or int(document[1:]) >= edited
            ]
            counts["other"] += len(queries)
            touched.update(document for document in queries if document[0] == "a")
        verdicts.edited.append(counts["e"])
        verdicts.heavy.append(counts["h"])
        verdicts.other.append(counts["other"])
        verdicts.alone.append(articles - edited - len(touched))
    return verdicts
