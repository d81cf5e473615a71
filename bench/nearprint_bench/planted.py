"""Corpora with planted copies, made by examples/planted_corpus.rs, and scores of answers."""

import math
import subprocess
from pathlib import Path

from .folders import REPOSITORY


def make(documents: int, corpus: Path, truth: Path, syllables: bool = False) -> None:
    """Writes a corpus of this number of documents, with numbers as ids, and its planted pairs."""
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
    """The pairs of original and copy. No copy is an original."""
    with open(path, encoding="utf-8") as lines:
        return [tuple(map(int, line.split())) for line in lines]


def score(truth: list[tuple[int, int]], removed: list[dict]) -> tuple[float, float]:
    """The recall and the precision of an answer.

    Recall is the share of planted pairs within one cluster. Precision is the share of removed
    documents whose keeper comes from the same original.
    """
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
