"""Corpora with planted copies, as examples/planted_corpus.rs makes them, and an answer counted
against the copies."""

import math
import subprocess
from pathlib import Path

from .folders import REPOSITORY


def make(documents: int, corpus: Path, truth: Path, syllables: bool = False) -> None:
    """A corpus of this number of documents, whose ids are their numbers, and the list of original
    and copy."""
    subprocess.run(
        [
            "cargo",
            "run",
            "--quiet",
            "--release",
            "--manifest-path",
            REPOSITORY / "Cargo.toml",
            "-p",
            "nearprint",
            "--example",
            "planted_corpus",
            "--",
            str(documents),
            corpus,
            truth,
            *(["syllables"] if syllables else []),
        ],
        check=True,
    )


def read_truth(path: Path) -> list[tuple[int, int]]:
    """Pairs of original and copy. No copy is the original of another."""
    with open(path, encoding="utf-8") as lines:
        return [tuple(map(int, line.split())) for line in lines]


def score(truth: list[tuple[int, int]], removed: list[dict]) -> tuple[float, float]:
    """Recall: the share of planted pairs of which both are in one cluster. Precision: the share of
    removed documents that come from the same original as the one that stays in their place."""
    originals = {copy: original for original, copy in truth}
    keepers = {row["id"]: row["keeper"] for row in removed}
    found = sum(
        keepers.get(original, original) == keepers.get(copy, copy) for original, copy in truth
    )
    right = sum(
        originals.get(document, document) == originals.get(keeper, keeper)
        for document, keeper in keepers.items()
    )
    return share(found, len(truth)), share(right, len(keepers))


def share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
