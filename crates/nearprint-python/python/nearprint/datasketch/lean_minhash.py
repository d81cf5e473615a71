"""A MinHash that gets no more items, and its bytes."""

from __future__ import annotations

import struct
from typing import Any

import numpy.typing as npt

from nearprint.datasketch.minhash import MinHash, numbers
from nearprint.errors import UsageError

__all__ = ["LeanMinHash"]

CODES = {"affine32": 1, "affine64": 2}
"""The codes of schemes in the bytes of a LeanMinHash and a bBitMinHash. ``legacy`` has none."""


def scheme_of_code(code: int) -> str:
    """The scheme with a code."""
    for scheme, own in CODES.items():
        if code == own:
            return scheme
    raise UsageError(f"no scheme has the code {code}", setting="buf")


class LeanMinHash(MinHash):
    """A MinHash without permutations and a hash function, so that it gets no more items.

    It is made from a ``minhash``, or from the ``hashvalues``, the ``seed`` and the ``scheme`` of
    one. It is small, can be a key, and has bytes of its own.

    >>> minhash = MinHash(num_perm=4)
    >>> minhash.update(b"Hello")
    >>> lean = LeanMinHash(minhash)
    >>> buffer = bytearray(lean.bytesize())
    >>> lean.serialize(buffer)
    >>> LeanMinHash.deserialize(buffer) == lean, lean.jaccard(minhash)
    (True, 1.0)
    """

    __slots__ = ()

    def __init__(
        self,
        minhash: MinHash | None = None,
        seed: int | None = None,
        hashvalues: npt.ArrayLike | None = None,
        scheme: str | None = None,
    ) -> None:
        if minhash is not None:
            if scheme not in (None, minhash.scheme):
                problem = f"the scheme {scheme!r}, where the MinHash has {minhash.scheme!r}"
                raise UsageError(problem, setting="scheme")
            self._fill(minhash.seed, minhash.hashvalues, minhash.scheme)
        elif seed is None or hashvalues is None:
            raise UsageError("give a minhash, or seed and hashvalues", setting="minhash")
        else:
            self._fill(seed, hashvalues, self._scheme(scheme, True))

    def _fill(self, seed: int, hashvalues: npt.ArrayLike, scheme: str) -> None:
        values = numbers(hashvalues, scheme, "hashvalues")
        if not len(values):
            raise UsageError("no hash values", setting="hashvalues")
        self.seed, self.scheme, self.hashvalues = seed, scheme, values

    def update(self, b: Any) -> None:
        """Raises TypeError."""
        raise TypeError("a LeanMinHash gets no more items; update the MinHash that it was made of")

    def update_batch(self, b: Any) -> None:
        """Raises TypeError."""
        self.update(b)

    def _format(self, byteorder: str) -> tuple[str, list[int]]:
        """The format of the bytes, and what stands before the hash values."""
        kind = "Q" if self.scheme == "affine64" else "I"
        if self.scheme == "legacy":
            return f"{byteorder}qi{len(self)}{kind}", [self.seed, len(self)]
        head = [self.seed, -len(self), CODES[self.scheme]]
        return f"{byteorder}qiB{len(self)}{kind}", head

    def bytesize(self, byteorder: str = "@") -> int:
        """The number of its bytes, under a byte order of ``struct``."""
        return struct.calcsize(self._format(byteorder)[0])

    def serialize(self, buf: Any, byteorder: str = "@") -> None:
        """Writes its bytes, as datasketch does, to the beginning of a buffer."""
        if len(buf) < self.bytesize(byteorder):
            problem = f"a buffer of {len(buf)} bytes, of {self.bytesize(byteorder)} needed"
            raise UsageError(problem, setting="buf")
        form, head = self._format(byteorder)
        struct.pack_into(form, buf, 0, *head, *self.hashvalues.tolist())

    @classmethod
    def deserialize(cls, buf: Any, byteorder: str = "@") -> LeanMinHash:
        """The LeanMinHash at the beginning of a buffer."""
        buf, kind, head = memoryview(buf), "I", f"{byteorder}qi"
        seed, count = struct.unpack_from(head, buf)
        scheme = "legacy"
        if count < 0:
            count, head = -count, head + "B"
            scheme = scheme_of_code(struct.unpack_from(head, buf)[2])
            kind = "Q" if scheme == "affine64" else "I"
        # The values begin where their type is aligned.
        start = struct.calcsize(f"{head}0{kind}")
        values = struct.unpack_from(f"{byteorder}{count}{kind}", buf, start)
        lean = cls.__new__(cls)
        lean._fill(seed, values, scheme)
        return lean

    def __getstate__(self) -> Any:
        buf = bytearray(self.bytesize())
        self.serialize(buf)
        return buf

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(LeanMinHash.deserialize(state).__dict__)

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash((self.scheme, self.seed, self.hashvalues.tobytes()))
