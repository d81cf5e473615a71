"""MinHash objects under keys -> those that are likely to be similar to another one."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterable, Iterator
from numbers import Integral, Real
from typing import Any

from nearprint._nearprint import BandIndex, bands_for_jaccard
from nearprint.datasketch.refused import check_storage
from nearprint.errors import UsageError

__all__ = ["MinHashLSH", "MinHashLSHDeletionSession", "MinHashLSHInsertionSession"]


def check_threshold(threshold: float, num_perm: int, weights: tuple[float, float]) -> None:
    """Raises UsageError for what no index can have."""
    if not isinstance(threshold, Real) or not 0.0 <= threshold <= 1.0:
        raise UsageError(f"threshold: {threshold!r} is not in 0 to 1", setting="threshold")
    if not isinstance(num_perm, Integral) or num_perm < 2:
        raise UsageError(f"num_perm: {num_perm!r}; give 2 or more", setting="num_perm")
    if any(not 0.0 <= weight <= 1.0 for weight in weights) or sum(weights) != 1.0:
        raise UsageError(f"weights: {weights} are not two parts of 1", setting="weights")


class _Table:
    """A look into one hash table: the names of its buckets and their keys."""

    def __init__(self, bands: BandIndex, number: int) -> None:
        self._bands, self._number = bands, number

    def __len__(self) -> int:
        return self._bands.size(self._number)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.itemcounts())

    def __contains__(self, name: object) -> bool:
        return bool(self._bands.bucket(self._number, name))

    def __getitem__(self, name: object) -> set[Any]:
        return set(self._bands.bucket(self._number, name))

    get = __getitem__
    has_key = __contains__
    keys = __iter__
    size = __len__

    def getmany(self, *names: object) -> list[set[Any]]:
        return [self[name] for name in names]

    def itemcounts(self) -> dict[Any, int]:
        return dict(self._bands.counts(self._number))


class _Keys:
    """A look at the keys, and the names of their buckets."""

    def __init__(self, bands: BandIndex) -> None:
        self._bands = bands

    def __len__(self) -> int:
        return len(self._bands)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._bands.keys())

    def __contains__(self, key: object) -> bool:
        return key in self._bands

    def __getitem__(self, key: object) -> list[Any]:
        return self._bands.names(key) if key in self._bands else []

    get = __getitem__
    has_key = __contains__
    keys = __iter__
    size = __len__

    def getmany(self, *keys: object) -> list[list[Any]]:
        return [self[key] for key in keys]

    def itemcounts(self) -> dict[Any, int]:
        return {key: len(self[key]) for key in self}


class MinHashLSH:
    """An index of MinHash objects. A query finds those that are likely to have at least the
    ``threshold`` as Jaccard similarity, and some below it.

    ``num_perm`` is that of its MinHash objects. They are cut into ``b`` bands of ``r`` hash values,
    and two that agree in a band meet. ``params`` is (b, r); by default they are the best ones for
    the threshold, where ``weights`` are the weights of false and of missing answers. With
    ``prepickle`` keys are held as pickles, so they need not be hashable. ``hashfunc`` takes the
    bytes of a band and gives the name of its bucket. Of ``storage_config`` only ``{"type": "dict"}``
    is possible.

    ``insert_all`` and ``query_all`` use all cores and are not in datasketch.

    Raises UsageError, a ValueError, for arguments that cannot be carried out.

    >>> from nearprint.datasketch import MinHash
    >>> ferry, bakery = MinHash.bulk([[b"the", b"ferry", b"returns"], [b"a", b"bakery"]])
    >>> lsh = MinHashLSH(threshold=0.5, num_perm=128)
    >>> lsh.insert_all(["ferry", "bakery"], [ferry, bakery])
    >>> (lsh.b, lsh.r), lsh.query(bakery), "ferry" in lsh
    ((25, 5), ['bakery'], True)
    """

    b: int
    """The number of bands."""

    r: int
    """The number of hash values of a band."""

    h: int
    """The number of hash values of a MinHash."""

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        weights: tuple[float, float] = (0.5, 0.5),
        params: tuple[int, int] | None = None,
        storage_config: dict[str, object] | None = None,
        prepickle: bool | None = None,
        hashfunc: Callable[[bytes], Hashable] | None = None,
    ) -> None:
        check_threshold(threshold, num_perm, weights)
        check_storage(storage_config)
        if params is None:
            first, second = weights
            params = bands_for_jaccard(threshold, num_perm, (first, second))
        self.h = num_perm
        self.b, self.r = (int(param) for param in params)
        if self.b < 2:
            raise UsageError(f"{self.b} bands are too few", setting="params")
        self.prepickle, self.hashfunc = bool(prepickle), hashfunc
        self.buffer_size = 50_000
        self._bands = BandIndex(num_perm, self.b, self.r, hashfunc)
        self._asked: list[set[Any]] = []

    @property
    def hashranges(self) -> list[tuple[int, int]]:
        """The first hash value of each band, and the one after its last."""
        return [(band * self.r, (band + 1) * self.r) for band in range(self.b)]

    @property
    def keys(self) -> _Keys:
        """The keys; ``lsh.keys[key]`` are the names of its buckets."""
        return _Keys(self._bands)

    @property
    def hashtables(self) -> list[_Table]:
        """The hash tables; ``lsh.hashtables[0][name]`` are the keys of a bucket."""
        return [_Table(self._bands, band) for band in range(self.b)]

    def _held(self, key: Any) -> Any:
        return pickle.dumps(key) if self.prepickle else key

    def _given(self, keys: Iterable[Any]) -> list[Any]:
        return [pickle.loads(key) for key in keys] if self.prepickle else list(keys)

    def insert(self, key: Any, minhash: Any, check_duplication: bool = True) -> None:
        """Inserts a MinHash or a WeightedMinHash under a key. UsageError if the key is there
        already, unless ``check_duplication`` is False."""
        self._bands.insert(self._held(key) if self.prepickle else key, minhash, check_duplication)

    def insert_all(
        self, keys: Iterable[Any], minhashes: Iterable[Any], check_duplication: bool = True
    ) -> None:
        """Inserts as many MinHash objects as keys on all cores, all or none of them."""
        held = [self._held(key) for key in keys]
        self._bands.insert_all(held, minhashes, check_duplication)

    def query(self, minhash: Any) -> list[Any]:
        """The keys that a MinHash meets, each once; without removals in the order of insertion."""
        keys = self._bands.query(minhash)
        return self._given(keys) if self.prepickle else keys

    def query_all(self, minhashes: Iterable[Any]) -> list[list[Any]]:
        """The keys that each MinHash meets, found on all cores."""
        found = self._bands.query_all(minhashes)
        return [self._given(keys) for keys in found] if self.prepickle else found

    def _query_b(self, minhash: Any, b: int) -> set[Any]:
        """The keys that a MinHash meets in the first b bands."""
        if b > self.b:
            raise UsageError(f"{b} bands of {self.b}", setting="b")
        return set(self._given(self._bands.query(minhash, b)))

    def add_to_query_buffer(self, minhash: Any) -> None:
        """Queries, for ``collect_query_buffer``."""
        self._asked.append(set(self._bands.query(minhash)))

    def collect_query_buffer(self) -> list[Any]:
        """The keys that all MinHash objects since the last collection meet."""
        asked, self._asked = self._asked, []
        return self._given(set.intersection(*asked)) if asked else []

    def remove(self, key: Any) -> None:
        """Removes a key. UsageError if it is not there."""
        try:
            self._bands.remove(self._held(key))
        except KeyError:
            raise UsageError(f"{key!r} is not in the index", setting="key") from None

    def __contains__(self, key: Any) -> bool:
        return self._held(key) in self._bands

    def is_empty(self) -> bool:
        """Whether nothing is in it."""
        return not len(self._bands)

    def merge(self, other: MinHashLSH, check_overlap: bool = False) -> None:
        """Inserts what is in another index with equal ``num_perm``, ``b`` and ``r``. With
        ``check_overlap`` UsageError if they have a key in common."""
        if type(self) is not type(other) or (self.h, self.b, self.r) != (other.h, other.b, other.r):
            raise UsageError("the other index has other bands", setting="other")
        if check_overlap and not set(self.keys).isdisjoint(other.keys):
            raise UsageError("the two have a key in common", setting="other")
        self._bands.merge(other._bands)

    def get_counts(self) -> list[dict[Any, int]]:
        """For each hash table the names of its buckets, with the numbers of their keys."""
        return [table.itemcounts() for table in self.hashtables]

    def get_subset_counts(self, *keys: Any) -> list[dict[Any, int]]:
        """The same of some keys."""
        counts: list[dict[Any, int]] = [{} for _ in range(self.b)]
        for key in {self._held(key) for key in keys}:
            for name, table in zip(self.keys[key], counts):
                table[name] = table.get(name, 0) + 1
        return counts

    def insertion_session(self, buffer_size: int = 50_000) -> MinHashLSHInsertionSession:
        """``with lsh.insertion_session() as session: session.insert(key, minhash)``"""
        return MinHashLSHInsertionSession(self, buffer_size)

    def deletion_session(self, buffer_size: int = 50_000) -> MinHashLSHDeletionSession:
        """``with lsh.deletion_session() as session: session.remove(key)``"""
        return MinHashLSHDeletionSession(self, buffer_size)


class _Session:
    """Buffers are of use for an index elsewhere; here each call takes effect at once."""

    def __init__(self, lsh: MinHashLSH, buffer_size: int) -> None:
        self.lsh = lsh
        lsh.buffer_size = buffer_size

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Does nothing."""


class MinHashLSHInsertionSession(_Session):
    """Inserts into an index."""

    def __enter__(self) -> MinHashLSHInsertionSession:
        return self

    def insert(self, key: Any, minhash: Any, check_duplication: bool = True) -> None:
        """As ``MinHashLSH.insert``."""
        self.lsh.insert(key, minhash, check_duplication)


class MinHashLSHDeletionSession(_Session):
    """Removes from an index."""

    def __enter__(self) -> MinHashLSHDeletionSession:
        return self

    def remove(self, key: Any) -> None:
        """As ``MinHashLSH.remove``."""
        self.lsh.remove(key)
