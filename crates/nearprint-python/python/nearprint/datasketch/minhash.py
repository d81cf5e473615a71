"""A set -> the minima of its hash values under random permutations."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from nearprint._nearprint import Permutations
from nearprint.datasketch.hashfunc import sha1_hash32, sha1_hash64
from nearprint.datasketch.refused import check_minhash
from nearprint.errors import UsageError

__all__ = ["MinHash"]

_Own = TypeVar("_Own", bound="MinHash")

SCHEMES = ("affine32", "affine64", "legacy")
_MERSENNE_PRIME = (1 << 61) - 1
_MOST_PERMUTATIONS = 1 << 32


def dtype_of(scheme: str) -> type[np.uint32] | type[np.uint64]:
    """The type of the hash values of a scheme."""
    return np.uint32 if scheme == "affine32" else np.uint64


def largest_of(scheme: str) -> int:
    """The largest hash value of a scheme, which is that of an empty set."""
    return (1 << 64) - 1 if scheme == "affine64" else (1 << 32) - 1


def check_scheme(scheme: str) -> None:
    """Raises UsageError for an unknown scheme."""
    if scheme not in SCHEMES:
        raise UsageError(f"no scheme {scheme!r}; there are {', '.join(SCHEMES)}", setting="scheme")


def numbers(values: Any, scheme: str, setting: str) -> npt.NDArray[Any]:
    """A copy of numbers in the type of a scheme, if they fit."""
    dtype = dtype_of(scheme)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        fits = not values.size or (values.min() >= 0 and values.max() <= np.iinfo(dtype).max)
        if fits:
            return values.astype(dtype)
    else:
        try:
            return np.array(values, dtype=dtype)
        except OverflowError:
            pass
    raise UsageError(f"values out of range for the scheme {scheme!r}", setting=setting)


def _native(a: npt.NDArray[Any], b: npt.NDArray[Any], scheme: str) -> Permutations:
    return Permutations(scheme, a.tobytes(), b.tobytes())


@lru_cache(maxsize=256)
def _drawn(scheme: str, num_perm: int, seed: int) -> tuple[npt.NDArray[Any], Permutations]:
    """The permutations of a seed. They are drawn once and shared, so nobody may change them."""
    both = _draw(scheme, num_perm, seed)
    both.flags.writeable = False
    return both, _native(both[0], both[1], scheme)


def _draw(scheme: str, num_perm: int, seed: Any) -> npt.NDArray[Any]:
    """The permutations that datasketch draws: factors, then summands."""
    random = np.random.RandomState(seed)
    if scheme == "legacy":
        # A factor and a summand in turn; a call for many numbers at a time would draw others.
        drawn = [
            random.randint(low, _MERSENNE_PRIME, dtype=np.uint64)
            for _ in range(num_perm)
            for low in (1, 0)
        ]
        return np.array(drawn, dtype=np.uint64).reshape(num_perm, 2).T
    dtype, bits = dtype_of(scheme), 32 if scheme == "affine32" else 64
    # Odd factors give bijections.
    a = random.randint(0, 1 << (bits - 1), num_perm, dtype=dtype) * dtype(2) + dtype(1)
    b = random.randint(0, 1 << bits, num_perm, dtype=dtype)
    return np.array([a, b])


class MinHash:
    """The minima of the hash values of a set under ``num_perm`` random permutations.

    Two of them with equal ``seed``, ``num_perm`` and ``scheme`` estimate the Jaccard similarity of
    their sets. ``hashfunc`` takes an item and gives an int of 32 bits, of 64 in the scheme
    ``affine64``; None means SHA-1, which is the fast way and takes bytes. ``hashvalues`` and
    ``permutations`` are those of another MinHash, whose ``scheme`` must then be named. ``gpu_mode``
    may be ``disable`` or ``detect``, which are the same here. ``hashobj`` is ignored.

    ``scheme`` is ``affine32``, ``affine64`` or ``legacy``, the only one of datasketch before 2.0.0.

    Raises UsageError, a ValueError, for arguments that cannot be carried out.

    >>> minhash = MinHash(num_perm=4)
    >>> minhash.update(b"Hello")
    >>> minhash.hashvalues.tolist()
    [3231258861, 1388533999, 831950533, 1845606703]
    >>> minhash = MinHash(num_perm=4, scheme="legacy")
    >>> minhash.update(b"Hello")
    >>> minhash.hashvalues.tolist()
    [734825475, 960773806, 359816889, 342714745]
    """

    seed: Any
    """The seed of the permutations."""

    scheme: str
    """The name of the scheme."""

    num_perm: int
    """The number of permutations."""

    hashfunc: Callable[[Any], int]
    """The function from items to hash values."""

    hashvalues: npt.NDArray[Any]
    """The minima, of 32 bits in the scheme ``affine32``, else of 64."""

    _gpu_mode: str
    _permutations: npt.NDArray[Any]
    _native: Permutations

    def __init__(
        self,
        num_perm: int = 128,
        seed: Any = 1,
        gpu_mode: str = "disable",
        hashfunc: Callable[[Any], int] | None = None,
        hashobj: object = None,
        hashvalues: npt.ArrayLike | None = None,
        permutations: Any = None,
        scheme: str | None = None,
    ) -> None:
        self.scheme = self._scheme(scheme, hashvalues is not None or permutations is not None)
        if gpu_mode not in ("disable", "detect"):
            raise UsageError(
                f"no gpu_mode {gpu_mode!r}; leave it out, all cores are used", setting="gpu_mode"
            )
        if hashobj is not None:
            warnings.warn("use hashfunc for hashobj", DeprecationWarning, stacklevel=2)
        if hashfunc is not None and not callable(hashfunc):
            raise UsageError("hashfunc must be callable", setting="hashfunc")
        self.seed = seed
        self._gpu_mode = gpu_mode
        self.hashfunc = hashfunc or self._sha1()
        if hashvalues is None:
            if not isinstance(num_perm, Integral) or not 1 <= num_perm <= _MOST_PERMUTATIONS:
                raise UsageError(
                    f"num_perm: {num_perm!r} is no number of permutations, such as 128; items are "
                    "added by update or update_batch",
                    setting="num_perm",
                )
            self.num_perm = num_perm
            self.hashvalues = self._empty()
        else:
            self.hashvalues = numbers(hashvalues, self.scheme, "hashvalues")
            self.num_perm = len(self.hashvalues)
            if not self.num_perm:
                raise UsageError("no hash values", setting="hashvalues")
        if permutations is None:
            self._draw()
        else:
            self.permutations = permutations

    @classmethod
    def _scheme(cls, scheme: str | None, given: bool) -> str:
        """The scheme for the argument; `given` if there are values that have a scheme."""
        if scheme is None:
            if given:
                raise UsageError(
                    "name the scheme of hashvalues and permutations; those of datasketch before "
                    "2.0.0 have scheme='legacy'",
                    setting="scheme",
                )
            return "affine32"
        check_scheme(scheme)
        return scheme

    def _sha1(self) -> Callable[[Any], int]:
        return sha1_hash64 if self.scheme == "affine64" else sha1_hash32

    def _empty(self) -> npt.NDArray[Any]:
        return np.full(self.num_perm, largest_of(self.scheme), dtype=dtype_of(self.scheme))

    def _draw(self) -> None:
        if isinstance(self.seed, int):
            self._permutations, self._native = _drawn(self.scheme, self.num_perm, self.seed)
        else:
            self.permutations = _draw(self.scheme, self.num_perm, self.seed)

    @property
    def permutations(self) -> npt.NDArray[Any]:
        """The factors and the summands of the permutations."""
        return self._permutations

    @permutations.setter
    def permutations(self, permutations: Any) -> None:
        a, b = (numbers(column, self.scheme, "permutations") for column in permutations)
        if not len(a) == len(b) == len(self.hashvalues):
            problem = f"{len(a)} permutations for {len(self.hashvalues)} hash values"
            raise UsageError(problem, setting="permutations")
        if self.scheme != "legacy" and not np.all(a & a.dtype.type(1)):
            raise UsageError("factors of this scheme are odd", setting="permutations")
        self._permutations, self._native = np.array([a, b]), _native(a, b, self.scheme)

    def _function(self) -> Callable[[Any], int] | None:
        """The hash function; None for the one that is in Rust."""
        return None if self.hashfunc is self._sha1() else self.hashfunc

    def update(self, b: Any) -> None:
        """Adds an item to the set."""
        lowered = self._native.update(self.hashvalues.tobytes(), b, self._function())
        self.hashvalues = np.frombuffer(lowered, dtype=self.hashvalues.dtype)

    def update_batch(self, b: Iterable[Any]) -> None:
        """Adds items to the set."""
        lowered = self._native.update_batch(self.hashvalues.tobytes(), b, self._function())
        if lowered is not None:
            self.hashvalues = np.frombuffer(lowered, dtype=self.hashvalues.dtype)

    def _check_alike(self, other: MinHash) -> None:
        check_minhash(other, "other")
        for what in ("scheme", "seed"):
            mine, others = getattr(self, what), getattr(other, what, None)
            if mine != others:
                raise UsageError(f"MinHash objects of {what} {mine} and {others}", setting=what)
        if len(self) != len(other):
            raise UsageError(
                f"MinHash objects of {len(self)} and {len(other)} permutations", setting="num_perm"
            )

    def jaccard(self, other: MinHash) -> float:
        """The estimated Jaccard similarity to another set, 0 to 1."""
        self._check_alike(other)
        return int(np.count_nonzero(self.hashvalues == other.hashvalues)) / len(self)

    def count(self) -> float:
        """The estimated number of different items."""
        shares = self.hashvalues / float(largest_of(self.scheme))
        return float(len(self) / np.sum(shares) - 1.0)

    def merge(self, other: MinHash) -> None:
        """Adds the items of another set."""
        self._check_alike(other)
        self.hashvalues = np.minimum(other.hashvalues, self.hashvalues)

    def digest(self) -> npt.NDArray[Any]:
        """A copy of the hash values."""
        return self.hashvalues.copy()

    def is_empty(self) -> bool:
        """Whether no item was added."""
        return bool(np.all(self.hashvalues == largest_of(self.scheme)))

    def clear(self) -> None:
        """Removes all items."""
        self.hashvalues = np.full_like(self.hashvalues, largest_of(self.scheme))

    def copy(self: _Own) -> _Own:
        """A copy."""
        return next(self._twins([self.hashvalues.copy()]))

    def _twins(self: _Own, rows: Iterable[npt.NDArray[Any]]) -> Iterator[_Own]:
        """Copies with other hash values."""
        kind, shared = type(self), {**self.__dict__}
        for row in rows:
            twin = kind.__new__(kind)
            shared["hashvalues"] = row
            twin.__dict__ = shared.copy()
            yield twin

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, MinHash)
            and (self.scheme, self.seed) == (other.scheme, other.seed)
            and np.array_equal(self.hashvalues, other.hashvalues)
        )

    @classmethod
    def union(cls: type[_Own], *mhs: _Own) -> _Own:
        """The MinHash of all items of two or more sets."""
        if len(mhs) < 2:
            raise UsageError("a union is of at least two MinHash objects", setting="mhs")
        for other in mhs[1:]:
            mhs[0]._check_alike(other)
        return next(mhs[0]._twins([np.minimum.reduce([own.hashvalues for own in mhs])]))

    @classmethod
    def bulk(cls: type[_Own], b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> list[_Own]:
        """A MinHash of each set of items, made on all cores without Python's lock.

        >>> [minhash.count() for minhash in MinHash.bulk([[b"one", b"two"], []], num_perm=512)]
        [1.983773970122364, 0.0]
        """
        empty, documents = cls(**minhash_kwargs), iter(b)
        start, function = empty.hashvalues.tobytes(), empty._function()
        made: list[_Own] = []
        while parts := empty._native.bulk(start, documents, function):
            for part in parts:
                rows = np.frombuffer(part, dtype=empty.hashvalues.dtype).reshape(-1, len(empty))
                made += empty._twins(rows)
        return made

    @classmethod
    def generator(
        cls: type[_Own], b: Iterable[Iterable[Any]], **minhash_kwargs: Any
    ) -> Iterator[_Own]:
        """A MinHash of each set of items, one after the other; ``bulk`` is faster."""
        empty = cls(**minhash_kwargs)
        for items in b:
            minhash = empty.copy()
            minhash.update_batch(items)
            yield minhash

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__}
        del state["_native"]
        # Most permutations are those of the seed, and would be larger than all else.
        if not self._permutations.flags.writeable:
            del state["_permutations"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_permutations" in state:
            self.permutations = state["_permutations"]
        else:
            self._draw()
