"""The wrong removals and the remaining copies of a deduplicated corpus, by exact similarities.

A removal is wrong if no kept document is like the removed one: the Jaccard similarity of their
three-word n-grams is below 0.5 for all of them. In Chinese the n-grams have five letters of
simplified texts. The bound is generous: planted copies, with 5 % of their words edited, have some
0.7.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy

from .resemblance import fits, jaccard, shingle_hashes
from .words import words

ALIKE = 0.5


@dataclass
class Corpus:
    """Texts, their planted pairs, and the counts of found pairs against them, as in `labelled`."""

    name: str
    language: str
    texts: list[str]
    compared: list[str]  # the texts, Chinese ones simplified
    truth: set[tuple[int, int]]
    found: Callable[[set[tuple[int, int]]], dict]

    @property
    def megabytes(self) -> float:
        return sum(len(text.encode()) for text in self.texts) / 1e6

    @cached_property
    def alike(self) -> dict[int, set[int]]:
        """For each document, all documents that are like it."""
        others = defaultdict(set)
        for a, b in alike_pairs(shingled(self.compared, self.language), ALIKE):
            others[a].add(b)
            others[b].add(a)
        return others

    def wrongly_removed(self, kept: set[int]) -> list[int]:
        return [
            place
            for place in range(len(self.texts))
            if place not in kept and not self.alike[place] & kept
        ]

    def left(self, kept: set[int]) -> set[tuple[int, int]]:
        """The planted pairs of two kept documents."""
        return {(a, b) for a, b in self.truth if a in kept and b in kept}


def shingled(texts: list[str], language: str) -> list[numpy.ndarray]:
    """The sorted distinct hashes of the shingles of each text."""
    if language == "zh":
        return [shingle_hashes(text, 5) for text in texts]
    numbers = {}
    sets = []
    for text in texts:
        found = words(text, language)
        shingles = {tuple(found[i : i + 3]) for i in range(max(1, len(found) - 2))}
        sets.append(
            numpy.array(
                sorted(numbers.setdefault(shingle, len(numbers)) for shingle in shingles),
                dtype=numpy.uint64,
            )
        )
    return sets


def alike_pairs(sets: list[numpy.ndarray], least: float) -> set[tuple[int, int]]:
    """All pairs of sets with a Jaccard similarity of LEAST or more, exactly.

    Two such sets share one of the rarest (1 - LEAST) of each.
    """
    values, counts = numpy.unique(numpy.concatenate(sets), return_counts=True)
    places, found = defaultdict(list), set()
    for b, own in enumerate(sets):
        numbers = numpy.searchsorted(values, own)
        rarest = numbers[numpy.lexsort((numbers, counts[numbers]))]
        near = set()
        for number in rarest[: len(own) - int(numpy.ceil(least * len(own) - 1e-9)) + 1].tolist():
            if counts[number] > 1:
                near.update(places[number])
                places[number].append(b)
        found.update(
            (a, b) for a in near if fits(sets[a], own, least) and jaccard(sets[a], own) >= least
        )
    return found
