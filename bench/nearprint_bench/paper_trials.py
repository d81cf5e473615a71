"""Runs every algorithm on every corpus of bench/experiments.md.

The results are verdicts by seed, scenario and algorithm.
"""

from dataclasses import asdict, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy

from . import data, nearprint, paper_corpus, rivals, verdicts
from .cache import Cache, digest
from .folders import WORK
from .paper_algorithms import (
    ALL,
    FEW,
    MINHASH,
    PACKAGE_CHARACTERS,
    PACKAGE_WORDS,
    SWEEP,
    VERIFIED,
    Fingerprint,
)
from .paper_corpus import ARTICLES, EDITED, Article, Corpus, Scenario
from .verdicts import Verdicts

DRAWN = [Scenario(share, True) for share in (0.05, 0.10, 0.15, 0.20, 0.30, 0.40, 0.50)]
FIXED = [Scenario(share, False) for share in (0.05, 0.10, 0.15, 0.20)]
NEAR = Scenario(0.15, True)
HARDEST = Scenario(0.20, True)
SIMILAR = Scenario(0.10, False)
THOROUGH = [scenario for scenario in DRAWN if scenario.share <= 0.2] + [SIMILAR]


class Trials:
    """The verdicts, kept from earlier runs or computed."""

    def __init__(self, folder: Path, say):
        here = Path(__file__).parent
        self.folder = folder
        self.say = say
        self.cache = Cache(
            "paper",
            [
                data.digest(folder, paper_corpus.FILES),
                digest(
                    *(
                        here / name
                        for name in (
                            "words.py",
                            "edits.py",
                            "paper_corpus.py",
                            "verdicts.py",
                            "distances.py",
                        )
                    )
                ),
                version("rjieba"),
            ],
        )
        self.program = [digest(nearprint.binary()), digest(here / "nearprint.py")]
        self.rivals = [digest(here / "rivals.py"), version("gaoya"), version("simhash")]

    @cached_property
    def pool(self) -> list[Article]:
        return paper_corpus.pool(self.folder)[0]

    def about(self) -> dict:
        """The numbers and mean lengths of the articles that may be drawn."""

        def compute():
            pool, counts = paper_corpus.pool(self.folder)
            return {
                **counts,
                "words": sum(len(article.words) for article in pool) / len(pool),
                "characters": sum(len(article.text) for article in pool) / len(pool),
            }

        return self.cache.get(["about"], compute)

    def settings(self) -> dict:
        """The settings of nearprint's default."""
        return self.cache.get(
            [1, DRAWN[0].name, VERIFIED, *self.program],
            lambda: self.verified(SeedTrials(self, 1).scenario(DRAWN[0])),
        )["settings"]

    def of(self, seed: int) -> dict[tuple[str, str], Verdicts]:
        """All verdicts of one seed, by scenario and algorithm."""
        results, trials = {}, SeedTrials(self, seed)
        for scenario in DRAWN + FIXED:
            where = trials.scenario(scenario)

            def kept(key, parts, compute):
                found = self.cache.get([seed, scenario.name, key, *parts], compute)
                results[scenario.name, key] = Verdicts(
                    **{name: found[name] for name in Verdicts.__annotations__}
                )

            for fingerprint in ALL if scenario in THOROUGH else FEW:
                kept(
                    fingerprint.key,
                    [*self.program, fingerprint.flags, fingerprint.statistics],
                    lambda: asdict(where.fingerprinted(fingerprint)),
                )
            kept(VERIFIED, self.program, lambda: self.verified(where))
            kept(MINHASH, self.rivals, lambda: asdict(where.minhashed()))
            if scenario in THOROUGH:
                for key in PACKAGE_CHARACTERS, PACKAGE_WORDS:
                    kept(key, self.rivals, lambda: asdict(where.simhashed(key)))
            self.say(f"seed {seed}, {scenario.name}")
        return results

    @staticmethod
    def verified(where: "ScenarioTrials") -> dict:
        """The verdicts of nearprint's default at its own least similarity.

        The hardest scenario has lower and higher ones, too.
        """
        found, settings = verified_pairs(where.file, [])
        own = settings["min-similarity"]
        at_own = replace(verdicts.by_similarity(found, [0.0], ARTICLES, EDITED), bounds=[own])
        if where.scenario != HARDEST:
            return {**asdict(at_own), "settings": settings}
        wide, _ = verified_pairs(where.file, ["--min-similarity", str(SWEEP[0])])
        swept = verdicts.by_similarity(
            wide, [bound for bound in SWEEP if bound != own], ARTICLES, EDITED
        )
        both = {
            name: getattr(at_own, name) + getattr(swept, name) for name in Verdicts.__annotations__
        }
        return {**both, "settings": settings}


