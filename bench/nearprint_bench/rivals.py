"""The rivals of bench/experiments.md: MinHash-LSH by gaoya, SimHash by the package simhash.

They get the words of the other algorithms of that page, and 42 bands of 3 hashes, which find pairs
down to the similarity of heavily edited copies. tools.py runs them with their defaults or the
settings of their documentation.
"""

from collections import Counter
from hashlib import md5

import gaoya
import numpy
from simhash import Simhash

from . import words

BANDS, BAND_SIZE, SHINGLE = 42, 3, 3


def words_of(text: str) -> list[str]:
    """The words of a text for the rivals."""
    return [word.lower() for word in words.cut(text)[0]]


class MinHashIndex:
    """Articles by number, in tables of MinHash bands."""

    def __init__(self, articles: list[list[str]], least: float):
        self.index = gaoya.minhash.MinHashStringIndex(
            64, least, BANDS, BAND_SIZE, None, "word", False, (SHINGLE, SHINGLE)
        )
        for number, its_words in enumerate(articles):
            self.index.insert_document(number, " ".join(its_words))

    def query(self, its_words: list[str]) -> list[tuple[int, float]]:
        """The similar articles and their estimated similarities."""
        return sorted(self.index.query(" ".join(its_words), return_similarity=True))


class FastSimhash(Simhash):
    """The package's SimHash with its inner loop in numpy, twice as fast.

    `check` compares it with the package itself.
    """

    def build_by_features(self, features):
        counts = features if isinstance(features, dict) else Counter(features)
        hashes = b"".join([md5(feature.encode()).digest()[-8:] for feature in counts])
        weights = numpy.fromiter(counts.values(), numpy.float32, len(counts))
        bits = numpy.unpackbits(numpy.frombuffer(hashes, numpy.uint8).reshape(-1, 8), axis=1)
        ones = weights @ bits.astype(numpy.float32)
        self.value = int.from_bytes(numpy.packbits(ones > weights.sum() / 2).tobytes(), "big")


def simhash(value) -> int:
    """The 64-bit fingerprint of a text, by its 4-character n-grams, or of a list of words."""
    return FastSimhash(value).value


def check(values: list) -> None:
    """Asserts that both implementations give equal fingerprints."""
    assert [simhash(value) for value in values] == [Simhash(value).value for value in values]
