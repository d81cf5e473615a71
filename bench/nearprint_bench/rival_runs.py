"""Runs programs on a corpus one after the other, from file to file, and makes the table."""

import shutil
import statistics
import sys
from pathlib import Path

from .data import write_rows
from .rival_counts import Corpus
from .rival_programs import Cost

HEADER = [
    "corpus",
    "tool",
    "CPU seconds",
    "wall seconds",
    "MB/s",
    "peak memory, MB",
    "removed",
    "removed wrongly",
    "copies left",
    "precision",
    "recall",
    "F1",
]


def alternating(
    tools: list, corpus: Corpus, work: Path, pinned: list[str], runs: int
) -> dict[str, list[Cost]]:
    """The costs of `runs` runs of each tool, in turns.

    Each cost is printed to standard error. The last output of a tool stays in a folder of its name.
    """
    file = work / f"{corpus.name}.jsonl"
    # Ids are strings, because one tool takes an id of 0 for no id.
    write_rows(file, ({"id": str(place), "text": text} for place, text in enumerate(corpus.texts)))
    costs = {tool.name: [] for tool in tools}
    for _ in range(runs):
        for tool in tools:
            output = work / tool.name
            shutil.rmtree(output, ignore_errors=True)
            output.mkdir()
            cost = tool.run(file, corpus.language, output, pinned)
            costs[tool.name].append(cost)
            print(
                f"{corpus.name}, {tool.name}: {cost.cpu_seconds:.2f} s, {cost.memory_mb:.0f} MB",
                file=sys.stderr,
                flush=True,
            )
    return costs


def line(corpus: Corpus, tool, costs: list[Cost], output: Path) -> list[str]:
    """The line of one tool, from its runs and its last output."""
    seconds, wall, memory = (
        statistics.median(getattr(cost, of) for cost in costs)
        for of in ("cpu_seconds", "wall_seconds", "memory_mb")
    )
    kept = tool.kept(output)
    quality = corpus.found(tool.pairs(output, corpus.texts))
    return [
        f"{corpus.name}: {len(corpus.texts):,} documents, {corpus.megabytes:.1f} MB",
        tool.name,
        f"{seconds:.2f}",
        f"{wall:.2f}",
        f"{corpus.megabytes / seconds:.2f}",
        f"{memory:.0f}",
        f"{len(corpus.texts) - len(kept):,}",
        f"{len(corpus.wrongly_removed(kept)):,}",
        f"{len(corpus.left(kept)):,} of {len(corpus.truth):,}",
        *(f"{quality[of]:.4f}" for of in ("precision", "recall", "f1")),
    ]
