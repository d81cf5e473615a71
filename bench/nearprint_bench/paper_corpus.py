"""The corpora of bench/experiments.md: news, edited copies, and heavily edited versions.

Heavily edited versions are no duplicates. The paper does not publish its selection of articles from
its corpus (news of the whole web by Sogou Labs, edition of 2012). Ours are drawn by seed from the
news of at least 800 characters. Only the first of several similar news can be drawn, so that two
articles are never duplicates.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random

import numpy
from scipy.sparse import csr_matrix

from . import data, words
from .edits import edit

FILES = ["zh_news", "zh_xwlb"]
LEAST_CHARACTERS = 800
ARTICLES = 1565
EDITED = 1162
HEAVY_SHARES = (0.4, 0.6)
RESEMBLANCE = 0.5


@dataclass(frozen=True)
class Scenario:
    """The edits of the copies: a share of the words drawn from (0, share], or the share itself."""

    share: float
    drawn: bool

    @property
    def name(self) -> str:
        return f"{'drawn' if self.drawn else 'fixed'}-{round(self.share * 100):02}"


@dataclass
class Article:
    """An article or a version of it."""

    words: list[str]
    gaps: list[str]
    kept: dict = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        return words.join(self.words, self.gaps)

    def keep(self, name: str, compute):
        """A value computed from this article, once."""
        if name not in self.kept:
            self.kept[name] = compute()
        return self.kept[name]

    def version(self, share: float, random: Random, supply: list[str]) -> "Article":
        return Article(*edit(self.words, self.gaps, share, random, supply))


class Corpus:
    """The articles of one seed. The first EDITED articles have an edited copy and a heavily edited
    version each."""

    def __init__(self, pool: list[Article], seed: int):
        self.seed = seed
        self.numbers = Random(f"articles {seed}").sample(range(len(pool)), ARTICLES)
        self.articles = [pool[number] for number in self.numbers]
        self.supply = [word for article in self.articles for word in article.words]

    @cached_property
    def heavy(self) -> list[Article]:
        """The heavily edited versions, which are no duplicates."""
        random = Random(f"heavy {self.seed}")
        return [
            article.version(random.uniform(*HEAVY_SHARES), random, self.supply)
            for article in self.articles[:EDITED]
        ]

    def edited(self, scenario: Scenario) -> list[Article]:
        """The edited copies of a scenario, which are duplicates."""
        random = Random(f"{scenario.name} {self.seed}")
        shares = [
            scenario.share * (1 - random.random() if scenario.drawn else 1) for _ in range(EDITED)
        ]
        return [
            article.version(share, random, self.supply)
            for article, share in zip(self.articles, shares)
        ]


def pool(folder: Path) -> tuple[list[Article], dict[str, int]]:
    """All articles that may be drawn, and the numbers of long and of unlike ones."""
    texts = [
        row["text"]
        for name in FILES
        for row in data.rows(folder, name)
        if len(row["text"]) >= LEAST_CHARACTERS
    ]
    kept = [texts[number] for number in unlike(texts)]
    return [Article(*words.cut(text)) for text in kept], {
        "long enough": len(texts),
        "unlike": len(kept),
    }


def unlike(texts: list[str]) -> list[int]:
    """The numbers of the texts that are unlike every text before them that stays itself.

    The Jaccard similarity of 5-character shingles of two unlike texts is below RESEMBLANCE. Only
    letters, digits and Han characters count.
    """
    vocabulary, columns, starts = {}, [], [0]
    for text in texts:
        letters = re.sub(r"[\W_]+", "", text)
        shingles = {letters[start : start + 5] for start in range(max(1, len(letters) - 4))}
        columns += [vocabulary.setdefault(shingle, len(vocabulary)) for shingle in shingles]
        starts.append(len(columns))
    matrix = csr_matrix(
        (numpy.ones(len(columns), numpy.int32), columns, starts), (len(texts), len(vocabulary))
    )
    sizes = numpy.diff(starts)
    common = (matrix @ matrix.T).tocoo()
    alike = common.data >= RESEMBLANCE * (sizes[common.row] + sizes[common.col] - common.data)
    partners = {}
    for left, right in zip(common.row[alike].tolist(), common.col[alike].tolist()):
        if right < left:
            partners.setdefault(left, []).append(right)
    dropped = set()
    for number in range(len(texts)):
        if any(partner not in dropped for partner in partners.get(number, [])):
            dropped.add(number)
    return [number for number in range(len(texts)) if number not in dropped]
