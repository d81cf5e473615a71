"""Replacement for the package ``datasketch``: the same names and values, many times as fast.

>>> from nearprint.datasketch import MinHash, MinHashLSH
>>> one, other = MinHash(num_perm=128), MinHash(num_perm=128)
>>> one.update_batch([b"the", b"ferry", b"returns", b"on", b"Monday"])
>>> other.update_batch([b"the", b"ferry", b"returns", b"on", b"Friday"])
>>> one.jaccard(other)
0.6953125
>>> lsh = MinHashLSH(threshold=0.5, num_perm=128)
>>> lsh.insert("one", one)
>>> lsh.query(other)
['one']

Values are those of datasketch 2.0.0; ``nearprint.datasketch.v1`` has the defaults of 1.x. Modules
have the names of the package, too: ``nearprint.datasketch.lsh``. ``docs/python-datasketch.md``
lists the differences. Needs NumPy.
"""

from nearprint.datasketch.b_bit_minhash import bBitMinHash
from nearprint.datasketch.hashfunc import sha1_hash32
from nearprint.datasketch.lean_minhash import LeanMinHash
from nearprint.datasketch.lsh import MinHashLSH
from nearprint.datasketch.lshensemble import MinHashLSHEnsemble
from nearprint.datasketch.lshforest import MinHashLSHForest
from nearprint.datasketch.minhash import MinHash
from nearprint.datasketch.refused import refuse
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
    raise AttributeError(f"module 'nearprint.datasketch' has no attribute {name!r}")
