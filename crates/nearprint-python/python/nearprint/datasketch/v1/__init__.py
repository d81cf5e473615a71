"""``nearprint.datasketch`` with the defaults of datasketch 1.x: values of the scheme ``legacy``.

>>> from nearprint.datasketch.v1 import MinHash
>>> minhash = MinHash(num_perm=4)
>>> minhash.update(b"Hello")
>>> minhash.hashvalues.tolist()
[734825475, 960773806, 359816889, 342714745]

Modules have the names of the package, too: ``nearprint.datasketch.v1.lsh``.
"""

from nearprint.datasketch.b_bit_minhash import bBitMinHash
from nearprint.datasketch.hashfunc import sha1_hash32
from nearprint.datasketch.lsh import MinHashLSH
from nearprint.datasketch.lshensemble import MinHashLSHEnsemble
from nearprint.datasketch.lshforest import MinHashLSHForest
from nearprint.datasketch.refused import refuse
from nearprint.datasketch.v1.lean_minhash import LeanMinHash
from nearprint.datasketch.v1.minhash import MinHash
from nearprint.datasketch.weighted_minhash import WeightedMinHash, WeightedMinHashGenerator

WeightedMinHashLSH = MinHashLSH
WeightedMinHashLSHForest = MinHashLSHForest

__all__ = [
    "LeanMinHash",
    "MinHash",
    "MinHashLSH",
    "MinHashLSHEnsemble",
    "MinHashLSHForest",
    "WeightedMinHash",
    "WeightedMinHashGenerator",
    "WeightedMinHashLSH",
    "WeightedMinHashLSHForest",
    "bBitMinHash",
    "sha1_hash32",
]


def __getattr__(name: str) -> object:
    refuse(name)
    raise AttributeError(f"module 'nearprint.datasketch.v1' has no attribute {name!r}")
