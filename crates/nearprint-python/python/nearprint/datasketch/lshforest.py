"""MinHash objects under keys -> the most similar ones to another one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from nearprint.errors import UsageError

__all__ = ["MinHashLSHForest"]


def _name(hashvalues: npt.NDArray[Any]) -> bytes:
    """The bytes of hash values, from the highest on, so that they are in the order of values."""
    return hashvalues.byteswap().tobytes()


class MinHashLSHForest:
    """An index of MinHash objects of ``num_perm`` hash values that finds the most similar ones, by
    the longest common beginning in one of ``l`` bands.

    >>> from nearprint.datasketch import MinHash
    >>> ferry, bakery = MinHash.bulk([[b"the", b"ferry", b"returns"], [b"a", b"bakery"]])
    >>> forest = MinHashLSHForest(num_perm=128)
    >>> forest.add("ferry", ferry)
    >>> forest.add("bakery", bakery)
    >>> forest.index()
    >>> forest.query(ferry, 1)
    ['ferry']
    """

    def __init__(self, num_perm: int = 128, l: int = 8) -> None:
        if not 1 <= l <= num_perm:
            raise UsageError(f"{l} trees for {num_perm} permutations", setting="l")
        self.l = l
        self.k = num_perm // l
        self.hashranges = [(tree * self.k, (tree + 1) * self.k) for tree in range(l)]
        self.hashtables: list[dict[bytes, list[Any]]] = [{} for _ in range(l)]
        self.sorted_hashtables: list[list[bytes]] = [[] for _ in range(l)]
        self.keys: dict[Any, list[bytes]] = {}
        self._scheme: str | None = None

    def _check(self, minhash: Any) -> str | None:
        """Checks a MinHash, and gives the scheme of all."""
        if len(minhash) < self.k * self.l:
            problem = f"a MinHash of {len(minhash)} hash values; {self.k * self.l} are needed"
            raise UsageError(problem, setting="minhash")
        scheme = getattr(minhash, "scheme", None) or self._scheme
        if self._scheme not in (None, scheme):
            problem = f"a MinHash of scheme {scheme}, where the first one had {self._scheme}"
            raise UsageError(problem, setting="scheme")
        return scheme

    def add(self, key: Any, minhash: Any) -> None:
        """Adds a MinHash or a WeightedMinHash under a new key. ``index`` makes it findable."""
        scheme = self._check(minhash)
        if key in self.keys:
            raise UsageError(f"{key!r} is in the index already", setting="key")
        self._scheme = scheme
        values = minhash.hashvalues
        self.keys[key] = [_name(values[start:end]) for start, end in self.hashranges]
        for name, table in zip(self.keys[key], self.hashtables):
            table.setdefault(name, []).append(key)

    def index(self) -> None:
        """Makes all that was added findable."""
        self.sorted_hashtables = [sorted(table) for table in self.hashtables]

    def _agreeing(self, minhash: Any, r: int) -> Iterator[Any]:
        """The keys whose first r hash values in a tree are those of a MinHash."""
        for tree, (start, _) in enumerate(self.hashranges):
            names, wanted = (
                self.sorted_hashtables[tree],
                _name(minhash.hashvalues[start : start + r]),
            )
            place = bisect_left(names, wanted)
            while place < len(names) and names[place].startswith(wanted):
                yield from self.hashtables[tree][names[place]]
                place += 1

    def query(self, minhash: Any, k: int) -> list[Any]:
        """At most ``k`` keys that are likely to be the most similar ones, those of the longest
        common beginning first."""
        if k <= 0:
            raise UsageError(f"{k} keys", setting="k")
        self._check(minhash)
        found: dict[Any, None] = {}
        for r in range(self.k, 0, -1):
            for key in self._agreeing(minhash, r):
                found[key] = None
                if len(found) >= k:
                    return list(found)
        return list(found)

    def get_minhash_hashvalues(self, key: Any) -> npt.NDArray[Any]:
        """The hash values that the index holds of a key. KeyError if it is not there."""
        names = self.keys[key]
        width = len(names[0]) // self.k
        dtype = np.uint32 if width == 4 else np.uint64
        return np.frombuffer(b"".join(names), dtype=dtype).byteswap()

    def is_empty(self) -> bool:
        """Whether nothing can be found."""
        return any(not names for names in self.sorted_hashtables)

    def __contains__(self, key: Any) -> bool:
        return key in self.keys
