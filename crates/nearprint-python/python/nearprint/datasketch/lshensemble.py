"""MinHash objects with the sizes of their sets -> the sets that contain much of another one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from nearprint._nearprint import bands_for_containment
from nearprint.datasketch.lsh import MinHashLSH, check_threshold
from nearprint.datasketch.refused import check_storage
from nearprint.errors import UsageError

__all__ = ["MinHashLSHEnsemble"]


def _partitions(
    sizes: npt.NDArray[Any], counts: npt.NDArray[Any], num_part: int
) -> list[tuple[Any, Any]]:
    """The sizes in ranges of neighbors, chosen for few expected false answers (Zhu et al., "LSH
    Ensemble", VLDB 2016, section 5), as datasketch chooses them.

    The range from l to u is searched as if all its sets had the size u.
    """
    last = len(sizes) - 1
    if num_part < 2:
        return [(sizes[0], sizes[last])]
    if num_part > last:
        return [(size, size) for size in sizes]
    wrong = np.zeros((last + 1, last + 1))
    for u in range(last + 1):
        each = (float(sizes[u]) - sizes[: u + 1]) / float(sizes[u]) * counts[: u + 1]
        for lower in range(u + 1):
            wrong[lower, u] = np.sum(each[lower:])
    # The least number up to each u with 1, 2, ... ranges.
    least = {1: wrong[0]}
    for parts in range(2, num_part):
        least[parts] = np.zeros(last + 1)
        for u in range(parts - 1, last + 1):
            tried = least[parts - 1][parts - 2 : u] + wrong[parts - 1 : u + 1, u]
            least[parts][u] = tried.min()
    # On the way back datasketch takes the sums of one range too many, but for the last range. Ranges
    # with fewer false answers would give other answers than it does.
    ranges, u = [], last
    for parts in range(num_part, 1, -1):
        before = least[min(parts, num_part - 1)]
        end = parts - 2 + int(np.argmin(before[parts - 2 : u] + wrong[parts - 1 : u + 1, u]))
        ranges.append((sizes[end + 1], sizes[u]))
        u = end
    return [(sizes[0], sizes[u]), *reversed(ranges)]


class MinHashLSHEnsemble:
    """An index of MinHash objects with the sizes of their sets. A query finds the sets that are
    likely to contain at least the ``threshold`` of the query's items.

    ``num_part`` is the number of ranges of sizes, ``m`` the maximum number of hash values in a
    band: more find better and take more memory and time. ``num_perm``, ``weights``,
    ``storage_config`` and ``prepickle`` are as in MinHashLSH.

    >>> from nearprint.datasketch import MinHash
    >>> sets = [[b"the", b"ferry", b"returns"], [b"a", b"bakery"], [b"the", b"ferry"]]
    >>> large, other, small = MinHash.bulk(sets)
    >>> ensemble = MinHashLSHEnsemble(threshold=0.8, num_part=2, m=4)
    >>> ensemble.index([("large", large, 3), ("other", other, 2)])
    >>> list(ensemble.query(small, 2))
    ['large']
    """

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        num_part: int = 16,
        m: int = 8,
        weights: tuple[float, float] = (0.5, 0.5),
        storage_config: dict[str, object] | None = None,
        prepickle: bool | None = None,
    ) -> None:
        check_threshold(threshold, num_perm, weights)
        check_storage(storage_config)
        if num_part < 1:
            raise UsageError(f"{num_part} partitions", setting="num_part")
        if not 2 <= m <= num_perm:
            raise UsageError(f"{m} is not in 2 to num_perm, {num_perm}", setting="m")
        self.threshold, self.h, self.m = threshold, num_perm, m
        # The ratios of sizes for which bands are prepared.
        self.xqs = np.exp(np.linspace(-5, 5, 10))
        first, second = weights
        self.params = np.array(
            [
                bands_for_containment(threshold, num_perm, m, float(ratio), (first, second))
                for ratio in self.xqs
            ]
        )
        lengths = {int(r) for _, r in self.params}
        self.indexes = [
            {
                r: MinHashLSH(num_perm=num_perm, params=(num_perm // r, r), prepickle=prepickle)
                for r in lengths
            }
            for _ in range(num_part)
        ]
        self.lowers: list[Any] = [None] * num_part
        self.uppers: list[Any] = [None] * num_part

    def index(self, entries: Iterable[tuple[Any, Any, int]]) -> None:
        """Inserts (key, minhash, size) of all sets, once."""
        if not self.is_empty():
            raise UsageError("the index has entries already", setting="entries")
        sorted_entries = sorted(entries, key=lambda entry: entry[2])
        if not sorted_entries:
            raise UsageError("no entries", setting="entries")
        if sorted_entries[0][2] <= 0:
            raise UsageError(f"a set of the size {sorted_entries[0][2]}", setting="entries")
        sizes, counts = np.unique([entry[2] for entry in sorted_entries], return_counts=True)
        ranges = _partitions(sizes, counts, len(self.indexes))
        for place, (lower, upper) in enumerate(ranges):
            self.lowers[place], self.uppers[place] = lower, upper
        uppers = [upper for _, upper in ranges]
        parts: list[list[tuple[Any, Any, int]]] = [[] for _ in ranges]
        for entry in sorted_entries:
            parts[bisect_left(uppers, entry[2])].append(entry)
        for part, indexes in zip(parts, self.indexes):
            for lsh in indexes.values():
                lsh.insert_all([entry[0] for entry in part], [entry[1] for entry in part])

    def query(self, minhash: Any, size: int) -> Iterator[Any]:
        """The keys of sets that are likely to contain enough of a set of this size."""
        for indexes, upper in zip(self.indexes, self.uppers):
            if upper is not None:
                place = int(np.searchsorted(self.xqs, float(upper) / float(size)))
                b, r = (int(param) for param in self.params[min(place, len(self.params) - 1)])
                yield from indexes[r]._query_b(minhash, b)

    def __contains__(self, key: Any) -> bool:
        return any(key in lsh for indexes in self.indexes for lsh in indexes.values())

    def is_empty(self) -> bool:
        """Whether nothing is in it."""
        return all(lsh.is_empty() for indexes in self.indexes for lsh in indexes.values())
