"""A set with weights -> samples of its members."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np
import numpy.typing as npt

from nearprint._nearprint import WeightedSamples
from nearprint.errors import UsageError

__all__ = ["WeightedMinHash", "WeightedMinHashGenerator"]


class WeightedMinHash:
    """Samples of a set with weights: ``hashvalues``, an array of pairs of integers.

    A :class:`WeightedMinHashGenerator` makes them.
    """

    seed: int
    """The seed of the generator."""

    hashvalues: npt.NDArray[np.int64]
    """A member and a number for each sample."""

    def __init__(self, seed: int, hashvalues: npt.NDArray[np.int64]) -> None:
        self.seed, self.hashvalues = seed, hashvalues

    def jaccard(self, other: WeightedMinHash) -> float:
        """The estimated weighted Jaccard similarity, 0 to 1."""
        if self.seed != other.seed:
            problem = f"WeightedMinHash objects of the seeds {self.seed} and {other.seed}"
            raise UsageError(problem, setting="seed")
        if len(self) != len(other):
            problem = f"WeightedMinHash objects of {len(self)} and {len(other)} samples"
            raise UsageError(problem, setting="sample_size")
        equal = np.all(np.asarray(self.hashvalues) == np.asarray(other.hashvalues), axis=1)
        return int(np.count_nonzero(equal)) / len(self)

    def digest(self) -> npt.NDArray[np.int64]:
        """A copy of the hash values."""
        return self.hashvalues.copy()

    def copy(self) -> WeightedMinHash:
        """A copy."""
        return WeightedMinHash(self.seed, self.digest())

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WeightedMinHash)
            and self.seed == other.seed
            and np.array_equal(self.hashvalues, other.hashvalues)
        )


class WeightedMinHashGenerator:
    """Makes a WeightedMinHash of ``sample_size`` samples from a vector of ``dim`` weights.

    >>> generator = WeightedMinHashGenerator(dim=3, sample_size=4, seed=1)
    >>> generator.minhash([1, 0, 3]).hashvalues.tolist()
    [[0, 0], [0, 0], [2, 0], [2, 1]]
    """

    def __init__(self, dim: int, sample_size: int = 128, seed: int = 1) -> None:
        self.dim, self.sample_size, self.seed = dim, sample_size, seed
        random, shape = np.random.RandomState(seed), (sample_size, dim)
        rs = random.gamma(2, 1, shape).astype(np.float32)
        ln_cs = np.log(random.gamma(2, 1, shape)).astype(np.float32)
        betas = random.uniform(0, 1, shape).astype(np.float32)
        self._samples = WeightedSamples(dim, rs.tobytes(), ln_cs.tobytes(), betas.tobytes())

    def _numbers(self, place: int) -> npt.NDArray[np.float32]:
        numbers = np.frombuffer(self._samples.numbers()[place], dtype=np.float32)
        return numbers.reshape(self.sample_size, self.dim)

    @property
    def rs(self) -> npt.NDArray[np.float32]:
        """Draws of Gamma(2, 1)."""
        return self._numbers(0)

    @property
    def ln_cs(self) -> npt.NDArray[np.float32]:
        """Logarithms of draws of Gamma(2, 1)."""
        return self._numbers(1)

    @property
    def betas(self) -> npt.NDArray[np.float32]:
        """Draws from 0 to 1."""
        return self._numbers(2)

    def __getstate__(self) -> tuple[int, int, int]:
        return self.dim, self.sample_size, self.seed

    def __setstate__(self, state: tuple[int, int, int]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def minhash(self, v: Any) -> WeightedMinHash:
        """The samples of a vector of weights."""
        if not isinstance(v, Sized):
            raise TypeError("a vector of weights has a length")
        self._check(len(v))
        weights = np.array(v, dtype=np.float32)
        if not weights.any():
            raise UsageError("all weights are 0", setting="v")
        weights[weights == 0] = np.nan
        logarithms = np.log(weights)
        members = np.flatnonzero(~np.isnan(logarithms))
        if not members.size:
            raise UsageError("no weight is above 0", setting="v")
        sets = self._sampled([members.size], members, logarithms[members], False)
        sampled: WeightedMinHash = sets[0]
        return sampled

    def minhash_many(self, X: Any) -> list[WeightedMinHash | None]:
        """The samples of each row of a matrix of weights, an array or a sparse matrix of SciPy; None
        for a row without weights. They are made on all cores.

        As in datasketch they are others than those of ``minhash``, so compare them with each other.
        """
        if not isinstance(X, np.ndarray) and not hasattr(X, "tocsr"):
            raise TypeError("give an array or a sparse matrix of weights")
        if X.ndim != 2:
            raise UsageError(f"{X.ndim} dimensions in place of 2", setting="X")
        self._check(X.shape[1])
        if isinstance(X, np.ndarray):
            matrix = X.astype(np.float32)
            rows, members = np.nonzero(matrix)
            weights = matrix[rows, members]
        else:
            sparse = X.tocsr().astype(np.float32)
            sparse.sum_duplicates()
            sparse = sparse.tocoo()
            there = sparse.data != 0
            rows, members, weights = sparse.row[there], sparse.col[there], sparse.data[there]
        ends = np.cumsum(np.bincount(rows, minlength=X.shape[0]))
        return self._sampled(ends.tolist(), members, np.log(weights), True)

    def _check(self, dimensions: int) -> None:
        if dimensions != self.dim:
            raise UsageError(f"{dimensions} weights, where dim is {self.dim}", setting="dim")

    def _sampled(
        self,
        ends: list[int],
        members: npt.NDArray[Any],
        logarithms: npt.NDArray[np.float32],
        many: bool,
    ) -> list[Any]:
        rows = self._samples.sample(
            ends, members.astype(np.uint32).tobytes(), logarithms.tobytes(), many
        )
        return [
            None
            if row is None
            else WeightedMinHash(self.seed, np.frombuffer(row, dtype=np.int64).reshape(-1, 2))
            for row in rows
        ]
