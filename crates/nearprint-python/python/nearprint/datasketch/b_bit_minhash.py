"""A MinHash -> the lowest bits of its hash values."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from nearprint.datasketch.lean_minhash import CODES, scheme_of_code
from nearprint.datasketch.minhash import MinHash, check_scheme
from nearprint.errors import UsageError

__all__ = ["bBitMinHash"]

_HEAD = "<qBdi"


class bBitMinHash:
    """The ``b`` lowest bits of each hash value of a MinHash, 0 to 32.

    ``r`` is the expected share of the items of a set among all items that there are, 0 if it is not
    known. The estimate of the similarity corrects for values that agree in these bits by chance (Li,
    König, "b-Bit Minwise Hashing", WWW 2010, section 2).

    >>> minhash = MinHash()
    >>> minhash.update(b"Hello")
    >>> bBitMinHash(minhash, b=1).jaccard(bBitMinHash(minhash, b=1)), bBitMinHash(minhash).bytesize()
    (1.0, 38)
    """

    __slots__ = ("b", "hashvalues", "r", "scheme", "seed")

    b: int
    r: float
    seed: int
    scheme: str
    hashvalues: npt.NDArray[np.uint32]

    def __init__(self, minhash: MinHash, b: int = 1, r: float = 0.0) -> None:
        self.b, self.r = int(b), float(r)
        if not 0 <= self.b <= 32:
            raise UsageError(f"{b} bits; possible are 0 to 32", setting="b")
        if self.r > 1.0:
            raise UsageError(f"{r} is above 1", setting="r")
        check_scheme(minhash.scheme)
        self.seed, self.scheme = minhash.seed, minhash.scheme
        self.hashvalues = (minhash.hashvalues & ((1 << self.b) - 1)).astype(np.uint32)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, bBitMinHash)
            and (self.scheme, self.seed, self.b, self.r)
            == (other.scheme, other.seed, other.b, other.r)
            and np.array_equal(self.hashvalues, other.hashvalues)
        )

    def jaccard(self, other: bBitMinHash) -> float:
        """The estimated Jaccard similarity of the two sets."""
        for what in ("b", "scheme", "seed"):
            mine, others = getattr(self, what), getattr(other, what)
            if mine != others:
                raise UsageError(f"bBitMinHash objects of {what} {mine} and {others}", setting=what)
        share = int(np.count_nonzero(self.hashvalues == other.hashvalues)) / self.hashvalues.size
        mine, others = self._by_chance(), other._by_chance()
        # Theorem 1: the bits of different values agree with these probabilities.
        if self.r == other.r == 0.0:
            below, above = mine, others
        else:
            both = 1 / (self.r + other.r)
            below = (mine * other.r + others * self.r) * both
            above = (mine * self.r + others * other.r) * both
        return (share - below) / (1 - above)

    def _by_chance(self) -> float:
        """A(r, b) as in datasketch, or its limit for r = 0."""
        if self.r == 0.0:
            return 1.0 / (1 << self.b)
        rest = 1 - self.r
        return float(self.r * rest ** (2**self.b - 1) / (1 - rest ** (2 * self.b)))

    def _layout(self) -> tuple[int, int, str]:
        """The bits of a value in a word of 64 bits, the number of words, and the format."""
        slot = next((size for size in (1, 2, 4, 8, 16, 32) if self.b <= size), 32)
        words = -(-self.hashvalues.size * slot // 64)
        code = "" if self.scheme == "legacy" else "B"
        return slot, words, f"{_HEAD}{code}{words}Q"

    def bytesize(self) -> int:
        """The number of bytes in a pickle."""
        return struct.calcsize(self._layout()[2])

    def __getstate__(self) -> Any:
        slot, words, form = self._layout()
        # The first value of a word has its highest bits.
        values = np.zeros(words * (64 // slot), dtype=np.uint64)
        values[: self.hashvalues.size] = self.hashvalues
        shifts = np.arange(64 - slot, -1, -slot, dtype=np.uint64)
        packed = np.bitwise_or.reduce(values.reshape(words, -1) << shifts, axis=1)
        size = self.hashvalues.size
        head = [size] if self.scheme == "legacy" else [-size, CODES[self.scheme]]
        return bytearray(struct.pack(form, self.seed, self.b, self.r, *head, *packed.tolist()))

    def __setstate__(self, state: Any) -> None:
        self.seed, self.b, self.r, size = struct.unpack_from(_HEAD, state)
        start, self.scheme = struct.calcsize(_HEAD), "legacy"
        if size < 0:
            size, self.scheme = -size, scheme_of_code(state[start])
            start += 1
        self.hashvalues = np.zeros(size, dtype=np.uint32)
        slot, words, _ = self._layout()
        packed = np.frombuffer(state, dtype="<u8", count=words, offset=start)
        shifts = np.arange(64 - slot, -1, -slot, dtype=np.uint64)
        values = packed[:, np.newaxis] >> shifts & np.uint64((1 << slot) - 1)
        self.hashvalues = values.reshape(-1)[:size].astype(np.uint32)