class SeedTrials:
    """The corpus of one seed. Each part is made on its first use."""

    def __init__(self, trials: Trials, seed: int):
        self.trials = trials
        self.seed = seed

    @cached_property
    def corpus(self) -> Corpus:
        return Corpus(self.trials.pool, self.seed)

    @cached_property
    def index(self) -> rivals.MinHashIndex:
        return rivals.MinHashIndex(
            [rival_words(article) for article in self.corpus.articles], SWEEP[0]
        )

    @cached_property
    def apart(self) -> list[tuple[str, str, float]]:
        """MinHash's pairs of heavy versions and unedited articles, which all scenarios share."""
        return minhash_pairs(self.index, "h", enumerate(self.corpus.heavy)) + minhash_pairs(
            self.index, "a", list(enumerate(self.corpus.articles))[EDITED:]
        )

    def scenario(self, scenario: Scenario) -> "ScenarioTrials":
        return ScenarioTrials(self, scenario)


class ScenarioTrials:
    """The corpus of one seed and scenario."""

    def __init__(self, trials: SeedTrials, scenario: Scenario):
        self.trials = trials
        self.scenario = scenario
        self.counted = {}

    @cached_property
    def edited(self) -> list[Article]:
        return self.trials.corpus.edited(self.scenario)

    @cached_property
    def groups(self) -> dict[str, list[Article]]:
        return {"a": self.trials.corpus.articles, "e": self.edited, "h": self.trials.corpus.heavy}

    @cached_property
    def file(self) -> Path:
        """The file of all documents."""
        return self.write("corpus.jsonl", "aeh")

    @cached_property
    def weighed(self) -> Path:
        """The file of the documents that statistics count: articles and edited copies."""
        return self.write("weighed.jsonl", "ae")

    def statistics(self, flags: tuple[str, ...]) -> Path:
        """The file of the statistics with these flags, made once."""
        if flags not in self.counted:
            output = WORK / "paper" / f"corpus-{len(self.counted)}.stats"
            output.unlink(missing_ok=True)
            nearprint.run("stats", self.weighed, *flags, "--output", output)
            self.counted[flags] = output
        return self.counted[flags]

    def write(self, name: str, letters: str) -> Path:
        path = WORK / "paper" / name
        data.write_rows(
            path,
            (
                {"id": f"{letter}{number}", "text": article.text}
                for letter in letters
                for number, article in enumerate(self.groups[letter])
            ),
        )
        return path

    def fingerprinted(self, fingerprint: Fingerprint) -> Verdicts:
        statistics = (
            ["--stats", str(self.statistics(fingerprint.statistics))]
            if fingerprint.statistics
            else []
        )
        prints = nearprint.fingerprints(self.file, [*fingerprint.flags, *statistics])
        found = dict(zip(prints.ids, prints.words))
        return verdicts.by_distance(
            *(
                numpy.array([found[f"{letter}{number}"] for number in range(len(group))])
                for letter, group in self.groups.items()
            )
        )

    def minhashed(self) -> Verdicts:
        pairs = self.trials.apart + minhash_pairs(self.trials.index, "e", enumerate(self.edited))
        return verdicts.by_similarity(pairs, SWEEP, ARTICLES, EDITED)

    def simhashed(self, key: str) -> Verdicts:
        rivals.check([self.edited[0].text, rival_words(self.edited[0])])
        return verdicts.by_distance(
            *(
                numpy.array([[package_simhash(article, key)] for article in group], numpy.uint64)
                for group in self.groups.values()
            )
        )


def verified_pairs(corpus: Path, flags: list[str]) -> tuple[list[tuple[str, str, float]], dict]:
    """The confirmed pairs (left, right, similarity) of a run, and its settings, `auto` resolved."""
    answer = nearprint.dedup(corpus, flags)
    pairs = [(row["left"], row["right"], row["similarity"]) for row in answer.pairs]
    return pairs, answer.summary["settings"] | {"max-distance": answer.summary["max_distance"]}


def rival_words(article: Article) -> list[str]:
    return article.keep("words", lambda: rivals.words_of(article.text))


def package_simhash(article: Article, key: str) -> int:
    return article.keep(
        key,
        lambda: rivals.simhash(article.text if key == PACKAGE_CHARACTERS else rival_words(article)),
    )


def minhash_pairs(
    index: rivals.MinHashIndex, letter: str, articles
) -> list[tuple[str, str, float]]:
    return [
        (f"a{found}", f"{letter}{number}", similarity)
        for number, article in articles
        for found, similarity in index.query(rival_words(article))
        if letter != "a" or found < number
    ]
