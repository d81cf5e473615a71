"""The exact Jaccard similarity of character shingles: of two texts, and all similar pairs of a
corpus."""

from collections import defaultdict

import numpy

from .corpora import bare


def similar_pairs(texts, size, least):
    """All pairs of texts with a shingle Jaccard similarity of LEAST or more, exactly.

    Two such sets of shingles share one of the rarest (1 - LEAST) of each.
    """
    sets = [shingle_hashes(t, size) for t in texts]
    values, counts = numpy.unique(numpy.concatenate(sets), return_counts=True)
    candidates, places = set(), defaultdict(list)
    for i, own in enumerate(sets):
        if len(own) == 0:
            continue
        numbers = numpy.searchsorted(values, own)
        rarest = numbers[numpy.lexsort((numbers, counts[numbers]))]
        for n in rarest[: len(own) - int(numpy.ceil(least * len(own) - 1e-9)) + 1].tolist():
            if counts[n] > 1:
                candidates.update((k, i) for k in places[n])
                places[n].append(i)
    return {
        (a, b)
        for a, b in candidates
        if fits(sets[a], sets[b], least) and jaccard(sets[a], sets[b]) >= least
    }


def shingle_hashes(text, size):
    """The distinct 64-bit hashes of the character shingles of the bare text, sorted."""
    points = numpy.frombuffer(bare(text).encode("utf-32-le"), dtype=numpy.uint32).astype(
        numpy.uint64
    )
    if len(points) == 0:
        return numpy.zeros(0, dtype=numpy.uint64)
    count = max(1, len(points) - size + 1)
    value = numpy.zeros(count, dtype=numpy.uint64)
    with numpy.errstate(over="ignore"):
        for k in range(min(size, len(points))):
            value = (value ^ points[k : k + count]) * numpy.uint64(0x9E3779B97F4A7C15)
            value ^= value >> numpy.uint64(29)
    return numpy.unique(value)


def jaccard(left, right):
    common = len(numpy.intersect1d(left, right, assume_unique=True))
    return common / max(1, len(left) + len(right) - common)


def fits(left, right, least):
    return min(len(left), len(right)) >= least * max(len(left), len(right)) - 1e-9
